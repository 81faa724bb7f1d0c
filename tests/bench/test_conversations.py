import json
from datetime import UTC, datetime

import numpy as np
import pytest

from bench.conversations import (
    DATA_SETS,
    Asked,
    read_conversations,
    read_corpora,
    store_conversation,
    without_sessions,
)
from bench.kept_vectors import KeptVectors
from bench.published import PUBLISHED
from memories.models import Memory
from memories.providers.embeddings import HashEmbedder
from tests.bench.invented import as_json, conversation

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Nora",
        "speaker_b": "Emil",
        "session_1_date_time": "1:56 pm on 8 May, 2024",
        "session_1": [
            {"speaker": "Nora", "dia_id": "D1:1", "text": "The heater broke."},
            {"speaker": "Emil", "dia_id": "D1:2", "text": "Look!", "img_url": ["…"], "blip_caption": "a violin"},
        ],
        "session_2_date_time": "12:05 am on 10 May, 2024",
        "session_2": [{"speaker": "Nora", "dia_id": "D2:1", "text": "", "blip_caption": "a pot"}],
        "session_3_date_time": "9:00 am on 11 May, 2024",
    },
    "qa": [
        {"question": "What broke?", "answer": "The heater", "evidence": ["D1:1"], "category": 4},
        {"question": "When were photos shared?", "answer": "In May", "evidence": ["D1:02; D:2:1"], "category": 2},
        {"question": "Who called?", "answer": "Nobody", "evidence": ["D9:9", "D"], "category": 1},
        {"question": "Which piano?", "adversarial_answer": "A grand", "evidence": ["D1:2"], "category": 5},
        {"question": "Why?", "answer": "So", "category": 3},
    ],
}


@pytest.fixture
def folder(tmp_path):
    for data_set in DATA_SETS:
        (tmp_path / f"{data_set}.json").write_text(json.dumps([as_json(f"{data_set}-{n}") for n in (1, 2)]))
    return tmp_path


def test_conversations_are_read_with_the_questions_that_count(folder):
    read = read_conversations(folder)
    assert [item.name for item in read] == ["locomo-1", "locomo-2", "realtalk-1", "realtalk-2", "beam-1", "beam-2"]
    assert read[0] == conversation("locomo-1")


def test_a_limit_is_for_each_data_set(folder):
    assert [conversation.name for conversation in read_conversations(folder, 1)] == ["locomo-1", "realtalk-1", "beam-1"]


def test_one_data_set_alone_will_do(folder):
    (folder / "locomo.json").unlink()
    (folder / "beam.json").unlink()
    assert [conversation.name for conversation in read_conversations(folder)] == ["realtalk-1", "realtalk-2"]


def test_it_is_told_what_is_wanted_where_there_is_none(tmp_path):
    with pytest.raises(
        SystemExit, match=r"None of locomo\.json, realtalk\.json, beam\.json, locomo10\.json is in .*bench/README"
    ):
        read_conversations(tmp_path)


def test_locomo_is_read_as_it_is_published(tmp_path):
    (tmp_path / PUBLISHED).write_text(json.dumps([SAMPLE]))
    (read,) = read_conversations(tmp_path)
    assert (read.name, read.data_set) == ("conv-1", "locomo")
    assert [(item.id, item.content, item.session, item.turn_number) for item in read.items] == [
        ("D1:1", "Nora: The heater broke.", "s1", 0),
        ("D1:2", "Emil: Look! [shares a photo of a violin]", "s1", 1),
        ("D2:1", "Nora: [shares a photo of a pot]", "s2", 2),
    ]
    assert [item.said_at for item in read.items[1:]] == [
        datetime(2024, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2024, 5, 10, 0, 5, tzinfo=UTC),
    ]
    assert read.questions == [
        Asked("What broke?", frozenset({"D1:1"}), "single_hop"),
        Asked("When were photos shared?", frozenset({"D1:2", "D2:1"}), "temporal"),
    ]


def test_each_item_becomes_a_memory(db):
    app = store_conversation(conversation(), HashEmbedder())
    memories = list(Memory.objects.for_app(app).order_by("turn_number").select_related("session"))
    assert len(memories) == 10
    last = memories[-1]
    assert (last.content, last.subject) == ("Emil: She can have the seat beside my mother.", "Emil")
    assert (last.session.external_id, last.external_id, last.turn_number) == ("s2", "turn-9", 9)
    assert last.valid_from.isoformat() == "2024-05-10T00:00:00+00:00"
    assert last.vectors.count() == 1


class Counting(HashEmbedder):
    embedded = 0

    def embed_documents(self, texts):
        self.embedded += len(texts)
        return super().embed_documents(texts)


def test_a_text_is_embedded_once_and_kept_without_its_words(tmp_path):
    texts = ["a violin", "a heater", "a violin"]
    first, second = Counting(), Counting()
    vectors = KeptVectors(first, tmp_path).embed_documents(texts)
    assert np.array_equal(KeptVectors(second, tmp_path).embed_documents(texts), vectors)
    assert np.array_equal(vectors, HashEmbedder().embed_documents(texts))
    assert (first.embedded, second.embedded) == (2, 0)
    assert b"violin" not in (tmp_path / "hash-64.sqlite3").read_bytes()


def test_what_was_written_for_this_has_evidence_for_every_question():
    corpora = read_corpora()
    assert len({item.data_set for item in corpora}) == 11
    for entry in corpora:
        known = {item.id for item in entry.items}
        assert entry.questions
        assert all(requested.gold and requested.gold <= known for requested in entry.questions), entry.name


def test_a_statement_is_stored_without_speaker_session_and_day(db):
    statements = next(item for item in read_corpora() if item.data_set == "markers")
    memory = Memory.objects.for_app(store_conversation(statements, HashEmbedder())).earliest("pk")
    first = statements.items[0]
    assert (memory.content, memory.subject) == (first.text, first.about)
    assert (memory.session, memory.turn_number, memory.valid_from) == (None, None, None)


def test_without_sessions_each_turn_still_has_its_day(db):
    apart = without_sessions(conversation())
    assert (apart.data_set, apart.group) == ("locomo, no sessions", "invented-1")
    memory = Memory.objects.for_app(store_conversation(apart, HashEmbedder())).latest("pk")
    assert (memory.session, memory.valid_from.isoformat()) == (None, "2024-05-10T00:00:00+00:00")

"""A memory that is deleted is not kept in the texts that it was made of."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memories.capture import extraction_queue
from memories.capture.extraction import learn
from memories.models import ColdText, Extraction, Memory, Status
from memories.models.memory import pack
from memories.services import MemoryAgent
from memories.store.redact_sources import FORGOTTEN, digests_of, redact_sources, redactor
from memsite.tenancy.models import AppPolicy
from sessions.models import Event, Resource, Turn
from tests.conftest import Caller
from tests.talking import contents, row_of, tables_with, tell, turn
from tests.upkeep import upkeep_learn_due

NEEDLE = "zqneedle"


def memory_of(content: str) -> Memory:
    return Memory(content=content)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I work at Zorgcorp. I like tea.", f"{FORGOTTEN} I like tea."),
        ("Hello!\nI work at Zorgcorp in Porto\nBye", f"Hello!\n{FORGOTTEN}\nBye"),
        ("My mail is a@example.org. I work at Zorgcorp, 1.5 km from here.", f"My mail is a@example.org. {FORGOTTEN}"),
        ("The weather is fine.", "The weather is fine."),
        ("", ""),
    ],
)
def test_only_the_sentences_that_say_it_are_blanked(text: str, left: str) -> None:
    assert redactor([memory_of("User works at Zorgcorp")])(text) == left


@pytest.mark.parametrize(
    ("text", "memory", "left"),
    [
        ("我对花生过敏。我住在北京。", "我对花生过敏", f"{FORGOTTEN}我住在北京。"),
        ("मुझे मूंगफली से एलर्जी है। मैं दिल्ली में रहता हूँ।", "मुझे मूंगफली से एलर्जी है", f"{FORGOTTEN} मैं दिल्ली में रहता हूँ।"),
        ("هل تعرف القاهرة؟ أعمل طبيبا.", "أعمل طبيبا", f"هل تعرف القاهرة؟ {FORGOTTEN}"),
    ],
)
def test_other_scripts_end_their_sentences_with_other_marks(text: str, memory: str, left: str) -> None:
    assert redactor([memory_of(memory)])(text) == left


def test_one_in_the_cold_archive_is_known_by_its_words_and_not_by_its_empty_content() -> None:
    cold = Memory(content="", status=Status.COLD)
    cold.cold_text = ColdText(data=pack("User works at Zorgcorp"))
    assert redactor([cold])("I like tea. I work at Zorgcorp.") == f"I like tea. {FORGOTTEN}"


@pytest.fixture
def answers(alice: Caller) -> str:
    """The id of a memory that was learnt from a turn, with a marker and an event of the same."""
    session = alice.start_session()
    text = f"[EVENT:info:svc] {NEEDLE.title()} Systems greets\n[MEMORY:timing:svc] Whales sing at noon\nNoted."
    tools = [{"name": "look", "input": {"who": f"works at {NEEDLE.title()} Systems"}}]
    turn(alice, session, 1, f"I work at {NEEDLE.title()} Systems. I live in Porto.", text, tool_calls=tools,
         internal_state={"employer": f"User works at {NEEDLE.title()} Systems"})  # fmt: skip
    upkeep_learn_due()
    return str(Memory.objects.for_app(alice.app).get(content__icontains=NEEDLE).uid)


def test_its_words_go_out_of_text_turn_and_feed_and_others_stay(alice: Caller, answers: str) -> None:
    before = {text.uid: text.pk for text in Resource.objects.all()}
    alice.delete(f"memories/{answers}")
    assert tables_with(NEEDLE) == set()
    assert contents(alice.app) == ["Whales sing at noon", "User lives in Porto"]
    assert {text.uid: text.pk for text in Resource.objects.all()} == before
    (retained,) = Turn.objects.all()
    assert "I live in Porto." in retained.user_input
    assert "[MEMORY:timing:svc] Whales sing at noon" in retained.llm_output
    assert not Event.objects.filter(message__icontains=NEEDLE).exists()
    source = Memory.objects.get(content="User lives in Porto").resource
    assert source is not None
    assert source.raw_content == f"{FORGOTTEN} I live in Porto."


def test_the_turn_sent_again_is_still_known_and_brings_nothing_back(alice: Caller, answers: str) -> None:
    session = alice.get("sessions").json()["results"][0]
    alice.delete(f"memories/{answers}")
    text = f"[EVENT:info:svc] {NEEDLE.title()} Systems greets\n[MEMORY:timing:svc] Whales sing at noon\nNoted."
    tools = [{"name": "look", "input": {"who": f"works at {NEEDLE.title()} Systems"}}]
    again = turn(alice, session, 1, f"I work at {NEEDLE.title()} Systems. I live in Porto.", text, tool_calls=tools,
                 internal_state={"employer": f"User works at {NEEDLE.title()} Systems"})  # fmt: skip
    assert again.status_code == 200
    upkeep_learn_due()
    assert tables_with(NEEDLE) == set()


def test_who_is_just_reading_the_text_reads_it_again(alice: Caller) -> None:
    session = alice.start_session()
    tell(alice, session, f"[MEMORY:timing:svc] {NEEDLE.title()} takes 5s to start\nI live in Porto.", role="assistant")
    row = row_of(alice.app, session)
    agent = MemoryAgent(alice.app, None, "system:extraction")
    claim = extraction_queue.claim(alice.app, row.pk, timezone.now())
    assert claim is not None
    memory = Memory.objects.for_app(alice.app).get(content__icontains=NEEDLE)
    alice.delete(f"memories/{memory.uid}")
    learn(claim, agent.rules, agent.embedder, timezone.now())
    assert Extraction.objects.get().status == "pending"
    upkeep_learn_due()
    assert tables_with(NEEDLE) == set()


def test_the_digest_of_its_session_is_written_anew(alice: Caller) -> None:
    AppPolicy.objects.filter(app=alice.app).update(capture_digest=True)
    alice.app.policy.refresh_from_db()
    session = alice.start_session()
    tell(alice, session, f"I work at {NEEDLE.title()} Systems.", "We decided to move the servers to Lisbon in May.")
    alice.post(f"sessions/{session['id']}/end")
    upkeep_learn_due()
    digest = Memory.objects.for_app(alice.app).get(source="digest")
    fact = Memory.objects.for_app(alice.app).get(content__icontains=NEEDLE, source="fact")
    assert NEEDLE in digest.content.casefold()
    alice.delete(f"memories/{fact.uid}")
    upkeep_learn_due()
    assert tables_with(NEEDLE) == set()
    assert "Lisbon" in Memory.objects.for_app(alice.app).get(source="digest").content


def test_a_memory_that_nothing_was_said_of_costs_no_query(alice: Caller, django_assert_num_queries: object) -> None:
    memory = memory_of("Whales sing")
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert digests_of(alice.app, [memory]) == []
        redact_sources(alice.app, [memory])

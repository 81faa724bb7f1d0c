"""Which entities memories mention: set by every write, and gone with what was forgotten."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.models import Entity, Memory, Mention
from memories.services import MemoryAgent
from memories.store import Candidate, links, writing
from memories.store.links import known_subjects, named_by_rules
from memsite.tenancy.models import App
from tests.conftest import Caller

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


def make(app: App, content: str, **fields: Any) -> Memory:
    with writing(app, "agent:alice", NOW) as write:
        return write.create(Candidate(content=content, **fields))


def edit(app: App, memory: Memory, **changes: Any) -> None:
    with writing(app, "agent:alice", NOW) as write:
        write.edit(memory, changes)


def undo(app: App, memory: Memory) -> None:
    with writing(app, "agent:alice", NOW) as write:
        write.undo(memory)


def forget(app: App, *memories: Memory) -> None:
    with writing(app, "agent:alice", NOW) as write:
        write.forget(memories)


def named_in(memory: Memory) -> set[str]:
    return set(Mention.objects.filter(memory=memory).values_list("entity__key", flat=True))


def known(app: App) -> set[str]:
    return set(Entity.objects.for_app(app).values_list("key", flat=True))


def test_a_memory_mentions_what_its_text_subject_and_tags_name(acme: App) -> None:
    memory = make(acme, "We asked Anna about postgres.example.com", subject="backup", tags=["nightly"])
    assert named_in(memory) == {"anna", "postgres.example.com", "backup", "nightly"}
    kinds = dict(Entity.objects.values_list("key", "kind"))
    assert (kinds["backup"], kinds["nightly"]) == ("subject", "tag")


def test_all_spellings_of_a_name_are_one_entity(acme: App) -> None:
    for subject in ("Node_A", "node-a", "NODE A", "node a's"):
        make(acme, "takes a minute", subject=subject)
    entity = Entity.objects.get()
    assert (entity.key, entity.name, entity.mentions.count()) == ("node a", "Node_A", 4)


def test_a_name_told_three_times_is_mentioned_once(acme: App) -> None:
    memory = make(acme, "We run Jellyfin", subject="jellyfin", tags=["JELLYFIN"])
    assert (named_in(memory), Mention.objects.count()) == ({"jellyfin"}, 1)


def test_a_known_subject_is_recognised_in_a_text_without_its_capital(acme: App) -> None:
    make(acme, "takes a minute", subject="Jellyfin")
    assert "jellyfin" in named_in(make(acme, "the jellyfin restarts at night"))


def test_a_subject_is_recognised_even_if_it_was_first_told_as_a_mere_name(acme: App) -> None:
    make(acme, "We run Jellyfin at home")
    make(acme, "takes a minute", subject="jellyfin")
    assert "jellyfin" in named_in(make(acme, "the jellyfin restarts at night"))


def test_another_apps_subject_is_no_subject_here(acme: App, charlie: Caller) -> None:
    make(charlie.app, "takes a minute", subject="zebra")
    assert named_in(make(acme, "the zebra restarts at night")) == set()
    assert known(acme) == set()


def test_each_app_has_its_own_entity_of_a_name(acme: App, charlie: Caller) -> None:
    mine, theirs = make(acme, "takes long", tags=["anna"]), make(charlie.app, "takes long", tags=["anna"])
    assert Entity.objects.count() == 2
    forget(charlie.app, theirs)
    assert (known(acme), known(charlie.app), named_in(mine)) == ({"anna"}, set(), {"anna"})


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ({"content": "We asked Berta"}, {"berta", "backup", "nightly"}),
        ({"subject": "restore"}, {"anna", "restore", "nightly"}),
        ({"subject": None}, {"anna", "nightly"}),
        ({"tags": []}, {"anna", "backup"}),
        ({"tags": ["weekly", "Anna"]}, {"anna", "backup", "weekly"}),
    ],
)
def test_an_edit_sets_the_mentions_and_an_undo_sets_them_back(
    acme: App, changes: dict[str, Any], after: set[str]
) -> None:
    memory = make(acme, "We asked Anna", subject="backup", tags=["nightly"])
    edit(acme, memory, **changes)
    assert named_in(memory) == known(acme) == after
    undo(acme, memory)
    assert named_in(memory) == known(acme) == {"anna", "backup", "nightly"}


def test_a_name_edited_away_leaves_the_entities_unless_another_memory_has_it(acme: App) -> None:
    item, two = make(acme, "We asked Anna and Berta"), make(acme, "They asked Berta")
    edit(acme, item, content="We asked nobody")
    assert (named_in(item), named_in(two), known(acme)) == (set(), {"berta"}, {"berta"})


def found_by(memory: Memory) -> dict[str, str]:
    return dict(Mention.objects.filter(memory=memory).values_list("entity__key", "source"))


def test_what_a_model_named_is_mentioned_beside_what_the_rules_find(acme: App) -> None:
    memory = make(acme, "She asked Anna", entities=["Berta", "Anna", "berta's", "ACME Corp", " \x00 "])
    assert found_by(memory) == {"anna": "rules", "berta": "model", "acme corp": "model"}
    assert Entity.objects.get(key="acme corp").name == "ACME Corp"


def test_what_a_model_named_stays_with_its_wording_and_comes_back_with_it(acme: App) -> None:
    memory = make(acme, "She asked Anna", entities=["Berta"])
    edit(acme, memory, tags=["family"], importance=5)
    assert found_by(memory) == {"anna": "rules", "family": "rules", "berta": "model"}
    edit(acme, memory, content="Cleo asked Anna")
    assert found_by(memory) == {"anna": "rules", "family": "rules", "cleo": "rules"}
    undo(acme, memory)
    assert found_by(memory) == {"anna": "rules", "family": "rules", "berta": "model"}


def test_what_the_rules_find_later_is_theirs(acme: App) -> None:
    memory = make(acme, "She asked Anna", entities=["family"])
    edit(acme, memory, tags=["family"])
    assert found_by(memory) == {"anna": "rules", "family": "rules"}
    edit(acme, memory, tags=[])
    assert found_by(memory) == {"anna": "rules", "family": "model"}
    forget(acme, memory)
    assert known(acme) == set()


def test_one_for_several_mentions_what_all_of_them_did(acme: App) -> None:
    item, two = make(acme, "She asked Anna", entities=["Berta"]), make(acme, "He asked Anna", entities=["Emil"])
    with writing(acme, "operator:olga", NOW) as write:
        write.merge(item, [two])
    assert found_by(item) == {"anna": "rules", "berta": "model", "emil": "model"}
    undo(acme, item)
    assert found_by(item) == {"anna": "rules", "berta": "model"}


def test_an_edit_that_says_nothing_else_leaves_the_mentions_alone(acme: App) -> None:
    memory = make(acme, "We asked Anna")
    before = list(Mention.objects.values_list("pk", flat=True))
    edit(acme, memory, importance=5, confidence=0.9)
    assert list(Mention.objects.values_list("pk", flat=True)) == before


def test_what_is_put_away_keeps_its_mentions_for_when_it_comes_back(acme: App) -> None:
    memory = make(acme, "We asked Anna")
    with writing(acme, "operator:olga", NOW) as write:
        write.archive(memory)
    assert named_in(memory) == {"anna"}


def test_a_merge_mentions_what_the_merged_one_was_tagged_with_and_its_undo_does_not(acme: App) -> None:
    winner, loser = make(acme, "takes a minute", tags=["boot"]), make(acme, "takes 60 seconds", tags=["startup"])
    with writing(acme, "operator:olga", NOW) as write:
        write.merge(winner, [loser])
    assert named_in(winner) == {"boot", "startup"}
    undo(acme, winner)
    assert (named_in(winner), named_in(loser)) == ({"boot"}, {"startup"})


def test_no_name_of_a_forgotten_memory_is_left(acme: App) -> None:
    memory = make(acme, "We asked Anna Lindqvist", subject="divorce", tags=["private"])
    edit(acme, memory, content="We asked Berta about anna@example.com")
    forget(acme, memory)
    assert not Entity.objects.exists()
    assert not Mention.objects.exists()


def test_forgetting_several_at_once_drops_what_only_they_mention(acme: App) -> None:
    item, two = make(acme, "We asked Anna and Berta"), make(acme, "They asked Anna and Clara")
    make(acme, "You asked Clara")
    forget(acme, item, two)
    assert known(acme) == {"clara"}


@pytest.mark.parametrize("way", ["delete", "post"])
def test_deleting_over_the_api_drops_the_names(alice: Caller, way: str) -> None:
    uid = alice.remember("We asked Anna", subject="divorce")["id"]
    if way == "delete":
        alice.delete(f"memories/{uid}")
    else:
        alice.post("memories/delete", {"ids": [uid]})
    assert not Memory.objects.exists()
    assert not Entity.objects.exists()


def test_a_batch_of_memories_shares_its_entities(alice: Caller) -> None:
    alice.post("memories/batch", {"memories": [{"content": f"Anna met whale {n}", "tags": ["Anna"]} for n in range(5)]})
    assert Entity.objects.get(key="anna").mentions.count() == 5


def test_a_marker_that_says_the_same_again_adds_no_mentions(alice: Caller) -> None:
    for _ in range(3):
        alice.remember("takes a minute to start", subject="jellyfin")
    assert Mention.objects.count() == 1


@pytest.mark.parametrize("tag", ["***", "🦊", "  ", "…", "_-_"])
def test_a_tag_without_a_word_in_it_is_no_entity(acme: App, tag: str) -> None:
    assert named_in(make(acme, "takes a minute", tags=[tag])) == set()


def test_names_are_one_line_and_no_longer_than_the_column(acme: App) -> None:
    make(acme, "takes a minute", tags=["ﷺ" * 200, "a\nb", "x" * 500, "\x00zero"])
    for entity in Entity.objects.all():
        assert len(entity.key) <= 200
        assert len(entity.name) <= 200
        assert entity.name.isprintable() or "ﷺ" in entity.name


def test_a_text_full_of_names_mentions_a_bounded_number(acme: App) -> None:
    memory = make(acme, " ".join(f"host{n}.example.com" for n in range(500)))
    assert 0 < len(named_in(memory)) <= 64


def test_a_write_that_fails_leaves_no_entity(acme: App) -> None:
    def fail() -> None:
        with writing(acme, "agent:alice", NOW) as write:
            write.create(Candidate(content="We asked Anna"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not Entity.objects.exists()


WORDS = st.sampled_from(
    ["Anna", "anna", "node_a", "Node A", "10.0.0.1", "a", "`x y`", "🦊", "ǅ", "\x00", "PORT=80", "."]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
CHANGES = st.fixed_dictionaries(
    {"content": TEXTS, "subject": st.one_of(st.none(), WORDS.map(str.strip)), "tags": st.lists(TEXTS, max_size=3)}
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(CHANGES, min_size=1, max_size=4))
def test_after_any_edits_the_mentions_are_what_is_named_and_nothing_else_is_known(
    acme: App, edits: list[dict[str, Any]]
) -> None:
    memory = make(acme, "first")
    for changes in edits:
        edit(acme, memory, **changes)
        assert named_in(memory) == known(acme) == set(*named_by_rules(acme, [memory]))
    forget(acme, memory)
    assert known(acme) == set()


def test_what_one_is_about_the_next_ones_know(acme: App) -> None:
    """Stored together or one by one: the same is known of them."""
    answer = [
        Candidate(content="We rolled out kestrel on Monday", tags=["rollout"]),
        Candidate(content="Owned by Mara", subject="kestrel"),
        Candidate(content="Mara restarted KESTREL", entities=["Mara Lind"]),
    ]
    with writing(acme, "agent:alice", NOW) as write:
        together = write.create_all(answer)
    entities = entities_and_kinds(acme)
    assert entities["kestrel"] == "subject"
    assert [named_in(memory) for memory in together] == [
        {"rollout"},
        {"kestrel", "mara"},
        {"kestrel", "mara lind"},
    ]
    for memory in together:
        forget(acme, memory)
    one_by_one = [
        make(acme, item.content, subject=item.subject, tags=item.tags, entities=item.entities) for item in answer
    ]
    assert entities_and_kinds(acme) == entities
    assert [named_in(memory) for memory in one_by_one] == [
        {"rollout"},
        {"kestrel", "mara"},
        {"kestrel", "mara lind"},
    ]


@pytest.mark.parametrize("others", [0, 1, 5])
def test_for_many_keys_the_same_subjects_are_known(acme: App, others: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("backup", "router", *(f"other-{number}" for number in range(others))):
        make(acme, "Takes a minute, says Anna", subject=name, tags=["nightly"])
    requested = {"backup", "router", "anna", "nightly"}
    one_by_one = known_subjects(acme, requested)
    monkeypatch.setattr(links, "MANY_KEYS", len(requested))
    assert known_subjects(acme, requested) == one_by_one == {"backup": "backup", "router": "router"}


LONG = "oak ash elm fir yew box bay fig may"


@pytest.mark.parametrize("words", range(1, 10))
def test_a_subject_is_recognised_however_many_words_it_has_up_to_eight(acme: App, words: int) -> None:
    """How long the longest of the app is, and that of what is stored with it, is how long they are looked for."""
    subject = " ".join(LONG.split()[:words])
    first, second = Candidate(content="Takes a minute", subject=subject), Candidate(content=f"we wait for {LONG}")
    make(acme, "Takes an hour", subject="router")
    with writing(acme, "agent:alice", NOW) as write:
        together = write.create_all([first, second])[1]
    after = make(acme, f"they wait for {LONG}, too")
    assert named_in(together) == named_in(after) == ({subject} if words <= 8 else set())


def test_a_subject_is_recognised_in_what_is_written_after_it_in_its_transaction(acme: App) -> None:
    with writing(acme, "agent:alice", NOW) as write:
        write.create(Candidate(content="Takes a minute", subject="big router"))
        after = write.create(Candidate(content="they wait for the big router"))
    assert named_in(after) == {"big router"}


@pytest.mark.parametrize(("subject", "runs"), [(None, 0), ("router", 5), ("big router", 9)])
def test_no_longer_runs_of_words_are_looked_for_than_the_app_has_subjects(
    acme: App, subject: str | None, runs: int
) -> None:  # fmt: skip
    if subject:
        make(acme, "Takes an hour", subject=subject)
    with CaptureQueriesContext(connection) as requested:
        make(acme, "they wait five or six")
    keys = [re.search(r'"key" (?:IN|=) (.*)', captured_query["sql"]) for captured_query in requested.captured_queries]
    assert len(set(re.findall(r"'([^']+)'", " ".join(key[1] for key in keys if key)))) == runs


def entities_and_kinds(app: App) -> dict[str, str]:
    return dict(Entity.objects.for_app(app).values_list("key", "kind"))


def test_operators_edits_count_too(acme: App, alice: Caller) -> None:
    memory = make(acme, "We asked Anna")
    MemoryAgent(acme, None, "operator:olga").edit(memory, {"content": "We asked Berta"})
    assert known(acme) == {"berta"}

"""Categories' summaries: written anew when enough has changed, once, and never with what they may not tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import numpy as np
import pytest

from memories.language.wordlists import words
from memories.maintain.summaries import (
    AT_LEAST_CHANGES,
    LEASE,
    VERSIONS_KEPT,
    Line,
    Sources,
    facts_of,
    read_lines,
    rewrite_due,
)
from memories.models import LinkKind, Memory, Passage, Status, Summary, SummaryDue
from memories.models.vector import read_vectors
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from memories.providers.llm.provider import LLMUnavailable, Noted, Written
from memories.providers.llm.rules import summaries as rules
from memories.services.base import current_embedder
from memories.store import Candidate, writing
from memories.store.revisions import is_withdrawn, mark_due, snapshot, summaries_touched
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app, make_caller
from tests.growth import assert_linear

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@dataclass
class Writer:
    """Writes by the rules, or what it was told; `before_answer` happens while it thinks."""

    text: str | None = None
    error: Exception | None = None
    before_answer: Callable[[], Any] = lambda: None
    requests: list[tuple[str, list[str], str]] = field(default_factory=list)
    name = "writer"

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        self.requests.append((category, sorted(fact.content for fact in facts), previous))
        self.before_answer()
        if self.error:
            raise self.error
        written = rules.summarise(category, facts, previous, max_characters)
        return written if self.text is None else Written(self.text, "model-x")


@pytest.fixture
def app(db: None) -> App:
    return make_app("library", "knowledge")


def tell(app: App, content: str, **fields: Any) -> Memory:
    with writing(app, "agent:alice", NOW) as write:
        return write.create(Candidate(content=content, **{"category": "work", **fields}))


def change(app: App, memory: Memory, **changes: Any) -> None:
    with writing(app, "agent:alice", NOW) as write:
        write.edit(memory, changes)


def forget(app: App, memory: Memory) -> None:
    with writing(app, "agent:alice", NOW) as write:
        write.forget([memory])


def mark(app: App, category: str = "work", user_id: str = "", now: datetime = NOW, changes: int = 1) -> None:
    """So many changes, whatever was marked before."""
    SummaryDue.objects.for_app(app).filter(category=category, user_id=user_id).delete()
    mark_due(app, [(category, user_id)], now, changes)


def run(app: App, writer: Any = None, now: datetime = NOW + 2 * MINUTE, embedder: Any = None, **options: Any) -> int:
    return rewrite_due(app, writer or Writer(), embedder or current_embedder(), "system:summaries", now, **options)


def current(app: App, category: str = "work", user_id: str = "") -> Summary:
    return Summary.objects.for_app(app).current().get(category=category, user_id=user_id)


def due(app: App) -> dict[tuple[str, str], int]:
    rows = SummaryDue.objects.for_app(app).values_list("category", "user_id", "changes")
    return {(category, user_id): changes for category, user_id, changes in rows}


def written(app: App, *contents: str) -> Summary:
    for content in contents:
        tell(app, content)
    mark(app)
    run(app)
    return current(app)


class Away(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Any:
        raise EmbedderUnavailable("away")


# --- what is due


def test_many_changes_are_one_row_and_one_statement(app: App, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        mark_due(app, [("work", ""), ("work", ""), ("work", "rob"), ("health", "")], NOW)
    mark_due(app, [("work", "")], NOW + MINUTE, 5)
    assert due(app) == {("work", ""): 7, ("work", "rob"): 1, ("health", ""): 1}
    assert SummaryDue.objects.get(category="work", user_id="").since == NOW


def test_nothing_changed_is_no_statement(app: App, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        mark_due(app, [], NOW)


def test_apps_have_their_own_rows(app: App, acme: App) -> None:
    mark(app)
    mark(acme)
    assert due(app) == due(acme) == {("work", ""): 1}


def test_a_new_memory_touches_its_summary_and_a_private_one_none(app: App) -> None:
    assert summaries_touched({}, snapshot(tell(app, "One", user_id="rob"))) == [("work", "rob")]
    assert summaries_touched({}, snapshot(tell(app, "Two", visibility="agent"))) == []
    assert summaries_touched({}, snapshot(tell(app, "Three", confidence=0.1))) == []


def test_a_change_touches_the_old_and_the_new_summary(app: App) -> None:
    memory = tell(app, "Runs marathons")
    before = snapshot(memory)
    change(app, memory, category="health", user_id="rob")
    assert summaries_touched(before, snapshot(memory)) == [("work", ""), ("health", "rob")]


def test_what_a_summary_does_not_show_touches_none(app: App) -> None:
    memory = tell(app, "Runs marathons")
    before = snapshot(memory)
    change(app, memory, tags=["sport"], confidence=0.8)
    assert summaries_touched(before, snapshot(memory)) == []


@pytest.mark.parametrize(
    ("was", "becomes", "expected"),
    [
        ({}, {"visibility": "agent"}, True),
        ({}, {"user_id": "rob"}, True),
        ({}, {"visibility": "shared"}, False),
        ({}, {"content": "Other"}, False),
        ({"visibility": "agent"}, {"user_id": "rob"}, False),
    ],
)
def test_what_becomes_private_is_withdrawn(
    app: App, was: dict[str, Any], becomes: dict[str, Any], expected: bool
) -> None:
    memory = tell(app, "Runs marathons", **was)
    before = snapshot(memory)
    change(app, memory, **becomes)
    assert is_withdrawn(before, snapshot(memory)) is expected
    assert not is_withdrawn({}, before)


# --- when it is written


def test_a_summary_says_what_is_known_in_its_category(app: App) -> None:
    tell(app, "Standup is at nine", subject="team")
    tell(app, "Sleeps badly", category="health", user_id="rob")
    mark(app)
    assert run(app)
    summary = current(app)
    assert summary.content == "# Work\n\n## team\n- Standup is at nine"
    assert (summary.version, summary.made_by, summary.memory_count, summary.archived_at) == (1, "rules", 1, None)
    assert due(app) == {}


@pytest.mark.parametrize(
    ("older", "newer", "answer"),
    [(0.8, 0.9, "new"), (0.9, 0.7, "new"), (0.7, 0.7, "new"), (1.0, 0.5, "old")],
    ids=["the newer is surer", "as good as sure", "equally sure", "the older is much surer"],
)
def test_of_two_that_are_at_odds_one_is_told(app: App, older: float, newer: float, answer: str) -> None:
    """Whoever found that they are: a model's words need not be alike."""
    old = tell(app, "The office is in Bonn", confidence=older)
    with writing(app, "agent:alice", NOW + MINUTE) as write:
        new = write.create(Candidate(content="They moved to Ulm", category="work", confidence=newer))
        write.link(new, old, LinkKind.CONTRADICTS)
    tell(app, "Nobody works on Fridays")
    facts = [fact.content for fact in facts_of(app, "work", "", NOW + MINUTE)]
    expected = {"new": "They moved to Ulm", "old": "The office is in Bonn"}[answer]
    assert sorted(facts) == sorted(["Nobody works on Fridays", expected])


def test_what_is_at_odds_only_with_what_is_gone_is_told(app: App) -> None:
    old = tell(app, "The office is in Bonn", confidence=0.9)
    with writing(app, "agent:alice", NOW + MINUTE) as write:
        new = write.create(Candidate(content="They moved to Ulm", category="work", confidence=0.9))
        write.link(new, old, LinkKind.CONTRADICTS)
    forget(app, new)
    assert [fact.content for fact in facts_of(app, "work", "", NOW + MINUTE)] == ["The office is in Bonn"]


def test_of_facts_only_what_is_told_is_read(app: App, django_assert_num_queries: Any) -> None:
    for number in range(3):
        tell(app, f"Whale {number} sings", metadata={"n": number}, tags=["old"])
    with django_assert_num_queries(2) as requests:
        assert len(facts_of(app, "work", "", NOW + MINUTE)) == 3
    assert not [name for name in ("metadata", "tags", "entities") if name in requests.captured_queries[0]["sql"]]


def test_of_more_facts_than_fit_few_more_are_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [Noted(number, f"Whale {number} sings all night long", subject=f"{number % 7}") for number in range(500)]
    lay_out, laid_out = rules._item, list[Any]()
    monkeypatch.setattr(rules, "_item", lambda entry, category: laid_out.append(entry) or lay_out(entry, category))
    text = rules.summarise("work", facts, "", 1_000).text
    lines = text.count("\n- ")
    assert 10 < lines < 40
    # Each to see whether it fits, and to be written.
    assert len(laid_out) <= 2 * lines + 5


def test_ten_new_facts_are_one_rewrite(app: App) -> None:
    writer = Writer()
    for number in range(10):
        tell(app, f"Shelf {number} holds maps")
    mark(app, changes=10)
    assert run(app, writer, NOW) == 1
    assert (len(writer.requests), current(app).version, current(app).memory_count) == (1, 1, 10)
    assert run(app, writer, NOW) == 0
    assert len(writer.requests) == 1


def test_nine_changes_wait_for_a_minute(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app, changes=AT_LEAST_CHANGES - 1)
    assert run(app, now=NOW + MINUTE - timedelta(seconds=1)) == 0
    assert run(app, now=NOW + MINUTE) == 1


def test_how_many_and_how_long_can_be_said(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)
    assert run(app, now=NOW, older_than=timedelta(days=1), at_least=2) == 0
    assert run(app, now=NOW, older_than=timedelta(days=1), at_least=1) == 1


def test_an_app_that_keeps_no_summaries_gets_none(acme: App) -> None:
    tell(acme, "Standup is at nine")
    mark(acme)
    writer = Writer()
    assert run(acme, writer) == 0
    assert (writer.requests, due(acme)) == ([], {("work", ""): 1})


def test_a_new_text_is_a_new_version_and_the_old_one_is_archived(app: App) -> None:
    first = written(app, "Standup is at nine")
    mark(app)
    tell(app, "Lunch is at noon")
    later = NOW + 5 * MINUTE
    assert run(app, now=later) == 1
    first.refresh_from_db()
    assert abs((first.archived_at or NOW) - later) < MINUTE
    assert (current(app).version, "Lunch" in current(app).content, "Lunch" in first.content) == (2, True, False)
    assert not Passage.objects.filter(summary=first).exists()
    assert Passage.objects.filter(summary=current(app)).count() == 2


def test_the_same_text_is_no_new_version(app: App) -> None:
    first = written(app, "Standup is at nine")
    mark(app)
    passages = list(Passage.objects.values_list("pk", flat=True))
    assert run(app) == 0
    assert (current(app), due(app)) == (first, {})
    assert list(Passage.objects.values_list("pk", flat=True)) == passages


def test_the_writer_sees_the_version_before(app: App) -> None:
    first = written(app, "Standup is at nine")
    mark(app)
    writer = Writer()
    run(app, writer)
    assert writer.requests == [("work", ["Standup is at nine"], first.content)]


def test_an_emptied_category_has_only_its_past(app: App) -> None:
    first = written(app, "Standup is at nine")
    change(app, Memory.objects.get(), status=Status.ARCHIVED)
    mark(app)
    writer = Writer()
    assert run(app, writer) == 1
    assert not Summary.objects.current().exists()
    assert not Passage.objects.exists()
    assert Summary.objects.get() == first
    assert (writer.requests, due(app)) == ([], {})
    tell(app, "Standup is at ten")
    mark(app)
    run(app)
    assert current(app).version == 2


def test_a_category_in_which_nothing_was_ever_known_gets_none(app: App) -> None:
    mark(app, "nonsense")
    assert run(app) == 0
    assert (Summary.objects.count(), due(app)) == (0, {})


def test_only_the_latest_hundred_versions_are_kept(app: App) -> None:
    rows = [
        Summary(app=app, category=name, version=number, content="x", made_by="rules", archived_at=NOW)
        for name in ("work", "health")
        for number in range(1, VERSIONS_KEPT + 3)
    ]
    Summary.objects.bulk_create(rows)
    written(app, "Standup is at nine")
    remaining = Summary.objects.filter(category="work").order_by("version").values_list("version", flat=True)
    assert list(remaining) == list(range(3, VERSIONS_KEPT + 4))
    assert Summary.objects.filter(category="health").count() == VERSIONS_KEPT + 2


# --- what may be told


def test_nobody_reads_of_what_is_not_theirs(app: App) -> None:
    tell(app, "Standup is at nine")
    tell(app, "Shared with others", visibility="shared")
    tell(app, "Only mine to know", visibility="agent")
    tell(app, "Rob's own matter", user_id="rob")
    tell(app, "Rob's secret", user_id="rob", visibility="agent")
    tell(app, "Hardly believed", confidence=0.1)
    tell(app, "Over by now", valid_until=NOW)
    tell(make_app("other", "knowledge"), "Of another app")
    mark_due(app, [("work", ""), ("work", "rob"), ("work", "eve")], NOW)
    writer = Writer()
    assert run(app, writer) == 2
    answer = sorted(facts for _, facts, _ in writer.requests)
    assert answer == [["Rob's own matter"], ["Shared with others", "Standup is at nine"]]
    assert current(app, user_id="rob").content == "# Work\n\n- Rob's own matter"


def test_what_is_forgotten_while_it_is_written_of_is_not_written(app: App) -> None:
    tell(app, "Standup is at nine")
    secret = tell(app, "The alarm code is hunter2")
    mark(app)
    assert run(app, Writer(before_answer=lambda: forget(app, secret))) == 0
    assert Summary.objects.count() == 0
    assert run(app, now=NOW + 3 * MINUTE) == 1
    assert "hunter2" not in current(app).content


@pytest.mark.parametrize("changes", [{"visibility": "agent"}, {"user_id": "rob"}, {"category": "health"}])
def test_what_is_withdrawn_while_it_is_written_of_is_not_written(app: App, changes: dict[str, Any]) -> None:
    memory = tell(app, "The alarm code is hunter2")
    mark(app)
    assert run(app, Writer(before_answer=lambda: change(app, memory, **changes))) == 0
    assert Summary.objects.count() == 0
    assert SummaryDue.objects.get(category="work", user_id="").lease_until is None


# --- who writes it


def test_two_workers_at_once_have_one_effect(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)
    counts: list[int] = []
    second = Writer()
    first = Writer(before_answer=lambda: counts.append(run(app, second)))
    counts.append(run(app, first))
    assert (counts, len(first.requests), second.requests) == ([0, 1], 1, [])
    assert Summary.objects.count() == 1


def test_what_a_dead_worker_left_is_done_when_its_lease_has_run_out(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)

    def die() -> None:
        raise KeyboardInterrupt

    start = NOW + 2 * MINUTE
    with pytest.raises(KeyboardInterrupt):
        run(app, Writer(before_answer=die), start)
    assert run(app, now=start + LEASE - MINUTE) == 0
    assert run(app, now=start + LEASE + MINUTE) == 1
    assert due(app) == {}


def test_a_worker_that_was_thought_dead_writes_nothing(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)
    start = NOW + 2 * MINUTE
    late = Writer("# Work\n\n- Out of date", before_answer=lambda: run(app, now=start + LEASE + MINUTE))
    assert run(app, late, start) == 0
    assert Summary.objects.get().content == "# Work\n\n- Standup is at nine"


def test_changes_that_come_in_meanwhile_are_left_for_the_next_run(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)

    def more() -> None:
        tell(app, "Lunch is at noon")
        mark_due(app, [("work", "")] * 3, NOW + 2 * MINUTE)

    assert run(app, Writer(before_answer=more)) == 1
    row = SummaryDue.objects.get()
    assert row.lease_until is None
    assert row.changes >= 3
    assert abs(row.since - (NOW + 2 * MINUTE)) < timedelta(seconds=30)
    assert "Lunch" not in current(app).content
    assert run(app, now=NOW + 4 * MINUTE) == 1
    assert ("Lunch" in current(app).content, due(app)) == (True, {})


def test_a_writer_that_fails_is_asked_again_and_others_are_not_held_up(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)
    broken = Writer(error=LLMUnavailable("away"))
    assert run(app, broken) == 0
    assert (due(app), SummaryDue.objects.get().lease_until, len(broken.requests)) == ({("work", ""): 1}, None, 1)
    tell(app, "Sleeps badly", category="health")
    mark(app, "health", now=NOW + MINUTE)

    class Picky(Writer):
        def summarise(self, category: str, *rest: Any) -> Written:
            if category == "work":
                raise LLMUnavailable("away")
            return super().summarise(category, *rest)

    assert run(app, Picky()) == 1
    assert (current(app, "health").version, due(app)) == (1, {("work", ""): 1})
    assert run(app) == 1


def test_a_failure_is_logged_without_what_is_known(app: App, log_lines: list[dict[str, Any]]) -> None:
    tell(app, "Standup is at nine")
    mark(app)
    run(app, Writer(error=LLMUnavailable("model.example is away")))
    answer = [line for line in log_lines if line["event"] == "summary_not_written"]
    assert answer == [{"event": "summary_not_written", "app": "library", "error": "model.example is away"}]


@pytest.fixture
def log_lines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []

    class Log:
        def warning(self, event: str, **answer: Any) -> None:
            lines.append({"event": event, **answer})

        info = warning

    monkeypatch.setattr("memories.maintain.summaries.log", Log())
    return lines


# --- passages


def stated(app: App) -> list[tuple[str, str]]:
    rows = Passage.objects.for_app(app).select_related("memory")
    return [(row.text, row.memory.content) for row in rows]


def test_every_line_stands_on_its_memory(app: App) -> None:
    tell(app, "Takes *60s* to start -- wait", subject="jellyfin")
    tell(app, "Takes *60s* to start -- wait", subject="plex")
    tell(app, "We moved the backups to 02:00", kind="decision")
    tell(app, "1. is a number\nand [this] a line", confidence=0.4)
    mark(app)
    run(app)
    assert stated(app) == [
        ("jellyfin: Takes *60s* to start -- wait", "Takes *60s* to start -- wait"),
        ("plex: Takes *60s* to start -- wait", "Takes *60s* to start -- wait"),
        ("Decision: We moved the backups to 02:00 (2027-03-01)", "We moved the backups to 02:00"),
        ("1. is a number and [this] a line (uncertain, 2027-03-01)", "1. is a number\nand [this] a line"),
    ]
    subjects = Passage.objects.values_list("memory__subject", flat=True)
    assert list(subjects)[:2] == ["jellyfin", "plex"]


def test_passages_have_the_vectors_of_their_text(app: App) -> None:
    written(app, "Standup is at nine")
    row = Passage.objects.get()
    embedder = current_embedder()
    vector = read_vectors([row.data], embedder.dim)[1][0]
    assert row.model == embedder.name
    np.testing.assert_array_equal(vector, embedder.embed_documents([row.text])[0])


def test_without_the_embedder_the_vectors_come_with_the_next_rewrite(app: App) -> None:
    tell(app, "Standup is at nine")
    mark(app)
    assert run(app, embedder=Away()) == 1
    row = Passage.objects.get()
    assert (row.text, row.model, row.data) == ("Standup is at nine", "", None)
    mark(app)
    assert run(app) == 0
    assert Passage.objects.get().model == current_embedder().name
    assert current(app).version == 1


def test_lines_that_were_there_before_are_not_embedded_again(app: App) -> None:
    seen: list[str] = []

    class Counting(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            seen.extend(texts)
            return super().embed_documents(texts)

    written(app, "Standup is at nine")
    tell(app, "Lunch is at noon")
    mark(app)
    run(app, embedder=Counting(current_embedder().dim))
    assert seen == ["Lunch is at noon"]


MODEL_TEXT = """# Work

## Starting up
- Jellyfin **takes 60 s** to start after a restart, so wait
* The moon is made of cheese
- Jellyfin takes 45 s to start after a restart

Backups run nightly to the NAS.
*Left out: much.*
"""


def test_lines_of_a_model_stand_on_the_nearest_memory_or_on_none(app: App) -> None:
    tell(app, "Takes 60 s to start after restart -- wait", subject="Jellyfin")
    tell(app, "Backups run nightly")
    tell(app, "Deploys need a review")
    mark(app)
    run(app, Writer(MODEL_TEXT))
    assert stated(app) == [
        ("Jellyfin takes 60 s to start after a restart, so wait", "Takes 60 s to start after restart -- wait"),
        ("Backups run nightly to the NAS.", "Backups run nightly"),
    ]


def test_a_line_in_other_words_is_found_by_meaning(app: App) -> None:
    class Meaning(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            rows = [[1.0, 0.0] if "lunch" in text.lower() or "noon" in text else [0.0, 1.0] for text in texts]
            return np.array(rows, np.float32)

    embedder = Meaning(2)
    tell(app, "Everybody eats at noon", vector=np.array([1, 0], np.float32), vector_model=embedder.name)
    tell(app, "Deploys need a review", vector=np.array([0.8, 0.6], np.float32), vector_model=embedder.name)
    mark(app)
    run(app, Writer("# Work\n\n- Lunch: midday"), embedder=embedder)
    assert stated(app) == [("Lunch: midday", "Everybody eats at noon")]
    mark(app)
    run(app, Writer("# Work\n\n- Weather report"), embedder=embedder)
    assert stated(app) == []


@pytest.mark.parametrize(
    "text", ["", "#", "- ", "```\n```", "* * *", "| a | b |\n|---|---|", "\0\n- \0", "- \\", "9" * 9999]
)
def test_any_markdown_can_be_read(text: str) -> None:
    lines = list(read_lines(text))
    assert all(Sources([Noted(1, text or "x")]).find(line) is not False for line in [*lines, Line("")])


# --- size


def test_hundreds_of_facts_are_read_and_attached_in_linear_time(app: App) -> None:
    nouns = sorted(
        words("server backup database scan night deploy window cache memory disk network cluster region alert")
    )

    def filled(app: App, size: int) -> App:
        rows = [
            Memory(
                app=app, category="work", subject=nouns[n * 5 % 14], confidence_base=0.7, anchored_at=NOW,
                content=f"{nouns[n % 14]} {nouns[n // 14 % 14]} number {n} is in rack {n % 97}",
            )
            for n in range(size)
        ]  # fmt: skip
        Memory.objects.bulk_create(rows)
        mark(app)
        return app

    names = (f"library-{number}" for number in count())
    assert_linear(run, lambda size: filled(make_app(next(names), "knowledge"), size), 800)
    assert run(filled(app, 800)) == 1
    summary = current(app)
    bullets = [line for line in summary.content.split("\n") if line.startswith("- ")]
    assert (len(summary.content) <= 8000, summary.memory_count) == (True, 800)
    assert summary.passages.count() == len(bullets) > 50


# --- between writers and readers


def test_what_a_caller_stores_is_written_and_read(caller: Caller) -> None:
    caller.remember("Standup is at nine", category="work")
    mark(caller.app)
    run(caller.app)
    results = caller.post("memories/search", {"query": "When is the standup at nine?"}).json()
    assert (results["tier_answered"], results["summaries"][0]["passages"]) == ("summaries", ["Standup is at nine"])


@pytest.fixture
def caller(app: App) -> Caller:
    return make_caller(app, "librarian")

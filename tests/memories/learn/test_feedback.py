"""Used memories gain priority, ignored ones lose: by how much, by what evidence, and never twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memories.inject.pipeline import inject
from memories.learn import feedback
from memories.learn.feedback import (
    Answer,
    DayOfUse,
    Feedback,
    Verdict,
    judge,
    judge_rest,
    likeness_of,
    passages_of,
    take_up,
    used_rates,
    verdict_of,
)
from memories.models import Action, Injection, Memory, Revision
from memories.providers.embeddings import (
    EmbedderUnavailable,
    HashEmbedder,
    MiniLMEmbedder,
    Vectors,
)
from memories.services.sessions import tool_inputs
from memories.store import Candidate, writing
from memsite.tenancy.models import App
from sessions.models import AgentSession, Turn
from tests.conftest import Caller

START = datetime(2027, 3, 1, 12, tzinfo=UTC)
PAIRS = [
    json.loads(line) for line in (Path(__file__).parents[2] / "data" / "feedback-pairs.jsonl").read_text().splitlines()
]
WHALES, BEARS = "whales sing at night", "bears sleep in winter"
USES_WHALES = "At night you can hear how the whales sing."


class Counting(HashEmbedder):
    """Counts its calls, and does something else meanwhile."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.calls, self.meanwhile = 0, meanwhile

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        self.meanwhile()
        return super().embed_documents(texts)


class Away(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailable("away")


class Alike(HashEmbedder):
    """Every text means the same."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.eye(1, self.dim, dtype=np.float32), (len(texts), 1))


def make(app: App, content: str, embedder: HashEmbedder | None = None, **fields: Any) -> Memory:
    embedder = embedder or HashEmbedder()
    vector = embedder.embed_documents([content])[0]
    with writing(app, "agent:alice", START) as write:
        memory = write.create(Candidate(content=content, vector=vector, vector_model=embedder.name))
    Memory.objects.filter(pk=memory.pk).update(**fields)
    return memory


def open_session(caller: Caller) -> AgentSession:
    session = AgentSession.objects.create(app=caller.app, agent=caller.agent, started_at=START, heartbeat_at=START)
    session.app = caller.app
    return session


def show(
    session: AgentSession, memory: Memory, turn: int | None, line: str = "", moment: datetime = START
) -> Injection:
    return Injection.objects.create(
        app=session.app,
        session=session,
        memory=memory,
        turn_number=turn,
        block="turn",
        line=line or f"~ {memory.content}",
        created_at=moment,
    )


def answered(
    session: AgentSession, text: str, turn: int = 1, embedder: HashEmbedder | None = None, **more: Any
) -> Feedback:
    return judge(session, text, turn, embedder or HashEmbedder(), "agent:alice", START, **more)


def contents(feedback: Feedback) -> tuple[list[str], list[str]]:
    """Used, ignored."""
    return [item.memory.content for item in feedback.used], [item.memory.content for item in feedback.ignored]


def priority(memory: Memory) -> float:
    return Memory.objects.get(pk=memory.pk).priority


@pytest.fixture
def session(alice: Caller) -> AgentSession:
    return open_session(alice)


@pytest.fixture
def whales(acme: App) -> Memory:
    return make(acme, WHALES)


@pytest.fixture
def bears(acme: App) -> Memory:
    return make(acme, BEARS)


# What it does to priorities.


def test_a_used_memory_gains_a_tenth_and_an_ignored_one_loses_half_of_that(
    session: AgentSession, whales: Memory, bears: Memory
) -> None:
    show(session, whales, 1, line="~ twelve chars")
    show(session, bears, 1, line="~ twelve chars")
    assert contents(answered(session, USES_WHALES)) == ([WHALES], [BEARS])
    assert (priority(whales), priority(bears)) == (1.1, 0.95)


def test_an_app_has_its_own_steps(session: AgentSession, whales: Memory, bears: Memory) -> None:
    policy = session.app.policy
    policy.echo_step, policy.fizzle_step = 0.4, 0.2
    show(session, whales, 1, line="same")
    show(session, bears, 1, line="same")
    answered(session, USES_WHALES)
    assert (priority(whales), priority(bears)) == (1.4, 0.8)


def test_priorities_stay_within_0_and_2(session: AgentSession, acme: App) -> None:
    high, low = make(acme, WHALES, priority=1.95), make(acme, BEARS, priority=0.02)
    show(session, high, 1)
    show(session, low, 1)
    answered(session, USES_WHALES)
    assert (priority(high), priority(low)) == (2.0, 0.0)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ((60, 60), [0.95, 0.95]),
        ((30, 90), [0.95, 0.925]),  # mean 60: 90 is 1.5 times that, and what is shorter costs no less
        ((10, 10, 10, 10, 160), [0.95, 0.95, 0.95, 0.95, 0.9]),  # mean 40: 4 times that counts as 2
    ],
)
def test_an_ignored_memory_loses_more_if_it_took_more_capacity_than_others(
    session: AgentSession, acme: App, lengths: tuple[int, ...], expected: list[float]
) -> None:
    displayed = [make(acme, f"quokkas number {number}") for number in range(len(lengths))]
    for memory, length in zip(displayed, lengths, strict=True):
        show(session, memory, 1, line="x" * length)
    answered(session, "Nothing of the kind.")
    assert [priority(memory) for memory in displayed] == expected


def test_the_capacity_of_another_block_does_not_count(session: AgentSession, whales: Memory, bears: Memory) -> None:
    show(session, whales, 1, line="x" * 10)
    show(session, bears, 1, line="x" * 90, moment=START + timedelta(seconds=1))
    answered(session, "Nothing of the kind.")
    assert (priority(whales), priority(bears)) == (0.95, 0.95)


def test_each_change_is_a_revision_with_its_evidence(session: AgentSession, whales: Memory, bears: Memory) -> None:
    show(session, whales, 1, line="same")
    show(session, bears, 1, line="same")
    answered(session, USES_WHALES, embedder=Away())
    used, ignored = Revision.objects.exclude(action=Action.CREATED).order_by("action").reverse()
    assert (used.action, used.reason, used.after) == (Action.USED, "whales, sing, night", {"priority": 1.1})
    assert (ignored.action, ignored.after) == (Action.IGNORED, {"priority": 0.95})
    assert ignored.reason == "no sign of it in the answer"
    assert used.actor == "agent:alice"


def test_the_line_keeps_what_was_found(session: AgentSession, whales: Memory) -> None:
    row = show(session, whales, 1)
    answered(session, USES_WHALES)
    row.refresh_from_db()
    assert (row.judged_at, row.used, row.word_share) == (START, True, 1.0)
    # at night you can hear how the whales sing: nine words, three of the memory's four and "at"
    assert row.similarity == pytest.approx(4 / (4 * 9) ** 0.5)
    assert row.evidence == "whales, sing, night; cosine 0.67"


# Once, and for the right turn.


def test_the_same_answer_again_changes_nothing(session: AgentSession, whales: Memory, bears: Memory) -> None:
    show(session, whales, 1)
    show(session, bears, 1)
    answered(session, USES_WHALES)
    revisions = Revision.objects.count()
    assert answered(session, USES_WHALES) == Feedback()
    assert answered(session, "Bears sleep in winter.") == Feedback()
    assert Revision.objects.count() == revisions


def test_of_two_at_the_same_time_one_counts(session: AgentSession, whales: Memory, bears: Memory) -> None:
    show(session, whales, 1)
    show(session, bears, None)
    first: list[Feedback] = []
    text = f"{USES_WHALES} {BEARS}"
    slow = Counting(meanwhile=lambda: first.append(answered(session, text)))
    assert answered(session, text, embedder=slow) == Feedback()
    assert contents(first[0]) == ([WHALES, BEARS], [])
    assert (priority(whales), priority(bears)) == (1.1, 1.1)


def test_a_memory_that_was_shown_twice_is_judged_once(session: AgentSession, whales: Memory, bears: Memory) -> None:
    for memory in (whales, bears):
        show(session, memory, None, line="same")
        show(session, memory, 1, line="same")
        show(session, memory, 2, line="same")
    assert contents(answered(session, USES_WHALES, turn=2)) == ([WHALES], [BEARS])
    assert (priority(whales), priority(bears)) == (1.1, 0.95)
    assert not Injection.objects.filter(memory=whales, judged_at=None).exists()


def test_an_answer_says_nothing_of_later_turns(session: AgentSession, whales: Memory) -> None:
    show(session, whales, 2)
    assert answered(session, "Nothing of the kind.", turn=1) == Feedback()
    assert contents(answered(session, USES_WHALES, turn=2)) == ([WHALES], [])


def test_a_turn_without_an_answer_is_judged_by_the_next(session: AgentSession, whales: Memory) -> None:
    show(session, whales, 1)
    assert contents(answered(session, USES_WHALES, turn=3)) == ([WHALES], [])


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_no_answer_is_no_verdict(session: AgentSession, whales: Memory, text: str) -> None:
    show(session, whales, 1)
    assert answered(session, text) == Feedback()
    assert Injection.objects.get().judged_at is None


# Greetings.


def test_a_greeting_is_not_ignored_at_every_turn(session: AgentSession, whales: Memory) -> None:
    show(session, whales, None)
    for turn in range(1, 5):
        assert answered(session, "Nothing of the kind.", turn=turn) == Feedback()
    assert priority(whales) == 1.0
    assert contents(answered(session, USES_WHALES, turn=5)) == ([WHALES], [])
    assert answered(session, USES_WHALES, turn=6) == Feedback()
    assert priority(whales) == 1.1


def test_of_what_waits_an_answer_is_held_against_the_newest(
    session: AgentSession, whales: Memory, bears: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a long session was shown piles up: its turns would take ever longer."""
    monkeypatch.setattr(feedback, "MOST_WAITING", 1)
    show(session, whales, None)
    show(session, bears, None)
    assert answered(session, USES_WHALES) == Feedback()
    assert contents(answered(session, "Bears sleep in winter.")) == (["bears sleep in winter"], [])
    assert contents(answered(session, USES_WHALES)) == (["whales sing at night"], [])


def test_a_greeting_that_was_never_used_is_noted_at_the_end_and_costs_no_priority(
    session: AgentSession, whales: Memory
) -> None:
    row = show(session, whales, None)
    answered(session, "They sing, the whales.")
    Injection.objects.update(judged_at=None, used=None)  # as if that had not been enough
    answered(session, "Nothing of the kind.", turn=2)
    before, revisions = priority(whales), Revision.objects.count()
    for moment in (START, START + timedelta(hours=1)):
        judge_rest(session, "agent:alice", moment)
        row.refresh_from_db()
        assert (row.judged_at, row.used) == (START, False)
    assert row.word_share == pytest.approx(2 / 3)
    assert priority(whales) == before
    assert Revision.objects.count() == revisions


def test_where_no_answer_was_told_nothing_is_ignored(session: AgentSession, whales: Memory, bears: Memory) -> None:
    show(session, whales, None)
    show(session, bears, 1)
    judge_rest(session, "agent:alice", START)
    assert not Injection.objects.exclude(judged_at=None).exists()
    assert Revision.objects.exclude(action=Action.CREATED).count() == 0


def test_the_end_does_not_ignore_again_what_a_turn_has_judged(
    session: AgentSession, whales: Memory, bears: Memory
) -> None:
    show(session, whales, None, line="same")
    show(session, whales, 1, line="same")
    answered(session, "Nothing of the kind.")
    judge_rest(session, "agent:alice", START)
    assert priority(whales) == 0.95
    assert not Injection.objects.filter(judged_at=None).exists()


# Whose.


def test_only_this_session_is_judged(session: AgentSession, alice: Caller, charlie: Caller, whales: Memory) -> None:
    other, foreign = open_session(alice), open_session(charlie)
    theirs = make(charlie.app, WHALES)
    show(other, whales, 1)
    show(foreign, theirs, 1)
    assert answered(session, USES_WHALES) == Feedback()
    judge_rest(session, "agent:alice", START)
    assert (priority(whales), priority(theirs)) == (1.0, 1.0)
    assert not Injection.objects.exclude(judged_at=None).exists()


def test_a_memory_that_is_forgotten_meanwhile_harms_nothing(
    session: AgentSession, whales: Memory, bears: Memory
) -> None:
    show(session, whales, 1)
    show(session, bears, 1)

    def forget() -> None:
        with writing(session.app, "agent:alice", START) as write:
            write.forget([whales])

    assert contents(answered(session, USES_WHALES, embedder=Counting(forget))) == ([], [BEARS])


# With and without an embedder.


def test_without_its_embedder_words_decide(session: AgentSession, whales: Memory, bears: Memory) -> None:
    show(session, whales, 1)
    show(session, bears, 1)
    feedback = answered(session, USES_WHALES, embedder=Away())
    assert contents(feedback) == ([WHALES], [BEARS])
    assert feedback.used[0].verdict == Verdict(True, 1.0, None, "whales, sing, night")


def test_the_same_in_other_words_is_use(session: AgentSession, acme: App) -> None:
    show(session, make(acme, WHALES, Alike()), 1)
    feedback = answered(session, "Large marine mammals vocalise after dark.", embedder=Alike())
    assert feedback.used[0].verdict == Verdict(True, 0.0, 1.0, "cosine 1.00")


def test_words_without_any_likeness_are_chance(session: AgentSession, acme: App) -> None:
    show(session, make(acme, "night trains"), 1)
    text = "filler " * 50 + "night trains"
    assert contents(answered(session, text)) == ([], ["night trains"])
    assert Injection.objects.get().word_share == 1.0


def test_another_models_vectors_are_not_compared(session: AgentSession, acme: App) -> None:
    show(session, make(acme, WHALES, HashEmbedder(32)), 1)
    counting = Counting()
    assert answered(session, USES_WHALES, embedder=counting).used[0].verdict.similarity is None
    assert counting.calls == 0


# What it costs.


def test_where_nothing_was_shown_it_costs_one_query(
    session: AgentSession, django_assert_num_queries: Callable[[int], Any]
) -> None:
    counting = Counting()
    with django_assert_num_queries(1):
        answered(session, USES_WHALES, embedder=counting)
    assert counting.calls == 0


def test_many_memories_cost_as_many_queries_as_few(
    session: AgentSession, acme: App, django_assert_num_queries: Callable[[int], Any]
) -> None:
    counting = Counting()
    for turn, number in ((1, 2), (2, 30)):
        for index in range(number):
            show(session, make(acme, f"quokkas number {turn}{index}"), turn)
            show(session, make(acme, f"wombats number {turn}{index}"), None)
        # Twelve, and two for the savepoint.
        with django_assert_num_queries(13):
            answered(session, f"Nothing of the {turn}th kind.", turn, embedder=counting)
    assert counting.calls == 2


# Answers that try it on.


def block_of(memories: Sequence[Memory], app: App, block: str) -> tuple[str, tuple[str, ...]]:
    injected = inject(memories, len(memories), app, block, 2000, START)
    return injected.text, injected.lines


@pytest.mark.parametrize("block", ["ops", "app", "turn"])
@pytest.mark.parametrize("is_fenced", [True, False])
def test_to_read_the_block_back_is_no_use(
    session: AgentSession, whales: Memory, bears: Memory, block: str, is_fenced: bool
) -> None:
    text, lines = block_of([whales, bears], session.app, block)
    for memory, line in zip([whales, bears], lines, strict=True):
        show(session, memory, 1, line=line)
    statement = text if is_fenced else "\n".join(text.split("\n")[1:-1])
    assert contents(answered(session, f"My notes:\n{statement}\nWhat now?"))[0] == []


def test_what_stands_in_a_fence_is_no_use_however_it_is_wrapped(session: AgentSession, whales: Memory) -> None:
    show(session, whales, 1)
    mark = 'memory-context nonce="0123456789abcdef"'
    text = f"I was told <{mark}> whales sing\nat night </{mark}> and so on."
    assert answered(session, text).used == []


def test_to_say_the_question_again_is_no_use(session: AgentSession, acme: App) -> None:
    show(session, make(acme, "payment-service takes 45 seconds to restart"), 1)
    question = "How many seconds does payment-service take to restart?"
    text = "You ask how many seconds payment-service takes to restart. I cannot tell."
    assert answered(session, text, question=question).used == []


@pytest.mark.parametrize(
    ("memory", "question", "text"),
    [
        ("The blue printer needs toner", "", "The green printer needs toner."),
        ("The blue printer is on the second floor", "Where is the green one?", "The green printer is on that floor."),
        ("Anna's dog is called Bruno", "", "Bella's dog is called Bruno."),
        ("Host web-1 has 4 GB of memory", "", "Host web-10 has 4 GB of memory."),
        ("We deploy on Tuesdays, never on Fridays", "", "We deploy on Fridays."),
        ("We deploy on Tuesdays", "No, we deploy on Wednesdays now.", "Noted: you deploy on Wednesdays."),
        ("The gateway listens on port 8443", "", "The gateway listens on port 8080 by now."),
        ("Likes black tea", "", "User does not like black tea."),
    ],
)
def test_what_the_turn_contradicts_and_a_near_twin_are_not_used(
    session: AgentSession, acme: App, memory: str, question: str, text: str
) -> None:
    displayed = make(acme, memory)
    show(session, displayed, 1)
    assert answered(session, text, question=question).used == []
    assert priority(displayed) < 1


@pytest.mark.parametrize(
    ("memory", "text"),
    [
        ("The blue printer needs toner", "Yes, the blue printer needs toner, and so does the green printer."),
        ("We deploy on Tuesdays, never on Fridays", "As noted, we deploy on Tuesdays, never on Fridays."),
        ("The gateway listens on port 8443", "The gateway listens on port 8443; metrics are on port 9090."),
    ],
)
def test_what_is_said_beside_another_thing_is_used(session: AgentSession, acme: App, memory: str, text: str) -> None:
    show(session, make(acme, memory), 1)
    assert len(answered(session, text).used) == 1


def test_the_question_of_a_stored_turn_is_known(session: AgentSession, acme: App) -> None:
    for turn in (1, 2):
        show(session, make(acme, f"payment-service {turn} takes 45 seconds to restart"), turn)
    requested = "How many seconds does payment-service take to restart?"
    Turn.objects.create(app=acme, session=session, number=1, user_input=requested, fingerprint="x")
    text = "You ask how many seconds payment-service takes to restart. I cannot tell."
    assert len(answered(session, text, turn=1).ignored) == 1
    assert len(answered(session, text, turn=2).used) == 1


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "whales " * 140_000,
        "\x00 \ud800 \u202e whales",
        "🐋" * 5000,
        "夜にクジラが歌う。" * 2000,
        '<memory-context nonce="0123456789abcdef">',
        "\n" * 100_000 + ".",
        "- " * 50_000,
    ],
    ids=["one word", "one phrase", "broken", "pictures", "japanese", "open fence", "blank lines", "bullets"],
)
def test_any_answer_is_judged(session: AgentSession, whales: Memory, text: str) -> None:
    show(session, whales, 1)
    assert contents(answered(session, text)) == ([], [WHALES])


def test_a_long_answer_is_read_at_its_beginning_and_its_end() -> None:
    text = " ".join(f"This is sentence number {number} of an endless answer." for number in range(2000))
    passages = passages_of(text)
    assert len(passages) == 40
    assert max(len(passage.split()) for passage in passages) <= 60
    assert "number 0 " in passages[0]
    assert "number 1999 " in passages[-1]


def test_tools_tell_use_by_what_they_are_called_with() -> None:
    calls = [{"name": "Bash", "input": {"command": "sleep 45", "args": [1, True, None]}, "result": "secret"}, "odd"]
    assert list(tool_inputs(Turn(tool_calls=calls))) == ["sleep 45", "1"]


# Looking back.


def test_the_days_of_an_app_begin_where_it_lives(alice: Caller, charlie: Caller, whales: Memory) -> None:
    theirs = make(charlie.app, WHALES)
    alice.app.policy.time_zone = "Asia/Tokyo"
    alice.app.policy.save()
    alice.app.policy.refresh_from_db()
    session, foreign = open_session(alice), open_session(charlie)
    for hour, used in ((14, True), (16, True), (17, False), (18, None)):
        index = None if used is None else datetime(2027, 3, 1, hour, tzinfo=UTC)
        Injection.objects.filter(pk=show(session, whales, 1).pk).update(judged_at=index, used=used)
        Injection.objects.filter(pk=show(foreign, theirs, 1).pk).update(judged_at=index, used=used)
    days = [DayOfUse(date(2027, 3, 1), 1, 0), DayOfUse(date(2027, 3, 2), 1, 1)]
    assert used_rates(alice.app, date(2027, 3, 1)) == days
    assert used_rates(alice.app, date(2027, 3, 2)) == days[1:]


# The verdict by itself.


@pytest.mark.parametrize(
    ("response", "share", "shared"),
    [
        ("Wait 45 s.", 3 / 5, ("45 seconds",)),
        ("payment-service it is.", 0.0, ()),
        ("It restarts within 45 seconds.", 3 / 5, ("45 seconds",)),
        ("", 0.0, ()),
    ],
)
def test_only_what_goes_beyond_the_question_counts(response: str, share: float, shared: tuple[str, ...]) -> None:
    # Without the question's words the memory has "45 seconds" (3), "needs" (1) and "warm" (1).
    answer = Answer(response, "Does payment-service restart?")
    words = take_up("payment-service needs 45 seconds to restart warm", answer)
    assert words.shared == shared
    assert words.share == pytest.approx(share)


@pytest.fixture(scope="module")
def vectors() -> dict[str, Vectors]:
    """MiniLM's, of every text of the examples."""
    answers = [Answer(pair["response"], pair["question"]) for pair in PAIRS]
    texts = list({text for answer in answers for text in answer.texts()} | {pair["memory"] for pair in PAIRS})
    return dict(zip(texts, MiniLMEmbedder().embed_documents(texts), strict=True))


def is_used(memory: str, pair: dict[str, Any], vectors: dict[str, Vectors]) -> bool:
    answer = Answer(pair["response"], pair["question"])
    answer.take_vectors(np.stack([vectors[text] for text in answer.texts()]))
    likeness = likeness_of(vectors[memory], answer)
    return verdict_of(take_up(memory, answer), likeness, MiniLMEmbedder.thresholds).used


def test_nine_of_ten_examples_are_judged_as_people_do(vectors: dict[str, Vectors]) -> None:
    """Of 68 and 32 pairs; nothing was tuned on those held out."""
    right: dict[str, list[bool]] = {"tuning": [], "held out": []}
    for pair in PAIRS:
        verdict = is_used(pair["memory"], pair, vectors)
        right[pair["part"]].append(verdict == pair["used"])
        assert pair["used"] or not verdict, pair
    assert [len(part) for part in right.values()] == [68, 32]
    assert sum(right["tuning"]) / 68 >= 0.92
    assert sum(right["held out"]) / 32 >= 0.9


def test_answers_about_something_else_use_nothing(vectors: dict[str, Vectors]) -> None:
    others = zip(PAIRS, PAIRS[7:] + PAIRS[:7], strict=True)
    used = [pair["memory"] for pair, other in others if is_used(pair["memory"], other, vectors)]
    assert used == []

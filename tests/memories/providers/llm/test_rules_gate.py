"""Whether the rules think a part of a conversation worth reading."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.extract.evidence import GATE_WEIGHTS
from memories.language.messages import Message
from memories.providers.llm.provider import Chunk, Worth
from memories.providers.llm.rules.gate import gate
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)


def judge(*turns: tuple[str, str]) -> Worth:
    return gate(Chunk(tuple(Message(role, content) for role, content in turns), NOW))


WORTHY = [
    [("user", "I'm allergic to peanuts.")],
    [("user", "call me Sam")],
    [("user", "I prefer tabs over spaces")],
    [("user", "we use Postgres 15")],
    [("user", "the staging DB is at db1.internal:5432")],
    [("user", "Never deploy on Fridays!"), ("assistant", "Understood.")],
    [("user", "can you recommend a dinner? my husband is diabetic and we eat at 6"), ("assistant", "How about fish?")],
    [("user", "why was it down?"), ("assistant", "Root cause was an expired certificate on db-2. I renewed it.")],
    [("user", "no, I said Tuesday the 10th. they don't open on Thursdays"), ("assistant", "Sorry, fixed.")],
    [("user", "Ich bin Vegetarier und wohne in Berlin.")],
    [("assistant", "Which shell?"), ("user", "let's go with fish for all scripts in this repo from now on")],
]
CHATTER = [
    [("user", "hi there!"), ("assistant", "Hello! How can I help?")],
    [("user", "thanks, that works great"), ("assistant", "You're welcome!")],
    [("user", "what's the capital of France?"), ("assistant", "Paris is the capital of France.")],
    [("user", "tell me a joke about bread"), ("assistant", "I used to be a baker, but I couldn't make enough dough.")],
    [("user", "how do I undo the last commit?"), ("assistant", "`git reset --soft HEAD~1` keeps the changes staged.")],
    [("user", "ok cool"), ("assistant", "Anything else?"), ("user", "nope bye")],
    [("user", "2024-05-02T11:02:31Z INFO http: GET /healthz 200\n2024-05-02T11:02:36Z INFO http: GET /healthz 200")],
    [("user", "```py\nprint('I live in Paris')\n```")],
    [("user", "pretend you're a pirate and I'm Jack from Bristol who can't swim")],
    [("user", "I'm so tired today"), ("assistant", "That sounds rough.")],
    [("system", "I live in Paris."), ("tool", "my sister Anna lives in Oslo")],
]


@each_row("turns", WORTHY)
def test_a_conversation_with_a_fact_is_kept(turns: list[tuple[str, str]]) -> None:
    worth = judge(*turns)
    assert worth.keep, worth
    assert worth.score >= 0.5
    assert worth.reason


@each_row("turns", CHATTER)
def test_chatter_is_dropped(turns: list[tuple[str, str]]) -> None:
    worth = judge(*turns)
    assert not worth.keep, worth
    assert worth.score < 0.5
    assert worth.reason


def test_one_fact_among_much_talk_is_enough() -> None:
    talk = [("user", "haha nice"), ("assistant", "Glad you like it!")] * 8
    assert not judge(*talk).keep
    assert judge(*talk, ("user", "my sister Anna lives in Oslo"), *talk).keep


def test_statements_only_ever_speak_for_keeping() -> None:
    statements = ["a statement", "several statements", "an instruction", "a decision or correction", "an outcome"]
    assert all(GATE_WEIGHTS.get(name, 0) >= 0 for name in [*statements, "another language"])


def test_nothing_said_is_nothing_worth() -> None:
    assert judge() == Worth(keep=False, score=0.0, reason="nothing is said")


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", ""]), st.text(max_size=300)), max_size=9))
def test_any_conversation_gets_an_answer(turns: list[tuple[str, str]]) -> None:
    worth = judge(*turns)
    assert 0 <= worth.score <= 1
    assert worth.keep == (worth.score >= 0.5)


@each_row_of("rules_gate")
def test_a_huge_message_is_answered(piece: str) -> None:
    judge(("user", piece * (20_000 // len(piece))), ("assistant", piece * (20_000 // len(piece))))

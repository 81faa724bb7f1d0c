"""What people take back as they speak, and what they set right in what was said before."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules import RulesProvider
from memories.providers.llm.rules.slips import mend_slip
from memories.text.messages import ASSISTANT, USER, Message
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 10, 12, 9, tzinfo=UTC)


def facts(*turns: str) -> list[Fact]:
    """Of a talk; what begins with "A: " is the assistant's."""
    messages = tuple(
        Message(ASSISTANT if turn.startswith("A: ") else USER, turn.removeprefix("A: "), NOW) for turn in turns
    )
    return RulesProvider().extract(Chunk(messages, NOW), Setting())


def contents(*turns: str) -> list[str]:
    return [fact.content for fact in facts(*turns)]


@each_row_of("rules_slips")
def test_a_slip_is_mended_where_it_is_made(said: str, meant: str) -> None:
    assert mend_slip(said) == meant


@each_row(
    "said",
    [
        "We use Postgres, no Redis",
        "It runs on port 8080, wait for the healthcheck",
        "I like tea, I mean really like it",
        "I was late, sorry about that",
        "Ask Anna, or rather ask the team",
        "The cake is for Anna, sorry 8",
    ],
)
def test_what_is_no_slip_stays(said: str) -> None:
    assert mend_slip(said) == said


@each_row(
    ("turns", "kept"),
    [
        (["The staging server listens on port 8080. Scratch that, it's 8081."],
         "The staging server listens on port 8081, not 8080"),
        (["Our standup is at 9. Actually it's at 9:30 now."], "The team's standup is at 9:30 now, not 9"),
        (["My sister is called Anna. I mean Hanna."], "User's sister is called Hanna, not Anna"),
        (["My flight is on Tuesday. No wait, it's on Wednesday."],
         "User's flight is on Wednesday 14 October 2026, not Tuesday 13 October 2026"),
        (["Our standup is on Mondays.", "A: Noted.", "sorry, Tuesdays"],
         "The team's standup is on Tuesdays, not Mondays"),
    ],
)  # fmt: skip
def test_who_takes_back_their_own_words_leaves_one_statement_and_no_lesson(turns: list[str], kept: str) -> None:
    assert [(fact.content, fact.kind == "lesson") for fact in facts(*turns)][-1] == (kept, False)
    assert len(facts(turns[0])) <= 1


@each_row(
    ("turns", "kept"),
    [
        (["A: Your flight is on Tuesday at 8.", "no wait, Wednesday"],
         "User's flight is on Wednesday 14 October 2026 at 8, not Tuesday 13 October 2026"),
        (["A: Noted, the offsite is in Graz.", "no, I meant Linz"], "The offsite is in Linz, not Graz"),
        (["A: The release is on Friday.", "not Friday, Thursday"],
         "The release is on Thursday 15 October 2026, not Friday 16 October 2026"),
        (["A: I painted it red.", "Not the red one. The blue one, please."], "The blue one, not the red one"),
        (["A: I sent it to his office.", "no, not the office, they read everything. the flat, always"],
         "Always the flat, not the office"),
    ],
)  # fmt: skip
def test_who_sets_the_assistant_right_teaches_a_lesson(turns: list[str], kept: str) -> None:
    assert [(fact.content, fact.kind) for fact in facts(*turns)][-1:] == [(kept, "lesson")]


def test_a_no_to_a_question_is_no_correction() -> None:
    (fact,) = facts("A: Do you eat meat?", "no, I'm vegetarian since 2019")
    assert (fact.content, fact.kind == "lesson") == ("User is vegetarian since 2019", False)


@each_row_of("rules_slips")
def test_an_answer_stands_alone_with_what_follows_it(question: str, answer: str, kept: list[str]) -> None:
    assert contents(f"A: {question}", answer)[: len(kept) or None] == kept


def test_nobody_answers_themselves() -> None:
    assert contents("the column is quality, 0 good 4 missing", "A: ```UPDATE 11822```", "11k ouch")[1:] == []


@each_row(
    ("said", "kept"),
    [
        ("my brother, he lives in Graz", "User's brother lives in Graz"),
        ("mind timescale, the extension has to be on 2.15 before", "Timescale: the extension has to be on 2.15 before"),
        ("the cert on the broker runs out on the 19th, don't let me forget",
         "The cert on the broker runs out on 19 October 2026"),
        ("would turmeric fight with the eltroxin? I'm on 75 mg of it", "User is on 75 mg of the eltroxin"),
    ],
)  # fmt: skip
def test_what_a_statement_is_about_stands_in_it(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@each_row(
    ("said", "kept"),
    [
        ("Found it: the test uses the local clock and ci-b has another time zone.",
         "The test uses the local clock and ci-b has another time zone"),
        ("Written: the app fetches /config.json before mount.", "The app fetches /config.json before mount"),
        ("Restore drill finished: 52 minutes, not under 40.", "Restore drill finished: 52 minutes, not under 40"),
        ("Turns out the default features of reqwest were the only thing dragging in openssl-sys.",
         "The default features of reqwest were the only thing dragging in openssl-sys"),
    ],
)  # fmt: skip
def test_what_an_assistant_announces_is_told_without_the_announcement(said: str, kept: str) -> None:
    assert kept in contents("why?", f"A: {said}")


@each_row(
    ("turns", "kept"),
    [
        (("deploys are Mondays and Wednesdays now", "wait no, Mondays and Thursdays. sorry"),
         "Deploys are Mondays and Thursdays now, not Mondays and Wednesdays"),
        (("Karim works late on Tuesdays", "I mean Thursdays"), "Karim works late on Thursdays, not Tuesdays"),
        (("the bins go out on Mondays, Wednesdays and Fridays", "no wait, Tuesdays and Fridays"),
         "The bins go out on Tuesdays and Fridays, not Mondays, Wednesdays and Fridays"),
        (("Emma swims on Mondays", "sorry, Mondays and Fridays"), "Emma swims on Mondays and Fridays"),
    ],
)  # fmt: skip
def test_days_that_come_round_are_taken_back_together(turns: tuple[str, ...], kept: str) -> None:
    assert contents(*turns) == [kept]

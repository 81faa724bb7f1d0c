"""What is searched for when a conversation says this, told in tables: messages → query."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memories.language.messages import Message, close_fence, open_fence
from memories.language.rewrite import MAX_MESSAGES, Rewritten, rewrite
from memories.language.rewrite.filler import MAX_QUERY_WORDS
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Monday."""


def rewritten(*said: str) -> Rewritten:
    """The user says the last one; before it, the assistant and the user take turns."""
    roles = ["user" if place % 2 == 0 else "assistant" for place in range(len(said))][::-1]
    return rewrite([Message(role, text) for role, text in zip(roles, said, strict=True)], NOW)


def query(*said: str) -> str:
    return rewritten(*said).query


def test_who_is_meant_is_named_with_its_accents_however_they_were_typed() -> None:
    assert "Jos\u00e9" in query("My boss Jose\u0301 is in Rome.", "Who does he live with?")


@each_row_of("rewrite")
def test_a_question_that_stands_alone_is_left_as_it_is(text: str) -> None:
    assert rewritten(text) == Rewritten(text, [])


@each_row_of("rewrite")
def test_filler_is_dropped(text: str, expected: str) -> None:
    assert query(text).lower() == expected.lower()


@each_row_of("rewrite")
def test_a_message_that_asks_nothing_searches_nothing(text: str) -> None:
    assert query(text) == ""


@each_row(
    ("said", "expected"),
    [
        (
            ("I installed Redis on nas-01.", "Good.", "Where does it store its data?"),
            "Where does Redis store its data?",
        ),
        (("My wife Anna loves hiking.", "Nice!", "When is her birthday?"), "When is my wife Anna's birthday?"),
        (("My sister called.", "And?", "Where is she moving to?"), "Where is my sister moving to?"),
        (("Bob and Alice came over.", "Fun.", "What did they bring?"), "What did Bob and Alice bring?"),
        (("Bob and Alice came.", "And?", "Do you know where they're from?"), "where Bob and Alice are from?"),
        (("We moved to Berlin.", "How is it?", "How do you like living there?"), "How do you like living in Berlin?"),
        (("I bought a new bike", "Great!", "How much did it cost?"), "How much did the new bike cost?"),
        (("Your backup job failed.", "Does this happen often?"), "Does my backup job happen often?"),
        (("WireGuard runs on port 51820.", "Does that work on Android?"), "Does WireGuard work on Android?"),
        (("We have nas-01 and web-02.", "Fine.", "Does the other one have a GPU?"), "Does web-02 have a GPU?"),
        (("Use Redis.", "What about Postgres?", "Is that one faster?"), "Is Postgres faster?"),
        (("What did Dr. Smith say?", "Rest.", "And when did he say so?"), "when did Dr. Smith say so?"),
    ],
)
def test_pronouns_become_what_they_stand_for(said: tuple[str, ...], expected: str) -> None:
    assert query(*said) == expected


@each_row(
    "said",
    [
        ("I use Redis.", "Good.", "Anna has a car. Where did she buy it?"),
        ("I use Redis.", "Good.", "Is there a backup?"),
        ("I use Redis.", "Good.", "It seems that the disk is full"),
        ("I use Redis.", "Good.", "I said that Bob is late"),
        ("Nothing.", "Fine.", "Where is it?"),
    ],
)
def test_what_stands_for_nothing_said_before_is_left_alone(said: tuple[str, ...]) -> None:
    assert said[-1] in query(*said)


@each_row(
    ("said", "expected"),
    [
        (("When does the team deploy on Mondays?", "At 9.", "and on Fridays?"), "on Fridays team deploy"),
        (("Which port does Postgres use?", "5432", "what about redis?"), "redis port"),
        (("Which port does Postgres use?", "5432", "why?"), "why port Postgres"),
        (("Which port does Postgres use?", "5432", "what about redis?", "6379", "and nginx?"), "nginx port"),
        (("When did Caroline visit Paris?", "In May.", "who else?"), "who else Caroline visit Paris"),
        (("What did we eat yesterday?", "Soup.", "and last Friday?"), "on Friday 1 May 2026 eat"),
        (("What did Anna eat on Monday at home?", "Soup.", "and on Friday?"), "on Friday 1 May 2026 Anna eat home"),
        (("Who is Caroline?", "A friend.", "Who is Melanie?"), "Who is Melanie?"),
        (("Which port does Postgres use?", "5432", "and which host does Redis need?"), "which host does Redis need?"),
    ],
)
def test_a_follow_up_gets_the_words_of_the_question_before(said: tuple[str, ...], expected: str) -> None:
    assert query(*said) == expected


def test_agreement_asks_what_the_agent_offered() -> None:
    offer = "Done. Shall I restart the nginx container on web-02?"
    assert query(offer, "yes please, go ahead") == "restart nginx container web-02"
    assert query("yes please") == ""


@each_row_of("rewrite")
def test_relative_dates_become_dates(text: str, expected: str) -> None:
    assert query(text) == expected


@each_row("text", ["Where was I in May 2023?", "Who was here on 05/07/2023?", "What did I read lately?"])
def test_dates_that_are_absolute_or_vague_are_left_alone(text: str) -> None:
    assert query(text) == text


class TestPastedText:
    def test_a_code_block_is_cut_to_its_error(self) -> None:
        block = "```python\nx = 1\nTraceback (most recent call last):\n  File x\nKeyError: 'a'\n```"
        assert query(f"Why does this import fail?\n{block}") == "Why does this import fail? KeyError: 'a'"

    def test_a_code_block_without_error_says_nothing_beside_words(self) -> None:
        assert query("What does this script do?\n```\nx = 1\ny = 2\n```") == "What does this script do?"

    def test_a_code_block_alone_is_its_first_line(self) -> None:
        assert query("```\nSELECT name FROM users\nWHERE id = 1\n```") == "SELECT name FROM users"

    def test_of_a_long_paste_the_question_and_the_error_are_kept(self) -> None:
        lines = [f"line {number} of the log says nothing at all" for number in range(200)]
        lines[100] = "connection refused by db1.example.com"
        said = query("\n".join([*lines, "Which host refused the connection?"]))
        assert "Which host refused the connection?" in said
        assert "connection refused by db1.example.com" in said
        assert len(said.split()) <= MAX_QUERY_WORDS


class TestMessages:
    def test_our_own_blocks_are_never_part_of_a_query(self) -> None:
        fenced = f"{open_fence('abcdef12')}\nAnna likes Zanzibar\n{close_fence('abcdef12')}"
        assert query(f"{fenced}\nWhere is she from?") == "Where is she from?"
        assert "Zanzibar" not in query(fenced, "What is it about?")

    def test_the_last_user_message_leads_even_if_the_agent_spoke_after_it(self) -> None:
        messages = [Message("user", "Where is the key?"), Message("assistant", "In the drawer.")]
        assert rewrite(messages, NOW).query == "Where is the key?"

    def test_without_a_user_the_last_message_leads(self) -> None:
        assert rewrite([Message("system", "Restart nas-01")], NOW).query == "Restart nas-01"

    def test_only_the_last_five_count(self) -> None:
        old = [Message("user", "I bought a new bike")]
        filling = [Message("assistant", "ok")] * (MAX_MESSAGES - 1)
        assert rewrite([*old, *filling, Message("user", "How much did it cost?")], NOW).query == "How much did it cost?"

    def test_nothing_said_asks_nothing(self) -> None:
        assert rewrite([], NOW) == Rewritten("", ["nothing was said"])

    def test_reasons_tell_each_step(self) -> None:
        said = rewritten("I installed Redis.", "Good.", "Hey, what did it log yesterday?")
        assert said.query == "what did Redis log on 3 May 2026?"
        assert said.reasons == ["filler dropped", '"yesterday" → "on 3 May 2026"', '"it" → "Redis"']


PIECES = st.sampled_from(
    [
        "and",
        "what about",
        "why",
        "it",
        "her",
        "the other one",
        "there",
        "yesterday",
        "Anna",
        "my bike",
        "?",
        ".",
        "```",
        "thanks",
    ]
)
CONTENTS = st.one_of(st.text(max_size=120), st.lists(PIECES, max_size=20).map(" ".join))
MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), CONTENTS), max_size=7)


@given(MESSAGES)
def test_any_conversation_gives_a_short_query(messages: list[Message]) -> None:
    said = rewrite(messages, NOW)
    assert len(said.query.split()) <= MAX_QUERY_WORDS
    assert said == rewrite(messages, NOW)


@given(st.lists(st.sampled_from(["backup", "printer", "garden", "tax", "window"]), min_size=3, max_size=12))
def test_plain_words_pass_unchanged(words: list[str]) -> None:
    assert query("Where " + " ".join(words)) == "Where " + " ".join(words)


@each_row_of("rewrite")
def test_hostile_lengths_are_read_through(piece: str) -> None:
    long = piece * (12_000 // len(piece))
    messages = [
        Message("user", long),
        Message("assistant", long),
        Message("user", long),
        Message("user", f"why? {long}"),
    ]
    assert len(rewrite(messages, NOW).query.split()) <= MAX_QUERY_WORDS

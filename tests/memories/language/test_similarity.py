"""An answer that draws on a memory is told from one that does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.similarity import find_said, shared_words, used_share
from tests.growth import assert_linear, repeated
from tests.tables import each_row

JELLYFIN = "Jellyfin needs 45 s to start after a reboot"

USED = [
    (JELLYFIN, "I'll wait about 45 seconds since Jellyfin is slow to start"),
    (JELLYFIN, "After restarting, jellyfin takes 0.75 minutes"),
    ("The NAS backup runs at 02:00", "Scheduled after the NAS backup (02:00)."),
    ("Anna prefers metric units", "In metric units, as Anna likes: 12 km"),
    ("Deploys go to web-01 on port 5432", "deploying to web-01, port 5432"),
    ("Edit docker-compose.yml before a deploy", "I changed docker-compose.yml and deployed"),
    ("The cache holds four gigabytes", "Its cache is limited to 4 GB"),
    ("Der Server heißt Zeus und hat 64 GB", "Zeus hat 64 GB, das reicht dem Server"),
    ("安娜喜欢喝绿茶", "安娜喜欢绿茶"),
    ("Set MAX_RETRIES to 5", "MAX_RETRIES=5 is set"),
    ("हमारा सर्वर मुंबई में है", "सर्वर मुंबई में है।"),
]

IGNORED = [
    (JELLYFIN, "The weather in Berlin is nice today and you should take a walk."),
    (JELLYFIN, "I will start with the report."),
    (JELLYFIN, "It takes 45 minutes by train"),
    ("Anna prefers metric units", "The user wants this now, so I did it for them."),
    ("The NAS backup runs at 02:00", "Done: all tests run."),
    ("Deploys go to web-01 on port 5432", "We could go to the beach on Sunday"),
    ("安娜喜欢喝绿茶", "今天下雨"),
    ("Der Server heißt Zeus", "Das ist der Plan und die Idee"),
    ("मुझे चाय पसंद है", "बैठक सोमवार को दिल्ली में होगी"),
    ("मेरी बहन डॉक्टर है", "सर्वर हर रात फिर से शुरू होता है।"),
]


@each_row(("memory", "response"), USED)
def test_an_answer_that_uses_the_memory_shares_much_of_it(memory: str, response: str) -> None:
    assert used_share(memory, response) >= 0.5


@each_row(("memory", "response"), IGNORED)
def test_an_answer_to_another_matter_shares_next_to_nothing(memory: str, response: str) -> None:
    assert used_share(memory, response) <= 0.1


def test_the_share_can_be_worked_out_by_hand() -> None:
    """Jellyfin 2, needs 1, 45 s 3, start 1, reboot 1; of these Jellyfin, 45 s and start are there: 6 of 8."""
    assert used_share(JELLYFIN, "Jellyfin starts in 45 s") == pytest.approx(6 / 8)
    assert shared_words(JELLYFIN, "Jellyfin starts in 45 s") == ("Jellyfin", "45 s", "start")


def test_the_memory_itself_is_used_whole() -> None:
    assert used_share(JELLYFIN, f"As I know: {JELLYFIN}.") == 1.0


def test_a_number_in_another_unit_is_another_number() -> None:
    assert "45 s" not in shared_words(JELLYFIN, "Jellyfin started 45 minutes ago")
    assert "45 s" in shared_words(JELLYFIN, "Jellyfin: 45")


def test_one_ordinary_word_in_common_is_chance_but_a_name_is_not() -> None:
    assert shared_words(JELLYFIN, "a reboot") == ()
    assert shared_words(JELLYFIN, "Jellyfin?") == ("Jellyfin",)
    assert used_share("coffee", "coffee it is") == 1.0


@each_row(("memory", "response"), [("", "x"), ("the of and", "the of and"), ("tea", ""), ("!?", "!?")])
def test_without_words_nothing_is_shared(memory: str, response: str) -> None:
    assert used_share(memory, response) == 0.0
    assert shared_words(memory, response) == ()


@settings(max_examples=150)
@given(st.text(), st.text())
def test_any_texts_are_answered(memory: str, response: str) -> None:
    assert 0.0 <= used_share(memory, response) <= 1.0
    assert used_share(memory, memory) in (0.0, 1.0)


@each_row("unit", ["a-", "1.", "1,", "9", "45 s ", "a'", "語", "x_", "\x00", "\ud800", "https://a.b/", "a1-", "मि_"])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: used_share(JELLYFIN, text), repeated(unit), 16_000)
    assert_linear(lambda text: used_share(text, JELLYFIN), repeated(unit), 10_000)


LOG = """Jellyfin was down. Restarted it.
[MEMORY:timing:jellyfin] Takes 60s to start after restart -- wait before checking health
All is well again."""


@each_row(
    ("text", "memory", "said"),
    [
        (LOG, "Takes 60s to start after restart -- wait before checking health", None),
        (LOG, "takes 60s to start\nafter restart", "Takes 60s to start after restart"),
        ("Thanks! By the way, I am vegan. See you.", "User is vegan", "By the way, I am vegan."),
        (
            "The web-01 host has 16 GB. It reboots at 3.",
            "Server web-01 has 16 GB of memory",
            "The web-01 host has 16 GB.",
        ),
        ("  Deploys are on Tuesday  \n\nLunch is at noon", "We deploy on Tuesdays", "Deploys are on Tuesday"),
        ("a+b (c) [d]?", "A+B (C) [d]?", "a+b (c) [d]?"),
    ],
)
def test_it_is_found_to_the_letter_or_by_its_sentence(text: str, memory: str, said: str | None) -> None:
    span = find_said(text, memory)
    assert span is not None
    assert text[slice(*span)] == (said or memory)


@each_row(("text", "memory"), [("", "x"), ("Lunch is at noon.", "Whales sing"), ("...", "Whales"), ("x", "")])
def test_what_is_not_said_is_not_found(text: str, memory: str) -> None:
    assert find_said(text, memory) is None


def test_long_texts_are_read_in_no_time() -> None:
    text = "The sea is wide. " * 20_000
    assert find_said(text, "Whales sing") is None

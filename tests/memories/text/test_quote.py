"""Where a text says what a memory says."""

from __future__ import annotations

from memories.text.quote import find_said
from tests.tables import each_row

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

"""What is hidden in a text is shown to whoever decides about it."""

from __future__ import annotations

import pytest

from memories.retrieve.injection_guard import INVISIBLE_CATEGORIES, INVISIBLE_LETTERS
from memsite.http.hidden_characters import HIDDEN_CATEGORIES, HIDDEN_LETTERS, show_hidden


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("Backups run at night\n\tÜber den Wolken", "Backups run at night\n\tÜber den Wolken"),
        ("safe\u202egnp.exe", "safe⟨U+202E⟩gnp.exe"),
        ("a\u2066b\u2069\u200bc\ufeff", "a⟨U+2066⟩b⟨U+2069⟩⟨U+200B⟩c⟨U+FEFF⟩"),
        ("a\U000e0001\U000e0041", "a⟨U+E0001⟩⟨U+E0041⟩"),
        ("a\u3164b\ufe0f", "a⟨U+3164⟩b⟨U+FE0F⟩"),
        ("\u200d\u0000\ufe0f", "⟨U+200D⟩⟨U+0000⟩⟨U+FE0F⟩"),
        ("\u2764\ufe0f \U0001f469\U0001f3fd\u200d\U0001f680", "\u2764\ufe0f \U0001f469\U0001f3fd\u200d\U0001f680"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f⟨U+FE0F⟩"),
    ],
)
def test_what_cannot_be_seen_is_named(text: str, wording: str) -> None:
    assert show_hidden(text) == wording


@pytest.mark.parametrize("value", [None, 0.5, ["a\u202e"]])
def test_what_is_no_text_stays(value: object) -> None:
    assert show_hidden(value) is value


def test_what_agents_are_not_told_is_what_people_are_shown() -> None:
    assert INVISIBLE_CATEGORIES < HIDDEN_CATEGORIES
    assert INVISIBLE_LETTERS.pattern == HIDDEN_LETTERS.pattern

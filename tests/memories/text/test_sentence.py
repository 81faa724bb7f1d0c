"""The sentence that a place in a text belongs to."""

from __future__ import annotations

import pytest

from memories.text.sentence import sentence_around
from tests.growth import assert_linear


def around(text: str, place: str, most: int = 500) -> str:
    start = text.index(place)
    return sentence_around(text, start, start + len(place), most)


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ("I moved. The dentist is on Friday at 3. Bring cake!", "on Friday", "The dentist is on Friday at 3."),
        ("Call Dr. Smith on Friday! Really?", "on Friday", "Call Dr. Smith on Friday!"),
        ("Ask J. Doe tomorrow, please. Thanks", "tomorrow", "Ask J. Doe tomorrow, please."),
        ("It is approx. one hour, and on Friday it ends", "on Friday", "It is approx. one hour, and on Friday it ends"),
        ("Viewing on Friday, Lindenstr. 12. Be early!", "on Friday", "Viewing on Friday, Lindenstr. 12."),
        (
            "Call me on Friday, ext. 40, or ca. 5 days later.",
            "on Friday",
            "Call me on Friday, ext. 40, or ca. 5 days later.",
        ),
        ("We met on Friday at work. 7 of us came.", "on Friday", "We met on Friday at work."),
        ("Hello\n\nOn Friday we fly\n\nBye", "On Friday", "On Friday we fly"),
        ("Plans:\n- rent due on Friday\n- Call mum", "on Friday", "rent due on Friday"),
        ("1. rent on Friday\n2. Call mum", "on Friday", "rent on Friday"),
        ("we fly home\non   Friday\tat noon", "on   Friday", "we fly home on Friday at noon"),
        ("会議です。明日は歯医者。はい", "明日", "明日は歯医者。"),
        ("यह सच है। 2030-05-03 को मिलते हैं। ठीक?", "2030-05-03", "2030-05-03 को मिलते हैं।"),
        ("He said “see you on Friday.” Then he left.", "on Friday", "He said “see you on Friday.”"),
        ("on Friday", "on Friday", "on Friday"),
    ],
)
def test_a_sentence_ends_where_a_reader_ends_it(text: str, place: str, sentence: str) -> None:
    assert around(text, place) == sentence


def test_a_long_sentence_is_cut_between_words_on_both_sides() -> None:
    found = around("first words " * 100 + "on Friday" + " last words" * 100, "on Friday", 100)
    assert len(found) <= 100
    assert "on Friday" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert set(found.strip("…").split()) == {"first", "words", "on", "Friday", "last"}


@pytest.mark.parametrize("text", ["on Friday" + " word" * 300, "word " * 300 + "on Friday"])
def test_what_one_side_does_not_need_the_other_may_have(text: str) -> None:
    assert 90 < len(around(text, "on Friday", 100)) <= 100


@pytest.mark.parametrize("most", [1, 2, 9, 10, 11, 12])
@pytest.mark.parametrize("padding", ["", "x" * 50, "x " * 50, "\n" * 50, "." * 50, "…" * 50])
def test_it_is_never_longer_than_allowed(most: int, padding: str) -> None:
    assert len(around(f"{padding}on Friday{padding}", "on Friday", most)) <= most


@pytest.mark.parametrize("padding", ["\0", "\ud800", "🦷", "א", " ", "\n", ". ", "-", "* "])
def test_any_text_gives_an_answer_in_linear_time(padding: str) -> None:
    def padded(times: int) -> str:
        return padding * times + " on Friday " + padding * times

    assert "Friday" in around(padded(300_000), "on Friday")
    assert_linear(lambda text: around(text, "on Friday"), padded, 300_000)

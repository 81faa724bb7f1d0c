"""The sentence that a place in a text belongs to."""

from __future__ import annotations

from memories.language.messages import sentence_around
from tests.growth import assert_linear
from tests.tables import each_row, each_row_of


def around(text: str, place: str, most: int = 500) -> str:
    start = text.index(place)
    return sentence_around(text, start, start + len(place), most)


@each_row_of("sentence")
def test_a_sentence_ends_where_a_reader_ends_it(text: str, place: str, sentence: str) -> None:
    assert around(text, place) == sentence


def test_the_dot_of_a_day_belongs_to_it() -> None:
    text = "Hallo. Ich fliege am 6. Juni nach Rom. Bis 12. März bin ich da. Es waren 6. Danke."
    assert around(text, "am 6. Juni") == "Ich fliege am 6. Juni nach Rom."
    assert around(text, "Bis 12. März") == "Bis 12. März bin ich da."
    assert around(text, "waren") == "Es waren 6."


def test_a_long_sentence_is_cut_between_words_on_both_sides() -> None:
    found = around("first words " * 100 + "on Friday" + " last words" * 100, "on Friday", 100)
    assert len(found) <= 100
    assert "on Friday" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert set(found.strip("…").split()) == {"first", "words", "on", "Friday", "last"}


@each_row("text", ["on Friday" + " word" * 300, "word " * 300 + "on Friday"])
def test_what_one_side_does_not_need_the_other_may_have(text: str) -> None:
    assert 90 < len(around(text, "on Friday", 100)) <= 100


@each_row("most", [1, 2, 9, 10, 11, 12])
@each_row("padding", ["", "x" * 50, "x " * 50, "\n" * 50, "." * 50, "…" * 50])
def test_it_is_never_longer_than_allowed(most: int, padding: str) -> None:
    assert len(around(f"{padding}on Friday{padding}", "on Friday", most)) <= most


@each_row("padding", ["\0", "\ud800", "🦷", "א", " ", "\n", ". ", "-", "* "])
def test_any_text_gives_an_answer_in_linear_time(padding: str) -> None:
    def padded(times: int) -> str:
        return padding * times + " on Friday " + padding * times

    assert "Friday" in around(padded(300_000), "on Friday")
    assert_linear(lambda text: around(text, "on Friday"), padded, 300_000)

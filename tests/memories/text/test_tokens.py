"""How long a text is for a model."""

from hypothesis import given
from hypothesis import strategies as st

from memories.text.tokens import beginning, estimate_tokens
from tests.tables import each_row

TOKENS = {"": 0, "a": 1, "abcd": 1, "abcde": 2, "äöüß": 1, "我住在柏林": 5, "用PostgreSQL": 4, "서울": 2, "🎉🎉": 1}


@each_row("text", TOKENS)
def test_four_characters_are_a_token_and_one_where_no_spaces_are(text: str) -> None:
    assert estimate_tokens(text) == TOKENS[text]


@given(st.text(st.sampled_from("ab 我서é"), max_size=40), st.integers(0, 30))
def test_a_beginning_is_as_long_as_it_may_be(text: str, tokens: int) -> None:
    found = beginning(text, tokens)
    assert text.startswith(found)
    assert estimate_tokens(found) <= tokens
    assert found == text or estimate_tokens(text[: len(found) + 1]) > tokens

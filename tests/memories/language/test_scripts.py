"""What to look up of a text whose words are not told apart by spaces."""

from hypothesis import given
from hypothesis import strategies as st

from memories.language.scripts import RANGES, WORD, beginning, estimate_tokens, is_unspaced, parts_of, spaced
from tests.tables import each_row

PARTS = {
    "我住在哪里": ["住在"],
    "我妹妹叫什么名字": ["妹妹", "妹叫", "名字"],
    "猫": ["猫"],
    "你们的": [],
    "お母さんの仕事は何ですか": ["母", "仕事"],
    "母のりんご": ["母", "りん", "んご"],
    "住んでいますか": ["住"],
    "コーヒーは好き": ["コーヒー", "好"],
    "ジョン・スミス": ["ジョン", "スミス"],
    "서울에": ["서울"],
    "남동생은": ["남동", "동생"],
    "의사입니다": ["의사"],
    "우리는": [],
    "กรุงเทพ": ["กรุง", "รุงเ", "งเท", "เทพ"],
    "postgresql存储": ["postgresql", "存储"],
    "deploys": ["deploys"],
    "straße": ["straße"],
}


@each_row("word", PARTS)
def test_what_is_looked_up_of_a_word(word: str) -> None:
    assert parts_of(word) == PARTS[word]


@each_row("text", ["दिल्ली", "กรุงเทพ", "i\u0307stanbul", "kāfé", "كِتَاب", "שָׁלוֹם"])
def test_vowel_signs_and_accents_of_their_own_do_not_end_a_word(text: str) -> None:
    assert WORD.findall(text) == [text]


def test_each_character_stands_by_itself() -> None:
    assert spaced("用PostgreSQL存储") == " 用 PostgreSQL 存  储 "


@each_row(("first", "last"), RANGES)
def test_both_ends_of_each_range_are_words(first: int, last: int) -> None:
    assert is_unspaced(chr(first))
    assert is_unspaced(chr(last))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_whatever_is_looked_up_stands_in_the_text(text: str) -> None:
    for word in WORD.findall(text):
        for part in parts_of(word):
            assert part
            assert part in word


def test_vowel_signs_are_part_of_a_word_and_a_full_stop_is_not() -> None:
    assert WORD.findall("मैं दिल्ली में रहता हूँ। ३ बजे।") == ["मैं", "दिल्ली", "में", "रहता", "हूँ", "३", "बजे"]


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

"""What to look up of a text whose words are not told apart by spaces."""

from hypothesis import given
from hypothesis import strategies as st

from memories.text.unspaced import RANGES, WORD, is_unspaced, parts_of, spaced
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

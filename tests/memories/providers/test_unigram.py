"""The same cuts as the library `tokenizers` makes, which takes too much memory for a vocabulary of many languages."""

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from memories.providers.embeddings.unigram import WORD_BEGINS, Unigram

UNKNOWN = 0
LETTERS = "abcé日 "
words = st.text(LETTERS.strip(), min_size=1, max_size=4)
# Sums of distinct powers never meet, so that no two cuts are equally likely.
pieces = st.lists(st.one_of(words, words.map(WORD_BEGINS.__add__)), unique=True, min_size=1, max_size=12).map(
    lambda texts: [("<unk>", 0.0), *((text, -1.0 - 2.0**-place) for place, text in enumerate(texts, 1))]
)


@given(pieces, st.text(LETTERS + "xy", max_size=30))
def test_words_are_cut_as_the_library_cuts_them(pieces: list[tuple[str, float]], text: str) -> None:
    text = " ".join(text.split())
    library = Tokenizer(models.Unigram(pieces, UNKNOWN, byte_fallback=False))
    library.pre_tokenizer = pre_tokenizers.Metaspace(WORD_BEGINS, prepend_scheme="always", split=True)
    ours = list(Unigram(pieces, UNKNOWN)(text))
    assert [number for number, _ in ours] == library.encode(text, add_special_tokens=False).ids
    assert "".join(piece for _, piece in ours) == "".join(WORD_BEGINS + word for word in text.split())


def test_the_likeliest_cut_is_taken_and_unknown_letters_are_one() -> None:
    cut = Unigram([("<unk>", 0.0), ("▁un", -2.0), ("▁u", -1.0), ("n", -1.5), ("done", -3.0), ("do", -1.0)], UNKNOWN)
    assert [piece for _, piece in cut("undone")] == ["▁un", "done"]
    assert list(cut("n??n")) == [(0, "▁"), (3, "n"), (0, "??"), (3, "n")]
    assert list(cut("")) == []

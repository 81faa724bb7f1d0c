"""Scripts and characters: writing without spaces between words, the tokens a text takes, surrogates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from memories.language.wordlists import words

Ranges = tuple[tuple[int, int], ...]
HAN = ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
HIRAGANA = ((0x3040, 0x309F),)
KATAKANA = ((0x30A0, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F))
HANGUL = ((0xAC00, 0xD7A3),)
SOUTHEAST = ((0x0E01, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
"""Thai, Lao, Burmese, Khmer."""
RANGES = tuple(sorted(HAN + HIRAGANA + KATAKANA + HANGUL + SOUTHEAST))


def _set_of(ranges: Ranges) -> str:
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


CHARACTERS = _set_of(RANGES)
"""Of a set in a pattern: Python's, or SQLite's `GLOB`. So are the others."""
WIDE = _set_of(HAN + HIRAGANA + KATAKANA)
"""A line may end behind any of them, and a sentence ends with a mark as wide as they are."""
WITHOUT_SPACES = WIDE + _set_of(SOUTHEAST)
"""All but Korean."""
MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0970-\u0df3\u0e01-\u0eff"
    "\u1000-\u109f\u1780-\u17ff"
)
"""What `\\w` leaves out of words: accents by themselves, vowel signs. Not the full stop of Hindi."""
WORD = re.compile(rf"[\w{MARKS}]+")

_UNSPACED = re.compile(f"[{CHARACTERS}]")
_RUN = re.compile(
    rf"(?P<han>[{_set_of(HAN)}]+)(?P<ending>[{_set_of(HIRAGANA)}]*)"
    rf"|(?P<hiragana>[{_set_of(HIRAGANA)}]+)"
    rf"|(?P<katakana>[{_set_of(KATAKANA)}]+)"
    rf"|(?P<hangul>[{_set_of(HANGUL)}]+)"
    rf"|(?P<southeast>[{_set_of(SOUTHEAST)}]+)"
    rf"|(?P<other>[^{CHARACTERS}]+)"
)
# Thai letters with the vowels and tones that are written to them.
_LETTER = re.compile(r"[^\W\d_][^\w]*|\d")
LETTERS_AT_ONCE = 3

# Of a question in Chinese or Japanese: these are in no other words, or in few.
_HAN_GRAMMAR = re.compile(
    "告诉|告訴|请问|請問|东西|東西|知道|记得|記得|时候|時候|可以|多少|"
    "[我你您妳他她它们們的了是吗嗎呢吧啊么麼什哪谁誰怎这這那私僕俺何]"
)
_HAN_ALONE = frozenset("在有和与與及或就都也很还還不没沒几幾多少为為请請会會能要想被把给給对對从從到一个個里裡上下中")
"""What says nothing by itself, nor two of them together."""
_PARTICLE = re.compile("[のはがをにでとへもや]")
_KANA_GRAMMAR = words("""
    です ます でした ました ません でしょう ですか ますか ましたか いる いた いて います いました いますか いない
    ある あった あります ありますか する した して します しました しますか される された なる なった から まで
    より ので のに けど だけ しか など こと もの ため よう そう どう とき ところ これ それ あれ どれ この その あの
    どの ここ そこ あそこ どこ だれ いつ なに なぜ いくつ いくら すか すね すよ しょう さん ちゃん くん さま たち
    または そして しかし でも ては では には とは への での にも たい たく ください って という
    """)
_HANGUL_ENDINGS = words("""
    입니다 입니까 습니다 습니까 합니다 합니까 했습니다 이에요 예요 인가요 나요 까요 에서는 에서 에게 한테 으로 까지 부터
    처럼 보다 이나 하고 이랑 은 는 이 가 을 를 에 의 와 과 도 로 만 랑 요
    """)
_HANGUL_ENDING = re.compile(f"(?:{'|'.join(sorted(_HANGUL_ENDINGS, key=len, reverse=True))})$")
_HANGUL_GRAMMAR = words("""
    나 내 저 제 너 네 우리 저희 그 이 저 것 무엇 뭐 누구 어디 언제 왜 어떻게 어떤 무슨 몇 있 없 하 되 수 그리고 그러나
    있나 있는 없는 하는 했나 있어 있습니다
    """)


def is_unspaced(text: str) -> bool:
    """Tell whether any character of it is a word to the index."""
    return _UNSPACED.search(text) is not None


def spaced(text: str) -> str:
    """With a space on both sides of each of these characters."""
    return text if text.isascii() else _UNSPACED.sub(r" \g<0> ", text)


def parts_in(text: str) -> list[str]:
    """Return what to look up of a text, each once.

    Its words, in small letters as both indexes of words have them, and each letter in one piece, however it was
    typed.
    """
    plain = unicodedata.normalize("NFC", text.lower())
    return list(dict.fromkeys(part for word in WORD.findall(plain) for part in parts_of(word)))


def parts_of(word: str) -> list[str]:
    """Return what to look up of a run of characters without a space; the word itself if it is of another script."""
    if not is_unspaced(word):
        return [word]
    return [part for run in _RUN.finditer(word) for part in _parts(run)]


def _parts(run: re.Match[str]) -> Iterator[str]:
    kind, text = run.lastgroup, run[0]
    if run["han"]:
        for piece in _HAN_GRAMMAR.split(run["han"]):
            yield from (pair for pair in _grams(piece, 2) if not _HAN_ALONE.issuperset(pair))
        # What follows it directly is its ending, up to a particle.
        yield from _of_hiragana(run["ending"], begins=False)
    elif kind == "hiragana":
        yield from _of_hiragana(text, begins=True)
    elif kind == "katakana":
        yield from (part for part in text.split("・") if len(part) > 1)
    elif kind == "hangul":
        stem = _HANGUL_ENDING.sub("", text) or text
        if text not in _HANGUL_GRAMMAR and stem not in _HANGUL_GRAMMAR:
            yield from _grams(stem, 2)
    elif kind == "southeast":
        yield from _grams(_LETTER.findall(text), LETTERS_AT_ONCE)
    else:
        yield text


def _of_hiragana(text: str, *, begins: bool) -> Iterator[str]:
    first, *others = _PARTICLE.split(text)
    for piece in [first, *others] if begins else others:
        if len(piece) > 1 and piece not in _KANA_GRAMMAR:
            yield from _grams(piece, 2)


def _grams(letters: str | list[str], size: int) -> Iterator[str]:
    """So many in a row each; all of them where there are no more."""
    if len(letters) <= size:
        yield from ["".join(letters)] if letters else []
    elif size == 2:
        yield from (item + other for item, other in pairwise(letters))
    else:
        yield from ("".join(letters[index : index + size]) for index in range(len(letters) - size + 1))


CHARACTERS_PER_TOKEN = 4
LEAST_CHARACTERS_PER_TOKEN = 3
MOST_TOKENS_OF_OTHERS = 2


def estimate_tokens(text: str) -> int:
    weight = len(text)
    if not text.isascii():
        weight += (CHARACTERS_PER_TOKEN - 1) * len(_UNSPACED.findall(text))
    return -(-weight // CHARACTERS_PER_TOKEN)


def beginning(text: str, tokens: int) -> str:
    """As much of it as that makes."""
    capacity = tokens * CHARACTERS_PER_TOKEN
    if text.isascii():
        return text[:capacity]
    for index, character in enumerate(text):
        capacity -= CHARACTERS_PER_TOKEN if is_unspaced(character) else 1
        if capacity < 0:
            return text[:index]
    return text


def most_tokens(text: str) -> int:
    """More than any usual tokeniser makes of it: three characters to a token, two tokens for one outside of ASCII."""
    others = len(text) - len(text.encode("ascii", "ignore"))
    return -(-(len(text) - others) // LEAST_CHARACTERS_PER_TOKEN) + MOST_TOKENS_OF_OTHERS * others


def without_surrogates(text: str) -> str:
    """`text` that can be encoded: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

"""Text that is written so that a filter does not know its words: packed, escaped, spelt, broken, in foreign letters."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from itertools import pairwise
from urllib.parse import unquote

from memories.language.injection_guard.orders import is_part, meanings
from memories.language.injection_guard.plain import fold, is_lookalike

Found = tuple[int, int, str]
"""Start, end and reason."""

_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-3][0-7]{2}))"
)
_QUOTED = re.compile(r"=([0-9A-F]{2})(?=[=A-Za-z0-9])")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_ENTITY = re.compile(r"&(?:#|[A-Za-z]{2,31};)")
_TAG = re.compile(r"<!--.{0,2000}?-->|</?[A-Za-z][^<>]{0,200}>", re.DOTALL)
_MARKUP = re.compile(r"(?<=[^\W\d_])(?:[*_~`^|]{1,4}|\\)(?=[^\W\d_])")
_BREAK = re.compile(r"(?<=[^\W\d_])(?:[-=\\]?[ \t]{0,8}\r?\n[ \t]{0,8}|[-=\\]\s{1,4})(?=[^\W\d_])")
_SPELT = re.compile(r"(?<![^\W_])[^\W_](?:[ \t]?[^\w\n][ \t]?[^\W_](?![^\W_])|_[^\W_](?![^\W_])){2,400}")
_BLOB = re.compile(
    r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-z0-9+/_-]{16,4000}={0,2}|(?:[0-9a-fA-F]{2} ?){10,2000})(?![A-Za-z0-9+/=_-])"
)
_WORD = re.compile(r"[\w@$!|+€£][\w@$!|+€£\-.*/]{1,30}[\w@$€£]")
_PARTS = str.maketrans("", "", "-.*_/|")
_LEET = str.maketrans("0134567892@$!|+€£", "oieasgtbgzasiitel")
_ELS = str.maketrans("1|!i", "llll")
_EYES = str.maketrans("l1|!", "iiii")
_ONE = re.compile(r"([1|!])")
_FRAMED = re.compile("(?:[\u249c-\u24e9\U0001f110-\U0001f189\U0001f1e6-\U0001f1ff\U0001d400-\U0001d7cb][ .]{0,2}){5}")
_LETTERS = re.compile(r"[^\W\d_]{4,}")
_LONGEST_WORD = 18
_ROUNDS = 3
MIN_SPELT = 8
MOST_WORDS = 200
SHORTEST_SPLIT = 5


def find_disguises(text: str) -> Iterator[Found]:
    """Yield where words are written so that no search finds them. `text` as it was written."""
    for run in _SPELT.finditer(text):
        if sum(char.isalpha() for char in run.group()) >= MIN_SPELT:
            yield run.start(), run.end(), "spells words in single letters"
    if text.isascii():
        return
    for framed in _FRAMED.finditer(text):
        yield framed.start(), framed.end(), "writes in framed or styled letters"
    for word in _LETTERS.finditer(text):
        inner = word.group()[1:-1]
        if not inner.isascii() and any(map(str.isascii, word.group())) and any(map(is_lookalike, inner)):
            yield word.start(), word.end(), "mixes letters of several scripts in a word"


def readings(text: str, plain: str, *, from_outside: bool = False) -> Iterator[str]:
    """Yield what else the text, which reads `plain`, may say to who looks past its form; usually nothing."""
    bare = _decoded(text)
    if bare != text:
        plain = fold(bare)
        yield plain
    if "<" in bare and (untagged := _TAG.sub("", bare)) != bare:
        plain = fold(untagged)
        yield plain
    for pattern, signs in ((_MARKUP, "*_~`^|\\"), (_BREAK, "\n=-")):
        if any(map(plain.__contains__, signs)) and pattern.search(plain):
            yield pattern.sub("", plain)
    spelt = _SPELT.sub(_joined, plain)
    if spelt != plain:
        yield spelt
    read = _WORD.sub(lambda match: true_form(match.group()), spelt)
    if read != spelt:
        yield read
    if from_outside:
        yield from _unpacked_or_turned(bare, plain)


def _unpacked_or_turned(text: str, plain: str) -> Iterator[str]:
    for blob in _BLOB.finditer(text):
        if unpacked := _unpacked(blob.group()):
            yield fold(unpacked)
    whole = plain
    for first, second in pairwise(plain.split()[:MOST_WORDS]):
        word = first + second
        if len(word) > SHORTEST_SPLIT and is_known(word) and not (is_known(first) and is_known(second)):
            whole = whole.replace(f"{first} {second}", word, 1)
    if whole != plain:
        yield whole
    unknown = [word for word in _WORD.findall(plain)[:MOST_WORDS] if len(word) > 4 and not is_known(word)]
    if sum(is_known(word[::-1]) for word in unknown) > 1:
        yield plain[::-1]
    if sum(is_known(codecs.encode(word, "rot13")) for word in unknown) > 1:
        yield codecs.encode(plain, "rot13")


def _decoded(text: str) -> str:
    """Without escapes and entities; what was escaped twice, too."""
    for _ in range(_ROUNDS):
        before = text
        if "\\" in text:
            text = _ESCAPE.sub(_unescaped, text)
        if "&" in text and _ENTITY.search(text):
            text = unescape(text)
        if "%" in text and _PERCENT.search(text):
            text = unquote(text, errors="ignore")
        if "=" in text and _QUOTED.search(text):
            text = _QUOTED.sub(lambda match: chr(int(match[1], 16)), text)
        if text == before:
            break
    return text


def _unescaped(match: re.Match[str]) -> str:
    digits = next(group for group in match.groups()[:4] if group) if not match[5] else ""
    code = int(digits, 16) if digits else int(match[5], 8)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match.group()


def _joined(match: re.Match[str]) -> str:
    """Return the letters of a spelt text, with a space between the words that are known."""
    letters = "".join(char for char in match.group() if char.isalnum())
    pieces, unknown, place = [], "", 0
    while place < len(letters):
        size = next((n for n in range(_LONGEST_WORD, 2, -1) if is_known(letters[place : place + n])), 0)
        if size:
            pieces += [unknown, letters[place : place + size]]
            unknown = ""
        else:
            unknown += letters[place]
        place += size or 1
    return " ".join(filter(None, [*pieces, unknown]))


def is_known(word: str) -> bool:
    return bool(meanings(word)) or is_part(word)


@lru_cache(maxsize=4_096)
def true_form(word: str) -> str:
    """Return the known word that is meant: of digits for letters, of parts, of l for i; as it is if none is."""
    if word.isdigit() or is_known(word):
        return word
    joined = word.translate(_PARTS)
    # The first 1 as an i, the others as l.
    before, character, behind = _ONE.split(joined, maxsplit=1) if _ONE.search(joined) else (joined, "", "")
    split = f"{before.translate(_LEET)}i{behind.translate(_ELS).translate(_LEET)}" if character else joined
    letters = [joined, joined.translate(_LEET)] if not joined.isdigit() else [joined]
    for each in letters[:1] if joined.isalpha() else letters:
        for form in (each, each.translate(_EYES), each.translate(_ELS), word.translate(_LEET), split):
            if len(form) > 2 and form != word and is_known(form):
                return form
    return word


def _unpacked(blob: str) -> str:
    bare = blob.replace(" ", "")
    try:
        if re.fullmatch(r"[0-9a-fA-F]+", bare) and len(bare) % 2 == 0:
            raw = bytes.fromhex(bare)
        else:
            raw = base64.b64decode(
                bare.rstrip("=") + "=" * (-len(bare.rstrip("=")) % 4),
                altchars=b"-_" if "-" in bare or "_" in bare else None,
            )
        text = raw.decode()
    except (ValueError, binascii.Error):
        return ""
    return text if text.isprintable() and " " in text else ""

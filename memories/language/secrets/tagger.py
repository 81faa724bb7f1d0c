"""Secrets that no name and no shape gives away: a learnt linear model over what stands around a value.

Candidates are taken by their form: figures, words with digits or symbols, letters spelled out, and, in a text with a
word that calls for one, plain words and phrases. Each is scored by hashed features of itself, the words around it and
its line. `tools/train_secret_tagger.py` learns the weights: data/tagger.bin, one signed byte a feature.
"""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from memories.language.secrets.values import (
    NAMES_NO_SECRET,
    NO_VALUES,
    TECHNICAL,
    Found,
    any_of,
    is_stand_in,
    without_marks,
    words,
)

WEIGHTS = Path(__file__).parent / "data" / "tagger.bin"
N_WEIGHTS = 1 << 19
STEPS_PER_UNIT = 40
"""Of the logit, in a weight of 1."""
BIAS = -3.0
THRESHOLDS = {"odd": 2.0, "joined": 2.5, "digits": 2.5, "groups": 1.5, "spelled": 2.0, "word": 0.75, "phrase": 1.0}
"""Logits that keep look-alikes of authors left out at about 1 %."""

HOPELESS = {"odd": -130, "digits": -130, "groups": -40, "spelled": -60, "joined": -115, "word": -370, "phrase": -325}
"""Of the weights of a value and the words of its text: with less, nothing around made a secret of any tried."""
HOPELESS_TEXT = {"word": -165, "phrase": -110}
"""Of the weights of the words of a text, whatever plain word or phrase is looked at."""

SENSES = (
    "password", "word", "opens", "personal", "code", "key", "login", "enter", "ask", "door", "net", "device", "kept",
    "counted", "refers",
)  # fmt: skip
"""What words around a value speak of: lists in data/words.tsv. A word of several has the first."""
CALLING = frozenset({"password", "word", "opens", "personal"})
"""They call for a plain word or a phrase, as a word for typing does."""
OF_NO_SECRET = frozenset({"", "counted", "refers"})
DOUBT_UNCUED, DOUBT_HINTED = 2.5, 1.0
"""Added for an odd word as of code, in a text without a word that calls for a secret: hosts, versions, classes."""

MAX_VALUE_CHARS, MAX_PHRASE_CHARS, MAX_PHRASE_WORDS, MAX_LEADS = 32, 200, 24, 5
MAX_KEY_CHARS = 64
"""Of a value where words around call for a secret, or whose first part says whose it is: "live_…"."""
ROUTER_KEY_DIGITS = 20
WORDS_BEFORE, WORDS_AFTER, BLOCK_WORDS, LINE_CHARS = 10, 7, 30, 300
SENSES_BEFORE, SENSES_AFTER, BEGINNING_CHARS = 18, 14, 4
"""Words whose sense counts; an entry of so many letters may be the beginning of a word."""
CALL_CHARS = 100
"""So near a word or phrase has to be to what calls for it."""
MAX_CANDIDATES = 2_000
"""Of a text, which take a fifth of a second; texts with more are tables."""

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_MARK = r"\[redacted: [a-z ]+\]"
_RUN = re.compile(rf"{_MARK}|[^\s{_CJK};|,<>]+")
_ASCII_RUN = re.compile(rf"{_MARK}|(?<![^\s;|,<>])(?![\"'(]*[A-Za-z]?[a-z]*[.:!?)\"'*]*(?:[\s;|,<>]|\Z))[^\s;|,<>]+")
"""The same in ASCII, but for plain words."""
_OPENS, _CLOSES = "\"'“”«»„‘’‚()[]{}:.!?…*`~–—-→=/•", "\"'“”«»„‘’‚()[]{}:.?…*`~–—-→/\\"
_MAY_BE_ODD = re.compile(
    r"[^\W\d_]\d|\d[^\W\d_]|[!@#$%^&*+=?_~](?=\w)|\w[@#$%^&*+=_~]|[^\W\d_][-./&–]\w|\d[-./&–][^\W\d_]|[a-zß-ÿа-яё][A-ZÀ-ÞА-ЯЁ]"
)
"""In a text that has no word which calls for a secret: figures alone are none there."""
_EDGES = _OPENS + _CLOSES + ",;"
_PLAIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_EDGE = rf"(?<![^\W{_CJK}])"
_END = rf"(?![^\W{_CJK}])"
_FIGURES = re.compile(
    rf"(?=\d){_EDGE}(?<![$€£+.,:/#@-])\d{{1,4}}(?:(?:[ ・-]| [-–] | then )\d{{1,4}}){{1,7}}(?![%€$£@]|[.,:/-]\w){_END}"
)
_BLOCKS = re.compile(
    rf"(?=[A-Z0-9]{{4}}|[a-z0-9]{{4,6}}-){_EDGE}(?<!-)"
    r"(?:(?:[A-Z0-9]{4,6}[ -]){1,7}[A-Z0-9]{4,6}|(?:[a-z0-9]{4,6}-){1,7}[a-z0-9]{4,6})"
    rf"(?!-){_END}"
)
_SPELLED = re.compile(rf"{_EDGE}(?:[^\W_{_CJK}](?: ?[-–] ?|[、,] ?| )){{4,24}}[^\W_{_CJK}]{_END}")
_DICTATED = re.compile(
    r"(?<!\w)[^\W_][^\s,.:;–\"“”«»]{0,14}(?: [^\s,.:;–\"“”«»]{1,14}){0,3}"
    r"(?:, [^\s,.:;–\"“”«»]{1,16}(?: [^\s,.:;–\"“”«»]{1,14}){0,2}(?=[\"”»]?\s*(?:[,.:;–\"”»]|$))){2,16}"
)
_ASSIGNED = re.compile(r"[^\W\d][\w.-]{0,30}(?:[\"']?[=:][\"']?|[=:])(?=.)")
_LINKED = re.compile(
    r"\w+://|[\w.+-]+@[\w-]+\.\w|[\w.-]+\.(?:com|org|net|io|example|test|local)\b|[~.]{0,2}/\w|[\w.-]+/\S*/|\w+\(|"
    r"[^(){}<>\[\]]*[(){}<>\[\]]|--|\$|#!"
)
_NO_SECRET = re.compile(
    rf"{TECHNICAL}|(?:sha\d{{1,3}}|md5):\S+|[0-9a-f]{{7,}}|[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f-]*|i[0-9a-f]{{40}}|0x[0-9a-f]+|uuidv\d|\d{{1,2}}-[a-z]+"
    r"|\d{1,2}er-[^\W\d_]+|[a-z]:\\.*|\\\\.*|(?:password|secret|token)_\w+"
    r"|(?:[a-z]+[-_]){1,3}(?:credentials?|secrets?|passwords?|tokens?|keys?)(?:[-_]\w+)?"
    r"|\d+(?:[.,]\d+)?(?:x\d+(?:[.,]\d+)?){1,2}(?:mm|cm|m|ft|in|px)?|[a-z]+['’]s"
)
"""Names of algorithms and versions, digests, ids, "6-digit", paths of Windows, what secrets are stored under, sizes
("2x3m"), and whose something is ("Mina's")."""
_OF_FIGURES = ("digits", "groups")
_NUMBERED = re.compile(
    r"\b(?:gate|room|rack|bay|aisle|slot|dock|platform|pier|hall|building|floor|unit|shelf|section|block|row|seat|port|"
    r"line|track|locker|apartment|apt|flat|lot|pitch|stand|table|lane|court|berth|cabinet|shaft|zone|chapter|exercise) "
    r"(?:no\.? |number )?$",
    re.IGNORECASE,
)
"""Before a figure, it tells which of them: "Gate 10-12 is closed". A code of it is called one."""
NUMBERED_CHARACTERS = 24
_OPTION = re.compile(r"[`\"'(]*--[a-z]+(?:-[a-z]+)+[`\"'),.;:]*$")
"""One of a command, without its value: "--legacy-peer-deps"."""
_SHORT_CODE = re.compile(r"[a-z]{0,2}\d{3,6}[a-z]{0,2}[#*]?|\d{1,3}[a-z]\d{1,4}")
"""What doors have; elsewhere it is a size, a model or a version."""
MIN_HEX_CHARS = 20
_ACTOR = re.compile(r"(?:operator|agent|user):[\w.-]+")
"""Who did something, as rows of this server name it; an operator by the public part of a key."""
_CODE_LIKE = re.compile(r"[\w./:-]+")
_CODE = re.compile(r"[(){}=<>`#/\\\[\]]|\.\w+\b.*\.\w+\b")
_SYMBOLS = frozenset("!@#$%^&*+=?_~")
_CLAUSE = re.compile(r"[:;,.!?–—|()\"«»„“”「」『』：，。！？；、（）\n→>=/<]| - | ['’]|['’] ")
_INSIDE = re.compile(rf"(?<=[{_CJK}])[A-Za-z]{{6,40}}(?![\w.-])|(?<![\w.-])[A-Za-z]{{6,40}}(?=[{_CJK}])", re.ASCII)
_INSIDE_CJK = re.compile(rf"(?<=[是为叫填输用はに])[{_CJK}]{{2,12}}?(?=って|です|と|で|就|了|[。，、」』]|$)")
_WORD = re.compile(rf"[^\W\d_{_CJK}]+(?:['’][^\W\d_{_CJK}]+)?|[{_CJK}]|\0+|\d+(?:[.,:/-]\d+)*|\n|[^\w\s]")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\0+|\d+(?:[.,:/-]\d+)*|\n|[^\w\s]", re.ASCII)
_GOES_ON = re.compile(r" (?:and|und|et|y|e|en|i|и|ve|then|dann|puis|luego|poi) ")
_ANY_CJK = re.compile(f"[{_CJK}]")
_SAID = re.compile(r"\S+")
_WORDED = re.compile(r"[^\d\s]+(?:\s+[^\d\s]+)+(?:\s+\d{1,4})?")
"""Words, and a number behind them at most."""
_NUMBER = re.compile(r"\d{3}|\d\W\d")
_TEXTED = re.compile(r"(?<![\w.,+/-])\d{3} \d{3}(?!\w|[ .,/-]\d)")
"""As codes are sent."""
_JOINTS = re.compile(r"\w(?: ?[-–、] ?\w){4}")
_HEX = re.compile(r"[0-9A-Fa-f]{16,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_SPEAKER = re.compile(r"[ \t>]*[\[<(*@]{0,3}[\w+: @.-]{1,20}?[\]>)*:：]{1,3}")
_NO_WORD_BEFORE, _NO_WORD_AFTER = re.compile(r"\W*\Z"), re.compile(r"\W*")

_BARE = {
    code: bare
    for code in (*range(0xC0, 0x250), 0x131, 0x142)
    if (bare := {0x131: "i", 0x142: "l", 0xF8: "o"}.get(code) or unicodedata.normalize("NFD", chr(code))[0]).isascii()
}
"""Latin letters without their accents, which people in a hurry leave out."""
_ACCENTED = re.compile(f"[{''.join(map(chr, _BARE))}]")


def _without_accent(match: re.Match[str]) -> str:
    return _BARE[ord(match[0])]


_KINDS_OF_CHARS = str.maketrans(
    string.ascii_uppercase + string.ascii_lowercase + string.digits, "A" * 26 + "a" * 26 + "9" * 10
)
_REPEATED = re.compile(r"(.)\1+", re.DOTALL)


class Candidate(NamedTuple):
    start: int
    end: int
    form: str


@cache
def _spoken() -> re.Pattern[str]:
    digit = any_of("digit")
    tens = r"[a-zß]{1,6}und[a-zß]{4,7}|[a-z]{4,8}(?:-|ty|enta|anta|inta|ante|teen)[a-z]{0,8}"
    return re.compile(
        rf"(?<![^\W_])(?:(?:{digit}|double|{tens})(?:[ -]| and | und | et | y | e )){{1,9}}(?:{digit}|{tens})(?![^\W_])"
    )


@cache
def _digits() -> frozenset[str]:
    return frozenset(any_of("digit").split("|"))


@cache
def _lead() -> re.Pattern[str]:
    """Return a pattern for a word that a word or phrase may follow in its clause."""
    return re.compile(rf"(?<![^\W_])(?:{any_of('phrase_lead')})[ \t]+")


@cache
def _weights() -> memoryview:
    return memoryview(WEIGHTS.read_bytes()).cast("b")


@cache
def _senses() -> dict[str, str]:
    """Return words and beginnings of words, and what they speak of in whatever language: a door, typing, an order."""
    return {word: sense for sense in reversed(SENSES) for word in words("sense", sense)}


@cache
def _senses_cjk() -> tuple[tuple[str, str], ...]:
    """Return what stands anywhere in a text that has no spaces, and its sense."""
    written = ((word, sense) for word, sense in _senses().items() if word[0] >= "\u2e80")
    return (*((word, "cue") for word in words("cue", "cjk")), *written)


@lru_cache(maxsize=4_096)
def sense_of(word: str) -> str:
    """Return "" for a word that speaks of none of these."""
    senses = _senses()
    ends = range(len(word), BEGINNING_CHARS - 1, -1) if len(word) > BEGINNING_CHARS else ()
    return next((senses[word[:end]] for end in ends if word[:end] in senses), senses.get(word, ""))


@lru_cache(maxsize=4_096)
def _sense_as_written(word: str) -> str:
    """Of a word with its accents and the marks beside it; "cue" for another that calls for a plain word or a phrase."""
    sense = sense_of(word.strip(_EDGES).translate(_BARE))
    return sense if sense in CALLING or word.lstrip(_OPENS)[:5] not in _cues() else "cue"


def places_of(features: Iterable[str]) -> set[int]:
    """Return where the weights of features stand."""
    hashed = map(crc32, "\x1f".join(features).encode("utf-8", "surrogatepass").split(b"\x1f"))
    return {one & (N_WEIGHTS - 1) for one in hashed}


def find_learnt(text: str, folded: str, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what the model takes for a secret beside what was `found`, which is in order.

    A name of one word has nothing around it to judge by: an id such as `lDV9BXHFqnY1XkhcSOi6uFuktbJ5` is none.
    """
    if text.isascii() and len(text.split()) < 2:
        return
    reading = Reading(text, folded)
    if not reading.candidates or _ACTOR.fullmatch(text):
        return
    ends = [item.end for item in found]
    weights = _weights()
    for start, end, form in reading.candidates:
        place = bisect_right(ends, start)
        if place < len(found) and found[place].start < end:
            continue
        if form in _OF_FIGURES and _NUMBERED.search(text, max(0, start - NUMBERED_CHARACTERS), start):
            continue
        threshold = THRESHOLDS[form]
        if form == "odd" and not reading.is_cued and _CODE_LIKE.fullmatch(text, start, end):
            threshold += DOUBT_HINTED if reading.is_hinted else DOUBT_UNCUED
        if reading.score(Candidate(start, end, form), weights) >= (threshold - BIAS) * STEPS_PER_UNIT:
            yield Found(start, end, "pin" if form in _OF_FIGURES else "password")


def _form(value: str, *, is_hinted: bool = False) -> str:
    """Of a bare run of characters, "" for no candidate."""
    if _PLAIN.fullmatch(value):
        has_hump = (
            len(value) > 5 and not value.isupper() and any(a.islower() and b.isupper() for a, b in pairwise(value))
        )
        return "odd" if has_hump else ""
    if value.rstrip("#*").isdigit():
        return "digits" if 3 <= len(value) <= 10 or (is_hinted and len(value) == ROUTER_KEY_DIGITS) else ""
    most = MAX_KEY_CHARS if is_hinted or "_" in value else MAX_VALUE_CHARS
    if not 4 <= len(value) <= most or not any(char.isalpha() for char in value):
        return ""
    if any(char.isdigit() or char in _SYMBOLS for char in value) or value.count("-") > 1:
        return "odd"
    if len(value) < 6 or "'" in value or "’" in value:
        return ""
    return "joined" if "-" in value else "odd" if any(char in "./&–" for char in value) else ""


def _calls_for_words(senses: set[str]) -> bool:
    return "cue" in senses or "enter" in senses or not senses.isdisjoint(CALLING)


class Reading:
    """A text with its candidates and the words around them, in which each odd value and mark is one word."""

    def __init__(self, text: str, folded: str) -> None:
        self.text, self.folded = text, folded
        self._masked: list[tuple[int, int]] = []
        said = without_marks(folded).replace(";", " ").replace("|", " ").split()
        senses = set(map(_sense_as_written, set(said)))
        self._is_cjk = not text.isascii() and _ANY_CJK.search(text) is not None
        if self._is_cjk:
            senses.update(sense for word, sense in _senses_cjk() if word in folded)
        self.is_cued = _calls_for_words(senses)
        self.is_hinted = not senses <= OF_NO_SECRET
        self._may_be_short = not senses.isdisjoint({"code", "door"})
        self._may_be_hex = not senses.isdisjoint({"key", "password"})
        found = []
        if (self.is_hinted and _NUMBER.search(text)) or _MAY_BE_ODD.search(text):
            self._is_bare_code = not self.is_hinted and _CODE.search(text) is not None
            found = self._odd()
        if len(_DIGITS.findall(text)) > 1 and (self.is_hinted or _TEXTED.search(text)):
            found = self._grouped(found)
        found += self._spelled(said)
        if self.is_cued:
            found += self._phrases()
        self.candidates = list(dict.fromkeys(found))[:MAX_CANDIDATES]
        self._bags: dict[int, list[bytes]] = {}
        self._scores: dict[tuple[str, int], int] = {}
        self.words: list[str] = []

    def _odd(self) -> list[Candidate]:
        text, found = self.text, []
        for match in (_ASCII_RUN if text.isascii() else _RUN).finditer(text):
            run, start = match.group(), match.start()
            if (run.isalpha() and run[1:].islower()) or ("--" in run[:3] and _OPTION.match(run)):
                continue
            if run.startswith("[redacted: "):
                self._masked.append(match.span())
                continue
            value = run.lstrip(_OPENS)
            start += len(run) - len(value)
            value = value.rstrip(_CLOSES)
            if not (form := _form(value.rstrip("!"), is_hinted=self.is_hinted)):
                continue
            value = value if form == "odd" else value.rstrip("!")
            end = start + len(value)
            if form == "joined" and not self.is_cued:
                continue
            is_dialled = text[start - 1 : start] in ("*", "#") and value[0].isdigit()
            is_unlikely = not self.is_hinted and (form != "odd" or self._is_bare_code)
            if (
                (is_unlikely and _CODE_LIKE.fullmatch(value))
                or text.endswith("base64,", 0, start)
                or (not is_dialled and self._is_no_secret(value.lower(), form))
            ):
                form = ""
            elif named := _ASSIGNED.match(value):
                start, form = self._behind_name(start, value, named, form)
            if form:
                found.append(Candidate(start, end, form))
            if form != "joined":
                self._masked.append((start, end))
        return found

    def _behind_name(self, start: int, value: str, named: re.Match[str], form: str) -> tuple[int, str]:
        """Return where the value behind a name and "=" or ":" begins, and its form, "" for no secret."""
        bare = value[named.end() :]
        form_of_bare = _form(bare, is_hinted=self.is_hinted)
        if _LINKED.match(bare) or (form_of_bare and self._is_no_secret(bare.lower(), form_of_bare)):
            return start, ""
        if not form_of_bare:
            return start, form
        return start + named.end(), "" if NAMES_NO_SECRET.match(named[0].lower()) else form_of_bare

    def _is_no_secret(self, plain: str, form: str) -> bool:
        if plain in NO_VALUES or _LINKED.match(plain) or is_stand_in(plain):
            return True
        if form != "odd" or (self._may_be_short and _SHORT_CODE.fullmatch(plain)):
            return False
        if self._may_be_hex and len(plain) >= MIN_HEX_CHARS and _HEX.fullmatch(plain):
            return False
        return _NO_SECRET.fullmatch(plain) is not None

    def _spelled(self, said: Sequence[str]) -> list[Candidate]:
        """Letters one by one, also with what they are said to be, and figures in words."""
        text, spans = self.text, []
        short = [word for word in said if len(word) < 3]
        if sum(len(word) == 1 for word in short) > 3 or (sum(map(text.count, "-–、")) > 3 and _JOINTS.search(text)):
            spans += [match.span() for match in _SPELLED.finditer(text)]
        if sum(word[-1] == "," for word in short) > 2 or (self.folded.count(",") > 2 and _names_symbols(said)):
            spans += [match.span() for match in _DICTATED.finditer(text)]
        if self.is_hinted and len(_digits().intersection(said)) > 1:
            spans += [match.span() for match in _spoken().finditer(self.folded)]
        self._masked += spans
        return [Candidate(*span, "spelled") for span in spans]

    def _grouped(self, found: list[Candidate]) -> list[Candidate]:
        spans = [match.span() for match in _FIGURES.finditer(self.text) if sum(map(str.isdigit, match.group())) > 2]
        starts = [start for start, _ in spans]
        places = [bisect_right(starts, one.start) - 1 for one in found]
        found = [one for one, place in zip(found, places, strict=True) if place < 0 or spans[place][1] < one.end]
        blocks = [match.span() for match in _BLOCKS.finditer(self.text) if any(map(str.isdigit, match.group()))]
        blocks = [span for span in blocks if any(map(str.isalpha, self.text[slice(*span)]))]
        self._masked += spans + blocks
        return found + [Candidate(*span, "groups") for span in spans] + [Candidate(*span, "odd") for span in blocks]

    def _phrases(self) -> list[Candidate]:
        """Clauses, what follows a leading word in one, and last words; letters inside Chinese and Japanese."""
        found, place, calls = [], 0, self._calls()
        for match in (*_CLAUSE.finditer(self.text), None):
            end = match.start() if match else len(self.text)
            if end - place > 2 and bisect_left(calls, place - CALL_CHARS) < bisect_right(calls, end + CALL_CHARS):
                starts = [place, *(lead.end() for lead in _lead().finditer(self.folded, place, end))][: MAX_LEADS + 1]
                last = max(self.text.rfind(" ", place, end), place)
                found += [one for start in (*starts, last) for one in self._phrase(start, end)]
                found += [one for start in starts[1:] if start < last for one in self._phrase(start, last)]
                if joint := _GOES_ON.search(self.folded, place, end):
                    found += [
                        one for start in starts if start < joint.start() for one in self._phrase(start, joint.start())
                    ]
                ends = ((start, self.text.find(" ", start, end)) for start in (*starts[1:], last))
                found += [one for start, stop in ends if stop > 0 for one in self._phrase(start, stop)]
            place = match.end() if match else end
        if not self._is_cjk:
            return found
        inside = (*_INSIDE.finditer(self.text), *_INSIDE_CJK.finditer(self.text))
        return found + [Candidate(*match.span(), "word") for match in inside]

    def _calls(self) -> list[int]:
        """Return where the words are that call for a plain word or a phrase."""
        said = _SAID.finditer(without_marks(self.folded))
        calling = CALLING | {"cue", "enter"}
        places = [one.start() for one in said if _sense_as_written(one[0]) in calling]
        if self._is_cjk:
            words_of = [word for word, sense in _senses_cjk() if sense in calling and word in self.folded]
            places += [one.start() for word in words_of for one in re.finditer(re.escape(word), self.folded)]
        return sorted(places)

    def _phrase(self, start: int, end: int) -> Iterator[Candidate]:
        bare = self.text[start:end].strip(" \t\r*_`'’")
        start = self.text.index(bare, start)
        n_words = len(bare.split())
        if not 2 < len(bare) <= MAX_PHRASE_CHARS or n_words > MAX_PHRASE_WORDS or "redacted" in bare:
            return
        if n_words > 1 and _WORDED.fullmatch(bare):
            yield Candidate(start, start + len(bare), "phrase")
        elif n_words == 1 and _PLAIN.fullmatch(bare):
            yield Candidate(start, start + len(bare), "word")

    def _read(self) -> None:
        chars = list(self.folded)
        for start, end in self._masked:
            chars[start:end] = "\0" * (end - start)
        self.masked, pattern = "".join(chars), _ASCII_WORD
        if not self.text.isascii():
            self.masked, pattern = _ACCENTED.sub(_without_accent, self.masked), _WORD
        matches = [*pattern.finditer(self.masked)]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        self.words = ["¤" if (word := match[0])[0] == "\0" else "0" if word[0].isdigit() else word for match in matches]
        self.senses = [
            self._sense_in_cjk(i) if "\u2e80" <= word[0] <= "\uffef" else sense_of(word)
            for i, word in enumerate(self.words)
        ]
        self.n_lines = self.words.count("\n")
        self.n_values = self.words.count("¤")

    def score(self, candidate: Candidate, weights: memoryview) -> int:
        """Return the sum of its features' weights; those of the words of the text are added once for each sort."""
        start, end, form = candidate
        if not self.words:
            self._read()
        block = bisect_right(self.ends, start) // BLOCK_WORDS
        if form in HOPELESS_TEXT and (total := self._bag_score("+", block, weights)) < HOPELESS_TEXT[form]:
            return total
        name, features = _of_value(self.text[start:end], form)
        total = sum(map(weights.__getitem__, places_of(features)))
        if form == "odd" and total < HOPELESS[form]:
            return total
        total += sum(self._bag_score(kind, block, weights) for kind in _kinds(name))
        if total < HOPELESS[form]:
            return total
        return total + sum(map(weights.__getitem__, places_of(self._of_place(start, end, name))))

    def _bag_score(self, kind: str, block: int, weights: memoryview) -> int:
        if (kind, block) not in self._scores:
            lead = crc32(kind.encode())
            hashed = {crc32(one, lead) & (N_WEIGHTS - 1) for one in self._bag(block)}
            self._scores[kind, block] = sum(map(weights.__getitem__, hashed))
        return self._scores[kind, block]

    def features(self, candidate: Candidate) -> list[str]:
        start, end, form = candidate
        name, features = _of_value(self.text[start:end], form)
        if not self.words:
            self._read()
        block = bisect_right(self.ends, start) // BLOCK_WORDS
        bag = [one.decode("utf-8", "surrogatepass") for one in self._bag(block)]
        bags = [kind + one for kind in _kinds(name) for one in bag]
        return [*features, *self._of_place(start, end, name), *bags]

    def _bag(self, block: int) -> list[bytes]:
        """Return features of the words of the block of the text where it stands and those beside, in no order."""
        if block not in self._bags:
            bag = set(self.words[max(0, block - 1) * BLOCK_WORDS : (block + 2) * BLOCK_WORDS])
            bag = {word for word in bag if len(word) > 1 and word.isalpha()}
            features = [f"B{word[:5]}" for word in bag] + [f"b{word[-6:]}" for word in bag if len(word) > 8]
            self._bags[block] = [one.encode("utf-8", "surrogatepass") for one in features]
        return self._bags[block]

    def _of_place(self, start: int, end: int, name: str) -> list[str]:
        """Return the features of what is around a value."""
        features: list[str] = []
        before, after = bisect_right(self.ends, start), bisect_left(self.starts, end)
        left = self.words[max(0, before - WORDS_BEFORE) : before][::-1]
        right = self.words[after : after + WORDS_AFTER]
        kinds = _kinds(name)
        for kind in kinds:
            features += _of_words(kind, left, right)
        if len(left) > 2:
            features.append(f"{name}4{left[2]} {left[1]} {left[0]}")
        features.append(f"{name}5{left[:1]} {right[:1]}")
        features.append(f"{name}6{shape(self.text[start:end])} {left[:1]}")
        features += self._of_senses(kinds[-1], name, before, after)
        opening = _NO_WORD_BEFORE.search(self.masked[max(0, start - 3) : start])[0]  # type: ignore[index]
        closing = _NO_WORD_AFTER.match(self.masked[end : end + 3])[0]  # type: ignore[index]
        features += [f"{name}<{opening}", f"{name}>{closing}", f"{name}<>{opening}{closing}"]
        return features + self._of_line(name, start, end)

    def _of_senses(self, kind: str, name: str, before: int, after: int) -> Iterator[str]:
        """Yield what the words around it speak of, and how near the nearest of each sense is."""
        left = self._senses_in(range(before - 1, max(-1, before - SENSES_BEFORE - 1), -1))
        right = self._senses_in(range(after, min(len(self.words), after + SENSES_AFTER)))
        for side, found in (("[", left), ("]", right)):
            for sense, distance in found.items():
                near = 0 if distance < 2 else 1 if distance < 4 else 2 if distance < 8 else 3
                yield from (f"{sort}{side}{sense}{near}" for sort in {kind, name})
                yield f"{name}{side}{sense}"
        around = sorted(left.keys() | right.keys())
        yield f"{name}[]{','.join(around)}"
        for i, sense in enumerate(around):
            yield from (f"{sort}[]{sense}&{other}" for other in around[i + 1 :] for sort in {kind, name})

    def _senses_in(self, places: range) -> dict[str, int]:
        """Return how many words away each sense is first met."""
        found: dict[str, int] = {}
        for distance, place in enumerate(places):
            if sense := self.senses[place]:
                found.setdefault(sense, distance)
        return found

    def _sense_in_cjk(self, place: int) -> str:
        written = "".join(self.words[place : place + 4])
        return next((sense for end in (4, 3, 2, 1) if (sense := _senses().get(written[:end], ""))), "")

    def _of_line(self, name: str, start: int, end: int) -> list[str]:
        text, nearest = self.text, max(0, start - LINE_CHARS)
        begin, stop = text.rfind("\n", nearest, start) + 1 or nearest, text.find("\n", end, end + LINE_CHARS)
        stop = stop if stop >= 0 else min(len(text), end + LINE_CHARS)
        line, is_first, is_last = text[begin:stop], start == begin, stop - end <= 1
        features = [
            f"{name}l{is_first}{is_last}{begin > 0}{stop < len(text)}",
            f"{name}v{min(self.n_lines, 3)}{min(self.n_values, 5)}",
            f"{name}t{min(len(text) // 40, 5)}",
            f"{name}q{line.rstrip()[-1:]}",
        ]
        if speaker := _SPEAKER.match(line):
            n_words = min(len(line[speaker.end() :].split()), 5)
            features += [f"{name}s{start - begin - speaker.end() < 3}{is_last}", f"{name}S{begin > 0}{n_words}"]
        if begin:
            previous = text[text.rfind("\n", max(0, begin - LINE_CHARS), begin - 1) + 1 : begin - 1][-LINE_CHARS:]
            features += [f"{name}p{previous[-1:]}", f"{name}P{'?' in previous or '？' in previous}"]
            features += self._of_column(name, line, previous, start - begin)
        return features

    def _of_column(self, name: str, line: str, previous: str, place: int) -> list[str]:
        """Return what the first line of a table says of a cell."""
        for separator in "|;\t,":
            if line.count(separator) > 1 and separator in previous:
                column = line[:place].count(separator)
                heads = self.folded[:LINE_CHARS].translate(_BARE).partition("\n")[0].split(separator)
                head = heads[column].strip()[:12] if column < len(heads) else ""
                sense = next(filter(None, map(sense_of, head.split())), "") or sense_of(head)
                return [f"{name}H{head}", f"*H{head}", f"*h{head[:4]}", f"*Hs{sense}", f"{name}T{separator}{column}"]
        return []


def _names_symbols(said: Sequence[str]) -> bool:
    """Return whether words are said as letters are dictated: "capital", "underscore"."""
    return not words("symbol_name").isdisjoint(word.strip(_EDGES)[:7] for word in said)


@cache
def _cues() -> frozenset[str]:
    """Return beginnings of words that call for a plain word or a phrase."""
    return words("cue", "-")


def _kinds(name: str) -> tuple[str, ...]:
    """Return the sorts of values whose features a value of this name has."""
    return ("+",) if name in ("word", "phrase") else (name, "*")


def shape(value: str) -> str:
    """Return "Aa9.a" for "Oak12.tree": runs of capitals, small letters and digits, each as one."""
    value = value[:64]
    if value.isascii():
        kinds = value.translate(_KINDS_OF_CHARS)
    else:
        kinds = "".join(
            "9" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else char for char in value
        )
    return _REPEATED.sub(r"\1", kinds)[:16]


def _of_value(value: str, form: str) -> tuple[str, list[str]]:
    """Return the name of its sort, with which other features are crossed, and what it looks like."""
    n_chars, n_digits = len(value), sum(map(str.isdigit, value))
    name, looks = form, shape(value)
    if form == "odd":
        name = "hyphened" if value.count("-") > 1 and value.islower() else "mixed" if n_digits else "symbol"
    symbols = "".join(sorted({char for char in value if not char.isalnum()}))
    features = [name, f"{name}x{looks}", f"{name}n{min(n_chars, 20)}", f"{name}d{min(n_digits, 9)}"]
    features += [f"{name}dn{min(n_digits, 9)}-{n_chars // 2}", f"{name}y{symbols}"]
    features += [f"{name}x1{looks[:4]}", f"{name}x2{looks[-4:]}", f"{name}x3{looks[:6]}"]
    if form == "odd":
        parts = [len(part) for part in _LETTERS.findall(value)]
        features.append(f"oP{','.join(str(min(part, 6)) for part in parts[:4])}")
        features.append(f"oX{max(parts, default=0)}")
        features.append(f"oV{min(n_digits, 5)},{min(max(parts, default=0), 7)},{len(parts)}")
        features.append(f"oU{sum(map(str.isupper, value))}{sum(map(str.islower, value)) // 3}")
        features.append(f"oN{min(n_chars // 8, 6)}{_HEX.fullmatch(value) is not None}")
        if digits := _DIGITS.search(value):
            features.append(f"oD{digits.end() - digits.start()}{digits.start() == 0}{digits.end() == n_chars}")
    elif form in ("word", "phrase"):
        said = value.lower().split()
        features += [f"{form}#{len(said)}", f"{form}C{value[0].isupper()}{value[-1].isupper()}"]
        features += [f"{form}W{word}" for word in said[:8]]
        features += [f"{form}F{said[0]}", f"{form}Z{said[-1]}", f"{form}A{value[-3:].lower()}"]
    elif form == "digits":
        features += [f"dY{value[:2] if n_chars == 4 else n_chars}", f"d0{value.endswith('00')}{value[0] == '0'}"]
    return name, features


def _of_words(kind: str, left: list[str], right: list[str]) -> Iterator[str]:
    for side, some in (("L", left[:8]), ("R", right[:6])):
        for i, word in enumerate(some):
            yield f"{kind}{side}{i if i < 2 else 2 if i < 4 else 4}{word}"
            if len(word) > 4:
                yield f"{kind}{side}.{word[:4]}"
            if len(word) > 7:
                yield f"{kind}{side}:{word[-5:]}"
    for i in range(1, len(left)):
        yield f"{kind}2{'.' if i < 3 else ''}{left[i]} {left[i - 1]}"
    for i in range(len(right) - 1):
        yield f"{kind}3{right[i]} {right[i + 1]}"

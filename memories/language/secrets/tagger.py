"""Secrets that no name and no shape gives away: a learnt linear model over what stands around a value.

Candidates are taken by their form: figures, words with digits or symbols, letters spelled out, and, in a text with a
word that calls for one, plain words and phrases. Each is scored by hashed features of itself, the words around it and
its line. `tools/train_secret_tagger.py` learns the weights: data/tagger.bin, one signed byte a feature.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from memories.language.secrets.values import MARK_RE, NO_VALUES, TECHNICAL, Found, any_of, is_stand_in, words

WEIGHTS = Path(__file__).parent / "data" / "tagger.bin"
N_WEIGHTS = 1 << 19
STEPS_PER_UNIT = 40
"""Of the logit, in a weight of 1."""
BIAS = -3.0
THRESHOLDS = {"odd": 1.75, "joined": 2.75, "digits": 2.5, "groups": 1.5, "spelled": 2.0, "word": 1.5, "phrase": 1.25}
"""Logits that keep look-alikes of authors left out at about 1 %."""

SENSES = (
    "password", "code", "key", "login", "enter", "ask", "door", "net", "device", "kept", "counted", "refers",
)  # fmt: skip
"""What words around a value speak of: lists in data/words.tsv."""
HINTS = frozenset({"password", "code", "key", "login", "ask", "door", "net"})
"""Beside a word for typing, they call for a secret, too."""
DOUBT_UNCUED = 2.5
"""Added for an odd word as of code, in a text without a word that calls for a secret: hosts, versions, classes."""

MAX_VALUE_CHARS, MAX_PHRASE_CHARS, MAX_PHRASE_WORDS, MAX_LEADS = 32, 200, 24, 5
MAX_KEY_CHARS = 44
"""Of one whose first part says whose it is: "live_…"."""
WORDS_BEFORE, WORDS_AFTER, BLOCK_WORDS, LINE_CHARS = 10, 7, 30, 300
SENSES_BEFORE, SENSES_AFTER, BEGINNING_CHARS = 18, 14, 4
"""Words whose sense counts; an entry of so many letters may be the beginning of a word."""
MAX_CANDIDATES = 2_000
"""Of a text, which take a fifth of a second; texts with more are tables."""

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_MARK = r"\[redacted: [a-z ]+\]"
_RUN = re.compile(rf"{_MARK}|[^\s{_CJK};|,<>]+")
_OPENS, _CLOSES = "\"'“”«»„‘’‚()[]{}:.!?…*`~–—-→=/•", "\"'“”«»„‘’‚()[]{}:.?…*`~–—-→/\\"
_EDGES = _OPENS + _CLOSES + ",;"
_PLAIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_EDGE = rf"(?<![^\W{_CJK}])"
_END = rf"(?![^\W{_CJK}])"
_FIGURES = re.compile(
    rf"{_EDGE}(?<![$€£+.,:/#@-])\d{{1,4}}(?:(?:[ -]| [-–] | then )\d{{1,4}}){{1,7}}(?![%€$£@]|[.,:/-]\w){_END}"
)
_BLOCKS = re.compile(
    rf"{_EDGE}(?<!-)(?:(?:[A-Z0-9]{{4,6}}[ -]){{1,7}}[A-Z0-9]{{4,6}}|(?:[a-z0-9]{{4,6}}-){{1,7}}[a-z0-9]{{4,6}})"
    rf"(?!-){_END}"
)
_SPELLED = re.compile(rf"{_EDGE}(?:[^\W_{_CJK}](?: ?[-–] ?|[、,] ?| )){{4,24}}[^\W_{_CJK}]{_END}")
_ASSIGNED = re.compile(r"[^\W\d][\w.-]{0,30}[=:](?=.)")
_LINKED = re.compile(
    r"\w+://|[\w.+-]+@[\w-]+\.\w|[\w.-]+\.(?:com|org|net|io|example|test|local)\b|[~.]{0,2}/\w|[\w.-]+/\S*/|\w+\(|"
    r"[^(){}<>\[\]]*[(){}<>\[\]]|--|\$|#!"
)
_NO_SECRET = re.compile(rf"{TECHNICAL}|[0-9a-f]{{7,}}|[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f-]*")
"""Names of algorithms and versions, digests, and ids."""
_IDENTIFIER = re.compile(r"[A-Za-z]+(?:[._][A-Za-z]+)*|[A-Za-z]+\d?(?:[.][A-Za-z]+\d?)+")
"""A name of code or a file: "maxRetries", "client_cursor", "settings.json", "sqlite3.DatabaseError"."""
_ACTOR = re.compile(r"(?:operator|agent|user):[\w.-]+")
"""Who did something, as rows of this server name it; an operator by the public part of a key."""
_CODE_LIKE = re.compile(r"[\w./:-]+")
_SYMBOLS = frozenset("!@#$%^&*+=?_~")
_CLAUSE = re.compile(r"[:;,.!?–—|()\"«»„“”「」『』：，。！？；、（）\n→>=/<]| - | ['’]|['’] ")
_INSIDE = re.compile(rf"(?<=[{_CJK}])[A-Za-z]{{6,40}}(?![\w.-])|(?<![\w.-])[A-Za-z]{{6,40}}(?=[{_CJK}])", re.ASCII)
_INSIDE_CJK = re.compile(rf"(?<=[是为叫填输用はに])[{_CJK}]{{2,12}}?(?=って|です|と|で|就|了|[。，、」』]|$)")
_WORD = re.compile(rf"\0+|[{_CJK}]|[^\W\d_{_CJK}]+(?:['’][^\W\d_{_CJK}]+)?|\d+(?:[.,:/-]\d+)*|\n|[^\w\s]")
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
    return {word: sense for sense in SENSES for word in words("sense", sense)}


@lru_cache(maxsize=16_384)
def sense_of(word: str) -> str:
    """Return "" for a word that speaks of none of these."""
    senses = _senses()
    ends = range(len(word), BEGINNING_CHARS - 1, -1) if len(word) > BEGINNING_CHARS else ()
    return next((senses[word[:end]] for end in ends if word[:end] in senses), senses.get(word, ""))


def place_of(feature: str) -> int:
    """Return where the weight of a feature stands."""
    return crc32(feature.encode("utf-8", "surrogatepass")) % N_WEIGHTS


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
        is_doubtful = form == "odd" and not reading.is_cued and _CODE_LIKE.fullmatch(text, start, end)
        threshold = THRESHOLDS[form] + (DOUBT_UNCUED if is_doubtful else 0)
        if reading.score(Candidate(start, end, form), weights) >= (threshold - BIAS) * STEPS_PER_UNIT:
            yield Found(start, end, "pin" if form in ("digits", "groups") else "password")


def _form(value: str) -> str:
    """Of a bare run of characters, "" for no candidate."""
    if _PLAIN.fullmatch(value):
        has_hump = (
            len(value) > 5 and not value.isupper() and any(a.islower() and b.isupper() for a, b in pairwise(value))
        )
        return "odd" if has_hump else ""
    if value.rstrip("#*").isdigit():
        return "digits" if 3 <= len(value) <= 10 else ""
    most = MAX_KEY_CHARS if "_" in value else MAX_VALUE_CHARS
    if not 4 <= len(value) <= most or not any(char.isalpha() for char in value):
        return ""
    if any(char.isdigit() or char in _SYMBOLS for char in value) or value.count("-") > 1:
        return "odd"
    if len(value) < 6 or "'" in value or "’" in value:
        return ""
    return "joined" if "-" in value else "odd" if any(char in "./&–" for char in value) else ""


def _may_be_odd(run: str) -> bool:
    if run.isalpha() and (run.islower() or run.istitle()):
        return False
    bare = run.strip(_OPENS)
    return _PLAIN.fullmatch(bare) is None or not (bare[1:].islower() or bare.isupper())


class Reading:
    """A text with its candidates and the words around them, in which each odd value and mark is one word."""

    def __init__(self, text: str, folded: str) -> None:
        self.text, self.folded = text, folded
        self._masked: list[tuple[int, int]] = []
        said = (MARK_RE.sub(" ", folded) if "[redacted: " in folded else folded).split()
        starts = {word.lstrip(_OPENS)[:5] for word in said}
        is_cued = not starts.isdisjoint(cues()[0]) or (not text.isascii() and any(cue in folded for cue in cues()[1]))
        is_cued = is_cued or self._is_hinted(said)
        self.is_cued = is_cued
        found = self._odd(is_cued=is_cued) if is_cued or any(map(_may_be_odd, text.split())) else []
        found += self._spelled(said)
        if is_cued:
            found += self._phrases()
        self.candidates = list(dict.fromkeys(found))[:MAX_CANDIDATES]
        self._bags: dict[int, list[str]] = {}
        self._scores: dict[tuple[str, int], int] = {}
        if self.candidates:
            self._read()

    def _is_hinted(self, said: Sequence[str]) -> bool:
        senses = {sense_of(word.strip(_EDGES).translate(_BARE)) for word in said}
        if not self.text.isascii():
            senses |= {sense for word, sense in _senses().items() if word[0] >= "\u2e80" and word in self.folded}
        return "password" in senses or ("enter" in senses and not senses.isdisjoint(HINTS))

    def _odd(self, *, is_cued: bool) -> list[Candidate]:
        text, found = self.text, []
        for match in _RUN.finditer(text):
            run, start = match.group(), match.start()
            if run.isalpha() and run.islower():
                continue
            if run.startswith("[redacted: "):
                self._masked.append(match.span())
                continue
            value = run.lstrip(_OPENS)
            start += len(run) - len(value)
            value = value.rstrip(_CLOSES)
            if not (form := _form(value.rstrip("!"))):
                continue
            value = value if form == "odd" else value.rstrip("!")
            end = start + len(value)
            if form == "joined" and not is_cued:
                continue
            if form != "joined":
                self._masked.append((start, end))
            is_dialled = text[start - 1 : start] in ("*", "#") and value[0].isdigit()
            is_of_code = (not is_cued and _IDENTIFIER.fullmatch(value)) or text.endswith("base64,", 0, start)
            if is_of_code or (not is_dialled and self._is_no_secret(value.lower(), form)):
                continue
            found.append(Candidate(start, end, form))
            assigned = _ASSIGNED.match(value)
            bare = value[assigned.end() :] if assigned else ""
            if assigned and (form := _form(bare)) and not self._is_no_secret(bare.lower(), form):
                found.append(Candidate(start + assigned.end(), end, form))
        if len(_DIGITS.findall(text)) > 1:
            found = self._grouped(found)
        return found

    @staticmethod
    def _is_no_secret(plain: str, form: str) -> bool:
        if plain in NO_VALUES or _LINKED.match(plain) or is_stand_in(plain):
            return True
        return form == "odd" and _NO_SECRET.fullmatch(plain) is not None

    def _spelled(self, said: Sequence[str]) -> list[Candidate]:
        """Letters one by one, and figures in words."""
        text, spans = self.text, []
        if sum(len(word) == 1 for word in said) > 3 or any(text.count(joint) > 3 for joint in "-、–"):
            spans += [match.span() for match in _SPELLED.finditer(text)]
        if len(_digits().intersection(said)) > 1:
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
        found, place = [], 0
        for match in (*_CLAUSE.finditer(self.text), None):
            end = match.start() if match else len(self.text)
            if end - place > 2:
                starts = [place, *(lead.end() for lead in _lead().finditer(self.folded, place, end))][: MAX_LEADS + 1]
                starts.append(max(self.text.rfind(" ", place, end), place))
                found += [one for start in starts for one in self._phrase(start, end)]
                ends = ((start, self.text.find(" ", start, end)) for start in starts[1:])
                found += [one for start, stop in ends if stop > 0 for one in self._phrase(start, stop)]
            place = match.end() if match else end
        if self.text.isascii():
            return found
        inside = (*_INSIDE.finditer(self.text), *_INSIDE_CJK.finditer(self.text))
        return found + [Candidate(*match.span(), "word") for match in inside]

    def _phrase(self, start: int, end: int) -> Iterator[Candidate]:
        bare = self.text[start:end].strip(" \t\r*_`'’")
        start = self.text.index(bare, start)
        n_words = len(bare.split())
        if not 2 < len(bare) <= MAX_PHRASE_CHARS or n_words > MAX_PHRASE_WORDS or "redacted" in bare:
            return
        if n_words > 1 and not any(map(str.isdigit, bare)):
            yield Candidate(start, start + len(bare), "phrase")
        elif n_words == 1 and _PLAIN.fullmatch(bare):
            yield Candidate(start, start + len(bare), "word")

    def _read(self) -> None:
        chars = list(self.folded)
        for start, end in self._masked:
            chars[start:end] = "\0" * (end - start)
        self.masked = "".join(chars).translate(_BARE)
        self.starts, self.ends, self.words = [], [], []
        for match in _WORD.finditer(self.masked):
            word = match.group()
            self.starts.append(match.start())
            self.ends.append(match.end())
            self.words.append("¤" if word[0] == "\0" else "0" if word[0].isdigit() else word)
        self.n_lines = self.words.count("\n")
        self.n_values = self.words.count("¤")

    def score(self, candidate: Candidate, weights: memoryview) -> int:
        """Return the sum of its features' weights; those of the words of the text are added once for each sort."""
        kinds, features, block = self._of_candidate(*candidate)
        total = sum(map(weights.__getitem__, set(map(place_of, features))))
        for kind in kinds:
            if (kind, block) not in self._scores:
                hashed = set(map(place_of, self._of_bag(kind, block)))
                self._scores[kind, block] = sum(map(weights.__getitem__, hashed))
            total += self._scores[kind, block]
        return total

    def features(self, candidate: Candidate) -> list[str]:
        kinds, features, block = self._of_candidate(*candidate)
        return features + [one for kind in kinds for one in self._of_bag(kind, block)]

    def _of_bag(self, kind: str, block: int) -> list[str]:
        """Of the words of the block of the text where it stands and those beside, whatever their order."""
        if block not in self._bags:
            bag = set(self.words[max(0, block - 1) * BLOCK_WORDS : (block + 2) * BLOCK_WORDS])
            bag = {word for word in bag if len(word) > 1 and word.isalpha()}
            self._bags[block] = [f"B{word[:5]}" for word in bag] + [f"b{word[-6:]}" for word in bag if len(word) > 8]
        return [kind + one for one in self._bags[block]]

    def _of_candidate(self, start: int, end: int, form: str) -> tuple[tuple[str, ...], list[str], int]:
        """Its sorts, its own features, and the block of words where it stands."""
        value = self.text[start:end]
        name, features = _of_value(value, form)
        before, after = bisect_right(self.ends, start), bisect_left(self.starts, end)
        left = self.words[max(0, before - WORDS_BEFORE) : before][::-1]
        right = self.words[after : after + WORDS_AFTER]
        kinds = ("+",) if form in ("word", "phrase") else (name, "*")
        for kind in kinds:
            features += _of_words(kind, left, right)
        if len(left) > 2:
            features.append(f"{name}4{left[2]} {left[1]} {left[0]}")
        features.append(f"{name}5{left[:1]} {right[:1]}")
        features.append(f"{name}6{shape(value)} {left[:1]}")
        features += self._of_senses(kinds[-1], name, before, after)
        opening = _NO_WORD_BEFORE.search(self.masked[max(0, start - 3) : start])[0]  # type: ignore[index]
        closing = _NO_WORD_AFTER.match(self.masked[end : end + 3])[0]  # type: ignore[index]
        features += [f"{name}<{opening}", f"{name}>{closing}", f"{name}<>{opening}{closing}"]
        return kinds, features + self._of_line(name, start, end), before // BLOCK_WORDS

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
            if sense := self._sense_at(place):
                found.setdefault(sense, distance)
        return found

    def _sense_at(self, place: int) -> str:
        word = self.words[place]
        if "\u2e80" <= word[0] <= "\uffef":
            written = "".join(self.words[place : place + 4])
            return next((sense for end in (4, 3, 2, 1) if (sense := _senses().get(written[:end], ""))), "")
        return sense_of(word)

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


@cache
def cues() -> tuple[frozenset[str], tuple[str, ...]]:
    """Beginnings of words that call for a plain word or a phrase; and what is in such texts in Chinese and Japanese."""
    return words("cue", "-"), tuple(words("cue", "cjk"))


def shape(value: str) -> str:
    """Return "Aa9.a" for "Oak12.tree": runs of capitals, small letters and digits, each as one."""
    kinds = [
        "9" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else char for char in value[:64]
    ]
    return "".join(kind for i, kind in enumerate(kinds) if not i or kind != kinds[i - 1])[:16]


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

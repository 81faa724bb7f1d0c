"""Read a statement for the model: its content words with signs and weights, and its phrases."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from . import cues, measures
from .lookup import OPPOSITE_SIDES, SYNONYM_GROUPS, Sides, Span, classes_of, spans
from .negation import Scope, is_negation, is_no_denial
from .reading import MAX_CHARS
from .stems import stem
from .tokens import Token, tokenize

LIGHT_WEIGHT = 0.4
SUBJECT_WEIGHT = 0.2

_CALENDAR = (
    frozenset(measures.WEEKDAYS) - {"weekend", "weekends"} | frozenset(measures.MONTHS) - measures.MONTHS_THAT_ARE_WORDS
)
_PAST = re.compile(r"\b(half|quarter) (past|to) (\w+)( in the (?:afternoon|evening)| at night| ?pm\b)?", re.IGNORECASE)
_NOT_BEFORE = re.compile(r"\b(?:never|not)\b((?: [\w-]+){0,5}) before (?=\d|noon|midnight)", re.IGNORECASE)
_PLAINER = {
    "at lunchtime": re.compile(r"\b(at|over) lunch\b", re.IGNORECASE),
    "before": re.compile(r"\bearlier than\b", re.IGNORECASE),
    "sometimes": re.compile(r"\b(every )?now and then\b|\bfrom time to time\b|\bonce in a while\b", re.IGNORECASE),
}


@dataclass(frozen=True)
class Word:
    """A content word. `sign` is -1 where the statement denies it; `groups` are its synonym groups.

    `classes` are those of which it is one value.
    """

    text: str
    stem: str
    at: int
    weight: float
    sign: int
    is_name: bool
    groups: frozenset[int]
    classes: frozenset[str]


@dataclass(frozen=True)
class Phrase:
    """A stretch of tokens that the list of opposites knows, and the sign it is said with."""

    text: str
    start: int
    end: int
    sides: Sides
    sign: int


@dataclass(frozen=True)
class Outline:
    """One statement as the model sees it, `written` out. `groups` are the synonym groups by token.

    `turns` are where negations are, `negators` the places of "not" and its kin, even of those that another word takes
    back. It meets many others: what it says of itself is found out once.
    """

    written: str
    tokens: tuple[str, ...]
    words: tuple[Word, ...]
    phrases: tuple[Phrase, ...]
    groups: tuple[frozenset[int], ...]
    turns: tuple[int, ...]
    negators: tuple[int, ...]

    @cached_property
    def is_empty(self) -> bool:
        """Tell whether there is neither a content word nor a number."""
        return not self.words and not any(token[0].isdigit() for token in self.tokens)

    @cached_property
    def is_changed(self) -> bool:
        """Tell whether it says that something has become otherwise; "is removed after a week" does not."""
        return any(
            word in cues.CHANGE
            and not (word in cues.PARTICIPLES and self.tokens[max(at - 1, 0)] in cues.PRESENT)
            and not is_no_denial(self.tokens, at)
            for at, word in enumerate(self.tokens)
        )

    @cached_property
    def is_weakly_changed(self) -> bool:
        return not cues.WEAK_CHANGE.isdisjoint(self.tokens)

    @cached_property
    def tells_an_end(self) -> bool:
        """Tell whether something is over "after" a time or when "older" than it."""
        return not cues.END.isdisjoint(self.tokens)

    @cached_property
    def is_exclusive(self) -> bool:
        return not cues.EXCLUSIVE.isdisjoint(self.tokens)

    @cached_property
    def is_universal(self) -> bool:
        return not cues.UNIVERSAL.isdisjoint(self.tokens)


def write_out(text: str) -> str:
    """Return the text with "half past six" written as a clock time, cut to a length that costs little."""
    written = _PAST.sub(_clock_time, text[:MAX_CHARS])
    for word, phrase in _PLAINER.items():
        written = phrase.sub(word, written)
    return _NOT_BEFORE.sub(r"\1 after ", written)


def _clock_time(match: re.Match[str]) -> str:
    word = match[3].lower()
    hour = int(word) if word.isdecimal() and len(word) <= 2 else measures.NUMBER_WORDS.get(word, 24)
    if not 0 < hour < 24:
        return match[0]
    minutes = 30 if match[1].lower() == "half" else 15
    if match[4] and hour < 12:
        hour += 12
    moment = int(hour) * 60 + (minutes if match[2].lower() == "past" else -minutes)
    return f"{moment // 60:02}:{moment % 60:02}"


@lru_cache(maxsize=4_096)
def outline(text: str, subject: str) -> Outline:
    """Read one statement; the subject's name weighs little."""
    written = write_out(text)
    tokens = tokenize(written)
    texts = tuple(token.text for token in tokens)
    stems = tuple(stem(word) for word in texts)
    scope = Scope(texts)
    known = spans(stems)
    groups = _groups(known, len(stems))
    about = frozenset(stem(token.text) for token in tokenize(subject[:MAX_CHARS]))
    words = tuple(
        Word(
            token.text,
            stems[at],
            at,
            _weight(token.text, stems[at] in about),
            scope.signs[at],
            token.is_name,
            groups[at],
            classes_of(token.text),
        )
        for at, token in enumerate(tokens)
        if _is_content(token) and not (token.text in measures.UNITS and at and texts[at - 1][0].isdigit())
    )
    negators = tuple(at for at, word in enumerate(texts) if word in cues.DENIALS)
    return Outline(written, texts, words, tuple(_phrases(known, texts, scope)), groups, tuple(scope.turns), negators)


def _is_content(token: Token) -> bool:
    word = token.text
    if word in cues.STOP or word in cues.NEGATORS or word in cues.QUANTITY_WORDS or word in _CALENDAR:
        return False
    return (word[0].isalnum() and not word[0].isdigit()) or word[0] == "/"


def _weight(word: str, is_subject: bool) -> float:
    if is_subject:
        return SUBJECT_WEIGHT
    if word in cues.NEGATIVE_VERBS:
        return SUBJECT_WEIGHT  # what it says is said by its sign
    return LIGHT_WEIGHT if word in cues.LIGHT else 1.0


def _groups(known: list[Span], size: int) -> tuple[frozenset[int], ...]:
    """Return for every token the synonym groups of the entries that cover it."""
    found: list[frozenset[int]] = [frozenset()] * size
    for start, end, key in known:
        numbers = SYNONYM_GROUPS.get(key)
        if numbers:
            found[start:end] = [group | numbers for group in found[start:end]]
    return tuple(found)


def _phrases(known: list[Span], tokens: tuple[str, ...], scope: Scope) -> list[Phrase]:
    """Return the phrases of the list of opposites, longest first; what a longer one covers is left out."""
    found: list[Phrase] = []
    taken: set[int] = set()
    for start, end, key in sorted(known, key=lambda span: span[0] - span[1]):
        sides = OPPOSITE_SIDES.get(key)
        if sides and taken.isdisjoint(range(start, end)) and not _is_dead(tokens, start, end):
            taken.update(range(start, end))
            found.append(Phrase(" ".join(tokens[start:end]), start, end, sides, scope.signs[start]))
    return found


def _is_dead(tokens: tuple[str, ...], start: int, end: int) -> bool:
    """Tell whether the phrase is a negator that denies nothing: "never anything but"."""
    return end - start == 1 and tokens[start] in cues.NEGATORS and not is_negation(tokens, start)

"""Statements as the model compares them: content words with signs and weights, laid side by side."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from memories.language.relate import grammar
from memories.language.relate.grammar import stem
from memories.language.relate.lexicon import (
    OPPOSITE_SIDES,
    SYNONYM_GROUPS,
    Sides,
    Span,
    classes_of,
    spans,
    tokenize,
)
from memories.language.relate.parsing import MAX_CHARS, Scope, Statement, is_negation, is_no_denial

LIGHT_WEIGHT = 0.4
SUBJECT_WEIGHT = 0.2

_NO_CONTENT = (
    grammar.STOP
    | grammar.NEGATORS
    | grammar.QUANTITY_WORDS
    | (grammar.WEEKDAYS.keys() - {"weekend", "weekends"})
    | (grammar.MONTHS.keys() - grammar.MONTHS_THAT_ARE_WORDS)
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
    place: int
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
            word in grammar.CHANGE
            and not (word in grammar.PARTICIPLES and self.tokens[max(place - 1, 0)] in grammar.PRESENT)
            and not is_no_denial(self.tokens, place)
            for place, word in enumerate(self.tokens)
        )

    @cached_property
    def is_exclusive(self) -> bool:
        return not grammar.EXCLUSIVE.isdisjoint(self.tokens)

    @cached_property
    def is_universal(self) -> bool:
        return not grammar.UNIVERSAL.isdisjoint(self.tokens)


def write_out(text: str) -> str:
    """Return the text with "half past six" written as a clock time, cut to a length that costs little."""
    written = _PAST.sub(_clock_time, text[:MAX_CHARS])
    for word, phrase in _PLAINER.items():
        written = phrase.sub(word, written)
    return _NOT_BEFORE.sub(r"\1 after ", written)


def _clock_time(match: re.Match[str]) -> str:
    word = match[3].lower()
    hour = int(word) if word.isdecimal() and len(word) <= 2 else grammar.NUMBER_WORDS.get(word, 24)
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
    named: list[frozenset[int]] = [frozenset()] * len(stems)
    for start, end, key in known:
        numbers = SYNONYM_GROUPS.get(key)
        if numbers:
            named[start:end] = [group | numbers for group in named[start:end]]
    groups = tuple(named)
    about = frozenset(stem(token.text) for token in tokenize(subject[:MAX_CHARS]))
    words = []
    for place, (word, is_name) in enumerate((token.text, token.is_name) for token in tokens):
        is_unit = word in grammar.UNITS and place and texts[place - 1][0].isdigit()
        if word in _NO_CONTENT or is_unit or not (word[0] == "/" or (word[0].isalnum() and not word[0].isdigit())):
            continue
        # What a negative verb says is said by its sign.
        weight = SUBJECT_WEIGHT if stems[place] in about or word in grammar.NEGATIVE_VERBS else 1.0
        weight = LIGHT_WEIGHT if weight == 1.0 and word in grammar.LIGHT else weight
        words.append(
            Word(word, stems[place], place, weight, scope.signs[place], is_name, groups[place], classes_of(word))
        )
    negators = tuple(place for place, word in enumerate(texts) if word in grammar.DENIALS)
    phrases = tuple(_phrases(known, texts, scope))
    return Outline(written, texts, tuple(words), phrases, groups, tuple(scope.turns), negators)


def _phrases(known: list[Span], tokens: tuple[str, ...], scope: Scope) -> list[Phrase]:
    """Return the phrases of the list of opposites, longest first; what a longer one covers is left out."""
    phrases: list[Phrase] = []
    taken: set[int] = set()
    for start, end, key in sorted(known, key=lambda span: span[0] - span[1]):
        sides = OPPOSITE_SIDES.get(key)
        if (
            sides
            and taken.isdisjoint(range(start, end))
            and not (end - start == 1 and tokens[start] in grammar.NEGATORS and not is_negation(tokens, start))
        ):
            taken.update(range(start, end))
            phrases.append(Phrase(" ".join(tokens[start:end]), start, end, sides, scope.signs[start]))
    return phrases


EXACT = 1.0
SYNONYM = 0.9
COVERED = 0.6
"""From here on a word counts as matched."""

LONE_WEIGHT = 0.3
"""What weighs more is missed on the other side; the subject's name weighs less."""

Words = tuple[Word, ...]
Best = list[tuple[float, int]]
"""Per content word: how well it is matched (0-1), and by which word of the other side."""


@dataclass(frozen=True)
class Alignment:
    """The content words of both, and how the other side matches them."""

    existing: Words
    new: Words

    @cached_property
    def best_existing(self) -> Best:
        return _best(self.existing, self.new)

    @cached_property
    def best_new(self) -> Best:
        return _best(self.new, self.existing)

    @cached_property
    def lone_existing(self) -> Words:
        """Return the telling words that only the existing statement has."""
        return _lone(self.existing, self.best_existing)

    @cached_property
    def lone_new(self) -> Words:
        return _lone(self.new, self.best_new)


def match(left: Word, right: Word) -> float:
    """Return how far two words mean the same: by stem, or by a group of synonyms."""
    if left.stem == right.stem:
        return EXACT
    return SYNONYM if left.groups & right.groups else 0.0


def _best(words: Words, others: Words) -> Best:
    """Return the first of the others that has its stem, or else one of its synonym groups."""
    by_stem: dict[str, int] = {}
    by_group: dict[int, int] = {}
    for place, other in enumerate(others):
        by_stem.setdefault(other.stem, place)
        for group in other.groups:
            by_group.setdefault(group, place)
    best: Best = []
    for word in words:
        if word.stem in by_stem:
            best.append((EXACT, by_stem[word.stem]))
        else:
            places = [by_group[group] for group in word.groups if group in by_group]
            best.append((SYNONYM, min(places)) if places else (0.0, 0))
    return best


def _lone(words: Words, best: Best) -> Words:
    return tuple(
        word for word, (value, _) in zip(words, best, strict=True) if value < COVERED and word.weight > LONE_WEIGHT
    )


@dataclass(frozen=True)
class Seen:
    """One statement, as the other one sees it: how well it has each of its words."""

    outline: Outline
    best: Best

    @cached_property
    def telling(self) -> list[tuple[Word, bool]]:
        """Its words that tell something, and whether the other statement has each."""
        pairs = zip(self.outline.words, self.best, strict=True)
        return [(word, share >= COVERED) for word, (share, _) in pairs if word.weight >= LIGHT_WEIGHT]

    def has_only_known(self, start: int, end: int) -> bool:
        """Tell whether the other has all that is told from one place to another."""
        pairs = (pair for pair in self.telling if start <= pair[0].place < end)
        return all(is_known for _, is_known in pairs)


@dataclass(frozen=True)
class Pair:
    """Both statements, read both ways: as the outlines the model compares and as statements with quantities."""

    existing: Outline
    new: Outline
    aligned: Alignment
    existing_statement: Statement
    new_statement: Statement

    def both_ways(self) -> Iterator[tuple[Seen, Seen]]:
        """Yield each with the other."""
        old = Seen(self.existing, self.aligned.best_existing)
        new = Seen(self.new, self.aligned.best_new)
        yield old, new
        yield new, old


@dataclass
class Evidence:
    """Features by name, 0 meaning "nothing to see", and the words behind them for a reason."""

    features: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

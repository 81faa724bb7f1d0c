"""Find in a statement what is done that ends something, and in another what is ended by it."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from memories.text.wordlist import words

from . import cues, grammar
from .ends import BY_ANYONE, BY_ONESELF, BY_PEOPLE
from .stems import stem
from .wordlist import groups, phrases

Tokens = tuple[str, ...]

MOST_DEEDS = 4
"""More than these are a story, not a statement."""
_DOTS, _MOST_BETWEEN = "...", 8
_ENDS_A_NAME = grammar.PREPOSITIONS | grammar.CONDITIONALS | cues.BOUNDARIES | words("and or that which who than back")


class Deed(NamedTuple):
    """What is done: its first words and, behind what it is done to, its last; and the states that are over then."""

    words: Tokens
    tail: Tokens
    states: tuple[Tokens, ...]
    is_by_oneself: bool
    is_by_people: bool
    is_handed_on: bool

    def __str__(self) -> str:
        return " ".join((*self.words, *self.tail))


Deeds = dict[str, list[Deed]]
"""By their first word."""


class Place(NamedTuple):
    """Where a deed stands in a statement, and where what it is done to ends."""

    start: int
    end: int
    until: int


@lru_cache(maxsize=4_096)
def deeds_in(tokens: Tokens) -> tuple[tuple[Deed, Place], ...]:
    """Return what is done there and where, of deeds that begin with one word the longest: "returned from"."""
    return tuple(islice(_find_deeds(tokens, _DEEDS), MOST_DEEDS))


def denied_deeds_in(tokens: Tokens) -> tuple[tuple[Deed, Place], ...]:
    """The same for what is not done, in any form of its words: "did not give it back"."""
    return tuple(islice(_find_deeds(tuple(map(stem, tokens)), _DEEDS_BY_STEM), MOST_DEEDS))


def _find_deeds(tokens: Tokens, known: Deeds) -> Iterator[tuple[Deed, Place]]:
    for start, word in enumerate(tokens):
        deeds = [deed for deed in known.get(word, ()) if tokens[start : start + len(deed.words)] == deed.words]
        longest = max((len(deed.words) for deed in deeds), default=0)
        for deed in deeds:
            end = start + len(deed.words)
            last = _find(deed.tail, tokens, end + 1) if deed.tail else len(tokens)
            if last is not None and (deed.tail or end - start == longest):
                until = next((at for at in range(end, last) if tokens[at] in _ENDS_A_NAME), last)
                yield deed, Place(start, end, until)


def _find(tail: Tokens, tokens: Tokens, start: int) -> int | None:
    places = range(start, min(start + _MOST_BETWEEN, len(tokens)))
    return next((at for at in places if tokens[at : at + len(tail)] == tail), None)


def states_in(tokens: Tokens, deed: Deed) -> list[tuple[int, int]]:
    """Return where the states begin and end that it ends, the first one first."""
    places = [(at, at + len(state)) for state in deed.states for at in range(len(tokens))
              if tokens[at : at + len(state)] == state]  # fmt: skip
    return sorted(places)


def tells_deed_like(tokens: Tokens, deed: Deed) -> bool:
    """Tell whether something is done there that ends the same."""
    return any(other.states == deed.states for other, _ in deeds_in(tokens))


def _compile() -> Deeds:
    found: Deeds = {}
    for table in (BY_ONESELF, BY_PEOPLE, BY_ANYONE):
        for group in groups(table):
            deeds, _, states = group.partition("|")
            ends = tuple(tuple(state.removesuffix(_DOTS).split()) for state in phrases(states))
            for deed in phrases(deeds):
                first, _, last = deed.partition(_DOTS)
                by = table is not BY_ANYONE, table is BY_PEOPLE
                made = Deed(tuple(first.split()), tuple(last.split()), ends, *by, states.endswith(_DOTS))
                found.setdefault(made.words[0], []).append(made)
    return found


def _by_stem(deeds: Deeds) -> Deeds:
    found: Deeds = {}
    for deed in chain.from_iterable(deeds.values()):
        made = deed._replace(words=tuple(map(stem, deed.words)), tail=tuple(map(stem, deed.tail)))
        if made not in found.setdefault(made.words[0], []):
            found[made.words[0]].append(made)
    return found


_DEEDS = _compile()
_DEEDS_BY_STEM = _by_stem(_DEEDS)

"""What is not over: "has not recovered from the cold" says that the cold is still there, and what an API gave back it
still has.
"""

from memories.text.wordlist import words

from . import cues
from .deeds import Deed, Tokens, deeds_in, denied_deeds_in, states_in, tells_deed_like
from .ended import UNSAID, is_held_by_people
from .evidence import Evidence, Seen, Sides
from .outline import Outline
from .wishes import HAVE, PAST_FORM, verb_at

_HARDLY_SAID = UNSAID | words("yet quite really completely entirely totally even ever still all")
WORDS_TOLD = 3
_OTHERWISE = ("number_conflict", "number_both", "other_name", "opposed")


def find_unended(sides: Sides, evidence: Evidence) -> str | None:
    """Name what one says is so, and the deed of the other that does not end it; None where they differ in more."""
    if any(evidence.features[name] for name in _OTHERWISE):
        return None
    for being, doing in sides.both_ways():
        if told := _find_undone(being, doing) or _find_done_by_a_thing(being.outline, doing.outline):
            return f"still so: {told}"
    return None


def doubt_by_undone(old: Outline, new: Outline) -> str | None:
    """Say so where one denies that it is so, and the other that it is over: "has no cold" / "is not over the cold"."""
    for being, doing in ((old, new), (new, old)):
        at = _denial_of(doing)
        if at is None or not being.turns:
            continue
        for deed in _undone_in(doing.tokens, at):
            if states_in(being.tokens, deed) and not tells_deed_like(being.tokens, deed):
                return f"not so and still so: {_words_at(doing, at)}"
    return None


def _find_undone(being: Seen, doing: Seen) -> str | None:
    at = _denial_of(doing.outline)
    if at is None:
        return None
    tokens = being.outline.tokens
    for deed in _undone_in(doing.outline.tokens, at):
        so = frozenset(word for state in deed.states for word in state)
        is_affirmed = all(tokens[turn] in so | set(doing.outline.tokens) for turn in being.outline.turns)
        states = [] if tells_deed_like(tokens, deed) else states_in(tokens, deed)
        if is_affirmed and any(_is_of_it(being, *state, so) for state in states):
            return _words_at(doing.outline, at)
    return None


def _denial_of(side: Outline) -> int | None:
    """Return where its only "not" or "never" is."""
    places = [at for at in side.turns if side.tokens[at] in cues.DENIALS]
    return places[0] if len(places) == 1 else None


def _words_at(side: Outline, at: int) -> str:
    return " ".join(side.tokens[at : at + WORDS_TOLD])


def _undone_in(tokens: Tokens, at: int) -> list[Deed]:
    """Return the deeds that the negation there denies: "has not yet recovered from", "is not over"."""
    rest = tokens[:at] + tokens[at + 1 :]
    return [
        deed
        for deed, place in denied_deeds_in(rest)
        if not (deed.is_by_people and place.until == place.end)  # "did not return to the office"
        and (place.start < at < place.end or (at <= place.start and _HARDLY_SAID.issuperset(rest[at : place.start])))
    ]


def _is_of_it(being: Seen, start: int, end: int, so: frozenset[str]) -> bool:
    """Tell whether it is said to be so now, of something that the other has, too; "has got over it" is not."""
    tokens = being.outline.tokens
    if tokens[start] in HAVE and verb_at(tokens, start)[0] == PAST_FORM:
        return False
    behind = [is_known for word, is_known in being.telling if word.at >= end and word.text not in so]
    return any(behind) if behind else end > start


def _find_done_by_a_thing(being: Outline, doing: Outline) -> str | None:
    for deed, _ in deeds_in(doing.tokens):
        for start, _ in states_in(being.tokens, deed) if deed.is_by_people else ():
            if not is_held_by_people(being, start):
                return str(deed)
    return None

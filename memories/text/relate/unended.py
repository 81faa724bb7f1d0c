"""What is not over: "has not recovered from the cold" says that the cold is still there, and what an API gave back it
still has.
"""

from memories.text.wordlist import words

from . import cues
from .deeds import Deed, Tokens, deeds_in, denied_deeds_in, states_in, tells_deed_like
from .ended import UNSAID, is_held_by_people
from .evidence import Evidence, Seen, Sides
from .outline import Outline
from .wishes import HAVE, PAST_FORM, tells_ahead, verb_at

_BY_NOW = words("still yet quite all")
_HARDLY_SAID = UNSAID | _BY_NOW | words("really completely entirely totally even ever")
_DENYING = cues.DENIALS | words("barely hardly scarcely")
WORDS_TOLD = 3
_OTHERWISE = ("number_conflict", "number_both", "other_name", "opposed")


def find_unended(sides: Sides, evidence: Evidence) -> str | None:
    """Name what one says is so, and the deed of the other that does not end it; None where they differ in more."""
    if any(evidence.features[name] for name in _OTHERWISE):
        return None
    for being, doing in sides.both_ways():
        told = _find_undone(being, doing) or _find_under_way(being, doing.outline)
        if told := told or _find_done_by_a_thing(being.outline, doing.outline):
            return f"still so: {told}"
    return None


def doubt_by_undone(sides: Sides) -> str | None:
    """Say so where one denies that it is so, and the other that it is over: "has no cold" / "is not over the cold"; or
    where one tells how it is, and the other what is done about it: "has a cold" / "is still recovering from it".
    """
    for being, doing in sides.both_ways():
        if told := _find_neither(being.outline, doing.outline):
            return f"not so and still so: {told}"
        if told := _find_under_way(being, doing.outline):
            return f"so and under way: {told}"
    return None


def _find_neither(being: Outline, doing: Outline) -> str | None:
    at = _denial_of(doing)
    if at is None or not being.turns:
        return None
    tokens = being.tokens
    deeds = [deed for deed in _undone_in(doing.tokens, at) if not tells_deed_like(tokens, deed)]
    return _words_at(doing, at) if any(states_in(tokens, deed) for deed in deeds) else None


def _find_undone(being: Seen, doing: Seen) -> str | None:
    at = _denial_of(doing.outline)
    if at is None:
        return None
    is_so = any(_is_ended_by(being, deed, doing.outline) for deed in _undone_in(doing.outline.tokens, at))
    return _words_at(doing.outline, at) if is_so else None


def _find_under_way(being: Seen, doing: Outline) -> str | None:
    """What somebody is only doing, or wants to do, is not done: "is recovering from the cold"."""
    if doing.negators:
        return None
    for deed, place in denied_deeds_in(doing.tokens):
        is_ahead = doing.tokens[place.start].endswith("ing") or tells_ahead(doing.tokens[: place.start])
        if is_ahead and _is_ended_by(being, deed, doing):
            return _words_at(doing, place.start)
    return None


def _is_ended_by(being: Seen, deed: Deed, doing: Outline) -> bool:
    """Tell whether it is so, as the one says, as long as the deed is not done."""
    tokens = being.outline.tokens
    so = frozenset(word for state in deed.states for word in state)
    is_affirmed = all(tokens[turn] in so | set(doing.tokens) for turn in being.outline.turns)
    states = [] if tells_deed_like(tokens, deed) else states_in(tokens, deed)
    return is_affirmed and any(_is_of_it(being, *state, so) for state in states)


def _denial_of(side: Outline) -> int | None:
    """Return where its only "not", "never" or "hardly" is."""
    places = [at for at in side.turns if side.tokens[at] in _DENYING]
    return places[0] if len(places) == 1 else None


def _words_at(side: Outline, at: int) -> str:
    return " ".join(side.tokens[at : at + WORDS_TOLD])


def _undone_in(tokens: Tokens, at: int) -> list[Deed]:
    """Return the deeds that the negation there denies: "has not yet recovered from", "is not over"."""
    before, behind = tokens[:at], tokens[at + 1 :]
    while before and before[-1] in _BY_NOW:
        before = before[:-1]
    while behind and behind[0] in _BY_NOW:
        behind = behind[1:]
    rest, at = before + behind, len(before)
    return [
        deed
        for deed, place in denied_deeds_in(rest)
        if not (deed.is_by_people and place.until == place.end)  # "did not return to the office"
        and (place.start < at < place.end or (at <= place.start and _HARDLY_SAID.issuperset(rest[at : place.start])))
    ]


def _is_of_it(being: Seen, start: int, end: int, so: frozenset[str]) -> bool:
    """Tell whether it is said to be so now: "has got over it" is not; what merely is, is so if it is of the same."""
    tokens = being.outline.tokens
    if tokens[start] in HAVE:
        return verb_at(tokens, start)[0] != PAST_FORM
    behind = [is_known for word, is_known in being.telling if word.at >= end and word.text not in so]
    return any(behind) if behind else end > start


def _find_done_by_a_thing(being: Outline, doing: Outline) -> str | None:
    for deed, _ in deeds_in(doing.tokens):
        for start, _ in states_in(being.tokens, deed) if deed.is_by_people else ():
            if not is_held_by_people(being, start):
                return str(deed)
    return None

"""What is over: "outgrew the allergy" denies "is allergic", "was paid" denies "is open".

None of these words says "not". It has to be done by whom, and to all that, the other statement is about; what is less
plain is left to the model, but not taken for the same.
"""

from itertools import takewhile

from memories.text.wordlist import words

from . import grammar
from .deeds import Deed, Place, Tokens, deeds_in, states_in, tells_deed_like
from .ends import ON_LOAN, OPENING
from .evidence import Evidence, Seen, Sides
from .habits import find_habit
from .measures import WEEKDAYS
from .outline import Outline
from .somebody import is_somebody
from .stems import stem
from .wishes import AHEAD_FORM, BE, HAVE, MIN_PAST, PAST_BE, PRESENT_FORM, groups_of, tells_ahead, verb_at

_BE = words("is are was were be been being got get gets")
UNSAID = _BE | words("has have had just finally already recently now since meanwhile fully a an the user i")
"""What tells nothing of who does it, before what is done."""
_DOUBTED = words("half part partly partially some almost nearly if unless")
_CONFLICTS = ("number_conflict", "number_both")


def find_end(sides: Sides, evidence: Evidence) -> str | None:
    """Name what one says is so and the other that it was done, where that ends it; else None."""
    if any(evidence.features[name] for name in _CONFLICTS):
        return None
    for being, doing in sides.both_ways():
        if ended := find_habit(being, doing) or _find_deed(being, doing):
            return ended
    return None


def doubt_by_deed(old: Outline, new: Outline) -> str | None:
    """Say so where one tells how it is and only the other what is done: "has a cold" / "is recovering from it"."""
    is_denied = bool(old.turns or new.turns)
    for being, doing in ((old.tokens, new.tokens), (new.tokens, old.tokens)):
        told = _find_other_verb(being, doing) or (None if is_denied else _find_other_deed(being, doing))
        if told:
            return f"so and done: {told}"
    return None


def _find_deed(being: Seen, doing: Seen) -> str | None:
    tokens = being.outline.tokens
    for deed, place in deeds_in(doing.outline.tokens):
        states = [] if tells_deed_like(tokens, deed) else states_in(tokens, deed)
        if states and _is_done(doing.outline, place, being.outline) and _is_of_it(being, states, doing, deed, place):
            return f"over: {' '.join(tokens[slice(*states[0])])} / {deed}"
    return None


def _is_done(side: Outline, place: Place, other: Outline) -> bool:
    """Tell whether it is done, and wholly: not "wants to", "has not", "if", "half of"."""
    before = side.tokens[: place.start]
    is_meant = next((word for word in reversed(before) if word not in UNSAID), "") != "to"
    is_real = not tells_ahead(before) and grammar.CONDITIONALS.isdisjoint(before) and _DOUBTED.isdisjoint(side.tokens)
    return is_meant and is_real and _denies_nothing_within(side, other, place.start, place.end)


def _denies_nothing_within(side: Outline, other: Outline, start: int, end: int) -> bool:
    """Tell whether it has no negation but there, and those that the other has, too ("the ban")."""
    return all(start <= at < end or side.tokens[at] in other.tokens for at in side.turns)


def _is_so(side: Outline, other: Outline, start: int, end: int) -> bool:
    """Tell whether it is said to be so, now."""
    is_now = PAST_BE.isdisjoint(side.tokens) and not tells_ahead(side.tokens)
    is_real = grammar.CONDITIONALS.isdisjoint(side.tokens[: start + 1])
    return is_now and is_real and _denies_nothing_within(side, other, start, end)


def _is_of_it(being: Seen, states: list[tuple[int, int]], doing: Seen, deed: Deed, place: Place) -> bool:
    """Tell whether it is done by whom, and to all that, the other statement is about."""
    (start, end), so = states[0], frozenset(word for state in deed.states for word in state)
    if not _is_so(being.outline, doing.outline, start, max(end for _, end in states)):
        return False
    if not being.has_only_known(0, end if deed.is_handed_on else len(being.outline.tokens), so):
        return False
    if deed.is_by_people and not is_held_by_people(being.outline, start):
        return False
    if deed.is_by_oneself:
        return _are_by_one(being, start, doing, place) and _is_object(doing, place, so)
    if states_in(doing.outline.tokens, deed) and not deed.is_handed_on:
        return False  # "was fixed and is open again"
    tokens = being.outline.tokens
    is_other_way = tokens[start] == "open" and deed.words != ("closed",) and not OPENING.isdisjoint(tokens)
    if is_other_way or not set(filter(_is_number, tokens)) <= set(doing.outline.tokens):
        return False
    return _is_subject(doing, place) if _is_passive(doing.outline.tokens, place) else _is_object(doing, place, so)


def _are_by_one(being: Seen, start: int, doing: Seen, place: Place) -> bool:
    """Tell whether both begin with the same one, and who is somewhere is not there on certain days only."""
    tokens = being.outline.tokens
    verb = _verb_before(tokens, start)
    is_at_times = tokens[start] in _BE and not WEEKDAYS.keys().isdisjoint(tokens)
    return not is_at_times and _one_who(tokens[:verb]) == _one_who(doing.outline.tokens[: place.start])


def _verb_before(tokens: Tokens, start: int) -> int:
    return next((at for at, word in enumerate(tokens[:start]) if word in BE | HAVE), start)


def is_held_by_people(side: Outline, start: int) -> bool:
    """Tell whether somebody has it, or it is on loan, whoever has it: no machine loses what it returns."""
    verb = _verb_before(side.tokens, start)
    return side.tokens[start] in ON_LOAN or is_somebody(side, verb, side.tokens[start:])


def _one_who(tokens: Tokens) -> set[str]:
    return set(tokens) - UNSAID


def _is_passive(tokens: Tokens, place: Place) -> bool:
    """Tell whether the deed is of what stands before it: "was paid", "has expired"."""
    helping = takewhile(UNSAID.__contains__, reversed(tokens[: place.start]))
    return place.until <= place.end or not _BE.isdisjoint(helping)


def _is_subject(doing: Seen, place: Place) -> bool:
    """Tell whether the other statement has all that stands before the deed, and something does."""
    return any(word.at < place.start for word, _ in doing.telling) and doing.has_only_known(0, place.start)


def _is_object(doing: Seen, place: Place, so: frozenset[str]) -> bool:
    """Tell whether the other statement has all that it is done to, and that is something."""
    is_told = any(place.end <= word.at < place.until for word, _ in doing.telling)
    is_told = is_told or any(map(_is_number, doing.outline.tokens[place.end : place.until]))
    return is_told and doing.has_only_known(place.end, place.until, so)


def _is_number(token: str) -> bool:
    return token[0].isdigit()


def _find_other_deed(being: Tokens, doing: Tokens) -> str | None:
    for deed, place in deeds_in(doing):
        is_of_one = deed.is_by_oneself and being[:1] == doing[:1]
        if tells_deed_like(being, deed) or not (is_of_one or states_in(being, deed)):
            continue
        if grammar.CONDITIONALS.isdisjoint(doing[: place.start]) and not _is_said(doing, place.start, being):
            return str(deed)
    return None


def _find_other_verb(being: Tokens, doing: Tokens) -> str | None:
    """Where both begin alike and go on with a verb of their own, of which one is "has" or "is"."""
    at = next((at for at, (left, right) in enumerate(zip(being, doing, strict=False)) if left != right), 0)
    if not at or being[at] not in BE | HAVE or verb_at(being, at)[0] != PRESENT_FORM:
        return None
    form, verb, place = verb_at(doing, at)
    if form == AHEAD_FORM and verb in BE:
        place += 1
    is_other = form != PRESENT_FORM and not _is_said(doing, place, being)
    is_like = any(tells_deed_like(being, deed) for deed, _ in deeds_in(doing))
    return f"{being[at]} / {doing[place]}" if is_other and not is_like else None


def _is_said(tokens: Tokens, at: int, others: Tokens) -> bool:
    """Tell whether the others have the word there, in any form, or one that means the same."""
    groups, root = groups_of(tokens, at), stem(tokens[at])
    begins = tokens[at][:MIN_PAST]
    return any(
        stem(word) == root or word.startswith(begins) or groups & groups_of(others, place)
        for place, word in enumerate(others)
    )

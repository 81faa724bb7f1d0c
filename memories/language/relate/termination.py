"""What is over, and what is not: "outgrew the allergy" ends "is allergic"; "has not recovered" ends nothing."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

from memories.language.relate import grammar
from memories.language.relate.grammar import MONTHS, WEEKDAYS, stem
from memories.language.relate.outline import Evidence, Outline, Pair, Seen
from memories.language.relate.topics import (
    AHEAD_FORM,
    BE,
    HAVE,
    MIN_PAST,
    PAST_BE,
    PAST_FORM,
    PRESENT_FORM,
    groups_of,
    is_somebody,
    tells_ahead,
    verb_at,
)
from memories.language.wordlists import groups, phrases, words

BY_ONESELF = """
outgrew, outgrown, grew out of, grown out of, overcame, overcome, got over, gotten over, is over, recovered from,
    was cured of, shook off, beat, conquered | has, have, suffers, struggles, is, afraid, scared, fear, phobia,
    addicted, addiction
paid back, paid ... back, paid off, paid ... off, repaid, settled | owes, owe, debt, loan, mortgage, credit, borrowed
let ... lapse, let ... expire, let ... run out | has, have, subscribes, subscription, member, membership, holds, owns,
    pays
is back from, are back from, came back from, come back from, returned from, was discharged from, was released from,
    is out of, got out of, checked out of, moved out of | is at, is in, is on, are at, are in, are on, stays at,
    stays in, holiday, vacation, trip, leave
finished, completed, is done with, is through with | is in, is on, attends, takes, undergoes, is taking, is doing
"""
"""Only who is in a state ends it so."""

BY_PEOPLE = """
returned, gave back, gave ... back, given back, handed back, handed ... back, handed in, handed ... in, brought back,
    brought ... back, took back, took ... back, sent back | has, have, holds, keeps, borrowed, borrows, rents, leases,
    uses, is using
"""
"""The same, but where it is not said to be on loan, people alone end it so: what an API returned, it still has."""

ON_LOAN = words("borrowed borrows rents leases")

BY_ANYONE = """
paid, paid off, settled | open, unpaid, outstanding, due, overdue, pending
fixed, resolved, solved, closed, merged, completed, finished, sorted out | open, unresolved, unsolved, outstanding,
    pending, unfinished, ongoing, in progress
answered | unanswered
fixed, repaired, mended, healed | broken, damaged, faulty, defective, cracked, leaks, leaking, injured, failing,
    out of order
found, turned up, showed up, retrieved | missing, lost, gone, stolen
approved, rejected, declined, granted, denied, accepted, withdrawn | pending, open, undecided
rolled back, rolled ... back, reverted, taken down, took down, withdrawn, undone | live, deployed, released, active,
    out, in production, enabled, rolled out
lifted, repealed, revoked, withdrawn, expired, lapsed, ended, terminated, ran out, is over | in force, valid, active,
    running, in effect, in place
cleared, unblocked | blocked, closed, jammed, stuck
restored | down, offline, unavailable
reassigned, handed over, passed on | assigned to ...
"""
"""Whoever does it to what is so; behind "assigned to" whatever is said may be another then."""

OPENING = words("""
    door doors window windows gate shop store restaurant cafe bar museum office library pool gym clinic market bank
    school hotel park road border bridge valve port tap drawer lid box
    """)
"""They are open in another way than an invoice or an issue: only what is closed ends that."""


Tokens = tuple[str, ...]

MOST_DEEDS = 4
"""More than these are a story, not a statement."""
_DOTS, _MOST_BETWEEN = "...", 8
_ENDS_A_NAME = (
    grammar.PREPOSITIONS | grammar.CONDITIONALS | grammar.BOUNDARIES | words("and or that which who than back")
)


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
    """Return the deeds that are not done, in any form of its words: "did not give it back"."""
    return tuple(islice(_find_deeds(tuple(map(stem, tokens)), _DEEDS_BY_STEM), MOST_DEEDS))


def _find_deeds(tokens: Tokens, known: Deeds) -> Iterator[tuple[Deed, Place]]:
    for start, word in enumerate(tokens):
        deeds = [deed for deed in known.get(word, ()) if tokens[start : start + len(deed.words)] == deed.words]
        longest = max((len(deed.words) for deed in deeds), default=0)
        for deed in deeds:
            end = start + len(deed.words)
            last: int | None = len(tokens)
            if deed.tail:
                places = range(end + 1, min(end + 1 + _MOST_BETWEEN, len(tokens)))
                last = next((at for at in places if tokens[at : at + len(deed.tail)] == deed.tail), None)
            if last is not None and (deed.tail or end - start == longest):
                until = next((at for at in range(end, last) if tokens[at] in _ENDS_A_NAME), last)
                yield deed, Place(start, end, until)


def states_in(tokens: Tokens, deed: Deed) -> list[tuple[int, int]]:
    """Return where the states begin and end that it ends, the first one first."""
    places = [
        (at, at + len(state))
        for state in deed.states
        for at in range(len(tokens))
        if tokens[at : at + len(state)] == state
    ]
    return sorted(places)


def tells_deed_like(tokens: Tokens, deed: Deed) -> bool:
    """Tell whether something is done there that ends the same."""
    return any(other.states == deed.states for other, _ in deeds_in(tokens))


def _compile(form: Callable[[str], str]) -> Deeds:
    """Read the tables, each word of a deed in this form."""
    found: Deeds = {}
    for table in (BY_ONESELF, BY_PEOPLE, BY_ANYONE):
        for group in groups(table):
            deeds, _, states = group.partition("|")
            ends = tuple(tuple(state.removesuffix(_DOTS).split()) for state in phrases(states))
            for deed in phrases(deeds):
                first, _, last = deed.partition(_DOTS)
                by = table is not BY_ANYONE, table is BY_PEOPLE
                begin, tail = (tuple(map(form, part.split())) for part in (first, last))
                made = Deed(begin, tail, ends, *by, states.endswith(_DOTS))
                if made not in found.setdefault(begin[0], []):
                    found[begin[0]].append(made)
    return found


_DEEDS, _DEEDS_BY_STEM = _compile(str), _compile(stem)


_USED_TO = ("used", "to")
_BEFORE_OTHER_USES = words("is are was were be been being get gets got")
"""What is used to store tells what for; who is used to it is accustomed."""


def find_other_habit(sides: Pair) -> str | None:
    """Say so where it is another who used to do it, or something else: "drives to work" / "used to drive a taxi"."""
    for being, doing in sides.both_ways():
        tokens = being.outline.tokens
        told = zip(("", *doing.outline.tokens), pairwise(doing.outline.tokens), strict=False)
        habits = (at for at, (before, pair) in enumerate(told) if pair == _USED_TO and before not in _BEFORE_OTHER_USES)
        at = next(habits, None)
        if at is not None and doing.outline.turns == (at,) and not being.outline.turns:
            # The one may be said to do now all that it does, and be who used to do it.
            is_now = PAST_BE.isdisjoint(tokens)
            is_same = is_now and doing.has_only_known(0, at) and being.has_only_known(0, len(tokens))
            return None if is_same else "used to be so of another, or then"
    return None


_BE = words("is are was were be been being got get gets")
UNSAID = _BE | words("has have had just finally already recently now since meanwhile fully a an the user i")
"""What tells nothing of who does it, before what is done."""
_DOUBTED = words("half part partly partially some almost nearly if unless")
_CONFLICTS = ("number_conflict", "number_both")


def find_end(sides: Pair, evidence: Evidence) -> str | None:
    """Name what one says is so and the other that it was done, where that ends it; else None."""
    if any(evidence.features[name] for name in _CONFLICTS):
        return None
    for being, doing in sides.both_ways():
        tokens = being.outline.tokens
        for deed, place in deeds_in(doing.outline.tokens):
            states = [] if tells_deed_like(tokens, deed) else states_in(tokens, deed)
            if (
                states
                and _is_done(doing.outline, place, being.outline)
                and _is_of_it(being, states, doing, deed, place)
            ):
                return f"over: {' '.join(tokens[slice(*states[0])])} / {deed}"
    return None


def doubt_by_deed(old: Outline, new: Outline) -> str | None:
    """Say so where one tells how it is and only the other what is done: "has a cold" / "is recovering from it"."""
    is_denied = bool(old.turns or new.turns)
    for being, doing in ((old.tokens, new.tokens), (new.tokens, old.tokens)):
        told = _find_other_verb(being, doing) or (None if is_denied else _find_other_deed(being, doing))
        if told:
            return f"so and done: {told}"
    return None


def _is_done(side: Outline, place: Place, other: Outline) -> bool:
    """Tell whether it is done, and wholly: not "wants to", "has not", "if", "half of"."""
    before = side.tokens[: place.start]
    is_meant = next((word for word in reversed(before) if word not in UNSAID), "") != "to"
    is_real = not tells_ahead(before) and grammar.CONDITIONALS.isdisjoint(before) and _DOUBTED.isdisjoint(side.tokens)
    # It has no negation but there, and those that the other has, too ("the ban").
    is_affirmed = all(place.start <= at < place.end or side.tokens[at] in other.tokens for at in side.turns)
    return is_meant and is_real and is_affirmed


def _is_of_it(being: Seen, states: list[tuple[int, int]], doing: Seen, deed: Deed, place: Place) -> bool:
    """Tell whether it is done by whom, and to all that, the other statement is about."""
    (start, end), so = states[0], frozenset(word for state in deed.states for word in state)
    tokens, others, last = being.outline.tokens, doing.outline.tokens, max(end for _, end in states)
    is_now = PAST_BE.isdisjoint(tokens) and not tells_ahead(tokens)
    is_real = grammar.CONDITIONALS.isdisjoint(tokens[: start + 1])
    is_affirmed = all(start <= at < last or tokens[at] in others for at in being.outline.turns)
    if not (is_now and is_real and is_affirmed):
        return False
    if not being.has_only_known(0, end if deed.is_handed_on else len(tokens), so):
        return False
    if deed.is_by_people and not is_held_by_people(being.outline, start):
        return False
    if deed.is_by_oneself:
        return _are_by_one(being, start, doing, place) and _is_object(doing, place, so)
    if states_in(others, deed) and not deed.is_handed_on:
        return False  # "was fixed and is open again"
    is_other_way = tokens[start] == "open" and deed.words != ("closed",) and not OPENING.isdisjoint(tokens)
    if is_other_way or any(token[0].isdigit() and token not in others for token in tokens):
        return False
    helping = takewhile(UNSAID.__contains__, reversed(others[: place.start]))
    if place.until > place.end and _BE.isdisjoint(helping):
        return _is_object(doing, place, so)
    # The deed is of what stands before it: "was paid", "has expired".
    return any(word.at < place.start for word, _ in doing.telling) and doing.has_only_known(0, place.start)


def _are_by_one(being: Seen, start: int, doing: Seen, place: Place) -> bool:
    """Tell whether both begin with the same one, and who is somewhere is not there on certain days only."""
    tokens = being.outline.tokens
    verb = _verb_before(tokens, start)
    is_at_times = tokens[start] in _BE and not WEEKDAYS.keys().isdisjoint(tokens)
    return not is_at_times and set(tokens[:verb]) - UNSAID == set(doing.outline.tokens[: place.start]) - UNSAID


def _verb_before(tokens: Tokens, start: int) -> int:
    return next((at for at, word in enumerate(tokens[:start]) if word in BE | HAVE), start)


def is_held_by_people(side: Outline, start: int) -> bool:
    """Tell whether somebody has it, or it is on loan, whoever has it: no machine loses what it returns."""
    verb = _verb_before(side.tokens, start)
    return side.tokens[start] in ON_LOAN or is_somebody(side, verb, side.tokens[start:])


def _is_object(doing: Seen, place: Place, so: frozenset[str]) -> bool:
    """Tell whether the other statement has all that it is done to, and that is something."""
    is_told = any(place.end <= word.at < place.until for word, _ in doing.telling)
    is_told = is_told or any(token[0].isdigit() for token in doing.outline.tokens[place.end : place.until])
    return is_told and doing.has_only_known(place.end, place.until, so)


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


_BY_NOW = words("still yet quite all")
_HARDLY_SAID = UNSAID | _BY_NOW | words("really completely entirely totally even ever")
_DENYING = grammar.DENIALS | words("barely hardly scarcely")
WORDS_TOLD = 3
_OTHERWISE = ("number_conflict", "number_both", "other_name", "opposed")


def find_unended(sides: Pair, evidence: Evidence) -> str | None:
    """Name what one says is so, and the deed of the other that does not end it; None where they differ in more."""
    if any(evidence.features[name] for name in _OTHERWISE):
        return None
    for being, doing in sides.both_ways():
        told = _find_undone(being, doing) or _find_under_way(being, doing.outline)
        if told := told or _find_done_by_a_thing(being.outline, doing.outline):
            return f"still so: {told}"
    return None


def doubt_by_undone(sides: Pair) -> str | None:
    """Say so where one tells how it is, and the other what is done about it: "has a cold" / "is recovering from it"."""
    for being, doing in sides.both_ways():
        if told := _find_under_way(being, doing.outline):
            return f"so and under way: {told}"
    return None


def _find_undone(being: Seen, doing: Seen) -> str | None:
    tokens = doing.outline.tokens
    # Its only "not", "never" or "hardly".
    places = [at for at in doing.outline.turns if tokens[at] in _DENYING]
    if len(places) != 1:
        return None
    at = places[0]
    is_so = any(_is_ended_by(being, deed, doing.outline) for deed in _undone_in(tokens, at))
    return " ".join(tokens[at : at + WORDS_TOLD]) if is_so else None


def _find_under_way(being: Seen, doing: Outline) -> str | None:
    """Tell what is not done, for somebody is only doing it or wants to: "is recovering from the cold"."""
    if doing.negators:
        return None
    for deed, place in denied_deeds_in(doing.tokens):
        is_ahead = doing.tokens[place.start].endswith("ing") or tells_ahead(doing.tokens[: place.start])
        if is_ahead and _is_ended_by(being, deed, doing):
            return " ".join(doing.tokens[place.start : place.start + WORDS_TOLD])
    return None


def _is_ended_by(being: Seen, deed: Deed, doing: Outline) -> bool:
    """Tell whether it is so, as the one says, as long as the deed is not done."""
    tokens = being.outline.tokens
    so = frozenset(word for state in deed.states for word in state)
    is_affirmed = all(tokens[turn] in so | set(doing.tokens) for turn in being.outline.turns)
    if not is_affirmed or tells_deed_like(tokens, deed):
        return False
    for start, end in states_in(tokens, deed):
        # It is said to be so now: "has got over it" is not; what merely is, is so if it is of the same.
        behind = [is_known for word, is_known in being.telling if word.at >= end and word.text not in so]
        is_still_so = any(behind) if behind else end > start
        if tokens[start] in HAVE:
            is_still_so = verb_at(tokens, start)[0] != PAST_FORM
        if is_still_so:
            return True
    return False


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


def _find_done_by_a_thing(being: Outline, doing: Outline) -> str | None:
    for deed, _ in deeds_in(doing.tokens):
        for start, _ in states_in(being.tokens, deed) if deed.is_by_people else ():
            if not is_held_by_people(being, start):
                return str(deed)
    return None


NEUTRAL = words("planned upcoming whole entire booked big long summer winter family")
"""What says of no other trip that it is off."""
_NAME = r"(?P<place>[A-Z][\w-]{1,30}(?: [A-Z][\w-]{1,30}){0,2})"
_GOING = r"(?:going|flying|travelling|traveling|driving|heading|cycling|sailing|off)"
_TO_GO = r"(?:go|fly|travel|drive|head|take a trip)"
_TRIP = r"(?:trip|visit|holiday|holidays|vacation|flight|journey|tour|excursion|getaway)"
_HAS_PLANNED = (
    r"(?:(?:is|are) (?:still |also )?(?:planning|booking)|(?:has |have )?(?:booked|planned|plans?)) "
    rf"(?:a|the|their|his|her) (?:(?:{'|'.join(sorted(NEUTRAL))}) )?"
)
_AHEAD = re.compile(
    rf"(?P<who>\S.{{0,60}}?) (?:(?:is|are) (?:still |also )?(?:{_GOING}|(?:planning|about|due) to {_TO_GO})|"
    rf"(?:plans? to|intends? to|will) {_TO_GO}|(?P<simple>goes|go|flies|fly|travels?|drives?)|"
    rf"{_HAS_PLANNED}{_TRIP})"
    rf" to {_NAME}"
)
_AHEAD_BEFORE = re.compile(rf"(?P<who>\S.{{0,60}}?) {_HAS_PLANNED}{_NAME} {_TRIP}\b(?P<simple>)")
"""The place before it: "a Rome holiday"."""
_IS_OFF = (
    r"(?:(?:is|was|are|were|got|has been|have been)(?: now| just| sadly| unfortunately)? (?:cancell?ed|called off|"
    r"off(?=[.!,]|$| because| due))|"
    r"(?:is|are) (?:not|no longer) (?:happening|taking place)|(?:isn|aren)['’]t (?:happening|taking place)|"
    r"(?:will not|won['’]t) (?:happen|take place)|(?:has )?(?:fell|fallen) through)"
)
_KIND = r"(?P<kind>(?:[a-z][\w-]{0,20} ){0,2})"
_BETWEEN = r"(?P<between>(?: (?:in|on|of|for|next|this) [\w ]{1,30}?)?)"
_TRIPS_THERE = (rf"{_KIND}{_TRIP} to {_NAME}", rf"{_KIND}{_NAME} (?:(?:{'|'.join(sorted(NEUTRAL))}) )?{_TRIP}")
""" "The trip to Rome", "the Rome trip"."""
_NOT_GOING = (
    r"(?:(?:is|are) (?:not|no longer)|(?:isn|aren)['’]t|['’]re not|(?:will not|won['’]t) be) (?:going|travell?ing)|"
    r"(?:will not|won['’]t|no longer plans? to|(?:has |have )?decided not to) (?:go|travel)"
)
_CALLED_OFF = (
    *(
        re.compile(
            r"(?:(?P<owner>\S.{0,60}?)['’]s|[Tt]he|[Tt]his|[Tt]hat|[Tt]heir|[Oo]ur|[Mm]y) "
            rf"{there}{_BETWEEN} {_IS_OFF}(?P<behind>.*)"
        )
        for there in _TRIPS_THERE
    ),
    *(
        re.compile(
            r"(?P<owner>\S.{0,60}?) (?:(?:has|have|had to) )?(?:just )?(?:cancell?ed|called off|cancel|call off) "
            rf"(?:the|their|his|her|this|that) {there}(?P<between>)(?P<behind>.*)"
        )
        for there in _TRIPS_THERE
    ),
    re.compile(
        rf"(?P<owner>\S.{{0,60}}?) ?(?P<kind>)(?:{_NOT_GOING}) to {_NAME}{_BETWEEN}"
        r"(?P<behind>(?: (?:after all|any ?more|any longer)|[.!]?$|,? (?:because|since|due|as) ).*)"
    ),
)
_ELSEWHERE = re.compile(
    rf"[,;] (?:(?:so|and) )?(?:(?:[Tt]he )?(?:User|[Tt]eam|[Ww]e|I|[Tt]hey)\b.{{0,40}} {_GOING} to (?=[A-Z])|instead\b)"
    r".*|,? but (?:rather )?to (?=[A-Z]).*"
)
"""Another plan, which says nothing more of what is off."""
_COMES_ROUND = re.compile(
    r"\b(?:every|each|often|usually|always|sometimes|regularly|weekly|monthly|yearly|daily|twice|times|weekends|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b",
    re.IGNORECASE,
)
_IN_DOUBT = re.compile(
    r"\b(?:not|but|if|unless|until|except|maybe|perhaps|partly|rebooked|instead|again|once|only|whether)\b|\?",
    re.IGNORECASE,
)
_DATED = re.compile(r"\b(?:\d[\w.:]*|[A-Za-z]+)\b")
_RELATIVE = words("next tomorrow tonight")
_DAYS = MONTHS.keys() - words("may march") | WEEKDAYS.keys()
_USER = re.compile(r"User(?: and .*|,.*)?|The user|We|I")
_MAY_BE_OFF = re.compile(r"\boff\b|\bcancel|\bcall|\bnot\b|n['’]t\b|\bno longer\b|\bf[ae]ll(?:en)? through\b")


def find_trip_off(existing: str, new: str) -> str | None:
    """Name the place, where somebody is going there and the new one calls that trip off."""
    if not _MAY_BE_OFF.search(new) or not (going := _AHEAD.match(existing) or _AHEAD_BEFORE.match(existing)):
        return None
    other = _ELSEWHERE.search(new)
    new = new if not other or going["place"] in other.group() else new[: other.start()]
    for told in _CALLED_OFF:
        off = told.match(new)
        if off and _is_of_one_trip(going, off) and not _IN_DOUBT.search(off["behind"]):
            return off["place"]
    return None


def _is_of_one_trip(going: re.Match[str], off: re.Match[str]) -> bool:
    """Tell whether both are of the same people, place and time."""
    text, owner = going.string, off["owner"] or "User"
    is_theirs = bool(_USER.fullmatch(going["who"])) if _USER.fullmatch(owner) else going["who"] == owner
    is_there = going["place"] == off["place"]
    told_days = _days_in(text)
    is_once = not _COMES_ROUND.search(text) and bool(told_days or not going["simple"])
    is_then = _days_in(off["between"] + off["behind"]) <= told_days
    kinds = set(off["kind"].split()) - NEUTRAL
    return is_theirs and is_there and is_once and is_then and kinds <= set(text.lower().split())


def _days_in(text: str) -> set[str]:
    """Return the years, days, months and weekdays that it names."""
    told = {word.strip(".:").casefold() for word in _DATED.findall(text) if word[0].isdigit() or word[0].isupper()}
    named = {word for word in told if word[0].isdigit() or word in _DAYS or word in ("may", "march")}
    return named | (_RELATIVE & set(text.casefold().split()))

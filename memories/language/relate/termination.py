"""A trip that is called off: "is going to Croatia in July" / "the trip to Croatia is cancelled"."""

import re

from memories.language.relate.grammar import MONTHS, WEEKDAYS
from memories.language.wordlists import words

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
    for pattern in _CALLED_OFF:
        off = pattern.match(new)
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
    written = {word.strip(".:").casefold() for word in _DATED.findall(text) if word[0].isdigit() or word[0].isupper()}
    named = {word for word in written if word[0].isdigit() or word in _DAYS or word in ("may", "march")}
    return named | (_RELATIVE & set(text.casefold().split()))

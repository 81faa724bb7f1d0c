"""What comes round, but is no date to be told of: opening hours, habits, and what a machine does every day."""

from __future__ import annotations

import re

from memories.text.future import Coming
from memories.text.undated import is_of_every_year

_OPENING = re.compile(
    r"\b(?:opens?|closes|closed|(?:opening|office|business) hours|reachable|staffed)\b", re.IGNORECASE
)
_HOURS = re.compile(
    r"\b(?:opening|office|business|visiting|consulting|consultation|surgery|service|support) hours\b", re.IGNORECASE
)
_IS_OPEN = re.compile(
    r"(?:\b(?:is|are)|['’](?:s|re)) (?:always |usually |only |also )?(?:open|closed|available|reachable|staffed)\b"
    r"|\b(?:opens|closes) (?:at|from|on|every|daily|around|only)\b|\bsees? (?:patients|clients|customers)\b",
    re.IGNORECASE,
)
"""Whoever's it is: "we are open", "my gym opens at 6"."""
_HABIT = re.compile(
    r"\b(?:usually|normally|generally|typically|often|mostly|sometimes|always|tend to|tends to|in the habit of|used to|"
    r"meistens|normalerweise|gewöhnlich|immer|d['’]habitude|normalement|toujours|normalmente|siempre|suelo)\b",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"\b(?:remind|remember|forget|must|have to|has to|need|needs|should|take|takes|pills?|tablets?|due|deadline|"
    r"meetings?|stand-?ups?|class|classes|lessons?|course|appointment|call|\d{1,2}(?::\d\d| ?[ap]m))\b",
    re.IGNORECASE,
)
"""Somebody has to be there, or to think of it."""
_WORKING = re.compile(
    r"\b(?:runs|starts|executes|fires|rotates|syncs|restarts|refreshes|expires|polls)\b", re.IGNORECASE
)
_OF_PEOPLE = re.compile(r"\b(?:I|we|my|me|us|you|remind|remember|don't forget)\b", re.I)
_DAYS_OF_THE_WEEK = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?\W+(?:to|through|till|until|and|[-–])\W*"
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?",
    re.I,
)


def is_routine(sentence: str, coming: Coming) -> bool:
    """Whether the sentence tells how something is on such days, and nobody has to think of it on the day.

    "We open the pool on Mondays" is somebody's day; "the pool is open on Mondays" is the pool's. What somebody usually
    does, or does every day, is a habit; what has an hour, or has to be done, is a date.
    """
    place = sentence.find(coming.text)
    if _HOURS.search(sentence) or is_of_every_year(sentence, place, place + len(coming.text)):
        return True
    is_every_week = bool(coming.rule or _DAYS_OF_THE_WEEK.fullmatch(coming.text))
    if not is_every_week:
        return False
    is_every_day = coming.rule.startswith("FREQ=DAILY") and "INTERVAL" not in coming.rule
    if _IS_OPEN.search(sentence):
        return True
    is_of_people, is_duty = bool(_OF_PEOPLE.search(sentence)), bool(_DUTY.search(sentence))
    if not is_duty and (_HABIT.search(sentence) or (is_every_day and is_of_people)):
        return True
    if is_of_people:
        return False
    return bool(_OPENING.search(sentence) or (is_every_day and _WORKING.search(sentence)))

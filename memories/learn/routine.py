"""What comes round, but is no date to be told of: opening hours, and what a machine does every day."""

from __future__ import annotations

import re

from memories.text.future import Coming

_OPENING = re.compile(
    r"\b(?:opens?|closes|closed|(?:opening|office|business) hours|reachable|staffed)\b", re.IGNORECASE
)
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

    "We open the pool on Mondays" is somebody's day; "the pool is open on Mondays" is the pool's.
    """
    is_every_week = bool(coming.rule or _DAYS_OF_THE_WEEK.fullmatch(coming.text))
    if not is_every_week or _OF_PEOPLE.search(sentence):
        return False
    is_every_day = coming.rule.startswith("FREQ=DAILY") and "INTERVAL" not in coming.rule
    return bool(_OPENING.search(sentence) or (is_every_day and _WORKING.search(sentence)))

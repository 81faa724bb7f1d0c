"""Read what a user's message says is to come, when it recurs, and what is only routine. Stores nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from itertools import groupby
from operator import itemgetter

from memories.language.dates.future import Coming, find_coming
from memories.language.dates.recurrence import first_day
from memories.language.dates.words import is_of_every_year
from memories.language.messages import sentence_around, strip_fenced
from memories.language.secrets import redact, strip_private
from memories.learn.non_commitments import first_break, is_no_commitment, without_old_days
from memories.learn.trigger_span import Days

_FROM = re.compile(r"(?:from|starting|beginning)\b", re.IGNORECASE)
_FROM_BEFORE = re.compile(r"\b(?:starting|beginning|as of)(?: from)? \Z", re.IGNORECASE)
_UNTIL = re.compile(r"(?:until|till?|through)\b", re.IGNORECASE)
_TO = re.compile(r"\b(?:to|until|till?|through)\b|[-–]", re.IGNORECASE)
_BESIDE = re.compile(r",? ?(?:(?:starting|beginning|as of)(?: from)? )?", re.IGNORECASE)
_BEHIND_THE_FIRST = re.compile(r"(?: on(?:wards?)?)?,? ", re.IGNORECASE)
_SENTENCE_BEGINS = re.compile(
    r"(?:\A|[.!?\n])[\s\"'*-]*(?:and |but |so )?(?:(?:starting|beginning|as of)(?: from)? )?\Z", re.IGNORECASE
)
READ_BEFORE = 40
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
MESSAGE_CHARACTERS = 500
TEXT_CHARACTERS = 200
READ_CHARACTERS = 50_000
# Of a longer text the end is not read either: a secret that was cut in two does not look like one.
CUT_CHARACTERS = 5_000


def within_bounds(text: str, comings: Sequence[Coming]) -> list[Coming]:
    """Return the times of a sentence in which one thing comes round from some day on or until one.

    Its bounds then, and none of their own.
    """
    rounds = [coming for coming in comings if coming.rule]
    bounds = [
        coming for coming in comings if not coming.rule and len(rounds) == 1 and _is_bound_of(rounds[0], coming, text)
    ]
    return [_bounded(text, coming, bounds) if coming.rule else coming for coming in comings if coming not in bounds]


def _is_bound_of(coming: Coming, bound: Coming, text: str) -> bool:
    """Return whether it is right behind what comes round, or begins the sentence, in front of nothing else.

    "I am in Rome until Friday" in the same sentence is another matter.
    """
    if not (_begins(bound, text) or _UNTIL.match(bound.text)):
        return False
    if bound.start >= coming.end:
        return bool(_BESIDE.fullmatch(text[coming.end : bound.start]))
    between = _BEHIND_THE_FIRST.sub("", text[bound.end : coming.start], count=1)
    is_first = bool(_SENTENCE_BEGINS.search(text[max(0, bound.start - READ_BEFORE) : bound.start]))
    return is_first and " and " not in between and first_break(between) == len(between)


def _begins(bound: Coming, text: str) -> bool:
    before = text[max(0, bound.start - READ_BEFORE) : bound.start]
    return bool(_FROM.match(bound.text) or _FROM_BEFORE.search(before))


def _bounded(text: str, coming: Coming, bounds: Sequence[Coming]) -> Coming:
    for bound in bounds:
        if _begins(bound, text):
            coming = replace(coming, on=first_day(coming.rule, max(bound.on, coming.on)) or coming.on)
        end = bound.on if _UNTIL.match(bound.text) else bound.until if _TO.search(bound.text) else None
        if end and end >= coming.on and "UNTIL" not in coming.rule:
            coming = replace(coming, rule=f"{coming.rule};UNTIL={end:%Y%m%d}")
    return coming


def is_routine(sentence: str, coming: Coming) -> bool:
    """Return whether the sentence tells how something is on such days, and nobody has to think of it on the day.

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


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """Something to come, with the sentence that tells of it; `text` is the time as it was said."""

    message: str
    text: str
    clock_time: time | None
    days: Days


def read_events(statement: str, said_at: datetime) -> list[ToldEvent]:
    """Return what is to come, seen from `said_at`, in the order it is said. Linear, and bounded for long texts.

    What is denied, called off, asked, moved away or under a condition is not to come. What is fenced or private is not
    read, and secrets are not repeated.
    """
    text = unicodedata.normalize("NFC", strip_private(strip_fenced(statement)))
    # Most messages tell of nothing to come, and looking for secrets is what takes long.
    if not find_coming(without_old_days(text[:READ_CHARACTERS]), said_at):
        return []
    if len(text) <= READ_CHARACTERS:
        text = redact(text).text
    else:
        text = redact(text[: READ_CHARACTERS + CUT_CHARACTERS]).text[:-CUT_CHARACTERS]
    comings = find_coming(without_old_days(text), said_at)
    sentences = [(sentence_around(text, coming.start, coming.end, MESSAGE_CHARACTERS), coming) for coming in comings]
    settled = [
        (sentence, coming)
        for sentence, coming in sentences
        if not is_routine(sentence, coming) and not is_no_commitment(text, coming, sentence)
    ]
    return [
        ToldEvent(
            sentence,
            " ".join(coming.text.split())[:TEXT_CHARACTERS],
            coming.clock,
            Days(coming.on, coming.until, coming.rule),
        )
        for sentence, own in groupby(settled, key=itemgetter(0))
        for coming in within_bounds(text, [coming for _, coming in own])
    ]

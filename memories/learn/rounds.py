"""From when and until when something comes round: "every Monday until the end of August" is over then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.learn.unsettled import first_break
from memories.text.future import Coming
from memories.text.future.rules import first_day

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


def within_bounds(text: str, told: Sequence[Coming]) -> list[Coming]:
    """The times that a sentence tells, where one thing comes round from some day on or until one: these days are its
    bounds then, and none of their own.
    """
    rounds = [one for one in told if one.rule]
    bounds = [one for one in told if not one.rule and len(rounds) == 1 and _is_bound_of(rounds[0], one, text)]
    return [_bounded(text, one, bounds) if one.rule else one for one in told if one not in bounds]


def _is_bound_of(one: Coming, bound: Coming, text: str) -> bool:
    """Right behind what comes round, or where the sentence begins, in front of nothing else: "I am in Rome until
    Friday" in the same sentence is another matter.
    """
    if not (_begins(bound, text) or _UNTIL.match(bound.text)):
        return False
    if bound.start >= one.end:
        return bool(_BESIDE.fullmatch(text[one.end : bound.start]))
    between = _BEHIND_THE_FIRST.sub("", text[bound.end : one.start], count=1)
    is_first = bool(_SENTENCE_BEGINS.search(text[max(0, bound.start - READ_BEFORE) : bound.start]))
    return is_first and " and " not in between and first_break(between) == len(between)


def _begins(bound: Coming, text: str) -> bool:
    before = text[max(0, bound.start - READ_BEFORE) : bound.start]
    return bool(_FROM.match(bound.text) or _FROM_BEFORE.search(before))


def _bounded(text: str, one: Coming, bounds: Sequence[Coming]) -> Coming:
    for bound in bounds:
        if _begins(bound, text):
            one = replace(one, on=first_day(one.rule, max(bound.on, one.on)) or one.on)
        end = bound.on if _UNTIL.match(bound.text) else bound.until if _TO.search(bound.text) else None
        if end and end >= one.on and "UNTIL" not in one.rule:
            one = replace(one, rule=f"{one.rule};UNTIL={end:%Y%m%d}")
    return one

"""What somebody takes back as they speak: "on Tuesday, no wait, Wednesday", "The port is 8080. Scratch that, 8081."

The new value takes the place of the last one of its kind: a day of a day, a clock time of a clock time, a figure of a
figure, a name of a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.providers.llm.rules.questions import opens_question
from memories.text.temporal.words import MONTHS, WEEKDAYS

REACH = 3
"""Sentences; what was said before that is not taken back without being named."""
MAX_CHARACTERS = 160
_MONTH = rf"(?:{'|'.join(month for month in MONTHS if len(month) > 3 or month == 'may')})"
_WEEKDAY = rf"(?:{'|'.join(day for day in WEEKDAYS if len(day) > 4)})s?"
_DAY = rf"(?:{_WEEKDAY}(?:(?:, | and |, and ){_WEEKDAY}){{0,4}}|today|tonight|tomorrow)"
"""Of "Mondays and Wednesdays" all is taken back."""
_DATE = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)(?: (?:of )?{_MONTH})?|\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
)
_KINDS = {
    "day": re.compile(rf"\b(?:{_DATE}|{_DAY})\b", re.IGNORECASE),
    "clock": re.compile(
        r"\b(?:\d{1,2}[:.]\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]m|noon|midnight|half (?:past )?\w+|quarter (?:past|to) \w+)\b"
        r"|(?<=\bat )\d{1,2}\b(?![.:%]?\d)",
        re.IGNORECASE,
    ),
    "month": re.compile(rf"\b{_MONTH}\b", re.IGNORECASE),
    "figure": re.compile(
        r"(?<![\w.:-])[$€£]?\d[\d.,]*%?(?![\w:-])|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
        re.IGNORECASE,
    ),
    "name": re.compile(r"(?<=[\w,] )(?!I\b|I')[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2}"),
}
_WHOLE = {
    **_KINDS,
    "clock": re.compile(_KINDS["clock"].pattern.split("|(?<=")[0], re.IGNORECASE),
    "name": re.compile(r"(?!I\b|I')[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2}"),
}
"""The same where nothing stands before."""
_AROUND_VALUE = re.compile(
    r"^(?:(?:it|that|this)(?:'s| is| was| should be)? |they(?:'re| are) |make (?:it|that) |on |at |in |to |for |by )*"
    r"(?P<value>.{1,40}?)(?: (?:now|actually|instead|please|then|of course))?$",
    re.IGNORECASE,
)
_NOUN_BEHIND = re.compile(r"^(?P<value>\S+)(?P<noun> [a-z]+)$")
_SLIP = re.compile(
    r"^(?P<said>.{6,160}?)\s*(?:[,;–—-]|\.\.\.|…)+\s*(?:oh,? |er+m?,? |uh+,? |ah,? |sorry,? |no,? )*"
    r"(?:I meant?|no wait|wait no|wait|hang on|scratch that|strike that|make that|make it|or rather|correction|sorry)\b"
    r"[\s,:;–—-]+(?P<right>.{1,40})$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Slip:
    """`text` says it right, `wrong` is what stood there, `at` the place of its sentence among those that were given."""

    text: str
    wrong: str
    at: int = 0


def mend_slip(text: str) -> str:
    """The sentence as it was meant, where its speaker takes a part of it back; else as it is."""
    match = _SLIP.match(text)
    meant = put_right(match["right"], [match["said"]]) if match else None
    return meant.text if meant else text


def put_right(right: str, said: Sequence[str]) -> Slip | None:
    """The last sentence of those that were said with a value of the kind that is set right; None without one."""
    match = _AROUND_VALUE.match(right.strip(" ,.;"))
    value = match["value"] if match else ""
    for kind in [name for name in _KINDS if _is_of(name, value)]:
        for at in range(len(said) - 1, max(len(said) - 1 - REACH, -1), -1):
            if len(said[at]) > MAX_CHARACTERS or opens_question(said[at]):
                continue
            wrong = list(_KINDS[kind].finditer(said[at]))
            if wrong and wrong[-1][0].lower() != value.lower():
                return Slip(_replaced(said[at], wrong[-1], value), wrong[-1][0], at)
    return None


def _is_of(kind: str, value: str) -> bool:
    with_noun = _NOUN_BEHIND.match(value) if kind == "figure" else None
    return bool(_WHOLE[kind].fullmatch(with_noun["value"] if with_noun else value))


def _replaced(said: str, wrong: re.Match[str], value: str) -> str:
    """ "For 6" and "8 people" are "for 8 people", "6 people" and "8 people" are, too."""
    behind = said[wrong.end() :]
    with_noun = _NOUN_BEHIND.match(value)
    if with_noun and behind.lower().startswith(with_noun["noun"].lower()):
        value = with_noun["value"]
    return said[: wrong.start()] + value + behind

"""What a user's message says is called off. Reads; stores nothing.

Only what is said of one thing without any doubt counts: what is brought up needlessly costs a line, and what is not
brought up may cost a flight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from memories.learn.coming import READ_CHARACTERS
from memories.learn.unsettled import first_break, is_asked, last_break
from memories.text.fence import strip_fenced
from memories.text.future import find_coming
from memories.text.overlap import used_share
from memories.text.secrets import strip_private
from memories.text.sentence import sentence_around
from memories.text.temporal import find_windows

MOST_OF_A_MESSAGE = 10
READ_AROUND = 300
_OFF = re.compile(
    r"(?:\b(?:is|are|was|were|been|got)|['’]s) (?:(?:now|just|already|also|sadly|unfortunately) )?"
    r"(?:cancell?ed|called off)\b"
    r"|\bfell through\b"
    r"|(?:\b(?:is|are) not|\b(?:is|are)n['’]t) (?:happening|taking place)\b(?: (?:any ?more|after all))?"
    r"|\b(?:I|we|they|he|she)(?: have| had to|['’]ve)? (?:just )?(?:cancell?ed|called off)\b",
    re.IGNORECASE,
)
_DOUBTFUL = re.compile(
    r"\b(?:not|never|no|hardly|may|might|could|would|should|will|if|unless|whether|when|until|almost|nearly|maybe|"
    r"perhaps|probably|once|other|another|any|some|every|each|all)\b|n['’]t\b",
    re.IGNORECASE,
)
_REMINDER = re.compile(
    r"\b(?:please )?(?:remind me|(?:do not|don['’]t) forget|remember|note)(?: (?:of|about|that|to))?\b", re.IGNORECASE
)
_OWNERS = re.compile(r"\b(?:his|her|their|your|its)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`days` are those that were named with it, None if none was."""

    matter: str
    days: frozenset[date] | None

    def is_said_of(self, message: str, time: str, on: date) -> bool:
        """Whether a message that tells what is to come on a day tells of the same, in whatever forms of its words."""
        if self.days is not None and on not in self.days:
            return False
        matter = _REMINDER.sub(" ", message.replace(time, " "))
        is_same = used_share(matter, self.matter) == used_share(self.matter, matter) == 1.0
        return is_same and _owners(matter) == _owners(self.matter)


def read_called_off(said: str, said_at: datetime) -> list[CalledOff]:
    """In the order it is said. Linear; of a long text the beginning is read, and of one that says much, nothing."""
    if not _OFF.search(said):
        return []
    text = strip_private(strip_fenced(said))[:READ_CHARACTERS]
    places = list(_OFF.finditer(text))
    read = [_read(text, place, said_at) for place in places] if len(places) <= MOST_OF_A_MESSAGE else []
    return [one for one in read if one]


def _read(text: str, place: re.Match[str], said_at: datetime) -> CalledOff | None:
    """None where it is doubtful what is called off, or whether, or on which day."""
    start, end = place.span()
    before, behind = text[max(0, start - READ_AROUND) : start], text[end : end + READ_AROUND]
    matter = f"{before[last_break(before) :]} | {behind[: first_break(behind)]}"
    sentence = sentence_around(text, start, end, 2 * READ_AROUND)
    if _DOUBTFUL.search(matter) or is_asked(sentence) or sentence.endswith("?"):
        return None
    comings, times = find_coming(matter, said_at), find_windows(matter, said_at)
    if any(one.rule for one in comings) or (times and not comings):
        return None
    for one in reversed(comings):
        matter = f"{matter[: one.start]} {matter[one.end :]}"
    return CalledOff(matter, frozenset(one.on for one in comings) or None)


def _owners(text: str) -> set[str]:
    return {word.lower() for word in _OWNERS.findall(text)}

"""What a user's message says is to come. Reads; stores nothing."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, time
from itertools import groupby
from operator import itemgetter

from memories.learn.rounds import within_bounds
from memories.learn.routine import is_routine
from memories.learn.stretches import Days
from memories.learn.unsettled import is_unsettled, without_old_days
from memories.text.fence import strip_fenced
from memories.text.future import find_coming
from memories.text.secrets import redact, strip_private
from memories.text.sentence import sentence_around

MESSAGE_CHARACTERS = 500
TEXT_CHARACTERS = 200
READ_CHARACTERS = 50_000
# Of a longer text the end is not read either: a secret that was cut in two does not look like one.
CUT_CHARACTERS = 5_000


@dataclass(frozen=True, slots=True)
class Told:
    """Something to come, with the sentence that tells of it; `text` is the time as it was said."""

    message: str
    text: str
    at: time | None
    days: Days


def read_told(said: str, said_at: datetime) -> list[Told]:
    """What is to come, seen from `said_at`, in the order it is said. Linear, and bounded for long texts.

    What is denied, called off, asked, moved away or under a condition is not to come. What is fenced or private is not
    read, and secrets are not repeated.
    """
    text = unicodedata.normalize("NFC", strip_private(strip_fenced(said)))
    # Most messages tell of nothing to come, and looking for secrets is what takes long.
    if not find_coming(without_old_days(text[:READ_CHARACTERS]), said_at):
        return []
    text = _redact_start(text)
    comings = find_coming(without_old_days(text), said_at)
    told = [(sentence_around(text, one.start, one.end, MESSAGE_CHARACTERS), one) for one in comings]
    settled = [
        (sentence, one)
        for sentence, one in told
        if not is_routine(sentence, one) and not is_unsettled(text, one, sentence)
    ]
    return [
        Told(sentence, " ".join(one.text.split())[:TEXT_CHARACTERS], one.at, Days(one.on, one.until, one.rule))
        for sentence, own in groupby(settled, key=itemgetter(0))
        for one in within_bounds(text, [one for _, one in own])
    ]


def _redact_start(text: str) -> str:
    if len(text) <= READ_CHARACTERS:
        return redact(text).text
    return redact(text[: READ_CHARACTERS + CUT_CHARACTERS]).text[:-CUT_CHARACTERS]

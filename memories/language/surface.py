"""How a memory's text looks: small facts that say whether it is likely to answer anything. One bit each."""

from __future__ import annotations

import re
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from memories.language.standing import has_standing
from memories.language.wordlists import ANIMALS, PERSONS, words


class Look(IntFlag):
    READ = 1
    FIRST_PERSON = 2
    PAST = 4
    NUMBERS = 8
    TIMES = 16
    NAMES = 32
    GREETING = 64
    ASKS = 128
    PERSONS = 256
    OF_ANOTHER = 512
    STANDING = 1024
    SPOKEN = 2048


# Raised whenever another look is seen in the same text: looks that were kept before count as not taken.
EDITION = 4
EDITION_STARTS_AT_BIT = 12
# Enough to see a form; a book would take long.
MAX_CHARACTERS = 5000


# Words that say it by themselves.
TELLING: dict[Look, frozenset[str]] = {
    Look.FIRST_PERSON: words("i my me we our mine"),
    Look.PAST: words("was were went got had did took made saw started bought found met"),
    Look.NUMBERS: words(
        "one two three four five six seven eight nine ten dozen couple several once twice first second third"
    ),
    Look.TIMES: words(
        "yesterday today tonight tomorrow ago last next week weeks weekend weekends month months year years day days "
        "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
        "september october november december recently since just soon"
    ),
    Look.PERSONS: PERSONS | words("mr mrs ms dr doctor teacher chair name named called"),
}
THIS_TIME = re.compile(r"\bthis (week|month|year|weekend|morning|summer|winter|spring|fall)\b")
# A word with a capital inside a sentence, something quoted, or two capitals.
NAMES = re.compile(r"[A-Z\"](?:(?<=[a-z,] [A-Z])[a-z]|(?<=\")[^\"]+\"|(?<=[A-Z])[A-Z])")
# Of statements, which are told in few words: times of day, weekdays in any form, spans; and names that no statement
# begins with because of how it is worded.
STATED_TIMES = re.compile(
    r"\b(?:\d{1,2}(?::\d\d| ?[ap]m)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\d+ ?(?:min|h|hrs?|[dwmy]|yrs?)"
    r"|may \d+|\d+ may|noon|midnight|mornings?|afternoons?|evenings?|nightly|daily|weekly|monthly|yearly|hours?"
    r"|minutes?|seconds?|until)\b"
)
STATED_NAMES = re.compile(
    r"(?<=[\w,;:\"] )(?!User\b|Assistant\b|I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March"
    r"|April|May|June|July|August|September|October|November|December)\b)[A-ZÄÖÜ][a-zäöüß]+"
)
GREETING = re.compile(
    r"(hey|hi|hello|thanks|thank you|wow|yeah|cool|awesome|great|nice|congrats|sounds|haha|lol|ok|okay|oh|aw+"
    r"|that's|glad)\b"
)
OF_ANOTHER = re.compile(rf"(?:the )?user['’]s (?:[\w-]+ )?(?:{'|'.join(sorted(PERSONS | ANIMALS))})\b")
"""It begins with somebody whom the user has: "User's older brother lives in Oslo"."""
ASKS = re.compile(r"\W*?\?")
"""Of the text read backwards: forwards each question mark of many would be tried."""
WORD = re.compile(r"\w+")
STANDING_KINDS = words("preference lesson decision")


def kept_look(text: str, subject: str | None, kind: str = "") -> int:
    """Return the look of a memory's text as it is kept beside it, with its edition."""
    return EDITION << EDITION_STARTS_AT_BIT | look_of(text, subject, kind)


def looks_kept(stored: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the looks that were kept; 0 if none was, or by another edition."""
    editions, looks = np.divmod(stored, 1 << EDITION_STARTS_AT_BIT)
    return np.where(editions == EDITION, looks, 0)


def look_of(text: str, subject: str | None, kind: str = "") -> Look:
    """Return the look of the text without the "Subject: " that may lead it and without a bracketed note at its end.

    A text that is led so is spoken: a turn of talk. What of its `kind` stands until it is revoked is standing, however
    it is worded.
    """
    is_standing = kind in STANDING_KINDS or has_standing(text, subject)
    whole, text = text, text.removeprefix(f"{subject}: ")
    # The note, closed or not. No pattern: of many brackets each would be tried.
    note = text.rstrip().removesuffix("]")
    begins = note.find("[", note.rfind("]") + 1)
    body = (text if begins < 0 else text[:begins].rstrip())[-MAX_CHARACTERS:]
    small = body.lower()
    results = set(WORD.findall(small))
    numbers = list(filter(str.isdecimal, results))
    seen = {bit: not telling.isdisjoint(results) for bit, telling in TELLING.items()}
    seen[Look.PAST] |= any(word.endswith("ed") and word != "ed" for word in results)
    seen[Look.NUMBERS] |= bool(numbers)
    seen[Look.TIMES] |= 4 in map(len, numbers) or ("this" in results and bool(THIS_TIME.search(small)))
    seen[Look.NAMES] = bool(NAMES.search(body))
    seen[Look.GREETING] = bool(GREETING.match(small))
    seen[Look.ASKS] = bool(ASKS.match(body[::-1]))
    seen[Look.SPOKEN] = len(text) < len(whole)
    if not seen[Look.SPOKEN]:
        seen[Look.TIMES] |= bool(STATED_TIMES.search(small))
        seen[Look.NUMBERS] |= any(map(str.isdecimal, small))
        seen[Look.NAMES] = bool(STATED_NAMES.search(body))
    seen[Look.OF_ANOTHER] = bool(OF_ANOTHER.match(small))
    seen[Look.STANDING] = is_standing
    return Look(sum(bit for bit, holds in seen.items() if holds) | Look.READ)

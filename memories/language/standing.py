"""Standing statements in a text: instructions that go on and preferences, and the matter each of them is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memories.language.wordlists import read_patterns, words

READ_CHARACTERS = 6_000
"""Of the beginning and of the end of a text, so many: what is meant to last stands at either."""
LONGEST_STATEMENT = 600
MOST_PARTS = 3
"""Of so many statements of a text the matter is embedded."""
SHORT_TEXT = 300
"""In a text no longer, an order is meant to last whoever speaks; in longer ones it may be advice to a reader."""
NOT_USERS = words("assistant ai bot model chatbot agent system tool assistent asistente assistente")
USER_LABEL = re.compile(r"\A(?:user|human|me): ", re.IGNORECASE)
SENTENCE = re.compile(r"[^.!?。\n]+(?:[.!?](?=\S)[^.!?。\n]*)*[.!?。]*")
CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Standing:
    """Hold a standing statement, and the matter it names: the statement itself where it names none."""

    statement: str
    matter: str


_PARTS = read_patterns(Path(__file__).with_name("standing.tsv"))
ORDER, WISH, MATTER, OWN, REQUEST, RECALL = (
    _PARTS[name] for name in ("order", "wish", "matter", "own", "request", "recall")
)


def is_of_user(text: str, subject: str | None) -> bool:
    """Tell whether a text may be a user's: no "Assistant:" leads it, and it is not about one."""
    speaker = text[:40].partition(":")[0] if ":" in text[:40] else ""
    return NOT_USERS.isdisjoint({speaker.strip().lower(), (subject or "").strip().lower()})


def standing_parts(text: str, subject: str | None) -> Iterator[Standing]:
    """Yield the standing statements of a text that a user may have written, the first one first."""
    if not is_of_user(text, subject):
        return
    text = USER_LABEL.sub("", text.removeprefix(f"{subject}: "), count=1)
    is_short = len(text) <= SHORT_TEXT
    if len(text) > 2 * READ_CHARACTERS:
        text = f"{text[:READ_CHARACTERS]}\n{text[-READ_CHARACTERS:]}"
    if "```" in text:
        text = CODE.sub("\n", text)
    for match in SENTENCE.finditer(text):
        sentence = match[0].strip()[:LONGEST_STATEMENT]
        small = sentence.lower()
        begins = ORDER.match(small)
        if (begins and (is_short or OWN.search(small))) or WISH.search(small):
            yield Standing(sentence, matter_in(sentence, small))


def matter_in(sentence: str, small: str) -> str:
    """Return what follows the words that lead to the matter, or the sentence."""
    led = MATTER.search(small) if len(small) == len(sentence) else None
    matter = sentence[led.end() :].strip(" ,:.!?") if led else ""
    return matter if len(matter) > 3 else sentence


def has_standing(text: str, subject: str | None) -> bool:
    """Tell whether a text has a standing statement that a user may have made."""
    return next(standing_parts(text, subject), None) is not None


def embedded_matter(text: str, subject: str | None) -> str:
    """Return the matters of a text's standing statements, if its vector should say more of them than the text does."""
    parts = list(islice(standing_parts(text, subject), MOST_PARTS))
    if not parts or (all(part.matter == part.statement for part in parts) and len(text) <= SHORT_TEXT):
        return ""
    return ". ".join(dict.fromkeys(part.matter for part in parts))


def is_request(question: str) -> bool:
    """Tell whether it asks for help or advice, to which standing statements apply, rather than for what is known."""
    small = question[:READ_CHARACTERS].lower()
    return REQUEST.search(small) is not None and RECALL.search(small) is None

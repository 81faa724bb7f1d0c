"""A conversation in two to four of its own sentences: what was asked, decided, found out, in the order it was said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from math import inf

from memories.providers.llm.provider import Written
from memories.providers.llm.rules import telling_words as cues
from memories.providers.llm.rules.likeness import overlap
from memories.providers.llm.rules.listening import listen
from memories.providers.llm.rules.plain import cut_words, one_line
from memories.providers.llm.rules.telling import Utterance, score
from memories.text.messages import ASSISTANT, USER, Message
from memories.text.relate.language import is_english
from memories.text.unspaced import WIDE

MOST_SENTENCES = 4
ALIKE = 0.6
"""Sentences that share more of the shorter's words tell one thing twice."""
REPEATED = 0.75
"""An answer with so much of a question's words makes the question needless."""
TELLING = 2.2
"""Where no sentence of English reaches this, the conversation was chatter."""
WORTH_ADDING = 1.7
WORTH_OPENING = 1.0
LEANING = 1.3
"""Points lost by "It …" and "So …" where the sentence before is not told."""
OPENING_MESSAGES = 4
OPENING_SHARE = 0.45
"""What was asked for is left out rather than filling more of the digest than this."""
LEAST_MATTER = 3
LANGUAGE_SAMPLE = 20
"""Sentences by which a conversation's language is told."""
LONGEST_NAME = 40
DATE_CHARACTERS = len(" (2025-03-04)")

_LETTERS = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(f"[{WIDE}\u3001-\u3020\uff01-\uff60]")
_DAY = re.compile(r"\b(yesterday|today|tonight|tomorrow)(?:['’]s)?\b(?! \()", re.IGNORECASE)
_DAYS_AWAY = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}


def digest(messages: Sequence[Message], now: datetime, max_characters: int) -> Written:
    """Its most telling sentences with their speakers; "" for chatter. 2,000 messages take about 0.15 seconds.

    "yesterday" is given its date, counted from when the message was said, or from `now`. Where not even the most
    telling sentence fits, its first words are told, with "…".
    """
    said = list(listen(messages))
    chosen = _choose(said, len(messages), max_characters)
    text = _write(chosen, messages, now)
    return Written(cut_words(text, max_characters))


def _choose(said: Sequence[Utterance], count: int, max_characters: int) -> list[Utterance]:
    """What tells most and fits, and before it what was asked for, unless the answer says it too; in order."""
    spread = Counter(word for one in said for word in one.gist.words)
    points = [score(one, spread, len(said)) for one in said]
    if max(points, default=-inf) < (TELLING if _is_english(said) else WORTH_ADDING):
        return []
    points = [own + _ends(one, count) if own >= WORTH_ADDING else own for own, one in zip(points, said, strict=True)]
    opening = _find_opening(said, points)
    if opening is None or _cost(said[opening]) > max_characters * OPENING_SHARE:
        chosen = _pick(said, points, max_characters, MOST_SENTENCES)
    else:
        rest = [*points[:opening], -inf, *points[opening + 1 :]]
        chosen = _pick(said, rest, max_characters - _cost(said[opening]), MOST_SENTENCES - 1)
        if not any(_answers(one, said[opening]) for one in chosen):
            chosen.append(said[opening])
    chosen = chosen or [said[points.index(max(points))]]
    return sorted(chosen, key=lambda one: (one.message, one.place))


def _is_english(said: Sequence[Utterance]) -> bool:
    """Of other languages we know no cues, so that less has to do."""
    sample = " ".join(one.text for one in said[:LANGUAGE_SAMPLE]).casefold()
    return is_english(_LETTERS.findall(sample))


def _ends(one: Utterance, count: int) -> float:
    """How a conversation ended counts for more."""
    return float(3 < count <= one.message + 3)


def _find_opening(said: Sequence[Utterance], points: Sequence[float]) -> int | None:
    """The place of the best sentence in the first message of a user that has matter."""
    opens = [at for at, one in enumerate(said) if one.speaker == USER and _has_matter(one)]
    first = [at for at in opens if said[at].message == said[opens[0]].message < OPENING_MESSAGES]
    best = max(first, key=lambda at: (points[at] + said[at].is_request, -at), default=None)
    return best if best is not None and points[best] + said[best].is_request >= WORTH_OPENING else None


def _has_matter(one: Utterance) -> bool:
    return not one.is_empty and one.gist.size >= LEAST_MATTER


def _answers(one: Utterance, question: Utterance) -> bool:
    """Whether it repeats what was asked for, so that nothing is lost without the question."""
    common = len(one.gist.words & question.gist.words) + len(one.gist.figures & question.gist.figures)
    return common >= REPEATED * question.gist.size


def _pick(said: Sequence[Utterance], points: Sequence[float], room: int, most: int) -> list[Utterance]:
    """One after another the best that fits and is new; what leans on a sentence before it counts less without that."""
    at_hand = [at for at in range(len(said)) if points[at] >= WORTH_ADDING]
    chosen: list[int] = []
    while len(chosen) < most:
        at_hand = [at for at in at_hand if _cost(said[at]) <= room and not _is_like_any(said, at, chosen[-1:])]
        if not at_hand:
            break
        best = max(at_hand, key=lambda at: (points[at] - LEANING * _hangs(said, at, chosen), at))
        chosen.append(best)
        room -= _cost(said[best])
    return [said[at] for at in chosen]


def _is_like_any(said: Sequence[Utterance], at: int, chosen: Sequence[int]) -> bool:
    return any(at == other or overlap(said[at].gist, said[other].gist) >= ALIKE for other in chosen)


def _hangs(said: Sequence[Utterance], at: int, chosen: Sequence[int]) -> bool:
    """Whether it leans on the sentence before, and that is not told."""
    return said[at].leans and not (at - 1 in chosen and said[at - 1].message == said[at].message)


def _cost(one: Utterance) -> int:
    return len(_label(one)) + len(one.text) + DATE_CHARACTERS * bool(_DAY.search(one.text)) + 2


def _label(one: Utterance) -> str:
    if one.is_request:
        return f"{_speaker(one)} asked: "
    return f"{_speaker(one)}: "


def _speaker(one: Utterance) -> str:
    if one.speaker in (USER, ASSISTANT):
        return one.speaker.capitalize()
    return cut_words(one_line(one.speaker), LONGEST_NAME) or "Someone"


def _write(chosen: Sequence[Utterance], messages: Sequence[Message], now: datetime) -> str:
    pieces: list[str] = []
    speaker = ASSISTANT if chosen and _is_plain(chosen[0]) else ""
    for one in chosen:
        text = cues.COURTESY.sub("", one.text, count=1) if one.is_request else one.text
        text = _closed(_with_date(text or one.text, messages[one.message].at, now), one)
        pieces.append(text if one.speaker == speaker and not one.is_request else _label(one) + text)
        speaker = one.speaker
    return " ".join(pieces)


def _is_plain(one: Utterance) -> bool:
    """Whether it does not matter which of the two said it."""
    return one.speaker == ASSISTANT and not cues.FIRST_PERSON.search(one.text)


def _closed(text: str, one: Utterance) -> str:
    """With the mark at its end that reading took off; a request that lost its "could you" is no question any more."""
    is_wide = bool(_WIDE.match(text[-1:]))
    if one.is_question and text.startswith(one.text[:1]):
        return text + ("？" if is_wide else "?")
    return text if text.endswith("…") else text + ("。" if is_wide else ".")


def _with_date(text: str, at: datetime | None, now: datetime) -> str:
    """The first "yesterday" and the like with the day it was."""

    def dated(match: re.Match[str]) -> str:
        try:
            moment = at.astimezone(now.tzinfo) if at and at.tzinfo and now.tzinfo else at or now
            day = moment + timedelta(days=_DAYS_AWAY[match[1].lower()])
        except OverflowError:
            return match[0]
        return f"{match[0]} ({day:%Y-%m-%d})"

    return _DAY.sub(dated, text, count=1)

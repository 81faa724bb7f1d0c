"""A conversation in a few sentences of the third person: facts, decisions and outcomes, in the order they were said."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from math import inf

from memories.providers.llm.provider import Chunk, Fact, Setting, Written
from memories.providers.llm.rules import telling_words as cues
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.likeness import gist_of, overlap
from memories.providers.llm.rules.listening import listen
from memories.providers.llm.rules.person import to_third_person
from memories.providers.llm.rules.plain import cut_words, one_line
from memories.providers.llm.rules.telling import Utterance, score
from memories.providers.llm.rules.verbs import is_base
from memories.providers.llm.rules.wording import begin_sentence, word
from memories.providers.relation import Judge
from memories.text.messages import ASSISTANT, USER, Message
from memories.text.relate.language import is_english
from memories.text.unspaced import WIDE

MOST_SENTENCES = 6
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
LEAST_MATTER = 3
FACT = 1.5
"""Points more for what is a fact, and half a point for each step of its importance above the usual one."""
USUAL_IMPORTANCE = 3
MOST_READ_FOR_FACTS = 60
"""Messages, the most telling ones. Each takes about 10 milliseconds."""
EARLIER_MESSAGES = 3
"""So far back an answer may repeat what it answers to."""
TEAM = "the team"
LANGUAGE_SAMPLE = 20
"""Sentences by which a conversation's language is told."""
LONGEST_NAME = 40

_LETTERS = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(f"[{WIDE}\u3001-\u3020\uff01-\uff60]")
_DAY = re.compile(r"\b(yesterday|today|tonight|tomorrow)(?:['’]s)?\b(?! \()", re.IGNORECASE)
_DAYS_AWAY = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}


def digest(messages: Sequence[Message], now: datetime, max_characters: int, judge: Judge = "rules") -> Written:
    """Its most telling facts and sentences; "" for chatter. 2,000 messages take about a second.

    "yesterday" is given its date, counted from when the message was said, or from `now`. Where not even the most
    telling sentence fits, its first words are told, with "…". Languages other than English are told in the words that
    were said, with their speakers.
    """
    said = list(listen(messages))
    points = _weigh(said, len(messages))
    if is_english := _is_english(said):
        said, points = _tell(said, points, _find_facts(said, points, messages, now, judge))
    else:
        said = [replace(one, text=_label(one) + one.text) for one in said]
    if max(points, default=-inf) < (TELLING if is_english else WORTH_ADDING):
        return Written("")
    said = [replace(one, text=_with_date(one.text, messages[one.message].at, now)) for one in said]
    return Written(cut_words(_join(_choose(said, points, max_characters)), max_characters))


def _weigh(said: Sequence[Utterance], count: int) -> list[float]:
    spread = Counter(word for one in said for word in one.gist.words)
    points = [score(one, spread, len(said)) for one in said]
    return [own + _ends(one, count) if own >= WORTH_ADDING else own for own, one in zip(points, said, strict=True)]


def _find_facts(
    said: Sequence[Utterance], points: Sequence[float], messages: Sequence[Message], now: datetime, judge: Judge
) -> list[Fact]:  # fmt: skip
    """The facts of the most telling messages; `message` is the place in `messages`."""
    sentences: defaultdict[int, list[str]] = defaultdict(list)
    best: defaultdict[int, float] = defaultdict(lambda: -inf)
    for one, own in zip(said, points, strict=True):
        sentences[one.message].append(_closed(one))
        best[one.message] = max(own, best[one.message])
    places = sorted(sorted(best, key=lambda place: -best[place])[:MOST_READ_FOR_FACTS])
    read = (
        replace(messages[place], content=" ".join(sentences[place]), at=_local(messages[place].at, now))
        for place in places
    )
    facts = extract(Chunk(tuple(read), now), Setting(), judge)
    return [replace(fact, message=places[fact.message], content=one_line(fact.content)) for fact in facts]


def _tell(
    said: Sequence[Utterance], points: Sequence[float], facts: Sequence[Fact]
) -> tuple[list[Utterance], list[float]]:
    """Each sentence in the third person, or the facts that it states; without what only repeats what was said."""
    told: list[Utterance] = []
    weights: list[float] = []
    for one, own in zip(said, points, strict=True):
        stated = [fact for fact in facts if fact.message == one.message and _is_from(fact, one)]
        for line, gain in _lines(one, own, stated):
            if not _is_restated(line, one, told):
                told.append(line)
                weights.append(own + gain)
    return told, weights


def _lines(one: Utterance, own: float, stated: Sequence[Fact]) -> Iterator[tuple[Utterance, float]]:
    """What is told of a sentence, and the points that it gains by being told so."""
    for fact in stated:
        gain = FACT + (fact.importance - USUAL_IMPORTANCE) / 2
        yield replace(one, text=fact.content, gist=gist_of(fact.content), is_question=False), gain
    if not stated and one.is_request:
        yield _as_asked(one), 0.0
    elif not stated and own >= WORTH_ADDING:
        yield replace(one, text=_in_third_person(one)), 0.0


def _is_from(fact: Fact, one: Utterance) -> bool:
    quote, sentence = _letters_of(fact.quote), _letters_of(one.text)
    return bool(quote and sentence) and (quote in sentence or sentence in quote)


def _letters_of(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _in_third_person(one: Utterance) -> str:
    """What was said, told by somebody else. Where the grammar is not certain, in its own words with its speaker."""
    name = _speaker(one)
    if one.speaker in (USER, ASSISTANT):
        told = word(one.text, one.speaker, TEAM)
    else:
        told = begin_sentence(to_third_person(one.text, name, TEAM) or one.text)
    is_told = told.startswith(f'{name} said "') or not cues.FIRST_PERSON.search(told)
    return told if is_told else f'{name} said "{one.text}"'


def _as_asked(one: Utterance) -> Utterance:
    """ "Could you upgrade it?" → "User asked to upgrade it"."""
    text = cues.COURTESY.sub("", one.text, count=1) or one.text
    first, _, rest = text.partition(" ")
    if is_base(first.lower()) and (text != one.text or not one.is_question):
        return replace(one, text=f"{_speaker(one)} asked to {first.lower()} {rest}", is_question=False)
    return replace(one, text=f"{_speaker(one)} asked: {text}")


def _is_asked(one: Utterance) -> bool:
    return one.is_request or one.text.startswith(f"{_speaker(one)} asked")


def _is_restated(line: Utterance, one: Utterance, told: Sequence[Utterance]) -> bool:
    """Whether an assistant only repeats what somebody told it: "You live in Lisbon", "So releases are on Mondays"."""
    if one.speaker != ASSISTANT or one.is_question:
        return False
    others = [other for other in told if other.speaker != ASSISTANT]
    if line.text.startswith("User"):
        return line.gist.figures <= {figure for other in others for figure in other.gist.figures}
    return any(_repeats(line, other) for other in others if one.message - EARLIER_MESSAGES <= other.message)


def _repeats(line: Utterance, other: Utterance) -> bool:
    is_new = line.gist.figures > other.gist.figures
    return not _is_asked(other) and not is_new and overlap(line.gist, other.gist) >= ALIKE


def _choose(said: Sequence[Utterance], points: Sequence[float], max_characters: int) -> list[Utterance]:
    """What tells most and fits, and, if there is room, what was asked for, unless the answer says it too; in order."""
    chosen = _pick(said, points, max_characters, MOST_SENTENCES)
    opening = _find_opening(said, points)
    room = max_characters - sum(map(_cost, chosen))
    is_new = opening is not None and not any(one is opening or _answers(one, opening) for one in chosen)
    if opening is not None and is_new and _cost(opening) <= room:
        chosen.append(opening)
    chosen = chosen or [said[points.index(max(points))]]
    return sorted(chosen, key=lambda one: (one.message, one.place))


def _is_english(said: Sequence[Utterance]) -> bool:
    """Of other languages we know no cues, so that less has to do."""
    sample = " ".join(one.text for one in said[:LANGUAGE_SAMPLE]).casefold()
    return is_english(_LETTERS.findall(sample))


def _ends(one: Utterance, count: int) -> float:
    """How a conversation ended counts for more."""
    return float(3 < count <= one.message + 3)


def _find_opening(said: Sequence[Utterance], points: Sequence[float]) -> Utterance | None:
    """The best sentence in the first message of a user that has matter."""
    opens = [at for at, one in enumerate(said) if one.speaker == USER and _has_matter(one)]
    first = [at for at in opens if said[at].message == said[opens[0]].message < OPENING_MESSAGES]
    best = max(first, key=lambda at: (points[at] + _is_asked(said[at]), -at), default=None)
    return said[best] if best is not None and points[best] + _is_asked(said[best]) >= WORTH_OPENING else None


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
    return len(one.text) + len("? ")


def _label(one: Utterance) -> str:
    return f"{_speaker(one)}: "


def _speaker(one: Utterance) -> str:
    if one.speaker in (USER, ASSISTANT):
        return one.speaker.capitalize()
    return cut_words(one_line(one.speaker), LONGEST_NAME) or "Someone"


def _join(chosen: Sequence[Utterance]) -> str:
    """With each label where the speaker changes."""
    speakers = ["", *(one.speaker for one in chosen)]
    return " ".join(
        _closed(one).removeprefix(_label(one) if one.speaker == before else "")
        for one, before in zip(chosen, speakers, strict=False)
    )


def _closed(one: Utterance) -> str:
    """With the mark at its end that reading took off; a request that lost its "could you" is no question any more."""
    is_wide = bool(_WIDE.match(one.text[-1:]))
    if one.is_question:
        return one.text + ("？" if is_wide else "?")
    return one.text if one.text.endswith("…") else one.text + ("。" if is_wide else ".")


def _local(at: datetime | None, now: datetime) -> datetime | None:
    """`at` in the time zone of `now`."""
    with suppress(OverflowError):
        return at.astimezone(now.tzinfo) if at and at.tzinfo and now.tzinfo else at
    return at


def _with_date(text: str, at: datetime | None, now: datetime) -> str:
    """The first "yesterday" and the like with the day it was."""

    def dated(match: re.Match[str]) -> str:
        try:
            day = (_local(at, now) or now) + timedelta(days=_DAYS_AWAY[match[1].lower()])
        except OverflowError:
            return match[0]
        return f"{match[0]} ({day:%Y-%m-%d})"

    return _DAY.sub(dated, text, count=1)

"""How telling a sentence of a conversation is: what was asked, decided, found out; not courtesy, plans or chatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from memories.providers.llm.rules import telling_words as cues
from memories.providers.llm.rules.likeness import Gist
from memories.text.messages import ASSISTANT

WEIGHTS = (
    (cues.DECIDED, 2.5), (cues.RESOLVED, 2.0), (cues.LASTING, 1.5), (cues.TROUBLED, 1.0), (cues.RULED, 0.7),
    (cues.TIMES, 0.7), (cues.HEDGED, -0.8), (cues.LOVELY, -1.5),
)  # fmt: skip
EMPTY = -4.0
OWN = 1.0
ASSISTANT_ASKS, USER_ASKS = -1.5, -0.8
NARRATED = -1.5
NUMBER, NAME = 0.6, 0.6
THEME = 1.5
FIRST_OF_MESSAGE = 0.3
TOO_SHORT, TOO_LONG = -2.0, -1.0
SHORTEST_WORDS, LONGEST_WORDS, FULL_MATTER = 4, 34, 8


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence, who said it, and the places of its message in the conversation and of itself in the message."""

    text: str
    speaker: str
    message: int
    place: int
    gist: Gist
    is_question: bool

    @property
    def is_empty(self) -> bool:
        return bool(cues.EMPTY.match(self.text))

    @property
    def leans(self) -> bool:
        """Whether it is hard to understand without the sentence before."""
        return bool(cues.LEANING.match(self.text))

    @property
    def is_request(self) -> bool:
        is_asked = self.is_question and not cues.ABOUT_ONESELF.match(self.text)
        return self.speaker != ASSISTANT and (is_asked or bool(cues.REQUEST.match(self.text)))


def score(said: Utterance, spread: Mapping[str, int], count: int) -> float:
    """Cues of English, and in any language: words that run through the conversation, names, numbers, length.

    `spread` says how many of the `count` sentences have a word. About 0 for chatter, 2 to 7 for what is telling.
    """
    total = sum(weight for cue, weight in WEIGHTS if cue.search(said.text))
    if said.speaker == ASSISTANT:
        total += ASSISTANT_ASKS * said.is_question + NARRATED * bool(cues.NARRATED.match(said.text))
    else:
        total += OWN * bool(cues.OWN.search(said.text)) + USER_ASKS * said.is_question
    total += NUMBER * bool(said.gist.figures) + NAME * bool(cues.CAPITALS.search(said.text))
    return total + EMPTY * said.is_empty + _theme(said.gist, spread, count) + _shape(said)


def _theme(gist: Gist, spread: Mapping[str, int], count: int) -> float:
    """0 to 1.5: how much of the conversation shares the sentence's words, on average."""
    if not gist.words or count < 2:
        return 0.0
    mean = sum(log(spread[word]) for word in gist.words) / len(gist.words)
    return THEME * mean / log(count)


def _shape(said: Utterance) -> float:
    """Up to 1 for matter; fragments and endless sentences count less."""
    length = said.text.count(" ") + 1
    matter = min(said.gist.size, FULL_MATTER) / FULL_MATTER
    if length < SHORTEST_WORDS and said.gist.size < SHORTEST_WORDS:
        return matter + TOO_SHORT
    return matter + TOO_LONG * (length > LONGEST_WORDS) + FIRST_OF_MESSAGE * (said.place == 0)

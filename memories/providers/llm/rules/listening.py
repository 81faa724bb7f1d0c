"""A conversation as the sentences of its people and agents; of a long one only what promises most is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memories.providers.llm.rules import telling_words as cues
from memories.providers.llm.rules.likeness import gist_of
from memories.providers.llm.rules.plain import one_line
from memories.providers.llm.rules.prose import read_sentences
from memories.providers.llm.rules.telling import Utterance
from memories.text.fence import strip_fenced
from memories.text.messages import SYSTEM, TOOL, USER, Message

MOST_READ_MESSAGES = 200
MOST_READ_CHARACTERS = 80_000
LEAST_SHARE = 400
"""Characters that are read of any message: two thirds from its beginning, the rest from its end."""

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MARKER = re.compile(r"[*_`]{0,3}\[(?:MEMORY|EVENT)(?::[^\[\]\n]{0,300})?\][*_`]{0,3}[ \t]*")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_INDENTED = re.compile(r"^(?: {4}|\t)(?!\s*(?:[-*•]|\d{1,3}[.)])\s).*$", re.MULTILINE)
_CODE_LIKE = re.compile(r"[!-~]{70,}|[{}<>]{2}|\\n|\w\.\w+\(|\A\S+ ?[=:]= ?\S|\A\S+ = \S")


def listen(messages: Sequence[Message]) -> Iterator[Utterance]:
    """Their sentences in order, without what is code, output, markup or put in by us."""
    places = [at for at, message in enumerate(messages) if message.role not in (SYSTEM, TOOL)]
    places = _most_promising(places, messages)
    share = max(LEAST_SHARE, MOST_READ_CHARACTERS // (len(places) or 1))
    for at in places:
        place = 0
        for part in _parts(messages[at].content, share):
            for sentence in read_sentences(part):
                text = cues.INTERJECTIONS.sub("", one_line(sentence.text).replace("`", ""), count=1)
                if text and not _CODE_LIKE.search(text):
                    yield Utterance(text, _speaker(messages[at]), at, place, gist_of(text), sentence.is_question)
                    place += 1


def _speaker(message: Message) -> str:
    return (message.speaker if message.role == USER else "") or message.role


def _most_promising(places: list[int], messages: Sequence[Message]) -> list[int]:
    """All of a short conversation; of a long one its two ends, and between them the messages that tell an outcome."""
    if len(places) <= MOST_READ_MESSAGES:
        return places
    ends = {*places[:10], *places[-20:]}
    tellers = sorted(places, key=lambda at: (-_promise(messages[at].content), -at))
    return sorted({*ends, *tellers[: MOST_READ_MESSAGES - len(ends)]})


def _promise(content: str) -> int:
    return len(cues.TELLING_WORDS.intersection(content[:LEAST_SHARE].lower().split()))


def _parts(content: str, share: int) -> list[str]:
    """The text that was said, in one piece, or the beginning and the end of it."""
    text = _LINK.sub(r"\1", _MARKER.sub("\n", _INDENTED.sub("", _CODE.sub("\n", strip_fenced(content)))))
    return [text] if len(text) <= share else [text[: share * 2 // 3], text[-share // 3 :].partition("\n")[2]]

"""The statements of a conversation that may be worth keeping, each with what speaks for it."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from memories.providers.llm.provider import Chunk
from memories.providers.llm.rules.agreements import read_agreement
from memories.providers.llm.rules.assistant import read_assistant
from memories.providers.llm.rules.candidate import CORRECTION, DECISION, STATEMENT, Candidate
from memories.providers.llm.rules.evidence import ENOUGH
from memories.providers.llm.rules.people import People
from memories.providers.llm.rules.prose import Sentence, read_sentences
from memories.providers.llm.rules.questions import is_made_up, is_role_play
from memories.providers.llm.rules.said import Scene, read_said
from memories.providers.llm.rules.user import read_user
from memories.providers.llm.rules.verbs import is_finite
from memories.text.messages import ASSISTANT, USER, Message

_TOOL_NOTE = re.compile(r"\[[A-Za-z][\w ]*(?:[:→ ][^\[\]\n]{0,400})?\](?!\()")
"""What an agent writes of its tools: "[Bash: pytest → 3 passed]"."""
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"(?<=[a-zé,'(;] )[A-Z][a-zà-ÿ]{2,}\b")
COVERED_FROM, COVERED_BY_RULE = 0.6, 0.45
HEAD = 2_000
"""Characters of a message that tell whether it is fiction."""


class Telling:
    """What was heard so far: all sentences, the last question, the people, and whether roles are played."""

    def __init__(self) -> None:
        self.earlier: list[str] = []
        self.asked = ""
        self.before = self.role = ""
        self.proposed: list[Sentence] = []
        self.names: dict[str, str] = {}
        self.people = People()
        self._in_role = False

    @property
    def previous(self) -> str:
        return self.earlier[-1] if self.earlier else ""

    def is_meant(self, message: Message) -> bool:
        """Whether a message is told in earnest; a role is played until somebody ends it."""
        head = message.content[:HEAD]
        if message.role == USER:
            return not is_role_play(head, self._in_role) and not is_made_up(head)
        return message.role == ASSISTANT and not self._in_role

    def hear(self, message: Message, sentences: list[Sentence]) -> None:
        if message.role == USER:
            self._in_role = is_role_play(message.content[:HEAD], self._in_role)
        self.before, self.role = message.content, message.role
        self.proposed = sentences if message.role == ASSISTANT else []
        if not sentences:
            return
        for name in _NAME.findall(message.content[:HEAD]):
            if not is_finite(name.lower()):
                self.names[name.lower()] = name
        self.earlier += [sentence.text for sentence in sentences]
        asked = [sentence.text for sentence in sentences if sentence.is_question]
        if message.role == ASSISTANT:
            self.asked = asked[-1] if sentences[-1].is_question else ""
        else:
            self.asked = asked[-1] if asked else sentences[-1].text
        for sentence in sentences:
            self.people.note(sentence.text)


@lru_cache(maxsize=4)
def find_candidates(chunk: Chunk) -> tuple[Candidate, ...]:
    """Every statement with any evidence, in order; those from 0.5 are worth keeping.

    The gate and the extraction ask for the same chunk one after the other; the second answer is remembered.
    """
    found: list[Candidate] = []
    told = Telling()
    for message in chunk.before:
        told.hear(message, _sentences(message))
    for place, message in enumerate(chunk.messages):
        sentences = _sentences(message)
        if told.is_meant(message):
            reply = next((later.content for later in chunk.messages[place + 1 : place + 2]), "")
            found += _read(message, sentences, place, told, reply)
        told.hear(message, sentences)
    return tuple(candidate for candidate in found if not _is_set_right(candidate, found))


def _read(message: Message, sentences: list[Sentence], place: int, told: Telling, reply: str) -> list[Candidate]:
    read = read_user if message.role == USER else read_assistant
    by_rule = list(read(sentences, message.content, place, told.earlier))
    asked = told.asked if told.role != message.role else ""
    scene = Scene(
        message.role, place, message.content, asked, told.previous, reply, told.before, told.people, told.names
    )
    agreed = read_agreement(message.content[:HEAD], told.proposed) if message.role == USER else ""
    if agreed:
        quote = message.content[sentences[0].start : sentences[0].end] if sentences else ""
        by_rule.insert(0, Candidate(agreed, place, quote, 0.8, "a decision", DECISION, is_final=True))
    ruled: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in by_rule:
        ruled[candidate.quote].append(candidate)
    said = read_said(sentences, scene, lambda text, quote: _is_covered(text, ruled[quote]))
    order = {
        message.content[sentence.start : sentence.end]: at for at, sentence in reversed(list(enumerate(sentences)))
    }
    return sorted([*by_rule, *said], key=lambda candidate: order.get(candidate.quote, 0))


def _is_covered(text: str, ruled: list[Candidate]) -> bool:
    """Whether most of the words are in statements that the rules found in the same sentence."""
    said = _stems(text)
    same = [other for other in ruled if other.score >= ENOUGH]
    kept = {stem for other in same for stem in _stems(other.text)}
    is_ruled = any(other.type != STATEMENT for other in same)
    return bool(kept) and len(said & kept) >= (COVERED_BY_RULE if is_ruled else COVERED_FROM) * len(said)


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.lower()) if len(word) > 2}


def _is_set_right(candidate: Candidate, found: list[Candidate]) -> bool:
    """Whether a later correction says the same with another value: "… is 5433" before "… is 5432, not 5433"."""
    said = set(_WORD.findall(candidate.text.lower()))
    return any(
        other.type == CORRECTION
        and other.message > candidate.message
        and said <= set(_WORD.findall(other.text.lower()))
        for other in found
    )


def _sentences(message: Message) -> list[Sentence]:
    """None of what tools or the system say."""
    if message.role not in {USER, ASSISTANT}:
        return []
    content = message.content
    if message.role == ASSISTANT and "[" in content:
        content = _TOOL_NOTE.sub(lambda match: "\n" * len(match.group()), content)
    return read_sentences(content)

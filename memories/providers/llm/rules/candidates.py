"""The statements of a conversation that may be worth keeping, each with what speaks for it."""

from __future__ import annotations

import re

from memories.providers.llm.provider import Chunk
from memories.providers.llm.rules.assistant import read_assistant
from memories.providers.llm.rules.candidate import CORRECTION, Candidate
from memories.providers.llm.rules.prose import Sentence, read_sentences
from memories.providers.llm.rules.questions import is_made_up, is_role_play
from memories.providers.llm.rules.user import read_user
from memories.text.messages import ASSISTANT, USER, Message

_TOOL_NOTE = re.compile(r"\[[A-Za-z][\w ]*(?:[:→ ][^\[\]\n]{0,400})?\](?!\()")
"""What an agent writes of its tools: "[Bash: pytest → 3 passed]"."""
_WORD = re.compile(r"\w+")
HEAD = 2_000
"""Characters of a message that tell whether it is fiction."""


def find_candidates(chunk: Chunk) -> list[Candidate]:
    """Every statement with any evidence, in order; those from 0.5 are worth keeping."""
    found: list[Candidate] = []
    earlier = [sentence.text for message in chunk.before for sentence in _sentences(message)]
    in_role = False
    for message in chunk.before:
        in_role = is_role_play(message.content[:HEAD], in_role) if message.role == USER else in_role
    for place, message in enumerate(chunk.messages):
        sentences = _sentences(message)
        if message.role == USER:
            in_role = is_role_play(message.content[:HEAD], in_role)
        if not in_role and message.role == USER and not is_made_up(message.content[:HEAD]):
            found += read_user(sentences, message.content, place, earlier)
        elif not in_role and message.role == ASSISTANT:
            found += read_assistant(sentences, message.content, place, earlier)
        earlier += [sentence.text for sentence in sentences]
    return [candidate for candidate in found if not _is_set_right(candidate, found)]


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

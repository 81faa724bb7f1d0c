"""The statements of a conversation that may be worth keeping, each with what speaks for it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from memories.providers.llm.provider import Chunk
from memories.providers.llm.rules.agreements import read_agreement
from memories.providers.llm.rules.assistant import read_assistant
from memories.providers.llm.rules.candidate import CORRECTION, DECISION, STATEMENT, Candidate
from memories.providers.llm.rules.conversation import HEAD, SPEAKER, Conversation
from memories.providers.llm.rules.evidence import ENOUGH
from memories.providers.llm.rules.ordered import without_ordered
from memories.providers.llm.rules.prose import Sentence, read_sentences
from memories.providers.llm.rules.said import is_regretted, weigh_said
from memories.providers.llm.rules.units import read_units
from memories.providers.llm.rules.user import read_unit, read_whole
from memories.providers.llm.rules.worth import weigh
from memories.providers.relation import Judge
from memories.text.messages import ASSISTANT, USER, Message

_TOOL_NOTE = re.compile(r"\[[A-Za-z][\w ]*(?:[:→ ][^\[\]\n]{0,400})?\](?!\()")
"""What an agent writes of its tools: "[Bash: pytest → 3 passed]"."""
_SPEAKER = re.compile(
    r"^(?!(?:note|update|edit|todo|reminder|question|answer|problem|error|warning|summary|context|goal|task|issue|fix|"
    r"hint|tip|status|result|hello|hi|hey|example|fact|remember|important|background|subject|user|assistant|system|me|"
    r"today|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|correction|also|and|but|so|name|plan)\b)"
    r"((?-i:[A-Z])[\w-]{1,30}(?: (?-i:[A-Z])[\w-]{1,30})?): (?=(?P<own>I\b|I['’]|[Mm]y\b|[Ww]e\b|[Oo]ur\b|im\b|i\b)?)",
    re.IGNORECASE | re.MULTILINE,
)
"""Whose line it is, in what several people say: "Bob: I am allergic to peanuts". One of them speaks of themselves."""
_WORD = re.compile(r"\w+")
COVERED_FROM, COVERED_BY_RULE = 0.6, 0.45


@lru_cache(maxsize=4)
def find_candidates(chunk: Chunk, judge: Judge = "rules") -> tuple[Candidate, ...]:
    """Every statement with any evidence, in order; those from 0.5 are worth keeping.

    The gate and the extraction ask for the same chunk one after the other; the second answer is remembered.
    """
    found: list[Candidate] = []
    heard = Conversation()
    for message in chunk.before:
        heard.hear(message, _sentences(message))
    last_said = next((one.content for one in chunk.before[-1:] if one.role == ASSISTANT), "")
    said_by = [
        (place, speaker, part)
        for place, message in enumerate(chunk.messages)
        for speaker, part in _by_speakers(message)
    ]
    for place, speaker, message in said_by:
        sentences = _sentences(message)
        is_meant = heard.is_meant(message)
        if is_meant:
            reply = next((later.content for later in chunk.messages[place + 1 : place + 2]), "")
            read = _read_user if message.role == USER else _read_assistant
            said = list(read(message, sentences, place, reply, heard))
            if judge == "learned" and message.role == USER:
                said = weigh(said, message, sentences, place, last_said)
            said = [
                replace(
                    one, group=heard.who_we_are(one.text, message.content).replace(SPEAKER, speaker), speaker=speaker
                )
                for one in said
            ]
            order = {message.content[one.start : one.end]: at for at, one in reversed(list(enumerate(sentences)))}
            found += sorted(said, key=lambda candidate: order.get(candidate.quote, 0))
        heard.hear(message, sentences, is_read=is_meant)
        last_said = message.content if message.role == ASSISTANT else ""
    return tuple(candidate for at, candidate in enumerate(found) if not _is_set_right(candidate, found[at + 1 :]))


def _by_speakers(message: Message) -> Iterator[tuple[str, Message]]:
    """(who says "I", what is said): of a user's message in which lines begin with a name, each name's."""
    starts = list(_SPEAKER.finditer(message.content)) if message.role == USER else []
    if not any(found["own"] for found in starts) or starts[0].start() > 0:
        yield (message.speaker if message.role == USER else "") or SPEAKER, message
        return
    ends = [found.start() for found in starts[1:]] + [len(message.content)]
    for found, end in zip(starts, ends, strict=True):
        yield found[1], replace(message, content=message.content[found.end() : end].strip())


def _read_user(
    message: Message, sentences: list[Sentence], place: int, reply: str, heard: Conversation
) -> Iterator[Candidate]:
    agreed = read_agreement(message.content[:HEAD], heard.proposed)
    if agreed:
        quote = message.content[sentences[0].start : sentences[0].end] if sentences else ""
        yield Candidate(agreed, place, quote, 0.8, "a decision", DECISION, is_final=True)
    rest: list[Sentence] = []
    own: list[str] = []
    told = list(without_ordered(sentences, heard.asked if heard.is_asked_by_other(USER) else ""))
    for sentence in sentences:
        if sentence not in told:
            heard.antecedents.people.note(sentence.text)
    for sentence in told:
        whole = read_whole(sentence, message.content[sentence.start : sentence.end], place, heard, own)
        own.append(sentence.text)
        if whole is None:
            rest.append(sentence)
        else:
            yield from whole
    for unit in read_units(rest, USER, heard):
        unit.is_regretted = is_regretted(reply)
        by_rule = read_unit(unit, place, message.content[unit.sentence.start : unit.sentence.end])
        if by_rule and by_rule.score >= ENOUGH:
            yield by_rule
            continue
        said = weigh_said(unit, message, place, reply, heard)
        yield by_rule if by_rule and by_rule.score > said.score else said


def _read_assistant(
    message: Message, sentences: list[Sentence], place: int, reply: str, heard: Conversation
) -> Iterator[Candidate]:
    ruled: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in read_assistant(sentences, message.content, place, heard.earlier):
        ruled[candidate.quote].append(candidate)
        yield candidate
    for unit in read_units(sentences, ASSISTANT, heard):
        said = weigh_said(unit, message, place, reply, heard)
        if not _is_covered(said.text, ruled[said.quote]):
            yield said


def _is_covered(text: str, ruled: list[Candidate]) -> bool:
    """Whether most of the words are in statements that the rules found in the same sentence."""
    said = _stems(text)
    same = [other for other in ruled if other.score >= ENOUGH]
    kept = {stem for other in same for stem in _stems(other.text)}
    is_ruled = any(other.type != STATEMENT for other in same)
    return bool(kept) and len(said & kept) >= (COVERED_BY_RULE if is_ruled else COVERED_FROM) * len(said)


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.lower()) if len(word) > 2}


def _is_set_right(candidate: Candidate, later: list[Candidate]) -> bool:
    """Whether a later correction says the same with another value: "… is 5433" before "… is 5432, not 5433"."""
    said = set(_WORD.findall(candidate.text.lower()))
    return any(other.type == CORRECTION and said <= set(_WORD.findall(other.text.lower())) for other in later)


def _sentences(message: Message) -> list[Sentence]:
    """None of what tools or the system say."""
    if message.role not in {USER, ASSISTANT}:
        return []
    content = message.content
    if message.role == ASSISTANT and "[" in content:
        content = _TOOL_NOTE.sub(lambda match: "\n" * len(match.group()), content)
    return read_sentences(content)

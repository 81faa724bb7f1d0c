"""Marks of a conversation inside a text, which would end the text and let it speak as somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator

Mark = tuple[int, int, str]
"""Start, end and reason."""

_TAGS = re.compile(
    r"<\|[a-z_0-9 ]{2,32}\|>"
    r"|\[/?inst\]|<</?sys>>"
    r"|</?\s{0,4}(?:memory-context|system(?:[-_](?:prompt|reminder|message|instructions?))?|assistant|tool_(?:result|call|response|use)s?"
    r"|function_(?:calls?|results?|response)|antml:\w{1,20}|start_of_turn|end_of_turn|invoke)(?=[\s>/])[^<>]{0,200}>"
    r"|<(?:start|end)_of_turn>"
)
_JSON_ROLE = re.compile(
    r"[\"']role[\"']\s{0,4}:\s{0,4}[\"'](?:system|assistant|developer|tool)[\"']\s{0,4},\s{0,4}[\"']content[\"']\s{0,4}:\s{0,4}"
    r"[\"'\[](?!\.\.\.|…|[\"'\]])"
)
_HEADING = re.compile(
    r"^#{2,4} ?(?:instructions?|system(?: prompt)?|response|assistant|human)[ \t]{0,4}:[ \t]{0,4}$", re.MULTILINE
)
_TURN = re.compile(
    r"^[ \t>*_]{0,6}(assistant|ai|ai assistant|chatbot|user|human|system)[*_]{0,2}[ \t]{0,2}:[*_]{0,2}[ \t]{0,4}",
    re.MULTILINE,
)
_SPEECH = re.compile(
    r"(?:sure|okay|ok|yes|of course|certainly|understood|i(?:'ll|'m|'ve)?|as you|done|here (?:is|are)|absolutely)\b"
)
_ORDER = re.compile(
    r"(?:you (?:are|must|will|should|have)|ignore|forget|disregard|override|from now on|the (?:assistant|user|ai|agent|"
    r"model)|new |always (?:reply|respond|answer|send)|do not|send|execute|run|reply|respond|enter)\b"
)
_ANSWERS, _ASKS = frozenset(("assistant", "ai", "ai assistant", "chatbot")), frozenset(("user", "human"))


def find_marks(plain: str) -> Iterator[Mark]:
    """`plain` in lower case. Linear."""
    for tag in _TAGS.finditer(plain):
        yield tag.start(), tag.end(), "holds a tag of a conversation's format"
    for pattern in (_JSON_ROLE, _HEADING):
        for match in pattern.finditer(plain):
            yield match.start(), match.end(), "holds a message in another role"
    yield from _find_turns(plain)


def _find_turns(plain: str) -> Iterator[Mark]:
    """ "Assistant: Sure, I will" and "User: … Assistant: …" are turns; "Assistant: Anna Meyer" alone is a fact."""
    turns = list(_TURN.finditer(plain))
    speakers = {turn[1] for turn in turns}
    is_dialogue = bool(speakers & _ANSWERS) and bool(speakers & _ASKS)
    for turn in turns:
        says = _SPEECH.match(plain, turn.end()) if turn[1] in _ANSWERS else None
        orders = _ORDER.match(plain, turn.end()) if turn[1] == "system" else None
        if says or orders or (is_dialogue and turn[1] in _ANSWERS):
            yield turn.start(), turn.end(), f"speaks as {turn[1]}"

"""Make a text ready to be read: code is left out, the ends of lines are kept, other languages read as English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from memories.text.future.foreign import language_of, translate
from memories.text.future.found import BREAK, Speech
from memories.text.temporal.tokens import Token, tokenize

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)


def read_speech(text: str, now: datetime) -> Speech:
    tokens = list(_with_breaks(text, tokenize(_CODE.sub(_blank, text))))
    language = language_of(tokens)
    return Speech(tokens if language == "en" else translate(tokens, language), now, language)


def _blank(code: re.Match[str]) -> str:
    """As many marks, which the tokenizer takes for code."""
    return "`" * len(code.group())


def _with_breaks(text: str, tokens: list[Token]) -> Iterator[Token]:
    """A line ends a thought unless the next one goes on in lower case."""
    if tokens:
        yield tokens[0]
    for before, token in pairwise(tokens):
        lines = text.count("\n", before.end, token.start)
        if lines > 1 or (lines and not token.text[0].islower()):
            yield Token("\n", BREAK, before.end, before.end, glued=False)
        yield token

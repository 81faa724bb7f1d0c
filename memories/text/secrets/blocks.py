"""Private keys as they stand in files: PEM, OpenSSH, PGP and PuTTY blocks, whole or cut off at either end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.secrets.found import Found

KIND = "private key"
MAX_BLOCK_CHARS = 20_000
_NAME = r"[A-Z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d)"
_BEGIN = re.compile(rf"-----?BEGIN {_NAME}-----?|---- BEGIN {_NAME} ----")
_END = re.compile(rf"-----?END {_NAME}-----?|---- END {_NAME} ----")
_GAP = r"(?:[\s\"'+,>|]|\\[nr]){0,40}+"
_HEADER = rf"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ?[^\n\\]{{0,200}}{_GAP})"
_BODY = re.compile(
    rf"{_GAP}{_HEADER}{{0,6}}(?:[0-9A-Za-z+/=]{{16,}}+{_GAP})++(?:[0-9A-Za-z+/]{{1,64}}={{1,2}}(?![\w=]))?"
)
_RUN = re.compile(r"[0-9A-Za-z+/]{16}")
_PUTTY = re.compile(r"(Private-Lines: ?\d{1,3}\s{1,4})((?:[0-9A-Za-z+/=]{4,100}(?:\s{1,4}|\Z))+)")


def find_blocks(text: str) -> Iterator[Found]:
    """A header without any of its key is only talked about."""
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        done = _end_of(text, begin)
        if done > begin.end():
            yield Found(begin.start(), done, KIND)
    yield from _headless(text)
    for match in _PUTTY.finditer(text):
        yield Found(match.start(2), match.start(2) + len(match[2].rstrip()), KIND)


def _end_of(text: str, begin: re.Match[str]) -> int:
    """The end of the block, or of `begin` when no key follows."""
    limit = begin.end() + MAX_BLOCK_CHARS
    end = _END.search(text, begin.end(), limit)
    following = _BEGIN.search(text, begin.end(), end.start() if end else limit)
    if end and not following and _RUN.search(text, begin.end(), end.start()):
        return end.end()
    body = _BODY.match(text, begin.end(), following.start() if following else limit)
    if body is None:
        return begin.end()
    return begin.end() + len(body.group().rstrip(" \t\r\n\"',+>|"))


def _headless(text: str) -> Iterator[Found]:
    """The lines before an end whose beginning is cut off."""
    done = 0
    for end in _END.finditer(text):
        start = max(done, end.start() - MAX_BLOCK_CHARS)
        lines = _lines_before(text, start, end.start())
        if lines < end.start() and _RUN.search(text, lines, end.start()):
            yield Found(lines, end.end(), KIND)
        done = end.end()


def _lines_before(text: str, start: int, end: int) -> int:
    """Where the unbroken lines of base64 before `end` begin."""
    place = end
    while place > start:
        line_start = text.rfind("\n", start, place - 1) + 1 or start
        if not re.fullmatch(r"[0-9A-Za-z+/=]{4,100}\r?\n?", text[line_start:place]):
            break
        place = line_start
    return place

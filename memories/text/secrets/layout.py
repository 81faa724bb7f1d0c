"""Secrets that the layout tells: cells below the head "password", and the data of a Kubernetes Secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memories.text.secrets.found import Found
from memories.text.secrets.values import Value, is_password, is_stand_in, is_token
from memories.text.secrets.words import any_of

MAX_LINE_CHARS = 2_000
_RULE = re.compile(r"[ \t|:+-]+")
_IDENTIFIER = re.compile(r"[\w.-]{1,40}")
_KUBERNETES = re.compile(r"(?:^|\n)kind:[ \t]*[\"']?secret[\"']?[ \t]*(?:\n|$)")
_DATA = re.compile(r"(?:^|\n)(?:string)?data:[ \t]*((?:\n[ \t]+[^\n]*)+)")
_ENTRY = re.compile(r"\n[ \t]+[\"']?[\w./-]{1,100}[\"']?:[ \t]+[\"']?([^\s\"'|>{][^\s\"']{0,8191})")


@cache
def _head() -> re.Pattern[str]:
    word = f"(?P<password>{any_of('password')}|pass|{any_of('pin')})"
    return re.compile(rf"(?:[\w -]{{0,20}}[ _-])?(?:{word}|{any_of('token')}|{any_of('key')})")


def find_in_columns(text: str, folded: str) -> Iterator[Found]:
    """Tables of Markdown, of tabs and of commas: a head, and the rows that have as many cells."""
    if "\n" not in text:
        return
    columns: dict[int, bool] = {}
    separator, cells, place = "", 0, 0
    for line in folded.split("\n"):
        spans = _spans(line, separator) if columns else []
        if len(spans) == cells > 1 and not _RULE.fullmatch(line):
            yield from _in_row(text, place, spans, columns)
        elif not _RULE.fullmatch(line) or not columns:
            separator, cells, columns = _read_head(line)
        place += len(line) + 1


def _read_head(line: str) -> tuple[str, int, dict[int, bool]]:
    """What separates the cells of a head, how many they are, and which hold secrets (True: passwords)."""
    separator = next((sep for sep in ("|", "\t", ",", ";") if sep in line), "")
    if not separator or len(line) > MAX_LINE_CHARS:
        return "", 0, {}
    heads = [head.strip(" \t\r*`\"'") for head in line.split(separator)]
    if separator in ",;" and not all(_IDENTIFIER.fullmatch(head) for head in heads):
        return "", 0, {}
    named = {i: match for i, head in enumerate(heads) if len(head) <= 40 and (match := _head().fullmatch(head))}
    return separator, len(heads), {i: match["password"] is not None for i, match in named.items()}


def _spans(line: str, separator: str) -> list[tuple[int, int]]:
    """Where the cells of a row are."""
    ends = [place for place, char in enumerate(line) if char == separator]
    return list(zip([0, *(end + 1 for end in ends)], [*ends, len(line)], strict=True))


def _in_row(text: str, place: int, spans: list[tuple[int, int]], columns: dict[int, bool]) -> Iterator[Found]:
    for i, is_word in columns.items():
        cell = text[place + spans[i][0] : place + spans[i][1]]
        bare = cell.strip(" \t\r*`\"'")
        start = place + spans[i][0] + (cell.find(bare) if bare else 0)
        if bare and " " not in bare and (is_password if is_word else is_token)(Value(bare)):
            yield Found(start, start + len(bare), "password" if is_word else "token")


def find_in_kubernetes(text: str, folded: str) -> Iterator[Found]:
    if "kind:" not in folded or not _KUBERNETES.search(folded):
        return
    for data in _DATA.finditer(folded):
        for entry in _ENTRY.finditer(folded, data.start(1), data.end(1)):
            if not is_stand_in(entry[1]):
                yield Found(*entry.span(1), "secret")

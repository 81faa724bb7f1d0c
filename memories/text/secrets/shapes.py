"""Secrets that data files describe: vendors' keys by their shape, and what stands in headers, addresses, commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from memories.text.secrets.entropy import NAMES_NO_SECRET
from memories.text.secrets.found import Found
from memories.text.secrets.values import Value, entropy, is_made, is_password, is_stand_in, is_token, looks_random

DATA = Path(__file__).parent / "data"
MIN_DISTINCT_CHARS = 5
"""With fewer, "ghp_xxxxxxxx…" shows how a key looks."""

_LONG_RUN = re.compile(r"[0-9A-Za-z_~.+/=%|:$-]{16}")
"""What any vendor's key has."""
_ALONE = r"(?:(?<![0-9A-Za-z_-])|(?<=\\[nrt])|(?<=%[2-7][0-9A-F]))(?:{})(?![0-9A-Za-z])"
_ASSIGNED = r"[ \t\w.-]{0,20}['\"\s]{0,3}(?::{0,3}=|>|\|\||:|=>|\?=)[`'\"\s=]{0,5}"
_VALUE = r"(?:\"([^\"\n]{1,128})\"|'([^'\n]{1,128})'|([^\s\"'|;&<>`][^\s\"'|;&<>]{0,127}))"
_COMMAND = re.compile(r"\{C:([^{}]*(?:\{[\d,]+\}[^{}]*)*)\}")
_PORTS = re.compile(r"[\d.:/-]+")
_OWN_NAMES = frozenset(("password", "passwort", "pass", "passwd", "pwd", "pw", "senha", "contraseña", "mdp"))
"""Behind "user:" they show what an address looks like."""


class Shape(NamedTuple):
    kind: str
    check: str
    pattern: str


Shapes = tuple[tuple[Shape, ...], tuple[tuple[str, int], ...]]
"""Rows, and each word that has to be in the lower-cased text with the place of its row."""


@cache
def vendors() -> Shapes:
    return _read(
        (hints, Shape(kind, check, rf"(?i:{word}){_ASSIGNED}({shape})(?![\w-])" if word else _ALONE.format(shape)))
        for file in ("vendors.tsv", "shapes.tsv")
        for kind, hints, check, word, shape in _rows(file)
    )


@cache
def forms() -> Shapes:
    return _read(
        (hints, Shape(kind, check, "(?i)" + _COMMAND.sub(_command, pattern).replace("{V}", _VALUE)))
        for kind, hints, check, pattern in _rows("forms.tsv")
    )


def _read(rows: Iterable[tuple[str, Shape]]) -> Shapes:
    """Hints are apart by spaces; "\\ " is a space in one."""
    hints, shapes = zip(*rows, strict=True)
    apart = (one.replace("\\ ", "\0").split(" ") for one in hints)
    return shapes, tuple((hint.replace("\0", " "), i) for i, some in enumerate(apart) for hint in some)


def _rows(file: str) -> Iterator[list[str]]:
    """The rows of a data file without their names."""
    for line in (DATA / file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")[1:]


def _command(match: re.Match[str]) -> str:
    return rf"\b(?:{match[1]})(?:\.exe)?\b(?:[^\n|;&]|\\\n){{0,200}}?[ \t]"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _matches(shapes: Shapes, text: str, folded: str) -> Iterator[tuple[Shape, re.Match[str]]]:
    rows, hints = shapes
    for i in dict.fromkeys([i for hint, i in hints if hint in folded]):
        for match in _compiled(rows[i].pattern).finditer(text):
            yield rows[i], match


def find_vendor_keys(text: str, folded: str) -> Iterator[Found]:
    """`folded` is `text` in lower case, as long as `text`. Every shape is bounded, so the search is linear."""
    if _LONG_RUN.search(text):
        for shape, match in _matches(vendors(), text, folded):
            if _is_key(match, float(shape.check)):
                yield Found(*match.span(match.lastindex or 0), shape.kind)


def _is_key(match: re.Match[str], least_bits: float) -> bool:
    if not least_bits:
        return True
    if match.lastindex:
        lead = match.string[match.start() : match.start(1)].lower()
        return not NAMES_NO_SECRET.search(lead) and looks_random(match[1]) and entropy(match[1]) >= least_bits
    key = match.group()
    return len(set(key[4:])) >= MIN_DISTINCT_CHARS and looks_random(key[3:]) and entropy(key) >= least_bits


def find_forms(text: str, folded: str) -> Iterator[Found]:
    for shape, match in _matches(forms(), text, folded):
        start, end = match.span(match.lastindex or 0)
        value = text[start:end]
        if not is_stand_in(value.lower()) and value.lower() not in _OWN_NAMES and _CHECKS[shape.check](value):
            yield Found(start, end, shape.kind)


_CHECKS: dict[str, Callable[[str], bool]] = {
    "any": lambda value: True,
    "random": looks_random,
    "token": lambda value: is_token(Value(value)),
    "pair": lambda value: is_token(Value(value)) or (is_password(Value(value)) and not value.isalpha()),
    "made": lambda value: is_made(value) and is_password(Value(value)),
    "port": lambda value: not _PORTS.fullmatch(value),
}

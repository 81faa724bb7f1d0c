"""What a reader does not see and a model reads: invisible characters, and text packed to be unpacked and obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")
_TAG_CHARACTERS = re.compile("[\U000e0000-\U000e007f]+")
_INVISIBLE_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\u180e\ufeff\u00ad]{4,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_OVERRIDE = re.compile("[\u202d\u202e]")
_SPLIT_WORD = re.compile("(?:[A-Za-z][\u200b-\u200d\u2060\ufeff\u00ad]){3,}")

_BLOB = re.compile(r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-z0-9+/_-]{24,}={0,2}|(?:[0-9a-fA-F]{2} ?){24,})")
_UNPACKS = re.compile(
    r"\b(?:decode|decodes|decoding|decrypt|base64|b64decode|atob|unhex|rot13|dekodiere|entschlüssle|"
    r"decodifica|décodez?)\b"
)
_OBEYS = re.compile(
    r"\b(?:execute|run|eval|exec|follow|obey|perform|carry out|do what|act on|comply|führe|befolge|ausführen|"
    r"ejecuta|sigue|exécute|exécutez|suis)\b|\|\s?(?:ba|z)?sh\b"
)
_CONTEXT_CHARS = 120

Finding = tuple[int, int, str]
"""Start, end and reason."""


def find_hidden(text: str) -> Iterator[Finding]:
    """`text` as it was written. Linear."""
    if not text.isascii():
        yield from _find_invisible(text)
    done = 0
    for blob in _BLOB.finditer(text):
        before = text[max(done, blob.start() - _CONTEXT_CHARS) : blob.start()].lower()
        around = f"{before} {text[blob.end() : blob.end() + _CONTEXT_CHARS].lower()}"
        if _is_packed(blob.group()) and _UNPACKS.search(around) and _OBEYS.search(around):
            yield blob.start(), blob.end(), "is to be decoded and obeyed"
        done = blob.end()


def _is_packed(blob: str) -> bool:
    """A path or a name in small letters is none."""
    is_mixed = any(char.isupper() for char in blob) and any(char.islower() for char in blob)
    return any(char.isdigit() for char in blob) and (is_mixed or blob.replace(" ", "").isalnum())


def _find_invisible(text: str) -> Iterator[Finding]:
    """Flags of regions have tag characters, emoji single selectors, some scripts single joiners."""
    flags = {match.start() + 1 for match in _FLAG.finditer(text)}
    for run in _TAG_CHARACTERS.finditer(text):
        if run.start() not in flags:
            yield run.start(), run.end(), "holds invisible tag characters"
    for pattern, reason in (
        (_INVISIBLE_RUN, "holds a run of invisible characters"),
        (_SELECTORS, "holds a run of variation selectors"),
        (_SPLIT_WORD, "splits words with invisible characters"),
        (_OVERRIDE, "turns the direction of its letters around"),
    ):
        for match in pattern.finditer(text):
            yield match.start(), match.end(), reason

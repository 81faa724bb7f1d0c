"""Statements as one line of plain text, and as such in Markdown."""

import re
from datetime import UTC, datetime

_HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Drawn as nothing or turning the line round, and halves of characters, which no database keeps."""
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_MARKUP = re.compile(
    r"[`\[]"
    r"|\\(?=[^\w\s]|_)"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w{1,32};)"
    r"|\A\*|(?<!\s)\*|\*(?!\s)"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|~(?=~)"
)
_LEADING = re.compile(r"(?=#{1,6}(?:\s|\Z)|[-+](?:[-\s]|\Z)|>)|(?<=\d)(?=[.)](?:\s|\Z))")
_NUMBER = re.compile(r"\d{1,9}")


def one_line(text: str) -> str:
    """`text` with its lines joined, without what cannot be seen or stored."""
    return _BLANKS.sub(" ", _HIDDEN.sub("", text)).strip()


def escape_markdown(line: str) -> str:
    """One line that Markdown shows as it is written, also at the start of a list item."""
    number = _NUMBER.match(line)
    start = number.end() if number else 0
    escaped = _MARKUP.sub(lambda found: "\\" + found[0], line[start:])
    marked = _LEADING.match(line, start)
    return line[:start] + ("\\" if marked else "") + escaped


def cut_words(line: str, most: int) -> str:
    """The first words of a line that is longer than `most` characters, with "…" for the rest."""
    if len(line) <= most:
        return line
    head, space, _ = line[:most].rpartition(" ")
    kept = head if space and len(head) * 2 > most else line[: max(most - 1, 0)]
    return (kept.rstrip(" ,;:–-") + "…")[: max(most, 0)]


def moment_of(*times: datetime | None) -> float:
    """The latest of these in seconds since 1970; 0 when none is known."""
    return max((_seconds(time) for time in times if time), default=0.0)


def _seconds(time: datetime) -> float:
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()

"""Secrets that answer: a colleague who asks for a password, and the questions that stand in for one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memories.language.secrets.values import Found, Value, any_of, is_made, is_password, is_stand_in, starts

MAX_LINE_CHARS = 200
LINES_LATER = 2
_SPEAKER = r"[ \t>]*(?:[–—•*-][ \t]*|\[[^\]\n]{1,20}\][ \t]*)?(?:[^\W\d_][\w .]{0,24}[:：「『][ \t]*)?"
_REPLY = re.compile(
    rf"{_SPEAKER}(?P<lead>[^\n]{{0,40}}?(?:[:：→「『]|->|[ \t])[ \t]*)?"
    r"(?P<value>[!-~]{4,64}?)[.」』]?(?:,[ \t][^\n]{0,30})?[ \t\r]*$"
)
_SYMBOLS = re.compile(r"(?=.{6})\w*[A-Z]\w*[!&%+=*#_]\w+|(?=.{6})[^\W\d_]\w*[!&%+=*]\w+")
"""What a login has that is no name of a file or page."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w|\w+://")
_ANSWER = r"[「『\"“«]?(?P<value>[^\W\d_][^\n?？.。:：;；,，→>=]{1,48}?)[」』\"”»]?(?=[.。;；,，]|[ \t\r]*(?:$|\n))"


@cache
def _starts() -> tuple[str, ...]:
    return tuple({start for name in ("question", "asked", "bank") for start in starts(name)})


@cache
def _asks() -> re.Pattern[str]:
    """Tell whether a line asks for a password or a login, or one speaker of a talk names it."""
    name = f"{any_of('password')}|{any_of('pin')}|パス|pass|clave|codes?|(?P<login>{any_of('login')})"
    asked = rf"(?:{name})(?![a-z])[^\n]*[?？][」』\"'”]?[ \t\r]*$"
    return re.compile(rf"{asked}|^{_SPEAKER}[^\n]*(?:{any_of('password')})[^\n:：=]*$")


@cache
def _question() -> re.Pattern[str]:
    """Return a question that stands in for a password, up to and with its answer: on its line, or on the next."""
    answer = rf"(?:(?<![^\W_])(?:(?:{any_of('answer')})(?:[ \t]?[:：=]|(?=[ \t]))|a[ \t]?[:：])|(?:答案|答え)[是は])"
    said = rf"(?<![^\W_])(?:{any_of('is')})[ \t]"
    arrow = r"(?:->|→|=>|⇒)"
    apart = rf"(?:[^\n]{{0,90}}?(?:{answer}|{arrow})|[^\n]{{0,90}}[?？]?[ \t\r]*\n[ \t>•*-]{{0,4}}{answer})"
    asked = rf"(?:{any_of('asked')})(?:{apart}|[^\n:：]{{0,20}}(?:{any_of('bank')})[^\n:：]{{0,10}}(?:[:：]|{said}))"
    asked = rf"(?:{asked}|(?:{any_of('bank')})[^\n]{{0,40}}?(?:{any_of('asked')})[^\n:：]{{0,10}}(?:[:：]|{said}))"
    question = rf"(?:{any_of('question')})s?(?:{apart}|[^\n?？]{{0,80}}(?:[:：=]|{said}))"
    return re.compile(rf"(?:{question}|{asked})[ \t]*{_ANSWER}", re.MULTILINE)


def find_answers(text: str, folded: str) -> Iterator[Found]:
    yield from _replies(text, folded)
    if not any(start in folded for start in _starts()):
        return
    for match in _question().finditer(folded):
        start, end = match.span("value")
        value = text[start:end].rstrip()
        is_name = not value[0].islower() or not value.isascii()
        if is_name and not is_stand_in(value.lower()) and not re.search(any_of("asked"), value.lower()):
            yield Found(start, start + len(value), "secret")


def _replies(text: str, folded: str) -> Iterator[Found]:
    """Return what the next lines of a talk end with, if it is made to be a password."""
    if "\n" not in text:
        return
    place, asked, is_login = 0, 0, False
    for line in folded.split("\n"):
        is_short = len(line) <= MAX_LINE_CHARS
        match = _REPLY.match(line) if asked and is_short else None
        value = text[place + match.start("value") : place + match.end("value")] if match else ""
        is_figure = value.isdigit() and len(value) <= 8 and match is not None and not match["lead"]
        is_given = _SYMBOLS.search(value) if is_login else is_figure or is_made(value)
        if match and is_given and is_password(Value(value)) and not _ADDRESS.search(value):
            start = place + match.start("value")
            yield Found(start, start + len(value), "password")
            asked = 0
        question = _asks().search(line) if is_short else None
        asked, is_login = (LINES_LATER, question["login"] is not None) if question else (max(0, asked - 1), is_login)
        place += len(line) + 1

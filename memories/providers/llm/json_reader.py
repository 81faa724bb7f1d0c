"""JSON as language models write it: found in the text around it, with the usual slips, and as far as it is complete.

Not json-repair (tried: 0.64.6): it completes a text that was cut, so that half a sentence would be kept as a whole one,
reads braces in prose as the answer, and takes quadratic time (132 s for 8,000 times `["a" `).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 60
_BEGIN = re.compile(r"[{\[]")
_BLANK = re.compile(r"(?:\s|,|//[^\n]*|/\*[^*]*\*/|\.\.\.|…)*+")
"""Also commas, comments and dots for "and so on"."""
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None,
    "NaN": float("nan"), "Infinity": float("inf"),
}  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "“": "”"}
_PIECE = {end: re.compile(rf"[^{end}\\]*+(?:\\.[^{end}\\]*+)*+", re.DOTALL) for end in _QUOTES.values()}
_BEHIND_STRING = re.compile(
    r"[^\S\n]*+(?:\n\s*+[\"'“]|\s*+(?:[:}\]]|//|/\*|\Z|,\s*+(?:[\"'“{}\[\]\d,/.-]|\w{1,40}+\s*+:|(?:true|false|null|None|True|False)\b|\Z)))"
)
_BEHIND_ITEM = re.compile(r"}(?=\s*+[,\]{])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
VALID_ESCAPES = '"\\/bfnrt'
_UNESCAPED = re.compile(r'(\\.)|"', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)

_THOUGHTS = re.compile(
    r"<(?P<tag>(?:seed:)?think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)>.*?(?:</(?P=tag)>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)|<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)|◁think▷.*?(?:◁/think▷|\Z)"
    r"|<\|channel\|>analysis.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_THOUGHTS_END = re.compile(
    r"</(?:seed:)?think(?:ing)?>|\[/THINK\]|◁/think▷|\A\s*analysis.*assistant\s*final", re.DOTALL
)
"""Where the beginning stands in the prompt, or was taken for a special token and removed."""

_NOTHING_BUT_THOUGHTS = re.compile(r"<([\w:]+)>\s*+(.*)</\1>", re.DOTALL)


class Broken(Exception):
    """What stands at `place` continues no JSON."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class TooDeep(Exception):
    """It is nested so deeply that no answer of ours can be meant."""


def find_values(text: str) -> list[Any]:
    """Return every outermost object and array in their order, without what the model thought. Raises TooDeep.

    Linear in the length of the text.
    """
    whole = text.strip()
    if whole[:1] in ("{", "[", '"'):
        try:
            return [_DECODER.decode(whole)]
        except ValueError:
            pass
        except RecursionError:
            raise TooDeep from None
    spoken = without_thoughts(whole)
    return list(_values(spoken))


def without_thoughts(text: str) -> str:
    """Return what stands outside of thoughts; the thoughts themselves where they are nothing but JSON."""
    rest = _THOUGHTS.sub(" ", text)
    ends = list(_THOUGHTS_END.finditer(rest))
    if ends:
        rest = rest[ends[-1].end() :]
    if rest.strip():
        return rest
    inside = _NOTHING_BUT_THOUGHTS.fullmatch(text)
    return inside[2] if inside and inside[2][:1] in ("{", "[") else ""


def _values(text: str) -> Iterator[Any]:
    reader = Reader(text)
    while begin := _BEGIN.search(text, reader.place):
        reader.place = begin.start()
        try:
            value = reader.value()
            if value or not reader.is_cut:
                yield value
        except Broken as broken:
            reader.place = max(broken.place, begin.end())


class Reader:
    """Read one value from `place` on, and forgive mistakes.

    These are quotes of other kinds or within a string, names without quotes, commas too many or missing, comments,
    words of Python and JavaScript.

    Of what ends too early, or goes wrong within an item, whole members and whole items are kept.
    """

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.is_cut = False
        self.may_go_on = True
        """Whether some item may still end behind `place`: what is looked for in vain once is not there later either."""

    def value(self, depth: int = 0) -> Any:
        """Raise Broken, and TooDeep."""
        if depth > MAX_DEPTH:
            raise TooDeep
        mark = self.text[self.place : self.place + 1]
        if mark == "{":
            return self.object(depth)
        if mark == "[":
            return self.array(depth)
        if mark in _QUOTES and mark:
            return self.string(_QUOTES[mark])
        return self.scalar()

    def blank(self) -> str:
        """Pass over what says nothing and return the next character; "" and `is_cut` at the end."""
        match = _BLANK.match(self.text, self.place)
        self.place = match.end() if match else self.place
        self.is_cut = self.is_cut or self.place >= len(self.text)
        return self.text[self.place : self.place + 1]

    def object(self, depth: int) -> dict[str, Any]:
        results: dict[str, Any] = {}
        self.place += 1
        try:
            while (mark := self.blank()) and mark != "}":
                name, value, is_whole = self.member(mark, depth)
                if is_whole:
                    results[name] = value
                if self.is_cut:
                    return results
        except Broken as broken:
            if depth or not results:
                raise
            self.place = broken.place
            return results
        self.place += 1
        return results

    def member(self, mark: str, depth: int) -> tuple[str, Any, bool]:
        """Return name and value, and whether the value is good for anything: of what is cut, what has a whole item."""
        name = self.name(mark)
        if (colon := self.blank()) != ":":
            if colon:
                raise Broken(self.place)
            return name, None, False
        self.place += 1
        if not (mark := self.blank()):
            return name, None, False
        value = self.value(depth + 1)
        return name, value, not self.is_cut or (mark in "{[" and bool(value))

    def name(self, mark: str) -> str:
        if mark in _QUOTES:
            return self.string(_QUOTES[mark])
        if not (bare := _NAME.match(self.text, self.place)):
            raise Broken(self.place)
        self.place = bare.end()
        return bare[0]

    def array(self, depth: int) -> list[Any]:
        results: list[Any] = []
        self.place += 1
        while (mark := self.blank()) and mark != "]":
            try:
                item = self.value(depth + 1)
            except Broken as broken:
                # The item is lost; the next one begins behind it.
                behind = self.end_of_item(broken.place) if mark == "{" else None
                if behind is None:
                    if not results:
                        raise
                    self.place, self.is_cut = len(self.text), True
                    return results
                self.place = behind
                continue
            if self.is_cut:
                return results
            results.append(item)
        self.place += 1
        return results

    def end_of_item(self, place: int) -> int | None:
        behind = _BEHIND_ITEM.search(self.text, place) if self.may_go_on else None
        self.may_go_on = behind is not None
        return behind.end() if behind else None

    def string(self, end: str) -> str:
        """Read a string, which a quote ends where something may follow that is not of it."""
        begin = self.place + 1
        piece = _PIECE[end].match(self.text, begin)
        while piece and piece.end() < len(self.text) and self.text[piece.end()] == end:
            if _BEHIND_STRING.match(self.text, piece.end() + 1):
                self.place = piece.end() + 1
                return plain(self.text[begin : piece.end()], self.place)
            piece = _PIECE[end].match(self.text, piece.end() + 1)
        self.place, self.is_cut = len(self.text), True
        return ""

    def scalar(self) -> Any:
        if number := _NUMBER.match(self.text, self.place):
            self.place = number.end()
            self.is_cut = self.is_cut or self.place >= len(self.text)
            digits = number[0].replace("_", "")
            try:
                return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
            except ValueError:
                raise Broken(self.place) from None
        word = _NAME.match(self.text, self.place)
        if word and word[0] in _WORDS:
            self.place = word.end()
            return _WORDS[word[0]]
        if word and word.end() == len(self.text):
            self.place, self.is_cut = word.end(), True
            return None
        raise Broken(max(self.place, word.end() if word else 0))


def plain(body: str, place: int) -> str:
    """Return what the inside of a string stands for."""
    quoted = _UNESCAPED.sub(lambda result: result[1] or '\\"', body)
    literal = _ESCAPE.sub(lambda result: result[0] if result[1][:1] in VALID_ESCAPES else unescaped(result[1]), quoted)
    for attempt in (quoted, literal):
        try:
            decoded: str = _DECODER.decode(f'"{attempt}"')
        except ValueError:
            continue
        return decoded
    raise Broken(place)


def unescaped(mark: str) -> str:
    """Return a mark that needs no backslash without it, and any other with the backslash itself."""
    if len(mark) > 1:
        return f"\\{mark}"
    return mark if mark in "'_“”" else f"\\\\{mark}"

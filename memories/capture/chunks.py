"""A conversation cut into windows that a model or the rules can read at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memories.language.messages import ENDS, SYSTEM, TOOL, WIDE_ENDS, Message, strip_fenced
from memories.language.scripts import CHARACTERS_PER_TOKEN, WIDE
from memories.language.secrets import strip_private
from memories.providers.llm.provider import Chunk

MAX_CODE_LINES, MAX_CODE_CHARS = 6, 400
"""What a shorter block of code says may be worth knowing ("run this")."""
MIN_MACHINE_LINES = 6
MAX_DATA_LINE_CHARS = 400
MAX_WORD_CHARS = 300
_FENCE = re.compile(r"[ \t>]{0,8}(`{3,}|~{3,})")
_MACHINE_LINE = re.compile(
    r"""\s{0,20}(?:
      # times
        [\[(]?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d:\d\d | [\[(]?\d\d:\d\d:\d\d[.,\s\])]
      | (?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w{0,6}\s{1,2}\d{1,2}\s\d\d:\d\d
      # levels, stack traces, access logs
      | \[?(?:trace|debug|info|notice|warn|warning|error|fatal|critical|err)\]?\s{0,4}[:|\[\s]\s{0,4}\S+[.:/=\[]
      | (?:at\s[\w$.<>/]+\s?\(|file\s"[^"]+",\sline\s\d|traceback\s\(most|caused\sby:|\.\.\.\s\d+\smore)
      | \d{1,3}(?:\.\d{1,3}){3}\s\S+\s\S+\s\[
      # JSON, tables, markup
      | "[^"]{1,100}"\s?:\s?\S | [{}\[\]()]+,?;?\s*$ | "[^"]*",\s*$ | -?\d+(?:\.\d+)?,\s*$
      | (?:[^;\t]{0,60}[;\t]){4,} | (?:[^,\s]{0,60},){4,} | </?[a-z][\w:-]*(?:\s[\w:-]+=|/?>)
      # dumps, listings, patches
      | [0-9a-f]{4,16}:?\s+(?:[0-9a-f]{2,4}\s){4} | [drwxst-]{10}[.+@]?\s+\d
      | (?:@@\s-\d|diff\s--git|index\s[0-9a-f]{6}|[+-]{3}\s[ab]/)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_LONG_WORD = re.compile(rf"(?<!\S)[!-~]{{{MAX_WORD_CHARS},}}+(?!\S)")
_DATA_LINE = re.compile(r"\s{0,20}[{\[]")
WINDOW_TOKENS, OVERLAP_TOKENS = 500, 100
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*")
# From the first of its marks only: of a long row of dots each would be tried.
_SENTENCE_END = re.compile(rf"(?<![{ENDS}])[{ENDS}]+[\"'”’)\]]*\s+|[{WIDE_ENDS}]+\s*|\n\s*")
_WORD_END = re.compile(rf"\s+|(?<=[{WIDE}])")
_BORDERS = (_PARAGRAPH_END, _SENTENCE_END, _WORD_END)
"""Where a text may be cut, the best places first."""


def shorten_pasted(text: str) -> str:
    """Return `text` with one line in brackets for each long block of code, log or data, and for each endless word.

    Inline code and short blocks stay. Linear in the length of the text.
    """
    if len(text) > MAX_WORD_CHARS:
        text = _LONG_WORD.sub(lambda word: f"[{len(word.group())} characters left out]", text)
    if "\n" not in text:
        return _data_shortened(text)
    return "\n".join(_lines_without_logs(_lines_without_code(text.split("\n"))))


def _lines_without_code(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line with whether it is to stay as it is: a short block of code, or the marker of a long one."""
    block: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if not fence:
            if mark:
                fence, block = mark[1], [line]
            else:
                yield line, False
            continue
        block.append(line)
        if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            yield from ((line, True) for line in _code_shortened(block, block[1:-1]))
            fence, block = "", []
    if block:  # never closed: it reaches to the end
        yield from ((line, True) for line in _code_shortened(block, block[1:]))


def _code_shortened(block: list[str], inner: list[str]) -> list[str]:
    """Return a block of code, or one line in its place. `block` is `inner` with its fences."""
    if len(inner) <= MAX_CODE_LINES and sum(map(len, inner)) <= MAX_CODE_CHARS:
        return block
    return [f"[{len(inner)} lines of code left out]"]


def _lines_without_logs(lines: Iterator[tuple[str, bool]]) -> Iterator[str]:
    """Yield the lines, with one for each run of machine lines; blank lines do not end a run."""
    run: list[str] = []
    for line, is_kept in lines:
        if not is_kept and (_MACHINE_LINE.match(line) or (run and not line.strip())):
            run.append(line)
            continue
        yield from _run_shortened(run)
        run = []
        yield line if is_kept else _data_shortened(line)
    yield from _run_shortened(run)


def _run_shortened(run: list[str]) -> Iterator[str]:
    blank_count = next((i for i, line in enumerate(reversed(run)) if line.strip()), len(run))
    machine, blank = run[: len(run) - blank_count], run[len(run) - blank_count :]
    if sum(bool(line.strip()) for line in machine) >= MIN_MACHINE_LINES:
        machine = [f"[{len(machine)} lines of output left out]"]
    yield from map(_data_shortened, machine)
    yield from blank


def _data_shortened(line: str) -> str:
    """Return the line, or a note in its place where it is a long line of JSON: that is data."""
    if len(line) <= MAX_DATA_LINE_CHARS or not _DATA_LINE.match(line):
        return line
    is_data = line.count('"') + line.count(",") + line.count(":") > len(line) // 20
    return f"[{len(line)} characters of data left out]" if is_data else line


@dataclass(frozen=True, slots=True)
class Window:
    """`places[i]` is the place of `chunk.messages[i]` among the messages that were given."""

    chunk: Chunk
    places: tuple[int, ...]


@dataclass(slots=True)
class _Part:
    """The kept text of message `place` from `start` to `end`."""

    place: int
    start: int
    end: int


def make_chunks(
    messages: Sequence[Message], now: datetime, window: int = WINDOW_TOKENS, overlap: int = OVERLAP_TOKENS
) -> list[Window]:
    """Return windows of at most `window` tokens that hold every word of `kept_text` once, in order.

    A token is four characters here, whatever the script.

    A message longer than a window is cut between paragraphs, else sentences, else words; only a run of characters
    longer than a window, which is no word, is cut anywhere. `Chunk.before` has at most `overlap` tokens of whole
    messages or sentences said before. `Chunk.now` is when the window's last message was said, by its own clock;
    `now` if that is not known. Linear in the length of the messages.
    """
    texts = [kept_text(message) for message in messages]
    windows = []
    # Messages whole as far as they fit into a window, others in pieces.
    limit = window * CHARACTERS_PER_TOKEN
    pieces = (
        _Part(place, start, end)
        for place, text in enumerate(texts)
        if text
        for start, end in _split(text, 0, len(text), limit, 0)
    )
    for parts in _packed(pieces, window):
        last = messages[parts[-1].place]
        # What was said before the window's first part, as much as fits.
        first = parts[0]
        capacity = overlap * CHARACTERS_PER_TOKEN
        before: list[Message] = []
        place, end = first.place, first.start
        while place >= 0 and capacity > 0:
            start = _start_of_tail(texts[place], end, capacity)
            if tail := texts[place][start:end].strip():
                before.append(replace(messages[place], content=tail))
            if start > 0:
                break
            capacity -= -(-end // CHARACTERS_PER_TOKEN) * CHARACTERS_PER_TOKEN
            place -= 1
            end = len(texts[place])
        chunk = Chunk(
            messages=tuple(
                replace(messages[part.place], content=texts[part.place][part.start : part.end].strip())
                for part in parts
            ),
            now=last.at or now,
            before=tuple(reversed(before)),
        )
        windows.append(Window(chunk, tuple(part.place for part in parts)))
    return windows


def kept_text(message: Message) -> str:
    """Return what is read of a message: nothing of the system and of tools, nothing we injected, private or pasted.

    Its accents are parts of their letters, however they were typed: else they would end words.
    """
    if message.role in (SYSTEM, TOOL):
        return ""
    content = unicodedata.normalize("NFC", message.content)
    return shorten_pasted(strip_private(strip_fenced(content))).strip()


def _split(text: str, start: int, end: int, limit: int, level: int) -> Iterator[tuple[int, int]]:
    """Yield pieces of at most `limit` characters that together are the text."""
    if end - start <= limit:
        yield start, end
        return
    if level == len(_BORDERS):
        yield from ((place, min(place + limit, end)) for place in range(start, end, limit))
        return
    first = last = start
    ends = [match.end() for match in _BORDERS[level].finditer(text, start, end)]
    for border in [*(border for border in ends if start < border < end), end]:
        if border - first > limit and last > first:
            yield from _split(text, first, last, limit, level + 1)
            first = last
        last = border
    yield from _split(text, first, end, limit, level + 1)


def _packed(parts: Iterator[_Part], window: int) -> Iterator[list[_Part]]:
    """Yield as many parts as fit; neighbours of one message become one part again."""
    packed: list[_Part] = []
    used = 0
    for part in parts:
        needed = -(-(part.end - part.start) // CHARACTERS_PER_TOKEN)
        if packed and used + needed > window:
            yield packed
            packed, used = [], 0
        if packed and packed[-1].place == part.place:
            packed[-1].end = part.end
        else:
            packed.append(part)
        used += needed
    if packed:
        yield packed


def _start_of_tail(text: str, end: int, capacity: int) -> int:
    """Return where the sentences before `end` begin that fit into `capacity` characters; `end` if not even one does."""
    if end <= capacity:
        return 0
    earliest = end - capacity
    borders = (match.end() for match in _SENTENCE_END.finditer(text, max(earliest - 3, 0), end))
    return next((border for border in borders if earliest <= border < end), end)

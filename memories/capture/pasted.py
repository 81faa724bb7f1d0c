"""What people and agents paste into what they say: code, logs, data. It is output of tools, not something said."""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def shorten_pasted(text: str) -> str:
    """`text` with one line in brackets for each long block of code, log or data, and for each endless word.

    Inline code and short blocks stay. Linear in the length of the text.
    """
    if len(text) > MAX_WORD_CHARS:
        text = _LONG_WORD.sub(lambda word: f"[{len(word.group())} characters left out]", text)
    if "\n" not in text:
        return _data_shortened(text)
    return "\n".join(_lines_without_logs(_lines_without_code(text.split("\n"))))


def _lines_without_code(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each line with whether it is to stay as it is: a short block of code, or the marker of a long one."""
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
            yield from ((kept, True) for kept in _code_shortened(block, block[1:-1]))
            fence, block = "", []
    if block:  # never closed: it reaches to the end
        yield from ((kept, True) for kept in _code_shortened(block, block[1:]))


def _code_shortened(block: list[str], inner: list[str]) -> list[str]:
    """`block` is `inner` with its fences."""
    if len(inner) <= MAX_CODE_LINES and sum(map(len, inner)) <= MAX_CODE_CHARS:
        return block
    return [f"[{len(inner)} lines of code left out]"]


def _lines_without_logs(lines: Iterator[tuple[str, bool]]) -> Iterator[str]:
    """Runs of machine lines become one; blank lines do not end a run."""
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
    """A long line of JSON is data."""
    if len(line) <= MAX_DATA_LINE_CHARS or not _DATA_LINE.match(line):
        return line
    is_data = line.count('"') + line.count(",") + line.count(":") > len(line) // 20
    return f"[{len(line)} characters of data left out]" if is_data else line

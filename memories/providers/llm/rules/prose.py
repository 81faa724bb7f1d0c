"""What a speaker says in a message: its sentences, without the code, logs, quotations and markers around them.

What is left out is blanked, not cut, so that every sentence knows its place in the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.providers.llm.rules.words import ABBREVIATIONS
from memories.text.fence import FENCED_RE
from memories.text.sentence import ENDS, QUESTION_MARKS, WIDE_ENDS, is_ordinal

MAX_READ_CHARACTERS = 50_000
"""Nobody says more than this in one message; what follows was pasted."""
MAX_SENTENCE_CHARACTERS = 400
"""What runs on for longer is no sentence."""
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|\"\"\".*?(?:\"\"\"|\Z)|<(pre|code)>.*?(?:</\1>|\Z)", re.DOTALL)
_PASTED = re.compile(
    r"(?:\b(?:this|the following|below)\b[^\n:]{0,80}|\b(?:here is|here's|here are|below is|see|got|get|says|said|"
    r"reads)\b[^\n:]{0,80}|\b(?:translate|summari[sz]e|proofread|rewrite|rephrase|edit|shorten|improve|correct|"
    r"polish)\b[^\n:]{0,80}|\b(?:email|article|text|output|log|logs|error|essay|letter|draft|transcript|trace|"
    r"config|notes?|quote|excerpt|passage|abstract|readme|snippet|paragraph|poem|lyrics|description|"
    r"job posting)\b[^\n:]{0,30}):[ \t]*\n",
    re.IGNORECASE,
)
_LEFT_OUT_LINE = re.compile(
    r"""\s*(?:
    >                                                       # a quotation
    | \|                                                    # a table
    | \#{1,6}\s                                             # a heading
    | \[[A-Z]{3,12}[:\]]                                    # a marker, a log level
    | <[/!?a-zA-Z]                                          # markup
    | [{}\[\]()]+[,;]?\s*$ | [{\[]\s*["'{\[]                # brackets of data
    | (?:error|warning|fatal|npm\s(?:WARN|ERR!?)|npm\serror)[\s:]\s*\S | [✓✔✗✘] | [0-9a-f]{7,40}\s\w   # output of tools
    | "[\w $.-]{1,60}"\s*:                                  # a field of data
    | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \[?\d\d:\d\d:\d\d\b   # a line of a log
    | [A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d
    | (?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\s:|\]]
    | (?:ALERT|CRIT|OK|FAIL|FAILED|PASS|PASSED)\b[\s:] | thread\s'[^']*'\spanicked | assertion\s.{0,20}failed | panic:
    | [a-z]{2,12}:\s(?:connect|cannot|can't|could\snot|no\ssuch|command|unable|failed|permission|fatal|error)\b
    | \$\w+\s=\s | [\w.-]+\s=\s[{\["] | \S+\s+[\d.]+\s?[kKMG]i?B(?:\s*$|\s+[│|])
    | Filesystem\s+Size | /dev/\S+\s | tmpfs\s
    | \d+\spackages\sare\slooking | added\s\d+\spackages
    | Traceback\b | File\s"[^"]*",\sline | at\s[\w$.<>]+\( | (?:\w+\.)*\w*(?:Error|Exception|Warning):\s
    | \$\s\S | \#!?/ | >>> | PS\s[A-Z]: | [\w.-]+@[\w.-]+:[~/\w-]*[$\#]\s   # a prompt of a shell
    | (?:---|\+\+\+|@@|diff\s--git|===+|\*\*\*+|\+\s?\S+[({=]|[+-]\s?\w+\s*[=(:]\s*\S+$)       # a diff, a ruler
    | (?:def|class)\s\w+\s*[(:] | (?:import|package)\s[\w.]+;?\s*$ | from\s[\w.]+\simport\s
    | (?:const|let|var|final|int|string|public|private|static|func|fn|pub|use)\s[\w<>:, ]{1,60}\s*(?:=|\(|\{|;\s*$)
    | (?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s[\w*"`]+ | FROM\s\w | WHERE\s\w
    | select\s[\w*"`.,()\s]+?\sfrom\s\w | update\s\w+\sset\s | insert\sinto\s | delete\sfrom\s\w+\swhere\s
    | (?:sudo|apt|apt-get|pip|npm|npx|yarn|docker|kubectl|helm|git|curl|wget|ssh|cd|ls|cat|echo|export|systemctl)
      \s+[-\w./$"']+(?:\s+[-./$"'\w=:]+)*\s*$
    | [\w.-]+\s*=\s*\S+\s*$ | [\w-]+(?:\.[\w-]+)*\([^)]*\)[;:{]?\s*$
    | (?:return|if|for|while|else|elif|try|except|switch|case)\b.*[;{:)]\s*$
    | \d{9,}:\s | (?:[^|]+\s\|\s){2}
    | (?:https?|ftp|ssh)://\S+\s*$
    | \w+:\s*$
    )""",
    re.VERBOSE,
)
_CODE_INSIDE = re.compile(r"=>|\)\s*\{|;\s*\}|\{\s*$|[^\s.]\(\)[;.]|::\w|&&\s")
_PLAIN_WORD = re.compile(r"(?<!\S)[A-Za-z]+[,.:;!?]?(?!\S)")
MIN_PLAIN_WORDS = 8
"""So many words in a line, and it is a sentence that speaks of code."""
_SPEECH = re.compile(
    r"\"[^\"\n]{25,1000}\"|“[^”\n]{25,1000}”|«[^»\n]{25,1000}»|\"[^\"\n]*\\b(?:I|I'm|I've|my|My)\\b[^\"\n]*\""
)
_SETTING_LINE = re.compile(r"\s*-?\s*[\w.-]+:(?:\s+[^\s,;]+)?\s*$")
_BULLET = re.compile(r"\s*(?:[-*•–·]|\d{1,2}[.)]|\(?[a-z]\))\s+(?:\[[ xX]\]\s+)?")
# From the first of its marks only: of a long row of dots each would be tried.
_MARKS = ENDS + WIDE_ENDS
_END = re.compile(rf"(?<![{_MARKS}])[{_MARKS}]+[\"'”’)\]*_]*(?=\s|$)|[{WIDE_ENDS}]+")
_LAST_WORD = re.compile(r"[\w.]*\w$")
_PICTURE = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B50\u2B55\uFE0F\u200D\U0001F1E6-\U0001F1FF]+")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|__)(?=\S)([^*\n]{1,300}?)(?<=\S)\1(?![\w*])")
_SPACES = re.compile(r"\s+")
_APOSTROPHES = str.maketrans("’‘`´", "''`'")
_MIN_SOFT_WRAP = 60
_OPEN_END = re.compile(
    r"(?:^|\s)(?:a|an|the|my|our|your|his|her|their|its|this|that|to|of|for|with|without|in|on|at|by|from|into|about|and|"
    r"or|but|nor|than|as|is|are|was|were|be|has|have|had|do|does|can|must|should|will|would|not|never|very|too)$",
    re.IGNORECASE,
)
"""No sentence ends with it: what stands in the next line belongs to it, however short the line."""
_ODD = re.compile(r"[^\w\s.,!?'’\"“”:;()/@&%$€£+°-]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is one line, without emphasis, pictures and the punctuation at its end; `start` to `end` is its place."""

    text: str
    start: int
    end: int
    is_question: bool


def read_sentences(content: str) -> list[Sentence]:
    """The sentences of a message in order. Linear in its length."""
    prose = blank(content[:MAX_READ_CHARACTERS])
    found: list[Sentence] = []
    for start, end in _paragraphs(prose):
        found += filter(None, (_read(prose, first, last) for first, last in _cut(prose, start, end)))
    return found


def blank(content: str) -> str:
    """The text with line breaks in the place of whatever is not said by its speaker; as long as it was."""
    text = _blank_matches(FENCED_RE, content)
    if "`" in text or "~~~" in text or '"""' in text or "<" in text:
        text = _blank_matches(_CODE, text)
    pasted = _PASTED.search(text)
    if pasted and len(text) > pasted.end() and not content[pasted.end() - 1 :].lstrip().startswith(("```", "~~~")):
        text = text[: pasted.end()] + _blanked(text[pasted.end() :])
    text = _SPEECH.sub(lambda match: match.group()[0] + " " * (len(match.group()) - 2) + match.group()[-1], text)
    lines = text.splitlines(keepends=True)
    is_setting = [bool(_SETTING_LINE.match(line.strip())) for line in lines]
    kept = [
        _blanked(line) if _is_left_out(line) or _is_among_settings(is_setting, at) else line
        for at, line in enumerate(lines)
    ]
    return "".join(kept)


def _blank_matches(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: _blanked(match.group()), text)


def _blanked(text: str) -> str:
    return "\n" * len(text)


def _is_left_out(line: str) -> bool:
    if line.isspace():
        return False
    if _LEFT_OUT_LINE.match(line.strip()):
        return True
    if _CODE_INSIDE.search(line) and len(_PLAIN_WORD.findall(line)) < MIN_PLAIN_WORDS:
        return True
    body = line.strip()
    return len(body) > 20 and len(_ODD.findall(body)) > 0.2 * len(body) and body.isascii()


def _is_among_settings(is_setting: list[bool], at: int) -> bool:
    """A line like "key: value" beside another one is data; alone it may be a note."""
    return is_setting[at] and any(is_setting[near] for near in (at - 1, at + 1) if 0 <= near < len(is_setting))


def _paragraphs(prose: str) -> Iterator[tuple[int, int]]:
    """Lines with their places; a line that was only wrapped belongs to the one before."""
    at, open_start, previous = 0, -1, ""
    for line in prose.splitlines(keepends=True):
        bullet = None if line.isspace() else _BULLET.match(line)
        body = line.strip()
        is_wrapped = (
            open_start >= 0
            and (len(previous) >= _MIN_SOFT_WRAP or _OPEN_END.search(previous))
            and not bullet
            and body[:1].islower()
            and previous[-1:] not in ".!?:;"
        )
        if not is_wrapped:
            if open_start >= 0:
                yield open_start, at
            open_start = at + (bullet.end() if bullet else 0) if body else -1
        previous = body
        at += len(line)
    if open_start >= 0:
        yield open_start, at


def _cut(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _END.finditer(prose, start, end):
        if match.end() < end and _is_abbreviation(prose, first, match):
            continue
        yield first, match.end()
        first = match.end()
    if first < end:
        yield first, end


def _is_abbreviation(prose: str, first: int, match: re.Match[str]) -> bool:
    if match.group() != ".":
        return match.group().startswith(("...", "…")) and prose[match.end() : match.end() + 2].strip()[:1].islower()
    if is_ordinal(prose, match):
        return True
    word = _LAST_WORD.search(prose, max(first, match.start() - 20), match.start())
    if not word:
        return False
    low = word.group().lower()
    is_initial = len(low) == 1 and word.group().isupper() and low != "i"
    following = prose[match.end() : match.end() + 2].strip()[:1]
    is_street = low.endswith("str") and following.isdecimal()  # "Lindenstr. 12"
    return (is_initial or is_street) or (
        low in ABBREVIATIONS and (low not in {"am", "pm", "etc", "no", "a.m", "p.m"} or following.islower())
    )


def _read(prose: str, first: int, last: int) -> Sentence | None:
    while first < last and prose[first].isspace():
        first += 1
    while last > first and prose[last - 1].isspace():
        last -= 1
    raw = prose[first:last]
    if not raw or len(raw) > MAX_SENTENCE_CHARACTERS or not any(char.isalnum() for char in raw):
        return None
    text = _PICTURE.sub(" ", raw.translate(_APOSTROPHES))
    if "*" in text or "__" in text:
        text = _EMPHASIS.sub(r"\2", text)
    text = _SPACES.sub(" ", text).strip()
    is_question = text.rstrip("\"')!.] ").endswith(QUESTION_MARKS)
    return Sentence(text.rstrip(_MARKS + ",;:- "), first, last, is_question)

"""The sentences a speaker means: without code, quotations, questions, slips of the tongue and one-off orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.language.dates.words import MONTHS, WEEKDAYS
from memories.language.extract.lexicon import ABBREVIATIONS
from memories.language.messages import ENDS, FENCED_RE, QUESTION_MARKS, WIDE_ENDS, is_ordinal

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
    """Return the sentences of a message in order. Linear in its length."""
    prose = blank(content[:MAX_READ_CHARACTERS])
    found: list[Sentence] = []
    for start, end in _paragraphs(prose):
        found += filter(None, (_read(prose, first, last) for first, last in _cut(prose, start, end)))
    return found


def blank(content: str) -> str:
    """Return the text with line breaks in the place of whatever is not said by its speaker; as long as it was."""
    text = _blank_matches(FENCED_RE, content)
    if "`" in text or "~~~" in text or '"""' in text or "<" in text:
        text = _blank_matches(_CODE, text)
    pasted = _PASTED.search(text)
    if pasted and len(text) > pasted.end() and not content[pasted.end() - 1 :].lstrip().startswith(("```", "~~~")):
        text = text[: pasted.end()] + _blanked(text[pasted.end() :])
    text = _SPEECH.sub(lambda match: match.group()[0] + " " * (len(match.group()) - 2) + match.group()[-1], text)
    lines = text.splitlines(keepends=True)
    # A line like "key: value" beside another one is data; alone it may be a note.
    is_setting = [False, *(bool(_SETTING_LINE.match(line.strip())) for line in lines), False]
    return "".join(
        _blanked(line)
        if _is_left_out(line) or (is_setting[at] and (is_setting[at - 1] or is_setting[at + 1]))
        else line
        for at, line in enumerate(lines, 1)
    )


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


def _paragraphs(prose: str) -> Iterator[tuple[int, int]]:
    """Yield lines with their places; a line that was only wrapped belongs to the one before."""
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
    before = prose[max(first, match.start() - len(low) - 2) : match.start() - len(low)]
    if before[-1:] in ("-", "_") or (low == "ms" and before.strip()[-1:].isdecimal()):
        return False  # "BAG-2207-P. We", "380 ms. Indexes"
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
    is_question = text.rstrip("\"')!.] ").endswith(QUESTION_MARKS) or bool(_ASKS_UNMARKED.match(text))
    return Sentence(text.rstrip(_MARKS + ",;:- "), first, last, is_question)


_ASKS_UNMARKED = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|also|then|now|quick question|question),? )*(?:"
    r"(?:do|have) (?:i|u|you|we|they)|(?:does|did|has|is|are|was|were|am) "
    r"(?:i|u|you|we|they|he|she|it|there|this|that|these|those|the|my|our|your|anyone|anybody)|"
    r"(?:can|could|will|would) (?:i|we|they|he|she|it|there|this|that|these|those|the|my|our|anyone|anybody)|"
    r"should (?:i|u|we|it|the|my)|"
    r"(?:what|how|why|where|when|which \w+|how (?:much|many|long|often|far)) (?:do|does|did|can|could|should|would) "
    r"(?:i|u|you|we|they|he|she|it|the|my|our|your|an?|this|that|people)|"
    r"(?:what(?:'?s| is| are)|how(?:'?s| is| are)|where(?:'?s| is| are)) (?:the|your|an?)(?!.* (?:is|are|was|were)\b)"
    r")\b(?! (?:not|never|one|only|first|last|\w+est)\b)[^,;:]*$",
    re.IGNORECASE,
)
"""A question of one clause that nobody gave its mark: "do i need primer over magnolia"."""
_OPENS_QUESTION = re.compile(
    r"^(?:what|which|who|whom|whose|where|when|why|how|is|are|am|was|were|do|does|did|can|could|would|will|should|"
    r"shall|may|might|has|have|isn't|aren't|don't (?=you\b|we\b|they\b|i\b)|doesn't|didn't|can't|any|anyone|anybody|"
    r"ever|whats|what's|who's|"
    r"how's|where's|wdyt|should've)\b(?! (?:i'm|i am|we're|never|not use|not \w+ (?:on|after|before)))",
    re.IGNORECASE,
)
_WANTS_TO_KNOW = re.compile(
    r"^(?:I|we)(?:'d| would)? (?:want|need|like|love) to (?:know|find out|understand|see|figure out) (?:whether|if|how|"
    r"what|which|why|when|where|who)\b",
    re.IGNORECASE,
)
_WHEN_STATED = re.compile(r"^(?:when|where) (?:I|I'm|you|we|he|she|they|it|it's|my|our|the|a|an)\b", re.IGNORECASE)
_ASKS_INSIDE = re.compile(
    r"\b(?:what|how|which|where|when|why|who)(?: \w+)? (?:can|do|does|did|should|could|would|is|are) (?:I|you|we|"
    r"there|one)\b|\b(?:can|could|would) you\b|\b(?:any|some) (?:ideas|tips|recommendations|suggestions|advice)\b",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"^(?:(?:please|then|and|so|also),? )*(?:(?:(?:could|can|would|will) you (?:(?:please|kindly|also|just) )*|please )"
    r"(?:tell|give|send|share|confirm|provide|name|let)(?: (?:me|us))?(?: (?:have|know|with))?|would you mind "
    r"(?:telling|giving|sending|sharing|confirming)(?: (?:me|us))?|(?:may|can|could) (?:I|we) (?:please )?"
    r"(?:have|get|ask(?: for)?|know)) (?=(?:your|the|its|his|her|their)\b)",
    re.IGNORECASE,
)
"""A question in the form of a request, before what is asked for: "could you tell me your order number"."""
_REQUEST = re.compile(
    r"^(?:can|could|would|will) (?:you|u|we|i)\b|^(?:please|pls|help|give|show|tell|write|make|create|suggest|"
    r"recommend|explain|find|list|summari[sz]e|translate|draft|generate|describe|convert|fix|check|compare|look|"
    r"remind|plan|recipe|need|looking for|proofread|rewrite|rephrase|calculate|run|add|book|order|put|set|send|"
    r"skim|i(?:'m| am) looking for|i need|i want|i'd like|let me|quick question)\b",
    re.IGNORECASE,
)
_FICTION = re.compile(
    r"\b(?:role-?play|pretend|(?:^|[.!?\n] ?|please |you )act as|you are now an? |imagine (?:you|that|i|a|we)|"
    r"in the style of|(?:write|tell|make up|continue|compose)[^.?!\n]{0,40}\b(?:story|poem|haiku|limerick|song|"
    r"scene|dialogue|tale|fiction|novel|joke|screenplay|monologue|rap|sonnet|sketch)|fictional|my character|d&d|"
    r"dungeon|once upon a time|bedtime story|hypothetical(?:ly)?|what would happen if|let's say|lyrics)\b",
    re.IGNORECASE,
)
_ROLE_PLAY = re.compile(
    r"\b(?:role-?play|pretend (?:to be|you|that|we)|you are now an? |let's play)|(?:^|[.!?\n] ?|please |"
    r"you )act as an?\b",
    re.IGNORECASE,
)
_END_OF_FICTION = re.compile(
    r"\b(?:stop (?:the )?(?:role-?play|pretending)|back to (?:reality|normal|work|business)|out of character|ooc|"
    r"end scene)\b",
    re.IGNORECASE,
)
_GENERAL_QUESTION = re.compile(
    r"\b(?:what(?:'s| is| are| does| do)|how (?:do|does|can|to|would)|explain|eli5|difference|in (?:rust|python|"
    r"java|js|go|sql|general|two sentences)|vs\.?|who (?:wrote|is|was|invented)|when (?:did|was)|why (?:do|does|"
    r"is|are) (?:people|the sky|there))\b",
    re.IGNORECASE,
)


def is_open(sentence: Sentence, text: str) -> bool:
    """Tell whether a sentence asks for something; `text` is what is left of it without greetings and fillers."""
    return sentence.is_question or bool(_REQUEST.match(text) or _ASKS_INSIDE.search(text)) or opens_question(text)


def opens_question(text: str) -> bool:
    is_put = bool(_OPENS_QUESTION.match(text) or _WANTS_TO_KNOW.match(text))
    return is_put and not _WHEN_STATED.match(text)


def asks_in_general(text: str) -> bool:
    """Tell whether a question is about the world, so that its answer is no news of this place."""
    return bool(_GENERAL_QUESTION.search(text))


def is_made_up(text: str) -> bool:
    """Tell whether a message asks for fiction: what it tells is not true."""
    return bool(_FICTION.search(text))


def is_role_play(text: str, was: bool) -> bool:
    """Tell whether a role is played from this message on; it is until somebody ends it."""
    return not _END_OF_FICTION.search(text) and (was or bool(_ROLE_PLAY.search(text)))


REACH = 3
"""Sentences; what was said before that is not taken back without being named."""
MAX_CHARACTERS = 160
_MONTH = rf"(?:{'|'.join(month for month in MONTHS if len(month) > 3 or month == 'may')})"
_WEEKDAY = rf"(?:{'|'.join(day for day in WEEKDAYS if len(day) > 4)})s?"
_DAY = rf"(?:{_WEEKDAY}(?:(?:, | and |, and ){_WEEKDAY}){{0,4}}|today|tonight|tomorrow)"
"""Of "Mondays and Wednesdays" all is taken back."""
_DATE = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)(?: (?:of )?{_MONTH})?|\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
)
_KINDS = {
    "day": re.compile(rf"\b(?:{_DATE}|{_DAY})\b", re.IGNORECASE),
    "clock": re.compile(
        r"\b(?:\d{1,2}[:.]\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]m|noon|midnight|half (?:past )?\w+|quarter (?:past|to) \w+)\b"
        r"|(?<=\bat )\d{1,2}\b(?![.:%]?\d)",
        re.IGNORECASE,
    ),
    "month": re.compile(rf"\b{_MONTH}\b", re.IGNORECASE),
    "figure": re.compile(
        r"(?<![\w.:-])[$€£]?\d[\d.,]*%?(?![\w:-])|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
        re.IGNORECASE,
    ),
    "name": re.compile(r"(?<=[\w,] )(?!I\b|I')[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2}"),
}
_COUNTED = ("day", "clock", "month", "figure")
_WHOLE = {
    **_KINDS,
    "clock": re.compile(_KINDS["clock"].pattern.split("|(?<=")[0], re.IGNORECASE),
    "name": re.compile(r"(?!I\b|I')[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2}"),
}
"""The same where nothing stands before."""
_AROUND_VALUE = re.compile(
    r"^(?:(?:it|that|this)(?:'s| is| was| should be)? |they(?:'re| are) |make (?:it|that) |on |at |in |to |for |by )*"
    r"(?P<value>.{1,40}?)(?: (?:now|actually|instead|please|then|of course))?$",
    re.IGNORECASE,
)
_NOUN_BEHIND = re.compile(r"^(?P<value>\S+)(?P<noun> [a-z]+)$")
_SLIP = re.compile(
    r"^(?P<said>.{6,160}?)\s*(?:[,;–—-]|\.\.\.|…)+\s*(?:oh,? |er+m?,? |uh+,? |ah,? |sorry,? |no,? )*"
    r"(?:I meant?|no wait|wait no|wait|hang on|scratch that|strike that|make that|make it|or rather|correction|sorry)\b"
    r"[\s,:;–—-]+(?P<right>.{1,40})$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Slip:
    """`text` says it right, `wrong` is what stood there, `at` the place of its sentence among those that were given."""

    text: str
    wrong: str
    at: int = 0


def shares_kind(text: str, other: str) -> bool:
    """Tell whether both name a day, an hour, a month or a figure."""
    return any(_KINDS[kind].search(text) and _KINDS[kind].search(other) for kind in _COUNTED)


def mend_slip(text: str) -> str:
    """Return the sentence as it was meant, where its speaker takes a part of it back; else as it is."""
    match = _SLIP.match(text)
    meant = put_right(match["right"], [match["said"]]) if match else None
    return meant.text if meant else text


def put_right(right: str, said: Sequence[str]) -> Slip | None:
    """Return the last sentence of those that were said with a value of the kind that is set right; None without one."""
    match = _AROUND_VALUE.match(right.strip(" ,.;"))
    value = match["value"] if match else ""
    with_noun = _NOUN_BEHIND.match(value)
    figure = with_noun["value"] if with_noun else value
    for kind in _KINDS:
        if not _WHOLE[kind].fullmatch(figure if kind == "figure" else value):
            continue
        for at in range(len(said) - 1, max(len(said) - 1 - REACH, -1), -1):
            if len(said[at]) > MAX_CHARACTERS or opens_question(said[at]):
                continue
            wrong = list(_KINDS[kind].finditer(said[at]))[-1:]
            if wrong and wrong[0][0].lower() != value.lower():
                before, behind = said[at][: wrong[0].start()], said[at][wrong[0].end() :]
                # "For 6" and "8 people" are "for 8 people", "6 people" and "8 people" are, too.
                is_said = with_noun and behind.lower().startswith(with_noun["noun"].lower())
                return Slip(before + (figure if is_said else value) + behind, wrong[0][0], at)
    return None


_EMPTY = re.compile(
    r"^(?:yes|yeah|yep|no|nope|nah|ok|okay|sure|thanks|thank you|later|maybe|please|pls|do|do it|go on|perfect|great|"
    r"right|fine|either|both|dunno|i don't know|no idea(?: \w+)?|idk|not yet|not now|good|grand|y|n|ya|done|sold|first|"
    r"no need(?: for (?:it|that|this|now))?|don't bother|not necessary|maybe later|(?:some )?other time|another time|"
    r"tomorrow maybe|"
    r"second|none|nothing|same|never mind|nvm|good question|yes please|please do|go ahead|no thanks|not sure|"
    r"i'll ask .*)?$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:shall|can|could|will|would|may) i\b|^(?:and )?should i\b|\b(?:shall|should) we\b|"
    r"\b(?:want|would you like|do you want|like) (?:me|help|to|a|another|anything|something|some)\b|"
    r"^(?:and |do you )?need (?:me|help|to|a|another|anything|something|some)\b|"
    r"^(?:and|what|which)\?$|^(?:how|what) about\b|"
    r"\b(?:anything else|anything left|what's left|what is left|what else|what's next|ready|sore|"
    r"on (?:the|your|our) (?:list|plate|agenda|menu)"
    r"|how (?:did|was|are) (?:you|it|that|things)|"
    r"which one|or shall|on your mind|what happened|what's (?:up|wrong|the matter|going on)|"
    r"what can i do for|how (?:can|may) i help|"
    r"(?:can|could|would|will) you|does that|is that (?:ok|all|right))\b",
    re.IGNORECASE,
)
_WHAT_TO_DO = re.compile(r"^(?:and )?what (?:should|shall|can|do) i (?!call)", re.IGNORECASE)
_ASKS_WHICH = re.compile(
    r"^(?:and )?(?:which (?!one)|what (?:\w+ ){0,3}should|how (?:many|much|old|long|often)|where|when|who)\b",
    re.IGNORECASE,
)


def is_offer(question: str) -> bool:
    """Tell whether a question only asks what to do next, so that its answer tells nothing."""
    if REQUEST.match(question):
        return False
    return bool(_WHAT_TO_DO.match(question) or (_OFFER.search(question) and not _ASKS_WHICH.match(question)))


def is_empty(answer: str) -> bool:
    return bool(_EMPTY.match(answer.strip(" ,.!")))


_TEXT = (
    r"(?:e-?mails?|mails?|letters?|messages?|msg|texts?|sms|reply|replies|answer|response|posts?|tweet|statement|"
    r"announcement|invitation|card|notice|complaint|apology|dm|comment|report|paragraph|sentence|lines?|review|"
    r"(?:notes?|memo|reminder)(?= (?:to|for) (?!me\b|us\b|myself|yourself|later)))"
)
"""A note to nobody is what is to be remembered."""
_ASK = (
    r"(?:(?:can|could|would|will) (?:you|u) |i(?:'d| would)? (?:want|need|like) you to |help me (?:to )?|let's |"
    r"please |pls )"
)
_FIRST = rf"(?:^|[,;:–—] |\b(?:and|so|then|but),? (?={_ASK}))(?:{_ASK}|just |now |then |maybe |also |quickly |and )*"
_WHOM = r"(?: (?:him|her|them|everyone|(?:the|my|our) [\w-]+|(?-i:[A-Z])[\w'-]+)){0,2}(?: (?-i:[A-Z])[\w'-]+)?"
_THAT = (
    r"that (?=(?:I|we|you|he|she|it|they|there|the|our|my|his|her|their|an?|all|no|nobody|everyone|(?-i:[A-Z])[\w'-]+)"
    r"(?:'|\b))"
)
_SAYING = rf"(?:{_THAT}|(?:saying|telling|stating|explaining|informing|(?:which|that) says|to say|to tell|to let)\b)"
_ORDER = re.compile(
    rf"{_FIRST}(?:(?:draft|write|compose|prepare|word|formulate|phrase|put together|type|send|post)\b[^.;]{{0,60}}? "
    rf"{_TEXT}\b[^.;]{{0,60}}? {_SAYING}"
    rf"|(?:write|text|e-?mail|mail|message|dm|reply|respond|answer)(?: back)?(?: to)?{_WHOM} {_SAYING}"
    rf"|(?:say|state|it should say|have it say) {_THAT})",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|every|each|whenever|by default|don't|do not|going forward)\b", re.IGNORECASE
)
_ASKS_WHAT_TO_SAY = re.compile(
    r"\bwhat (?:should|shall|do|would) (?:it|I|we|you(?: like| want)?|the \w+)(?: \w+){0,3}? (?:say|write|tell|include|"
    r"contain|mention|cover|be about)\b|\bwhat(?:'s| is) the (?:(?:e-?mail|mail|letter|text) about|message)\b",
    re.IGNORECASE,
)

_ERRAND = re.compile(
    r"^(?:(?:write|create|build|generate|design|draft|prepare|compose|make|plan|pick|suggest|recommend|find|open|file|"
    r"book|invent|think of|come up with|put together|set up|sketch|code) (?:me |us |up )*(?:an?|another|some|the|two|"
    r"three|\d+) (?!point\b|habit\b)"
    r"|(?:ask|tell) [\w' ]{2,40}? (?:whether|if|what|when|how|why|which)\b"
    r"|let [\w' ]{2,40}? know\b|update (?:the|my|our|this) |cancel (?:the|my|our) |fill in |set (?:me |us )?up |"
    r"remind (?:me|us) (?!that\b|never\b|not\b))",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:always|never|from now on|going forward|(?:every|each|any|next) time|whenever|when(?:ever)? (?:you|I|we)|"
    r"before (?:you|I|we)|after (?:you|I|we)|for (?:every|each|all)|by default|only|instead|via|through|as)\b",
    re.IGNORECASE,
)


def is_errand(clause: str) -> bool:
    """Tell whether it orders something to be made or asked once, which is done with when it is done."""
    return bool(_ERRAND.match(clause)) and not _LASTING.search(clause)


def without_ordered(sentences: Sequence[Sentence], asked: str) -> Iterator[Sentence]:
    """Yield the sentences of a user without what is only to be written; `asked` is the question that they answer."""
    is_text = bool(_ASKS_WHAT_TO_SAY.search(asked))
    for at, sentence in enumerate(sentences):
        if is_text and at == 0 and asked:
            continue
        order = None if _STANDING.search(sentence.text) else _ORDER.search(sentence.text)
        is_text = is_text or bool(order)
        said = sentence.text[: order.start()].strip(" ,;:") if order else sentence.text
        if said:
            yield replace(sentence, text=said)

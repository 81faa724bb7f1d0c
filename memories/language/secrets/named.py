"""Secrets that are called by their name: "password: x", "la contraseña es x", `--api-key x`, 密码是 x."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memories.language.secrets.values import (
    ADVERB,
    ARTICLE,
    CLOSING,
    GOES_ON,
    GRAMMAR,
    NAMES_NO_SECRET,
    NO_VALUES,
    NUMBER_LEAD,
    OF,
    PHRASE_STARTS,
    SCHEME,
    TAIL_WORDS,
    UNITS_OF_RULES,
    VERB,
    Found,
    Lookup,
    Threes,
    Value,
    any_of,
    is_described,
    is_made,
    is_password,
    is_token,
    looks_random,
    starts,
    trimmed,
)

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_OPEN, _CLOSE = "「『“‘\"'`《【", "」』”’\"'`》】"
_LEAD = (
    r"(?:[（(][^()（）\n]{0,30}[)）])?(?P<lead>(?:[^!-~\n。！？；，、「」『』]|[ :=|*]){0,20}?"
    r"(?:[：:]?[ \t]*\r?\n[ \t]*)?)"
)
_BEHIND = re.compile(
    rf"[」』”\"'`*]{{0,2}}{_LEAD}(?:[{_OPEN}](?P<quoted>[^{_OPEN}{_CLOSE}\n]{{1,64}})[{_CLOSE}]"
    rf"|(?P<bare>(?=[0-9A-Za-z!@#$%^&+~_.])[!-~]{{2,256}}))"
)
_DIRECT = re.compile(rf"(?:{any_of('cjk_is')})[ \t]*\Z")
_UNIT = re.compile(rf"[ \t]*(?:{any_of('cjk_unit')})")
_STORED = re.compile(any_of("cjk_stored"))
_ENDS = re.compile(rf"[ \t]*(?:$|\n|{any_of('cjk_end')})")
_REVERSED_CJK = re.compile(r"(?<![!-~])([!-~]{4,64})[ 」』”]{0,2}(?:就?是|为|が|は)[^!-~\n。，、]{0,12}\Z")


def is_cjk(char: str) -> bool:
    return bool(char) and _CJK.match(char) is not None


def find_cjk(text: str, key: re.Match[str], kind: str) -> Found | None:
    """Return what is behind `key`, or before it ("x 是密码"), if the name or what follows is Chinese or Japanese."""
    following = text[key.end() : key.end() + 2].lstrip(" ")[:1]
    if not (is_cjk(key.group()[-1]) or is_cjk(following)):
        return None
    match = _BEHIND.match(text, key.end())
    if match and (found := _judged_cjk(text, match, kind)):
        return found
    before = _REVERSED_CJK.search(text[max(key.start() - 100, 0) : key.start()])
    if kind == "password" and before and any(char.isdigit() for char in before[1]) and is_password(Value(before[1])):
        end = key.start() - (len(before.string) - before.end(1))
        return Found(end - len(before[1]), end, kind)
    return None


def _judged_cjk(text: str, match: re.Match[str], kind: str) -> Found | None:
    is_quoted = match["quoted"] is not None
    start, end = match.span("quoted") if is_quoted else trimmed(text, *match.span("bare"))
    value, rest, lead = text[start:end], text[end : end + 12], match["lead"]
    if text[start - 1] == "【" and not value.isascii():
        return None
    is_direct = _DIRECT.search(lead + text[match.end("lead") : start]) is not None
    if _is_secret(value, rest, lead.strip(), kind, is_direct=is_direct, is_quoted=is_quoted):
        return Found(start, end, kind)
    return None


def _is_secret(value: str, rest: str, lead: str, kind: str, *, is_direct: bool, is_quoted: bool) -> bool:
    """Whether `value` is what the name stands for: "密码是 x", "パスワードを x に", and not "密码由 x 管理"."""
    is_elsewhere = _STORED.search(lead) is not None and not (is_direct and len(lead) <= 3)
    if not value or is_elsewhere or (value[-1].isdigit() and not is_quoted and _UNIT.match(rest)):
        return False
    if value.isdigit() or kind == "pin":
        return (
            kind in ("password", "pin")
            and (is_direct or not lead)
            and (3 if kind == "pin" else 4) <= len(value) <= 16
            and value.isdigit()
        )
    judged = Value(value, is_quoted=is_quoted)
    if kind != "password":
        return is_token(judged)
    if any(char.isdigit() for char in value) and value.isascii():
        is_next = not lead and is_made(value) and _ENDS.match(rest) is not None
        return is_token(judged) or ((is_direct or is_next) and is_password(judged))
    is_alone = is_quoted or (len(lead) <= 3 and _ENDS.match(rest) is not None)
    return is_direct and is_alone and is_password(judged)


CODE_BEFORE_CHARS, AFTER_CHARS = 120, 48
MAX_DIGITS_BETWEEN = 2

_SHAPE = r"\d{4,8}[a-f#*]?|\d{1,3}[a-z]\d{2,4}|\d{1,2}(?:-\d{1,2}){2,3}|\d{1,2}(?: – \d{1,2}){2,3}|\d{2,4}[ -]\d{2,4}"
_SPOKEN = rf"(?:(?:{any_of('digit')})[ -]){{3,7}}(?:{any_of('digit')})"
_DIGIT_NAMES = frozenset(any_of("digit").split("|"))
_NO_FIGURE_BEFORE = r"(?<![0-9a-zà-ÿ_$€£+@%&/\\=#])(?<!\d[.,:-])(?<![(\[<]redacted: )"
_NO_FIGURE_AFTER = r"(?![0-9a-zà-ÿ_%€$£]|[.,:/@-]\w)"
_FIGURE = re.compile(rf"{_NO_FIGURE_BEFORE}(?:{_SHAPE}|{_SPOKEN}){_NO_FIGURE_AFTER}")
_IN_DIGITS = re.compile(rf"(?=\d){_NO_FIGURE_BEFORE}(?:{_SHAPE}){_NO_FIGURE_AFTER}")
_CODE = r"((?=[a-z -]{0,12}\d)[0-9a-z]{4,12}(?:[ -][0-9a-z]{4,12}){0,3})"
_LIST_LEAD = re.compile(rf"{CLOSING}(?:(?<=[ \t])[^\n:：]{{1,40}}[:：]|{OF}[ \t]{{0,4}}(?:{VERB})?)")
_LIST_ITEM = re.compile(rf"[\s,;•*`\"'\[\]-]{{0,20}}(?:\d{{1,2}}[.)][ \t])?{_CODE}(?![\w:/])")
_LIST_INTRODUCTION = re.compile(r"[^\n]{0,80}(?:\n[ \t>]{0,8}(?:[•*-]|\d{1,2}[.):])[ \t]?[a-z]{1,12}[ \t]*(?=\n)){0,9}")
_LIST_LINE = re.compile(
    r"[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t>]{0,8}(?:[•*-]|\d{1,2}[.):])?[ \t]{0,4}"
    rf"`?{_CODE}`?(?=[ \t]{{0,8}}(?:\r?\n|$))"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WHOLE = re.compile(rf"[ \t]*(?:$|[,.;、。()（]|です|で|(?:{any_of('and_then')})[ ])")
_END_OF_SENTENCE = re.compile(r"[.!](?=[ \t])|[。！？\n]")


@cache
def _pattern(*lists: str, end: str = "") -> re.Pattern[str]:
    """Return a pattern of the lists' entries as words of their own; Chinese and Japanese need no space around them."""
    return re.compile(rf"(?<![a-zà-ÿ_])(?:{'|'.join(map(any_of, lists))})(?![a-zà-ÿ_]){end}")


@cache
def _code_starts() -> Lookup:
    return Lookup(_starts_of("pin", "code", "opened", "locked", "carried"))


@cache
def _starts_of(*lists: str) -> frozenset[str]:
    return frozenset(start for name in lists for start in starts(name))


def _entries_in(text: str, called: frozenset[str], *lists: str) -> Iterator[re.Match[str]]:
    """Yield where entries of the lists are, as words of their own; `called`: how those of the whole text begin."""
    return _matches_behind(_starts_of(*lists) & called, _pattern(*lists), text)


def _matches_behind(some: Iterable[str], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what `finditer` would of a pattern whose matches begin with some words: to look for those is quick."""
    places: set[int] = set()
    for start in some:
        place = text.find(start)
        while place >= 0:
            places.add(place)
            place = text.find(start, place + 1)
    done = 0
    for place in sorted(places):
        if place >= done and (match := pattern.match(text, place)):
            done = match.end()
            yield match


@cache
def _link() -> re.Pattern[str]:
    """Return a pattern of what may stand between the word for a code and the figure."""
    adverb, article = rf"(?:(?:{any_of('adverb')})[ \t])", rf"(?:(?:{any_of('article')})[ \t])"
    verb = rf"(?:(?<![^\W_]){adverb}?(?:{any_of('is')})[ \t]{{1,3}}{adverb}?{article}?)"
    clause = r"(?:(?:it|that)['’]s|c['’]est)[ \t]"
    subject = rf"(?:(?:{any_of('code_subject')}|{any_of('adverb')})[ \t]?){{1,4}}"
    return re.compile(
        rf"[ \t]*[\"'“„(«]?|[^,;:]{{0,60}}(?:[:=：][ \t]*|{verb})[\"'“„«]?"
        rf"|[^\n]{{0,60}}[,;–—-][ \t](?:und |and |y |e |et )?(?:{clause}{article}?|{subject}{verb})"
        rf"|[^。，、]{{0,12}}(?:{any_of('cjk_is')})[ \t]*[「『]?"
    )


@cache
def _change() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{any_of('change')})(?![^\W_])")


def find_said(folded: str, threes: Threes) -> Iterator[Found]:
    """Figures that a sentence calls a code: "the gate wants a PIN, ours is 8306", "digita il codice 7741"."""
    is_spoken = sum(map(_DIGIT_NAMES.__contains__, folded.replace("-", " ").split())) > 1
    pattern = _FIGURE if is_spoken else _IN_DIGITS
    first = pattern.search(folded)
    if not first or not (called := frozenset(_code_starts().entries_in(folded, threes))):
        return
    for figure in pattern.finditer(folded, first.start()):
        start, end = figure.span()
        before = folded[max(start - CODE_BEFORE_CHARS, 0) : start]
        for stop in _END_OF_SENTENCE.finditer(before):
            before = " " * stop.end() + before[stop.end() :]
        after = _END_OF_SENTENCE.split(folded[end : end + AFTER_CHARS], maxsplit=1)[0]
        if figure.group()[-1] not in "#*" and not any(start in before or start in after for start in called):
            continue
        if _is_code(figure.group(), before.lstrip(), after, called):
            yield Found(start, end, "pin")


def _is_code(figure: str, before: str, after: str, called: frozenset[str]) -> bool:
    if _pattern("code_unit").match(after.lstrip(" -\t")) or is_dated(figure, before):
        return False
    opened = any(_entries_in(before, called, "opened", "locked")) or any(_entries_in(after, called, "opened"))
    carried = opened or any(_entries_in(before, called, "carried")) or any(_entries_in(after, called, "carried"))
    nouns = [*_entries_in(before, called, "pin", "code")]
    if not (carried or nouns or figure[-1] in "#*") or _pattern("no_code").search(before):
        return False
    if (opened or figure[-1] in "#*") and (
        _pattern("enter", end=r"[ \t]*[\"'“„«「]?\Z").search(before) or _pattern("entered").match(after.lstrip())
    ):
        return True
    opened = carried
    if opened and _opens(figure, before, after, called):
        return True
    if not nouns or not (opened or _pattern("pin").fullmatch(nouns[-1].group())):
        return False
    between = before[nouns[-1].end() :]
    if re.search(r"\d{3}", between):
        return False
    is_behind = opened and _WHOLE.match(after) and re.fullmatch(r"(?:[ \t]+[^\W\d_]+){1,3}[ \t]+", between)
    if is_behind or _link().fullmatch(between):
        return True
    is_changed = _change().search(before) or _change().search(after)
    lead = _pattern("to", end=r"[ \t]\Z") if is_changed else _pattern("use", end=r"[ \t]\Z")
    return lead.search(between) is not None


_HAS_NUMBERS = re.compile(r"(?:gate|door|entrance|locker|garage)s?")
_GOES_ON = re.compile(r"[ \t]+(?:of|is|was|has|will|needs?|stays?|opens|closes|leads)\b(?! (?:the )?code\b)")
"""Behind "gate 10-12", it tells that this is which gate: "Gate 10-12 of the warehouse is closed"."""


def _opens(figure: str, before: str, after: str, called: frozenset[str]) -> bool:
    """Tell whether a lock opens with a figure: "opens with 3948", "Alarmanlage: 74419", "padlock 7-4-2"."""
    is_whole = not figure.isdigit() or _WHOLE.match(after) is not None
    if _by().search(before):
        return is_whole or _pattern("opens").search(f"{before} {after}") is not None
    if _pattern("it_is", end=r"[ \t]\Z").search(before):
        return is_whole
    locked = next(_entries_in(before, called, "locked"), None)
    place = locked or next(_entries_in(before, called, "opened"), None)
    if place and _HAS_NUMBERS.fullmatch(place.group()) and not before[place.end() :].strip() and _GOES_ON.match(after):
        return False
    is_plain = figure.isdigit() and not locked
    is_set = is_whole and place and _set(far=not is_plain).fullmatch(before, place.end())
    return bool(is_set) or (locked is not None and figure.count("-") > 1)


@cache
def _by() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{any_of('by')})[ \t](?:(?:{any_of('article')})[ \t])?\Z")


@cache
def _set(*, far: bool) -> re.Pattern[str]:
    """Return a pattern of what stands between a lock and its figure; `far` also some words and a colon."""
    said = rf"は|是|(?:{any_of('is')})[ \t]"
    return re.compile(rf"(?:[^:：,;-]{{0,30}}(?:[:：]|{said}))?[ \t]*" if far else rf"[ \t]*(?:{said})[ \t]*")


def is_dated(figure: str, before: str) -> bool:
    """Tell whether a figure is a year behind "in", "since" or their like."""
    return _YEAR.fullmatch(figure) is not None and _pattern("dated", end=r"[ \t]\Z").search(before) is not None


_UNITS = "|".join(sorted(UNITS_OF_RULES - {"long", "or+", "and+"}))
_NUMBER_END = (
    rf"(?![.,:/-]?[0-9a-zà-ÿ_])(?![ \t-](?:{_UNITS}|digit|character|number|letter|time|day|zeichen|stell)|[ \t]to\b)"
)


@cache
def _number_behind(digits: str) -> re.Pattern[str]:
    lead = rf"(?:{NUMBER_LEAD}|[ \t](?:{any_of('of')})[ \t])(?<!\d)(?<!\d[.,])"
    return re.compile(rf"{lead}({digits}){_NUMBER_END}")


def code_behind(folded: str, key: re.Match[str]) -> Found | None:
    """Return the figure right behind the name of a code: 4 to 8 digits, or what doors have; 3 for a card's code."""
    near = folded[key.start() : key.end() + AFTER_CHARS]
    is_check = key.lastgroup == "check" or _pattern("back").search(near) is not None
    number = _number_behind(rf"\d{{3}}(?!\d)|{_SHAPE}" if is_check else _SHAPE).match(folded, key.end())
    if not number or is_dated(number[1], folded[key.end() : number.start(1)]):
        return None
    return Found(*number.span(1), "pin")


def listed(folded: str, place: int) -> Iterator[Found]:
    """Each of a list of recovery codes, behind their name or each on a line of its own below it."""
    lead = _LIST_LEAD.match(folded, place)
    item = _LIST_ITEM.match(folded, lead.end() if lead else place)
    pattern = _LIST_ITEM if item else _LIST_LINE
    item = item or pattern.match(folded, _LIST_INTRODUCTION.match(folded, place).end())  # type: ignore[union-attr]
    while item:
        yield Found(*item.span(1), "secret")
        item = pattern.match(folded, item.end())


REST_CHARS = 40
BEFORE_CHARS = 100

KINDS = ("phrase", "wallet", "codes", "password", "key", "token", "secret", "wifi", "renewed", "check", "pin")


@cache
def _starts() -> Lookup:
    """Each name begins with one of them."""
    return Lookup({start for kind in KINDS for start in starts(kind)})


@cache
def _names() -> re.Pattern[str]:
    named = "|".join(f"(?P<{kind}>{any_of(kind)})" for kind in KINDS[:-1])
    return re.compile(rf"{named}|(?<![0-9a-zà-ÿ])(?P<pin>{any_of('pin')})")


def _find_names(folded: str, threes: Threes) -> Iterator[re.Match[str]]:
    """Where secrets are called by a name."""
    return _matches_behind(_starts().entries_in(folded, threes), _names(), folded)


_VALUE = r"(?:([\"'`“„«])(?P<quoted>(?:\\.|[^\\\n\"'`“”„«»]|(?!\{n})[\"'`]){{1,256}})[\"'`”“»]|(?P<bare>\S{{1,256}}))"


def _tail(lead: str) -> Callable[[], re.Pattern[str]]:
    """Return a pattern of what may stand behind a name, up to and with the value."""

    @cache
    def compiled() -> re.Pattern[str]:
        return re.compile(lead + _VALUE.format(n=re.compile(lead).groups + 1))

    return compiled


_NEWLINE = r"[ \t]{0,4}[|>]?[+-]?[ \t]{0,4}(?:\r?\n[ \t>|]{0,20}(?:[`~]{3}\w{0,10}[ \t]{0,4})?){1,3}"

_TYPE = r"(?::[ \t]?[a-z&][\w\[\].&]{0,20}[ \t]{0,4}(?==))?"
_ASSIGNED = _tail(rf"{CLOSING}{_TYPE}(?P<op>[!:]?={{1,3}}>?|[:：]|->|→)(?P<gap>[*_]{{0,2}}[ \t]{{0,20}}){SCHEME}")
_QUALIFIED = _tail(
    rf"{CLOSING}(?P<words>(?:[ \t_-][\w'’()./]{{1,24}}){{1,3}}?)[ \t]{{0,2}}(?:[:：=]|->|→)[*_]{{0,2}}[ \t]{{0,20}}"
)
_OWN_LINE = _tail(rf"{CLOSING}{OF}[ \t]{{0,4}}(?P<verb>{VERB})?:?[*_]{{0,2}}{_NEWLINE}(?![a-z_]\w*=)")
_BELOW = _tail(rf"[^\n:：]{{1,60}}[:：]{_NEWLINE}")
_SAID = _tail(rf"{CLOSING}{OF}(?:;[ \t])?,?[ \t]{{0,4}}{VERB}[ \t]{{1,20}}")
_TO = _tail(rf"{OF}[ \t]{{1,4}}(?:wurde[ \t])?(?:{any_of('to')})[ \t]{{1,4}}")
_NEXT = _tail(rf"[ \t]{{1,4}}(?:{ADVERB}[ \t]{{1,3}})?")
_FLAG = _tail(r"(?P<op>=|[ \t]{1,4})")
_PAIRED = _tail(
    r"[\w.:-]{0,24}[\"']?(?:[\s,<>]{1,60}[\"']?(?:value|val|content)[\"']?|\s{0,4}\{[^{}]{0,200}?\bdefault)"
    r"\s{0,4}[:=>]\s{0,20}"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_NUMBERED = r"(?:\d{1,2}[.):]?[ ]?)?[^\W\d_]{1,14}"
_PHRASE = (
    rf"(?:{CLOSING}(?:{OF}[ \t]{{0,4}}(?:{VERB}|是|为|為|は)|(?:[ \t][\w.-]{{1,20}}){{1,2}}[ \t]?[:：]))?"
    r"\s{0,8}[\"'“`«]?"
    rf"(?P<quoted>(?:{_NUMBERED}[ \t,\n]{{1,3}}){{2,23}}{_NUMBERED})"
    r"(?=[.,;)\"'”`»]|[ \t][(–—-]|\s*$)"
)
_WALLET = (
    rf"[^\n:：]{{0,60}}?(?:[:：]|(?<![^\W_])(?:are|is|sind|lauten|sont|son|sono|são)(?![^\W_])|是|は)\s{{0,3}}[\"'“`«]?"
    rf"(?P<quoted>(?:{_NUMBERED}[ \t\n]{{1,3}}){{11,23}}{_NUMBERED})(?=[.;)\"'”`»]|\s*$)"
)
_CALL = r"\([ \t]{0,4}([\"'])(?P<quoted>[^\"'\s]{1,128})\1"
_ARGUMENT = r"[\w.:-]{0,24}[\"'][ \t]{0,4},[ \t]{0,4}([\"'])(?P<quoted>[^\"'\n]{1,256})\1"
_XML = r"[^<>\n]{0,60}>(?P<quoted>[^<>\n]{1,256})</"
_HTML_CELL = (
    r"[:：]?\s{0,4}</(?:td|th|dt|b|strong|label)>[:：]?\s{0,20}<(?:td|dd|code|kbd|pre)\b[^<>]{0,80}>\s{0,20}(?:<code>)?"
    r"(?P<quoted>[^<>\n]{1,128}?)\s{0,20}<"
)
_CHANGED = rf"(?<![^\W_])(?:{any_of('change')})[ \t](?:[\w'’-]{{1,20}}[ \t]){{0,3}}\Z"
_WITH = rf"(?<![^\W_])(?:{any_of('with')})[ \t]{{1,3}}{ARTICLE}{{0,2}}\Z"
_IS_ITEM = r"(?:^|[:：;,(–—-][ \t]{0,2})\Z"
_IS_FLAG = r"(?<![\w-])--?(?:[a-z0-9]+[-_])*\Z"
_IS_COMMAND = r"(?:^|[ \t])-{1,2}[a-z][\w-]*(?:[ \t=]|$)[^\n,]*\Z"
_IS_ENV = r"(?:^|\n)[ \t]{0,20}(?:env|setx?|arg)[ \t]{1,4}[\w.-]{0,60}\Z"
_IS_ATTRIBUTE = r"(?:name|key|id|variable|property|setting)[\"']?\s{0,4}[:=]?\s{0,4}[\"'(]?[\w.:/-]{0,60}\Z"
_IS_ENTRY = (
    r"<(?:entry|property|string|item|setting|param|key|add|var|arg)\b[^<>]*[\"'][\w.:-]{0,60}\Z|<[\w.:-]{0,60}\Z"
)
_IS_CALL = r"(?:define|putenv|set\w*|put|add\w*|env|config|property|header|append|param)\(\s{0,4}[\"'][\w.:-]{0,60}\Z"
_COUNTED = (
    r"(?:max|min|total|input|output|prompt|completion|context|per|next|page|eos|bos|pad|stop|cost|design)[ _-]?\Z"
)
_LOGIN = (
    r"\b(?:user(?:name)?|login|account|benutzer(?:name)?|usuario|usuário|utilisateur|identifiant|"
    r"utilizador|utente|nutzer)\b[ :=]{1,4}\S{1,64}"
    r"[\s,;/]{1,20}(?:(?:and|with|mit|con|und|y|et|avec|e|com) )?(?:(?:the|das|dem|la|le|a|su|sua) ){0,2}\Z"
)
_IN_VARIABLE = r"\$\{\w*\Z"
_DEMANDED = r"\w{0,60}:?\?"
_WIFI = (
    "wifi",
    "wi-fi",
    "wlan",
    "wpa",
    "ssid",
    "hotspot",
    "router",
    "network",
    "netz",
    "réseau",
    "rete ",
    "rede ",
    "无线",
    "無線",
    "网络",
)
_LOCATED = r"(?:arn:aws|projects/|secrets/)\S*\Z"
_DIGEST = r"[0-9a-fA-F]{32,128}"
Judge = Callable[[Value], bool]


class Reading(NamedTuple):
    """A way to read what follows a name."""

    match: re.Match[str]
    is_said: bool = False
    judge: Judge | None = None
    """Stricter than what the name asks for."""
    is_tight: bool = False
    """`NAME=value`: what follows the value is something else."""


def find_named(text: str, folded: str, threes: Threes) -> Iterator[Found]:
    """`folded` is `text` in lower case, as long as `text`. Linear: what is read behind a name is bounded."""
    done = 0
    for key in _find_names(folded, threes):
        if key.start() < done or not _begins_a_word(text, key.start()) or _is_variable(folded, key):
            continue
        for found in _behind(text, folded, key):
            done = max(done, found.end)
            yield found


def _begins_a_word(text: str, start: int) -> bool:
    """Tell whether a word begins here: in "dbPassword", "db_password"; "1Password" is a product, "detoken" none."""
    before = text[max(start - 1, 0) : start]
    if not before.isalnum() or is_cjk(before) or is_cjk(text[start]):
        return True
    if text[start : start + 4].lower() in ("pass", "kenn", "schl"):
        return before != "1"
    return before.isdigit() or (before.islower() and text[start].isupper()) or _is_joined(text, start)


def _is_variable(folded: str, key: re.Match[str]) -> bool:
    """Tell whether a value is a variable: `${DB_PASSWORD:?message}`."""
    is_demanded = _compiled(_DEMANDED).match(folded, key.end()) is not None
    return is_demanded and _compiled(_IN_VARIABLE).search(folded[max(key.start() - 60, 0) : key.start()]) is not None


def _is_joined(text: str, start: int) -> bool:
    return (
        text[max(start - 6, 0) : start]
        .lower()
        .endswith(("auth", "access", "api", "bot", "client", "app", "griffs", "gangs"))
    )


def _behind(text: str, folded: str, key: re.Match[str]) -> Iterator[Found]:
    kind = key.lastgroup or ""
    if kind == "codes":
        yield from listed(folded, key.end())
        return
    before = folded[max(key.start() - BEFORE_CHARS, 0) : key.start()]
    around = before + folded[key.start() : key.end() + REST_CHARS]
    is_wifi = any(word in around for word in _WIFI)
    if kind == "wifi" and not is_wifi:
        return
    is_word = kind in ("phrase", "wallet", "wifi", "renewed") or (is_wifi and kind == "key")
    is_code = kind in ("pin", "check")
    name = "password" if is_word else "pin" if is_code else kind
    found = code_behind(folded, key) if is_code else None
    found = found or find_cjk(text, key, name)
    if not found and not is_code:
        found = _value_of(text, folded, key, name, is_wifi=is_wifi)
    if found:
        yield found


def _value_of(text: str, folded: str, key: re.Match[str], name: str, *, is_wifi: bool) -> Found | None:
    kind = key.lastgroup or ""
    is_network_key = is_wifi and kind in ("wifi", "key")
    is_secret = _is_network_key if is_network_key else is_password if name == "password" else is_token
    is_secret = _is_renewed if kind == "renewed" else is_secret
    before = folded[max(key.start() - BEFORE_CHARS, 0) : key.start()]
    readings = (
        _of_wallet(folded, key) if kind == "wallet" else _readings(text, folded, key, kind, before, is_wifi=is_wifi)
    )
    for reading in readings:
        match = reading.match
        group = "quoted" if match["quoted"] else "bare"
        start, end = match.span(group)
        if group == "bare":
            start, end = trimmed(text, start, end)
        rest = "" if reading.is_tight else text[end : end + REST_CHARS].partition("\n")[0]
        is_quoted = group == "quoted"
        value = Value(text[start:end], rest, is_quoted=is_quoted, is_said=reading.is_said, is_tight=reading.is_tight)
        found = Found(start, end, name) if start < end and (reading.judge or is_secret)(value) else None
        if found:
            is_digest = _compiled(_DIGEST).fullmatch(value.text) and NAMES_NO_SECRET.search(before.rpartition("\n")[2])
            return None if is_digest or _compiled(_LOCATED).search(before) else found
    return None


def _of_wallet(folded: str, key: re.Match[str]) -> Iterator[Reading]:
    if match := _compiled(_WALLET).match(folded, key.end()):
        yield Reading(match, judge=_is_seed)


def _readings(
    text: str, folded: str, key: re.Match[str], kind: str, before: str, *, is_wifi: bool
) -> Iterator[Reading]:
    end = key.end()
    if kind == "token" and _compiled(_COUNTED).search(before[-20:]):
        return
    is_phrase = kind == "phrase" or key.group().endswith("phrase")
    if match := (_compiled(_PHRASE).match(folded, key.end()) if is_phrase else None):
        is_long = key.group().startswith(("seed", "12", "24")) and not key.group().endswith("phrase")
        is_set = any(colon in folded[end : match.start("quoted")] for colon in ":：")
        yield Reading(match, judge=_is_mnemonic if is_long else _is_passphrase if is_set else _is_sentence)
        if kind == "phrase":
            return
    if (match := _ASSIGNED().match(folded, end)) and (match["quoted"] or not match["op"].startswith(("==", "!="))):
        is_tight = match["op"] == "=" and not match["gap"]
        is_word = key.group() == "pass" and before[-1:] not in ("_", "-")
        is_named = is_tight and kind in ("secret", "token") and text[key.start()].isupper()
        yield Reading(match, judge=is_token if is_word else is_password if is_named else None, is_tight=is_tight)
    if match := _SAID().match(folded, end):
        lead = folded[end : match.start("quoted" if match["quoted"] else "bare")]
        yield Reading(match, is_said=not (is_wifi and lead.rstrip("\t \"'“„«").endswith((":", "："))))
    yield from _below(folded, end, kind)
    if (match := _QUALIFIED().match(folded, end)) and not _names_something_else(match["words"]):
        yield Reading(match, judge=_has_both if kind == "password" else _is_given)
    yield from _marked(folded, before, end, kind)
    yield from _unmarked(folded, before, end, is_wifi=is_wifi)


def _below(folded: str, end: int, kind: str) -> Iterator[Reading]:
    """Values on a line of their own."""
    if "\n" in folded[end : end + BEFORE_CHARS] and (match := _OWN_LINE().match(folded, end)):
        judge = _is_own_line if kind != "password" else _is_given if not match["verb"] else _is_alone
        yield Reading(match, judge=judge)
    if kind == "password" and ":\n" in folded[end : end + BEFORE_CHARS] and (match := _BELOW().match(folded, end)):
        yield Reading(match, judge=_is_strong_line)


def _marked(folded: str, before: str, end: int, kind: str) -> Iterator[Reading]:
    """Values of an option, or apart from their name: in the next attribute, argument or element."""
    if kind == "password" and (match := _compiled(_CALL).match(folded, end)):
        yield Reading(match, judge=_is_given)
    if "-" in before and _compiled(_IS_FLAG).search(before) and (match := _FLAG().match(folded, end)):
        is_tight = match["op"] == "=" or _compiled(_IS_COMMAND).search(before.rstrip("-")) is not None
        yield Reading(match, is_tight=is_tight)
    if "<" in before and (match := _compiled(_XML).match(folded, end)) and _compiled(_IS_ENTRY).search(before):
        yield Reading(match)
    if match := _compiled(_HTML_CELL).match(folded, end):
        yield Reading(match)
    if (match := _PAIRED().match(folded, end)) and _compiled(_IS_ATTRIBUTE).search(before):
        yield Reading(match)
    if (match := _compiled(_ARGUMENT).match(folded, end)) and _compiled(_IS_CALL).search(before):
        yield Reading(match)


def _unmarked(folded: str, before: str, end: int, *, is_wifi: bool) -> Iterator[Reading]:
    """Values with nothing but space before them; what comes before the name has to tell."""
    if match := _TO().match(folded, end):
        is_changed = _compiled(_CHANGED).search(before) is not None
        yield Reading(match, is_said=True, judge=None if is_changed else _is_changed_to)
    match = _NEXT().match(folded, end)
    if match and _compiled(_IS_ENV).search(before):
        yield Reading(match, is_tight=True)
    if match and any(char.isdigit() for char in match.group()):
        if is_wifi or _compiled(_LOGIN).search(before):
            yield Reading(match, is_said=True, judge=_has_digit)
        is_given = match["quoted"] or any(_compiled(lead).search(before) for lead in (_CHANGED, _WITH))
        is_item = _compiled(_IS_ITEM).search(before) is not None
        judge = _is_given if is_given else _is_last_word if is_item else _is_strong
        yield Reading(match, is_said=True, judge=judge)


def _names_something_else(words: str) -> bool:
    return any(word in TAIL_WORDS for word in re.findall(r"[^\W_]+", words))


def _is_mnemonic(value: Value) -> bool:
    return len(value.text.split()) >= 11 and is_password(value)


def _is_seed(value: Value) -> bool:
    """As many words as wallets make, with no grammar."""
    words = [word.strip("0123456789.):") for word in value.text.lower().split()]
    words = [word for word in words if word]
    grammar = sum(word in GRAMMAR or word in GOES_ON for word in words)
    return len(words) in (12, 15, 18, 21, 24) and grammar < 2 and len(set(words)) > len(words) - 2


def _is_sentence(value: Value) -> bool:
    """Words behind "is" without grammar, or five and more that do not tell where the passphrase is or how."""
    words = value.text.lower().split()
    begins = words[0] not in NO_VALUES | GRAMMAR and not is_described(words[0]) and not _talks(words[:1])
    is_told = 5 <= len(words) <= 12 and (begins or words[0] in PHRASE_STARTS) and not _talks(words[1:])
    return is_told or is_password(value)


def _talks(words: Sequence[str]) -> bool:
    talk = _compiled(rf"(?:{any_of('passphrase_talk')})\Z")
    return any(talk.match(word.strip(",.")) for word in words)


def _is_passphrase(value: Value) -> bool:
    """Words behind ":" that may make a sentence, but do not talk of the passphrase."""
    words = value.text.lower().split()
    if len(words) >= 11 and is_password(value):
        return True
    is_talk = words[0] in NO_VALUES - PHRASE_STARTS or _talks(words)
    return not is_talk and 2 * sum(word in GRAMMAR for word in words) <= len(words) <= 12


def _is_network_key(value: Value) -> bool:
    """In a sentence about Wi-Fi: quoted, with a digit, or words joined by hyphens."""
    is_made = value.is_quoted or any(char.isdigit() for char in value.text) or value.text.count("-") > 1
    return is_made and is_password(value)


def _is_strong_line(value: Value) -> bool:
    text = value.text
    return not value.rest.strip("` ") and len(text) >= 8 and is_made(text) and is_password(value)


def _is_own_line(value: Value) -> bool:
    return not value.rest.strip("`") and looks_random(value.text) and is_token(value)


def _is_alone(value: Value) -> bool:
    """Tell whether a word is the only one of its line."""
    is_sentence = is_cjk(value.text[0]) and not any(char.isascii() for char in value.text)
    return not value.rest.strip("` ") and not is_sentence and is_password(value)


def _is_made_word(value: Value) -> bool:
    """Letters with digits or symbols, where a sentence may go on with a word."""
    return is_made(value.text) and is_password(value)


def _is_last_word(value: Value) -> bool:
    """Made, and the last word of its line."""
    return not value.rest.strip("`.\"'” ") and _is_made_word(value)


def _is_changed_to(value: Value) -> bool:
    """Tell whether a word looks strong, or is what something was changed to: "auf x1-y2 geändert"."""
    changed = _compiled(rf"[ \t\"'”“»]{{1,3}}(?:{any_of('changed')})(?![^\W_])").match(value.rest.lower())
    return _is_strong(value) or (changed is not None and _is_made_word(value))


def _has_digit(value: Value) -> bool:
    """Behind a user's name: "login bob password x1-y2"."""
    return any(char.isdigit() for char in value.text) and is_password(value)


def _has_both(value: Value) -> bool:
    """Letters and digits: `PASSWORD_DB=x1-y2`."""
    return any(char.isalpha() for char in value.text) and _has_digit(value)


def _is_given(value: Value) -> bool:
    """In quotes, or set: "with the password x1y2"."""
    return any(char.isdigit() for char in value.text) and is_token(value)


def _is_renewed(value: Value) -> bool:
    """Behind "the new one is", of whatever it is."""
    return _is_strong(value) and any(char in "!@#$%^&*?+=_" for char in value.text)


def _is_strong(value: Value) -> bool:
    """Tell whether a word looks made to be a password: 8 small letters and digits, and a capital or a symbol."""
    text = value.text
    has_third = any(char.isupper() or char in "!@#$%^&*?+=" for char in text)
    is_mixed = any(char.isdigit() for char in text) and any(char.islower() for char in text) and has_third
    return len(text) >= 8 and is_mixed and looks_random(text) and is_token(value)

"""Short figures that open something: PINs, PUKs, codes of doors and alarms, and lists of recovery codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memories.text.secrets.found import Found
from memories.text.secrets.grammar import CLOSING, NUMBER_LEAD, OF, VERB
from memories.text.secrets.words import UNITS_OF_RULES, any_of, starts

BEFORE_CHARS, AFTER_CHARS = 120, 48
MAX_DIGITS_BETWEEN = 2

_SHAPE = r"\d{4,8}[a-f#*]?|\d{1,3}[a-z]\d{2,4}|\d{1,2}(?:-\d{1,2}){2,3}|\d{2,4}[ -]\d{2,4}"
_SPOKEN = rf"(?:(?:{any_of('digit')})[ -]){{3,7}}(?:{any_of('digit')})"
_FIGURE = re.compile(
    rf"(?<![0-9a-zà-ÿ_$€£+@%&/\\=#])(?<!\d[.,:-])(?<![(\[<]redacted: )(?:{_SHAPE}|{_SPOKEN})"
    r"(?![0-9a-zà-ÿ_%€$£]|[.,:/@-]\w)"
)
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
    """The entries of the lists as words of their own; letters of Chinese and Japanese need no space around them."""
    return re.compile(rf"(?<![a-zà-ÿ_])(?:{'|'.join(map(any_of, lists))})(?![a-zà-ÿ_]){end}")


@cache
def _starts() -> tuple[str, ...]:
    return tuple({start for name in ("pin", "code", "opened", "locked", "carried") for start in starts(name)})


@cache
def _link() -> re.Pattern[str]:
    """What may stand between the word for a code and the figure."""
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


def find_said(folded: str) -> Iterator[Found]:
    """Figures that a sentence calls a code: "the gate wants a PIN, ours is 8306", "digita il codice 7741"."""
    first = _FIGURE.search(folded)
    if not first or not any(start in folded for start in _starts()):
        return
    for figure in _FIGURE.finditer(folded, first.start()):
        start, end = figure.span()
        before = folded[max(start - BEFORE_CHARS, 0) : start]
        for stop in _END_OF_SENTENCE.finditer(before):
            before = " " * stop.end() + before[stop.end() :]
        after = _END_OF_SENTENCE.split(folded[end : end + AFTER_CHARS], maxsplit=1)[0]
        if _is_code(figure.group(), before.lstrip(), after):
            yield Found(start, end, "pin")


def _is_code(figure: str, before: str, after: str) -> bool:
    if _pattern("code_unit").match(after.lstrip(" -\t")) or is_dated(figure, before):
        return False
    opened = _pattern("opened", "locked").search(before) or _pattern("opened").search(after)
    no_code = _pattern("no_code").search(before)
    enters = _pattern("enter", end=r"[ \t]*[\"'“„«「]?\Z").search(before) or _pattern("entered").match(after.lstrip())
    if enters and not no_code and (opened or figure[-1] in "#*"):
        return True
    opened = opened or _pattern("carried").search(before) or _pattern("carried").search(after)
    if opened and not no_code and _opens(figure, before, after):
        return True
    nouns = [*_pattern("pin", "code").finditer(before)]
    if not nouns or no_code or not (opened or _pattern("pin").fullmatch(nouns[-1].group())):
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


def _opens(figure: str, before: str, after: str) -> bool:
    """ "opens with 3948", "the gate, it's 27b94", "Alarmanlage: 74419", and what is turned to: "padlock 7-4-2"."""
    is_whole = not figure.isdigit() or _WHOLE.match(after) is not None
    if _by().search(before):
        return is_whole or _pattern("opens").search(f"{before} {after}") is not None
    if _pattern("it_is", end=r"[ \t]\Z").search(before):
        return is_whole
    locked = _pattern("locked").search(before)
    place = locked or _pattern("opened").search(before)
    is_plain = figure.isdigit() and not locked
    is_set = is_whole and place and _set(far=not is_plain).fullmatch(before, place.end())
    return bool(is_set) or (locked is not None and figure.count("-") > 1)


@cache
def _by() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{any_of('by')})[ \t](?:(?:{any_of('article')})[ \t])?\Z")


@cache
def _set(*, far: bool) -> re.Pattern[str]:
    """What stands between a lock and its figure; `far` also some words and a colon."""
    said = rf"は|是|(?:{any_of('is')})[ \t]"
    return re.compile(rf"(?:[^:：,;-]{{0,30}}(?:[:：]|{said}))?[ \t]*" if far else rf"[ \t]*(?:{said})[ \t]*")


def is_dated(figure: str, before: str) -> bool:
    """A year behind "in", "since" or their like."""
    return _YEAR.fullmatch(figure) is not None and _pattern("dated", end=r"[ \t]\Z").search(before) is not None


_UNITS = "|".join(sorted(UNITS_OF_RULES - {"long", "or+", "and+"}))
_NUMBER_END = (
    rf"(?![.,:/-]?[0-9a-zà-ÿ_])(?![ \t-](?:{_UNITS}|digit|character|number|letter|time|day|zeichen|stell)|[ \t]to\b)"
)


@cache
def _behind(digits: str) -> re.Pattern[str]:
    return re.compile(rf"{NUMBER_LEAD}({digits}){_NUMBER_END}")


def code_behind(folded: str, key: re.Match[str]) -> Found | None:
    """The figure right behind the name of a code: 4 to 8 digits, or what doors have; 3 are enough for a card's code."""
    near = folded[key.start() : key.end() + AFTER_CHARS]
    is_check = key.lastgroup == "check" or _pattern("back").search(near) is not None
    number = _behind(rf"\d{{3}}(?!\d)|{_SHAPE}" if is_check else _SHAPE).match(folded, key.end())
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

"""Secrets that are called by their name: "password: x", "my token is x", `--api-key x`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memories.text.secrets.found import Found
from memories.text.secrets.trim import trimmed
from memories.text.secrets.values import Value, is_password, is_token, looks_random
from memories.text.secrets.words import API_KEYS, CODES, PASSWORDS, SECRETS, TOKENS

REST_CHARS = 40

_KEY = re.compile(
    "|".join(
        f"(?P<{name}>{'|'.join(forms)})"
        for name, forms in (("password", PASSWORDS), ("key", API_KEYS), ("token", TOKENS), ("secret", SECRETS))
    )
    + rf"|(?<![^\W_])(?P<pin>{'|'.join(CODES)})"
)
_VALUE = r"(?:([\"'`“„«])(?P<quoted>(?:\\.|[^\\\n\"'`“”„«»]|(?!\{n})[\"'`]){{1,256}})[\"'`”“»]|(?P<bare>\S{{1,256}}))"


def _tail(lead: str) -> re.Pattern[str]:
    """What may stand behind a name, up to and with the value."""
    groups = re.compile(lead).groups
    return re.compile(lead + _VALUE.format(n=groups + 1))


_CLOSING = r"\d{0,2}[\"'`*_)\]}]{0,4}[ \t]{0,4}(?:\([^()\n]{0,40}\)[*_]{0,2}[ \t]{0,4})?"
_SCHEME = r"(?:(?:bearer|basic|token|digest|apikey)[ \t]{1,4})?"
_ASSIGNED = _tail(
    rf"{_CLOSING}(?:[!:]?={{1,3}}>?|[:：]|->|→)[*_]{{0,2}}[ \t]{{0,20}}(?:\r?(\n)[ \t]{{0,20}})?{_SCHEME}"
)
_CELL = _tail(rf"{_CLOSING}\|[ \t]{{0,20}}")
_OF = (
    r"(?:[ \t]{1,4}(?:for|to|of|on|at|für|zum|zur|von|vom|del?|du|para|pour|à|от|для)[ \t]"
    r"(?:[^\n.:;!?=]|\.(?=\S)){1,60}?)?"
)
_VERB = (
    r"(?:[:=：]|(?<![^\W_])(?:(?:is|was|ist|lautet|war|es|era|est|était|are)"
    r"(?:[ \t]{1,3}(?:now|still|set[ \t]to|changed[ \t]to|jetzt|ahora))?:?"
    r"|(?:(?:has|have|had|is|was)[ \t](?:been[ \t])?)?(?:changed|set|reset|updated|rotated|switched)[ \t]to:?"
    r"|(?:wurde[ \t])?(?:geändert|gesetzt)[ \t]auf:?))"
)
_SAID = _tail(rf"{_CLOSING}{_OF}[ \t]{{0,4}}{_VERB}[ \t]{{1,20}}")
_PHRASE = re.compile(
    rf"[ \t]{{0,4}}{_VERB}[ \t]{{0,4}}(?P<quoted>(?:[^\W\d_]{{2,12}}[ \t]){{2,23}}[^\W\d_]{{2,12}})(?=[.,;)]|\s*$)",
    re.M,
)
_TO = _tail(rf"{_OF}[ \t]{{1,4}}to[ \t]{{1,4}}")
_CALL = re.compile(r"\([ \t]{0,4}([\"'])(?P<quoted>[^\"'\s]{1,128})\1")
_NEXT = _tail(r"[ \t]{1,4}")
_FLAG = _tail(r"(?:=|[ \t]{1,4})")
_XML = re.compile(r"[^<>\n]{0,60}>(?P<quoted>[^<>\n]{1,256})</")
_CHANGED = re.compile(
    r"\b(?:set|change|changed|reset|update|updated|rotated?|switch(?:ed)?)[ \t](?:[\w'’-]{1,20}[ \t]){0,3}\Z"
)
_IS_FLAG = re.compile(r"(?<![\w-])--?(?:[a-z0-9]+[-_])*\Z")
_COUNTED = re.compile(
    r"(?:max|min|total|input|output|prompt|completion|context|per|next|page|eos|bos|pad|stop|cost)[ _-]?\Z"
)
_LOGIN = re.compile(
    r"\b(?:user(?:name)?|login|account|benutzer|usuario)\b[ :=]{1,4}\S{1,64}[ \t,;/]{1,4}"
    r"(?:(?:and|with|mit|con) )?(?:the )?\Z"
)
_NUMBER_LEAD = rf"{_CLOSING}{_OF}[ \t]{{0,4}}(?:[:=：]|{_VERB})?[ \t]{{0,4}}[\"'`*]{{0,2}}"
_NUMBER_END = r"(?![.,:/-]?\w)(?![ \t](?:digit|character|number|letter|time|day|zeichen|stell))"
_CODE = re.compile(rf"{_NUMBER_LEAD}(\d{{4,8}}|\d{{2,4}}[ -]\d{{2,4}}){_NUMBER_END}")
_CARD_CODE = re.compile(rf"{_NUMBER_LEAD}(\d{{3,4}}){_NUMBER_END}")


def find_named(text: str, folded: str) -> Iterator[Found]:
    """`folded` is `text` in lower case, as long as `text`. Linear: what is read behind a name is bounded."""
    done = 0
    for key in _KEY.finditer(folded):
        if key.start() < done or not _begins_a_word(text, key.start()):
            continue
        found = _pin(folded, key) if key.lastgroup == "pin" else _value_of(text, folded, key)
        if found:
            done = found.end
            yield found


def _begins_a_word(text: str, start: int) -> bool:
    """ "dbPassword", "db_password" and "dbpassword" do; "1Password" is a product, "detoken" nothing."""
    before = text[max(start - 1, 0) : start]
    if not before.isalnum():
        return True
    if text[start : start + 4].lower() == "pass":
        return before != "1"
    return before.isdigit() or (before.islower() and text[start].isupper()) or _is_joined(text, start)


def _is_joined(text: str, start: int) -> bool:
    return text[max(start - 6, 0) : start].lower().endswith(("auth", "access", "api", "bot", "client", "app"))


def _pin(folded: str, key: re.Match[str]) -> Found | None:
    """A number of 4 to 8 digits; 3 are enough for a card's code."""
    pattern = _CARD_CODE if key.group().startswith("cv") else _CODE
    number = pattern.match(folded, key.end())
    return Found(*number.span(1), "pin") if number else None


def _value_of(text: str, folded: str, key: re.Match[str]) -> Found | None:
    kind = key.lastgroup or ""
    is_secret = is_password if kind == "password" else is_token
    for read in _readings(folded, key, kind):
        match, is_said, judge = read
        found = _judged(text, match, kind, is_said, judge or is_secret)
        if found:
            return found
    return None


Judge = Callable[[Value], bool]


def _readings(folded: str, key: re.Match[str], kind: str) -> Iterator[tuple[re.Match[str], bool, Judge | None]]:
    """The ways to read what follows a name: the match, whether it is in a sentence, and a stricter judge."""
    before = folded[max(key.start() - 100, 0) : key.start()]
    end = key.end()
    if kind == "token" and _COUNTED.search(before):
        return
    if match := _ASSIGNED.match(folded, end):
        yield match, False, _is_own_line if match[1] else is_token if key.group() == "pass" else None
    if match := _SAID.match(folded, end):
        yield match, True, None
    if key.group().endswith("phrase") and (match := _PHRASE.match(folded, end)):
        yield match, False, None
    if kind == "password" and (match := _CALL.match(folded, end)):
        yield match, False, _is_given
    yield from _unmarked(folded, before, end)


def _unmarked(folded: str, before: str, end: int) -> Iterator[tuple[re.Match[str], bool, Judge | None]]:
    """Values with nothing but space or a border before them; what comes before the name has to tell."""
    if _IS_FLAG.search(before) and (match := _FLAG.match(folded, end)):
        yield match, False, None
    is_changed = _CHANGED.search(before) is not None
    if is_changed and (match := _TO.match(folded, end)):
        yield match, True, None
    if match := _CELL.match(folded, end):
        yield match, False, _is_strong
    if before.endswith("<") and (match := _XML.match(folded, end)):
        yield match, False, None
    if match := _NEXT.match(folded, end):
        is_given = is_changed or match["quoted"] or _LOGIN.search(before)
        yield match, True, _is_given if is_given else _is_strong


def _is_own_line(value: Value) -> bool:
    return looks_random(value.text) and is_token(value)


def _is_given(value: Value) -> bool:
    """Behind a user's name, in quotes, or set: "user bob, password x1y2"."""
    return any(char.isdigit() for char in value.text) and is_token(value)


def _is_strong(value: Value) -> bool:
    """Looks made to be a password: small letters, digits, and a capital or a symbol, at least 8 of them."""
    text = value.text
    has_third = any(char.isupper() or char in "!@#$%^&*?+=" for char in text)
    is_mixed = any(char.isdigit() for char in text) and any(char.islower() for char in text) and has_third
    return len(text) >= 8 and is_mixed and looks_random(text) and is_token(value)


def _judged(text: str, match: re.Match[str], kind: str, is_said: bool, judge: Judge) -> Found | None:
    group = "quoted" if match["quoted"] else "bare"
    start, end = match.span(group)
    if group == "bare":
        start, end = trimmed(text, start, end)
    rest = text[end : end + REST_CHARS].partition("\n")[0]
    value = Value(text[start:end], rest, is_quoted=group == "quoted", is_said=is_said)
    return Found(start, end, kind) if start < end and judge(value) else None

"""Secrets behind a name in Chinese or Japanese, where no space tells one word from the next."""

from __future__ import annotations

import re

from memories.text.secrets.found import Found
from memories.text.secrets.trim import trimmed
from memories.text.secrets.values import Value, is_password, is_token
from memories.text.secrets.words import any_of

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
_REVERSED = re.compile(r"(?<![!-~])([!-~]{4,64})[ 」』”]{0,2}(?:就?是|为|が|は)[^!-~\n。，、]{0,12}\Z")


def is_cjk(char: str) -> bool:
    return bool(char) and _CJK.match(char) is not None


def find_cjk(text: str, key: re.Match[str], kind: str) -> Found | None:
    """What is behind `key`, or before it ("x 是密码"), if the name or what follows it is Chinese or Japanese."""
    following = text[key.end() : key.end() + 2].lstrip(" ")[:1]
    if not (is_cjk(key.group()[-1]) or is_cjk(following)):
        return None
    match = _BEHIND.match(text, key.end())
    if match and (found := _judged(text, match, kind)):
        return found
    before = _REVERSED.search(text[max(key.start() - 100, 0) : key.start()])
    if kind == "password" and before and any(char.isdigit() for char in before[1]) and is_password(Value(before[1])):
        end = key.start() - (len(before.string) - before.end(1))
        return Found(end - len(before[1]), end, kind)
    return None


def _judged(text: str, match: re.Match[str], kind: str) -> Found | None:
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
        return is_token(judged) or (is_direct and is_password(judged))
    is_alone = is_quoted or (len(lead) <= 3 and _ENDS.match(rest) is not None)
    return is_direct and is_alone and is_password(judged)

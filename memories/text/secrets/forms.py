"""Secrets in headers, addresses and command lines, where the form tells what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.secrets.found import Found
from memories.text.secrets.trim import trimmed
from memories.text.secrets.values import Value, is_password, is_stand_in, is_token, looks_random
from memories.text.secrets.words import NO_VALUES

_AUTHORIZATION = re.compile(
    r"authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:(?:bearer|basic|token|digest|apikey|bot)[ \t]{1,4})"
    r"(?P<header>[^\s\"'`,;]{1,1024})|(?<![^\W_])bearer[ \t]{1,4}(?P<alone>[^\s\"'`,;]{12,1024})"
)
_USERINFO = re.compile(r"://[^\s/?#:@]{0,128}:([^\s/?#]{1,256})@(?!sha\d)")
_QUOTED_P = re.compile(r"(?<![\w-])-p([\"'])([^\"'\n]{1,128})\1")
_COMMAND_P = re.compile(
    r"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mongo|mongosh|mongodump|sshpass)\b[^\n|;&]{0,100}?"
    r"[ \t]-p([^\s\"'=-]\S{0,127})"
)
_COMMAND_P_SPACE = re.compile(
    r"\b(?:sshpass|mongosh?|mongodump|(?:docker|podman|nerdctl|registry|oras|az|argocd)[ \t]login)\b[^\n|;&]{0,100}?"
    r"[ \t]-p[ \t]{1,4}[\"']?([^\s\"'-]\S{0,127}?)(?=[\"']?(?:\s|$))"
)
_SQL = re.compile(r"\bidentified[ \t](?:with[ \t]\S{1,40}[ \t])?by[ \t]{1,4}[\"']([^\"'\n]{1,128})[\"']")
_PAIR = re.compile(
    r"\b(?:login|log-?in|credentials?|creds|auth|zugangsdaten)(?:[ \t](?:is|are|data|sind))?[ \t]{0,2}[:=]?[ \t]{0,4}"
    r"[\"'`]?(?!https?:|sha\d|md5)[\w.@+-]{1,64}(?:[ \t]?/[ \t]|:)([^\s/]\S{0,127}?)(?=[\"'`.,;)]{0,3}(?:\s|$))"
)
_USER_AND_PASSWORD = re.compile(
    r"\b(?:curl|wget|https?)\b[^\n|;&]{0,200}?[ \t](?:-u|--user)[ =]{0,2}[\"']?[^\s:\"']{1,64}:([^\s\"']{1,128})"
)
_REVERSED = re.compile(
    r"(?<!\S)[\"'`]?([^\s\"'`]{4,64})[\"'`]?[ \t](?:is|as|ist|es|est)[ \t]"
    r"(?:my|the|our|your|a|das|mein|la|mi|le|mon)[ \t](?:[\w-]{1,20}[ \t]){0,2}?"
    r"(?:password|passphrase|passwort|kennwort|contraseña|mot de passe)"
    r"(?=[ \t]*(?:[.,;!?)\n]|$|for\b|on\b|of\b|to\b|für\b))"
)


def find_forms(text: str, folded: str) -> Iterator[Found]:
    """`folded` is `text` in lower case, as long as `text`."""
    yield from _find_authorization(text, folded)
    for pattern in (_USERINFO, _COMMAND_P, _COMMAND_P_SPACE, _USER_AND_PASSWORD, _SQL):
        for match in pattern.finditer(folded):
            if not is_stand_in(match[1]):
                yield Found(*match.span(1), "password")
    for match in _QUOTED_P.finditer(folded):
        if not is_stand_in(match[2]) and not re.fullmatch(r"[\d.:/-]+", match[2]):
            yield Found(*match.span(2), "password")
    for match in _PAIR.finditer(folded):
        if is_token(Value(text[slice(*match.span(1))])):
            yield Found(*match.span(1), "password")
    for match in _REVERSED.finditer(folded):
        if any(char.isdigit() for char in match[1]) and is_password(Value(text[slice(*match.span(1))])):
            yield Found(*match.span(1), "password")


def _find_authorization(text: str, folded: str) -> Iterator[Found]:
    """With the header's name anything counts; "Bearer x" alone only if x looks random."""
    for match in _AUTHORIZATION.finditer(folded):
        start, end = trimmed(text, *match.span("header" if match["header"] else "alone"))
        plain = folded[start:end]
        is_value = bool(plain) and plain not in NO_VALUES and not is_stand_in(plain)
        if is_value and (match["header"] or looks_random(text[start:end])):
            yield Found(start, end, "token")

"""Command lines that run whatever an address answers, or carry files and secrets out; and requests for credentials.

An honest note may hold one: "curl … | sh" is how many things are installed. Nobody can tell from the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Finding = tuple[int, int, str]
"""Start, end and reason."""

_FETCH = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|net\.webclient)"
_RUN = r"(?:(?:ba|z|da|k|fi)?sh|python\d?|perl|ruby|node|php|iex|invoke-expression)"
_OUT = r"(?:curl|wget|nc|ncat|netcat|nslookup|dig|telnet)"
_READ = r"(?:env|printenv|cat|tar|zip|base64|gpg|history|whoami|security|pass)"
_KEPT = (
    r"(?:\.ssh\b|id_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\b|\.env\b|\.gnupg\b|\.netrc\b|\.npmrc\b|\.pgpass\b|\.kube\b"
    r"|/etc/(?:passwd|shadow)\b|/proc/self\b|credentials?\b|secrets?\b|\w{1,40}\.(?:pem|key|p12|kdbx)\b)"
)
_STARTS = r"(?<![\w.-])"

_RUNS_FETCHED = re.compile(
    rf"{_STARTS}{_FETCH}\b[^\n|]{{0,300}}\|\s{{0,3}}(?:sudo\s(?:-\w{{1,3}}\s)?)?(?:[\w/]{{1,40}}/)?{_RUN}\b"
    rf"|{_STARTS}{_RUN}\b[^\n]{{0,30}}?(?:<\(|\$\(|`|\()\s{{0,3}}[^\n()`]{{0,60}}?\b{_FETCH}\b"
    rf"|{_STARTS}(?:eval|source|iex)\b[^\n]{{0,30}}?\b{_FETCH}\b"
)
_CARRIES_OUT = re.compile(
    rf"{_STARTS}curl\b[^\n|;]{{0,200}}?@['\"]?[^\s'\"@]{{0,80}}?{_KEPT}"
    rf"|{_STARTS}{_READ}\b[^\n|]{{0,120}}\|[^\n]{{0,120}}?{_STARTS}{_OUT}\b(?!\s-z)"
    rf"|{_STARTS}{_OUT}\b[^\n]{{0,200}}?(?:\$\(|`)\s{{0,3}}{_READ}\b"
    rf"|{_STARTS}(?:scp|rsync|sftp)\b[^\n]{{0,80}}?{_KEPT}[^\n]{{0,80}}?[\w.-]{{1,80}}:"
    rf"|{_STARTS}(?:fetch|sendbeacon|xmlhttprequest|new image)\b[^\n]{{0,160}}?"
    r"\b(?:document\.cookie|localstorage|sessionstorage)"
    rf"|{_STARTS}(?:open|visit|load|fetch|get|request|call|ping|curl|wget)\b[^\n]{{0,40}}?https?://[^\s?]{{1,200}}\?"
    r"[^\s=]{1,40}=[a-z0-9+/_%-]{60,4000}"
)
_HANDS_OVER = re.compile(
    r"\b(?:passwords?|api[ _-]?keys?|tokens?|secrets?|credentials?|private keys?)\b[^.!?\n]{0,120}?"
    r"\b(?:include|send|post|put|append|forward|submit|paste)s? (?:it|them|this|that|those)\b[^\n]{0,80}?"
    r"(?:https?://|\b[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,})"
)

_CREDENTIAL = (
    r"(?:passwords?|passphrases?|passcodes?|api[ _-]?keys?|secret keys?|private keys?|seed phrases?|recovery (?:codes?|"
    r"phrases?)|credit card(?: numbers?)?|card numbers?|cvv|pins?|otp|(?:2fa|one[- ]time|login|sms) "
    r"(?:codes?|passwords?)|"
    r"social security numbers?|credentials)\b"
)
_GIVE = r"(?:enter|re-?enter|type|provide|share|give|send|paste|tell|confirm|reveal|hand over|disclose)"
_PEOPLE = r"(?:users?|customers?|humans?|operators?|them|people)"
_ASKS = re.compile(
    rf"\b(?:ask|asking|prompt|tell|get|have|request|convince|urge|make) (?:\w{{1,10}} ){{0,2}}{_PEOPLE} "
    rf"(?:again )?(?:for|to {_GIVE})\b[^.!?\n]{{0,40}}?\b{_CREDENTIAL}"
    rf"|\b{_PEOPLE} (?:must|has to|have to|needs? to|should) (?:\w{{1,10}} )?{_GIVE}\b[^.!?\n]{{0,40}}?\b{_CREDENTIAL}"
    r"[^.!?\n]{0,40}?(?:\bin (?:the|this) (?:chat|conversation)\b|\bto (?:you|(?:the )?(?:agent|assistant|model|bot))\b"
    r"|https?://|\bhere\b)"
    rf"|\balways (?:ask|request|demand) (?:for )?(?:\w{{1,10}} ){{0,2}}{_CREDENTIAL}"
)


def find_commands(plain: str) -> Iterator[Finding]:
    """`plain` in lower case. Linear: every gap is bounded."""
    for match in _RUNS_FETCHED.finditer(plain):
        yield match.start(), match.end(), "runs whatever an address answers"
    for pattern in (_CARRIES_OUT, _HANDS_OVER):
        for match in pattern.finditer(plain):
            yield match.start(), match.end(), "carries out files or secrets"


def find_requests(plain: str) -> Iterator[Finding]:
    """Where somebody is to be asked for what opens a door. `plain` in lower case. Linear."""
    for match in _ASKS.finditer(plain):
        yield match.start(), match.end(), "has people asked for credentials"

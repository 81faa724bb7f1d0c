"""Long random strings beside a word that says they open something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.secrets.found import Found
from memories.text.secrets.values import entropy, looks_random

MIN_CHARS, MAX_CHARS = 32, 256
MIN_BITS = 3.5
MIN_BITS_HEX = 2.8
"""Of Shannon's entropy per character; random hexadecimal of 32 characters has 3.2 to 3.9."""
CONTEXT_CHARS = 48

_RUN = re.compile(r"(?<![0-9A-Za-z+/_=.-])[0-9A-Za-z+/_=.-]{32,}+")
_OPENS = re.compile(
    r"(?<![a-z])(?:keys?|secrets?|tokens?|passwords?|credentials?|apikey|cookie|schlüssel|clave|clé)(?![a-z])"
)
_OPENS_CLEARLY = re.compile(
    r"(?<![a-z])(?:(?:api|access|secret|auth|private|encryption|signing)[ _-]?key|secret|token|password|credentials?)"
    r"(?![a-z])[^\n]{0,20}\Z"
)
NAMES_NO_SECRET = re.compile(
    r"sha-?\d|(?<![a-z])(?:md5|sha|hash|digest|checksum|commit|etag|fingerprint|thumbprint|revision|rev|blob|tree|uuid|"
    r"guid|public|publishable|release|trace|span|cache|primary|foreign|idempotency|integrity|key[ _-]?id|base64,|"
    r"ssh-(?:rsa|ed25519|dss)|ecdsa-\S*)"
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-fA-F]+")


def find_random(text: str) -> Iterator[Found]:
    for match in _RUN.finditer(text):
        run = match.group().rstrip(".")
        if MIN_CHARS <= len(run) <= MAX_CHARS and _is_secret(run, _before(text, match.start())):
            yield Found(match.start(), match.start() + len(run), "secret")


def _before(text: str, start: int) -> str:
    return text[max(start - CONTEXT_CHARS, 0) : start].rpartition("\n")[2].lower()


def _is_secret(run: str, before: str) -> bool:
    if not _OPENS.search(before) or NAMES_NO_SECRET.search(before) or run.startswith("AAAA"):
        return False
    if _UUID.search(run) or run.count("/") > 3 or run.count(".") > 1 or not looks_random(run):
        return False
    if _HEX.fullmatch(run):
        return bool(_OPENS_CLEARLY.search(before)) and entropy(run) >= MIN_BITS_HEX
    return entropy(run) >= MIN_BITS and any(char.isdigit() for char in run)

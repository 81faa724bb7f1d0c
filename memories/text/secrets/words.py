"""What secrets are called, and the words that stand behind such a name without being one: `data/words.tsv`."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "words.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
_LOOKS_BEHIND = re.compile(r"^(?:\(\?<[=!][^()]*\))+")
_GROUP = re.compile(r"\(\?:((?:[^()]|\([^()]*\))*)\)")
_LETTERS = re.compile(r"(?:[^\W_](?![?*{]))*")


@cache
def any_of(name: str) -> str:
    """A pattern of all the entries of a list."""
    return "|".join(entry for part, _, entries in _ROWS if part == name for entry in entries.split(", "))


def starts(name: str) -> Iterator[str]:
    """The letters that begin what the entries of a list match: of a group that comes first, those of each branch."""
    for part, _, entries in _ROWS:
        for entry in entries.split(", ") if part == name else ():
            bare = _LOOKS_BEHIND.sub("", entry)
            group = _GROUP.match(bare)
            yield from (_LETTERS.match(branch)[0] for branch in (group[1].split("|") if group else [bare]))  # type: ignore[index]


def words(name: str, language: str = "") -> frozenset[str]:
    return frozenset(
        word for part, spoken, entries in _ROWS if part == name and language in ("", spoken) for word in entries.split()
    )


NO_VALUES = words("no_values")
"""They say something of a password, or stand in code where one would."""
NO_VALUES_OF_CODE = words("no_values", "en")
GRAMMAR = words("grammar")
"""In quotes they make a label or an explanation of what could be a passphrase."""
WELL_KNOWN_PASSWORDS = words("well_known")
"""Weak, and in use all the same."""
UNITS_OF_RULES = words("units")
"""Behind a number they make it a rule for passwords."""
GOES_ON = words("goes_on")
"""Words that may follow a secret in its sentence; before any other word, a plain word is prose."""
PHRASE_STARTS = words("phrase_starts")
"""Words of NO_VALUES that may begin a passphrase."""
TAIL_WORDS = words("tail_words")
"""Behind the name of a secret they name something else: "password reset", "token type"."""

TECHNICAL = (
    r"(?:sha|md|aes|rsa|dsa|ecdsa|argon|pbkdf|bcrypt|scrypt|hs|rs|es|oauth|base|utf|iso|ascii|ipv|http|tls|ssl|ntlm|"
    r"erc|gpt|llama|qwen|totp|fido|webauthn|wpa|web|latin|log|win|int|uint|float|python|node|postgres|redis|mysql|"
    r"keycloak|openssl|windows|ios|android|office|django|java|php|debian|ubuntu)"
    r"[-_]?\d{1,4}(?:[._-][\w.-]{0,12})?[a-z]{0,3}|utf8mb4|(?:ed|curve|x)25519|secp\d\w*|v\d+(?:\.\d+)*|"
    r"[a-z]\d{1,3}[a-z]?|\d{1,4}[a-z]{1,2}|#[0-9a-f]{3,8}"
)
"""Names of algorithms, encodings, versions and colours, which look like passwords."""

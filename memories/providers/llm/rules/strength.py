"""How plainly something was said: "I am" is explicit, "I usually" implied, "it seems" inferred."""

from __future__ import annotations

import re

EXPLICIT, IMPLIED, INFERRED = "explicit", "implied", "inferred"
_INFERRED = re.compile(
    r"\b(?:seems? to|appears? to|looks like|sounds like|apparently|tends? to|presumably|might|maybe|perhaps)\b",
    re.IGNORECASE,
)
_IMPLIED = re.compile(
    r"\b(?:usually|mostly|often|sometimes|probably|likely|generally|normally|typically|kind of|sort of|rarely|"
    r"a bit|roughly|about to|thinking of|should|used to|meist|oft|d'habitude|souvent|normalmente|suele)\b",
    re.IGNORECASE,
)


def read_strength(said: str, is_hedged: bool, is_guess: bool) -> str:
    if is_guess or _INFERRED.search(said):
        return INFERRED
    return IMPLIED if is_hedged or _IMPLIED.search(said) else EXPLICIT

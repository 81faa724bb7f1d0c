"""The forms of English verbs: what one is, and what another person makes of it."""

from __future__ import annotations

from functools import lru_cache

from memories.providers.llm.rules.words import MODALS
from memories.providers.llm.rules.words_verbs import IRREGULAR, NEVER_PAST, REGULAR
from memories.text.wordlist import words

_VOWELS = "aeiou"
_SIBILANTS = ("s", "sh", "ch", "x", "z", "o")
_DOUBLED = words("""
    admit ban chat crop drag drop fit hug jog knit log nap occur pat permit plan prefer refer regret scan ship shop
    skip squat step stop swap tag trip wrap zip clap get run sit set swim cut put quit hit let begin forget win dig
    split babysit program commit rebut strip pin map nag beg plug trim snap slip wrap flag cap grab jam drip
    """)
_ODD_THIRD = {"have": "has", "do": "does", "go": "goes", "be": "is"}


def _irregular() -> dict[str, tuple[str, str]]:
    rows = (entry.split() for entry in IRREGULAR.split(";") if entry.strip())
    return {base: (past, participle) for base, past, participle in rows}


_PAST_OF = _irregular()
BASES = REGULAR | _PAST_OF.keys()


def third_person(base: str) -> str:
    """ "live" → "lives", "study" → "studies"."""
    if base in _ODD_THIRD:
        return _ODD_THIRD[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    if base == "quit":
        return "quits"
    return base + ("es" if base.endswith(_SIBILANTS) else "s")


def plural_form(verb: str) -> str:
    """ "owns" → "own", "is" → "are"; any other form as it is."""
    return {"is": "are", "was": "were", "has": "have"}.get(verb, _THIRD.get(verb, verb))


def gerund(base: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + "ing"


def past(base: str) -> str:
    """ "live" → "lived", "go" → "went"."""
    return _PAST_OF[base][0] if base in _PAST_OF else _past(base)


def _past(base: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return base + ("d" if base.endswith("e") else "ed")


_THIRD = {third_person(base): base for base in BASES}
_GERUNDS = {gerund(base): base for base in BASES}
_PASTS = {_past(base): base for base in BASES - _PAST_OF.keys()} | {past: base for base, (past, _) in _PAST_OF.items()}
_PARTICIPLES = {_past(base) for base in BASES - _PAST_OF.keys()} | {participle for _, participle in _PAST_OF.values()}
AUXILIARIES = MODALS | words("""
    am is are was were isn't aren't wasn't weren't ain't has have had hasn't haven't hadn't do does did don't
    doesn't didn't
    """)


def is_base(word: str) -> bool:
    return word in BASES


def base_of_gerund(word: str) -> str:
    """ "using" → "use"; "" for a verb that is not known."""
    return _GERUNDS.get(word, "")


def is_past(word: str) -> bool:
    return (word in _PASTS and word not in {"put", "cut", "hit", "let", "set", "read", "hurt", "cost", "lay"}) or (
        word.endswith("ed") and word not in NEVER_PAST and len(word) > 3
    )


def is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and word not in NEVER_PAST) or word in {"been", "gotten"}


@lru_cache(maxsize=4096)
def is_finite(word: str) -> bool:
    """Whether a verb in this form can be the verb of a sentence."""
    return word in AUXILIARIES or word in BASES or word in _THIRD or is_past(word)

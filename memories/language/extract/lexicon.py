"""Words that sentences are read by: small words, verbs and their forms, categories, other languages."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from memories.language.wordlists import read_lists, words

_LISTS = read_lists(Path(__file__).with_name("lexicon.tsv"))

ABBREVIATIONS = words(_LISTS["abbreviations"])
ADVERBS = words(_LISTS["adverbs"])
"""They stand between a subject and its verb. Words in -ly count as well."""
ADJECTIVES = words(_LISTS["adjectives"])
"""Common ones, which may follow "is X"."""
MODALS = words(_LISTS["modals"])
CONTRACTED = words("i'm i've i'll i'd we're we've we'll it's she's he's they're there's that's")
"""Somebody or something with its verb, in one word."""
SUBORDINATORS = words(_LISTS["subordinators"])
DETERMINERS = words("the a an my our your his her their its this that these those some any no every each all both")
PREPOSITIONS = words(_LISTS["prepositions"])
NOUNS_IN_ING = words(_LISTS["nouns_in_ing"])
"""They end like a verb in progress, and are none."""

TITLE = r"(?:Dr|Mr|Mrs|Ms|Prof|Professor)\b\.?"
BETWEEN_NAMES = r"(?:(?:van|von|de|der|den|la) )*"
"""Patterns of what stands before somebody's name."""
KIN = words(_LISTS["kin"])
HELPERS = words(_LISTS["helpers"])
"""Those whom somebody goes to or has coming: "my accountant"."""
HOME = words(_LISTS["home"])
"""What people talk about at home."""
OWN_THINGS = words(_LISTS["own_things"])
"""What somebody owns or is: "my X is …" tells something lasting."""
PASSING_THINGS = words(_LISTS["passing_things"])
"""What is only talked about now: "my question is …"."""
OPS_NOUNS = words(_LISTS["ops_nouns"])
"""What operations and development talk about."""
OPS_PRODUCTS = words(_LISTS["ops_products"])
"""Products people write in lower case."""
REGULAR = words(_LISTS["regular"])
"""Those whose past ends in -ed."""
NOUNLIKE = words(_LISTS["nounlike"])
"""Verbs that are nouns as often; behind "and" only the next word can tell."""
NEVER_PAST = words("need feed speed breed exceed proceed succeed bleed seed weed heed embed shred")

POINTERS = {name.partition(".")[2]: words(text) for name, text in _LISTS.items() if name.startswith("pointers.")}
OPERATIONAL = ("timing", "dependency", "behavior", "remediation", "maintenance")
PERSONAL = ("work", "preferences", "health", "hobbies", "relationships")
WEIGHTS = {"health": 1.3, "relationships": 1.15, "remediation": 1.3, "maintenance": 1.1, "preferences": 0.9}
"""Where two are named, the graver one wins."""
STATEMENTS = {name.partition(".")[2]: text for name, text in _LISTS.items() if name.startswith("statements.")}
"""Language → what a statement about the speaker looks like, in lower case."""

RULES = _LISTS["rules"]
PASSING = _LISTS["passing"]
GREETED = _LISTS["greeted"]

_VOWELS = "aeiou"
_SIBILANTS = ("s", "sh", "ch", "x", "z", "o")
_DOUBLED = words(_LISTS["doubled"])
_ODD_THIRD = {"have": "has", "do": "does", "go": "goes", "be": "is"}
_PAST_OF = {base: (past, participle) for base, past, participle in map(str.split, _LISTS["irregular"].split(";"))}
BASES = REGULAR | _PAST_OF.keys()


def third_person(base: str) -> str:
    """Return the third person: "live" → "lives", "study" → "studies"."""
    if base in _ODD_THIRD:
        return _ODD_THIRD[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    if base == "quit":
        return "quits"
    return base + ("es" if base.endswith(_SIBILANTS) else "s")


def plural_form(verb: str) -> str:
    """Return the plural form: "owns" → "own", "is" → "are"; any other form as it is."""
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
    """Return the past form: "live" → "lived", "go" → "went"."""
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
AUXILIARIES = MODALS | words(_LISTS["auxiliaries"])


def is_base(word: str) -> bool:
    return word in BASES


def base_of_gerund(word: str) -> str:
    """Return the verb of a gerund: "using" → "use"; "" for a verb that is not known."""
    return _GERUNDS.get(word, "")


def is_past(word: str) -> bool:
    return (word in _PASTS and word not in {"put", "cut", "hit", "let", "set", "read", "hurt", "cost", "lay"}) or (
        word.endswith("ed") and word not in NEVER_PAST and len(word) > 3
    )


def is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and word not in NEVER_PAST) or word in {"been", "gotten"}


@lru_cache(maxsize=4096)
def is_finite(word: str) -> bool:
    """Tell whether a verb in this form can be the verb of a sentence."""
    return word in AUXILIARIES or word in BASES or word in _THIRD or is_past(word)

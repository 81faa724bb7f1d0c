"""The closed classes of English words that decide how a statement is read, and the stems of all others."""

import tomllib
from functools import lru_cache
from pathlib import Path

from memories.language.wordlists import forms_of, numbered, phrases, words

LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
"""The long word lists, by name; others stand below."""

STOP_WORDS = words(LISTS["stop_words"])
"""Words that carry no matter of their own. Single words only."""

PHRASES_WITHOUT_MATTER = phrases(LISTS["phrases_without_matter"])

PREPOSITIONS = words(LISTS["prepositions"])
"""Single words only. They name the slot that a value fills ("lives in", "is led by")."""

CONDITIONALS = words("when whenever if unless while until once because although though whereas")
"""Single words only. They open a side clause: the circumstances, not the claim."""

CLAUSE_BOUNDARIES = words(", ; . : ! ? ( ) -- → but however")
"""Where the reach of a negation ends."""

NEGATING_PHRASES = phrases(LISTS["negating_phrases"])
"""They deny what follows up to the end of the clause."""

NARROW_NEGATORS = phrases(LISTS["narrow_negators"])
"""They deny only the phrase that follows, and cancel a `not` earlier in their clause."""

LIGHT_PREDICATES = words(LISTS["light_predicates"])
"""When one of these is denied, what stands before it is denied too ("restarting does not help")."""

ENDINGS = words(LISTS["endings"])
"""Negators whose subject is gone, too: what stands before them is denied ("the project was cancelled")."""

AUXILIARIES = words("""
    be is are was were been being do does did have has had will would shall should can could may might must
    """)
"""Where one of these stands, the subject of the sentence is over."""

PREFERENCE_VERBS = words("prefer like love enjoy favour favor choose pick")
"""After one of these, "over" and "more than" introduce the loser of a comparison."""

CHANGE_VERBS = words("move switch migrate change convert transfer relocate upgrade downgrade go transition port")
"""After one of these, "from" introduces what no longer holds."""

EXCLUSIVES = words("only exclusively solely nothing_but strictly")
GENERIC = words(LISTS["generic"])
"""Words met in any statement; they say little about what it is about."""

VERBS = words(LISTS["verbs"])
"""Common verbs; where the first one stands, the subject of a sentence ends. Single words only."""

OWN_STEMS = words(LISTS["own_stems"])
"""Words that the suffix rules must leave as they are."""

IRREGULAR_FORMS = forms_of(LISTS["irregular_forms"])
"""Forms that the suffix rules would get wrong, and players named after their instruments."""


INFINITY = float("inf")
SECOND, MINUTE, HOUR, DAY = 1.0, 60.0, 3_600.0, 86_400.0

NUMBER_WORDS = numbered(
    "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, "
    "sixteen, seventeen, eighteen, nineteen"
)
TENS = {
    word: 10 * value
    for word, value in numbered("twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety", start=2).items()
}
MULTIPLIERS = {"k": 1e3, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}

UNITS: dict[str, tuple[str, float]] = {
    word: (kind, factor)
    for kind, factors in LISTS["units"].items()
    for names, factor in factors.items()
    for word in names.split()
}
"""Unit word → (kind of quantity, factor to the kind's base unit: s, byte, m, g, l, …)."""

ADJECTIVES_OF_PERIOD: dict[str, float] = {word: days * DAY for word, days in LISTS["periods"].items()}
PARTS_OF_DAY: dict[str, tuple[int, int]] = {word: tuple(times) for word, times in LISTS["parts_of_day"].items()}
"""Minutes since midnight, (from, to); a night ends on the next day."""

MEALS: dict[str, tuple[int, int]] = {word: tuple(times) for word, times in LISTS["meals"].items()}
"""Times of day only behind "before" and "after"."""

WEEKDAYS: dict[str, tuple[int, int]] = {
    name: (day, day)
    for name, day in numbered(
        "monday mondays mon, tuesday tuesdays tue tues, wednesday wednesdays wed, thursday thursdays thu thurs, "
        "friday fridays fri, saturday saturdays, sunday sundays"
    ).items()
} | {"weekday": (0, 4), "weekdays": (0, 4), "weekend": (5, 6), "weekends": (5, 6)}
"""Name → first and last day it covers, Monday = 0."""

MONTHS = numbered(
    "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, "
    "october oct, november nov, december dec",
    start=1,
)
MONTHS_THAT_ARE_WORDS = frozenset({"may", "march", "mar", "jan"})
"""They name a month only next to a day or after "in"."""

DAYS_OF_MONTH = {
    ("first", "of"): 1,
    ("first", "day", "of"): 1,
    ("beginning", "of"): 1,
    ("start", "of"): 1,
    ("middle", "of"): 15,
    ("last", "day", "of"): 31,
    ("end", "of"): 31,
}
"""What stands before "the month" or "every month", and the day it names."""

ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})

APPROXIMATIONS = words("about around roughly approximately circa ca ~ nearly almost some approx")

BOUNDS: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): side for side, bounds in LISTS["bounds"].items() for phrase in phrases(bounds)
}

BEFORE_A_UNIT_ALONE = APPROXIMATIONS | words(LISTS["before_a_unit_alone"])
"""What may stand before "a minute" meaning one minute; "a pack a day" is not a duration."""

STATUS_WORDS = words("http https status code")
ANSWER_VERBS = words("returns return returned returning answers answer responds respond replies with gives")
STATUS_NOUNS = words("redirect error status response code when if for on until while instead")
YEARS = range(1900, 2100)
STATUS_CODES = range(100, 600)


STOP = words(LISTS["stop"])

NEGATORS = words("not never no none nobody nothing neither nor cannot hardly barely rarely seldom without")
DENIALS = words("not never nobody nothing cannot")
NARROW = words("without over than to instead rather apart except unlike free")
"""Negations that reach over the next words only."""

NEGATIVE_VERBS = words(LISTS["negative_verbs"])
NEGATIVE_PHRASES = [tuple(phrase.split()) for phrase in phrases(LISTS["negative_phrases"])]
NARROW_PHRASES = tuple(phrase for phrase in NEGATIVE_PHRASES if phrase[-1] in ("of", "than", "against", "from"))
COMPARATIVES = words("more later earlier less fewer longer")
PREFER = words("prefer prefers preferred rather favours favors preferable")
"""Behind them "over", "than" and "to" deny what follows."""

LIKE = words("like likes love loves enjoy enjoys want wants")
TROUBLE = words(
    "problem problems issue issues trouble difficulty difficulties error errors restriction hesitation fail"
)
"""Without them all is well: nothing is denied."""
SAID_WITH_NO = words("doubt worries wonder kidding see talk")
"""Where a clause begins with "no" and one of these, nothing is denied: "no worries, …", "long time no see"."""
SAID_WITH_NOT = words("mistaken")
"""Behind "not" it denies nothing of what is told: "if I am not mistaken"."""
TOWARDS = words("on to for through into back home over")
"""Who has gone there is not gone."""
WITH_INFINITIVE = words("possibility chance opportunity ability time way option freedom able")
"""Behind them a "to" begins what one may do, also of somebody who prefers something."""
OF_A_THING = words("the a an it this")
"""What begins with one of these tells of no person, as a rule: "the job cannot wait for the lock"."""

BOUNDARIES = words("""
    , ; . : -- ( ) but because since although though whereas however so → ! ?
    """)
CANCELS = frozenset({"unless", "until", "till", "without"})
"""After a negation they cancel it: "does not start without X"."""

CHANGE = words(LISTS["change"])
PARTICIPLES = words(
    "moved migrated replaced renamed changed shifted swapped taken handed passed pushed removed dropped ended"
)
PRESENT = words("is are be being gets get")
WEAK_CHANGE = words("now since already instead still any last new")
EXCLUSIVE = words("only exclusively solely strictly sole just single nothing nobody alone limited restricted reserved")
UNIVERSAL = words("all every any anyone everyone both everything always each everybody anybody whole entire everywhere")
"""Words of quantity that, standing on one side only, often make the difference."""

QUANTITY_WORDS = (
    words("half once twice st nd rd th am pm noon midday midnight")
    | frozenset(NUMBER_WORDS)
    | frozenset(TENS)
    | frozenset(unit for unit, (kind, _) in UNITS.items() if kind == "duration")
)
"""Parts of quantities, which are compared as such."""

LIGHT = words(LISTS["light"])
"""Words met in any statement; they count for less."""
VERBS_OF_MANY = words(LISTS["verbs_of_many"])
"""They hold of several things at once: another object is another fact."""

END = words("after older beyond expire expires")


_VOWELS = frozenset("aeiouy")
_NOT_PLURAL = ("ss", "us", "is")
_DERIVATIONS = tuple(
    phrases("""
    ization, isation, hood, ation, ement, ment, ness, ible, ibl, able, abl, ance, anc, ence, enc, ful, ion, ist,
    ity, ant, ent, iv, at, al, er, or, ly, ic, iz, is, y
    """)
)
"""Endings, longest first where they overlap; a final "e" is gone by the time they are tried."""

MIN_STEM_CHARS = 4


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    base = IRREGULAR_FORMS.get(word)
    if base is None:
        is_inflected = word not in OWN_STEMS and len(word) > 3 and word.isalpha()
        base = _strip_inflection(word) if is_inflected else word
        base = IRREGULAR_FORMS.get(base, base)
    if base in OWN_STEMS or not (base.isalpha() and base.isascii()):
        return base
    return _strip_derivation(base)


def _strip_inflection(word: str) -> str:
    """Undo plural, third person, past and -ing."""
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(_NOT_PLURAL):
        return word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 2 and _VOWELS & set(base):
            return _undouble(base)
    return word


def _undouble(base: str) -> str:
    """Turn "stopp" into "stop" but leave "fill" and "pass" alone."""
    doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz"
    return base[:-1] if doubled else base


def _strip_derivation(word: str) -> str:
    """Undo the endings that make a noun, an adjective or an adverb of a verb."""
    word = word.removesuffix("e") if len(word) > 3 else word
    word = word.removesuffix("ly") if len(word) > MIN_STEM_CHARS + 3 else word
    for ending in _DERIVATIONS:
        if ending == "y" and word[-2:-1] in _VOWELS:
            continue
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_CHARS:
            return _undouble(word.removesuffix(ending)).removesuffix("e")
    return word

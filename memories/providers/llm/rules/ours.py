"""Whose "our" and "we" are: a kitchen, a landlord and a wedding are a family's, a sprint and a CTO are a team's."""

from __future__ import annotations

import re

from memories.providers.llm.rules.evidence import count_ops
from memories.providers.llm.rules.households import is_household
from memories.providers.llm.rules.verbs import is_finite
from memories.providers.llm.rules.words import ADVERBS, HOME, KIN, MODALS, PREPOSITIONS, SUBORDINATORS
from memories.providers.llm.rules.words_categories import POINTERS
from memories.text.wordlist import words

_AT_HOME = KIN | HOME | POINTERS["relationships"] | POINTERS["hobbies"] | POINTERS["health"]
_AT_WORK = POINTERS["work"]
_COLLEAGUES = words("""
    boss manager supervisor mentor colleague colleagues coworker coworkers co-worker cofounder co-founder advisor
    trainer coach tutor professor
    """)
_OF_A_FAMILY = (KIN - _COLLEAGUES) | words("""
    kitchen bathroom bedroom bedrooms hallway cellar basement attic loft balcony terrace patio garden lawn garage flat
    apartment house home household cabin cottage landlady rent mortgage dishwasher fridge freezer oven stove boiler
    radiator heating
    sofa couch bed beds washer dryer wedding honeymoon marriage anniversary holiday holidays nanny babysitter cleaner
    gardener plumber vet pediatrician paediatrician midwife kindergarten nursery daycare playgroup
    car caravan campervan camper bike bikes tent pension piano
    grandchildren in-laws dog cat cats dogs puppy chickens hens guinea-pigs neighbour neighbours neighbor neighbors
    """)
_OF_A_FAMILY_BY_TWO = re.compile(
    r"(?:washing machine|living room|dining room|gas meter|front door|back door|dog walker|solar panels?|heat pump)$"
)
_OF_A_TEAM = _COLLEAGUES | words("""
    standup stand-up sprint sprints retro roadmap backlog cto ceo cfo coo team teams office offices customer customers
    client clients company warehouse intern interns investor investors employee employees staff department hr app apps
    api apis service services page pages website invoices product products competitor competitors agency users style
    """)
_OF_EITHER = words("""
    router nas network printer hub sensor sensors thermostat switch alarm lock wifi
    """)
"""At home and at work there is one."""
_OWNED = re.compile(r"\b[Oo]ur (?P<owned>[\w'-]+(?: [\w'-]+){0,3})")
_LIVING = re.compile(
    r"\bwe(?:'ve| have)?(?: (?:all|both|now|still|also|usually|always|only|just))* (?:live|lived|sleep|slept|rent|"
    r"rented|(?:get|got) married|moved in(?= (?:only|just|last|this|together|here|with|\d)|$)|"
    r"met (?:at (?!\d|the office\b)|through |in \d))|\bwe both\b|"
    r"\bwe(?:'re| are)(?: (?:all|both|now|still|also|just))* (?:living|renting|married|"
    r"getting married|expecting a baby)\b",
    re.IGNORECASE,
)
_ONES_OWN_JOB = re.compile(
    r"\b(?:[Mm]y|[Hh]is|[Hh]er|[A-Z][a-z]+'s|wife's|husband's|partner's) "
    r"(?:new |old |first |current |dream |last )?jobs?\b|"
    r"\b(?:gets?|got|getting|finds?|found|starts?|started|starting|lost|takes?|took|offered|accepted|landed) "
    r"(?:an?|his|her|my|another) (?:(?:new|better|good|great|full-time|part-time|permanent|second) )?"
    r"(?:job|position)(?: offer)?\b|"
    r"\b(?:[Mm]y|an|[Hh]is|[Hh]er) (?:(?:job|first|second|final) )?interviews? (?:at|with|for)\b"
)
"""Who got a job somewhere, or hopes to, tells nothing of a team, and least of all of what a server runs."""
_WORD = re.compile(r"[\w'-]+")
_ENDS = ADVERBS | MODALS | PREPOSITIONS | SUBORDINATORS | words("and or but")


def weigh_ours(clause: str, around: str = "") -> int:
    """Above 0 where "we" are people who work together, below where they live together, 0 where nothing tells.

    What "our" stands before decides, by its last word: "our kitchen", but "our kitchen app". `around` is what the
    clause stands in.
    """
    if _LIVING.search(clause) or is_household(clause, around):
        return -1
    match = _OWNED.search(clause)
    if not match:
        return work_in(clause)
    owned = _phrase(match["owned"].lower())
    behind = clause[match.start("owned") + len(" ".join(owned)) :]
    told = None if behind.startswith(" of ") else _told_by(owned)
    return work_in(clause[: match.start()] + behind) if told is None else told


def _phrase(owned: str) -> list[str]:
    """The words that a noun is made of, up to its verb; what is somebody's is told by who that is."""
    found: list[str] = []
    for word in owned.split():
        if found and (word in _ENDS or (is_finite(word) and word not in _OF_A_FAMILY | _OF_A_TEAM)):
            break
        found.append(word)
        if word.endswith("'s"):
            break
    return found


def _told_by(owned: list[str]) -> int | None:
    last = owned[-1].removesuffix("'s")
    if _OF_A_FAMILY_BY_TWO.search(" ".join(owned)) or last in _OF_A_FAMILY:
        return -1 if count_ops(" ".join(owned[:-1])) == 0 and not _AT_WORK.intersection(owned[:-1]) else 1
    if last in _OF_EITHER:
        return None
    return 1 if last in _OF_A_TEAM or count_ops(last) else None


def work_in(text: str) -> int:
    """Words of work less words of home."""
    text = _ONES_OWN_JOB.sub("", text)
    found = [word.rstrip("'") for word in _WORD.findall(text.lower())]
    found = [word for word in found if word not in _OF_EITHER]
    return count_ops(" ".join(found)) + sum((word in _AT_WORK) - (word in _AT_HOME) for word in found)

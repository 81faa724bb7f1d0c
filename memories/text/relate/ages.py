"""How old somebody is said to be who is introduced: "has a son Leo who is 6", "a 6-year-old daughter", "Leo (6)".

Only what tells no more than that: who plays chess at 6 still does at 7.
"""

import re

MOST_CHARACTERS = 300
_KIN = (
    r"(?:daughter|son|child|baby|kid|wife|husband|partner|girlfriend|boyfriend|mother|mum|mom|father|dad|sister|brother|"
    r"twin|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|granddaughter|grandson|stepson|stepdaughter|friend|"
    r"neighbour|neighbor|dog|cat|horse)"
)
_KINDS = rf"(?:{_KIN}s?|children|twins|boys|girls)"
_OWNER = r"(?P<owner>[A-Z][\w-]{0,30}(?:['’]s [a-z]{2,20})?)"
_NAME = r"[A-Z][a-zà-ÿ]{1,30}"
_AGE = r"\d{1,3}(?: years?(?: old)?)?"
_ONE = rf"{_NAME}(?:,? (?:\((?:aged? )?{_AGE}\)|(?:who(?: is|['’]s) |who is aged |is |aged )?{_AGE}(?![\w-])))"
_INTRODUCED = re.compile(
    rf"(?:{_OWNER}(?:['’]s (?:[a-z]{{2,20}} )?{_KINDS}(?: (?:is|are))?|"
    rf"(?: and [A-Z][\w-]{{1,30}})? (?:has|have) (?:[a-z]{{1,10}} )?(?:[a-z]{{2,20}} )?{_KINDS}"
    r"(?:,? (?:called|named))?)[,:]? )?"
    rf"(?P<all>{_ONE}(?:(?:,? and|,) {_ONE}){{0,5}})[.!,]?"
)
_EACH = re.compile(rf"(?P<name>{_NAME})[^\d]{{0,20}}(?P<age>\d{{1,3}})")
_YEAR_OLD = re.compile(
    rf"{_OWNER} has an? (?P<age>\d{{1,3}})[- ]years?[- ]old (?P<kin>{_KIN})"
    rf"(?:,?(?: called| named)? (?P<name>{_NAME}))?[.!]?"
)
_WHO_IS = re.compile(rf"{_OWNER} has an? (?P<kin>{_KIN}) (?:who(?: is|['’]s)|aged) (?P<age>{_AGE})[.!]?")
_CALLED = re.compile(rf"(?:[A-Z][\w-]{{0,30}}['’]s (?P<kin>{_KIN}) )?(?P<name>{_NAME})")


def find_age_of(who: str, text: str) -> str | None:
    """Return how old a statement that introduces people says that this one is: "Leo" or "User's son"."""
    if len(text) > MOST_CHARACTERS:
        return None
    called = _CALLED.fullmatch(who)
    if called and called["kin"] and called["kin"] not in text:
        return None
    return _ages_in(text).get((called["name"] if called else who).casefold())


def _ages_in(text: str) -> dict[str, str]:
    if introduced := _INTRODUCED.fullmatch(text):
        return {one["name"].casefold(): one["age"] for one in _EACH.finditer(introduced["all"])}
    told = _YEAR_OLD.fullmatch(text) or _WHO_IS.fullmatch(text)
    if not told:
        return {}
    name = told.groupdict().get("name") or f"{told['owner']}'s {told['kin']}"
    return {name.casefold(): told["age"].split()[0]}


def tells_age_of_one(text: str) -> bool:
    """Tell whether it introduces somebody with an age."""
    return len(text) <= MOST_CHARACTERS and bool(_ages_in(text))

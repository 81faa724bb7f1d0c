"""Who has turned 35 is no longer 34, and who now works for another is no longer with the one named before, however
little the two sentences have in common.
"""

import re

from .ages import find_age_of, tells_age_of_one
from .instead import find_replaced
from .measures import NUMBER_WORDS, TENS

_WHO = r"(?P<who>\S.{0,60}?)"
_JUST = r"(?:(?:has|have) )?(?:(?:just|recently|already) )?"
_OLD = r" years? old\b.*"
_AGED = re.compile(rf"{_WHO} (?:is|are) (?:(?:still|now|currently|aged) )?(?P<age>\d{{1,3}})(?:{_OLD}|[.!]?)")
_TURNED = re.compile(
    rf"{_WHO} {_JUST}turned (?P<age>\d{{1,3}})(?:{_OLD}|[.!]?|[,]? (?:in|on|last|this|today|yesterday|and)\b.*)"
)
_TENS, _ONES = "|".join(TENS), "|".join(NUMBER_WORDS)
_AGE_IN_WORDS = re.compile(
    r"(?P<lead>\S.{0,80}? (?:is|are|(?:is |are )?turning|turns?|turned)(?: (?:now|still|currently|aged))? )"
    rf"(?:(?P<tens>{_TENS})(?:[- ](?P<one>{_ONES}))?|(?P<few>{_ONES}))"
    r"(?P<rest>(?: years? old\b|,? (?:in|on|last|next|this|today|tomorrow|yesterday)\b).*|[.!]?)$"
)
_YEAR_OLD_IN_WORDS = re.compile(rf"\b(?:(?P<tens>{_TENS})(?:[- ](?P<one>{_ONES}))?|(?P<few>{_ONES}))(?=-year-old\b)")
_TURNING = re.compile(
    rf"{_WHO} (?:(?:is|are) turning|(?:will|is going to|are going to) turn|turns?) (?P<age>\d{{1,3}})(?![\w%]|[.,:]\d)"
)
_ONE_AT_A_TIME = (
    r"(?:works? (?:for|at)|(?:is|are) (?:employed (?:by|at)|working (?:for|at)))",
    r"reports? to",
    r"(?:stud(?:y|ies)|(?:is|are) studying) at",
    r"banks? with",
)
"""How it is told for whom somebody works, whose report, student or customer they are: of one only, as a rule."""
_BEGUN = r"(?:started (?:working|(?:a|their|his|her) (?:new )?job) (?:for|at|with)|took a (?:new )?job (?:at|with))"
_NAME = (
    r"(?P<name>[A-Z][\w&.'’-]{0,30}(?: [A-Z][\w&.'’-]{0,30}){0,3})"
    r"(?=[,.;!]|$| (?:as|in|on|and|since|from|near|because|after)\b)"
)
_TOLD = tuple(re.compile(rf"{_WHO} (?:(?:still|currently) )?{told} {_NAME}") for told in _ONE_AT_A_TIME)
_NEW_JOB = re.compile(rf"{_WHO} {_JUST}{_BEGUN} {_NAME}")
_NOW = re.compile(r"^Now,? | now\b", re.IGNORECASE)
_MAY_BE_NEW = re.compile(r"\b(?:now|started|took)\b", re.IGNORECASE)


def write_ages(existing: str, new: str) -> tuple[str, str]:
    """Return both as they are, or where both tell an age, with it in digits: "is thirty-nine" is "is 39"."""
    written = _write_age(existing), _write_age(new)
    return written if written != (existing, new) and all(map(_tells_an_age, written)) else (existing, new)


def _tells_an_age(text: str) -> bool:
    return bool(_AGED.fullmatch(text) or _TURNED.fullmatch(text) or _TURNING.match(text)) or tells_age_of_one(text)


def _write_age(text: str) -> str:
    told = _AGE_IN_WORDS.match(text)
    if not told:
        return _YEAR_OLD_IN_WORDS.sub(_years_in, text) if "-year-old" in text else text
    return f"{told['lead']}{_years_in(told)}{told['rest']}"


def _years_in(told: re.Match[str]) -> str:
    return str(TENS.get(told["tens"], 0) + NUMBER_WORDS.get(told["one"] or told["few"], 0))


def find_birthday_ahead(existing: str, new: str) -> str | None:
    """Say so where the one tells an age and the other the next birthday: who turns 8 next week is 7."""
    for aged, turning in ((existing, new), (new, existing)):
        now, then = _AGED.fullmatch(aged), _TURNING.match(turning)
        if now and then and int(now["age"]) + 1 == int(then["age"]):
            return f"still {now['age']} and turning {then['age']}"
    return None


def find_new_value(existing: str, new: str) -> tuple[str, str] | None:
    """Return what was so and what is now: two ages, employers, superiors, schools or banks of the same one."""
    if " turned " in new:
        return _find_age(existing, new)
    if " turned " in existing:
        ages = _find_age(new, existing)
        return ages and ages[::-1]
    return (_find_place(existing, new) if _MAY_BE_NEW.search(new) else None) or find_replaced(existing, new)


def _find_age(aged: str, turned: str) -> tuple[str, str] | None:
    left, right = _AGED.fullmatch(aged), _TURNED.fullmatch(turned)
    if not right:
        return None
    age = left["age"] if left and _are_one(left, right) else find_age_of(right["who"], aged)
    return (age, right["age"]) if age and int(age) != int(right["age"]) else None


def _find_place(existing: str, new: str) -> tuple[str, str] | None:
    present, times = _NOW.subn("", new, count=1)
    for told in _TOLD:
        left, right = told.match(existing), told.match(present) if times else None
        if left and not right and told is _TOLD[0]:
            right = _NEW_JOB.match(present)
        if left and right and _are_one(left, right) and _words_of(left).isdisjoint(_words_of(right)):
            return left["name"].casefold(), right["name"].casefold()
    return None


def _are_one(left: re.Match[str], right: re.Match[str]) -> bool:
    return left["who"].casefold() == right["who"].casefold()


def _words_of(match: re.Match[str]) -> set[str]:
    return set(match["name"].casefold().split())

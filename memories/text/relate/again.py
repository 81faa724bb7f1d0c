"""Who has started to do something, or does it again, does what they were said not to do, however little the two
sentences have in common: "does not drink coffee" / "has started drinking coffee", "is vegetarian" / "eats meat again".
"""

import re

from memories.text.wordlist import words

from .lookup import OPPOSITE_SIDES
from .stems import stem
from .switches import CLAUSE, is_known, is_what, split_place, stems_in

MOST_CHARACTERS = 400
_DEEDS = words("""
    drink eat smoke use take play run work drive ride train wear read write live sleep swim cycle teach sing paint
    practise practice dance cook bake order
    """)
_DOUBLED = words("run swim")
_DOES = rf"(?:{'|'.join(sorted(_DEEDS))})s?"


def _doing(deed: str) -> str:
    return f"{deed}{deed[-1]}ing" if deed in _DOUBLED else f"{deed.removesuffix('e')}ing"


_DOING = rf"(?:{'|'.join(sorted(map(_doing, _DEEDS)))})"
_WHO = r"(?P<who>\S.{0,60}?)"
_JUST = r"(?:(?:just|recently|now|also|even) )?"
_WHAT = r"(?:$|(?=[,.!])| (?P<what>[^,.;:?!]{1,120}))"
_STARTED = re.compile(
    rf"{_WHO} (?:(?:has|have) )?{_JUST}(?:(?:started|begun|began|resumed|gone back to|went back to|taken up|took up) "
    rf"(?P<doing>{_DOING})|(?:started|begun|began) to (?P<does>{_DOES})|is back to (?P<back>{_DOING}))"
    rf"{_WHAT}"
)
_AGAIN = re.compile(rf"{_WHO} (?P<now>now )?(?:(?:is|are) {_JUST}(?P<doing>{_DOING})|(?P<does>{_DOES})){_WHAT}")
_IS_AGAIN = re.compile(r"(?:^| )(?:again|now)\b", re.IGNORECASE)
_NOT = re.compile(
    rf"{_WHO} (?:(?:(?:does|do) not|(?:does|do)n['’]t|no longer|never) (?:(?:ever|currently) )?(?P<does>{_DOES})|"
    rf"(?:(?:has|have) )?{_JUST}(?:stopped|quit|given up|gave up)(?: (?P<doing>{_DOING}))?){_WHAT}"
)
_DIET = re.compile(r"(?P<who>\S.{0,60}?) (?:is|are) (?:an? )?(?:(?:strict|lifelong) )?(?P<diet>[a-z][a-z-]{2,20})[.!]?")
_EATS = words("drink eat order")
_EAT_STEMS = frozenset(map(stem, _EATS))
_CONSUME_STEMS = _EAT_STEMS | frozenset(map(stem, words("smoke take use")))
_MAY_BEGIN = re.compile(r"\b(?:again|now|started|begun|began|resumed|back to|taken up|took up)\b")
_IN_DOUBT = re.compile(
    r"\b(?:if|unless|may(?! \d)|might|could|would|should|never|not|no|nor|without|wants?|almost|nearly|hardly|until|"
    r"instead|but|except|apart|less|fewer|stopped|quit)\b|n['’]t\b|\?",
)
_WITHOUT_IT = re.compile(
    r"\b(?:decaf|decaffeinated|non-|mock|fake|soy|oat|almond|coconut|vegan|vegetarian|plant)\w*|-(?:free|based|less)\b",
    re.IGNORECASE,
)
"""What is called coffee, milk or meat, and is none of what somebody goes without."""


def find_begun(existing: str, new: str) -> str | None:
    """Name what somebody was said not to do and now does; else None."""
    if max(len(existing), len(new)) > MOST_CHARACTERS or not _MAY_BEGIN.search(new) or _IN_DOUBT.search(new):
        return None
    begun = _STARTED.match(new) or _does_again(new)
    verb = stem(_verb_of(begun)) if begun else ""
    if not begun:
        return None
    told = begun["what"] or ""
    what, _ = split_place(_IS_AGAIN.sub("", CLAUSE.split(told)[0]))
    is_other = _is_not_done(existing, begun["who"], verb, what, new) or _is_diet(existing, begun["who"], verb, what)
    return f"begun: {_verb_of(begun)} {told}".strip() if is_other and not _names_none_of_it(told, existing) else None


def _does_again(new: str) -> re.Match[str] | None:
    again = _AGAIN.match(new)
    return again if again and (again["now"] or _IS_AGAIN.search(again["what"] or "")) else None


def _verb_of(told: re.Match[str]) -> str:
    found = told.groupdict()
    return found.get("doing") or found.get("does") or found.get("back") or ""


def _is_not_done(existing: str, who: str, verb: str, what: list[str], new: str) -> bool:
    """Tell whether it is denied of the same one, and of all that is done: not "after noon", nor "much coffee"."""
    denied = _NOT.match(existing)
    if not denied or denied["who"].casefold() != who.casefold():
        return False
    left, place = split_place(CLAUSE.split(denied["what"] or "")[0])
    left_off = stem(_verb_of(denied))
    if left_off != verb and (left_off or not left or verb not in _CONSUME_STEMS):
        return False  # who gave up coffee drinks none
    is_it = left == what or is_what(left, what) or _are_opposite(("no", *left), what)
    return is_it and is_known(place, new)


def _is_diet(existing: str, who: str, verb: str, what: list[str]) -> bool:
    told = _DIET.fullmatch(existing)
    if not told or verb not in _EAT_STEMS or told["who"].casefold() != who.casefold():
        return False
    return _are_opposite(tuple(stems_in(told["diet"])), what)


def _are_opposite(left: tuple[str, ...], what: list[str]) -> bool:
    """Tell whether the list of opposites has the one on the other side of the last word of the other."""
    right = OPPOSITE_SIDES.get((what[-1],), frozenset()) if what else frozenset()
    return any((group, -side) in right for group, side in OPPOSITE_SIDES.get(left, ()))


def _names_none_of_it(told: str, existing: str) -> bool:
    return any(found.group().casefold() not in existing.casefold() for found in _WITHOUT_IT.finditer(told))

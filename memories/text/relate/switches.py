"""Who switched from one thing to another, or does it no more, does not do what was said before, however little the two
sentences have in common.
"""

import re

from memories.text.wordlist import words

from .grammar import PREPOSITIONS
from .lookup import OPPOSITE_SIDES, classes_of
from .measures import MONTHS
from .stems import stem
from .tokens import tokenize

_DOES = (
    r"(?P<does>works?|uses?|drinks?|eats?|drives?|rides?|runs?|plays?|smokes?|takes?|writes?|wears?|reads?|has|have|is|"
    r"are|pays?|commutes?|sleeps?|lives?|trains?|deploys?|hosts?)"
)
_DONE_MOSTLY = r"(?:(?:still|now|currently|usually|mostly|mainly|always) )?"
_DOES_NOW = re.compile(
    rf"(?P<who>\S.{{0,60}}?) {_DONE_MOSTLY}{_DOES} {_DONE_MOSTLY}(?P<what>[^,.;:]{{1,120}})(?P<rest>.*)"
)
_SWITCHED = re.compile(
    r"(?P<who>\S.{0,60}?) (?:(?:has|have) )?(?:(?:just|recently|now|finally) )?(?:switched|changed|gone over|went over)"
    r" (?:back |over )?(?:from (?P<before>\S.{0,40}?) )?(?:back |over )?to (?:work(?:ing)? )?(?P<after>[^.;]{1,120})"
)
_NO_MORE = re.compile(r"(?:,| and|,? with) no more (?P<what>[^,.;]{1,60})")
_NO_LONGER = re.compile(
    rf"(?P<who>\S.{{0,60}}?) (?:no longer {_DOES}|(?P<be>is|are) no longer) (?P<what>[^.;]{{1,120}})"
)
_IN_DOUBT = re.compile(
    r"\b(?:if|unless|but|except|until|(?-i:may)|might|could|almost|nearly|partly|sometimes|some|half|temporarily|again|only|"
    r"for|while|during|when)\b|\b(?:and|then) (?:went |switched )?back\b|\?",
    re.IGNORECASE,
)
_SAYS_NO = re.compile(r"\b(?:not|never|no|nor|neither|without|if|unless|when)\b|n['’]t\b", re.IGNORECASE)
CLAUSE = re.compile(r",| (?:and|or|because|so|since|as|which|who) ")
_DETERMINERS = words("a an the their his her its my our")
_BEHIND = PREPOSITIONS | words("every each twice as")
_GENERIC = words("mod model basis schedul shift job work contract position rol diet browser editor phon keyboard")
"""Stems that tell no more of "the night shift" than "nights" does."""
_WHEN = re.compile(
    rf"\b(?:in|since|last|on|as of) (?:(?:last|early|late|\d{{1,2}}) )?(?:{'|'.join(MONTHS)}|\d{{4}}|week|month|year|"
    r"monday|tuesday|wednesday|thursday|friday)\b(?: \d{4})?|\b(?:recently|now|today|yesterday)\b",
    re.IGNORECASE,
)
_ONE_AT_A_TIME = words("browser editor keyboard phone milk")
"""Classes of words of which who switched to one has left the other."""


def find_switch(existing: str, new: str) -> str | None:
    """Name what somebody was said to do, and what of the new statement ends it; else None."""
    if " switched " not in new and " changed " not in new and " no " not in new and " over to " not in new:
        return None
    known = _DOES_NOW.match(existing)
    if not known or _SAYS_NO.search(existing) or _IN_DOUBT.search(new):
        return None
    return _find_left(known, new) or _find_no_longer(known, new)


def _find_left(known: re.Match[str], new: str) -> str | None:
    switched = _SWITCHED.match(new)
    if not switched or switched["who"].casefold() != known["who"].casefold():
        return None
    after, place = split_place(CLAUSE.split(switched["after"])[0])
    what, _ = split_place(CLAUSE.split(known["what"])[0])
    if not after or not is_known(place, known.string) or set(after) <= set(stems_in(known.string)):
        return None
    more = _NO_MORE.search(switched["after"])
    left = [switched["before"], more and more["what"]]
    is_left = any(is_what(stems_in(one), what) for one in left if one)
    is_left = is_left or (not switched["before"] and _exclude(what, after))
    return f"switched: {known['what']} / {switched['after']}" if is_left else None


def _find_no_longer(known: re.Match[str], new: str) -> str | None:
    over = _NO_LONGER.match(new)
    if not over or over["who"].casefold() != known["who"].casefold():
        return None
    if stem(over["does"] or over["be"]) != stem(known["does"]):
        return None
    ended, place = split_place(CLAUSE.split(over["what"])[0])
    what, _ = split_place(CLAUSE.split(known["what"])[0])
    is_it = is_what(ended, what) and is_known(place, known.string)
    return f"negated: no longer {over['does'] or over['what']}" if is_it else None


def split_place(text: str) -> tuple[list[str], list[str]]:
    """Return the stems of a thing, and those of the place or purpose behind it: "day shifts | at the hospital"."""
    tokens = [token.text for token in tokenize(_WHEN.sub(" ", text))]
    start = 1 if tokens and tokens[0] in PREPOSITIONS else 0
    end = next((at for at in range(start + 1, len(tokens)) if tokens[at] in _BEHIND), len(tokens))
    return _telling(tokens[:end]), _telling(tokens[end:])


def stems_in(text: str) -> list[str]:
    """Return the stems of what a text tells, in its order."""
    return _telling([token.text for token in tokenize(text)])


def _telling(tokens: list[str]) -> list[str]:
    return [stem(token) for token in tokens if token[0].isalnum() and token not in _DETERMINERS]


def is_what(told: list[str], what: list[str]) -> bool:
    """Tell whether the one names the other, by its last word: "coffee" is "iced coffee", not a "coffee table"."""
    named, known = _matter_of(told), _matter_of(what)
    return bool(named and known) and set(named) <= set(known) and named[-1] == known[-1]


def _matter_of(stems: list[str]) -> list[str]:
    return [one for one in stems if one not in _GENERIC and one not in PREPOSITIONS]


def is_known(place: list[str], text: str) -> bool:
    """Tell whether the text says that, too."""
    return set(place) - PREPOSITIONS <= set(stems_in(text))


def _exclude(what: list[str], after: list[str]) -> bool:
    """Tell whether the two things are as a whole opposites, or of a class of which one has one."""
    left, right = _sides_of(what), _sides_of(after)
    return any((group, -side) in right for group, side in left) or bool(_class_of(what) & _class_of(after))


def _sides_of(stems: list[str]) -> set[tuple[int, int]]:
    """Return where the list of opposites has the whole of it, with or without "on", "shift" or "work"."""
    lean = [one for one in stems if one not in _GENERIC]
    ways = {tuple(one) for one in (stems, lean, stems[1:] if stems[:1] and stems[0] in PREPOSITIONS else stems)}
    return {side for way in ways | {tuple(_matter_of(stems))} for side in OPPOSITE_SIDES.get(way, ())}


def _class_of(stems: list[str]) -> frozenset[str]:
    matter = _matter_of(stems)
    return classes_of(matter[0]) & _ONE_AT_A_TIME if len(matter) == 1 else frozenset()

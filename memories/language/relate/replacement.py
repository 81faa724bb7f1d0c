"""Statements that replace an earlier one by their words alone: a new employer, city, tool or habit."""

import re
from functools import lru_cache
from typing import NamedTuple

from memories.language.relate.grammar import LISTS, MONTHS, PREPOSITIONS, WEEKDAYS, stem
from memories.language.relate.lexicon import OPPOSITE_SIDES, SIBLINGS, classes_of, tokenize
from memories.language.wordlists import phrases, words

MOST_CHARACTERS = 400
"""Longer texts are no statement of one thing."""
MOST_WORDS, MOST_MORE = 5, 7
"""What has more words is a clause, no name of a thing; and what is told behind it in more is another story."""
_SUBJECT = r"(?P<who>\S.{0,80}?)"
_STILL = r"(?:(?:still|now|currently|actually|already|mainly|mostly) )?"
_BETWEEN = r"(?:(?:as|in|on) [^,.;:]{1,60}? |(?:remotely|full-time|part-time|mainly|now) )?"
"""What may stand between "works" and "at Acme"."""


class _Role(NamedTuple):
    """How it is told, with what before the name. `is_named`: of a name only, and it may be told where or as what."""

    verb: str
    before: str
    is_named: bool = False

    def pattern(self) -> re.Pattern[str]:
        between = _BETWEEN if self.is_named else ""
        before = f"{between}(?P<before>{self.before}) " if self.before else "(?P<before>)"
        name = "(?=[A-Z0-9])" if self.is_named else ""
        return re.compile(rf"{_SUBJECT} {_STILL}(?:{self.verb}) {_STILL}{before}{name}(?P<what>\S.*)")


_IS = "is|are"
_ROLES = (
    _Role(r"works?|(?:is|are) (?:working|employed)", "at|for|by", is_named=True),
    _Role(r"(?:is|are) (?:an?|the) [a-z][\w -]{1,40}?", "at", is_named=True),
    _Role(r"lives?|resides?|(?:is|are) (?:living|based)", "in|at", is_named=True),
    _Role(r"stud(?:y|ies)|(?:is|are) (?:studying|enrolled)|goes to school", "at|in", is_named=True),
    _Role(r"reports?", "to", is_named=True),
    _Role(r"banks?", "with|at", is_named=True),
    _Role(r"pays?", "with|by|in"),
    _Role(r"uses?|(?:is|are) using", ""),
    _Role(r"drives?|rides?|(?:is|are) (?:driving|riding)", ""),
    _Role(r"drinks?", ""),
    _Role(r"eats?", ""),
    _Role(r"plays?", ""),
    _Role(r"speaks?", ""),
    _Role(r"wears?", ""),
    _Role(r"takes?", ""),
    _Role(r"owns?|has|have", ""),
    _Role(r"prefers?", ""),
    _Role(r"teaches|teach", ""),
    _Role(r"runs?|deploys?", "on|to|in"),
    _Role(rf"(?:{_IS}) (?:planned|scheduled|due|held)|takes? place|starts?|happens?|{_IS}", "on|at|in|by"),
    _Role(rf"{_IS}", ""),
)
_PATTERNS = tuple((role, role.pattern()) for role in _ROLES)
_CALLED = re.compile(
    r"(?P<who>\S.{0,80}?)(?:['’]s name is| (?:is|are) (?:called|named)) (?P<before>)(?=[A-Z])(?P<what>\S.*)"
)
_HAS_CALLED = re.compile(
    r"(?P<who>\S.{0,60}?) has an? (?P<kind>[a-z][\w -]{1,40}?),? (?:who is |which is |that is )?(?:called|named) "
    r"(?P<before>)(?=[A-Z])(?P<what>\S.*)"
)
_NAMED = _Role("", "", is_named=True)

_NOT_AFTER = re.compile(
    r"(?P<kept>\S.{2,200}?)(?:(?:,|,? and) (?:not|no longer) (?:any ?more )?| instead of )(?P<left>[^,.;:!?()]{1,80})"
    r"(?P<rest>.*)"
)
_NOT_BEFORE = re.compile(
    rf"(?P<who>\S.{{0,80}}?) (?:(?P<be>{_IS}) (?:not|no longer)|(?:no longer|does not|do not|doesn['’]t|don['’]t))"
    r"(?P<verb>(?: [a-z]+)?) (?P<left>[^,.;:!?()]{1,80}?),? but (?:rather )?(?:now )?(?P<right>[^,.;:!?()]{1,80})"
    r"(?P<rest>.*)"
)
_MAY_DENY = re.compile(r"(?:,| and) (?:not|no longer) | instead of | but ")
_IN_DOUBT = re.compile(
    r"\b(?:if|unless|may(?! \d)|might|could|would|should|must|never|only|just|always|until|sometimes|usually|often|yet|"
    r"alone|both|once|temporarily|used to|planned to|wants?|hopes?)\b|\?",
)
_NO_ONE = re.compile(
    r"(?:it|this|that|there|these|those|he|she|they|we|you|what|which|here|who|sometimes|maybe|perhaps|really)\b.*|"
    r"(?:.* )?(?:the|an?|his|her|its|their|my|our|your)",
    re.IGNORECASE,
)
"""Who cannot be known to be the same one in two statements."""
_DETERMINER = re.compile(r"^(?:an?|the|their|his|her|its|my|our) ", re.IGNORECASE)
_FROM_NOW = re.compile(
    r"[,]? \b(?:now|currently|these days|any ?more|any longer|after all|by now|today|"
    rf"(?:since|as of|from) (?:[a-z]+ )?(?:{'|'.join(MONTHS)}|\d{{4}}|week|month|year)(?: \d{{4}})?(?: on)?)\b",
    re.IGNORECASE,
)
_ENDS = words("and or because since who which that as while when so but every each daily again too again now")
_PLACE_OF_IT = re.compile(r"(?:as an? [a-z]|in [A-Z])")
"""What tells more of an employer or a school, not when or for what."""
_END = re.compile(r"[^\w]*\Z|[,.;:!)]|\s*\(| (?P<next>[\w'’-]+)")
_NUMBER = re.compile(r"\d[\w:.]*\Z")


class _Told(NamedTuple):
    """Who it is said of, in which role and how it stands there, and what: the rest of the statement."""

    who: str
    role: _Role
    before: str
    what: str


class _Replaced(NamedTuple):
    now: _Told
    left: str
    more: str
    """What is said of when, where or for what it is so."""


def find_replaced(existing: str, new: str) -> tuple[str, str] | None:
    """Return what was said to be and what is in its place, where the new one says that it is not; else None."""
    replaced = _read(new)
    if not replaced or _IN_DOUBT.search(existing) or len(existing) > MOST_CHARACTERS:
        return None
    if not any(_says(told, replaced) for told in _told_by(existing)):
        return None
    known = _words_of(existing)
    is_of_it = all(word in known for word in _words_of(replaced.more))
    return (replaced.left.casefold(), replaced.now.what.casefold()) if is_of_it else None


@lru_cache(maxsize=1_024)
def _read(text: str) -> _Replaced | None:
    if len(text) > MOST_CHARACTERS or not _MAY_DENY.search(text) or _IN_DOUBT.search(text):
        return None
    # What is said to be so, what is not, and what follows, in each way it can be read.
    found = []
    if after := _NOT_AFTER.match(text):
        found += [(told, after["left"], after["rest"]) for told in _told_by(_FROM_NOW.sub("", after["kept"]))]
    if before := _NOT_BEFORE.match(text):
        lead = " ".join(filter(None, (before["who"], before["be"], before["verb"].strip())))
        said, denied = _told_by(f"{lead} {before['right']}"), _told_by(f"{lead} {before['left']}")
        # "not at Acme but Initech": the preposition is said once.
        said = said or [told._replace(what=before["right"]) for told in denied]
        found += [(told, before["left"], before["rest"]) for told in said if told.who == before["who"]]
    for told, left, rest in found:
        left, behind = _without_preposition(told, left)
        value, more = _cut(told.what)
        is_other = left.casefold() != value.casefold() and all(
            0 < len(one.split()) <= MOST_WORDS for one in (left, value)
        )
        if not is_other or rest[:1] in ("!", "?", "(") or len(f"{more} {behind}".split()) > MOST_MORE:
            continue
        more = "" if told.role.is_named and _PLACE_OF_IT.match(more) else more
        return _Replaced(told._replace(what=value), left, f"{more} {behind}")
    return None


def _told_by(text: str) -> list[_Told]:
    """Return every role that a statement tells, the closest first."""
    found = [_Told(m["who"], _NAMED, "", m["what"]) for m in [_CALLED.match(text)] if m]
    if has := _HAS_CALLED.match(text):
        found.append(_Told(f"{has['who']}'s {has['kind']}", _NAMED, "", has["what"]))
    for role, pattern in _PATTERNS:
        told = pattern.match(text)
        if told and told["what"].split()[0] not in PREPOSITIONS:
            found.append(_Told(told["who"], role, told["before"], told["what"]))
    return [told for told in found if not _NO_ONE.fullmatch(told.who)]


def _without_preposition(told: _Told, left: str) -> tuple[str, str]:
    """Return what is denied, without "at" before it, and what is told behind it; empty where it stands elsewhere."""
    first, _, after = left.partition(" ")
    if first in PREPOSITIONS:
        if first not in told.role.before.split("|") or (not told.role.is_named and first != told.before):
            return "", ""
        left = after
    name, more = _cut(left)
    is_like = not told.role.is_named or name[:1].isupper() or name[:1].isdigit()
    return (name, more) if is_like else ("", "")


def _cut(text: str) -> tuple[str, str]:
    """Return the thing that a text begins with, and what is told of it behind."""
    plain = _FROM_NOW.sub("", _DETERMINER.sub("", text, count=1)).rstrip(" .")
    tokens = plain.split()
    end = next((at for at, token in enumerate(tokens) if at and token in PREPOSITIONS | _ENDS), len(tokens))
    return " ".join(tokens[:end]).rstrip(",;"), " ".join(tokens[end:])


def _says(told: _Told, replaced: _Replaced) -> bool:
    """Tell whether it is said of the same one in the same role, and ends there: "npm", not "npm scripts"."""
    now = replaced.now
    if told.role is not now.role or told.who.casefold() != now.who.casefold():
        return False
    if not told.role.is_named and told.before != now.before:
        return False
    what, left = _DETERMINER.sub("", told.what, count=1), replaced.left
    if what[: len(left)].casefold() != left.casefold():
        return False
    end = _END.match(what, len(left))
    follows = end["next"] if end else "x"
    is_day = left.casefold() in WEEKDAYS and bool(follows and _NUMBER.match(follows))
    return follows is None or is_day or follows in PREPOSITIONS | _ENDS - words("and or")


def _words_of(text: str) -> set[str]:
    told = {word.strip(".,;:!?()").casefold() for word in text.split()}
    return told - PREPOSITIONS - words("a an the their his her its my our") - {""}


_DOES_ONE = (
    r"(?P<does>works?|uses?|drinks?|eats?|drives?|rides?|runs?|plays?|smokes?|takes?|writes?|wears?|reads?|has|have|is|"
    r"are|pays?|commutes?|sleeps?|lives?|trains?|deploys?|hosts?)"
)
_DONE_MOSTLY = r"(?:(?:still|now|currently|usually|mostly|mainly|always) )?"
_DOES_NOW = re.compile(
    rf"(?P<who>\S.{{0,60}}?) {_DONE_MOSTLY}{_DOES_ONE} {_DONE_MOSTLY}(?P<what>[^,.;:]{{1,120}})(?P<rest>.*)"
)
_SWITCHED = re.compile(
    r"(?P<who>\S.{0,60}?) (?:(?:has|have) )?(?:(?:just|recently|now|finally) )?(?:switched|changed|gone over|went over)"
    r" (?:back |over )?(?:from (?P<before>\S.{0,40}?) )?(?:back |over )?to (?:work(?:ing)? )?(?P<after>[^.;]{1,120})"
)
_NO_MORE = re.compile(r"(?:,| and|,? with) no more (?P<what>[^,.;]{1,60})")
_SWITCH_IN_DOUBT = re.compile(
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
_EXCLUSIVE_CLASSES = words("browser editor keyboard phone milk")
"""Classes of words of which who switched to one has left the other."""


def find_switch(existing: str, new: str) -> str | None:
    """Name what somebody was said to do, and what of the new statement ends it; else None."""
    if " switched " not in new and " changed " not in new and " over to " not in new:
        return None
    known, switched = _DOES_NOW.match(existing), _SWITCHED.match(new)
    if not known or not switched or _SAYS_NO.search(existing) or _SWITCH_IN_DOUBT.search(new):
        return None
    after, place = split_place(CLAUSE.split(switched["after"])[0])
    what, _ = split_place(CLAUSE.split(known["what"])[0])
    told = set(stems_in(existing))
    is_of_it = switched["who"].casefold() == known["who"].casefold() and set(place) - PREPOSITIONS <= told
    if not is_of_it or set(after) <= told:
        return None
    more = _NO_MORE.search(switched["after"])
    # The one names the other, by its last word: "coffee" is "iced coffee", not a "coffee table".
    left = [_matter_of(stems_in(one)) for one in (switched["before"], more and more["what"]) if one]
    matter = _matter_of(what)
    is_left = bool(matter) and any(set(one) <= set(matter) and one[-1] == matter[-1] for one in left if one)
    if not (is_left or (not switched["before"] and _exclude(what, after))):
        return None
    return f"switched: {known['what']} / {switched['after']}"


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


def _matter_of(stems: list[str]) -> list[str]:
    return [one for one in stems if one not in _GENERIC and one not in PREPOSITIONS]


def _exclude(what: list[str], after: list[str]) -> bool:
    """Tell whether the two things are as a whole opposites, or of a class of which one has one."""
    left, right = _sides_of(what), _sides_of(after)
    if any((group, -side) in right for group, side in left):
        return True
    matters = _matter_of(what), _matter_of(after)
    return all(len(matter) == 1 for matter in matters) and not _EXCLUSIVE_CLASSES.isdisjoint(
        classes_of(matters[0][0]) & classes_of(matters[1][0])
    )


def _sides_of(stems: list[str]) -> set[tuple[int, int]]:
    """Return where the list of opposites has the whole of it, with or without "on", "shift" or "work"."""
    lean = [one for one in stems if one not in _GENERIC]
    behind = stems[1:] if stems[:1] and stems[0] in PREPOSITIONS else stems
    ways = {tuple(way) for way in (stems, lean, behind, _matter_of(stems))}
    return {side for way in ways for side in OPPOSITE_SIDES.get(way, ())}


_AT_PRESENT = r"(?:(?:still|now|currently) )?"
_LIVES = re.compile(
    rf"(?P<who>\S.{{0,60}}?) {_AT_PRESENT}(?:lives?|resides?|(?:is|are) {_AT_PRESENT}(?:living|based)) in "
    r"(?P<where>\S.*)"
)
_MOVED = re.compile(
    r"(?:In \w+,? )?(?P<who>\S.{0,60}?) (?:(?:has|have) )?(?:(?:just|recently|finally) )?(?:moved|relocated) "
    r"(?:(?:back|over|from [\w'’-]{1,30}(?: [\w'’-]{1,30})?) )?to (?P<where>\S.*)"
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_BEHIND_ONE = re.compile(
    r"[,]? (?:[A-Z]|(?:office|team|branch|time|timezone|region|site|store|plant|campus|server|cluster|data|zone)\b)"
)
"""What makes a city's name that of something else: "moved to London Business School", "to the Berlin office"."""
_AT_TIMES = re.compile(
    r" (?:during|half|part|partly|in (?:the )?(?:winter|summer|spring|autumn)|on (?:weekdays|weekends))\b"
)
MOST_CITY_WORDS = 3
CITIES = frozenset(SIBLINGS["city"].split()).union(phrases(LISTS["more_cities"]))


def find_move(existing: str, new: str) -> tuple[str, str] | None:
    """Return the two cities, where somebody lives in the one and has moved to the other, or lives there."""
    lived, moved = _LIVES.match(existing), _MOVED.match(new) or _LIVES.match(new)
    if not lived or not moved or lived["who"].casefold() != moved["who"].casefold():
        return None
    if moved.re is _LIVES and any(_AT_TIMES.search(one["where"]) for one in (lived, moved)):
        return None
    left, right = _city_in(lived["where"]), _city_in(moved["where"])
    return (left, right) if left and right and left != right else None


def _city_in(text: str) -> str:
    """Return the city that a text begins with; empty if it is not known for one."""
    told = list(_WORD.finditer(text[:80]))[:MOST_CITY_WORDS]
    for count in range(len(told), 0, -1):
        name = text[: told[count - 1].end()]
        if name.lower() in CITIES and name[0].isupper():
            return "" if _BEHIND_ONE.match(text, len(name)) else name.lower()
    return ""

"""A statement that names itself what it replaces: "works at Initech now, not at Acme", "uses pnpm instead of npm".

It is at odds with what says the one that it denies of the same one in the same role, however little the two have in
common. In what else the name occurs ("Acme is User's landlord") is another matter.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memories.text.wordlist import words

from .grammar import PREPOSITIONS
from .measures import MONTHS, WEEKDAYS

MOST_CHARACTERS = 400
"""Longer texts are no statement of one thing."""
MOST_WORDS, MOST_MORE = 5, 7
"""What has more words is a clause, no name of a thing; and what is told behind it in more is another story."""
_WHO = r"(?P<who>\S.{0,80}?)"
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
        return re.compile(rf"{_WHO} {_STILL}(?:{self.verb}) {_STILL}{before}{name}(?P<what>\S.*)")


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
_NOW = re.compile(
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


def find_other_role(existing: str, new: str) -> str | None:
    """Say so where the one only tells of what the other denies of somebody: "Acme is the landlord"."""
    for text, other in ((existing, new), (new, existing)):
        replaced = _read(text)
        if replaced and re.match(rf"(?:The )?{re.escape(replaced.left)}\b", other, re.IGNORECASE):
            return f"{replaced.left} in another role"
    return None


@lru_cache(maxsize=1_024)
def _read(text: str) -> _Replaced | None:
    if len(text) > MOST_CHARACTERS or not _MAY_DENY.search(text) or _IN_DOUBT.search(text):
        return None
    for told, left, rest in _readings(text):
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


def _readings(text: str) -> list[tuple[_Told, str, str]]:
    """Return what is said to be so, what is not, and what follows, in each way it can be read."""
    found = []
    if after := _NOT_AFTER.match(text):
        found += [(told, after["left"], after["rest"]) for told in _told_by(_NOW.sub("", after["kept"]))]
    if before := _NOT_BEFORE.match(text):
        lead = " ".join(filter(None, (before["who"], before["be"], before["verb"].strip())))
        said, denied = _told_by(f"{lead} {before['right']}"), _told_by(f"{lead} {before['left']}")
        # "not at Acme but Initech": the preposition is said once.
        said = said or [told._replace(what=before["right"]) for told in denied]
        found += [(told, before["left"], before["rest"]) for told in said if told.who == before["who"]]
    return found


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
    plain = _NOW.sub("", _DETERMINER.sub("", text, count=1)).rstrip(" .")
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

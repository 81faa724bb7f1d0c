"""Whether a clause says enough to be understood by itself: "three is good" and "never put it there" do not."""

from __future__ import annotations

import re

from memories.providers.llm.rules.mentions import read_mentions
from memories.text.temporal.words import DAY_PARTS, MONTHS, NUMBERS, UNITS, WEEKDAY_PLURALS, WEEKDAYS
from memories.text.wordlist import words

_COUNTED = NUMBERS.keys() | words("both either neither all none everything that this it those these")
_ONES = words("first second third last other former latter cheaper bigger smaller")
_BE = words("is are was were isn't aren't wasn't weren't be sounds seems looks works")
_PRAISE = words("""
    good fine ok okay enough plenty many much few great perfect better best cheaper worse less more set done ready right
    wrong not too so very quite still also just then now really bit a way alright all clear nice lovely cool for me us
    """)
_TIMES = (
    NUMBERS.keys()
    | MONTHS.keys()
    | WEEKDAYS.keys()
    | WEEKDAY_PLURALS
    | UNITS.keys()
    | DAY_PARTS.keys()
    | words("""
    once twice times time at least most about only every other each a an the per and or to max tops more less than on
    in by for from until till noon midnight am pm today tomorrow tonight next last now utc then before after weekend
    weekends roughly maybe back again o'clock half past quarter weekdays mornings afternoons evenings nights never
    always not daily weekly monthly work school lunch dinner breakfast bed
    """)
)
_SAYS = re.compile(
    r"^(?:[\w'-]+ ){1,3}(?:says?|said|suggests?|suggested|recommends?|recommended) (?P<what>(?!that\b).+)$"
)
_DONE = re.compile(
    r"^(?:Assistant (?:has )?)?[A-Za-z][a-z]*(?:ed|et|ut|ent)(?: it| them)?(?: back| up| down)? "
    r"(?P<what>(?:to|for|on|at|from|until|by) .+)$"
)
_ELLIPSIS = re.compile(
    r"^(?:[\w'-]+ ){0,3}[\w'-]+ (?:do|does|did|don't|doesn't|didn't|can|can't|cannot|will|won't|would|should|has|have|"
    r"hasn't|haven't|is|isn't|are|aren't|was|wasn't|says|said|"
    r"thinks|thought|told me)(?: (?:that|it|so|this|too|not|as well|either|already))*$",
    re.IGNORECASE,
)
_SOME_OF_THEM = re.compile(
    r"^(?:\d\d?|both|one|two|three|four|five|some|most|the (?:first|second|third|fourth|last|other|others|rest)) "
    r"(?:is|are|was|were|isn't|aren't) (?!of\b)|^(?:it's|it is|it was|that's) (?-i:[A-Z])[a-z]+ (?:until|on|this)\b|"
    r"^[\w' ]{2,40} told (?:me|us|her|him|them)(?: (?:so|that|it))?(?: (?:on|in|at|last|this|yesterday|today)\b.*)?$",
    re.IGNORECASE,
)
"""Of what, who "it" is, or what was told, is not said."""
_POINTS = re.compile(
    r"^(?P<told>(?:[\w'-]+ ){1,5})(?:it|them|that|those|this|none|(?<=have )one|(?<=has )one|(?<=need )one)"
    r"(?: (?:too|also|already|again|now|as well|so much|very much|a lot|anyway|either|"
    r"(?:him|her|it|them|our|your)sel\w+))*(?=$|[,;])"
)
"""What it is done to or said of is not said, and no thing is named before that it may be: "we like it"."""
_THERE = re.compile(
    r"\bthere\b(?!'| (?:is|are|was|were|will|has|have|had|isn't|aren't|can|must|should|may|might|seems?)\b)"
)
_NAMED_PLACE = re.compile(
    r"\b(?:in|at|on|to|from|near|outside|inside|behind|under) (?!there\b)\w|^there (?:is|are|was|were)\b", re.IGNORECASE
)
_LAST_PLACE = re.compile(
    r"^.*\b(?P<where>(?:on|in|at|near) (?P<place>(?!\d|it\b|them\b|that\b|this\b|fact\b|case\b)[^,;]{3,60}))$"
)
_THEN = re.compile(r"(?<=\w )(?:(?P<lead>until|till|by|before|since) )?then(?=$|[,.;])")
_LAST_TIME = re.compile(
    r"^.*\b(?:(?P<lead>on|in|at) (?P<time>(?:the )?[\w :]+?)|(?:by |until |till )?(?P<end>(?:the )?end of \w+))$"
)
_DATES = MONTHS.keys() | WEEKDAYS.keys() | WEEKDAY_PLURALS
_TOWARDS = re.compile(
    r"\b(?:go|goes|going|went|move|moves|moved|moving|travel|travels|travelled|fly|flies|flying|drive|drives|driving|"
    r"send|commute|commutes|walk|walks|cycle|cycles|get|come|comes)$"
)
_WORD = re.compile(r"[\w'.:]*\w")


def stands_alone(clause: str) -> bool:
    """Whether who was not there would know what it is about; `points_there` tells more."""
    if only_judges(clause) or _ELLIPSIS.match(clause) or _SOME_OF_THEM.match(clause) or _is_amount(clause):
        return False
    points = _POINTS.match(clause)
    if points and all(one.is_subject for one in read_mentions(points["told"])):
        return False
    told = _SAYS.match(clause) or _DONE.match(clause)
    return not (told and _is_amount(told["what"]))


def points_there(clause: str) -> bool:
    """Whether "there" or "until then" is a place or a time that the clause does not name."""
    then = _THEN.search(clause)
    if then and then["lead"] and not any(map(_is_date, _WORD.findall(clause[: then.start()].lower()))):
        return True
    match = _THERE.search(clause)
    return match is not None and not _NAMED_PLACE.search(clause[: match.start()])


def name_there(clause: str, previous: str) -> str:
    """ "Never put appointments there" → "… on the first Monday", which the clause before ends with."""
    there, named = _THERE.search(clause), _LAST_PLACE.match(previous)
    if not there or not named or not points_there(clause):
        return clause
    before = clause[: there.start()]
    where = f"to {named['place']}" if _TOWARDS.search(before.rstrip()) else named["where"]
    return f"{before}{where}{clause[there.end() :]}"


def name_then(clause: str, previous: str) -> str:
    """ "Priya stands in until then" → "… until the 1st of December", which the clause before ends with."""
    then, named = _THEN.search(clause), _LAST_TIME.match(previous)
    time = named["time"] or named["end"] if named else ""
    said = _WORD.findall(time.lower())
    is_time = any(map(_is_date, said)) and all(_is_date(one) or one in _TIMES | {"of", "end"} for one in said)
    if not then or not named or not is_time:
        return clause
    return f"{clause[: then.start()]}{then['lead'] or named['lead'] or 'at'} {time}{clause[then.end() :]}"


def _is_date(word: str) -> bool:
    return word in _DATES or bool(re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)", word))


def only_judges(clause: str) -> bool:
    """Whether a bare count is only praised or blamed: "three is good", "the second one is cheaper"."""
    found = _WORD.findall(clause.lower())
    start = 1 if found[:1] and (found[0] in _COUNTED or found[0].isdecimal()) else 0
    if found[:1] == ["the"] and len(found) > 1 and found[1] in _ONES:
        start = 3 if found[2:3] == ["one"] else 2
    rest = found[start:]
    return bool(start and len(rest) > 1 and rest[0] in _BE) and all(word in _PRAISE for word in rest[1:])


def _is_amount(text: str) -> bool:
    """Whether it only says when, how often or how much."""
    return all(word in _TIMES or word[0].isdecimal() for word in _WORD.findall(text.lower()))

"""What a household does: it moves to a city, buys a house, marries, has a baby, gets a dog, goes on holiday.

Why it does so tells nothing of who "we" are: "we moved to Lyon, because Jo got a new job there" is no team's doing.
"""

from __future__ import annotations

import re

from memories.providers.llm.rules.evidence import count_ops
from memories.text.relate.moves import CITIES
from memories.text.relate.siblings import SIBLINGS
from memories.text.wordlist import words

_OFTEN = r"(?: (?:all|both|now|finally|recently|just|also|then|only|eventually|already|actually))*"
_WE = (
    rf"\bwe(?:'ve|'re|'ll|'d| have| are| were| had| will)?{_OFTEN}"
    r"(?: be| been| going to| planning to| had to| have to| want to| decided to| thinking of)? "
)
_USER = (
    r"^(?:(?:In|On|Last|This|Next|At|Since) [\w ]{1,40}?,? )?"
    rf"User(?: and (?:their )?[\w-]+(?: [\w-]+)?)?(?: has| have| is| are| was| were| will)?{_OFTEN}"
    r"(?: be| been| going to| had to| has to| wants to| decided to| thinking of)? "
)
_END = (
    r"(?=$|[.,;!?)]| (?:in|at|near|by|on|with|for|to|from|last|this|next|because|since|as|so|when|while|after|before|"
    r"and|but|together|there|here|outside|close|just|that|which|now|then|again|yesterday|today|tomorrow|\d+)\b)"
)
"""Behind a thing itself: "a dog", but no "dog food business"."""
_HOUSE = (
    r"(?:house|flat|apartment|home|cottage|cabin|bungalow|villa|farm|farmhouse|allotment|caravan|campervan|camper|condo|"
    r"townhouse|duplex)"
)
_SOME = r"(?:an?|the|our|my|their|another|two|three)(?: [\w-]+){0,2}?"
_CHILD = r"(?:baby|babies|boy|girl|son|daughter|child|kid|twins|triplets)"
_PET = r"(?:dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|hamsters?|guinea pigs?|parrots?|hens|chickens)"
_HOLIDAY = r"(?:holidays?|vacation|honeymoon|city break|road trip|camping trip|cruise)"
_DEED = (
    rf"(?:(?:bought|buy|buying|built|building|sold|selling|rented|rent|renting|found) {_SOME} {_HOUSE}{_END}|"
    r"(?:bought|buy|buying|sold|selling) (?:an?|our|my|their) (?:[\w-]+ )?place (?:in|by|near|at)\b|"
    rf"(?:moved?|moving) (?:back )?(?:in|into|to) (?:{_SOME} {_HOUSE}{_END}|"
    r"the (?:countryside|suburbs|coast|seaside|village|mountains)\b|(?:my|our) (?:parents|in-laws)\b|"
    rf"with (?:my|our|his|her)\b|together\b)|(?:moved?|moving) (?:house|home|abroad|back home){_END}|"
    rf"(?:got|get|getting) (?:re)?(?:married|engaged|divorced){_END}|"
    rf"(?:had|have|having|expect|expecting|adopted|adopt|adopting|fostered|fostering) "
    rf"(?:{_SOME} )?{_CHILD}{_END}|"
    rf"(?:adopted|adopt|adopting|rescued|got|get|getting|bought) {_SOME} {_PET}{_END}|"
    rf"(?:go|going|went|gone|off|flew|flying|fly|be|leave|leaving) on (?:{_SOME} )?{_HOLIDAY}{_END}|"
    rf"(?:booked|booking|spent|spend|spending|planned|planning) {_SOME} {_HOLIDAY}{_END})"
)
_GOES = (
    r"(?:moved?|moving|relocated?|relocating|emigrated?|emigrating|left|leaving|settled in)"
    r"(?: back| over| away)?(?: from [\w-]+(?: [\w-]+)?)? "
    r"(?:to )?(?P<place>\w.*)"
)
_TRAVELS = (
    r"(?:go|going|went|gone|fly|flying|flew|drive|driving|drove|travel|travell?ing|travell?ed) to (?P<place>\w.*)"
)
_OUR_DEED, _OUR_MOVE, _OUR_TRIP = (re.compile(_WE + what, re.IGNORECASE) for what in (_DEED, _GOES, _TRAVELS))
_THEIR_DEED, _THEIR_MOVE = (re.compile(_USER + what) for what in (_DEED, _GOES))
_WHY = re.compile(
    r",? \b(?:because|since|as|so|when|while|once|after|before|now that|although|though|but|and)\b(?= )|"
    r" for (?=(?:\w+ )?\w+'s (?:new )?job\b)"
)
_OWN_REASON = re.compile(
    r"^,? \b(?:because|since|as|so that|when|once|after|before|now that)(?: of)? "
    r"(?:I|I'm|I've|my|he|she|his|her|[A-Z][a-z]+)\b"
)
_CAREER = re.compile(
    r"\b(?:jobs?|promot(?:ed|ion)|position|studies|study|university|school|phd|degree|family|parents|mother|father|mum|"
    r"mom|dad)\b"
)
_OF_A_TEAM = re.compile(
    r"(?<!my )(?<!his )(?<!her )(?<!'s )\b(?:teams?|customers?|clients?|colleagues|employees|staff|department|"
    r"investors?|(?<!a )company|users|sprint|headquarters|hq)\b|\b[Oo]ur (?:new )?offices?\b"
)
_JOB = re.compile(r"\b(?:new |first |old |dream )?jobs?\b")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_PLACES = CITIES | frozenset(SIBLINGS["country"].split()) | words("sicily crete bali tuscany bavaria majorca")
_HERE = words("here there")
MOST_WORDS = 3
"""Of a place's name."""
MOST_CHARACTERS = 1_000


def is_household(clause: str, around: str = "") -> bool:
    """Whether "we" of a clause are people who live together, by what they do; `around` is what it stands in."""
    clause = clause[:MOST_CHARACTERS]
    what, why = _split(clause)
    if _OF_A_TEAM.search(clause) or _has_ops(what):
        return False
    if _OUR_DEED.search(what):
        return True
    move, trip = _OUR_MOVE.search(what), _OUR_TRIP.search(what)
    is_own = bool(_OWN_REASON.match(why)) and not _has_ops(why)
    is_for_one = is_own and bool(_CAREER.search(why))
    if move and is_for_one:
        return _is_place(move["place"]) or _may_be_place(move["place"])
    if move:
        is_told = is_own or not why or _is_only_when(why)
        return is_told and _is_place(move["place"]) and not _has_ops(around)
    return trip is not None and is_for_one and _is_place(trip["place"])


def is_of_a_home(content: str) -> bool:
    """Whether it tells, in the third person, what the user's household did."""
    return bool(_THEIR_DEED.match(content))


def without_reason(content: str) -> str:
    """Where the user moved or what their household did, without why: a job is a reason, and no matter of it."""
    what, _ = _split(content)
    return what if _THEIR_DEED.match(what) or _THEIR_MOVE.match(what) else content


def _split(clause: str) -> tuple[str, str]:
    """What is done, and why or when."""
    deed = _OUR_DEED.search(clause) or _THEIR_DEED.match(clause)
    match = _WHY.search(clause, deed.end() if deed else 0)
    return (clause[: match.start()], clause[match.start() :]) if match else (clause, "")


def _has_ops(text: str) -> bool:
    """What somebody does for a living is none of the jobs that a server runs."""
    return count_ops(_JOB.sub("", text)) > 0


def _is_only_when(why: str) -> bool:
    return why.strip(" ,").startswith(("when", "while", "once", "after", "before", "and", "but", "so"))


def _is_place(text: str) -> bool:
    """Whether it begins with a city or a country, not with "the Berlin office"."""
    found = list(_WORD.finditer(text[:80]))[:MOST_WORDS]
    names = [text[: found[count - 1].end()] for count in range(len(found), 0, -1)]
    name = next((name for name in names if name.lower() in _PLACES), "")
    return name[:1].isupper() and not re.match(r" (?:[A-Z]|office|team|region|site|data|server)", text[len(name) :])


def _may_be_place(text: str) -> bool:
    """A name that nothing tells of, such as a village's."""
    first = text.split(" ", 1)[0].strip(",.;")
    return first[:1].isupper() or first in _HERE

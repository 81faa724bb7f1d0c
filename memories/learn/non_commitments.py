"""Times at which nothing is to come.

Denied, called off, asked for, guessed at, under a condition, or moved to another day.

What is doubtful counts as to come: "I won't be in on Friday" and "Don't forget the gym tomorrow" are worth a word on
the day. A guess is not doubtful: who says "maybe" or "we could" has settled nothing.
"""

from __future__ import annotations

import re

from memories.language.dates.future import Coming

READ_AROUND = 300
"""So many characters to either side of a time are looked at."""
_NOT = r"(?:not|\w+n['’]t)"
_DO = (
    r"(?:go|going|fly|flying|travel|travell?ing|drive|driving|meet|meeting|have|having|take|taking|attend|attending|"
    r"come|coming|play|playing|visit|visiting|join|joining|leave|leaving|move|moving|swim|swimming|host|hosting)"
)
_BREAK = re.compile(
    r"[,;:—–()\n!?]|\.(?=\s)|\b(?:but|so|because|instead|although|though|while)\b"
    r"|\band (?=(?:I|we|he|she|they|it|you|my|our|then)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"\bno longer\b|\b{_NOT} {_DO}\b(?! (?:back )?to (?:forget|miss)\b)|\b{_NOT}\b.*\b(?:any ?more|after all)\b",
    re.IGNORECASE,
)
_AT_LAST = re.compile(r"^(?: \w+){0,3} (?:any ?more|after all)\b", re.IGNORECASE)
_NEGATED = re.compile(rf"\b{_NOT}\b", re.IGNORECASE)
_LIMIT = re.compile(r"(?:until|till|before|by)\b", re.IGNORECASE)
_CALLED_OFF = re.compile(
    r"(?<!\bnot )(?<!n['’]t )\b(?:cancell?ed|called off|fell through)\b"
    rf"|\b{_NOT} (?:happening|taking place)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:trip|visit|holidays?|vacation|journey|tour|wedding|party|dinner|concert|meeting)\b", re.IGNORECASE
)
_IS_OFF = re.compile(r" (?:is|are) off\b(?! (?:to|for|on|at|work|from)\b)", re.IGNORECASE)
"""Behind its day: a party is, and somebody has the day off."""
_NO_REMINDER = re.compile(
    rf"\b(?:{_NOT}|no need to|stop)(?: (?:have|need|want you) to)? remind|\bno reminder", re.IGNORECASE
)
_NEVER = re.compile(
    r"\b(?:remind (?:me|us)|remember) (?:never (?:again )?to|to never)\b|"
    r"\bremind (?:me|us) not to\b.*\b(?:ever|again|any ?more)\b",
    re.IGNORECASE,
)
"""No day to be reminded on."""
_AT_NO_TIME = re.compile(
    r"\b(?:never(?! mind\b| (?:be )?late\b| (?:miss|skip|fail|forget))|nie|niemals|jamais|nunca|jamás)\b", re.IGNORECASE
)
_NOT_ALL = r"(?! only\b| (?:miss|skip|fail|forget)| vergessen)"
_NO_HABIT = re.compile(
    rf"\b(?:{_NOT}|no|none|nobody|no one|nothing|neither|nor|hardly|rarely|seldom|avoid|stopped|nicht|kein\w*|niemand|"
    rf"pas|n(?:e |['’])\w+ (?:plus|personne)|nadie)\b{_NOT_ALL}",
    re.IGNORECASE,
)
"""Of what comes round, it tells when it does not: what is so on every Friday is known, and no event of that day."""
_DAY_WITHOUT = re.compile(
    rf"(?:\W*[\w'’]+){{0,3}}?\W*\b(?:{_NOT}|hardly|rarely|seldom|nobody|no one|nicht|kein\w*|niemand|pas|nadie)\b"
    + _NOT_ALL,
    re.IGNORECASE,
)
"""Behind a time that begins its clause: "On Fridays we don't deploy"."""
_IS_NONE = re.compile(
    r"\W*(?:nicht|kein\w*|pas|(?:(?:is|are|do|does|can|will) not|\w+n['’]t) (?:allowed|possible|permitted|ok(?:ay)?|"
    r"an option|work|happen|suit|take place))\b(?! nur\b)",
    re.IGNORECASE,
)
"""Behind any other: "Wir deployen freitags nicht", "meetings on Mondays don't work". "Physio every Monday is not cheap"
and "with no equipment" tell how it is."""
_REMINDER = re.compile(r"\b(?:remind|remember|forget|vergiss|vergesst|vergessen|oublie\w*|olvid\w+)\b", re.IGNORECASE)
_LEAD = r"(?:(?:and|so|but|hey|hi|ok|okay|also|oh)\b,? )*"
_ASKS = re.compile(
    rf"{_LEAD}(?:is|are|am|was|were|isn['’]t|aren['’]t|do|does|don['’]t|doesn['’]t|did|has|have|will(?! you)|shall|"
    r"should|(?:can|could|may|must) (?:I|we))\b",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(rf"{_LEAD}(?:what|when|which|who|where|why|how)\b", re.IGNORECASE)
_INVERTED = re.compile(rf"{_LEAD}(?:(?:is|are) there|am I|do (?:I|we)|does (?:he|she|it|the|my))\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|our|I['’]m|we['’]re|tell you|told you|mention)\b", re.IGNORECASE)
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|(?:I|we|they|he|she|one) could|thinking (?:of|about)|toying with|considering|"
    r"wondering|options? (?:is|are|would be)|what if|vielleicht|eventuell|womöglich|wir könnten|könnten wir|peut-être|"
    r"on pourrait|quiz[áa]s?|tal vez|podríamos)\b",
    re.IGNORECASE,
)
_GUESS_BEHIND = re.compile(
    r"[\s,;:(–—-]*(?:maybe|perhaps|possibly|vielleicht|peut-être|quiz[áa]s?|tal vez|(?:I'm |but )*"
    r"not (?:yet )?(?:sure|certain|decided|fixed)(?: yet)?|tb[cd]|to be (?:confirmed|decided)|undecided)"
    r"\s*(?:$|[.!;)\n])",
    re.IGNORECASE,
)
"""Behind the time, and nothing else in its sentence: "not sure what to wear" doubts another thing."""
_CONDITION = re.compile(r"\b(?:if|unless|in case|whether)\b", re.IGNORECASE)
_HAS_VERB = re.compile(r"(?:\b(?:is|are|am|have|has|got|going)|['’](?:s|m|re|ve))\b", re.IGNORECASE)
_MOVED = r"(?:moved|rescheduled|postponed|pushed|shifted|brought forward|delayed)"
_IS_MOVED = re.compile(rf"[^.;!?]{{0,40}}?\b(?:is|are|was|were|been|be|got|gets) (?:\w+ )?{_MOVED}\b", re.IGNORECASE)
_MOVED_BEFORE = re.compile(rf"\b{_MOVED}\b[^.;!?]*$", re.IGNORECASE)
_FROM_DAY = re.compile(rf"\b{_MOVED}\b[^.;!?\n]{{0,60}}?( from [\w' ]{{2,30}}?)(?= (?:to|until|till) )", re.IGNORECASE)
_TO_ANOTHER = re.compile(r"(?:['’]s)?(?: [\w'’-]+){0,4}? (?:to|until|till)\b", re.IGNORECASE)


def is_no_commitment(text: str, coming: Coming, sentence: str) -> bool:
    """Return whether the sentence says that nothing is at the time, or does not know."""
    start, end = coming.start, coming.end
    before, behind = text[max(0, start - READ_AROUND) : start], text[end : end + READ_AROUND]
    lead, trail = before[last_break(before) :], behind[: first_break(behind)]
    if _HAS_VERB.search(lead):
        trail = trail.partition(" and ")[0]
    # "has been moved from today to Friday".
    is_moved = _IS_MOVED.match(behind) or (_MOVED_BEFORE.search(before) and _TO_ANOTHER.match(behind))
    if is_moved or is_asked(sentence):
        return True
    if _CONDITION.search(lead) or _NO_REMINDER.search(lead) or _NEVER.search(f"{lead}{text[start:end]}{trail}"):
        return True
    if _REMINDER.search(lead):
        return False
    is_alternative = re.match(r"\s*(?:or|oder|ou|o)\b", lead, re.IGNORECASE)
    # "maybe we go on Friday", "on Friday, not sure yet". `lead` goes back to where its clause begins, or another
    # one to which it is the alternative: ", or on Monday".
    if _GUESS.search(before[-len(sentence) :] if is_alternative else lead) or _GUESS_BEHIND.match(behind):
        return True
    if _IS_OFF.match(trail) and _EVENT.search(lead):
        return True
    if is_no_habit(lead, trail, is_round=bool(coming.rule)):
        return True
    # "Not until Friday" tells of Friday.
    is_denied = not _LIMIT.match(text[start:end].lstrip()) and (
        _DENIED.search(lead) or (_NEGATED.search(lead) and _AT_LAST.match(trail))
    )
    return bool(is_denied or _CALLED_OFF.search(lead) or _CALLED_OFF.search(trail))


def without_old_days(text: str) -> str:
    """Blank the day from which something was moved: "moved from today to Friday" is no stretch."""
    return _FROM_DAY.sub(lambda match: match.group()[: -len(match[1])] + " " * len(match[1]), text)


def is_asked(sentence: str) -> bool:
    """Return whether it asks what is to come.

    A request ("Can you book a table?") and a question about one's own plans ("What do I wear to my exam?") do not.
    """
    if not sentence.rstrip(" \"'”’)").endswith("?"):
        return bool(_INVERTED.match(sentence))
    if _ASKS.match(sentence):
        return not re.search(r"\b(?:tell|told|mention|remind)\b", sentence, re.IGNORECASE)
    return bool(_ASKS_WHAT.match(sentence)) and not _OWN.search(sentence)


def is_no_habit(lead: str, trail: str, *, is_round: bool) -> bool:
    """Return whether it says "We never deploy on Fridays"; of a single day only "never" says so."""
    before, behind = lead.rpartition(" and ")[2], trail.partition(" and ")[0]
    if _AT_NO_TIME.search(before) or _AT_NO_TIME.search(behind):
        return True
    of_day = _IS_NONE if re.search(r"\w", before) else _DAY_WITHOUT
    return is_round and bool(_NO_HABIT.search(before) or of_day.match(behind))


def last_break(text: str) -> int:
    return max((match.end() for match in _BREAK.finditer(text)), default=0)


def first_break(text: str) -> int:
    match = _BREAK.search(text)
    return match.start() if match else len(text)

"""A short answer and its question as one statement: "What time do you get up?" "6:30" → "User gets up at 6:30"."""

from __future__ import annotations

import re

from memories.providers.llm.rules.verbs import is_base, is_finite, third_person
from memories.providers.llm.rules.words import PREPOSITIONS

MAX_ANSWER_WORDS = 18
MAX_QUESTION_CHARACTERS = 140
_YES = re.compile(r"^(?:yes|yeah|yep|yup|ya|aye|sure|it is|i am|i do|we do)\b[\s,.!;:–—-]*", re.IGNORECASE)
_NO = re.compile(r"^(?:no|nope|nah|not really|never)\b[\s,.!;:–—-]*", re.IGNORECASE)
_EMPTY = re.compile(
    r"^(?:yes|yeah|yep|no|nope|nah|ok|okay|sure|thanks|thank you|later|maybe|please|pls|do|do it|go on|perfect|great|"
    r"right|fine|either|both|dunno|i don't know|no idea|idk|not yet|not now|good|grand|y|n|ya|done|sold|first|second|"
    r"none|nothing|same|never mind|nvm)?$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:shall|should|can|could|will|would|may) i\b|\b(?:want|would you like|do you want|need|like) (?:me|help|to|a|"
    r"another|anything|something|some)\b|\b(?:anything else|what else|what's next|ready|sore|how (?:did|was|are|is)|"
    r"which one|or shall)\b|^(?:and|what|which)\?$",
    re.IGNORECASE,
)
_ASKS_WHICH = re.compile(
    r"^(?:and )?(?:which (?!one)|what (?:\w+ ){0,3}should|how (?:many|much|old|long|often)|where|when|who)\b",
    re.IGNORECASE,
)
_YOUR = re.compile(r"^(?:and )?(?:what|who|where|when)(?:'s| is| are) your (.{2,60})$", re.IGNORECASE)
_DO_YOU = re.compile(
    r"^(?:and )?(what time|when|where|how often|how many [\w ]{2,30}?|how much [\w ]{2,20}?|(?:which|what) "
    r"[\w ]{2,30}?) do you ((?:usually|normally|always|currently|mostly|typically) )?(\w+)\b(.{0,60})$",
    re.IGNORECASE,
)
_ARE_YOU = re.compile(r"^(?:and )?are you (?!there|ok|sure|ready|still|done|able|free)(.{2,60})$", re.IGNORECASE)
_HAVE_YOU = re.compile(r"^(?:and )?do you (have|own|eat|drink|drive|speak|use|live|work) (.{2,60})$", re.IGNORECASE)
_PLACED = {"what time": "at", "where": "in"}


def is_offer(question: str) -> bool:
    """Whether a question only asks what to do next, so that its answer tells nothing."""
    return bool(_OFFER.search(question)) and not _ASKS_WHICH.match(question)


def is_empty(answer: str) -> bool:
    return bool(_EMPTY.match(answer.strip(" ,.!")))


def join_answer(question: str, answer: str) -> str:
    """The statement; where the grammar is not certain, the answer with the question beside it."""
    return (
        state_answer(question, answer) or f'User on "{_short(question.strip(" ?"))}": {_YES.sub("", answer) or answer}'
    )


def state_answer(question: str, answer: str) -> str:
    """The statement that both make; "" where the grammar is not certain."""
    question = question.strip(" ?")
    spoken = _YES.sub("", answer)
    return _about_yours(question, spoken) or _about_doing(question, spoken) or _about_being(question, answer)


def _about_yours(question: str, answer: str) -> str:
    match = _YOUR.match(question)
    if not match or not answer or _has_verb(answer):
        return ""
    return f"User's {match[1]} {'are' if question.lower().startswith(('what are', 'who are')) else 'is'} {answer}"


def _about_doing(question: str, answer: str) -> str:
    match = _DO_YOU.match(question)
    if not match or not is_base(match[3].lower()) or not answer or _has_verb(answer):
        return ""
    said = f"User {match[2] or ''}{third_person(match[3].lower())}{match[4]}"
    asked = match[1].lower()
    if answer.split(" ", 1)[0].lower() in PREPOSITIONS:
        return f"{said} {answer}"
    if asked.startswith(("which", "what ", "how many", "how much")) and asked != "what time":
        return f"User {match[2] or ''}{third_person(match[3].lower())} {answer}{match[4]}"
    return f"{said} {_PLACED.get(asked, '')} {answer}".replace("  ", " ")


def _about_being(question: str, answer: str) -> str:
    is_yes, is_no = bool(_YES.match(answer)), bool(_NO.match(answer))
    are, have = _ARE_YOU.match(question), _HAVE_YOU.match(question)
    if is_yes == is_no or not (are or have) or " or " in question:
        return ""
    rest = _NO.sub("", answer) if is_no else _YES.sub("", answer)
    more = f", {rest}" if rest else ""
    if are:
        return f"User is {'not ' if is_no else ''}{are[1]}{more}"
    if have:
        said = f"does not {have[1].lower()}" if is_no else third_person(have[1].lower())
        return f"User {said} {have[2]}{more}"
    return ""


def _has_verb(text: str) -> bool:
    return any(is_finite(word) for word in re.findall(r"[\w']+", text.lower())[1:6])


def _short(question: str) -> str:
    return question if len(question) <= MAX_QUESTION_CHARACTERS else "… " + question[-MAX_QUESTION_CHARACTERS:]

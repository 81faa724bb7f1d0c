"""A short answer and its question as one statement: "What time do you get up?" "6:30" → "I get up at 6:30".

In the words of who answers. Where the grammar is not certain there is no statement.
"""

from __future__ import annotations

import re

from memories.providers.llm.rules.asked import Asked, read_question
from memories.providers.llm.rules.evidence import count_ops
from memories.providers.llm.rules.mentions import verb_at
from memories.providers.llm.rules.verbs import base_of_gerund, is_base, past, plural_form, third_person
from memories.providers.llm.rules.words import ADVERBS, CONTRACTED, DETERMINERS, KIN, PREPOSITIONS, SUBORDINATORS
from memories.text.temporal.words import NUMBERS
from memories.text.wordlist import words

MAX_ANSWER_WORDS = 26
LONG_ANSWER = 6
"""Words; what follows in the question goes before a longer one."""
_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|ya|aye|sure|it is|they are|he is|she is|there is|there are|i am|i do|we do|"
    r"it does|correct|exactly|indeed|of course)\b[\s,.!;:–—-]*",
    re.IGNORECASE,
)
_NO = re.compile(r"^(?:no|nope|nah|not (?:really|yet|so far)|never)\b[\s,.!;:–—-]*", re.IGNORECASE)
_TALK = re.compile(r"^(?:well|oh|um+|uh|hm+|so|ah|just|actually)\b[\s,]+", re.IGNORECASE)
_APPROVED = re.compile(
    r" (?:is|are|would be|will be|works|will do|'s) (?:fine|good|great|ok|okay|best|perfect|enough)$", re.I
)
_CLOCK = re.compile(
    r"^(?:\d{1,2}[:.]\d\d|\d{1,2} ?[ap]m|noon|midnight|half (?:past )?\w+|quarter (?:past|to) \w+)\b", re.IGNORECASE
)
_DAY = re.compile(
    r"^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|the \d+(?:st|nd|rd|th)|\d+(?:st|nd|rd|th)|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w* \d)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"(?:the|our|my|this|that) |[\w-]*[A-Z\d_./-][\w-]*$")
_BARE_NUMBER = re.compile(
    r"^(?:(?:about|around|roughly|some|over|under|nearly|almost|at (?:least|most)|up to|exactly|only) )?"
    r"(?:\d[\d.,]*|[a-z]+(?:-[a-z]+)?)$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:not (?:before|until|while|during|in|on)|only (?:after|when|if|once)|after|once|when) \w", re.I
)
"""What an answer to a bare proposal begins with: "Add an index now?" "Not before the upgrade"."""
_OWNING = words("use have run drive own")
"""What one does with it, it is one's own: "which database do you use" is "my database"."""
_LONG_TIME = re.compile(
    r"^(?:(?:19|20)\d\d|(?:january|february|march|april|may|june|july|august|september|october|november|december))\b",
    re.IGNORECASE,
)
_STILL_NOT = re.compile(r"\b(am|are|is|do|does|have|has) not still\b", re.IGNORECASE)
_YES_AND_NO = re.compile(r"\w (?:yes|no)(?:,|$)", re.IGNORECASE)
"""Of several things one is so and another is not: "flights yes, hotel no"."""
_HOW_OFTEN = re.compile(r"(?:always|often|usually|mostly|sometimes|rarely|hardly ever)", re.IGNORECASE)
_OFTEN = re.compile(r" (?:often|a lot|much|usually|ever|regularly)$", re.IGNORECASE)
_NOW = re.compile(r" (?:now|today|already|right away)\W*$", re.IGNORECASE)
_IT_IS = re.compile(r"^(?:it|that|this)(?:['’]s| is| would be) (?!(?:in|on|at|not|a|an|the|my|our)\b)", re.IGNORECASE)
_PLACES = words("here there home abroad outside upstairs downstairs everywhere nowhere online")
_TOWARDS = words("go move travel fly send put ship write point deploy push upload back commute")
_UNNAMED = words("one ones is are was were does did")
"""Who asks "which ones?" or "what is?" names nothing."""
_OBJECTS = words("me him her it them us")
_PLURAL_SUBJECTS = words("i we they you these those")
_HAVE_TO_BE = {"is": "am", "are": "am", "was": "was", "were": "was"}


def join_answer(question: str, answer: str, by_user: bool = False) -> str:
    """The statement that both make; "" where there is none. `by_user` tells who asks."""
    if _CONDITION.match(answer) and is_base(question.split(" ", 1)[0].lower()):
        return f"{_NOW.sub('', question).strip(' ?.')}: {answer}"
    asked = read_question(question, by_user)
    if asked and ((by_user and not _asks_about_here(asked)) or asked.noun.lower() in _UNNAMED):
        return ""
    said = _lowered(_APPROVED.sub("", _TALK.sub("", answer).strip(" ,.…")))
    if not asked or not said or len(said.split()) > MAX_ANSWER_WORDS:
        return ""
    if not asked.wh:
        return _about_yes_or_no(asked, said)
    said = _IT_IS.sub("", said) if asked.is_be else said
    if _YES.match(said) or _NO.match(said) or _has_verb(said):
        return ""
    return _about_subject(asked, said) if not asked.auxiliary else _about_rest(asked, said)


def _asks_about_here(asked: Asked) -> bool:
    """Whether a user wants to know a figure, a place or a time of something that is theirs, not of the world."""
    is_definite = (
        bool(_DEFINITE.match(asked.subject)) or asked.subject.lower() in {"we", "it"} or count_ops(asked.subject) > 0
    )
    return is_definite and asked.wh.startswith(("how ", "when", "where", "which", "what time", "why"))


def _lowered(answer: str) -> str:
    """Small words lose the capital that they had at the beginning of an answer."""
    first = answer.split(" ", 1)[0].lower()
    is_small = first in PREPOSITIONS | DETERMINERS | ADVERBS | SUBORDINATORS or first in NUMBERS
    return answer[:1].lower() + answer[1:] if is_small else answer


def _about_yes_or_no(asked: Asked, answer: str) -> str:
    is_yes, is_no = bool(_YES.match(answer)), bool(_NO.match(answer))
    rest = (_NO if is_no else _YES).sub("", answer).strip(" ,.")
    more = f", {rest}" if rest and not _has_verb(rest) else ""
    if is_yes or is_no:
        said = _STILL_NOT.sub(r"\1 no longer", _declare(asked, is_no)) if is_no else _declare(asked, is_no)
        return "" if asked.alternatives else f"{said}{more}"
    if _HOW_OFTEN.fullmatch(answer):
        return _how_often(asked, answer)
    is_plain = asked.is_be or asked.auxiliary in {"do", "does"} or asked.alternatives or not asked.verb
    if _has_verb(answer) or not is_plain or _YES_AND_NO.search(answer):
        return ""
    if re.search(r"\b(?:any|anything|anyone|anybody)\b", f"{asked.subject} {asked.rest}"):
        return ""
    if asked.alternatives and base_of_gerund(answer.lower()) and base_of_gerund(asked.verb.lower()):
        return _chosen(asked, answer)
    if asked.alternatives or (asked.is_be and asked.subject != "there" and not asked.verb):
        return f"{_declare(asked, False, with_rest=False)} {_owned(asked, answer)}"
    return f"{_declare(asked, False)}: {answer}"


def _how_often(asked: Asked, answer: str) -> str:
    """ "Does he cook often?" "Always": he always cooks."""
    if asked.auxiliary not in {"do", "does"} or not asked.verb:
        return ""
    said = _declare(asked, False).removeprefix(asked.subject).strip()
    return f"{asked.subject} {answer.lower()} {_OFTEN.sub('', said)}"


def _chosen(asked: Asked, answer: str) -> str:
    """ "Are you renting the flat or buying it?" "Buying": it is the flat that is bought."""
    first, _, second = asked.rest.partition(" or ")
    is_same = second.endswith((" it", " them", " one"))
    be = _HAVE_TO_BE[asked.auxiliary] if asked.subject == "I" else asked.auxiliary
    return f"{asked.subject} {be} {answer}{f' {first}' if is_same else ''}"


def _owned(asked: Asked, answer: str) -> str:
    """ "Is Ann your wife?" "Partner": "my partner"."""
    owner, _, rest = asked.rest.partition(" ")
    is_theirs = owner in {"my", "our"} and rest in KIN and re.split(r"[ ,]", answer, maxsplit=1)[0].lower() in KIN
    return f"{owner} {answer}" if is_theirs else answer


def _about_subject(asked: Asked, answer: str) -> str:
    """ "Who owns it?" → "Ann owns it", "Which car?" → "The car is …", "How many people are in?" → "4 people are in"."""
    is_many = _is_plural(answer)
    if not asked.verb:
        return f"The {asked.noun} is {answer}" if asked.wh in {"what", "which"} else ""
    verb = plural_form(asked.verb) if is_many and not asked.noun else asked.verb
    if asked.wh.startswith("how"):
        noun = f" {asked.noun}" if asked.noun and _BARE_NUMBER.match(answer) else ""
        return f"{answer}{noun} {verb} {asked.rest}"
    if asked.noun:
        return f"The {asked.noun} that {verb} {asked.rest} is {answer}"
    return f"{answer} {verb} {asked.rest}"


def _is_plural(answer: str) -> bool:
    """Whether those who are named are many: "Ann and Bob", "late payouts, I hear"."""
    head = re.split(r",| in | on | at | from | who | of ", answer, maxsplit=1)[0].strip().lower()
    return (
        " and " in answer or " plus " in answer or (head.endswith("s") and not head.endswith(("ss", "us", "is", "'s")))
    )


def _about_rest(asked: Asked, answer: str) -> str:
    said, wh = _declare(asked, False, with_rest=False), asked.wh
    if wh in {"what kind of", "what sort of"} or (asked.noun and wh in {"what", "which", "whose"}):
        return _about_noun(asked, answer, said)
    if wh.startswith(("how many", "how much")):
        noun = f" {asked.noun}" if asked.noun and _BARE_NUMBER.match(answer) else ""
        return _with_rest(f"{said} {answer}{noun}", asked.rest)
    if wh == "how old":
        return f"{said} {answer}{' years old' if _BARE_NUMBER.match(answer) else ''}"
    if wh in {"what", "who", "how big", "how large", "how tall", "how high", "how long", "how far", "how heavy"}:
        return _with_object(said, asked, answer)
    if wh == "why":
        is_told = answer.lower().startswith(("because", "to ", "for ", "due to", "so that"))
        if not is_told and len(answer.split()) > LONG_ANSWER:
            return ""
        reason = answer if is_told else f"because of {answer}"
        return f"{_with_rest(said, asked.rest)} {reason}"
    if wh == "how" and not _opens_with_preposition(answer):
        return ""
    if wh == "where" and _ends_with_preposition(asked.rest):
        last = asked.rest.rpartition(" ")[2]
        return f"{_with_rest(said, asked.rest)} {answer.removeprefix(last).strip()}"
    return f"{_with_rest(said, asked.rest)} {_lead(asked, answer)}{answer}"


def _about_noun(asked: Asked, answer: str, said: str) -> str:
    """ "Which quota should it get?" → "The quota it should get is …", "What breed is Rex?" → "Rex's breed is …"."""
    noun = asked.noun or asked.wh.split()[1]
    if asked.is_be and not asked.verb:
        if asked.rest:
            return f"{said} {asked.rest} {answer}" if _ends_with_preposition(asked.rest) else ""
        owner = "my" if asked.subject == "I" else f"{asked.subject}'s"
        is_pointed_at = asked.subject.lower() in {"it", "that", "this"}
        return f"The {noun} is {answer}" if is_pointed_at else f"{owner} {noun} is {answer}"
    if asked.auxiliary in {"do", "does", "did"} and not asked.rest and not asked.wh.endswith("of"):
        owner = {"I": "my", "we": "our"}.get(asked.subject, "")
        is_one = asked.noun and not noun.endswith("s") and " and " not in answer
        return f"{owner} {noun} is {answer}" if owner and is_one and asked.verb in _OWNING else f"{said} {answer}"
    return f"The {noun} {_with_rest(said, asked.rest)} is {answer}"


def _with_object(said: str, asked: Asked, answer: str) -> str:
    if not asked.rest or _ends_with_preposition(asked.rest) or asked.rest.split()[0].lower() in _OBJECTS:
        return f"{_with_rest(said, asked.rest)} {answer}"
    if len(answer.split()) > LONG_ANSWER and asked.wh in {"what", "who"}:
        return f"{_with_rest(said, asked.rest)}: {answer}"
    return f"{said} {answer} {asked.rest}"


def _declare(asked: Asked, is_no: bool, with_rest: bool = True) -> str:
    """The question as a statement: "do you eat fish" → "I eat fish", "I do not eat fish"."""
    subject, auxiliary, verb = asked.subject, asked.auxiliary, asked.verb
    is_many = subject.lower().rpartition(" ")[2] in _PLURAL_SUBJECTS or " and " in subject
    is_plural = is_many or auxiliary in {"do", "are"}
    if auxiliary in _HAVE_TO_BE and subject == "I":
        auxiliary = _HAVE_TO_BE[auxiliary]
    if not verb and auxiliary == "will":
        return subject.strip()
    if is_no:
        said = f"{subject} {auxiliary} not {verb}"
    elif auxiliary in {"do", "does"}:
        said = f"{subject} {_agreeing(verb, is_plural)}"
    elif auxiliary == "did":
        said = f"{subject} {past(verb)}"
    else:
        said = f"{subject} {auxiliary} {verb}"
    return _with_rest(said.strip(), asked.rest if with_rest else "")


def _agreeing(verb: str, is_plural: bool) -> str:
    *before, last = verb.split()
    return " ".join([*before, last if is_plural else third_person(last)])


def _with_rest(said: str, rest: str) -> str:
    return f"{said} {rest}".strip()


def _lead(asked: Asked, answer: str) -> str:
    """The preposition that a bare time or place wants."""
    first = answer.split(" ", 1)[0].lower()
    if first in PREPOSITIONS | SUBORDINATORS or first in _PLACES:
        return ""
    if asked.wh in {"when", "what time"}:
        if _CLOCK.match(answer) or asked.wh == "what time":
            return "at "
        return "on " if _DAY.match(answer) else "in " if _LONG_TIME.match(answer) else ""
    if asked.wh != "where":
        return ""
    return "to " if asked.verb.lower() in _TOWARDS else "in " if answer[:1].isupper() else ""


def _opens_with_preposition(answer: str) -> bool:
    return answer.split(" ", 1)[0].lower() in PREPOSITIONS


def _ends_with_preposition(text: str) -> bool:
    return text.rsplit(" ", 1)[-1].lower() in PREPOSITIONS


def _has_verb(text: str) -> bool:
    """Whether an answer is a sentence of its own; a verb behind "who" or "that" belongs to a name in it."""
    found = re.findall(r"[\w']+|[^\w\s]", text.lower())
    if found and found[0] in CONTRACTED | {"you're"}:
        return True
    end = next((at for at, word in enumerate(found) if word in SUBORDINATORS), len(found))
    return verb_at(found[:end]) < end

"""Answers, corrections and agreements as statements of their own: "What time do you get up?" "6:30"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.language.dates.words import NUMBERS
from memories.language.extract.clauses import mend, strip_leads
from memories.language.extract.evidence import count_ops
from memories.language.extract.lexicon import (
    ADJECTIVES,
    ADVERBS,
    CONTRACTED,
    DETERMINERS,
    KIN,
    NOUNS_IN_ING,
    PREPOSITIONS,
    SUBORDINATORS,
    base_of_gerund,
    is_base,
    is_finite,
    is_participle,
    is_past,
    past,
    plural_form,
    third_person,
)
from memories.language.extract.mentions import verb_at
from memories.language.extract.prose import REQUEST, Sentence, put_right
from memories.language.wordlists import words

MAX_CHARACTERS = 160
_LEAD = re.compile(
    r"^(?:(?:(?:and|so|but|then|now|ok|okay|right|sure|thanks|last one|out of interest)[,:;.!]?|"
    r"(?!what|who|whe|how|do|is|are|can)[A-Za-z][\w ]{1,30}[,:;.!]) )+"
    r"(?=(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will|would|has|have|"
    r"had)\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",? (?:so (?:that )?(?:I|we)\b|because\b|if (?:I|you) (?:may|know|don't)\b|do you (?:know|think|remember)$|"
    r"do you see$|btw$|(?:right )?now$|today$|currently$|already$|yet$|by the way$|if any$|then$|roughly$|exactly$|"
    r"please$|again$|at the moment$|these days$).*$",
    re.IGNORECASE,
)
_TWO_QUESTIONS = re.compile(
    r",? and (?:what|which|who|when|where|why|how|is|are|do|does|did|can|should|will) (?!I\b)", re.IGNORECASE
)
_CONTRACTED = re.compile(r"^(what|who|when|where|how|why)'(s|re|d|ll)\b", re.IGNORECASE)
_WRITTEN = {"s": " is", "re": " are", "d": " did", "ll": " will"}
_WH = re.compile(
    r"^(?P<wh>what time|what kind of|what sort of|how (?:many|much|old|long|often|big|large|far|tall|high|fast|late|"
    r"heavy|soon)|what|which|who|whose|when|where|why|how)\b ?",
    re.IGNORECASE,
)
_WH_BEHIND = re.compile(
    r"^(?P<said>(?:\S+ ){2,12}?)(?P<wh>how (?:often|long|far|late|soon)|when|where|why|what time)$", re.IGNORECASE
)
_AUXILIARY = words("is are was were am do does did can could should will would must has have had shall may might")
_HAVE = words("has have had")
_BE = words("is are was were am")
_PRONOUNS = words("you i we they he she it this that there these those everyone everybody anyone anybody somebody")
_TURNED = {
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "i": "assistant",
    "me": "assistant",
    "my": "assistant's",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """`wh` is in lower case, "" of a yes-or-no question; `noun` is what "which" and "how many" ask for.

    Without an `auxiliary` the wh-word itself is the subject ("who owns it", verb "owns") or there is no verb at all.
    `verb` is as it stands: a base form behind "do" and modals, a participle or nothing behind "be".
    """

    wh: str
    noun: str
    auxiliary: str
    subject: str
    verb: str
    rest: str

    @property
    def is_be(self) -> bool:
        return self.auxiliary in _BE

    @property
    def alternatives(self) -> bool:
        return " or " in f" {self.rest} "


def read_question(text: str, by_user: bool = False) -> Asked | None:
    """None for what is no question of one clause. `by_user` tells who asks: users say "my" of their own things."""
    text = _LEAD.sub("", _TAIL.sub("", mend(text).strip(" ?.!")))
    if _TWO_QUESTIONS.search(text):
        return None
    asked_for = REQUEST.sub("", text)
    if asked_for != text:
        text = f"what is {asked_for}"
    text = _CONTRACTED.sub(lambda found: found[1] + _WRITTEN[found[2].lower()], text)
    if not text or len(text) > MAX_CHARACTERS:
        return None
    text = text if by_user else _turned(text)
    match = _WH.match(text)
    wh = match["wh"].lower() if match else ""
    said = text[match.end() :].split() if match else text.split()
    at = _auxiliary_at(said, bool(match))
    if at is None:
        if wh:
            return _without_subject(wh, said)
        behind = _WH_BEHIND.match(text)  # "the gauges report how often"
        return _declared(said) or (Asked(behind["wh"].lower(), "", "will", behind["said"], "", "") if behind else None)
    noun = " ".join(said[:at])
    if noun and not wh.startswith(("what", "which", "how many", "how much", "whose")):
        return None
    subject, verb, rest = _around_verb(said[at + 1 :], said[at].lower(), wh)
    if not subject:
        return _without_subject(wh, said) if wh else None
    rest = rest if " or " in f" {rest} " else rest.partition(",")[0]
    return Asked(wh, noun, said[at].lower(), subject, verb, rest)


def _turned(text: str) -> str:
    """In the words of who answers; "you" behind an auxiliary is the subject."""
    out: list[str] = []
    before = ""
    for word in text.split():
        bare = word.rstrip(",.;:")
        low = bare.lower()
        is_subject = not before or before in _AUXILIARY
        turned = ("I" if is_subject else "me") if low == "you" else _TURNED.get(low, bare)
        out.append(turned + word[len(bare) :])
        before = low
    return " ".join(out)


def _auxiliary_at(said: list[str], has_wh: bool) -> int | None:
    """Return where the first auxiliary stands: at once, or behind the noun that "which" asks for."""
    for at, word in enumerate(said[: 5 if has_wh else 1]):
        if word.lower() in _AUXILIARY:
            return at
        if word.lower() in PREPOSITIONS - {"of"}:
            return None
    return None


def _without_subject(wh: str, said: list[str]) -> Asked | None:
    """Read "who owns it", "which team owns it", "what drives churn", "how many people are in"; else "which car"."""
    for at, word in enumerate(said[:5]):
        is_verb = word.lower() in _BE or (is_finite(word.lower()) and not is_base(word.lower()))
        if is_verb and (at > 0 or wh in {"who", "what", "which"}) and at + 1 < len(said):
            return Asked(wh, " ".join(said[:at]), "", "", word, " ".join(said[at + 1 :]))
    return Asked(wh, " ".join(said), "", "", "", "") if 0 < len(said) <= 4 else None


def _declared(said: list[str]) -> Asked | None:
    """Read "Piotr is my husband", which only its mark makes a question."""
    at = next((at for at, word in enumerate(said[:5]) if at and word.lower() in _BE), 0)
    if not at or said[0].lower() in PREPOSITIONS | {"this", "that", "it", "there"}:
        return None
    return Asked("", "", said[at].lower(), " ".join(said[:at]), "", " ".join(said[at + 1 :]))


def _around_verb(said: list[str], auxiliary: str, wh: str) -> tuple[str, str, str]:
    """Return the subject, its verb and what follows; the subject is "" where "who is on …" has none."""
    if not said or (said[0].lower() in PREPOSITIONS):
        return "", "", ""
    at = _verb_at(said, auxiliary, wh)
    subject = " ".join(said[:at])
    is_verb = at < len(said) and (auxiliary not in _BE or _is_doing(said[at]))
    if auxiliary not in _BE and not is_verb:
        return "", "", ""
    if auxiliary in _HAVE and wh in {"who", "what", "which"} and not is_participle(said[at].lower()):
        return "", "", ""
    if auxiliary in _HAVE and not is_participle(said[at].lower()):
        is_verb = False
    return subject, said[at] if is_verb else "", " ".join(said[at + is_verb :])


def _is_doing(word: str) -> bool:
    low = word.lower()
    return low not in NOUNS_IN_ING and (bool(base_of_gerund(low)) or is_participle(low))


def _verb_at(said: list[str], auxiliary: str, wh: str) -> int:
    """Return where the subject ends."""
    first = said[0].lower()
    is_determined = first in DETERMINERS or first.endswith(("'s", "s'"))
    if first in _PRONOUNS:
        return 2 if len(said) > 2 and said[1].lower() in ADVERBS and auxiliary not in _BE else 1
    if auxiliary in _BE:
        return _predicate_at(said, bool(wh) and wh not in {"why", "how"}, is_determined)
    for at in range(1 + is_determined, len(said)):
        low = said[at].lower()
        fits = is_participle(low) or low == "been" if auxiliary in _HAVE else is_base(low) or low == "be"
        following = said[at + 1].lower() if at + 1 < len(said) else ""
        if fits and not (is_base(following) and following not in DETERMINERS | PREPOSITIONS):
            return at
    return len(said)


_STATES = words("due open closed over ready free available up")
"""What stands behind a subject that is asked for: "when is my rent · due"."""


def _predicate_at(said: list[str], has_wh: bool, is_determined: bool) -> int:
    """Behind "is the next board meeting" nothing follows; "is the trainer · coming", "is Stas · my son"."""
    for at in range(1 + is_determined, len(said)):
        low = said[at].lower()
        if _is_doing(low) or low in {"not", "so", "too", "still", "already", "about", "called"}:
            return at
        if low in _STATES and at == len(said) - 1:
            return at
        if not has_wh and (low in DETERMINERS | PREPOSITIONS | ADJECTIVES or low in ADVERBS):
            return at
    return len(said) if has_wh else max(1, len(said) - 1)


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
_ANSWER_LEAD = re.compile(
    r"^(?:it|that|this)(?:['’]s| is| would be) (?!(?:in|on|at|not|a|an|the|my|our)\b)", re.IGNORECASE
)
_PLACES = words("here there home abroad outside upstairs downstairs everywhere nowhere online")
_TOWARDS = words("go move travel fly send put ship write point deploy push upload back commute")
_UNNAMED = words("one ones is are was were does did")
"""Who asks "which ones?" or "what is?" names nothing."""
_OBJECTS = words("me him her it them us")
_PLURAL_SUBJECTS = words("i we they you these those")
_HAVE_TO_BE = {"is": "am", "are": "am", "was": "was", "were": "was"}


_TELLS_OF_BEFORE = re.compile(
    r"[a-z]+ (?:a|an|the|my|our|his|her|their|it|him|them|me|us|up|out|off|back|to|rid)\b", re.IGNORECASE
)
"""If its first word is a verb of the past: "rose wine" need not be one."""


def join_answer(question: str, answer: str, by_user: bool = False) -> str:
    """Return the statement that both make; "" where there is none. `by_user` tells who asks."""
    if _CONDITION.match(answer) and is_base(question.split(" ", 1)[0].lower()):
        return f"{_NOW.sub('', question).strip(' ?.')}: {answer}"
    asked = read_question(question, by_user)
    if not asked or (by_user and not _asks_about_here(asked)) or asked.noun.lower() in _UNNAMED:
        return ""
    said = _APPROVED.sub("", _TALK.sub("", answer).strip(" ,.…"))
    if not said or len(said.split()) > MAX_ANSWER_WORDS:
        return ""
    first = said.split(" ", 1)[0].lower()
    if _TELLS_OF_BEFORE.match(said) and is_past(first) and not (asked.is_be and is_participle(first)):
        return ""  # "Do you have pets?" "had a rabbit": the verb is another
    if first in PREPOSITIONS | DETERMINERS | ADVERBS | SUBORDINATORS or first in NUMBERS:
        said = said[:1].lower() + said[1:]  # the capital that it had at the beginning of the answer
    if not asked.wh:
        return _about_yes_or_no(asked, said)
    said = _ANSWER_LEAD.sub("", said) if asked.is_be else said
    if _YES.match(said) or _NO.match(said) or _has_verb(said):
        return ""
    return _about_subject(asked, said) if not asked.auxiliary else _about_rest(asked, said)


def _asks_about_here(asked: Asked) -> bool:
    """Tell whether a user wants to know a figure, a place or a time of something that is theirs, not of the world."""
    is_definite = (
        bool(_DEFINITE.match(asked.subject)) or asked.subject.lower() in {"we", "it"} or count_ops(asked.subject) > 0
    )
    return is_definite and asked.wh.startswith(("how ", "when", "where", "which", "what time", "why"))


def _about_yes_or_no(asked: Asked, answer: str) -> str:
    is_yes, is_no = bool(_YES.match(answer)), bool(_NO.match(answer))
    rest = (_NO if is_no else _YES).sub("", answer).strip(" ,.")
    more = f", {rest}" if rest and not _has_verb(rest) else ""
    if is_yes or is_no:
        said = _STILL_NOT.sub(r"\1 no longer", _declare(asked, is_no)) if is_no else _declare(asked, is_no)
        return "" if asked.alternatives else f"{said}{more}"
    if _HOW_OFTEN.fullmatch(answer):
        # "Does he cook often?" "Always": he always cooks.
        if asked.auxiliary not in {"do", "does"} or not asked.verb:
            return ""
        said = _declare(asked, False).removeprefix(asked.subject).strip()
        return f"{asked.subject} {answer.lower()} {_OFTEN.sub('', said)}"
    is_plain = asked.is_be or asked.auxiliary in {"do", "does"} or asked.alternatives or not asked.verb
    if _has_verb(answer) or not is_plain or _YES_AND_NO.search(answer):
        return ""
    if re.search(r"\b(?:any|anything|anyone|anybody)\b", f"{asked.subject} {asked.rest}"):
        return ""
    if asked.alternatives and base_of_gerund(answer.lower()) and base_of_gerund(asked.verb.lower()):
        # "Are you renting the flat or buying it?" "Buying": it is the flat that is bought.
        first, _, second = asked.rest.partition(" or ")
        is_same = second.endswith((" it", " them", " one"))
        be = _HAVE_TO_BE[asked.auxiliary] if asked.subject == "I" else asked.auxiliary
        return f"{asked.subject} {be} {answer}{f' {first}' if is_same else ''}"
    if asked.alternatives or (asked.is_be and asked.subject != "there" and not asked.verb):
        return f"{_declare(asked, False, with_rest=False)} {_owned(asked, answer)}"
    return f"{_declare(asked, False)}: {answer}"


def _owned(asked: Asked, answer: str) -> str:
    """Answer with whose it is: "Is Ann your wife?" "Partner": "my partner"."""
    owner, _, rest = asked.rest.partition(" ")
    is_theirs = owner in {"my", "our"} and rest in KIN and re.split(r"[ ,]", answer, maxsplit=1)[0].lower() in KIN
    return f"{owner} {answer}" if is_theirs else answer


def _about_subject(asked: Asked, answer: str) -> str:
    """Answer about the subject: "Who owns it?" → "Ann owns it", "How many people are in?" → "4 people are in"."""
    # Those who are named are many: "Ann and Bob", "late payouts, I hear".
    head = re.split(r",| in | on | at | from | who | of ", answer, maxsplit=1)[0].strip().lower()
    is_plural = head.endswith("s") and not head.endswith(("ss", "us", "is", "'s"))
    is_many = is_plural or " and " in answer or " plus " in answer
    if not asked.verb:
        return f"The {asked.noun} is {answer}" if asked.wh in {"what", "which"} else ""
    verb = plural_form(asked.verb) if is_many and not asked.noun else asked.verb
    if asked.wh.startswith("how"):
        noun = f" {asked.noun}" if asked.noun and _BARE_NUMBER.match(answer) else ""
        return f"{answer}{noun} {verb} {asked.rest}"
    if asked.noun:
        return f"The {asked.noun} that {verb} {asked.rest} is {answer}"
    return f"{answer} {verb} {asked.rest}"


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
    if wh == "how" and answer.split(" ", 1)[0].lower() not in PREPOSITIONS:
        return ""
    if wh == "where" and _ends_with_preposition(asked.rest):
        last = asked.rest.rpartition(" ")[2]
        return f"{_with_rest(said, asked.rest)} {answer.removeprefix(last).strip()}"
    return f"{_with_rest(said, asked.rest)} {_lead(asked, answer)}{answer}"


def _about_noun(asked: Asked, answer: str, said: str) -> str:
    """Answer about a noun: "Which quota should it get?" → "The quota it should get is …"."""
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
    """Return the question as a statement: "do you eat fish" → "I eat fish", "I do not eat fish"."""
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
        *before, last = verb.split()
        said = f"{subject} {' '.join([*before, last if is_plural else third_person(last)])}"
    elif auxiliary == "did":
        said = f"{subject} {past(verb)}"
    else:
        said = f"{subject} {auxiliary} {verb}"
    return _with_rest(said.strip(), asked.rest if with_rest else "")


def _with_rest(said: str, rest: str) -> str:
    return f"{said} {rest}".strip()


def _lead(asked: Asked, answer: str) -> str:
    """Return the preposition that a bare time or place wants."""
    first = answer.split(" ", 1)[0].lower()
    if first in PREPOSITIONS | SUBORDINATORS or first in _PLACES:
        return ""
    if asked.wh in {"when", "what time"}:
        if asked.wh == "what time":
            return "at "
        return "on " if _DAY.match(answer) else "in " if _LONG_TIME.match(answer) else ""
    if asked.wh != "where":
        return ""
    return "to " if asked.verb.lower() in _TOWARDS else "in " if answer[:1].isupper() else ""


def _ends_with_preposition(text: str) -> bool:
    return text.rsplit(" ", 1)[-1].lower() in PREPOSITIONS


def _has_verb(text: str) -> bool:
    """Tell whether an answer is a sentence of its own; a verb behind "who" or "that" belongs to a name in it."""
    found = re.findall(r"[\w']+|[^\w\s]", text.lower())
    if found and found[0] in CONTRACTED | {"you're"}:
        return True
    end = next((at for at, word in enumerate(found) if word in SUBORDINATORS), len(found))
    return verb_at(found[:end]) < end


_NOT_BUT = re.compile(
    r"^(?:it(?:'s| is) )?not (?:an? |the |on |in |at )?([^,;]{1,60}?)\s*(?:,|;|–|—| - | but)\s*(?:but |it'?s |"
    r"rather )?([^,;]{1,60})$",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(
    r"^(?:it(?:'s| is| was)|that(?:'s| is)|I said|I asked for|I meant|"
    r"I wanted)?\s*([^,;]{1,60}?)\s*,\s*(?:and )?not (?:an? |the |on |in |at )?([^,;]{1,60})$",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(
    r"^(?:(?:ah|oh|no|nope|nah|god),? )*not (?P<wrong>(?:the|his|her|their|my|our|that|an?|on|in|at|to) [^,;]{2,40})"
    r"(?:,.*)?$",
    re.IGNORECASE,
)
_BUT_THIS = re.compile(
    r"^(?:but )?(?P<right>(?:the|his|her|their|my|our|an?|on|in|at|to) [^,;]{2,40})(?:,? (?P<how>always|only))?$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"^use ([^,;]{2,60}) instead$", re.IGNORECASE)
_OPENERS = re.compile(
    r"^(?:ok|okay|got it|noted|sure|so|right|great|understood|I have|I've noted|I see)[,:.!]?\s+", re.IGNORECASE
)
_FIRST = re.compile(r"\b(?:I|my|we|our)\b", re.IGNORECASE)
_IS_SAID = re.compile(r"^(?:I|we|you|my|the \w+ \w+)\b|\b(?:is|are|was|were|have|has|use|uses|want|like|prefer)\b")
"""Of what is right: more than a word for another."""
_WORDY = re.compile(r"\b(?:I|you|that|this|it|sure|mean|way)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Correction:
    """`is_own` tells that it is in the words of who corrects: the first person is theirs."""

    text: str
    is_own: bool = False


def read_correction(
    clause: str, earlier: Sequence[str], own: Sequence[str] = (), own_before: Sequence[str] = ()
) -> Correction | None:
    """Return the corrected statement.

    `earlier` are the sentences of all messages before, `own_before` those of the same speaker among them, `own`
    those of this message.

    Where the wrong word stands in one of them, that sentence is set right; else only the two words are opposed.
    """
    said = _oppose(clause, [*earlier, *own])
    if said:
        return Correction(said, is_own=bool(_FIRST.search(said)))
    plain = [_OPENERS.sub("", sentence) for sentence in earlier[-4:]]
    told = ["" if _WORDY.search(sentence) or _FIRST.search(sentence) else sentence for sentence in plain]
    for sentences, is_own in ((own, True), (told, False), (own_before, True)):
        meant = put_right(clause, sentences)
        if meant:
            bare = strip_leads(meant.text).text
            text = bare if is_own else _of_user(bare)
            # Who says "Mondays" and then "Mondays and Fridays" takes nothing back.
            is_more = re.search(rf"\b{re.escape(meant.wrong)}\b", meant.text, re.IGNORECASE)
            return Correction(text if is_more else f"{text}, not {meant.wrong}", is_own)
    return None


def read_choice(sentence: str, before: str) -> str:
    """Read "Not the work one." and "The family calendar, always." as one: what is right, and what is not; else ""."""
    wrong, right = _NOT_THIS.match(before), _BUT_THIS.match(sentence)
    if not wrong or not right or _contains_verb(wrong["wrong"]) or _contains_verb(right["right"]):
        return ""
    return f"{right['how'].capitalize() + ' ' if right['how'] else ''}{right['right']}, not {wrong['wrong']}"


def denies(sentence: str) -> bool:
    """Tell whether it only says what is not meant: "ah no, not his work one"."""
    match = _NOT_THIS.match(sentence)
    return match is not None and not _contains_verb(match["wrong"])


def _contains_verb(phrase: str) -> bool:
    found = phrase.lower().split()
    return verb_at(found) < len(found)


def _of_user(text: str) -> str:
    said = re.sub(r"\byour\b", "User's", text, flags=re.IGNORECASE)
    return said[:1].upper() + said[1:]


def _oppose(clause: str, earlier: Sequence[str]) -> str | None:
    for pattern, wrong_at, right_at in ((_NOT_BUT, 1, 2), (_BUT_NOT, 2, 1)):
        match = pattern.match(clause)
        if match:
            wrong, right = match[wrong_at].strip(), match[right_at].strip()
            if not wrong or not right or len(right.split()) > 8 or _WORDY.search(wrong) or _IS_SAID.search(right):
                return None
            return _set_right(wrong, right, earlier) or f"It is {right}, not {wrong}"
    match = _INSTEAD.match(clause)
    return f"Use {match[1]}" if match else None


def _set_right(wrong: str, right: str, earlier: Sequence[str]) -> str | None:
    pattern = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", re.IGNORECASE)
    for sentence in reversed(earlier[-12:]):
        if len(sentence) < 160 and pattern.search(sentence) and len(sentence.split()) > 2:
            bare = _OPENERS.sub("", sentence)
            if _WORDY.search(bare) or "?" in bare:
                continue
            said = pattern.sub(lambda _: right, bare, count=1)
            return f"{said[:1].upper()}{said[1:]}, not {wrong}"
    return None


_ACCEPTED = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|yep|yup|y|ya|good|great|perfect|fine|sure|right|agreed|nice|cool|alright|please|then|and|"
    r"sounds good|makes sense|lgtm|deal|go ahead|"
    r"go for it)\b[\s,.!;:–—-]*)*(?:(?:let's )?(?:do|fix|use|take|keep|make|go with|ship) "
    r"(?:it|that|this|so)\b|do so\b|agreed\b|approved\b|lgtm\b|go ahead\b|go for it\b|deal\b|make (?:it|that) so\b|"
    r"(?:yes|y|ya|yep|yeah)(?: please| pls)?\W*$)",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"^(?:(?:yes|yeah|ok|okay|sure),? )?(?:both|all(?: of (?:it|them))?|do both)(?:,? please)?\W*$", re.IGNORECASE
)
_OFFERED = re.compile(
    r"^(?:(?:shall|should|may|can) I|(?:do you )?want me to|ok(?:ay)? to) (?P<what>(?:set|change|switch|move|pin|raise|"
    r"lower|limit|disable|enable|replace|rename|upgrade|migrate|drop|keep|use|schedule|store|rotate)\b.{8,160})$",
    re.IGNORECASE,
)
"""What would hold for long; what is only done once is no decision."""
_REFUSED = re.compile(r"\b(?:no|not|don't|nope|but|later|wait|instead|rather)\b", re.IGNORECASE)
_WOULD = re.compile(
    r"^(?:then |so |here )?I(?:'d| would)(?: suggest| recommend| propose)?,? (?:that we |to )?(.+)$", re.IGNORECASE
)
_LABELLED = re.compile(r"^(?:proposal|suggestion|proposed[\w ]{0,20}|plan|recommendation): (.+)$", re.IGNORECASE)
_WOULD_HELP = re.compile(
    r"^((?:\w+ing) .{8,160}?) would (?:clear|fix|solve|help|cost|avoid|prevent|save|cut|stop|"
    r"be (?:enough|safer|better))\b(.*)$"
)
_GOOD_FOR_IT = re.compile(r"^(.{8,160}?) (?:would|should) (?:work|do|be (?:enough|fine))\b.*$", re.IGNORECASE)
MAX_AGREEMENT_CHARACTERS = 240


def read_agreement(answer: str, proposed: Sequence[Sentence]) -> str:
    """Return the decision as a statement; "" if nothing was proposed or it was not accepted."""
    if not (_ACCEPTED.match(answer) or _BOTH.match(answer)) or _REFUSED.search(answer[:60]):
        return ""
    for sentence in reversed(proposed[-4:]):
        found = _read_proposal(sentence.text) if len(sentence.text) <= MAX_AGREEMENT_CHARACTERS else ""
        if found:
            return found
    return ""


def _read_proposal(text: str) -> str:
    match = _WOULD.match(text)
    if match:
        first = match[1].split(" ", 1)[0].lower()
        return f"Agreed to {match[1]}" if is_base(first) else f"Agreed on {match[1]}"
    offered = _OFFERED.match(text)
    if offered and count_ops(text):
        return f"Agreed to {offered['what']}"
    match = _LABELLED.match(text) or _WOULD_HELP.match(text) or _GOOD_FOR_IT.match(text)
    return f"Agreed: {match[1]}" if match else ""

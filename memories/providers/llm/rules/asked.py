"""The parts of a question: "Which quota should a new namespace get?" → which quota · should · a new namespace · get.

It is read in the words of who answers: "your" becomes "my", "you" becomes "I".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.providers.llm.rules.leads import mend
from memories.providers.llm.rules.verbs import base_of_gerund, is_base, is_finite, is_participle
from memories.providers.llm.rules.words import ADJECTIVES, ADVERBS, DETERMINERS, NOUNS_IN_ING, PREPOSITIONS
from memories.text.wordlist import words

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
    r"do you see$|(?:right )?now$|today$|currently$|already$|yet$|by the way$|if any$|then$|roughly$|exactly$|please$|"
    r"again$|at the moment$|these days$).*$",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"^(?:(?:please|then|and|so|also),? )*(?:(?:(?:could|can|would|will) you (?:(?:please|kindly|also|just) )*|please )"
    r"(?:tell|give|send|share|confirm|provide|name|let)(?: (?:me|us))?(?: (?:have|know|with))?|would you mind "
    r"(?:telling|giving|sending|sharing|confirming)(?: (?:me|us))?|(?:may|can|could) (?:I|we) (?:please )?"
    r"(?:have|get|ask(?: for)?|know)) (?=(?:your|the|its|his|her|their)\b)",
    re.IGNORECASE,
)
"""A question in the form of a request, before what is asked for: "could you tell me your order number"."""
_TWO_THINGS = re.compile(r"\band\b|,|\bor\b", re.IGNORECASE)
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
    "your": "my", "yours": "mine", "yourself": "myself", "i": "assistant", "me": "assistant", "my": "assistant's",
}  # fmt: skip


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
    if asked_for != text and not _TWO_THINGS.search(asked_for):
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
        return _without_subject(wh, said) if wh else _declared(said) or _asked_behind(text)
    noun = " ".join(said[:at])
    if noun and not (wh.startswith(("what", "which", "how many", "how much", "whose"))):
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
    """Where the first auxiliary stands: at once, or behind the noun that "which" asks for."""
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


def _asked_behind(text: str) -> Asked | None:
    """Read "the gauges report how often"."""
    match = _WH_BEHIND.match(text)
    return Asked(match["wh"].lower(), "", "will", match["said"], "", "") if match else None


def _declared(said: list[str]) -> Asked | None:
    """Read "Piotr is my husband", which only its mark makes a question."""
    at = next((at for at, word in enumerate(said[:5]) if at and word.lower() in _BE), 0)
    if not at or said[0].lower() in PREPOSITIONS | {"this", "that", "it", "there"}:
        return None
    return Asked("", "", said[at].lower(), " ".join(said[:at]), "", " ".join(said[at + 1 :]))


def _around_verb(said: list[str], auxiliary: str, wh: str) -> tuple[str, str, str]:
    """The subject, its verb and what follows; the subject is "" where "who is on …" has none."""
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
    """Where the subject ends."""
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


def _predicate_at(said: list[str], has_wh: bool, is_determined: bool) -> int:
    """Behind "is the next board meeting" nothing follows; "is the trainer · coming", "is Stas · my son"."""
    for at in range(1 + is_determined, len(said)):
        low = said[at].lower()
        if _is_doing(low) or low in {"not", "so", "too", "still", "already", "about", "called"}:
            return at
        if not has_wh and (low in DETERMINERS | PREPOSITIONS | ADJECTIVES or low in ADVERBS):
            return at
    return len(said) if has_wh else max(1, len(said) - 1)

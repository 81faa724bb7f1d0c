"""A message as units: clauses that stand alone, with their answers, pronouns and names made plain.

They are still in the words of who said them: "I", "we", "you".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memories.providers.llm.rules.answers import MAX_ANSWER_WORDS, join_answer
from memories.providers.llm.rules.clauses import has_verb, split_clauses
from memories.providers.llm.rules.conversation import Conversation
from memories.providers.llm.rules.cutting import cut_reply, cut_run_on, is_cut_short, join_topic, part_from_reason
from memories.providers.llm.rules.evidence import UNREAL
from memories.providers.llm.rules.habits import begin_with_who
from memories.providers.llm.rules.instructions import without_courtesy
from memories.providers.llm.rules.leads import mend, strip_leads, strip_report
from memories.providers.llm.rules.mentions import MAX_PHRASE, read_mentions
from memories.providers.llm.rules.offers import is_empty, is_offer
from memories.providers.llm.rules.people import with_owner
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.questions import is_open, opens_question
from memories.providers.llm.rules.slips import mend_slip
from memories.providers.llm.rules.standing import name_then, name_there, only_judges
from memories.text.messages import USER
from memories.text.temporal.words import PLAIN_MONTHS, PLAIN_WEEKDAYS
from memories.text.wordlist import words

MAX_WORDS = 45
MAX_UNITS = 120
"""Of one message: who tells more at once pastes it."""
MAX_JOINED_WORDS = 30
MAX_LEANING_WORDS = 8
ASIDE = "; "
"""Between an answer and a clause that leans on it."""
_UNFINISHED = re.compile(
    r"^(?!.*\b(?:just|please|always|never|don't|do not) [a-z]+ )(?:when|if|while|whenever|although|though|unless|until|"
    r"before(?! that\b)|after|no of course|or|not (?:if|that))\b[^,]*$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^(?:I (?:can|could|would|will|may|might|don't know|think|hope)|I'll|I'd|let me|want me|"
    r"you (?:can|could|may|might|"
    r"should|would|'d)|you'd|happy to|here(?:'s| are| is| it is| they are| you (?:are|go))"
    r"|feel free|subject|dear|hi|hello)\b",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(r"^let's (?:look|see|try|start|talk|do|go on|check|think|wait|leave|get)\b", re.IGNORECASE)
_NO_MORE = re.compile(
    r"^(?:maybe|perhaps|probably|good (?:night|morning|evening)|bye|see you|\w+ (?:it|them)(?= (?:on|in|to|down)\b)|"
    r"(?:ask|ping|tag|cc) (?:me|us)(?= there\b))\b",
    re.IGNORECASE,
)
_TALK = words("well oh hm hmm huh so right wait wow ok okay thanks cheers sorry ha haha good great fine")
_PLAIN_WORD = re.compile(r"(?<![\w./-])[^\W\d_]{2,}(?![\w/(=]|[.-]\w)")
_DAY = re.compile(
    rf"\b(?:{'|'.join(PLAIN_MONTHS | PLAIN_WEEKDAYS | {'april', 'june'})}|\d{{1,2}}(?:st|nd|rd|th))\b", re.IGNORECASE
)
_WHEN = re.compile(
    rf"\b(?:(?:today|tonight|tomorrow|next|this|on|at|the|in|of|{'|'.join(PLAIN_MONTHS | PLAIN_WEEKDAYS)}|april|june|"
    r"morning|afternoon|evening|night|noon|week|month|year|day|from|to|until|till|by|o'clock|[ap]m)\b|\d+(?:st|nd|rd|th|"
    r"[ap]m)?)|[\W_]",
    re.IGNORECASE,
)
"""What tells a day and an hour, and nothing else."""
_SOON = re.compile(r"\b(?:today|tonight|tomorrow|\d{1,2}(?::\d\d|\s?[ap]m))\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\bwho(?:'s|'ll)?\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?(?=$|,)")
_FIGURE = re.compile(r"(?:(?:it|that)(?:['’]s| is) )?#?(?:[A-Z]+-)?\d[\d.:,/-]*$", re.IGNORECASE)
_ASKS_WHAT_IT_IS = re.compile(r"(?:is|are|was|were) (?!there\b)(?!.*\bany)", re.IGNORECASE)
_AGREED = re.compile(r"(?:yes|yeah|yep|no|nope)\b", re.IGNORECASE)
_LOW_WORD = re.compile(r"(?<![\w./@`-])[a-zà-ÿ]{3,}(?![\w/@`-]|\.\w)")


@dataclass(slots=True)
class Unit:
    """A clause. `answers` is the question it answers; `is_joined` tells that `text` says both."""

    text: str
    sentence: Sentence
    is_asking: bool = False
    is_fragment: bool = False
    is_hedged: bool = False
    is_correction: bool = False
    is_told_again: bool = False
    is_regretted: bool = False
    """Whether who is answered owned up."""
    is_whole: bool = True
    """Whether no pronoun at its beginning is in doubt."""
    answers: str = ""
    is_joined: bool = False
    said: str = ""
    """The text with "it" behind its verb as it was said: by this its matter is weighed."""

    @property
    def sets_right(self) -> bool:
        """Whether it corrects what somebody else said or did."""
        return self.is_correction or self.is_told_again or self.is_regretted

    @property
    def is_resolved(self) -> bool:
        return self.is_whole and (self.is_joined or bool(self.answers) or not self.is_fragment)


def _is_plan(text: str) -> bool:
    """Whether a day or an hour is named, and what is then: "Dentist tomorrow at 3pm" is, "Friday at 10" is not."""
    is_dated = _DAY.search(text) or _SOON.search(text)
    return bool(is_dated) and len(_WHEN.sub("", text)) > len("am")


def read_units(sentences: Sequence[Sentence], role: str, heard: Conversation) -> list[Unit]:
    """The units of a message, each tied to what was said before it."""
    by_user = role == USER
    units: list[Unit] = []
    aside: list[tuple[int, str, bool]] = []  # what is asked or exclaimed tells nothing, but may be meant by "it"
    for sentence in sentences[:MAX_UNITS]:
        bare = strip_leads(part_from_reason(mend_slip(mend(sentence.text))))
        asks = is_open(sentence, bare.text)
        whole = begin_with_who(bare.text) if by_user else bare.text
        is_reply = not units and not asks and heard.is_asked_by_other(role)
        for clause in _cut(whole, asks, by_user, heard.asked if is_reply and not is_offer(heard.asked) else ""):
            inner = strip_leads(clause)
            text = inner.text.strip(" ,;:-–—")
            text = text if is_reply else join_topic(text)
            text = with_owner(begin_with_who(without_courtesy(text))) if by_user else text
            if not _is_told(text, by_user) or (sentence.is_question and text == whole):
                if sentence.is_question or len(text.split()) <= MAX_PHRASE:
                    aside.append((len(units), text, sentence.is_question))
                continue
            is_fragment = not has_verb(text) and not text.lower().startswith(("i ", "i'm", "we "))
            is_plan = units and units[-1].sentence is not sentence and _is_plan(text)
            if is_fragment and not asks and units and not is_plan and _fits_behind(text, units[-1]):
                # A day that is named behind a full stop is not told in the tense of what stands before it.
                is_apart = units[-1].sentence is not sentence and bool(_DAY.search(text))
                units[-1].text += (ASIDE if is_apart else ", ") + text
                continue
            units.append(
                Unit(
                    text,
                    sentence,
                    asks,
                    is_fragment,
                    is_hedged=bare.is_hedged or inner.is_hedged,
                    # Who says "no" to a question corrects nobody.
                    is_correction=(bare.is_correction and not is_reply) or inner.is_correction,
                    is_told_again=bare.is_told_again,
                )
            )
    previous = ""
    for place, unit in enumerate(units):
        for _, text, is_question in (one for one in aside if one[0] == place):
            heard.antecedents.note(text, by_user, is_question)
        _tie(unit, previous, role, heard)
        previous = unit.text
    return units


def _fits_behind(text: str, unit: Unit) -> bool:
    """Whether a fragment is one more word on the clause before, which says something: no errand, guess or wish."""
    is_more = not _NO_MORE.match(text) and not only_judges(unit.text)
    return is_more and len(text.split()) + len(unit.text.split()) <= MAX_JOINED_WORDS


def _cut(text: str, asks: bool, by_user: bool, asked: str) -> Iterator[str]:
    """Its clauses; of a reply what answers the question first: "Postgres, my brother runs it" is two."""
    for answer, rest in cut_reply(text) if asked else ():
        if join_answer(asked, answer, by_user=not by_user):
            behind = strip_leads(rest).text
            if _leans(behind):
                yield f"{answer}{ASIDE}{behind}"
                return
            yield answer
            text = rest
            break
    for part in split_clauses(text if by_user else strip_report(text), asks):
        yield from cut_run_on(part)


def _leans(clause: str) -> bool:
    """Whether a clause names nothing that it does something to, so that it says little by itself: "we moved in May"."""
    is_short = len(clause.split()) <= MAX_LEANING_WORDS
    return is_short and all(mention.is_subject for mention in read_mentions(clause))


def _is_told(text: str, by_user: bool) -> bool:
    """Whether a clause tells something: not what asks, offers, imagines, breaks off or has no words."""
    if not text or len(text.split()) > MAX_WORDS or text.lower() in _TALK:
        return False
    if len(_PLAIN_WORD.findall(text)) < (1 if by_user else 2) and not (by_user and _FIGURE.match(text)):
        return False
    if UNREAL.search(text) or opens_question(text) or _UNFINISHED.match(text) or is_cut_short(text):
        return False
    return not (_PROPOSAL if by_user else _OFFER).match(text)


def _tie(unit: Unit, previous: str, role: str, heard: Conversation) -> None:
    """To the question it answers, to what its pronouns mean, and to names as they were written elsewhere."""
    by_user = role == USER
    unit.text = _with_names(unit.text, heard.names)
    name: re.Match[str] | None = None
    if not previous and heard.is_asked_by_other(role) and _is_answer(unit, by_user, heard):
        answer, aside, behind = unit.text.partition(ASIDE)
        agreed = _AGREED.match(unit.sentence.text) if unit.is_fragment and _ASKS_WHAT_IT_IS.match(heard.asked) else None
        said = f"{agreed[0]}, {answer}" if agreed and not _AGREED.match(answer) else answer
        joined = join_answer(heard.asked, said, by_user=not by_user)
        unit.answers, unit.is_joined, unit.text = heard.asked, bool(joined), (joined or answer) + aside + behind
        name = _NAME.match(answer) if _ASKS_WHO.search(heard.asked) else None
    resolved = heard.antecedents.resolve(unit.text, previous)
    unit.text = name_then(name_there(resolved.text, previous), previous)
    unit.is_whole, unit.said = resolved.is_whole, resolved.said
    heard.antecedents.note(unit.text, by_user)
    if name:
        heard.antecedents.people.meet(name[0])


def _is_answer(unit: Unit, by_user: bool, heard: Conversation) -> bool:
    """Only short ones and those without a verb of their own: the rest stands alone."""
    if unit.is_asking or is_offer(heard.asked) or len(unit.text.split()) > MAX_ANSWER_WORDS:
        return False
    answer = unit.text.partition(ASIDE)[0]
    return unit.is_fragment or bool(join_answer(heard.asked, answer, by_user=not by_user)) or is_empty(answer)


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """Names as they were written elsewhere, by those who write none in capitals."""
    return _LOW_WORD.sub(lambda match: names.get(match.group(), match.group()), text) if names else text

"""A conversation as it is read: who "we" are, what pronouns mean, and its messages cut into units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.language.dates.words import PLAIN_MONTHS, PLAIN_WEEKDAYS
from memories.language.extract.answers import MAX_ANSWER_WORDS, join_answer
from memories.language.extract.clauses import (
    cut_reply,
    cut_run_on,
    has_verb,
    is_cut_short,
    join_topic,
    mend,
    split_clauses,
    strip_leads,
    strip_report,
)
from memories.language.extract.coreference import Antecedents, with_owner
from memories.language.extract.decisions import without_courtesy
from memories.language.extract.evidence import UNREAL, count_ops
from memories.language.extract.lexicon import (
    ADVERBS,
    HOME,
    KIN,
    MODALS,
    POINTERS,
    PREPOSITIONS,
    SUBORDINATORS,
    is_base,
    is_finite,
    is_past,
)
from memories.language.extract.mentions import MAX_PHRASE, name_then, name_there, only_judges, read_mentions
from memories.language.extract.prose import (
    Sentence,
    is_empty,
    is_made_up,
    is_offer,
    is_open,
    is_role_play,
    mend_slip,
    opens_question,
)
from memories.language.messages import ASSISTANT, USER, Message
from memories.language.wordlists import words

_AT_HOME = KIN | HOME | POINTERS["relationships"] | POINTERS["hobbies"] | POINTERS["health"]
_AT_WORK = POINTERS["work"]
_COLLEAGUES = words("""
    boss manager supervisor mentor colleague colleagues coworker coworkers co-worker cofounder co-founder advisor
    trainer coach tutor professor
    """)
_OF_A_FAMILY = (KIN - _COLLEAGUES) | words("""
    kitchen bathroom bedroom bedrooms hallway cellar basement attic loft balcony terrace patio garden lawn garage flat
    apartment house home household cabin cottage landlady rent mortgage dishwasher fridge freezer oven stove boiler
    radiator heating
    sofa couch bed beds washer dryer wedding honeymoon marriage anniversary holiday holidays nanny babysitter cleaner
    gardener plumber vet pediatrician paediatrician midwife kindergarten nursery daycare playgroup
    car caravan campervan camper bike bikes tent pension piano
    grandchildren in-laws dog cat cats dogs puppy chickens hens guinea-pigs neighbour neighbours neighbor neighbors
    """)
_OF_A_FAMILY_BY_TWO = re.compile(
    r"(?:washing machine|living room|dining room|gas meter|front door|back door|dog walker|solar panels?|heat pump)$"
)
_OF_A_TEAM = _COLLEAGUES | words("""
    standup stand-up sprint sprints retro roadmap backlog cto ceo cfo coo team teams office offices customer customers
    client clients company warehouse intern interns investor investors employee employees staff department hr app apps
    api apis service services page pages website invoices product products competitor competitors agency users style
    """)
_OF_EITHER = words("""
    router nas network printer hub sensor sensors thermostat switch alarm lock wifi
    """)
"""At home and at work there is one."""
_OWNED = re.compile(r"\b[Oo]ur (?P<owned>[\w'-]+(?: [\w'-]+){0,3})")
_LIVING = re.compile(
    r"\bwe(?:'ve| have)?(?: (?:all|both|now|still|also|usually|always|only|just))* (?:live|lived|sleep|slept|rent|"
    r"rented|(?:get|got) married|moved in(?= (?:only|just|last|this|together|here|with|\d)|$)|"
    r"met (?:at (?!\d|the office\b)|through |in \d)|adopted|bought (?:an?|our) (?:[\w-]+ )?(?:house|flat|home|car))|"
    r"\bwe(?:'re| are|'ve| have)? (?:go|going|went|gone|been) on (?:holiday|vacation|honeymoon)|\bwe both\b|"
    r"\bwe(?:'re| are)(?: (?:all|both|now|still|also|just))* (?:living|renting|married|"
    r"getting married|expecting a baby)\b",
    re.IGNORECASE,
)
_ONES_OWN_JOB = re.compile(
    r"\b(?:[Mm]y|[Hh]is|[Hh]er|[A-Z][a-z]+'s|wife's|husband's|partner's) "
    r"(?:new |old |first |current |dream |last )?jobs?\b|"
    r"\b(?:gets?|got|getting|finds?|found|starts?|started|starting|lost|takes?|took|offered|accepted|landed) "
    r"(?:an?|his|her|my|another) (?:(?:new|better|good|great|full-time|part-time|permanent|second) )?"
    r"(?:job|position)(?: offer)?\b|"
    r"\b(?:[Mm]y|an|[Hh]is|[Hh]er) (?:(?:job|first|second|final) )?interviews? (?:at|with|for)\b"
)
"""Who got a job somewhere, or hopes to, tells nothing of a team, and least of all of what a server runs."""
_WORD = re.compile(r"[\w'-]+")
_ENDS = ADVERBS | MODALS | PREPOSITIONS | SUBORDINATORS | words("and or but")


def weigh_ours(clause: str) -> int:
    """Above 0 where "we" are people who work together, below where they live together, 0 where nothing tells.

    What "our" stands before decides, by its last word: "our kitchen", but "our kitchen app".
    """
    if _LIVING.search(clause):
        return -1
    match = _OWNED.search(clause)
    if not match:
        return work_in(clause)
    # The words that a noun is made of, up to its verb; what is somebody's is told by who that is.
    owned: list[str] = []
    for word in match["owned"].lower().split():
        if owned and (word in _ENDS or (is_finite(word) and word not in _OF_A_FAMILY | _OF_A_TEAM)):
            break
        owned.append(word)
        if word.endswith("'s"):
            break
    behind = clause[match.start("owned") + len(" ".join(owned)) :]
    weight = None if behind.startswith(" of ") else _weigh_owned(owned)
    return work_in(clause[: match.start()] + behind) if weight is None else weight


def _weigh_owned(owned: list[str]) -> int | None:
    """Return what "our kitchen app" tells of "we", as `weigh_ours` does; None where a home and a team have one."""
    last = owned[-1].removesuffix("'s")
    if _OF_A_FAMILY_BY_TWO.search(" ".join(owned)) or last in _OF_A_FAMILY:
        return -1 if count_ops(" ".join(owned[:-1])) == 0 and not _AT_WORK.intersection(owned[:-1]) else 1
    if last in _OF_EITHER:
        return None
    return 1 if last in _OF_A_TEAM or count_ops(last) else None


def work_in(text: str) -> int:
    """Return words of work less words of home."""
    text = _ONES_OWN_JOB.sub("", text)
    found = [word.rstrip("'") for word in _WORD.findall(text.lower())]
    found = [word for word in found if word not in _OF_EITHER]
    return count_ops(" ".join(found)) + sum((word in _AT_WORK) - (word in _AT_HOME) for word in found)


HEAD = 2_000
"""Characters of a message that tell whether it is fiction."""
NEAR = 3
"""Sentences of a message whose things may still be meant in the next."""
TEAM, SPEAKER = "the team", "User"
_NAME = re.compile(r"(?<=[a-zé,'(;] )[A-Z][a-zà-ÿ]{2,}\b")


class Conversation:
    """Grows message by message."""

    def __init__(self) -> None:
        self.earlier: list[str] = []
        self.own: list[str] = []
        """What the user said of it."""
        self.asked = ""
        self.before = self.role = ""
        self.proposed: list[Sentence] = []
        self.names: dict[str, str] = {}
        self.antecedents = Antecedents()
        self._in_role = self._made_up = False
        self._work = 0

    @property
    def previous(self) -> str:
        return self.earlier[-1] if self.earlier else ""

    def is_meant(self, message: Message) -> bool:
        """Tell whether a message is told in earnest; a role is played until somebody ends it."""
        head = message.content[:HEAD]
        if message.role == USER:
            return not is_role_play(head, self._in_role) and not is_made_up(head)
        return message.role == ASSISTANT and not self._in_role

    def is_asked_by_other(self, role: str) -> bool:
        """Tell whether a message of this role may answer a question: nobody answers themselves."""
        return bool(self.asked) and self.role != role

    def who_we_are(self, clause: str, content: str) -> str:
        """Return who "we" are: the user's team where work is talked about; elsewhere the user does it, too."""
        head = content[:HEAD]
        return TEAM if (weigh_ours(clause) or work_in(head) or self._work) > 0 else SPEAKER

    def hear(self, message: Message, sentences: list[Sentence], is_read: bool = False) -> None:
        """`is_read` tells that the clauses of a message were noted while they were read."""
        by_user = message.role == USER
        if by_user:
            self._in_role = is_role_play(message.content[:HEAD], self._in_role)
            self._made_up = is_made_up(message.content[:HEAD])
            self._work += work_in(message.content[:HEAD])
        self.before, self.role = message.content, message.role
        self.proposed = [] if by_user else sentences
        if not sentences:
            self.asked = ""
            return
        for name in _NAME.findall(message.content[:HEAD]):
            if not is_finite(name.lower()):
                self.names[name.lower()] = name
        said = [sentence.text for sentence in sentences]
        self.earlier += said
        self.own += said if by_user else []
        # What a story or a joke asks, it asks nobody.
        if by_user:
            asked = [one.text for one in sentences if one.is_question or opens_question(one.text)]
            self.asked = asked[-1] if asked else sentences[-1].text  # what they want to know, even without a mark
        else:
            asked = [one.text for one in sentences[-2:] if one.is_question]
            self.asked = asked[-1] if asked and not self._made_up else ""
        if not is_read:
            self._note(sentences, by_user)

    def _note(self, sentences: list[Sentence], by_user: bool) -> None:
        for sentence in sentences[:-NEAR]:
            self.antecedents.people.note(sentence.text)
        for sentence in sentences[-NEAR:]:
            for part in split_clauses(sentence.text, is_open=False):
                for clause in cut_run_on(part):
                    said = with_owner(strip_leads(clause).text) if by_user else clause
                    self.antecedents.note(said, by_user, sentence.is_question)


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
_NAME_ALONE = re.compile(r"[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?(?=$|,)")
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
    is_guess: bool = False
    """Whether a pronoun was named by one of several that it may mean."""
    said: str = ""
    """The text with "it" behind its verb as it was said: by this its matter is weighed."""

    @property
    def sets_right(self) -> bool:
        """Whether it corrects what somebody else said or did."""
        return self.is_correction or self.is_told_again or self.is_regretted

    @property
    def is_resolved(self) -> bool:
        return self.is_whole and (self.is_joined or bool(self.answers) or not self.is_fragment)


_DEED = re.compile(
    r"(\w+) (?:(?:up|down|off|out|over) )?(?:(?:the|an?|my|our|another|some|two|three) |to (?-i:[A-Z]))", re.IGNORECASE
)
"""A verb, and to what or whom."""


def read_units(sentences: Sequence[Sentence], role: str, heard: Conversation) -> list[Unit]:
    """Return the units of a message, each tied to what was said before it."""
    by_user = role == USER
    units: list[Unit] = []
    aside: list[tuple[int, str, bool]] = []  # what is asked or exclaimed tells nothing, but may be meant by "it"
    for sentence in sentences[:MAX_UNITS]:
        bare = strip_leads(mend_slip(mend(sentence.text)))
        asks = is_open(sentence, bare.text)
        is_reply = not units and not asks and heard.is_asked_by_other(role)
        for clause in _cut(bare.text, asks, by_user, heard.asked if is_reply and not is_offer(heard.asked) else ""):
            inner = strip_leads(clause)
            text = inner.text.strip(" ,;:-–—")
            text = text if is_reply else join_topic(text)
            text = with_owner(without_courtesy(with_who_did(text, bare.text))) if by_user else text
            if not _is_told(text, by_user) or (sentence.is_question and text == bare.text):
                if sentence.is_question or len(text.split()) <= MAX_PHRASE:
                    aside.append((len(units), text, sentence.is_question))
                continue
            is_fragment = not has_verb(text) and not text.lower().startswith(("i ", "i'm", "we "))
            # "Dentist tomorrow at 3pm" names a day and what is then, "Friday at 10" does not.
            is_plan = bool(_DAY.search(text) or _SOON.search(text)) and len(_WHEN.sub("", text)) > len("am")
            is_plan = is_plan and bool(units) and units[-1].sentence is not sentence
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


def with_who_did(text: str, sentence: str) -> str:
    """Read "Sold the motorbike" as "I sold the motorbike": who tells of a deed and names nobody did it."""
    deed = _DEED.match(text)
    is_done = deed is not None and is_past(deed[1].lower()) and not is_base(deed[1].lower())
    return f"I {text[:1].lower()}{text[1:]}" if is_done and sentence.startswith(text) else text


def _fits_behind(text: str, unit: Unit) -> bool:
    """Tell whether a fragment is one more word on the clause before, which says something: no errand, guess or wish."""
    is_more = not _NO_MORE.match(text) and not only_judges(unit.text)
    return is_more and len(text.split()) + len(unit.text.split()) <= MAX_JOINED_WORDS


def _cut(text: str, asks: bool, by_user: bool, asked: str) -> Iterator[str]:
    """Yield its clauses; of a reply what answers the question first: "Postgres, my brother runs it" is two."""
    for answer, rest in cut_reply(text) if asked else ():
        if join_answer(asked, answer, by_user=not by_user):
            behind = strip_leads(rest).text
            is_short = len(behind.split()) <= MAX_LEANING_WORDS
            if is_short and all(mention.is_subject for mention in read_mentions(behind)):
                yield f"{answer}{ASIDE}{behind}"
                return
            yield answer
            text = rest
            break
    for part in split_clauses(text if by_user else strip_report(text), asks):
        yield from cut_run_on(part)


def _is_told(text: str, by_user: bool) -> bool:
    """Tell whether a clause tells something: not what asks, offers, imagines, breaks off or has no words."""
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
    # Names as they were written elsewhere, by those who write none in capitals.
    unit.text = _LOW_WORD.sub(lambda low: heard.names.get(low[0], low[0]), unit.text)
    name: re.Match[str] | None = None
    if not previous and heard.is_asked_by_other(role) and _is_answer(unit, by_user, heard):
        answer, aside, behind = unit.text.partition(ASIDE)
        agreed = _AGREED.match(unit.sentence.text) if unit.is_fragment and _ASKS_WHAT_IT_IS.match(heard.asked) else None
        said = f"{agreed[0]}, {answer}" if agreed and not _AGREED.match(answer) else answer
        joined = join_answer(heard.asked, said, by_user=not by_user)
        unit.answers, unit.is_joined, unit.text = heard.asked, bool(joined), (joined or answer) + aside + behind
        name = _NAME_ALONE.match(answer) if _ASKS_WHO.search(heard.asked) else None
    spoke_of_self = bool(_FIRST_PERSON.search(unit.text)) and not unit.is_joined
    resolved = heard.antecedents.resolve(unit.text, previous)
    unit.is_guess = resolved.text != unit.text and not _is_plain(resolved.text, unit.text, previous)
    if not (by_user or spoke_of_self):
        # What comes from the user's question, or from what was said before, is in the user's words.
        resolved = replace(resolved, text=_FIRST_PERSON.sub(_to_second_person, resolved.text))
    unit.text = name_then(name_there(resolved.text, previous), previous)
    unit.is_whole, unit.said = resolved.is_whole, resolved.said
    heard.antecedents.note(unit.text, by_user)
    if name:
        heard.antecedents.people.meet(name[0])


def _is_plain(resolved: str, said: str, previous: str) -> bool:
    """Tell whether what a pronoun means is the subject of the clause before, or all that this names."""
    inserted = [word for word in resolved.split() if word not in said.split()]
    named = " ".join(inserted).removesuffix("'s").lower()
    things = {mention.text.lower() for mention in read_mentions(previous)}
    is_subject = bool(named) and previous.lower().startswith(named)
    return is_subject or (bool(named) and named in previous.lower() and len(things) <= 1)


_SECOND_PERSON = {"i": "you", "i am": "you are", "i'm": "you're", "me": "you", "my": "your", "mine": "yours"}
_SECOND_PERSON |= {"myself": "yourself", "am": "are"}
_FIRST_PERSON = re.compile(r"\b(?:I(?: am|'m)?|am|me|my|mine|myself)\b", re.IGNORECASE)


def _to_second_person(found: re.Match[str]) -> str:
    person = _SECOND_PERSON[found[0].lower()]
    return person.capitalize() if found[0][0].isupper() and found.start() == 0 else person


def _is_answer(unit: Unit, by_user: bool, heard: Conversation) -> bool:
    """Only short ones and those without a verb of their own: the rest stands alone."""
    if unit.is_asking or is_offer(heard.asked) or len(unit.text.split()) > MAX_ANSWER_WORDS:
        return False
    answer = unit.text.partition(ASIDE)[0]
    return unit.is_fragment or bool(join_answer(heard.asked, answer, by_user=not by_user)) or is_empty(answer)


def without_time(text: str) -> str:
    """Return the text without the words that tell a day and an hour."""
    return " ".join(_WHEN.sub(" ", text).split())

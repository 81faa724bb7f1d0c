"""Statements in the words they were said in, made to stand alone by what was said around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memories.providers.llm.rules.answers import MAX_ANSWER_WORDS, is_empty, is_offer, join_answer, state_answer
from memories.providers.llm.rules.candidate import SAID, Candidate
from memories.providers.llm.rules.clauses import has_verb, split_clauses
from memories.providers.llm.rules.cutting import cut_run_on, is_cut_short
from memories.providers.llm.rules.evidence import ENOUGH, UNREAL, is_first_person
from memories.providers.llm.rules.leads import mend, strip_leads, strip_report
from memories.providers.llm.rules.matter import Surroundings, weigh_matter
from memories.providers.llm.rules.matter_marks import APOLOGY
from memories.providers.llm.rules.people import People
from memories.providers.llm.rules.person import to_third_person
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.questions import is_open, opens_question
from memories.providers.llm.rules.verbs import is_base, third_person
from memories.text.messages import USER

MAX_WORDS = 45
MAX_UNITS = 120
"""Of one message: who tells more at once pastes it."""
MAX_JOINED_WORDS = 30
MAX_CONTEXT_CHARACTERS = 120
SHORT_ANSWER_WORDS = 5
KEPT_FROM = {True: 0.3, False: 0.4}
"""How much matter a statement of the user, or of the assistant, needs to be kept."""
CLEAR_ANSWER = 0.25
"""So much less, where question and answer make a plain statement."""
DANGLING_FROM = 0.55
"""For one that opens with a word that points elsewhere."""
_DANGLING = re.compile(
    r"^(?:it|it's|its|that|that's|this|these|those|they|they're|he|he's|she|she's|which|same|her|his|their|because|so|"
    r"then|and|but|except|instead)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"^(?:when|if|while|whenever|although|though|unless|until|before|after|no of course|or|not (?:if|that))\b[^,]*$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^(?:I (?:can|could|would|will|may|might|don't know|think|hope)|I'll|I'd|let me|want me|"
    r"you (?:can|could|may|might|"
    r"should|would|'d)|you'd|happy to|here(?:'s| are| is)|feel free|subject|dear|hi|hello)\b",
    re.IGNORECASE,
)
_TO_THE_USER = (
    (re.compile(r"\b[Yy]ou(?:'re| are)\b"), "User is"),
    (re.compile(r"\b[Yy]ou(?:'ve| have)\b"), "User has"),
    (re.compile(r"\b[Yy]ou(?:'ll| will)\b"), "User will"),
    (re.compile(r"\b[Yy]ours?\b"), "User's"),
)
_YOU_DO = re.compile(r"\b[Yy]ou (\w+)")
_PLAIN_WORD = re.compile(r"(?<![\w./-])[^\W\d_]{2,}(?![\w/(=]|[.-]\w)")
_FIGURE = re.compile(r"\d[\d.:,/-]*$")
_LOW_WORD = re.compile(r"(?<![\w./@`-])[a-zà-ÿ]{3,}(?![\w/@`-]|\.\w)")


@dataclass(slots=True)
class Scene:
    """What a message is read against: the message before, its question and last sentence, and the reply."""

    role: str
    place: int
    content: str
    asked: str = ""
    previous: str = ""
    reply: str = ""
    before: str = ""
    people: People = field(default_factory=People)
    names: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case → as they are written."""

    @property
    def by_user(self) -> bool:
        return self.role == USER

    def around(self, unit: Unit) -> Surroundings:
        before, reply = self.before[:400], self.reply[:300]
        return Surroundings(
            self.role,
            self.content[:2_000],
            self.asked,
            before,
            reply,
            unit.is_asking,
            unit.is_fragment,
            unit.is_resolved,
        )


@dataclass(slots=True)
class Unit:
    """A clause; `answers` is the question it answers, `about` what was said before it, where it needs that."""

    text: str
    sentence: Sentence
    after: str
    """The sentence or clause before it."""
    is_asking: bool = False
    is_fragment: bool = False
    is_hedged: bool = False
    is_correction: bool = False
    answers: str = ""
    about: str = ""

    @property
    def is_resolved(self) -> bool:
        return bool(self.answers) or not (self.is_fragment or _DANGLING.match(self.text))

    @property
    def matter(self) -> str:
        """What is weighed."""
        return f"{self.answers}: {self.text}" if self.answers else self.text

    def write(self, by_user: bool) -> str:
        told = _of_user(self.text) if by_user else _about_user(self.text)
        if self.answers:
            return join_answer(self.answers, told)
        return f'{told} (about "{self.about}")' if self.about else told


def read_said(sentences: Sequence[Sentence], scene: Scene, is_known: Callable[[str, str], bool]) -> Iterator[Candidate]:
    """The clauses of a message with what speaks for each; without those that `is_known`, given text and quote."""
    is_regretted = bool(APOLOGY.search(scene.reply[:300].lower()))
    for unit in read_units(sentences, scene):
        quote = scene.content[unit.sentence.start : unit.sentence.end]
        if is_known(unit.text, quote):
            continue
        needed = KEPT_FROM[scene.by_user] if unit.is_resolved else DANGLING_FROM
        needed -= CLEAR_ANSWER * bool(unit.answers and state_answer(unit.answers, unit.text))
        score = weigh_matter(unit.matter, scene.around(unit)) + ENOUGH - needed
        yield Candidate(
            unit.write(scene.by_user),
            scene.place,
            quote,
            max(0.0, min(1.0, score)),
            "said",
            SAID,
            is_final=True,
            is_hedged=unit.is_hedged,
            is_lesson=scene.by_user and (unit.is_correction or is_regretted),
        )


def read_units(sentences: Sequence[Sentence], scene: Scene) -> list[Unit]:
    """The clauses of a message, fragments joined to what they belong to, and each tied to its surroundings."""
    units: list[Unit] = []
    after = scene.previous
    for sentence in sentences[:MAX_UNITS]:
        bare = strip_leads(mend(sentence.text))
        asks = is_open(sentence, bare.text)
        for clause in _cut(bare.text, asks, scene):
            inner = strip_leads(clause)
            text = inner.text.strip(" ,;:-–—")
            if not _is_told(text, scene) or (sentence.is_question and text == bare.text):
                continue
            is_fragment = not has_verb(text) and not text.lower().startswith(("i ", "i'm", "we "))
            if is_fragment and not asks and units and _fits_behind(text, units[-1]):
                units[-1].text += ", " + text
                continue
            is_hedged, is_correction = bare.is_hedged or inner.is_hedged, bare.is_correction or inner.is_correction
            units.append(Unit(text, sentence, after, asks, is_fragment, is_hedged, is_correction or bare.is_told_again))
            after = text
        after = sentence.text
    for at, unit in enumerate(units):
        _tie(unit, units[at - 1].text if at else "", scene)
    return units


def _fits_behind(text: str, unit: Unit) -> bool:
    return len(text.split()) + len(unit.text.split()) <= MAX_JOINED_WORDS


def _cut(text: str, asks: bool, scene: Scene) -> Iterator[str]:
    said = text if scene.by_user else strip_report(text)
    for part in split_clauses(said, asks):
        yield from cut_run_on(part)


def _is_told(text: str, scene: Scene) -> bool:
    """Whether a clause tells something: not what asks, offers, imagines, breaks off or has no words."""
    if not text or len(text.split()) > MAX_WORDS:
        return False
    if len(_PLAIN_WORD.findall(text)) < (1 if scene.by_user else 2) and not (scene.by_user and _FIGURE.match(text)):
        return False
    if UNREAL.search(text) or opens_question(text) or _UNFINISHED.match(text) or is_cut_short(text):
        return False
    return scene.by_user or not _OFFER.match(text)


def _tie(unit: Unit, previous: str, scene: Scene) -> None:
    """To the question it answers, to the person that "she" means, or to what "it" was said of."""
    said = unit.text = _with_names(unit.text, scene.names)
    if not previous and _is_answer(unit, scene):
        unit.answers = scene.asked
    else:
        unit.text = scene.people.resolve(said, previous)
        if not unit.is_resolved and 0 < len(unit.after) <= MAX_CONTEXT_CHARACTERS:
            unit.about = unit.after.replace('"', "'")
    scene.people.note(said)


def _is_answer(unit: Unit, scene: Scene) -> bool:
    length = len(unit.text.split())
    if not scene.by_user or not scene.asked or unit.is_asking or is_offer(scene.asked):
        return False
    if is_empty(unit.text):
        return bool(state_answer(scene.asked, unit.text))
    return length <= (MAX_ANSWER_WORDS if unit.is_fragment else SHORT_ANSWER_WORDS)


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """Names as they were written elsewhere, by those who write none in capitals."""
    return _LOW_WORD.sub(lambda match: names.get(match.group(), match.group()), text) if names else text


def _of_user(text: str) -> str:
    if not is_first_person(text):
        return text
    return to_third_person(text) or f'User said "{text}"'


def _about_user(text: str) -> str:
    """What an assistant says, told by somebody else."""
    said = to_third_person(text, "Assistant") or text
    for pattern, written in _TO_THE_USER:
        said = pattern.sub(written, said)
    return _YOU_DO.sub(lambda match: f"User {third_person(match[1]) if is_base(match[1]) else match[1]}", said)

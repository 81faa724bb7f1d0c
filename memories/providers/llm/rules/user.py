"""Read what a user says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.providers.llm.rules.candidate import CORRECTION, DECISION, INSTRUCTION, STATEMENT, Candidate
from memories.providers.llm.rules.clauses import has_verb
from memories.providers.llm.rules.conversation import Conversation
from memories.providers.llm.rules.corrections import denies, read_choice, read_correction
from memories.providers.llm.rules.decisions import is_order, read_decision
from memories.providers.llm.rules.evidence import (
    ENOUGH,
    is_first_person,
    says_something,
    weigh_impersonal,
    weigh_personal,
)
from memories.providers.llm.rules.foreign import is_foreign, read_foreign
from memories.providers.llm.rules.instructions import read_instruction
from memories.providers.llm.rules.leads import mend, strip_leads
from memories.providers.llm.rules.people import with_owner
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.standing import points_there, stands_alone
from memories.providers.llm.rules.units import Unit

_REPORTED = re.compile(
    r"^(?!(?:my|our)\b).*\b(?:says?|claims?|thinks?|assumes?|assumed|wrote|thought|believes?) (?:that )?(?:I|I'm|"
    r"my|we)\b",
    re.IGNORECASE,
)
_SETS_RIGHT = re.compile(
    r"^(?:(?:it's|its|it is) (?:[A-Z]\w*|\d\S*)(?: \w+)?, not|not (?:[A-Z]\w*|\d\S*),(?: but)?) \w+"
)
_OWN_START = re.compile(r"(?:I|I'm|I've|I'd|I'll|my|our|we|we're|we've|we'll)\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(
    r"^(?:ideas|thoughts|tips|suggestions|mine|ours|yours|you|you're|your|what|let's|lets|never|always|don't|"
    r"do not|please|never mind|nvm|thanks|thank|no|not|yes|good|love)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]\s*[\"”]|^['\"“]")
_ALLERGIC = re.compile(
    r"^(?:also |severely |very |highly )*(?:allergic to|intolerant to|based in|living in|married (?:to|with|for)|"
    r"born (?:in|on)|vegan|vegetarian|lactose intolerant|diabetic|pregnant)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?:just |already |finally |also )?(?:got|bought|booked|ordered|moved|signed up|started|switched|adopted|"
    r"joined|quit|hired|upgraded|downgraded|migrated|renamed|work|live|hate|prefer|don't like|can't stand|"
    r"have) (?=(?:an?|my|two|three|\d|to|at|in|the|for|from|on|as|when)\b)(?!a (?:nice|good|great|look|question|"
    r"problem|go|lovely)|to (?:go|run)|the same|this|that|it)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:I'm|we're|he's|she's)\b|[^\W\d_]+ (?:resigned|retired|retires)$", re.IGNORECASE)
"""Says all it has to in two words."""
MAX_WORDS = 45
MIN_WORDS = 3


def read_whole(
    sentence: Sentence, quote: str, place: int, heard: Conversation, own: Sequence[str]
) -> list[Candidate] | None:  # fmt: skip
    """What a sentence says as a whole: in another language, or setting right what was said; None for any other.

    `own` are the sentences before it in its message.
    """
    if " " not in sentence.text and sentence.text.isascii():
        return None
    mended = mend(sentence.text)
    if is_foreign(with_owner(mended)):
        return [
            Candidate(text, place, quote, 0.7, "said in another language", kind, is_foreign=True)
            for text, is_rule in read_foreign(sentence.text)
            for kind in (INSTRUCTION if is_rule else STATEMENT,)
        ]
    bare = strip_leads(mended)
    chosen = read_choice(bare.text, own[-1]) if own and not sentence.is_question else ""
    if chosen:
        return [Candidate(chosen, place, quote, 0.8, "a correction", CORRECTION, is_lesson=True)]
    if not sentence.is_question and (bare.is_correction or _SETS_RIGHT.match(bare.text)):
        right = read_correction(bare.text, heard.earlier, own, heard.own)
        if right:
            # Who takes back their own words corrects nobody else.
            is_other = not right.is_own
            return [Candidate(right.text, place, quote, 0.8, "a correction", CORRECTION, is_other, is_lesson=is_other)]
    return None


def read_unit(unit: Unit, place: int, quote: str) -> Candidate | None:
    """A standing instruction, a decision, or a statement with what its build speaks for it."""
    text = with_subject(unit.text)
    words = len(text.split())
    is_lesson = unit.sets_right
    needed = MIN_WORDS - bool(_SHORT.match(text))
    if not MIN_WORDS - 1 <= words <= MAX_WORDS or denies(text) or not stands_alone(text) or points_there(text):
        return None
    instruction = None if unit.is_joined else read_instruction(text)
    if instruction:
        return Candidate(
            instruction.text,
            place,
            quote,
            instruction.score,
            "a standing instruction",
            INSTRUCTION,
            is_final=instruction.is_done,
            is_lesson=instruction.is_lesson or is_lesson,
        )
    decision = None if unit.is_asking or unit.is_hedged else read_decision(text)
    if decision:
        return Candidate(decision, place, quote, 0.75, "a decision", DECISION)
    if words < needed or not unit.is_whole or (unit.is_fragment and not unit.is_joined and text == unit.text):
        return None
    return _weigh_statement(text, place, quote, unit.is_asking, unit.is_hedged, is_lesson)


def with_subject(text: str) -> str:
    """The clause with the "I" that people leave out: "got a dog", "allergic to nuts"."""
    if _NO_SUBJECT.match(text):
        return f"I {text[:1].lower()}{text[1:]}"
    return f"I'm {text[:1].lower()}{text[1:]}" if _ALLERGIC.match(text) else text


def _weigh_statement(
    resolved: str, place: int, quote: str, asks: bool, is_hedged: bool, is_lesson: bool
) -> Candidate | None:
    if resolved.count("(") != resolved.count(")") or _REPORTED.search(resolved):
        return None
    if (
        not has_verb(resolved)
        or _NO_STATEMENT.match(resolved)
        or (_QUOTED.search(resolved) and not re.match(r"(?:my|our) \w+ said", resolved, re.IGNORECASE))
    ):
        return None
    first = is_first_person(resolved)
    is_own = bool(_OWN_START.match(resolved))
    if not is_own and (is_order(resolved) or not (first or says_something(resolved))):
        return None
    finding = weigh_personal(resolved) if first else weigh_impersonal(resolved)
    if first and finding.score < ENOUGH:
        other = weigh_impersonal(resolved)
        finding = other if other.score - 0.1 > finding.score and not re.match(r"I\b", resolved) else finding
    score = finding.score - (0.15 if asks and not first else 0.0) - (0.1 if is_hedged else 0.0)
    score += 0.3 if is_lesson and first else 0.0
    return Candidate(
        resolved,
        place,
        quote,
        max(0.0, min(1.0, score)),
        finding.name,
        is_hedged=is_hedged,
        is_lesson=is_lesson,
    )

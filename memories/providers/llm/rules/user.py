"""Read what a user says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.providers.llm.rules.candidate import CORRECTION, DECISION, INSTRUCTION, STATEMENT, Candidate
from memories.providers.llm.rules.clauses import has_verb, split_clauses
from memories.providers.llm.rules.corrections import read_correction
from memories.providers.llm.rules.cutting import cut_run_on, is_cut_short
from memories.providers.llm.rules.decisions import is_order, read_decision
from memories.providers.llm.rules.evidence import (
    ENOUGH,
    UNREAL,
    is_first_person,
    says_something,
    weigh_impersonal,
    weigh_personal,
)
from memories.providers.llm.rules.foreign import is_foreign, read_foreign
from memories.providers.llm.rules.instructions import read_instruction
from memories.providers.llm.rules.leads import Bare, mend, strip_leads
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.questions import is_open, opens_question
from memories.providers.llm.rules.referents import Referents

_REPORTED = re.compile(
    r"^(?!(?:my|our)\b).*\b(?:says?|claims?|thinks?|assumes?|assumed|wrote|thought|believes?) (?:that )?(?:I|I'm|"
    r"my|we)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"^I [^A-Z]*\bthere\b(?! (?:is|are|was|were|will|has))")
_SETS_RIGHT = re.compile(r"^(?:it's|its|it is) (?:[A-Z]\w*|\d\S*)(?: \w+)?, not \w+")
_OWN_START = re.compile(r"(?:I|I'm|I've|I'd|I'll|my|our|we|we're|we've|we'll)\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(
    r"^(?:ideas|thoughts|tips|suggestions|mine|ours|yours|you|you're|your|what|let's|lets|never|always|don't|"
    r"do not|please|never mind|nvm|thanks|thank|no|not|yes|good|love)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"^(?:when|while|whenever|although|though|unless)\s(?:I|we|you|he|she|it|they|my|the)\s[^,]*$", re.IGNORECASE
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
MAX_WORDS = 45
MIN_WORDS = 3


def read_user(sentences: list[Sentence], content: str, place: int, earlier: list[str]) -> Iterator[Candidate]:
    referents = Referents()
    said: list[str] = list(earlier)
    for sentence in sentences:
        quote = content[sentence.start : sentence.end]
        yield from _read_sentence(sentence, quote, place, said, referents)
        said.append(sentence.text)


def _read_sentence(
    sentence: Sentence, quote: str, place: int, said: list[str], referents: Referents
) -> Iterator[Candidate]:
    if " " not in sentence.text and sentence.text.isascii():
        return
    mended = mend(sentence.text)
    if is_foreign(mended):
        for text, is_rule in read_foreign(sentence.text):
            kind = INSTRUCTION if is_rule else STATEMENT
            yield Candidate(text, place, quote, 0.7, "said in another language", kind, is_foreign=True)
        return
    bare = strip_leads(mended)
    if not sentence.is_question and (bare.is_correction or _SETS_RIGHT.match(bare.text)):
        corrected = read_correction(bare.text, said)
        if corrected:
            yield Candidate(corrected, place, quote, 0.8, "a correction", CORRECTION, is_final=True, is_lesson=True)
            return
    asks = is_open(sentence, bare.text)
    for clause in (cut for part in split_clauses(bare.text, asks) for cut in cut_run_on(part)):
        candidate = _read_clause(clause, bare, asks, place, quote, referents)
        if candidate:
            yield candidate


def _read_clause(
    clause: str, wrapping: Bare, asks: bool, place: int, quote: str, referents: Referents
) -> Candidate | None:
    inner = strip_leads(clause)
    text = inner.text
    if _NO_SUBJECT.match(text):
        text = f"I {text[:1].lower()}{text[1:]}"
    if _ALLERGIC.match(text):
        text = f"I'm {text[:1].lower()}{text[1:]}"
    if _UNFINISHED.match(text) or is_cut_short(text):
        return None
    words = len(text.split())
    is_lesson = wrapping.is_correction or inner.is_correction or wrapping.is_told_again
    is_hedged = wrapping.is_hedged or inner.is_hedged
    needed = MIN_WORDS - bool(re.match(r"(?:I'm|we're|he's|she's)\b", text, re.IGNORECASE))
    if not MIN_WORDS - 1 <= words <= MAX_WORDS or UNREAL.search(text):
        return None
    instruction = None if asks and text.endswith("?") else read_instruction(text)
    if instruction:
        return Candidate(
            instruction.text,
            place,
            quote,
            instruction.score,
            "a standing instruction",
            INSTRUCTION,
            is_final=instruction.is_done,
            is_lesson=instruction.is_lesson or wrapping.is_told_again,
        )
    decision = None if asks or is_hedged else read_decision(text)
    if decision:
        return Candidate(decision, place, quote, 0.75, "a decision", DECISION)
    if words < needed or opens_question(text):
        return None
    return _weigh_statement(text, place, quote, referents, asks, is_hedged, is_lesson)


def _weigh_statement(
    text: str, place: int, quote: str, referents: Referents, asks: bool, is_hedged: bool, is_lesson: bool
) -> Candidate | None:
    resolved = referents.resolve(text)
    if resolved is None:
        return None
    referents.note(resolved)
    if resolved.count("(") != resolved.count(")") or _REPORTED.search(resolved) or _ELSEWHERE.search(resolved):
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

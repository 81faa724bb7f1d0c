"""Find the facts of a conversation without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules.candidate import DECISION, GUESS, INSTRUCTION, OUTCOME, Candidate
from memories.providers.llm.rules.candidates import find_candidates
from memories.providers.llm.rules.categories import read_category
from memories.providers.llm.rules.conversation import SPEAKER
from memories.providers.llm.rules.evidence import ENOUGH
from memories.providers.llm.rules.kinds import read_importance, read_kind
from memories.providers.llm.rules.sentiment import read_sentiment
from memories.providers.llm.rules.strength import read_strength
from memories.providers.llm.rules.wording import begin_sentence, word
from memories.providers.llm.rules.words import BETWEEN_NAMES, KIN, TITLE
from memories.providers.llm.rules.worth import KEPT_FROM
from memories.providers.relation import Judge
from memories.text.dating import make_dates_plain
from memories.text.entities import find_entities
from memories.text.relate.tokens import canonical_text
from memories.text.tokens import CHARACTERS_PER_TOKEN

MAX_ENTITIES = 8
MAX_TAGS = 4
_TOPIC = re.compile(
    r"^(?:[Tt]he |[Oo]ur |[Aa]ll |[Ee]very )?([\w./:-]+(?: [\w./:-]+){0,2}?)(?:'s)? (?:is|are|was|were|has|have|"
    r"runs?|uses?|needs?|requires?|takes?|depends|listens?|lives?|sits?|must|should|can|cannot|can't|will|only|"
    r"always|never|fails?|crashes|expires?|goes|gets?|stays?|rejects?|restarts?|renews?|stores?|serves?|times|"
    r"points?|does|doesn't|now)\b"
)
_NO_TOPIC = re.compile(
    r"^(?:user|assistant|team|it|this|that|there|who|which|what|everything|all|decided|do|always|never|when|next|"
    r"root|same|each|these|since|because|reason|as|no|not|if|in|on|at|for|from|we|they|he|she|you|i)\b",
    re.IGNORECASE,
)
_KIN = "|".join(sorted(map(re.escape, KIN), key=len, reverse=True))
_OWN_PERSON = re.compile(rf"User's (?:[a-z-]+ ){{0,2}}(?:{_KIN}) ((?:{TITLE} {BETWEEN_NAMES})?[A-Z][\w-]+)")
_UNTIL = re.compile(
    r"\b(?:until|till|through|bis|jusqu['’](?:au|à|en)|hasta|fino (?:al?|all['’])|até)\b", re.IGNORECASE
)
_UNTAGGED = frozenset({"the", "user", "assistant", "team"})
_OPINION = re.compile(
    r"\b(?:awful|awesome|terrible|horrible|sucks|best|worst|overrated|beautiful|stupid|ugly|boring|ridiculous)\b",
    re.IGNORECASE,
)


def extract(chunk: Chunk, setting: Setting, judge: Judge = "rules") -> list[Fact]:
    """At most `setting.most_facts`, in the order they were said; the weightiest ones if there are more."""
    chosen = [candidate for candidate in find_candidates(chunk, judge) if candidate.score >= ENOUGH]
    return _facts(chosen, chunk, setting)


def find_passing(chunk: Chunk, setting: Setting) -> list[Fact]:
    """What the network finds not worth keeping for itself, worded so that it can be compared with what is known."""
    passing = [candidate for candidate in find_candidates(chunk, "learned") if candidate.is_passing]
    return _facts([replace(candidate, score=ENOUGH) for candidate in passing], chunk, setting)


def _facts(chosen: Sequence[Candidate], chunk: Chunk, setting: Setting) -> list[Fact]:
    worded = [(candidate, _word(candidate, chunk.messages[candidate.message].role)) for candidate in chosen]
    distinct = list(_distinct(worded))
    if len(distinct) > setting.most_facts:
        floor = sorted((candidate.score for candidate, _ in distinct), reverse=True)[setting.most_facts - 1]
        distinct = [entry for entry in distinct if entry[0].score >= floor][: setting.most_facts]
    facts = [_fact(candidate, content, chunk, setting) for candidate, content in distinct]
    return [fact for fact in facts if 0 < len(fact.content) <= setting.max_characters]


def _word(candidate: Candidate, role: str) -> str:
    """The statement in the words it is kept in."""
    is_worded = candidate.is_final and candidate.type != INSTRUCTION
    if candidate.is_foreign or is_worded:
        is_named = candidate.is_foreign and candidate.speaker != SPEAKER
        return f"{candidate.speaker}: {candidate.text}" if is_named else begin_sentence(candidate.text)
    return word(candidate.text, role, candidate.group, candidate.speaker)


def _distinct(worded: Iterable[tuple[Candidate, str]]) -> Iterable[tuple[Candidate, str]]:
    """Each once. One other word is another fact: what else says the same is found when it is stored."""
    seen: set[str] = set()
    for candidate, content in worded:
        said = canonical_text(content)
        if said and said not in seen:
            seen.add(said)
            yield candidate, content


def _fact(candidate: Candidate, content: str, chunk: Chunk, setting: Setting) -> Fact:
    now = chunk.messages[candidate.message].at or chunk.now
    dated = make_dates_plain(content, now)
    content = begin_sentence(dated.text) if candidate.is_dated else content
    entities = find_entities(content, setting.subjects)
    names = tuple(entity.name for entity in entities if entity.name.lower() not in {"user", "assistant"})[:MAX_ENTITIES]
    known = next((entity.name for entity in entities if entity.kind == "subject"), "")
    is_allowed = not setting.categories or candidate.category in setting.categories
    category = candidate.category if candidate.category and is_allowed else ""
    category = category or read_category(content, candidate.evidence, setting.categories)
    kind = read_kind(content, candidate.type, candidate.is_lesson, candidate.evidence)
    is_named = candidate.speaker != SPEAKER and candidate.speaker in content
    return Fact(
        content=content,
        message=candidate.message,
        quote=candidate.quote,
        kind=kind,
        category=category,
        subject=candidate.speaker if is_named else known or _subject(content, names),
        tags=_tags(category, names),
        importance=read_importance(content, kind),
        strength=read_strength(content, candidate.is_hedged, candidate.type == GUESS),
        sentiment=read_sentiment(candidate.quote),
        verifiable=_verifiable(candidate, content),
        useful=round(min(1.0, 0.7 + 0.3 * candidate.score), 2),
        entities=names,
        valid_until=dated.end if dated.is_to_come and is_once(content) else None,
    )


def is_once(content: str) -> bool:
    """Whether what is said ends with its date: "is on leave until 5 May"."""
    return bool(_UNTIL.search(content))


def _subject(content: str, names: tuple[str, ...]) -> str:
    """The service, product or person a statement is about; "" for the user."""
    own = _OWN_PERSON.match(content)
    if own:
        return own[1]
    if content.startswith(("User", "Decided", "Do not", "Always", "Never")):
        return ""
    if content.startswith(("Assistant", "The team", "We ")):
        return next(iter(names), "")
    topic = _TOPIC.match(content)
    if not topic or "User" in topic[1] or _NO_TOPIC.match(topic[1]) or len(topic[1]) > 60:
        return ""
    return topic[1]


def _tags(category: str, names: tuple[str, ...]) -> tuple[str, ...]:
    found = [name.lower() for name in names if len(name) <= 10 * CHARACTERS_PER_TOKEN]
    return tuple(dict.fromkeys([tag for tag in (category, *found) if tag != "general" and tag not in _UNTAGGED]))[
        :MAX_TAGS
    ]


def _verifiable(candidate: Candidate, content: str) -> float:
    is_plain = candidate.type in {INSTRUCTION, DECISION, OUTCOME} or candidate.worth >= KEPT_FROM
    if _OPINION.search(content) and not is_plain:
        return 0.4
    return 0.6 if candidate.is_hedged or candidate.type == GUESS else 0.9

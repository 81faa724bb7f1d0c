"""Find the facts of a conversation without a model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from memories.language.dates.statement_dates import Dated, make_dates_plain, name_month
from memories.language.entities import find_entities
from memories.language.extract.answers import read_agreement
from memories.language.extract.conversation import HEAD, SPEAKER, Conversation, read_units
from memories.language.extract.evidence import ENOUGH
from memories.language.extract.labels import read_category, read_importance, read_kind, read_sentiment, read_strength
from memories.language.extract.lexicon import BETWEEN_NAMES, KIN, TITLE
from memories.language.extract.prose import Sentence, without_ordered
from memories.language.extract.statements import (
    CORRECTION,
    DECISION,
    INSTRUCTION,
    OUTCOME,
    STATEMENT,
    Candidate,
    is_regretted,
    read_assistant,
    read_unit,
    read_whole,
    weigh_said,
)
from memories.language.extract.wording import begin_sentence, word
from memories.language.messages import ASSISTANT, USER, Message
from memories.language.relate.lexicon import canonical_text
from memories.language.scripts import CHARACTERS_PER_TOKEN
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules.weighing import (
    CLEAR_FROM,
    DOUBTED_BELOW,
    KEPT_FROM,
    MEANS_SOMEBODY,
    STANDS_FROM,
    Told,
    named,
    put_right,
    read_statements,
    sentences_of,
    weigh,
    weigh_assistant,
    with_matter,
)
from memories.providers.relation import Judge

_SPEAKER = re.compile(
    r"^(?!(?:note|update|edit|todo|reminder|question|answer|problem|error|warning|summary|context|goal|task|issue|fix|"
    r"hint|tip|status|result|hello|hi|hey|example|fact|remember|important|background|subject|user|assistant|system|me|"
    r"today|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|correction|also|and|but|so|name|plan)\b)"
    r"((?-i:[A-Z])[\w-]{1,30}(?: (?-i:[A-Z])[\w-]{1,30})?): (?=(?P<own>I\b|I['’]|[Mm]y\b|[Ww]e\b|[Oo]ur\b|im\b|i\b)?)",
    re.IGNORECASE | re.MULTILINE,
)
"""Whose line it is, in what several people say: "Bob: I am allergic to peanuts". One of them speaks of themselves."""
_WORD = re.compile(r"\w+")
COVERED_FROM, COVERED_BY_RULE = 0.6, 0.45


@lru_cache(maxsize=4)
def find_candidates(chunk: Chunk, judge: Judge = "rules") -> tuple[Candidate, ...]:
    """Return every statement with any evidence, in order; those from 0.5 are worth keeping.

    The gate and the extraction ask for the same chunk one after the other; the second answer is remembered.
    """
    found: list[Candidate] = []
    heard = Conversation()
    for message in chunk.before:
        heard.hear(message, sentences_of(message))
    talk = list(chunk.before)
    said_by = [
        (place, speaker, part)
        for place, message in enumerate(chunk.messages)
        for speaker, part in _by_speakers(message)
    ]
    for place, speaker, message in said_by:
        sentences = sentences_of(message)
        is_meant = heard.is_meant(message)
        if is_meant:
            reply = next((later.content for later in chunk.messages[place + 1 : place + 2]), "")
            read = _read_user if message.role == USER else _read_assistant
            said = list(read(message, sentences, place, reply, heard))
            if judge == "learned" and message.role == USER:
                said = weigh(said, message, sentences, place, talk)
                if speaker in (SPEAKER, message.speaker):
                    said, found = put_right(said, found, message, sentences, place, talk)
            elif judge == "learned":
                said = weigh_assistant(said, message, sentences, place, talk)
            said = [
                replace(
                    one, group=heard.who_we_are(one.text, message.content).replace(SPEAKER, speaker), speaker=speaker
                )
                for one in said
            ]
            order = {message.content[one.start : one.end]: at for at, one in reversed(list(enumerate(sentences)))}
            found += sorted(said, key=lambda candidate: order.get(candidate.quote, 0))
        heard.hear(message, sentences, is_read=is_meant)
        talk.append(message)
    return tuple(candidate for at, candidate in enumerate(found) if not _is_set_right(candidate, found[at + 1 :]))


def _by_speakers(message: Message) -> Iterator[tuple[str, Message]]:
    """(who says "I", what is said): of a user's message in which lines begin with a name, each name's."""
    starts = list(_SPEAKER.finditer(message.content)) if message.role == USER else []
    if not any(found["own"] for found in starts) or starts[0].start() > 0:
        yield (message.speaker if message.role == USER else "") or SPEAKER, message
        return
    ends = [found.start() for found in starts[1:]] + [len(message.content)]
    for found, end in zip(starts, ends, strict=True):
        yield found[1], replace(message, content=message.content[found.end() : end].strip())


def _read_user(
    message: Message, sentences: list[Sentence], place: int, reply: str, heard: Conversation
) -> Iterator[Candidate]:
    agreed = read_agreement(message.content[:HEAD], heard.proposed)
    if agreed:
        quote = message.content[sentences[0].start : sentences[0].end] if sentences else ""
        yield Candidate(agreed, place, quote, 0.8, "a decision", DECISION, is_final=True)
    rest: list[Sentence] = []
    own: list[str] = []
    told = list(without_ordered(sentences, heard.asked if heard.is_asked_by_other(USER) else ""))
    for sentence in sentences:
        if sentence not in told:
            heard.antecedents.people.note(sentence.text)
    for sentence in told:
        whole = read_whole(sentence, message.content[sentence.start : sentence.end], place, heard, own)
        own.append(sentence.text)
        if whole is None:
            rest.append(sentence)
        else:
            yield from whole
    for unit in read_units(rest, USER, heard):
        unit.is_regretted = is_regretted(reply)
        by_rule = read_unit(unit, place, message.content[unit.sentence.start : unit.sentence.end])
        if by_rule and by_rule.score >= ENOUGH:
            yield replace(by_rule, is_guess=unit.is_guess, is_joined=unit.is_joined)
            continue
        said = weigh_said(unit, message, place, reply, heard)
        chosen = by_rule if by_rule and by_rule.score > said.score else said
        yield replace(chosen, is_guess=unit.is_guess, is_joined=unit.is_joined)


def _read_assistant(
    message: Message, sentences: list[Sentence], place: int, reply: str, heard: Conversation
) -> Iterator[Candidate]:
    ruled: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in read_assistant(sentences, message.content, place, heard.earlier):
        ruled[candidate.quote].append(candidate)
        yield candidate
    for unit in read_units(sentences, ASSISTANT, heard):
        said = weigh_said(unit, message, place, reply, heard)
        if not _is_covered(said.text, ruled[said.quote]):
            yield replace(said, is_guess=unit.is_guess)


def _is_covered(text: str, ruled: list[Candidate]) -> bool:
    """Tell whether most of the words are in statements that the rules found in the same sentence."""
    said = _stems(text)
    same = [other for other in ruled if other.score >= ENOUGH]
    kept = {stem for other in same for stem in _stems(other.text)}
    is_ruled = any(other.type != STATEMENT for other in same)
    return bool(kept) and len(said & kept) >= (COVERED_BY_RULE if is_ruled else COVERED_FROM) * len(said)


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.lower()) if len(word) > 2}


def _is_set_right(candidate: Candidate, later: list[Candidate]) -> bool:
    """Tell whether a later correction says the same with another value: "… is 5433" before "… is 5432, not 5433"."""
    said = set(_WORD.findall(candidate.text.lower()))
    return any(other.type == CORRECTION and said <= set(_WORD.findall(other.text.lower())) for other in later)


OF_SPEAKER = f"{SPEAKER} "
"""How a statement begins that tells whom it is about."""
NEAR_MESSAGES = 4
"""In which a month was named that "the 15th" is of."""
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
    """Return at most `setting.most_facts`, in the order they were said; the weightiest ones if there are more."""
    told, _ = _read(chunk, _times_of(chunk), setting.max_characters, judge)
    if len(told) > setting.most_facts:
        floor = sorted((candidate.score for candidate, _ in told), reverse=True)[setting.most_facts - 1]
        told = [entry for entry in told if entry[0].score >= floor][: setting.most_facts]
    return [_fact(candidate, dated, setting) for candidate, dated in told]


def find_passing(chunk: Chunk, setting: Setting) -> list[Fact]:
    """Return what the networks find not worth keeping for itself, worded so that it can be compared."""
    found = find_candidates(chunk, "learned")
    passing = [replace(candidate, score=ENOUGH) for candidate in found if candidate.is_passing]
    _, dropped = _read(chunk, _times_of(chunk), setting.max_characters, "learned")
    told = [*_worded(passing, chunk, setting.max_characters), *dropped]
    return [_fact(candidate, dated, setting) for candidate, dated in told]


def _times_of(chunk: Chunk) -> str:
    return " ".join(str(message.at or chunk.now) for message in chunk.messages)


@lru_cache(maxsize=4)
def _read(chunk: Chunk, times: str, max_characters: int, judge: Judge) -> tuple[list[Told], list[Told]]:
    """Return what is worth keeping, and what the second network drops, beside its message.

    What does not stand by itself is kept with what it is about, where that makes it worth keeping. Remembered by
    `times` too, with their zones: the same moment is another day elsewhere.
    """
    chosen = [candidate for candidate in find_candidates(chunk, judge) if candidate.score >= ENOUGH]
    told = _worded(chosen, chunk, max_characters)
    if judge == "rules":
        return told, []
    readings = read_statements(told, chunk)
    worth = [reading.keep if reading else 1.0 for reading in readings]
    open_ends = {
        at for at, (_, dated) in enumerate(told) if worth[at] >= DOUBTED_BELOW and MEANS_SOMEBODY.match(dated.text)
    }
    unclear = [
        at
        for at, keep in enumerate(worth)
        if at in open_ends or (keep < STANDS_FROM and not told[at][1].text.startswith(OF_SPEAKER))
    ]
    fuller = {at: one for at in unclear for one in _worded(with_matter(told[at][0], chunk), chunk, max_characters)}
    for at, reading in zip(fuller, read_statements(list(fuller.values()), chunk), strict=True):
        if reading and (reading.keep > worth[at] or at in open_ends):
            told[at], readings[at], worth[at] = fuller[at], reading, reading.keep
    weak = [at for at, keep in enumerate(worth) if keep < DOUBTED_BELOW]
    alone = read_statements([told[at] for at in weak], chunk, is_alone=True)
    dropped = {at for at, reading in zip(weak, alone, strict=True) if not reading or reading.keep < CLEAR_FROM}
    kept = {
        dated.text: (named(candidate, reading) if reading else candidate, dated)
        for at, ((candidate, dated), reading) in enumerate(zip(told, readings, strict=True))
        if at not in dropped
    }
    return list(kept.values()), [told[at] for at in sorted(dropped)]


def _worded(chosen: Sequence[Candidate], chunk: Chunk, max_characters: int) -> list[Told]:
    """Return each in the words it is kept in, as far as an app has room for them, and each once."""
    told: list[Told] = []
    for candidate, said in _distinct((one, _word(one, chunk.messages[one.message].role)) for one in chosen):
        fitting = next((text for text in (said, *candidate.shorter) if len(text) <= max_characters), said)
        dated = _date(candidate, fitting, chunk)
        if 0 < len(dated.text) <= max_characters:
            told.append((candidate, dated))
    return told


def _date(candidate: Candidate, content: str, chunk: Chunk) -> Dated:
    """Return a statement with its dates written out, the months that its talk names among them."""
    now = chunk.messages[candidate.message].at or chunk.now
    talk = [message.content[-HEAD:] for message in chunk.messages[: candidate.message]][-NEAR_MESSAGES:]
    dated = make_dates_plain(name_month(content, "\n".join(talk)), now)
    return replace(dated, text=content if candidate.is_foreign else begin_sentence(dated.text))


def _word(candidate: Candidate, role: str) -> str:
    """Return the statement in the words it is kept in."""
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


def _fact(candidate: Candidate, dated: Dated, setting: Setting) -> Fact:
    content = dated.text
    entities = find_entities(content, setting.subjects)
    names = tuple(entity.name for entity in entities if entity.name.lower() not in {"user", "assistant"})[:MAX_ENTITIES]
    known = next((entity.name for entity in entities if entity.kind == "subject"), "")
    is_allowed = not setting.categories or candidate.category in setting.categories
    category = candidate.category if candidate.category and is_allowed else ""
    category = category or read_category(content, candidate.evidence, setting.categories)
    kind = read_kind(content, candidate)
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
        strength=read_strength(content, candidate.is_hedged),
        sentiment=read_sentiment(candidate.quote),
        verifiable=_verifiable(candidate, content),
        useful=round(min(1.0, 0.7 + 0.3 * candidate.score), 2),
        entities=names,
        valid_until=dated.end if dated.is_to_come and is_once(content) else None,
    )


def is_once(content: str) -> bool:
    """Tell whether what is said ends with its date: "is on leave until 5 May"."""
    return bool(_UNTIL.search(content))


def _subject(content: str, names: tuple[str, ...]) -> str:
    """Return the service, product or person a statement is about; "" for the user."""
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
    return 0.6 if candidate.is_hedged else 0.9

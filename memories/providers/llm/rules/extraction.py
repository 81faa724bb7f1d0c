"""Find the facts of a conversation without a model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from memories.language.dates.statement_dates import make_dates_plain, name_month
from memories.language.entities import find_entities
from memories.language.extract.answers import read_agreement
from memories.language.extract.clauses import has_verb
from memories.language.extract.context import (
    MATTER,
    QUOTED_CHARACTERS,
    about,
    answered,
    asks_several,
    begins_pointing,
    choose,
    cleaned,
    is_mere_reply,
    is_sound,
    last_question,
    matter_of,
    tells_matter,
    told_of,
    topic_of,
)
from memories.language.extract.conversation import HEAD, SPEAKER, Conversation, read_units
from memories.language.extract.evidence import ENOUGH
from memories.language.extract.labels import read_category, read_importance, read_kind, read_sentiment, read_strength
from memories.language.extract.lexicon import AUXILIARIES, BETWEEN_NAMES, KIN, TITLE, is_base, is_finite
from memories.language.extract.prose import Sentence, read_sentences, without_ordered
from memories.language.extract.statements import (
    CORRECTION,
    DECISION,
    GUESS,
    INSTRUCTION,
    OUTCOME,
    SAID,
    STATEMENT,
    Candidate,
    is_foreign,
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
from memories.providers.judgement_model import BY_ASSISTANT, Reading, is_there, load_judgement_model
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.relation import Judge, reads

KEPT_FROM = 0.6
"""A probability from which a sentence is kept that no rule speaks for."""
DROPPED_BELOW = 0.3
"""And below which a statement of the rules is not."""
PASSING_FROM = 0.005
"""And above which it is kept where it changes what is known."""
SURE = 0.5
"""From this probability on a lesson, or the category of a language that the network cannot read, is believed."""
SCORE = 0.75
"""Of what the network alone finds: above what a plain statement takes, below what the rules are sure of."""
MOST_SENTENCES = 40
NEAR_MESSAGES = 4
"""In which a month was named that "the 15th" is of."""
LEAST_WORDS = 2
HALF_WORDS = 3
ORDERED = (INSTRUCTION, DECISION)
BEFORE_CHARACTERS = 200
"""The end of what was said before: as much as the network was trained with."""
WORD = re.compile(r"[^\W_]+")
REPLY = re.compile(r"(?:yes|yeah|yep|no|nope|nah|not|never|only|both|neither|all)\b", re.IGNORECASE)
"""What an answer begins with that leans on its question."""
DOES = re.compile(r"(?:[\w'-]+ ){1,3}(?:does|do|did|is|are|was|has|have|can|will)(?=$|[,.;])", re.IGNORECASE)
"""Who does what was asked for: "Marjan does"."""
ELIDED = re.compile(r"[a-z]+ed\b,? (?:for|on|at|to|in|from|with|number)\b|done\b|\d", re.IGNORECASE)
"""What is done, without to what: "Booked for 12 January"."""
OF_A_HOUSE = re.compile(r"\b(?:we|our|ours|us)\b", re.IGNORECASE)
"""Whose that is, only the assistant's own word tells."""
ORDER = re.compile(
    r"^(?:(?:please|pls|hey|and|also|can you|could you)[, ]+)*(?:remember|don'?t forget|do not forget|keep in mind|"
    r"note|save|store|memori[sz]e|make a note|take note|merk dir|merke dir|vergiss nicht|denk daran|notier dir|"
    r"souviens-toi|n['’]oublie pas|retiens|note que|recuerda|no olvides|apunta|guarda|"
    r"ricorda|non dimenticare|ricordati|onthoud|vergeet niet)\b"
    r"(?:\s+(?:this|that|for me|to memory|in memory|it|for later|of this))*"
    r"\s*[:,–-]?\s*(?:(?:that|dass|que|che|dat)\b\s*)?",
    re.IGNORECASE,
)
"""An order to remember, which is no part of what is to be remembered."""


def weigh(
    found: Sequence[Candidate], message: Message, sentences: Sequence[Sentence], place: int, talk: Sequence[Message]
) -> list[Candidate]:
    """Return the candidates of a user's message, weighed, with those that the network adds.

    `talk`: the messages before.
    """
    stated = [sentence for sentence in sentences if not sentence.is_question][:MOST_SENTENCES]
    if not stated or not is_there():
        return list(found)
    asked = talk[-1].content if talk and talk[-1].role == ASSISTANT and sentences[0] is stated[0] else ""
    question = last_question(asked)
    before = asked[-BEFORE_CHARACTERS:] if question else ""
    if question and is_mere_reply(question, message.content):
        return [unit for unit in found if unit.type in ORDERED]
    is_told = bool(question) and tells_matter(question) and not asks_several(question)
    topic = "" if is_told else topic_of(asked, said_by(USER, talk))
    stated, is_together = told_together(stated, question) if question else (stated, False)
    texts = [("" if index else before, sentence.text) for index, sentence in enumerate(stated)]
    answers = [unit for unit in found if before and unit.is_joined and overlaps(unit, message, stated[0])]
    readings = load_judgement_model().read([*texts, *(("", unit.text) for unit in answers)])
    joined = {unit.text: reading for unit, reading in zip(answers, readings[len(texts) :], strict=True)}
    weighed = [candidate for candidate in found if not any(overlaps(candidate, message, s) for s in stated)]
    for index, (sentence, reading) in enumerate(zip(stated, readings, strict=False)):
        own = [unit for unit in found if overlaps(unit, message, sentence)]
        units = [weigh_one(unit, worthier(reading, joined.get(unit.text)), sentence) for unit in own]
        worthy = [unit for unit in units if unit.score >= ENOUGH]
        is_settled = any(unit.type in ORDERED for unit in worthy)
        is_joined_well = any(unit.text in joined for unit in worthy) and is_sound(question, sentence.text)
        is_leaning = (is_together and not index) or needs_question(sentence, question, index)
        is_doubtful = is_leaning or any(unit.text in joined or is_in_doubt(unit) for unit in worthy)
        leant_on = question if is_leaning or any(unit.text in joined for unit in worthy) else ""
        if worthy and is_doubtful and not is_settled and not is_joined_well:
            weighed.append(added(message, stated, index, place, leant_on, topic, reading))
        elif worthy:
            weighed += [whole(unit, reading) for unit in units]
        else:
            is_worth_it = reading.keep >= KEPT_FROM or ORDER.match(sentence.text)
            is_added = is_worth_it and len(WORD.findall(sentence.text)) >= (1 if leant_on else LEAST_WORDS)
            # "the backup goes to Backblaze now" sounds so.
            if not is_added and (
                reading.keep >= PASSING_FROM and len(WORD.findall(sentence.text)) >= HALF_WORDS and reads(sentence.text)
            ):
                passing = units or [added(message, stated, index, place, leant_on, topic, reading)]
                units = [replace(unit, score=0.0, is_passing=True) for unit in passing]
            weighed += [added(message, stated, index, place, leant_on, topic, reading)] if is_added else units
    return weighed


def weigh_assistant(
    found: Sequence[Candidate], message: Message, sentences: Sequence[Sentence], place: int, talk: Sequence[Message]
) -> list[Candidate]:
    """Return the candidates of an assistant's message, with the sentences that the network adds.

    "the parcel takes two days", "you have until 31 December". None of the rules' candidates is dropped.
    """
    stated = [sentence for sentence in sentences if not sentence.is_question][:MOST_SENTENCES]
    if not stated or not is_there():
        return list(found)
    readings = load_judgement_model().read([("", f"{BY_ASSISTANT}{sentence.text}") for sentence in stated])
    asked = said_by(USER, talk) if talk and talk[-1].role == USER else []
    weighed = [unit for unit in found if not any(overlaps(unit, message, sentence) for sentence in stated)]
    for index, (sentence, reading) in enumerate(zip(stated, readings, strict=True)):
        own = [unit for unit in found if overlaps(unit, message, sentence)]
        is_known = any(unit.score >= ENOUGH for unit in own)
        is_worth_it = reading.keep >= KEPT_FROM and len(WORD.findall(sentence.text)) >= HALF_WORDS
        if is_known or is_worth_it:
            weighed += in_context(own if is_known else [], sentence, stated[:index], message, place, asked, reading)
        else:
            weighed += own
    return weighed


def in_context(
    own: list[Candidate],
    sentence: Sentence,
    earlier: Sequence[Sentence],
    message: Message,
    place: int,
    asked: list[str],
    reading: Reading,
) -> list[Candidate]:
    """Return what an assistant's sentence says, with what was asked where it does not name that itself."""
    text = cleaned(sentence.text)
    points = begins_pointing(text) or bool(ELIDED.match(text)) or bool(OF_A_HOUSE.search(text))
    points = points or (not own and is_fragment(text))
    question = last_question(asked[-1]) if asked else ""
    is_first = all(len(WORD.findall(one.text)) <= HALF_WORDS for one in earlier)
    is_apart = bool(question) and is_first and not matter_of(question) & matter_of(text)
    if own and not (points or is_apart):
        return own
    if not (points or is_apart):
        return [plain(text, sentence, message, place, reading)]
    if earlier and begins_pointing(text):
        text = f"{cleaned(earlier[-1].text)}. {text}"
    topic = topic_of("", asked)
    if matter_of(question):
        text = answered(cleaned(question), text, said="Assistant said")
    elif topic and not earlier:
        text = about(topic, text, "Assistant")
    elif not OF_A_HOUSE.search(text) and not (earlier and begins_pointing(cleaned(sentence.text))):
        return own or [plain(text, sentence, message, place, reading)]
    elif OF_A_HOUSE.search(text):
        text = f"Assistant said: {text}"
    else:
        return [plain(text, sentence, message, place, reading)]
    said = plain(text, sentence, message, place, reading)
    return [replace(said, is_final=True, type=SAID, shorter=(begin_sentence(cleaned(sentence.text)),))]


def plain(text: str, sentence: Sentence, message: Message, place: int, reading: Reading) -> Candidate:
    """Return a sentence that the network finds worth keeping."""
    quote = message.content[sentence.start : sentence.end]
    kind = INSTRUCTION if reading.kinds["instruction"] >= SURE else SAID
    return named(Candidate(text, place, quote, SCORE, f"worth keeping: {reading.keep:.2f}", kind), reading)


def worthier(reading: Reading, joined: Reading | None) -> Reading:
    return joined if joined and joined.keep > reading.keep else reading


def whole(candidate: Candidate, reading: Reading) -> Candidate:
    """One half of a sentence that is worth keeping is as worthy as the other."""
    is_half = reading.keep >= KEPT_FROM and len(WORD.findall(candidate.text)) >= HALF_WORDS
    return replace(candidate, score=max(candidate.score, SCORE)) if is_half else candidate


def weigh_one(candidate: Candidate, reading: Reading, sentence: Sentence) -> Candidate:
    """With what the network says of its sentence. What it finds worthless is none, as far as it reads the language."""
    is_worthless = reading.keep < DROPPED_BELOW and reads(sentence.text)
    return replace(candidate, score=0.0) if is_worthless else named(candidate, reading)


def named(candidate: Candidate, reading: Reading) -> Candidate:
    category = max(reading.categories, key=lambda name: reading.categories[name])
    is_sure = reading.categories[category] >= SURE or reads(candidate.text)
    is_lesson = candidate.is_lesson or reading.kinds["lesson"] >= SURE
    return replace(candidate, category=category if is_sure else "", is_lesson=is_lesson, worth=reading.keep)


def added(
    message: Message,
    stated: Sequence[Sentence],
    index: int,
    place: int,
    question: str,
    topic: str,
    reading: Reading,
) -> Candidate:
    """Return a sentence in its own words, with what it points back to."""
    sentence = stated[index]
    text, is_final = ORDER.sub("", sentence.text, count=1) or sentence.text, False
    shorter: tuple[str, ...] = (begin_sentence(cleaned(text)),)
    if question:
        answer = choose(question, text if REPLY.match(text) else cleaned(text))
        text, is_final, shorter = answered(question, answer, topic), True, (answered(question, answer), *shorter)
    elif leans_back(text):
        earlier = stated[index - 1].text if index and matter_of(stated[index - 1].text) else ""
        text = f"{cleaned(earlier)}. {cleaned(text)}" if earlier else cleaned(text)
        if topic and index < 2 and (not earlier or leans_back(earlier)):
            text, is_final = about(topic, text), True
    else:
        text = cleaned(text)
    said = plain(text, sentence, message, place, reading)
    return replace(said, is_final=True, type=SAID, shorter=shorter) if is_final else said


def is_in_doubt(candidate: Candidate) -> bool:
    return candidate.is_guess or begins_pointing(candidate.text)


def told_together(stated: list[Sentence], question: str) -> tuple[list[Sentence], bool]:
    """Return the sentences of an answer without what they leave open, and whether they were made one.

    They are where each of them leans on the question or on the one before.
    """
    told = [replace(one, text=told_of(one.text)) for one in stated if told_of(one.text)]
    first = told[0] if told else stated[0]
    if len(told) < 2 or not needs_question(first, question, 0):
        return told or stated, False
    is_one = asks_several(question) or all(is_fragment(one.text) or begins_pointing(one.text) for one in told[1:])
    text = ". ".join(one.text for one in told)
    if not is_one or len(text) > QUOTED_CHARACTERS:
        return told, False
    return [replace(first, text=text, end=stated[-1].end)], True


def needs_question(sentence: Sentence, question: str, index: int) -> bool:
    """Whether a sentence says something only together with the question before it."""
    if not question or index or len(sentence.text) > QUOTED_CHARACTERS:
        return False
    return is_fragment(sentence.text) or begins_pointing(sentence.text) or asks_several(question)


def is_fragment(text: str) -> bool:
    return is_foreign(text) or is_cut(cleaned(text)) or bool(REPLY.match(text)) or bool(DOES.match(cleaned(text)))


def leans_back(text: str) -> bool:
    """Tell whether a sentence says something only together with what was said before it."""
    said = cleaned(text)
    is_brief = is_cut(said) and (len(matter_of(said)) < MATTER or has_verb(said))
    return begins_pointing(said) or bool(REPLY.match(text)) or is_brief


def is_cut(text: str) -> bool:
    """Tell whether a sentence has no subject or no verb: "stays on 1.29", "Monday the 12th"."""
    opens = text.partition(" ")[0].lower()
    is_verb = is_finite(opens) and not is_base(opens) and opens not in AUXILIARIES
    return not is_foreign(text) and (is_verb or not has_verb(text))


def said_by(role: str, talk: Sequence[Message]) -> list[str]:
    return [message.content for message in talk if message.role == role]


def overlaps(candidate: Candidate, message: Message, sentence: Sentence) -> bool:
    start = message.content.find(candidate.quote) if candidate.quote else -1
    return start >= 0 and start < sentence.end and start + len(candidate.quote) > sentence.start


_TOOL_NOTE = re.compile(r"\[[A-Za-z][\w ]*(?:[:→ ][^\[\]\n]{0,400})?\](?!\()")
"""What an agent writes of its tools: "[Bash: pytest → 3 passed]"."""
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
        heard.hear(message, _sentences(message))
    talk = list(chunk.before)
    said_by = [
        (place, speaker, part)
        for place, message in enumerate(chunk.messages)
        for speaker, part in _by_speakers(message)
    ]
    for place, speaker, message in said_by:
        sentences = _sentences(message)
        is_meant = heard.is_meant(message)
        if is_meant:
            reply = next((later.content for later in chunk.messages[place + 1 : place + 2]), "")
            read = _read_user if message.role == USER else _read_assistant
            said = list(read(message, sentences, place, reply, heard))
            if judge == "learned" and message.role == USER:
                said = weigh(said, message, sentences, place, talk)
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
            yield said


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


def _sentences(message: Message) -> list[Sentence]:
    """None of what tools or the system say."""
    if message.role not in {USER, ASSISTANT}:
        return []
    content = message.content
    if message.role == ASSISTANT and "[" in content:
        content = _TOOL_NOTE.sub(lambda match: "\n" * len(match.group()), content)
    return read_sentences(content)


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
    chosen = [candidate for candidate in find_candidates(chunk, judge) if candidate.score >= ENOUGH]
    return _facts(chosen, chunk, setting)


def find_passing(chunk: Chunk, setting: Setting) -> list[Fact]:
    """Return what the network finds not worth keeping for itself, worded so that it can be compared."""
    passing = [candidate for candidate in find_candidates(chunk, "learned") if candidate.is_passing]
    return _facts([replace(candidate, score=ENOUGH) for candidate in passing], chunk, setting)


def _facts(chosen: Sequence[Candidate], chunk: Chunk, setting: Setting) -> list[Fact]:
    worded = [(candidate, _word(candidate, chunk.messages[candidate.message].role)) for candidate in chosen]
    distinct = list(_distinct(worded))
    if len(distinct) > setting.most_facts:
        floor = sorted((candidate.score for candidate, _ in distinct), reverse=True)[setting.most_facts - 1]
        distinct = [entry for entry in distinct if entry[0].score >= floor][: setting.most_facts]
    fitting = [
        (one, next((text for text in (said, *one.shorter) if len(text) <= setting.max_characters), said))
        for one, said in distinct
    ]
    facts = [_fact(candidate, content, chunk, setting) for candidate, content in fitting]
    return [fact for fact in facts if 0 < len(fact.content) <= setting.max_characters]


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


def _fact(candidate: Candidate, content: str, chunk: Chunk, setting: Setting) -> Fact:
    now = chunk.messages[candidate.message].at or chunk.now
    talk = [message.content[-HEAD:] for message in chunk.messages[: candidate.message]][-NEAR_MESSAGES:]
    dated = make_dates_plain(name_month(content, "\n".join(talk)), now)
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
    return 0.6 if candidate.is_hedged or candidate.type == GUESS else 0.9

"""What the network says of the statements of a message: which are worth keeping, and with what they are kept."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from memories.language.dates.statement_dates import Dated
from memories.language.extract.clauses import SOMEBODY, has_verb, strip_report
from memories.language.extract.context import (
    MATTER,
    QUOTED_CHARACTERS,
    about,
    answered,
    asks_several,
    begins_pointing,
    choose,
    cleaned,
    is_about,
    is_general,
    is_mere_reply,
    is_sound,
    last_question,
    matter_of,
    names_choice,
    names_matter,
    put_together,
    takes_back,
    tells_matter,
    told_of,
    topic_of,
    without_taking_back,
)
from memories.language.extract.conversation import SPEAKER
from memories.language.extract.evidence import ENOUGH
from memories.language.extract.lexicon import AUXILIARIES, NOUNLIKE, is_base, is_finite
from memories.language.extract.prose import Sentence, is_errand, is_offer, read_sentences
from memories.language.extract.statements import (
    CORRECTION,
    DECISION,
    INSTRUCTION,
    SAID,
    Candidate,
    is_excuse,
    is_foreign,
)
from memories.language.extract.wording import begin_sentence
from memories.language.messages import ASSISTANT, USER, Message
from memories.language.standing import standing_parts
from memories.providers.judgement_model import (
    BY_ASSISTANT,
    STATEMENTS_FILE,
    Reading,
    is_there,
    load_judgement_model,
)
from memories.providers.llm.provider import Chunk
from memories.providers.relation import reads_well

KEPT_FROM = 0.6
"""A probability from which a sentence is kept that no rule speaks for."""
ANSWER_KEPT_FROM = 0.35
"""And an answer to a question that offers nothing."""
DROPPED_BELOW = 0.3
"""And below which a statement of the rules is not."""
STANDS_FROM, DOUBTED_BELOW, CLEAR_FROM = 0.5, 0.1, 0.6
"""A probability from which a statement stands by itself, read beside its message; below which it is dropped; and from
which it is not, read without what was said before: "I like tea", after an offer."""
PASSING_FROM = 0.005
"""And above which it is kept where it changes what is known."""
SURE = 0.5
"""From this probability on a lesson, or the category of a language that the network cannot read, is believed."""
SCORE = 0.75
"""Of what the network alone finds: above what a plain statement takes, below what the rules are sure of."""
MOST_SENTENCES = 40
SHORT_WORDS = 5
LEAST_WORDS = 2
HALF_WORDS = 3
ORDERED = (INSTRUCTION, DECISION)
KINDS_KEPT = {"plan": "project", "instruction": "preference"}
"""What the network tells apart, by what it is kept as."""
BEFORE_CHARACTERS = 200
"""The end of what was said before: as much as the network was trained with."""
EARLIER_CHARACTERS, QUOTE_CHARACTERS = 160, 240
"""Of the message before, and of the sentence, that a statement is read with."""
WHO = {USER: "User", ASSISTANT: "Assistant"}
Told = tuple[Candidate, Dated]
"""A statement, and the words it would be kept in."""
WORD = re.compile(r"[^\W_]+")
REPLY = re.compile(
    r"(?:yes|yeah|yep|no|nope|nah|not|never|only|both|neither|all)\b|"
    r"(?:about |around )?(?:[a-z]*-?\d[\w-]*|two|three|four|five|six|seven|eight|nine|ten|twelve)(?=,)",
    re.IGNORECASE,
)
"""What an answer begins with that leans on its question."""
DOES = re.compile(r"(?:[\w'-]+ ){1,3}(?:does|do|did|is|are|was|has|have|can|will)(?=$|[,.;])", re.IGNORECASE)
"""Who does what was asked for: "Marjan does"."""
ELIDED = re.compile(r"[a-z]+ed\b,? (?:for|on|at|to|in|from|with|number)\b|done\b|\d", re.IGNORECASE)
"""What is done, without to what: "Booked for 12 January"."""
DOES_TO_IT = re.compile(
    r"(?:I|we)(?:['’]ve| have| also| just)* \w+ (?:its?|them|their|both|th[ai]t|this)\b", re.IGNORECASE
)
"""To what, was told before."""
HAS_DONE_IT = re.compile(r"(?:(?:I|we)(?:['’]ve| have)? )?(?:already|just) \w+ (?:it|them|that|this)\b", re.IGNORECASE)
ENDS_POINTING = re.compile(r"\b(?:on|in|with|to|for|at|of|from|about) (?:it|them)$", re.IGNORECASE)
OPEN_QUESTION = re.compile(r"(?:how|what(?! about\b)|which|who|where|when|any|anything)\b", re.IGNORECASE)
SHORT_ANSWER = 8
"""Words of an answer that may say little without such a question."""
MEANS_SOMEBODY = re.compile(rf"(?:User|The team)(?!['’])[^A-Z,.;:]*? {SOMEBODY}(?=[ .]|$)")
"""A statement of somebody who is not named in it: "User sees her on Mondays"."""
ASKS_FOR_ANY = re.compile(r"(?:and )?(?:do|have) you (?:have|take|got) any\b", re.IGNORECASE)
"""Something of the user's, whatever was spoken of: "Do you have any allergies?"."""
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
        return [unit for unit in found if unit.type in ORDERED and not is_mere_reply(question, unit.text)]
    is_told = tells_matter(question, 1 if ASKS_FOR_ANY.match(question) else MATTER) and not asks_several(question)
    matter = topic_of(asked, said_by(USER, talk))
    topic = matter if not is_told else "" if has_verb(question) else topic_of("", said_by(USER, talk))
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
        is_settled = any(
            unit.type in ORDERED and not names_choice(unit.text) and not (question and not index and is_cut(unit.text))
            for unit in worthy
        )
        is_joined_well = any(unit.text in joined for unit in worthy) and is_sound(question, sentence.text)
        is_joined_well = is_joined_well and not any(map(begins_pointing, sentence.text.split(". ")[1:]))
        is_leaning = (is_together and not index) or needs_question(sentence, question, index)
        is_doubtful = is_leaning or any(unit.text in joined or is_in_doubt(unit) for unit in worthy)
        leant_on = question if is_leaning or any(unit.text in joined for unit in worthy) else ""
        if worthy and is_doubtful and not is_settled and not is_joined_well:
            weighed.append(added(message, stated, index, place, leant_on, topic if leant_on else matter, reading))
        elif worthy:
            weighed += [whole(unit, reading) for unit in units]
        else:
            least = ANSWER_KEPT_FROM if leant_on and not is_offer(question) else KEPT_FROM
            is_told = bool(leant_on) or not (is_excuse(sentence.text) or is_errand(cleaned(sentence.text)))
            is_worth_it = reading.keep >= least and is_told
            is_worth_it = is_worth_it or bool(ORDER.match(sentence.text))
            is_worth_it = is_worth_it or (bool(leant_on) and answers_in_own_language(sentence.text))
            whole_sentence = added(message, stated, index, place, leant_on, topic if leant_on else matter, reading)
            is_added = is_worth_it and len(WORD.findall(sentence.text)) >= (1 if leant_on else LEAST_WORDS)
            # "the backup goes to Backblaze now" sounds so.
            is_passing = reading.keep >= PASSING_FROM and reads_well(sentence.text)
            if not is_added and is_passing and len(WORD.findall(sentence.text)) >= HALF_WORDS:
                passing = units or [whole_sentence]
                units = [replace(unit, score=0.0, is_passing=True) for unit in passing]
            weighed += [whole_sentence] if is_added else units
    return weighed


def weigh_assistant(
    found: Sequence[Candidate], message: Message, sentences: Sequence[Sentence], place: int, talk: Sequence[Message]
) -> list[Candidate]:
    """Return the candidates of an assistant's message, with the sentences that the network adds.

    "the parcel takes two days", "you have until 31 December". A mistake that it owns up to is kept whatever that says.
    """
    stated = [sentence for sentence in sentences if not sentence.is_question][:MOST_SENTENCES]
    if not stated or not is_there():
        return list(found)
    readings = load_judgement_model().read([("", f"{BY_ASSISTANT}{sentence.text}") for sentence in stated])
    asked = said_by(USER, talk) if talk and talk[-1].role == USER else []
    weighed = [unit for unit in found if not any(overlaps(unit, message, sentence) for sentence in stated)]
    for index, (sentence, reading) in enumerate(zip(stated, readings, strict=True)):
        if is_general(sentence.text):
            continue
        own = [unit for unit in found if overlaps(unit, message, sentence) and not unit.is_guess]
        own = [unit if unit.type == CORRECTION else weigh_one(unit, reading, sentence) for unit in own]
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
    text = strip_report(cleaned(sentence.text))
    points = begins_pointing(text) or bool(ELIDED.match(text)) or bool(OF_A_HOUSE.search(text))
    points = points or (not own and is_fragment(text)) or bool(DOES_TO_IT.match(text))
    question = last_question(asked[-1]) if asked else ""
    is_first = all(len(WORD.findall(one.text)) <= HALF_WORDS for one in earlier)
    is_apart = bool(question) and is_first and not matter_of(question) & matter_of(text)
    if own and not (points or is_apart):
        return own
    if not (points or is_apart):
        return [plain(text, sentence, message, place, reading)]
    if earlier and (begins_pointing(text) or DOES_TO_IT.match(text)):
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
    is_half = candidate.score > 0 and reading.keep >= KEPT_FROM and len(WORD.findall(candidate.text)) >= HALF_WORDS
    return replace(candidate, score=max(candidate.score, SCORE)) if is_half else candidate


def weigh_one(candidate: Candidate, reading: Reading, sentence: Sentence) -> Candidate:
    """With what the network says of its sentence. What it finds worthless is none, as far as it reads the language."""
    is_standing = candidate.type == INSTRUCTION and any(standing_parts(candidate.text, None))
    is_worthless = reading.keep < DROPPED_BELOW and reads_well(sentence.text) and not is_standing
    return replace(candidate, score=0.0) if is_worthless else named(candidate, reading)


def named(candidate: Candidate, reading: Reading) -> Candidate:
    category = max(reading.categories, key=lambda name: reading.categories[name])
    is_sure = reading.categories[category] >= SURE or reads_well(candidate.text)
    kind = next((name for name, share in reading.kinds.items() if share >= SURE), "")
    return replace(
        candidate,
        category=category if is_sure else "",
        kind=KINDS_KEPT.get(kind, kind),
        is_lesson=candidate.is_lesson or kind == "lesson",
        worth=max(candidate.worth, reading.keep),
    )


def read_statements(told: Sequence[Told], chunk: Chunk, *, is_alone: bool = False) -> list[Reading | None]:
    """Return what the network says of each, read beside the message that it was made of, and the one before.

    Without that if `is_alone`. None of a user's instructions, of what was ordered to be remembered, and of what the
    network cannot read.
    """
    open_to_doubt = [is_open_to_doubt(candidate, dated, chunk) for candidate, dated in told]
    if not any(open_to_doubt) or not is_there():
        return [None] * len(told)
    messages = [*chunk.before, *chunk.messages]
    texts: list[tuple[str, str]] = []
    for candidate, dated in itertools.compress(told, open_to_doubt):
        at = len(chunk.before) + candidate.message
        before = messages[at - 1] if at and not is_alone else None
        said = candidate.quote or messages[at].content
        texts.append((beside(said, messages[at].role, before), dated.text))
    readings = iter(load_judgement_model(STATEMENTS_FILE).read(texts))
    return [next(readings) if is_open else None for is_open in open_to_doubt]


def is_open_to_doubt(candidate: Candidate, dated: Dated, chunk: Chunk) -> bool:
    is_ordered = candidate.type == INSTRUCTION and chunk.messages[candidate.message].role == USER
    return not is_ordered and not ORDER.match(candidate.quote) and reads_well(dated.text)


def with_matter(candidate: Candidate, chunk: Chunk) -> list[Candidate]:
    """Return the sentence of a statement in its own words, with the question it answers, or what it is about.

    None if that is told or unknown.
    """
    if candidate.is_final:
        return []
    messages = [*chunk.before, *chunk.messages]
    at = len(chunk.before) + candidate.message
    message, said = messages[at], cleaned(candidate.quote or messages[at].content).rstrip(" .")
    own = message.content.partition(candidate.quote)[0].strip() if candidate.quote else ""
    is_reply = at and not own and (message.role, messages[at - 1].role) == (USER, ASSISTANT)
    question = last_question(messages[at - 1].content) if is_reply and not candidate.is_joined else ""
    is_open = OPEN_QUESTION.match(question) and tells_matter(question, 1) and not asks_several(question)
    question = question if is_open and len(said.split()) <= SHORT_ANSWER else ""
    topic = "" if question else topic_of("", [*said_by(USER, messages[:at]), own])
    text = answered(question, said) if question else about(topic, said, WHO[message.role])
    return [replace(candidate, text=text, is_final=True, type=SAID, shorter=())] if question or topic else []


def beside(said: str, role: str, before: Message | None) -> str:
    """Return what a statement is read with: the sentence it was made of, after the end of the message before."""
    lead = f"{WHO.get(before.role, WHO[USER])}: {before.content[-EARLIER_CHARACTERS:]} " if before else ""
    return f"{lead}{WHO[role]}: {said[:QUOTE_CHARACTERS]}"


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


def put_right(
    said: list[Candidate],
    found: list[Candidate],
    message: Message,
    sentences: Sequence[Sentence],
    place: int,
    talk: Sequence[Message],
) -> tuple[list[Candidate], list[Candidate]]:
    """Return both, what a message says and what was found before it, where its speaker takes back their own words.

    What was taken back is kept with what is right: "book the court for Wednesday", "hm no wait, Thursday, same time".
    """
    stated = [sentence for sentence in sentences if not sentence.is_question]
    is_asked = bool(talk) and bool(last_question(talk[-1].content))
    at = next((at for at, sentence in enumerate(stated) if takes_back(sentence.text, is_asked)), len(stated))
    if at == len(stated):
        return said, found
    last = next((one for one in reversed(talk) if (one.role, one.speaker) == (USER, message.speaker)), message)
    own = [(message, sentence) for sentence in stated[:at]]
    own += [(last, sentence) for sentence in sentences_of(last) if last is not message]
    own = [(one, sentence) for one, sentence in own if names_matter(sentence.text) and not sentence.is_question]
    if not own:
        return said, found
    right = [stated[at]]
    for sentence in stated[at + 1 :]:
        is_short = len(WORD.findall(sentence.text)) <= SHORT_WORDS
        if not (is_short or is_fragment(sentence.text) or leans_back(sentence.text)):
            break
        right.append(sentence)
    told = ". ".join(sentence.text for sentence in right)
    text = without_taking_back(told)
    matter = matter_of(text)
    of, wrong = max(reversed(own), key=lambda one: len(matter_of(one[1].text) & matter))
    is_of_it = (not (at and is_asked) or bool(matter_of(wrong.text) & matter)) and is_about(told, wrong.text)
    here = [unit for unit in said if any(overlaps(unit, message, sentence) for sentence in right)]
    is_settled = any(unit.type in (CORRECTION, *ORDERED) for unit in here if unit.score >= ENOUGH)
    is_long = len(text) + len(wrong.text) > 2 * QUOTED_CHARACTERS
    if is_settled or not is_of_it or not matter or of is message or is_long:
        return said, found
    replaced = [unit for unit in found if overlaps(unit, of, wrong)]
    category = next((unit.category for unit in replaced if unit.category), "")
    quote = message.content[right[0].start : right[-1].end]
    both = put_together(cleaned(wrong.text), text, message.speaker or SPEAKER)
    corrected = Candidate(both, place, quote, SCORE, "taken back", SAID, is_final=True, category=category)
    rest = [unit for unit in said if unit not in here]
    return [*rest, corrected], [unit for unit in found if unit not in replaced]


def answers_in_own_language(text: str) -> bool:
    """Tell whether a text that the network cannot read says more than a word or two of courtesy."""
    return not reads_well(text) and (len(matter_of(text)) >= MATTER or bool(re.search(r"\d|\w\W+[A-ZÀ-Ý]", text)))


def is_in_doubt(candidate: Candidate) -> bool:
    is_open = begins_pointing(candidate.text) or bool(ENDS_POINTING.search(candidate.text))
    return candidate.is_guess or is_open or names_choice(candidate.text)


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
    opens = said.partition(" ")[0].lower()
    is_order = is_base(opens) and opens not in NOUNLIKE and " " in said
    is_brief = is_cut(said) and not is_order and (len(matter_of(said)) < MATTER or has_verb(said))
    is_open = begins_pointing(said) or names_choice(said) or bool(HAS_DONE_IT.match(said) or ENDS_POINTING.search(said))
    return is_open or bool(REPLY.match(text)) or is_brief


def is_cut(text: str) -> bool:
    """Tell whether a sentence has no subject or no verb: "stays on 1.29", "Monday the 12th"."""
    opens = text.partition(" ")[0].lower()
    is_verb = (is_finite(opens) and not is_base(opens) and opens not in AUXILIARIES) or text[:8].lower() == "used to "
    return not is_foreign(text) and (is_verb or not has_verb(text))


def said_by(role: str, talk: Sequence[Message]) -> list[str]:
    return [message.content for message in talk if message.role == role]


def overlaps(candidate: Candidate, message: Message, sentence: Sentence) -> bool:
    start = message.content.find(candidate.quote) if candidate.quote else -1
    return start >= 0 and start < sentence.end and start + len(candidate.quote) > sentence.start


TOOL_NOTE = re.compile(r"\[[A-Za-z][\w ]*(?:[:→ ][^\[\]\n]{0,400})?\](?!\()")
"""What an agent writes of its tools: "[Bash: pytest → 3 passed]"."""


def sentences_of(message: Message) -> list[Sentence]:
    """None of what tools or the system say."""
    if message.role not in {USER, ASSISTANT}:
        return []
    content = message.content
    if message.role == ASSISTANT and "[" in content:
        content = TOOL_NOTE.sub(lambda match: "\n" * len(match.group()), content)
    return read_sentences(content)

"""Which sentences of a user are worth keeping, as the network of `judgement_model` reads them.

The rules find statements and word them; the network says which of them are worth it, and finds those that the rules
know no form of: "I'm left-handed", "Dentist next Friday at 3pm", "yes, peanuts" where somebody had asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.providers.judgement_model import Reading, is_there, load_judgement_model
from memories.providers.llm.rules.candidate import DECISION, INSTRUCTION, SAID, Candidate
from memories.providers.llm.rules.evidence import ENOUGH
from memories.providers.llm.rules.prose import Sentence
from memories.providers.relation import reads
from memories.text.messages import Message

KEPT_FROM = 0.6
"""A probability from which a sentence is kept that no rule speaks for."""
DROPPED_BELOW = 0.3
"""And below which a statement of the rules is not."""
PASSING_FROM = 0.005
"""And above which it is kept where it changes what is known."""
SURE = 0.5
"""From this probability on a category, or that it is a lesson, is believed."""
SCORE = 0.75
"""Of what the network alone finds: above what a plain statement takes, below what the rules are sure of."""
MOST_SENTENCES = 40
LEAST_WORDS = 2
HALF_WORDS = 3
ORDERED = (INSTRUCTION, DECISION)
ANSWER_WORDS = 12
QUOTED_CHARACTERS = 160
BEFORE_CHARACTERS = 200
"""The end of what was said before: as much as the network was trained with."""
WORD = re.compile(r"[^\W_]+")
POINTING = re.compile(
    r"^(?:(?:and|but|so|because|also|yes|no|yeah|yep|nope|well|ok|okay)\b[,\s]*)*"
    r"(?:it|it's|its|that|that's|this|these|those|they|they're|he|he's|she|she's|there|both|one|ones)\b",
    re.IGNORECASE,
)
"""How a sentence begins whose subject is in what was said before."""
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
LAST_QUESTION = re.compile(r"([^.!?\n]*\?)[^?]*$")


def weigh(
    found: Sequence[Candidate], message: Message, sentences: Sequence[Sentence], place: int, before: str
) -> list[Candidate]:
    """The candidates of a user's message, weighed, with those that the network adds.

    `before`: what somebody else said last, empty if nobody has.
    """
    told = [one for one in sentences if not one.is_question][:MOST_SENTENCES]
    if not told or not is_there():
        return list(found)
    before = before[-BEFORE_CHARACTERS:] if "?" in before else ""
    texts = [(before if one is sentences[0] else "", one.text) for one in told]
    answers = [one for one in found if before and is_joined(one, message, told[0])]
    readings = load_judgement_model().read([*texts, *(("", one.text) for one in answers)])
    joined = {one.text: reading for one, reading in zip(answers, readings[len(texts) :], strict=True)}
    kept = [one for one in found if not any(overlaps(one, message, sentence) for sentence in told)]
    for at, (sentence, reading) in enumerate(zip(told, readings, strict=False)):
        units = [
            weigh_one(one, worthier(reading, joined.get(one.text)), sentence)
            for one in found
            if overlaps(one, message, sentence)
        ]
        stated = [one for one in units if one.score >= ENOUGH]
        if (
            stated
            and is_answer(sentence, before, at)
            and not any(one.type in ORDERED or one.text in joined for one in stated)
        ):
            kept.append(added(message, told, at, place, before, reading))
        elif stated:
            kept += [whole(one, reading) for one in units]
        else:
            is_worth_it = reading.keep >= KEPT_FROM or ORDER.match(sentence.text)
            is_told = is_worth_it and len(WORD.findall(sentence.text)) >= LEAST_WORDS
            if not is_told and may_change(sentence, reading):
                passing = units or [added(message, told, at, place, before, reading)]
                units = [replace(one, score=0.0, is_passing=True) for one in passing]
            kept += [added(message, told, at, place, before, reading)] if is_told else units
    return kept


def is_joined(candidate: Candidate, message: Message, sentence: Sentence) -> bool:
    """Whether it says an answer and what was asked: "my order number is 55-1207" where "55-1207" was said."""
    return overlaps(candidate, message, sentence) and candidate.text.casefold() not in sentence.text.casefold()


def worthier(reading: Reading, joined: Reading | None) -> Reading:
    return joined if joined and joined.keep > reading.keep else reading


def may_change(sentence: Sentence, reading: Reading) -> bool:
    """Whether it may be at odds with something known, however slight: "the backup goes to Backblaze now" sounds so."""
    return reading.keep >= PASSING_FROM and len(WORD.findall(sentence.text)) >= HALF_WORDS and reads(sentence.text)


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
    is_sure = reading.categories[category] >= SURE
    is_lesson = candidate.is_lesson or reading.kinds["lesson"] >= SURE
    return replace(candidate, category=category if is_sure else "", is_lesson=is_lesson, worth=reading.keep)


def added(
    message: Message, told: Sequence[Sentence], at: int, place: int, before: str, reading: Reading
) -> Candidate:  # fmt: skip
    """A sentence in its own words, with what it points back to."""
    sentence = told[at]
    quote = message.content[sentence.start : sentence.end]
    text, is_final = ORDER.sub("", sentence.text, count=1) or sentence.text, False
    if at and POINTING.match(text):
        text = f"{told[at - 1].text}. {text}"
    elif question := question_of(sentence, before, at):
        text, is_final = f'Asked "{question}", User said: {sentence.text}', True
    kind = INSTRUCTION if reading.kinds["instruction"] >= SURE else SAID
    evidence = f"worth keeping: {reading.keep:.2f}"
    return named(Candidate(text, place, quote, SCORE, evidence, kind, is_final), reading)


def is_answer(sentence: Sentence, before: str, at: int) -> bool:
    return bool(question_of(sentence, before, at)) and bool(POINTING.match(sentence.text))


def question_of(sentence: Sentence, before: str, at: int) -> str:
    """The question that a short answer answers; empty where it says all by itself."""
    asked = LAST_QUESTION.search(before)
    is_short = len(sentence.text.split()) <= ANSWER_WORDS
    return asked[1].strip()[-QUOTED_CHARACTERS:] if asked and at == 0 and is_short else ""


def overlaps(candidate: Candidate, message: Message, sentence: Sentence) -> bool:
    start = message.content.find(candidate.quote) if candidate.quote else -1
    return start >= 0 and start < sentence.end and start + len(candidate.quote) > sentence.start

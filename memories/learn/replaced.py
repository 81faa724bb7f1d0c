"""Which of the things to come a user's message takes back, as the network of `memories.providers.relation` judges."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memories.providers.judgement_model import is_there
from memories.providers.llm.rules.prose import read_sentences
from memories.providers.relation import judgements
from memories.retrieve.question import STOP_WORDS

REPLACED_FROM = 0.5
"""A probability from which what was to come is taken to be over."""
MOST_SENTENCES = 20
MOST_PAIRS = 16
STEM = 5
WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w{3,}")
FEW = 4
CHANGE = re.compile(
    r"n['’]t\b|\b(?:not|no|never|cancel\w*|off|instead|quit|over|moved|postponed|broke|sold)\b", re.IGNORECASE
)
"""Of so few things to come, a sentence with one of these words may take back any: "the wedding isn't happening"."""
DAYS = {
    "MO": r"mon(?:day)?s?", "TU": r"tue(?:s|sday)?s?", "WE": r"wed(?:nesday)?s?", "TH": r"thu(?:rs|rsday)?s?",
    "FR": r"fri(?:day)?s?", "SA": r"sat(?:urday)?s?", "SU": r"sun(?:day)?s?",
}  # fmt: skip
ONLY = re.compile(r"\b(?:only|just|once a week)\b", re.IGNORECASE)
"""The days that are named with it are those that stay."""
BY_DAY = re.compile(r"(BYDAY=)([A-Z]{2}(?:,[A-Z]{2})+)")


def find_replaced(told: Mapping[int, str], said: str) -> dict[int, str]:
    """Return the sentence that takes it back, by the key of what was told to come."""
    if not told or not is_there():
        return {}
    sentences = [one.text for one in read_sentences(said) if not one.is_question][:MOST_SENTENCES]
    stems = {sentence: stems_of(sentence) for sentence in sentences}
    known = {key: stems_of(message) for key, message in told.items()}
    asked = [
        (key, sentence)
        for sentence in sentences
        for key in told
        if stems[sentence] & known[key] or (len(told) <= FEW and CHANGE.search(sentence))
    ][:MOST_PAIRS]
    judged = judgements([(told[key], sentence, "") for key, sentence in asked])
    return {
        key: sentence
        for (key, sentence), judgement in zip(asked, judged, strict=True)
        if judgement.at_odds >= REPLACED_FROM
    }


def stems_of(text: str) -> set[str]:
    return {word[:STEM] for word in WORD.findall(text.casefold()) if word not in STOP_WORDS}


def without_days_of(rule: str, sentence: str) -> str:
    """Return the rule (RFC 5545) without the weekdays that the sentence gives up; empty where none or all are."""
    found = BY_DAY.search(rule)
    if not found:
        return ""
    days = found[2].split(",")
    named = {day for day in days if re.search(rf"\b{DAYS[day]}\b", sentence, re.IGNORECASE)}
    is_all = bool(ONLY.search(sentence))
    kept = [day for day in days if (day in named) == is_all]
    return BY_DAY.sub(lambda match: match[1] + ",".join(kept), rule) if kept and named else ""

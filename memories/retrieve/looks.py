"""How a memory's text looks: small facts that say whether it is likely to answer anything. One bit each."""

from __future__ import annotations

import re
from enum import IntFlag


class Look(IntFlag):
    READ = 1
    FIRST_PERSON = 2
    PAST = 4
    NUMBERS = 8
    TIMES = 16
    NAMES = 32
    GREETING = 64
    ASKS = 128
    ADDRESSES = 256


PATTERNS: dict[Look, re.Pattern[str]] = {
    Look.FIRST_PERSON: re.compile(r"\b(i|i['’](m|ve|d|ll)|my|me|we|we['’](re|ve)|our|mine)\b", re.IGNORECASE),
    Look.PAST: re.compile(
        r"\b(was|were|went|got|had|did|took|made|saw|started|bought|found|met|\w+ed)\b", re.IGNORECASE
    ),
    Look.NUMBERS: re.compile(
        r"\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|several|once|twice|first|second|third)\b",
        re.IGNORECASE,
    ),
    Look.TIMES: re.compile(
        r"\b(yesterday|today|tonight|tomorrow|ago|last|next"
        r"|this (week|month|year|weekend|morning|summer|winter|spring|fall)|week(end)?s?|months?|years?|days?"
        r"|(mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
        r"|november|december|recently|since|just|soon|\d{4})\b",
        re.IGNORECASE,
    ),
    Look.NAMES: re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|\"[^\"]+\"|[A-Z]{2,}"),
    Look.GREETING: re.compile(
        r"^(hey|hi|hello|thanks|thank you|wow|yeah|cool|awesome|great|nice|congrats|sounds|haha|lol|ok|okay|oh|aw+"
        r"|that's|glad)\b",
        re.IGNORECASE,
    ),
    Look.ASKS: re.compile(r"\?\W*$"),
    Look.ADDRESSES: re.compile(r"\b(you|your|you['’]re)\b", re.IGNORECASE),
}
ATTACHMENT = re.compile(r"\s*\[[^\]]*\]?\s*$")


def look_of(text: str, subject: str | None) -> Look:
    """Of the text without the "Subject: " that may lead it and without a bracketed note at its end."""
    body = ATTACHMENT.sub("", text.removeprefix(f"{subject}: "))[-MAX_CHARACTERS:]
    look = Look.READ
    for bit, pattern in PATTERNS.items():
        if pattern.search(body):
            look |= bit
    return look


# Enough to see a form; the patterns would be slow on a book.
MAX_CHARACTERS = 5000

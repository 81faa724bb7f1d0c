"""Whether a model's statement was made: its names, figures and words were said, and said as a statement."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from memories.language.dates.windows import find_windows
from memories.language.similarity import find_said, unsaid_words, used_share

ENOUGH_SAID = 0.5
"""The share of a statement's words that somebody said; names and figures all have to be."""
ALIKE = 0.6
"""How much of each other's words a statement and an example of the prompt have, to pass for the same."""
ONLY_SUGGESTED = "the assistant only asked, offered or suggested it"
_CLOCK = re.compile(
    r"\b\d{1,2}(?::\d{2}(?::\d{2})?\s?(?:[ap]\.?m\.?)?|\s?(?:[ap]\.?m\.?|o['’]clock|Uhr|h))(?!\w)", re.IGNORECASE
)
_DAY = re.compile(r"\b(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{4})?|(?:19|20)\d{2})\b")
_QUESTION = re.compile(r"[?？؟][\s\"'”’)*_]*$")
_SUGGESTION = re.compile(
    r"^\W*(?:(?:so|then|also|and|ok(?:ay)?|sure|great|if you (?:like|want|prefer),?|alternatively|next),? )*"
    r"(?:i(?:['’]d| would| could| can| might| suggest| recommend| propose|['’]m happy to)\b"
    r"|(?:you|we|one) (?:could|can|might|may|should|would)\b"
    r"|(?:shall|should|may|can|could|would|do|want) (?:i|we|you|me)\b"
    r"|let me know\b|let['’]s\b|how about\b|what about\b|why not\b|consider\b|maybe\b|perhaps\b|try\b"
    r"|(?:my |one |a )?(?:suggestion|proposal|recommendation|option|idea)s?\b|feel free\b|would you\b"
    r"|soll(?:en|te)? (?:ich|wir)\b|(?:ich|wir|du|sie) (?:könnten?|würden?|sollten?|schlage|empfehle)\w*\b|vielleicht\b"
    r"|möchte(?:st|n)? (?:du|sie)\b|wie wäre\b"
    r"|(?:je|nous|vous|tu) (?:pourr|devr|propos|suggèr|recommand)\w*|peut-être\b|voulez-vous\b|veux-tu\b"
    r"|(?:podría|debería|sugiero|recomiendo|propongo|quizás?|tal vez|quieres|¿)\w*)",
    re.IGNORECASE,
)
_OWN_WORK = re.compile(
    r"^\W*(?:(?:done|ok(?:ay)?|great|noted|sure)[,.:!—–-]* )*(?:i|we|ich|wir)(?:['’]ve|['’]m)? ", re.IGNORECASE
)
_OF_YOU = re.compile(r"\b(?:you|your|yours|du|dir|dich|dein\w*|sie|ihr\w*)\b", re.IGNORECASE)
_THE_USER = re.compile(r"^(?P<the>the )?user\b(?!['’]s)", re.IGNORECASE)


def doubt_about(content: str, said: str, now: datetime) -> str:
    """Return what of a statement nobody said, dates excepted; "" where it is grounded."""
    missing = unsaid_words(without_dates(content, now), said)
    if missing.names:
        return f"nobody said {', '.join(missing.names[:5])}"
    if missing.share_said < ENOUGH_SAID:
        return f"nobody said {', '.join(missing.words[:5])}"
    return ""


def without_dates(text: str, now: datetime) -> str:
    """Return a text without its days and clock times, which a model works out."""
    for window in reversed(find_windows(text, now)):
        begin, end = window.span
        text = f"{text[:begin]} {text[end:]}"
    return _DAY.sub(" ", _CLOCK.sub(" ", text))


def is_suggestion(message: str, quote: str, content: str) -> bool:
    """Return whether the sentence of an assistant that comes nearest to a statement asks, offers or suggests it."""
    sentence = sentence_of(message, quote or content)
    return bool(_QUESTION.search(sentence) or _SUGGESTION.match(sentence))


def sentence_of(message: str, words: str) -> str:
    """Return the sentence that has the words, or most of them; "" if none has any."""
    span = find_said(message, words)
    if span is None:
        return ""
    begin = max((found.end() for found in re.finditer(r"[.!?:;\n]\s", message[: span[0]])), default=0)
    behind = re.search(r"[.!?？。](?=\s|\Z)|\n", message[span[1] - 1 :])
    return message[begin : span[1] - 1 + behind.end() if behind else len(message)].strip()


def attributed(content: str, message: str, quote: str) -> str:
    """Return an assistant's report of its own work as what the assistant, not the user, has done."""
    sentence = sentence_of(message, quote or content)
    if not _OWN_WORK.match(sentence) or _OF_YOU.search(sentence):
        return content
    return _THE_USER.sub(lambda found: f"{found['the'] or 'The '}assistant", content, count=1)


def is_of_example(content: str, examples: Iterable[str], said: str) -> bool:
    """Return whether a statement is one of the prompt's examples in about its words, and nobody said it here."""
    near = any(used_share(example, content) >= ALIKE and used_share(content, example) >= ALIKE for example in examples)
    return near and unsaid_words(content, said).share_said < ALIKE

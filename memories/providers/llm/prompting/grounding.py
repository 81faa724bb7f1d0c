"""Whether a model's statement was made: its names, figures and words were said, and said as a statement."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from memories.language.dates.windows import find_windows
from memories.language.similarity import find_said, unsaid_words, used_share

ENOUGH_SAID, FEWEST_WORDS_SAID = 0.5, 0.34
"""The share of a statement that somebody said, and of its words that are no names; names and figures all have to be.

Of 410 facts that people found in conversations and worded in their own way, four in five reach both in one message and
its context.
"""
ALIKE = 0.6
"""How much of each other's words a statement and an example of the prompt have, to pass for the same."""
ONLY_SUGGESTED = "the assistant only asked, offered or suggested it"
_CLOCK = re.compile(
    r"\b\d{1,2}(?::\d{2}(?::\d{2})?\s?(?:[ap]\.?m\.?)?|\s?(?:[ap]\.?m\.?|o['’]clock|Uhr|h))(?!\w)", re.IGNORECASE
)
_DAY = re.compile(r"\b(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{4})?|(?:19|20)\d{2})\b")
_QUESTION = re.compile(r"[?？؟][\s\"'”’)*_]*$")
_ASKS = re.compile(r"[?？؟]")
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
_AGREES = re.compile(
    r"\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|right|exactly|correct|agreed|deal|please|perfect|fine|both|do\b(?! not)"
    r"|go (?:ahead|for|with)|sounds (?:good|right|fine)|that works|let['’]s|the (?:first|second|last|former|latter)"
    r"|ja|jo|genau|gerne?|klar|stimmt|einverstanden|mach|passt|oui|d['’]accord|bien sûr|sí|vale|claro|de acuerdo)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|there"
    r"|er|sie|es|ihn|ihm|ihr\w*|sein\w*|dort|dies\w*|elles?|ils?|leur|lui|celui|ella|él|ellos|ese|esa)\b|['’](?:s|re)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d")
_OWN_WORK = re.compile(
    r"^\W*(?:(?:done|ok(?:ay)?|great|noted|sure)[,.:!—–-]* )*(?:i|we|ich|wir)(?:['’]ve|['’]m)? ", re.IGNORECASE
)
_OF_YOU = re.compile(r"\b(?:you|your|yours|du|dir|dich|dein\w*|sie|ihr\w*)\b", re.IGNORECASE)
_THE_USER = re.compile(r"^(?P<the>the )?user\b(?!['’]s)", re.IGNORECASE)


def doubt_about(content: str, source: str, now: datetime, names_from: str = "", words_from: str = "") -> str:
    """Return what of a statement nobody said, dates excepted; "" where it is grounded.

    Names and other words, but no figures, may be from further texts.
    """
    statement = without_dates(content, now)
    missing = unsaid_words(statement, source)
    far = [name for name in missing.names if is_said_in(name, names_from)]
    far += [word for word in missing.words if is_said_in(word, words_from)]
    if far:
        missing = unsaid_words(statement, f"{source}\n{' '.join(far)}")
    if missing.names:
        return f"nobody said {', '.join(missing.names[:5])}"
    if missing.share_said < ENOUGH_SAID or missing.share_of_words < FEWEST_WORDS_SAID:
        return f"nobody said {', '.join(missing.words[:5])}"
    return ""


def is_said_in(word: str, text: str) -> bool:
    return bool(text) and not _FIGURE.search(word) and unsaid_words(word, text).share_said == 1


def without_dates(text: str, now: datetime) -> str:
    """Return a text without its days and clock times, which a model works out."""
    for window in reversed(find_windows(text, now)):
        begin, end = window.span
        text = f"{text[:begin]} {text[end:]}"
    return _DAY.sub(" ", _CLOCK.sub(" ", text))


def is_agreement(message: str) -> bool:
    """Return whether a message begins by accepting what was offered."""
    return bool(_AGREES.match(message))


def has_question(message: str) -> bool:
    return bool(_ASKS.search(message))


def is_plain_question(message: str, words: str) -> bool:
    """Return whether the sentence that has the words asks for something, rather than offers it."""
    sentence = sentence_of(message, words) or message
    return bool(_QUESTION.search(sentence)) and not _SUGGESTION.match(sentence)


def points_back(message: str) -> bool:
    """Return whether a message calls somebody or something by a word that stands for a name."""
    return bool(_POINTS.search(message))


def is_suggestion(message: str, quote: str, content: str) -> bool:
    """Return whether the sentence of an assistant that comes nearest to a statement asks, offers or suggests it."""
    sentence = sentence_of(message, quote or content)
    return bool(_QUESTION.search(sentence) or _SUGGESTION.match(sentence))


def sentence_of(message: str, words: str) -> str:
    """Return the sentence that has the words, or most of them; "" if none has any."""
    span = find_said(message, words)
    if span is None:
        return ""
    begin = max((match.end() for match in re.finditer(r"[.!?:;\n]\s", message[: span[0]])), default=0)
    behind = re.search(r"[.!?？。](?=\s|\Z)|\n", message[span[1] - 1 :])
    return message[begin : span[1] - 1 + behind.end() if behind else len(message)].strip()


def attributed(content: str, message: str, quote: str) -> str:
    """Return an assistant's report of its own work as what the assistant, not the user, has done."""
    sentence = sentence_of(message, quote or content)
    if not _OWN_WORK.match(sentence) or _OF_YOU.search(sentence):
        return content
    return _THE_USER.sub(lambda match: f"{match['the'] or 'The '}assistant", content, count=1)


def is_of_example(content: str, examples: Iterable[str], source: str) -> bool:
    """Return whether a statement is one of the prompt's examples in about its words, and nobody said it here."""
    near = any(used_share(example, content) >= ALIKE and used_share(content, example) >= ALIKE for example in examples)
    return near and unsaid_words(content, source).share_said < ALIKE

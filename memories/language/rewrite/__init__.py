"""The question behind the last messages, in words that can be searched without them.

Rules only, no model: pasted text and filler go, relative dates become dates, pronouns become what they stand for, and
a follow-up gets the words of the question it follows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memories.language.dates.windows import TimeWindow, find_windows
from memories.language.dates.words import (
    DAY_PARTS,
    DETERMINERS,
    MONTH_NAMES,
    MONTHS,
    PLAIN_WEEKDAYS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)
from memories.language.entities import entity_key, find_mentions
from memories.language.messages import ASSISTANT, USER, Message, strip_fenced
from memories.language.rewrite.filler import (
    ASKING,
    DROPPED_FOLLOW_UPS,
    FOLLOW_UPS,
    LIGHT_WORDS,
    MAX_QUERY_WORDS,
    cut_pasted,
    drop_filler,
    is_consent,
    is_courtesy,
    plain_words,
    sentences,
    shorten,
)
from memories.language.rewrite.references import recent_subjects, resolve_references

WEEKDAY_NAMES = tuple(name.capitalize() for name in WEEKDAYS if name in PLAIN_WEEKDAYS)
DAY = timedelta(days=1)
INSTANT = timedelta(microseconds=1)
_YEAR = re.compile(r"\b\d{4}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2}\b|\b\d0s\b|['’]\d\d|\b\w+ties\b")
_OPERATOR = re.compile(
    r"(?:(?:ever )?since|starting|after|following|before|prior to|until|till|by|up to|as of)\b", re.I
)
_BEGINS_BEFORE = ("after", "following")
_ENDS_BEFORE = ("until", "till", "by", "up to", "as of")
_RELATIVE_WHOLE = re.compile(
    r"\b(?:earlier |later )?(?:last|this|next|previous|current|coming|the) (year|month|quarter)\b", re.I
)
_DEMONSTRATIVE = re.compile(r"\b(?:earlier |later )?(?:last|this|next|previous|past|current|coming|upcoming) ", re.I)


def make_dates_absolute(text: str, now: datetime) -> tuple[str, list[tuple[str, str]]]:
    """Return the text with its relative dates replaced, and what became what, in order."""
    pieces: list[str] = []
    changes: list[tuple[str, str]] = []
    end = 0
    for window in find_windows(text, now):
        written = absolute(window) if window.span[0] >= end else window.text
        if written != window.text:
            pieces += [text[end : window.span[0]], written]
            changes.append((window.text, written))
            end = window.span[1]
    return "".join([*pieces, text[end:]]), changes


def absolute(window: TimeWindow) -> str:
    """Return a window in words that mean the same on any day; its own text if that does already or is vague."""
    anchor = _anchor(window)
    if anchor is None or window.precision == "recent" or _YEAR.search(window.text):
        return window.text
    operator = _OPERATOR.match(window.text)
    written = _written(window, anchor, window.text[operator.end() :].strip() if operator else window.text)
    if operator:
        return f"{operator.group()} {re.sub('^(on|in|around) ', '', written)}"
    return written


def _anchor(window: TimeWindow) -> datetime | None:
    """Return a moment inside of the period that is named; "after May" and "before June" name what lies outside."""
    text = window.text.lower()
    if window.start and window.end:
        around = window.precision in {"week", "month", "year"} and _is_counted(text)
        return window.start + (window.end - window.start) / 2 if around else window.start
    if window.start:
        return window.start - DAY if text.startswith(_BEGINS_BEFORE) else window.start
    if window.end:
        return window.end - DAY if text.startswith(_ENDS_BEFORE) else window.end
    return None


def _is_counted(text: str) -> bool:
    return text.endswith((" ago", " back", " from now"))


def _written(window: TimeWindow, anchor: datetime, text: str) -> str:
    low = text.lower().split()
    date = f"{anchor.day} {_month(anchor)} {anchor.year}"
    if window.precision == "day":
        weekday = f"{WEEKDAY_NAMES[anchor.weekday()]} " if PLAIN_WEEKDAYS.intersection(low) else ""
        return f"on {weekday}{date}"
    if window.precision == "part of day":
        part = next((word for word in (*low, "night") if word in DAY_PARTS), "night")
        return f"on the {part} of {date}"
    simple = {
        "hour": f"on {date}",
        "minute": f"on {date}",
        "week": f"around {date}" if _is_counted(text.lower()) else f"in the week of {date}",
        "weekend": f"on the weekend of {date}",
        "month": f"{'around' if _is_counted(text.lower()) else 'in'} {_month(anchor)} {anchor.year}",
        "year": f"{'around' if _is_counted(text.lower()) else 'in'} {anchor.year}",
    }
    is_modifier = window.precision == "month" and low[0] in DETERMINERS and not _is_counted(text.lower())
    if window.precision in simple and not is_modifier:
        return simple[window.precision]
    # Names of feasts, seasons and ranges keep their words and get the year.
    # "New Year" is the one that begins, "New Year's Eve" the day before: the last day of either tells.
    is_feast = window.precision == "holiday" and window.end is not None
    year = (window.end - INSTANT).year if is_feast and window.end else anchor.year
    wholes = {"year": f"{year}", "month": f"{_month(anchor)} {year}", "quarter": f"Q{(anchor.month + 2) // 3} {year}"}
    written = _RELATIVE_WHOLE.sub(lambda match: wholes[match[1].lower()], text)
    if written != text:
        return written
    if (
        window.precision == "range"
        and window.start
        and window.end
        and not any(word in MONTHS for word in re.findall(r"\w+", text.lower()))
    ):
        last = window.end - INSTANT
        return f"from {anchor.day} {_month(anchor)} {anchor.year} to {last.day} {_month(last)} {last.year}"
    return f"{_DEMONSTRATIVE.sub('', text)} {year}"


def _month(moment: datetime) -> str:
    """Return its name in English, whatever the locale."""
    return MONTH_NAMES[moment.month - 1]


MAX_MESSAGES = 5
MAX_MESSAGE_CHARS = 20_000
MAX_CONTEXT_WORDS = 24
MOST_FOLLOW_UP_WORDS = 4
ANY_DAY = datetime(2000, 1, 1)
"""Where only the words of a time matter, not the day they mean."""
_WORD = re.compile(r"[./~@#$-]{0,2}\w(?:[\w'’./:@#+-]*[\w+#/])?")
_FOLLOW_UP = re.compile("|".join(FOLLOW_UPS), re.IGNORECASE)
_DROPPED = re.compile("|".join(DROPPED_FOLLOW_UPS), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What to search for, at most MAX_QUERY_WORDS words, "" if nothing is asked; and why it reads so, step by step."""

    query: str
    reasons: list[str] = field(default_factory=list)


def rewrite(messages: Sequence[Message], now: datetime) -> Rewritten:
    """Return the query of the last user message, with the last MAX_MESSAGES as its context, oldest first.

    `now` tells which days relative dates mean. Our own fenced blocks never become part of a query.
    """
    recent: list[Message] = []
    for message in messages[-MAX_MESSAGES:]:
        own = unicodedata.normalize("NFC", strip_fenced(message.content).strip())
        if len(own) > MAX_MESSAGE_CHARS:
            # Of a huge paste the beginning and the end, where people ask.
            own = f"{own[: MAX_MESSAGE_CHARS // 2]}\n{own[-MAX_MESSAGE_CHARS // 2 :]}"
        recent.append(Message(message.role, own))
    # The place of the last user message; of the last message if no user spoke.
    places = [place for place, message in enumerate(recent) if message.content]
    by_user = [place for place in places if recent[place].role == USER]
    candidates = by_user or places
    place = candidates[-1] if candidates else None
    return _rewrite(recent, place, now) if place is not None else Rewritten("", ["nothing was said"])


def _rewrite(messages: Sequence[Message], place: int, now: datetime) -> Rewritten:
    text, before, reasons = messages[place].content, messages[:place], list[str]()
    if is_consent(text):
        # What the user agreed to is the last sentence of the agent.
        answers = (message.content for message in reversed(before) if message.role == ASSISTANT and message.content)
        phrases = sentences(drop_filler(cut_pasted(next(answers, ""))))
        query, _ = make_dates_absolute(phrases[-1], now) if phrases else ("", [])
        words = content_words(query)[:MAX_CONTEXT_WORDS]
        return Rewritten(" ".join(words), ["agreement to what the assistant said" if words else "agreement to nothing"])
    if is_courtesy(text):
        return Rewritten("", ["nothing but courtesy"])
    for step, reason in (
        (cut_pasted, "pasted text cut"),
        (drop_filler, "filler dropped"),
        (shorten, f"cut to {MAX_QUERY_WORDS} words"),
    ):
        shorter = step(text)
        if shorter != text:
            reasons.append(reason)
        text = text if step is drop_filler and not shorter else shorter
    text, dates = make_dates_absolute(text, now)
    text, references = resolve_references(text, recent_subjects([message.content for message in before]))
    reasons += [f'"{words}" → "{written}"' for words, written in (*dates, *references)]
    if _is_follow_up(text, bool(references)):
        text = _merged(text, before, now, reasons)
    else:
        text = text[_opener_end(text) :].strip(" ,") or text
    return Rewritten(" ".join(text.split()[:MAX_QUERY_WORDS]), reasons)


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about, as spelled, each once."""
    matches = [match.group() for match in _WORD.finditer(text)]
    by_lower = {word.lower(): word for word in reversed(matches) if word.lower().replace("’", "'") not in LIGHT_WORDS}
    return [by_lower.pop(word.lower()) for word in matches if word.lower() in by_lower]


def _is_follow_up(text: str, is_resolved: bool) -> bool:
    """Tell whether a message asks nothing by itself: "and on Fridays?", "why?", "what about redis?", "Redis?"."""
    rest = text[_opener_end(text) :]
    words, count = plain_words(rest), len(content_words(rest))
    is_opened = _FOLLOW_UP.match(text) is not None
    is_clause = len(words) > 2 and words[0] in ASKING and count > 0
    if count == 0 or (is_clause and (count > 1 or is_resolved or not is_opened)):
        return count == 0
    if is_opened:
        return count <= MOST_FOLLOW_UP_WORDS
    return count == 1 and not is_resolved and len(words) <= MOST_FOLLOW_UP_WORDS


def _opener_end(text: str) -> int:
    """Return where a message begins behind its "and" or "what about"."""
    match = _DROPPED.match(text)
    return match.end() if match else 0


def _merged(text: str, before: Sequence[Message], now: datetime, reasons: list[str]) -> str:
    """Return a follow-up with the content words of the question before it, less what it replaces."""
    question = text[_opener_end(text) :].strip(" ,")
    is_replacing = question != text or len(content_words(question)) == 1
    previous = _previous_query(before, now, is_replacing)
    if not previous:
        return question or text
    keys = {entity_key(word) for word in content_words(question)}
    # "What about Redis?" takes the place of the name asked for before, "and on Fridays?" of its time.
    spans: list[tuple[int, int]] = []
    if find_windows(question, ANY_DAY) or _weekdays(question):
        spans += [window.span for window in find_windows(previous, ANY_DAY)]
        spans += _weekdays(previous)
    elif is_replacing:
        spans += [(mention.start, mention.end) for mention in find_mentions(previous)[:1]]
    remaining = list(previous)
    for start, end in spans:
        remaining[start:end] = " " * (end - start)
    words = content_words("".join(remaining))
    words = [word for word in words if entity_key(word) not in keys]
    reasons.append(f'follows "{" ".join(previous.split()[:12])}"')
    return " ".join([question.rstrip("?.! "), *words[:MAX_CONTEXT_WORDS]]).strip()


def _previous_query(before: Sequence[Message], now: datetime, is_replacing: bool) -> str:
    """Return the query of the user message before, itself rewritten; what was said last if no user asked.

    A second "what about …" goes on from the question that the first one went on from.
    """
    for place in range(len(before) - 1, -1, -1):
        if before[place].role != USER or (is_replacing and _opener_end(before[place].content)):
            continue
        query = _rewrite(before, place, now).query
        if query:
            return query
    earlier = [sentence for message in before for sentence in sentences(cut_pasted(message.content))]
    return next((sentence for sentence in reversed(earlier) if not is_courtesy(sentence)), "")


def _weekdays(text: str) -> list[tuple[int, int]]:
    days = WEEKDAYS.keys() | WEEKDAY_PLURALS
    return [match.span() for match in _WORD.finditer(text) if match.group().lower().replace("’", "'") in days]

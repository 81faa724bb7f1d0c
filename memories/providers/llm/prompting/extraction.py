"""Extraction: what a piece of conversation states, checked against what was really said.

A model's statement was made if its names, figures and words were said, and said as a statement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from memories.language.dates.windows import find_windows
from memories.language.entities import MAX_ENTITIES, entity_key
from memories.language.extract.labels import read_category, read_importance, read_sentiment, read_strength
from memories.language.messages import ASSISTANT, ENDS, WIDE_ENDS, Message
from memories.language.scripts import estimate_tokens
from memories.language.similarity import find_said, unsaid_words, used_share
from memories.providers.llm.prompting.prompt import (
    CONVERSATION_CHARACTERS,
    SHARE,
    TEXT,
    WORDS,
    Conversation,
    Question,
    clean,
    described,
    example,
    fitting,
    list_of,
    number_of,
    object_of,
    one_line,
    own_words,
    shorten,
    show_conversation,
    show_day,
    show_last,
    words_of,
)
from memories.providers.llm.provider import EXTRACT, LEAN, Ask, Chunk, Fact, Setting

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


GENERAL = "general"
NO_SUBJECT = frozenset({GENERAL, "none", "null", "n/a", "n a", "unknown", "not specified"})
MAX_CATEGORY_CHARACTERS, MAX_SUBJECT_CHARACTERS, MAX_ENTITY_CHARACTERS = 64, 200, 200
MAX_LABEL_CHARACTERS = 1_000
MOST_TAGS, MAX_TAG_CHARACTERS = 10, 40
MOST_LOOKED_ALIKE, LEAST_LIKENESS = 100, 0.6
_NOT_IN_CATEGORY = re.compile(r"[^a-z0-9_]+")
_ISO_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?![\d-])")


def category_name(label: str) -> str:
    """Lower-case letters, digits, - and _, 64 at most: "Work Stuff" → "work-stuff", "Café" → "cafe"; else ""."""
    plain = unicodedata.normalize("NFKD", label[:MAX_LABEL_CHARACTERS].casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return _NOT_IN_CATEGORY.sub("-", bare).strip("-_")[:MAX_CATEGORY_CHARACTERS].rstrip("-_")


@dataclass(frozen=True, slots=True)
class Labels:
    """The categories that are allowed, by their names (any if there are none), and the known subjects by their keys."""

    categories: Mapping[str, str]
    subjects: Mapping[str, str]

    @classmethod
    def of(cls, setting: Setting) -> Labels:
        categories = {category_name(category): category for category in setting.categories}
        return cls(categories, {entity_key(subject): subject for subject in reversed(setting.subjects)})

    def category(self, label: str) -> str:
        """Return the category that is meant; "general" if none is like it."""
        name = category_name(label)
        if not self.categories:
            return name or GENERAL
        if name not in self.categories:
            near = get_close_matches(name, list(self.categories)[:MOST_LOOKED_ALIKE], n=1, cutoff=LEAST_LIKENESS)
            return self.categories[near[0]] if near else GENERAL
        return self.categories[name]

    def subject(self, label: str) -> str:
        """Return a known subject in its own spelling, or the label; "" for general and for one too long for a name."""
        name = one_line(label)
        key = entity_key(name)
        if not key or len(name) > MAX_SUBJECT_CHARACTERS or key in NO_SUBJECT:
            return ""
        return self.subjects.get(key, name)


def _limits(day: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    iso = _ISO_DAY.match(day.strip())
    windows = find_windows(iso.group(), now) if iso else []
    return (windows[0].start, windows[0].end) if windows else (None, None)


KINDS = ("decision", "insight", "fact", "preference", "project", "conversation", "general", "lesson")
STRENGTHS = ("explicit", "implied", "inferred")
SENTIMENTS = ("frustrated", "excited", "uncertain", "neutral")
MOST_KNOWN, MAX_KNOWN_CHARACTERS = 20, 300
MOST_BEFORE, BEFORE_CHARACTERS = 20, 4_000
NAMES_CHARACTERS = 2_000
MAX_QUOTE_CHARACTERS = 300
OPEN_CATEGORIES = "a short lower-case English word such as work, health or travel; general if none fits"
CLEARLY_MORE = 0.25
"""By so much of its words another message than the named one has to say more of a statement."""
SAID_FROM = 0.5
"""The share of its words from which a message says a statement that names none."""
TOKENS_PER_FACT, MOST_TOKENS = 200, 8_000
FEWEST_TOKENS, TOKENS_PER_TOKEN = 600, 4
"""Of an answer, and for each token that was said: a short sentence makes a fact with all of its fields."""

_NAMES = {**list_of(TEXT), "default": []}
_FACT = object_of(
    message=described(number_of(0, 10_000, 0), "number of the message that says it"),
    quote=described(WORDS, "up to twenty of its words, exactly"),
    content=described(TEXT, "one statement, understood alone"),
    kind=described(words_of(KINDS, "fact"), "lesson: a rule for the agent, such as a correction by the user"),
    category=described(WORDS, "as the message tells"),
    subject=described(WORDS, "the one person, service or thing it is about"),
    entities=described(_NAMES, "names in it"),
    tags=described(_NAMES, "up to five lower-case keywords"),
    importance=described(number_of(1, 5, 3), "1 trivial, 5 must not be forgotten"),
    # Whoever cannot say how plainly it was said did not read it word for word.
    strength=described(words_of(STRENGTHS, "implied"), "explicit: said outright; inferred: concluded"),
    sentiment=described(words_of(SENTIMENTS, "neutral"), "of the speaker"),
    verifiable=described(SHARE, "low for a mere opinion"),
    useful=described(SHARE, "above 0.7 only if it helps in another conversation"),
    valid_from=described(WORDS, "first day on which it holds, YYYY-MM-DD, or empty; not the day of an event"),
    valid_until=described(WORDS, "last day on which it holds, YYYY-MM-DD, or empty"),
    updates=described(number_of(0, 10_000, 0), "number of the known statement it makes outdated, or 0"),
)
_EXTRACT = Question(EXTRACT, object_of(facts=list_of(_FACT)), max_tokens=MOST_TOKENS)
_LEAN_FACT = object_of(**{name: _FACT["properties"][name] for name in ("message", "content", "kind", "valid_from")})
_LEAN = Question(LEAN, object_of(facts=list_of(_LEAN_FACT)), max_tokens=MOST_TOKENS)
_DEFAULTS = {name: part["default"] for name, part in _FACT["properties"].items() if "default" in part}


def show_chunk(chunk: Chunk) -> Conversation:
    return show_conversation(chunk.messages, CONVERSATION_CHARACTERS - BEFORE_CHARACTERS)


def ask_facts(chunk: Chunk, conversation: Conversation, setting: Setting, *, lean: bool = False) -> Ask:
    listed = enumerate(setting.known[:MOST_KNOWN], 1)
    known = [f"{number}. {shorten(one_line(text), MAX_KNOWN_CHARACTERS)}" for number, text in listed]
    told_by = clean(setting.guidance).strip()
    trusted = {
        "now": show_day(chunk.now),
        "categories": _categories(setting),
        "max_characters": setting.max_characters,
        "most_facts": setting.most_facts,
        "guidance": f"\nThe operator on what matters here and what never to keep:\n{told_by}\n" if told_by else "",
    }
    untrusted = {
        "subjects": "\n".join(fitting(map(one_line, setting.subjects), NAMES_CHARACTERS)),
        "known": "\n".join(known),
        "before": show_last(chunk.before, MOST_BEFORE, BEFORE_CHARACTERS),
        "conversation": conversation.text,
    }
    tokens = estimate_tokens(conversation.text)
    most = min(MOST_TOKENS, TOKENS_PER_FACT * (setting.most_facts + 2), FEWEST_TOKENS + TOKENS_PER_TOKEN * tokens)
    return (_LEAN if lean else _EXTRACT).fill(trusted, untrusted, most)


def _categories(setting: Setting) -> str:
    if not setting.categories:
        return OPEN_CATEGORIES
    names = ", ".join(fitting(map(category_name, setting.categories), NAMES_CHARACTERS))
    return f"one of {names}; general if none fits"


def read_facts(
    answer: Mapping[str, Any], chunk: Chunk, conversation: Conversation, setting: Setting, made_by: str
) -> list[Fact]:
    """Return the facts that hold up, in their order, each once, at most `setting.most_facts`."""
    source, labels = _Said.of(chunk, conversation), Labels.of(setting)
    examples = [fact["content"] for fact in example(_EXTRACT.operation)["facts"]]
    facts: dict[str, Fact] = {}
    for given in answer["facts"]:
        labelled = given if "quote" in given else labelled_by_rules(given, setting)
        if len(facts) >= setting.most_facts:
            break
        content = one_line(labelled["content"])
        place, quote = source.locate(labelled["message"], one_line(labelled["quote"]), content)
        # A statement cut short says something else.
        if place is None or not _key(content) or len(content) > setting.max_characters:
            continue
        number = labelled["updates"] if labelled["updates"] <= len(setting.known[:MOST_KNOWN]) else 0
        place, quote, doubt = source.ground(content, place, quote, setting.known[number - 1] if number else "")
        if is_of_example(content, examples, source.words[place]):
            continue
        if chunk.messages[place].role == ASSISTANT:
            doubt = doubt or (ONLY_SUGGESTED if is_suggestion(source.words[place], quote, content) else "")
            content = content if doubt else attributed(content, source.words[place], quote)
        where = Fact(content, place, quote, made_by=made_by, doubt=doubt, updates=number)
        facts.setdefault(_key(content), _label(where, labelled, labels, chunk.now))
    return list(facts.values())


def labelled_by_rules(given: Mapping[str, Any], setting: Setting) -> dict[str, Any]:
    """Return the answer to the lean question with what the rules make of its words."""
    content, kind = given["content"], given["kind"]
    return {
        **_DEFAULTS,
        **given,
        "category": read_category(content, "", setting.categories),
        "importance": read_importance(content, kind),
        "strength": read_strength(content, is_hedged=False),
        "sentiment": read_sentiment(content),
    }


def _label(fact: Fact, answer: Mapping[str, Any], labels: Labels, now: datetime) -> Fact:
    # None for what is no date. An end before the start is no end.
    start, end = _limits(answer["valid_from"], now)[0], _limits(answer["valid_until"], now)[1]
    valid_from, valid_until = start, None if start and end and end <= start else end
    tags = answer["tags"]
    named = (one_line(tag).lstrip("#").casefold() for tag in tags)
    valid: dict[str, str] = {}
    for name in map(one_line, answer["entities"]):
        if len(valid) < MAX_ENTITIES and len(name) <= MAX_ENTITY_CHARACTERS and (key := entity_key(name)):
            valid.setdefault(key, name)
    return replace(
        fact,
        kind=answer["kind"],
        category=labels.category(answer["category"]),
        subject=labels.subject(answer["subject"]),
        tags=tuple(dict.fromkeys(tag for tag in named if 0 < len(tag) <= MAX_TAG_CHARACTERS))[:MOST_TAGS],
        importance=answer["importance"],
        strength=answer["strength"],
        sentiment=answer["sentiment"],
        verifiable=float(answer["verifiable"]),
        useful=float(answer["useful"]),
        entities=tuple(valid.values()),
        valid_from=valid_from,
        valid_until=valid_until,
    )


def _key(content: str) -> str:
    """Return what a statement shares with others that differ only in case and punctuation at the end."""
    return content.casefold().rstrip(f"{ENDS}{WIDE_ENDS} ")


def speaker_of(message: Message) -> tuple[str, str]:
    return message.role, message.speaker


@dataclass(frozen=True, slots=True)
class _Said:
    """Who said what: the words of each shown message by its place, and all messages in one line each.

    Those of an earlier window come first: the message at `places[n]` is `messages[n + earlier]`.
    """

    places: Sequence[int]
    words: Mapping[int, str]
    messages: Sequence[Message]
    earlier: int
    now: datetime

    @classmethod
    def of(cls, chunk: Chunk, conversation: Conversation) -> _Said:
        all_messages = [*chunk.before, *(chunk.messages[index] for index in conversation.places)]
        messages = [replace(message, content=one_line(own_words(message))) for message in all_messages]
        earlier = len(chunk.before)
        words = {index: message.content for index, message in zip(conversation.places, messages[earlier:], strict=True)}
        return cls(conversation.places, words, messages, earlier, chunk.now)

    def locate(self, number: int, quote: str, content: str) -> tuple[int | None, str]:
        """Return the place of a message and the words in it; no place if no message says it.

        Words that were said only before this chunk belong to the chunk before.
        """
        named = self.places[number - 1] if 1 <= number <= len(self.places) else None
        if quote and len(quote) <= MAX_QUOTE_CHARACTERS:
            place = next((index for index in self._from(named) if quote in self.words[index]), None)
            if place is not None:
                return place, quote
            if any(quote in message.content for message in self.messages[: self.earlier]):
                return None, ""
        if named is None:
            best = self._most_said(content, self.words)
            return (best if best is not None and used_share(content, self.words[best]) >= SAID_FROM else None), ""
        return named, ""

    def ground(self, content: str, place: int, quote: str, updated: str) -> tuple[int, str, str]:
        """Return where a statement was said, the words there, and what of it nobody said there.

        It belongs to another message that has clearly more of its words, or is the only one that says it; not to the
        question that its own message answers, nor to the offer that this accepts.
        """
        best = self._most_said(content, self.words)
        is_clear = best is not None and self._share(content, best) >= self._share(content, place) + CLEARLY_MORE
        if best is None or not is_clear or self._is_answered(best, place, content):
            best = place
        doubt = self._doubt(content, place, updated)
        if best == place and doubt:
            saying = (index for index in self.words if self._share(content, index))
            best = self._most_said(content, [index for index in saying if not self._doubt(content, index, updated)])
        if best is None or best == place or self._doubt(content, best, updated):
            return place, quote, doubt
        return best, quote if quote in self.words[best] else "", ""

    def _doubt(self, content: str, place: int, updated: str) -> str:
        """Return what was said neither in a message nor in its context.

        Its context is the message before it, the question it answers, the memory it updates. What "she" or "it"
        stands for its speaker may have said just before, or somebody named.
        """
        *earlier, here = self.messages[: self.places.index(place) + self.earlier + 1]
        question = self._other_side(place)
        context = [here, *earlier[-1:], *([question] if question and has_question(question.content) else [])]
        source = "\n".join((*(text for message in context for text in (message.content, message.speaker)), updated))
        if not points_back(here.content):
            return doubt_about(content, source, self.now)
        names = "\n".join(text for message in earlier for text in (message.content, message.speaker))
        own = next((message.content for message in reversed(earlier) if speaker_of(message) == speaker_of(here)), "")
        return doubt_about(content, source, self.now, names, own)

    def _is_answered(self, best: int, place: int, content: str) -> bool:
        """Return whether a message answers, or agrees to, what the other side said last."""
        last = self._other_side(place)
        if last is None or best >= place or last.content != self.words[best]:
            return False
        return is_agreement(self.words[place]) or is_plain_question(last.content, content)

    def _other_side(self, place: int) -> Message | None:
        """Return what the other side said last before a message."""
        *earlier, here = self.messages[: self.places.index(place) + self.earlier + 1]
        return next((message for message in reversed(earlier) if speaker_of(message) != speaker_of(here)), None)

    def _most_said(self, content: str, places: Iterable[int]) -> int | None:
        return max(places, key=lambda index: self._share(content, index), default=None)

    def _share(self, content: str, place: int) -> float:
        return used_share(content, self.words[place])

    def _from(self, named: int | None) -> Iterator[int]:
        if named is not None:
            yield named
        yield from self.places

"""The lines of a summary, each with the memory that it states."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import structlog

from memories.models import GENERAL, Passage, Vector
from memories.models.vector import by_number, embedded_text, to_bytes
from memories.providers.embeddings import Embedder, EmbedderError, Vectors
from memories.providers.llm.provider import Noted
from memories.providers.llm.rules.plain import one_line
from memories.providers.llm.rules.summaries import MARKED
from memories.text.relate.grammar import STOP_WORDS
from memories.text.relate.stems import stem
from memsite.tenancy.models import App

log = structlog.get_logger("memories.maintain")
LEAST_WORDS_SHARED = 0.5
"""Dice's coefficient of the words: a line that is made of three facts of one length still states each of them."""
_HEADING = re.compile(r"#{1,6}[ \t]+(.*)")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)")
_REMARK = re.compile(r"\*[^*]+\*|[-*_=|:\s]+|[`~]{3}.*")
_MARKUP = re.compile(r"\\([^\w\s]|_)|\*\*")
_MARK = re.compile(rf"\A(?:{'|'.join(MARKED.values())}): ")
_NOTES = re.compile(r" \((?:uncertain, )?(?:uncertain|\d{4}-\d\d-\d\d)\)\Z")
_WORD = re.compile(r"\w+")
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    heading: str = ""


def passages_of(
    app: App, markdown: str, facts: Sequence[Noted], embedder: Embedder, kept: Mapping[str, bytes]
) -> list[Passage]:
    """Unsaved and without their summary; lines that state none of the facts have none.

    `kept` are vectors by text that need not be made again. Without the embedder, passages have no vector. May be slow.
    """
    sources = Sources(facts)
    found = [(line, sources.find(line)) for line in read_lines(markdown)]
    near = iter(nearest_facts(app, [line for line, fact in found if fact is None], facts, embedder))
    stated = [(line, fact or next(near)) for line, fact in found]
    passages = [Passage(app=app, memory_id=fact.number, text=said(line, fact)) for line, fact in stated if fact]
    give_vectors(passages, embedder, kept)
    return passages


def read_lines(markdown: str) -> Iterator[Line]:
    """Everything that is said, as plain text, and the heading above it. Lines in italics are remarks on the text."""
    heading = ""
    for raw in markdown.split("\n"):
        line = raw.strip()
        if title := _HEADING.fullmatch(line):
            heading = "" if line.startswith("# ") else plain(title[1])
        elif bullet := _BULLET.fullmatch(line):
            yield Line(plain(bullet[1]), heading)
        elif line and not _REMARK.fullmatch(line):
            yield Line(plain(line), heading)


def plain(markdown: str) -> str:
    return one_line(_MARKUP.sub(lambda found: found[1] or "", markdown))


def said(line: Line, fact: Noted) -> str:
    """ "Takes a minute to start" says little without what it is about."""
    is_clear = not fact.subject or fact.subject.casefold() in line.text.casefold()
    return line.text if is_clear else f"{fact.subject}: {line.text}"


class Sources:
    """Facts, to be found by the lines that state them. The first of those that are alike is found."""

    def __init__(self, facts: Sequence[Noted]) -> None:
        self.facts = facts
        self.exact: dict[tuple[str, str], Noted] = {}
        self.words = [words_of(f"{fact.subject} {fact.content}") for fact in facts]
        self.places: dict[str, list[int]] = defaultdict(list)
        for place, fact in enumerate(facts):
            self.exact.setdefault((subject_key(fact.subject), text_key(fact.content)), fact)
            for word in self.words[place]:
                self.places[word].append(place)

    def find(self, line: Line) -> Noted | None:
        """Word for word, apart from marks and notes around it; or else in most of its words."""
        subject = subject_key(line.heading)
        keys = ((subject, text_key(text)) for text in without_additions(line.text))
        exact = next((self.exact[key] for key in keys if key in self.exact), None)
        return exact or self.alike(line)

    def alike(self, line: Line) -> Noted | None:
        words = words_of(f"{line.heading} {line.text}")
        shared = Counter(place for word in words for place in self.places.get(word, ()))
        best, likeness = None, LEAST_WORDS_SHARED
        for place in sorted(shared):
            score = 2 * shared[place] / (len(words) + len(self.words[place]))
            is_better = score > likeness or (best is None and score == likeness)
            if is_better and not figures_differ(line.text, self.facts[place].content):
                best, likeness = self.facts[place], score
        return best


def nearest_facts(app: App, lines: Sequence[Line], facts: Sequence[Noted], embedder: Embedder) -> list[Noted | None]:
    """By meaning, where one is nearer than what is merely related; all None without the embedder. One query."""
    nearest: list[Noted | None] = [None] * len(lines)
    if not lines:
        return nearest
    by_pk = {fact.number: fact for fact in facts}
    rows = Vector.objects.for_app(app).filter(model=embedder.name, memory__in=by_pk)
    told = list(rows.values_list("memory_id", "data"))
    asked = (
        embed_passages([embedded_text(line.text, line.heading or None) for line in lines], embedder) if told else None
    )
    if asked is None:
        return nearest
    pks, vectors = by_number(told, asked.shape[1])
    if not pks:
        return nearest
    cosines = asked @ vectors.T
    near = (embedder.thresholds.related + embedder.thresholds.same) / 2
    for at, place in enumerate(np.argmax(cosines, axis=1)):
        fact = by_pk[pks[place]]
        if cosines[at, place] >= near and not figures_differ(lines[at].text, fact.content):
            nearest[at] = fact
    return nearest


def give_vectors(passages: Sequence[Passage], embedder: Embedder, kept: Mapping[str, bytes]) -> None:
    new = list(dict.fromkeys(passage.text for passage in passages if passage.text not in kept))
    made = embed_passages(new, embedder) if new else None
    data = dict(kept) | ({} if made is None else dict(zip(new, map(to_bytes, made), strict=True)))
    for passage in passages:
        if passage.text in data:
            passage.model, passage.data = embedder.name, data[passage.text]


def embed_passages(texts: Sequence[str], embedder: Embedder) -> Vectors | None:
    try:
        return embedder.embed_documents(texts)
    except EmbedderError as error:
        log.warning("passages_not_embedded", embedder=embedder.name, count=len(texts), error=str(error))
        return None


def without_additions(text: str) -> Iterator[str]:
    """The text, and what is left of it without the note behind it and the mark before it."""
    for one in dict.fromkeys((text, _NOTES.sub("", text))):
        yield from dict.fromkeys((one, _MARK.sub("", one)))


def subject_key(subject: str) -> str:
    key = one_line(subject).casefold()
    return "" if key == GENERAL else key


def text_key(text: str) -> str:
    return one_line(text).casefold().rstrip(".")


def words_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()) if word not in STOP_WORDS)


def figures_differ(one: str, other: str) -> bool:
    """Whether both give figures, and none in common: then they do not say the same, however alike."""
    left, right = set(_FIGURE.findall(one)), set(_FIGURE.findall(other))
    return bool(left and right) and left.isdisjoint(right)

"""The categories' summaries and their passages: stored ones, and those computed when somebody asks.

Stored ones are written anew when enough has changed. Computed ones are kept while all that they tell of is so: whatever
changes a memory gives it another `change_number`; how often it was found does not, and is looked at each time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from time import monotonic

import numpy as np
import structlog
from django.db import transaction
from django.db.models import F, Max, Q

from memories.language.relate.grammar import STOP_WORDS, stem
from memories.language.similarity import one_line
from memories.models import GENERAL, Link, LinkKind, Memory, Passage, Summary, SummaryDue, Vector, Visibility
from memories.models.memory import NOTED, MemoryQuerySet, as_noted
from memories.models.summary import SummaryQuerySet
from memories.models.vector import FLOAT_BYTES, by_number, embedded_text, to_bytes
from memories.providers.embeddings import Embedder, EmbedderError, Vectors
from memories.providers.llm.provider import LLMError, Noted, Provider, Written, outdoes
from memories.providers.llm.rules.summaries import MARKED, summarise
from memories.retrieve.injection_guard import VOUCHED, safe_memories
from memsite.db.lru_cache import Latest, is_committed
from memsite.tenancy.models import App
from memsite.tenancy.scoping import ScopedQuerySet

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
MAX_CHARACTERS = 8_000
AT_LEAST_CHANGES = 10
OLDER_THAN = timedelta(seconds=60)
LEASE = timedelta(minutes=10)
VERSIONS_KEPT = 100
MOST_FACTS = 5_000
"""Of a category: the rules read as many in about a second, and 8,000 characters hold some hundred."""
BATCH = 500
TEXTS_KEPT = 64
"""Of all apps."""
computed_summaries: Latest[ComputedSummary] = Latest(TEXTS_KEPT)


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    heading: str = ""


def passages_of(
    app: App, markdown: str, facts: Sequence[Noted], embedder: Embedder, vectors: Mapping[str, bytes]
) -> list[Passage]:
    """Return passages, unsaved and without their summary; lines that state none of the facts have none.

    `kept` are vectors by text that need not be made again. Without the embedder, passages have no vector. May be slow.
    """
    sources = Sources(facts)
    quotes = [(line, sources.find(line)) for line in read_lines(markdown)]
    near = iter(nearest_facts(app, [line for line, fact in quotes if fact is None], facts, embedder))
    stated = [(line, fact or next(near)) for line, fact in quotes]
    passages = [Passage(app=app, memory_id=fact.number, text=quote_of(line, fact)) for line, fact in stated if fact]
    new = list(dict.fromkeys(passage.text for passage in passages if passage.text not in vectors))
    made = embed_passages(new, embedder) if new else None
    data = dict(vectors) | ({} if made is None else dict(zip(new, map(to_bytes, made), strict=True)))
    for passage in passages:
        if passage.text in data:
            passage.model, passage.data = embedder.name, data[passage.text]
    return passages


def read_lines(markdown: str) -> Iterator[Line]:
    """Yield everything that is said, as plain text, and the heading above it.

    Lines in italics are remarks on the text.
    """
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
    return one_line(_MARKUP.sub(lambda match: match[1] or "", markdown))


def quote_of(line: Line, fact: Noted) -> str:
    """Return what a line says: "Takes a minute to start" says little without what it is about."""
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
        """Return the fact that a line states, word for word apart from marks and notes around it.

        Or else in most of its words.
        """
        subject = subject_key(line.heading)
        # The text, and what is left of it without the note behind it and the mark before it.
        texts = (line.text, _NOTES.sub("", line.text))
        keys = ((subject, text_key(part)) for text in texts for part in (text, _MARK.sub("", text)))
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
    """Return the nearest facts by meaning; None where none is nearer than what is related, or without embedder.

    One query.
    """
    nearest: list[Noted | None] = [None] * len(lines)
    if not lines:
        return nearest
    by_pk = {fact.number: fact for fact in facts}
    rows = Vector.objects.for_app(app).filter(model=embedder.name, memory__in=by_pk)
    data = list(rows.values_list("memory_id", "data"))
    wanted = (
        embed_passages([embedded_text(line.text, line.heading or None) for line in lines], embedder) if data else None
    )
    if wanted is None:
        return nearest
    pks, vectors = by_number(data, wanted.shape[1])
    if not pks:
        return nearest
    cosines = wanted @ vectors.T
    near = (embedder.thresholds.related + embedder.thresholds.same) / 2
    for number, place in enumerate(np.argmax(cosines, axis=1)):
        fact = by_pk[pks[place]]
        if cosines[number, place] >= near and not figures_differ(lines[number].text, fact.content):
            nearest[number] = fact
    return nearest


def embed_passages(texts: Sequence[str], embedder: Embedder) -> Vectors | None:
    try:
        return embedder.embed_documents(texts)
    except EmbedderError as error:
        log.warning("passages_not_embedded", embedder=embedder.name, count=len(texts), error=str(error))
        return None


def subject_key(subject: str) -> str:
    key = one_line(subject).casefold()
    return "" if key == GENERAL else key


def text_key(text: str) -> str:
    return one_line(text).casefold().rstrip(".")


def words_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()) if word not in STOP_WORDS)


def figures_differ(text: str, other: str) -> bool:
    """Return whether both give figures, and none in common: then they do not say the same, however alike."""
    left, right = set(_FIGURE.findall(text)), set(_FIGURE.findall(other))
    return bool(left and right) and left.isdisjoint(right)


def rewrite_due(
    app: App,
    provider: Provider,
    embedder: Embedder,
    actor: str,
    now: datetime,
    *,
    at_least: int = AT_LEAST_CHANGES,
    older_than: timedelta = OLDER_THAN,
) -> int:
    """Write anew what has `at_least` changes, or one that has waited for `older_than`; return how many texts changed.

    Not to be called inside a transaction. Nothing for an app that keeps no summaries.
    """
    ripe = Q(changes__gte=at_least) | Q(since__lte=now - older_than)
    return Rewriting(app, provider, embedder, actor, now).run(ripe)


def memories_of(app: App, category: str, user_id: str) -> MemoryQuerySet:
    """Return the memories that this summary may tell of, of whatever status: never one that only one agent may see."""
    rows = Memory.objects.for_app(app).filter(of_whom(user_id), category=category)
    return rows.exclude(visibility=Visibility.AGENT)


def of_whom(user_id: str) -> Q:
    """Return memories of this end user only, or ("") those of nobody in particular."""
    return Q(user_id=user_id) if user_id else Q(user_id=None) | Q(user_id="")


def facts_of(app: App, category: str, user_id: str, now: datetime) -> list[Noted]:
    """Return the facts to be told now, the most important first, `MOST_FACTS` at most; of two at odds one. Two queries.

    Without what is not for an agent to read: agents are told summaries.
    """
    first = first_of(app, category, user_id, now).only("uid", *NOTED, *VOUCHED)
    facts = {memory.pk: as_noted(memory) for memory in safe_memories(first, app.policy)}
    for pair in at_odds_in(app, category, user_id, now):
        if all(number in facts for number in pair):
            fact, other = (facts[number] for number in pair)
            del facts[(other if outdoes(fact, other) else fact).number]
    return list(facts.values())


def told_now(app: App, category: str, user_id: str, now: datetime) -> MemoryQuerySet:
    return memories_of(app, category, user_id).active().valid(now)


def first_of(app: App, category: str, user_id: str, now: datetime) -> MemoryQuerySet:
    """Return the most important first, `MOST_FACTS` at most."""
    rows = told_now(app, category, user_id, now)
    return rows.order_by("-importance", "-confidence", "-confirmed_at", "-pk")[:MOST_FACTS]


def at_odds_in(app: App, category: str, user_id: str, now: datetime) -> Iterable[tuple[int, int]]:
    """Return the numbers of the memories at both ends of each contradiction of what is told now, oldest first."""
    rows = told_now(app, category, user_id, now)
    links = Link.objects.for_app(app).filter(kind=LinkKind.CONTRADICTS, from_memory__in=rows, to_memory__in=rows)
    return links.order_by("pk").values_list("from_memory", "to_memory")


def versions_of(app: App, category: str, user_id: str) -> SummaryQuerySet:
    return Summary.objects.for_app(app).filter(category=category, user_id=user_id)


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary that is not stored yet, and the facts that it was written from, as they were `as_of`."""

    written: Written
    facts: Sequence[Noted]
    passages: Sequence[Passage]
    as_of: datetime


class Rewriting:
    """One worker's run. What it claims is its own for `LEASE`; the token keeps it from writing after that.

    `afresh`: the provider does not see the summary before. `on_stored` is told inside the transaction of each summary
    whether its text has changed.
    """

    def __init__(
        self,
        app: App,
        provider: Provider,
        embedder: Embedder,
        actor: str,
        now: datetime,
        *,
        afresh: bool = False,
        on_stored: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self.app, self.provider, self.embedder, self.actor = app, provider, embedder, actor
        self.begun, self.started = now, monotonic()
        self.afresh, self.on_stored = afresh, on_stored

    def now(self) -> datetime:
        """Return the present moment: a run may take longer than a lease."""
        return self.begun + timedelta(seconds=monotonic() - self.started)

    def run(self, ripe: Q) -> int:
        """Write anew each of the ripe once; return how many texts changed. Two statements to claim each."""
        if not self.app.policy.capture_summaries:
            return 0
        changed = 0
        rows = SummaryDue.objects.for_app(self.app)
        for pk in list(rows.filter(ripe).order_by("since", "pk").values_list("pk", flat=True)):
            now = self.now()
            free = Q(lease_until=None) | Q(lease_until__lte=now)
            # Unless another worker has it.
            if rows.filter(ripe & free, pk=pk).update(token=F("token") + 1, lease_until=now + LEASE):
                changed += sum(self.rewrite(due) for due in rows.filter(pk=pk))
        return changed

    def rewrite(self, due: SummaryDue) -> bool:
        """Return whether the text has changed.

        Whatever fails, the next worker need not wait for the lease to run out.
        """
        try:
            # Slow work comes first, outside of any transaction.
            as_of = self.now()
            facts = facts_of(self.app, due.category, due.user_id, as_of)
            current = versions_of(self.app, due.category, due.user_id).current().first()
            written = Written("")
            if facts:
                previous = current.content if current and not self.afresh else ""
                written = self.provider.summarise(due.category, facts, previous, MAX_CHARACTERS)
            rows = current.passages.filter(model=self.embedder.name).values_list("text", "data") if current else ()
            size = self.embedder.known_dim * FLOAT_BYTES
            vectors = {text: bytes(data) for text, data in rows if data and len(data) == size}
            passages = passages_of(self.app, written.text, facts, self.embedder, vectors)
            return self.store(due, Draft(written, facts, passages, as_of))
        except LLMError as error:
            log.warning("summary_not_written", app=self.app.app_id, error=str(error))
            self.claimed(due).update(lease_until=None)
            return False
        except Exception:
            self.claimed(due).update(lease_until=None)
            raise

    @transaction.atomic
    def store(self, due: SummaryDue, draft: Draft) -> bool:
        """Store a draft.

        Nothing if another worker has taken over, or if a fact was forgotten or withdrawn while it was written
        of.
        """
        # As writers of memories do: nobody can forget one between the look and the write.
        list(App.objects.select_for_update().filter(pk=self.app.pk).values_list("pk"))
        if not self.claimed(due).exists():
            return False
        pks = [fact.number for fact in draft.facts]
        if memories_of(self.app, due.category, due.user_id).filter(pk__in=pks).count() < len(pks):
            self.claimed(due).update(lease_until=None)
            return False
        is_new = self.keep(due, draft)
        # Changes that came in since the claim are left for the next run.
        if not self.claimed(due).filter(changes=due.changes).delete()[0]:
            since = (due.lease_until or self.now()) - LEASE
            self.claimed(due).update(changes=F("changes") - due.changes, since=since, lease_until=None)
        self.on_stored(is_new)
        if is_new:
            log.info("summary_written", app=self.app.app_id, actor=self.actor)
        return is_new

    def keep(self, due: SummaryDue, draft: Draft) -> bool:
        """Return whether there is a new version, or none any more. With the same text only passages may be others."""
        versions = versions_of(self.app, due.category, due.user_id)
        current = versions.current().first()
        if draft.written.text == (current.content if current else ""):
            versions.current().update(as_of=draft.as_of)
            if current:
                set_passages(current, draft.passages)
            return False
        number = versions.aggregate(latest=Max("version"))["latest"] or 0
        now = self.now()
        versions.current().update(archived_at=now)
        Passage.objects.for_app(self.app).filter(summary=current).delete()
        if draft.written.text:
            new = Summary.objects.create(
                app=self.app,
                category=due.category,
                user_id=due.user_id,
                version=number + 1,
                content=draft.written.text,
                memory_count=len(draft.facts),
                made_by=draft.written.made_by,
                created_at=now,
                as_of=draft.as_of,
            )
            set_passages(new, draft.passages)
        archived = versions.exclude(archived_at=None).order_by("-version")
        if surplus := archived.values_list("version", flat=True)[VERSIONS_KEPT:][:1]:
            archived.filter(version__lte=surplus[0]).delete()
        return True

    def claimed(self, due: SummaryDue) -> ScopedQuerySet[SummaryDue]:
        return SummaryDue.objects.for_app(self.app).filter(pk=due.pk, token=due.token)


def set_passages(summary: Summary, passages: Sequence[Passage]) -> None:
    """Write only if they are others."""
    known, new = (
        [(passage.memory_id, passage.text, passage.model, bytes(passage.data or b"")) for passage in rows]
        for rows in (list(summary.passages.order_by("pk")), passages)
    )
    if known != new:
        summary.passages.all().delete()
        for passage in passages:
            passage.summary = summary
        Passage.objects.bulk_create(passages)


@dataclass(frozen=True, slots=True)
class ComputedSummary:
    """A text, from how many facts it was put together, and what these were."""

    written: Written
    facts: int
    state: bytes


def compute_summary(app: App, category: str, user_id: str, now: datetime) -> ComputedSummary:
    """Return a summary as of now.

    Two queries for a few numbers of each fact; where they changed, two more and up to a second for 5,000 facts.
    """
    key = app.pk, app.index_number, category, user_id
    known: ComputedSummary | None = None
    state = b""
    if is_cacheable := is_committed():
        # The state first: what is written meanwhile may be read twice, never missed. It is the same for the same facts:
        # which they are, in their order, as of which change, and which are at odds.
        rows = first_of(app, category, user_id, now).values_list("pk", "change_number", "access_count")
        state = sha256(repr([*rows, *at_odds_in(app, category, user_id, now)]).encode()).digest()
        known = computed_summaries.get(key)
    if known is None or known.state != state:
        facts = facts_of(app, category, user_id, now)
        known = ComputedSummary(summarise(category, facts, "", MAX_CHARACTERS), len(facts), state)
        if is_cacheable:
            computed_summaries.put(key, known)
    return known

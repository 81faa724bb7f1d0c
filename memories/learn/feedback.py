"""Echo and fizzle: an injected memory that the agent's answer made use of gains priority, one that was ignored loses.

    used:     priority + echo_step
    ignored:  priority − fizzle_step × min(2, max(1, length of its line / mean length of its block's lines))

within 0 and 2. A line is judged once. What was shown for a turn is judged by the answer to that turn, or the next one
there is. What was shown without a turn, such as a session's greeting, is there for all its answers: it is used by the
first that uses it. When the session ends and none has, that is noted, and its priority stays: a greeting tells what is
known, whatever the session will be about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time

import structlog
from django.db.models import Avg, Count, Q
from django.db.models.functions import Length, TruncDate

from memories.learn.verdict import AT_ODDS, Answer, Verdict, is_of_another, likeness_of, take_up, verdict_of
from memories.models import Injection, Memory, Vector
from memories.models.learning import LESSONS, InjectionQuerySet
from memories.models.vector import by_number, embedded_text
from memories.providers.embeddings import Embedder, EmbedderError, Vectors
from memories.store import writing
from memsite.tenancy.models import App, AppPolicy
from sessions.models import AgentSession, Turn

MOST_EXPENSIVE = 2.0
NO_SIGN = "no sign of it in the answer"

log = structlog.get_logger("memories.learn")


@dataclass(frozen=True, slots=True)
class Judged:
    """Hold a memory with its new priority, and the verdict on it."""

    memory: Memory
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Feedback:
    """Hold what one answer taught."""

    used: list[Judged] = field(default_factory=list)
    ignored: list[Judged] = field(default_factory=list)


def judge(
    session: AgentSession,
    text: str,
    turn_number: int,
    embedder: Embedder,
    actor: str,
    now: datetime,
    *,
    question: str = "",
) -> Feedback:
    """Return what the agent's answer to a turn shows of the memories it had before it.

    Safe to call for every turn, any number of times, outside of transactions. One query where nothing waits to be
    judged; otherwise up to twelve, whatever the number of memories, and one embedding of at most 41 texts of 60 words,
    which a missing embedder only makes less sure. Without a `question` the stored turn's is taken.
    """
    if not text.strip():
        return Feedback()
    # What waits to be judged and was before the agent when it answered this turn.
    before = Q(turn_number=None) | Q(turn_number__lte=turn_number)
    open_rows = list(waiting(session).filter(before).select_related("memory").order_by("pk"))
    if not open_rows:
        return Feedback()
    if not question:
        turns = Turn.objects.for_app(session.app).filter(session=session, number=turn_number)
        question = turns.values_list("user_input", flat=True).first() or ""
    answer = Answer(text, question, [row.line for row in open_rows])
    verdicts = weigh(session.app, [row.memory for row in open_rows], answer, embedder)
    is_settled = {row.pk: row.turn_number is not None or verdicts[row.memory_id].used for row in open_rows}
    # Keep the most that any answer has shown of a memory that is not judged yet.
    more = []
    for row in open_rows:
        verdict = verdicts[row.memory_id]
        if not is_settled[row.pk] and (row.word_share is None or verdict.word_share > row.word_share):
            row.word_share, row.similarity = verdict.word_share, verdict.similarity
            more.append(row)
    if more:
        waiting(session).bulk_update(more, ["word_share", "similarity"])
    return settle(session, [row for row in open_rows if is_settled[row.pk]], verdicts, actor, now)


def judge_rest(session: AgentSession, actor: str, now: datetime) -> None:
    """Note at a session's end what was there for its answers and never used. One query if there is none.

    What no answer was held against stays unjudged: the agent may never tell us any.
    """
    rows = list(waiting(session).filter(word_share__isnull=False).order_by("pk"))
    if rows:
        verdicts = {row.memory_id: Verdict(False, row.word_share or 0.0, row.similarity, "") for row in rows}
        with writing(session.app, actor, now):
            mark(session, unjudged(session, rows), verdicts, now)


def injections(session: AgentSession) -> InjectionQuerySet:
    return Injection.objects.for_app(session.app).into(session).exclude(block=LESSONS)


def waiting(session: AgentSession) -> InjectionQuerySet:
    """Select what is not judged yet."""
    return injections(session).filter(judged_at__isnull=True)


def weigh(app: App, memories: Sequence[Memory], answer: Answer, embedder: Embedder) -> dict[int, Verdict]:
    """Return the verdict on each memory, by pk."""
    texts = {memory.pk: embedded_text(memory.text, memory.subject) for memory in memories}
    vectors = vectors_of(app, list(texts), answer, embedder)
    verdicts = {
        pk: verdict_of(take_up(text, answer), likeness_of(vectors.get(pk), answer), embedder.thresholds)
        for pk, text in texts.items()
    }
    for memory in memories:
        verdict = verdicts[memory.pk]
        if verdict.used and is_of_another(memory.text, answer):
            verdicts[memory.pk] = replace(verdict, used=False, evidence=f"{AT_ODDS}: {verdict.evidence}")
    return verdicts


def vectors_of(app: App, pks: Sequence[int], answer: Answer, embedder: Embedder) -> Mapping[int, Vectors]:
    """Return the memories' vectors, by pk, after `answer` was given its own; none where those cannot be had."""
    rows = list(
        Vector.objects.for_app(app).filter(model=embedder.name, memory__in=pks).values_list("memory_id", "data")
    )
    if not rows or not answer.passages:
        return {}
    try:
        answer.take_vectors(embedder.embed_documents(answer.texts()))
    except EmbedderError as error:
        log.warning("answer_not_embedded", embedder=embedder.name, error=str(error))
        return {}
    numbers, vectors = by_number(rows, embedder.known_dim)
    return dict(zip(numbers, vectors, strict=True))


def settle(
    session: AgentSession, rows: Sequence[Injection], verdicts: Mapping[int, Verdict], actor: str, now: datetime
) -> Feedback:
    """Mark the lines as judged and moves priorities; both or neither.

    Lines that another call has judged meanwhile are left as they are.
    """
    if not rows:
        return Feedback()
    factors = cost_factors(session, rows)
    with writing(session.app, actor, now) as write:
        rows = unjudged(session, rows)
        mark(session, rows, verdicts, now)
        memories = Memory.objects.for_app(session.app).in_bulk({row.memory_id for row in rows})
        judged = [Judged(memories[pk], verdicts[pk]) for pk in verdicts if pk in memories]
        write.judge_uses([change(write.policy, item, factors[item.memory.pk]) for item in judged])
    return Feedback([item for item in judged if item.verdict.used], [item for item in judged if not item.verdict.used])


def unjudged(session: AgentSession, rows: Sequence[Injection]) -> list[Injection]:
    """Return those that no other call has judged meanwhile."""
    still = set(waiting(session).filter(pk__in=[row.pk for row in rows]).values_list("pk", flat=True))
    return [row for row in rows if row.pk in still]


def cost_factors(session: AgentSession, rows: Sequence[Injection]) -> dict[int, float]:
    """Return by memory pk how many times the mean length of its block's lines its line has, from 1 to 2. One query."""
    blocks = injections(session).filter(created_at__in={row.created_at for row in rows}).order_by()
    means = {
        (created_at, block): mean
        for created_at, block, mean in blocks.values_list("created_at", "block").annotate(mean=Avg(Length("line")))
    }
    factors: dict[int, float] = {}
    for row in rows:
        times = len(row.line) / (means.get((row.created_at, row.block)) or 1)
        factors[row.memory_id] = max(factors.get(row.memory_id, 1.0), min(MOST_EXPENSIVE, times))
    return factors


def mark(session: AgentSession, rows: Sequence[Injection], verdicts: Mapping[int, Verdict], now: datetime) -> None:
    for row in rows:
        verdict = verdicts[row.memory_id]
        row.judged_at, row.used, row.evidence = now, verdict.used, verdict.evidence
        row.word_share, row.similarity = verdict.word_share, verdict.similarity
    if rows:
        injections(session).bulk_update(rows, ["judged_at", "used", "word_share", "similarity", "evidence"])


def change(policy: AppPolicy, judged: Judged, factor: float) -> tuple[Memory, bool, float, str]:
    """Return what the verdict does to the memory, as `Writer.judge_uses` takes it."""
    if judged.verdict.used:
        return judged.memory, True, policy.echo_step, judged.verdict.evidence
    dear = f"; its line is {factor:.1f} × as long as others" if factor > 1.05 else ""
    return judged.memory, False, policy.fizzle_step * factor, f"{judged.verdict.evidence or NO_SIGN}{dear}"


@dataclass(frozen=True, slots=True)
class DayOfUse:
    """Hold how many injected lines were judged on a day: a memory that was shown twice counts twice."""

    day: date
    used: int
    ignored: int


def used_rates(app: App, since: date) -> list[DayOfUse]:
    """Return, by day in the app's time zone from `since` on, how much was used; days without any are left out.

    One query.
    """
    zone = app.policy.time_zone
    judged = Injection.objects.for_app(app).filter(judged_at__gte=datetime.combine(since, time.min, zone))
    by_day = judged.annotate(day=TruncDate("judged_at", tzinfo=zone)).values_list("day").order_by("day")
    counted = by_day.annotate(echoes=Count("pk", filter=Q(used=True)), fizzles=Count("pk", filter=Q(used=False)))
    return [DayOfUse(*row) for row in counted]

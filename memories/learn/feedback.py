"""Echo and fizzle: an injected memory that the agent's answer made use of gains priority, one that was ignored loses.

    used:     priority + echo_step
    ignored:  priority − fizzle_step × min(2, max(1, length of its line / mean length of its block's lines))

within 0 and 2. A line is judged once. What was shown for a turn is judged by the answer to that turn, or the next one
there is. What was shown without a turn, such as a session's greeting, is there for all its answers: it is used by the
first that uses it. When the session ends and none has, that is noted, and its priority stays: a greeting tells what is
known, whatever the session will be about.

Whether it made use of one is found by the words that it took up, and by what it means. Nobody asks the agent.
A memory was used when one passage of the answer has

- at least WORDS_ALONE of the memory's words, and no cosine with it below `relevant`, or
- at least WORDS_WITH_MEANING of its words, and a cosine of at least `related`, or
- a cosine of at least the middle of `related` and `same`, and is nearer to the memory than to the question.

Words that the question had already are not counted: an answer that says again what was asked has used nothing. Nor has
one that contradicts the memory, or tells of its near twin: "the green printer needs toner" is not the blue one.
Blocks and lines that the agent only reads back are left out. The three cosines are the embedder's own; the two shares
were chosen on two thirds of tests/data/feedback-pairs.jsonl.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from itertools import pairwise

import structlog
from django.db import connection, transaction
from django.db.models import Avg, Count, Q
from django.db.models.functions import Length, TruncDate

from memories.language.dates.words import DETERMINERS, MONTHS, WEEKDAY_PLURALS, WEEKDAYS
from memories.language.messages import strip_fenced
from memories.language.relate import Relation, relate
from memories.language.relate.lexicon import concept_of
from memories.language.rewrite.filler import sentences
from memories.language.similarity import EMPTY_WORDS, shared_words, used_share
from memories.models import Injection, Memory, Vector
from memories.models.learning import LESSONS, InjectionQuerySet
from memories.models.vector import by_number, embedded_text
from memories.providers.embeddings import Embedder, EmbedderError, Thresholds, Vectors
from memories.store import writing
from memsite.tenancy.models import App, AppPolicy
from sessions.models import AgentSession, Turn

WORDS_ALONE, WORDS_WITH_MEANING = 0.5, 0.3
PASSAGE_WORDS, PASSAGE_CHARACTERS, MAX_PASSAGES = 60, 600, 40
MAX_EVIDENCE = 500
DIGITS = 6
# Of a memory that the question says nearly whole, too little is left to tell by.
ALL_BUT_ASKED = 0.9

MOST_COMPARED = 8
"""Statements of a turn that are held against a memory."""
FEWEST_WORDS = 3
"""Of a statement that may deny another one."""
_IS_STATEMENT = re.compile(r"\W*(?:no|nope|actually|wrong|sorry|I|we|my|our|the|it|that)\b", re.IGNORECASE)
"""What a user says is so, not what is to be done: "Run the migrations" denies no memory."""
ALIKE, NEARLY_ALL = 0.6, 0.8
"""The shares of their words that two statements have in common, seen from either, if one may deny the other: what has
words of its own beside those of the other may tell what follows from it.
"""
DAYS = frozenset(map(concept_of, [*WEEKDAYS, *WEEKDAY_PLURALS, *MONTHS]))
AT_ODDS = "says something else"
_WORD = re.compile(r"[^\W_](?:[\w.:/@'’-]*[^\W_])?")
_POSSESSIVE = re.compile("['’]s$")
_LEADING_MARKS = re.compile(r"[\s>*~•-]*(?:\d{1,4}[.)]\s+)?[\s*~•-]*")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word_share` 0 to 1, `similarity` None where no vectors could be compared; `evidence` says both in short."""

    used: bool
    word_share: float
    similarity: float | None
    evidence: str


class Answer:
    """An agent's answer as passages, and the question it answers ("" where it is not known)."""

    def __init__(self, text: str, question: str = "", shown_lines: Collection[str] = ()) -> None:
        # Without the lines that are those the agent was shown, with all their furniture.
        injected = {plain_line(line) for line in shown_lines} - {""}
        lines = [line for line in strip_fenced(text).split("\n") if not injected or plain_line(line) not in injected]
        self.passages = passages_of("\n".join(lines))
        self.question = " ".join(passages_of(question))
        self.statements = statements_of(self.passages)
        self.corrections = [
            statement for statement in statements_of(passages_of(question)) if _IS_STATEMENT.match(statement)
        ]
        self.vectors: Vectors | None = None
        self.question_cosines: Vectors | None = None

    def texts(self) -> list[str]:
        """Return what is to be embedded: at most 40 passages of 60 words, and the question after them."""
        return [*self.passages, self.question] if self.passages and self.question else list(self.passages)

    def take_vectors(self, vectors: Vectors) -> None:
        """Take the vectors of `texts()`, shape (n, dim)."""
        count = len(self.passages)
        self.vectors = vectors[:count]
        self.question_cosines = self.vectors @ vectors[count] if len(vectors) > count else None


@dataclass(frozen=True, slots=True)
class Likeness:
    """The highest cosine of a memory with a passage, and with one that is nearer to it than to the question."""

    cosine: float
    beyond_question: float


@dataclass(frozen=True, slots=True)
class Words:
    """The share of a memory's words that an answer has, and those words."""

    share: float
    shared: tuple[str, ...] = ()


def verdict_of(words: Words, likeness: Likeness | None, thresholds: Thresholds) -> Verdict:
    """Judge by words alone where there is no likeness to go by."""
    if likeness is None:
        return Verdict(words.share >= WORDS_ALONE, words.share, None, evidence_of(words.shared, None))
    used = (
        (words.share >= WORDS_ALONE and likeness.cosine >= thresholds.relevant)
        or (words.share >= WORDS_WITH_MEANING and likeness.cosine >= thresholds.related)
        or likeness.beyond_question >= (thresholds.related + thresholds.same) / 2
    )
    return Verdict(used, words.share, likeness.cosine, evidence_of(words.shared, likeness.cosine))


def is_of_another(memory_text: str, answer: Answer) -> bool:
    """Return whether the turn says something else than the memory, and nowhere the same.

    The contrary, a value in its place, or the same of a near twin.
    """
    statements = answer.statements + answer.corrections
    # Whether a word of the memory stands nowhere, and another one in its place: before the same word ("the blue
    # printer"), or, of numbers and days, behind it ("port is 8443").
    here, words_said = words_in(memory_text), [words_in(statement) for statement in statements]
    everything = {stem for words in words_said for _, stem in words}
    others = {after for words in words_said for _, after in described(words)}
    leads = {before for words in words_said for before, _ in values(words)}
    if any(word not in everything and after in others for word, after in described(here)):
        return True
    if any(value not in everything and before in leads for before, value in values(here)):
        return True
    alike = [statement for statement in statements if is_alike(memory_text, statement)]
    relations = [relate(memory_text, statement).relation for statement in alike[:MOST_COMPARED]]
    return Relation.CONTRADICTS in relations and not {Relation.SAME, Relation.ELABORATES}.intersection(relations)


def is_alike(text: str, other: str) -> bool:
    if len(other.split()) < FEWEST_WORDS:
        return False
    less, more = sorted((used_share(text, other), used_share(other, text)))
    return less >= ALIKE and more >= NEARLY_ALL


def described(words: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a word behind an article, or at the beginning, and the one that it describes."""
    for (before, _), (_, word), (_, after) in zip([("the", ""), *words], words, words[1:], strict=False):
        if word and after and before in DETERMINERS:
            yield word, after


def values(words: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield numbers, identifiers and days, each behind the word before it that tells something."""
    for before, word in pairwise(stem for _, stem in words if stem):
        if any(map(str.isdigit, word)) or word in DAYS:
            yield before, word


def words_in(text: str) -> list[tuple[str, str]]:
    """Return each word, and what its forms have in common: "" of those that tell nothing by themselves."""
    plain = (_POSSESSIVE.sub("", match.group().casefold()) for match in _WORD.finditer(text))
    return [(word, "" if word in EMPTY_WORDS else concept_of(word) if word.isalpha() else word) for word in plain]


def statements_of(passages: Sequence[str]) -> list[str]:
    """Return what is said, not what is asked."""
    return [sentence for passage in passages for sentence in sentences(passage) if not sentence.rstrip().endswith("?")]


def evidence_of(shared: Sequence[str], similarity: float | None) -> str:
    parts = [", ".join(shared)] if shared else []
    alike = [] if similarity is None else [f"cosine {similarity:.2f}"]
    return "; ".join([*parts, *alike])[-MAX_EVIDENCE:]


def take_up(memory_text: str, answer: Answer) -> Words:
    """Return what the answer has of the memory: in the passage that has most, or in all where that is little."""
    best = Words(0.0)
    for part in passages_of(memory_text):
        known = used_share(part, answer.question)
        if not answer.passages or known >= ALL_BUT_ASKED:
            continue
        words = beyond_question(part, "\n".join(answer.passages), answer.question, known)
        if words.share >= WORDS_WITH_MEANING and len(answer.passages) > 1:
            each = [beyond_question(part, passage, answer.question, known) for passage in answer.passages]
            words = max(each, key=lambda item: item.share)
        best = max(best, words, key=lambda item: item.share)
    return best


def beyond_question(part: str, passage: str, question: str, known: float) -> Words:
    """Return the share of the words that the question did not have; `known` is the share of those it had."""
    both = f"{passage}\n{question}"
    share = round((used_share(part, both) - known) / (1 - known), DIGITS)
    if share <= 0:
        return Words(0.0)
    in_question = shared_words(part, question)
    return Words(share, tuple(word for word in shared_words(part, both) if word not in in_question))


def likeness_of(vector: Vectors | None, answer: Answer) -> Likeness | None:
    """Return the likeness of a memory's vector, shape (dim,); None where there is nothing to compare."""
    if vector is None or answer.vectors is None or not len(answer.vectors):
        return None
    cosines = answer.vectors @ vector
    beyond = cosines if answer.question_cosines is None else cosines[cosines > answer.question_cosines]
    return Likeness(float(cosines.max()), float(beyond.max(initial=0.0)))


def passages_of(text: str) -> list[str]:
    """Return sentences in groups of at most 60 words; of more than 40 groups, the first and the last 20."""
    groups: list[list[str]] = []
    for sentence in sentences(text):
        for start in range(0, len(sentence) or 1, PASSAGE_CHARACTERS):
            words = sentence[start : start + PASSAGE_CHARACTERS].split()
            if groups and len(groups[-1]) + len(words) <= PASSAGE_WORDS:
                groups[-1] += words
            else:
                groups.append(words)
    half = MAX_PASSAGES // 2
    chosen = groups if len(groups) <= MAX_PASSAGES else groups[:half] + groups[-half:]
    return [" ".join(group)[:PASSAGE_CHARACTERS] for group in chosen]


def plain_line(line: str) -> str:
    """Return it without bullet, number and quotation mark, in lower case."""
    return " ".join(line[_LEADING_MARKS.match(line).end() :].casefold().split())  # type: ignore[union-attr]  # matches ""


MOST_EXPENSIVE = 2.0
MOST_WAITING = 100
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

    Safe to call for every turn, any number of times, outside of transactions. It judges the newest hundred of those
    that wait, so that turns of a long session cost no more. One query where none waits; otherwise up to twelve, and
    one embedding of at most 41 texts of 60 words, which a missing embedder only makes less sure. Without a `question`
    the stored turn's is taken.
    """
    if not text.strip():
        return Feedback()
    # What waits to be judged and was before the agent when it answered this turn.
    before = Q(turn_number=None) | Q(turn_number__lte=turn_number)
    newest = waiting(session).filter(before).select_related("memory").order_by("-pk")[:MOST_WAITING]
    open_rows = list(reversed(newest))
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
        write_each(more, "word_share", "similarity")
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
    write_each(rows, "judged_at", "used", "word_share", "similarity", "evidence")


def write_each(rows: Sequence[Injection], *names: str) -> None:
    """Write these fields of each row that is not judged yet. `bulk_update` takes ten times as long for the same."""
    fields = [field for field in Injection._meta.concrete_fields if field.name in names]
    columns = ", ".join(f"{field.column} = %s" for field in fields)
    sql = f"UPDATE {Injection._meta.db_table} SET {columns} WHERE id = %s AND app_id = %s AND judged_at IS NULL"  # noqa: S608
    values = [
        [*(field.get_db_prep_save(getattr(row, field.name), connection) for field in fields), row.pk, row.app_id]
        for row in rows
    ]
    if values:
        with transaction.atomic(savepoint=False), connection.cursor() as cursor:
            cursor.executemany(sql, values)


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

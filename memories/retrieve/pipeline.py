"""question → hits: read what may be shown, ask the arms side by side, weigh what they say, rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from memories.models import Memory, Vector
from memories.providers.embeddings import Embedder, Vectors
from memories.retrieve.anchors import anchored_days
from memories.retrieve.arms import Arm, ask_arms, at_hand, graph, summary
from memories.retrieve.arms.fulltext import is_damaged, look_up, look_up_symbols
from memories.retrieve.arms.vector import measure
from memories.retrieve.cosines import Cosines, Unmeasured
from memories.retrieve.days import of_other_days
from memories.retrieve.features import Evidence
from memories.retrieve.hit_rows import rows_of
from memories.retrieve.hits import Hit, Recall, Told
from memories.retrieve.index import AppIndex, Indexes
from memories.retrieve.question import Question, read_question
from memories.retrieve.ranking import (
    BAND,
    BAND_SHARE,
    Ranked,
    at_least,
    by_column,
    in_talk,
    rank,
    rank_by,
    rank_dual,
    rank_product,
    without,
)
from memories.retrieve.reading import Reading, Rows, Scope, read
from memories.retrieve.serving import is_partial
from memories.retrieve.surer import CLOSE, among, hits_with_the_surer, with_the_surer
from memories.retrieve.words import Words, match_words
from memories.store.damage import noticing_damage
from memories.text.looks import Look, look_of
from memsite.config.conf import get_conf
from memsite.db.lru_cache import Commit
from memsite.db.prepared import Prepared, padded
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy, Ranking

MODES = ("auto", "tiered", "dual", "vector", "fulltext", "graph")
BY_LOGARITHMS = (Ranking.STANDARD, Ranking.CONFIDENCE, Ranking.RECENT)
"""Their scores are what `rank` adds up; those of the others are shares, or products of these."""
COLUMN_FIRST: dict[str, str] = {Ranking.CONFIDENCE: "confidence", Ranking.RECENT: "updated"}
QUESTIONS_KEPT = 1024
DIMENSIONS_READ = 25
"""Of the stored vectors: one that is damaged is not to decide for all."""

indexes = Indexes(get_conf().index_megabytes * 2**20)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a mode means under a policy: whether summaries may answer, the arms, and who ranks what they say."""

    tiered: bool
    arms: tuple[str, ...]
    ranking: str


def make_plan(mode: str, policy: AppPolicy) -> Plan:
    """A single arm ranks by itself; `auto` is what the policy says."""
    if mode in ("vector", "fulltext", "graph"):
        return Plan(False, (mode,), mode)
    ranking = Ranking.DUAL if mode == "dual" else policy.ranking
    tiered = mode == "tiered" or (mode == "auto" and policy.tiered)
    graph_too = ("graph",) if ranking == Ranking.DUAL else ()
    return Plan(tiered, ("vector", "fulltext", *graph_too), ranking)


def recall(
    app: App, text: str, scope: Scope, embedder: Embedder, *, limit: int, mode: str = "auto",
    min_score: float | None = None, offset: int = 0, policy: AppPolicy | None = None, floor: bool = True,
    told: Sequence[int] = (),
) -> Recall:  # fmt: skip
    """The best `limit` memories in scope after the first `offset`, best first, as the app's policy or another says.

    Without the `floor` also what does not fit, of memories alone: to see what was left out. What was `told` (pks) is
    none of the hits, but they may be at odds with it.
    """
    policy = policy or app.policy
    reading = read(index_of(app, embedder).view(scope.commit), scope)
    if not reading.size:
        return Recall([])
    plan = make_plan(mode, policy)
    now = datetime.fromtimestamp(scope.now, tz=policy.time_zone)
    question = read_question(text, reading, now)
    if plan.tiered and floor and not scope.past and question.every_word:
        summed_up = from_summaries(app, question, reading, scope, embedder, min_score)
        left_out = of_other_days(app, [hit.row.pk for hit in summed_up.hits], question.exact_days, now).union(told)
        if hits := [hit for hit in summed_up.hits if hit.row.pk not in left_out]:
            hits, at_odds = hits_with_the_surer(app, reading, hits, told, scope.commit)
            so_far, more = hits[: offset + limit], len(hits) > offset + limit
            at_odds = among(at_odds, {hit.row.pk for hit in so_far}.union(told))
            return replace(summed_up, hits=so_far[offset:], tier="summaries", more=more, at_odds=at_odds)
    evidence, degraded = weigh(app, question, reading, embedder, plan)
    # One more than is shown: whether there are more, is told.
    most = offset + limit + 1
    ranked = order(policy, plan, evidence, embedder, scope, most + CLOSE + len(told), floor=floor)
    if floor and question.exact_days and plan.ranking in Ranking.values:
        ranked = without(ranked, reading, not_of(app, reading, ranked, question, now))
    if told:
        ranked = without(ranked, reading, told)
    if min_score is not None:
        ranked = at_least(ranked, min_score)
    ranked, at_odds = with_the_surer(app, reading, ranked, most, told, scope.commit, bring=not scope.past)
    hits = load(app, reading, ranked, limit, offset, scope.commit)
    has_words = "fulltext" in plan.arms and "fulltext" not in degraded and bool(question.every_word)
    if has_words and is_damaged(app, reading, evidence.words, [hit.row for hit in hits]):
        degraded.append("fulltext")
    if at_odds:
        at_odds = among(at_odds, {*reading.at("pk", ranked.places[: offset + limit]).tolist(), *told})
    more = len(ranked.places) > offset + limit and len(hits) == limit
    band = BAND if plan.ranking in BY_LOGARITHMS else BAND_SHARE * float(ranked.scores.max(initial=0.0))
    tier = "items" if hits else "none"
    return Recall(hits, degraded, ranked.combined, tier, more=more, band=band, at_odds=at_odds)


def not_of(app: App, reading: Reading, ranked: Ranked, question: Question, now: datetime) -> list[int]:
    """Return the pks of what is of other days than the question. Turns of a talk stay, beside what tells the day."""
    statements = ranked.places[~in_talk(reading, ranked.places)]
    return [*of_other_days(app, reading.at("pk", statements).tolist(), question.exact_days, now)]


def from_summaries(
    app: App, question: Question, reading: Reading, scope: Scope, embedder: Embedder, min_score: float | None
) -> Recall:  # fmt: skip
    """The memories on which the fitting passages of summaries stand, if one fits well enough; otherwise none."""
    here = at_hand(embedder)
    found, degraded = ask_arms({"vector": partial(embed_question, embedder, question.bare)}, here=here)
    if found and is_partial(app, embedder):
        degraded.append("vector")
    vector, shown = found.get("vector"), set(reading.pks.tolist())
    told, late = ask_arms(
        {"summary": partial(summary.answers, app, scope.users, question, vector, embedder, shown)}, here=here
    )
    degraded += late
    thresholds = embedder.thresholds
    least = max(thresholds.likened(thresholds.relevant), min_score or 0.0)
    fitting = [answer for answer in told.get("summary", []) if answer.score >= least]
    if not fitting or fitting[0].score < summary.SUFFICIENT:
        return Recall([], degraded)
    best = {answer.passage.memory_id: answer for answer in reversed(fitting)}
    rows = rows_of(app, list(best), scope.commit)
    found_once = sorted(best.values(), key=lambda answer: -answer.score)
    hits = [
        Hit(app, rows[answer.passage.memory_id], answer.score, answer.parts)
        for answer in found_once
        if answer.passage.memory_id in rows
    ]
    categories = dict.fromkeys(answer.passage.summary for answer in fitting)
    summaries = [
        Told(one, [answer.passage.text for answer in fitting if answer.passage.summary == one]) for one in categories
    ]
    return Recall(hits, degraded, summaries=summaries, band=BAND_SHARE * fitting[0].score)


def weigh(
    app: App, question: Question, reading: Reading, embedder: Embedder, plan: Plan
) -> tuple[Evidence, list[str]]:  # fmt: skip
    """All that speaks for the memories of a reading, and the arms that could not answer."""
    words = question.every_word if plan.arms == ("fulltext",) else question.words
    here = at_hand(embedder)

    def holding_words() -> Words:
        with noticing_damage(app.pk):
            found = look_up(app, reading, words) if words else look_up_symbols(app, reading, question.text)
        if "fulltext" not in here and plan.ranking in BY_LOGARITHMS:
            # While another thread waits for the database to find the vectors.
            found.work_out()
        return found

    def by_meaning() -> Cosines | None:
        if not question.every_word:
            # Of an emoji an embedder knows no more than that it is none of its words: all would be as near.
            return None
        vector = embed_question(embedder, question.bare)
        # Of a text that it cannot read the embedder says nothing: words are all there is, and nobody failed.
        return measure(reading, vector) if vector.any() else None

    arms: dict[str, Arm] = {
        "vector": by_meaning,
        "fulltext": holding_words,
        "graph": lambda: graph.proximity(app, question.text, reading),
    }
    found, failed = ask_arms({name: arms[name] for name in plan.arms}, here=here)
    if "vector" in found and (is_partial(app, embedder) or reading.view.is_partial):
        failed.append("vector")
    vector = found.get("vector")
    evidence = Evidence(
        reading,
        question,
        cosines=Unmeasured(reading.size) if vector is None else vector,
        words=found.get("fulltext") or match_words(reading, [], []),
        looks=looks_at(app, reading),
        thresholds=embedder.thresholds,
        proximity=found.get("graph", reading.nothing),
        measured=vector is not None,
    )
    return anchored_days(evidence), failed


def index_of(app: App, embedder: Embedder) -> AppIndex:
    return indexes.of(app, embedder.name, dimension(app, embedder))


def dimension(app: App, embedder: Embedder) -> int:
    """Of the embedder's vectors, if it has made any; else of those that the app has. No service is waited for."""
    if embedder.known_dim:
        return embedder.known_dim
    stored = Vector.objects.for_app(app).filter(model=embedder.name).order_by("memory_id")
    return usual(stored.values_list("dim", flat=True)[:DIMENSIONS_READ])


def usual(told: Iterable[Any]) -> int:
    """The length that most of them have; 1 where there are none."""
    counted = Counter(dim for dim in told if isinstance(dim, int) and dim > 0)
    return max(counted, key=counted.__getitem__, default=1)


@lru_cache(QUESTIONS_KEPT)
def embed_kept(embed: Callable[[str], Vectors], text: str) -> Vectors:
    return embed(text)


def embed_question(embedder: Embedder, text: str) -> Vectors:
    """A question's vector; those of the last questions are kept."""
    return embed_kept(embedder.embed_query, text)


def order(
    policy: AppPolicy, plan: Plan, evidence: Evidence, embedder: Embedder, scope: Scope, most: int, *,
    floor: bool = True,
) -> Ranked:  # fmt: skip
    """The best first; `most` of them are looked at."""
    thresholds = embedder.thresholds
    if plan.ranking == "vector":
        near = evidence.cosines.reaching(thresholds.relevant if floor else -1.0, most)
        return rank_by(evidence.reading, "meaning", near, evidence.cosines.at(near), most)
    if plan.ranking == "fulltext":
        holding = evidence.words.holding
        return rank_by(evidence.reading, "words", holding, evidence.words.bm25[holding], most)
    if plan.ranking == "graph":
        linked = np.flatnonzero(evidence.proximity)
        return rank_by(evidence.reading, "graph", linked, evidence.proximity[linked], most)
    relevant = thresholds.likened(thresholds.relevant)
    if plan.ranking == Ranking.PRODUCT:
        return rank_product(evidence, scope, policy, relevant, floor=floor)
    if plan.ranking == Ranking.DUAL:
        return rank_dual(evidence, scope, policy, relevant, floor=floor)
    ranked = rank(evidence, scope, policy, relevant, floor=floor)
    column = COLUMN_FIRST.get(plan.ranking)
    return by_column(ranked, evidence.reading, column) if column else ranked


def looks_at(app: App, reading: Reading) -> Callable[[Rows], NDArray[np.uint16]]:
    """Answers how the texts at some places look; reads those of which it is not known, once in the index's life."""
    looks = reading.view.columns.look

    def answer(places: Rows) -> NDArray[np.uint16]:
        rows = reading.rows[places]
        if not looks[rows].all():
            unread = np.unique(rows[looks[rows] == 0])
            pks = reading.view.columns.pk[unread].tolist()
            read_looks = {pk: look_of(content, subject) for pk, content, subject in texts_of(app, *padded(pks))}
            looks[unread] = [read_looks.get(pk, Look.READ) for pk in pks]
        return looks[rows]

    return answer


def load(app: App, reading: Reading, ranked: Ranked, limit: int, offset: int, commit: Commit | None) -> list[Hit]:
    """The hits with their rows: only those that are shown are read."""
    shown = range(offset, min(offset + limit, len(ranked.places)))
    pks = reading.at("pk", ranked.places[shown.start : shown.stop]).tolist()
    rows = rows_of(app, pks, commit)
    return [
        Hit(app, rows[pk], float(ranked.scores[number]), partial(ranked.parts_of, number))
        for number, pk in zip(shown, pks, strict=True)
        if pk in rows
    ]


@Prepared
def texts_of(app: App, *pks: int) -> QuerySet[Memory, tuple[int, str, str | None]]:
    return Memory.objects.for_app(app).filter(pk__in=pks).order_by().values_list("pk", "content", "subject")

"""Search: scope, recall by retrievers side by side, ranking, trust, and what is counted of it."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet
from numpy.typing import NDArray

from memories.index.app_embedder import is_partial, serving_embedder
from memories.index.app_index import AppIndex, Indexes
from memories.index.columns import NOBODY, distinct
from memories.index.similarity import Cosines, Floats, NoCosines, Rows
from memories.language.coverage import ORDER, SUMMARY, read_overview
from memories.language.surface import Look, look_of
from memories.ledger.days import day_of
from memories.models import Memory, Revision, Status, Vector, Visibility
from memories.providers.embeddings import Embedder, Thresholds, Vectors
from memories.retrieve.access_counters import AccessCounts, counters
from memories.retrieve.calibration import calibration_of, calibration_of_all, calibration_of_cosines
from memories.retrieve.contradictions import CLOSE, hits_with_contradictions, pairs_among, tag_hits, with_contradictions
from memories.retrieve.coverage import covering, in_time, summaries_of
from memories.retrieve.filters import matching_pks, names_in, users_named
from memories.retrieve.hits import Hit, Recall, SummaryAnswer, cached_rows
from memories.retrieve.question import Question, of_other_days, read_question
from memories.retrieve.ranking import (
    BAND,
    BAND_SHARE,
    EXACT,
    PART_OF,
    PUT_BACK,
    Evidence,
    Ranked,
    anchored_days,
    at_least,
    band_of,
    by_column,
    first_of,
    in_talk,
    least_relevant,
    rank,
    rank_by,
    rank_dual,
    rank_product,
    without,
)
from memories.retrieve.retrievers import Retriever, local_retrievers, run_retrievers
from memories.retrieve.retrievers.derived import SUFFICIENT, graph_proximity, summary_answers
from memories.retrieve.retrievers.fulltext import WordMatches, is_damaged, look_up, look_up_symbols, match_words
from memories.retrieve.scoped_view import Interval, PastState, Scope, ScopedView, question_cosines, scoped_view
from memories.retrieve.standing import with_standing
from memories.retrieve.validity import (
    AskedTime,
    TimeAnswer,
    Times,
    given_time,
    is_of_time,
    known_by_any,
    nothing_known,
    rank_by_time,
    read_asked_time,
    tells_validity,
    with_event,
)
from memories.store.damage import noticing_damage
from memories.store.revisions import parse, states_at
from memsite.config.conf import get_conf
from memsite.db.expressions import Literal
from memsite.db.lru_cache import Commit, last_commit
from memsite.db.prepared import Prepared, padded
from memsite.db.replica import on_primary
from memsite.ops.metrics import count_search
from memsite.ops.tracing import span
from memsite.tenancy.access import is_of_users, one_user, users_told_of
from memsite.tenancy.models import Agent, App, AppStatus
from memsite.tenancy.policy import AppPolicy, Ranking
from memsite.tenancy.row_level_security import confined, site_wide

MODES = ("auto", "tiered", "dual", "vector", "fulltext", "graph")
BESIDE, ONLY, NONE = DOCUMENTS = ("beside", "only", "none")
"""Whether passages of documents are found beside memories, alone, or not at all."""
BY_LOGARITHMS = (Ranking.STANDARD, Ranking.CONFIDENCE, Ranking.RECENT)
"""Their scores are what `rank` adds up; those of the others are shares, or products of these."""
COLUMN_FIRST: dict[str, str] = {Ranking.CONFIDENCE: "confidence", Ranking.RECENT: "updated"}
QUESTIONS_KEPT = 1024
OF_DAYS, LONG_BEFORE = 5, 31
"""So many more than are shown are read for their days, unless those asked for lie so many days before all memories."""
DIMENSIONS_READ = 25
"""Of the stored vectors: one that is damaged is not to decide for all."""

indexes = Indexes(get_conf().index_megabytes * 2**20)
FEW, REPLACED_SHOWN = 500, 3
TELLING = ("status", "valid_from", "valid_until")
# Fields of a memory that no other app is told.
PRIVATE_FIELDS = {"metadata", "external_id", "session_id", "turn_number", "agent", "user_id", "access_count", "source"}
log = structlog.get_logger("memories.retrieve")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Hold what a search asks for. `as_of` is a moment in the past or None.

    Memories to `exclude`, by pk, are treated as absent. Those in `shown_pks` still count for the relevance floor and
    are then left out of the hits. So is what scores less than `min_score`; None: than the policy's. Without
    `unreviewed`, memories that the policy wants reviewed and nobody has reviewed are left out. A request that is not
    `counted` leaves no trace: an operator looks, no agent. Without the `floor`, hits that do not fit are returned too.
    `documents` is one of DOCUMENTS; `beside` finds none in the past. `commit` is the last commit before the request,
    where the caller knows it; otherwise the database is asked. `valid` is a time in which what is found has to have
    held, `stored` one in which it was stored: from, and until before. `unasked`, it finds nothing of an
    end user who is not named.
    """

    text: str
    limit: int = 10
    offset: int = 0
    mode: str = "auto"
    min_score: float | None = None
    user_id: str | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    exclude: tuple[int, ...] = ()
    shown_pks: tuple[int, ...] = ()
    shared: bool = False
    documents: str = NONE
    unreviewed: bool = True
    as_of: datetime | None = None
    valid: Times | None = None
    stored: Times | None = None
    tone: str = ""
    count_access: bool = True
    counted: bool = True
    unasked: bool = False
    floor: bool = True
    commit: Commit | None = None


def search(app: App, agent: Agent | None, request: SearchRequest, embedder: Embedder, now: datetime) -> Recall:
    """Return what fits, best first, with trust tags. Count the search, and log it without a word of its text."""
    with span("search", app=app.app_id, mode=request.mode) as note, on_primary():
        result = search_in_app(app, agent, request, embedder, now)
        note({"tier": result.tier, "hits": len(result.hits), "degraded": ",".join(result.degraded)})
    return result


def search_in_app(app: App, agent: Agent | None, request: SearchRequest, embedder: Embedder, now: datetime) -> Recall:
    """Do the search."""
    started = time.perf_counter()
    commit = request.commit or last_commit()
    then = request.as_of or now
    valid, stored = (given_time(*times) if times else None for times in (request.valid, request.stored))
    named = None if valid else read_asked_time(request.text, then.astimezone(app.policy.time_zone))
    held_in = named.sought if named else ()
    past = past_state_at(app, then, valid, held_in) if then < now else None
    only = matching_pks(app, request.filters) if request.filters else None
    scope = Scope(
        agent.pk if agent else None,
        one_user(request.user_id)
        if request.unasked
        else users_told_of(app, agent, request.user_id, users_named(request.filters)),
        then.timestamp(),
        request.exclude,
        only,
        past=past,
        off_domain=off_domain(app, agent),
        tone=request.tone,
        unheard=() if request.unreviewed else tuple(app.policy.review_origins),
        documents=request.documents == ONLY,
        began=now.timestamp() if request.offset else None,
        valid=valid,
        held_in=held_in,
        stored=stored,
        commit=commit,
    )
    result = recall_in_scope(app, request, scope, embedder, app.policy)
    result = with_others(result, app, agent, request, scope, embedder)
    if scope.past:
        restore_past(app, result.hits, then)
        # What is theirs now may have been another end user's then.
        result = replace(result, hits=[hit for hit in result.hits if is_of_users(hit.memory.user_id, scope.users)])
    if result.coverage == ORDER:
        result = replace(result, hits=in_time(result.hits))
    tag_hits(app, result, then if scope.past else now)
    seconds = time.perf_counter() - started
    count_search(result.tier, result.degraded, seconds)
    log.info("recalled", mode=request.mode, tier=result.tier, hits=len(result.hits), ms=round(1000 * seconds, 1))
    if request.counted:
        hits = result.hits if request.count_access and not scope.past else []
        touched = {hit.memory.pk: (1, now) for hit in hits}
        searches = {(day_of(app, now), request.mode, result.tier): (1, int(bool(result.hits)), seconds)}
        counters.add(AccessCounts(app, touched, searches))
    return result


def recall_in_scope(app: App, request: SearchRequest, scope: Scope, embedder: Embedder, policy: AppPolicy) -> Recall:
    """Recall with the values of a request."""
    return recall(
        app,
        request.text,
        scope,
        embedder,
        limit=request.limit,
        mode=request.mode,
        min_score=request.min_score,
        offset=request.offset,
        policy=policy,
        floor=request.floor,
        shown_pks=request.shown_pks,
    )


def off_domain(app: App, agent: Agent | None) -> tuple[int, ...]:
    """Return the pks of the app's agents whose domain is another than this agent's."""
    if agent is None or not agent.domain or not app.policy.off_domain_penalty:
        return ()
    others = Agent.objects.for_app(app).exclude(domain__in=("", agent.domain))
    return tuple(others.values_list("pk", flat=True))


@dataclass(frozen=True, slots=True)
class Plan:
    """Hold what a mode means under a policy: whether summaries may answer, the retrievers, and who ranks."""

    tiered: bool
    retrievers: tuple[str, ...]
    ranking: str


def make_plan(mode: str, policy: AppPolicy) -> Plan:
    """Return the plan of a mode. A single retriever ranks by itself; `auto` follows the policy."""
    if mode in ("vector", "fulltext", "graph"):
        return Plan(False, (mode,), mode)
    ranking = Ranking.DUAL if mode == "dual" else policy.ranking
    tiered = mode == "tiered" or (mode == "auto" and policy.tiered)
    graph_too = ("graph",) if ranking == Ranking.DUAL else ()
    return Plan(tiered, ("vector", "fulltext", *graph_too), ranking)


def recall(
    app: App,
    text: str,
    scope: Scope,
    embedder: Embedder,
    *,
    limit: int,
    mode: str = "auto",
    min_score: float | None = None,
    offset: int = 0,
    policy: AppPolicy | None = None,
    floor: bool = True,
    shown_pks: Sequence[int] = (),
) -> Recall:
    """Return the best `limit` memories in scope after the first `offset`, best first.

    `policy` is the app's unless another is given. Without the `floor`, memories that do not fit are returned too, to
    show what was left out. Those in `shown_pks` are none of the hits, but count when contradictions are looked
    for.
    """
    policy = policy or app.policy
    min_score = policy.min_score if min_score is None else min_score
    scoped = scoped_view(index_of(app, embedder).view(scope.commit), scope)
    now = datetime.fromtimestamp(scope.now, tz=policy.time_zone)
    asked_time = asked_time_of(text, scope, now)
    if not scoped.size:
        return Recall([], time=nothing_known(asked_time))
    plan = make_plan(mode, policy)
    overview = read_overview(text) if is_policys(plan) else None
    question = read_question(overview.topic if overview else text, scoped, now)
    by_validity = asked_time is not None and tells_validity(scoped)
    of_times = scope.past or scope.stored or scope.valid or by_validity
    if plan.tiered and floor and not of_times and not scope.documents and question.every_word:
        summed_up = from_summaries(app, question, scoped, scope, embedder, min_score)
        left_out = of_other_days(app, [hit.memory.pk for hit in summed_up.hits], question.exact_days, now).union(
            shown_pks
        )
        if hits := [hit for hit in summed_up.hits if hit.memory.pk not in left_out]:
            return page_of_summaries(app, scoped, scope, replace(summed_up, hits=hits), offset, limit, shown_pks)
    evidence, degraded = evidence_for(app, question, scoped, embedder, plan)
    # One more than is shown: whether there are more, is told.
    most = offset + limit + 1
    time_answer = nothing_known(asked_time)
    asked_time = with_event(asked_time, evidence) if asked_time and plan.ranking in Ranking.values else None
    evidence = replace(evidence, by_validity=by_validity and asked_time is not None)
    ranked = rank_by_plan(policy, plan, evidence, embedder, scope, most + CLOSE + len(shown_pks), floor=floor)
    ranked, time_answer = in_order_of_time(ranked, evidence, asked_time, plan, time_answer)
    standing: set[int] = set()
    if overview:
        ranked = covering(evidence, ranked, overview, most + CLOSE + len(shown_pks))
    else:
        ranked, standing = with_standing(evidence, ranked, relevant_to(embedder), limit if is_policys(plan) else 0)
    if floor and is_policys(plan):
        ranked = of_days_asked(app, ranked, evidence, asked_time, now, OF_DAYS + most + len(shown_pks))
        time_answer = time_answer if len(ranked.places) else nothing_known(asked_time)
    if shown_pks:
        ranked = without(ranked, scoped, shown_pks)
    if floor and min_score:
        ranked = at_least(ranked, min_score)
    bring = not (scope.past or evidence.by_validity)
    ranked, at_odds = with_contradictions(app, scoped, ranked, most, shown_pks, scope.commit, bring=bring)
    hits = load_hits(app, scoped, ranked, limit, offset, scope.commit, standing, question.every_word)
    has_words = "fulltext" in plan.retrievers and "fulltext" not in degraded and bool(question.every_word)
    if has_words and is_damaged(app, scoped, evidence.words, [hit.memory for hit in hits]):
        degraded.append("fulltext")
    if at_odds:
        at_odds = pairs_among(at_odds, {*scoped.values_at("pk", ranked.places[: offset + limit]).tolist(), *shown_pks})
    more = len(ranked.places) > offset + limit and len(hits) == limit
    band = BAND if plan.ranking in BY_LOGARITHMS else BAND_SHARE * float(ranked.scores.max(initial=0.0))
    tier, way = "items" if hits else "none", overview.way if overview else ""
    result = Recall(hits, degraded, ranked.combined, tier, more=more, band=band, at_odds=at_odds, coverage=way)
    return with_summaries(replace(result, time=time_answer), app, scope, scoped)


def is_policys(plan: Plan) -> bool:
    """Tell whether a policy's ranking ranks, rather than a single retriever, which is asked for what it finds."""
    return plan.ranking in Ranking.values


def with_summaries(result: Recall, app: App, scope: Scope, scoped: ScopedView) -> Recall:
    """Return what was found, with the summaries of its categories where a summary of what is now known is asked for."""
    if result.coverage != SUMMARY or not result.hits or scope.past:
        return result
    return replace(result, summaries=summaries_of(app, scope.users, scoped, result.hits))


def in_order_of_time(
    ranked: Ranked, evidence: Evidence, asked_time: AskedTime | None, plan: Plan, unknown: TimeAnswer | None
) -> tuple[Ranked, TimeAnswer | None]:
    """Return the ranking by the time asked about, and what is known of that; `unknown` where one retriever ranks."""
    if asked_time is None:
        return ranked, unknown and replace(unknown, is_known=bool(len(ranked.places)))
    ranked, answer = rank_by_time(ranked, evidence, asked_time, plan.ranking)
    column = COLUMN_FIRST.get(plan.ranking)
    return (by_column(ranked, evidence.scoped, column) if column else ranked), answer


def page_of_summaries(
    app: App, scoped: ScopedView, scope: Scope, result: Recall, offset: int, limit: int, shown_pks: Sequence[int]
) -> Recall:
    """Return one page of the hits that summaries answer with, and of what contradicts them."""
    hits, at_odds = hits_with_contradictions(app, scoped, result.hits, shown_pks, scope.commit)
    so_far, more = hits[: offset + limit], len(hits) > offset + limit
    at_odds = pairs_among(at_odds, {hit.memory.pk for hit in so_far}.union(shown_pks))
    return replace(result, hits=list(so_far[offset:]), tier="summaries", more=more, at_odds=at_odds)


def of_days_asked(
    app: App, ranked: Ranked, evidence: Evidence, asked_time: AskedTime | None, now: datetime, most: int
) -> Ranked:
    """Leave out statements of other days than the question asks for. One query, if it asks for any.

    Turns of a talk stay, and what says that it held then. Where validity ranks, only the first `most` are read.
    """
    scoped, days = evidence.scoped, evidence.question.exact_days
    first_day = scoped.days_told[0] if scoped.days_told else 0
    # Long before anything was stored, nothing was said: what tells of then was stored later.
    if all(last < first_day - LONG_BEFORE for _, last in days):
        return ranked
    if evidence.by_validity:
        ranked = first_of(ranked, most)
    stays = in_talk(scoped, ranked.places) | is_of_time(evidence, ranked.places, asked_time)
    statements = scoped.values_at("pk", ranked.places[~stays]).tolist()
    return without(ranked, scoped, [*of_other_days(app, statements, days, now)])


def asked_time_of(text: str, scope: Scope, now: datetime) -> AskedTime | None:
    """Return the time that the caller gives, or else the question names."""
    if scope.valid:
        return AskedTime((scope.valid,), is_given=True)
    return read_asked_time(text, now) if scope.held_in else None


def evidence_for(
    app: App, question: Question, scoped: ScopedView, embedder: Embedder, plan: Plan
) -> tuple[Evidence, list[str]]:
    """Run the retrievers of a plan. Return the evidence for the memories in view, and the retrievers that failed."""
    words = question.every_word if plan.retrievers == ("fulltext",) else question.words
    retrievers_run = plan.retrievers
    if "fulltext" not in plan.retrievers and question.exact:
        # Of the words only what the question names exactly: whatever ranks, that is relevant.
        words, retrievers_run = [], (*plan.retrievers, "fulltext")
    here = local_retrievers(embedder)

    def holding_words() -> WordMatches:
        with noticing_damage(app.pk):
            if words or question.exact:
                # The other rankings know names as words.
                named = question.named if plan.ranking in (Ranking.PRODUCT, Ranking.DUAL) else ()
                matches = look_up(app, scoped, words, question.exact, named)
            else:
                matches = look_up_symbols(app, scoped, question.text)
        if "fulltext" not in here and plan.ranking in BY_LOGARITHMS:
            # While another thread waits for the database to find the vectors.
            matches.work_out()
        return matches

    def by_meaning() -> Cosines | None:
        if not question.every_word:
            # Of an emoji an embedder knows no more than that it is none of its words: all would be as near.
            return None
        vector = embed_question(embedder.embed_query, question.bare)
        # Of a text that it cannot read the embedder says nothing: words are all there is, and nobody failed.
        return question_cosines(scoped, vector) if vector.any() else None

    retrievers: dict[str, Retriever] = {
        "vector": by_meaning,
        "fulltext": holding_words,
        "graph": lambda: graph_proximity(app, question.text, scoped),
    }
    results, failed = run_retrievers({name: retrievers[name] for name in retrievers_run}, here=here)
    if "vector" in results and (is_partial(app, embedder) or scoped.view.is_partial):
        failed.append("vector")
    vector = results.get("vector")
    evidence = Evidence(
        scoped,
        question,
        cosines=NoCosines(scoped.size) if vector is None else vector,
        words=results.get("fulltext") or match_words(scoped, [], []),
        looks=look_reader(app, scoped),
        thresholds=embedder.thresholds,
        proximity=results.get("graph", scoped.nothing),
        measured=vector is not None,
    )
    return anchored_days(evidence), failed


def rank_by_plan(
    policy: AppPolicy,
    plan: Plan,
    evidence: Evidence,
    embedder: Embedder,
    scope: Scope,
    most: int,
    *,
    floor: bool = True,
) -> Ranked:
    """Rank the evidence, best first, as the plan says. A single retriever looks at `most` memories."""
    thresholds = embedder.thresholds
    if plan.ranking in ("vector", "fulltext", "graph"):
        return rank_by_retriever(plan.ranking, evidence, thresholds, most, floor=floor)
    relevant = relevant_to(embedder)
    if plan.ranking == Ranking.PRODUCT:
        return rank_product(evidence, scope, policy, relevant, floor=floor)
    if plan.ranking == Ranking.DUAL:
        return rank_dual(evidence, scope, policy, relevant, floor=floor)
    return rank(evidence, scope, policy, relevant, floor=floor, column=COLUMN_FIRST.get(plan.ranking, ""))


def rank_by_retriever(retriever: str, evidence: Evidence, thresholds: Thresholds, most: int, *, floor: bool) -> Ranked:
    """Rank by one retriever, and what the question names exactly."""
    scoped, words = evidence.scoped, evidence.words
    values: Callable[[Rows], Floats] = evidence.proximity.take
    if retriever == "vector":
        holders, values = (
            evidence.cosines.reaching(least_relevant(evidence) if floor else -1.0, most),
            evidence.cosines.at,
        )
    elif retriever == "fulltext":
        holders, values = words.holding, words.bm25.take
    else:
        holders = np.flatnonzero(evidence.proximity)
    exact = None
    if words.is_exact:
        holders = distinct(np.concatenate([holders, np.flatnonzero(words.exact)]), scoped.size)
        exact = np.float32(EXACT["words" if retriever == "fulltext" else "share"]) * words.exact[holders]
    ranked = rank_by(scoped, PART_OF[retriever], holders, values(holders), most, exact)
    if retriever == "vector":
        ranked = replace(ranked, calibration=calibration_of_cosines(ranked.scores, thresholds))
    return ranked


def relevant_to(embedder: Embedder) -> float:
    """Return the cosine that is relevant, as MiniLM would have it."""
    return embedder.thresholds.likened(embedder.thresholds.relevant)


def load_hits(
    app: App,
    scoped: ScopedView,
    ranked: Ranked,
    limit: int,
    offset: int,
    commit: Commit | None,
    standing: Collection[int] = (),
    words: Sequence[str] = (),
) -> list[Hit]:
    """Return the hits of one page with their rows. Only shown rows are read. `standing` are places."""
    page = range(offset, min(offset + limit, len(ranked.places)))
    places = ranked.places[page.start : page.stop]
    pks = scoped.values_at("pk", places).tolist()
    replaced = scoped.replaced_by(places)
    rows = cached_rows(app, [*pks, *(pk for some in replaced.values() for pk in some[:REPLACED_SHOWN])], commit)
    return [
        Hit(
            app,
            rows[pk],
            float(ranked.scores[number]),
            partial(ranked.parts_of, number),
            standing=place in standing,
            calibration=ranked.calibration,
            combined=ranked.combined,
            words=words,
            replaced=[rows[old].text for old in replaced.get(place, ())[:REPLACED_SHOWN] if old in rows],
        )
        for number, place, pk in zip(page, places.tolist(), pks, strict=True)
        if pk in rows
    ]


def from_summaries(
    app: App, question: Question, scoped: ScopedView, scope: Scope, embedder: Embedder, min_score: float
) -> Recall:
    """Return the memories behind the passages of summaries that fit, if one fits well enough; otherwise no hits."""
    here = local_retrievers(embedder)
    embed = partial(embed_question, embedder.embed_query, question.bare)
    results, degraded = run_retrievers({"vector": embed}, here=here)
    if results and is_partial(app, embedder):
        degraded.append("vector")
    vector, scoped_pks = results.get("vector"), set(scoped.pks.tolist())
    look = partial(summary_answers, app, scope.users, question, vector, embedder, scoped_pks)
    results, late = run_retrievers({"summary": look}, here=here)
    degraded += late
    thresholds = embedder.thresholds
    least = thresholds.likened(thresholds.relevant)
    fitting = [answer for answer in results.get("summary", []) if answer.score >= least]
    calibration = calibration_of("summaries", np.array([answer.score for answer in fitting]))
    fitting = [answer for answer in fitting if calibration.score(answer.score) >= min_score]
    if not fitting or fitting[0].score < SUFFICIENT:
        return Recall([], degraded)
    best = {answer.passage.memory_id: answer for answer in reversed(fitting)}
    rows = cached_rows(app, list(best), scope.commit)
    found_once = sorted(best.values(), key=lambda answer: -answer.score)
    hits = [
        Hit(app, rows[answer.passage.memory_id], answer.score, answer.parts, calibration=calibration)
        for answer in found_once
        if answer.passage.memory_id in rows
    ]
    summaries: dict[int, SummaryAnswer] = {}
    for passage in (answer.passage for answer in fitting if answer.passage.memory_id in rows):
        answer = summaries.setdefault(passage.summary_id, SummaryAnswer(passage.summary, [], []))
        answer.passages.append(passage.text)
        answer.sources.append(rows[passage.memory_id].uid)
    return Recall(hits, degraded, summaries=[*summaries.values()], band=BAND_SHARE * fitting[0].score)


def index_of(app: App, embedder: Embedder) -> AppIndex:
    return indexes.of(app, embedder.name, dimension(app, embedder))


def dimension(app: App, embedder: Embedder) -> int:
    """Return the length of the embedder's vectors, if it has made any; else of the stored ones. Wait for no service."""
    if embedder.known_dim:
        return embedder.known_dim
    stored = Vector.objects.for_app(app).filter(model=embedder.name).order_by("memory_id")
    dims = stored.values_list("dim", flat=True)[:DIMENSIONS_READ]
    counted = Counter(dim for dim in dims if isinstance(dim, int) and dim > 0)
    return max(counted, key=counted.__getitem__, default=1)


@lru_cache(QUESTIONS_KEPT)
def embed_question(embed: Callable[[str], Vectors], text: str) -> Vectors:
    """Return the vector of a question. Vectors of the last questions are cached."""
    return embed(text)


def look_reader(app: App, scoped: ScopedView) -> Callable[[Rows], NDArray[np.uint16]]:
    """Return a function that answers how the texts at some places look, and reads those whose look is unknown."""
    looks = scoped.view.columns.look

    def answer(places: Rows) -> NDArray[np.uint16]:
        rows = scoped.rows[places]
        if not looks[rows].all():
            unread = np.unique(rows[looks[rows] == 0])
            pks = scoped.view.columns.pk[unread].tolist()
            read_looks = {
                pk: look_of(content, subject, kind) for pk, content, subject, kind in texts_of(app, *padded(pks))
            }
            looks[unread] = [read_looks.get(pk, Look.READ) for pk in pks]
        return looks[rows]

    return answer


@Prepared
def texts_of(app: App, *pks: int) -> QuerySet[Memory, tuple[int, str, str | None, str]]:
    return Memory.objects.for_app(app).filter(pk__in=pks).order_by().values_list("pk", "content", "subject", "kind")


def past_state_at(
    app: App, moment: datetime, valid: Interval | None = None, held_in: Sequence[Interval] = ()
) -> PastState:
    """Return what has changed since a moment, and which of that was active and valid then. Two queries.

    What was forgotten since is gone. With `valid` and `held_in`, what was known then to hold in these, as in a Scope.
    """
    changed = Q(updated_at__gt=moment) | Q(decay_noted_at__gt=moment)
    rows = Memory.objects.for_app(app).filter(changed, created_at__lte=moment).order_by()
    states = {pk: dict(zip(TELLING, state, strict=True)) for pk, *state in rows.values_list("pk", *TELLING)}
    # Those of many are found by looking through the memories once more.
    which = rows if len(states) > FEW else list(states)
    revisions = Revision.objects.for_app(app).filter(memory__in=which, created_at__lte=moment)
    for pk, after in revisions.order_by("number").values_list("memory_id", "after"):
        # Of many, one may have changed between the two statements.
        if pk in states:
            states[pk] |= {name: parse(name, after[name]) for name in TELLING if name in after}
    known = [
        pk
        for pk, state in states.items()
        if (valid is None and was_valid(state, moment)) or was_held(state, [valid] if valid else held_in)
    ]
    return PastState(np.array([*states], np.int64), np.array(known, np.int64))


def was_valid(state: dict[str, object], moment: datetime) -> bool:
    """Tell whether a state was active and valid at a moment."""
    start, end = state["valid_from"], state["valid_until"]
    begun = not isinstance(start, datetime) or start <= moment
    return state["status"] == Status.ACTIVE and begun and (not isinstance(end, datetime) or end > moment)


def was_held(state: dict[str, object], spans: Sequence[Interval]) -> bool:
    """Tell whether a state, active or replaced since, held in one of these spans."""
    start, end = state["valid_from"], state["valid_until"]
    first = start.timestamp() if isinstance(start, datetime) else -math.inf
    last = end.timestamp() if isinstance(end, datetime) else math.inf
    is_kept = state["status"] == Status.ACTIVE or (state["status"] == Status.SUPERSEDED and last < math.inf)
    return is_kept and first < last and any(first < until and last > since for since, until in spans)


def restore_past(app: App, hits: Sequence[Hit], moment: datetime) -> None:
    """Set each hit's memory to what it said at a moment. One query.

    A memory without a revision, as while it is imported or deleted, stays as it is.
    """
    states = states_at(app, [hit.memory for hit in hits], moment)
    for hit in hits:
        for name, value in states.get(hit.memory.pk, {}).items():
            setattr(hit.memory, name, parse(name, value))


def with_others(
    result: Recall, app: App, agent: Agent | None, request: SearchRequest, scope: Scope, embedder: Embedder
) -> Recall:
    """Merge the hits of this app with passages of its documents, and with what other apps share, as far as asked."""
    first = replace(request, limit=request.offset + request.limit, offset=0)
    others, late = list[Recall](), False
    # Seen as of the search of memories just before.
    if request.documents == BESIDE and not scope.past and index_of(app, embedder).latest_view.has_documents:
        others.append(recall_in_scope(app, first, replace(scope, documents=True), embedder, app.policy))
    if request.shared and app.policy.share_memories:
        shared, late = recalls_of_others(app, agent, first, scope, embedder)
        others += shared
    if not others and not late:
        return result
    own = recall_in_scope(app, first, scope, embedder, app.policy) if request.offset else result
    everything = [own, *others]
    hits = [hit for each in everything for hit in each.hits]
    if calibration := calibration_of_all([each.hits[0].calibration for each in everything if each.hits]):
        least = app.policy.min_score if request.min_score is None else request.min_score
        hits = [hit for hit in hits if hit.calibrate(calibration).score >= least or not request.floor]
    hits = sorted_by_policy(hits, app.policy)
    so_far = hits[: first.limit]
    return replace(
        result,
        hits=so_far[request.offset :],
        more=any(each.more for each in everything) or len(hits) > first.limit,
        degraded=[*result.degraded, *(["shared"] if late else [])],
        tier=result.tier if result.hits or not hits else "items",
        at_odds=pairs_among([pair for each in everything for pair in each.at_odds], {hit.memory.pk for hit in so_far}),
        time=known_by_any([each.time for each in everything]),
    )


def recalls_of_others(
    app: App, agent: Agent | None, first: SearchRequest, scope: Scope, embedder: Embedder
) -> tuple[list[Recall], bool]:
    """Return what other apps share, ranked by this app's policy, under one deadline; whether any was late."""
    domain = agent.domain if agent else ""
    with site_wide():
        others = list(apps_sharing_with(app))
    retrievers = {
        other.app_id: partial(
            confined(other.pk)(recall_in_scope),
            other,
            first,
            confined(other.pk)(shared_scope)(other, domain, first, scope),
            confined(other.pk)(serving_embedder)(other, embedder),
            app.policy,
        )
        for other in others
    }
    answers, late = run_retrievers(retrievers) if retrievers else ({}, [])
    return list(answers.values()), bool(late)


def sorted_by_policy(hits: list[Hit], policy: AppPolicy) -> list[Hit]:
    """Sort hits by score; where the policy says so, by confidence or date among those that fit about equally well."""
    hits = sorted(hits, key=lambda hit: -hit.score)
    column = COLUMN_FIRST.get(policy.ranking)
    if not column or not hits:
        return hits
    best = hits[0].formula_score
    values = {hit.memory.pk: hit.memory.confidence for hit in hits}
    if column == "updated":
        values = {hit.memory.pk: hit.memory.updated_at.timestamp() for hit in hits}
    hits.sort(key=lambda hit: (band_of(best - hit.formula_score), -values[hit.memory.pk]))
    for before, hit in pairwise(hits):
        hit.lower_to(before, PUT_BACK[column])
    return hits


def apps_sharing_with(app: App) -> QuerySet[App]:
    """Select the other apps that share memories and have some."""
    sharing = App.objects.filter(status=AppStatus.ACTIVE, policy__share_memories=True).exclude(pk=app.pk)
    shared = Memory.objects.filter(app=OuterRef("pk"), visibility=Literal(Visibility.SHARED))
    return sharing.filter(Exists(shared)).select_related("policy")


def shared_scope(other: App, domain: str, request: SearchRequest, scope: Scope) -> Scope:
    """Return the scope in another app: its shared memories, as another domain's unless an agent of `domain` wrote them.

    A filter on a private field of that app finds nothing there; otherwise its answer would reveal the field.
    """
    agents = Agent.objects.for_app(other).exclude(domain=domain) if domain else Agent.objects.for_app(other)
    only = None
    if request.filters:
        tells = names_in(request.filters) & PRIVATE_FIELDS
        only = np.zeros(0, np.int64) if tells else matching_pks(other, request.filters)
    return replace(
        scope,
        agent_pk=None,
        users=(),
        without=(),
        only=only,
        shared=True,
        off_domain=(NOBODY, *agents.values_list("pk", flat=True)),
    )

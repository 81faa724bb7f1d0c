"""A whole search: whose eyes, in which apps, at which time; then recall, trust, and what is noted of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
import structlog
from django.db.models import Exists, OuterRef, QuerySet

from memories.ledger.days import day_of
from memories.models import Memory, Visibility
from memories.providers.embeddings import Embedder
from memories.retrieve.arms import ask_arms
from memories.retrieve.columns import NOBODY
from memories.retrieve.filters import names_in, users_named
from memories.retrieve.hits import Hit, Recall
from memories.retrieve.let_in import let_in
from memories.retrieve.past import known_at, take_back
from memories.retrieve.pipeline import COLUMN_FIRST, recall
from memories.retrieve.ranking import band_of
from memories.retrieve.reading import Scope
from memories.retrieve.serving import serving_embedder
from memories.retrieve.surer import among
from memories.retrieve.tally import Tally, tallies
from memories.retrieve.trust import tag_hits
from memsite.db.expressions import Literal
from memsite.db.lru_cache import Commit, last_commit
from memsite.ops.metrics import count_search
from memsite.tenancy.end_users import is_of_users, users_told_of
from memsite.tenancy.models import Agent, App, AppStatus
from memsite.tenancy.policy import AppPolicy
from memsite.tenancy.row_level_security import confined, site_wide

# Fields of a memory that no other app is told.
KEPT_TO_ITSELF = {"metadata", "external_id", "session_id", "turn_number", "agent", "user_id", "access_count", "source"}
log = structlog.get_logger("memories.retrieve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A search as it was asked for. `as_of` is a moment in the past or None.

    Memories to `exclude`, by pk, are as if they were not there. Those `told` already have their say in what is near
    enough to be found, and are left out then: what trails far behind them is not worth telling.
    Without the `unreviewed`, nothing is found that the policy wants reviewed and nobody has looked at.
    One that is not `counted` leaves no trace: an operator looks, and no agent has asked. Without the `floor` it also
    finds what does not fit. The last `commit` before it was asked may be known; otherwise the database is asked for it.
    """

    text: str
    limit: int = 10
    offset: int = 0
    mode: str = "auto"
    min_score: float | None = None
    user_id: str | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    exclude: tuple[int, ...] = ()
    told: tuple[int, ...] = ()
    shared: bool = False
    unreviewed: bool = True
    as_of: datetime | None = None
    tone: str = ""
    count_access: bool = True
    counted: bool = True
    floor: bool = True
    commit: Commit | None = None


def search(app: App, agent: Agent | None, asked: Asked, embedder: Embedder, now: datetime) -> Recall:
    """What fits, best first, with trust tags; counted, and logged without a word of it."""
    started = time.perf_counter()
    scope = scope_of(app, agent, asked, now)
    found = find(app, asked, scope, embedder, app.policy)
    if asked.shared and app.policy.share_memories:
        found = with_shared(found, app, agent, asked, scope, embedder)
    if scope.past:
        take_back(app, found.hits, asked.as_of or now)
        # What is theirs now may have been another end user's then.
        found = replace(found, hits=[hit for hit in found.hits if is_of_users(hit.row.user_id, scope.users)])
    tag_hits(app, found, asked.as_of if asked.as_of and scope.past else now)
    seconds = time.perf_counter() - started
    count_search(found.tier, found.degraded, seconds)
    log.info("recalled", mode=asked.mode, tier=found.tier, hits=len(found.hits), ms=round(1000 * seconds, 1))
    if asked.counted:
        tallies.add(tally_of(app, asked, found, now, seconds, was_now=not scope.past))
    return found


def tally_of(app: App, asked: Asked, found: Recall, now: datetime, seconds: float, *, was_now: bool) -> Tally:
    hits = found.hits if asked.count_access and was_now else []
    touched = {hit.row.pk: (1, now) for hit in hits}
    return Tally(app, touched, {(day_of(app, now), asked.mode, found.tier): (1, int(bool(found.hits)), seconds)})


def find(app: App, asked: Asked, scope: Scope, embedder: Embedder, policy: AppPolicy) -> Recall:
    return recall(
        app,
        asked.text,
        scope,
        embedder,
        limit=asked.limit,
        mode=asked.mode,
        min_score=asked.min_score,
        offset=asked.offset,
        policy=policy,
        floor=asked.floor,
        told=asked.told,
    )


def scope_of(app: App, agent: Agent | None, asked: Asked, now: datetime) -> Scope:
    # Before anything is read.
    commit = asked.commit or last_commit()
    past = known_at(app, asked.as_of) if asked.as_of and asked.as_of < now else None
    only = let_in(app, asked.filters) if asked.filters else None
    return Scope(
        agent.pk if agent else None,
        users_told_of(app, agent, asked.user_id, users_named(asked.filters)),
        (asked.as_of or now).timestamp(),
        asked.exclude,
        only,
        past=past,
        off_domain=off_domain(app, agent),
        tone=asked.tone,
        unheard=() if asked.unreviewed else tuple(app.policy.review_origins),
        began=now.timestamp() if asked.offset else None,
        commit=commit,
    )


def off_domain(app: App, agent: Agent | None) -> tuple[int, ...]:
    """The app's agents that know about something else than this one."""
    if agent is None or not agent.domain or not app.policy.off_domain_penalty:
        return ()
    others = Agent.objects.for_app(app).exclude(domain__in=("", agent.domain))
    return tuple(others.values_list("pk", flat=True))


def with_shared(
    found: Recall, app: App, agent: Agent | None, asked: Asked, scope: Scope, embedder: Embedder
) -> Recall:  # fmt: skip
    """Joined with what other apps that share have shared, ranked as this app does; those get one deadline together."""
    first = replace(asked, limit=asked.offset + asked.limit, offset=0)
    domain = agent.domain if agent else ""
    arms = {
        other.app_id: partial(
            confined(other.pk)(find),
            other,
            first,
            confined(other.pk)(foreign_scope)(other, domain, first, scope),
            confined(other.pk)(serving_embedder)(other, embedder),
            app.policy,
        )
        for other in sharing_apps(app)
    }
    if not arms:
        return found
    own = find(app, first, scope, embedder, app.policy) if asked.offset else found
    answers, late = ask_arms(arms)
    everything = [own, *answers.values()]
    hits = in_policys_order([hit for one in everything for hit in one.hits], app.policy)
    so_far = hits[: first.limit]
    return replace(
        found,
        hits=so_far[asked.offset :],
        more=any(one.more for one in everything) or len(hits) > first.limit,
        degraded=[*found.degraded, *(["shared"] if late else [])],
        tier=found.tier if found.hits or not hits else "items",
        at_odds=among([pair for one in everything for pair in one.at_odds], {hit.row.pk for hit in so_far}),
    )


def in_policys_order(hits: list[Hit], policy: AppPolicy) -> list[Hit]:
    """The best first; where the policy says so, the surest or latest first among those that fit about equally well."""
    best = max((hit.score for hit in hits), default=0.0)
    column = COLUMN_FIRST.get(policy.ranking)

    def place(hit: Hit) -> tuple[float, float, float]:
        if column is None:
            return 0, 0, -hit.score
        value = hit.row.confidence if column == "confidence" else hit.row.updated_at.timestamp()
        return band_of(best - hit.score), -value, -hit.score

    return sorted(hits, key=place)


def sharing_apps(app: App) -> list[App]:
    """Other apps whose policy lets shared memories be read, if they have any."""
    with site_wide():
        return list(apps_sharing_with(app))


def apps_sharing_with(app: App) -> QuerySet[App]:
    sharing = App.objects.filter(status=AppStatus.ACTIVE, policy__share_memories=True).exclude(pk=app.pk)
    shared = Memory.objects.filter(app=OuterRef("pk"), visibility=Literal(Visibility.SHARED))
    return sharing.filter(Exists(shared)).select_related("policy")


def foreign_scope(other: App, domain: str, asked: Asked, scope: Scope) -> Scope:
    """Another app's memories count as another domain's, unless an agent of the same domain wrote them.

    A filter on what that app does not show finds nothing there: else it would tell.
    """
    agents = Agent.objects.for_app(other).exclude(domain=domain) if domain else Agent.objects.for_app(other)
    only = None
    if asked.filters:
        tells = names_in(asked.filters) & KEPT_TO_ITSELF
        only = np.zeros(0, np.int64) if tells else let_in(other, asked.filters)
    return replace(
        scope,
        agent_pk=None,
        users=(),
        without=(),
        only=only,
        shared=True,
        off_domain=(NOBODY, *agents.values_list("pk", flat=True)),
    )

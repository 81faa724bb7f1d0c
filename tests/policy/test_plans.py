"""Which index is asked for what, whatever a database holds: on SQLite, where it is told how its tables are filled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.jobs import JOBS
from memories.maintain.aging import stale
from memories.maintain.housekeeping import analyse
from memories.models import (
    Delivery,
    Extraction,
    Import,
    Injection,
    Link,
    Memory,
    Mention,
    Purge,
    Rejection,
    Revision,
    Rollback,
    Vector,
    sqlite_stats,
)
from memories.retrieve.contradictions import any_contradiction, contradictions
from memories.retrieve.pipeline import apps_sharing_with
from memories.store.links import drop_unmentioned, subjects_with
from memories.store.transaction import TAKE
from memsite.db.expressions import Literal
from memsite.jobs import claims, engine
from memsite.jobs.models import JobRun
from memsite.jobs.schedule import Every
from memsite.tenancy.models import App
from sessions.models import AgentSession, Event, Resource, Turn
from tests.conftest import Caller
from tests.plans import plan_of

of_sqlite = pytest.mark.sqlite("PostgreSQL looks itself how its tables are filled")
OF_ONE: dict[str, tuple[Callable[[App], QuerySet[Any, Any]], str]] = {
    "a memory's history": (lambda app: Revision.objects.for_app(app).filter(memory=5, actor="x"), "(memory_id=?"),
    "what it was then": (lambda app: Revision.objects.for_app(app).filter(memory__in=[5, 6]), "(memory_id=?"),
    "its vectors": (lambda app: Vector.objects.for_app(app).filter(memory__in=[5]), "(memory_id=?"),
    "whom it names": (lambda app: Mention.objects.for_app(app).filter(memory__in=[5, 6]), "(memory_id=?"),
    "who is named": (lambda app: Mention.objects.for_app(app).filter(entity__in=[5, 6]), "(entity_id=?"),
    "links of it": (
        lambda app: Link.objects.for_app(app).filter(from_memory__in=[5], kind="refines"),
        "(from_memory_id=?",
    ),
    "links with it": (
        lambda app: Link.objects.for_app(app).filter(Q(from_memory__in=[5]) | Q(to_memory__in=[5]))[:400],
        "(to_memory_id=?",
    ),
    "whether anything is at odds": (any_contradiction.make, "link_contradicts (app_id=?)"),
    "memories by their ids": (lambda app: Memory.objects.for_app(app).filter(uid__in=["5" * 32]), "uid=?"),
    "memories by their names": (lambda app: Memory.objects.for_app(app).filter(external_id="5"), "external_id=?"),
    "a session that fell silent": (
        lambda app: AgentSession.objects.for_app(app).active().silent(timezone.now()),
        "session_active (app_id=?)",
    ),
    "sessions that fell silent": (
        lambda _: AgentSession.objects.active().silent(timezone.now()).order_by(),
        "session_active",
    ),
    "a session's memories": (lambda app: Memory.objects.for_app(app).live().filter(session__in=[5]), "(session_id=?"),
    "a text's memories": (lambda app: Memory.objects.for_app(app).live().filter(resource__in=[5, 6]), "(resource_id=?"),
    "a session's events": (
        lambda app: Event.objects.for_app(app).filter(session=5).order_by("-uid")[:51],
        "(session_id=?",
    ),
    "a session's texts": (
        lambda app: Resource.objects.for_app(app).filter(session=5).order_by("-uid")[:61],
        "(session_id=?",
    ),
    "texts before": (
        lambda app: Resource.objects.for_app(app).filter(session=5, pk__lt=9)[:4],
        "(session_id=? AND rowid<?",
    ),
    "sessions' turns": (lambda app: Turn.objects.for_app(app).filter(session__in=[5, 6]).order_by(), "(session_id=?"),
    "what a session was shown": (lambda app: Injection.objects.for_app(app).filter(session=5), "(session_id=?"),
    "who was not shown": (
        lambda app: Memory.objects.for_app(app).filter(
            ~Exists(Injection.objects.for_app(app).filter(memory=OuterRef("pk")))
        ),
        "(memory_id=?",
    ),
    "what a text was refused": (lambda app: Rejection.objects.for_app(app).filter(resource__in=[5]), "(resource_id=?"),
    "a memory's line in the feed": (
        lambda app: Event.objects.for_app(app).filter(memory_uid__in=["5" * 32]),
        "memory_uid=?",
    ),
    "whose memories are shared": (apps_sharing_with, "memory_shared"),
    "deliveries due": (lambda _: Delivery.objects.due(timezone.now()).order_by(), "delivery_due"),
    "what is purged": (lambda _: Purge.objects.open().order_by(), "purge_open"),
    "what is taken back": (lambda _: Rollback.objects.open().order_by(), "rollback_open"),
    "what is taken in": (lambda _: Import.objects.open().order_by(), "import_open"),
    "which jobs are due": (lambda _: JobRun.objects.claimable(timezone.now()).order_by(), "job_run_open"),
    "what changed": (lambda app: Memory.objects.for_app(app).filter(change_number__gt=5).order_by(), "change_number>?"),
    "what is due": (lambda _: Extraction.objects.due(timezone.now()).order_by(), "extraction_due"),
}
"""Queries that find few rows of a large app, and what they are found by."""
IN_ORDER: dict[str, tuple[Callable[[App], QuerySet[Any, Any]], str]] = {
    "memories": (lambda app: Memory.objects.for_app(app), "(app_id=?)"),
    "what is active": (lambda app: Memory.objects.for_app(app).active(), "memory_status (app_id=? AND status=?)"),
    "what is superseded": (lambda app: Memory.objects.for_app(app).filter(status="superseded"), "memory_status"),
    "a category": (lambda app: Memory.objects.for_app(app).filter(category="fact"), "memory_category"),
    "a service": (lambda app: Memory.objects.for_app(app).active().filter(subject="caddy"), "memory_subject"),
    "what has no subject": (lambda app: Memory.objects.for_app(app).active().filter(subject=None), "memory_"),
    "a user's": (lambda app: Memory.objects.for_app(app).active().filter(user_id="ben"), "memory_user"),
    "nobody's": (lambda app: Memory.objects.for_app(app).of_users(()), "(app_id=?)"),
    "lessons": (lambda app: Memory.objects.for_app(app).active().lessons(), "memory_lesson"),
    "refused": (lambda app: Rejection.objects.for_app(app).filter(session=None), "(app_id=?)"),
    "read": (lambda app: Extraction.objects.for_app(app).filter(status="done"), "(app_id=?)"),
    "events": (lambda app: Event.objects.for_app(app).filter(level="info"), "(app_id=?)"),
}
"""The newest of what may be most of an app, or hardly any of it: they are taken one by one from the end of what is
asked for, not all put in order, nor all others passed by.
"""
MODELS = [model for label in sqlite_stats.APPS for model in apps.get_app_config(label).get_models()]


@of_sqlite
@pytest.mark.parametrize("name", OF_ONE)
def test_few_rows_are_found_by_what_they_have(acme: App, name: str) -> None:
    rows, found_by = OF_ONE[name]
    assert found_by in plan_of(rows(acme))


@of_sqlite
@pytest.mark.parametrize("name", IN_ORDER)
def test_the_newest_of_many_are_not_sorted_out(acme: App, name: str) -> None:
    rows, found_by = IN_ORDER[name]
    plan = plan_of(rows(acme).order_by("-uid")[:51])
    assert "TEMP B-TREE" not in plan
    assert found_by in plan


@of_sqlite
def test_what_a_session_begins_with_is_found_without_reading_the_app(acme: App) -> None:
    lessons = Memory.objects.for_app(acme).active().lessons().order_by("-importance", "-confidence", "-id")[:50]
    assert "memory_lesson" in plan_of(lessons)
    plan = plan_of(stale(acme, timezone.now()).order_by("anchored_at")[:1001])
    assert "memory_stale (app_id=? AND status=? AND anchored_at<?)" in plan
    assert "TEMP B-TREE" not in plan


@of_sqlite
@pytest.mark.parametrize("of_site", [True, False])
def test_a_job_is_fired_and_claimed_without_reading_what_it_has_ever_done(acme: App, of_site: bool) -> None:
    now, app = timezone.now(), None if of_site else acme
    with CaptureQueriesContext(connection) as requested:
        claims.fire("backup" if of_site else "decay", app, Every(1), now + timedelta(minutes=1), "a test")
        assert engine.next_claim(JOBS, now + timedelta(minutes=1))
    found_by = places(requested)
    of_what_is_open = {place for place in found_by if place.startswith(("job_run_open", "job_run_under_way"))}
    assert {place.split()[0] for place in of_what_is_open} == {"job_run_open", "job_run_open_of", "job_run_under_way"}
    assert not [place for place in found_by - of_what_is_open if place.endswith(("(job=?)", "app_id=?)"))]


def places(requested: CaptureQueriesContext) -> set[str]:
    """Where runs were looked for, by which index and what of it."""
    selects = [
        captured_query["sql"]
        for captured_query in requested.captured_queries
        if 'FROM "jobs_jobrun"' in captured_query["sql"]
    ]
    plans = [explained(sql) for sql in selects if sql.startswith("SELECT")]
    return {place for plan in plans for place in re.findall(r"jobs_jobrun USING (?:COVERING )?INDEX (.+)", plan)}


@of_sqlite
def test_the_apps_of_a_job_that_is_due_are_found_without_reading_what_it_has_ever_done(acme: App) -> None:
    with CaptureQueriesContext(connection) as requested:
        claims.fire_all("limit", [acme], Every(1), timezone.now() + timedelta(minutes=1), "a test")
    found_by = places(requested)
    assert "job_run_latest (job=? AND app_id=? AND until>? AND until<?)" in found_by
    assert not [place for place in found_by if place.endswith(("(job=?)", "app_id=?)"))]


@of_sqlite
def test_links_and_names_are_shown_without_reading_who_may_see_what(alice: Caller) -> None:
    """A list of all that an agent may see is made anew for each question, however few rows are looked at."""
    older, newer = (alice.remember(text)["id"] for text in ("Anna lives in Porto", "Anna works at Siemens"))
    assert alice.post(f"memories/{older}/links", {"to": newer, "kind": "related"}).status_code == 201
    with CaptureQueriesContext(connection) as requested:
        assert alice.get(f"memories/{older}/links").json()["results"]
        assert alice.get("entities").json()["results"]
    plans = [
        explained(captured_query["sql"])
        for captured_query in requested.captured_queries
        if captured_query["sql"].startswith("SELECT")
    ]
    assert [plan for plan in plans if "CORRELATED" in plan]
    assert not [plan for plan in plans if "LIST SUBQUERY" in plan]


@of_sqlite
def test_a_name_is_kept_for_one_memory_that_mentions_it(acme: App) -> None:
    """They are not all read: most memories of an app may mention it."""
    with CaptureQueriesContext(connection) as requested:
        drop_unmentioned(acme, [5, 6])
    (plan,) = (
        explained(captured_query["sql"])
        for captured_query in requested.captured_queries
        if "memories_mention" in captured_query["sql"]
    )
    assert re.search(r"CORRELATED SCALAR SUBQUERY 1\nSEARCH \w+ USING INDEX \S+ \(entity_id=\?\)", plan)


@of_sqlite
def test_subjects_are_looked_for_by_their_keys(acme: App) -> None:
    """The kind is no parameter: for each value of one SQLite would look anew whether an index of some rows fits it."""
    with CaptureQueriesContext(connection) as requested:
        subjects_with(acme, "router", "big router")
    (sql,) = (captured_query["sql"] for captured_query in requested.captured_queries)
    assert "(app_id=? AND key=?)" in explained(sql)
    assert "'subject'" in subjects_with.query_for((acme, "router", "big router")).sql


@of_sqlite
def test_what_is_at_odds_is_looked_for_by_its_ends(acme: App) -> None:
    """Nor is this kind a parameter: it is asked for with each search after a write."""
    with CaptureQueriesContext(connection) as requested:
        contradictions(acme, 5, 6, 5, 6)
    (sql,) = (captured_query["sql"] for captured_query in requested.captured_queries)
    assert all(f"({end}=?" in explained(sql) for end in ("from_memory_id", "to_memory_id"))
    assert "'contradicts'" in contradictions.query_for((acme, 5, 6, 5, 6)).sql


@of_sqlite
def test_how_long_the_longest_subject_is_takes_one_look(acme: App) -> None:
    plan = explained(TAKE.replace("%s", str(acme.pk)))
    assert plan.count("memories_entity") == 1
    assert "SEARCH memories_entity USING INDEX entity_subject_blanks (app_id=?)" in plan
    assert "TEMP B-TREE" not in plan


def explained(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "\n".join(row[-1] for row in cursor.fetchall())


@of_sqlite
def test_what_it_finds_out_itself_does_not_count(acme: App) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'memories_memory'")
        answer = cursor.fetchone()
        cursor.execute("INSERT OR REPLACE INTO sqlite_stat1 VALUES ('memories_memory', 'memory_changes', '1 1 1')")
        analyse()
        cursor.execute("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'memories_memory' ORDER BY idx")
        stats = cursor.fetchall()
    assert len(stats) == answer[0]
    assert dict(stats)["memory_changes"] == "10000000 100000 1 noskipscan"
    assert dict(stats)["memory_session"] == "1000000 2 noskipscan"


@of_sqlite
def test_it_is_told_once(acme: App) -> None:
    with CaptureQueriesContext(connection) as requested:
        sqlite_stats.write_statistics()
    assert requested.captured_queries
    assert not [
        captured_query
        for captured_query in requested.captured_queries
        if captured_query["sql"].startswith(("INSERT", "DELETE"))
    ]


def foreign_keys() -> Iterator[tuple[type[models.Model], models.ForeignKey[Any, Any]]]:
    for model in MODELS:
        for field in model._meta.local_fields:
            if isinstance(field, models.ForeignKey) and not field.unique:
                yield model, field


def others(model: type[models.Model], name: str) -> list[models.Index | models.UniqueConstraint]:
    """Indexes that begin with the field, but for its own."""
    unique = [constraint for constraint in model._meta.constraints if isinstance(constraint, models.UniqueConstraint)]
    return [item for item in (*model._meta.indexes, *unique) if item.fields and item.fields[0].lstrip("-") == name]


def test_a_foreign_key_is_indexed_once() -> None:
    """The app's own index has its rows in the order of their numbers: it may stand beside others."""
    of_all = {
        f"{model.__name__}.{field.name}": [other for other in others(model, field.name) if other.condition is None]
        for model, field in foreign_keys()
        if field.db_index and field.name != "app"
    }
    assert [name for name, value in of_all.items() if value] == []


def test_rows_without_one_are_in_no_index_of_a_foreign_key() -> None:
    """On SQLite asking for rows that have none would find those of every app."""
    given = Q(x__isnull=False)
    for model, field in foreign_keys():
        if field.null:
            partial = [other for other in others(model, field.name) if len(other.fields) == 1]
            conditions = [Q(x__isnull=item.condition.children[0][1]) for item in partial if item.condition]
            assert (field.db_index, conditions) == (False, [given]), f"{model.__name__}.{field.name}"


def test_only_words_of_ours_stand_in_the_sql(acme: App) -> None:
    with pytest.raises(ValueError, match="no word of ours"):
        Memory.objects.for_app(acme).filter(status=Literal("x' OR 'y")).exists()

"""The health report, figure by figure, for an app whose figures are known."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient
from time_machine import travel

from memories.maintain.health import as_markdown, growth, health_of, note_health
from memories.models import HealthReport, LedgerEntry, Memory
from memsite.jobs.job import Unclaimed
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller

NOON, DAY = datetime(2027, 3, 15, 12, tzinfo=UTC), date(2027, 3, 5)


@pytest.fixture
def report(alice: Caller, charlie: Caller) -> dict[str, Any]:
    with travel(NOON - timedelta(days=100), tick=False):
        charlie.remember("not of this app")
        alice.remember("whales sing at night", category="sea", confidence=0.95, pinned=True)
    with travel(NOON - timedelta(days=10), tick=False):
        for text, confidence in (
            ("apples grow on trees", 0.7),
            ("deer graze at dawn", 0.7),
            ("rain fell in June", 0.85),
        ):
            alice.remember(text, category="land", confidence=confidence)
        alice.remember("the harbour opens at nine", category="land", confidence=1.0, pinned=True)
        gone = alice.remember("an old custom")
        alice.patch(f"memories/{gone['id']}", {"status": "archived"})
        LedgerEntry.objects.create(
            app=alice.app,
            operation="facts",
            model="m",
            input_tokens=90,
            output_tokens=10,
            cost=0.25,
            day=DAY,
        )
        LedgerEntry.objects.create(app=alice.app, operation="gate", model="m", outcome="timeout", day=DAY)
        LedgerEntry.objects.create(app=alice.app, operation="gate", model="m", cost=9, day=date(2027, 1, 5))
    with travel(NOON, tick=False):
        alice.post("memories/search", {"query": "whales sing at night"})
        alice.post("memories/search", {"query": "zeppelin quotas", "mode": "fulltext"})
        JobRun.objects.create(app=alice.app, job="decay", period="x", status=RunStatus.DEAD, until=NOON)
        app = App.objects.get(pk=alice.app.pk)
        return health_of(app, NOON)


def test_what_there_is(report: dict[str, Any]) -> None:
    assert report["memories"] == {"active": 5, "archived": 1}
    assert report["categories"] == {"land": 4, "sea": 1}
    assert report["pinned"] == 2
    assert report["confirmed"] == {
        "under a week": 0, "under a month": 4, "under 3 months": 0, "under 6 months": 1, "older": 0,
    }  # fmt: skip
    assert report["confidence"] == [0, 0, 0, 0, 0, 0, 0, 2, 1, 2]
    assert report["growth"] == {"2026-12": 1, "2027-03": 5}


def test_whether_it_is_found_and_what_it_costs(report: dict[str, Any]) -> None:
    assert (report["recall"]["searches"], report["recall"]["found"], report["recall"]["hit_rate"]) == (2, 1, 0.5)
    assert report["use"] == {"injected": 0, "used": 0, "ignored": 0, "echo_rate": None}
    assert report["costs"] == {
        "calls": 2, "tokens": 100, "cost": 0.25,
        "by_operation": {
            "facts": {"calls": 1, "failed": 0, "tokens": 100, "cost": 0.25},
            "gate": {"calls": 1, "failed": 1, "tokens": 0, "cost": 0},
        },
    }  # fmt: skip
    assert report["failures"]["jobs"] == {"decay": 1}
    assert report["failures"]["without_vector"] == 0


def test_an_empty_app_has_a_report_too(alice: Caller, operator: APIClient) -> None:
    body = operator.get("/api/v1/apps/acme/health-report").json()
    assert (body["memories"], body["recall"]["hit_rate"], body["costs"]["cost"]) == ({}, None, 0)
    text = operator.get("/api/v1/apps/acme/health-report.md")
    assert text["Content-Type"] == "text/markdown; charset=utf-8"
    assert text.content.decode().startswith("# Health of acme\n")


def test_as_a_page_of_text(report: dict[str, Any]) -> None:
    text = as_markdown(report)
    assert "| active | 5 |" in text
    assert "5 of 100,000 that the app may hold; 2 pinned." in text
    assert "2 searches, 50.0 % found something" in text
    assert "- answered by memories: 50.0 %" in text
    assert "- nothing found: 50.0 %" in text
    assert "| facts | 1 | 0 | 100 | 0.25 |" in text
    assert "- job decay: 1 run\n" in text


def test_it_is_written_down_once_a_month(alice: Caller, operator: APIClient) -> None:
    for _ in range(2):
        run = Unclaimed(NOON)
        note_health(App.objects.get(pk=alice.app.pk), NOON, run)
        assert run.counts == {"reports": 1}
    assert HealthReport.objects.count() == 1
    (past,) = operator.get("/api/v1/apps/acme/health-reports").json()["results"]
    assert (past["period"], past["report"]["app_id"]) == ("2027-03-15", "acme")


def test_months_begin_where_the_app_lives(alice: Caller) -> None:
    AppPolicy.objects.update(time_zone="Asia/Tokyo")
    app, midnight = App.objects.get(pk=alice.app.pk), datetime(2027, 2, 28, 15, tzinfo=UTC)
    second, year = timedelta(seconds=1), timedelta(days=365)
    for number, moment in enumerate((midnight - second, midnight, NOON, NOON - year, NOON - year - timedelta(days=30))):
        with travel(moment, tick=False):
            alice.remember(f"fact {number} of the land")
    with CaptureQueriesContext(connection) as queries:
        assert growth(app, NOON) == {"2026-03": 1, "2027-02": 1, "2027-03": 2}
    requests = " ".join(query["sql"].lower() for query in queries)
    assert "trunc" not in requests, "which SQLite asks of Python, row by row"


def test_it_asks_no_more_of_a_large_app(alice: Caller, django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        alice.remember(f"fact {number} of the land", category=f"c{number}")
    assert Memory.objects.count() == 30
    with django_assert_max_num_queries(20):
        report = health_of(alice.app, NOON)
    assert len(report["categories"]) == 20

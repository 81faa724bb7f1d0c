"""`/metrics`: who is told, what is counted, what is looked up; and that it names nobody and says nothing of anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
import yaml
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client import Counter, Histogram
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.parser import text_string_to_metric_families

from memories.api import collector
from memories.ledger.spend import record
from memories.models import Delivery, Extraction, Rejection, Webhook
from memories.providers.embeddings import HashEmbedder, OllamaEmbedder, Patience
from memories.providers.embeddings.base import EmbedderUnavailable
from memories.providers.llm.provider import Usage
from memsite.jobs import claims
from memsite.jobs.engine import run
from memsite.jobs.job import Job
from memsite.jobs.models import JobRun, JobSchedule, RunStatus
from memsite.jobs.schedule import Every
from memsite.ops import metrics, metrics_files
from memsite.ops.metrics import registry
from memsite.tenancy.models import App, AppPolicy
from tests.api.checks import assert_problem
from tests.api.test_unavailable import Away
from tests.conftest import Caller, make_app, make_caller
from tests.tables import each_row

TOKEN = "a-token-for-prometheus"
ROOT = Path(__file__).resolve().parents[2]
DOCS, DEPLOY = ROOT / "docs", ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "alerts.yml"
NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(scope="module", autouse=True)
def _others_have_counted_nothing() -> None:
    """The tests of other modules leave thousands of series: each look at them takes a quarter of a second."""
    for metric in vars(metrics).values():
        if isinstance(metric, Counter | Histogram):
            metric.clear()


@pytest.fixture
def with_token(settings: Any, db: None) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, metrics_token=TOKEN)


def scrape() -> str:
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def samples(text: str = "") -> Samples:
    families = text_string_to_metric_families(text or scrape())
    samples = (sample for family in families for sample in family.samples)
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}


def value(results: Samples, name: str, **labels: str) -> float:
    return results.get((name, frozenset(labels.items())), 0.0)


def rise(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return value(after, name, **labels) - value(before, name, **labels)


# --- who is told


@pytest.mark.django_db
def test_without_a_token_in_the_settings_there_is_no_such_address(client: Client) -> None:
    assert_problem(client.get("/metrics", headers={"Authorization": "Bearer "}), 404)


@each_row("given", ["", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN])
def test_whoever_does_not_know_the_token_is_told_nothing(with_token: None, client: Client, given: str) -> None:
    answer = client.get("/metrics", headers={"Authorization": given})
    assert_problem(answer, 401)
    assert answer["WWW-Authenticate"] == "Bearer"
    assert b"memsite_" not in answer.content


def test_whoever_knows_it_gets_the_format_of_prometheus(with_token: None, client: Client) -> None:
    answer = client.get("/metrics", headers={"Authorization": f"bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    assert client.head("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_it_is_for_reading_and_answers_to_our_own_names(with_token: None, client: Client) -> None:
    known = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/metrics", headers=known).status_code == 405
    assert client.get("/metrics", headers={**known, "Host": "elsewhere.example"}).status_code == 400


# --- what it is like


def test_every_metric_has_a_description_and_a_name_that_says_what_it_is(with_token: None, alice: Caller) -> None:
    alice.get("memories")
    families = {family.name: family for family in text_string_to_metric_families(scrape())}
    assert len(families) > 20
    for name, family in families.items():
        assert re.fullmatch(r"memsite_[a-z_]+", name)
        assert family.documentation.endswith("."), name
        if family.type == "histogram":
            assert name.endswith("_seconds")
        elif name.endswith(("_seconds", "_bytes", "_dollars")):
            assert family.type in ("gauge", "counter"), name


def test_the_list_in_the_documents_is_what_is_told(with_token: None, acme: App, settings: Any, tmp_path: Path) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, backup_dir=tmp_path)
    (tmp_path / "memsite-20260303T030000Z.sqlite3.gz").touch()
    counted = {sample_name(family.name, family.type) for family in registry.collect()}
    looked_up = {family.name for family in collector.Asked(timezone.now()).collect()}
    section = (DOCS / "monitoring.md").read_text()
    listed = set(re.findall(r"^\| `(memsite_\w+)`", section, re.MULTILINE))
    assert listed == counted | looked_up
    queries = set(re.findall(r"memsite_\w+", section))
    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in queries} <= listed


def expressions() -> list[str]:
    """What the alert rules and the dashboard ask Prometheus for."""
    rules = [rule["expr"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    panels = json.loads((DEPLOY / "grafana" / "memsite.json").read_text())["panels"]
    return rules + [target["expr"] for panel in panels for target in panel.get("targets", [])]


def test_rules_and_dashboard_ask_for_series_that_there_are(
    with_token: None, acme: App, settings: Any, tmp_path: Path
) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, backup_dir=tmp_path)
    (tmp_path / "memsite-20260303T030000Z.sqlite3.gz").touch()
    histograms = [metric for metric in registry.collect() if metric.type == "histogram"]
    names = {sample_name(metric.name, metric.type) for metric in registry.collect() if metric.type != "histogram"}
    names |= {f"{metric.name}_{end}" for metric in histograms for end in ("bucket", "count", "sum")}
    looked_up = list(collector.Asked(timezone.now()).collect())
    names |= {family.name for family in looked_up}
    requested = {name for expression in expressions() for name in re.findall(r"memsite_\w+", expression)}
    assert len(requested) > 25
    assert requested - names == set()


def test_rules_and_dashboard_ask_for_labels_that_there_are(with_token: None, acme: App) -> None:
    counters = [metric for metric in vars(metrics).values() if isinstance(metric, Counter | Histogram)]
    labels = {label for metric in counters for label in metric._labelnames} | {"le"}
    labels |= {label for family in collector.Asked(timezone.now()).collect() for label in family._labelnames}
    requested = {
        label.strip()
        for expression in expressions()
        for some in re.findall(r"(?:by|ignoring) \(([^)]*)\)", expression)
        for label in some.split(",")
    }
    requested |= {label for expression in expressions() for label in re.findall(r"(\w+)(?:=~|!~|=)\"", expression)}
    assert {"le", "status", "job"} <= requested <= labels


def test_the_rules_in_the_documents_hear_of_what_never_was() -> None:
    """Nothing is told of a job that was never done, nor of workers that are not there: no comparison finds that."""
    rules = RULES.read_text()
    for series in ('memsite_job_last_success_timestamp_seconds{job="backup"}', 'memsite_processes{process="worker"}'):
        assert f"absent({series})" in rules


def sample_name(name: str, kind: str) -> str:
    return f"{name}_total" if kind == "counter" else name


# --- requests


def test_each_request_is_counted_once_by_its_pattern(with_token: None, alice: Caller) -> None:
    uid = alice.remember("The printer is on the second floor.")["id"]
    before = samples()
    assert alice.get(f"memories/{uid}").status_code == 200
    after = samples()
    labels = {"method": "GET", "route": "api/v1/memories/<uuid:uid>"}
    assert rise(before, after, "memsite_http_requests_total", status="200", **labels) == 1
    assert rise(before, after, "memsite_http_request_seconds_count", **labels) == 1
    everything = [key for key in after if key[0] == "memsite_http_requests_total"]
    assert sum(after[key] - before.get(key, 0) for key in everything) == 2, "that one, and the scrape before it"


def test_many_addresses_and_odd_methods_are_few_series(with_token: None) -> None:
    client = Client()
    for path in ("/nowhere/0", "/api/v1/memories/01890000-0000-7000-8000-000000000000"):
        client.get(path)
    client.generic("BREW", "/healthz")
    before = {key for key in samples() if key[0].startswith("memsite_http")}
    for number in range(10):
        client.get(f"/nowhere/{number}")
        client.get(f"/api/v1/memories/01890000-0000-7000-8000-{number:012x}")
        client.generic(f"BREW{number}", "/healthz")
    after = samples()
    assert {key for key in after if key[0].startswith("memsite_http")} - before == frozenset(
        key for key in after if frozenset({("route", "metrics")}) < key[1] and key not in before
    )
    assert value(after, "memsite_http_requests_total", method="GET", route="none", status="404") >= 11
    assert value(after, "memsite_http_requests_total", method="other", route="healthz", status="405") >= 11


def test_it_names_nobody_and_quotes_nothing(with_token: None, alice: Caller, charlie: Caller) -> None:
    alice.remember("Marmalade is kept behind the tortoise.", category="larder", subject="marmalade", user_id="ursula")
    alice.post("memories/search", {"query": "where is the marmalade", "user_id": "ursula"})
    charlie.post("apps/acme/nonsense?whisper=quagga", {"quagga": 1})
    text = scrape().lower()
    stored = ["marmalade", "tortoise", "larder", "ursula", "quagga", "acme", "globex", "alice", "charlie"]
    assert [word for word in [*stored, alice.key.lower(), alice.key.lower()[:12]] if word in text] == []


# --- searches, embedders, models, jobs


def test_a_search_is_counted_with_what_answered_it(with_token: None, alice: Caller) -> None:
    alice.remember("The printer is on the second floor.")
    before = samples()
    alice.post("memories/search", {"query": "where is the printer"})
    after = samples()
    assert rise(before, after, "memsite_search_seconds_count", tier="items") == 1
    assert rise(before, after, "memsite_searches_degraded_total", arm="vector") == 0
    assert rise(before, after, "memsite_embedded_texts_total", embedder="hash-64") >= 1
    assert rise(before, after, "memsite_embedding_seconds_count", embedder="hash-64", outcome="ok") >= 1


def test_memories_are_counted_by_the_way_they_came_in_once_they_are_stored(
    with_token: None, alice: Caller, django_capture_on_commit_callbacks: Any
) -> None:
    before = samples()
    with django_capture_on_commit_callbacks(execute=True):
        alice.remember("The printer is on the second floor.")
        alice.remember("The printer is on the second floor.")
        alice.post("memories", {"content": ""})
    assert rise(before, samples(), "memsite_memories_created_total", source="api") == 1


def test_a_retriever_that_does_not_answer_is_counted(
    with_token: None, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.remember("The printer is on the second floor.")
    before = samples()
    monkeypatch.setattr("memories.services.base.current_embedder", Away)
    alice.post("memories/search", {"query": "printer"})
    assert rise(before, samples(), "memsite_searches_degraded_total", arm="vector") == 1


def test_an_embedder_that_is_away_is_counted_as_that(with_token: None) -> None:
    nobody = OllamaEmbedder("http://127.0.0.1:9", "m", patience=Patience(attempts=1, total_seconds=1))
    before = samples()
    with pytest.raises(EmbedderUnavailable):
        nobody.embed_query("anything")
    labels = {"embedder": "ollama/m", "outcome": "unavailable"}
    assert rise(before, samples(), "memsite_embedding_seconds_count", **labels) == 1


def test_a_batch_counts_once_with_its_texts(with_token: None) -> None:
    before = samples()
    HashEmbedder(32).embed_documents(["one", "two", "three"])
    after = samples()
    assert rise(before, after, "memsite_embedding_seconds_count", embedder="hash-32", outcome="ok") == 1
    assert rise(before, after, "memsite_embedded_texts_total", embedder="hash-32") == 3


def test_a_call_to_a_model_is_counted_with_its_tokens_and_its_cost(with_token: None, acme: App) -> None:
    before = samples()
    record(acme, Usage("extract", "some-model", 1200, 80, 2.0, 0.004, "ok", "openai"))
    record(acme, Usage("extract", "some-model", 0, 0, 9.0, None, "unavailable", "openai"))
    after = samples()
    for outcome in ("ok", "unavailable"):
        labels = {"provider": "openai", "operation": "extract", "outcome": outcome}
        assert rise(before, after, "memsite_model_calls_total", **labels) == 1
    assert rise(before, after, "memsite_model_seconds_sum", provider="openai") == pytest.approx(11)
    assert rise(before, after, "memsite_model_tokens_total", provider="openai", direction="input") == 1200
    assert rise(before, after, "memsite_model_tokens_total", provider="openai", direction="output") == 80
    assert rise(before, after, "memsite_model_cost_dollars_total", provider="openai") == pytest.approx(0.004)
    assert "some-model" not in scrape()


class Trial(Job[None]):
    name, title, schedule = "sweep", "tries", Every(1)
    of_site = True

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def work(self, hands: None, run: Any) -> None:
        if self.error:
            raise self.error


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "done"),
        (RuntimeError("broken"), "failed"),
        (claims.TimeUp(), "paused"),
        (claims.Stopped(), "stopped"),
        (claims.ClaimLost(), "lost"),
    ],
)
def test_a_run_is_counted_with_what_became_of_it(with_token: None, error: Exception | None, outcome: str) -> None:
    now = timezone.now()
    claims.fire("sweep", None, Every(1), now, "test")
    claimed = claims.claim("sweep", None, now)
    assert claimed
    before = samples()
    run(Trial(error), None, claimed)
    after = samples()
    assert rise(before, after, "memsite_job_runs_total", job="sweep", outcome=outcome) == 1
    assert rise(before, after, "memsite_job_seconds_count", job="sweep") == 1


# --- what the database is asked


@time_machine.travel(NOW, tick=False)
def test_what_there_is_and_what_waits_is_looked_up(with_token: None, alice: Caller, charlie: Caller) -> None:
    alice.remember("The printer is on the second floor.")
    charlie.remember("The printer is on the third floor.")
    App.objects.filter(pk=charlie.app.pk).update(status="uninstalled")
    session = alice.start_session()
    alice.post(f"sessions/{session['id']}/messages", {"messages": [{"role": "user", "content": "I live in Lisbon."}]})
    waiting = Extraction.objects.for_app(alice.app).filter(status="pending").count()
    assert waiting
    hook = Webhook.objects.create(app=alice.app, url="http://127.0.0.1:9/x")
    for attempts, status in ((0, "waiting"), (2, "waiting"), (8, "dead"), (1, "delivered")):
        Delivery.objects.create(
            app=alice.app, webhook=hook, kind="x", payload={}, attempts=attempts, status=status
        )  # fmt: skip
    for kind, decision in (("approval", "open"), ("approval", "confirmed"), ("quarantine", "open"), ("fact", "open")):
        Rejection.objects.create(app=alice.app, kind=kind, decision=decision, reason="for a reason")
    record(alice.app, Usage("extract", "m", 1000, 50, 2.0, 0.25, "ok", "openai"))
    results = samples()
    assert value(results, "memsite_database_up") == 1
    assert value(results, "memsite_database_bytes") >= 0
    assert value(results, "memsite_apps", status="active") == 1
    assert value(results, "memsite_apps", status="uninstalled") == 1
    assert value(results, "memsite_memories") == 2
    assert value(results, "memsite_texts_waiting") == waiting
    assert value(results, "memsite_webhook_messages_waiting") == 2
    assert value(results, "memsite_webhook_messages_failing") == 1
    assert value(results, "memsite_approvals_waiting", kind="approval") == 1
    assert value(results, "memsite_approvals_waiting", kind="quarantine") == 1
    assert value(results, "memsite_model_tokens_today") == 1050
    assert value(results, "memsite_model_cost_dollars_today") == 0.25
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        assert value(samples(), "memsite_model_tokens_today") == 0


def test_how_much_apps_are_used_is_looked_up(with_token: None, alice: Caller, charlie: Caller) -> None:
    make_caller(make_app("empty", energy_floor=0.5), "nobody").start_session()
    App.objects.filter(app_id="empty").update(energy_level=0.4)
    AppPolicy.objects.filter(app=alice.app).update(memory_limit=2)
    for caller in (alice, charlie):
        for text in ("The printer is on the second floor.", "Whales sing at night.", "Bears sleep in winter."):
            caller.remember(text)
    alice.post("context", {"query": "printer", "session_id": alice.start_session()["id"]})
    results = samples()
    assert value(results, "memsite_apps_with_memories") == 2
    assert value(results, "memsite_apps_low_on_energy") == 1
    assert value(results, "memsite_compactions_today") == 1
    assert value(results, "memsite_sessions_started_last_day") == 2
    assert value(results, "memsite_sessions_with_memories_last_day") == 1
    assert value(results, "memsite_energy_units_today", operation="search") > 0


@time_machine.travel(NOW, tick=False)
def test_runs_that_nobody_takes_are_overdue_and_the_last_success_is_known(with_token: None) -> None:
    made = {"fired_by": "test", "since": None}
    for minutes, status in ((10, "pending"), (6, "failed"), (4, "pending"), (9, "done"), (30, "done"), (90, "dead")):
        moment = NOW - timedelta(minutes=minutes)
        JobRun.objects.create(
            job="backup", period=f"{minutes}", until=moment, next_at=moment, status=status,
            finished_at=moment if status in (RunStatus.DONE, RunStatus.DEAD) else None, **made,
        )  # fmt: skip
    JobSchedule.of("backup", Every(1)).save()
    JobSchedule.of("sweep", Every(1)).save()
    results = samples()
    assert value(results, "memsite_job_runs_overdue", job="backup") == 2
    assert value(results, "memsite_job_runs_overdue", job="decay") == 0
    last = (NOW - timedelta(minutes=9)).timestamp()
    assert value(results, "memsite_job_last_success_timestamp_seconds", job="backup") == last
    assert ("memsite_job_last_success_timestamp_seconds", frozenset({("job", "sweep")})) not in results


def test_the_last_whole_backup_is_told(with_token: None, settings: Any, tmp_path: Path) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, backup_dir=tmp_path)
    assert "memsite_backup" not in scrape()
    for name, size in (("20260302T030000Z", 7), ("20260303T030000Z", 9)):
        (tmp_path / f"memsite-{name}.sqlite3.gz").write_bytes(bytes(size))
    (tmp_path / "memsite-99999999T999999Z.txt").touch()
    results = samples()
    assert value(results, "memsite_backup_last_timestamp_seconds") == datetime(2026, 3, 3, 3, tzinfo=UTC).timestamp()
    assert value(results, "memsite_backup_last_bytes") == 9


def test_it_asks_as_often_however_many_apps_there_are(with_token: None, acme: App) -> None:
    scrape()
    with CaptureQueriesContext(connection) as few:
        scrape()
    for number in range(4):
        make_app(f"app-{number}")
    with CaptureQueriesContext(connection) as many:
        scrape()
    assert len(many) == len(few)
    assert sum(" FROM " in query["sql"] for query in few) == 9


@pytest.mark.sqlite("reads SQLite's plans")
def test_no_table_that_grows_is_read_through(with_token: None, acme: App) -> None:
    plans: list[str] = []

    def explained(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.startswith("SELECT"):
            cursor = context["cursor"].connection.cursor()
            plans.extend(
                row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {sql % tuple('?' * len(params))}", params)
            )
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explained):
        list(collector.figures(timezone.now()))
    small = ("tenancy_app", "jobs_jobschedule", "U0")
    whole = [
        plan for plan in plans if plan.startswith("SCAN") and not plan.startswith(tuple(f"SCAN {s}" for s in small))
    ]
    of_what_waits = ("delivery_due", "job_run_open", "rejection_open")
    assert [plan for plan in whole if not plan.endswith(of_what_waits)] == []
    assert len([plan for plan in plans if plan.startswith("SEARCH")]) >= 3


def test_without_the_database_the_rest_is_told(with_token: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: datetime) -> Iterator[Any]:
        raise OperationalError("no such server")
        yield

    monkeypatch.setattr(collector, "figures", away)
    results = samples()
    assert value(results, "memsite_database_up") == 0
    assert ("memsite_memories", frozenset()) not in results
    assert any(name == "memsite_http_requests_total" for name, _ in results)


def test_a_database_that_takes_too_long_is_not_waited_for(with_token: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "SECONDS", -1.0)
    assert value(samples(), "memsite_database_up") == 0


# --- several processes


def keep(folder: Path, name: str, **counts: float) -> Path:
    """A file as a process leaves it."""
    path = folder / f"counter_{name}.db"
    path.write_bytes(bytes(4096))
    file = MmapedDict(str(path))
    for key, count in counts.items():
        file.write_value(key, count, 0.0)
    file.close()
    return path


def counts_in(path: Path) -> dict[str, float]:
    return {key: count for key, count, _, _ in MmapedDict.read_all_values_from_file(path)}


def test_what_those_who_are_gone_have_counted_is_put_together(tmp_path: Path) -> None:
    metrics_files.hold(tmp_path / "web-3.lock")
    (tmp_path / "web-1.lock").touch()
    living = keep(tmp_path, "web-3", a=100)
    keep(tmp_path, "gone", a=1, b=1)
    keep(tmp_path, "web-1", a=2)
    keep(tmp_path, "web-2.77", a=4, c=3)
    metrics_files.tidy(tmp_path)
    assert counts_in(tmp_path / "counter_gone.db") == {"a": 7, "b": 1, "c": 3}
    assert counts_in(living) == {"a": 100}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counter_gone.db", "counter_web-3.db", "web-3.lock"]


def test_when_nobody_is_left_all_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "web-1.lock").touch()
    keep(tmp_path, "web-1", a=2)
    keep(tmp_path, "gone", a=2)
    metrics_files.tidy(tmp_path)
    assert list(tmp_path.iterdir()) == []

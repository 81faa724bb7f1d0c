"""What is not counted but looked up when Prometheus asks: how much there is, what waits, what was done last.

Each is a query that finds its rows by an index, and reads no more of them than are waiting, or one for each app or job.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from hmac import compare_digest
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from memories.api.health import takes_writes
from memories.jobs import JOBS
from memories.ledger.days import DAY
from memories.ledger.energy import COMPACTION, UNITS
from memories.maintain.figures import first_uid
from memories.models import (
    Delivery,
    DeliveryStatus,
    EnergyUse,
    Extraction,
    ExtractionStatus,
    Injection,
    LedgerEntry,
    Rejection,
)
from memories.models.capture import WAITING, Decision
from memories.retrieve.retrievers import in_time, run_retrievers
from memsite.config.conf import get_conf
from memsite.http.problems import problem_response
from memsite.jobs.models import JobRun, JobSchedule, RunStatus
from memsite.ops.backup.files import BACKUP
from memsite.ops.metrics import registry
from memsite.ops.metrics_files import counts_of_all, processes
from memsite.tenancy.models import App, AppStatus
from sessions.models import AgentSession

SECONDS = 4.0
"""Prometheus waits ten, usually: rather all but the database's figures than none."""
LEARNING = (ExtractionStatus.PENDING, ExtractionStatus.RUNNING, ExtractionStatus.FAILED)
Figures = Iterator[GaugeMetricFamily]


@dataclass(eq=False)
class Asked(Collector):
    """The figures of `now`."""

    now: datetime

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing is asked in advance."""
        return []

    def collect(self) -> Figures:
        yield by("memsite_processes", "Processes that count at the moment.", "process", processes())
        yield from backups(get_conf().backups)
        database = ask_database(self.now)
        yield gauge("memsite_database_up", "1 if the database answered in time, else 0.", database is not None)
        yield from database or ()


def ask_database(now: datetime) -> list[GaugeMetricFamily] | None:
    """None if it is away, or takes too long."""
    look = partial(in_time, lambda: list(figures(now)), monotonic() + SECONDS)
    here = {"metrics"} if connection.vendor == "sqlite" else ()
    answers, _ = run_retrievers({"metrics": look}, SECONDS, here)
    return answers.get("metrics")


def figures(now: datetime) -> Figures:
    yield from apps()
    yield from work()
    yield from jobs(now)
    yield from conversations(now)
    today = timezone.localtime(now).date()
    yield from energy(today)
    calls = LedgerEntry.objects.filter(app__in=App.objects.order_by().values("pk"), day=today)
    sums = calls.aggregate(tokens=Sum(F("input_tokens") + F("output_tokens")), dollars=Sum("cost"))
    help_text = "by each app's calendar, on the date that it is where the server is."
    yield gauge("memsite_model_tokens_today", f"Tokens of language models, {help_text}", sums["tokens"] or 0)
    yield gauge("memsite_model_cost_dollars_today", f"Their known cost, {help_text}", sums["dollars"] or 0)
    yield gauge("memsite_database_writable", "1 if the database takes writes, else 0.", takes_writes())
    yield gauge("memsite_database_bytes", "What the database takes on its disk.", database_bytes())


def apps() -> Figures:
    is_active = Q(status=AppStatus.ACTIVE)
    rows = (
        App.objects.order_by()
        .values("status")
        .annotate(
            number=Count("pk"),
            memories=Sum("memory_count"),
            used=Count("pk", filter=is_active & Q(memory_count__gt=0)),
            low=Count("pk", filter=is_active & Q(energy_level__lt=F("policy__energy_floor"))),
        )
    )
    by_status = {row["status"]: row for row in rows}
    counts = dict.fromkeys(AppStatus.values, 0) | {status: row["number"] for status, row in by_status.items()}
    yield by("memsite_apps", "Apps, by what has become of them.", "status", counts)
    totals = {name: sum(row[name] or 0 for row in by_status.values()) for name in ("memories", "used", "low")}
    yield gauge("memsite_apps_with_memories", "Active apps that hold any memory.", totals["used"])
    yield gauge(
        "memsite_apps_low_on_energy", "Active apps whose agents have too little energy to learn.", totals["low"]
    )
    help_text = "Memories that searches may find, or would if they were surer."
    yield gauge("memsite_memories", help_text, totals["memories"])


def conversations(now: datetime) -> Figures:
    """Of the last 24 hours: by each app's index of ids, which rise with time."""
    one_app: Any = OuterRef("pk")
    begun = AgentSession.objects.for_app(one_app).filter(uid__gte=first_uid(now - DAY))
    its_app: Any = OuterRef("app")
    injected = begun.filter(Exists(Injection.objects.for_app(its_app).filter(session=OuterRef("pk"))))
    counts = [
        Subquery(rows.order_by().values("app").annotate(number=Count("pk")).values("number"))
        for rows in (begun, injected)
    ]
    of_each = list(App.objects.order_by().values_list(*counts))
    help_text = "Sessions begun within 24 hours."
    yield gauge("memsite_sessions_started_last_day", help_text, sum(number or 0 for number, _ in of_each))
    help_text = "Of these, sessions that were shown any memory."
    yield gauge("memsite_sessions_with_memories_last_day", help_text, sum(number or 0 for _, number in of_each))


def energy(today: date) -> Figures:
    rows = EnergyUse.objects.filter(app__in=App.objects.order_by().values("pk"), day=today, operation__in=UNITS)
    sums = rows.order_by().values_list("operation").annotate(Sum("calls"), Sum("units"))
    used = {name: (calls, units) for name, calls, units in sums}
    help_text = "Energy that was used, by each app's calendar, on the date that it is where the server is."
    by_operation = {name: used[name][1] if name in used else 0 for name in UNITS}
    yield by("memsite_energy_units_today", help_text, "operation", by_operation)
    help_text = "Times that a full app made room, on that date."
    yield gauge("memsite_compactions_today", help_text, used[COMPACTION][0] if COMPACTION in used else 0)


def work() -> Figures:
    """Lengths of queues: of what waits for us, for others, for a person."""
    texts = Extraction.objects.filter(status__in=(*LEARNING, ExtractionStatus.DEAD)).order_by()
    by_status = dict(texts.values_list("status").annotate(Count("pk")))
    waiting = sum(by_status.get(status, 0) for status in LEARNING)
    yield gauge("memsite_texts_waiting", "Texts that are still to be learnt from.", waiting)
    given_up = by_status.get(ExtractionStatus.DEAD, 0)
    yield gauge("memsite_texts_given_up", "Texts that somebody has to retry by hand.", given_up)
    messages = Delivery.objects.filter(status=DeliveryStatus.WAITING)
    counts = messages.aggregate(all=Count("pk"), failing=Count("pk", filter=Q(attempts__gt=0)))
    yield gauge("memsite_webhook_messages_waiting", "Messages that webhooks have not taken yet.", counts["all"])
    help_text = "Of those that wait, messages that were tried before."
    yield gauge("memsite_webhook_messages_failing", help_text, counts["failing"])
    open_rows = Rejection.objects.filter(decision=Decision.OPEN, kind__in=WAITING).order_by()
    by_kind = dict.fromkeys(map(str, WAITING), 0) | dict(open_rows.values_list("kind").annotate(Count("pk")))
    yield by("memsite_approvals_waiting", "What a person has to decide about.", "kind", by_kind)


def jobs(now: datetime) -> Figures:
    late = JobRun.objects.overdue(now).filter(job__in=JOBS).order_by()
    overdue = dict.fromkeys(JOBS, 0) | dict(late.values_list("job").annotate(Count("pk")))
    yield by("memsite_job_runs_overdue", "Runs that no worker took for five minutes.", "job", overdue)
    done = JobRun.objects.filter(job=OuterRef("job"), status=RunStatus.DONE).order_by("-finished_at")
    last = JobSchedule.objects.filter(job__in=JOBS).annotate(done_at=Subquery(done.values("finished_at")[:1]))
    moment = {job: moment.timestamp() for job, moment in last.values_list("job", "done_at") if moment}
    yield by("memsite_job_last_success_timestamp_seconds", "When a run of the job was last done.", "job", moment)


def database_bytes() -> int:
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = Path(str(connection.settings_dict["NAME"]))
    return sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.is_file())


def backups(folder: Path) -> Figures:
    """Of the last whole one in the folder that this machine sees; nothing if there is none."""
    files = sorted(path for path in folder.glob("memsite-*") if BACKUP.fullmatch(path.name))
    for path in files[-1:]:
        moment = datetime.strptime(path.name[8:24], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        yield gauge("memsite_backup_last_timestamp_seconds", "When the last backup was begun.", moment.timestamp())
        yield gauge("memsite_backup_last_bytes", "How large the last backup is.", path.stat().st_size)


def gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_text, value=value)


def by(name: str, help_text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, help_text, labels=[label])
    for what, value in values.items():
        family.add_metric([what], value)
    return family


SCHEME = "Bearer"


@csrf_exempt
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """404 unless `MEMSITE_METRICS_TOKEN` is set, 401 without it in `Authorization`."""
    token = get_conf().metrics_token
    if not token:
        raise Http404
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if not (scheme.lower() == SCHEME.lower() and compare_digest(given.strip().encode(), token.encode())):
        refused = problem_response(HTTPStatus.UNAUTHORIZED, "Authorization: Bearer and the metrics token, please.")
        refused["WWW-Authenticate"] = SCHEME
        return refused
    looked_up = CollectorRegistry()
    looked_up.register(Asked(timezone.now()))
    return HttpResponse(counts_of_all(registry) + generate_latest(looked_up), content_type=CONTENT_TYPE_LATEST)

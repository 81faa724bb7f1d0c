"""A year of upkeep, day by day on a frozen clock. Writes "A year of upkeep" of bench/results/benchmarks.md.

    .venv/bin/python -m bench.year [--memories 20000] [--days 365]

What is counted at the end is worked out here from the dates alone, not by the code that did the work.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from time import perf_counter, process_time

from django.db.models import Exists, OuterRef
from django.utils import timezone
from time_machine import travel

from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.progress import progress
from bench.upkeep import EMBEDDER
from bench.upkeep_data import fill, varied
from memories.capture.pipeline import remember
from memories.jobs import JOBS
from memories.models import Action, Kind, Memory, Revision, Status
from memories.models.memory import MemoryQuerySet
from memories.services import MemoryAgent
from memories.store import Candidate
from memories.tasks import upkeep_due, upkeep_work
from memsite.jobs.models import JobRun, JobSchedule, RunStatus
from memsite.tenancy.models import App
from memsite.tenancy.policy import TTL_DAYS

BEGIN = datetime(2027, 1, 1, 12, tzinfo=UTC)
"""A Friday, in a zone without daylight saving: the app's own is what a new app has."""
CATEGORIES = ("work", "hobbies", "preferences", "notes")
"""The last has no time to live."""
MERGE_GROUPS, EACH_PINNED, NEW_A_DAY = 500, 100, 2
GRACE, A_WEEK, START, LEAST = 30, 0.1, 0.7, 0.3
"""What a new app's policy says of decay, and what `fill` gives a memory."""
SUNDAY = 6
PLAIN = (Action.CREATED, Action.PROMOTED, Action.DECAYED, Action.ARCHIVED, Action.GATHERED, Action.FROZEN)
"""What happens to a memory of itself: nobody confirmed it and nothing was merged into it."""
GONE = (Status.ARCHIVED, Status.COLD, Status.SUPERSEDED)
EXACT = 1e-9
OF_APP = [name for name, job in JOBS.items() if job.is_heavy and not job.of_site]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how many times, and how often it was not so."""

    what: str
    looked_at: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Year:
    """`runs` are those of the app's own calendar."""

    days: int
    first: int
    later: int
    runs: list[JobRun]
    checks: list[Check]
    statuses: Counter[str]
    seconds: float
    cpu_seconds: float


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--memories", type=int, default=20_000, help="memories of the first day")
    options.add_argument("--days", type=int, default=365)
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    body = render(live_through(given.memories, given.days), facts)
    write_section("A year of upkeep", body)
    print(body)


def live_through(memories: int, days: int) -> Year:
    statement = varied(memories + days * NEW_A_DAY, MERGE_GROUPS)
    with travel(BEGIN, tick=False):
        app = fill("year", statement[:memories], EMBEDDER, BEGIN)
        prepare(app)
        texts = dict(Memory.objects.for_app(app).values_list("pk", "content"))
        upkeep_due()  # each job has its schedule by now
        # A backup copies the whole file each night: it is measured elsewhere. And all runs are left to be counted.
        JobSchedule.objects.filter(job__in=("backup", "housekeeping")).update(enabled=False)
        JobRun.objects.all().delete()
    began, cpu = perf_counter(), process_time()
    for number in progress(range(1, days + 1), "days"):
        with travel(BEGIN + timedelta(days=number), tick=False):
            start = memories + (number - 1) * NEW_A_DAY
            for text, subject in statement[start : start + NEW_A_DAY]:
                said_now = Candidate(content=text, subject=subject, category="seen")
                remember(app, [said_now], EMBEDDER, "bench", timezone.now())
            # As often as beat, heartbeats and impatient people may come.
            upkeep_due()
            upkeep_due()
            upkeep_work()
    seconds, cpu_seconds = perf_counter() - began, process_time() - cpu
    statuses = Counter(Memory.objects.for_app(app).values_list("status", flat=True))
    with travel(BEGIN + timedelta(days=days), tick=False):
        return Year(
            days=days, first=memories, later=days * NEW_A_DAY, runs=list(JobRun.objects.filter(job__in=OF_APP)),
            checks=[
                of_runs(days), of_decay(app, days), of_times_to_live(app, days), of_pinned(app, texts), of_traces(app),
                of_restoring(app, texts),
            ],
            statuses=statuses,
            seconds=seconds, cpu_seconds=cpu_seconds,
        )  # fmt: skip


def prepare(app: App) -> None:
    """Pin a hundredth, and put the rest in each category in turn."""
    App.objects.filter(pk=app.pk).update(created_at=BEGIN)
    rows = Memory.objects.for_app(app)
    pks = list(rows.order_by("pk").values_list("pk", flat=True))
    for number, category in enumerate(CATEGORIES):
        rows.filter(pk__in=pks[number :: len(CATEGORIES)]).update(category=category)
    rows.filter(pk__in=pks[::EACH_PINNED]).update(pinned=True)


def of_itself(app: App, *actions: Action) -> MemoryQuerySet:
    """Memories to which nothing but this has happened."""
    others = Revision.objects.for_app(app).filter(memory=OuterRef("pk")).exclude(action__in=actions)
    return Memory.objects.for_app(app).filter(~Exists(others), pinned=False).exclude(kind=Kind.INSIGHT)


def of_runs(days: int) -> Check:
    """Each period of each job once, done at the first attempt."""
    dates = [(BEGIN + timedelta(days=number)).date() for number in range(1, days + 1)]
    due = dict.fromkeys(OF_APP, dates)
    due["weekly"] = [on for on in dates if on.weekday() == SUNDAY]
    due["monthly"] = [on for on in dates if on.day == 1]
    expected = Counter((job, on.isoformat()) for job, on_dates in due.items() for on in on_dates)
    runs = JobRun.objects.filter(job__in=OF_APP)
    well = Counter(runs.filter(status=RunStatus.DONE, attempts=1).values_list("job", "period"))
    amiss = (expected - well).total() + (well - expected).total() + runs.exclude(status=RunStatus.DONE).count()
    return Check("periods of a job, each to be done once", expected.total(), amiss)


def of_decay(app: App, days: int) -> Check:
    """`START`, less `A_WEEK` per week after `GRACE` days, until it first is below `LEAST`."""
    end = BEGIN + timedelta(days=days)
    looked_at = wrong = 0
    for row in of_itself(app, *PLAIN).filter(status__in=(Status.ACTIVE, Status.INACTIVE)).iterator():
        weeks = max(timedelta(0), end - row.created_at - timedelta(days=GRACE)) / timedelta(weeks=1)
        value = START - A_WEEK * weeks
        is_right = abs(row.confidence - value) <= EXACT if row.status == Status.ACTIVE else value < LEAST
        looked_at, wrong = looked_at + 1, wrong + (not is_right)
    return Check("confidences, to be exact to 1e-9, or inactive if below 0.3", looked_at, wrong)


def of_times_to_live(app: App, days: int) -> Check:
    """Check that the first weekly run after a category's time to live archives its memories, and no run the others."""
    end = (BEGIN + timedelta(days=days)).date()
    actions = (Action.ARCHIVED,)
    index = dict(
        Revision.objects.for_app(app).filter(action__in=actions).order_by("-number").values_list("memory", "created_at")
    )
    looked_at = wrong = 0
    for row in of_itself(app, *PLAIN).iterator():
        due = sunday_after(row.created_at.date() + timedelta(days=ttl)) if (ttl := TTL_DAYS.get(row.category)) else None
        archived = index[row.pk].date() if row.pk in index else None
        looked_at, wrong = looked_at + 1, wrong + (archived != (due if due and due <= end else None))
    return Check("times to live, to the day", looked_at, wrong)


def sunday_after(on: date) -> date:
    return on + timedelta(days=(SUNDAY - on.weekday()) % 7)


def of_pinned(app: App, texts: dict[int, str]) -> Check:
    """Check that a pinned memory keeps its text and confidence; that it stands for others may have been noted."""
    rows = Memory.objects.for_app(app).filter(pinned=True)
    same = [row for row in rows if (row.status, row.confidence) == (Status.ACTIVE, START) and row.text == texts[row.pk]]
    return Check("pinned memories, to be as they were", len(rows), len(rows) - len(same))


def of_traces(app: App) -> Check:
    """Check that what is no longer live has a revision that says why, and that what another stands for names it."""
    gone = Memory.objects.for_app(app).filter(status__in=GONE)
    output = Revision.objects.for_app(app).filter(memory=OuterRef("pk")).exclude(reason="")
    return Check("archived and merged memories, to say why", gone.count(), gone.filter(~Exists(output)).count())


def of_restoring(app: App, texts: dict[int, str]) -> Check:
    """Check that what was archived or merged comes back active, as it was said and with no new wording."""
    gone = list(
        of_itself(app, *PLAIN, Action.SUPERSEDED).filter(status__in=GONE, pk__in=texts).values_list("pk", flat=True)
    )
    MemoryAgent(app, None, "bench").restore_each(gone)
    rows = Memory.objects.for_app(app).filter(pk__in=gone, status=Status.ACTIVE)
    return Check(
        "of these, to be restored to the letter", len(gone), len(gone) - sum(row.text == texts[row.pk] for row in rows)
    )


def render(year: Year, facts: str) -> str:
    lived = (
        f"An app with {year.first:,} memories on its first day, in {MERGE_GROUPS} drawers, a tenth of them said again "
        f"in other words, one in {EACH_PINNED} pinned, in the categories {', '.join(CATEGORIES)}; {NEW_A_DAY} more a "
        f"day ({year.later:,}). {year.days} days on a frozen clock, on each of which everything due is fired twice and "
        f"worked off by the rules; backups are left out. It took {year.seconds:,.0f} s ({year.cpu_seconds:,.0f} s of "
        "processor)."
    )
    became = ", ".join(f"{count:,} {status}" for status, count in sorted(year.statuses.items()))
    return "\n\n".join(
        [f"Measured {facts}", lived, run_table(year), f"At the end: {became}.", check_table(year.checks)]
    )


def run_table(year: Year) -> str:
    """Seconds as the runs themselves tell them."""
    rows = []
    for job in OF_APP:
        took = [run.seconds for run in year.runs if run.job == job]
        counts = sum((Counter(run.counts) for run in year.runs if run.job == job), Counter[str]())
        output = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items())
        rows.append([job, f"{len(took):,}", f"{sum(took):.1f}", f"{max(took, default=0):.1f}", output])
    return table(["job", "runs", "seconds", "longest", "did"], rows)


def check_table(checks: list[Check]) -> str:
    return table(["", "looked at", "wrong"], [[c.what, f"{c.looked_at:,}", f"{c.wrong:,}"] for c in checks])


if __name__ == "__main__":
    main()

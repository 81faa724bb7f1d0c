"""How long the night, the week and a purge take. Writes "Upkeep" of bench/results/benchmarks.md.

    .venv/bin/python -m bench.upkeep [--sizes 10000,100000] [--baseline 300]

Wall-clock and processor seconds: on a machine that others use, too, the second are what the work itself takes.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import median
from threading import Event, Thread

from bench.latency import sizes
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.purging import NEIGHBOUR, Purged, measure_purge
from bench.upkeep_data import AGAIN, KINDS, TEXT_WORDS, Said, fill, varied
from memories.language.relate import Relation, Thresholds, relate
from memories.maintain.aging import archive_expired, promote_todays
from memories.maintain.insights import gather_insights
from memories.maintain.merge import merge_duplicates
from memories.models import Memory
from memories.providers.embeddings import HashEmbedder
from memories.providers.llm.rules import RulesProvider
from memsite.jobs.job import Run, Unclaimed
from memsite.tenancy.models import App

DIM, NEW = 384, 500
EMBEDDER = HashEmbedder(DIM)
RULES = RulesProvider(Thresholds(EMBEDDER.thresholds.same, EMBEDDER.thresholds.related))
NIGHT = datetime(2027, 3, 2, 2, tzinfo=UTC)
DAY = timedelta(days=1)
STATM = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Taken:
    """`megabytes` is how much more the process held at most than at the start; None where that cannot be told."""

    seconds: float
    cpu_seconds: float
    megabytes: float | None
    counts: Mapping[str, int]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[10_000, 100_000], help="numbers of memories")
    options.add_argument("--baseline", type=int, default=300, help="memories that are compared pair by pair")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    measured = {(kind, size): measure_nights(kind, size) for size in given.sizes for kind in KINDS}
    weeks = {size: measure_week(size) for size in given.sizes}
    purged = {size: measure_purge(size, EMBEDDER, NIGHT) for size in given.sizes}
    body = render(measured, weeks, measure_baseline(given.baseline), purged, facts)
    write_section("Upkeep", body)
    print(body)


def measure_nights(kind: str, size: int) -> dict[str, Taken]:
    """Measure the first night, on which everything is new, and the night after it."""
    make, subjects = KINDS[kind]
    statement = make(size + NEW, subjects)
    app = fill(f"{size}-{list(KINDS).index(kind)}", statement[:size], EMBEDDER, NIGHT)
    first = measure(lambda run: merge_duplicates(app, NIGHT, run, RULES, EMBEDDER), NIGHT)
    fill("the day after", statement[size:], EMBEDDER, NIGHT + DAY, app)
    later = partial(measure, until=NIGHT + DAY, since=NIGHT)
    return {
        "first": first,
        "next": later(lambda run: merge_duplicates(app, NIGHT + DAY, run, RULES, EMBEDDER)),
        "promote": later(lambda run: promote_todays(app, NIGHT + DAY, run)),
    }


def measure_week(size: int) -> dict[str, Taken]:
    """Everything runs out at once, and is gathered from one drawer."""
    app = fill(f"week-{size}", varied(size, 0), EMBEDDER, NIGHT)
    sunday = NIGHT + 95 * DAY
    return {
        "archive": measure(lambda run: archive_expired(app, sunday, run), sunday),
        "gather": measure(lambda run: gather_insights(app, sunday, run, RULES, EMBEDDER), sunday),
    }


def measure_baseline(size: int) -> dict[str, Taken]:
    """Measure a verdict on each pair of one merge group, and what upkeep finds in the same group."""
    statement = varied(size, 0)
    app = fill("baseline", statement, EMBEDDER, NIGHT)
    return {
        "pairs": measure(partial(judge_all, statement), NIGHT),
        "night": measure(lambda run: merge_duplicates(app, NIGHT, run, RULES, EMBEDDER), NIGHT),
        "left": Taken(0, 0, None, {"left": left_alike(app)}),
    }


def judge_all(statements: list[Said], run: Run) -> None:
    vectors = EMBEDDER.embed_documents([text for text, _ in statements])
    same = compared = 0
    for left, right in combinations(range(len(statements)), 2):
        verdict = relate(
            statements[left][0], statements[right][0], float(vectors[left] @ vectors[right]), "", RULES.bands
        )
        compared += 1
        same += verdict.relation == Relation.SAME
    run.done({"compared": compared, "same": same})


def left_alike(app: App) -> int:
    """Pairs that are still there and that the rules call the same."""
    texts = list(Memory.objects.for_app(app).live().order_by("pk").values_list("content", flat=True))
    counts = Unclaimed(until=NIGHT)
    judge_all([(text, None) for text in texts], counts)
    return counts.counts["same"]


def measure(work: Callable[[Run], None], until: datetime, since: datetime | None = None) -> Taken:
    run = Unclaimed(until=until, since=since)
    with Watch() as watch:
        began, cpu = time.perf_counter(), time.process_time()
        work(run)
        taken = time.perf_counter() - began, time.process_time() - cpu
    return Taken(*taken, watch.grown, dict(run.counts))


class Watch:
    """Looks ten times a second how much memory the process holds. Nothing where the system does not tell."""

    def __enter__(self) -> Watch:
        self.ended, self.most, self.least = Event(), memory_bytes(), memory_bytes()
        self.thread = Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def look(self) -> None:
        while not self.ended.wait(0.1):
            self.most = max(self.most, memory_bytes())

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()

    @property
    def grown(self) -> float | None:
        return (self.most - self.least) / 1e6 if STATM.exists() else None


def memory_bytes() -> int:
    """Bytes."""
    return int(STATM.read_text().split()[1]) * resource.getpagesize() if STATM.exists() else 0


def render(
    measured: Mapping[tuple[str, int], Mapping[str, Taken]], weeks: Mapping[int, Mapping[str, Taken]],
    baseline: Mapping[str, Taken], purged: Mapping[int, Purged], facts: str,
) -> str:  # fmt: skip
    nights = (
        f"**Merging near-duplicates** (`merge_duplicates`, by the rules): the first night, on which all memories are "
        f"new, and the night after, with {NEW} new ones. Texts of {TEXT_WORDS} invented words, {AGAIN:.0%} of which "
        f"another says too, in other words; and sentences of a machine that differ in a number and a name: all alike "
        f"and none the same, the worst there is. Vectors are of {DIM} dimensions and made by the hashing embedder "
        f"beforehand. Seconds are wall clock / processor; MB is what the process grew by, the app's index included."
    )
    weekly = "**The week**: everything of one category runs out on the same day, and is gathered into insights."
    purges = (
        f"**A purge** of an app, beside another of {NEIGHBOUR:,} memories that goes on writing: seconds until nobody "
        f"sees it any more, and until its rows are gone and the files swept; how long a write of the neighbour took "
        f"meanwhile (p50 / the longest); what is left: rows of it, and places in the database's files where the word "
        f"stands that each of its texts held."
    )
    parts = [nights, night_table(measured), describe(baseline), weekly, week_table(weeks), purges, purge_table(purged)]
    return "\n\n".join([f"Measured {facts}", *parts])


def night_table(measured: Mapping[tuple[str, int], Mapping[str, Taken]]) -> str:
    head = ["", "memories", "first night", "MB", "compared", "merged", "next night", "compared", "merged", "promoting"]
    rows = [
        [
            kind, f"{size:,}", seconds(of["first"]), megabytes(of["first"]), *counted(of["first"]),
            seconds(of["next"]), *counted(of["next"]), seconds(of["promote"]),
        ]
        for (kind, size), of in measured.items()
    ]  # fmt: skip
    return table(head, rows)


def counted(taken: Taken) -> list[str]:
    return [f"{taken.counts.get(name, 0):,}" for name in ("compared", "merged")]


def describe(baseline: Mapping[str, Taken]) -> str:
    pairs, night = baseline["pairs"], baseline["night"]
    return (
        f"Pair by pair, the verdicts alone on {pairs.counts['compared']:,} pairs of one drawer take {seconds(pairs)} s "
        f"(four times that for twice the memories); they call {pairs.counts['same']} pairs the same. The night takes "
        f"{seconds(night)} s for the same drawer, writing included, compares {night.counts.get('compared', 0)} pairs "
        f"and merges {night.counts.get('merged', 0)} memories; of what is left, {baseline['left'].counts['left']} "
        "pairs would be called the same."
    )


def week_table(weeks: Mapping[int, Mapping[str, Taken]]) -> str:
    rows = [
        [
            f"{size:,} memories", seconds(of["archive"]), megabytes(of["archive"]), seconds(of["gather"]),
            megabytes(of["gather"]), f"{of['gather'].counts.get('insights', 0):,}",
            f"{of['gather'].counts.get('gathered', 0):,}",
        ]
        for size, of in weeks.items()
    ]  # fmt: skip
    return table(["", "archiving", "MB", "gathering", "MB", "insights", "of"], rows)


def purge_table(purged: Mapping[int, Purged]) -> str:
    rows = [
        [
            f"{size:,} memories, {of.megabytes:.0f} MB", f"{of.hidden:.1f}", f"{of.gone:.1f}",
            f"{median(of.waited):.2f} / {max(of.waited):.2f}", of.left, of.traces,
        ]
        for size, of in purged.items()
    ]  # fmt: skip
    return table(["", "hidden", "gone", "a write beside it", "rows left", "traces"], rows)


def seconds(taken: Taken) -> str:
    return f"{taken.seconds:.1f} / {taken.cpu_seconds:.1f}"


def megabytes(taken: Taken) -> str:
    return "–" if taken.megabytes is None else f"{taken.megabytes:.0f}"


if __name__ == "__main__":
    main()

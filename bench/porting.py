"""How long an app takes to leave and to come back, and whether it comes back the same: "Leaving and coming".

.venv/bin/python -m bench.porting [--sizes 10000,100000] [--vectors]
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils import timezone

from bench.conversations import make_app
from bench.latency import sizes
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.upkeep import Watch
from bench.upkeep_data import fill, varied
from memories.providers.embeddings import HashEmbedder
from memories.services import MemoryAgent
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import Agent, App

EMBEDDER = HashEmbedder(384)
AT = datetime(2027, 3, 2, 2, tzinfo=UTC)
MERGE_GROUPS = 500
CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """`megabytes` is how much more the process held at most than before; None where that cannot be told."""

    seconds: float
    cpu_seconds: float
    megabytes: float | None


@dataclass(frozen=True, slots=True)
class Carried:
    """`size_megabytes` of the file; `is_equal` but for its first line, which names the app."""

    exported: Step
    looked_at: Step
    taken_in: Step
    size_megabytes: float
    lines: int
    is_equal: bool


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[10_000, 100_000], help="numbers of memories")
    options.add_argument("--vectors", action="store_true", help="with the vectors of memories")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    carried = {size: carry(size, given.vectors) for size in given.sizes}
    body = render(carried, facts, given.vectors)
    write_section("Leaving and coming", body)
    print(body)


def carry(size: int, with_vectors: bool) -> Carried:
    """Measure an app of so many memories → its file → another app → its file."""
    name = f"carry-{size}"
    app = fill(name, varied(size, MERGE_GROUPS), EMBEDDER, AT)
    other = make_app(f"{name}-again")
    Agent.objects.filter(app=other).delete()  # it holds nothing
    with TemporaryDirectory() as folder:
        first, again = Path(folder, "first"), Path(folder, "again")
        exported = measure(lambda: save(app, first, with_vectors))
        coming = MemoryAgent(other, None, "bench")
        with first.open("rb") as file:
            looked_at = measure(lambda: coming.begin_import(file, "memsite"))
        taken_in = measure(lambda: coming.carry_on_imports(Unclaimed(until=timezone.now())))
        save(other, again, with_vectors)
        is_equal = digest(first) == digest(again)
        lines = lines_in(first)
        return Carried(exported, looked_at, taken_in, first.stat().st_size / 1e6, lines, is_equal)


def save(app: App, path: Path, with_vectors: bool) -> None:
    with MemoryAgent(app, None, "bench").export(vectors=with_vectors) as source, path.open("wb") as target:
        while chunk := source.read(CHUNK_BYTES):
            target.write(chunk)


def digest(path: Path) -> str:
    """Of all lines but the first."""
    output = hashlib.sha256()
    with path.open("rb") as file:
        file.readline()
        while chunk := file.read(CHUNK_BYTES):
            output.update(chunk)
    return output.hexdigest()


def lines_in(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def measure(work: Callable[[], object]) -> Step:
    with Watch() as watch:
        began, cpu = time.perf_counter(), time.process_time()
        work()
        taken = time.perf_counter() - began, time.process_time() - cpu
    return Step(*taken, watch.grown)


def render(carried: Mapping[int, Carried], facts: str, with_vectors: bool) -> str:
    head = ["memories", "MB", "lines", "export", "MB more", "looked at", "MB more", "taken in", "MB more", "the same"]
    rows = [
        [
            f"{size:,}", f"{of.size_megabytes:.0f}", f"{of.lines:,}",
            *(cell for step in (of.exported, of.looked_at, of.taken_in) for cell in cells(step)),
            "yes" if of.is_equal else "NO",
        ]
        for size, of in carried.items()
    ]  # fmt: skip
    text = (
        "An app of so many memories with a revision each, exported, looked at and kept as an import, taken in by "
        "another app of the same server, and exported from there: is it the same file but for its first line? Seconds "
        "are wall clock / processor; MB more is what the process grew by meanwhile. "
        f"{'With vectors of 384 dimensions.' if with_vectors else 'Without vectors.'}"
    )
    return "\n\n".join([f"Measured {facts}", text, table(head, rows)])


def cells(step: Step) -> list[str]:
    more = "–" if step.megabytes is None else f"{step.megabytes:.0f}"
    return [f"{step.seconds:.1f} / {step.cpu_seconds:.1f}", more]


if __name__ == "__main__":
    main()

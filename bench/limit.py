"""Show that an app's limit holds while several processes write many more memories than it allows.

    .venv/bin/python -m bench.limit [--memories 100000] [--limit 10000] [--processes 4]

Ends with an error if it is. Writes "The limit" of bench/results/benchmarks.md.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import OperationalError, connections
from django.utils import timezone

from bench.conversations import make_app
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.upkeep_data import varied
from memories.capture.pipeline import remember
from memories.models import Memory, Revision
from memories.providers.embeddings import HashEmbedder
from memories.store import Candidate
from memsite.tenancy.models import App

EMBEDDER = HashEmbedder(384)
SUBJECTS, BATCH = 500, 100
LOOK_EVERY_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Held:
    """`most` live memories were seen at a time; `live` are those of the end, `counted` what the app says of itself."""

    memories: int
    limit: int
    processes: int
    seconds: float
    looks: int
    most: int
    live: int
    counted: int
    created: int

    @property
    def is_exact(self) -> bool:
        return self.most <= self.limit and self.live == self.counted == min(self.limit, self.created)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--memories", type=int, default=100_000)
    options.add_argument("--limit", type=int, default=10_000)
    options.add_argument("--processes", type=int, default=4)
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    stored = overfill(given.memories, given.limit, given.processes)
    body = render(stored, facts)
    write_section("The limit", body)
    print(body)
    if not stored.is_exact:
        raise SystemExit("The limit was not held.")


def overfill(memories: int, limit: int, processes: int) -> Held:
    app = make_app("overfull")
    app.policy.memory_limit = limit
    app.policy.save()
    share = memories // processes
    texts = [f"{text} {number}" for number, (text, _) in enumerate(varied(share * processes, SUBJECTS))]
    connections.close_all()  # before the forks
    began = time.perf_counter()
    running = [started(partial(write, app, texts[index * share : (index + 1) * share])) for index in range(processes)]
    looks, most = watched(app, running)
    seconds = time.perf_counter() - began
    live = Memory.objects.for_app(app).live().count()
    counted = App.objects.get(pk=app.pk).memory_count
    created = Revision.objects.for_app(app).filter(action="created").count()
    return Held(len(texts), limit, processes, seconds, looks, most, live, counted, created)


def started(work: Callable[[], None]) -> int:
    """Start the process of this number."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return pid


def write(app: App, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), BATCH):
        candidates = [Candidate(content=text, category="work") for text in texts[start : start + BATCH]]
        store(app, candidates)


def store(app: App, candidates: Sequence[Candidate]) -> None:
    """Again if the database was kept by others for longer than is waited for; then nothing of it was stored."""
    while True:
        try:
            remember(app, candidates, EMBEDDER, f"agent:{os.getpid()}", timezone.now(), dedupe=False)
            return
        except OperationalError as error:
            if "locked" not in str(error):
                raise


def watched(app: App, running: list[int]) -> tuple[int, int]:
    """(how often it was looked, the most that was seen) until all processes are done. SystemExit if one fails."""
    looks = most = 0
    while running:
        most, looks = max(most, Memory.objects.for_app(app).live().count()), looks + 1
        for pid in list(running):
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                running.remove(pid)
                if code:
                    raise SystemExit("A process that wrote has failed.")
        time.sleep(LOOK_EVERY_SECONDS)
    return looks, most


def render(stored: Held, facts: str) -> str:
    text = (
        f"{stored.memories:,} memories into an app that may hold {stored.limit:,}, by {stored.processes} processes at "
        f"once, {BATCH} at a time, while another one counts. What makes room is archived and can be restored."
    )
    head = ["", "most seen", "in the end", "the app's count", "written", "looks", "seconds", "held"]
    row = [
        f"limit {stored.limit:,}", f"{stored.most:,}", f"{stored.live:,}", f"{stored.counted:,}", f"{stored.created:,}",
        f"{stored.looks:,}", f"{stored.seconds:.0f}", "yes" if stored.is_exact else "NO",
    ]  # fmt: skip
    return "\n\n".join([f"Measured {facts}", text, table(head, [row])])


if __name__ == "__main__":
    main()

"""How near an import of facts comes to the pace of its embedder: "Import" of bench/results/performance.md.

.venv/bin/python -m bench.import_pace [--data ../shared/bench] [--size 100000]
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import cycle, islice

from django.utils import timezone

from bench.conversations import make_app, read_conversations
from bench.options import add_data, make_database, parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.porting import Step, cells, measure
from memories.import_export.staging import MOST_LINES
from memories.models import Import, ImportStatus, Vector
from memories.providers.embeddings import Embedder, EmbedderSettings, make_embedder
from memories.services import MemoryAgent
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App

GOAL = 0.9
"""Of the embedder's own pace."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Of so many texts of `characters` on average: embedded by the embedder alone, in two halves; and imported."""

    size: int
    characters: float
    halves: tuple[Step, Step]
    imported: Step

    @property
    def alone_seconds(self) -> float:
        return sum(half.seconds for half in self.halves)

    @property
    def share(self) -> float:
        return self.alone_seconds / self.imported.seconds


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    options.add_argument("--size", type=int, default=100_000, help="facts in the file")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    page = [item.content for conversation in read_conversations(given.data, given.limit) for item in conversation.items]
    embedder = make_embedder(EmbedderSettings("minilm"))
    embedder.embed_query("It is loaded now")
    body = render(take_pace(list(islice(cycle(page), given.size)), embedder), facts)
    write_section("Import", body, PERFORMANCE)
    print(body)


def take_pace(texts: Sequence[str], embedder: Embedder) -> Pace:
    """In turns: half of them alone, the import, the other half."""
    middle = len(texts) // 2
    app = make_app("imported")
    app.policy.memory_limit = len(texts)
    app.policy.max_characters = max(map(len, texts))
    app.policy.save()
    file = file_of(texts)
    first = measure(lambda: embed(texts[:middle], embedder))
    imported = measure(lambda: take_in(file, app, embedder))
    second = measure(lambda: embed(texts[middle:], embedder))
    check(app, len(texts))
    return Pace(len(texts), sum(map(len, texts)) / len(texts), (first, second), imported)


def file_of(texts: Sequence[str]) -> BytesIO:
    facts = [
        {"id": f"fact-{number}", "memory": text, "user_id": "ann", "categories": ["said"], "metadata": {"turn": number}}
        for number, text in enumerate(texts)
    ]
    return BytesIO(json.dumps(facts).encode())


def embed(texts: Sequence[str], embedder: Embedder) -> None:
    """As many at once as a part of an import has."""
    for start in range(0, len(texts), MOST_LINES):
        embedder.embed_documents(texts[start : start + MOST_LINES])


def take_in(file: BytesIO, app: App, embedder: Embedder) -> None:
    """Read the file, and do all that a worker does then."""
    agent = MemoryAgent(app, None, "bench", embedder)
    agent.begin_import(file, "mem0")
    agent.carry_on_imports(Unclaimed(until=timezone.now()))


def check(app: App, size: int) -> None:
    row = Import.objects.for_app(app).get()
    withheld = row.counts["memory"]["new"] - Vector.objects.for_app(app).count()
    assert (row.status, row.counts["memory"]["new"]) == (ImportStatus.DONE, size), "all of it is taken in"
    assert withheld <= size / 100, "all but what waits for a person has its vector"


def render(pace: Pace, facts: str) -> str:
    first, second = pace.halves
    rows = [
        ["embedder alone, first half", *paces(pace.size // 2, first)],
        ["import, whole", *paces(pace.size, pace.imported)],
        ["embedder alone, second half", *paces(pace.size - pace.size // 2, second)],
    ]
    text = (
        f"A file of {pace.size:,} facts, taken in by an empty app on SQLite with all-MiniLM-L6-v2 in the process: from "
        f"the first byte read until all are stored with their vectors. Beside it the same texts, embedded {MOST_LINES} "
        f"at once and nothing else, half of them before the import and half after it. They are turns of real "
        f"conversations, again and again: {pace.characters:.0f} characters on average. Seconds are wall clock / "
        f"processor."
    )
    verdict = (
        f"The import runs at **{pace.share:.0%}** of the embedder's own pace "
        f"(goal: {GOAL:.0%}, {'met' if pace.share >= GOAL else 'missed'})."
    )
    return "\n\n".join(
        [f"Measured {facts}", text, table(["", "texts", "seconds", "MB more", "a second"], rows), verdict]
    )


def paces(count: int, step: Step) -> list[str]:
    return [f"{count:,}", *cells(step), f"{count / step.seconds:.1f}"]


if __name__ == "__main__":
    main()

"""Apps that have something to do at night: many memories, and some that say again what another says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from bench.conversations import make_app
from bench.progress import progress
from bench.synthetic import VOCABULARY, texts_of
from memories.models import Action, Memory, Revision, Vector
from memories.models.vector import embedded_text, to_bytes
from memories.providers.embeddings import Embedder
from memories.store.revisions import revision_of
from memsite.tenancy.models import App

SEED = 0
AGAIN = 0.1
"""Of all memories, so many say again what one before said."""
MERGE_GROUPS, TEXT_WORDS = 500, 10
AT_ONCE = 1_000
Said = tuple[str, str | None]
"""A text, and what it is about."""


def varied(count: int, subjects: int) -> list[Said]:
    """Statements that have little in common, and a tenth of them again, in other words."""
    luck = random.Random(SEED)  # noqa: S311
    names = VOCABULARY[-subjects:] if subjects else [None]
    texts = texts_of(count, TEXT_WORDS, SEED, skipped=100)
    statements: list[Said] = []
    for text in texts:
        again = statements and luck.random() < AGAIN
        statements.append(
            again_in_other_words(*luck.choice(statements)) if again else (f"The {text}", luck.choice(names))
        )
    return statements


def again_in_other_words(text: str, subject: str | None) -> Said:
    return f"It is known that {text[0].lower()}{text[1:]}.", subject


def written_by_a_machine(count: int, subjects: int) -> list[Said]:
    """One sentence again and again, with another number and place each time: alike, and never the same."""
    names = VOCABULARY[-subjects:] if subjects else [None]
    sentence = "A deploy of the payment service to the production cluster took {} seconds on node {} last night"
    return [
        (sentence.format(number % 97 + 3, VOCABULARY[number % 1000]), names[number % len(names)])
        for number in range(count)
    ]


def fill(name: str, statements: Sequence[Said], embedder: Embedder, moment: datetime, app: App | None = None) -> App:
    """Insert the rows that the store would write, many at once: writing is measured elsewhere."""
    app = app or make_app(name)
    for start in progress(range(0, len(statements), AT_ONCE), f"{name}: {AT_ONCE} memories"):
        with transaction.atomic():
            insert(
                app, statements[start : start + AT_ONCE], embedder, moment - timedelta(seconds=len(statements) - start)
            )
    return app


def insert(app: App, statements: Sequence[Said], embedder: Embedder, moment: datetime) -> None:
    rows = Memory.objects.bulk_create(rows_of(app, statements, moment))
    vectors = embedder.embed_documents([embedded_text(row.content, row.subject) for row in rows])
    Vector.objects.bulk_create(
        Vector(app=app, memory=row, model=embedder.name, dim=embedder.dim, data=to_bytes(vector))
        for row, vector in zip(rows, vectors, strict=True)
    )
    Revision.objects.bulk_create(revision_of(row, Action.CREATED, {}, "bench", "", moment) for row in rows)
    App.objects.filter(pk=app.pk).update(memory_count=Memory.objects.for_app(app).live().count(), change_number=1)


def rows_of(app: App, statements: Sequence[Said], instant: datetime) -> Iterator[Memory]:
    for number, (text, subject) in enumerate(statements):
        moment = instant + timedelta(milliseconds=number)
        yield Memory(
            app=app, content=text, subject=subject, category="work", confidence_base=0.7, anchored_at=moment,
            created_at=moment, updated_at=moment, confirmed_at=moment, change_number=1,
        )  # fmt: skip


KINDS: dict[str, tuple[Callable[[int, int], list[Said]], int]] = {
    f"varied texts in {MERGE_GROUPS} drawers": (varied, MERGE_GROUPS),
    "varied texts in one drawer": (varied, 0),
    f"one machine's sentences in {MERGE_GROUPS} drawers": (written_by_a_machine, MERGE_GROUPS),
    "one machine's sentences in one drawer": (written_by_a_machine, 0),
}

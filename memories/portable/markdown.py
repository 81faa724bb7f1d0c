"""What an app knows, for people: a zip file with one page in Markdown per category, and one with the lessons."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from itertools import groupby
from typing import IO

from memories.models import GENERAL, Kind, Memory
from memories.models.memory import MemoryQuerySet
from memsite.db.transactions import snapshot
from memsite.ops.files import without_name
from memsite.tenancy.models import App

BATCH = 500
LESSONS = "lessons"
# Zip files tell when each file was made; ours tell what is in them, and the same is the same.
NO_DATE = (1980, 1, 1, 0, 0, 0)


def written(app: App, user_id: str | None) -> IO[bytes]:
    """The zip file, at its beginning; of what is active. With a user: what is known of them, and nothing else.

    It is gone when it is closed.
    """
    file: IO[bytes] = without_name()
    try:
        with snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, rows in pages(app, user_id):
                with archive.open(zipfile.ZipInfo(f"{app.app_id}/{name}.md", NO_DATE), "w") as page:
                    page.writelines(text.encode() for text in page_of(name, rows))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def pages(app: App, user_id: str | None) -> Iterator[tuple[str, MemoryQuerySet]]:
    known = Memory.objects.for_app(app).active()
    known = known if user_id is None else known.filter(user_id=user_id)
    facts, lessons = known.exclude(kind=Kind.LESSON), known.lessons()
    if lessons.exists():
        yield LESSONS, lessons
    for name in facts.order_by("category").values_list("category", flat=True).distinct():
        # A category may have the name of the page of lessons.
        yield f"category-{name}" if name == LESSONS else name, facts.filter(category=name)


def page_of(name: str, rows: MemoryQuerySet) -> Iterator[str]:
    yield f"---\ncategory: {name}\nmemories: {rows.count()}\n---\n\n# {name}\n"
    for subject, group in groupby(in_order(rows), key=lambda memory: memory.subject or ""):
        yield f"\n## {one_line(subject or GENERAL)}\n\n"
        yield from map(item, group)


def in_order(rows: MemoryQuerySet) -> Iterator[Memory]:
    """By subject, the oldest first, and those about nothing in particular last."""
    subjects = list(rows.order_by("subject").values_list("subject", flat=True).distinct())
    for subject in [*filter(None, subjects), *([None] if None in subjects else [])]:
        after = 0
        while batch := list(rows.filter(subject=subject, pk__gt=after).order_by("pk")[:BATCH]):
            after = batch[-1].pk
            yield from batch


def item(memory: Memory) -> str:
    text = memory.text.replace("\n", "\n  ")
    told = [f"confidence {memory.confidence:.1f}", f"since {memory.created_at:%Y-%m-%d}"]
    told += [f"user {memory.user_id}"] if memory.user_id else []
    tags = " ".join(f"#{one_line(tag).replace(' ', '-')}" for tag in memory.tags)
    return f"- {text} ({', '.join(map(one_line, told))}){f' {tags}' if tags else ''}\n"


def one_line(text: str) -> str:
    return " ".join(text.split())

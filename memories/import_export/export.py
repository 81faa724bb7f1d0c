"""An app → its file.

NDJSON, the header first, then row after row in the order in which they came to be, the end last, with the server's
signature over all of it.

The same app gives the same bytes, here and wherever it was imported.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import IO, Any

import orjson

from memories.import_export import TABLES, VECTORS, Line, Table
from memories.import_export.files import CHUNK_BYTES, Seal, Seen
from memories.import_export.files import FIELD as SIGNATURE
from memories.models import GENERAL, Forgotten, Kind, Memory, Purge
from memories.models.memory import MemoryQuerySet
from memsite.db.expressions import settled
from memsite.db.transactions import snapshot
from memsite.http.json_body import plain
from memsite.ops.files import without_name
from memsite.tenancy.models import App
from memsite.tenancy.policy import POLICY_FIELDS

FORMAT, VERSION = "memsite", 1
HEADER, POLICY, END = "header", "policy", "end"
BATCH = 500
TRIES = 3
OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE
LESSONS = "lessons"
# Zip files tell when each file was made; ours tell what is in them, and the same is the same.
NO_DATE = (1980, 1, 1, 0, 0, 0)


class StillPurging(Exception):
    """Whenever it was written, something was deleted for good meanwhile."""


def exported(app: App, *, user_id: str | None = None, vectors: bool = False) -> IO[bytes]:
    """Return the file, at its beginning; of one end user, with what they said and what is known of them.

    It lies on the disk without a name, and is gone when it is closed. It holds nothing that was deleted for good before
    it was complete: it is written again then. Raises StillPurging if that does not help.
    """
    for _ in range(TRIES):
        before = last_purge(app)
        with without_name() as body:
            with snapshot():
                counts = write_rows(app, user_id, vectors, body)
            if last_purge(app) == before:
                header = {
                    "type": HEADER,
                    "format": FORMAT,
                    "version": VERSION,
                    "app_id": app.app_id,
                    "user_id": user_id,
                    "counts": dict(counts),
                }
                return complete(header, body)
    raise StillPurging


def complete(header: Line, body: IO[bytes]) -> IO[bytes]:
    file: IO[bytes] = without_name()
    seal = Seal(header)
    try:
        file.write(encode(header))
        body.seek(0)
        while chunk := body.read(CHUNK_BYTES):
            seal.add(chunk)
            file.write(chunk)
        file.write(encode({"type": END, "lines": sum(header["counts"].values()), SIGNATURE: seal.signature()}))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def last_purge(app: App) -> tuple[Any, Any]:
    """Return a value that differs after each deletion for good."""
    purges = Purge.objects.for_app(app).order_by("-uid").values_list("uid", flat=True)
    return purges.first(), Forgotten.objects.for_app(app).order_by("-pk").values_list("pk", flat=True).first()


def write_rows(app: App, user_id: str | None, vectors: bool, body: IO[bytes]) -> Counter[str]:
    counts: Counter[str] = Counter()
    if user_id is None:
        fresh = App.objects.select_related("policy").get(pk=app.pk)
        values = {name: getattr(fresh.policy, name) for name in POLICY_FIELDS}
        values["time_zone"] = str(fresh.policy.time_zone)
        body.write(encode({"type": POLICY, "name": fresh.name, "preset": fresh.preset, **values}))
        counts[POLICY] += 1
    with Seen() as seen:
        for table in TABLES:
            if table.name == VECTORS and not vectors:
                continue
            for line in lines_of(table, app, user_id, seen):
                body.write(encode(line))
                counts[table.name] += 1
    return counts


def lines_of(table: Table, app: App, user_id: str | None, seen: Seen) -> Iterator[Line]:
    """Yield a table's lines. What names a row that is not in the file is told without that, or not at all."""
    rows, after = table.rows(app, user_id).order_by("pk"), 0
    fields, paths = ("pk", *table.paths), ("pk", *table.paths.values())
    while batch := list(rows.filter(pk__gt=after).values_list(*paths)[:BATCH]):
        after = batch[-1][0]
        for row in batch:
            values = dict(zip(fields[1:], row[1:], strict=True))
            if not (table.is_told(values) and drop_absent(table, values, seen)):
                continue
            line = table.line_of(values)
            if name := table.name_of(line):
                seen.add(table.name, name)
            yield line


def drop_absent(table: Table, values: Line, seen: Seen) -> bool:
    """Empty references to what is not in the file; False if the row is nothing without one."""
    for ref in table.refs:
        name = values[ref.field]
        if name is None or not seen.has(ref.table, str(name)):
            if ref.is_required:
                return False
            values[ref.field] = None
    return True


def encode(line: Line) -> bytes:
    """Encode a line. Objects within a value are sorted, and numbers settled: databases keep them in different ways."""
    fields = dict(line)
    for name, value in line.items():
        if isinstance(value, dict | list):
            fields[name] = orjson.Fragment(orjson.dumps(settled(value), option=orjson.OPT_SORT_KEYS))
    return orjson.dumps(fields, option=OPTIONS, default=plain)


def exported_pages(app: App, user_id: str | None) -> IO[bytes]:
    """Return the zip file, at its beginning; of what is active. With a user: what is known of them, and nothing else.

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
    for subject, group in groupby(by_subject(rows), key=lambda memory: memory.subject or ""):
        yield f"\n## {one_line(subject or GENERAL)}\n\n"
        yield from map(list_item, group)


def by_subject(rows: MemoryQuerySet) -> Iterator[Memory]:
    """Yield memories by subject, the oldest first, and those about nothing in particular last."""
    subjects = list(rows.order_by("subject").values_list("subject", flat=True).distinct())
    for subject in [*filter(None, subjects), *([None] if None in subjects else [])]:
        after = 0
        while batch := list(rows.filter(subject=subject, pk__gt=after).order_by("pk")[:BATCH]):
            after = batch[-1].pk
            yield from batch


def list_item(memory: Memory) -> str:
    text = memory.text.replace("\n", "\n  ")
    about = [f"confidence {memory.confidence:.1f}", f"since {memory.created_at:%Y-%m-%d}"]
    about += [f"user {memory.user_id}"] if memory.user_id else []
    tags = " ".join(f"#{one_line(tag).replace(' ', '-')}" for tag in memory.tags)
    return f"- {text} ({', '.join(map(one_line, about))}){f' {tags}' if tags else ''}\n"


def one_line(text: str) -> str:
    return " ".join(text.split())

"""A file → parts in the database, once all of it was looked at: taken in by whoever comes, some lines at a time.

Nothing of a file in which anything is wrong is kept. What is kept is worked off however often a worker ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.import_export import BY_NAME, Line
from memories.import_export.files import CONVERSATION, FACT, moment
from memories.import_export.restore import KNOWN, LEFT_OUT, NEW, WITHHELD, key_of, known_keys, noted
from memories.models import Import, ImportPart, ImportStatus, Memory, Purge
from memories.models.operations import packed
from memories.store import Candidate
from memsite.db.transactions import portions
from memsite.tenancy.models import Agent, App, AppStatus
from memsite.tenancy.origin import Origin
from memsite.tenancy.purge_residue import note_residue
from sessions.models import AgentSession, Resource, SessionStatus
from sessions.recording import Said, source_key

END_REASON = "imported"
MOST_LINES, MOST_BYTES = 500, 1024 * 1024
Free = Callable[[Sequence[Candidate]], Sequence[Candidate]]


def session_for(row: Import, agent: Agent, line: Line, now: datetime) -> tuple[AgentSession, bool]:
    """Return the session of a conversation, ended when the last was said; whether it is new."""
    times = [said_at for message in line["messages"] if (said_at := moment(message["at"]))]
    began, ended = min(times, default=now), max(times, default=now)
    session, is_new = AgentSession.objects.for_app(row.app).get_or_create(
        agent=agent,
        external_id=line["id"],
        defaults={
            "app": row.app,
            "title": line["title"],
            "user_id": line["user_id"] or row.user_id,
            "environment": {"client": row.source, "import": str(row.uid)},
            "status": SessionStatus.ENDED,
            "end_reason": END_REASON,
            "started_at": began,
            "heartbeat_at": ended,
            "ended_at": ended,
        },
    )
    session.app, session.agent = row.app, agent
    return session, is_new


def said_in(line: Line) -> list[Said]:
    return [
        Said(
            message["role"],
            message["content"],
            source_key(message["id"], text=message["content"]),
            moment(message["at"]),
        )
        for message in line["messages"]
    ]


def candidates_of(row: Import, lines: Iterable[Line], known: set[str]) -> list[Candidate]:
    """Return candidates of what is not known yet and not longer than the app allows."""
    return [
        Candidate(
            content=line["content"],
            origin=Origin.AGENT,
            category=line["category"],
            tags=line["tags"],
            user_id=line["user_id"] or row.user_id,
            metadata=line["metadata"],
            external_id=line["id"],
            valid_until=moment(line["valid_until"]),
        )
        for line in {line["id"]: line for line in lines}.values()
        if line["id"] not in known and len(line["content"]) <= row.app.policy.max_characters
    ]


class CannotImport(Exception):
    """Not now, or not into this app; the text says why."""


class UnderWay(CannotImport):
    """Another import into this app is not at its end, whoever is at it; or nobody is any more."""


def check_app(app: App) -> None:
    """Raise CannotImport."""
    app.refresh_from_db(fields=["status"])
    if app.status != AppStatus.ACTIVE:
        raise CannotImport("The app is uninstalled: install it first.")
    if Purge.objects.for_app(app).open().exists():
        raise CannotImport("Something of this app is still being deleted: import when that is done.")
    refuse_another(app)


def refuse_another(app: App) -> None:
    """Raise UnderWay."""
    if Import.objects.for_app(app).open().exists():
        raise UnderWay("Another import into this app is under way.")


def stage(row: Import, lines: Iterable[Line]) -> None:
    """Keep all of them, or raise BadFile or CannotImport and keep nothing. `row` is new and reading."""
    try:
        for part in parts_of(lines):
            with transaction.atomic():
                ImportPart.objects.create(app=row.app, of=row, lines=len(part), data=packed(part))
                Import.objects.for_app(row.app).filter(pk=row.pk).update(lines=F("lines") + len(part))
        begin(row)
    except BaseException:
        with transaction.atomic():
            Import.objects.for_app(row.app).filter(pk=row.pk).delete()
            note_residue(row.app_id)
        raise
    row.refresh_from_db()


@transaction.atomic
def begin(row: Import) -> None:
    """Begin an import: what comes into the app from now on, until its end, comes from it.

    Of two that were read at the same time, one has to come again. Raises CannotImport.
    """
    App.objects.select_for_update(no_key=True).get(pk=row.app_id)
    refuse_another(row.app)
    reading = Import.objects.for_app(row.app).filter(pk=row.pk, status=ImportStatus.READING)
    about = {"is_fresh": holds_nothing(row.app), "created_at": timezone.now()}
    if not reading.update(status=ImportStatus.WAITING, **about):
        raise CannotImport("Something was deleted for good while the file was read: import it again.")


def parts_of(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield lines of one type together, in their order."""
    for _, alike in groupby(lines, lambda line: line["type"]):
        yield from portions(alike, MOST_LINES, MOST_BYTES, rough_size)


def rough_size(line: Line) -> int:
    return sum(len(value) if isinstance(value, str) else 100 for value in line.values()) + 200 * len(
        line.get("messages", ())
    )


def holds_nothing(app: App) -> bool:
    everything = (Memory.objects.for_app(app), AgentSession.objects.for_app(app), Resource.objects.for_app(app))
    return not any(rows.exists() for rows in everything)


# --- what a file would bring


def survey(app: App, lines: Iterable[Line], free: Free) -> dict[str, dict[str, int]]:
    """Return how much of it is new to the app, by type. Keeps nothing; raises BadFile.

    `free` says which facts need no person to decide about them.
    """
    counts: dict[str, Counter[str]] = {}
    for part in parts_of(lines):
        for name, count in counted(app, part, free):
            counts.setdefault(name, Counter()).update(count)
    return {name: dict(count) for name, count in counts.items()}


def counted(app: App, part: list[Line], free: Free) -> Iterator[tuple[str, dict[str, int]]]:
    kind = part[0]["type"]
    if kind == CONVERSATION:
        yield "message", message_counts(app, part)
    elif kind == FACT:
        stored = known_facts(app, part)
        known = sum(line["id"] in stored for line in part)
        new = len(free(candidates_of(Import(app=app), part, stored)))
        notes = noted(line for line in part if line["id"] not in stored)
        yield "memory", {NEW: new, KNOWN: known, LEFT_OUT: len(part) - known - new} | notes
    elif kind in BY_NAME:
        table = BY_NAME[kind]
        keys = known_keys(table, app, part)
        unknown = [line for line in part if key_of(table, line) not in keys]
        withheld = sum(WITHHELD in line for line in unknown)
        counts = {NEW: len(unknown) - withheld, KNOWN: len(part) - len(unknown)} | noted(unknown)
        yield kind, counts | ({LEFT_OUT: withheld} if withheld else {})
    else:
        # The policy, which only an app that holds nothing takes over.
        yield kind, {NEW if holds_nothing(app) else LEFT_OUT: len(part)}


def message_counts(app: App, part: list[Line]) -> dict[str, int]:
    known, all_ = 0, 0
    for line in part:
        keys = [source_key(message["id"], text=message["content"]) for message in line["messages"]]
        stored = Resource.objects.for_app(app).filter(session__external_id=line["id"], source_key__in=keys)
        known += stored.values("source_key").distinct().count()
        all_ += len(line["messages"])
    return {NEW: all_ - known, KNOWN: known}


def known_facts(app: App, part: list[Line]) -> set[str]:
    rows = Memory.objects.for_app(app).filter(external_id__in=[line["id"] for line in part])
    return {name for name in rows.values_list("external_id", flat=True) if name}

"""The rows of a file → an app. What the app has already stays as it is there, so that twice is once."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.import_export import BY_NAME, Line, Table
from memories.import_export.export import POLICY
from memories.language.surface import kept_look
from memories.models import LIVE, ColdText, Document, Extraction, Memory, Revision, Source, Status, Vector, What
from memories.models.memory import pack, subject_of
from memories.store import Writer
from memories.store.revisions import snapshot, summaries_touched
from memsite.tenancy.audit import note_change
from memsite.tenancy.models import App, AppPolicy
from memsite.tenancy.policy import POLICY_FIELDS
from sessions.models import AgentSession, Resource

NEW, KNOWN, LEFT_OUT = "new", "known", "left_out"
REDACTED, UNTRUSTED, WITHHELD = "redacted", "untrusted", "withheld"
"""Notes on a line, beside its fields, and counts of what is new: a secret was taken out; the file was not believed in
who said it or has reviewed it; [kind of rejection, reason], a person has to decide about it, or it is left out."""
Names = dict[str, dict[str, int]]
"""Field of a reference → name → pk."""
WRITTEN_ANEW = ("summary", "passage", "summary_due")
"""Written from memories: an app that has its own keeps them."""


def restore(write: Writer, lines: Sequence[Line], *, is_fresh: bool) -> Counter[str]:
    """Store rows of one type, checked before. `is_fresh`: the app held nothing when the import began."""
    name = lines[0]["type"]
    if name == POLICY:
        return restore_policy(write, lines[0], is_fresh)
    table = BY_NAME[name]
    is_believed = not any(line.get(UNTRUSTED) for line in lines)
    if name in WRITTEN_ANEW and not (is_fresh and is_believed):
        return Counter({LEFT_OUT: len(lines)})
    known = known_keys(table, write.app, lines)
    new = [line for line in lines if key_of(table, line) not in known]
    names = pks_of(table, write.app, new)
    rows = [row for line in new if (row := row_of(table, write.app, line, names))]
    fitting = FITTING[name](write.app, rows) if name in FITTING else rows
    insert(write, table, fitting, new, is_fresh and is_believed)
    counts = Counter({NEW: len(fitting), KNOWN: len(lines) - len(new), LEFT_OUT: len(new) - len(fitting)})
    return +(counts + noted(new))


def noted(lines: Iterable[Line]) -> Counter[str]:
    return Counter(name for line in lines for name in (REDACTED, UNTRUSTED, WITHHELD) if line.get(name))


def restore_policy(write: Writer, line: Line, is_fresh: bool) -> Counter[str]:
    """Take the policy over into an app that holds nothing yet."""
    if not is_fresh:
        return Counter({LEFT_OUT: 1})
    app, policy = write.app, write.app.policy
    before = {name: getattr(policy, name) for name in POLICY_FIELDS}
    for name in POLICY_FIELDS:
        column: Any = AppPolicy._meta.get_field(name)
        setattr(policy, name, column.to_python(line[name]))
    policy.clean()
    policy.save()
    App.objects.filter(pk=app.pk).update(name=line["name"], preset=line["preset"])
    after = {name: getattr(policy, name) for name in POLICY_FIELDS}
    note_change(write.actor, app, "policy changed", app.app_id, before, after)
    return Counter({NEW: 1}) + noted([line])


def known_keys(table: Table, app: App, lines: Iterable[Line]) -> set[tuple[Any, ...]]:
    """Return the keys, of these lines, of rows that the app has."""
    first = table.key[0]
    wanted = {line[first] for line in lines}
    paths = [table.paths[name] for name in table.key]
    rows = table.rows(app, None).filter(**{f"{paths[0]}__in": wanted}).order_by().values_list(*paths)
    return {tuple(map(plain, row)) for row in rows}


def key_of(table: Table, line: Line) -> tuple[Any, ...]:
    """Return a line's key, with times as the database tells them."""
    is_time = {name for name in table.key if name in table.columns and name.endswith("_at")}
    return tuple(
        plain(table.column(name).to_python(line[name])) if name in is_time else line[name] for name in table.key
    )


def plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID | datetime) else value


def pks_of(table: Table, app: App, lines: Sequence[Line]) -> Names:
    names: Names = {}
    for ref in table.refs:
        target = BY_NAME[ref.table]
        wanted = {line[ref.field] for line in lines if line[ref.field] is not None}
        rows = target.rows(app, None).filter(**{f"{target.name_field}__in": wanted}).order_by()
        names[ref.field] = {str(name): pk for name, pk in rows.values_list(target.name_field, "pk")} if wanted else {}
    return names


def row_of(table: Table, app: App, line: Line, names: Names) -> Any:
    """Return the unsaved row; None if it is nothing without a row that the app does not have."""
    values = {name: table.column(name).to_python(line[name]) for name in table.columns if name != "data"}
    if table.has_id:
        values["uid"] = UUID(line["uid"])
    for ref in table.refs:
        named = line[ref.field]
        pk = names[ref.field].get(named) if named is not None else None
        if pk is None and ref.is_required:
            return None
        values[f"{ref.field}_id"] = pk
    if "data" in table.columns:
        values["data"] = b64decode(line["data"])
    return table.model(app=app, **values)


def insert(write: Writer, table: Table, rows: Sequence[Any], lines: Sequence[Line], is_fresh: bool) -> None:
    if table.model is Memory:
        cold = {UUID(line["uid"]): line["was"] for line in lines if line["was"]}
        # Memories stay as they were elsewhere: with their times, versions and confidences, and no revision of ours.
        # `cold` says of those in the cold archive what they were before. A fresh app gets their summaries with them;
        # otherwise these are due to be written. Two statements.
        for memory in rows:
            if write.policy.capture_summaries and not is_fresh:
                write.summaries_due += summaries_touched({}, snapshot(memory))
            memory.change_number = write.change_number
            memory.subject = subject_of(memory.subject)
            memory.look = kept_look(memory.content, memory.subject, memory.kind)
        texts = {memory.uid: memory.content for memory in rows if memory.status == Status.COLD}
        for memory in rows:
            memory.content = "" if memory.uid in texts else memory.content
        Memory.objects.bulk_create(rows)
        ColdText.objects.bulk_create(
            ColdText(app=write.app, memory=memory, data=pack(texts[memory.uid]), was=cold[memory.uid])
            for memory in rows
            if memory.uid in texts
        )
        write.count += sum(memory.status in LIVE for memory in rows)
    else:
        table.model.objects.bulk_create(rows)  # type: ignore[attr-defined]  # each is scoped
        if table.model is Vector:
            write.keep_near(rows)
            # An index that was read since the memories came has them without vectors.
            embedded = Memory.objects.for_app(write.app).filter(pk__in=[row.memory_id for row in rows])
            embedded.update(change_number=write.change_number)


# --- what fits into an app that holds something already


def fitting_sessions(app: App, rows: list[AgentSession]) -> list[AgentSession]:
    """Return the sessions; one whose name its agent has given to another by now goes without."""
    named = {row.external_id for row in rows if row.external_id}
    taken = set(AgentSession.objects.for_app(app).filter(external_id__in=named).values_list("agent_id", "external_id"))
    for row in rows:
        if (row.agent_id, row.external_id) in taken:
            row.external_id = None
    return rows


def fitting_resources(app: App, rows: list[Resource]) -> list[Resource]:
    """Return the texts that their sessions do not have yet."""
    sessions = {row.session_id for row in rows if row.source_key}
    stored = Resource.objects.for_app(app).filter(session__in=sessions, source_key__isnull=False)
    taken = set(stored.values_list("session_id", "source_key"))
    return [row for row in rows if (row.session_id, row.source_key) not in taken]


def fitting_documents(app: App, rows: list[Document]) -> list[Document]:
    """Return the documents; one whose name by its uploader another has by now goes without."""
    named = {row.external_id for row in rows if row.external_id}
    taken = set(Document.objects.for_app(app).filter(external_id__in=named).values_list("external_id", flat=True))
    for row in rows:
        row.external_id = None if row.external_id in taken else row.external_id
    return rows


def fitting_memories(app: App, rows: list[Memory]) -> list[Memory]:
    """Return the memories, and of passages those that the app's documents were read as."""
    names = {row.external_id for row in rows if row.external_id and is_passage(row)}
    documents = Document.objects.for_app(app).defer("data").filter(uid__in=names)
    known = {(str(row.uid), row.edition) for row in documents}
    return [row for row in rows if not is_passage(row) or (row.external_id, row.metadata.get("edition")) in known]


def is_passage(memory: Memory) -> bool:
    return Source.DOCUMENT in (memory.source, memory.status)


def fitting_revisions(app: App, rows: list[Revision]) -> list[Revision]:
    """Return the revisions up to the version at which the app has the memory."""
    pks = {row.memory_id for row in rows}
    versions = dict(Memory.objects.for_app(app).filter(pk__in=pks).values_list("pk", "version"))
    return [row for row in rows if row.number <= versions.get(row.memory_id, 0)]


def fitting_extractions(app: App, rows: list[Extraction]) -> list[Extraction]:
    """Return the work that is not there yet: a text is read once, and a session digested once."""
    stored = Extraction.objects.for_app(app)
    texts = set(stored.filter(resource__in=[row.resource_id for row in rows]).values_list("resource_id", flat=True))
    digests = stored.filter(what=What.DIGEST, session__in=[row.session_id for row in rows])
    digested = set(digests.values_list("session_id", flat=True))
    return [
        row
        for row in rows
        if (row.resource_id not in texts if row.what == What.FACTS else row.session_id not in digested)
        and (row.what == What.DIGEST or row.resource_id is not None)
    ]


def fitting_vectors(app: App, rows: list[Vector]) -> list[Vector]:
    """Return the vectors of the one length that a model has in the app; what is left out is embedded here."""
    stored = Vector.objects.for_app(app).order_by("memory_id")
    dims = {row.model: row.dim for row in reversed(rows)}
    for model in dims:
        dims[model] = stored.filter(model=model).values_list("dim", flat=True).first() or dims[model]
    return [row for row in rows if row.dim == dims[row.model]]


FITTING: Mapping[str, Callable[[App, list[Any]], list[Any]]] = {
    "session": fitting_sessions,
    "resource": fitting_resources,
    "document": fitting_documents,
    "memory": fitting_memories,
    "revision": fitting_revisions,
    "extraction": fitting_extractions,
    "vector": fitting_vectors,
}

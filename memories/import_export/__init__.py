"""Leaving and coming from elsewhere: an app as a file, and other systems' files as what is learnt from."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Model, Q, QuerySet

from memories.models import (
    Document,
    DocumentStatus,
    Entity,
    Extraction,
    ExtractionStatus,
    FutureTrigger,
    Injection,
    Link,
    Memory,
    Mention,
    Passage,
    Preload,
    Rejection,
    Revision,
    Source,
    Summary,
    SummaryDue,
    Vector,
)
from memories.models.memory import unpack
from memories.models.vector import read_vectors
from memsite.tenancy.models import Agent, App
from memsite.tenancy.origin import Origin
from sessions.models import AgentSession, Cooldown, Event, Resource, Role, Turn, role_named

Line = dict[str, Any]
NOT_READ_YET = "It was not read yet when the app was exported: upload it again."
MEMORY_COLUMNS = (
    "content", "kind", "category", "subject", "tags", "importance", "confidence", "confidence_base", "anchored_at",
    "decay_noted_at", "strength", "sentiment", "priority", "status", "pinned", "tier", "user_id", "visibility",
    "source", "origin", "reviewed_by", "reviewed_at", "made_by", "entities", "turn_number", "external_id", "metadata",
    "created_at", "updated_at", "confirmed_at", "accessed_at", "access_count", "valid_from", "valid_until", "version",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ref:
    """A field that names a row of another table, which stands earlier in the file."""

    field: str
    table: str
    is_required: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """`key` are the fields of a line by which its row is known again. `name_field` is what others name it by.

    `of_user` chooses what belongs to one end user; None: nothing of it does.
    """

    name: str
    model: type[Model]
    columns: tuple[str, ...]
    refs: tuple[Ref, ...] = ()
    key: tuple[str, ...] = ("uid",)
    name_field: str = "uid"
    of_user: Callable[[App, str], Q] | None = None
    more: tuple[str, ...] = field(default=(), kw_only=True)
    """Further paths that `line_of` needs."""
    later: Callable[[Line], Line] = field(default=lambda line: {}, kw_only=True)
    """The fields that older servers did not write, as a line without them means them."""
    mended: Callable[[Line], Line] = field(default=lambda line: {}, kw_only=True)
    """The fields that older servers wrote in a way that is not kept today, as it is now."""

    @property
    def has_id(self) -> bool:
        return any(column.name == "uid" for column in self.model._meta.concrete_fields)

    @cached_property
    def paths(self) -> dict[str, str]:
        """Return, by field of a line, where the row has it."""
        own = {"uid": "uid"} if self.has_id else {}
        named = {ref.field: f"{ref.field}__{BY_NAME[ref.table].name_field}" for ref in self.refs}
        return {**own, **{name: name for name in self.columns}, **named, **{path: path for path in self.more}}

    @property
    def line_fields(self) -> frozenset[str]:
        return frozenset(self.paths.keys() - set(self.more)) | {"type"}

    def column(self, name: str) -> Any:
        return self.model._meta.get_field(name)

    def rows(self, app: App, user_id: str | None) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model.objects.for_app(app)  # type: ignore[attr-defined]  # each is scoped
        if user_id is None:
            return rows
        return rows.filter(self.of_user(app, user_id)) if self.of_user else rows.none()

    def is_told(self, values: Mapping[str, Any]) -> bool:
        """Return whether the row is worth a line."""
        return True

    def line_of(self, values: Mapping[str, Any]) -> Line:
        return {"type": self.name, **values}

    def name_of(self, line: Line) -> str:
        """Return what other lines call this one; empty where none does."""
        return str(line[self.name_field]) if self.name_field != "uid" or self.has_id else ""


class MemoryTable(Table):
    """A memory of the cold archive tells its text, and `was`, its status before."""

    @property
    def line_fields(self) -> frozenset[str]:
        return super().line_fields | {"was"}

    def line_of(self, values: Mapping[str, Any]) -> Line:
        fields = {name: value for name, value in values.items() if name not in self.more}
        cold = values["cold_text__data"]
        text = unpack(bytes(cold)) if cold is not None else values["content"]
        return {"type": self.name, **fields, "content": text, "was": values["cold_text__was"]}


class ExtractionTable(Table):
    """Work that somebody is at is work to be done, elsewhere."""

    def line_of(self, values: Mapping[str, Any]) -> Line:
        running = values["status"] == ExtractionStatus.RUNNING
        return {"type": self.name, **values, **({"status": ExtractionStatus.PENDING} if running else {})}


class DocumentTable(Table):
    """A file that was not read yet is not told: whoever has it uploads it again."""

    def line_of(self, values: Mapping[str, Any]) -> Line:
        is_unread = values["status"] == DocumentStatus.WAITING
        unread = {"status": DocumentStatus.FAILED, "reason": NOT_READ_YET} if is_unread else {}
        return {"type": self.name, **values, **unread}


class VectorTable(Table):
    """`data` is base64 of little-endian float32. What cannot be read is made anew by whoever takes in the file."""

    def is_told(self, values: Mapping[str, Any]) -> bool:
        dim = values["dim"]
        return isinstance(dim, int) and bool(read_vectors([values["data"]], dim)[0].all())

    def line_of(self, values: Mapping[str, Any]) -> Line:
        return {"type": self.name, **values, "data": b64encode(bytes(values["data"])).decode()}


def said_by(app: App, user_id: str) -> Q:
    return Q(session__user_id=user_id)


def of_whom(app: App, user_id: str) -> Q:
    return Q(user_id=user_id)


def memories_of(app: App, user_id: str) -> Q:
    """Return a condition for memories about them, or learnt from what they said."""
    return Q(user_id=user_id) | Q(session__user_id=user_id) | Q(resource__session__user_id=user_id)


def of_memories(path: str = "memory") -> Callable[[App, str], Q]:
    def choose(app: App, user_id: str) -> Q:
        chosen = Memory.objects.for_app(app).filter(memories_of(app, user_id)).order_by()
        return Q(**{f"{path}__in": chosen.values("pk")})

    return choose


def events_of(app: App, user_id: str) -> Q:
    memories = Memory.objects.for_app(app).filter(memories_of(app, user_id)).order_by()
    return said_by(app, user_id) | Q(memory_uid__in=memories.values("uid"))


def entities_of(app: App, user_id: str) -> Q:
    named = Mention.objects.for_app(app).filter(of_memories()(app, user_id)).order_by()
    return Q(pk__in=named.values("entity"))


def agents_of(app: App, user_id: str) -> Q:
    theirs = AgentSession.objects.for_app(app).filter(user_id=user_id).order_by()
    return Q(pk__in=theirs.values("agent"))


def nobody_said(line: Line) -> Line:
    """Return whose words a memory takes over, where nobody has noted it: as far as the line alone tells."""
    origin = Origin.OPERATOR if line.get("source") == Source.OPERATOR else Origin.ASSISTANT
    return {"origin": origin.value, "reviewed_by": "", "reviewed_at": None}


def role_of_today(line: Line) -> Line:
    """Return a role of today: once any word was taken for one.

    What is none counts as a tool's, which is trusted least.
    """
    word = line.get("role")
    if not isinstance(word, str) or word in Role.values:
        return {}
    return {"role": (role_named(word) or Role.TOOL).value}


SESSION, MAYBE_SESSION = Ref("session", "session", is_required=True), Ref("session", "session")
RESOURCE, MEMORY = Ref("resource", "resource"), Ref("memory", "memory", is_required=True)
TABLES: tuple[Table, ...] = (
    Table(
        name="agent", model=Agent, columns=("name", "domain", "tier", "created_at", "deleted_at"), key=("name",),
        name_field="name", of_user=agents_of, later=lambda line: {"tier": None, "deleted_at": None},
    ),
    Table(
        name="session", model=AgentSession, refs=(Ref("agent", "agent", is_required=True),), of_user=of_whom,
        columns=(
            "external_id", "title", "tier", "user_id", "environment", "status", "end_reason", "started_at",
            "heartbeat_at", "ended_at", "shown_since",
        ),
        later=lambda line: {"shown_since": None},
    ),
    Table(
        name="turn", model=Turn, refs=(SESSION,), key=("session", "number"), of_user=said_by,
        columns=(
            "number", "user_input", "tool_calls", "llm_output", "internal_state", "fingerprint", "created_at",
        ),
    ),
    Table(
        name="resource", model=Resource, refs=(MAYBE_SESSION,), of_user=said_by,
        columns=(
            "turn_number", "role", "speaker", "raw_content", "content_type", "content_at", "utc_offset", "source_key",
            "created_at",
        ),
        mended=role_of_today, later=lambda line: {"speaker": "", "utc_offset": None},
    ),
    Table(
        name="event", model=Event, refs=(MAYBE_SESSION,), of_user=events_of,
        columns=("turn_number", "level", "service", "message", "memory_uid", "created_at"),
    ),
    Table(
        name="cooldown", model=Cooldown, refs=(Ref("agent", "agent", is_required=True), MAYBE_SESSION),
        key=("service", "action"), columns=("action", "service", "until", "reason", "created_at"), of_user=said_by,
    ),
    DocumentTable(
        name="document", model=Document, refs=(Ref("agent", "agent"),), of_user=of_whom,
        columns=(
            "name", "external_id", "content_type", "size", "fingerprint", "status", "reason", "pages", "passages",
            "withheld_count", "tags", "user_id", "origin", "created_at", "updated_at",
        ),
    ),
    MemoryTable(
        name="memory", model=Memory, refs=(Ref("agent", "agent"), MAYBE_SESSION, RESOURCE), columns=MEMORY_COLUMNS,
        more=("cold_text__data", "cold_text__was"), of_user=memories_of, later=nobody_said,
    ),
    Table(
        name="revision", model=Revision, refs=(MEMORY,), key=("memory", "number"), of_user=of_memories(),
        columns=("number", "action", "before", "after", "actor", "reason", "created_at"),
    ),
    Table(
        name="link", model=Link, columns=("kind", "created_at"), of_user=of_memories("from_memory"),
        refs=(Ref("from_memory", "memory", is_required=True), Ref("to_memory", "memory", is_required=True)),
        key=("from_memory", "to_memory", "kind"),
    ),
    Table(
        name="entity", model=Entity, columns=("key", "name", "kind", "created_at"), key=("key",), name_field="key",
        of_user=entities_of,
    ),
    Table(
        name="mention", model=Mention, columns=("source",), refs=(Ref("entity", "entity", is_required=True), MEMORY),
        key=("entity", "memory"), of_user=of_memories(),
    ),
    Table(
        name="summary", model=Summary, of_user=of_whom,
        columns=(
            "category", "user_id", "version", "content", "memory_count", "made_by", "created_at", "as_of",
            "archived_at",
        ),
    ),
    Table(
        name="passage", model=Passage, columns=("text",), key=("summary", "memory", "text"),
        refs=(Ref("summary", "summary", is_required=True), MEMORY),
        of_user=lambda app, user_id: Q(summary__user_id=user_id),
    ),
    Table(
        name="summary_due", model=SummaryDue, columns=("category", "user_id", "changes", "since"),
        key=("category", "user_id"), of_user=of_whom,
    ),
    Table(
        name="trigger", model=FutureTrigger, refs=(Ref("agent", "agent"), MAYBE_SESSION, RESOURCE),
        columns=(
            "trigger_date", "trigger_time", "until", "rule", "text", "message", "status", "reason", "user_id",
            "visibility", "created_at",
        ),
        of_user=lambda app, user_id: Q(user_id=user_id) | Q(session__user_id=user_id),
        later=lambda line: {"reason": None},
    ),
    Table(
        name="preload", model=Preload, columns=(), refs=(Ref("trigger", "trigger", is_required=True), MEMORY),
        key=("trigger", "memory"), of_user=of_memories(),
    ),
    ExtractionTable(
        name="extraction", model=Extraction, refs=(SESSION, RESOURCE), of_user=said_by,
        columns=(
            "what", "status", "attempts", "windows_read", "is_gated", "next_at", "reason", "made_by", "stored",
            "reinforced", "rejected", "created_at", "finished_at",
        ),
    ),
    Table(
        name="rejection", model=Rejection,
        of_user=lambda app, user_id: Q(session__user_id=user_id) | Q(session=None, candidate__user_id=user_id),
        refs=(Ref("memory", "memory"), Ref("edits", "memory"), Ref("agent", "agent"), MAYBE_SESSION, RESOURCE),
        later=lambda line: {"edits": None, "agent": None, "decision_reason": ""},
        columns=(
            "kind", "candidate", "scores", "decision", "decided_by", "decided_at", "decision_reason", "turn_number",
            "category", "content", "reason", "created_at",
        ),
    ),
    Table(
        name="injection", model=Injection, refs=(MEMORY, SESSION), of_user=said_by,
        key=("session", "memory", "block", "created_at"),
        columns=(
            "turn_number", "block", "line", "created_at", "judged_at", "used", "word_share", "similarity",
            "evidence",
        ),
    ),
    VectorTable(
        name="vector", model=Vector, columns=("model", "dim", "data"), refs=(MEMORY,), key=("memory", "model"),
        of_user=of_memories(),
    ),
)  # fmt: skip
BY_NAME = {table.name: table for table in TABLES}
VECTORS = "vector"

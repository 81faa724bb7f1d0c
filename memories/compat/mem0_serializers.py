"""mem0's bodies and filters. Fields that mem0 knows and this server does not are ignored, as a newer server would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from memories.api.fields import (
    JSONObjectField,
    NameField,
    RawCharField,
    SmallJSONObjectField,
    StrictCharField,
    StrictFloatField,
)
from memories.api.scope_names import AGENT, APP, SESSION, USER, meaning_of, scope_names_in
from memories.api.serializers.memories import cleaned
from memories.models import Action, Memory, Revision
from memories.retrieve.filters import MAX_DEPTH, FilterError, build_filter
from sessions.models import Role, role_named

OTHER_IDS = ("agent_id", "app_id", "run_id")
IDS = ("user_id", *OTHER_IDS)
MOST_MESSAGES = 500
LONGEST = 100_000
LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
JOINED = {"AND": "and", "OR": "or"}
NAMES = {"categories": "category"}
TIMES = ("created_at", "updated_at")
ANY = "*"


ID_OF = {USER: "user_id", AGENT: "agent_id", APP: "app_id", SESSION: "run_id"}
OF_THE_KEY = ("org_id", "project_id", "org_name", "project_name", "orgId", "projectId", "orgName", "projectName")
IN_FILTERS = {"userId": "user_id", "agentId": "agent_id", "appId": "app_id", "runId": "run_id"}


def with_ids(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with whose they are under mem0's names. ValidationError for a scope that mem0 has not."""
    read = dict(given)
    for name, value in scope_names_in(given, (*IDS, *OF_THE_KEY, "filters", "metadata")).items():
        ours = ID_OF.get(meaning_of(name) or "")
        if ours is None:
            raise ValidationError({name: [f"mem0 has no such name: take one of {', '.join(IDS)}, or metadata."]})
        if read.get(ours) not in (None, "", value):
            raise ValidationError({name: [f"It says another one than {ours}."]})
        read[ours] = value
        read.pop(name, None)
    return {**read, "filters": with_snake_case(read["filters"])} if "filters" in read else read


def with_snake_case(filters: Any) -> Any:
    """Return filters with the ids as mem0's API has them, where a client writes `userId`."""
    if isinstance(filters, list):
        return [with_snake_case(part) for part in filters]
    if not isinstance(filters, Mapping):
        return filters
    return {IN_FILTERS.get(name, name): with_snake_case(value) for name, value in filters.items()}


class Lenient(serializers.Serializer[Any]):
    """As mem0's server reads: unknown fields do no harm."""


class Speaker(StrictCharField):
    """A role, in any client's word for it, as ours."""

    default_error_messages = {"unknown": "Takes user, assistant, system or tool."}

    def to_internal_value(self, data: Any) -> str:
        role = role_named(super().to_internal_value(data))
        if role is None:
            self.fail("unknown")
        return role.value


class Message(Lenient):
    role = Speaker()
    content = RawCharField(max_length=LONGEST, allow_blank=True)
    name = serializers.JSONField(required=False, allow_null=True, default=None)


class Owner(Lenient):
    """Whose it is: named at the top, or, as newer clients do, in `filters`."""

    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True)
    agent_id = NameField(max_length=200, required=False, allow_null=True)
    app_id = NameField(max_length=200, required=False, allow_null=True)
    run_id = NameField(max_length=200, required=False, allow_null=True)
    filters = JSONObjectField(required=False, allow_null=True)

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(with_ids(data) if isinstance(data, Mapping) else data)


class ExpiringFields(Lenient):
    metadata = SmallJSONObjectField(required=False, allow_null=True)
    expiration_date = serializers.DateField(required=False, allow_null=True)


class NewMemories(Owner, ExpiringFields):
    messages = serializers.ListField(child=Message(), allow_empty=False, max_length=MOST_MESSAGES)
    infer = serializers.BooleanField(required=False, default=True)
    timestamp = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**35)

    def to_internal_value(self, data: Any) -> Any:
        """Take a text alone as what the user said."""
        if isinstance(data, Mapping) and isinstance(data.get("messages"), str | Mapping):
            messages = data["messages"]
            data = {
                **data,
                "messages": [{"role": "user", "content": messages} if isinstance(messages, str) else messages],
            }
        return super().to_internal_value(data)


class Changes(ExpiringFields):
    text = StrictCharField(required=False, allow_null=True)
    memory = StrictCharField(required=False, allow_null=True)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        text = fields.pop("memory", None) or fields.get("text")
        fields["text"] = cleaned(text) if text else None
        if text and not fields["text"]:
            raise serializers.ValidationError({"text": ["Nothing of it may be kept: all of it is private."]})
        return fields


class Query(Owner):
    query = StrictCharField(max_length=10_000)
    top_k = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=100)
    limit = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=100)
    threshold = StrictFloatField(required=False, allow_null=True)


def end_of(day: Any) -> datetime | None:
    """Return the day's end, until which mem0 keeps what expires. None after the calendar's last."""
    if not day:
        return None
    return LAST_MOMENT if day == date.max else datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def show_item(memory: Memory, score: float | None = None) -> dict[str, Any]:
    metadata = {name: value for name, value in memory.metadata.items() if name not in OTHER_IDS}
    item = {
        "id": memory.uid,
        "memory": memory.text,
        "hash": md5(memory.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "categories": [memory.category],
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "user_id": memory.user_id,
        **{name: memory.metadata.get(name) for name in OTHER_IDS},
    }
    if memory.valid_until:
        item["expiration_date"] = (
            date.max if memory.valid_until == LAST_MOMENT else (memory.valid_until - timedelta(microseconds=1)).date()
        ).isoformat()
    return item if score is None else {**item, "score": score}


def show_change(memory: Memory, revision: Revision) -> dict[str, Any]:
    is_new = revision.action == Action.CREATED
    return {
        "id": f"{memory.uid}-{revision.number}",
        "memory_id": memory.uid,
        "old_memory": None if is_new else revision.before.get("content"),
        "new_memory": revision.after.get("content"),
        "event": "ADD" if is_new else "UPDATE",
        "created_at": memory.created_at,
        "updated_at": revision.created_at,
        "is_deleted": False,
        "actor_id": revision.actor,
        "role": None,
    }


def translated(filters: Mapping[str, Any] | None, owner: Mapping[str, Any]) -> dict[str, Any]:
    """Translate a filter and the ids beside it into ours. ValidationError for what cannot be asked here."""
    named = [{name: owner[name]} for name in IDS if owner.get(name)]
    parts = [condition(part, 0) for part in (*named, *([filters] if filters else []))]
    try:
        build_filter(whole := {"and": parts} if parts else {})
    except FilterError as error:
        raise ValidationError({"filters": [str(error)]}) from error
    return whole


def condition(filters: Any, depth: int) -> dict[str, Any]:
    if not isinstance(filters, Mapping) or depth > MAX_DEPTH:
        raise ValidationError({"filters": ["Not a filter."]})
    parts = [part(str(name), value, depth) for name, value in filters.items()]
    return parts[0] if len(parts) == 1 else {"and": parts} if parts else {}


def part(name: str, value: Any, depth: int) -> dict[str, Any]:
    if name in JOINED or name == "NOT":
        given = value if isinstance(value, list) else [value]
        inner = [condition(alternative, depth + 1) for alternative in given]
        return {JOINED[name]: inner} if name in JOINED else {"not": {"or": inner}}
    if name == "metadata" and isinstance(value, Mapping):
        return {"and": [compared(f"metadata.{key}", item) for key, item in value.items()]} if value else {}
    is_own = name == "user_id" or name in TIMES
    return compared(name if is_own else NAMES.get(name) or f"metadata.{name}", value)


def compared(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return equal(name, value)
    parts = []
    for operator, operand in value.items():
        if operator in ("eq", "in") or (operator == "contains" and name == "category"):
            parts.append(equal(name, operand))
        elif operator in ("ne", "nin"):
            parts.append({"not": equal(name, operand)})
        elif operator in ("gt", "gte", "lt", "lte") and name in TIMES:
            parts.append({name: {operator: operand}})
        else:
            field = name.removeprefix("metadata.")
            raise ValidationError({"filters": [f"{field}: {operator} cannot be asked here."]})
    return {"and": parts} if parts else {}


def equal(name: str, value: Any) -> dict[str, Any]:
    return {"not": {name: None}} if value == ANY else {name: value}


def owner_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that new memories get: at the top, or in `filters`, plain or joined with AND."""
    ids = {name: fields[name] for name in IDS if fields.get(name)}
    waiting: list[Any] = [fields.get("filters")]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Mapping):
            ids |= {name: term[name] for name in IDS if isinstance(term.get(name), str) and term[name] != ANY}
            waiting.extend(term["AND"] if isinstance(term.get("AND"), list) else [])
    return {name: value[:200] for name, value in ids.items()}


def by_speaker(messages: Sequence[Mapping[str, Any]], user_id: str | None) -> dict[str | None, list[Mapping[str, Any]]]:
    """Return the messages by whose they are: the user's who is named, or theirs whom `name` names, with the answers."""
    groups: dict[str | None, list[Mapping[str, Any]]] = {}
    speaker = user_id
    for message in messages:
        name = message["name"]
        if not user_id and message["role"] == Role.USER:
            speaker = name[:200] if isinstance(name, str) and name.strip() else None
        groups.setdefault(speaker, []).append(message)
    return groups


def metadata_of(owner: Mapping[str, str], given: Mapping[str, Any] | None) -> dict[str, Any]:
    return {**(given or {}), **{name: owner[name] for name in OTHER_IDS if name in owner}}

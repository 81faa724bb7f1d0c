"""mem0's endpoints. What was said becomes memories before the answer is sent, as mem0's clients expect.

Fields that mem0 knows and this server does not are ignored, as a newer server would.
"""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ParseError, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, candidate_from, check_changes, count_writes, memory_with
from memories.api.fields import (
    JSONObjectField,
    NameField,
    RawCharField,
    SmallJSONObjectField,
    StrictCharField,
    StrictFloatField,
    validated,
)
from memories.api.pagination import search_page, up_to
from memories.api.scope_names import AGENT, APP, SESSION, USER, meaning_of, scope_names_in
from memories.api.serializers.memories import SearchQuestion, cleaned
from memories.compat import external_id
from memories.language.secrets import is_visible
from memories.models import Action, Extraction, ExtractionStatus, Memory, Revision
from memories.models.memory import MemoryQuerySet
from memories.retrieve.filters import MAX_DEPTH, FilterError, build_filter, users_named
from memories.services import MemoryAgent, Withheld
from memsite.http.exceptions import Unprocessable
from memsite.http.json_body import RepeatedName, object_of, parse_json
from memsite.tenancy.authentication import KeyAuthentication, key_of
from memsite.tenancy.models import Scope
from memsite.tenancy.origin import Origin
from sessions.models import Role, role_named
from sessions.recording import Said

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


PATIENCE_SECONDS, LOOK_EVERY_SECONDS = 30.0, 0.05
SELF_HOSTED_TOP_K, HOSTED_TOP_K = 20, 10
DEFAULT_PAGE, LARGEST_PAGE = 100, 1000
BY_METHOD = "by method"
# In the address of a deletion: what narrows it, and what stands for the key's own app.
OBJECTS = ("filters", "metadata")
# The words themselves are handed over with who said them, as in a session.
ORIGIN_OF: dict[str, str] = {Role.USER: Origin.USER, Role.ASSISTANT: Origin.ASSISTANT, Role.TOOL: Origin.TOOL}
NULL = b"null"


def add_learnt(agent: MemoryAgent, fields: Mapping[str, Any]) -> tuple[list[Memory], bool]:
    """Return the memories that were new in it, and whether some of it is still being learnt."""
    if not (messages := visible_messages(fields)):
        return [], False
    owner = owner_of(fields)
    # One conversation for each combination of ids.
    name = external_id("mem0", *(f"{key}={owner[key]}" for key in sorted(owner)))
    session, _ = agent.open_session(name, {"user_id": owner.get("user_id"), "title": owner.get("run_id", "mem0")})
    moment = datetime.fromtimestamp(fields["timestamp"], UTC) if fields.get("timestamp") else None
    speakers = [message["name"] if isinstance(message["name"], str) else "" for message in messages]
    turns = [
        Said(message["role"], message["content"], None, moment, speaker=speaker)
        for message, speaker in zip(messages, speakers, strict=True)
    ]
    captured = agent.capture_messages(session, turns)
    # Learns, or waits while a worker that was faster does. Whether some of it has to wait for longer.
    work = Extraction.objects.for_app(agent.app).open().filter(resource__in=captured.resources)
    patience = time.monotonic() + PATIENCE_SECONDS
    for _ in agent.learn_session(session.pk):
        pass
    while work.filter(status=ExtractionStatus.RUNNING).exists() and time.monotonic() < patience:
        time.sleep(LOOK_EVERY_SECONDS)
    is_pending = work.exists()
    rows = list(agent.memories().filter(resource__in=captured.resources).order_by("pk"))
    changes = {
        "metadata": metadata_of(owner, fields.get("metadata")),
        "valid_until": end_of(fields.get("expiration_date")),
    }
    if given := {name: value for name, value in changes.items() if value}:
        for place, row in enumerate(rows):
            # Unless a person has to decide about what was given beside it.
            with suppress(Withheld):
                rows[place] = agent.edit(row, given, reason="told with it", is_just_added=True)
    return rows, is_pending


def add_of_each(agent: MemoryAgent, fields: Mapping[str, Any]) -> tuple[list[Memory], bool]:
    """Learn what each speaker said as theirs, where no end user is named."""
    user_id, learnt, is_pending = owner_of(fields).get("user_id"), list[Memory](), False
    for speaker, messages in by_speaker(fields["messages"], user_id).items():
        memories, waits = add_learnt(agent, {**fields, "user_id": speaker, "messages": messages})
        learnt, is_pending = [*learnt, *memories], is_pending or waits
    return learnt, is_pending


def store_messages(agent: MemoryAgent, fields: dict[str, Any]) -> tuple[list[Memory], list[str]]:
    """Return each message as it is, a memory of its own; and why some were not stored."""
    owner = owner_of(fields)
    speakers = by_speaker(visible_messages(fields), owner.get("user_id"))
    made = [
        candidate_from(
            agent,
            {
                "content": message["content"],
                "origin": ORIGIN_OF.get(message["role"], Origin.AGENT),
                "user_id": speaker,
                "metadata": {**metadata_of(owner, fields.get("metadata")), "role": message["role"]},
                "valid_until": end_of(fields.get("expiration_date")),
            },
        )
        for speaker, messages in speakers.items()
        for message in messages
    ]
    outcomes = agent.remember([candidate for candidate in made if is_visible(candidate.content)], dedupe=False)
    reasons = [outcome.reason for outcome in outcomes if outcome.memory is None]
    return [outcome.memory for outcome in outcomes if outcome.memory], reasons


def visible_messages(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [message for message in fields["messages"] if is_visible(message["content"])]


class Mem0Key(KeyAuthentication):
    """`Authorization: Token KEY` of the hosted client, `X-API-Key: KEY` of the self-hosted server's."""

    def key_text(self, request: Request) -> str | None:
        return request.headers.get("X-API-Key") or key_of(request, "token") or super().key_text(request)


class Mem0View(AgentView):
    authentication_classes = [Mem0Key]
    schema = None
    is_lenient = True

    def handle_exception(self, exc: Exception) -> Response:
        """Answer `{detail}`, as mem0 does."""
        response = super().handle_exception(exc)
        response.data = {"detail": response.data["detail"]}
        response.content_type = "application/json"
        return response

    def body(self, serializer: type[Lenient]) -> dict[str, Any]:
        body = serializer(data=self.request.data)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)

    def known(self, filters: Mapping[str, Any]) -> MemoryQuerySet:
        rows = self.memory_agent().memories_of(*users_named(filters)).filter(build_filter(filters))
        return rows.active().valid(timezone.now()).select_related("cold_text")

    def owner_in_query(self) -> dict[str, str]:
        query = with_ids({name: value for name, value in self.request.query_params.items() if value})
        owner = Owner(data={name: query[name] for name in IDS if name in query})
        owner.is_valid(raise_exception=True)
        return dict(owner.validated_data)


class Ping(Mem0View):
    scope = Scope.READ

    def get(self, request: Request) -> Response:
        """Answer with the app for organisation and project."""
        name = self.app.app_id
        return Response({"status": "ok", "org_id": name, "project_id": name, "user_email": None})


class Adding(Mem0View):
    """`hosted` clients are told, too, whether it is done."""

    scope: str = Scope.CREATE
    only_adds = ("POST",)
    hosted = False

    def post(self, request: Request) -> Response:
        fields = self.body(NewMemories)
        if not owner_of(fields):
            raise ValidationError("At least one of user_id, agent_id, app_id and run_id is needed.")
        agent = self.memory_agent()
        count_writes(agent, 1 if fields["infer"] else len(fields["messages"]))
        if fields["infer"]:
            (memories, is_pending), reasons = add_of_each(agent, fields), list[str]()
        else:
            (memories, reasons), is_pending = store_messages(agent, fields), False
        answer: dict[str, Any] = {
            "results": [{"id": memory.uid, "memory": memory.text, "event": "ADD"} for memory in memories]
        }
        if self.hosted:
            answer["status"] = "PENDING" if is_pending else "SUCCEEDED"
        if reasons:
            answer["message"] = f"Not stored, a person has to decide: {'; '.join(reasons)}."
        return Response(answer)


class Memories(Adding):
    scope = BY_METHOD

    def get(self, request: Request) -> Response:
        rows = self.known(translated(None, self.owner_in_query()))
        most = whole_number(request.query_params, "top_k", DEFAULT_PAGE, LARGEST_PAGE)
        return Response({"results": [show_item(row) for row in rows.order_by("-uid")[:most]]})

    def delete(self, request: Request) -> Response:
        """Return what fits all that is named, and nothing for what is not understood: it cannot be undone."""
        if unknown := with_ids(request.query_params).keys() - {*IDS, *OBJECTS, *OF_THE_KEY}:
            raise ValidationError({name: ["Nothing is deleted by this here."] for name in sorted(unknown)})
        owner, named = self.owner_in_query(), objects_in_query(request)
        if not owner_of({**owner, "filters": named.get("filters")}):
            raise ValidationError("At least one of user_id, agent_id, app_id and run_id is needed.")
        metadata = [{"metadata": named["metadata"]}] if "metadata" in named else []
        filters = translated({"AND": [*metadata, named.get("filters", {})]}, owner)
        agent = self.memory_agent()
        agent.forget(list(agent.memories_of(*users_named(filters)).filter(build_filter(filters))))
        return Response({"message": "Memories deleted successfully!"})


class HostedList(Mem0View):
    scope = Scope.READ

    def post(self, request: Request) -> Response:
        given = with_ids(request.data) if isinstance(request.data, Mapping) else {}
        page = whole_number(request.query_params, "page", 1, 10_000)
        size = whole_number(request.query_params, "page_size", DEFAULT_PAGE, LARGEST_PAGE)
        rows = self.known(translated(given.get("filters"), given))
        count, start = rows.count(), (page - 1) * size
        return Response(
            {
                "count": count,
                "next": self.page_link(page + 1, size) if start + size < count else None,
                "previous": self.page_link(page - 1, size) if page > 1 else None,
                "results": [show_item(row) for row in rows.order_by("-uid")[start : start + size]],
            }
        )

    def page_link(self, page: int, size: int) -> str:
        return self.request.build_absolute_uri(f"{self.request.path}?page={page}&page_size={size}")


class Searching(Mem0View):
    scope = Scope.READ
    top_k = SELF_HOSTED_TOP_K

    def post(self, request: Request) -> Response:
        body = self.body(Query)
        filters = translated(body.get("filters"), body)
        limit = body.get("top_k") or body.get("limit") or self.top_k
        question = validated(SearchQuestion, {"query": body["query"], "limit": limit, "filters": filters})
        recall, _ = search_page(self.memory_agent(), question, self.caller().commit)
        least = body.get("threshold") or 0.0
        hits = [hit for hit in recall.hits if hit.score >= least]
        return Response({"results": [show_item(hit.memory, hit.score) for hit in hits]})


class OneMemory(Mem0View):
    scope = BY_METHOD
    hosted = False

    def memory_of(self, memory_id: str) -> Memory:
        return memory_with(self.memory_agent(), as_uuid(memory_id))

    def get(self, request: Request, memory_id: str) -> Response | HttpResponse:
        """Answer null to what is not there, as the self-hosted server does."""
        try:
            return Response(show_item(self.memory_of(memory_id)))
        except NotFound:
            if self.hosted:
                raise
            return HttpResponse(NULL, content_type="application/json")

    def put(self, request: Request, memory_id: str) -> Response:
        memory, body = self.memory_of(memory_id), self.body(Changes)
        changes = {"content": body["text"]} if body["text"] else {}
        if body.get("metadata") is not None:
            changes["metadata"] = metadata_of(memory.metadata, body["metadata"])
        if "expiration_date" in body:
            changes["valid_until"] = end_of(body["expiration_date"])
        if not changes:
            raise ValidationError("Say what to change: text, metadata or expiration_date.")
        check_changes(memory, changes, self.app.policy)
        try:
            memory = self.memory_agent().edit(memory, changes)
        except Withheld as reason:
            raise Unprocessable(f"Not changed: a person has to decide. {reason}") from reason
        return Response(show_item(memory) if self.hosted else {"message": "Memory updated successfully!"})

    def delete(self, request: Request, memory_id: str) -> Response:
        self.memory_agent().forget([self.memory_of(memory_id)])
        return Response({"message": "Memory deleted successfully!"})


class History(Mem0View):
    scope = Scope.READ

    def get(self, request: Request, memory_id: str) -> Response:
        memory = memory_with(self.memory_agent(), as_uuid(memory_id))
        rows = Revision.objects.for_app(self.app).filter(memory=memory).order_by("number")
        return Response(
            [show_change(memory, row) for row in rows if row.action == Action.CREATED or "content" in row.after]
        )


class Entities(Mem0View):
    """Of whom there are memories, with how many. `hosted` wraps the list."""

    scope = Scope.READ
    hosted = False

    def get(self, request: Request) -> Response:
        seen: dict[tuple[str, str], int] = {}
        for user_id, metadata in self.known({}).order_by("pk").values_list("user_id", "metadata").iterator():
            for name in IDS:
                owner = user_id if name == "user_id" else metadata.get(name)
                if isinstance(owner, str) and owner:
                    key = name.removesuffix("_id"), owner
                    seen[key] = seen.get(key, 0) + 1
        rows = [
            {"id": name, "name": name, "type": kind, "total_memories": count} for (kind, name), count in seen.items()
        ]
        return Response({"count": len(rows), "results": rows} if self.hosted else rows)


def as_uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("There is nothing with this id.") from None


def whole_number(query: Mapping[str, str], name: str, usual: int, most: int) -> int:
    return up_to(most, name, query.get(name) or None, usual)


def objects_in_query(request: Request) -> dict[str, Any]:
    """Return the objects that narrow a deletion, each by its name."""
    values = {}
    for name in OBJECTS:
        if not (text := request.query_params.get(name)):
            continue
        try:
            values[name] = read_either(text)
        except RepeatedName as error:
            raise ValidationError({name: [str(error.detail).replace("The body", "It")]}) from error
        except (ParseError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
            raise ValidationError({name: ["Not JSON."]}) from error
        if not isinstance(values[name], dict):
            raise ValidationError({name: ["Not an object."]})
    return values


def read_either(text: str) -> Any:
    """Read JSON, or an object as mem0's own client writes it into an address, like Python: {'user_id': 'alice'}."""
    try:
        return parse_json(text.encode())
    except RepeatedName:
        raise
    except ParseError:
        tree = ast.parse(text.lstrip(" \t"), mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                object_of([(str(ast.literal_eval(key)), None) for key in node.keys if key])
        return parse_json(json.dumps(ast.literal_eval(tree)).encode())

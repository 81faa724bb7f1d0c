"""Agents' endpoints for memories: store, list, read, change, forget, history, links, search, context."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import (
    AgentView,
    Answer,
    agent_sessions,
    candidate_from,
    check_changes,
    count_writes,
    etag,
    expected_version,
    memory_with,
    or_404,
)
from memories.api.fields import range_of, valid_asked
from memories.api.pagination import as_moment, as_uuid, one_of, page, search_page, user_asked, validity_asked
from memories.api.schema import IF_MATCH, lists, of_user, operation
from memories.api.serializers.memories import (
    BatchAnswer,
    ContextAnswer,
    ContextQuestion,
    Deleted,
    Ids,
    LinkShown,
    MemoryBatch,
    MemoryChanges,
    MemoryHeld,
    MemoryShown,
    MemoryStored,
    NewLink,
    NewMemory,
    NewMemoryOnce,
    RevisionShown,
    SearchAnswer,
    SearchQuestion,
    SummaryTold,
    show_asked_time,
    show_held,
    show_hit,
    show_memory,
    show_revision,
    show_tagged,
    shown_state,
)
from memories.capture.quarantine import Outcome, OutcomeKind
from memories.language.messages import Message
from memories.models import Kind, Memory, Revision, Status, Trust
from memories.models.memory import MemoryQuerySet, subject_of
from memories.retrieve.filters import HoldsText
from memories.services import MemoryAgent, VersionMismatch, Withheld
from memories.store import Candidate
from memories.store.revisions import state_at
from memsite.http.exceptions import PreconditionFailed
from memsite.http.problems import flatten
from memsite.tenancy.idempotency import Slot
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import Block

LIST_CHOICES = {
    "status": [status for status in Status.values if status != Status.DOCUMENT],
    "kind": Kind.values,
    "pinned": ["true", "false"],
    "origin": Origin.values,
}
LIST_TEXTS = ("category", "subject", "external_id")
VALID = (
    OpenApiParameter("valid_at", OpenApiTypes.DATETIME, description="Only what held at this time, superseded or not."),
    OpenApiParameter("valid_from", OpenApiTypes.DATETIME, description="Only what held at some time from here on."),
    OpenApiParameter("valid_until", OpenApiTypes.DATETIME, description="Only what held at some time before this."),
)
LIST_FILTERS = (*LIST_CHOICES, *LIST_TEXTS, "session_id", "user_id")
NARROWED = [
    *(OpenApiParameter(name, str, enum=allowed) for name, allowed in LIST_CHOICES.items()),
    *(OpenApiParameter(name, str) for name in LIST_TEXTS),
    OpenApiParameter("session_id", OpenApiTypes.UUID),
    OpenApiParameter("tag", str, description="Only what has this tag, as it stands."),
    of_user(),
]
TRUST_LEVEL = OpenApiParameter("trust_level", str, enum=Trust.values)
MAX_QUESTION_CHARACTERS = 2_000


class Memories(AgentView):
    creates = True
    only_adds = ("POST",)

    @lists(MemoryShown, "list_memories", *NARROWED, TRUST_LEVEL, *VALID)
    def get(self, request: Request) -> Response:
        """The latest first. `subject=general` finds those without a subject."""
        return page(self, memories_asked(self.memory_agent(), request), show_memory)

    @extend_schema(
        request=NewMemoryOnce,
        responses={201: MemoryStored, 200: MemoryStored, 202: MemoryHeld},
        operation_id="create_memory",
    )
    def post(self, request: Request) -> Response:
        """201 for a new memory, 200 when it reinforced one that says the same, 202 when a person has to decide."""
        body = self.read(NewMemoryOnce)
        dedupe = body.pop("dedupe")
        agent = self.memory_agent()
        candidate = candidate_from(agent, body)

        def store(slot: Slot) -> Answer:
            count_writes(agent, 1)
            return store_one(agent, candidate, slot, dedupe=dedupe)

        return self.create_once(store)


def store_one(
    agent: MemoryAgent, candidate: Candidate, slot: Slot, *, dedupe: bool, more: Mapping[str, Any] | None = None
) -> Answer:
    """Store it and return the answer, with fields `more`, which is kept in the same transaction."""
    answers: list[Answer] = []

    def keep(_: Any, outcomes: list[Outcome]) -> None:
        status, body = stored_answer(outcomes[0])
        answers.append((status, {**body, **(more or {})}))
        slot.keep(*answers[0])

    agent.remember([candidate], dedupe=dedupe, on_stored=keep)
    return answers[0]


def memories_asked(agent: MemoryAgent, request: Request) -> MemoryQuerySet:
    """Return those that the query string asks for, with what showing them takes.

    Field look-ups from the query string; ValidationError for values that cannot be.
    """
    rows = agent.memories_of(user_asked(request)).select_related("session", "resource", "cold_text")
    filters: dict[str, Any] = {name: value for name, value in request.query_params.items() if name in LIST_FILTERS}
    for name, allowed in LIST_CHOICES.items():
        if name in filters:
            one_of(name, filters[name], allowed)
    if "pinned" in filters:
        filters["pinned"] = filters["pinned"] == "true"
    if "session_id" in filters:
        filters["session__uid"] = as_uuid("session_id", filters.pop("session_id"))
    if "subject" in filters:
        filters["subject"] = subject_of(filters["subject"])
    level = request.query_params.get("trust_level")
    rows = rows.filter(**filters)
    if level is not None:
        rows = rows.of_trust(one_of("trust_level", level, Trust.values))
    if "tag" in request.query_params:
        rows = rows.filter(HoldsText("tags", request.query_params["tag"]))
    if times := validity_asked(request):
        rows = rows.held_between(*times)
    return rows


def stored_answer(outcome: Outcome) -> Answer:
    if outcome.memory is None:
        assert outcome.rejection is not None, "what is not stored is kept for a person"
        return 202, show_held(outcome.rejection)
    body = {
        **show_memory(outcome.memory),
        "outcome": str(outcome.kind),
        "reason": outcome.reason,
        "contradicts": [memory.uid for memory in outcome.against],
    }
    return 200 if outcome.kind in (OutcomeKind.REINFORCED, OutcomeKind.EDITED) else 201, body


class BatchOfMemories(Memories):
    http_method_names = ["post", "options"]

    @extend_schema(request=MemoryBatch, responses={200: BatchAnswer}, operation_id="create_memories")
    def post(self, request: Request) -> Response:
        """Up to 500 at once, each with its own answer: a bad one harms no other."""
        body, agent = self.read(MemoryBatch), self.memory_agent()

        def store(slot: Slot) -> Answer:
            count_writes(agent, len(body["memories"]))
            made = batch_items(agent, body["memories"])
            candidates = [item for item in made if isinstance(item, Candidate)]
            answers: list[Mapping[str, Any]] = []

            def keep(_: Any, outcomes: list[Outcome]) -> None:
                stored = iter(outcomes)
                answers.extend(stored_answer(next(stored))[1] if isinstance(item, Candidate) else item for item in made)
                slot.keep(200, {"results": answers})

            agent.remember(candidates, dedupe=body["dedupe"], on_stored=keep)
            return 200, {"results": answers}

        return self.create_once(store)


def batch_items(agent: MemoryAgent, items: list[Any]) -> list[Candidate | dict[str, Any]]:
    """Return a candidate of each item of a batch, or `{error}`. One query for all their sessions."""

    def item_error(detail: Any) -> dict[str, Any]:
        return {"error": {"status": 400, "errors": list(flatten(detail))}}

    serializers = [NewMemory(data=item) if isinstance(item, Mapping) else None for item in items]
    valid = [serializer.validated_data for serializer in serializers if serializer and serializer.is_valid()]
    sessions = agent_sessions(agent, {fields["session_id"] for fields in valid if fields.get("session_id")})
    made: list[Candidate | dict[str, Any]] = []
    for serializer in serializers:
        if serializer is None:
            made.append(item_error("Not an object."))
        elif serializer.errors:
            made.append(item_error(serializer.errors))
        else:
            try:
                made.append(candidate_from(agent, serializer.validated_data, sessions))
            except ValidationError as error:
                made.append(item_error(error.detail))
    return made


class DeleteMemories(AgentView):
    scope = "write"

    @extend_schema(request=Ids, responses={200: Deleted}, operation_id="delete_memories")
    def post(self, request: Request) -> Response:
        """Deletes those that exist; ids of nothing are passed over."""
        body, agent = self.read(Ids), self.memory_agent()
        rows = list(agent.memories().filter(uid__in=body["ids"]))
        return Response({"success": True, "deleted_count": agent.forget(rows)})


AS_OF = OpenApiParameter("as_of", OpenApiTypes.DATETIME, description="As it was at this time.")


def one_shown(request: Request, memory: Memory) -> Response:
    """Return the response with a memory as it is, or as it was `as_of` the time in the query string."""
    if "as_of" not in request.query_params:
        return Response(show_memory(memory), headers=etag(memory))
    then = state_at(memory, as_moment("as_of", request.query_params["as_of"]))
    return Response({**show_memory(memory), **shown_state(or_404(then))})


def change_one(request: Request, agent: MemoryAgent, memory: Memory, changes: dict[str, Any]) -> Response:
    """Change a memory, if nobody did since the version in `If-Match`."""
    reason = changes.pop("reason", "")
    check_changes(memory, changes, agent.app.policy)
    try:
        edited = agent.edit(memory, changes, version=expected_version(request, memory), reason=reason)
    except VersionMismatch as error:
        raise PreconditionFailed from error
    except Withheld as error:
        return Response(show_held(error.rejection), status=202)
    return Response(show_memory(edited), headers=etag(edited))


def delete_one(request: Request, agent: MemoryAgent, memory: Memory) -> Response:
    try:
        deleted = agent.forget([memory], version=expected_version(request, memory))
    except VersionMismatch as error:
        raise PreconditionFailed from error
    return Response({"success": True, "deleted_count": deleted})


class OneMemory(AgentView):
    shows = Memory

    @operation(responses=MemoryShown, parameters=[AS_OF], operation_id="get_memory")
    def get(self, request: Request, uid: UUID) -> Response:
        """With `as_of`, what it said and how sure it was then; 404 before it existed."""
        return one_shown(request, memory_with(self.memory_agent(), uid))

    @operation(
        request=MemoryChanges,
        responses={200: MemoryShown, 202: MemoryHeld},
        parameters=[IF_MATCH],
        operation_id="change_memory",
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        """With `If-Match`, only if nobody changed it since. 202: nothing is changed until a person has decided."""
        agent = self.memory_agent()
        memory = memory_with(agent, uid)
        return change_one(request, agent, memory, self.read(MemoryChanges))

    @operation(responses={200: Deleted}, parameters=[IF_MATCH], operation_id="delete_memory")
    def delete(self, request: Request, uid: UUID) -> Response:
        """For good, with its history. `PATCH {"status": "archived"}` is the soft way."""
        agent = self.memory_agent()
        return delete_one(request, agent, memory_with(agent, uid))


class History(AgentView):
    @lists(RevisionShown, "list_revisions")
    def get(self, request: Request, uid: UUID) -> Response:
        memory = memory_with(self.memory_agent(), uid)
        rows = Revision.objects.for_app(self.app).filter(memory=memory)
        return page(self, rows, show_revision, ordering="number")


class Links(AgentView):
    creates = True

    @lists(LinkShown, "list_links")
    def get(self, request: Request, uid: UUID) -> Response:
        agent = self.memory_agent()
        return page(self, agent.links_of(memory_with(agent, uid)), LinkShown.show)

    @extend_schema(request=NewLink, responses={201: LinkShown, 200: LinkShown}, operation_id="create_link")
    def post(self, request: Request, uid: UUID) -> Response:
        agent = self.memory_agent()
        memory, body = memory_with(agent, uid), self.read(NewLink)
        other = or_404(agent.memories().filter(uid=body["to"]).first())
        if other == memory:
            raise ValidationError({"to": ["A memory is not linked to itself."]})

        def link(slot: Slot) -> Answer:
            row, is_new = agent.link(
                memory, other, body["kind"], lambda row, is_new: slot.keep(201 if is_new else 200, LinkShown.show(row))
            )
            return 201 if is_new else 200, LinkShown.show(row)

        return self.create_once(link)


class Search(AgentView):
    answers_anew = True
    scope = "read"

    @extend_schema(request=SearchQuestion, responses=SearchAnswer, operation_id="search_memories")
    def post(self, request: Request) -> Response:
        """What fits the query, best first. Nothing fits: nothing is found."""
        started, body = time.perf_counter(), self.read(SearchQuestion)
        explain, app = body["explain"], self.app
        recall, cursor = search_page(self.memory_agent(), body, self.caller().commit)
        return Response(
            {
                "results": [show_hit(hit, app, explain=explain) for hit in recall.hits],
                "summaries": [SummaryTold.show(summary) for summary in recall.summaries],
                "next": cursor,
                "tier_answered": recall.tier,
                "coverage": recall.coverage or None,
                "took_ms": round(1000 * (time.perf_counter() - started), 2),
                "degraded": recall.degraded,
                "asked_time": show_asked_time(recall.time),
                **({"scores_combined": recall.combined} if explain else {}),
            }
        )


class ContextBlock(AgentView):
    answers_anew = True
    scope = "read"

    @extend_schema(request=ContextQuestion, responses=ContextAnswer, operation_id="get_context")
    def post(self, request: Request) -> Response:
        """A block for the prompt: what answers the question, or what is known without one."""
        body = self.read(ContextQuestion)
        messages = [Message(message["role"], message["content"]) for message in body.get("messages", [])]
        question = body["query"][-MAX_QUESTION_CHARACTERS:].strip()
        has_question = bool(question or messages)
        wanted = body.get("format") or (Block.TURN if has_question else self.app.policy.block)
        context = self.memory_agent().context(
            Block.TURN if wanted == "json" else wanted,
            question=question,
            messages=messages,
            session=self.session(body["session_id"]) if body["session_id"] else None,
            turn_number=body["turn_number"],
            max_tokens=body["max_tokens"],
            limit=body["limit"],
            min_score=body["min_score"],
            user_id=body["user_id"],
            valid=valid_asked(body),
            stored=range_of(body["since"], body["until"]),
        )
        injected, zone = context.injected, self.app.policy.time_zone
        return Response(
            {
                "text": "" if wanted == "json" else injected.text,
                "tokens": 0 if wanted == "json" else injected.tokens,
                "included": len(injected.memories),
                "total": injected.total,
                "memories": [show_tagged(memory, context.tags[memory.pk], zone) for memory in injected.memories],
                "tier_answered": context.tier_answered,
                "coverage": context.coverage or None,
                "economised": context.economised,
                "degraded": list(context.degraded),
                "asked_time": show_asked_time(context.time),
            }
        )

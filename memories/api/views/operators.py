"""Operators' endpoints for what an app knows and was told: its memories, sessions, events and cooldowns."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import OperatorView, candidate_from, etag, expected_version, memory_with, or_404
from memories.api.fields import app_zone
from memories.api.pagination import as_uuid, chosen, page, user_asked
from memories.api.schema import IF_MATCH, lists, of_user, operation
from memories.api.serializers.apps import Purged, show_purged
from memories.api.serializers.memories import (
    AppMemoryChanges,
    AppMemoryStored,
    BulkChange,
    Deleted,
    Ids,
    ManyChanged,
    MemoryShown,
    NewAppMemory,
    RevisionShown,
    Undone,
    show_memory,
    show_revision,
)
from memories.api.serializers.sessions import EventShown, SessionShown
from memories.api.serializers.usage import CooldownShown
from memories.api.views.memories import (
    AS_OF,
    NARROWED,
    TRUST_LEVEL,
    VALID,
    change_one,
    delete_one,
    memories_asked,
    one_shown,
    store_one,
)
from memories.api.views.sessions import EVENT_FILTERS, events_asked
from memories.models import Memory, Revision
from memories.services import (
    CHANGES,
    CannotMerge,
    Changed,
    MemoryAgent,
    NotChanged,
    VersionMismatch,
)
from memsite.http.exceptions import Conflict, PreconditionFailed, Unprocessable
from memsite.tenancy.access import Right
from memsite.tenancy.models import AppStatus
from sessions.models import AgentSession, Cooldown, SessionStatus

BY_AGENT = OpenApiParameter("agent", str, description="Of the agent of this name.")


class AppView(OperatorView):
    """An endpoint for what is in an app, whichever of its agents wrote it."""

    right = Right.CURATE

    def memory_agent(self, app_id: str) -> MemoryAgent:
        """Return the services for the app. While it is purged there is nothing to see, and nothing can be changed."""
        app = self.app_named(app_id)
        if app.status == AppStatus.PURGING and self.request.method not in SAFE_METHODS:
            raise Conflict("The app is being purged: nothing in it can be changed until that is done.")
        app_zone.set(app.policy.time_zone)
        return self.agent_of(app)

    def visible(self, agent: MemoryAgent, rows: QuerySet[Any], *, by_agent: str = "agent__name") -> QuerySet[Any]:
        """Return those of the agent in the query string, if one is named; none while the app is purged."""
        if agent.app.status == AppStatus.PURGING:
            return rows.none()
        name = self.request.query_params.get("agent")
        return rows if name is None else rows.filter(**{by_agent: name})


class AppMemories(AppView):
    creates = True

    @property
    def right(self) -> Right:  # type: ignore[override]  # by method
        return Right.GOVERN if self.request.method == "DELETE" else Right.CURATE

    @lists(MemoryShown, "list_app_memories", *NARROWED, TRUST_LEVEL, BY_AGENT, *VALID)
    def get(self, request: Request, app_id: str) -> Response:
        """`{memories, results, next, previous}`: `memories` and `results` are the same page, the latest first."""
        agent = self.memory_agent(app_id)
        answer = page(self, self.visible(agent, memories_asked(agent, request)), show_memory)
        answer.data = {"memories": answer.data["results"], **answer.data}
        return answer

    @extend_schema(
        request=NewAppMemory, responses={201: AppMemoryStored, 200: AppMemoryStored}, operation_id="create_app_memory"
    )
    def post(self, request: Request, app_id: str) -> Response:
        """As an operator's word, of no session. 200 when it reinforced one that says the same."""
        agent, body = self.memory_agent(app_id), self.read(NewAppMemory)
        dedupe = body.pop("dedupe")
        candidate = candidate_from(agent, body)
        more = {"warning": agent.warning_about(candidate.content)}
        return self.create_once(lambda slot: store_one(agent, candidate, slot, dedupe=dedupe, more=more))

    @extend_schema(responses={200: Deleted}, operation_id="delete_app_memories")
    def delete(self, request: Request, app_id: str) -> Response:
        purge = self.agent_of(self.app_named(app_id)).purge_memories()
        return Response({"success": True, "deleted_count": purge.counts["memories"]})


class OneOfAppsMemories(AppView):
    shows = Memory

    @operation(responses=MemoryShown, parameters=[AS_OF], operation_id="get_app_memory")
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        """With `as_of`, what it said and how sure it was then; 404 before it existed."""
        agent = self.memory_agent(app_id)
        return one_shown(request, memory_with(agent, uid))

    @operation(request=AppMemoryChanges, responses=MemoryShown, parameters=[IF_MATCH], operation_id="change_app_memory")
    def patch(self, request: Request, app_id: str, uid: UUID) -> Response:
        """Also `{"pinned": true}`, and `{"status": "archived"}` or `"active"`. New words are an operator's."""
        agent = self.memory_agent(app_id)
        memory = memory_with(agent, uid)
        return change_one(request, agent, memory, self.read(AppMemoryChanges))

    @operation(responses={200: Deleted}, parameters=[IF_MATCH], operation_id="delete_app_memory")
    def delete(self, request: Request, app_id: str, uid: UUID) -> Response:
        """For good, with its history. `PATCH {"status": "archived"}` is the soft way."""
        agent = self.agent_of(self.app_named(app_id))
        return delete_one(request, agent, memory_with(agent, uid))


class AppMemoryHistory(AppView):
    @lists(RevisionShown, "list_app_revisions")
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        """Every change of a memory: what, who, when and why, the oldest first."""
        agent = self.memory_agent(app_id)
        rows = Revision.objects.for_app(agent.app).filter(memory=memory_with(agent, uid))
        return page(self, rows, show_revision, ordering="number")


class UndoAppMemory(AppView):
    shows = Memory

    @operation(request=Undone, responses=MemoryShown, parameters=[IF_MATCH], operation_id="undo_app_memory")
    def post(self, request: Request, app_id: str, uid: UUID) -> Response:
        """Takes its last change back, a merge on both sides; with `to`, sets it back to what that revision made of it.

        409 if there is nothing to take back, 404 for a revision that it does not have.
        """
        agent, number = self.memory_agent(app_id), self.read(Undone)["to"]
        memory = memory_with(agent, uid)
        version = expected_version(request, memory) or memory.version
        try:
            if number is None:
                agent.change_one(memory, CHANGES["undo"], version)
            else:
                agent.set_back(memory, number, version=version)
        except VersionMismatch as error:
            raise PreconditionFailed from error
        except NotChanged as why:
            raise Conflict(f"Left as it is: {why}.") from why
        memory = memory_with(agent, uid)
        return Response(show_memory(memory), headers=etag(memory))


class ManyOfAppsMemories(AppView):
    def pks(self, agent: MemoryAgent, uids: list[UUID]) -> list[int]:
        """Ids of nothing are passed over."""
        return list(agent.memories().filter(uid__in=uids).order_by("pk").values_list("pk", flat=True))


class BulkChanges(ManyOfAppsMemories):
    @extend_schema(request=BulkChange, responses={200: ManyChanged}, operation_id="change_app_memories")
    def post(self, request: Request, app_id: str) -> Response:
        """Does one `action` to up to 500; `undo` takes the last change of each back, `delete` is for good.

        Ids of nothing are passed over; `left` says of others why they are left as they are.
        """
        agent, body = self.memory_agent(app_id), self.read(BulkChange)
        pks, action = self.pks(agent, body["ids"]), body["action"]
        changed = Changed(agent.forget_each(pks)) if action == "delete" else agent.change_each(pks, CHANGES[action])
        return Response({"done": changed.done, "left": dict(changed.left)})


class MergeMemories(ManyOfAppsMemories):
    shows = Memory

    @extend_schema(request=Ids, responses={200: MemoryShown}, operation_id="merge_app_memories")
    def post(self, request: Request, app_id: str) -> Response:
        """Makes up to 50 into the surest of them, which is returned; `undo` of it takes that back on all sides.

        422 if they cannot be one: of different end users or visibility, superseded, or fewer than two.
        """
        agent = self.memory_agent(app_id)
        try:
            winner = agent.merge(self.pks(agent, self.read(Ids)["ids"]))
        except CannotMerge as error:
            raise Unprocessable(str(error)) from error
        memory = memory_with(agent, winner.uid)
        return Response(show_memory(memory), headers=etag(memory))


class AppSessions(AppView):
    @lists(
        SessionShown,
        "list_app_sessions",
        OpenApiParameter("status", str, enum=SessionStatus.values),
        BY_AGENT,
        of_user(),
    )
    def get(self, request: Request, app_id: str) -> Response:
        """All agents', the latest first."""
        agent = self.memory_agent(app_id)
        rows = chosen(AgentSession.objects.for_app(agent.app), request, status=SessionStatus.values)
        if user_id := user_asked(request):
            rows = rows.filter(user_id=user_id)
        return page(self, self.visible(agent, rows.select_related("agent")), SessionShown.show)


class AppSession(AppView):
    right = Right.GOVERN

    def session(self, agent: MemoryAgent, uid: UUID) -> AgentSession:
        return or_404(AgentSession.objects.for_app(agent.app).select_related("agent").filter(uid=uid).first())

    @extend_schema(responses=SessionShown, operation_id="get_app_session")
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        return Response(SessionShown.show(self.session(self.memory_agent(app_id), uid)))

    @extend_schema(responses={200: Purged}, operation_id="delete_app_session")
    def delete(self, request: Request, app_id: str, uid: UUID) -> Response:
        """With every text and turn, and what was learnt from them."""
        agent = self.agent_of(self.app_named(app_id))
        session = self.session(agent, uid)
        session.app = agent.app
        return Response(show_purged(agent.purge_session(session)))


class AppEvents(AppView):
    @lists(EventShown, "list_app_events", *EVENT_FILTERS, BY_AGENT)
    def get(self, request: Request, app_id: str) -> Response:
        """What its agents reported, the latest first."""
        agent = self.memory_agent(app_id)
        rows = events_asked(agent, request)
        if "session_id" in request.query_params:
            uid = as_uuid("session_id", request.query_params["session_id"])
            rows = rows.filter(session=or_404(AgentSession.objects.for_app(agent.app).filter(uid=uid).first()))
        return page(self, self.visible(agent, rows, by_agent="session__agent__name"), EventShown.show)


class AppCooldowns(AppView):
    @lists(CooldownShown, "list_app_cooldowns", BY_AGENT)
    def get(self, request: Request, app_id: str) -> Response:
        """Those that are not over, whichever agent reported them."""
        agent = self.memory_agent(app_id)
        rows = Cooldown.objects.for_app(agent.app).running(timezone.now()).select_related("agent", "session")
        return page(self, self.visible(agent, rows), CooldownShown.show)


class AppCooldown(AppView):
    @extend_schema(responses={200: Deleted}, operation_id="lift_app_cooldown")
    def delete(self, request: Request, app_id: str, uid: UUID) -> Response:
        """It may be done again at once."""
        agent = self.memory_agent(app_id)
        agent.lift_cooldown(or_404(Cooldown.objects.for_app(agent.app).filter(uid=uid).first()))
        return Response({"success": True, "deleted_count": 1})

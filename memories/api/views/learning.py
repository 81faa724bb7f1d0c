"""Agents' doors to learning: extractions and what they would find, rejections, lessons, entities."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.agent import AlreadyDecided, CannotBeStored
from memories.api.base import AgentView, AnyAnswer, found, text_answer
from memories.api.pages import chosen, page, user_asked
from memories.api.schema import lists, of_user, operation
from memories.api.shapes.learning import (
    EntityShown,
    ExtractionShown,
    PreviewAnswer,
    PreviewQuestion,
    RejectionShown,
    show_entity,
    show_extraction,
    show_preview,
    show_rejection,
)
from memories.api.shapes.memories import MemoryShown, MemoryStored, show_memory
from memories.api.views.memories import stored_answer
from memories.models import Decision, Entity, Extraction, ExtractionStatus, Memory, Mention, Rejection, RejectionKind
from memories.text.messages import Message
from memsite.http.exceptions import Conflict, Unprocessable


class Extractions(AgentView):
    @lists(
        ExtractionShown,
        "list_extractions",
        OpenApiParameter("status", str, enum=ExtractionStatus.values),
        OpenApiParameter("session_id", OpenApiTypes.UUID),
    )
    def get(self, request: Request) -> Response:
        """What was learnt, or is still to be learnt, from this agent's sessions."""
        rows = Extraction.objects.for_app(self.app).filter(session__agent=self.caller().agent)
        rows = self.of_session_asked(chosen(rows, request, status=ExtractionStatus.values))
        return page(self, rows.select_related("session", "resource"), show_extraction)


class RetryExtraction(AgentView):
    scope = "write"

    @operation(request=None, responses={202: ExtractionShown}, operation_id="retry_extraction")
    def post(self, request: Request, uid: UUID) -> Response:
        """Tries it again now, with all its attempts. 409 if it is done, or being worked on."""
        rows = Extraction.objects.for_app(self.app).filter(session__agent=self.caller().agent, uid=uid)
        row = found(rows.select_related("session", "resource").first())
        if not self.memory_agent().retry(row):
            raise Conflict(f"This extraction is {row.status}.")
        row.refresh_from_db()
        return Response(show_extraction(row), status=202)


class PreviewExtraction(AgentView):
    answers_anew = True
    scope = "write"

    @extend_schema(request=PreviewQuestion, responses=PreviewAnswer, operation_id="preview_extraction")
    def post(self, request: Request) -> Response:
        """What would be stored, and what refused, if this were said. Stores nothing."""
        body = self.read(PreviewQuestion)
        messages = [Message(item["role"], item["content"], item["at"], item["name"] or "") for item in body["messages"]]
        return Response(show_preview(self.memory_agent().preview(messages, body["user_id"])))


class Rejections(AgentView):
    @lists(
        RejectionShown,
        "list_rejections",
        OpenApiParameter("kind", str, enum=RejectionKind.values),
        OpenApiParameter("decision", str, enum=Decision.values),
    )
    def get(self, request: Request) -> Response:
        """What did not become a memory in this agent's sessions, and why."""
        mine = Q(session__agent=self.caller().agent) | Q(agent=self.caller().agent)
        rows = Rejection.objects.for_app(self.app).filter(mine).of_users(self.users())
        rows = chosen(rows, request, kind=RejectionKind.values, decision=Decision.values)
        return page(self, rows.select_related("memory", "edits", "session", "agent", "resource"), show_rejection)


class OverruleRejection(AgentView):
    shows = Memory
    scope = "operator"

    @operation(request=None, responses={201: MemoryStored, 200: MemoryStored}, operation_id="overrule_rejection")
    def post(self, request: Request, uid: UUID) -> Response:
        """Stores it after all. 409 if somebody has decided already, 422 if no text of it was kept."""
        rows = Rejection.objects.for_app(self.app).select_related("session__agent", "agent", "resource")
        try:
            outcome = self.memory_agent().overrule(found(rows.filter(uid=uid).first()))
        except AlreadyDecided as error:
            raise Conflict("This rejection is decided already.") from error
        except CannotBeStored as error:
            raise Unprocessable(str(error)) from error
        status, body = stored_answer(outcome)
        return Response(body, status=status)


class Lessons(AgentView):
    @lists(MemoryShown, "list_lessons", of_user())
    def get(self, request: Request) -> Response:
        """What users corrected and agents learnt, the latest first."""
        user_id = user_asked(request)
        rows = self.memory_agent().memories_of(user_id).of_user(user_id).active().lessons()
        return page(self, rows.select_related("session", "resource"), show_memory)


class LessonsFile(AgentView):
    scope = "read"
    content_negotiation_class = AnyAnswer

    @operation(
        responses={(200, "text/markdown"): OpenApiTypes.STR},
        parameters=[of_user()],
        operation_id="get_lessons_file",
    )
    def get(self, request: Request) -> HttpResponse:
        """The same as one Markdown file, grouped by subject."""
        text = self.memory_agent().lessons_file(user_asked(request))
        return text_answer(text)


class Entities(AgentView):
    @lists(EntityShown, "list_entities", OpenApiParameter("kind", str), OpenApiParameter("name", str))
    def get(self, request: Request) -> Response:
        """The named things that memories mention; `name` finds those that begin so."""
        allowed = self.memory_agent().memories_of().active().filter(pk=OuterRef("memory"))
        mentions = Mention.objects.for_app(self.app).filter(Exists(allowed), entity=OuterRef("pk"))
        counted = mentions.order_by().values("entity").annotate(number=Count("pk")).values("number")
        rows = Entity.objects.for_app(self.app).filter(Exists(mentions)).annotate(seen=Subquery(counted))
        if kind := request.query_params.get("kind"):
            rows = rows.filter(kind=kind)
        if name := request.query_params.get("name"):
            rows = rows.filter(name__istartswith=name)
        return page(self, rows, show_entity)


class MemoriesOfEntity(AgentView):
    @lists(MemoryShown, "list_entity_memories")
    def get(self, request: Request, uid: UUID) -> Response:
        """The memories that mention it."""
        entity = Entity.objects.for_app(self.app).filter(uid=uid).first()
        rows = self.memory_agent().memories_of().filter(mentions__entity=entity)
        found(entity if rows.exists() else None)
        return page(self, rows.select_related("session", "resource"), show_memory)

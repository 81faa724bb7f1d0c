"""Endpoints for learning and its review: extractions, rejections, rollbacks, lessons, entities, category summaries."""

from __future__ import annotations

import re
from difflib import unified_diff
from hashlib import sha256
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.http import HttpResponse
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from memories.api.base import AgentView, Answer, AnyAnswer, OperatorView, count_writes, or_404, text_answer
from memories.api.pagination import NO_CURSOR, Pages, chosen, page, user_asked, whole
from memories.api.schema import lists, of_user, operation, whole_number
from memories.api.serializers.learning import (
    CategoryShown,
    Decided,
    Decisions,
    EntityShown,
    ExtractionShown,
    NewRollback,
    PreviewAnswer,
    PreviewQuestion,
    RejectionShown,
    RewriteAsked,
    RollbackForeseen,
    RollbackShown,
    SummaryShown,
    SummaryVersionShown,
    VersionShown,
    show_category,
    show_foreseen,
    show_preview,
    show_rejection,
    show_summary,
)
from memories.api.serializers.memories import Ids, MemoryShown, MemoryStored, Reviewed, show_memory
from memories.api.views.memories import stored_answer
from memories.language.messages import Message
from memories.models import (
    Decision,
    Entity,
    Extraction,
    ExtractionStatus,
    Memory,
    Mention,
    Rejection,
    RejectionKind,
    Rollback,
    Summary,
)
from memories.services import AlreadyDecided, CannotBeStored, CannotRollBack, MemoryAgent, NoSuchSource
from memsite.http.exceptions import Conflict, Unprocessable
from memsite.tenancy.access import Right
from memsite.tenancy.idempotency import Slot
from memsite.tenancy.policy import CATEGORY_PATTERN

USER_ID = of_user("Of this end user; without it, of nobody in particular.")
MAX_VERSION = 10**9 - 1


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
        return page(self, rows.select_related("session", "resource"), ExtractionShown.show)


class RetryExtraction(AgentView):
    scope = "write"

    @operation(request=None, responses={202: ExtractionShown}, operation_id="retry_extraction")
    def post(self, request: Request, uid: UUID) -> Response:
        """Tries it again now, with all its attempts. 409 if it is done, or being worked on."""
        rows = Extraction.objects.for_app(self.app).filter(session__agent=self.caller().agent, uid=uid)
        row = or_404(rows.select_related("session", "resource").first())
        if not self.memory_agent().retry(row):
            raise Conflict(f"This extraction is {row.status}.")
        row.refresh_from_db()
        return Response(ExtractionShown.show(row), status=202)


class PreviewExtraction(AgentView):
    answers_anew = True
    stores_nothing = True
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
            outcome = self.memory_agent().overrule(or_404(rows.filter(uid=uid).first()))
        except AlreadyDecided as error:
            raise Conflict("This rejection was decided already: nothing is left to do.") from error
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
        return text_answer(self.memory_agent().lessons_file(user_asked(request)))


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
        return page(self, rows, EntityShown.show)


class MemoriesOfEntity(AgentView):
    @lists(MemoryShown, "list_entity_memories")
    def get(self, request: Request, uid: UUID) -> Response:
        """The memories that mention it."""
        entity = Entity.objects.for_app(self.app).filter(uid=uid).first()
        rows = self.memory_agent().memories_of().filter(mentions__entity=entity)
        or_404(entity if rows.exists() else None)
        return page(self, rows.select_related("session", "resource"), show_memory)


def asked_user(request: Request) -> str:
    """Return the end user it is about, "" for nobody in particular."""
    return user_asked(request) or ""


class Categories(AgentView):
    @lists(CategoryShown, "list_categories", USER_ID)
    def get(self, request: Request) -> Response:
        """By name: those with memories, and those with a summary."""
        known = self.memory_agent().categories(asked_user(request))
        # The cursor of a page is the name before it.
        given: str | None = request.query_params.get("cursor")
        if given is not None and not re.fullmatch(CATEGORY_PATTERN, given):
            raise ValidationError(NO_CURSOR)
        size = Pages("category", None).get_page_size(request)
        start = sum(category.name <= (given or "") for category in known)
        end, before = start + size, start - size
        here = request.build_absolute_uri()
        first = remove_query_param(here, "cursor")

        def after_place(place: int) -> str:
            return replace_query_param(here, "cursor", known[place - 1].name) if place > 0 else first

        return Response(
            {
                "results": [show_category(category) for category in known[start:end]],
                "next": after_place(end) if end < len(known) else None,
                "previous": after_place(before) if start else None,
            }
        )


class OneCategory(AgentView):
    @operation(responses=SummaryShown, parameters=[USER_ID], operation_id="get_category")
    def get(self, request: Request, name: str) -> Response:
        """What is known in it, written down. 404 where nothing is that all agents of the app may know."""
        summary = self.memory_agent().summary(name, asked_user(request))
        return Response(show_summary(or_404(summary)))


class CategoryText(AgentView):
    content_negotiation_class = AnyAnswer

    @operation(
        responses={(200, "text/markdown"): OpenApiTypes.STR}, parameters=[USER_ID], operation_id="get_category_text"
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        """The same as a Markdown file. 304 to an `If-None-Match` with its ETag."""
        summary = or_404(self.memory_agent().summary(name, asked_user(request)))
        tag = f'"{sha256(summary.content.encode()).hexdigest()[:32]}"'
        is_known = {tag, "*"} & {
            tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))
        }
        answer = HttpResponse(status=304) if is_known else text_answer(f"{summary.content}\n")
        answer["ETag"], answer["Cache-Control"] = tag, "private, no-cache"
        answer["Summary-Stored"] = "false" if summary.pk is None else "true"
        return answer


def version_of(agent: MemoryAgent, name: str, user_id: str, number: int) -> Summary:
    return or_404(agent.summary_versions(name, user_id).filter(version=number).first())


class Versions(AgentView):
    @lists(VersionShown, "list_category_versions", USER_ID)
    def get(self, request: Request, name: str) -> Response:
        """The latest first."""
        agent, user_id = self.memory_agent(), asked_user(request)
        rows = agent.summary_versions(name, user_id)
        if not rows.exists():
            or_404(agent.summary(name, user_id))
        return page(self, rows.defer("content"), VersionShown.show, ordering="-version")


class OneVersion(AgentView):
    @operation(responses=SummaryVersionShown, parameters=[USER_ID], operation_id="get_category_version")
    def get(self, request: Request, name: str, number: int) -> Response:
        """Doors to what is stored of one summary."""
        summary = version_of(self.memory_agent(), name, asked_user(request), number)
        return Response({**VersionShown.show(summary), "content": summary.content})


class Difference(AgentView):
    content_negotiation_class = AnyAnswer

    @operation(
        responses={(200, "text/x-diff"): OpenApiTypes.STR},
        parameters=[USER_ID, *(whole_number(name, 0, MAX_VERSION, required=True) for name in ("from", "to"))],
        operation_id="compare_category_versions",
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        """What changed from one version to another, as a unified diff."""
        agent, user_id = self.memory_agent(), asked_user(request)
        numbers = (whole(side, request.query_params.get(side, ""), MAX_VERSION) for side in ("from", "to"))
        old, new = (version_of(agent, name, user_id, number) for number in numbers)
        (before, was), (after, now) = (
            (f"{version.category}.md v{version.version}", f"{version.created_at:%Y-%m-%dT%H:%M:%SZ}")
            for version in (old, new)
        )
        texts = old.content.split("\n"), new.content.split("\n")
        lines = unified_diff(*texts, before, after, was, now, lineterm="")
        return text_answer("".join(f"{line}\n" for line in lines), "text/x-diff")


class Rewrite(AgentView):
    @operation(request=None, responses={202: RewriteAsked}, parameters=[USER_ID], operation_id="rewrite_category")
    def post(self, request: Request, name: str) -> Response:
        """Has the summary written anew soon. 422 where the app's policy keeps none (capture_summaries)."""
        agent, user_id = self.memory_agent(), asked_user(request)
        if not self.app.policy.capture_summaries:
            raise Unprocessable("This app keeps no summaries: its policy has capture_summaries off.")
        or_404(agent.summary(name, user_id))
        count_writes(agent, 1)
        agent.ask_rewrite(name, user_id)
        return Response({"category": name, "due": True}, status=202)


class ReviewMemories(OperatorView):
    right = Right.CURATE

    @extend_schema(request=Ids, responses={200: Reviewed}, operation_id="review_memories")
    def post(self, request: Request, app_id: str) -> Response:
        """Somebody has looked at them and lets them stand: they are not tagged unreviewed any more.

        Ids of nothing are passed over; `left` says of others why they are left as they are.
        """
        agent, body = self.agent_of(self.app_named(app_id)), self.read(Ids)
        pks = agent.memories().filter(uid__in=body["ids"]).order_by("pk").values_list("pk", flat=True)
        changed = agent.review_each(list(pks))
        return Response({"reviewed": changed.done, "left": dict(changed.left)})


class AppRejections(OperatorView):
    @lists(
        RejectionShown,
        "list_app_rejections",
        OpenApiParameter("kind", str, enum=RejectionKind.values),
        OpenApiParameter("decision", str, enum=Decision.values),
    )
    def get(self, request: Request, app_id: str) -> Response:
        """What did not become a memory of the app, and why. What waits for a person is quarantine or approval."""
        rows = Rejection.objects.for_app(self.app_named(app_id))
        rows = chosen(rows, request, kind=RejectionKind.values, decision=Decision.values)
        return page(self, rows.select_related("memory", "edits", "session", "agent", "resource"), show_rejection)


class DecideRejections(OperatorView):
    right = Right.CURATE

    @extend_schema(request=Decisions, responses={200: Decided}, operation_id="decide_rejections")
    def post(self, request: Request, app_id: str) -> Response:
        """Stores what was refused after all, reviewed by whoever decides; or leaves it out for good.

        Ids of nothing are passed over; `left` says of others why they are left as they are.
        """
        app, body = self.app_named(app_id), self.read(Decisions)
        rows = Rejection.objects.for_app(app).filter(uid__in=body["ids"]).order_by("uid")
        rows, agent = rows.select_related("session__agent", "agent", "resource"), self.agent_of(app)
        is_approval = body["action"] == "approve"
        changed = agent.overrule_each(rows) if is_approval else agent.confirm_each(rows, body["reason"])
        return Response({"decided": changed.done, "left": dict(changed.left)})


class Rollbacks(OperatorView):
    creates = True
    right = Right.CURATE

    @lists(RollbackShown, "list_rollbacks")
    def get(self, request: Request, app_id: str) -> Response:
        """What was taken back, by whom and how far that is, the latest first."""
        return page(self, Rollback.objects.for_app(self.app_named(app_id)), RollbackShown.show)

    @extend_schema(request=NewRollback, responses={201: RollbackShown, 200: RollbackForeseen}, operation_id="roll_back")
    def post(self, request: Request, app_id: str) -> Response:
        """Takes back everything that came from one source; with `dry_run` only says what that would be (200).

        Nothing is deleted: memories are withdrawn and can be restored. What is much is finished in the background.
        """
        app, body = self.app_named(app_id), self.read(NewRollback)
        agent, source = self.agent_of(app), (body["what"], body["source"], body["since"])

        def roll_back(slot: Slot) -> Answer:
            row = agent.roll_back(*source, body["reason"], begun=lambda row: slot.keep(201, RollbackShown.show(row)))
            slot.keep_instead(201, answer := RollbackShown.show(row))
            return 201, answer

        try:
            if body["dry_run"]:
                return Response(show_foreseen(agent.foresee(*source)))
            return self.create_once(roll_back)
        except NoSuchSource as error:
            raise NotFound(str(error)) from error
        except CannotRollBack as error:
            raise Unprocessable(str(error)) from error

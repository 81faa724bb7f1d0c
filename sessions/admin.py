"""What operators see of what was said. A session's title may be changed; all else is as it came."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Length, Substr
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memsite.admin_site import (
    LIST_CHARACTERS,
    AgentFilter,
    AppFilter,
    ReadOnlyAdmin,
    SiteAdmin,
    Table,
    column,
    columns,
    link_to,
    list_url,
    raw,
    shorten,
    show_time,
)
from sessions.models import AgentSession, Event, Resource, Turn

TURNS_SHOWN = 20
CREATED = ("created_at", admin.DateFieldListFilter)


def start_of(field: str) -> Any:
    """Return enough of a long text to list it, without reading all of it."""
    return Substr(field, 1, LIST_CHARACTERS + 1)


class OfSession:
    """Columns of a row that belongs to a session."""

    session_link = column("session", lambda row: link_to(row.session), "session")


@admin.register(AgentSession)
class AgentSessionAdmin(SiteAdmin[AgentSession]):
    dashboard_page = "sessions-one"
    forbidden = ("add", "delete")
    list_display = ["name", "agent_shown", "status", "tier", "user_id", "started_at", "ended_at"]
    list_filter = [("app", AppFilter), "status", "tier", ("agent", AgentFilter)]
    list_select_related = ["app", "agent__app"]
    search_fields = ["title", "external_id"]
    ordering = ["-id"]
    readonly_fields = columns(
        "app agent_shown external_id uid status end_reason tier user_id environment_shown started_at "
        "heartbeat_at ended_at records"
    )
    fields = ["title", *readonly_fields]

    name = column("session", lambda session: shorten(str(session)), "title")
    agent_shown = column("agent", lambda session: link_to(session.agent, session.agent.full_name), "agent__name")
    environment_shown = column("environment", lambda session: raw(session.environment))

    @admin.display(description="see its")
    def records(self, session: AgentSession) -> SafeString:
        return format_html(
            '<a href="{}">memories</a>, <a href="{}">texts</a>, <a href="{}">events</a>',
            list_url("memories_memory", session__id__exact=session.pk),
            list_url("agent_sessions_resource", session__id__exact=session.pk),
            list_url("agent_sessions_event", session__id__exact=session.pk),
        )

    def tables(self, obj: AgentSession) -> list[Table]:
        turns = Turn.objects.for_app(obj.app).filter(session=obj).order_by("-number")
        rows = turns.annotate(asked=start_of("user_input"), answered=start_of("llm_output"))
        values = rows.values_list("pk", "number", "asked", "answered", "created_at")[:TURNS_SHOWN]
        return [
            Table(
                f"The last {TURNS_SHOWN} turns",
                ("Turn", "User", "Agent", "When"),
                [
                    (link_to(Turn(pk=pk), number), shorten(question), shorten(answered), show_time(created_at))
                    for pk, number, question, answered, created_at in values
                ],
                more_url=list_url("agent_sessions_turn", session__id__exact=obj.pk),
            )
        ]

    def save_model(self, request: HttpRequest, obj: AgentSession, form: Any, change: bool) -> None:
        """Save the title alone: a heartbeat may have come meanwhile."""
        obj.save(update_fields=["title"])


@admin.register(Turn)
class TurnAdmin(OfSession, ReadOnlyAdmin[Turn]):
    list_display = ["id", "number", "session_link", "asked", "answered", "app", "created_at"]
    list_filter = [("app", AppFilter), CREATED]
    list_select_related = ["app", "session"]
    search_fields = ["user_input", "llm_output", "session__external_id"]
    fields = columns(
        "app session number created_at user_input_shown llm_output_shown tool_calls_shown "
        "internal_state_shown fingerprint"
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        rows = super().get_queryset(request).defer("user_input", "llm_output", "tool_calls", "internal_state")
        return rows.annotate(asked_start=start_of("user_input"), answered_start=start_of("llm_output"))

    asked = column("user", lambda turn: shorten(turn.asked_start))
    answered = column("agent", lambda turn: shorten(turn.answered_start))
    user_input_shown = column("user input", lambda turn: raw(turn.user_input))
    llm_output_shown = column("LLM output", lambda turn: raw(turn.llm_output))
    tool_calls_shown = column("tool calls", lambda turn: raw(turn.tool_calls))
    internal_state_shown = column("internal state", lambda turn: raw(turn.internal_state))


@admin.register(Resource)
class ResourceAdmin(OfSession, ReadOnlyAdmin[Resource]):
    list_display = ["id", "role", "text", "length", "app", "session_link", "content_at"]
    list_filter = [("app", AppFilter), "role", CREATED]
    list_select_related = ["app", "session"]
    search_fields = ["raw_content", "source_key"]
    fields = columns(
        "app uid session turn_number role speaker content_type content_at utc_offset created_at source_key "
        "memories raw_content_shown"
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Resource]:
        rows = super().get_queryset(request).defer("raw_content")
        return rows.annotate(start=start_of("raw_content"), characters=Length("raw_content"))

    text = column("text", lambda resource: shorten(resource.start))
    length = column("characters", lambda resource: f"{resource.characters:,}")

    @admin.display(description="see its")
    def memories(self, resource: Resource) -> SafeString:
        return format_html('<a href="{}">memories</a>', list_url("memories_memory", resource__id__exact=resource.pk))

    raw_content_shown = column("text", lambda resource: raw(resource.raw_content))


@admin.register(Event)
class EventAdmin(OfSession, ReadOnlyAdmin[Event]):
    dashboard_page, dashboard_args = "events", ()
    list_display = ["id", "level", "service", "text", "app", "session_link", "created_at"]
    list_filter = [("app", AppFilter), "level", CREATED]
    list_select_related = ["app", "session"]
    search_fields = ["message", "service"]
    fields = columns("app uid level service message_shown session turn_number memory created_at")

    text = column("message", lambda event: shorten(event.message))
    message_shown = column("message", lambda event: raw(event.message))

    @admin.display(description="memory")
    def memory(self, event: Event) -> str:
        if event.memory_uid is None:
            return "-"
        url = list_url("memories_memory", uid__exact=event.memory_uid)
        return format_html('<a href="{}">{}</a>', url, event.memory_uid)

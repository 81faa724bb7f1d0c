"""Agents' endpoints for sessions: turns, messages, the live stream, events, resources, feedback, hooks, prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import BESIDE, AgentView, Answer, AnyAnswer, or_404, text_answer
from memories.api.pagination import chosen, page, range_asked, whole
from memories.api.schema import lists, operation, whole_number
from memories.api.serializers.apps import Purged, show_purged
from memories.api.serializers.memories import show_tagged
from memories.api.serializers.sessions import (
    Answered,
    Checkpoint,
    EndOfSession,
    EventShown,
    FeedbackShown,
    HookAnswer,
    HookEvent,
    JobsRun,
    Messages,
    MessagesStored,
    NewSession,
    Recovered,
    ReplayShown,
    ResourceShown,
    SessionEnded,
    SessionShown,
    SessionStarted,
    StreamReport,
    TurnShown,
    TurnStored,
    show_feedback,
    show_hook,
    show_resource,
    show_trigger,
    show_turn,
)
from memories.api.streaming import Unread, body_chunks
from memories.capture.ingest_messages import Captured
from memories.language.messages import Message
from memories.services import ForeignSession, MemoryAgent
from memsite.http.exceptions import Conflict
from memsite.tenancy.access import of_users
from memsite.tenancy.idempotency import Slot
from memsite.tenancy.policy import Block
from memsite.tenancy.scoping import ScopedQuerySet
from memsite_client.claude import own_words
from sessions.checkpoints import DifferentCheckpoint, NoTurnLeft, recover, replay
from sessions.models import MAX_TURN, AgentSession, Event, Level, Resource, Role, SessionStatus, Turn
from sessions.recording import Said, SaidOtherwise, source_key, stored_before

MOST_ASKED = 10**10 - 1
"""What has more digits than any turn is no number of one."""
CLIENT = "claude-code"
# A question is made of the last few messages; of a pasted file its beginning tells what it is.
QUESTION_MESSAGES, QUESTION_CHARACTERS = 5, 10_000
TITLE_CHARACTERS, REASON_CHARACTERS, CWD_CHARACTERS = 500, 200, 4096
HookPayload = Mapping[str, Any]


class Sessions(AgentView):
    creates = True
    only_adds = ("POST",)

    @lists(SessionShown, "list_sessions", OpenApiParameter("status", str, enum=SessionStatus.values))
    def get(self, request: Request) -> Response:
        """This agent's, the latest first."""
        rows = AgentSession.objects.for_app(self.app).filter(of_users(self.users()), agent=self.caller().agent)
        rows = chosen(rows, request, status=SessionStatus.values)
        return page(self, rows.select_related("agent"), SessionShown.show)

    @extend_schema(
        request=NewSession, responses={201: SessionStarted, 200: SessionStarted}, operation_id="start_session"
    )
    def post(self, request: Request) -> Response:
        """201 for a new session, 200 for one that is opened again by its `external_id`."""
        body, agent = self.read(NewSession), self.memory_agent()
        external_id = body.pop("external_id", None)

        def start() -> Answer:
            session, is_new = agent.open_session(external_id, body)
            greeting, zone = agent.start(session), self.app.policy.time_zone
            context = {
                "text": greeting.text,
                "tokens": greeting.tokens,
                "memories": [show_tagged(memory, greeting.tags(memory), zone) for memory in greeting.memories],
                "lessons": [show_tagged(memory, greeting.tags(memory), zone) for memory in greeting.lessons],
                "triggers": [show_trigger(due) for due in greeting.dues],
            }
            return 201 if is_new else 200, {
                **SessionShown.show(session),
                "context": context,
                "jobs_run": greeting.jobs_run,
            }

        return self.create_in_transaction(start)


class OneSession(AgentView):
    @extend_schema(responses=SessionShown, operation_id="get_session")
    def get(self, request: Request, uid: UUID) -> Response:
        return Response(SessionShown.show(self.session(uid)))

    @extend_schema(responses={200: Purged}, operation_id="delete_session")
    def delete(self, request: Request, uid: UUID) -> Response:
        """For good, with every text and turn, and what was learnt from them."""
        return Response(show_purged(self.memory_agent().purge_session(self.session(uid))))


class Heartbeat(AgentView):
    scope = "create"

    @operation(request=None, responses=JobsRun, operation_id="heartbeat")
    def post(self, request: Request, uid: UUID) -> Response:
        return Response({"jobs_run": self.memory_agent().heartbeat(self.session(uid))})


class End(AgentView):
    scope = "create"

    @extend_schema(request=EndOfSession, responses={202: SessionEnded}, operation_id="end_session")
    def post(self, request: Request, uid: UUID) -> Response:
        """An ended session stays ended; what still arrives for it is kept."""
        session, body = self.session(uid), self.read(EndOfSession)
        pending = self.memory_agent().end(session, body["reason"])
        return Response({"status": SessionStatus.ENDED, "pending": pending}, status=202)


class Turns(AgentView):
    @lists(TurnShown, "list_turns")
    def get(self, request: Request, uid: UUID) -> Response:
        rows = Turn.objects.for_app(self.app).filter(session=self.session(uid))
        return page(self, rows, show_turn, ordering="number")


class OneTurn(AgentView):
    only_adds = ("PUT",)

    def to_keep(self, response: Response) -> Answer:
        """Without what was said in it: that stands in the turn, and nowhere else when it is blanked out of it."""
        status, body = super().to_keep(response)
        return status, {name: body[name] for name in ("captured", BESIDE)}

    def repeated(self, saved: dict[str, Any]) -> dict[str, Any]:
        rows = Turn.objects.for_app(self.app).filter(session=self.session(self.kwargs["uid"]))
        return {**show_turn(or_404(rows.filter(number=self.kwargs["number"]).first())), **saved}

    @extend_schema(responses=TurnShown, operation_id="get_turn")
    def get(self, request: Request, uid: UUID, number: int) -> Response:
        rows = Turn.objects.for_app(self.app).filter(session=self.session(uid), number=number)
        return Response(show_turn(or_404(rows.first())))

    @extend_schema(request=Checkpoint, responses={201: TurnStored, 200: TurnStored}, operation_id="store_turn")
    def put(self, request: Request, uid: UUID, number: int) -> Response:
        """201 when new, 200 when the same is stored already, 409 when something else is; 400: it says nothing."""
        if not 1 <= number <= MAX_TURN:
            raise ValidationError({"turn_number": [f"From 1 to {MAX_TURN}."]})
        session, body = self.session(uid), self.read(Checkpoint)
        try:
            turn, is_new, captured = self.memory_agent().checkpoint(session, number, body)
        except DifferentCheckpoint as error:
            raise Conflict("This turn is stored already, with another body.") from error
        return Response({**show_turn(turn), "captured": captured.counts()}, status=201 if is_new else 200)


class Replay(AgentView):
    @operation(
        responses=ReplayShown,
        parameters=[whole_number("turn", 0, MOST_ASKED, required=True)],
        operation_id="replay_session",
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """The state after a turn, and the turns that led there."""
        number = whole("turn", request.query_params.get("turn", ""), MOST_ASKED)
        then = or_404(replay(self.session(uid), number))
        turns = [show_turn(turn) for turn in then.turns]
        return Response({"turn_number": then.turn_number, "state": then.state, "turns": turns})


class Recover(AgentView):
    @extend_schema(responses=Recovered, operation_id="recover_session")
    def get(self, request: Request, uid: UUID) -> Response:
        """The last checkpoint, to go on from after a crash."""
        turn = recover(self.session(uid))
        if turn is None:
            return Response({"turn_number": 0, "state": {}, "checkpoint": None})
        return Response({"turn_number": turn.number, "state": turn.internal_state, "checkpoint": show_turn(turn)})


class MessagesOfSession(AgentView):
    scope = "create"
    creates = True

    @extend_schema(request=Messages, responses={202: MessagesStored}, operation_id="add_messages")
    def post(self, request: Request, uid: UUID) -> Response:
        """Keeps what was said, outside of turns, and captures the agent's markers.

        Sent again under its `external_id` it is the same message; 409, and nothing is kept, if it says something else.
        """
        session, body = self.session(uid), self.read(Messages)
        messages = [said_of(message, is_only=True) for message in body["messages"]]

        def store(slot: Slot) -> Answer:
            answer: dict[str, Any] = {}

            def keep(captured: Captured) -> None:
                ids = [resource.uid for resource in captured.resources]
                answer["resource_ids"] = ids + stored_before(session, messages, captured.resources)
                answer["captured"] = captured.counts()
                answer["extraction"] = {"queued": captured.queued}
                slot.keep(202, answer)

            try:
                self.memory_agent().capture_messages(session, messages, keep)
            except SaidOtherwise as error:
                raise Conflict(str(error)) from error
            return 202, answer

        return self.create_once(store)


def said_of(message: Mapping[str, Any], *, is_only: bool = False) -> Said:
    """`is_only`: whether its `external_id` is no other's, as far as it has one."""
    key = source_key(message["external_id"], text=message["content"])
    is_only = is_only and key is not None
    return Said(message["role"], message["content"], key, message["at"], None, is_only, message["name"] or "")


class Stream(AgentView):
    scope = "create"
    creates = True
    parser_classes = [Unread]
    takes_endless_bodies = True

    @extend_schema(
        request={"application/x-ndjson": OpenApiTypes.BINARY},
        responses=StreamReport,
        operation_id="stream_session",
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """stream-json of an agent, one event a line; stored as it comes in, of any length.

        A line that cannot be read is reported with its number and costs no other. Sent again, it changes nothing, as
        far as its lines carry ids; with an `Idempotency-Key`, also of lines without, and of what broke off before.
        409 when the session has no number left for another turn.
        """
        session = self.session(uid)

        def take(slot: Slot, chunks: Iterator[bytes]) -> Answer:
            try:
                return 200, self.memory_agent().capture_stream(session, slot.name).run(chunks).as_dict()
            except NoTurnLeft as error:
                raise Conflict(str(error)) from error

        return self.create_as_read(body_chunks(request), take)


EVENT_FILTERS = (
    OpenApiParameter("level", str, enum=Level.values),
    OpenApiParameter("service", str),
    OpenApiParameter("session_id", OpenApiTypes.UUID),
)


class Events(AgentView):
    @lists(EventShown, "list_events", *EVENT_FILTERS)
    def get(self, request: Request) -> Response:
        return page(self, self.of_session_asked(events_asked(self.memory_agent(), request)), EventShown.show)


def events_asked(agent: MemoryAgent, request: Request) -> ScopedQuerySet[Event]:
    """Return the events of all sessions that the query string asks for, with their sessions.

    Not those about a memory that the caller may not see by now; where users are kept apart, not those about a memory of
    anybody but the session's own.
    """
    visible = agent.memories().filter(uid=OuterRef("memory_uid")).order_by()
    if agent.users() is not None:
        visible = visible.filter(Q(user_id=None) | Q(user_id=OuterRef("session__user_id")))
    # Not by EXISTS, for which PostgreSQL would read all of the app's memories first.
    rows = Event.objects.for_app(agent.app).alias(visible=Subquery(visible.values("pk")[:1]))
    rows = rows.filter(Q(memory_uid=None) | Q(visible__isnull=False))
    if "service" in request.query_params:
        rows = rows.filter(service=request.query_params["service"])
    return chosen(rows, request, level=Level.values).select_related("session")


SAID_BETWEEN = (
    OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only what was said from here on."),
    OpenApiParameter("until", OpenApiTypes.DATETIME, description="Only what was said before this."),
)


class Resources(AgentView):
    @lists(ResourceShown, "list_resources", OpenApiParameter("session_id", OpenApiTypes.UUID), *SAID_BETWEEN)
    def get(self, request: Request) -> Response:
        """Raw text as it came, of this agent's sessions, from all times or of what was said in a range."""
        rows = Resource.objects.for_app(self.app).filter(session__agent=self.caller().agent, session__purged_at=None)
        since, until = range_asked(request, "since", "until") or (None, None)
        rows = rows.filter(content_at__gte=since) if since else rows
        rows = rows.filter(content_at__lt=until) if until else rows
        return page(self, self.of_session_asked(rows).select_related("session"), show_resource)


class ClaudeCodeHook(AgentView):
    answers_anew = True
    scope = "create"

    @extend_schema(request=HookEvent, responses=HookAnswer, operation_id="claude_code_hook")
    def post(self, request: Request) -> Response:
        """For hooks of type `http`, and for `memsite hook`: takes the JSON of any event, answers as a hook does."""
        event = self.read(HookEvent)
        return Response(show_hook(event["hook_event_name"], self.text_for(event)))

    def text_for(self, event: HookPayload) -> str:
        agent, name, messages = self.memory_agent(), event["hook_event_name"], spoken(event)
        if name == "SessionEnd" and not messages and not agent.has_session(event["session_id"]):
            # Commands such as `claude mcp list` tell of the end of a session that never began.
            return ""
        is_resumed = event["source"] == "resume"
        # One that is forked off tells of the other as resumed, and never of its end.
        session, is_new = open_for(agent, event, wakes=bool(messages) or not is_resumed)
        is_asked = name == "UserPromptSubmit"
        is_greeted = name == "SessionStart" or (is_asked and is_new)
        texts = [agent.start(session, goes_on=is_resumed).text] if is_greeted else []
        if messages:
            agent.capture_messages(session, messages)
        if is_asked:
            texts.append(recalled(agent, session))
        elif name == "Stop" and (answer := event["last_assistant_message"] or "").strip():
            prompts = conversation(session).filter(role=Role.USER).order_by("-pk").values_list("raw_content", flat=True)
            agent.judge_response(session, max(1, turn_number(session)), answer, prompts.first() or "")
        elif name == "SessionEnd":
            agent.end(session, (event["reason"] or "")[:REASON_CHARACTERS])
        return "\n\n".join(filter(None, texts))


def open_for(agent: MemoryAgent, event: HookPayload, *, wakes: bool) -> tuple[AgentSession, bool]:
    """Return the session of the event. It stays with whom it began, where its agent goes on in another folder."""
    # What it is known by, its working folder, and since when its agent sees what it was shown.
    cwd = (event["cwd"] or "")[:CWD_CHARACTERS]
    folder = cwd.replace("\\", "/").rstrip("/").rpartition("/")[2]
    known = {"title": folder[:TITLE_CHARACTERS], "environment": {"client": event["client"] or CLIENT, "cwd": cwd}}
    is_compacted = event["hook_event_name"] == "PreCompact" or event["source"] == "compact"
    fields = {**known, "shown_since": timezone.now()} if is_compacted else known
    try:
        return agent.open_session(event["session_id"], {**fields, "user_id": event["user_id"] or None}, wakes=wakes)
    except ForeignSession:
        return agent.open_session(event["session_id"], fields, wakes=wakes)


def spoken(event: HookPayload) -> list[Said]:
    """All that was said, as `memsite hook` has read it; or as much of it as the event tells by itself."""
    if "messages" in event:
        return [said_of(message) for message in event["messages"]]
    fields = {"UserPromptSubmit": (Role.USER, "prompt"), "Stop": (Role.ASSISTANT, "last_assistant_message")}
    role, field = fields.get(event["hook_event_name"], (Role.USER, ""))
    text = (event[field] or "") if field else ""
    text = own_words(text) if role == Role.USER else text
    return [Said(role, text, source_key(event["prompt_id"], text=text))] if text.strip() else []


def recalled(agent: MemoryAgent, session: AgentSession) -> str:
    """Search with the last question. Somebody waits for the answer: no model is asked to make the question."""
    last = list(conversation(session).order_by("-pk")[:QUESTION_MESSAGES])
    messages = [Message(text.role, text.raw_content[:QUESTION_CHARACTERS]) for text in reversed(last)]
    if not messages or messages[-1].role != Role.USER:
        return ""
    context = agent.context(
        Block.TURN, messages=messages, session=session, turn_number=turn_number(session), by_rules=True, unasked=True
    )
    return context.injected.text


def turn_number(session: AgentSession) -> int:
    """Return the number of the turn that runs: one for each time the user has spoken."""
    return conversation(session).filter(role=Role.USER).count()


def conversation(session: AgentSession) -> ScopedQuerySet[Resource]:
    spoken = Resource.objects.for_app(session.app).filter(session=session)
    return spoken.filter(role__in=(Role.USER, Role.ASSISTANT))


class Responses(AgentView):
    scope = "create"

    @extend_schema(request=Answered, responses=FeedbackShown, operation_id="judge_response")
    def post(self, request: Request, uid: UUID) -> Response:
        """Which of the memories this turn was given the answer used, and which it ignored; their priority follows.

        Each is judged once: the same answer sent again changes nothing, and tells nothing new. What the session was
        greeted with is ignored only when it ends.
        """
        session, body = self.session(uid), self.read(Answered)
        judged = self.memory_agent().judge_response(session, body["turn_number"], body["text"], body["question"])
        return Response(show_feedback(judged))


class Prompt(AgentView):
    scope = "read"
    content_negotiation_class = AnyAnswer

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR}, operation_id="get_prompt")
    def get(self, request: Request, tier: int) -> HttpResponse:
        """For the system prompt of a session of this tier: its task, and how to note down what it learns."""
        return text_answer(self.memory_agent().prompt(tier))

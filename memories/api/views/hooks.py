"""Claude Code's door: each event of a session becomes what MemoryAgent knows to do.

    SessionStart      → the greeting; where a session is resumed, what of it is new
    UserPromptSubmit  → what answers the prompt, and before it the greeting if the session has had none
    Stop              → what of that was used
    SessionEnd        → the end

and with each of them what was said is kept. Other events keep what was said, and are answered with nothing. After
PreCompact a summary stands for what the agent was shown: it may be shown again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.agent import MemoryAgent
from memories.api.base import AgentView
from memories.api.shapes.hooks import HookAnswer, HookEvent, show_hook
from memories.api.views.sessions import said_of
from memories.text.messages import Message
from memsite.tenancy.policy import Block
from memsite.tenancy.scoping import ScopedQuerySet
from memsite_client.claude.transcript import own_words
from sessions.models import AgentSession, Resource, Role
from sessions.recording import Said, source_key

CLIENT = "claude-code"
# A question is made of the last few messages; of a pasted file its beginning tells what it is.
QUESTION_MESSAGES, QUESTION_CHARACTERS = 5, 10_000
TITLE_CHARACTERS, REASON_CHARACTERS, CWD_CHARACTERS = 500, 200, 4096

Event = Mapping[str, Any]


class ClaudeCodeHook(AgentView):
    answers_anew = True
    scope = "write"

    @extend_schema(request=HookEvent, responses=HookAnswer, operation_id="claude_code_hook")
    def post(self, request: Request) -> Response:
        """For hooks of type `http`, and for `memsite hook`: takes the JSON of any event, answers as a hook does."""
        event = self.read(HookEvent)
        return Response(show_hook(event["hook_event_name"], self.text_for(event)))

    def text_for(self, event: Event) -> str:
        agent, name, said = self.memory_agent(), event["hook_event_name"], spoken(event)
        if name == "SessionEnd" and not said and not agent.has_session(event["session_id"]):
            # Commands such as `claude mcp list` tell of the end of a session that never began.
            return ""
        is_resumed = event["source"] == "resume"
        # One that is forked off tells of the other as resumed, and never of its end.
        session, is_new = agent.open_session(event["session_id"], about(event), wakes=bool(said) or not is_resumed)
        session = self.in_app(session)
        is_asked = name == "UserPromptSubmit"
        is_greeted = name == "SessionStart" or (is_asked and is_new)
        texts = [agent.start(session, goes_on=is_resumed).text] if is_greeted else []
        if said:
            agent.capture_messages(session, said)
        if is_asked:
            texts.append(recalled(agent, session))
        elif name == "Stop":
            judge(agent, session, event["last_assistant_message"] or "")
        elif name == "SessionEnd":
            agent.end(session, (event["reason"] or "")[:REASON_CHARACTERS])
        return "\n\n".join(filter(None, texts))


def about(event: Event) -> dict[str, Any]:
    """What the session is known by, the folder it is at work in; and since when its agent sees what it was shown."""
    cwd = (event["cwd"] or "")[:CWD_CHARACTERS]
    folder = cwd.replace("\\", "/").rstrip("/").rpartition("/")[2]
    known = {"title": folder[:TITLE_CHARACTERS], "environment": {"client": CLIENT, "cwd": cwd}}
    is_compacted = event["hook_event_name"] == "PreCompact" or event["source"] == "compact"
    return {**known, "shown_since": timezone.now()} if is_compacted else known


def spoken(event: Event) -> list[Said]:
    """All that was said, as `memsite hook` has read it; or as much of it as the event tells by itself."""
    if "messages" in event:
        return [said_of(message) for message in event["messages"]]
    told = {"UserPromptSubmit": (Role.USER, "prompt"), "Stop": (Role.ASSISTANT, "last_assistant_message")}
    role, field = told.get(event["hook_event_name"], (Role.USER, ""))
    text = (event[field] or "") if field else ""
    text = own_words(text) if role == Role.USER else text
    return [Said(role, text, source_key(event["prompt_id"], text=text))] if text.strip() else []


def recalled(agent: MemoryAgent, session: AgentSession) -> str:
    """What is known of what was asked last. Somebody waits for it: no model is asked to make the question."""
    last = list(conversation(session).order_by("-pk")[:QUESTION_MESSAGES])
    messages = [Message(text.role, text.raw_content[:QUESTION_CHARACTERS]) for text in reversed(last)]
    if not messages or messages[-1].role != Role.USER:
        return ""
    context = agent.context(
        Block.TURN, messages=messages, session=session, turn_number=turn_number(session), by_rules=True
    )
    return context.injected.text


def judge(agent: MemoryAgent, session: AgentSession, answer: str) -> None:
    asked = conversation(session).filter(role=Role.USER).order_by("-pk").values_list("raw_content", flat=True).first()
    if answer.strip():
        agent.judge_response(session, max(1, turn_number(session)), answer, asked or "")


def turn_number(session: AgentSession) -> int:
    """The turn that runs: one for each time the user has spoken."""
    return conversation(session).filter(role=Role.USER).count()


def conversation(session: AgentSession) -> ScopedQuerySet[Resource]:
    spoken = Resource.objects.for_app(session.app).filter(session=session)
    return spoken.filter(role__in=(Role.USER, Role.ASSISTANT))

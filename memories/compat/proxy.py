"""Proxy in front of an operator's language model, for any chat client: inject the context, capture the turn.

`/proxy/openai/v1/chat/completions` and `/proxy/anthropic/v1/messages` speak the formats of OpenAI's and Anthropic's
APIs, streamed or not. What the client sends goes on to the model of the settings as it is, with a memory block in the
system prompt. The last user message is stored while the model thinks, and the answer right behind its end. Where the
process is killed just between, the conversation's next request brings the answer again, and it is stored then.
Trouble with memories never costs a client its answer: `X-Memsite-Memory` says what happened.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property, partial
from hashlib import sha256
from http import HTTPStatus
from threading import Event
from typing import Any, ClassVar

import httpx
import structlog
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, check_scope
from memories.compat.mem0 import Mem0Key
from memories.inject.pipeline import Injected, note_injected
from memories.language.messages import Message
from memories.models import Injection
from memories.providers.http import PROVIDER_NETWORKS, Refused, ServiceRefused, Within, checked_url
from memories.services import MemoryAgent
from memories.services.sessions import Greeting
from memsite.config.conf import get_conf
from memsite.db.lru_cache import Latest
from memsite.db.prepared import Prepared
from memsite.http.bodies import Places
from memsite.http.middleware import let_go
from memsite.tenancy.models import Agent, App, Scope
from memsite.tenancy.policy import Block
from memsite.tenancy.row_level_security import confined
from sessions.models import AgentSession, Resource, Role, SessionStatus
from sessions.recording import Said, name_in, names_stored, source_key

log = structlog.get_logger("memories.proxy")
USER_HEADER, SESSION_HEADER, MEMORY_HEADER = "X-Memsite-User", "X-Memsite-Session", "X-Memsite-Memory"
MOST_IN_NAME, TITLE_CHARACTERS = 200, 80
QUESTION_MESSAGES, QUESTION_CHARACTERS = 5, 10_000
CONNECT_SECONDS, SILENCE_SECONDS, SEND_SECONDS = 10.0, 600.0, 0.1
"""A model may think for minutes before its first word."""
MOST_ANSWER_BYTES = 32 * 2**20
"""Of an answer in one piece, and of one event of a streamed one."""
MOST_CAPTURED = 1_000_000
"""Characters of an answer that are captured."""
PASSED_ON = ("Content-Type", "Retry-After", "Request-Id", "X-Request-Id")
CLIENT = "proxy"
GREETING_SECONDS = 60
greetings: Latest[Greeting] = Latest(256)
answering = Places(2, "Too many answers are under way. Ask again in a moment.")


class ModelAway(APIException):
    status_code = HTTPStatus.BAD_GATEWAY
    default_code = "model_away"


class Format(ABC):
    """The format of one API: where a model of it is, and where in its messages text stands."""

    name: ClassVar[str]
    header_names: ClassVar[tuple[str, ...]] = ()
    """Of a client's headers that go on to the model."""

    @abstractmethod
    def address(self) -> tuple[str, str]:
        """Return the base URL and the key of the settings, as far as they are set."""

    @abstractmethod
    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that the key is sent in."""

    @abstractmethod
    def with_block(self, body: Mapping[str, Any], block: str) -> dict[str, Any]:
        """Return the request with a memory block in its system prompt."""

    @abstractmethod
    def user_of(self, body: Mapping[str, Any]) -> Any:
        """Return the end user that a request names, if it does."""

    @abstractmethod
    def answer_of(self, body: Mapping[str, Any]) -> Any:
        """Return the text of an answer in one piece."""

    @abstractmethod
    def piece_of(self, event: Mapping[str, Any]) -> Any:
        """Return the text of an event of a streamed answer."""

    @abstractmethod
    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return the body of an error."""


class OpenAIFormat(Format):
    name = "openai"
    header_names = ("OpenAI-Organization", "OpenAI-Project", "OpenAI-Beta")

    def address(self) -> tuple[str, str]:
        return get_conf().proxy_openai_url, get_conf().proxy_openai_api_key

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def with_block(self, body: Mapping[str, Any], block: str) -> dict[str, Any]:
        messages = list(body["messages"])
        if messages and messages[0].get("role") in ("system", "developer"):
            messages[0] = {**messages[0], "content": extended(messages[0].get("content"), block)}
        else:
            messages.insert(0, {"role": "system", "content": block})
        return {**body, "messages": messages}

    def user_of(self, body: Mapping[str, Any]) -> Any:
        return body.get("user")

    def answer_of(self, body: Mapping[str, Any]) -> Any:
        return first(body.get("choices")).get("message", {}).get("content")

    def piece_of(self, event: Mapping[str, Any]) -> Any:
        return first(event.get("choices")).get("delta", {}).get("content")

    def error(self, status: int, message: str) -> dict[str, Any]:
        kind = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}


class AnthropicFormat(Format):
    name = "anthropic"
    header_names = ("anthropic-version", "anthropic-beta")

    def address(self) -> tuple[str, str]:
        return get_conf().proxy_anthropic_url, get_conf().proxy_anthropic_api_key

    def headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key} if key else {}

    def with_block(self, body: Mapping[str, Any], block: str) -> dict[str, Any]:
        return {**body, "system": extended(body.get("system"), block)}

    def user_of(self, body: Mapping[str, Any]) -> Any:
        metadata = body.get("metadata")
        return metadata.get("user_id") if isinstance(metadata, dict) else None

    def answer_of(self, body: Mapping[str, Any]) -> Any:
        return text_of(body.get("content"))

    def piece_of(self, event: Mapping[str, Any]) -> Any:
        delta = event.get("delta")
        return delta.get("text") if isinstance(delta, dict) else None

    def error(self, status: int, message: str) -> dict[str, Any]:
        kind = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "api_error"
        return {"type": "error", "error": {"type": kind, "message": message}}


def first(choices: Any) -> dict[str, Any]:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def extended(system: Any, block: str) -> Any:
    """Return a system prompt, a text or a list of parts, with the block behind it: what stands before may be cached."""
    if isinstance(system, list):
        return [*system, {"type": "text", "text": block}]
    return f"{system}\n\n{block}" if system else block


def text_of(content: Any) -> str:
    """Return the text of a message's content: a text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


@dataclass
class Conversation:
    """What a client sent, as a session: its last user message, the block for it, and in the end the answer."""

    agent: MemoryAgent
    name: str
    user_id: str | None
    title: str
    messages: list[Message]
    opened: AgentSession | None = None
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    blocks: Sequence[Injected] = ()
    is_finished: bool = False

    @cached_property
    def session(self) -> AgentSession:
        """Return the session, which is opened unless it goes on."""
        if self.opened:
            return self.opened
        fields = {"user_id": self.user_id, "title": self.title, "environment": {"client": CLIENT}}
        return self.agent.open_session(self.name, fields)[0]

    @property
    def question(self) -> str:
        """Return what the user said last; empty where the last message is a tool's result."""
        return self.messages[-1].content if self.messages and self.messages[-1].role == Role.USER else ""

    def block(self) -> str:
        """Return what the agent should know now: the greeting, and what else answers the question.

        The client does not send blocks of earlier requests again, so each request gets all of it.
        """
        user_id, now = self.user_id, timezone.now()
        last = self.messages[-QUESTION_MESSAGES:]
        recent = [replace(item, content=item.content[:QUESTION_CHARACTERS]) for item in last]
        greeting = greeting_of(self.agent, user_id, now)
        greeted = [memory.pk for memory in greeting.memories]
        recalled = self.agent.context(
            Block.TURN, messages=recent, user_id=user_id, by_rules=True, unasked=True, shown_pks=greeted
        )
        self.blocks = [*greeting.blocks, recalled.injected]
        return "\n\n".join(block.text for block in self.blocks if block.text)

    def capture_question(self) -> None:
        """Store what was asked, and note what the model is shown, each memory once a session."""
        known, now = set(Injection.objects.for_app(self.agent.app).into(self.session).memory_pks()), timezone.now()
        for block in self.blocks:
            note_injected(self.session, without_memories(block, known), None, now)
        if self.question.strip():
            self.agent.capture_messages(self.session, [*self.missed(), self.message_of(Role.USER, self.question)])

    def missed(self) -> list[Said]:
        """Return the answer before, if what it answers is stored and no answer to it. One query, if there is one."""
        *before, answer = self.messages[:-1] or [Message(Role.SYSTEM, "")]
        earlier = replace(self, messages=before)
        if answer.role != Role.ASSISTANT or not answer.content.strip() or not earlier.question.strip():
            return []
        question = earlier.message_of(Role.USER, earlier.question)
        reply = earlier.message_of(Role.ASSISTANT, answer.content)
        return [reply] if names_stored(self.session, [question, reply]) == {name_in(question.source_key)} else []

    def message_of(self, role: str, text: str) -> Said:
        """Return a message that is recognised when it is sent again after the same message."""
        before = [item.content for item in self.messages[:-1] if item.role in (Role.USER, Role.ASSISTANT)][-1:]
        context = before[0] if role == Role.USER and before else self.question if role == Role.ASSISTANT else ""
        return Said(role, text, source_key(f"{CLIENT}-{role}-{digest(context)}", text=text))

    def hear(self, piece: Any) -> None:
        if isinstance(piece, str) and self.size < MOST_CAPTURED:
            self.pieces.append(piece)
            self.size += len(piece)

    def finish(self) -> None:
        """Store the answer, once, and learn from it which memories were of use; what goes wrong is logged."""
        text = "".join(self.pieces)[:MOST_CAPTURED]
        if self.is_finished or not text.strip():
            return
        self.is_finished = True
        try:
            # The request is over, and with it what its thread may see.
            with confined(self.agent.app.pk):
                self.agent.capture_messages(self.session, [self.message_of(Role.ASSISTANT, text)])
                turns = Resource.objects.for_app(self.agent.app).filter(session=self.session, role=Role.USER).count()
                self.agent.judge_response(self.session, max(1, turns), text, self.question)
                # The next request need not wait for it.
                greeting_of(self.agent, self.user_id, timezone.now())
        except Exception:
            log.exception("answer_not_captured", app=self.agent.app.app_id)


def greeting_of(agent: MemoryAgent, user_id: str | None, now: datetime) -> Greeting:
    """Return the greeting, made anew after any change of the app's memories, and each minute."""
    change = App.objects.filter(pk=agent.app.pk).values_list("change_number", flat=True).get()
    key = (agent.app.pk, agent.agent and agent.agent.pk, user_id, change, int(now.timestamp() // GREETING_SECONDS))
    greeting = greetings.get(key)
    if greeting is None:
        greeting = agent.greeting(user_id, now)
        greetings.put(key, greeting)
    return greeting


def without_memories(block: Injected, pks: set[int]) -> Injected:
    """Return a block's memories and lines without those that were noted before."""
    new = [(memory, line) for memory, line in zip(block.memories, block.lines, strict=True) if memory.pk not in pks]
    return replace(block, memories=[memory for memory, _ in new], lines=tuple(line for _, line in new))


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def messages_in(body: Mapping[str, Any]) -> list[Message]:
    """Return the messages of a request as far as they have text; ValidationError where they are none."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(item, dict) for item in messages):
        raise ValidationError("messages: a list of at least one message.")
    read = [Message(str(item.get("role")), text_of(item.get("content"))) for item in messages]
    # A tool's result in Anthropic's format is a user's message without text.
    return [item for item in read if item.content.strip() or item.role != Role.USER]


def open_conversation(agent: MemoryAgent, request: Request, body: Mapping[str, Any], user: Any) -> Conversation:
    """Return the conversation: of the session that is named, or of that of the same first message and end user.

    A new session is opened once it is needed: a client waits for the block alone.
    """
    messages = messages_in(body)
    user_id = request.headers.get(USER_HEADER) or user or None
    name = request.headers.get(SESSION_HEADER)
    for header, value in ((USER_HEADER, user_id), (SESSION_HEADER, name)):
        if value is not None and not (
            isinstance(value, str) and 0 < len(value) <= MOST_IN_NAME and value.isprintable()
        ):
            raise ValidationError(f"{header}: a text of at most {MOST_IN_NAME} characters.")
    opening = next((item.content for item in messages if item.role == Role.USER), "")
    title = " ".join(opening[: 4 * TITLE_CHARACTERS].split())[:TITLE_CHARACTERS]
    name = name or f"{CLIENT}-{digest(f'{user_id}{chr(0)}{opening}')}"
    conversation = Conversation(agent, name, user_id, title, messages)
    assert agent.agent is not None
    for session in sessions_named(agent.app, agent.agent, name):
        # The app's policy came with the key.
        session.app = agent.app
        if session.status == SessionStatus.ACTIVE and session.user_id == user_id:
            # One that goes on is not written: what is said in it is a sign of life.
            conversation.opened = session
        else:
            conversation.user_id = conversation.session.user_id
    return conversation


@Prepared
def sessions_named(app: App, agent: Agent, name: str) -> QuerySet[AgentSession]:
    return AgentSession.objects.for_app(app).filter(agent_id=agent.pk, external_id=name)


@cache
def client() -> httpx.Client:
    """Return the connections to the models; only to addresses that `MEMSITE_PROVIDER_NETWORKS` allows."""
    timeout = httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    transport = Within(get_conf().provider_networks, PROVIDER_NETWORKS)
    return httpx.Client(transport=transport, timeout=timeout, follow_redirects=False)


@cache
def threads() -> ThreadPoolExecutor:
    """Return the threads that wait for models to begin, while what was asked is stored, and store answers."""
    return ThreadPoolExecutor(get_conf().web_threads, "proxy")


def finish_behind(conversation: Conversation) -> None:
    """Finish a conversation in another thread: to its client a stream has ended once this one is through."""
    if connection.in_atomic_block:  # Of a transaction around the request, as a test's.
        conversation.finish()
        return

    def finish() -> None:
        conversation.finish()
        let_go()

    threads().submit(finish)


def note_sent(is_sent: Event, step: str, _: Any) -> None:
    """Set the event after the step of a request, as httpcore names them, by which it has left."""
    if step.endswith("send_request_body.complete"):
        is_sent.set()


@dataclass(eq=False)
class StreamedAnswer:
    """Pass the events of an answer on as they come; once it is closed, what they said is stored.

    It takes one of the places of `answering`, and gives it back when it is closed.
    """

    response: httpx.Response
    form: Format
    conversation: Conversation | None
    is_open: bool = True

    def __iter__(self) -> Iterator[bytes]:
        waiting = b""
        try:
            for chunk in self.response.iter_bytes():
                *events, waiting = (waiting + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
                if events:
                    for event in events:
                        self.hear(event)
                    yield b"".join(event + b"\n\n" for event in events)
                if len(waiting) > MOST_ANSWER_BYTES:
                    raise httpx.ReadError("an event is too long")
            yield waiting
        except httpx.HTTPError as error:
            log.warning("proxy_answer_broken_off", error=type(error).__name__)
            message = "The model's answer broke off."
            yield b"data: " + json.dumps(self.form.error(HTTPStatus.BAD_GATEWAY, message)).encode() + b"\n\n"

    def hear(self, event: bytes) -> None:
        for line in event.split(b"\n"):
            if self.conversation is None or not line.startswith(b"data:"):
                continue
            self.conversation.hear(self.form.piece_of(object_in(line[5:].strip())))

    def close(self) -> None:
        """Let the model and the place go, and store what came of the answer."""
        if not self.is_open:
            return
        self.is_open = False
        answering.give_back()
        self.response.close()
        if self.conversation:
            finish_behind(self.conversation)


class WholeAnswer(HttpResponse):
    """An answer in one piece. It is stored once it is sent."""

    conversation: Conversation | None = None

    def close(self) -> None:
        super().close()
        if self.conversation:
            finish_behind(self.conversation)


def object_in(data: bytes) -> dict[str, Any]:
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


class ProxyView(AgentView):
    """Ask the model of the settings. Off, a 404, until an operator sets its address."""

    authentication_classes = [Mem0Key]
    schema = None
    is_lenient = True
    scope = Scope.READ
    form: Format = OpenAIFormat()
    path = ""

    def handle_exception(self, exc: Exception) -> Response:
        """Answer errors as the API does."""
        response = super().handle_exception(exc)
        response.data = self.form.error(response.status_code, str(response.data.get("detail", "")))
        response.content_type = "application/json"
        return response

    def ask(self, request: Request, content: bytes | None, is_sent: Event | None = None) -> httpx.Response:
        """Return the model's response, not read yet. ModelAway where there is none."""
        base, key = self.form.address()
        if not base:
            raise NotFound(f"The proxy is off: an operator sets MEMSITE_PROXY_{self.form.name.upper()}_URL.")
        sent = {name: request.headers[name] for name in self.form.header_names if name in request.headers}
        headers = {**sent, **self.form.headers(key), "Accept-Encoding": "identity", "Content-Type": "application/json"}
        root = base.rstrip("/").removesuffix("/v1")
        try:
            url = checked_url(f"{root}/v1/{self.path}")
            outgoing = client().build_request(request.method or "", url, content=content, headers=headers)
            if is_sent:
                outgoing.extensions["trace"] = partial(note_sent, is_sent)
            return client().send(outgoing, stream=True)
        except (Refused, ServiceRefused) as error:
            raise ModelAway(f"The model cannot be asked: {error}.") from error
        except httpx.HTTPError as error:
            log.warning("proxy_model_away", error=type(error).__name__)
            raise ModelAway("The model does not answer. Ask again later.") from error

    def passed_on(self, response: httpx.Response, conversation: Conversation | None) -> HttpResponseBase:
        """Return the model's response for the client. Takes over the place, and closes the response."""
        is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
        answer: HttpResponseBase
        if is_stream:
            answer = StreamingHttpResponse(
                StreamedAnswer(response, self.form, conversation), status=response.status_code
            )
            answer["Cache-Control"], answer["X-Accel-Buffering"] = "no-store", "no"
        else:
            body = self.whole(response)
            if conversation and response.is_success:
                conversation.hear(self.form.answer_of(object_in(body)))
            answer = WholeAnswer(body, status=response.status_code)
            answer.conversation = conversation if response.is_success else None
        for name in PASSED_ON:
            if name in response.headers:
                answer[name] = response.headers[name]
        return answer

    def whole(self, response: httpx.Response) -> bytes:
        """Return an answer in one piece."""
        parts, size = [], 0
        try:
            for chunk in response.iter_bytes():
                parts.append(chunk)
                size += len(chunk)
                if size > MOST_ANSWER_BYTES:
                    raise ModelAway("The model's answer is too long.")
        except httpx.HTTPError as error:
            raise ModelAway("The model's answer broke off.") from error
        finally:
            response.close()
            answering.give_back()
        return b"".join(parts)


class Chat(ProxyView):
    """A chat completion, or a message: with what is known, and kept."""

    def post(self, request: Request) -> HttpResponseBase:
        check_scope(self.caller(), Scope.WRITE)
        body = request.data
        if not isinstance(body, dict):
            raise ValidationError("The body is a JSON object.")
        user = self.form.user_of(body)
        conversation = open_conversation(self.memory_agent(), request, body, user)
        block, state = "", "used"
        try:
            block = conversation.block()
        except Exception:
            log.exception("proxy_without_block", app=self.app.app_id)
            state = "failed"
        sent = self.form.with_block(body, block) if block else body
        answering.take()
        try:
            is_sent = Event()
            pending = threads().submit(self.ask, request, json.dumps(sent).encode(), is_sent)
            pending.add_done_callback(lambda _: is_sent.set())
            # What is stored beside takes the processor from what asks.
            is_sent.wait(SEND_SECONDS)
            try:
                conversation.capture_question()
            except Exception:
                log.exception("question_not_captured", app=self.app.app_id)
                state = "failed"
            response = pending.result()
        except BaseException:
            answering.give_back()
            raise
        answer = self.passed_on(response, conversation)
        answer[MEMORY_HEADER] = state
        return answer


class Models(ProxyView):
    """The list of models, as the model's server answers it."""

    path = "models"

    def get(self, request: Request) -> HttpResponseBase:
        answering.take()
        try:
            response = self.ask(request, None)
        except BaseException:
            answering.give_back()
            raise
        return self.passed_on(response, None)

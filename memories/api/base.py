"""What all REST views share: the caller, its app, its rows, its idempotency keys, and what the policy lets it store."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.fields import StrictSerializer, app_zone, validated
from memories.api.pagination import as_uuid, refuse_secrets, refuse_unknown
from memories.models import FutureTrigger, Memory, Source, Status
from memories.models.memory import subject_of
from memories.services import BothSuperseded, ForeignSession, MemoryAgent
from memories.store import Candidate, LimitReached
from memsite.db.sqlite import WAITING
from memsite.http.exceptions import Conflict, EncodedBody, LengthRequired, PreconditionFailed, Unprocessable
from memsite.http.middleware import encoding_of
from memsite.tenancy.access import Right, Users, of_users, users_shown
from memsite.tenancy.authentication import Principal, takes_key_with
from memsite.tenancy.idempotency import Slot, fingerprint, idempotent
from memsite.tenancy.models import App, Scope
from memsite.tenancy.policy import AppPolicy
from memsite.tenancy.write_rate import check_writes
from sessions.models import AgentSession

Answer = tuple[int, Mapping[str, Any]]
Rows = TypeVar("Rows", bound=QuerySet[Any])
FOR_AGENTS = "This endpoint is for an agent's key: an operator's belongs to no app."
NO_SUCH_APP = "There is no such app, or it is not yours."
OURS = "/api/v1/"
BESIDE = ""
"""Under this name stands what is kept beside an answer."""
WITHOUT_BODY = ("GET", "HEAD", "DELETE")
Row = TypeVar("Row")
ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"|([^\s,"]+)')
"""Quoted, as it should be, or as a bare number."""


class AnyAnswer(DefaultContentNegotiation):
    """Accept `text/markdown` at endpoints that answer with text; problems are documents as everywhere."""

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def text_answer(text: str, media_type: str = "text/markdown") -> HttpResponse:
    """Return the response of such an endpoint."""
    return HttpResponse(text, content_type=f"{media_type}; charset=utf-8")


class Nothing(StrictSerializer):
    """No body, or an empty object."""


class View(APIView):
    """`scope` names what a key must be allowed to do: read, write, operator, or "by method"."""

    scope: str | None = None
    takes_endless_bodies = False
    takes_encoded_as: Collection[str] = ()
    is_lenient = False
    """Unknown query parameters do no harm: for other systems' clients."""
    creates = False
    """Whether its POST keeps its answer by itself, in the transaction that does the work."""
    answers_anew = False
    """Its POST is a question, or of a client that knows no `Idempotency-Key`: that says nothing to it."""
    only_adds: Collection[str] = ()
    """The methods that change nothing that is there: a key with the scope create is enough for them."""
    stores_nothing = False
    """Its POST is a question, though it takes a key that may write."""
    shows: type[Memory | FutureTrigger] | None = None
    """What stands in its answers, which are not kept once that is deleted."""
    shown_once: str | None = None
    """What is not kept of an answer, and null when it is repeated."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # Before anybody reads the body to see who asks.
        if (encoding := encoding_of(request._request)) and encoding not in self.takes_encoded_as:
            raise EncodedBody
        super().initial(request, *args, **kwargs)
        app = getattr(request.user, "app", None)
        app_zone.set(app.policy.time_zone if app else timezone.get_default_timezone())
        if request.method not in SAFE_METHODS and self.scope != Scope.READ and not self.stores_nothing:
            WAITING.refuse_excess()
        endless = "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH")
        if endless and not self.takes_endless_bodies:
            raise LengthRequired
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):  # 405, whatever it brings along
            return
        refuse_secrets(request, kwargs)
        handler = getattr(self, method)
        if not self.is_lenient:
            refuse_unknown(request, *getattr(handler, "takes", ()))
        has_stray_body = request.method in WITHOUT_BODY and request.META.get("CONTENT_LENGTH") not in (None, "", "0")
        if getattr(handler, "is_bodiless", False) or (has_stray_body and not self.is_lenient):
            self.read(Nothing)
        is_keyed = "HTTP_IDEMPOTENCY_KEY" in request.META and not (self.creates and request.method == "POST")
        if is_keyed and takes_idempotency_key(self, request.method or "", request.path_info):
            setattr(self, method, partial(self.answer_once, handler))

    def handle_exception(self, exc: Exception) -> Response:
        is_conflict = isinstance(exc, LimitReached | BothSuperseded | ForeignSession)
        return super().handle_exception(Conflict(str(exc)) if is_conflict else exc)

    def caller(self) -> Principal:
        return self.request.user  # type: ignore[return-value]  # our authenticators set a Principal

    def read(self, serializer: type[StrictSerializer]) -> dict[str, Any]:
        """Return the validated body; ValidationError names each wrong field."""
        return validated(serializer, self.request.data)

    def create_once(self, work: Callable[[Slot], Answer]) -> Response:
        """Return the response of `work(slot)`, or the stored one of the same Idempotency-Key.

        `work` calls `slot.keep` inside its transaction.
        """
        with self.slot(self.identity(self.request.data)) as slot:
            answer = slot.answer or work(slot)
        return slot_response(answer, slot)

    def answer_once(self, handler: Callable[..., Response], request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the operation's response, or the stored one of the same Idempotency-Key.

        It is stored when the work is done: a process that is killed just between the two does the work again.
        """
        with self.slot(self.identity(request.data)) as slot:
            if slot.answer is None:
                response = handler(request, *args, **kwargs)
                with transaction.atomic():
                    slot.keep(*self.to_keep(response))
                return response
        status, saved = slot.answer
        (_, etag), body = saved.pop(BESIDE), self.repeated(saved)
        return Response(body, status, headers={"Idempotency-Replayed": "true", **({"ETag": etag} if etag else {})})

    def to_keep(self, response: Response) -> Answer:
        """Return what is stored of a response, with its address: by that it is found when its subject is deleted."""
        body = {**response.data, BESIDE: [self.request.path, response.headers.get("ETag")]}
        if self.shown_once:
            body[self.shown_once] = None
        if self.shows and "id" in body:
            # Whoever deletes it waits for the row, and then finds the answer.
            rows = self.shows.objects.for_app(self.app_shown()).filter(uid=body["id"]).order_by("pk")
            if rows.select_for_update().values_list("pk", flat=True).first() is None:
                return HTTPStatus.GONE, {}
        return response.status_code, body

    def app_shown(self) -> App:
        """Return the app of what `shows` in the answer."""
        app = self.caller().app
        assert app is not None, "operators name an app"
        return app

    def repeated(self, saved: dict[str, Any]) -> dict[str, Any]:
        """Return the repeated response from what is stored of it."""
        return saved

    def create_as_read(self, chunks: Iterable[bytes], work: Callable[[Slot, Iterator[bytes]], Answer]) -> Response:
        """Do `create_once` for a body that is read piece by piece: its bytes identify it once the last has come."""
        digest = sha256()

        def pieces() -> Iterator[bytes]:
            for chunk in chunks:
                digest.update(chunk)
                slot.stay(timezone.now())
                yield chunk

        with self.slot(None) as slot:
            read = pieces()
            done = None if slot.past else work(slot, read)
            for _ in read:
                pass
            slot.repeat(fingerprint(self.identity(digest.hexdigest())))
            if done:
                slot.keep(*done)
            answer = slot.answer or done
        assert answer is not None
        return slot_response(answer, slot)

    def slot(self, identity: Mapping[str, Any] | None) -> AbstractContextManager[Slot]:
        caller = self.caller()
        kind = "key" if self.request.auth else "user"
        name = f"agent:{caller.agent.pk}" if caller.agent else f"{kind}:{caller.name}"
        return idempotent(name, self.request.headers.get("Idempotency-Key"), identity, timezone.now())

    def identity(self, body: Any) -> dict[str, Any]:
        """Return what tells this request from others."""
        request = self.request
        query = {"query": request.META["QUERY_STRING"]} if request.META.get("QUERY_STRING") else {}
        return {"method": request.method, "path": request.path, "body": body, **query}

    def create_in_transaction(self, work: Callable[[], Answer], *, once: str | None = None) -> Response:
        """Do `create_once` for work that is one short transaction without network calls.

        `once` names fields that are shown this once: they are not stored, and null when the response is repeated.
        """

        def keep(slot: Slot) -> Answer:
            with transaction.atomic():
                status, body = work()
                slot.keep(status, {**body, once: None} if once else body)
            return status, body

        return self.create_once(keep)


class AgentView(View):
    """An endpoint for agents: everything behind it belongs to the app of the key."""

    scope = "by method"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.caller().agent is None:
            raise PermissionDenied(FOR_AGENTS)

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        """Refuse an operator's key: it lacks more than a scope, which no scope would give it."""
        is_operators = request.user is not None and self.caller().agent is None
        super().permission_denied(request, FOR_AGENTS if is_operators else message, code)

    @property
    def app(self) -> App:
        app = self.caller().app
        assert app is not None
        return app

    def memory_agent(self) -> MemoryAgent:
        return agent_of(self.caller())

    def session(self, uid: UUID) -> AgentSession:
        rows = AgentSession.objects.for_app(self.app).select_related("agent")
        session = or_404(rows.filter(uid=uid, agent=self.caller().agent).first())
        # The app that came with the key has its policy: no further query for it.
        session.app = self.app
        return session

    def users(self) -> Users:
        """Return the end users whose rows may be shown where none is named, beside rows of none."""
        return users_shown(self.app, self.caller().agent)

    def of_session_asked(self, rows: Rows) -> Rows:
        """Filter by the session in the query string, and with it by its end user.

        Without one, return rows of all sessions with those `users` whose rows may be shown, or with none.
        """
        if "session_id" in self.request.query_params:
            uid = as_uuid("session_id", self.request.query_params["session_id"])
            return rows.filter(session=self.session(uid))
        return rows.filter(of_users(self.users(), "session__user_id"))


class OperatorView(View):
    """An endpoint for operators: of all apps, of those somebody is a member of, or (an agent's key) of its own.

    `right` is what it takes to change something here, `right_to_look` to see it.
    """

    scope = "operator"
    right = Right.GOVERN
    right_to_look = Right.READ

    def apps(self) -> QuerySet[App]:
        return self.caller().apps().select_related("policy")

    def agent_of(self, app: App) -> MemoryAgent:
        return MemoryAgent(app, None, self.caller().actor)

    def app_shown(self) -> App:
        return self.app_named(self.kwargs["app_id"])

    def app_named(self, app_id: str) -> App:
        """Return the app if the caller may do this in it. It is a 404 to those who may not see it."""
        app: App = or_404(self.apps().filter(app_id=app_id).first(), NO_SUCH_APP)
        self.check_right(app)
        return app

    def check_right(self, app: App) -> None:
        """Raise PermissionDenied for a member whose role may look at this but not change it."""
        caller = self.caller()
        wanted = self.right_to_look if self.request.method in SAFE_METHODS else self.right
        if wanted == Right.READ or caller.user is None:
            return
        if not caller.apps(wanted).filter(pk=app.pk).exists():
            raise PermissionDenied("Your role in this app does not allow that.")


def agent_of(caller: Principal) -> MemoryAgent:
    """Return the services for the agent whose key the caller has."""
    assert caller.app is not None, "operators belong to no app"
    agent = MemoryAgent(caller.app, caller.agent, caller.actor)
    agent.only_adds = Scope.WRITE not in caller.scopes
    return agent


def takes_idempotency_key(view: Any, method: str, path: str) -> bool:
    """Return whether an operation keeps its response: each of ours that changes stored data."""
    return method not in SAFE_METHODS and path.startswith(OURS) and not view.answers_anew


def slot_response(answer: Answer, slot: Slot) -> Response:
    status, body = answer
    return Response(body, status=status, headers={"Idempotency-Replayed": "true"} if slot.answer else None)


def or_404(row: Row | None, otherwise: str = "There is nothing with this id.") -> Row:
    """Return the row, or raise the same 404 for one that does not exist and one of another app."""
    if row is None:
        raise NotFound(otherwise)
    return row


def expected_version(request: Request, memory: Memory) -> int | None:
    """Return the version that `If-Match` names, alone or in a list; None without the header."""
    tags = request.headers.get("If-Match", "").strip()
    if tags in ("", "*"):
        return None
    if not any(str(memory.version) in tag for tag in ENTITY_TAG.findall(tags)):
        raise PreconditionFailed(f"It is at version {memory.version}, not at the one in the request: read it again.")
    return memory.version


def etag(memory: Memory) -> dict[str, str]:
    return {"ETag": f'"{memory.version}"'}


def check_scope(caller: Principal, scope: Scope) -> None:
    """Raise PermissionDenied unless the caller has the scope: where an endpoint does more than one thing.

    A write is refused here when SQLite's write lock is stuck, as `View.initial` refuses it elsewhere.
    """
    if scope not in caller.scopes:
        raise PermissionDenied(takes_key_with(scope))
    if scope in (Scope.CREATE, Scope.WRITE):
        WAITING.refuse_excess()


def count_writes(agent: MemoryAgent, count: int) -> None:
    """Answer 429 with the seconds to wait above the limit of writes a minute and agent, before anything is embedded.

    The agent's next transaction counts them: what is not stored, as the database is busy, is not counted.
    """
    limit = agent.app.policy.writes_per_minute
    assert agent.agent is not None
    if count > limit:
        raise Unprocessable(f"This app's agents may write {limit} memories a minute, and these are {count}.")
    check_writes(agent.agent, count, limit)
    agent.writes_due = count


def memory_with(agent: MemoryAgent, uid: UUID) -> Memory:
    """Return the memory with this id, with what showing it takes; NotFound if the agent may not see it."""
    return or_404(agent.memories().select_related("session", "resource", "cold_text").filter(uid=uid).first())


def candidate_from(
    agent: MemoryAgent, fields: Mapping[str, Any], sessions: Mapping[UUID, AgentSession] | None = None
) -> Candidate:
    """Return a candidate of this agent; ValidationError where the policy or the session does not allow it.

    `sessions` are those of a batch, read once; without them, its session is read here.
    """
    if complaint := too_long(fields["content"], agent.app.policy):
        raise ValidationError({"content": complaint})
    session = None
    if uid := fields.get("session_id"):
        session = (agent_sessions(agent, {uid}) if sessions is None else sessions).get(uid)
        if session is None:
            raise ValidationError({"session_id": ["There is no session with this id."]})
    rest = {name: value for name, value in fields.items() if name != "session_id"}
    return Candidate(
        **{"user_id": session.user_id if session else None, **rest},
        agent=agent.agent,
        session=session,
        tier=session.tier if session else 1,
        source=Source.API if agent.agent else Source.OPERATOR,
    )


def agent_sessions(agent: MemoryAgent, uids: set[UUID]) -> dict[UUID, AgentSession]:
    """Return the agent's own sessions among these ids."""
    rows = AgentSession.objects.for_app(agent.app).filter(agent=agent.agent, uid__in=uids)
    return {row.uid: row for row in rows}


def too_long(content: str, policy: AppPolicy) -> list[str]:
    """Return the message about a text that is longer than the app allows, else nothing."""
    limit = policy.max_characters
    return [f"This app's memories have at most {limit:,} characters."] if len(content) > limit else []


def check_changes(memory: Memory, changes: dict[str, Any], policy: AppPolicy) -> None:
    """Raise ValidationError for what only the stored memory and its app can tell to be wrong."""
    if "subject" in changes:
        changes["subject"] = subject_of(changes["subject"])
    errors: dict[str, list[str]] = {}
    if complaint := too_long(changes.get("content", ""), policy):
        errors["content"] = complaint
    start, end = changes.get("valid_from", memory.valid_from), changes.get("valid_until", memory.valid_until)
    if start and end and end < start:
        errors["valid_until"] = ["Lies before valid_from."]
    confidence = changes.get("confidence", memory.confidence)
    if changes.get("status") == Status.ACTIVE and confidence < policy.inactive_below:
        errors["status"] = ["Its confidence is too low for it to be active: raise both in one request."]
    if memory.is_superseded and changes.get("status", Status.ACTIVE) != Status.ACTIVE:
        errors["status"] = ["Another memory has replaced it: only its status can be changed, to active."]
    if errors:
        raise ValidationError(errors)

"""MemoryAgent: the one door to sessions and memories. Interfaces translate; everything else happens behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils import timezone

from memories.capture.outcome import Outcome
from memories.capture.pipeline import Stored, remember
from memories.capture.spoken import Captured, capture_said
from memories.capture.stream import StreamCapture
from memories.inject.pipeline import (
    Injected,
    budget_tokens,
    greet,
    inject,
    injectable,
    line_limit,
    note_injected,
)
from memories.maintain.decay import decay_app
from memories.models import Injection, Kind, Memory
from memories.models.memory import MemoryQuerySet
from memories.models.vector import embedded_text
from memories.providers.embeddings import Embedder, EmbedderError, Vectors, make_embedder
from memories.retrieve.hits import Recall
from memories.retrieve.rewrite import rewrite
from memories.retrieve.search import Asked, search
from memories.store import Candidate, Writer, writing
from memories.text.messages import Message
from memsite.conf import get_conf
from memsite.tenancy.models import Agent, App
from sessions.checkpoints import store_turn
from sessions.models import AgentSession, Role, SessionStatus, Turn
from sessions.recording import Said

DECAY_EVERY = timedelta(hours=24)


class MemoryGone(ObjectDoesNotExist):
    """Someone forgot the memory in the meantime."""


class VersionMismatch(Exception):
    """The memory is no longer the version that the caller has read."""


@dataclass(frozen=True, slots=True)
class Context:
    """A block and where it came from: `tier_answered` is None without a question."""

    injected: Injected
    tier_answered: str | None = None
    degraded: tuple[str, ...] = ()


def current_embedder() -> Embedder:
    return make_embedder(get_conf().embedder_settings)


class MemoryAgent:
    """All of it for one caller: an agent of an app, or an operator (`agent` None), named `actor` in revisions."""

    def __init__(self, app: App, agent: Agent | None, actor: str, embedder: Embedder | None = None) -> None:
        self.app, self.agent, self.actor = app, agent, actor
        self.embedder = embedder or current_embedder()

    def memories(self) -> MemoryQuerySet:
        """Every memory that the caller may see, of whatever status."""
        return Memory.objects.for_app(self.app).visible_to(self.agent)

    # --- sessions

    def open_session(self, external_id: str | None, fields: Mapping[str, Any]) -> tuple[AgentSession, bool]:
        """The session, and whether it is new. The agent's own id for it finds it again and wakes it up."""
        now = timezone.now()
        if external_id is None:
            return self.create_session(None, fields, now), True
        with transaction.atomic():
            found = AgentSession.objects.for_app(self.app).filter(agent=self.agent, external_id=external_id).first()
            if found is None:
                return self.create_session(external_id, fields, now), True
            awake = {"status": SessionStatus.ACTIVE, "ended_at": None, "end_reason": "", "heartbeat_at": now}
            for name, value in {**awake, **fields}.items():
                setattr(found, name, value)
            found.save()
        return found, False

    def create_session(self, external_id: str | None, fields: Mapping[str, Any], now: datetime) -> AgentSession:
        assert self.agent is not None, "sessions are an agent's"
        return AgentSession.objects.create(
            app=self.app,
            agent=self.agent,
            external_id=external_id,
            started_at=now,
            heartbeat_at=now,
            **fields,
        )

    def start(self, session: AgentSession) -> tuple[Injected, list[str]]:
        """Decay first, then the block of what is known; also the names of the jobs that ran."""
        now = timezone.now()
        self.run_decay(now)
        allowed = self.memories().of_user(session.user_id)
        injected = greet(allowed, self.app, self.app.policy.block, now)
        note_injected(session, injected, None, now)
        return injected, ["decay"]

    def lessons(self, session: AgentSession) -> MemoryQuerySet:
        lessons = self.memories().of_user(session.user_id).filter(kind=Kind.LESSON)
        return injectable(lessons, self.app.policy, timezone.now())

    def heartbeat(self, session: AgentSession) -> list[str]:
        """Notes that the session lives, and runs what is overdue; answers the names of the jobs that ran."""
        now = timezone.now()
        AgentSession.objects.for_app(self.app).filter(pk=session.pk).update(heartbeat_at=now)
        if self.app.decayed_at and now - self.app.decayed_at < DECAY_EVERY:
            return []
        self.run_decay(now)
        return ["decay"]

    def run_decay(self, now: datetime) -> None:
        decay_app(self.app, now)
        App.objects.filter(pk=self.app.pk).update(decayed_at=now)
        self.app.decayed_at = now

    def end(self, session: AgentSession, reason: str) -> int:
        """Ends the session; answers how many of its memories still wait for their vector."""
        AgentSession.objects.for_app(self.app).active().filter(pk=session.pk).update(
            status=SessionStatus.ENDED, ended_at=timezone.now(), end_reason=reason
        )
        mine = Memory.objects.for_app(self.app).filter(session=session)
        return mine.exclude(vectors__model=self.embedder.name).count()

    def checkpoint(self, session: AgentSession, number: int, body: Mapping[str, Any]) -> tuple[Turn, bool, Captured]:
        """Stores a turn with its raw texts and markers; (turn, whether it is new, what was captured)."""
        now = timezone.now()
        with transaction.atomic():
            turn, is_new = store_turn(session, number, body, now)
        # Also after a crash between the two: texts stored before are not stored or counted again.
        captured = capture_said(session, turn_texts(turn), self.embedder, self.actor, now)
        return turn, is_new, captured

    def capture_messages(
        self, session: AgentSession, said: Sequence[Said], on_stored: Callable[[Captured], None] | None = None
    ) -> Captured:
        return capture_said(session, said, self.embedder, self.actor, timezone.now(), on_stored)

    def capture_stream(self, session: AgentSession) -> StreamCapture:
        """A reader to be fed with the stream's chunks."""
        return StreamCapture(session, self.embedder, self.actor, get_conf().max_line_bytes)

    # --- memories

    def remember(
        self, candidates: Sequence[Candidate], *, dedupe: bool = True, on_stored: Stored | None = None
    ) -> list[Outcome]:
        return remember(
            self.app,
            candidates,
            self.embedder,
            self.actor,
            timezone.now(),
            dedupe=dedupe,
            on_stored=on_stored,
        )

    def edit(
        self, memory: Memory, changes: Mapping[str, Any], *, version: int | None = None, reason: str = ""
    ) -> Memory:
        """The memory as edited. Raises VersionMismatch if it is no longer at `version`."""
        vector = None
        if "content" in changes or "subject" in changes:
            content, subject = changes.get("content", memory.content), changes.get("subject", memory.subject)
            vector = self.embed(embedded_text(content, subject))
        with self.changing(memory, version) as (write, current):
            write.edit(current, changes, reason, vector, self.embedder.name if vector is not None else "")
        return current

    def forget(self, memories: Sequence[Memory], *, version: int | None = None) -> int:
        if not memories:
            return 0
        with writing(self.app, self.actor, timezone.now()) as write:
            if version is not None:
                check_version(self.app, memories[0], version)
            return write.forget(memories)

    @contextmanager
    def changing(self, memory: Memory, version: int | None = None) -> Iterator[tuple[Writer, Memory]]:
        """A writer and the row as it is now, under the app's write lock. Raises VersionMismatch."""
        with writing(self.app, self.actor, timezone.now()) as write:
            yield write, check_version(self.app, memory, version)

    def embed(self, text: str) -> Vectors | None:
        """A document's vector; None when the embedder is away, and then it is embedded later."""
        try:
            vector: Vectors = self.embedder.embed_documents([text])[0]
        except EmbedderError:
            return None
        return vector

    # --- recall

    def search(self, asked: Asked, now: datetime | None = None) -> Recall:
        return search(self.app, self.agent, asked, self.embedder, now or timezone.now())

    def context(
        self, block: str, *, question: str = "", messages: Sequence[Message] = (),
        session: AgentSession | None = None, turn_number: int | None = None,
        max_tokens: int | None = None, limit: int | None = None, user_id: str | None = None,
    ) -> Context:  # fmt: skip
        """A block for an agent: what answers the question, or what is known without one.

        The last messages of a conversation are made into a question; where they ask nothing, the block is empty.
        Within a session a memory that was found and shown once is not shown for a question again.
        """
        now = timezone.now()
        user_id = user_id or (session.user_id if session else None)
        if messages:
            question = rewrite(messages, now.astimezone(self.app.policy.time_zone)).query
        if messages and not question:
            context = Context(inject([], 0, self.app, block, 1, now))
        elif question:
            context = self.answer(block, question, session, now, max_tokens, limit, user_id)
        else:
            allowed = self.memories().of_user(user_id)
            context = Context(greet(allowed, self.app, block, now, max_tokens=max_tokens, limit=limit))
        if session:
            note_injected(session, context.injected, turn_number, now)
        return context

    def answer(
        self, block: str, question: str, session: AgentSession | None, now: datetime, max_tokens: int | None,
        limit: int | None, user_id: str | None,
    ) -> Context:  # fmt: skip
        shown = Injection.objects.for_app(self.app).into(session).memory_pks() if session else []
        budget = max_tokens or budget_tokens(self.app.policy, block)
        most = limit or min(line_limit(self.app.policy, block, budget), self.app.policy.turn_limit)
        found = self.search(Asked(text=question, limit=most, user_id=user_id, exclude=tuple(shown)), now)
        hits = [hit.memory for hit in found.hits if hit.memory.confidence >= self.app.policy.inactive_below]
        injected = inject(hits, len(hits), self.app, block, budget, now)
        return Context(injected, found.tier, tuple(found.degraded))


def check_version(app: App, memory: Memory, version: int | None) -> Memory:
    """The row as it is now; MemoryGone if it is not there, VersionMismatch if it is not at `version`."""
    current = Memory.objects.for_app(app).filter(pk=memory.pk).first()
    if current is None:
        raise MemoryGone
    if version is not None and current.version != version:
        raise VersionMismatch
    return current


def turn_texts(turn: Turn) -> list[Said]:
    return [
        Said(Role.USER, turn.user_input, f"turn:{turn.number}:user", turn.created_at, turn.number),
        Said(Role.ASSISTANT, turn.llm_output, f"turn:{turn.number}:assistant", turn.created_at, turn.number),
    ]

"""Sessions: opened, kept alive, ended; what is said in them, and feedback on the answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.capture.candidates import FROM_UNSIGNED
from memories.capture.extraction_queue import TASK, queue_digest
from memories.capture.ingest_messages import Captured, StreamCapture, ingest_messages
from memories.inject.pipeline import (
    Injected,
    budget_tokens,
    greet,
    inject_due,
    inject_lessons,
    injectable,
    note_injected,
    start_limit,
)
from memories.inject.render import tier_prompt
from memories.jobs import JOBS
from memories.language.scripts import estimate_tokens
from memories.language.secrets import clean_all
from memories.learn import feedback as learnt
from memories.learn.triggers import Due, note_coming
from memories.maintain.aging import decay_few
from memories.maintain.housekeeping import flush_crashed
from memories.models import Extraction, Injection, Memory
from memories.models.learning import LESSONS
from memories.models.memory import MemoryQuerySet
from memories.retrieve.contradictions import at_odds_with, tags_of
from memories.retrieve.injection_guard import safe_memories
from memories.services.triggers import TriggerService
from memories.store.links import memories_of
from memsite.config.conf import get_conf
from memsite.db.prepared import Prepared
from memsite.jobs.engine import fire_for
from memsite.jobs.job import Run
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.access import one_user
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy
from sessions.checkpoints import recover, store_turn, unread_turns
from sessions.models import AgentSession, Role, SessionStatus, Turn
from sessions.recording import Said, note_activity

MOST_LESSONS = 50
MOST_TELLING = ("-importance", "-confidence", "-id")
# What is said of a session in an agent's own words, and shown.
TOLD_OF_A_SESSION = ("title", "environment")
# Three blocks have two empty lines between them.
SEAMS_TOKENS = 1


def tool_inputs(turn: Turn) -> Iterator[str]:
    """Yield the texts and numbers in the inputs of a turn's tool calls. Results are not the agent's words."""
    for call in turn.tool_calls:
        if isinstance(call, dict):
            yield from leaves(call.get("input"))


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


class ForeignSession(Exception):
    """The session of this name belongs to another end user."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a session begins with: lessons, due triggers, known memories, and the jobs that it started.

    `lessons` are all of them, up to MOST_LESSONS; `taught` is the block of those that the budget holds.
    """

    taught: Injected
    due: Injected
    known: Injected
    dues: list[Due]
    lessons: list[Memory]
    policy: AppPolicy
    now: datetime
    jobs_run: Sequence[str] = ()

    def tags(self, memory: Memory) -> list[str]:
        """Return the warnings beside each memory."""
        at_odds = {pk for block in self.blocks for pk in block.at_odds}
        return tags_of(memory, self.policy, self.now, at_odds)

    @property
    def blocks(self) -> tuple[Injected, Injected, Injected]:
        return self.taught, self.due, self.known

    @property
    def listed(self) -> Injected:
        """Return the lessons for which the blocks have no room: they are listed all the same."""
        pks = {memory.pk for memory in self.memories}
        rest = [lesson for lesson in self.lessons if lesson.pk not in pks]
        return Injected("", 0, rest, len(rest), LESSONS, tuple(lesson.content for lesson in rest))

    @property
    def text(self) -> str:
        return "\n\n".join(block.text for block in self.blocks if block.text)

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text)

    @property
    def memories(self) -> list[Memory]:
        return [memory for block in self.blocks for memory in block.memories]


class SessionService(TriggerService):
    """Open, keep alive and end sessions; store what is said in them; judge the answers.

    Answers are embedded: judge them outside of transactions.
    """

    def open_session(
        self, external_id: str | None, fields: Mapping[str, Any], *, wakes: bool = True
    ) -> tuple[AgentSession, bool]:
        """Return the session, and whether it is new. The agent's own id finds it again and usually reopens it.

        Raise ForeignSession: what one end user said in it would become another's.
        """
        now = timezone.now()
        fields = {**fields, **{name: clean_all(fields[name]) for name in TOLD_OF_A_SESSION if name in fields}}
        assert self.agent is not None, "sessions are an agent's"
        rows = AgentSession.objects.for_app(self.app)
        of_agent = {"agent": self.agent, "tier": self.agent.tier or 1}
        values = {"app": self.app, **of_agent, "started_at": now, "heartbeat_at": now, **fields}
        if external_id is None:
            return rows.create(**values), True
        with transaction.atomic():
            # A purge of the session waits for the lock.
            session, is_new = rows.select_for_update(no_key=True).get_or_create(
                agent=self.agent, external_id=external_id, defaults=values
            )
            session.app = self.app  # It has its policy: no further query for it.
            if not is_new:
                if "environment" in fields and FROM_UNSIGNED in session.environment:
                    # Who takes such a session up again vouches for nothing that was said in it before.
                    fields["environment"] = {**fields["environment"], FROM_UNSIGNED: True}
                awake = {"status": SessionStatus.ACTIVE, "ended_at": None, "end_reason": "", "heartbeat_at": now}
                user_id = fields.get("user_id")
                if session.user_id and user_id and user_id != session.user_id:
                    raise ForeignSession("The session of this name is with another end user: open one of another name.")
                changes = {**(awake if wakes else {}), **fields, "user_id": session.user_id or user_id}
                for name, value in changes.items():
                    setattr(session, name, value)
                session.save(update_fields=list(changes))
        return session, is_new

    def has_session(self, external_id: str) -> bool:
        return AgentSession.objects.for_app(self.app).filter(agent=self.agent, external_id=external_id).exists()

    def start(self, session: AgentSession, *, goes_on: bool = False) -> Greeting:
        """Apply decay, then return due triggers and known memories within one budget.

        A session that `goes_on` gets only known memories that were not shown in it before.
        """
        now = timezone.now()
        decay_few(self.app, now)
        shown_pks = Injection.objects.for_app(self.app).standing_in(session).memory_pks() if goes_on else []
        greeting = self.greeting(session.user_id, now, shown_pks)
        for block in (*greeting.blocks, greeting.listed):
            note_injected(session, block, None, now)
        return replace(greeting, jobs_run=["decay", *self.fire_overdue("session start")])

    def greeting(self, user_id: str | None, now: datetime, shown_pks: Collection[int] = ()) -> Greeting:
        """Return the greeting of a new session of this end user, if these memories (pks) were `shown` in it before."""
        budget = max(1, budget_tokens(self.app.policy, self.app.policy.block) - SEAMS_TOKENS)
        dues = self.due_triggers(user_id)
        lessons = (
            self.lessons(user_id).exclude(pk__in=shown_pks)
            if any_lesson(self.app)
            else Memory.objects.for_app(self.app).none()
        )
        first = safe_memories(lessons.order_by(*MOST_TELLING)[:MOST_LESSONS], self.app.policy)
        total = lessons.count() if len(first) == MOST_LESSONS else len(first)
        at_odds = self.doubted([memory for due in dues for memory in due.memories] + first, user_id, now)
        due = inject_due(dues, self.app.policy, budget // 2, at_odds)
        planned = memories_of(self.app, [due.trigger for due in dues])
        listed_pks = {*shown_pks, *(memory.pk for memory in [*due.memories, *planned])}
        untold = [lesson for lesson in first if lesson.pk not in listed_pks]
        taught = inject_lessons(
            untold, self.app.policy, total - len(first) + len(untold), (budget - due.tokens) // 2, at_odds
        )
        listed_pks |= {memory.pk for memory in taught.memories}
        rest = budget - due.tokens - taught.tokens
        known = greet(
            self.app,
            self.scope(user_id, now, unasked=True),
            self.embedder,
            self.app.policy.block,
            now,
            max_tokens=rest,
            limit=start_limit(self.app.policy, rest),
            shown_pks=listed_pks,
        )
        return Greeting(taught, due, known, dues, first, self.app.policy, now)

    def doubted(self, memories: Sequence[Memory], user_id: str | None, now: datetime) -> set[int]:
        """Return the memories that another one contradicts which may be shown too, whether or not a block has room."""
        if not memories:
            return set()
        others = injectable(self.memories().of_users(one_user(user_id)), self.app.policy, now)
        return at_odds_with(self.app, {memory.pk for memory in memories}, others)

    def prompt(self, tier: int) -> str:
        """Return the instructions of an agent of this tier (1 to 3) as Markdown, and how it notes what it learns."""
        return tier_prompt(tier, self.app.policy)

    def lessons(self, user_id: str | None) -> MemoryQuerySet:
        lessons = self.memories().of_users(one_user(user_id)).lessons()
        return injectable(lessons, self.app.policy, timezone.now()).select_related("session", "resource")

    def heartbeat(self, session: AgentSession) -> list[str]:
        """Record that the session is alive, and fire overdue jobs; return their names."""
        now = timezone.now()
        note_activity(session, now)
        return self.fire_overdue("heartbeat")

    def end(self, session: AgentSession, reason: str) -> int:
        """End the session; return how many texts still wait for extraction and memories for their vector."""
        now = timezone.now()
        AgentSession.objects.for_app(self.app).active().filter(pk=session.pk).update(
            status=SessionStatus.ENDED, ended_at=now, end_reason=reason
        )
        self.wind_up(session)
        waiting = Extraction.objects.for_app(self.app).open().filter(session=session).count()
        mine = Memory.objects.for_app(self.app).warm().filter(session=session)
        return waiting + mine.without_vector(self.embedder.name).count()

    def wind_up(self, session: AgentSession) -> None:
        """Do what follows the end of a session, whoever ended it."""
        # What was shown for all of its answers and never used.
        learnt.judge_rest(session, self.actor, timezone.now())
        if self.app.policy.capture_digest:
            queue_digest(session, timezone.now())

    def flush_crashed(self, now: datetime, run: Run) -> None:
        """End sessions that fell silent (a job)."""
        flush_crashed(self.app, now, run, self.catch_up, self.wind_up)

    def catch_up(self, session: AgentSession) -> None:
        """Read turns that a crashed process stored but did not read, and judge by the last."""
        for turn in unread_turns(session):
            self.capture_messages(session, turn_texts(turn), is_live=False)
        if last := recover(session):
            self.judge_turn(session, last)
        if Extraction.objects.for_app(self.app).open().filter(session=session).exists():
            enqueue(TASK, self.app.pk, session.pk)

    def checkpoint(self, session: AgentSession, number: int, body: Mapping[str, Any]) -> tuple[Turn, bool, Captured]:
        """Store a turn with its raw texts and markers; return (turn, whether it is new, what was captured)."""
        turn, is_new = store_turn(session, number, body, timezone.now())
        # Also after a crash between the two: texts stored before are not stored or counted again.
        captured = self.capture_messages(session, turn_texts(turn))
        self.judge_turn(session, turn)
        return turn, is_new, captured

    def capture_messages(
        self,
        session: AgentSession,
        messages: Sequence[Said],
        on_stored: Callable[[Captured], None] | None = None,
        *,
        is_live: bool = True,
    ) -> Captured:
        """Store the messages, their markers and future events; their facts are extracted later.

        Count as a sign of life unless `is_live` is False. Raise SessionGone or SaidOtherwise, and store nothing.
        """
        now = timezone.now()

        def note(captured: Captured) -> None:
            self.count_due_writes()
            note_coming(session, captured.resources, now)
            if on_stored:
                on_stored(captured)

        return ingest_messages(
            session, messages, self.embedder, self.actor, now, note, self.provider(session), is_live=is_live
        )

    def capture_stream(self, session: AgentSession, name: str | None = None) -> StreamCapture:
        """Return a reader to be fed with the stream's chunks; `name` is the stream's own."""
        session.app = self.app

        def capture(messages: list[Said]) -> Captured:
            self.renew()
            return self.capture_messages(session, messages)

        return StreamCapture(session, capture, partial(self.judge_turn, session), get_conf().max_line_bytes, name)

    def judge_response(self, session: AgentSession, turn_number: int, text: str, question: str = "") -> learnt.Feedback:
        """Judge the memories shown for this turn and before. One query where nothing waits to be judged."""
        now = timezone.now()
        return learnt.judge(session, text, turn_number, self.embedder, self.actor, now, question=question)

    def judge_turn(self, session: AgentSession, turn: Turn) -> learnt.Feedback:
        """Judge by a whole turn: the inputs of its tool calls show use as well as its text."""
        text = "\n".join([turn.llm_output, *tool_inputs(turn)])
        return self.judge_response(session, turn.number, text, turn.user_input)

    def fire_overdue(self, occasion: str) -> list[str]:
        """Fire the jobs that are overdue; return their names. A worker runs them."""
        return fire_for(JOBS, self.app, timezone.now(), f"{occasion} of {self.actor}")


@Prepared
def any_lesson(app: App) -> QuerySet[Memory, tuple[int]]:
    return Memory.objects.for_app(app).lessons().order_by().values_list("pk")[:1]


def turn_texts(turn: Turn) -> list[Said]:
    return [
        Said(Role.USER, turn.user_input, f"turn:{turn.number}:user", turn.created_at, turn.number),
        Said(Role.ASSISTANT, turn.llm_output, f"turn:{turn.number}:assistant", turn.created_at, turn.number),
    ]

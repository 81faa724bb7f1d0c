"""Review: what was refused on the way to a memory, and what an operator decides about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from memories.agent.base import Caller
from memories.agent.curation import Changed, LeftAlone, refuse_superseded
from memories.capture.candidates import candidate_from, category_of
from memories.capture.outcome import Outcome
from memories.capture.pipeline import remember
from memories.models import Action, Decision, LinkKind, Memory, Rejection, Revision, Status
from memories.store import Candidate, LimitReached, Writer, writing
from sessions.models import AgentSession

TAKEN_BACK = "the approval was taken back"
REWORDED: dict[str, Any] = {"made_by": None, "entities": []}


class AlreadyDecided(LeftAlone):
    """Somebody has decided about this rejection."""


class CannotBeStored(LeftAlone):
    """There is nothing left of it, or it is longer than the app allows."""


class CannotReopen(LeftAlone):
    """What was decided cannot be taken back here; the text says why."""


class Review(Caller):
    """Rejections are to be read with their session, its agent, and their resource."""

    def overrule(self, rejection: Rejection, changes: Mapping[str, Any] | None = None) -> Outcome:
        """Stores after all what was refused, in other words where there are `changes`.

        AlreadyDecided if somebody was faster, CannotBeStored if it cannot be.
        """
        candidate = self.candidate_of(rejection, changes or {})
        if not candidate.content:
            raise CannotBeStored("No text of it was kept: there is nothing to store.")
        if len(candidate.content) > self.app.policy.max_characters:
            raise CannotBeStored(f"This app's memories have at most {self.app.policy.max_characters:,} characters.")

        def note(write: Writer, outcomes: list[Outcome]) -> None:
            self.decide(rejection, Decision.OVERRULED, write.now, outcomes[0].memory)

        (outcome,) = remember(
            self.app, [candidate], self.embedder, self.actor, timezone.now(), on_stored=note, provider=self.provider()
        )
        return outcome

    def candidate_of(self, rejection: Rejection, changes: Mapping[str, Any]) -> Candidate:
        """The memory that it would have become. What somebody reworded, no model has worded."""
        session = rejection.session or AgentSession(app=self.app)
        kept = dict(rejection.candidate or {"content": rejection.content, "category": rejection.category})
        own_words = REWORDED if changes.get("content", kept["content"]) != kept["content"] else {}
        fields = {**kept, **own_words, **changes}
        fields["category"] = category_of(fields["category"])
        candidate = candidate_from(fields, session, rejection.resource)
        candidate.session, candidate.agent = rejection.session, rejection.session.agent if rejection.session else None
        return candidate

    def confirm(self, rejection: Rejection) -> None:
        """It was rightly refused."""
        self.decide(rejection, Decision.CONFIRMED, timezone.now(), None)

    def decide(self, rejection: Rejection, decision: str, now: datetime, memory: Memory | None) -> None:
        still_open = Rejection.objects.for_app(self.app).filter(pk=rejection.pk, decision=Decision.OPEN)
        if not still_open.update(decision=decision, decided_by=self.actor, decided_at=now, memory=memory):
            raise AlreadyDecided("decided already")

    def reopen(self, rejection: Rejection) -> None:
        """Takes the decision back, and what was stored because of it. CannotReopen where that has changed since."""
        with writing(self.app, self.actor, timezone.now()) as write:
            rows = Rejection.objects.for_app(self.app).filter(pk=rejection.pk).exclude(decision=Decision.OPEN)
            decided = rows.first()
            if decided is None:
                raise CannotReopen("not decided yet")
            memory = Memory.objects.for_app(self.app).filter(pk__in=[decided.memory_id]).first()
            if memory and decided.decided_at:
                take_back(write, memory, decided.decided_at)
            rows.update(decision=Decision.OPEN, decided_by="", decided_at=None, memory=None)

    def overrule_each(self, rejections: Iterable[Rejection]) -> Changed:
        return each(rejections, self.overrule)

    def confirm_each(self, rejections: Iterable[Rejection]) -> Changed:
        return each(rejections, self.confirm)

    def reopen_each(self, rejections: Iterable[Rejection]) -> Changed:
        return each(rejections, self.reopen)


def each(rejections: Iterable[Rejection], decide: Callable[[Rejection], object]) -> Changed:
    """One after the other: what fails harms no other."""
    changed = Changed()
    for rejection in rejections:
        try:
            decide(rejection)
            changed.done += 1
        except (LeftAlone, LimitReached) as why:
            changed.left[str(why).rstrip(".")] += 1
    return changed


def take_back(write: Writer, memory: Memory, at: datetime) -> None:
    """What was done to memories at that moment: a new one is archived, the others are as they were before."""
    own = Revision.objects.for_app(write.app).filter(memory=memory, created_at=at)
    if own.filter(action=Action.CREATED).exists():
        if memory.status in (Status.ACTIVE, Status.INACTIVE):
            write.archive(memory, TAKEN_BACK)
    elif (last := write.last_change(memory)) and last.created_at == at:
        refuse_superseded(memory)
        write.undo(memory)
    else:
        raise CannotReopen("the memory has changed since: put it right there")
    kinds = (LinkKind.CONTRADICTS, LinkKind.SUPERSEDES)
    others = memory.links_out.filter(created_at=at, kind__in=kinds, to_memory__purged_at=None)
    for link in others.select_related("to_memory"):
        last = write.last_change(link.to_memory)
        if last and last.created_at == at:
            write.undo(link.to_memory)

"""Review: what was refused on the way to a memory, and what an operator decides about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.utils import timezone

from memories.capture.candidates import category_of, origin_of
from memories.capture.pipeline import remember
from memories.capture.quarantine import Outcome, OutcomeKind
from memories.language.secrets import clean
from memories.models import Action, Decision, LinkKind, Memory, Rejection, Revision, Source, Status
from memories.services.memories import Changed, MemoryService, NotChanged, refuse_superseded, said_after
from memories.store import Candidate, LimitReached, Writer
from memories.store.revisions import parse
from memsite.tenancy.origin import Origin

TAKEN_BACK = "the approval was taken back"
REWORDED: dict[str, Any] = {"made_by": None, "entities": [], "origin": Origin.OPERATOR}


class AlreadyDecided(NotChanged):
    """Somebody has already decided about this rejection."""


class CannotBeStored(NotChanged):
    """Nothing of the text is left, or it is longer than the app allows."""


class CannotReopen(NotChanged):
    """The decision cannot be undone here; the text says why."""


class ReviewService(MemoryService):
    """Decide about rejections. Pass them with their session, its agent, and their resource loaded."""

    def overrule(self, rejection: Rejection, changes: Mapping[str, Any] | None = None) -> Outcome:
        """Store what was refused, with `changes` where there are any. The decider counts as its reviewer.

        Raise AlreadyDecided if somebody was faster, CannotBeStored if it cannot be stored.
        """
        if rejection.edits_id is not None:
            return self.overrule_edit(rejection, changes or {})
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

    def overrule_edit(self, rejection: Rejection, changes: Mapping[str, Any]) -> Outcome:
        """Apply the change that was withheld."""
        memory = Memory.objects.for_app(self.app).filter(pk__in=[rejection.edits_id]).first()
        if memory is None:
            raise CannotBeStored("The memory that it would change is gone.")
        proposed = {name: parse(name, value) for name, value in (rejection.candidate or {}).items()}
        fields = {**proposed, **self.own_words(proposed.get("content"), changes), **changes, **self.reviewed()}
        if len(fields.get("content", "")) > self.app.policy.max_characters:
            raise CannotBeStored(f"This app's memories have at most {self.app.policy.max_characters:,} characters.")
        texts = said_after(memory, fields)
        vector = self.embed(texts)
        with self.changing(memory) as (write, current):
            vector = vector if said_after(current, fields) == texts else None
            write.edit(current, fields, "approved", vector, self.embedder.name if vector is not None else "")
            self.decide(rejection, Decision.OVERRULED, write.now, current)
        return Outcome(OutcomeKind.EDITED, current, rejection.reason)

    def candidate_of(self, rejection: Rejection, changes: Mapping[str, Any]) -> Candidate:
        """Return the candidate that was refused, with its source."""
        session, resource = rejection.session, rejection.resource
        values = {"content": rejection.content, "category": rejection.category, **(rejection.candidate or {})}
        usual = {
            "source": Source.FACT,
            "origin": origin_of(resource, session),
            "tier": session.tier if session else 1,
            "user_id": session.user_id if session else None,
        }
        fields = {**usual, **values, **self.own_words(values["content"], changes), **changes, **self.reviewed()}
        fields["category"] = category_of(fields["category"])
        for name in ("valid_from", "valid_until"):
            fields[name] = parse(name, fields.get(name))
        agent = session.agent if session else rejection.agent
        return Candidate(**fields, agent=agent, session=session, turn_number=rejection.turn_number, resource=resource)

    def own_words(self, content: str | None, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a reworded text: they are the words of whoever reworded it."""
        return REWORDED if changes.get("content", content) != content else {}

    def reviewed(self) -> dict[str, Any]:
        return {"reviewed_by": self.actor[:200], "reviewed_at": timezone.now()}

    def confirm(self, rejection: Rejection, reason: str = "") -> None:
        """Confirm the refusal; `reason` is the reason of whoever decides."""
        self.decide(rejection, Decision.CONFIRMED, timezone.now(), None, reason)

    def decide(
        self, rejection: Rejection, decision: str, now: datetime, memory: Memory | None, reason: str = ""
    ) -> None:
        still_open = Rejection.objects.for_app(self.app).filter(pk=rejection.pk, decision=Decision.OPEN)
        values = {"decided_by": self.actor, "decided_at": now, "decision_reason": clean(reason)[:500]}
        if not still_open.update(decision=decision, memory=memory, **values):
            raise AlreadyDecided("decided already")

    def reopen(self, rejection: Rejection) -> None:
        """Undo the decision and what was stored because of it. Raise CannotReopen if that has changed since."""
        with self.writing() as write:
            rows = Rejection.objects.for_app(self.app).filter(pk=rejection.pk).exclude(decision=Decision.OPEN)
            decided = rows.first()
            if decided is None:
                raise CannotReopen("not decided yet")
            memory = Memory.objects.for_app(self.app).filter(pk__in=[decided.memory_id]).first()
            if memory and decided.decided_at:
                # Undo what was done to memories at that moment: archive a new one, set the others back.
                own = Revision.objects.for_app(write.app).filter(memory=memory, created_at=decided.decided_at)
                if own.filter(action=Action.CREATED).exists():
                    if memory.status in (Status.ACTIVE, Status.INACTIVE):
                        write.archive(memory, TAKEN_BACK)
                elif (last := write.last_change(memory)) and last.created_at == decided.decided_at:
                    refuse_superseded(memory)
                    write.undo(memory)
                else:
                    raise CannotReopen("the memory has changed since: put it right there")
                kinds = (LinkKind.CONTRADICTS, LinkKind.SUPERSEDES)
                others = memory.links_out.filter(
                    created_at=decided.decided_at, kind__in=kinds, to_memory__purged_at=None
                )
                for link in others.select_related("to_memory"):
                    last = write.last_change(link.to_memory)
                    if last and last.created_at == decided.decided_at:
                        write.undo(link.to_memory)
            rows.update(decision=Decision.OPEN, decided_by="", decided_at=None, decision_reason="", memory=None)

    def overrule_each(self, rejections: Iterable[Rejection]) -> Changed:
        return each(rejections, self.overrule)

    def confirm_each(self, rejections: Iterable[Rejection], reason: str = "") -> Changed:
        return each(rejections, partial(self.confirm, reason=reason))

    def reopen_each(self, rejections: Iterable[Rejection]) -> Changed:
        return each(rejections, self.reopen)


def each(rejections: Iterable[Rejection], decide: Callable[[Rejection], object]) -> Changed:
    """Decide about one after the other: a failure affects no other."""
    changed = Changed()
    for rejection in rejections:
        try:
            decide(rejection)
            changed.done += 1
        except (NotChanged, LimitReached) as why:
            changed.left[str(why).rstrip(".")] += 1
    return changed

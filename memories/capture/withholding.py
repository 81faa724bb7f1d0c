"""What waits for a person before it may be remembered: texts that are not for an agent to read, and the word of those
whom the app does not take at it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memories.capture.refusals import Refusal, plain_fields
from memories.models import RejectionKind
from memories.store import Candidate
from memories.text.clean import texts_in
from memories.text.instructions import find_instructions
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import AppPolicy

READ_BY_AGENTS = ("content", "subject", "tags", "metadata")


@dataclass(frozen=True, slots=True)
class Screened:
    """Candidates, and beside each why it is kept for a person to decide, or None."""

    candidates: Sequence[Candidate]
    refusals: Sequence[Refusal | None]

    @property
    def free(self) -> list[Candidate]:
        """Those that may be stored."""
        pairs = zip(self.candidates, self.refusals, strict=True)
        return [candidate for candidate, refusal in pairs if refusal is None]

    def without(self, known: Collection[str]) -> Screened:
        """But for those with these external ids."""
        pairs = list(zip(self.candidates, self.refusals, strict=True))
        left = [(candidate, refusal) for candidate, refusal in pairs if candidate.external_id not in known]
        return Screened([candidate for candidate, _ in left], [refusal for _, refusal in left])


def screen(candidates: Sequence[Candidate], policy: AppPolicy) -> Screened:
    return Screened(candidates, [quarantine(candidate, policy) for candidate in candidates])


def quarantine(candidate: Candidate, policy: AppPolicy) -> Refusal | None:
    """Why it is kept for a person to decide; None where it may be stored, or a person vouches for it already."""
    if candidate.origin == Origin.OPERATOR or candidate.reviewed_at:
        return None
    told = {name: getattr(candidate, name) for name in READ_BY_AGENTS}
    why = reason_to_wait(told, candidate.origin, policy)
    return why and Refusal(candidate.category, why[1], candidate.content, why[0], {}, plain_fields(candidate))


def reason_to_wait(told: Mapping[str, Any], origin: str, policy: AppPolicy) -> tuple[str, str] | None:
    """(kind of rejection, reason) for the fields of a memory that somebody tells."""
    from_outside = origin in policy.screened_origins
    for name in READ_BY_AGENTS:
        for text in texts_in(told.get(name)):
            # One word of metadata, an address say, tells where it was read, and stands in no prompt.
            is_source = name == "metadata" and len(text.split()) < 2
            if suspicion := suspicion_in([text], from_outside=from_outside and not is_source):
                return RejectionKind.QUARANTINE, suspicion
    if origin in policy.approval_origins:
        return RejectionKind.APPROVAL, f"the word of {Origin(origin).label}: a person has to approve it"
    return None


def suspicion_in(texts: Iterable[str], *, from_outside: bool = False) -> str:
    """The first thing that is wrong with one of these; empty if nothing is."""
    found = (one for text in texts for one in find_instructions(text, from_outside=from_outside))
    return next((f"{one.kind}: {one.why}" for one in found), "")

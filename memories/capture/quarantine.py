"""What does not become a memory, and why: echoes, refusals, and what waits for a person to decide.

An agent that repeats an injected memory must not confirm it: the memory would grow on its own echo. What is not for an
agent to read, and the word of those whom the app does not take at it, waits for a person. Refusals are kept where an
operator can look at them and overrule them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import structlog

from memories.language.injection_guard import find_instructions, own_words
from memories.language.relate.lexicon import concept_of
from memories.language.secrets import texts_in
from memories.language.similarity import EMPTY_WORDS, used_share
from memories.models import WAITING, Decision, Memory, Rejection, RejectionKind
from memories.store import Candidate, Writer
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import AppPolicy
from sessions.models import Resource

log = structlog.get_logger("memories.capture")
ECHO = "repeats what was injected into this session"
PLAIN = (
    "content",
    "kind",
    "category",
    "subject",
    "tags",
    "importance",
    "strength",
    "sentiment",
    "confidence",
    "made_by",
    "entities",
    "source",
    "origin",
    "pinned",
    "tier",
    "user_id",
    "visibility",
    "external_id",
    "metadata",
    "valid_from",
    "valid_until",
)
READ_BY_AGENTS = ("content", "subject", "tags", "metadata")
_BULLET_RE = re.compile(r"\s*(?:(?:[-*•~]|\d{1,4}[.)])\s+|(?=\[Created: ))")
"""The number of a dated line belongs to its block, so the line is also met without it."""
_LABEL_RE = re.compile(r"\[[^\[\]\n]{1,80}\]\s*")
_TRUST_TAGS_RE = re.compile(r"(?:\[(?:uncertain|stale|unconfirmed|unreviewed|conflicting)[^\[\]\n]{0,40}\]\s*)+")
# Closed, or cut at the first semicolon in it.
_SUFFIX_RE = re.compile(r"\((?:confidence|age|category)\b[^()]{0,200}(?:\)[\s.]*)?\Z", re.IGNORECASE)
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIES = re.compile(r"not|never|no|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t")
_CLAUSE_ENDS = ",;:.!?"
LEFT_OUT = EMPTY_WORDS | {"user", "users", "team", "yes"}
"""Words that tell nothing by themselves, and who speaks or is spoken of."""
TOLD = 0.5
"""The share of a memory's words with which an agent tells what it was shown."""
Shown = tuple[str, float]
"""What a memory says that an agent was shown, and how sure it is."""
_OPENING_MARKS = "\"'`*_([{“‘«„…"
_CLOSING_MARKS = "\"'`*_)]}”’».,;:!?…"
_DASHES = "-–—"


class OutcomeKind(StrEnum):
    CREATED = "created"
    REINFORCED = "reinforced"
    CONTRADICTED = "contradicted"
    ECHOED = "echoed"
    REJECTED = "rejected"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`contradicted` means created against the memories in `against`; `memory` is None where nothing is stored.

    `rejection` is what was kept of it then.
    """

    kind: OutcomeKind
    memory: Memory | None = None
    reason: str = ""
    against: list[Memory] = field(default_factory=list)
    rejection: Rejection | None = None


@dataclass(slots=True)
class Refusal:
    """`candidate` holds the fields of the memory that it would have become, or those that would change of `edits`."""

    category: str
    reason: str
    content: str = ""
    kind: str = RejectionKind.MARKER
    scores: dict[str, float] = field(default_factory=dict)
    candidate: dict[str, Any] = field(default_factory=dict)
    edits: Memory | None = None


def plain_fields(candidate: Candidate) -> dict[str, Any]:
    """Return what it would have become, as JSON."""
    values = {name: getattr(candidate, name) for name in PLAIN}
    return {
        **values,
        **{name: moment.isoformat() for name in ("valid_from", "valid_until") if (moment := values[name])},
    }


def refuse(
    write: Writer, refusal: Refusal, resource: Resource | None = None, candidate: Candidate | None = None
) -> Outcome:
    """Keep a refusal, with where it comes from; an echo is only counted.

    What waits for a person, waits once.

    `candidate` stands for what comes from no text.
    """
    if refusal.reason == ECHO:
        return Outcome(OutcomeKind.ECHOED, reason=ECHO)
    # A marker's category is one of a few words, or a slip of the agent's; a fact's may be what the user spoke of.
    named = {"category": refusal.category} if refusal.kind == RejectionKind.MARKER else {}
    log.warning("refused", kind=refusal.kind, **named)
    row = None
    if refusal.kind in WAITING:
        rows = Rejection.objects.for_app(write.app).filter(kind=refusal.kind, decision=Decision.OPEN)
        rows = rows.filter(edits=refusal.edits, content=refusal.content)
        row = next((row for row in rows if row.candidate == refusal.candidate), None)
    row = row or Rejection.objects.create(
        app=write.app,
        kind=refusal.kind,
        **source_of(resource, candidate),
        edits=refusal.edits,
        category=refusal.category,
        content=refusal.content,
        reason=refusal.reason,
        scores=refusal.scores or None,
        candidate=refusal.candidate or None,
        created_at=write.now,
    )
    return Outcome(OutcomeKind.REJECTED, reason=refusal.reason, rejection=row)


def source_of(resource: Resource | None, candidate: Candidate | None) -> dict[str, Any]:
    """Return who said it, and where."""
    if resource:
        session = resource.session
        agent = session.agent if session else None
        return {"session": session, "agent": agent, "resource": resource, "turn_number": resource.turn_number}
    if candidate:
        names = ("session", "agent", "resource", "turn_number")
        return {name: getattr(candidate, name) for name in names}
    return {}


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
        """Return all but those with these external ids."""
        pairs = list(zip(self.candidates, self.refusals, strict=True))
        left = [(candidate, refusal) for candidate, refusal in pairs if candidate.external_id not in known]
        return Screened([candidate for candidate, _ in left], [refusal for _, refusal in left])


def screen(candidates: Sequence[Candidate], policy: AppPolicy) -> Screened:
    return Screened(candidates, [quarantine(candidate, policy) for candidate in candidates])


def quarantine(candidate: Candidate, policy: AppPolicy) -> Refusal | None:
    """Return why it is kept for a person to decide; None where it may be stored, or a person vouches for it already."""
    if candidate.origin == Origin.OPERATOR or candidate.reviewed_at:
        return None
    texts = {name: getattr(candidate, name) for name in READ_BY_AGENTS}
    why = reason_to_wait(texts, candidate.origin, policy)
    return why and Refusal(candidate.category, why[1], candidate.content, why[0], {}, plain_fields(candidate))


def reason_to_wait(fields: Mapping[str, Any], origin: str, policy: AppPolicy) -> tuple[str, str] | None:
    """Return (kind of rejection, reason) for the fields of a memory that somebody tells."""
    from_outside = origin in policy.screened_origins
    values = dict(fields)
    if content := fields.get("content"):
        values["content"] = own_words(content, fields.get("subject"), from_outside=from_outside)
    for name in READ_BY_AGENTS:
        for text in texts_in(values.get(name)):
            # One word of metadata, an address say, tells where it was read, and stands in no prompt.
            is_source = name == "metadata" and len(text.split()) < 2
            if suspicion := suspicion_in([text], from_outside=from_outside and not is_source):
                return RejectionKind.QUARANTINE, suspicion
    if origin in policy.approval_origins:
        return RejectionKind.APPROVAL, f"the word of {Origin(origin).label}: a person has to approve it"
    return None


def suspicion_in(texts: Iterable[str], *, from_outside: bool = False) -> str:
    """Return the first thing that is wrong with one of these; empty if nothing is."""
    suspicions = (suspicion for text in texts for suspicion in find_instructions(text, from_outside=from_outside))
    return next((f"{suspicion.kind}: {suspicion.why}" for suspicion in suspicions), "")


def line_statement(line: str) -> str:
    """Return what one injected line states: no bullet, label, trust tag or suffix. "" for headings and blanks.

    `- [timing] Takes 60s (confidence: 0.9)`, `1. [Created: 2025-10-10] Takes 60s` and
    `~ Takes 60s (confidence: 0.8; age: 3d; category: work)` all state `Takes 60s`.
    """
    if line.lstrip().startswith("#"):
        return ""
    bullet = _BULLET_RE.match(line)
    if bullet is None:
        return _without_suffix(line)
    start = bullet.end()
    if bullet[0].strip() != "~" and (label := _LABEL_RE.match(line, start)):
        start = label.end()
    if tags := _TRUST_TAGS_RE.match(line, start):
        start = tags.end()
    return _without_suffix(line[start:])


def is_echo(statement: str, injected_lines: Collection[str]) -> bool:
    """Return whether `statement` says no more than one of the lines injected into this session.

    Case, spacing, bullets, quotes and closing punctuation do not make a difference; signs, operators and
    every other word do, so that "returns -1" is no echo of "returns 1". Linear in the size of the lines.
    """
    keys = {_key(_without_suffix(statement)), _key(line_statement(statement))} - {""}
    return any(_key(line_statement(line)) in keys for line in injected_lines)


def is_shorter(statement: str, source: str) -> bool:
    """Return whether `statement` says a part of `source` and nothing else: its telling words stand there in one run.

    What leaves out a "never" that belongs to the run is another statement: "on Fridays" of "never on Fridays".
    """
    part, whole = _telling(statement), _telling(source)
    if not part or len(part) > len(whole):
        return False
    words = [word for word, _ in part]
    denied = any(is_denied for _, is_denied in part)
    for start in range(len(whole) - len(part) + 1):
        run = whole[start : start + len(part)]
        if [word for word, _ in run] == words and any(is_denied for _, is_denied in run) == denied:
            return True
    return False


def bound_by(statement: str, confidence: float, sources: Collection[Shown]) -> float:
    """Return how sure a statement may be: what an agent makes of what it was shown is no surer than that."""
    bounds = [sure for content, sure in sources if tells_of(statement, content)]
    return min(confidence, max(bounds)) if bounds else confidence


def tells_of(statement: str, source: str) -> bool:
    """Return whether it is made of the source. What has another figure in its place is news: "takes 90s", not 60s."""
    own, other = set(_FIGURE.findall(statement)), set(_FIGURE.findall(source))
    if own - other and other - own:
        return False
    return used_share(source, statement) >= TOLD or is_shorter(statement, source)


def _telling(text: str) -> list[tuple[str, bool]]:
    """Return the telling words by what their forms have in common, each with whether its clause denies it so far."""
    telling: list[tuple[str, bool]] = []
    is_denied = False
    for word in text.casefold().split():
        plain = word.strip(_OPENING_MARKS + _CLOSING_MARKS)
        is_denied |= bool(_DENIES.fullmatch(plain))
        if plain and plain not in LEFT_OUT and not _DENIES.fullmatch(plain):
            telling.append((concept_of(plain) if plain.isalpha() else plain, is_denied))
        if word[-1:] in _CLAUSE_ENDS:
            is_denied = False
    return telling


def _without_suffix(text: str) -> str:
    suffix = _SUFFIX_RE.search(text)
    return (text[: suffix.start()] if suffix else text).strip()


def _key(statement: str) -> str:
    words = (word.lstrip(_OPENING_MARKS).rstrip(_CLOSING_MARKS) for word in statement.casefold().split())
    return " ".join(word for word in words if word.strip(_DASHES))

"""texts → chunks → gate → facts → write gate: candidates that may be stored, and refusals that say why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from memories.capture.candidates import candidate_of, fields_of
from memories.capture.chunks import Window, make_chunks
from memories.capture.echo import is_echo
from memories.capture.refusals import ECHO, Refusal
from memories.capture.withholding import quarantine
from memories.index.similarity import top
from memories.models import GENERAL, Memory, RejectionKind
from memories.providers.embeddings import Embedder, EmbedderError
from memories.providers.llm.fallback import Careful
from memories.providers.llm.provider import RULES, Chunk, Fact, LLMDenied, Provider, Setting
from memories.providers.llm.rules.facts import find_passing
from memories.retrieve.pipeline import index_of
from memories.retrieve.scoped_view import Scope, question_cosines, scoped_view
from memories.store import Candidate
from memories.text.instructions import find_instructions
from memories.text.messages import Message
from memories.text.overlap import used_share
from memories.text.secrets import redact
from memsite.config.conf import get_conf
from memsite.tenancy.end_users import one_user
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES, PERSONAL_CATEGORIES, AppPolicy
from sessions.markers import without_markers
from sessions.models import AgentSession, Resource, Role

KNOWN_SHOWN = 12
NOTHING_BUT_A_SECRET = re.compile(r"(?:\b(?:is|are|was)|[=:])\s*\[redacted: [^\]]+\]\W*$")
MOST_SUBJECTS = 200


@dataclass(slots=True)
class Found:
    """What one text holds. `made_by` is whoever answered for it."""

    resource: Resource
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    passing: list[Candidate] = field(default_factory=list)
    """What is kept only where it changes what is known."""
    made_by: str = RULES
    windows_read: int = 0
    denied: LLMDenied | None = None
    """Why only the first windows were read."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A text that the budget cut short: windows that are read, and whether the next was already found worth it."""

    windows: int
    is_gated: bool


def find_facts(
    session: AgentSession, texts: Sequence[Resource], before: Sequence[Resource], provider: Provider,
    embedder: Embedder, shown: Sequence[str], now: datetime, begun: Begun | None = None,
) -> list[Found]:  # fmt: skip
    """One answer per text, in order. `before` was said earlier in the session and is context; LLMError passes.

    A single text may have `begun`: the rest of it is read, as far as the budget goes, and LLMDenied passes only if that
    is not one window.
    """
    found = [Found(resource) for resource in texts]
    setting = setting_of(session)
    messages = [as_message(resource, session.app.policy) for resource in texts]
    context = [as_message(resource, session.app.policy) for resource in before]
    windows = make_chunks(messages, now.astimezone(session.app.policy.time_zone))
    begin = begun.windows if begun else 0
    for number, window in enumerate(windows[begin:], begin):
        if window.places[0] == 0:
            window = replace(window, chunk=replace(window.chunk, before=(*context, *window.chunk.before)))
        is_gated = bool(begun and begun.is_gated and number == begin)
        try:
            if is_gated or is_worth_it(window, found, provider):
                read_window(window, found, session, setting, provider, embedder, shown)
            if provider.name == RULES and get_conf().relations == "learned":
                note_passing(window, found, session, setting)
        except LLMDenied as denied:
            if begun is None or number == begin:
                raise
            found[0].windows_read, found[0].denied = number, denied
            break
    return found


def is_worth_it(window: Window, found: Sequence[Found], provider: Provider) -> bool:
    worth = provider.gate(window.chunk)
    for place in window.places:
        found[place].made_by = worth.made_by
    return worth.keep


def read_window(
    window: Window, found: Sequence[Found], session: AgentSession, setting: Setting, provider: Provider,
    embedder: Embedder, shown: Sequence[str],
) -> None:  # fmt: skip
    """The facts, each sorted to the text that says it."""
    known = known_near(session, window, embedder) if provider.name != RULES else ()
    missed = len(fallbacks(provider))
    facts = provider.extract(window.chunk, replace(setting, known=known))
    made_by = RULES if len(fallbacks(provider)) > missed else provider.name
    for place in window.places:
        found[place].made_by = made_by
    for fact in facts:
        if not is_of_before(fact, window.chunk):
            sort_out(found[window.places[fact.message]], fact, session, shown)


def note_passing(window: Window, found: Sequence[Found], session: AgentSession, setting: Setting) -> None:
    """What is not worth keeping for itself, and passes the write gate. Nothing is said of what does not."""
    for fact in find_passing(window.chunk, setting):
        one = Found(found[window.places[fact.message]].resource)
        if not is_of_before(fact, window.chunk):
            sort_out(one, fact, session, ())
        found[window.places[fact.message]].passing += one.candidates


def fallbacks(provider: Provider) -> Sequence[object]:
    """Where the rules have answered in a model's place so far."""
    return provider.fallbacks if isinstance(provider, Careful) else ()


def is_of_before(fact: Fact, chunk: Chunk) -> bool:
    """Whether it was said in what came before, which is context: a model may tell of it all the same."""
    if fact.quote or not chunk.before:
        return False
    now, then = (
        max(used_share(fact.content, message.content) for message in messages)
        for messages in (chunk.messages, chunk.before)
    )
    return then > now


def as_message(resource: Resource, policy: AppPolicy) -> Message:
    """Without secrets, and without the markers where these are memories of their own."""
    at = resource.said_at(policy.time_zone)
    text = without_markers(resource.raw_content) if policy.capture_markers else resource.raw_content
    return Message(resource.role, redact(text).text, at, resource.speaker)


def sort_out(found: Found, fact: Fact, session: AgentSession, shown: Sequence[str]) -> None:
    """A candidate, a refusal, or nothing where it only repeats what we told the agent."""
    fact = replace(fact, content=redact(fact.content).text.strip())
    found.made_by = fact.made_by
    # A user who says what the agent was shown confirms it; an agent that does only reads it back.
    is_agents = found.resource.role == Role.ASSISTANT
    refusal = refusal_of(fact, session.app.policy, shown if is_agents else ())
    if refusal:
        found.refusals.append(refusal)
    elif fact.content:
        candidate = candidate_of(fact, session, found.resource)
        waits = quarantine(candidate, session.app.policy)
        if waits:
            found.refusals.append(waits)
        else:
            found.candidates.append(candidate)


def refusal_of(fact: Fact, policy: AppPolicy, shown: Sequence[str]) -> Refusal | None:
    """The write gate: verifiable, useful, short enough, no instruction to the agent, no echo."""
    scores = {"verifiable": fact.verifiable, "useful": fact.useful}
    suspicions = [one for text in (fact.content, fact.subject, *fact.tags) for one in find_instructions(text)]
    if is_echo(fact.content, shown):
        return Refusal(fact.category, ECHO, fact.content)
    if suspicions:
        kind, reason = RejectionKind.QUARANTINE, f"{suspicions[0].kind}: {suspicions[0].why}"
    elif NOTHING_BUT_A_SECRET.search(fact.content):
        kind, reason = RejectionKind.FACT, "says nothing but a secret"
    elif len(fact.content) > policy.max_characters:
        kind, reason = RejectionKind.FACT, f"longer than {policy.max_characters} characters"
    elif fact.verifiable < policy.verifiable_above:
        kind, reason = RejectionKind.FACT, f"an opinion: verifiable {fact.verifiable:.2f} < {policy.verifiable_above:g}"
    elif fact.useful <= policy.useful_above:
        kind, reason = RejectionKind.FACT, f"chatter: useful {fact.useful:.2f} ≤ {policy.useful_above:g}"
    else:
        return None
    return Refusal(fact.category, reason, fact.content, kind, scores, fields_of(fact))


def setting_of(session: AgentSession) -> Setting:
    """The drawers and subjects in use; not those of other end users, where the policy keeps them apart. Two queries."""
    app = session.app
    users = one_user(session.user_id) if app.policy.users_apart else None
    rows = Memory.objects.for_app(app).active().of_users(users).order_by()
    used = islice(rows.values_list("category", flat=True).distinct(), MOST_SUBJECTS)
    subjects = rows.exclude(subject=None).values_list("subject", flat=True).distinct()[:MOST_SUBJECTS]
    usual = (*OPERATIONAL_CATEGORIES, *PERSONAL_CATEGORIES, GENERAL)
    return Setting(
        categories=tuple(dict.fromkeys([*usual, *used])),
        subjects=tuple(subject for subject in subjects if subject),
        max_characters=app.policy.max_characters,
    )


def known_near(session: AgentSession, window: Window, embedder: Embedder) -> tuple[str, ...]:
    """What is known that is nearest to the window, for a model to see; nothing while the embedder is away."""
    said = "\n".join(message.content for message in window.chunk.messages)
    try:
        (vector,) = embedder.embed_documents([said])
    except EmbedderError:
        return ()
    view = index_of(session.app, embedder).view()
    users = one_user(session.user_id)
    reading = scoped_view(view, Scope(session.agent_id, users, window.chunk.now.timestamp()))
    if not reading.size:
        return ()
    cosines = question_cosines(reading, vector)
    near = cosines.foremost
    best = near[top(cosines.at(near), KNOWN_SHOWN)]
    rows = Memory.objects.for_app(session.app).of_users(users).in_bulk(reading.pks[best].tolist())
    return tuple(memory.content for memory in rows.values())

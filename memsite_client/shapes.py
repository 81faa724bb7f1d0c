"""What the server takes and answers, as the type checker sees it: plain dictionaries, times as ISO 8601 texts.

A newer server may answer with more fields than stand here. `docs/api.md` and `/api/docs` say what they mean.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, final

JSON = dict[str, Any]
Kind = Literal["decision", "insight", "fact", "preference", "project", "conversation", "general", "lesson"]
Origin = Literal["operator", "user", "assistant", "agent", "tool", "web"]
RollbackWhat = Literal["session", "resource", "agent", "origin", "import", "bridge"]
SayableOrigin = Literal["assistant", "agent", "tool", "web"]
Visibility = Literal["app", "agent", "shared"]
Status = Literal["active", "inactive", "archived"]
LinkKind = Literal["related", "supersedes", "contradicts", "elaborates"]
Mode = Literal["auto", "tiered", "dual", "vector", "fulltext", "graph"]
Format = Literal["ops", "app", "turn", "json"]
Role = Literal["user", "assistant", "system", "tool"]
Scope = Literal["read", "create", "write", "operator"]
ImportSource = Literal["memsite", "mem0", "chatgpt", "claude", "markdown"]


# --- memories


class MemoryFields(TypedDict, total=False):
    """What can be said of a memory, beside its content."""

    category: str
    subject: str | None
    importance: int
    confidence: float
    tags: list[str]
    pinned: bool
    user_id: str | None
    visibility: Visibility
    valid_from: str | None
    valid_until: str | None
    metadata: JSON


class NewMemoryFields(MemoryFields, total=False):
    kind: Kind
    origin: SayableOrigin
    session_id: str | None
    turn_number: int | None
    external_id: str | None


class NewMemory(NewMemoryFields, total=False):
    """One of a batch; `content` is required."""

    content: str


class MemoryChanges(MemoryFields, total=False):
    content: str
    status: Status


class MemoryFilters(TypedDict, total=False):
    status: str
    category: str
    subject: str
    kind: str
    origin: str
    trust_level: str
    user_id: str
    external_id: str
    session_id: str
    tag: str
    pinned: bool
    valid_at: str
    valid_from: str
    valid_until: str


class Times(TypedDict, total=False):
    """`valid_…`: what held then; `since` and `until`: what was stored then. ISO 8601, else by the app's clock."""

    valid_at: str | None
    valid_from: str | None
    valid_until: str | None
    since: str | None
    until: str | None


class Memory(TypedDict):
    id: str
    content: str
    kind: str
    category: str
    subject: str | None
    tags: list[str]
    importance: int
    confidence: float
    strength: str | None
    sentiment: str
    status: str
    pinned: bool
    tier: int
    priority: float
    user_id: str | None
    visibility: str
    origin: Origin
    trust_level: Literal["trusted", "reviewed", "unreviewed"]
    reviewed_by: str
    reviewed_at: str | None
    session_id: str | None
    turn_number: int | None
    resource_id: str | None
    external_id: str | None
    metadata: JSON
    created_at: str
    updated_at: str
    confirmed_at: str
    accessed_at: str | None
    access_count: int
    valid_from: str | None
    valid_until: str | None
    version: int


@final
class MemoryHeld(TypedDict):
    """Kept, and not stored or changed: a person decides. It alone has a `rejection_id`."""

    outcome: Literal["quarantined", "waiting"]
    reason: str
    rejection_id: str


@final
class MemoryStored(Memory):
    """`contradicted` is new, and at odds with those that it names."""

    outcome: Literal["created", "reinforced", "contradicted"]
    reason: str
    contradicts: list[str]


class BatchAnswer(TypedDict):
    """Per item the memory, `{"error": …}`, or a MemoryHeld."""

    results: list[JSON]


class Reviewed(TypedDict):
    """`left` counts those that were left as they are, by why."""

    reviewed: int
    left: dict[str, int]


class Rollback(TypedDict):
    """`counts` has memories `withdrawn` and changes of others `undone`, so far."""

    id: str
    what: str
    source: str
    since: str | None
    reason: str
    status: str
    counts: dict[str, int]
    asked_by: str
    asked_at: str
    finished_at: str | None


class Decided(TypedDict):
    """`left` counts those that were left as they are, by why."""

    decided: int
    left: dict[str, int]


class Deleted(TypedDict):
    success: bool
    deleted_count: int


class Revision(TypedDict):
    number: int
    action: str
    before: JSON
    after: JSON
    actor: str
    reason: str
    created_at: str


class Link(TypedDict):
    from_id: str
    to_id: str
    kind: str
    created_at: str


# --- recall


class SearchOptions(Times, total=False):
    limit: int
    mode: Mode
    min_score: float | None
    user_id: str | None
    filters: JSON
    explain: bool
    touch: bool
    scope: Literal["app", "shared"]
    documents: Literal["beside", "only", "none"]
    as_of: str | None
    cursor: str | None


class Citation(TypedDict):
    """Where a passage stands: `citation` is all of it as one text."""

    id: str
    name: str
    page: int | None
    heading: str | None
    citation: str


class TaggedMemory(Memory):
    """`trust` is what to know before believing it. A passage is no memory, and has a `document`.

    `validity` is when it holds: "valid 2025-09-01 to 2026-03-14".
    """

    trust: list[str]
    document: Citation | None
    validity: str


class Hit(TaggedMemory):
    """`score` is the probability that it answers, from 0 to 1."""

    score: float
    shared_by: str | None


class ExplainedHit(Hit, total=False):
    """With `explain` it has the parts of its `formula_score`, and the texts that it `replaced`."""

    scores: dict[str, float]
    formula_score: float
    replaced: list[str]


class AskedTime(TypedDict):
    """The time that was asked about. Not `known`: what is found held at another."""

    start: str | None
    end: str | None
    known: bool


class SearchAnswer(TypedDict):
    results: list[ExplainedHit]
    summaries: list[JSON]
    next: str | None
    tier_answered: str
    coverage: Literal["order", "summary", "count", "list"] | None
    took_ms: float
    degraded: list[str]
    asked_time: AskedTime | None
    scores_combined: NotRequired[Literal["sum", "product"]]


class FileFields(TypedDict, total=False):
    tags: list[str]
    origin: SayableOrigin


class DocumentFields(FileFields, total=False):
    external_id: str
    user_id: str


class Document(TypedDict):
    """`status` is waiting, ready or failed; `reason` says why it failed, or why passages are withheld."""

    id: str
    name: str
    external_id: str | None
    content_type: str
    size: int
    status: Literal["waiting", "ready", "failed"]
    reason: str
    pages: int | None
    passages: int
    withheld_count: int
    tags: list[str]
    user_id: str | None
    origin: Origin
    created_at: str
    updated_at: str


class Passage(TypedDict):
    id: str
    number: int
    page: int | None
    heading: str | None
    citation: str
    content: str


class ContextMessage(TypedDict):
    role: str
    content: str


class ContextOptions(Times, total=False):
    """Give `messages` or `query`, not both; neither asks for what is known without a question."""

    query: str
    messages: list[ContextMessage]
    session_id: str | None
    turn_number: int | None
    format: Format
    max_tokens: int | None
    limit: int | None
    min_score: float | None
    user_id: str | None


class Context(TypedDict):
    """`text` is the block for the prompt."""

    text: str
    tokens: int
    included: int
    total: int
    memories: list[TaggedMemory]
    tier_answered: str | None
    coverage: Literal["order", "summary", "count", "list"] | None
    economised: bool
    degraded: list[str]
    asked_time: AskedTime | None


# --- sessions


class NewSession(TypedDict, total=False):
    external_id: str | None
    tier: int
    user_id: str | None
    title: str
    environment: JSON | str


class Session(TypedDict):
    id: str
    external_id: str | None
    agent: str
    title: str
    tier: int
    user_id: str | None
    environment: JSON
    status: str
    end_reason: str
    started_at: str
    heartbeat_at: str
    ended_at: str | None


class Greeting(TypedDict):
    text: str
    tokens: int
    memories: list[TaggedMemory]
    lessons: list[TaggedMemory]
    triggers: list[JSON]


class SessionStarted(Session):
    context: Greeting
    jobs_run: list[str]


class JobsRun(TypedDict):
    jobs_run: list[str]


class SessionEnded(TypedDict):
    """`pending` counts the texts and memories that are still to be worked on."""

    status: str
    pending: int


class Checkpoint(TypedDict, total=False):
    user_input: str
    tool_calls: list[Any]
    llm_output: str
    internal_state: JSON


class Turn(TypedDict):
    turn_number: int
    user_input: str
    tool_calls: list[Any]
    llm_output: str
    internal_state: JSON
    created_at: str


class CaptureCounts(TypedDict):
    created: int
    reinforced: int
    contradicted: int
    echoed: int
    rejected: int
    events: int


class TurnStored(Turn):
    captured: CaptureCounts


class Replay(TypedDict):
    turn_number: int
    state: Any
    turns: list[Turn]


class Recovered(TypedDict):
    turn_number: int
    state: Any
    checkpoint: Turn | None


class Message(TypedDict):
    role: Role
    content: str


class KnownMessage(Message, total=False):
    """`at` is when it was said, if that is not now; `external_id` is yours: sent again, it is stored once.

    `name` is who says it, where several people speak.
    """

    at: str | None
    name: str | None
    external_id: str | None


class ExtractionQueued(TypedDict):
    queued: int


class MessagesStored(TypedDict):
    resource_ids: list[str]
    captured: CaptureCounts
    extraction: ExtractionQueued


class BadLine(TypedDict):
    line: int
    reason: str


class StreamReport(CaptureCounts):
    lines: int
    turns: list[int]
    errors: list[BadLine]
    error_count: int


class Judged(TypedDict):
    id: str
    word_share: float
    similarity: float | None
    evidence: str


class Feedback(TypedDict):
    used: list[Judged]
    ignored: list[Judged]


class Event(TypedDict):
    id: str
    level: str
    service: str | None
    message: str
    session_id: str | None
    turn_number: int | None
    memory_id: str | None
    created_at: str


class Resource(TypedDict):
    id: str
    role: str
    name: str | None
    raw_content: str
    content_type: str
    content_at: str
    conversation: str | None
    turn_number: int | None
    created_at: str


# --- what is learnt


class TriggerFields(TypedDict, total=False):
    trigger_time: str | None
    until: str | None
    rule: str


class NewTriggerFields(TriggerFields, total=False):
    memory_ids: list[str]
    user_id: str | None
    visibility: Literal["app", "agent"]


class TriggerChanges(TriggerFields, total=False):
    trigger_date: str
    message: str
    status: Literal["waiting", "cancelled"]


class Trigger(TypedDict):
    id: str
    trigger_date: str
    trigger_time: str | None
    until: str | None
    recurring: bool
    rule: str
    text: str
    message: str
    status: str
    reason: str | None
    user_id: str | None
    visibility: str
    created_at: str
    memories: list[Memory]


class Category(TypedDict):
    category: str
    memories: int
    has_summary: bool
    version: int | None
    updated_at: str | None
    made_by: str | None


class Summary(TypedDict):
    category: str
    version: int | None
    content: str
    made_by: str
    memory_count: int
    created_at: str
    stored: bool


class Rejection(TypedDict):
    id: str
    kind: str
    category: str
    content: str
    reason: str
    scores: JSON | None
    decision: str
    decided_by: str
    decided_at: str | None
    memory_id: str | None
    session_id: str | None
    resource_id: str | None
    turn_number: int | None
    created_at: str


class Entity(TypedDict):
    id: str
    name: str
    kind: str
    memories: int


# --- apps, for operators


class App(TypedDict):
    app_id: str
    name: str
    preset: str
    status: str
    created_at: str
    policy: JSON


class AgentWithKey(TypedDict):
    """`id` is the name. `api_key` is shown this once; None when the answer is repeated."""

    id: str
    name: str
    domain: str
    scopes: list[str]
    prefix: str
    expires_at: str | None
    api_key: str | None


class Key(TypedDict):
    prefix: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


class Agent(TypedDict):
    """`id` is the name."""

    id: str
    name: str
    domain: str
    tier: int | None
    status: str
    created_at: str
    keys: list[Key]


class AgentChanges(TypedDict, total=False):
    name: str
    domain: str
    tier: int | None
    scopes: list[Scope]
    status: Literal["active"]


class Cooldown(TypedDict):
    id: str
    action: str
    service: str
    until: str
    reason: str
    agent: str
    session_id: str | None
    created_at: str


class NewCooldown(TypedDict, total=False):
    """Either `seconds` or `until`."""

    service: str
    seconds: int
    until: str
    reason: str
    session_id: str


AlertKind = Literal[
    "app_full", "digest_failed", "circuit_open", "job_overdue", "quarantine_waiting", "budget_spent", "backup_failed"
]

AlertStatus = Literal["open", "over"]


class AlertRuleChanges(TypedDict, total=False):
    threshold: float | None
    webhook: str | None
    emails: list[str]
    dashboard: bool
    enabled: bool


class AlertRule(TypedDict):
    """`app_id` is None for a rule of the whole site."""

    id: str
    app_id: str | None
    kind: AlertKind
    threshold: float | None
    webhook: str | None
    emails: list[str]
    dashboard: bool
    enabled: bool
    created_at: str


class Alert(TypedDict):
    """`ended_at` is None while it lasts."""

    id: str
    app_id: str | None
    kind: AlertKind
    rule: str
    text: str
    value: float
    begun_at: str
    ended_at: str | None
    acknowledged_at: str | None
    acknowledged_by: str
    mailed: str
    mail_error: str


class Counted(TypedDict):
    """`left_out` is what does not fit into this app, or waits for a person: `withheld` of it do."""

    new: int
    known: int
    left_out: int
    redacted: int
    untrusted: int
    withheld: int


class Import(TypedDict):
    """`done` of `lines` were taken in so far; `counts` are by type."""

    id: str
    source: str
    agent: str
    user_id: str | None
    status: str
    lines: int
    done: int
    counts: dict[str, Counted]
    reason: str
    asked_by: str
    created_at: str
    finished_at: str | None


class Survey(TypedDict):
    counts: dict[str, Counted]


# --- telling others


class Webhook(TypedDict):
    """`reason` says why it was switched off by itself."""

    id: str
    url: str
    description: str
    events: list[str]
    is_active: bool
    reason: str
    created_at: str


class WebhookWithSecret(Webhook):
    """`secret` is for checking signatures (Standard Webhooks), and is shown this once; None in a repeated answer."""

    secret: str | None


class WebhookChanges(TypedDict, total=False):
    url: str
    description: str
    events: list[str]
    is_active: bool


class Secret(TypedDict):
    secret: str


class Delivery(TypedDict):
    """`id` is the `webhook-id` of the message; `answer` the status that it was answered with last."""

    id: str
    kind: str
    payload: JSON
    status: str
    attempts: int
    next_at: str
    answer: int | None
    reason: str
    seconds: float
    created_at: str
    finished_at: str | None


class Bridge(TypedDict):
    """`address` is where its messages are sent to."""

    id: str
    name: str
    agent: str
    address: str
    created_at: str


class BridgeWithSecret(Bridge):
    secret: str | None


class Change(TypedDict):
    """`memory` is as it is by now; None for one that is deleted."""

    type: str
    memory_id: str
    memory: Memory | None


class Changes(TypedDict):
    """`last` is where to go on."""

    results: list[Change]
    last: int

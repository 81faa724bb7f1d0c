"""The tools of `/mcp`: what an agent does with its memory, in small answers. Details are asked for by id."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.db.models import Model, QuerySet
from pydantic import BeforeValidator, Field
from rest_framework.exceptions import PermissionDenied, ValidationError

from memories.api.base import candidate_from, check_changes, count_writes, memory_with, or_404
from memories.api.fields import StrictSerializer, range_of, valid_asked, validated
from memories.api.pagination import as_uuid, search_page, whole
from memories.api.scope_names import labels
from memories.api.serializers.documents import DocumentFields, show_passage
from memories.api.serializers.memories import (
    ContextQuestion,
    MemoryChanges,
    NewLink,
    NewMemory,
    SearchQuestion,
    show_asked_time,
    show_held,
    show_hit,
    show_memory,
)
from memories.api.serializers.sessions import Answered, NewSession, NewTrigger, show_feedback
from memories.api.views.triggers import memories_named
from memories.learn.trigger_span import WrongTrigger
from memories.mcp.toolbox import ToolAnswer, Toolbox, ToolContext
from memories.models import Document, FutureTrigger, Kind, Link, Memory, Rejection, Revision, Status
from memories.models.document import citation_of
from memories.retrieve.hits import Hit
from memories.retrieve.injection_guard import safe_memories
from memories.services import DocumentLimit, MemoryAgent, Upload, Withheld
from memsite.tenancy.models import App, Scope
from memsite.tenancy.policy import Block
from sessions.models import MAX_TURN, AgentSession

MOST_CHARACTERS = 500
toolbox = Toolbox()
NOTHING = "Nothing is known about that."
UNKNOWN_TIME = "Nothing is known of that time."
NOTHING_ELSE = "Nothing is known about that, but for what this session was shown already."
TOO_FEW_TOKENS = "What is known does not fit into so few tokens: ask for more."
ARGUMENTS = {
    "trigger_date": "date",
    "trigger_time": "time",
    "turn_number": "turn",
    "external_id": "session",
    "to": "to_id",
}
"""What tools call the fields of the API, where they call them otherwise."""
MOST_LINKS = 20
FORGET_AT_MOST = 100
DOCUMENTS_SHOWN = 20
Id = Annotated[str, Field(description="Of a memory, as search tells it.")]
UserId = Annotated[str | None, Field(description="The end user it is about or for.")]
Category = Annotated[str | None, Field(description="Its category, in small letters: work, health, timing, …")]
Subject = Annotated[str | None, Field(description="What it is about: a service, a person, a project.")]
Labels = BeforeValidator(labels)
Tags = Annotated[list[str] | None, Labels, Field(description="Short labels.")]
OriginSaid = Annotated[
    Literal["assistant", "agent", "tool", "web"] | None,
    Field(description="Whose word it is: yours (assistant), another agent's, a tool's, or read on the web."),
]
Time = Annotated[str | None, Field(description="ISO 8601.")]
ValidAt = Annotated[str | None, Field(description="Only what held at this time (ISO 8601), ended or not.")]
ValidFrom = Annotated[str | None, Field(description="Only what held at some time from here on (ISO 8601).")]
ValidUntil = Annotated[str | None, Field(description="Only what held at some time before this (ISO 8601).")]
Importance = Annotated[int | None, Field(ge=1, description="1 trivial to 5 critical.")]
Metadata = Annotated[dict[str, Any] | None, Field(description="An object of your own, small.")]
Session = Annotated[str | None, Field(description="Your name for this conversation, the same each time.")]
Limit = Annotated[int, Field(ge=1, le=50)]
LeastScore = Annotated[float | None, Field(ge=0, le=1, description="Nothing less probably right than this.")]
Cursor = Annotated[str | None, Field(description="`next` of the answer before.")]
__all__ = ["toolbox"]


def brief(memory: Memory) -> dict[str, Any]:
    """Its text cut off where it is long (`cut` tells), and no field that holds nothing."""
    if place := citation_of(memory):
        # A passage is short enough, and is no memory that could be changed.
        return {"content": memory.content, "quoted_from": place["citation"], "document_id": place["id"]}
    fields = {
        "id": memory.uid,
        "content": memory.text[:MOST_CHARACTERS],
        "cut": len(memory.text) > MOST_CHARACTERS,
        "category": memory.category,
        "subject": memory.subject,
        "kind": memory.kind,
        "confidence": round(memory.confidence, 2),
        "status": memory.status if memory.status != Status.ACTIVE else None,
        "user_id": memory.user_id,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "updated_at": memory.updated_at,
    }
    return {name: value for name, value in fields.items() if value not in (None, False)}


def brief_hit(hit: Hit, app: App, *, detail: bool) -> dict[str, Any]:
    """Of another app's memory only what that app shares."""
    if detail:
        return show_hit(hit, app, explain=True)
    fields = {**brief(hit.memory), "score": round(hit.score, 3)}
    if passage := hit.passage:
        fields |= {"content": passage.of(hit.memory.text), "cut": True}
    if hit.trust:
        fields["trust"] = hit.trust
    return fields


def brief_revision(revision: Revision) -> dict[str, Any]:
    changed = {
        name: {"before": revision.before.get(name), "after": value}
        for name, value in revision.after.items()
        if revision.before.get(name) != value
    }
    fields = {"number": revision.number, "action": revision.action, "by": revision.actor, "at": revision.created_at}
    return {**fields, "reason": revision.reason, "changed": changed if revision.before else {}}


def take(rows: QuerySet[Any], limit: int, cursor: str | None) -> tuple[list[Any], str | None]:
    """(rows after the one that the cursor names, the cursor of what follows), the latest first."""
    if cursor:
        rows = rows.filter(uid__lt=as_uuid("cursor", cursor))
    some: list[Model] = list(rows.order_by("-uid")[: limit + 1])
    more = len(some) > limit
    return some[:limit], str(some[limit - 1].uid) if more else None  # type: ignore[attr-defined]  # rows are Identified


def given(**fields: Any) -> dict[str, Any]:
    """Return the arguments that were given."""
    return {name: value for name, value in fields.items() if value is not None}


def read(serializer: type[StrictSerializer], **fields: Any) -> dict[str, Any]:
    """Validate arguments. Errors name the argument as the model knows it."""
    try:
        return validated(serializer, given(**fields))
    except ValidationError as wrong:
        if not isinstance(wrong.detail, dict):
            raise
        raise ValidationError({ARGUMENTS.get(name, name): why for name, why in wrong.detail.items()}) from None


# --- what is known


@toolbox.reads("Search memories")
def search(
    ctx: ToolContext,
    query: Annotated[str, Field(description="What you want to know, in your own words.")],
    limit: Limit = 5,
    cursor: Cursor = None,
    min_score: LeastScore = None,
    category: Category = None,
    subject: Subject = None,
    tags: Tags = None,
    user_id: UserId = None,
    as_of: Annotated[str | None, Field(description="What was known at this time (ISO 8601).")] = None,
    valid_at: ValidAt = None,
    valid_from: ValidFrom = None,
    valid_until: ValidUntil = None,
    filters: Annotated[
        dict[str, Any] | None, Field(description='and, or, not, fields: {"not": {"tags": "old"}}.')
    ] = None,
    detail: Annotated[bool, Field(description="All fields of each memory, and the parts of its score.")] = False,
) -> dict[str, Any]:
    """Finds memories, and passages of documents (`quoted_from`), by meaning, the best first.

    Nothing fits: nothing is found. Search before you store or ask.
    """
    narrowed: list[Mapping[str, Any]] = [filters] if filters else []
    narrowed += [{name: value} for name, value in (("category", category), ("subject", subject)) if value]
    narrowed += [{"tags": tag} for tag in tags or ()]
    question = read(
        SearchQuestion,
        query=query,
        limit=limit,
        cursor=cursor,
        min_score=min_score,
        user_id=user_id,
        as_of=as_of,
        valid_at=valid_at,
        valid_from=valid_from,
        valid_until=valid_until,
        filters={"and": narrowed} if narrowed else {},
    )
    recall, following = search_page(ctx.agent, question)
    safe = safe_memories([hit.memory for hit in recall.hits], ctx.agent.app.policy)
    answer: dict[str, Any] = {
        "memories": [brief_hit(hit, ctx.agent.app, detail=detail) for hit in recall.hits if hit.memory in safe]
    }
    if recall.summaries:
        answer["summaries"] = [
            {"category": answer.summary.category, "passages": answer.passages} for answer in recall.summaries
        ]
    return answer | given(
        next=following,
        degraded=recall.degraded or None,
        coverage=recall.coverage or None,
        asked_time=show_asked_time(recall.time),
    )


@toolbox.reads("Show a memory")
def show(ctx: ToolContext, id: Id) -> dict[str, Any]:
    """Everything about one memory, and what it is linked with."""
    agent = ctx.agent
    memory = memory_with(agent, as_uuid("id", id))
    rows = agent.links_of(memory).order_by("-pk")[:MOST_LINKS]
    return {**show_memory(memory), "links": [show_end(row, memory) for row in rows]}


def show_end(link: Link, memory: Memory) -> dict[str, Any]:
    is_from = link.from_memory_id == memory.pk
    other = link.to_memory if is_from else link.from_memory
    return {"kind": link.kind, "direction": "to" if is_from else "from", "memory": brief(other)}


@toolbox.reads("What to know before you answer")
def context(
    ctx: ToolContext,
    query: Annotated[str | None, Field(description="The question at hand; without one, what is known at all.")] = None,
    session: Session = None,
    turn: Annotated[int | None, Field(ge=1, description="Its turn, counted from 1.")] = None,
    max_tokens: Annotated[int | None, Field(ge=1, description="How long it may be.")] = None,
    user_id: UserId = None,
    valid_at: ValidAt = None,
) -> ToolAnswer:
    """A block of what is known, ready to be read. With `session` nothing is shown twice, and `feedback` is possible."""
    question = read(
        ContextQuestion,
        query=query,
        turn_number=turn,
        max_tokens=max_tokens,
        user_id=user_id,
        valid_at=valid_at,
    )
    wanted = question["query"]
    recalled = ctx.agent.context(
        Block.TURN if wanted else ctx.agent.app.policy.block,
        question=wanted,
        session=session_named(ctx, session, user_id) if session else None,
        turn_number=question["turn_number"],
        max_tokens=question["max_tokens"],
        user_id=question["user_id"],
        valid=valid_asked(question),
        stored=range_of(question["since"], question["until"]),
    )
    injected = recalled.injected
    counts = {"tokens": injected.tokens, "included": len(injected.memories), "total": injected.total}
    document = {"text": injected.text, **counts, "ids": [memory.uid for memory in injected.memories]}
    if recalled.time and not recalled.time.is_known and not injected.total:
        return ToolAnswer(UNKNOWN_TIME, document)
    nothing = TOO_FEW_TOKENS if injected.total else NOTHING_ELSE if session else NOTHING
    return ToolAnswer(injected.text or nothing, document)


def session_named(ctx: ToolContext, name: str, user_id: str | None) -> AgentSession:
    """Return the caller's session of this name, opened if it is new."""
    if Scope.CREATE not in ctx.caller.scopes:
        raise PermissionDenied("Leave session out: it takes a key with the scope create or write.")
    fields = read(NewSession, external_id=name, user_id=user_id)
    session, _ = ctx.agent.open_session(fields.pop("external_id"), fields)
    return session


@toolbox.reads("History of a memory")
def history(
    ctx: ToolContext,
    id: Id,
    limit: Limit = 10,
    after: Annotated[int, Field(description="Only changes with a higher number.")] = 0,
) -> dict[str, Any]:
    """Every change of a memory: what, who, when and why, the oldest first."""
    memory = memory_with(ctx.agent, as_uuid("id", id))
    rows = Revision.objects.for_app(ctx.agent.app).filter(memory=memory, number__gt=after).order_by("number")
    some = list(rows[: limit + 1])
    following = some[limit - 1].number if len(some) > limit else None
    return {"changes": [brief_revision(row) for row in some[:limit]]} | given(after=following)


# --- what is changed


@toolbox.writes("Store a memory", only_adds=True, repeatable=True)
def store(
    ctx: ToolContext,
    content: Annotated[str, Field(description="One fact, in a sentence that can be understood alone.")],
    category: Category = None,
    subject: Subject = None,
    kind: Annotated[Literal[tuple(Kind.values)] | None, Field(description="What sort of fact.")] = None,  # type: ignore[valid-type]
    importance: Importance = None,
    tags: Tags = None,
    origin: OriginSaid = None,
    user_id: UserId = None,
    pinned: Annotated[bool | None, Field(description="It never fades.")] = None,
    valid_from: Time = None,
    valid_until: Time = None,
    metadata: Metadata = None,
    session: Session = None,
) -> dict[str, Any]:
    """Remembers one fact. If the same is known, that becomes surer; if the contrary is, that becomes less sure."""
    fields = read(
        NewMemory,
        content=content,
        category=category,
        subject=subject,
        kind=kind,
        importance=importance,
        tags=tags,
        origin=origin,
        user_id=user_id,
        pinned=pinned,
        valid_from=valid_from,
        valid_until=valid_until,
        metadata=metadata,
    )
    candidate = candidate_from(ctx.agent, fields)
    if session:
        candidate.session = session_named(ctx, session, user_id)
        candidate.tier = candidate.session.tier
    count_writes(ctx.agent, 1)
    (outcome,) = ctx.agent.remember([candidate])
    if outcome.memory is None:
        return withheld(outcome.rejection)
    against = [memory.uid for memory in outcome.against]
    stored_fields = {"outcome": str(outcome.kind), **brief(outcome.memory)}
    return stored_fields | given(reason=outcome.reason or None, contradicts=against or None)


@toolbox.writes("Change a memory", repeatable=True)
def update(
    ctx: ToolContext,
    id: Id,
    content: Annotated[str | None, Field(description="The new text.")] = None,
    category: Category = None,
    subject: Subject = None,
    importance: Importance = None,
    confidence: Annotated[float | None, Field(description="0 to 1.")] = None,
    tags: Tags = None,
    pinned: bool | None = None,
    status: Annotated[
        Literal["active", "inactive", "archived"] | None, Field(description="archived: put away, the soft way.")
    ] = None,
    user_id: UserId = None,
    valid_from: Time = None,
    valid_until: Time = None,
    metadata: Metadata = None,
) -> dict[str, Any]:
    """Changes what is given and leaves the rest. The history keeps what it was."""
    agent = ctx.agent
    memory = memory_with(agent, as_uuid("id", id))
    changes = read(
        MemoryChanges,
        content=content,
        category=category,
        subject=subject,
        importance=importance,
        tags=tags,
        confidence=confidence,
        pinned=pinned,
        status=status,
        user_id=user_id,
        valid_from=valid_from,
        valid_until=valid_until,
        metadata=metadata,
    )
    if not changes:
        raise ValidationError("Say what to change.")
    check_changes(memory, changes, ctx.agent.app.policy)
    try:
        return brief(agent.edit(memory, changes))
    except Withheld as waits:
        return withheld(waits.rejection)


def withheld(rejection: Rejection | None) -> dict[str, Any]:
    """Kept for a person to decide about."""
    assert rejection is not None
    return {**show_held(rejection), "note": "Not stored: a person has to decide. Do not try it in other words."}


@toolbox.writes("Forget memories", destroys=True, repeatable=True)
def forget(
    ctx: ToolContext,
    ids: Annotated[
        list[str], Labels, Field(description="Of memories or documents.", min_length=1, max_length=FORGET_AT_MOST)
    ],
) -> dict[str, Any]:
    """Deletes memories or documents for good. `update` with status archived is the soft way for memories."""
    agent, uids = ctx.agent, [as_uuid("ids", uid) for uid in ids]
    documents, rows = list(agent.documents().filter(uid__in=uids)), list(agent.memories().filter(uid__in=uids))
    agent.check_may_change([*(row.agent_id for row in documents), *(row.agent_id for row in rows)])
    for document in documents:
        agent.delete_document(document)
    return {"deleted_count": len(documents) + agent.forget(rows)}


@toolbox.writes("Link two memories", repeatable=True)
def link(
    ctx: ToolContext,
    from_id: Id,
    to_id: Id,
    kind: Literal["related", "supersedes", "contradicts", "elaborates"] = "related",
) -> dict[str, Any]:
    """Says how one memory stands to another. What is superseded is found no more."""
    agent = ctx.agent
    memory, body = memory_with(agent, as_uuid("from_id", from_id)), read(NewLink, to=to_id, kind=kind)
    other = or_404(agent.memories().filter(uid=body["to"]).first())
    if other == memory:
        raise ValidationError({"to_id": ["A memory is not linked to itself."]})
    row, is_new = agent.link(memory, other, body["kind"])
    return {"from_id": memory.uid, "to_id": other.uid, "kind": row.kind, "is_new": is_new}


@toolbox.writes("Say what you answered", only_adds=True)
def feedback(
    ctx: ToolContext,
    session: Annotated[str, Field(description="As you named it to `context`.")],
    text: Annotated[str, Field(description="What you answered.")],
    turn: Annotated[int, Field(ge=1, description="The turn you told `context`.")] = 1,
    question: Annotated[str, Field(description="What you were asked.")] = "",
) -> dict[str, Any]:
    """Which of the memories you were shown did you use? Those gain priority, the others lose some."""
    rows = AgentSession.objects.for_app(ctx.agent.app).filter(agent=ctx.agent.agent, external_id=session)
    row = or_404(rows.first(), "There is no session of this name: name it to `context` first.")
    row.app = ctx.agent.app
    body = read(Answered, turn_number=turn, text=text, question=question)
    judged = ctx.agent.judge_response(row, body["turn_number"], body["text"], body["question"])
    return {
        verdict: [{"id": row["id"], "evidence": row["evidence"]} for row in rows]
        for verdict, rows in show_feedback(judged).items()
    }


# --- documents


@toolbox.reads("Documents")
def documents(
    ctx: ToolContext,
    id: Annotated[str | None, Field(description="Of one document: what it says.")] = None,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Uploaded files and how far they are read; with `id`, its passages in order."""
    agent = ctx.agent
    if id is None:
        some, following = take(agent.documents(), DOCUMENTS_SHOWN, cursor)
        return {"documents": [brief_document(row) for row in some]} | given(next=following)
    document = document_with(agent, id)
    rows = agent.passages_of(document).filter(turn_number__gt=whole("cursor", cursor or "0", MAX_TURN))
    some = list(rows[: DOCUMENTS_SHOWN + 1])
    safe = safe_memories(some[:DOCUMENTS_SHOWN], agent.app.policy)
    passages = [{"quoted_from": show_passage(row)["citation"], "content": row.content} for row in safe]
    following = str(some[DOCUMENTS_SHOWN - 1].turn_number) if len(some) > DOCUMENTS_SHOWN else None
    return {**brief_document(document), "said": passages} | given(next=following)


@toolbox.writes("Add a document", only_adds=True, repeatable=True)
def add_document(
    ctx: ToolContext,
    name: Annotated[str, Field(description="Of the file, with its ending: manual.md.")],
    content: Annotated[str, Field(description="Its text; of a PDF or DOCX, its bytes in base64.")],
    id: Annotated[str | None, Field(description="Of a document that it replaces.")] = None,
    user_id: UserId = None,
) -> dict[str, Any]:
    """Keeps a PDF, DOCX, HTML, Markdown or text file; `search` finds its passages once it is ready."""
    agent = ctx.agent
    fields = read(DocumentFields, name=name, user_id=user_id)
    document = document_with(agent, id) if id else None
    count_writes(agent, 1)
    try:
        is_packed = name.lower().endswith((".pdf", ".docx"))
        data = b64decode(content, validate=True) if is_packed else content.encode()
        return brief_document(agent.upload_document(Upload(data=data, **fields), document))
    except BinasciiError as error:
        raise ValidationError({"content": ["Not base64."]}) from error
    except DocumentLimit as error:
        raise ValidationError(str(error)) from error


def document_with(agent: MemoryAgent, uid: str) -> Document:
    return or_404(agent.documents().filter(uid=as_uuid("id", uid)).first())


def brief_document(document: Document) -> dict[str, Any]:
    names = ("name", "status", "pages", "passages", "withheld_count", "reason", "user_id")
    fields = {name: value for name in names if (value := getattr(document, name))}
    return {"id": document.uid, **fields}


# --- what was learnt


@toolbox.reads("Categories and their summaries")
def categories(
    ctx: ToolContext,
    name: Annotated[str | None, Field(description="Of one category: what is written about it.")] = None,
    user_id: UserId = None,
) -> dict[str, Any] | ToolAnswer:
    """What is known by drawer: how much in each; with `name`, its summary as Markdown."""
    agent = ctx.agent
    if name is None:
        known = agent.categories(user_id or "")
        return {"categories": [{"name": category.name, "memories": category.memories} for category in known]}
    summary = or_404(agent.summary(name, user_id or ""), "There is no category of this name.")
    return ToolAnswer(summary.content, {"category": summary.category, "content": summary.content})


@toolbox.reads("Lessons")
def lessons(ctx: ToolContext, limit: Limit = 20, cursor: Cursor = None, user_id: UserId = None) -> dict[str, Any]:
    """What users corrected and agents learnt, the latest first."""
    rows = ctx.agent.memories_of(user_id).of_user(user_id).active().lessons()
    some, following = take(rows, limit, cursor)
    return {"lessons": [brief(row) for row in safe_memories(some, ctx.agent.app.policy)]} | given(next=following)


@toolbox.reads("What is to come")
def triggers(
    ctx: ToolContext,
    status: Literal["waiting", "done", "cancelled"] | None = "waiting",
    limit: Limit = 20,
    cursor: Cursor = None,
    user_id: UserId = None,
) -> dict[str, Any]:
    """Days to come and what has to be in view on them, the latest noted first."""
    agent = ctx.agent
    rows = agent.triggers_of(user_id).filter(**given(status=status, user_id=user_id))
    some, following = take(rows, limit, cursor)
    return {"triggers": [brief_trigger(agent, row) for row in some]} | given(next=following)


@toolbox.writes("Note what is to come", only_adds=True)
def add_trigger(
    ctx: ToolContext,
    date: Annotated[str, Field(description="The day, as 2026-12-31; of what comes round, the first.")],
    message: Annotated[str, Field(description="What is then.")],
    time: Annotated[str | None, Field(description="Of the clock, as 15:00.")] = None,
    until: Annotated[str | None, Field(description="The last day, of a stretch of days.")] = None,
    rule: Annotated[str | None, Field(description="How it comes round (RFC 5545): FREQ=WEEKLY.")] = None,
    memory_ids: Annotated[list[str] | None, Labels, Field(description="Memories to bring up that day.")] = None,
    user_id: UserId = None,
) -> dict[str, Any]:
    """Brings something up on its day, at the start of each session."""
    body = read(
        NewTrigger,
        trigger_date=date,
        message=message,
        trigger_time=time,
        until=until,
        rule=rule,
        memory_ids=memory_ids,
        user_id=user_id,
    )
    agent = ctx.agent
    memories = memories_named(agent, body.pop("memory_ids"))
    count_writes(ctx.agent, 1)
    try:
        trigger = agent.add_trigger({**body, "text": str(body["trigger_date"])}, memories)
        return brief_trigger(agent, agent.triggers().get(pk=trigger.pk))
    except WrongTrigger as wrong:
        reason = str(wrong).replace("trigger_date", ARGUMENTS["trigger_date"])
        raise WrongTrigger(ARGUMENTS.get(wrong.field, wrong.field), reason) from None


def brief_trigger(agent: MemoryAgent, row: FutureTrigger) -> dict[str, Any]:
    fields = {"id": row.uid, "date": row.trigger_date, "message": row.message, "status": row.status}
    memories = [memory.uid for memory in agent.brought_up(row)]
    return fields | given(
        time=row.trigger_time, until=row.until, rule=row.rule or None, user_id=row.user_id, memory_ids=memories or None
    )

"""The client for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Literal, Self, Unpack, cast
from uuid import uuid4

import httpx

from memsite_client import __version__
from memsite_client.configuration import find_server
from memsite_client.shapes import (
    JSON,
    Agent,
    AgentChanges,
    AgentWithKey,
    Alert,
    AlertKind,
    AlertRule,
    AlertRuleChanges,
    AlertStatus,
    App,
    BatchAnswer,
    Bridge,
    BridgeWithSecret,
    Category,
    Change,
    Changes,
    Checkpoint,
    Context,
    ContextOptions,
    Cooldown,
    Decided,
    Deleted,
    Delivery,
    Document,
    DocumentFields,
    Entity,
    Event,
    ExplainedHit,
    Feedback,
    FileFields,
    Import,
    ImportSource,
    JobsRun,
    KnownMessage,
    Link,
    LinkKind,
    Memory,
    MemoryChanges,
    MemoryFilters,
    MemoryHeld,
    MemoryStored,
    MessagesStored,
    NewCooldown,
    NewMemory,
    NewMemoryFields,
    NewSession,
    NewTriggerFields,
    Origin,
    Passage,
    Recovered,
    Rejection,
    Replay,
    Resource,
    Reviewed,
    Revision,
    Rollback,
    RollbackWhat,
    Scope,
    SearchAnswer,
    SearchOptions,
    Secret,
    Session,
    SessionEnded,
    SessionStarted,
    StreamReport,
    Summary,
    Survey,
    Trigger,
    TriggerChanges,
    Turn,
    TurnStored,
    Webhook,
    WebhookChanges,
    WebhookWithSecret,
)
from memsite_client.wire import (
    CONNECT_SECONDS,
    IDEMPOTENCY_KEY,
    Retry,
    address_of,
    answer_of,
    away,
    cursor_of,
    part,
    request_of,
)

PAGE_SIZE = 100
FILE_SECONDS = 3600.0
LONGEST_WAIT_SECONDS = 25
ANY_FILE = "application/octet-stream"
__all__ = ["AsyncMemsite"]


class AsyncConnection:
    """A connection to one server, closed with `async with` or by `aclose`.

    Without `url` and `api_key` the environment and the file of `memsite login` name them. `timeout` is in seconds
    and for each wait alone; `retries` is how often a request is repeated that did not arrive or may be repeated.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.place = find_server(url, api_key)
        self.retries = retries
        self.http = httpx.AsyncClient(
            base_url=address_of(self.place),
            headers={"Authorization": f"Bearer {self.place.key}", "User-Agent": f"memsite-client/{__version__}"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.http.aclose()

    async def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool | None = None,
    ) -> Any:
        """Return the answer of any endpoint under `/api/v1/`, for those that have no method here.

        `path` may be a whole address of this server, such as that of a next page. Raise ServerAway without an answer,
        ProblemError with an error. GET and PUT are repeated unless `repeatable` is False.
        """
        again = Retry(self.retries, repeatable=method in ("GET", "PUT") if repeatable is None else repeatable)
        sent = request_of(self.http, method, path, query, json=json, headers=headers)
        while True:
            try:
                response = await self.http.send(sent)
            except httpx.RequestError as error:
                wait = again.after_error(error)
                if wait is None:
                    raise away(self.place.url, error) from error
            else:
                wait = None if response.is_success else again.after_answer(response)
                if wait is None:
                    return answer_of(response)
            await asyncio.sleep(wait)

    async def create(self, path: str, body: Any, idempotency_key: str | None = None) -> Any:
        """Send a POST that takes effect once, however often it is repeated."""
        headers = {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
        return await self.request("POST", path, json=body, headers=headers, repeatable=True)

    async def pages(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Yield every row of a list, fetching page by page."""
        cursor: str | None = None
        while True:
            page = await self.request("GET", path, query={"limit": PAGE_SIZE, **query, "cursor": cursor})
            for row in page["results"]:
                yield row
            cursor = cursor_of(page)
            if cursor is None:
                return

    async def upload(
        self,
        path: str,
        content: AsyncIterable[bytes] | bytes,
        query: Mapping[str, Any] | None = None,
        *,
        method: str = "POST",
        content_type: str = "application/x-ndjson",
        timeout: httpx.Timeout | None = None,
    ) -> Any:
        """Send a body of any length once, as it is produced."""
        headers = {"Content-Type": content_type}
        wait = timeout or self.http.timeout
        sent = request_of(self.http, method, path, query, content=content, headers=headers, timeout=wait)
        try:
            response = await self.http.send(sent)
        except httpx.RequestError as error:
            raise away(self.place.url, error) from error
        return answer_of(response)

    async def download(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """Yield an answer of any length in pieces. The first may take long."""
        sent = request_of(self.http, "GET", path, query, timeout=self.patience())
        try:
            response = await self.http.send(sent, stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                    answer_of(response)
                async for piece in response.aiter_bytes():
                    yield piece
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            raise away(self.place.url, error) from error

    def patience(self) -> httpx.Timeout:
        """Return the timeouts of files, which the server reads or writes to their end before it answers."""
        return httpx.Timeout(FILE_SECONDS, connect=self.http.timeout.connect)


class AsyncMemories(AsyncConnection):
    async def create_memory(
        self,
        content: str,
        *,
        dedupe: bool = True,
        idempotency_key: str | None = None,
        **fields: Unpack[NewMemoryFields],
    ) -> MemoryStored | MemoryHeld:
        """Store a memory, unless the same is known: `outcome` says what became of it.

        Where a person has to decide, the answer is a MemoryHeld and nothing is stored yet: `"rejection_id" in answer`.
        """
        body = {"content": content, "dedupe": dedupe, **fields}
        return cast(MemoryStored | MemoryHeld, await self.create("memories", body, idempotency_key))

    async def create_memories(
        self, memories: Iterable[NewMemory], *, dedupe: bool = False, idempotency_key: str | None = None
    ) -> BatchAnswer:
        """Store up to 500 at once; an invalid one does not affect the others."""
        body = {"memories": list(memories), "dedupe": dedupe}
        return cast(BatchAnswer, await self.create("memories/batch", body, idempotency_key))

    def list_memories(self, **filters: Unpack[MemoryFilters]) -> AsyncIterator[Memory]:
        """Yield memories, the latest first."""
        return self.pages("memories", filters)

    async def get_memory(self, memory_id: str, *, as_of: str | None = None) -> Memory:
        """Return a memory as it is, or as it was at `as_of`."""
        return cast(Memory, await self.request("GET", f"memories/{part(memory_id)}", query={"as_of": as_of}))

    async def change_memory(
        self, memory_id: str, *, version: int | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory | MemoryHeld:
        """Change a memory. Raise VersionMismatch if it is not at `version` any more.

        Where a person has to decide, the answer is a MemoryHeld and nothing is changed yet.
        """
        path = f"memories/{part(memory_id)}"
        return cast(Memory | MemoryHeld, await self.request("PATCH", path, json=changes, headers=only_at(version)))

    async def delete_memory(self, memory_id: str, *, version: int | None = None) -> Deleted:
        """Delete a memory for good, with its history."""
        path = f"memories/{part(memory_id)}"
        return cast(Deleted, await self.request("DELETE", path, headers=only_at(version)))

    async def delete_memories(self, ids: Iterable[str]) -> Deleted:
        """Delete up to 500. Unknown ids are ignored."""
        return cast(Deleted, await self.request("POST", "memories/delete", json={"ids": list(ids)}, repeatable=True))

    def list_revisions(self, memory_id: str) -> AsyncIterator[Revision]:
        """Yield every change of a memory, with actor and reason, the oldest first."""
        return self.pages(f"memories/{part(memory_id)}/history", {})

    def list_links(self, memory_id: str) -> AsyncIterator[Link]:
        """Yield the links from and to a memory."""
        return self.pages(f"memories/{part(memory_id)}/links", {})

    async def create_link(
        self, memory_id: str, to: str, *, kind: LinkKind = "related", idempotency_key: str | None = None
    ) -> Link:
        path = f"memories/{part(memory_id)}/links"
        return cast(Link, await self.create(path, {"to": to, "kind": kind}, idempotency_key))


def only_at(version: int | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": f'"{version}"'}


class AsyncRecall(AsyncConnection):
    async def search_memories(self, query: str, **options: Unpack[SearchOptions]) -> SearchAnswer:
        """Return the memories that fit the query, best first; none if nothing fits."""
        body = {"query": query, **options}
        return cast(SearchAnswer, await self.request("POST", "memories/search", json=body, repeatable=True))

    async def search_all(self, query: str, **options: Unpack[SearchOptions]) -> AsyncIterator[ExplainedHit]:
        """Yield hits page after page; `limit` is the length of a page."""
        while True:
            answer = await self.search_memories(query, **options)
            for hit in answer["results"]:
                yield hit
            if answer["next"] is None:
                return
            options["cursor"] = answer["next"]

    async def get_context(self, **options: Unpack[ContextOptions]) -> Context:
        """Return a block for the prompt: memories that answer the question, or the best known ones without one."""
        return cast(Context, await self.request("POST", "context", json=options, repeatable=True))


class AsyncDocuments(AsyncConnection):
    async def create_document(self, name: str, content: bytes, **fields: Unpack[DocumentFields]) -> Document:
        """Upload a PDF, DOCX, HTML, Markdown or text file, for a worker to read.

        The same `external_id` replaces the file. `get_document` tells when its passages are found.
        """
        query = document_query(name, fields)
        return cast(Document, await self.upload("documents", content, query, content_type=ANY_FILE))

    async def replace_document(
        self, document_id: str, name: str, content: bytes, **fields: Unpack[FileFields]
    ) -> Document:
        """Upload another file in its place. What it said before is found until the new file is read."""
        path, query = document_path(document_id), document_query(name, fields)
        return cast(Document, await self.upload(path, content, query, method="PUT", content_type=ANY_FILE))

    def list_documents(self, *, status: str | None = None, user_id: str | None = None) -> AsyncIterator[Document]:
        """Yield documents, the latest first."""
        return self.pages("documents", {"status": status, "user_id": user_id})

    async def get_document(self, document_id: str) -> Document:
        return cast(Document, await self.request("GET", document_path(document_id)))

    async def delete_document(self, document_id: str) -> Deleted:
        """Delete a document with its passages, for good."""
        return cast(Deleted, await self.request("DELETE", document_path(document_id)))

    def list_passages(self, document_id: str) -> AsyncIterator[Passage]:
        """Yield what a document says, in order."""
        return self.pages(f"{document_path(document_id)}/passages", {})


def document_query(name: str, fields: FileFields) -> dict[str, Any]:
    return {"name": name, **fields, "tags": ",".join(fields.get("tags", ())) or None}


def document_path(document_id: str) -> str:
    """Return the path of a document. An empty id is refused: it would be the path of the list."""
    return f"documents/{part(document_id)}"


class AsyncSessions(AsyncConnection):
    async def start_session(
        self, *, idempotency_key: str | None = None, **fields: Unpack[NewSession]
    ) -> SessionStarted:
        """Open a session, or the one with this `external_id` again; `context` is the greeting for the agent."""
        return cast(SessionStarted, await self.create("sessions", fields, idempotency_key))

    async def get_prompt(self, tier: int) -> str:
        """Return the instructions of an agent of this tier (1 to 3): its task, and how to note what it learns."""
        return cast(str, await self.request("GET", f"prompts/{tier}.md"))

    def list_sessions(self, *, status: str | None = None) -> AsyncIterator[Session]:
        """Yield this agent's sessions, the latest first."""
        return self.pages("sessions", {"status": status})

    async def get_session(self, session_id: str) -> Session:
        return cast(Session, await self.request("GET", session_path(session_id)))

    async def heartbeat(self, session_id: str) -> JobsRun:
        return cast(JobsRun, await self.request("POST", session_path(session_id, "heartbeat"), repeatable=True))

    async def end_session(self, session_id: str, reason: str = "") -> SessionEnded:
        path = session_path(session_id, "end")
        return cast(SessionEnded, await self.request("POST", path, json={"reason": reason}, repeatable=True))

    async def store_turn(self, session_id: str, number: int, **checkpoint: Unpack[Checkpoint]) -> TurnStored:
        """Store a turn. The same turn may be sent again; Conflict if another one has this number."""
        return cast(TurnStored, await self.request("PUT", session_path(session_id, f"turns/{number}"), json=checkpoint))

    def list_turns(self, session_id: str) -> AsyncIterator[Turn]:
        return self.pages(session_path(session_id, "turns"), {})

    async def get_turn(self, session_id: str, number: int) -> Turn:
        return cast(Turn, await self.request("GET", session_path(session_id, f"turns/{number}")))

    async def replay_session(self, session_id: str, turn: int) -> Replay:
        """Return the state after this turn, and the turns that led there."""
        return cast(Replay, await self.request("GET", session_path(session_id, "replay"), query={"turn": turn}))

    async def recover_session(self, session_id: str) -> Recovered:
        """Return the last checkpoint, to go on from after a crash."""
        return cast(Recovered, await self.request("GET", session_path(session_id, "recover")))

    async def add_messages(
        self, session_id: str, messages: Iterable[KnownMessage], *, idempotency_key: str | None = None
    ) -> MessagesStored:
        """Add messages outside of turns, up to 500."""
        body = {"messages": list(messages)}
        return cast(MessagesStored, await self.create(session_path(session_id, "messages"), body, idempotency_key))

    async def stream_session(self, session_id: str, lines: AsyncIterable[bytes] | bytes) -> StreamReport:
        """Send an agent's stream-json, which is stored as it comes in. Sending it again changes nothing."""
        return cast(StreamReport, await self.upload(session_path(session_id, "stream"), lines))

    async def judge_response(self, session_id: str, turn_number: int, text: str, *, question: str = "") -> Feedback:
        """Send the agent's answer: memories that it was shown and used gain priority, others lose some."""
        body = {"turn_number": turn_number, "text": text, "question": question}
        return cast(
            Feedback, await self.request("POST", session_path(session_id, "responses"), json=body, repeatable=True)
        )

    def list_events(
        self, *, level: str | None = None, service: str | None = None, session_id: str | None = None
    ) -> AsyncIterator[Event]:
        return self.pages("events", {"level": level, "service": service, "session_id": session_id})

    def list_resources(
        self, *, session_id: str | None = None, since: str | None = None, until: str | None = None
    ) -> AsyncIterator[Resource]:
        """Yield raw texts of this agent's sessions, said `since` a time and `until` before another."""
        return self.pages("resources", {"session_id": session_id, "since": since, "until": until})

    async def delete_session(self, session_id: str) -> Deleted:
        """Delete a session with its texts, and what was learnt from them."""
        return cast(Deleted, await self.request("DELETE", session_path(session_id)))

    async def report_cooldown(self, action: str, **fields: Unpack[NewCooldown]) -> Cooldown:
        """Report what no agent is to do again for a while."""
        return cast(Cooldown, await self.request("POST", "cooldowns", json={"action": action, **fields}))

    def list_cooldowns(self) -> AsyncIterator[Cooldown]:
        return self.pages("cooldowns", {})

    async def lift_cooldown(self, cooldown_id: str) -> Deleted:
        return cast(Deleted, await self.request("DELETE", f"cooldowns/{part(cooldown_id)}"))

    async def claude_code_hook(self, event: JSON) -> JSON:
        """Send the input of a Claude Code hook, and return its output."""
        # Messages with ids of their own are stored once, however often they are sent.
        return cast(JSON, await self.request("POST", "hooks/claude-code", json=event, repeatable="messages" in event))


def session_path(session_id: str, endpoint: str = "") -> str:
    """Return the path of a session. An empty id is refused: it would be the path of the list."""
    return f"sessions/{part(session_id)}{f'/{endpoint}' if endpoint else ''}"


class AsyncLearning(AsyncConnection):
    def list_lessons(self, *, user_id: str | None = None) -> AsyncIterator[Memory]:
        """Yield what users corrected and agents learnt, the latest first."""
        return self.pages("lessons", {"user_id": user_id})

    async def get_lessons_file(self, *, user_id: str | None = None) -> str:
        """Return the lessons as one Markdown file."""
        return cast(str, await self.request("GET", "lessons.md", query={"user_id": user_id}))

    def list_categories(self, *, user_id: str | None = None) -> AsyncIterator[Category]:
        return self.pages("categories", {"user_id": user_id})

    async def get_category(self, name: str, *, user_id: str | None = None) -> Summary:
        """Return the summary of a category."""
        return cast(Summary, await self.request("GET", f"categories/{part(name)}", query={"user_id": user_id}))

    def list_triggers(
        self,
        *,
        status: str | None = None,
        since: str | None = None,
        until: str | None = None,
        user_id: str | None = None,
    ) -> AsyncIterator[Trigger]:
        """Yield triggers, the latest noted first; `since` and `until` are days."""
        query = {"status": status, "from": since, "to": until, "user_id": user_id}
        return self.pages("triggers", query)

    async def create_trigger(
        self, trigger_date: str, message: str, *, idempotency_key: str | None = None, **fields: Unpack[NewTriggerFields]
    ) -> Trigger:
        """Create a trigger: it is brought up on its day, at the start of each session."""
        body = {"trigger_date": trigger_date, "message": message, **fields}
        return cast(Trigger, await self.create("triggers", body, idempotency_key))

    async def change_trigger(self, trigger_id: str, **changes: Unpack[TriggerChanges]) -> Trigger:
        return cast(Trigger, await self.request("PATCH", f"triggers/{part(trigger_id)}", json=changes))

    async def delete_trigger(self, trigger_id: str) -> None:
        await self.request("DELETE", f"triggers/{part(trigger_id)}")

    def list_rejections(self, *, kind: str | None = None, decision: str | None = None) -> AsyncIterator[Rejection]:
        """Yield what was not stored, and why."""
        return self.pages("rejections", {"kind": kind, "decision": decision})

    def list_entities(self, *, kind: str | None = None, name: str | None = None) -> AsyncIterator[Entity]:
        """Yield the named things that memories mention."""
        return self.pages("entities", {"kind": kind, "name": name})

    async def set_energy(self, level: float) -> JSON:
        """Set how much energy the app's agents have left, 0 to 1."""
        return cast(JSON, await self.request("PUT", "energy", json={"level": level}))

    async def get_consumed_energy(self) -> JSON:
        """Return the energy that memory has used since the last call."""
        return cast(JSON, await self.request("GET", "energy/consumed", repeatable=False))


class AsyncApps(AsyncConnection):
    async def create_app(
        self,
        app_id: str,
        name: str,
        *,
        preset: str = "standard",
        policy: JSON | None = None,
        idempotency_key: str | None = None,
    ) -> App:
        body = {"app_id": app_id, "name": name, "preset": preset, "policy": policy or {}}
        return cast(App, await self.create("apps", body, idempotency_key))

    def list_apps(self) -> AsyncIterator[App]:
        return self.pages("apps", {})

    async def get_app(self, app_id: str) -> App:
        return cast(App, await self.request("GET", f"apps/{part(app_id)}"))

    async def change_app(self, app_id: str, **changes: JSON | str) -> App:
        """Change `name`, `preset`, `status` or `policy`."""
        return cast(App, await self.request("PATCH", f"apps/{part(app_id)}", json=changes))

    async def uninstall_app(self, app_id: str, *, purge_memories: bool = False) -> Deleted:
        path = f"apps/{part(app_id)}"
        return cast(Deleted, await self.request("DELETE", path, query={"purge_memories": purge_memories}))

    def list_app_memories(
        self, app_id: str, *, origin: Origin | None = None, trust_level: str | None = None
    ) -> AsyncIterator[Memory]:
        filters = {"origin": origin, "trust_level": trust_level}
        return self.pages(f"apps/{part(app_id)}/memories", filters)

    async def review_memories(self, app_id: str, ids: Sequence[str]) -> Reviewed:
        """Mark memories as reviewed by you."""
        path = f"apps/{part(app_id)}/memories/review"
        return cast(Reviewed, await self.request("POST", path, json={"ids": list(ids)}, repeatable=True))

    def list_app_rejections(
        self, app_id: str, *, kind: str | None = None, decision: str | None = None
    ) -> AsyncIterator[JSON]:
        """Yield what was not stored, and why; of kind quarantine or approval what waits for a person."""
        return self.pages(f"apps/{part(app_id)}/rejections", {"kind": kind, "decision": decision})

    async def decide_rejections(
        self, app_id: str, ids: Sequence[str], action: Literal["approve", "reject"], *, reason: str = ""
    ) -> Decided:
        path, body = f"apps/{part(app_id)}/rejections/decide", {"action": action, "ids": list(ids), "reason": reason}
        return cast(Decided, await self.request("POST", path, json=body))

    def list_rollbacks(self, app_id: str) -> AsyncIterator[Rollback]:
        return self.pages(f"apps/{part(app_id)}/rollbacks", {})

    async def roll_back(
        self,
        app_id: str,
        what: RollbackWhat,
        source: str,
        *,
        since: str | None = None,
        reason: str = "",
        dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> Rollback:
        """Roll back what came from one source. With `dry_run` only return the counts."""
        body = {"what": what, "source": source, "since": since, "reason": reason, "dry_run": dry_run}
        return cast(Rollback, await self.create(f"apps/{part(app_id)}/rollbacks", body, idempotency_key))

    async def create_agent(
        self,
        app_id: str,
        name: str,
        *,
        domain: str = "",
        scopes: Sequence[Scope] = ("read", "write"),
        idempotency_key: str | None = None,
    ) -> AgentWithKey:
        """Create an agent. Its key is shown this once."""
        body = {"name": name, "domain": domain, "scopes": list(scopes)}
        return cast(AgentWithKey, await self.create(f"apps/{part(app_id)}/agents", body, idempotency_key))

    def list_agents(self, app_id: str, *, status: Literal["active", "deleted"] | None = None) -> AsyncIterator[Agent]:
        """Yield an app's agents with their keys; active ones unless said."""
        return self.pages(f"apps/{part(app_id)}/agents", {"status": status})

    async def get_agent(self, app_id: str, name: str) -> Agent:
        return cast(Agent, await self.request("GET", f"apps/{part(app_id)}/agents/{part(name)}"))

    async def change_agent(self, app_id: str, agent: str, **changes: Unpack[AgentChanges]) -> Agent:
        return cast(Agent, await self.request("PATCH", f"apps/{part(app_id)}/agents/{part(agent)}", json=changes))

    async def delete_agent(self, app_id: str, name: str) -> Deleted:
        """Delete an agent and revoke its keys. What it wrote stays."""
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/agents/{part(name)}"))

    async def create_key(
        self,
        app_id: str,
        agent: str,
        *,
        scopes: Sequence[Scope] = ("read", "write"),
        expires_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> AgentWithKey:
        """Create a second key, to take the place of the first."""
        path = f"apps/{part(app_id)}/agents/{part(agent)}/keys"
        body = {"scopes": list(scopes), "expires_at": expires_at}
        return cast(AgentWithKey, await self.create(path, body, idempotency_key))

    async def revoke_key(self, prefix: str) -> None:
        await self.request("DELETE", f"keys/{part(prefix)}")

    async def erase_user(self, app_id: str, user_id: str) -> Deleted:
        """Erase an end user: their sessions, and all that is known about or from them."""
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/users/{part(user_id)}"))

    def list_app_sessions(
        self, app_id: str, *, status: str | None = None, agent: str | None = None, user_id: str | None = None
    ) -> AsyncIterator[Session]:
        """Yield the sessions of all agents, the latest first."""
        query = {"status": status, "agent": agent, "user_id": user_id}
        return self.pages(f"apps/{part(app_id)}/sessions", query)

    async def get_app_session(self, app_id: str, session_id: str) -> Session:
        return cast(Session, await self.request("GET", f"apps/{part(app_id)}/sessions/{part(session_id)}"))

    async def delete_app_session(self, app_id: str, session_id: str) -> Deleted:
        """Delete a session with its texts, and what was learnt from them."""
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/sessions/{part(session_id)}"))

    def list_app_events(
        self,
        app_id: str,
        *,
        level: str | None = None,
        service: str | None = None,
        session_id: str | None = None,
        agent: str | None = None,
    ) -> AsyncIterator[Event]:
        """Yield what all agents reported, the latest first."""
        query = {"level": level, "service": service, "session_id": session_id, "agent": agent}
        return self.pages(f"apps/{part(app_id)}/events", query)

    def list_app_cooldowns(self, app_id: str, *, agent: str | None = None) -> AsyncIterator[Cooldown]:
        return self.pages(f"apps/{part(app_id)}/cooldowns", {"agent": agent})

    async def lift_app_cooldown(self, app_id: str, cooldown_id: str) -> Deleted:
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/cooldowns/{part(cooldown_id)}"))


class AsyncAlerts(AsyncConnection):
    """Alerts of an app, and of the whole site for who operates all of it."""

    def list_alerts(self, app_id: str, *, status: AlertStatus | None = None) -> AsyncIterator[Alert]:
        """Yield what there is to tell, and for 90 days what there was, the latest first."""
        return self.pages(f"apps/{part(app_id)}/alerts", {"status": status})

    def list_all_alerts(self, *, status: AlertStatus | None = None) -> AsyncIterator[Alert]:
        """Yield those of all apps that the key's owner operates."""
        return self.pages("alerts", {"status": status})

    async def acknowledge_alert(self, app_id: str, alert_id: str) -> Alert:
        """Note that somebody has seen it: it is counted no more."""
        return cast(Alert, await self.request("POST", f"apps/{part(app_id)}/alerts/{part(alert_id)}/acknowledge"))

    async def acknowledge_any_alert(self, alert_id: str) -> Alert:
        return cast(Alert, await self.request("POST", f"alerts/{part(alert_id)}/acknowledge"))

    def list_alert_rules(self, app_id: str) -> AsyncIterator[AlertRule]:
        return self.pages(f"apps/{part(app_id)}/alerts/rules", {})

    def list_site_alert_rules(self) -> AsyncIterator[AlertRule]:
        return self.pages("alerts/rules", {})

    async def create_alert_rule(
        self, app_id: str, kind: AlertKind, *, idempotency_key: str | None = None, **fields: Unpack[AlertRuleChanges]
    ) -> AlertRule:
        body = {"kind": kind, **fields}
        return cast(AlertRule, await self.create(f"apps/{part(app_id)}/alerts/rules", body, idempotency_key))

    async def create_site_alert_rule(
        self, kind: AlertKind, *, idempotency_key: str | None = None, **fields: Unpack[AlertRuleChanges]
    ) -> AlertRule:
        return cast(AlertRule, await self.create("alerts/rules", {"kind": kind, **fields}, idempotency_key))

    async def change_alert_rule(self, app_id: str, rule_id: str, **changes: Unpack[AlertRuleChanges]) -> AlertRule:
        path = f"apps/{part(app_id)}/alerts/rules/{part(rule_id)}"
        return cast(AlertRule, await self.request("PATCH", path, json=changes))

    async def change_site_alert_rule(self, rule_id: str, **changes: Unpack[AlertRuleChanges]) -> AlertRule:
        return cast(AlertRule, await self.request("PATCH", f"alerts/rules/{part(rule_id)}", json=changes))

    async def delete_alert_rule(self, app_id: str, rule_id: str) -> Deleted:
        """Delete a rule with what it has found."""
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/alerts/rules/{part(rule_id)}"))

    async def delete_site_alert_rule(self, rule_id: str) -> Deleted:
        return cast(Deleted, await self.request("DELETE", f"alerts/rules/{part(rule_id)}"))


class AsyncImportExport(AsyncConnection):
    def export_app(self, app_id: str, *, user_id: str | None = None, vectors: bool = False) -> AsyncIterator[bytes]:
        """Yield the app's file (NDJSON) in pieces; with `user_id` only that end user's. Its last line is an end."""
        return self.download(f"apps/{part(app_id)}/export", {"user_id": user_id, "vectors": vectors})

    def export_app_as_markdown(self, app_id: str, *, user_id: str | None = None) -> AsyncIterator[bytes]:
        """Yield a zip file with a page per category in pieces."""
        return self.download(f"apps/{part(app_id)}/export.zip", {"user_id": user_id})

    async def import_into_app(
        self,
        app_id: str,
        file: AsyncIterable[bytes] | bytes,
        *,
        source: ImportSource = "memsite",
        agent: str | None = None,
        user_id: str | None = None,
        trust: bool = False,
    ) -> Import:
        """Return the import, which may go on: see `get_import`. Raise InvalidRequest, and then nothing is stored.

        `trust`: an operator vouches for an export that the server has not signed.
        """
        query = {"source": source, "agent": agent, "user_id": user_id, "trust": trust or None}
        path = f"apps/{part(app_id)}/import"
        return cast(Import, await self.upload(path, file, query, timeout=self.patience()))

    async def survey_import(
        self, app_id: str, file: AsyncIterable[bytes] | bytes, *, source: ImportSource = "memsite", trust: bool = False
    ) -> Survey:
        """Return what the file would bring. Store nothing."""
        query = {"source": source, "dry_run": True, "trust": trust or None}
        path = f"apps/{part(app_id)}/import"
        return cast(Survey, await self.upload(path, file, query, timeout=self.patience()))

    async def get_import(self, app_id: str, import_id: str) -> Import:
        return cast(Import, await self.request("GET", f"apps/{part(app_id)}/imports/{part(import_id)}"))

    def list_imports(self, app_id: str) -> AsyncIterator[Import]:
        """Yield imports, the latest first."""
        return self.pages(f"apps/{part(app_id)}/imports", {})


class AsyncWebhooks(AsyncConnection):
    def list_webhooks(self, app_id: str) -> AsyncIterator[Webhook]:
        return self.pages(f"apps/{part(app_id)}/webhooks", {})

    async def create_webhook(
        self,
        app_id: str,
        url: str,
        *,
        events: Sequence[str] = (),
        description: str = "",
        idempotency_key: str | None = None,
    ) -> WebhookWithSecret:
        """Create a webhook for changes from now on; without `events`, for all. Its secret is shown this once."""
        body = {"url": url, "events": list(events), "description": description}
        return cast(WebhookWithSecret, await self.create(f"apps/{part(app_id)}/webhooks", body, idempotency_key))

    async def get_webhook(self, app_id: str, webhook_id: str) -> Webhook:
        return cast(Webhook, await self.request("GET", f"apps/{part(app_id)}/webhooks/{part(webhook_id)}"))

    async def change_webhook(self, app_id: str, webhook_id: str, **changes: Unpack[WebhookChanges]) -> Webhook:
        path = f"apps/{part(app_id)}/webhooks/{part(webhook_id)}"
        return cast(Webhook, await self.request("PATCH", path, json=changes))

    async def delete_webhook(self, app_id: str, webhook_id: str) -> Deleted:
        """Delete a webhook with the log of its deliveries."""
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/webhooks/{part(webhook_id)}"))

    async def renew_webhook_secret(self, app_id: str, webhook_id: str) -> Secret:
        """Renew the secret. For a day messages are signed with both."""
        path = f"apps/{part(app_id)}/webhooks/{part(webhook_id)}/secret"
        return cast(Secret, await self.request("POST", path))

    async def test_webhook(self, app_id: str, webhook_id: str) -> Delivery:
        """Send the webhook a `webhook.test`."""
        path = f"apps/{part(app_id)}/webhooks/{part(webhook_id)}/test"
        return cast(Delivery, await self.request("POST", path))

    def list_deliveries(self, app_id: str, webhook_id: str, *, status: str | None = None) -> AsyncIterator[Delivery]:
        """Yield its deliveries, the latest first."""
        return self.pages(f"apps/{part(app_id)}/webhooks/{part(webhook_id)}/deliveries", {"status": status})

    async def replay_delivery(self, app_id: str, delivery_id: str) -> Delivery:
        """Send a delivery again, under the same `webhook-id`."""
        path = f"apps/{part(app_id)}/deliveries/{part(delivery_id)}/replay"
        return cast(Delivery, await self.request("POST", path))

    def list_bridges(self, app_id: str) -> AsyncIterator[Bridge]:
        return self.pages(f"apps/{part(app_id)}/bridges", {})

    async def create_bridge(
        self, app_id: str, name: str, agent: str, *, idempotency_key: str | None = None
    ) -> BridgeWithSecret:
        """Create a bridge: signed messages of a chat become sessions of this agent. Its secret is shown this once."""
        body = {"name": name, "agent": agent}
        return cast(BridgeWithSecret, await self.create(f"apps/{part(app_id)}/bridges", body, idempotency_key))

    async def delete_bridge(self, app_id: str, bridge_id: str) -> Deleted:
        """Delete a bridge. What came over it stays."""
        return cast(Deleted, await self.request("DELETE", f"apps/{part(app_id)}/bridges/{part(bridge_id)}"))

    async def renew_bridge_secret(self, app_id: str, bridge_id: str) -> Secret:
        """Renew the secret. The old one is invalid at once."""
        path = f"apps/{part(app_id)}/bridges/{part(bridge_id)}/secret"
        return cast(Secret, await self.request("POST", path))

    async def list_changes(self, since: int | None = None, *, wait: int | None = None) -> Changes:
        """Return what was written or deleted since an earlier `last`; without one, from now on. `wait` is in seconds.

        Raise NotFound (410) where `since` is of another past, as after a restore: read all of it again.
        """
        return cast(Changes, await self.request("GET", "memories/changes", query={"since": since, "wait": wait}))

    async def follow_changes(
        self, since: int | None = None, *, wait: int = LONGEST_WAIT_SECONDS
    ) -> AsyncIterator[Change]:
        """Yield each change as it happens, without end; from now on unless `since` says otherwise.

        Errors are raised as with any request: go on with the `since` of your last `list_changes`.
        """
        last = since
        if last is None:
            last = (await self.list_changes())["last"]
        while True:
            page = await self.list_changes(last, wait=wait)
            last = page["last"]
            for change in page["results"]:
                yield change


class AsyncMemsite(
    AsyncMemories,
    AsyncRecall,
    AsyncDocuments,
    AsyncSessions,
    AsyncLearning,
    AsyncApps,
    AsyncImportExport,
    AsyncAlerts,
    AsyncWebhooks,
):
    """Every endpoint of the API as a method, named as in `/api/docs`."""

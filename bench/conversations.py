"""Annotated corpora, stored as one app each: conversations of a folder that is given, and texts written for this.

None of the conversations' text stays here; `corpora/` holds the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from bench.progress import progress
from bench.published import PUBLISHED, conversation_of
from memories.capture.pipeline import remember
from memories.models import Memory, Source
from memories.providers.embeddings import Embedder
from memories.store import Candidate
from memsite.tenancy.models import Agent, App, AppPolicy
from memsite.tenancy.policy import Preset, preset_values
from sessions.models import AgentSession

DATA_SETS = ("locomo", "realtalk", "beam")
LEARNT = "facts"
"""The corpus of what the server had learnt of talk."""
# In the same form, written for this: statements of single facts, and talk with an assistant.
CORPORA = Path(__file__).parent / "corpora"
APART = ", no sessions"
STORE_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Item:
    """A turn, or a statement that nobody speaks, of no day. `said_at` None: not known; `session` "": none."""

    id: str
    text: str
    speaker: str
    said_at: datetime | None
    session: str
    turn_number: int
    about: str = ""

    @property
    def content(self) -> str:
        return f"{self.speaker}: {self.text}" if self.speaker else self.text

    @property
    def subject(self) -> str:
        return self.about or self.speaker


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the ids of the items that are annotated as its evidence."""

    text: str
    gold: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """`group` is the conversation it was made from: itself, or for a stand-in its original."""

    name: str
    data_set: str
    group: str
    items: list[Item]
    questions: list[Asked]


def read_corpora() -> list[Conversation]:
    """Return what was written for this."""
    files = sorted(CORPORA.glob("*.json"))
    return [parse_conversation(raw, file.stem) for file in files for raw in json.loads(file.read_text())]


def without_sessions(conversation: Conversation) -> Conversation:
    """Return it as a client stores it that knows of no sessions."""
    items = [replace(item, session="") for item in conversation.items]
    return replace(
        conversation, name=f"{conversation.name}-apart", data_set=f"{conversation.data_set}{APART}", items=items
    )


def read_conversations(folder: Path, limit: int | None = None) -> list[Conversation]:
    """Those that are there, `limit` of each data set; only questions that count. Ends the process if there are none."""
    read = [
        parse_conversation(raw, data_set) for data_set in DATA_SETS for raw in read_data_set(folder, data_set)[:limit]
    ]
    if not read:
        wanted = ", ".join(f"{data_set}.json" for data_set in DATA_SETS)
        raise SystemExit(f"None of {wanted}, {PUBLISHED} is in {folder}: bench/README.md says what is wanted there.")
    return read


def read_data_set(folder: Path, data_set: str) -> list[dict[str, Any]]:
    file, published = folder / f"{data_set}.json", folder / PUBLISHED
    if file.exists():
        rows: list[dict[str, Any]] = json.loads(file.read_text())
        return rows
    if data_set == "locomo" and published.exists():
        return [conversation_of(sample) for sample in json.loads(published.read_text())]
    return []


def parse_conversation(raw: dict[str, Any], data_set: str) -> Conversation:
    questions = [
        Asked(query["text"], frozenset(query["gold"]), query["category"]) for query in raw["queries"] if query["scored"]
    ]
    return Conversation(raw["app_id"], data_set, raw["app_id"], [parse_item(item) for item in raw["items"]], questions)


def parse_item(raw: dict[str, Any]) -> Item:
    moment = raw["timestamp"]
    said_at = datetime.fromisoformat(moment).replace(tzinfo=UTC) if moment and raw["speaker"] else None
    return Item(raw["id"], raw["text"], raw["speaker"], said_at, raw["session"], raw["seq"], raw.get("subject", ""))


def store_conversation(conversation: Conversation, embedder: Embedder) -> App:
    """Make an app with one memory per item, as the batch endpoint or what learns of talk stores it."""
    app = make_app(conversation.name)
    source = Source.FACT if conversation.data_set == LEARNT else Source.API
    sessions = open_sessions(app, dict.fromkeys(item.session for item in conversation.items if item.session))
    candidates = [
        Candidate(
            content=item.content, subject=item.subject, session=sessions.get(item.session),
            turn_number=item.turn_number if item.session else None, valid_from=item.said_at, external_id=item.id,
            source=source,
        )
        for item in conversation.items
    ]  # fmt: skip
    for start in range(0, len(candidates), STORE_AT_ONCE):
        some = candidates[start : start + STORE_AT_ONCE]
        remember(app, some, embedder, "bench", timezone.now(), dedupe=False)
    return app


def make_app(name: str) -> App:
    app = App.objects.create(app_id=name.lower(), name=name)
    AppPolicy.objects.create(app=app, **preset_values(Preset.STANDARD))
    Agent.objects.create(app=app, name="bench")
    return app


def open_sessions(app: App, names: dict[str, None]) -> dict[str, AgentSession]:
    agent, now = Agent.objects.get(app=app), timezone.now()
    return {
        name: AgentSession.objects.create(app=app, agent=agent, external_id=name, started_at=now, heartbeat_at=now)
        for name in names
    }


def stored_conversations(
    conversations: list[Conversation], embedder: Embedder
) -> Iterator[tuple[Conversation, App, dict[int, str]]]:
    """Each as it is stored, with the item ids by memory pk."""
    for conversation in progress(conversations, "conversation"):
        app = store_conversation(conversation, embedder)
        ids = Memory.objects.for_app(app).values_list("pk", "external_id")
        yield conversation, app, {pk: external_id or "" for pk, external_id in ids}

"""`manage.py demo`: what Memsite is for, played on the example recordings. Local, without network."""

import argparse
import json
import logging
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from memories.capture.ingest_messages import Report
from memories.management import plain_errors
from memories.management.server_address import known_address
from memories.models import Action, Memory, Rejection, Revision
from memories.retrieve.pipeline import SearchRequest
from memories.services import MemoryAgent
from memories.services.sessions import Greeting
from memsite.config.conf import MANAGE
from memsite.tenancy.models import Agent, App, AppPolicy, AppStatus
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES, PERSONAL_CATEGORIES, Preset, preset_values
from sessions.models import AgentSession

RECORDINGS = Path(__file__).parent / "recordings"
CHUNK_BYTES = 4096
WIDTH = 100
AGENT_NAME = "demo"
FORGET_AT_ONCE = 500
HITS_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Scene:
    """One session of the play."""

    recording: str
    title: str
    tier: int = 1


@dataclass(frozen=True, slots=True)
class Play:
    """What one demo app lives through, and what it is asked afterwards."""

    app_id: str
    name: str
    preset: Preset
    policy: dict[str, Any]
    scenes: tuple[Scene, ...]
    questions: tuple[str, ...]


PLAYS = (
    Play(
        app_id="demo-ops",
        name="Home lab operations",
        preset=Preset.OPS,
        policy={},
        scenes=(
            Scene("ops-1", "The morning round after a reboot", 3),
            Scene("ops-2", "A maintenance window some days later", 3),
            Scene("ops-3", "An observing round whose connection breaks off"),
        ),
        questions=(
            "name resolution is flaky while the VPN reconnects",
            "may I reboot at half past two at night?",
            "disk is nearly full of backups",
        ),
    ),
    Play(
        app_id="demo-assistant",
        name="Personal assistant",
        preset=Preset.STANDARD,
        policy={"marker_categories": [*OPERATIONAL_CATEGORIES, *PERSONAL_CATEGORIES]},
        scenes=(
            Scene("assistant-1", "A morning with the personal assistant"),
            Scene("assistant-2", "The same user some weeks later"),
        ),
        questions=("is jogging fine after the operation?", "dinner without meat", "how long should my replies be?"),
    ),
)


class Command(BaseCommand):
    help = "Shows on recorded sessions how memories are captured, kept, injected and found again."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--keep", action="store_true", help="go on with the memories of earlier runs instead of afresh"
        )

    def handle(self, *args: Any, keep: bool, **options: Any) -> None:
        with plain_errors(), only_errors_logged():
            self.say("Two agents work, and Memsite remembers. Everything happens in your own database.")
            for play in PLAYS:
                self.perform(play, keep)
            self.show_request(PLAYS[0])

    def perform(self, play: Play, keep: bool) -> None:
        agent = agent_of(play)
        self.headline(f"{play.name}  (app {play.app_id}, preset {play.preset})", "=")
        if not keep:
            forgotten = 0
            while rows := list(agent.memories()[:FORGET_AT_ONCE]):
                forgotten += agent.forget(rows)
            self.say(f"Forgot {forgotten} memories of earlier runs. (--keep leaves them.)")
        run = f"{timezone.now():%Y%m%dT%H%M%S.%f}"
        for scene in play.scenes:
            self.act(agent, scene, f"{scene.recording}-{run}")
        self.headline("The next session is greeted with what is known now")
        session, greeting = open_session(agent, "The next session", f"next-{run}", 1)
        self.show_block(greeting)
        agent.end(session, "end of the demo")
        self.headline("Asked in other words, it finds what was said")
        for question in play.questions:
            self.ask(agent, question)

    def act(self, agent: MemoryAgent, scene: Scene, external_id: str) -> None:
        """Act one recorded session from its greeting to its end."""
        self.headline(f"{scene.title}  ({scene.recording}.jsonl)")
        session, greeting = open_session(agent, scene.title, external_id, scene.tier)
        self.show_block(greeting)
        report = self.stream(agent, session, scene)
        names = ("created", "reinforced", "contradicted", "echoed", "rejected", "events")
        counts = ", ".join(f"{report.counts[name]} {name}" for name in names)
        self.say(f"{report.lines} lines read: {counts}.")
        turns = ", ".join(map(str, report.turns)) or "none"
        self.say(f"Turns checkpointed: {turns}. Lines that could not be read: {report.error_count}.")
        pending = agent.end(session, "recording over")
        self.say(f"Session ended; {pending} of its texts and memories are still to be read, or to get their vector.")

    def stream(self, agent: MemoryAgent, session: AgentSession, scene: Scene) -> Report:
        """Send the recording in pieces and tells after each what the server made of it."""
        recording = (RECORDINGS / f"{scene.recording}.jsonl").read_bytes()
        pieces = range(0, len(recording), CHUNK_BYTES)
        self.write("")
        self.say(f"Streaming {len(recording):,} bytes in {len(pieces)} chunks. As they come in:")
        news = News(agent.app)

        def chunks() -> Iterator[bytes]:
            for start in pieces:
                yield recording[start : start + CHUNK_BYTES]
                self.show_news(news)

        report = agent.capture_stream(session).run(chunks())
        self.show_news(news)
        return report

    def ask(self, agent: MemoryAgent, question: str) -> None:
        result = agent.search(SearchRequest(text=question, limit=HITS_SHOWN))
        self.write("")
        self.write(f"  {self.style.MIGRATE_LABEL('?')} {question}")
        for hit in result.hits:
            memory, parts = hit.memory, " + ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
            self.write(f"      {self.style.SUCCESS(f'{hit.score:.2f}')}  [{about(memory)}] {memory.content}")
            trust = ", ".join([f"confidence {memory.confidence:.2f}", *hit.trust])
            self.write(f"            = {parts}; {trust}")
        if not result.hits:
            self.write("      nothing fits")
        if result.degraded:
            self.write(f"      (without the {', '.join(result.degraded)} retriever, which does not answer now)")

    # --- how it looks

    def write(self, text: str) -> None:
        self.stdout.write(text)

    def say(self, text: str) -> None:
        self.write(textwrap.fill(text, WIDTH))

    def headline(self, text: str, line: str = "-") -> None:
        self.write(f"\n{self.style.MIGRATE_HEADING(text)}\n{line * len(text)}")

    def show_block(self, greeting: Greeting) -> None:
        if not greeting.memories:
            self.say("Session started. Nothing is known yet, so the agent is greeted with an empty block.")
            return
        self.say(
            f"Session started. The agent is greeted with {len(greeting.memories)} memories, {greeting.tokens} tokens:"
        )
        self.write("")
        self.write(textwrap.indent(greeting.text, "  | ", lambda _: True))

    def show_news(self, news: "News") -> None:
        styles = {
            Action.CREATED: self.style.SUCCESS,
            Action.REINFORCED: self.style.HTTP_INFO,
            Action.CONTRADICTED: self.style.ERROR,
        }
        for revision in news.revisions():
            text = f"[{about(revision.memory)}] {revision.memory.content}"
            style = styles.get(Action(revision.action), self.style.NOTICE)
            before, after = revision.before.get("confidence"), revision.after.get("confidence")
            # Nothing for a new memory.
            change = f"confidence {before:.2f} → {after:.2f}" if before is not None and after is not None else ""
            self.entry(revision.action, style, text, ": ".join(filter(None, [change, revision.reason])))
        for rejection in news.rejections():
            where = f"[{rejection.category}] " if rejection.category else ""
            self.entry("rejected", self.style.WARNING, f"{where}{rejection.content or ''}", rejection.reason)

    def entry(self, word: str, style: Any, text: str, reason: str) -> None:
        body = textwrap.wrap(text, WIDTH - 17) + ([f"({reason})"] if reason else [])
        first, *rest = body or [""]
        self.write(f"  {style(f'{word:<13}')}  {first}")
        for line in rest:
            self.write(f"{'':17}{line}")

    def show_request(self, play: Play) -> None:
        body = json.dumps({"query": play.questions[0], "limit": HITS_SHOWN, "explain": True})
        self.headline("The same through the API, while the server runs (make run)")
        python = ".venv/bin/python " if MANAGE == "manage.py" else ""
        self.write(f"  KEY=$({python}{MANAGE} create_key --app {play.app_id} --agent {AGENT_NAME})")
        self.write(f"  curl {known_address()}/api/v1/memories/search \\")
        self.write("    -H \"Authorization: Bearer $KEY\" -H 'Content-Type: application/json' \\")
        self.write(f"    -d '{body}'")


class News:
    """What became of an app's memories since it was last asked."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.last = {model: self.newest(model) for model in (Revision, Rejection)}

    def newest(self, model: type[Revision] | type[Rejection]) -> int:
        return model.objects.for_app(self.app).aggregate(last=Max("pk"))["last"] or 0

    def revisions(self) -> list[Revision]:
        new = Revision.objects.for_app(self.app).filter(pk__gt=self.last[Revision]).order_by("pk")
        rows = list(new.select_related("memory"))
        self.last[Revision] = rows[-1].pk if rows else self.last[Revision]
        return rows

    def rejections(self) -> list[Rejection]:
        rows = list(Rejection.objects.for_app(self.app).filter(pk__gt=self.last[Rejection]).order_by("pk"))
        self.last[Rejection] = rows[-1].pk if rows else self.last[Rejection]
        return rows


def about(memory: Memory) -> str:
    return f"{memory.category}:{memory.subject}" if memory.subject else memory.category


@contextmanager
def only_errors_logged() -> Iterator[None]:
    """Log errors only: warnings about refused markers say what the demo shows itself."""
    log = logging.getLogger("memories")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


@transaction.atomic
def agent_of(play: Play) -> MemoryAgent:
    """Return the play's agent. Its app is made, or set back to how the play has it."""
    app, _ = App.objects.update_or_create(
        app_id=play.app_id, defaults={"name": play.name, "preset": play.preset, "status": AppStatus.ACTIVE}
    )
    AppPolicy.objects.update_or_create(app=app, defaults=preset_values(play.preset) | play.policy)
    agent, _ = Agent.objects.for_app(app).get_or_create(app=app, name=AGENT_NAME)
    return MemoryAgent(App.objects.select_related("policy").get(pk=app.pk), agent, f"agent:{agent.name}")


def open_session(agent: MemoryAgent, title: str, external_id: str, tier: int) -> tuple[AgentSession, Greeting]:
    session, _ = agent.open_session(external_id, {"title": title, "tier": tier})
    return session, agent.start(session)

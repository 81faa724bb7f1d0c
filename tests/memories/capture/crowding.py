"""Run as a program: processes that write into one app at the same moment, on a database that all of them can open.

Prints what the database says in the end, as JSON.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402  # Django first
from django.db import connection, connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from memories.capture.extraction_queue import sessions_due  # noqa: E402
from memories.models import Extraction, Memory, Revision  # noqa: E402
from memories.services import MemoryAgent  # noqa: E402
from memories.store import Candidate  # noqa: E402
from memories.store.revisions import LEARNING  # noqa: E402
from memsite.tenancy.models import Agent, App, AppPolicy  # noqa: E402
from memsite.tenancy.policy import preset_values  # noqa: E402
from sessions.models import Role  # noqa: E402
from sessions.recording import Said  # noqa: E402

WRITERS, WRITES, LIMIT = 8, 12, 50
WORKERS, SESSIONS_EACH, STEP = 4, 5, 0.004
FACT = "Our staging cluster runs in Frankfurt."


def make_app(name: str, **policy: Any) -> None:
    app = App.objects.create(app_id=name, name="")
    AppPolicy.objects.create(app=app, **(preset_values("standard") | policy))
    Agent.objects.create(app=app, name="alice")


def agent_of(name: str, actor: str) -> MemoryAgent:
    app = App.objects.select_related("policy").get(app_id=name)
    return MemoryAgent(app, Agent.objects.get(app=app), actor)


def at_once(count: int, work: Callable[[int], None]) -> list[int]:
    """Runs `work` in so many processes that all begin when the last of them is there; their exit codes."""
    connections.close_all()  # before the forks
    if connection.vendor == "postgresql":
        connection.close_pool()  # what a fork finds there is its parent's, too
    ready, go = os.pipe(), os.pipe()
    pids = []
    for number in range(count):
        pid = os.fork()
        if pid == 0:
            try:
                os.close(go[1])
                os.write(ready[1], b".")
                os.read(go[0], 1)  # until nobody holds the other end
                work(number)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        pids.append(pid)
    for _ in pids:
        os.read(ready[0], 1)
    os.close(go[1])
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def fill(number: int) -> None:
    """Writes one and two at a time, and looks how many there are after each."""
    agent = agent_of("full", f"agent:{number}")
    for write in range(WRITES):
        shelves = [number * 1000 + write * 10 + part for part in range(1 + write % 2)]
        agent.remember([Candidate(content=f"Shelf {shelf} is empty") for shelf in shelves], dedupe=False)
        assert Memory.objects.for_app(agent.app).live().count() <= LIMIT


def limit() -> dict[str, object]:
    make_app("full", memory_limit=LIMIT)
    ended = at_once(WRITERS, fill)
    app = App.objects.get(app_id="full")
    memories = Memory.objects.for_app(app)
    return {
        "ended": ended,
        "written": memories.count(),
        "live": memories.live().count(),
        "counted": app.memory_count,
    }


def tell_and_learn(number: int) -> None:
    """Sessions in which the same is said; whoever comes first learns from it, as every worker would."""
    agent = agent_of("acme", LEARNING)
    for _ in range(SESSIONS_EACH):
        session = agent.open_session(None, {})[0]
        agent.capture_messages(session, [Said(Role.USER, FACT, content_at=timezone.now())])
        for due in sessions_due(agent.app, timezone.now()):
            list(agent.learn_session(due))


def fact() -> dict[str, object]:
    make_app("acme", reinforce_step=STEP)
    ended = at_once(WORKERS, tell_and_learn)
    app = App.objects.get(app_id="acme")
    work, known = Extraction.objects.for_app(app), Memory.objects.for_app(app)
    return {
        "ended": ended,
        "statuses": list(work.values_list("status", flat=True)),
        "memories": list(known.values_list("content", "status", "confidence")),
        "actions": sorted(Revision.objects.for_app(app).values_list("action", flat=True)),
    }


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    print(json.dumps({"limit": limit(), "fact": fact()}))  # noqa: T201  # it is a program

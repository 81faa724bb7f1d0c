"""Send all kinds of requests at once to the same few memories and sessions.

What one of them takes away is in no other's way.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from bench.promises.site import Site

APP = "mingle"
LATEST = 8
"""So many memories and sessions, the latest, are asked for: that these are gone, or just changing, is what is tried."""
PEOPLE, PLACES = ("Anna", "Ben", "Dora", "User"), ("Graz", "Linz", "Oslo", "Rome")
USERS, CATEGORIES = ("ann", "ben", None), ("work", "family", "general")
SENTENCES = (
    "{who} lives in {where}", "{who} moved to {where} last week", "{who} no longer lives in {where}",
    "{who} is going to {where} in July", "The trip of {who} to {where} is cancelled", "{who} is {number} years old",
    "{who} turned {number}", "{who} drinks coffee", "{who} no longer drinks coffee", "{who} works nights in {where}",
    "{who} switched to day shifts", "The key of {where} is {number}",
)  # fmt: skip
MODES = ("auto", "tiered", "dual", "vector", "fulltext", "graph")
KINDS = ("contradicts", "supersedes", "related", "elaborates")
JOBS = ("decay", "summaries", "limit", "purge", "nightly", "weekly", "monthly", "rollbacks", "triggers")
REFUSED = frozenset({400, 404, 409, 410, 503})
"""What was asked for is gone, or cannot be done with what it is by now."""


@dataclass(slots=True)
class Outcome:
    statuses: Counter[int] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    """Answers that are neither what was asked for nor a reason."""

    @property
    def holds(self) -> bool:
        return not self.broken


class Guest:
    """Does one thing after the other. `memories` and `sessions` are everybody's."""

    def __init__(self, seed: int, memories: deque[str], sessions: deque[str]) -> None:
        self.chance = random.Random(seed)  # noqa: S311
        self.memories, self.sessions = memories, sessions

    def pick(self, some: Sequence[Any]) -> Any:
        return self.chance.choice(some)

    def sentence(self) -> str:
        output = {"who": self.pick(PEOPLE), "where": self.pick(PLACES), "number": self.chance.randint(20, 60)}
        return str(self.pick(SENTENCES)).format(**output)

    @property
    def memory(self) -> str:
        return f"memories/{self.pick(self.memories)}"

    @property
    def session(self) -> str:
        return f"sessions/{self.pick(self.sessions)}"

    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": self.sentence()}, {"role": "assistant", "content": self.sentence()}]

    def fact(self) -> dict[str, Any]:
        fields = {"user_id": self.pick(USERS), "category": self.pick(CATEGORIES)}
        return {"content": self.sentence(), "dedupe": self.pick((True, False)), **fields}

    def changes(self) -> dict[str, Any]:
        values = (
            {"content": self.sentence()}, {"importance": 2}, {"user_id": self.pick(USERS)}, {"visibility": "agent"},
            {"visibility": "shared"}, {"status": "archived"}, {"status": "active"}, {"pinned": True},
            {"confidence": self.chance.random()},
        )  # fmt: skip
        return dict(self.pick(values))

    def question(self) -> dict[str, Any]:
        return {"query": self.sentence(), "mode": self.pick(MODES), "limit": self.pick((1, 10)), "explain": True}


Act = Callable[[Guest], tuple[str, str, Any]]
ACTS: tuple[Act, ...] = (
    lambda guest: ("POST", "memories", guest.fact()),
    lambda guest: ("POST", "memories", guest.fact()),
    lambda guest: ("POST", "memories/batch", {"memories": [guest.fact() for _ in range(4)]}),
    lambda guest: ("POST", "memories/search", guest.question()),
    lambda guest: ("POST", "memories/search", guest.question()),
    lambda guest: ("POST", "memories/search", guest.question()),
    lambda guest: ("PATCH", guest.memory, guest.changes()),
    lambda guest: ("GET", f"{guest.memory}/history", None),
    lambda guest: ("POST", f"{guest.memory}/links", {"to": guest.memory[9:], "kind": guest.pick(KINDS)}),
    lambda guest: ("DELETE", guest.memory, None),
    lambda guest: ("POST", "memories/delete", {"ids": [guest.memory[9:], guest.memory[9:]]}),
    lambda guest: ("POST", "sessions", {"user_id": guest.pick(USERS)}),
    lambda guest: ("POST", f"{guest.session}/messages", {"messages": guest.messages()}),
    lambda guest: ("POST", f"{guest.session}/responses", {"turn_number": 1, "text": guest.sentence()}),
    lambda guest: ("POST", "context", {"query": guest.sentence(), "session_id": guest.session[9:]}),
    lambda guest: ("POST", f"{guest.session}/end", {}),
    lambda guest: ("GET", f"{guest.session}/recover", None),
    lambda guest: ("DELETE", guest.session, None),
    lambda guest: ("POST", f"categories/{guest.pick(CATEGORIES)}/rewrite", {}),
    lambda guest: ("GET", guest.pick(("memories", "events", "lessons", "entities", "memories/changes")), None),
)
FOR_OPERATORS: tuple[Act, ...] = (
    lambda guest: ("POST", f"jobs/{guest.pick(JOBS)}/run", {"app_id": APP}),
    lambda guest: ("DELETE", f"apps/{APP}/{guest.memory}", None),
    lambda guest: ("DELETE", f"apps/{APP}/users/{guest.pick(USERS[:2])}", None),
    lambda guest: ("POST", f"apps/{APP}/memories/review", {"ids": [guest.memory[9:]]}),
    lambda guest: ("POST", f"apps/{APP}/rollbacks", {"what": "session", "source": guest.session[9:]}),
    lambda guest: ("GET", f"apps/{APP}/export", None),
    lambda guest: ("GET", f"apps/{APP}/stats", None),
)


def mingle(site: Site, guests: int, acts: int, seed: int = 7) -> Outcome:
    """So many at a time, each doing so many things; every second one is an operator every fourth time."""
    (key,) = site.new_app(APP, capture_summaries=True, tiered=True)
    return asyncio.run(mingle_all(site, key, guests, acts, seed))


async def mingle_all(site: Site, key: str, guests: int, acts: int, seed: int) -> Outcome:
    outcome = Outcome()
    memories, sessions = deque[str](maxlen=LATEST), deque[str](maxlen=LATEST)
    async with site.client(key) as agent, site.client(site.operator_key) as operator:
        memories.append((await agent.post("memories", json={"content": "Whales sing"})).json()["id"])
        sessions.append((await agent.post("sessions", json={})).json()["id"])

        async def act(number: int) -> None:
            guest = Guest(seed + number, memories, sessions)
            for turn in range(acts):
                by_operator = number % 2 == 0 and turn % 4 == 3
                method, path, body = guest.pick(FOR_OPERATORS if by_operator else ACTS)(guest)
                answer = await (operator if by_operator else agent).request(method, path, json=body)
                note(outcome, answer)
                if answer.status_code == 201 and path in ("memories", "sessions"):
                    (memories if path == "memories" else sessions).append(answer.json()["id"])

        await asyncio.gather(*(act(number) for number in range(guests)))
    return outcome


def note(outcome: Outcome, answer: httpx.Response) -> None:
    outcome.statuses[answer.status_code] += 1
    if not answer.is_success and answer.status_code not in REFUSED:
        request = answer.request
        page = f"{request.method} {request.url.path} {request.content.decode()[:200]}"
        outcome.broken.append(f"{page}: {answer.status_code} {answer.text[:200]}")

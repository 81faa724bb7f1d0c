"""Lives of apps, each drawn by a seed: talk, markers, edits, links, upkeep, reviews, rollbacks, and time that passes.

Part of each, of an end user, a session or some memories, has a word that nothing else has.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

from django.utils import timezone
from rest_framework.test import APIClient
from time_machine import travel

from memories.models import Memory, Rejection
from memories.models.memory import MemoryQuerySet
from tests.conftest import Caller
from tests.talking import row_of, tell
from tests.upkeep import do, upkeep_learn_due, upkeep_purge

NEEDLE = "zqneedle"
USER = f"u-{NEEDLE}"
ACTS = 80
# Few, so that much of it meets what it is at odds with, or what says the same.
PLACES = ("Rome", "Oslo", "Lima")
CATEGORIES = ("work", "timing")
SAYINGS = (
    "Our office is in {0}.", "I live in {0}.", "My dog is called {0}.", "I work at {0} Systems.",
    "I prefer tea from {0}.", "The gate opens at 7:00.", "The {0} gate opens at 7:00.", "We deploy to {0}.",
    "Never restart {0} before noon.",
    "My sister lives in {0} and works at {1}.", "Remind me of {0} on 2199-05-01.", "We moved from {1} to {0} in May.",
)  # fmt: skip
JOBS = (
    "embedding", "summaries", "limit", "flush", "imports", "rollbacks", "webhooks", "purge", "triggers", "decay",
    "nightly", "weekly", "monthly", "housekeeping", "sweep",
)  # fmt: skip


class Life:
    """`kind` is what will be deleted: a "user", a "session" or, one by one, each "memory" of what is marked."""

    def __init__(self, alice: Caller, operator: APIClient, random: Random, kind: str) -> None:
        self.alice, self.operator, self.random, self.kind = alice, operator, random, kind
        self.now = timezone.now()
        self.marked: list[str] = []
        self.sessions = {is_marked: self.open(is_marked) for is_marked in (True, False)}

    def open(self, is_marked: bool) -> dict[str, Any]:
        title = NEEDLE if is_marked and self.has_session(is_marked) else "about the team"
        return self.alice.start_session(title=title, **self.owner(is_marked))

    def owner(self, is_marked: bool) -> dict[str, Any]:
        if self.kind == "user" and is_marked:
            return {"user_id": USER}
        return self.random.choice([{}, {}, {}, {"user_id": "ann"}])

    def has_session(self, is_marked: bool) -> bool:
        """What is said in a session stays, but for sentences of it, when a memory alone is deleted."""
        return not is_marked or self.kind != "memory"

    def place(self, is_marked: bool) -> str:
        return self.random.choice([NEEDLE.title(), f"{NEEDLE.title()}burg"] if is_marked else PLACES)

    def say(self, is_marked: bool) -> str:
        place = self.place(is_marked)
        return self.random.choice(SAYINGS).format(place, self.random.choice([item for item in PLACES if item != place]))

    def one_of(self, is_marked: bool) -> Memory | None:
        rows = Memory.objects.for_app(self.alice.app).order_by("pk")
        marked = self.marked_rows(rows)
        results = list(marked if is_marked else rows.exclude(pk__in=marked.values("pk")))
        return self.random.choice(results) if results else None

    def marked_rows(self, rows: MemoryQuerySet) -> MemoryQuerySet:
        if self.kind == "user":
            return rows.filter(user_id=USER)
        if self.kind == "session":
            return rows.filter(session=row_of(self.alice.app, self.sessions[True]))
        return rows.filter(uid__in=self.marked)

    def live(self, then: Callable[[], object] = lambda: None) -> None:
        """And `then`, after each act."""
        for _ in range(ACTS):
            self.now += timedelta(minutes=1)
            with travel(self.now):
                self.random.choice(self.acts())(self.random.random() < 0.5)
                then()

    def acts(self) -> list[Callable[[bool], object]]:
        return [
            self.speak, self.speak, self.take_turn, self.learn, self.learn, self.remember, self.remember, self.change,
            self.link, self.search, self.be_told, self.end, self.keep_up, self.wait, self.review, self.roll_back,
            self.note_what_comes,
        ]  # fmt: skip

    def speak(self, is_marked: bool) -> None:
        if self.has_session(is_marked):
            tell(self.alice, self.sessions[is_marked], *[self.say(is_marked) for _ in range(3)])

    def take_turn(self, is_marked: bool) -> None:
        if not self.has_session(is_marked):
            return
        marker = f"[EVENT:info:svc] saw {self.place(is_marked)}\n[MEMORY:timing:key] {self.say(is_marked)}"
        tools = [{"name": "look", "input": {"at": self.place(is_marked)}}]
        body = {"user_input": self.say(is_marked), "llm_output": marker, "tool_calls": tools}
        self.alice.put(f"sessions/{self.sessions[is_marked]['id']}/turns/{self.random.randrange(1, 60)}", body)

    def learn(self, _: bool) -> None:
        upkeep_learn_due()

    def remember(self, is_marked: bool) -> None:
        fields: dict[str, Any] = {"category": self.random.choice(CATEGORIES), **self.owner(is_marked)}
        if self.kind == "session" and is_marked:
            fields["session_id"] = self.sessions[True]["id"]
        elif self.random.random() < 0.5:
            # What an agent marks a memory with is the agent's, in whatever session it says so.
            fields |= {"tags": [self.place(is_marked)], "metadata": {"at": self.place(is_marked)}}
        memory = self.alice.remember(self.say(is_marked), **fields)
        # Also what was known already and has the word from now on.
        self.marked += [memory["id"]] if is_marked and "id" in memory else []

    def change(self, is_marked: bool) -> None:
        change: dict[str, Any] = self.random.choice(
            [
                {"content": self.say(is_marked)},
                {"category": self.random.choice(CATEGORIES)},
                {"importance": 5},
                {"tags": [self.place(is_marked)]},
                {"subject": self.place(is_marked)},
                {"status": "archived"},
            ]
        )
        if memory := self.one_of(is_marked):
            self.alice.patch(f"memories/{memory.uid}", change)

    def link(self, is_marked: bool) -> None:
        item, other = self.one_of(is_marked), self.one_of(not is_marked)
        if item and other:
            kind = self.random.choice(["related", "contradicts", "elaborates"])
            self.alice.post(f"memories/{item.uid}/links", {"to": str(other.uid), "kind": kind})

    def search(self, is_marked: bool) -> None:
        self.alice.post("memories/search", {"query": self.say(is_marked), **self.owner(is_marked)})

    def be_told(self, is_marked: bool) -> None:
        if self.has_session(is_marked):
            session = self.sessions[is_marked]["id"]
            self.alice.post("context", {"query": self.say(is_marked), "session_id": session, "turn_number": 3})
            answer = {"text": self.say(is_marked), "question": self.say(is_marked), "turn_number": 3}
            self.alice.post(f"sessions/{session}/responses", answer)

    def end(self, is_marked: bool) -> None:
        if self.kind == "user":
            reason = {"reason": f"{self.place(is_marked)} left"}
            self.alice.post(f"sessions/{self.sessions[is_marked]['id']}/end", reason)
            self.sessions[is_marked] = self.open(is_marked)

    def keep_up(self, _: bool) -> None:
        do(self.random.choice(JOBS))

    def wait(self, _: bool) -> None:
        self.now += timedelta(days=self.random.choice([0.01, 1, 8, 40]))

    def review(self, is_marked: bool) -> None:
        memory = self.one_of(is_marked)
        self.operate("memories/review", {"ids": [str(memory.uid)] if memory else []})
        refused = Rejection.objects.for_app(self.alice.app).order_by("-pk")[:1]
        self.operate("rejections/decide", {"ids": [str(row.uid) for row in refused], "action": "approve"})

    def roll_back(self, is_marked: bool) -> None:
        if self.random.random() < 0.2:
            source = {"what": "session", "source": str(self.sessions[is_marked]["id"])}
            self.operate("rollbacks", self.random.choice([source, {"what": "agent", "source": self.alice.agent.name}]))

    def note_what_comes(self, is_marked: bool) -> None:
        if self.kind == "user" or not is_marked:
            body = {"trigger_date": "2199-01-01", "message": self.say(is_marked), **self.owner(is_marked)}
            self.alice.post("triggers", body)
        if self.has_session(is_marked):
            waits = {"action": "restart", "service": self.place(is_marked), "seconds": 600, "reason": "it was slow"}
            self.alice.post("cooldowns", {**waits, "session_id": self.sessions[is_marked]["id"]})

    def operate(self, path: str, body: Any) -> None:
        self.operator.post(f"/api/v1/apps/acme/{path}", body, format="json")

    def delete(self) -> None:
        if self.kind == "user":
            gone = [f"users/{USER}"]
        elif self.kind == "session":
            gone = [f"sessions/{self.sessions[True]['id']}"]
        else:
            gone = [f"memories/{uid}" for uid in self.random.sample(self.marked, len(self.marked))]
        for path in gone:
            answer = self.operator.delete(f"/api/v1/apps/acme/{path}")
            # What was merged into another memory went with that.
            assert answer.status_code in ((200, 204, 404) if self.kind == "memory" else (200,)), answer.content
        upkeep_purge()

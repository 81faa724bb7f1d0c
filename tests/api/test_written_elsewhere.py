"""What was written is answered with at once, on whichever connection and by whichever process it was written.

A web process keeps what it has read for as long as nothing is written: here each next request would show if it kept it
for longer.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import orjson
import pytest

from tests.serving import Server

CONNECTIONS = 8
"""As many as the server has threads."""
of_sqlite = pytest.mark.sqlite("PostgreSQL is asked each time")


class Clients:
    """One key on several connections, whose requests different threads answer."""

    def __init__(self, server: Server, key: str) -> None:
        self.key = key
        address = server.url.removeprefix("http://")
        self.connections = [HTTPConnection(address, timeout=30) for _ in range(CONNECTIONS)]
        self.turn = 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        self.turn += 1
        connection = self.connections[self.turn % CONNECTIONS]
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request(method, f"/api/v1/{path}", None if body is None else orjson.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, orjson.loads(text) if text else None

    def find(self, **fields: Any) -> list[dict[str, Any]]:
        status, answer = self.ask("POST", "memories/search", {"query": "whales", "limit": 50, **fields})
        assert status == 200, answer
        return list(answer["results"])

    def close(self) -> None:
        for connection in self.connections:
            connection.close()


@pytest.fixture
def clients(server: Server) -> Iterator[Clients]:
    with closing(Clients(server, server.new_app())) as clients:
        for _ in range(CONNECTIONS):
            clients.find()
        yield clients


@pytest.fixture
def elsewhere(server: Server) -> Iterator[sqlite3.Connection]:
    """This process, which the server knows nothing of."""
    path = f"{server.environment['MEMSITE_DATA_DIR']}/memsite.sqlite3"
    with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
        yield connection


def test_each_answer_is_of_now(clients: Clients) -> None:
    """Eighty steps, drawn: whatever is done, the next search tells it, and no other one than that."""
    draw, known = random.Random(5), dict[str, str]()
    for step in range(80):
        act = draw.choice(["store", "store", "edit", "forget", "look", "look"]) if known else "store"
        item = draw.choice([*known]) if known else ""
        if act == "store":
            status, answer = clients.ask("POST", "memories", {"content": f"whales sing {step}", "dedupe": False})
            assert status == 201
            known[answer["id"]] = f"whales sing {step}"
        elif act == "edit":
            known[item] = f"whales sing {step} again"
            assert clients.ask("PATCH", f"memories/{item}", {"content": known[item], "tags": [f"t{step}"]})[0] == 200
        elif act == "forget":
            assert clients.ask("DELETE", f"memories/{item}")[0] == 200
            del known[item]
        hits = clients.find()
        assert {hit["id"]: hit["content"] for hit in hits} == known, (step, act)
        if act == "edit":
            assert next(hit for hit in hits if hit["id"] == item)["tags"] == [f"t{step}"]


def test_what_is_at_odds_is_told_at_once(clients: Clients) -> None:
    ids = [
        clients.ask("POST", "memories", {"content": f"whales {what}", "dedupe": False})[1]["id"]
        for what in ("sing", "are silent")
    ]

    def conflicting() -> int:
        return sum("conflicting" in hit["trust"] for hit in clients.find())

    seen = [conflicting() for _ in range(CONNECTIONS)]
    assert clients.ask("POST", f"memories/{ids[0]}/links", {"to": ids[1], "kind": "contradicts"})[0] == 201
    seen += [conflicting() for _ in range(CONNECTIONS)]
    assert clients.ask("DELETE", f"memories/{ids[0]}")[0] == 200
    seen += [conflicting() for _ in range(CONNECTIONS)]
    assert seen == [0] * CONNECTIONS + [2] * CONNECTIONS + [0] * CONNECTIONS


@of_sqlite
def test_a_key_that_is_revoked_elsewhere_opens_nothing_more(clients: Clients, elsewhere: sqlite3.Connection) -> None:
    prefix = clients.key.split("_")[1]
    elsewhere.execute("UPDATE tenancy_apikey SET revoked_at = '2026-01-01 00:00:00' WHERE prefix = ?", [prefix])
    requested = [clients.ask("POST", "memories/search", {"query": "whales"})[0] for _ in range(CONNECTIONS)]
    elsewhere.execute("UPDATE tenancy_apikey SET revoked_at = NULL WHERE prefix = ?", [prefix])
    requested += [clients.ask("POST", "memories/search", {"query": "whales"})[0] for _ in range(CONNECTIONS)]
    assert requested == [401] * CONNECTIONS + [200] * CONNECTIONS


@of_sqlite
def test_counts_of_other_processes_are_shown(clients: Clients, elsewhere: sqlite3.Connection) -> None:
    uid = clients.ask("POST", "memories", {"content": "whales sing"})[1]["id"]
    for count in (1_000, 2_000):
        results = [clients.find(touch=False)[0]["access_count"] for _ in range(CONNECTIONS)]
        assert len({*results}) == 1
        elsewhere.execute("UPDATE memories_memory SET access_count = ? WHERE uid = ?", [count, uid.replace("-", "")])
        assert {clients.find(touch=False)[0]["access_count"] for _ in range(CONNECTIONS)} == {count}


@of_sqlite
def test_what_is_kept_is_of_one_app(server: Server, clients: Clients) -> None:
    uid = clients.ask("POST", "memories", {"content": "whales sing"})[1]["id"]
    with closing(Clients(server, server.new_app())) as others:
        for _ in range(CONNECTIONS):
            assert [hit["id"] for hit in clients.find()] == [uid]
            assert others.find() == []

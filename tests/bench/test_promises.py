"""What of the promises is tried, by name."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any, cast

import httpx
import pytest

from bench.promises.__main__ import names
from bench.promises.keys import rotate
from bench.promises.memory import Outcome as Memory


def test_some_are_tried_by_their_names() -> None:
    assert names("kills,copies") == ["kills", "copies"]


@pytest.mark.parametrize("text", ["keys", "kills,nothing", ""])
def test_a_name_of_none_is_told_before_a_site_is_started(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="some of traces, "):
        names(text)


def test_memory_grows_from_what_it_was_after_the_first_tenth() -> None:
    flat = Memory(resident={1: [100, 200, *[205] * 17, 209], 2: [100] * 20})
    assert flat.is_flat
    assert max(flat.growth.values()) == pytest.approx(0.045)
    assert not Memory(resident={1: [100, 200, *[205] * 17, 220], 2: [100] * 20}).is_flat


class SlowForOne:
    """Stands for a site: the first request of all is answered after 140 others, as its key is by then."""

    operator_key = "operator"

    def __init__(self) -> None:
        self.keys = ["mst_first"]
        self.revoked: set[str] = set()
        self.answered = 0
        self.has_stalled = False

    def new_app(self, name: str) -> list[str]:
        return self.keys[:]

    def client(self, key: str, connections: int = 1) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {key or 'none'}"}
        return httpx.AsyncClient(base_url="http://site", headers=headers, transport=httpx.MockTransport(self.answer))

    async def answer(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            while not self.has_stalled:
                await asyncio.sleep(0)
            self.keys.append(f"mst_{len(self.keys)}")
            return httpx.Response(201, json={"api_key": self.keys[-1]})
        if request.method == "DELETE":
            self.revoked.add(f"mst_{request.url.path.rpartition('/')[2]}")
            return httpx.Response(200, json={})
        await asyncio.sleep(0)
        if not self.has_stalled:
            self.has_stalled = True
            while self.answered < 140:
                await asyncio.sleep(0)
        self.answered += 1
        is_good = request.headers["Authorization"].removeprefix("Bearer ") not in self.revoked
        return httpx.Response(200 if is_good else 401, json={})


def test_a_key_is_revoked_after_the_last_answer_to_it_also_where_one_process_is_slow() -> None:
    site = SlowForOne()
    done = rotate(cast(Any, site), rotations=2)
    assert done.holds, done
    assert len(site.revoked) == 2


def test_a_site_that_does_not_answer_is_not_waited_for_while_a_key_is_replaced() -> None:
    class Gone(SlowForOne):
        async def answer(self, request: httpx.Request) -> httpx.Response:
            if request.method == "GET":
                self.has_stalled = True
                raise httpx.ConnectError("gone")
            return await super().answer(request)

    with pytest.raises(ExceptionGroup):
        rotate(cast(Any, Gone()), rotations=1)

"""What is sent again, and what must not be: at a server that fails in every way there is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from memsite_client import (
    AsyncMemsite,
    Conflict,
    InvalidRequest,
    KeyRefused,
    Memsite,
    NotConfigured,
    ServerAway,
    ServerFailed,
    TooManyRequests,
)
from memsite_client.wire import Retry

OK = httpx.Response(200, content=b'{"results": [], "next": null}', headers={"Content-Type": "application/json"})
NO_CONNECTION = httpx.ConnectError("[Errno 111] Connection refused")
BROKEN_OFF = httpx.ReadError("")
TOO_SLOW = httpx.ReadTimeout("")


def problem(status: int, code: str = "", **headers: str) -> httpx.Response:
    body = json.dumps({"status": status, "title": "No", "detail": f"Told {status}.", "code": code})
    return httpx.Response(status, content=body, headers={"Content-Type": "application/problem+json", **headers})


class Script(httpx.MockTransport):
    """Answers one after the other; keeps what it was sent."""

    def __init__(self, *answers: httpx.Response | httpx.RequestError) -> None:
        self.answers, self.sent = iter(answers), list[httpx.Request]()
        super().__init__(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        answer = next(self.answers)
        if isinstance(answer, httpx.RequestError):
            raise answer
        return answer


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each client would have waited."""
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    return waited


def client(script: Script, **options: Any) -> Memsite:
    return Memsite("http://memsite.test", "mst_key", transport=script, **options)


Call = Callable[[Memsite], Any]
READS: list[Call] = [
    lambda memsite: list(memsite.list_memories()),
    lambda memsite: memsite.search_memories("whales"),
    lambda memsite: memsite.get_context(query="whales"),
]
CREATES: list[Call] = [
    lambda memsite: memsite.create_memory("Whales sing"),
    lambda memsite: memsite.start_session(external_id="x"),
    lambda memsite: memsite.add_messages("x", [{"role": "user", "content": "hi"}]),
]
ONCE: list[Call] = [
    lambda memsite: memsite.delete_memory("x"),
    lambda memsite: memsite.change_memory("x", importance=1),
    lambda memsite: memsite.get_consumed_energy(),
]


@pytest.mark.parametrize("failure", [NO_CONNECTION, BROKEN_OFF, TOO_SLOW, problem(502), problem(503), problem(504)])
@pytest.mark.parametrize("call", [*READS, *CREATES])
def test_what_may_be_repeated_is(call: Call, failure: Any) -> None:
    script = Script(failure, failure, OK)
    call(client(script))
    assert len(script.sent) == 3


@pytest.mark.parametrize("call", CREATES)
def test_a_create_sent_again_has_the_same_idempotency_key(call: Call) -> None:
    script = Script(BROKEN_OFF, OK)
    call(client(script))
    first, second = (request.headers["Idempotency-Key"] for request in script.sent)
    assert first == second


def test_two_creates_have_two_idempotency_keys() -> None:
    script = Script(OK, OK)
    for _ in range(2):
        client(script).create_memory("Whales sing")
    assert len({request.headers["Idempotency-Key"] for request in script.sent}) == 2


@pytest.mark.parametrize("call", ONCE)
@pytest.mark.parametrize("failure", [BROKEN_OFF, TOO_SLOW, problem(502), problem(504)])
def test_what_may_have_happened_is_not_done_twice(call: Call, failure: Any) -> None:
    script = Script(failure, OK)
    with pytest.raises((ServerAway, ServerFailed)):
        call(client(script))
    assert len(script.sent) == 1


@pytest.mark.parametrize("call", ONCE)
@pytest.mark.parametrize("failure", [NO_CONNECTION, problem(503), problem(429)])
def test_what_did_not_happen_is_tried_again(call: Call, failure: Any) -> None:
    script = Script(failure, OK)
    call(client(script))
    assert len(script.sent) == 2


def test_a_stream_is_sent_once() -> None:
    script = Script(BROKEN_OFF, OK)
    with pytest.raises(ServerAway):
        client(script).stream_session("x", [b"{}\n"])
    assert len(script.sent) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(400, Exception), (401, KeyRefused), (409, Conflict), (500, ServerFailed)]
)
def test_a_refusal_is_final(status: int, error: type[Exception]) -> None:
    script = Script(problem(status), OK)
    with pytest.raises(error, match=f"Told {status}"):
        client(script).search_memories("whales")
    assert len(script.sent) == 1


def test_a_twin_that_is_still_at_work_is_waited_for() -> None:
    script = Script(TOO_SLOW, problem(409), OK)
    client(script).create_memory("Whales sing")
    assert len(script.sent) == 3


def test_what_may_be_stored_is_sent_again_where_that_stores_it_once() -> None:
    unsure = problem(500, "may_be_stored")
    script = Script(unsure, OK)
    client(script).create_memory("Whales sing")
    assert len(script.sent) == 2
    with pytest.raises(ServerFailed):
        client(Script(unsure, OK)).delete_memory("x")


def test_as_long_as_the_server_asks_for_is_waited(waits: list[float]) -> None:
    client(Script(problem(429, **{"Retry-After": "7"}), OK)).create_memory("Whales sing")
    assert waits == [7.0]


def test_longer_than_half_a_minute_is_not_waited(waits: list[float]) -> None:
    with pytest.raises(TooManyRequests) as caught:
        client(Script(problem(429, **{"Retry-After": "59"}))).create_memory("Whales sing")
    assert (caught.value.retry_after, waits) == (59.0, [])


def test_waits_grow_and_end(waits: list[float]) -> None:
    with pytest.raises(ServerAway, match=r"http://memsite\.test cannot be reached: .*refused"):
        client(Script(*[NO_CONNECTION] * 9), retries=4).search_memories("whales")
    assert len(waits) == 4
    for wait, longest in zip(waits, (0.25, 0.5, 1.0, 2.0), strict=True):
        assert longest / 2 <= wait <= longest


def test_none_is_none(waits: list[float]) -> None:
    with pytest.raises(ServerAway):
        client(Script(NO_CONNECTION), retries=0).search_memories("whales")
    assert waits == []


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>another server</html>", headers={"Content-Type": "text/html"}),
        httpx.Response(200, content=b'{"results": [', headers={"Content-Type": "application/json"}),
    ],
)
def test_an_answer_of_no_memsite_server_is_none(answer: httpx.Response) -> None:
    with pytest.raises(ServerAway):
        client(Script(answer)).search_memories("whales")


@pytest.mark.parametrize("status", [302, 400, 418, 500])
def test_an_error_page_of_a_proxy_is_a_problem_too(status: int) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is what is asked
        client(Script(httpx.Response(status, text="<html>"))).search_memories("whales")
    assert caught.value.status == status  # type: ignore[attr-defined]
    assert str(caught.value)


def test_the_key_goes_to_no_other_address_than_ours() -> None:
    elsewhere = "http://elsewhere.test/api/v1/memories?limit=100&cursor=abc%3D"
    script = Script(httpx.Response(200, json={"results": [1], "next": elsewhere}), OK)
    assert list(client(script).list_memories()) == [1]
    assert [request.url.host for request in script.sent] == ["memsite.test"] * 2
    assert script.sent[1].url.params["cursor"] == "abc="


@pytest.mark.parametrize("url", ["http://memsite.test:x", "http://mem\ud800site.test", "http://memsite.test/\ud800"])
def test_what_cannot_be_an_address_is_told_at_once(url: str) -> None:
    with pytest.raises(NotConfigured, match="is no address of a server"):
        Memsite(url, "mst_key")


UNSENDABLE: dict[str, Call] = {
    "half a character": lambda memsite: memsite.create_memory("a\ud800b"),
    "half a character in an address": lambda memsite: memsite.get_memory("a\ud800b"),
    "half a character in a query": lambda memsite: list(memsite.list_memories(category="\ud800")),
    "no number": lambda memsite: memsite.create_memory("a", metadata={"x": float("nan")}),
    "no JSON": lambda memsite: memsite.create_memory("a", metadata={"x": {1, 2}}),
    "a key that is not ASCII": lambda memsite: memsite.create_memory("a", idempotency_key="ü"),
    "no address": lambda memsite: memsite.request("GET", "a\0b"),
    "a file that is none": lambda memsite: memsite.upload("x", 5),  # type: ignore[arg-type]  # that is what is asked
    "no address to download from": lambda memsite: list(memsite.download("a\0b", {})),
}


@pytest.mark.parametrize("call", UNSENDABLE.values(), ids=UNSENDABLE)
def test_what_cannot_be_sent_is_refused_like_what_the_server_refuses(call: Call) -> None:
    script = Script(OK)
    with pytest.raises(InvalidRequest, match="cannot be sent") as caught:
        call(client(script))
    assert (caught.value.status, caught.value.errors, script.sent) == (400, [], [])


DOTS = ["apps/acme/users/..", "apps/acme/users/.", "apps/./memories", "apps/acme/users/%2e%2E", "../x?y=1", "apps/..#x"]


@pytest.mark.parametrize("path", [*DOTS, *(f"http://memsite.test/api/v1/{path}" for path in DOTS)])
def test_an_address_that_dots_would_change_is_refused(path: str) -> None:
    script = Script(OK)
    memsite = client(script)
    calls: list[Callable[[], Any]] = [
        lambda: memsite.request("DELETE", path),
        lambda: memsite.upload(path, b"{}"),
        lambda: list(memsite.download(path, {})),
        lambda: memsite.get_memory(".."),
        lambda: memsite.delete_webhook("acme", ".."),
    ]
    for call in calls:
        with pytest.raises(InvalidRequest, match="a part of its address"):
            call()
    assert script.sent == []


def test_an_address_that_dots_would_change_is_refused_with_asyncio_too() -> None:
    script = Script(OK)

    async def work() -> None:
        async with AsyncMemsite("http://memsite.test", "mst_key", transport=script) as memsite:
            await memsite.delete_webhook("acme", "..")

    with pytest.raises(InvalidRequest):
        asyncio.run(work())
    assert script.sent == []


@pytest.mark.parametrize(
    "call",
    [
        lambda memsite, **key: memsite.create_webhook("acme", "https://example.org", **key),
        lambda memsite, **key: memsite.create_bridge("acme", "chat", "alice", **key),
        lambda memsite, **key: memsite.roll_back("acme", "session", "x", **key),
    ],
)
def test_what_operators_create_has_an_idempotency_key_too(call: Callable[..., Any]) -> None:
    script = Script(BROKEN_OFF, httpx.Response(201, json={}), httpx.Response(201, json={}))
    memsite = client(script)
    call(memsite)
    call(memsite, idempotency_key="mine")
    first, again, mine = (request.headers["Idempotency-Key"] for request in script.sent)
    assert first == again != mine == "mine"


@pytest.mark.parametrize("path", ["memories/...", "memories/a..b", "memories?q=/../x", "memories/.a"])
def test_other_dots_are_sent_as_they_stand(path: str) -> None:
    script = Script(OK)
    client(script).request("GET", path)
    assert str(script.sent[0].url) == f"http://memsite.test/api/v1/{path}"


FOREIGN = [
    "http://elsewhere.test/x",
    "http://memsite.test:9977/api/v1/memories",
    "https://memsite.test/api/v1/memories",
    "http://memsite.test.elsewhere.test/x",
    "http://memsite.test@elsewhere.test/x",
    "ftp://memsite.test/x",
]


@pytest.mark.parametrize("address", FOREIGN)
def test_a_whole_address_of_another_server_is_refused_before_anything_is_sent(address: str) -> None:
    script = Script(OK)
    memsite = client(script)
    calls: list[Callable[[], Any]] = [
        lambda: memsite.request("GET", address),
        lambda: memsite.upload(address, b"{}"),
        lambda: list(memsite.download(address, {})),
    ]
    for call in calls:
        with pytest.raises(InvalidRequest, match="the key is sent to no other server"):
            call()
    assert script.sent == []


def test_a_whole_address_of_another_server_is_refused_with_asyncio_too() -> None:
    script = Script(OK)

    async def work() -> None:
        async with AsyncMemsite("http://memsite.test", "mst_key", transport=script) as memsite:
            await memsite.request("GET", FOREIGN[0])

    with pytest.raises(InvalidRequest):
        asyncio.run(work())
    assert script.sent == []


@pytest.mark.parametrize("root", ["http://memsite.test", "http://memsite.test:80"])
def test_a_whole_address_of_our_server_is_asked_as_it_stands(root: str) -> None:
    script = Script(OK)
    client(script).request("GET", f"{root}/api/v1/memories?limit=7&cursor=abc%3D")
    (sent,) = script.sent
    assert (sent.url.path, dict(sent.url.params)) == ("/api/v1/memories", {"limit": "7", "cursor": "abc="})
    assert sent.headers["Authorization"] == "Bearer mst_key"


@pytest.mark.parametrize("path", ["//elsewhere.test/x", "/memories", "memories", "http:elsewhere.test"])
def test_what_is_no_whole_address_is_one_of_our_server(path: str) -> None:
    script = Script(OK)
    client(script).request("GET", path)
    assert script.sent[0].url.host == "memsite.test"


def test_the_same_rules_hold_with_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_wait(_: float) -> None:
        return None

    monkeypatch.setattr("asyncio.sleep", no_wait)
    script = Script(BROKEN_OFF, problem(503), httpx.Response(200, json={}))

    async def work() -> None:
        async with AsyncMemsite("http://memsite.test", "mst_key", transport=script) as memsite:
            await memsite.create_memory("Whales sing")

    asyncio.run(work())
    assert len({request.headers["Idempotency-Key"] for request in script.sent}) == 1


def test_nothing_is_repeated_without_a_limit() -> None:
    retry = Retry(3, repeatable=True)
    assert [retry.after_error(NO_CONNECTION) is None for _ in range(5)] == [False, False, False, True, True]

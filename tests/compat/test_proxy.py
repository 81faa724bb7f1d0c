"""The proxy in front of a language model: memories go in, the turn is kept, and the answer passes through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.test import override_settings

from memories.compat import proxy
from memories.models import Injection
from memories.services import MemoryAgent
from memsite.config.conf import get_conf
from sessions.models import AgentSession, Resource
from tests.conftest import Caller

OPENAI, ANTHROPIC = "/proxy/openai/v1/chat/completions", "/proxy/anthropic/v1/messages"
SAID = "Take the blue stair."


@dataclass
class Upstream:
    """A model's server on loopback. It notes requests, and answers SAID in the format of the address."""

    url: str = ""
    seen: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    status: int = 200
    breaks_off: bool = False

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
        words = [f"{word} " for word in SAID.split()]
        is_openai = path.endswith("completions")
        if not body.get("stream"):
            message = {"choices": [{"message": {"role": "assistant", "content": SAID}}]}
            return "application/json", json.dumps(
                message if is_openai else {"content": [{"type": "text", "text": SAID}]}
            ).encode()
        if is_openai:
            events = [{"choices": [{"delta": {"content": word}}]} for word in words]
            last = b"data: [DONE]\n\n"
        else:
            events = [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": word}} for word in words]
            last = b'event: message_stop\ndata: {"type": "message_stop"}\n\n'
        pieces = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]
        return "text/event-stream", b"".join(pieces[:2] if self.breaks_off else [*pieces, last])


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    model = Upstream()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.seen.append((self.path, dict(self.headers), body))
            kind, answer = model.answer(self.path, body)
            self.send_response(model.status)
            self.send_header("Content-Type", kind)
            if model.breaks_off:
                self.send_header("Content-Length", str(len(answer) + 1))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    conf = replace(
        get_conf(),
        proxy_openai_url=f"{model.url}/v1",
        proxy_openai_api_key="sk-operators",
        proxy_anthropic_url=model.url,
        proxy_anthropic_api_key="sk-operators",
    )
    with override_settings(MEMSITE=conf):
        yield model
    server.shutdown()
    server.server_close()


def chat(caller: Caller, path: str, *texts: str, **fields: Any) -> Any:
    messages = [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(texts)]
    headers = fields.pop("headers", {})
    return caller.client.post(path, {"model": "m", "messages": messages, **fields}, headers=headers)


def stored() -> list[tuple[str, str]]:
    return list(Resource.objects.order_by("pk").values_list("role", "raw_content"))


@pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize("stream", [False, True])
def test_memories_go_in_and_both_sides_of_the_turn_are_kept(
    alice: Caller, upstream: Upstream, path: str, stream: bool
) -> None:
    alice.remember("The blue stair leads to the archive")
    answer = chat(alice, path, "which stair leads to the archive?", stream=stream)
    answered = b"".join(answer.streaming_content) if stream else answer.content
    assert answer.status_code == 200
    assert answer["X-Memsite-Memory"] == "used"
    ((path_seen, headers, body),) = upstream.seen
    assert path_seen == path.removeprefix("/proxy/openai").removeprefix("/proxy/anthropic")
    assert "sk-operators" in (headers.get("Authorization", "") + headers.get("x-api-key", ""))
    assert alice.key not in str(headers)
    system = body["messages"][0]["content"] if path == OPENAI else body["system"]
    assert "The blue stair leads to the archive" in system
    assert body["messages"][-1] == {"role": "user", "content": "which stair leads to the archive?"}
    assert (answered.endswith(b"[DONE]\n\n") or b"message_stop" in answered) if stream else SAID.encode() in answered
    assert [(role, text.strip()) for role, text in stored()] == [
        ("user", "which stair leads to the archive?"),
        ("assistant", SAID),
    ]


@pytest.mark.parametrize("path", [OPENAI.replace("/v1", ""), f"{OPENAI}/", ANTHROPIC.replace("/v1", "/v1/v1")])
def test_a_base_url_with_the_version_or_without_and_a_slash_lead_to_the_same(
    alice: Caller, upstream: Upstream, path: str
) -> None:
    assert chat(alice, path, "which stair?").status_code == 200


def test_a_conversation_goes_on_in_its_session_and_is_kept_once(alice: Caller, upstream: Upstream) -> None:
    chat(alice, OPENAI, "which stair?")
    chat(alice, OPENAI, "which stair?")
    chat(alice, OPENAI, "which stair?", SAID, "thanks")
    assert stored() == [("user", "which stair?"), ("assistant", SAID), ("user", "thanks"), ("assistant", SAID)]
    assert AgentSession.objects.count() == 1


def test_an_answer_that_a_killed_process_did_not_store_is_stored_with_the_next_message(
    alice: Caller, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(proxy.Conversation, "finish", lambda _: None)
        chat(alice, OPENAI, "which stair?")
    for text in ("thanks", "thanks a lot"):
        chat(alice, OPENAI, "which stair?", SAID, text)
    assert stored()[:4] == [("user", "which stair?"), ("assistant", SAID), ("user", "thanks"), ("assistant", SAID)]
    assert stored()[4:] == [("user", "thanks a lot"), ("assistant", SAID)]


def test_an_answer_whose_question_is_not_stored_any_more_stays_away(alice: Caller, upstream: Upstream) -> None:
    chat(alice, OPENAI, "which stair?", SAID, "thanks")
    assert stored() == [("user", "thanks"), ("assistant", SAID)]


def test_a_client_has_its_answer_before_that_is_stored(alice: Caller, upstream: Upstream) -> None:
    answer = iter(chat(alice, OPENAI, "which stair?", stream=True).streaming_content)
    events = b""
    while not events.endswith(b"[DONE]\n\n"):
        events += next(answer)
    before = stored()
    list(answer)
    assert [role for role, _ in before] == ["user"]
    assert [role for role, _ in stored()] == ["user", "assistant"]


def test_what_is_stored_meanwhile_is_told_with_the_next_message(alice: Caller, upstream: Upstream) -> None:
    chat(alice, OPENAI, "hello", headers={"X-Memsite-Session": "s1"})
    alice.remember("Always answer in metric units", kind="preference")
    chat(alice, OPENAI, "hello", SAID, "how far is it?", headers={"X-Memsite-Session": "s1"})
    assert ["metric units" in str(body) for _, _, body in upstream.seen] == [False, True]


def test_the_greeting_of_the_next_message_is_made_behind_the_answer(
    alice: Caller, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise AssertionError("it was made before")

    monkeypatch.setattr(proxy, "GREETING_SECONDS", 10**10)
    alice.remember("The blue stair leads to the archive")
    chat(alice, OPENAI, "where is the archive?")
    assert Injection.objects.filter(used=True).exists()
    monkeypatch.setattr(MemoryAgent, "greeting", fail)
    assert chat(alice, OPENAI, "where is the archive?", SAID, "thanks")["X-Memsite-Memory"] == "used"


def test_end_users_and_named_sessions_are_kept_apart(alice: Caller, upstream: Upstream) -> None:
    alice.remember("Ann's stair is green", user_id="ann")
    for fields in ({"user": "ann"}, {"user": "bea"}, {"headers": {"X-Memsite-Session": "s1", "X-Memsite-User": "bea"}}):
        chat(alice, OPENAI, "which stair is green?", **fields)
    assert ["green" in body["messages"][0]["content"] and "Ann" in str(body) for _, _, body in upstream.seen] == [
        True, False, False,
    ]  # fmt: skip
    assert sorted(AgentSession.objects.values_list("user_id", flat=True)) == ["ann", "bea", "bea"]
    assert AgentSession.objects.get(external_id="s1").user_id == "bea"
    mixed = chat(alice, OPENAI, "which stair?", headers={"X-Memsite-Session": "s1", "X-Memsite-User": "ann"})
    assert mixed.status_code == 409
    assert "end user" in mixed.json()["error"]["message"]


def test_parts_and_a_systems_prompt_are_left_as_they_are(alice: Caller, upstream: Upstream) -> None:
    alice.remember("The blue stair leads to the archive")
    parts = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    question = [{"type": "image", "source": {}}, {"type": "text", "text": "which stair leads to the archive?"}]
    alice.client.post(ANTHROPIC, {"system": parts, "messages": [{"role": "user", "content": question}], "top_k": 3})
    ((_, _, body),) = upstream.seen
    assert body["system"][0] == parts[0]
    assert "blue stair" in body["system"][1]["text"]
    assert (body["messages"][0]["content"], body["top_k"]) == (question, 3)
    assert stored()[0] == ("user", "which stair leads to the archive?")


def test_an_error_of_the_model_passes_through_and_what_was_asked_is_kept(alice: Caller, upstream: Upstream) -> None:
    upstream.status = 429
    assert chat(alice, OPENAI, "which stair?").status_code == 429
    assert stored() == [("user", "which stair?")]


def test_an_answer_that_breaks_off_says_so_and_its_words_are_kept(alice: Caller, upstream: Upstream) -> None:
    upstream.breaks_off = True
    answer = chat(alice, OPENAI, "which stair?", stream=True)
    assert b"broke off" in b"".join(answer.streaming_content)
    assert stored()[-1] == ("assistant", "Take the ")
    assert proxy.answering.taken == 0


def test_a_client_that_goes_away_gives_its_place_back(alice: Caller, upstream: Upstream) -> None:
    answer = chat(alice, OPENAI, "which stair?", stream=True)
    assert proxy.answering.taken == 1
    answer.close()
    assert proxy.answering.taken == 0


def test_trouble_with_memories_costs_no_answer(
    alice: Caller, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(MemoryAgent, "capture_messages", fail)
    answer = chat(alice, OPENAI, "which stair?")
    assert (answer.status_code, answer["X-Memsite-Memory"]) == (200, "failed")


def test_a_model_that_is_away_is_502_and_what_is_no_chat_400(alice: Caller, upstream: Upstream) -> None:
    with override_settings(MEMSITE=replace(get_conf(), proxy_openai_url="http://127.0.0.1:9")):
        answer = chat(alice, OPENAI, "which stair?")
    assert (answer.status_code, answer.json()["error"]["type"]) == (502, "server_error")
    for body in ({}, {"messages": []}, {"messages": ["x"]}, []):
        assert alice.client.post(ANTHROPIC, body).status_code == 400
    assert proxy.answering.taken == 0


def test_the_proxy_is_off_by_default_and_wants_a_key(alice: Caller) -> None:
    answer = chat(alice, OPENAI, "which stair?")
    assert answer.status_code == 404
    assert "MEMSITE_PROXY_OPENAI_URL" in answer.json()["error"]["message"]
    alice.client.credentials()
    assert chat(alice, ANTHROPIC, "which stair?").status_code == 401

"""Language models to test against: servers on loopback that speak the three protocols as the real ones do.

with serve("ollama") as server:
    server.then(Fails(500), Says({"keep": True}))     # one after the other
    server.always(lambda seen: Says({"echo": seen.prompt}))  # and from then on
    ...  # ask a client of server.url
    assert server.seen[0].model == "small"
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

KEY = "sk-secret-4711"


@dataclass(frozen=True)
class Seen:
    """A request, whatever the protocol. `schema` is what the server was asked to enforce, None if nothing."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    model: str
    system: str
    prompt: str
    max_tokens: int
    schema: dict[str, Any] | None


# What a server may do


@dataclass(frozen=True)
class Says:
    """An answer of the model: an object, or any text. `tokens`: of input and of output; None tells nothing."""

    content: Any
    cut: bool = False
    declined: bool = False
    tokens: tuple[int, int] | None = (1_000, 200)


@dataclass(frozen=True)
class Fails:
    status: int
    message: str = "it does not work"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Anything at all, as the body of an answer."""

    body: bytes
    status: int = 200


@dataclass(frozen=True)
class Hangs:
    """Takes the request and never answers."""


@dataclass(frozen=True)
class Drips:
    """Begins to answer and sends a blank every `pause` seconds."""

    pause: float = 0.02


@dataclass(frozen=True)
class Floods:
    size: int


@dataclass(frozen=True)
class Drops:
    """Closes the connection without a word."""


Behaviour = Says | Fails | Raw | Hangs | Drips | Floods | Drops


# The protocols


def openai_seen(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Seen:
    roles = {message["role"]: message["content"] for message in body["messages"]}
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    schema = schema or body.get("response_format", {}).get("schema")
    limit = body.get("max_tokens") or body["max_completion_tokens"]
    return Seen(path, headers, body, body["model"], roles.get("system", ""), roles["user"], limit, schema)


def anthropic_seen(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Seen:
    (message,) = body["messages"]
    (tool,) = body["tools"]
    schema = tool["input_schema"]
    (system,) = body["system"]
    return Seen(path, headers, body, body["model"], system["text"], message["content"], body["max_tokens"], schema)


def ollama_seen(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Seen:
    roles = {message["role"]: message["content"] for message in body["messages"]}
    schema = body.get("format") if isinstance(body.get("format"), dict) else None
    limit = body["options"]["num_predict"]
    return Seen(path, headers, body, body["model"], roles.get("system", ""), roles["user"], limit, schema)


def openai_answer(seen: Seen, says: Says) -> dict[str, Any]:
    text = says.content if isinstance(says.content, str) else json.dumps(says.content)
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    if says.declined:
        message |= {"content": None, "refusal": "I'm sorry, I can't help with that."}
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": "length" if says.cut else "stop",
    }
    answer: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": seen.model,
        "choices": [choice],
    }
    if says.tokens:
        given, made = says.tokens
        answer["usage"] = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    return answer


def anthropic_answer(seen: Seen, says: Says) -> dict[str, Any]:
    if isinstance(says.content, str):
        content, reason = [{"type": "text", "text": says.content}], "end_turn"
    else:
        content, reason = [{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": says.content}], "tool_use"
    if says.declined:
        content, reason = [], "refusal"
    given, made = says.tokens or (0, 0)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": seen.model,
        "content": content,
        "stop_reason": "max_tokens" if says.cut else reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": given,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": made,
        },
    }


def ollama_answer(seen: Seen, says: Says) -> dict[str, Any]:
    text = says.content if isinstance(says.content, str) else json.dumps(says.content)
    answer = {
        "model": seen.model,
        "created_at": "2026-11-20T12:00:00.123456Z",
        "message": {"role": "assistant", "content": text},
        "done_reason": "length" if says.cut else "stop",
        "done": True,
        "total_duration": 2_254_970_291,
        "load_duration": 574_751_416,
        "prompt_eval_duration": 1_502_000_000,
        "eval_duration": 175_000_000,
    }
    if says.tokens:
        answer |= {"prompt_eval_count": says.tokens[0], "eval_count": says.tokens[1]}
    return answer


def openai_error(status: int, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def anthropic_error(status: int, message: str) -> dict[str, Any]:
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
    error = {"type": kinds.get(status, "invalid_request_error"), "message": message}
    return {"type": "error", "error": error, "request_id": "req_1"}


def ollama_error(status: int, message: str) -> dict[str, Any]:
    return {"error": message}


@dataclass(frozen=True)
class Protocol:
    path: str
    see: Callable[[str, Mapping[str, str], dict[str, Any]], Seen]
    answer: Callable[[Seen, Says], dict[str, Any]]
    error: Callable[[int, str], dict[str, Any]]
    known: frozenset[str]
    """The fields that a request may have; the real ones refuse others, or would not notice them."""
    key_header: str
    key_prefix: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


PROTOCOLS = {
    "openai": Protocol(
        "/v1/chat/completions",
        openai_seen,
        openai_answer,
        openai_error,
        frozenset(
            [
                *("model", "messages", "max_tokens", "max_completion_tokens"),
                *("temperature", "reasoning_effort", "response_format"),
            ]
        ),
        "authorization",
        "Bearer ",
    ),
    "anthropic": Protocol(
        "/v1/messages",
        anthropic_seen,
        anthropic_answer,
        anthropic_error,
        frozenset(["model", "messages", "max_tokens", "system", "tools", "tool_choice", "output_config"]),
        "x-api-key",
        headers={"anthropic-version": "2023-06-01"},
    ),
    "ollama": Protocol(
        "/api/chat",
        ollama_seen,
        ollama_answer,
        ollama_error,
        frozenset(["model", "messages", "stream", "options", "think", "format"]),
        "authorization",
        "Bearer ",
    ),
}


# What some servers and models refuse, in their own words


def without_json_schema(seen: Seen) -> Fails | None:
    if seen.body.get("response_format", {}).get("type") != "json_schema":
        return None
    return Fails(400, "This response_format type is unavailable now")


def like_llama_cpp_python(seen: Seen) -> Fails | None:
    if seen.body.get("response_format", {}).get("type") != "json_schema":
        return None
    words = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
    return Fails(500, words + "'msg': \"Input should be 'text' or 'json_object'\"}]")


def without_this_grammar(seen: Seen) -> Fails | None:
    if seen.schema is None:
        return None
    return Fails(400, "failed to parse grammar: the json schema has unsupported keywords")


def without_schema(seen: Seen) -> Fails | None:
    if "schema" not in seen.body.get("response_format", {}):
        return without_json_schema(seen)
    return Fails(400, "Unknown parameter: 'response_format.schema'.")


def without_system_role(seen: Seen) -> Fails | None:
    roles = [message["role"] for message in seen.body["messages"]]
    return Fails(500, "System role not supported") if "system" in roles else None


def not_strict(seen: Seen) -> Fails | None:
    is_strict = seen.body.get("response_format", {}).get("json_schema", {}).get("strict")
    return Fails(400, "Extra inputs are not permitted: response_format.json_schema.strict") if is_strict else None


def with_answers_of(most: int) -> Callable[[Seen], Fails | None]:
    words = f"max_tokens is too large. This model supports at most {most} completion tokens."
    return lambda seen: Fails(400, words) if seen.max_tokens > most else None


def without_response_format(seen: Seen) -> Fails | None:
    if "response_format" not in seen.body:
        return None
    return Fails(422, "The response_format parameter is unsupported at the moment. Leave it unset.")


def reasoning_only(seen: Seen) -> Fails | None:
    if "max_tokens" in seen.body:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model. "
        return Fails(400, words + "Use 'max_completion_tokens' instead.")
    if "temperature" in seen.body:
        words = "Unsupported value: 'temperature' does not support 0 with this model. "
        return Fails(400, words + "Only the default (1) value is supported.")
    return None


def without_temperature(seen: Seen) -> Fails | None:
    return Fails(400, "`temperature` is deprecated for this model.") if "temperature" in seen.body else None


def without_forced_tools(seen: Seen) -> Fails | None:
    if seen.body["tool_choice"]["type"] == "auto":
        return None
    return Fails(400, 'tool_choice: type "tool" and "any" are not supported for this model.')


def before_ollama_0_5(seen: Seen) -> Fails | None:
    if not isinstance(seen.body.get("format"), dict):
        return None
    return Fails(400, "json: cannot unmarshal object into Go struct field ChatRequest.format of type string")


def without_thinking(seen: Seen) -> Fails | None:
    return Fails(400, f'"{seen.model}" does not support thinking') if "think" in seen.body else None


# The server


class Server:
    """Programmable, and remembers what it was asked. Knows nothing to say until told."""

    def __init__(self, kind: str, key: str) -> None:
        self.kind = kind
        self.protocol = PROTOCOLS[kind]
        self.url = ""
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self.released = Event()
        self._key = key
        self._lock = Lock()
        self._script: deque[Behaviour] = deque()
        self._always: Callable[[Seen], Behaviour] = lambda seen: Fails(500, "nothing to say")
        self._refusals: list[Callable[[Seen], Fails | None]] = []
        self._at_once = 0

    def then(self, *behaviours: Behaviour) -> None:
        """Next, in this order."""
        self._script.extend(behaviours)

    def always(self, behaviour: Behaviour | Callable[[Seen], Behaviour]) -> None:
        """Whenever nothing is next."""
        self._always = behaviour if callable(behaviour) else lambda seen: behaviour

    def refuses(self, *refusals: Callable[[Seen], Fails | None]) -> None:
        """What this server does not take at all; a refused request uses up no behaviour."""
        self._refusals.extend(refusals)

    def behaviour_for(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> tuple[Seen, Behaviour]:
        with self._lock:
            seen = self.protocol.see(path, headers, body)
            self.seen.append(seen)
            for refusal in (self._unlike_the_real_one, *self._refusals):
                if (fails := refusal(seen)) is not None:
                    return seen, fails
            if self._script:
                return seen, self._script.popleft()
        return seen, self._always(seen)

    def _unlike_the_real_one(self, seen: Seen) -> Fails | None:
        if seen.path != self.protocol.path:
            return Fails(404, f"no such path: {seen.path}")
        if unknown := seen.body.keys() - self.protocol.known:
            return Fails(400, f"{unknown}: Extra inputs are not permitted")
        for name, value in self.protocol.headers.items():
            if seen.headers.get(name) != value:
                return Fails(400, f"{name}: header is required")
        if self._key and seen.headers.get(self.protocol.key_header) != self.protocol.key_prefix + self._key:
            return Fails(401, f"invalid key: {seen.headers.get(self.protocol.key_header)}")
        return None

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    model: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.model.counted():
            seen, behaviour = self.model.behaviour_for(self.path, headers, body)
            try:
                self.behave(seen, behaviour)
            except ConnectionError:
                self.close_connection = True

    def behave(self, seen: Seen, behaviour: Behaviour) -> None:
        match behaviour:
            case Says():
                self.send(200, json.dumps(self.model.protocol.answer(seen, behaviour)).encode())
            case Fails():
                error = self.model.protocol.error(behaviour.status, behaviour.message)
                self.send(behaviour.status, json.dumps(error).encode(), behaviour.headers)
            case Raw():
                self.send(behaviour.status, behaviour.body)
            case Hangs():
                self.model.released.wait(120)
                self.close_connection = True
            case Drips():
                self.begin(200, 1_000_000)
                while not self.model.released.wait(behaviour.pause):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            case Floods():
                self.begin(200, behaviour.size)
                for _ in range(behaviour.size // 65_536):
                    self.wfile.write(b" " * 65_536)
            case Drops():
                self.close_connection = True

    def begin(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.begin(status, len(body), headers)
        self.wfile.write(body)
        self.wfile.flush()

    def finish(self) -> None:
        with suppress(ConnectionError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients of ours go away in the middle of things on purpose."""


@contextmanager
def serve(kind: str, key: str = KEY) -> Iterator[Server]:
    """`kind`: "openai", "anthropic" or "ollama". `key` is asked for with every request; "" asks for none."""
    model = Server(kind, key)
    with QuietServer(("127.0.0.1", 0), type("Bound", (Handler,), {"model": model})) as server:
        model.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield model
        finally:
            model.released.set()
            server.shutdown()
            thread.join()

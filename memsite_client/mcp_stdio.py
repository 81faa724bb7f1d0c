"""MCP over stdio: each message goes to the server's `/mcp`, and its answer comes back.

One line is one message. Nothing but messages is written to stdout.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import IO, Any

import httpx

from memsite_client.configuration import Server
from memsite_client.wire import away

PATH = "/mcp"
# Clients give up after a minute, and nothing else is passed on meanwhile.
TIMEOUT_SECONDS = 30.0
PARSE_ERROR, INVALID_REQUEST, SERVER_ERROR = -32700, -32600, -32000
VERSION = "io.modelcontextprotocol/protocolVersion"
# Methods whose target the transport wants to read in a header, too, and where it stands.
TARGETS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Bridge:
    """Passes messages on in their order. `version` is what client and server have agreed on, once they have."""

    def __init__(self, place: Server, path: str = PATH, transport: httpx.BaseTransport | None = None) -> None:
        self.url = place.url + path
        self.version = ""
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {place.key}",
        }
        self.http = httpx.Client(headers=headers, timeout=TIMEOUT_SECONDS, transport=transport)

    def run(self, lines: Iterable[str], out: IO[str]) -> None:
        with self.http:
            for line in lines:
                if line.strip() and (answer := self.pass_on(line)) is not None:
                    out.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
                    out.flush()

    def pass_on(self, line: str) -> Any:
        """Return what to answer; None to what wants no answer."""
        repeated: list[str] = []

        def to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            repeated.extend(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
            return dict(pairs)

        try:
            message = json.loads(line, object_pairs_hook=to_object)
        except (ValueError, RecursionError) as error:
            return failure(None, PARSE_ERROR, f"This is no JSON: {error}")
        if not isinstance(message, dict):
            return failure(None, INVALID_REQUEST, "A message is one JSON object.")
        if repeated:  # The server would be sent only one of the two.
            text = f"It has the name {json.dumps(repeated[0])} twice in one object."
            return failure(number_of(message), PARSE_ERROR, text)
        if message.get("method") == "ping" and number_of(message) is not None:
            return {"jsonrpc": "2.0", "id": number_of(message), "result": {}}
        try:
            answer = self.read(message, self.post(message))
            return answer if waits(message) else None
        except httpx.RequestError as error:
            return failed(message, str(away(self.url, error)))
        except Exception as error:  # One odd message must not end the bridge for all that follow.
            return failed(message, f"This message could not be passed on ({type(error).__name__}: {error}).")

    def post(self, message: Mapping[str, Any]) -> httpx.Response:
        """Send a message, with the headers that the transport over HTTP wants beside it."""
        method, params = str(message.get("method", "")), message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        named = meta.get(VERSION) if isinstance(meta, dict) else None
        version = str(named) if named else self.version
        target = params.get(TARGETS.get(method, ""))
        target = target if named and isinstance(target, str) else ""
        # What is no plain text for a header stands in base64.
        if not target.isascii() or not target.isprintable() or target != target.strip() or target.startswith("=?"):
            target = f"=?base64?{base64.b64encode(target.encode(errors='replace')).decode()}?="
        headers = {"MCP-Protocol-Version": version, "Mcp-Method": method if named else "", "Mcp-Name": target}
        # Half a character is replaced: it has no bytes.
        body = json.dumps(message, ensure_ascii=False).encode(errors="replace")
        return self.http.post(self.url, content=body, headers={name: text for name, text in headers.items() if text})

    def read(self, message: Mapping[str, Any], response: httpx.Response) -> Any:
        try:
            answer = response.json() if response.content else None
        except ValueError:
            answer = None
        if isinstance(answer, dict) and "jsonrpc" in answer:
            if message.get("method") == "initialize" and isinstance(answer.get("result"), dict):
                self.version = str(answer["result"].get("protocolVersion", ""))
            # The server could not read whose answer it is.
            return {**answer, "id": number_of(message)} if answer.get("id") is None else answer
        if response.is_success:
            return failed(message, "The server answered with nothing.")
        detail = answer.get("detail") if isinstance(answer, dict) else None
        return failed(message, f"The server refused ({response.status_code}): {detail or response.reason_phrase}")


def failed(message: Mapping[str, Any], text: str) -> dict[str, Any] | None:
    """Nothing where nobody waits for an answer."""
    return failure(number_of(message), SERVER_ERROR, text) if waits(message) else None


def waits(message: Mapping[str, Any]) -> bool:
    """Return whether somebody waits: nobody does for a notification, nor for an answer of their own."""
    return "id" in message if "method" in message else not message.keys() & {"result", "error"}


def number_of(message: Mapping[str, Any]) -> str | int | None:
    """Return its id, if it can be one: true and false are numbers to isinstance."""
    number = message.get("id")
    return number if type(number) in (str, int) else None


def failure(number: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}

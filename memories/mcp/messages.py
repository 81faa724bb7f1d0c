"""What a message of JSON-RPC looks like. Looked at before the SDK does, which takes a wrong `id` for none."""

from __future__ import annotations

import json
from typing import Any

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    # field, what it may be, in words
    "method": ((str,), "a text"),
    "params": ((dict, type(None)), "an object"),
    "result": ((dict,), "an object"),
    "error": ((dict,), "an object"),
}


def what_is_wrong(message: Any) -> str:
    """One sentence, empty if it is a request, a notification or an answer."""
    if isinstance(message, list):
        return "One message at a time: send those of a batch one by one."
    if not isinstance(message, dict):
        return "A message is a JSON object."
    if message.get("jsonrpc") != "2.0":
        return 'A message says "jsonrpc": "2.0".'
    if not message.keys() & {"method", "result", "error"}:
        return "A request has a method."
    if "id" in message and not is_id(message):
        return "The id of a request is a text or a whole number; a notification has none."
    for name, (kinds, words) in KINDS.items():
        if name in message and type(message[name]) not in kinds:
            return f"The {name} of a message is {words}."
    return ""


def is_id(message: dict[str, Any]) -> bool:
    """Not true nor false, which are numbers to isinstance. An answer to what could not be read has null."""
    no_request = message["id"] is None and "error" in message and "method" not in message
    return type(message["id"]) in (str, int) or no_request


def id_of(body: bytes) -> str | int | None:
    """Of a request that is refused, as far as it can be read: who has sent it waits for an answer with it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    is_request = isinstance(message, dict) and ("method" in message or not message.keys() & {"result", "error"})
    return message["id"] if is_request and type(message.get("id")) in (str, int) else None

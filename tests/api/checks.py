"""What many endpoint tests ask of an answer."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import Caller

MEMORY_FIELDS = {
    "id",
    "content",
    "kind",
    "category",
    "subject",
    "tags",
    "importance",
    "confidence",
    "strength",
    "sentiment",
    "status",
    "pinned",
    "tier",
    "priority",
    "user_id",
    "visibility",
    "session_id",
    "turn_number",
    "resource_id",
    "external_id",
    "metadata",
    "created_at",
    "updated_at",
    "confirmed_at",
    "accessed_at",
    "access_count",
    "valid_from",
    "valid_until",
    "version",
    "origin",
    "trust_level",
    "reviewed_by",
    "reviewed_at",
}
PROBLEM_MEMBERS = {"type", "title", "status", "detail", "code", "request_id", "errors"}


def assert_problem(answer: Any, status: int, *fields: str) -> dict[str, Any]:
    """The body, if it is RFC 9457's with this status; `fields` are those it must complain about, and only those."""
    assert answer.status_code == status, (answer.status_code, answer.content[:500])
    assert answer["Content-Type"].split(";")[0] == "application/problem+json"
    body: dict[str, Any] = json.loads(answer.content)
    assert PROBLEM_MEMBERS - {"errors"} <= body.keys() <= PROBLEM_MEMBERS
    assert body["status"] == status
    assert body["type"]
    assert body["title"]
    assert body["detail"]
    assert body["code"]
    assert body["request_id"] == answer["X-Request-ID"]
    if fields:
        assert {error["field"] for error in body["errors"]} == set(fields)
    return body


def ndjson(*events: Any) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def assistant(text: str, line: str = "a1", **more: Any) -> dict[str, Any]:
    """A stream-json line with one text block."""
    message = {"id": f"msg_{line}", "role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, "uuid": line, "parent_tool_use_id": None, **more}


def user(content: Any, line: str = "u1", **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message, "uuid": line, "parent_tool_use_id": None, **more}


def tool_result(text: str, line: str = "t1") -> dict[str, Any]:
    return user([{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}], line)


RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "done", "num_turns": 1}


def say(caller: Caller, session: dict[str, Any], *texts: str) -> dict[str, int]:
    """What became of the markers in these texts of the agent."""
    messages = [{"role": "assistant", "content": text} for text in texts]
    answer = caller.post(f"sessions/{session['id']}/messages", {"messages": messages})
    assert answer.status_code == 202, answer.content
    return dict(answer.json()["captured"])


def all_memories(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = caller.get("memories", limit=200, **query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])

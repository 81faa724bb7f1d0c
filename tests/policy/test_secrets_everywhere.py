"""A secret in whatever field of whatever operation: it is in no row, no audit entry, no line of a log, no answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from memories.models import Delivery, Webhook
from memsite.tenancy.models import AppPolicy
from tests.api.checks import RESULT, assistant, ndjson, user
from tests.conftest import Caller
from tests.talking import tables_with, tell, turn
from tests.upkeep import upkeep_learn_due

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
JSON = "application/json"
METHODS = ("get", "post", "put", "patch", "delete")
GIVEN = ("uuid", "date", "date-time", "time")
LAST = (
    "uninstall_app",
    "delete_app_memories",
    "erase_user",
    "delete_app_session",
    "delete_session",
    "delete_memory",
    "revoke_key",
)
"""What takes away what others need comes last; without a secret in it, it need not come."""


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))  # type: ignore[no-any-return]


class Walk:
    """Of one schema, with what there is in an app: ids by what addresses call them."""

    def __init__(self, schema: dict[str, Any], known: dict[str, str]) -> None:
        self.schema, self.known = schema, known

    def resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in node:
            return self.resolved(self.schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]])
        for several in ("allOf", "oneOf", "anyOf"):
            if several in node:
                return self.resolved(next(item for item in node[several] if item.get("type") != "null"))
        return node

    def usual(self, node: dict[str, Any], name: str = "") -> Any:
        """A value that may stand there, of required fields alone."""
        node = self.resolved(node)
        kind = node.get("type", "object")
        kind = next(item for item in kind if item != "null") if isinstance(kind, list) else kind
        if name in self.known:
            return self.known[name]
        if "enum" in node:
            return node["enum"][0]
        if kind == "object":
            return {item: self.usual(node["properties"][item], item) for item in node.get("required", ())}
        if kind == "array":
            return [self.usual(node["items"], name.removesuffix("s"))] if node.get("minItems") else []
        return {"string": "2199-01-01" if node.get("format") in GIVEN else "a text", "boolean": False}.get(
            kind, node.get("minimum", 1)
        )

    def spoilt(self, node: dict[str, Any], name: str = "") -> Iterator[Any]:
        """The usual value with the secret in one of its texts, for each of them."""
        node = self.resolved(node)
        kind = node.get("type", "object")
        kinds = kind if isinstance(kind, list) else [kind]
        if "enum" in node or node.get("format") in GIVEN:
            return
        if "string" in kinds:
            yield SECRET
            yield f"https://example.org/hook?token={SECRET}" if name == "url" else f"It is {SECRET} today"
        if "object" in kinds and "properties" not in node:
            yield {"plain": [f"It is {SECRET}", {"token": SECRET}], SECRET: 1}
        for content, inner in node.get("properties", {}).items():
            for value in self.spoilt(inner, content):
                usual = self.usual(node)
                yield {**(usual if isinstance(usual, dict) else {}), content: value}
        if "array" in kinds:
            yield from ([value] for value in self.spoilt(node["items"], name))

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        every = [
            (method, path, operation)
            for path, operations in self.schema["paths"].items()
            for method, operation in operations.items()
            # Without an agent's key nothing more could be tried.
            if method in METHODS and operation["operationId"] != "delete_agent"
        ]
        yield from sorted(every, key=lambda item: item[2]["operationId"] in LAST)

    def address(self, path: str) -> str:
        places = path.split("/")
        for number, place in enumerate(places):
            if place.startswith("{"):
                of, name = places[number - 1], place[1:].partition("}")[0]
                places[number] = self.known.get(of, self.known.get(name, "1")) + place.partition("}")[2]
        return "/".join(places)


@pytest.fixture
def known(alice: Caller, operator: APIClient) -> dict[str, str]:
    session = alice.start_session(external_id="x", user_id="ann")
    tell(alice, session, "I live in Porto.")
    turn(alice, session, 1, "I work at Siemens.", "[MEMORY:timing:web] Restarts at night")
    upkeep_learn_due()
    memory, other = alice.remember("Whales sing"), alice.remember("Bears sleep")
    trigger = alice.post("triggers", {"trigger_date": "2199-01-01", "message": "Look again"}).json()["id"]
    hook = {"url": "https://example.org/hook"}
    webhook = operator.post(f"/api/v1/apps/{alice.app.app_id}/webhooks", hook).json()["id"]
    return {
        "app_id": alice.app.app_id, "apps": alice.app.app_id, "sessions": session["id"], "memories": memory["id"],
        "triggers": trigger, "webhooks": webhook, "id": memory["id"], "to": other["id"], "session_id": session["id"],
        "agent": "alice", "agents": "alice", "categories": "timing", "jobs": "decay", "url": hook["url"],
        "number": "7", "role": "user", "hook_event_name": "UserPromptSubmit", "users": "ann",
    }  # fmt: skip


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.getMessage()} {record.__dict__}")


@pytest.fixture
def log() -> Iterator[Lines]:
    lines, root = Lines(), logging.getLogger()
    level = root.level
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    yield lines
    root.removeHandler(lines)
    root.setLevel(level)


def test_it_is_kept_nowhere_whatever_field_it_comes_in(
    schema: dict[str, Any], known: dict[str, str], alice: Caller, operator: APIClient, log: Lines
) -> None:
    walk, taken = Walk(schema, known), 0
    for method, path, operation in walk.operations():
        address, name = walk.address(path), operation["operationId"]
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        bodies = list(walk.spoilt(body)) if body else []
        usual = walk.usual(body) if body else None
        requested: list[tuple[str, Any, dict[str, str]]] = [(address, body, {}) for body in bodies]
        requested += [
            (f"{address}?{item['name']}={SECRET}", usual, {})
            for item in operation.get("parameters", ())
            if item["in"] == "query"
        ]
        requested += [
            (address, usual, {item: SECRET}) for item in ("Idempotency-Key", "X-Request-ID", "User-Agent")
        ] * (name not in LAST)
        sent = next(iter(operation.get("requestBody", {}).get("content", {})), JSON)
        for client in (alice.client, operator):
            for number, (where, given, headers) in enumerate(requested):
                headers = {"X-Request-ID": f"{name}-{number}", **headers}
                content = b"{}\n" if sent != JSON else json.dumps(given).encode() if body else b""
                answer = client.generic(method.upper(), where, content, sent, headers=headers)
                assert answer.status_code < 500, (where, given)
                output = b"".join(answer.streaming_content) if answer.streaming else answer.content
                # To whom it says what is wrong, it may say the name of a field that nobody knows.
                if answer.status_code < 300:
                    taken += 1
                    assert SECRET.encode() not in output, (name, given)
                assert SECRET not in str(answer.headers), (name, headers)
    assert taken > 100
    lines = ndjson(user(f"It is {SECRET}"), assistant(f"[MEMORY:timing:web] It is {SECRET}"), RESULT)
    assert alice.stream(known["sessions"], lines).status_code in (200, 404, 410)
    upkeep_learn_due()
    # A webhook is called by the address that it was given: nobody else is shown the token in it.
    Webhook.objects.all().update(url="https://example.org")
    Delivery.objects.all().delete()
    assert tables_with(SECRET) == set()
    assert [line for line in log.lines if SECRET in line] == []


def test_what_is_said_stays_word_for_word_where_the_policy_says_so(alice: Caller) -> None:
    AppPolicy.objects.filter(app=alice.app).update(redact_raw=False)
    session = alice.start_session()
    tell(alice, session, f"My token is {SECRET}")
    turn(alice, session, 1, f"My token is {SECRET}", internal_state={"token": SECRET})
    upkeep_learn_due()
    assert tables_with(SECRET) == {"agent_sessions_resource", "agent_sessions_turn"}


def test_a_webhook_is_shown_without_the_token_it_is_called_with(alice: Caller, operator: APIClient) -> None:
    url = f"https://example.org/hook?token={SECRET}"
    path = f"/api/v1/apps/{alice.app.app_id}/webhooks"
    answer = operator.post(path, {"url": url}, headers={"Idempotency-Key": "once"})
    assert answer.json()["url"] == "https://example.org/hook?token=[redacted: github token]"
    assert (Webhook.objects.get().url, tables_with(SECRET)) == (url, {"memories_webhook"})
    assert SECRET not in operator.get(path).content.decode()
    # What was shown is no address: nobody loses the token by sending back what they were told.
    output = operator.patch(f"{path}/{answer.json()['id']}", {"url": answer.json()["url"]})
    assert (output.status_code, Webhook.objects.get().url) == (400, url)

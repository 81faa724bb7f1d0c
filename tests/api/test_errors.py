"""What goes wrong is a problem document (RFC 9457), and whatever comes in, nothing breaks."""

import base64
import io
import json
from dataclasses import replace
from itertools import product
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import OperationalError
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from time_machine import travel

from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.store import writer
from memsite.tenancy.models import App
from sessions.models import AgentSession
from tests.api.checks import assert_problem
from tests.conftest import Caller, client_with, make_app, make_caller
from tests.tables import each_row

JSON = "application/json"
MEMORIES = "/api/v1/memories"
RANKINGS = "One of standard, confidence, product, dual, recent."
LISTS = ["memories", "sessions", "events", "resources"]


def send(caller: Caller, body: bytes, path: str = MEMORIES, content_type: str = JSON, **extra: Any) -> Any:
    return caller.client.generic("POST", path, body, content_type=content_type, **extra)


def cursor(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# --- one of each


def test_400_names_the_field(alice: Caller) -> None:
    body = assert_problem(alice.post("memories", {}), 400, "content")
    assert body["title"] == "Bad Request"
    assert "content" in body["detail"]


@each_row(
    "path, body, text",
    [
        ("memories", {"content": "Whales sing", "visibility": "all"}, "visibility: One of agent, app, shared."),
        ("memories/search", {"query": "whales", "scope": 5}, "scope: One of app, shared."),
        ("context", {"query": "whales", "format": "xml"}, "format: One of ops, app, turn, json."),
    ],
)
def test_400_names_what_there_is_to_choose_from(alice: Caller, path: str, body: Any, text: str) -> None:
    assert assert_problem(alice.post(path, body), 400)["detail"] == text


@each_row(
    "path, body, text",
    [
        ("apps", {"app_id": "A b", "name": "A"}, "app_id: Lower-case letters, digits, . - and _, 64 at most."),
        ("apps", {"app_id": "a", "name": "A", "policy": {"ranking": 5}}, "policy.ranking: " + RANKINGS),
        ("apps", {"app_id": "a", "name": "A", "policy": {"block": "x"}}, "policy.block: One of ops, app, turn."),
        ("apps/acme/agents", {"name": "a b"}, "name: Letters, digits, . - and _, 64 at most."),
        ("apps/acme/agents", {"name": "a", "domain": "a b"}, "domain: Letters, digits, . - _ and /, 128 at most."),
        ("apps/acme/agents", {"name": "a", "scopes": ["all"]}, "scopes.0: One of read, create, write, operator."),
        ("apps/acme/bridges", {"name": "A", "agent": "a"}, "name: Lower-case letters, digits and -, 60 at most."),
    ],
)
def test_400_tells_operators_what_a_name_may_be(
    operator: APIClient, acme: App, path: str, body: Any, text: str
) -> None:
    answer = operator.post(f"/api/v1/{path}", body, format="json")
    assert assert_problem(answer, 400)["detail"] == text


@each_row("twice", ["status=active&status=inactive", "limit=1&limit=1"])
def test_400_for_a_parameter_that_says_two_things(alice: Caller, twice: str) -> None:
    assert_problem(alice.client.get(f"/api/v1/memories?{twice}"), 400, twice.partition("=")[0])


def test_401_says_how_to_come_in(db: None) -> None:
    answer = APIClient().get(MEMORIES)
    assert_problem(answer, 401)
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in answer.json()["detail"]


def test_403_for_a_key_without_the_scope(alice: Caller) -> None:
    assert_problem(alice.get("apps"), 403)


@each_row(
    "path",
    ["nothing", "memories/", "memories/x", "sessions/x/turns", "apps/a/b", "", "memories//"],
)
def test_404_for_an_address_without_an_endpoint(alice: Caller, path: str) -> None:
    assert assert_problem(alice.get(path), 404)["code"] == "not_found"


@each_row(
    "path, hint",
    [
        ("memories/", "no slash"),
        ("memories/search//", "no slash"),
        ("sessions/night-check-1/turns", "a session's `id`"),
        ("apps/acme/sessions/night-check-1", "a session's `id`"),
        ("memory", "/api/docs"),
        ("", "/api/docs"),
        ("x/" * 3000, "/api/docs"),
    ],
)
def test_404_helps_whoever_came_near(alice: Caller, path: str, hint: str) -> None:
    assert hint in assert_problem(alice.client.get(f"/api/v1/{path}"), 404)["detail"]


@each_row(
    "method, path",
    [("GET", "memories/search"), ("DELETE", "memories"), ("GET", "context"), ("GET", "memories/batch")],
)
def test_405_says_how_an_endpoint_is_asked_whatever_was_sent(alice: Caller, method: str, path: str) -> None:
    answer = alice.client.generic(method, f"/api/v1/{path}", '{"query": "whales"}', "application/json")
    assert "Allowed:" in assert_problem(answer, 405)["detail"]


def test_404_names_what_there_is_not(operator: APIClient) -> None:
    answer = assert_problem(operator.get("/api/v1/apps/nowhere/export"), 404)["detail"]
    assert answer == "There is no such app, or it is not yours."


@each_row("path", ["/mcp/nothing", "/compat/nothing", "/compat/mcp-memory/x", "/hooks/x"])
def test_404_for_programs_is_no_page_whatever_they_accept(alice: Caller, path: str) -> None:
    for accept in ("*/*", "text/html", "application/json, text/event-stream"):
        assert_problem(alice.client.get(path, headers={"Accept": accept}), 404)


def test_404_among_mem0s_addresses_is_as_its_clients_read_it(alice: Caller) -> None:
    answer = alice.client.get("/compat/mem0/nothing", headers={"Accept": "*/*"})
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert answer.json() == {"detail": "There is nothing at this address."}


def test_a_person_in_a_browser_gets_a_page_and_a_program_a_document(db: None) -> None:
    page = APIClient().get("/nothing", headers={"Accept": "text/html"})
    assert (page.status_code, page["Content-Type"].split(";")[0]) == (404, "text/html")
    assert_problem(APIClient().get("/nothing"), 404)
    assert_problem(APIClient().get("/api/v1/nothing", headers={"Accept": "text/html"}), 404)


def test_405_says_what_is_allowed(alice: Caller) -> None:
    answer = alice.client.put(MEMORIES, {})
    assert_problem(answer, 405)
    assert {name.strip() for name in answer["Allow"].split(",")} >= {"GET", "POST"}
    assert answer.json()["detail"] == 'Method "PUT" not allowed. Allowed: GET, POST.'


def test_405_comes_before_what_is_wrong_with_parameters(alice: Caller) -> None:
    answer = assert_problem(alice.get("memories/search", query="whales"), 405)["detail"]
    assert answer == 'Method "GET" not allowed. Allowed: POST.'


@pytest.fixture
def strict(settings: Any, db: None) -> Client:
    settings.MEMSITE = replace(settings.MEMSITE, oauth=True)
    return Client(enforce_csrf_checks=True)


@each_row(
    "method, path, methods",
    [
        ("POST", "/healthz", "GET, HEAD"),
        ("DELETE", "/readyz", "GET, HEAD"),
        ("POST", "/metrics", "GET, HEAD"),
        ("GET", "/oauth/token", "POST"),
        ("PUT", "/oauth/register", "POST"),
        ("POST", "/.well-known/oauth-authorization-server", "GET"),
    ],
)
def test_405_is_told_at_endpoints_outside_of_the_api_too(strict: Client, method: str, path: str, methods: str) -> None:
    """To programs: not that a form has expired, either."""
    answer = strict.generic(method, path, headers={"Accept": "*/*", "Host": "localhost"})
    allowed = methods.removesuffix(", HEAD")
    assert assert_problem(answer, 405)["detail"] == f'Method "{method}" not allowed. Allowed: {allowed}.'
    assert answer["Allow"] == methods


@each_row("path", ["/logout", "/memories/bulk"])
def test_405_of_a_page_is_a_page(client: Client, db: None, path: str) -> None:
    page = client.get(path, headers={"Accept": "text/html"})
    assert (page.status_code, page["Content-Type"].split(";")[0]) == (405, "text/html")
    assert "it only accepts what a form sends" in page.content.decode()
    assert "POST" in page["Allow"]
    assert_problem(client.get(path, headers={"Accept": "text/html", "HX-Request": "true"}), 405)


def test_an_unknown_method_is_405(alice: Caller) -> None:
    for method in ("TRACE", "BREW", "PROPFIND"):
        assert_problem(alice.client.generic(method, MEMORIES), 405)


@each_row("accept", ["text/html", "application/xml", "image/*", "application/yaml;q=1"])
def test_406_for_a_representation_there_is_none_of(alice: Caller, accept: str) -> None:
    assert_problem(alice.client.get(MEMORIES, headers={"Accept": accept}), 406)


@each_row(
    "accept",
    ["*/*", "application/*", "application/json", "text/html, application/json;q=0.1", "application/problem+json, */*"],
)
def test_json_is_had_by_everyone_who_takes_it(alice: Caller, accept: str) -> None:
    assert alice.client.get(MEMORIES, headers={"Accept": accept}).status_code == 200


def test_409_for_what_is_there_already(operator: APIClient, acme: App) -> None:
    assert_problem(operator.post("/api/v1/apps", {"app_id": "acme", "name": "x"}), 409)


def test_412_for_an_old_version(alice: Caller) -> None:
    uid = alice.remember("Whales sing")["id"]
    assert_problem(alice.patch(f"memories/{uid}", {"importance": 1}, **{"If-Match": '"99"'}), 412)


def test_413_for_a_body_of_fifty_megabytes(alice: Caller) -> None:
    body = b'{"content": "' + b"x" * 50_000_000 + b'"}'
    assert_problem(send(alice, body), 413)
    assert not Memory.objects.exists()


def test_413_for_one_byte_too_many_and_not_for_the_last_that_fits(alice: Caller) -> None:
    limit = 8 * 1024 * 1024
    body = b'{"content": 5}'.ljust(limit)
    assert len(body) == limit
    assert_problem(send(alice, body), 400, "content")
    assert_problem(send(alice, body + b" "), 413)


@each_row(
    "content_type",
    [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/x-ndjson",
        "application/json5",
        "json",
        "/",
        "x" * 1000,
        "application/merge-patch+json",
    ],
)
def test_415_for_a_body_that_is_not_json(alice: Caller, content_type: str) -> None:
    answer = assert_problem(send(alice, b'{"content": "x"}', content_type=content_type), 415)["detail"]
    assert answer.endswith(" Send `Content-Type: application/json`.")


def test_a_host_name_that_is_not_ours_is_told_of_the_setting(alice: Caller) -> None:
    answer = assert_problem(alice.client.get(MEMORIES, headers={"Host": "memory.example.org"}), 400)["detail"]
    assert "MEMSITE_ALLOWED_HOSTS" in answer
    assert not Memory.objects.exists()


@each_row("content_type", [JSON, "application/json; charset=utf-8", "APPLICATION/JSON"], rolled_back=True)
def test_json_is_known_by_its_type(alice: Caller, content_type: str) -> None:
    assert send(alice, b'{"content": "x"}', content_type=content_type).status_code == 201


def test_422_for_an_idempotency_key_that_meant_something_else(alice: Caller) -> None:
    alice.post("memories", {"content": "x"}, **{"Idempotency-Key": "k"})
    assert_problem(alice.post("memories", {"content": "y"}, **{"Idempotency-Key": "k"}), 422)


def test_429_says_when_to_come_again(db: None) -> None:
    caller = make_caller(make_app("globex", writes_per_minute=1), "gina")
    with travel(0, tick=False):
        caller.remember("x")
        answer = caller.post("memories", {"content": "y"})
    assert_problem(answer, 429)
    assert int(answer["Retry-After"]) >= 1


def test_500_tells_nothing_of_what_broke(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_it(*_: Any) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(MemoryQuerySet, "visible_to", break_it)
    answer = alice.get("memories")
    body = assert_problem(answer, 500)
    assert "secret" not in answer.content.decode()
    assert (body["title"], body["code"]) == ("Internal Server Error", "internal_server_error")


def test_503_when_the_database_is_busy_says_when_to_come_again(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(writer, "insert_all", busy)
        answer = alice.post("memories", {"content": "Whales sing"})
    assert_problem(answer, 503)
    assert int(answer["Retry-After"]) >= 1
    assert not Memory.objects.exists()
    assert alice.post("memories", {"content": "Whales sing"}).status_code == 201


def test_the_callers_request_id_comes_back_if_it_is_harmless(alice: Caller) -> None:
    answer = alice.client.get(f"{MEMORIES}/x", headers={"X-Request-ID": "my-id.1"})
    assert assert_problem(answer, 404)["request_id"] == "my-id.1"
    for odd in ("x" * 65, "a b", "<script>", "a\nb", ""):
        answer = alice.client.get(f"{MEMORIES}/x", headers={"X-Request-ID": odd})
        assert assert_problem(answer, 404)["request_id"] != odd


# --- bodies

NO_JSON = {
    "empty object cut": b"{",
    "comma": b'{"content": "x",}',
    "single quotes": b"{'content': 'x'}",
    "bare word": b"hello",
    "nan": b'{"content": "x", "confidence": NaN}',
    "infinity": b'{"content": "x", "confidence": -Infinity}',
    "too large a number": b'{"content": "x", "confidence": 1e999}',
    "lone surrogate": b'{"content": "\\ud800"}',
    "lone surrogate in a key": b'{"content": "x", "\\udfff": 1}',
    "raw surrogate": b'{"content": "\xed\xa0\x80"}',
    "nul": b'{"content": "a\\u0000b"}',
    "nul in a key": b'{"content": "x", "metadata": {"a\\u0000": 1}}',
    "nul in metadata": b'{"content": "x", "metadata": {"a": ["\\u0000"]}}',
    "raw nul": b'{"content": "a\x00b"}',
    "raw control": b'{"content": "a\x01b"}',
    "utf-16": '{"content": "x"}'.encode("utf-16"),
    "bom": b'\xef\xbb\xbf{"content": "x"}',
    "latin-1": '{"content": "ü"}'.encode("latin-1"),
    "invalid utf-8": b'{"content": "\xff\xfe"}',
    "overlong utf-8": b'{"content": "\xc0\xaf"}',
    "two documents": b'{"content": "x"}{"content": "y"}',
    "deep list": b"[" * 10_000 + b"]" * 10_000,
    "deep object": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "deep metadata": b'{"content": "x", "metadata": {"a": ' + b"[" * 70 + b"]" * 70 + b"}}",
    "deep and cut": b'[{"a":' * 5_000,
    "leading zeros": b'{"content": "x", "importance": 03}',
    "comment": b'{"content": "x"} // done',
    "white": b"   ",
}


def test_what_is_no_json_is_400_everywhere(alice: Caller, operator: APIClient) -> None:
    session = alice.start_session()["id"]
    uid = alice.remember("Whales sing")["id"]
    endpoints = [
        ("POST", "memories"),
        ("POST", "memories/batch"),
        ("POST", "memories/delete"),
        ("POST", "memories/search"),
        ("PATCH", f"memories/{uid}"),
        ("POST", f"memories/{uid}/links"),
        ("POST", "context"),
        ("POST", "sessions"),
        ("PUT", f"sessions/{session}/turns/1"),
        ("POST", f"sessions/{session}/messages"),
        ("POST", f"sessions/{session}/end"),
    ]
    clients = dict.fromkeys(endpoints, alice.client)
    clients |= dict.fromkeys((("POST", "apps"), ("PATCH", "apps/acme"), ("POST", "apps/acme/agents")), operator)
    answers = {
        (name, path): client.generic(method, f"/api/v1/{path}", body, content_type=JSON)
        for name, body in NO_JSON.items()
        for (method, path), client in clients.items()
    }
    assert {where: answer.status_code for where, answer in answers.items() if answer.status_code != 400} == {}
    for answer in answers.values():
        assert_problem(answer, 400)
    assert (Memory.objects.count(), AgentSession.objects.count()) == (1, 1)


def test_a_problem_never_quotes_the_body(alice: Caller) -> None:
    for body in (b'{"content": "my secret diagnosis" oops}', b'{"my secret": NaN}'):
        assert "secret" not in send(alice, body).content.decode()


@each_row("body", [b"null", b"true", b"5", b'"text"', b"[]", b'[{"content": "x"}]'], rolled_back=True)
def test_a_body_is_an_object(alice: Caller, body: bytes) -> None:
    session = alice.start_session()["id"]
    for path in (
        "memories",
        "memories/batch",
        "memories/search",
        "context",
        "sessions",
        f"sessions/{session}/messages",
    ):
        assert_problem(send(alice, body, f"/api/v1/{path}"), 400)
    assert_problem(alice.client.generic("PUT", f"/api/v1/sessions/{session}/turns/1", body, content_type=JSON), 400)


def test_metadata_comes_back_as_it_was_however_odd(alice: Caller) -> None:
    metadata = {
        "": "",
        "ü": ["é", "\ufffd"],
        "__proto__": {"constructor": 1},
        "$where": "1",
        "a.b": {"c": {}},
    }
    assert alice.remember("x", metadata=metadata)["metadata"] == metadata


def test_the_same_key_twice_in_an_object_is_no_server_error(alice: Caller) -> None:
    assert send(alice, b'{"content": "a", "content": "b"}').status_code in (201, 400)


def test_a_body_without_a_length_is_read_or_refused_but_never_passed_over(alice: Caller) -> None:
    body = b'{"title": "Night watch", "tier": 3}'
    answer = send(
        alice,
        body,
        "/api/v1/sessions",
        CONTENT_LENGTH="",
        HTTP_TRANSFER_ENCODING="chunked",
        **{"wsgi.input": io.BytesIO(body)},
    )
    if answer.status_code == 201:
        assert (answer.json()["title"], answer.json()["tier"]) == ("Night watch", 3)
    else:
        assert_problem(answer, 411)


@each_row("length", ["abc", "-5", "1.5", "99999999999999999999", "١"])
def test_a_wrong_content_length_is_no_server_error(alice: Caller, length: str) -> None:
    answer = send(alice, b"{}", CONTENT_LENGTH=length, **{"wsgi.input": io.BytesIO(b"{}")})
    assert answer.status_code < 500


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
documents = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
FIELDS = [
    "content",
    "category",
    "subject",
    "importance",
    "confidence",
    "tags",
    "pinned",
    "user_id",
    "visibility",
    "valid_from",
    "metadata",
    "kind",
]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(st.sampled_from([*FIELDS, "memories", "query", "messages", "ids", "x"]), documents))
def test_no_document_breaks_an_endpoint(alice: Caller, body: Any) -> None:
    raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for path in ("memories", "memories/batch", "memories/delete", "memories/search", "context", "sessions"):
        answer = send(alice, raw, f"/api/v1/{path}")
        assert answer.status_code in (200, 201, 400), (path, answer.status_code, body)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(min_size=1, max_size=200))
def test_no_bytes_break_an_endpoint(alice: Caller, body: bytes) -> None:
    assert send(alice, body).status_code in (201, 400)
    session = AgentSession.objects.first()
    uid = session.uid if session else alice.start_session()["id"]
    assert alice.stream(str(uid), body).status_code == 200


# --- queries


PLACES = ["memories", "lessons", "lessons.md", "triggers", "categories", "categories/work.md"]


@each_row("path, user", product(PLACES, ["", " ", "u" * 201]))
def test_an_end_user_in_an_address_has_a_name(alice: Caller, path: str, user: str) -> None:
    """As in a body: an empty variable would find nothing, and say nothing of why."""
    answer = assert_problem(alice.get(path, user_id=user), 400, "user_id")
    assert answer["detail"] == "user_id: 1 to 200 characters."


UID = "01890000-0000-7000-8000-000000000000"

CURSORS = {
    "text": "x",
    "not base64": "%%%",
    "not ascii": "ü",
    "empty position": cursor("p="),
    "word": cursor("p=abc"),
    "fraction": cursor("p=1.5"),
    "nan": cursor("p=nan"),
    "huge": cursor(f"p={10**30}"),
    "very huge": cursor(f"p={'9' * 5000}"),
    "negative": cursor("p=-1"),
    "nul": cursor("p=\0"),
    "sql": cursor("p=1 OR 1=1"),
    "offset word": cursor("o=x"),
    "offset negative": cursor("o=-1"),
    "offset huge": cursor(f"o={10**30}"),
    "reverse": cursor("r=1"),
    "reverse word": cursor("r=1&p=abc"),
    "binary": base64.b64encode(b"\xff\xfe").decode(),
    "time": cursor("p=2027-01-01"),
    "list": cursor("p[]=1"),
    "long": "A" * 20_000,
}


@each_row("path", LISTS, rolled_back=True)
def test_no_cursor_breaks_a_list(alice: Caller, path: str) -> None:
    alice.remember("Whales sing", session_id=alice.start_session()["id"])
    answers = {name: alice.get(path, cursor=text) for name, text in CURSORS.items()}
    assert {name: answer.status_code for name, answer in answers.items() if answer.status_code >= 500} == {}
    for answer in answers.values():
        assert answer.status_code == 200 or assert_problem(answer, 400, "cursor")


@each_row(
    "text",
    ["abc", "x", "", "AAAA", cursor("o=x"), cursor("o=1"), cursor("r=1"), cursor(f"p={UID}"), cursor("p=")],
)
def test_a_cursor_that_cannot_be_read_is_a_wrong_value(alice: Caller, text: str) -> None:
    assert_problem(alice.get("memories", cursor=text), 400, "cursor")


def test_a_cursor_of_another_list_is_none_of_this(alice: Caller) -> None:
    for text in ("one", "two"):
        alice.remember(text, dedupe=False)
        alice.start_session()
    next_ = {path: alice.get(path, limit=1).json()["next"] for path in ("memories", "sessions")}
    texts = {path: parse_qs(urlsplit(link).query)["cursor"][0] for path, link in next_.items()}
    for path, text in texts.items():
        assert len(alice.get(path, cursor=text).json()["results"]) == 1
        for other in {*texts} - {path} | {"resources"}:
            assert_problem(alice.get(other, cursor=text), 400, "cursor")


@each_row("kind", ["xml", "json", ""])
def test_the_kind_of_answer_is_no_parameter(alice: Caller, kind: str) -> None:
    assert_problem(alice.get("memories", format=kind), 400, "format")


def test_no_cursor_breaks_the_other_lists(alice: Caller, operator: APIClient) -> None:
    uid, session = alice.remember("Whales sing")["id"], alice.start_session()["id"]
    alice.put(f"sessions/{session}/turns/1", {"llm_output": "Done."})
    for text in CURSORS.values():
        for path in (f"memories/{uid}/history", f"memories/{uid}/links", f"sessions/{session}/turns"):
            assert alice.get(path, cursor=text).status_code in (200, 400), (path, text)
        for path in ("apps", "apps/acme/agents", "apps/acme/agents/alice/keys", "apps/acme/memories"):
            assert operator.get(f"/api/v1/{path}", {"cursor": text}).status_code in (200, 400), (path, text)


@each_row(
    "query",
    [
        "category=%00",
        "subject=a%00b",
        "user_id=%ff",
        "external_id=%ed%a0%80",
        "category=" + "x" * 5000,
        "%00=1",
        "limit=1&limit=2",
        "limit=%00",
        "=",
        "&&&",
        "category",
        "a[]=1",
        "format=xml",
        "status=active&status=dead",
        "session_id={01890000-0000-7000-8000-000000000000}",
        "session_id=%00",
        "subject=%F0%9F%A6%8A",
        "kind=fact%0d%0aX: y",
    ],
)
def test_no_query_string_breaks_a_list(alice: Caller, query: str) -> None:
    answer = alice.client.get(f"{MEMORIES}?{query}")
    assert answer.status_code in (200, 400, 404)


@each_row("name", ["category", "subject", "user_id", "external_id"])
def test_a_nul_in_a_query_is_refused_as_in_a_body(alice: Caller, name: str) -> None:
    # PostgreSQL cannot even be asked for it.
    assert_problem(alice.get("memories", **{name: "a\0b"}), 400, name)


# --- headers


@each_row(
    "path",
    [
        "sessions?status=",
        "events?level=",
        "extractions?status=",
        "rejections?kind=",
        "rejections?decision=",
        "triggers?status=",
        "memories?kind=",
        "jobs/runs?status=",
        "jobs/runs?job=",
        "apps/acme/rejections?kind=",
        "apps/acme/memories?origin=",
    ],
)
def test_a_choice_that_is_none_is_refused_in_every_list(alice: Caller, operator: APIClient, path: str) -> None:
    answer = (operator if path.startswith(("apps", "jobs")) else alice.client).get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["errors"][0]["detail"][:6]) == (400, "One of")


@each_row(
    "headers",
    [
        {"Accept": ";;;"},
        {"Accept": ","},
        {"Accept": "*/*;q=abc"},
        {"Accept": "x" * 10_000},
        {"Accept": "a/b/c"},
        {"Accept-Encoding": "x;q=9"},
        {"Accept-Language": "\xff"},
        {"Host": "evil.example"},
        {"Host": "a b"},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer " + "x" * 10_000},
        {"Authorization": "Bearer mst_a_b mst_c_d"},
        {"Authorization": "\xff\xfe"},
        {"Cookie": "sessionid=" + "x" * 5000},
        {"Cookie": ";;;=;=\xff"},
        {"X-Forwarded-Host": "evil.example"},
        {"If-Match": "\xff" * 5000},
        {"Idempotency-Key": "\xff"},
        {"Range": "bytes=0-1"},
        {"Expect": "100-continue"},
        {"X-HTTP-Method-Override": "DELETE"},
        {"Content-Encoding": "gzip"},
        {"Accept": "application/json;v=999999999999999999999"},
    ],
    rolled_back=True,
)
def test_no_header_breaks_an_endpoint(alice: Caller, headers: dict[str, str]) -> None:
    alice.remember("Whales sing")
    for call in (
        lambda: alice.client.get(MEMORIES, headers=headers),
        lambda: alice.client.post("/api/v1/sessions", {}, headers=headers),
    ):
        answer = call()
        assert answer.status_code < 500, answer.content
        if answer.status_code >= 400:
            assert_problem(answer, answer.status_code)
    assert Memory.objects.count() == 1


def test_a_host_that_is_not_ours_is_400(alice: Caller) -> None:
    body = assert_problem(alice.client.get(MEMORIES, headers={"Host": "evil.example"}), 400)
    assert body["code"] == "bad_request"


@each_row("method", ["options", "head"], rolled_back=True)
def test_asking_what_there_is_breaks_nothing(alice: Caller, operator: APIClient, method: str) -> None:
    uid, session = alice.remember("Whales sing")["id"], alice.start_session()["id"]
    for path in (*LISTS, "context", f"memories/{uid}", f"sessions/{session}", f"sessions/{session}/stream"):
        assert getattr(alice.client, method)(f"/api/v1/{path}").status_code in (200, 403, 405)
    assert getattr(operator, method)("/api/v1/apps").status_code == 200


def test_nobody_gets_a_document_without_a_request_id(db: None) -> None:
    client = client_with("nonsense")
    answers = [client.get(path) for path in (MEMORIES, "/api/v1/x", "/x", "/api/v1/apps")]
    assert all(answer["X-Request-ID"] for answer in answers)
    assert len({answer["X-Request-ID"] for answer in answers}) == len(answers)

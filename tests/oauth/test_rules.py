"""What a client may do, step by step, and what it may not."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import time_machine
from django.db import transaction
from django.test import Client as DjangoClient
from django.utils import timezone

from memsite.oauth.models import OAuthClient, OAuthCode, OAuthGrant
from memsite.tenancy.keys import hash_key, rotate_key
from memsite.tenancy.models import Agent, ApiKey, AppStatus, AuditEntry, Membership, Role
from tests.api.checks import assert_problem
from tests.conftest import Caller, client_with
from tests.mcp.asking import ACCEPT
from tests.other_connection import leave, wait_as_long_as_it_takes, wait_for_the_lock
from tests.tables import each_row

CALLBACK = "https://client.example/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


class Client(DjangoClient):
    """On the server's own machine: elsewhere all of this is for HTTPS only."""

    def __init__(self) -> None:
        super().__init__(headers={"Host": "localhost"})


@pytest.fixture(autouse=True)
def _wanted(settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, oauth=True)


@pytest.fixture
def olga(alice: Caller, django_user_model: Any) -> Client:
    """Owner of the app."""
    user = django_user_model.objects.create_user("olga", password="x")
    Membership.objects.create(app=alice.app, user=user, role=Role.OWNER)
    browser = Client()
    browser.force_login(user)
    return browser


def register(**metadata: Any) -> Any:
    body = {"client_name": "Some Client", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none", **metadata}
    return Client().post("/oauth/register", body, content_type="application/json")


@pytest.fixture
def client_id(db: None) -> str:
    answer = register()
    assert answer.status_code == 201, answer.content
    assert "client_secret" not in answer.json()
    return str(answer.json()["client_id"])


def address(client_id: str, **query: str) -> str:
    question = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": CALLBACK,
        "state": "s1",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "scope": "read write",
    }
    return "/oauth/authorize?" + urlencode({name: value for name, value in {**question, **query}.items() if value})


def allow(browser: Client, client_id: str, fields: dict[str, str] | None = None, **query: str) -> dict[str, str]:
    """What the client is told in the address it is sent to."""
    given = {"app": "acme", "name": "hosted", "may_write": "on", "allow": "yes", **(fields or {})}
    answer = browser.post(address(client_id, **query), given)
    assert answer.status_code == 302, answer.content
    where = urlsplit(answer["Location"])
    assert answer["Location"].startswith(query.get("redirect_uri", CALLBACK))
    return {name: values[0] for name, values in parse_qs(where.query).items()}


def exchange(client_id: str, code: str, status: int = 200, **changes: str) -> dict[str, Any]:
    body = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client_id,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
        **changes,
    }
    answer = Client().post("/oauth/token", body)
    assert answer.status_code == status, answer.content
    return dict(answer.json())


def refresh(client_id: str, token: str, status: int = 200, **more: str) -> dict[str, Any]:
    body = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client_id, **more}
    answer = Client().post("/oauth/token", body)
    assert answer.status_code == status, answer.content
    return dict(answer.json())


@pytest.fixture
def tokens(olga: Client, client_id: str) -> dict[str, Any]:
    return exchange(client_id, allow(olga, client_id)["code"])


def tools(key: str) -> Any:
    return client_with(key).post("/mcp", LIST, headers={**ACCEPT, "Host": "localhost"})


@pytest.mark.parametrize(
    "path",
    [
        ".well-known/oauth-authorization-server",
        ".well-known/oauth-protected-resource",
        ".well-known/oauth-protected-resource/mcp",
        "oauth/authorize",
    ],
)
def test_it_is_off_unless_it_is_wanted(db: None, settings: Any, path: str) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, oauth=False)
    assert Client().get(f"/{path}").status_code == 404
    assert register().status_code == 404
    assert Client().post("/oauth/token").status_code == 404
    assert "resource_metadata" not in tools("")["WWW-Authenticate"]


def test_over_an_open_line_there_is_none_of_it(db: None, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["memory.example.org"]
    path, host = "/.well-known/oauth-authorization-server", {"Host": "memory.example.org"}
    assert DjangoClient().get(path, headers=host).status_code == 400
    assert DjangoClient().get(path, headers=host, secure=True).json()["issuer"] == "https://memory.example.org"


def test_a_client_finds_its_way(db: None) -> None:
    answer = tools("")
    assert_problem(answer, 401)
    where = "http://localhost/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{where}"' in answer["WWW-Authenticate"]
    resource = Client().get("/.well-known/oauth-protected-resource/mcp").json()
    assert resource["resource"] == "http://localhost/mcp"
    body = Client().get("/.well-known/oauth-authorization-server").json()
    assert [body["issuer"]] == resource["authorization_servers"]
    assert body["code_challenge_methods_supported"] == ["S256"]
    assert Client().get("/.well-known/oauth-protected-resource/other").status_code == 404


def test_the_token_is_a_key_of_the_agent(tokens: dict[str, Any], alice: Caller) -> None:
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 3600, "read write")
    assert tools(tokens["access_token"]).status_code == 200
    grant = OAuthGrant.objects.get()
    assert (grant.agent.name, grant.agent.app, grant.allowed_by) == ("hosted", alice.app, "operator:olga")
    entry = AuditEntry.objects.get(action="client connected")
    assert (entry.app, entry.subject) == (alice.app, "Some Client as hosted")
    with time_machine.travel(timezone.now() + timedelta(seconds=3601)):
        assert tools(tokens["access_token"]).status_code == 401


def test_reading_alone_can_be_granted(olga: Client, client_id: str) -> None:
    output = allow(olga, client_id, {"may_write": ""})
    assert exchange(client_id, output["code"])["scope"] == "read"
    output = allow(olga, client_id, scope="read")
    assert exchange(client_id, output["code"])["scope"] == "read"


def test_a_code_is_good_once_and_for_minutes(olga: Client, client_id: str) -> None:
    code = allow(olga, client_id)["code"]
    given = exchange(client_id, code)
    assert exchange(client_id, code, 400)["error"] == "invalid_grant"
    assert tools(given["access_token"]).status_code == 401
    refresh(client_id, given["refresh_token"], 400)
    late = allow(olga, client_id)["code"]
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        assert exchange(client_id, late, 400)["error"] == "invalid_grant"


def test_a_code_that_is_brought_again_ends_what_it_gave_however_late_and_nothing_else(
    olga: Client, client_id: str
) -> None:
    code = allow(olga, client_id)["code"]
    renewed = refresh(client_id, exchange(client_id, code)["refresh_token"])
    other = exchange(client_id, allow(olga, client_id)["code"])
    with time_machine.travel(timezone.now() + timedelta(minutes=30)):
        assert exchange(client_id, code, 400, code_verifier="w" * 64)["error"] == "invalid_grant"
        assert tools(renewed["access_token"]).status_code == 401
        assert tools(other["access_token"]).status_code == 200


def meanwhile(first: Callable[[], object], second: Callable[[], int]) -> int:
    """What the second answers that begins before the first is written."""
    answers: list[int] = []

    def run() -> None:
        try:
            wait_as_long_as_it_takes()
            answers.append(second())
        finally:
            leave()

    thread = Thread(target=run)
    with transaction.atomic():
        first()
        thread.start()
        wait_for_the_lock(thread.is_alive)
    thread.join()
    return answers[0]


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_of_two_who_bring_the_same_at_once_one_is_let_in(olga: Client, client_id: str) -> None:
    code = allow(olga, client_id)["code"]
    rows: list[dict[str, Any]] = []
    body = {"client_id": client_id, "redirect_uri": CALLBACK, "code_verifier": VERIFIER, "code": code}
    code_again = {"grant_type": "authorization_code", **body}
    second = meanwhile(
        lambda: rows.append(exchange(client_id, code)), lambda: Client().post("/oauth/token", code_again).status_code
    )
    assert second == 400
    token = rows[0]["refresh_token"]
    token_again = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client_id}
    second = meanwhile(
        lambda: refresh(client_id, token), lambda: Client().post("/oauth/token", token_again).status_code
    )
    assert second == 400
    assert ApiKey.objects.filter(agent__name="hosted").count() == 1


@each_row(
    "changes, error",
    [
        ({"code_verifier": "w" * 64}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"redirect_uri": "https://client.example/other"}, "invalid_grant"),
        ({"client_id": "nobody"}, "invalid_client"),
        ({"code": "guessed"}, "invalid_grant"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
    rolled_back=True,
)
def test_a_code_is_of_no_use_to_anybody_else(olga: Client, client_id: str, changes: dict[str, str], error: str) -> None:
    code = allow(olga, client_id)["code"]
    body = {"code": code, **changes}
    answer = Client().post(
        "/oauth/token",
        {
            "grant_type": "authorization_code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER,
            **body,
        },
    )
    assert answer.status_code in (400, 401)
    assert answer.json()["error"] == error
    assert not OAuthGrant.objects.exists()


def test_another_client_cannot_use_the_code(olga: Client, client_id: str) -> None:
    code = allow(olga, client_id)["code"]
    assert exchange(register().json()["client_id"], code, 400)["error"] == "invalid_grant"


@each_row(
    "query", [{"code_challenge": ""}, {"code_challenge_method": "plain"}, {"code_challenge": "short"}], rolled_back=True
)
def test_without_pkce_nobody_is_asked(olga: Client, client_id: str, query: dict[str, str]) -> None:
    answer = olga.get(address(client_id, **query))
    assert answer.status_code == 302
    assert answer["Location"].startswith(f"{CALLBACK}?error=invalid_request")


@each_row("resource", ["https://other.example/mcp", "http://localhost.other.example/mcp"], rolled_back=True)
def test_for_what_is_on_another_server_nobody_is_asked(olga: Client, client_id: str, resource: str) -> None:
    answer = olga.get(address(client_id, resource=resource))
    assert answer.status_code == 302
    names = parse_qs(urlsplit(answer["Location"]).query)
    assert answer["Location"].startswith(f"{CALLBACK}?")
    assert (names["error"], names["state"]) == (["invalid_target"], ["s1"])
    assert olga.get(address(client_id, resource="http://localhost/mcp")).status_code == 200


@each_row("query", [{"redirect_uri": "https://é.example/"}, {"response_type": 'co"de'}], rolled_back=True)
def test_odd_characters_are_refused_like_any_others(olga: Client, client_id: str, query: dict[str, str]) -> None:
    answer = olga.get(address(client_id, **query))
    assert answer.status_code == 400
    assert "Location" not in answer


@pytest.mark.parametrize(
    "query", [{"client": "nobody"}, {"redirect_uri": "https://evil.example/"}, {"redirect_uri": f"{CALLBACK}/.."}]
)
def test_nobody_is_sent_to_where_the_client_has_not_said(olga: Client, client_id: str, query: dict[str, str]) -> None:
    where = address(query.pop("client", client_id), **query)
    for answer in (olga.get(where), olga.post(where, {"refuse": "yes"})):
        assert answer.status_code == 400
        assert "Location" not in answer


def test_a_program_on_ones_own_machine_may_use_any_port(olga: Client) -> None:
    client_id = register(redirect_uris=["http://127.0.0.1/callback"]).json()["client_id"]
    uri = "http://127.0.0.1:55555/callback"
    output = allow(olga, client_id, redirect_uri=uri)
    assert exchange(client_id, output["code"], redirect_uri=uri)["access_token"]
    assert olga.get(address(client_id, redirect_uri="http://127.0.0.1:55555/other")).status_code == 400


@each_row(
    "uri",
    [
        "http://evil.example\\@127.0.0.1/callback",
        "http://evil.example:80\\@127.0.0.1:5/callback",
        "http://a@127.0.0.1/callback",
        "http://127.0.0.1:5@evil.example/callback",
        "http://127.0.0.1.evil.example/callback",
        "http://127.0.0.1:/callback",
        "http://127.0.0.1:5x/callback",
        "http://127.0.0.1:0/callback",
        "http://127.0.0.1:65536/callback",
        "http://localhost/callback",
    ],
    rolled_back=True,
)
def test_what_a_browser_reads_otherwise_is_not_ones_own_machine(olga: Client, uri: str) -> None:
    client_id = register(redirect_uris=["http://127.0.0.1/callback"]).json()["client_id"]
    where = address(client_id, redirect_uri=uri)
    for answer in (olga.get(where), olga.post(where, {"app": "acme", "name": "hosted", "allow": "yes"})):
        assert answer.status_code == 400
        assert "Location" not in answer
    assert not OAuthCode.objects.exists()


def test_of_a_program_its_own_scheme_is_shown(olga: Client) -> None:
    uri = "com.evil.app://claude.ai/callback"
    client_id = register(redirect_uris=[uri]).json()["client_id"]
    page = olga.get(address(client_id, redirect_uri=uri)).content.decode()
    assert "<strong>com.evil.app:</strong>" in page
    assert "claude.ai" not in page


def test_a_person_is_asked_who_knows_whom_it_is_for(olga: Client, client_id: str, alice: Caller) -> None:
    answer = olga.get(address(client_id))
    page = answer.content.decode()
    assert "Some Client" in page
    assert "client.example" in page
    assert 'name="name" value="some-client"' in page
    assert "form-action 'self' https://client.example" in answer["Content-Security-Policy"]
    assert Client().get(address(client_id)).status_code == 302
    output = allow(olga, client_id, {"refuse": "yes"})
    assert (output["error"], output["state"]) == ("access_denied", "s1")
    assert not OAuthCode.objects.exists()


def test_a_name_that_means_harm_is_shown_and_does_none(olga: Client, db: None) -> None:
    client_id = register(client_name="<script>alert(1)</script>").json()["client_id"]
    page = olga.get(address(client_id)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize("fields", [{"app": "globex"}, {"app": "nothing"}, {"name": "no spaces"}, {"name": ""}])
def test_only_an_app_of_ones_own_can_be_given_away(
    olga: Client, charlie: Caller, client_id: str, fields: dict[str, str]
) -> None:
    answer = olga.post(address(client_id), {"app": "acme", "name": "hosted", "allow": "yes", **fields})
    assert answer.status_code == 200
    assert not OAuthCode.objects.exists()


def test_who_only_edits_cannot_let_anybody_in(olga: Client, client_id: str) -> None:
    Membership.objects.update(role=Role.EDITOR)
    assert "Only an owner" in olga.get(address(client_id)).content.decode()
    assert olga.post(address(client_id), {"app": "acme", "name": "hosted", "allow": "yes"}).status_code == 200
    assert not OAuthCode.objects.exists()


def test_a_token_is_renewed_and_the_one_before_is_gone(tokens: dict[str, Any], client_id: str) -> None:
    renewed = refresh(client_id, tokens["refresh_token"])
    assert tools(renewed["access_token"]).status_code == 200
    assert tools(tokens["access_token"]).status_code == 401
    assert ApiKey.objects.filter(agent__name="hosted").count() == 1
    assert refresh(client_id, renewed["refresh_token"], scope="read")["scope"] == "read"


def test_a_refresh_token_that_is_used_twice_ends_it_all(tokens: dict[str, Any], client_id: str) -> None:
    renewed = refresh(client_id, tokens["refresh_token"])
    assert refresh(client_id, tokens["refresh_token"], 400)["error"] == "invalid_grant"
    assert tools(renewed["access_token"]).status_code == 401
    refresh(client_id, renewed["refresh_token"], 400)


@each_row("renewals, brought", [(2, 0), (3, 0), (3, 1), (5, 2)], rolled_back=True)
def test_any_earlier_refresh_token_ends_it_all(olga: Client, client_id: str, renewals: int, brought: int) -> None:
    given = [exchange(client_id, allow(olga, client_id)["code"])]
    for _ in range(renewals):
        given.append(refresh(client_id, given[-1]["refresh_token"]))
    refresh(client_id, given[brought]["refresh_token"], 400)
    assert tools(given[-1]["access_token"]).status_code == 401
    refresh(client_id, given[-1]["refresh_token"], 400)
    assert not OAuthGrant.objects.exists()


def test_a_token_of_no_family_ends_nothing(tokens: dict[str, Any], client_id: str) -> None:
    for guessed in ("", ".", ".x", "x", "x.y", tokens["refresh_token"].partition(".")[2]):
        refresh(client_id, guessed, 400)
    assert refresh(client_id, tokens["refresh_token"])["access_token"]


def test_a_token_from_before_there_were_families_is_the_first_of_its_own(
    tokens: dict[str, Any], client_id: str
) -> None:
    OAuthGrant.objects.update(refresh_hash=hash_key("before"), family_hash=hash_key("before"))
    renewed = refresh(client_id, refresh(client_id, "before")["refresh_token"])
    refresh(client_id, "before", 400)
    assert tools(renewed["access_token"]).status_code == 401


def test_what_nobody_renews_is_over(tokens: dict[str, Any], client_id: str, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, oauth_idle_days=30)
    begun = timezone.now()
    with time_machine.travel(begun + timedelta(days=29)):
        renewed = refresh(client_id, tokens["refresh_token"])
    with time_machine.travel(begun + timedelta(days=58)):
        renewed = refresh(client_id, renewed["refresh_token"])
        assert OAuthGrant.objects.idle(timezone.now()).end() == 0
    with time_machine.travel(begun + timedelta(days=89)):
        refresh(client_id, renewed["refresh_token"], 400)
        assert not OAuthGrant.objects.exists()


def test_what_nobody_renews_is_dropped_by_night(tokens: dict[str, Any]) -> None:
    assert OAuthGrant.objects.idle(timezone.now() + timedelta(days=89)).end() == 0
    assert OAuthGrant.objects.idle(timezone.now() + timedelta(days=91)).end() == 1
    assert not ApiKey.objects.filter(agent__name="hosted").exists()


def test_a_client_ends_it_with_an_earlier_token_too(tokens: dict[str, Any], client_id: str) -> None:
    renewed = refresh(client_id, tokens["refresh_token"])
    body = {"token": tokens["refresh_token"], "client_id": client_id}
    assert Client().post("/oauth/revoke", body).status_code == 200
    assert tools(renewed["access_token"]).status_code == 401


def test_a_refresh_token_is_its_clients_alone(tokens: dict[str, Any], client_id: str) -> None:
    refresh(register().json()["client_id"], tokens["refresh_token"], 400)
    refresh(client_id, tokens["refresh_token"])


def test_operators_and_clients_end_it(tokens: dict[str, Any], client_id: str, olga: Client, operator: Any) -> None:
    prefix = OAuthGrant.objects.get().key.prefix
    operator.delete(f"/api/v1/keys/{prefix}")
    refresh(client_id, tokens["refresh_token"], 400)
    again = exchange(client_id, allow(olga, client_id)["code"])
    answer = Client().post("/oauth/revoke", {"token": again["refresh_token"], "client_id": client_id})
    assert answer.status_code == 200
    assert tools(again["access_token"]).status_code == 401
    refresh(client_id, again["refresh_token"], 400)


def test_an_app_that_is_uninstalled_gives_no_tokens(tokens: dict[str, Any], client_id: str, alice: Caller) -> None:
    alice.app.status = AppStatus.UNINSTALLED
    alice.app.save()
    refresh(client_id, tokens["refresh_token"], 400)


def test_keys_of_clients_do_not_stand_in_the_way_of_a_rotation(tokens: dict[str, Any]) -> None:
    agent = Agent.objects.get(name="hosted")
    for _ in range(2):
        assert rotate_key(agent, ["read"], timezone.now()).text


def test_a_client_with_a_secret_has_to_know_it(olga: Client) -> None:
    made = register(token_endpoint_auth_method="client_secret_post").json()
    code = allow(olga, made["client_id"])["code"]
    assert exchange(made["client_id"], code, 401)["error"] == "invalid_client"
    assert exchange(made["client_id"], code, 401, client_secret="guessed")["error"] == "invalid_client"
    assert exchange(made["client_id"], code, client_secret=made["client_secret"])["access_token"]
    assert made["client_secret"] not in str(list(OAuthClient.objects.values()))


@pytest.mark.parametrize(
    "metadata",
    [
        {"redirect_uris": []},
        {"redirect_uris": "https://client.example"},
        {"redirect_uris": ["http://client.example/callback"]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": ["https://client.example/#fragment"]},
        {"redirect_uris": ["https://a@client.example/"]},
        {"redirect_uris": ["https://evil.example\\.client.example/"]},
        {"redirect_uris": ["data:text/html,x"]},
        {"redirect_uris": [5]},
        {"redirect_uris": ["https://client.example/; script-src *"]},
        {"grant_types": ["implicit"]},
        {"response_types": ["token"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
    ],
)
def test_what_no_client_may_say_of_itself(db: None, metadata: dict[str, Any]) -> None:
    answer = register(**metadata)
    assert answer.status_code == 400, answer.content
    assert answer.json()["error"].startswith("invalid_")
    assert not OAuthClient.objects.exists()


@each_row(
    "uri",
    [
        "https://client.example:0/",
        "https://client.example:65536/",
        "https://client.example:99999/cb",
        "https://client.example:x/",
        "https://client.example:/cb",
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:70000/cb",
        "https://*.example/cb",
        "https://client.example/*",
        "http://localhost:*/cb",
        "com.example.app:/*",
        "https://client.example/cb#",
        "com.example.app:/cb#x",
        "http://127.0.0.1/#x",
        "cursor://anysphere/cb",
        "myapp:/cb",
        "mailto:a@client.example",
        "tel:1",
        "sms:1",
        "ms-settings:x",
        "ms-msdt:/id",
        "search-ms:x",
        "shell:startup",
        "smb://client.example/x",
        "ssh://client.example",
        "intent://x",
        "itms-services://x",
        "vscode://x",
        "steam://run",
        "file:///etc/passwd",
        "ftp://client.example/",
        "about:blank",
        "view-source:https://client.example/",
        "x-apple.systempreferences:x",
        "microsoft.windows.camera:x",
        "android.resource://x",
        "com.apple.settings:/x",
        "soap.beep://x",
        ".app:/cb",
        "com.:/cb",
        "com..app:/cb",
        f"com.{'a' * 100}:/cb",
        "com.example.app://a@client.example/cb",
        "//client.example/cb",
        "/cb",
        "client.example/cb",
        "https:///cb",
        "https://",
        "",
    ],
    rolled_back=True,
)
def test_where_no_code_is_sent_to(db: None, uri: str) -> None:
    answer = register(redirect_uris=[CALLBACK, uri])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert not OAuthClient.objects.exists()


@each_row(
    "uri",
    [
        "https://client.example/cb",
        "https://client.example:8443/cb?x=1",
        "https://[2001:db8::1]:65535/cb",
        "http://127.0.0.1/cb",
        "http://127.0.0.1:1/cb",
        "http://127.0.0.1:65535/cb",
        "http://localhost:33418",
        "http://[::1]:5/",
        "com.example.app:/cb",
        "io.modelcontextprotocol.client-1://cb",
        "org.example:cb",
    ],
    rolled_back=True,
)
def test_where_a_code_may_be_sent_to(db: None, uri: str) -> None:
    answer = register(redirect_uris=[uri])
    assert answer.status_code == 201, answer.content
    assert OAuthClient.objects.get().check_redirect_uri(uri)


def test_a_program_with_a_scheme_of_its_own_is_let_in(olga: Client) -> None:
    uri = "com.example.app:/callback"
    client_id = register(redirect_uris=[uri]).json()["client_id"]
    output = allow(olga, client_id, redirect_uri=uri)
    assert exchange(client_id, output["code"], redirect_uri=uri)["access_token"]


@pytest.mark.parametrize("path", ["token", "revoke"])
def test_a_secret_that_is_no_text_opens_nothing(olga: Client, client_id: str, path: str) -> None:
    page = {"Authorization": "Basic " + base64.b64encode(b"\xff:\xff").decode()}
    body = {"grant_type": "authorization_code", "code": allow(olga, client_id)["code"], "token": "any"}
    answer = Client().post(f"/oauth/{path}", body, headers=page)
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


@pytest.mark.parametrize("jwks", [5, [], {}, {"keys": 5}, {"keys": [{"kty": "RSA"}]}, "x"])
def test_keys_of_a_client_are_nothing_to_us(db: None, jwks: Any) -> None:
    assert "jwks" not in register(jwks=jwks).json()
    assert "jwks" not in OAuthClient.objects.get().metadata


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"redirect_uris": ["\\u0000"]}'])
def test_what_is_no_registration_is_told(db: None, body: bytes) -> None:
    assert Client().post("/oauth/register", body, content_type="application/json").status_code == 400


def test_clients_that_nobody_lets_in_fill_no_disk(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.oauth.server.MOST_UNUSED", 2)
    assert [register().status_code for _ in range(3)] == [201, 201, 503]
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert register().status_code == 201
        assert OAuthClient.objects.count() == 1


@pytest.mark.parametrize("metadata", [{"contacts": ["a" * 100_000]}, {"grant_types": ["authorization_code"] * 5000}])
def test_what_one_client_says_of_itself_fills_none_either(db: None, metadata: dict[str, Any]) -> None:
    answer = register(**metadata)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")
    assert not OAuthClient.objects.exists()


def test_an_operator_sees_and_disconnects_clients(tokens: dict[str, Any], admin_client: DjangoClient) -> None:
    grant = OAuthGrant.objects.get()
    assert "Some Client" in admin_client.get("/admin/oauth/oauthgrant/").content.decode()
    admin_client.post(f"/admin/oauth/oauthgrant/{grant.pk}/delete/", {"post": "yes"})
    assert tools(tokens["access_token"]).status_code == 401
    assert AuditEntry.objects.filter(action="client disconnected").exists()

"""The SDK's own client lets itself in: it finds the doors, registers, asks a person, and uses what it got."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx
import httpx2
import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from memsite_client import Memsite
from tests.serving import Server, asking, serving

pytestmark = pytest.mark.long

PASSWORD = "a long password of hers"
HASHERS_OF_SITES = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
CALLBACK = "http://127.0.0.1:33418/callback"


@pytest.fixture(scope="module")
def oauth_server(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any
) -> Iterator[Server]:
    """With a superuser, olga."""
    folder, own = tmp_path_factory.mktemp("oauth"), {"DJANGO_SETTINGS_MODULE": "tests.oauth.site_settings"}
    with django_db_blocker.unblock(), serving(folder, MEMSITE_OAUTH="true", **own) as server:
        with asking(server.database_url), override_settings(PASSWORD_HASHERS=HASHERS_OF_SITES):
            User.objects.create_superuser("olga", "o@example.org", PASSWORD)
        yield server


class Kept:
    """What a client keeps of it."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Olga, at her browser: signs in, reads the page, presses a button."""

    def __init__(self, server: Server, app_id: str, press: str = "allow") -> None:
        self.server, self.app_id, self.press = server, app_id, press
        self.page = ""
        self.came_to = ""

    async def go_to(self, url: str) -> None:
        with httpx.Client(base_url=self.server.url, follow_redirects=True, timeout=60) as browser:
            page = browser.get(url)
            if "Sign in" in page.text:
                fields = {"username": "olga", "password": PASSWORD, "next": url.removeprefix(self.server.url)}
                page = browser.post(page.url, data={**hidden(page.text), **fields})
            self.page = page.text
            fields = {"app": self.app_id, "name": "hosted", "may_write": "on", self.press: "yes"}
            answer = browser.post(page.url, data={**hidden(page.text), **fields}, follow_redirects=False)
        assert answer.status_code == 302, answer.text
        self.came_to = answer.headers["Location"]

    async def came_back(self) -> AuthorizationCodeResult:
        output = {name: values[0] for name, values in parse_qs(urlsplit(self.came_to).query).items()}
        return AuthorizationCodeResult(code=output.get("code", ""), state=output.get("state"), iss=output.get("iss"))


def hidden(page: str) -> dict[str, str]:
    match = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert match, page
    return {"csrfmiddlewaretoken": match[1]}


def provider(server: Server, stored: Kept, person: Person) -> OAuthClientProvider:
    metadata = OAuthClientMetadata.model_validate(
        {"client_name": "Some Hosted Client", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
    )
    return OAuthClientProvider(f"{server.url}/mcp", metadata, stored, person.go_to, person.came_back)


@asynccontextmanager
async def connected(server: Server, auth: OAuthClientProvider) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=http), mode="auto") as client,
    ):
        yield client


def test_the_sdks_client_is_let_in_by_a_person_and_acts_as_an_agent(db: None, oauth_server: Server) -> None:
    oauth_server.new_app()
    app_id = oauth_server.last_app
    remaining, person = Kept(), Person(oauth_server, app_id)

    async def work() -> None:
        auth = provider(oauth_server, remaining, person)
        async with connected(oauth_server, auth) as client:
            stored = await client.call_tool("store", {"content": "Jellyfin takes 60s to start"})
            assert stored.structured_content["outcome"] == "created"
        assert "Some Hosted Client" in person.page
        assert "127.0.0.1:33418" in person.page
        assert remaining.tokens is not None
        # An hour later: the access token is no good any more, the refresh token is.
        first = remaining.tokens
        remaining.tokens = first.model_copy(update={"access_token": "mst_expired", "expires_in": -1})
        async with connected(oauth_server, provider(oauth_server, remaining, person)) as client:
            results = await client.call_tool("search", {"query": "jellyfin"})
            assert len(results.structured_content["memories"]) == 1
        assert remaining.tokens.refresh_token != first.refresh_token

    anyio.run(work)
    with Memsite(oauth_server.url, oauth_server.operator_key) as operator:
        agents = operator.request("GET", f"apps/{app_id}/agents")["results"]
    assert "hosted" in [agent["name"] for agent in agents]


def test_a_client_that_is_refused_gets_nothing(db: None, oauth_server: Server) -> None:
    oauth_server.new_app()
    stored, person = Kept(), Person(oauth_server, oauth_server.last_app, press="refuse")

    async def work() -> None:
        async with connected(oauth_server, provider(oauth_server, stored, person)):
            pass

    with pytest.raises(BaseException):  # noqa: B017, PT011  # whatever the SDK makes of it
        anyio.run(work)
    assert "error=access_denied" in person.came_to
    assert stored.tokens is None

"""Signing in at a provider of others: npm's oidc-provider, which runs here (`make oidc` installs it)."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from memsite.oauth import openid
from memsite.tenancy.models import Membership
from tests.conftest import Caller
from tests.dashboard.pages import links
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
STAND = Path(os.environ.get("TEST_OIDC_PROVIDER", ROOT / ".venv" / "oidc"))
NODE = shutil.which("node")
CALLBACK = "http://testserver/login/provider/back"
FORM = re.compile(r'<form[^>]*action="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        NODE is None or not (STAND / "node_modules" / "oidc-provider").is_dir(),
        reason="there is no node, or no oidc-provider: `make oidc`",
    ),
]


@dataclass
class Provider:
    process: subprocess.Popen[str]
    issuer: str

    def wait_for(self, line_start: str) -> None:
        """Read past its notices about what is for tests only."""
        assert self.process.stdout is not None
        assert any(line.startswith(line_start) for line in self.process.stdout), "it has ended"

    def set_groups(self, **groups: list[str]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(groups) + "\n")
        self.process.stdin.flush()
        self.wait_for("groups are set")


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    port = free_port()
    command = [str(NODE), "tools/oidc_provider.mjs", str(STAND), str(port), CALLBACK]
    pipe: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    settings.AUTHENTICATION_BACKENDS = ["memsite.oauth.openid.ProviderBackend", *settings.AUTHENTICATION_BACKENDS]
    settings.MEMSITE = replace(
        settings.MEMSITE, oidc_issuer=f"http://127.0.0.1:{port}", oidc_client_id="memsite",
        oidc_client_secret="only-for-trying", oidc_roles="editors=acme:editor",
        oidc_scopes=("openid", "profile", "email", "groups"),
    )  # fmt: skip
    openid.read_metadata.cache_clear()
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipe) as process:  # noqa: S603
        provider = Provider(process, f"http://127.0.0.1:{port}")
        provider.wait_for("listening")
        yield provider
        process.terminate()
    openid.read_metadata.cache_clear()


def sign_in_there(url: str, name: str) -> str:
    """Return where the provider sends the browser, after a name, a password and a consent were given."""
    with httpx.Client(timeout=20) as browser:
        answer = browser.get(url)
        while not answer.headers.get("location", "").startswith(CALLBACK):
            if answer.is_redirect:
                answer = browser.get(urljoin(str(answer.url), answer.headers["location"]))
                continue
            form = FORM.search(answer.text)
            assert form, answer.text
            fields = {key: html.unescape(value) for key, value in HIDDEN.findall(answer.text)}
            there = urljoin(str(answer.url), html.unescape(form[1]))
            answer = browser.post(there, data={**fields, "login": name, "password": "any"})
        return str(answer.headers["location"])


def sign_in(client: Client, name: str) -> Any:
    return client.get(sign_in_there(client.get("/login/provider?next=/memories")["Location"], name))


def test_operators_sign_in_lose_a_role_and_sign_out_at_a_provider_of_others(provider: Provider, alice: Caller) -> None:
    client = Client()
    assert sign_in(client, "bob").status_code == 403
    provider.set_groups(bob=["editors"])
    assert sign_in(client, "bob")["Location"] == "/memories"
    assert client.get("/memories").status_code == 200
    assert Membership.objects.get().role == "editor"
    assert User.objects.get().email == "bob@example.org"
    # It would refuse a hint that it did not sign, and an address to come back to that it does not know.
    assert httpx.get(links(client.post("/logout"))[0]).status_code == 200
    provider.set_groups(bob=[])
    assert sign_in(client, "bob").status_code == 403
    assert not Membership.objects.exists()


def test_a_provider_that_has_died_is_said_to_be_away(provider: Provider, db: None) -> None:
    client = Client()
    back = sign_in_there(client.get("/login/provider")["Location"], "bob")
    provider.process.terminate()
    provider.process.wait()
    answer = client.get(back, headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert "does not answer" in answer.content.decode()

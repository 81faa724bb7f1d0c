"""Signing in at an OpenID provider: one of ours, with real RS256 tokens, answers in the place of the network."""

from __future__ import annotations

import hashlib
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from memories.providers.http import ServiceRefused
from memsite.config.checks import check_provider
from memsite.config.conf import Conf, read_roles
from memsite.oauth import openid
from memsite.tenancy.models import App, AuditEntry, Identity, Membership, Role
from tests.conftest import make_app
from tests.dashboard.pages import links, text_of
from tests.tables import each_row
from tests.talking import after

ISSUER = "https://login.example.org"
SECRET = "between the two of us"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}, auto_kid=False)
OTHER = RSAKey.generate_key(2048, {"kid": "one"}, auto_kid=False)
ENDPOINTS = ("authorization", "token", "userinfo", "end_session")


@dataclass
class Provider:
    """What it says of whoever signs in next, and how it goes wrong."""

    claims: dict[str, Any] = field(default_factory=lambda: {"sub": "u-1", "preferred_username": "bob"})
    user_info: dict[str, Any] | None = None
    key: Any = field(default_factory=lambda: KEY)
    algorithm: str = "RS256"
    metadata: dict[str, Any] = field(default_factory=dict)
    is_away: bool = False
    answers: dict[str, httpx.Response] = field(default_factory=dict)
    query_sent: dict[str, str] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        named = {f"{name}_endpoint": f"{ISSUER}/{name}" for name in ENDPOINTS}
        return {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys", **named} | self.metadata

    def token(self) -> str:
        now = int(time.time())
        usual = {"iss": ISSUER, "aud": "memsite", "iat": now, "exp": now + 60, "nonce": self.query_sent["nonce"]}
        claims = {name: value for name, value in (usual | self.claims).items() if value is not None}
        algorithms = [self.algorithm]
        return jwt.encode({"alg": self.algorithm, "kid": "one"}, claims, self.key, algorithms=algorithms)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.is_away:
            raise httpx.ConnectError("nobody there")
        name = request.url.path.rpartition("/")[2]
        if name in self.answers:
            return self.answers[name]
        if name == "openid-configuration":
            return httpx.Response(200, json=self.describe())
        if name == "keys":
            return httpx.Response(200, json={"keys": [KEY.as_dict(private=False)]})
        if name == "userinfo":
            assert request.headers["Authorization"] == "Bearer access"
            return httpx.Response(200, json={"sub": self.claims["sub"], **(self.user_info or {})})
        form = dict(parse_qsl(request.content.decode()))
        assert request.headers["Authorization"].startswith("Basic ")
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        is_pkce = urlsafe_b64encode(digest).rstrip(b"=").decode() == self.query_sent["code_challenge"]
        if not is_pkce or form["code"] != "code" or form["redirect_uri"] != self.query_sent["redirect_uri"]:
            return httpx.Response(400, json={"error": "invalid_grant"})
        return httpx.Response(200, json={"id_token": self.token(), "access_token": "access", "token_type": "Bearer"})


class Wire(httpx.BaseTransport):
    """What comes over it is still to be read."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        answer = self.provider(request)
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(answer.content))


@pytest.fixture
def conf(settings: Any) -> Conf:
    settings.AUTHENTICATION_BACKENDS = ["memsite.oauth.openid.ProviderBackend", *settings.AUTHENTICATION_BACKENDS]
    settings.MEMSITE = replace(
        settings.MEMSITE, oidc_issuer=ISSUER, oidc_client_id="memsite", oidc_client_secret=SECRET,
        oidc_roles="editors=acme:editor, owners=acme:owner, all=*:viewer", oidc_superusers=("chiefs",),
        oidc_staff=("staff",),
    )  # fmt: skip
    conf: Conf = settings.MEMSITE
    return conf


@pytest.fixture
def provider(conf: Conf, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    provider = Provider()
    monkeypatch.setattr(openid, "client_for", lambda _: httpx.Client(transport=Wire(provider)))
    openid.read_metadata.cache_clear()
    yield provider
    openid.read_metadata.cache_clear()


@pytest.fixture
def acme(db: None) -> App:
    return make_app("acme")


def go_there(client: Client, provider: Provider, begin: str = "/login/provider") -> dict[str, str]:
    """What the browser brings to the provider."""
    answer = client.get(begin)
    assert answer.status_code == 302, answer.content
    provider.query_sent = {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}
    return provider.query_sent


def come_back(client: Client, provider: Provider, **query: str) -> Any:
    accept = {"Accept": "text/html"}
    return client.get(
        "/login/provider/back", {"code": "code", "state": provider.query_sent["state"], **query}, headers=accept
    )


def sign_in(provider: Provider, client: Client | None = None, **claims: Any) -> Any:
    """Sign in with these claims, in a browser of its own."""
    provider.claims |= claims
    client = client or Client()
    go_there(client, provider)
    return come_back(client, provider)


def roles() -> dict[str, str]:
    return dict(Membership.objects.values_list("app__app_id", "role"))


def actions() -> list[str]:
    return [action for (action,) in AuditEntry.objects.order_by("pk").values_list("action")]


def test_a_group_lets_somebody_in_with_its_role(provider: Provider, acme: App) -> None:
    client = Client()
    assert "Sign in with login.example.org" in text_of(client.get("/login"))
    query_sent = go_there(client, provider, "/login/provider?next=/memories")
    assert query_sent["code_challenge_method"] == "S256"
    provider.claims["groups"] = ["editors", "other"]
    assert come_back(client, provider)["Location"] == "/memories"
    assert client.get("/memories").status_code == 200
    assert roles() == {"acme": "editor"}
    bob = User.objects.get()
    assert (bob.username, bob.is_staff, bob.has_usable_password()) == ("bob", False, False)
    assert actions() == ["account created", "members changed", "signed in"]


def test_the_next_page_is_of_this_site(provider: Provider, acme: App) -> None:
    client = Client()
    go_there(client, provider, "/login/provider?next=https://evil.example/")
    provider.claims["groups"] = ["editors"]
    assert come_back(client, provider)["Location"] == "/"


def test_groups_that_go_take_their_roles_with_them(provider: Provider, acme: App) -> None:
    make_app("globex")
    sign_in(provider, groups=["editors", "owners", "all", "chiefs"])
    assert roles() == {"acme": "owner", "globex": "viewer"}
    assert User.objects.get().is_superuser
    sign_in(provider, groups=["editors"])
    assert roles() == {"acme": "editor"}
    assert not User.objects.get().is_superuser
    assert sign_in(provider, groups=[]).status_code == 403
    assert roles() == {}


def test_what_was_given_by_hand_stays(provider: Provider, acme: App) -> None:
    sign_in(provider, groups=["staff"])
    bob, globex = User.objects.get(), make_app("globex")
    Membership.objects.create(app=globex, user=bob, role=Role.OWNER)
    sign_in(provider, groups=[])
    assert roles() == {"globex": "owner"}
    assert not User.objects.get().is_staff


@each_row(
    "claims, why",
    [
        ({"groups": ["strangers"]}, "None of your groups"),
        ({}, "None of your groups"),
        ({"groups": {"editors": True}}, "None of your groups"),
    ],
)
def test_who_is_in_no_group_is_told_so_and_gets_no_account(
    claims: dict[str, Any], why: str, provider: Provider, acme: App
) -> None:
    provider.claims = {"sub": "u-1", **claims}
    answer = sign_in(provider)
    assert answer.status_code == 403
    assert why in text_of(answer)
    assert not User.objects.exists()


def test_an_account_is_found_by_its_subject_alone(provider: Provider, acme: App) -> None:
    local = User.objects.create_user("bob", "bob@example.org")
    sign_in(provider, groups=["editors"], email="bob@example.org", email_verified=True)
    other = User.objects.exclude(pk=local.pk).get()
    assert (other.username, other.email) == ("bob-2", "bob@example.org")
    sign_in(provider, preferred_username="robert", email="else@example.org")
    assert User.objects.count() == 2
    sign_in(provider, sub="u-2")
    assert User.objects.count() == 3


def test_an_address_that_is_not_verified_is_not_kept_and_may_be_refused(
    provider: Provider, acme: App, settings: Any
) -> None:
    sign_in(provider, groups=["editors"], email="bob@example.org")
    assert User.objects.get().email == ""
    settings.MEMSITE = replace(settings.MEMSITE, oidc_verified_email=True)
    assert "has not verified your e-mail" in text_of(sign_in(provider))
    assert sign_in(provider, email_verified=True).status_code == 302


def test_groups_may_stand_in_the_user_info_or_within_another_claim(
    provider: Provider, acme: App, settings: Any
) -> None:
    provider.user_info = {"groups": ["editors"]}
    assert sign_in(provider).status_code == 302
    settings.MEMSITE = replace(settings.MEMSITE, oidc_groups_claim="realm_access.roles")
    sign_in(provider, realm_access={"roles": ["owners"]})
    assert roles() == {"acme": "owner"}


def test_an_account_that_was_switched_off_stays_out(provider: Provider, acme: App) -> None:
    sign_in(provider, groups=["editors"])
    User.objects.update(is_active=False)
    assert "switched off" in text_of(sign_in(provider))


NOW = int(time.time())


@each_row(
    "claims, word",
    [
        ({"iss": "https://other.example"}, "iss"),
        ({"aud": "another client"}, "aud"),
        ({"aud": ["memsite", "other"], "azp": "other"}, "azp"),
        ({"exp": NOW - 3600}, "Expired"),
        ({"exp": None}, "exp"),
        ({"iat": NOW + 3600}, "iat"),
        ({"nonce": "another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"sub": None}, "sub"),
        ({"sub": "x" * 256}, "nobody"),
        ({"at_hash": "xxxx"}, "at_hash"),
    ],
)
def test_a_token_that_proves_nothing_is_not_believed(
    claims: dict[str, Any], word: str, provider: Provider, acme: App
) -> None:
    provider.claims = {"sub": "u-1", "groups": ["chiefs"], **claims}
    answer = sign_in(provider)
    assert answer.status_code == 403
    assert "is not believed" in text_of(answer)
    assert word in text_of(answer)
    assert not User.objects.exists()


@each_row("key, algorithm", [(OTHER, "RS256"), (OctKey.import_key(SECRET * 4), "HS256")])
def test_a_token_signed_by_others_is_not_believed(key: Any, algorithm: str, provider: Provider, acme: App) -> None:
    provider.key, provider.algorithm = key, algorithm
    answer = sign_in(provider, groups=["chiefs"])
    assert (answer.status_code, User.objects.count()) == (403, 0)


def test_a_token_without_a_signature_is_not_believed(provider: Provider, acme: App) -> None:
    _, payload, _ = Provider.token(replace(provider, query_sent={"nonce": "n"})).split(".")
    unsigned = urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    client = Client()
    go_there(client, provider)
    provider.answers["token"] = httpx.Response(200, json={"id_token": f"{unsigned}.{payload}.", "access_token": "a"})
    assert come_back(client, provider).status_code == 403


def test_an_answer_counts_in_the_browser_that_asked_and_once(provider: Provider, acme: App) -> None:
    provider.claims["groups"] = ["editors"]
    client = Client()
    go_there(client, provider)
    assert come_back(Client(), provider).status_code == 400
    assert come_back(client, provider, state="x").status_code == 400
    assert come_back(client, provider, iss="https://other.example").status_code == 403
    assert "once more" in text_of(come_back(client, provider))
    go_there(client, provider)
    with after(minutes=11):
        assert come_back(client, provider).status_code == 400


def test_a_code_of_somebody_elses_sign_in_is_worth_nothing(provider: Provider, acme: App) -> None:
    mine, theirs = Client(), Client()
    go_there(mine, provider)
    state = provider.query_sent["state"]
    go_there(theirs, provider)
    # The provider holds the code to the challenge of the browser it gave the code to.
    answer = come_back(mine, provider, state=state)
    assert "refused (400 invalid_grant)" in text_of(answer)


def test_what_the_provider_refuses_is_said(provider: Provider, acme: App) -> None:
    client = Client()
    go_there(client, provider)
    answer = come_back(client, provider, error="access_denied")
    assert (answer.status_code, "access_denied" in text_of(answer)) == (403, True)


@each_row(
    "name, answer, why",
    [
        ("openid-configuration", httpx.Response(500), "answered 500"),
        ("openid-configuration", httpx.Response(200, content=b"<html>"), "not JSON"),
        ("openid-configuration", httpx.Response(200, content=b"x" * 1_200_000), "longer than"),
        ("openid-configuration", httpx.Response(200, json={"issuer": "https://other.example"}), "calls itself"),
        ("openid-configuration", httpx.Response(200, json={"issuer": ISSUER}), "names no authorization_endpoint"),
        (
            "openid-configuration",
            httpx.Response(200, json={"issuer": ISSUER, "authorization_endpoint": "http://login.example.org/"}),
            "is not HTTPS",
        ),
    ],
)
def test_a_provider_that_answers_nonsense_is_said_to_be_away(
    name: str, answer: httpx.Response, why: str, provider: Provider, db: None
) -> None:
    provider.answers[name] = answer
    openid.read_metadata.cache_clear()
    page = Client().get("/login/provider", headers={"Accept": "text/html"})
    assert page.status_code == 503
    assert why in text_of(page)
    assert "local accounts work meanwhile" in text_of(page)


def test_where_passwords_are_off_a_dead_provider_says_who_can_help(provider: Provider, db: None, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, local_login=False)
    provider.is_away = True
    User.objects.create_user("nina", password="seven-green-bottles")
    assert "MEMSITE_LOCAL_LOGIN=true" in text_of(Client().get("/login/provider", headers={"Accept": "text/html"}))
    assert "MEMSITE_LOCAL_LOGIN=true" in text_of(Client().get("/login"))
    form = {"username": "nina", "password": "seven-green-bottles"}
    assert Client().post("/login", form).status_code == 403


def test_only_so_many_wait_for_a_provider(provider: Provider, db: None) -> None:
    with openid.one_of_few(), openid.one_of_few(), openid.one_of_few(), openid.one_of_few():
        answer = Client().get("/login/provider", headers={"Accept": "text/html"})
    assert "others are waiting" in text_of(answer)


def test_who_signs_out_goes_to_the_provider_to_sign_out_there(provider: Provider, acme: App) -> None:
    client = Client()
    sign_in(provider, client, groups=["editors"])
    there = links(client.post("/logout"))[0]
    assert there.startswith(f"{ISSUER}/end_session?post_logout_redirect_uri=http%3A%2F%2Ftestserver%2Flogin")
    assert "id_token_hint=ey" in there
    assert client.get("/").status_code == 302


def test_a_session_of_the_provider_ends_after_so_many_hours(provider: Provider, acme: App) -> None:
    client = Client()
    sign_in(provider, client, groups=["editors"])
    with after(hours=11):
        assert client.get("/").status_code == 200
    with after(hours=13):
        assert client.get("/").status_code == 302


def test_an_account_is_connected_by_its_owner(provider: Provider, acme: App) -> None:
    nina, client = User.objects.create_superuser("nina", password="x"), Client()
    client.force_login(nina)
    answer = client.post("/account/connect")
    provider.query_sent = {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}
    assert come_back(client, provider)["Location"] == "/account"
    assert "Connected as u-1" in text_of(client.get("/account"))
    assert sign_in(provider).status_code == 302
    assert User.objects.get().is_superuser
    assert Identity.objects.get().user == nina


def test_an_answer_connects_no_other_account(provider: Provider, acme: App) -> None:
    nina, client = User.objects.create_user("nina", password="x"), Client()
    client.force_login(nina)
    answer = client.post("/account/connect")
    provider.query_sent = {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}
    client.force_login(User.objects.create_user("mallory"))
    assert come_back(client, provider).status_code in (400, 403)
    assert not Identity.objects.exists()


def test_without_an_issuer_there_is_no_such_way(db: None) -> None:
    assert Client().get("/login/provider").status_code == 404
    assert Client().get("/login/provider/back").status_code == 404


def test_the_networks_that_may_be_asked_hold_for_the_provider_too(conf: Conf) -> None:
    with pytest.raises(openid.ProviderAway, match="MEMSITE_PROVIDER_NETWORKS"):
        openid.ask("http://192.0.2.1/keys")
    with pytest.raises(ServiceRefused):
        openid.client_for("ftp://login.example.org")


@each_row(
    "text, rows",
    [
        ("", []),
        ("ops=*:owner", [("ops", "*", "owner")]),
        (" /team/a=b=acme:viewer , x=y:editor", [("/team/a=b", "acme", "viewer"), ("x", "y", "editor")]),
        ("ops=acme:king", None),
        ("ops", None),
    ],
)
def test_roles_of_groups_are_read(text: str, rows: Any) -> None:
    assert json.dumps(read_roles(text)) == json.dumps(rows)


@each_row(
    "settings_given, why",
    [
        ({"local_login": False}, "names no other way to sign in"),
        ({"oidc_issuer": "login.example.org", "oidc_client_id": "x"}, "is an address"),
        ({"oidc_issuer": ISSUER}, "MEMSITE_OIDC_CLIENT_ID"),
        ({"oidc_scopes": ("email",)}, "openid in it"),
        ({"oidc_roles": "ops=acme:king"}, "MEMSITE_OIDC_ROLES"),
        ({"second_factor": "never"}, "MEMSITE_SECOND_FACTOR"),
    ],
)
def test_settings_that_shut_everybody_out_stop_the_start(settings_given: dict[str, Any], why: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=why):
        Conf(**settings_given)


@each_row(
    "changes, is_told",
    [
        ({}, False),
        ({"local_login": False}, False),
        ({"oidc_superusers": ()}, False),
        ({"oidc_superusers": (), "local_login": False}, True),
        ({"oidc_superusers": (), "oidc_roles": "", "oidc_staff": ()}, True),
    ],
)
def test_a_provider_that_lets_nobody_in_is_told_at_the_start(
    changes: dict[str, Any], is_told: bool, conf: Conf, settings: Any
) -> None:
    settings.MEMSITE = replace(conf, **changes)
    assert [message.id for message in check_provider()] == (["memsite.W011"] if is_told else [])

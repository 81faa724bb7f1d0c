"""The second factor of local accounts: set up, asked for at every login, limited, reset."""

from __future__ import annotations

import io
import re
from base64 import b32decode
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from memsite.tenancy.models import AuditEntry
from tests.conftest import Caller
from tests.dashboard.pages import elements, text_of
from tests.talking import after, at_time

PASSWORD = "seven-green-bottles"
CODE = re.compile(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b")


@pytest.fixture(autouse=True)
def start_of_a_step() -> Iterator[None]:
    """The clock stands at the start of the 30 s that a code holds for, so that none runs out within a test."""
    now = timezone.now()
    with at_time(now.replace(second=now.second // 30 * 30, microsecond=0)):
        yield


@pytest.fixture
def nina(alice: Caller) -> User:
    return User.objects.create_user("nina", password=PASSWORD, is_superuser=True, is_staff=True)


@pytest.fixture
def browser(nina: User) -> Client:
    client = Client()
    client.force_login(nina)
    return client


def code_of(key: str) -> str:
    return f"{totp(b32decode(key)):06}"


def key_on(answer: Any) -> str:
    return str(answer.context["key"]).replace(" ", "")


def set_up(client: Client, **more: str) -> tuple[str, list[str]]:
    """Turn it on; the secret, and the recovery codes."""
    key = key_on(client.get("/account/factor"))
    answer = client.post("/account/factor", {"code": code_of(key), **more})
    assert answer.status_code == 200, answer
    return key, CODE.findall(text_of(answer))


@pytest.fixture
def secured(browser: Client) -> tuple[str, list[str]]:
    return set_up(browser, password=PASSWORD)


def give_password(client: Client, next_page: str = "/events", **more: str) -> Any:
    return client.post("/login", {"username": "nina", "password": PASSWORD, "next": next_page}, **more)


def give_code(client: Client, code: str, **more: str) -> Any:
    return client.post("/login/code", {"code": code}, **more)


def test_it_is_set_up_with_a_picture_and_a_code(browser: Client, nina: User) -> None:
    page = browser.get("/account/factor")
    assert elements(page, "img")[0]["src"].startswith("data:image/svg+xml;")
    assert key_on(page) == key_on(browser.get("/account/factor"))
    assert f"secret={key_on(page)}" in page.context["address"]
    assert "not the code" in text_of(browser.post("/account/factor", {"code": "000000", "password": PASSWORD}))
    wrong = browser.post("/account/factor", {"code": code_of(key_on(page)), "password": "x"})
    assert "password is wrong" in text_of(wrong)
    assert not TOTPDevice.objects.exists()
    _, codes = set_up(browser, password=PASSWORD)
    assert len(set(codes)) == 10
    assert "one of 10 recovery codes" in text_of(browser.get("/account"))
    assert [entry.action for entry in AuditEntry.objects.all()] == ["second factor on"]


def test_a_login_takes_a_code_and_each_code_once(secured: tuple[str, list[str]]) -> None:
    key, _ = secured
    client = Client()
    assert give_password(client)["Location"] == "/login/code"
    assert client.get("/events").status_code == 302
    assert client.get("/admin/").status_code == 302
    # The code that set it up has been used.
    assert "used already" in text_of(give_code(client, code_of(key)))
    with after(minutes=1):
        assert give_code(client, code_of(key))["Location"] == "/events"
        assert client.get("/events").status_code == 200
        assert client.get("/admin/").status_code == 200
        other = Client()
        give_password(other)
        assert give_code(other, code_of(key)).status_code == 200


def test_a_recovery_code_does_too_and_is_stored_nowhere(secured: tuple[str, list[str]]) -> None:
    _, codes = secured
    client = Client()
    give_password(client)
    assert give_code(client, codes[0].upper().replace("-", " "))["Location"] == "/events"
    assert StaticToken.objects.count() == 9
    assert not {code.replace("-", "") for code in codes} & {row.token.lower() for row in StaticToken.objects.all()}
    other = Client()
    give_password(other)
    assert give_code(other, codes[0]).status_code == 200


def test_without_the_password_no_code_is_asked_for(secured: tuple[str, list[str]]) -> None:
    client = Client()
    assert client.get("/login/code")["Location"] == "/login"
    assert give_code(client, secured[1][0])["Location"] == "/login"
    give_password(client)
    with after(minutes=11):
        assert give_code(client, secured[1][0])["Location"] == "/login"
    User.objects.get(username="nina").set_password("other")
    give_password(client)
    User.objects.filter(username="nina").update(is_active=False)
    assert give_code(client, secured[1][0])["Location"] == "/login"


def test_after_five_wrong_codes_one_has_to_wait_from_there(secured: tuple[str, list[str]]) -> None:
    client = Client()
    give_password(client)
    assert [give_code(client, "000000").status_code for _ in range(5)] == [200] * 4 + [429]
    assert give_code(client, secured[1][0]).status_code == 429
    assert give_password(Client()).status_code == 429
    elsewhere = Client(REMOTE_ADDR="10.0.0.7")
    give_password(elsewhere)
    with after(minutes=16):
        assert give_password(client)["Location"] == "/login/code"
    assert give_code(elsewhere, secured[1][0])["Location"] == "/events"


def test_it_is_turned_off_and_codes_are_renewed_with_a_code(browser: Client, secured: tuple[str, list[str]]) -> None:
    _, codes = secured
    assert "This code is wrong" in text_of(browser.post("/account/off", {"code": "wrong"}))
    with after(seconds=2):
        renewed = CODE.findall(text_of(browser.post("/account/codes", {"code": codes[0]})))
        assert len(renewed) == 10
        assert browser.post("/account/off", {"code": renewed[0]})["Location"] == "/account"
    assert not TOTPDevice.objects.exists()
    assert give_password(Client())["Location"] == "/events"
    actions = [entry.action for entry in AuditEntry.objects.order_by("pk")]
    assert actions == ["second factor on", "recovery codes renewed", "second factor off"]


def test_a_superuser_resets_it_in_the_admin(secured: tuple[str, list[str]], admin_client: Client, nina: User) -> None:
    assert "second factor" in text_of(admin_client.get("/admin/auth/user/")).lower()
    data = {"action": "reset_factor", "_selected_action": [nina.pk]}
    assert admin_client.post("/admin/auth/user/", data).status_code == 302
    assert give_password(Client())["Location"] == "/events"
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.actor, entry.action, entry.subject) == ("operator:admin", "second factor reset", "nina")


def test_a_command_resets_it(secured: tuple[str, list[str]]) -> None:
    out = io.StringIO()
    for _ in range(2):
        call_command("reset_second_factor", "nina", stdout=out)
    assert "password alone" in out.getvalue()
    assert "had no second factor" in out.getvalue()
    with pytest.raises(CommandError, match="no account"):
        call_command("reset_second_factor", "nobody")


def test_who_needs_one_sets_it_up_before_coming_in(nina: User, browser: Client, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, second_factor="staff")
    # A session from before the policy is nobody's.
    assert browser.get("/events").status_code == 302
    assert browser.get("/api/v1/apps").status_code == 401
    client = Client()
    assert give_password(client)["Location"] == "/account/factor"
    assert "wants a second factor" in text_of(client.get("/account/factor"))
    set_up(client)
    assert client.get("/events").status_code == 200
    assert client.get("/api/v1/apps").status_code == 200
    User.objects.filter(pk=nina.pk).update(is_staff=False, is_superuser=False)
    assert Client().post("/account/factor", {"code": "1"})["Location"] == "/login"


def test_who_is_no_staff_needs_none_unless_everybody_does(alice: Caller, settings: Any) -> None:
    User.objects.create_user("nina", password=PASSWORD)
    settings.MEMSITE = replace(settings.MEMSITE, second_factor="staff")
    assert give_password(Client())["Location"] == "/events"
    settings.MEMSITE = replace(settings.MEMSITE, second_factor="everybody")
    assert give_password(Client())["Location"] == "/account/factor"

"""Signing in, out, and changing one's password."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memsite.tenancy.models import AuditEntry
from tests.conftest import Caller
from tests.dashboard.pages import text_of
from tests.talking import after

PASSWORD = "seven-green-bottles"


@pytest.fixture
def nina(db: None) -> User:
    return User.objects.create_user("nina", password=PASSWORD, is_superuser=True, is_staff=True)


def try_to_sign_in(client: Client, password: str, name: str = "nina", **more: str) -> int:
    return int(client.post("/login", {"username": name, "password": password}, **more).status_code)


def test_one_signs_in_and_lands_where_one_wanted_to_go(nina: User, alice: Caller) -> None:
    client = Client()
    assert "Sign in" in text_of(client.get("/login?next=/events"))
    answer = client.post("/login", {"username": "nina", "password": PASSWORD, "next": "/events"})
    assert (answer.status_code, answer["Location"]) == (302, "/events")
    assert client.get("/events").status_code == 200


def test_nobody_is_sent_to_another_site(nina: User) -> None:
    answer = Client().post("/login", {"username": "nina", "password": PASSWORD, "next": "https://evil.example/"})
    assert answer["Location"] == "/"


def test_a_wrong_password_says_so_and_no_more(nina: User) -> None:
    wrong = Client().post("/login", {"username": "nina", "password": "x"})
    nobody = Client().post("/login", {"username": "nobody", "password": "x"})
    assert "name or the password is wrong" in text_of(wrong)
    assert text_of(wrong) == text_of(nobody)


def test_after_five_wrong_passwords_one_has_to_wait(nina: User) -> None:
    client = Client()
    assert [try_to_sign_in(client, "wrong") for _ in range(5)] == [200, 200, 200, 200, 429]
    assert try_to_sign_in(client, PASSWORD) == 429
    with after(minutes=10):
        assert try_to_sign_in(client, PASSWORD) == 429
    with after(minutes=16):
        assert try_to_sign_in(client, PASSWORD) == 302


def test_who_is_shut_out_is_told_how_long(nina: User) -> None:
    client = Client()
    for _ in range(5):
        answer = client.post("/login", {"username": "nina", "password": "wrong"})
    assert "Wait 15 minutes" in text_of(answer)
    assert answer["Retry-After"] == "900"


def test_nobody_is_shut_out_by_somebody_elsewhere(nina: User) -> None:
    for _ in range(5):
        try_to_sign_in(Client(), "wrong", REMOTE_ADDR="10.0.0.66")
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="10.0.0.66") == 429
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="10.0.0.7") == 302


def guess(names: Sequence[str], **more: str) -> list[int]:
    return [try_to_sign_in(Client(), "wrong", name, **more) for name in names]


NAMES = [f"name{number}" for number in range(20)]


def test_who_tries_many_names_has_to_wait_too(nina: User) -> None:
    assert guess(NAMES, REMOTE_ADDR="10.0.0.66") == [200] * 19 + [429]
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="10.0.0.66") == 429
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="10.0.0.7") == 302
    with after(minutes=16):
        assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="10.0.0.66") == 302


def test_signing_in_oneself_makes_no_capacity_for_guesses(nina: User) -> None:
    guess(NAMES[:19])
    assert try_to_sign_in(Client(), PASSWORD) == 302
    assert guess(["last"]) == [429]


def test_of_ipv6_the_network_counts(nina: User) -> None:
    for number, name in enumerate(NAMES):
        guess([name], REMOTE_ADDR=f"2001:db8::{number + 1:x}")
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="2001:db8::ffff") == 429
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="2001:db8:0:1::1") == 302


def test_an_address_that_nobody_vouches_for_is_not_believed(nina: User) -> None:
    for number, name in enumerate(NAMES):
        guess([name], HTTP_X_FORWARDED_FOR=f"10.0.0.{number}")
    assert try_to_sign_in(Client(), PASSWORD, HTTP_X_FORWARDED_FOR="10.0.0.77") == 429


def test_behind_a_proxy_that_is_trusted_each_client_counts(nina: User, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, behind_https_proxy=True, trusted_proxies=("127.0.0.1", "10.0.0.0/8"))
    # The client may say what it likes: what the proxies have put behind that counts.
    guess(NAMES, HTTP_X_FORWARDED_FOR="198.51.100.9, 203.0.113.5, 10.1.2.3")
    assert try_to_sign_in(Client(), PASSWORD, HTTP_X_FORWARDED_FOR="198.51.100.8, 203.0.113.5") == 429
    assert try_to_sign_in(Client(), PASSWORD, HTTP_X_FORWARDED_FOR="203.0.113.5, 203.0.113.6") == 302
    assert try_to_sign_in(Client(), PASSWORD, REMOTE_ADDR="::ffff:203.0.113.5") == 429


def test_behind_a_proxy_that_does_not_tell_nobody_is_shut_out_by_guesses_at_other_names(
    nina: User, settings: Any
) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, behind_https_proxy=True)
    assert set(guess(NAMES)) == {200}
    assert guess(["nina"] * 5)[-1] == 429
    settings.MEMSITE = replace(settings.MEMSITE, trusted_proxies=("127.0.0.0/8",))
    assert try_to_sign_in(Client(), "wrong", "olga", HTTP_X_FORWARDED_FOR="unknown") == 200


def test_the_admin_has_the_same_endpoint(nina: User) -> None:
    client = Client()
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0] == "/login?next=%2Fadmin%2F"
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/login?next=/admin/"


def test_one_signs_out_with_a_button_only(nina: User, alice: Caller) -> None:
    client = Client()
    client.force_login(nina)
    assert client.get("/logout").status_code == 405
    assert client.post("/logout")["Location"] == "/login"
    assert client.get("/").status_code == 302


def test_a_password_is_changed_and_other_browsers_are_out(nina: User, alice: Caller) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        client.force_login(nina)
    new = {"old_password": PASSWORD, "new_password1": "nine-blue-kettles", "new_password2": "nine-blue-kettles"}
    assert here.post("/password", new)["Location"] == "/account"
    assert here.get("/").status_code == 200
    assert there.get("/").status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject) == ("operator:nina", "password changed", "nina")
    assert "kettles" not in str(vars(entry))


def test_a_short_password_is_refused(nina: User) -> None:
    client = Client()
    client.force_login(nina)
    answer = client.post("/password", {"old_password": PASSWORD, "new_password1": "short", "new_password2": "short"})
    assert answer.status_code == 200
    nina.refresh_from_db()
    assert nina.check_password(PASSWORD)

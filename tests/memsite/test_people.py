"""Who may sign in, in the admin: every change is noted, and no app is left without an owner."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import OperationalError, connection, transaction
from django.test import Client

from memsite.tenancy import admin
from memsite.tenancy.governance import LastOwner, set_member
from memsite.tenancy.models import App, AuditEntry, Identity, Membership, Role
from tests.conftest import make_app
from tests.other_connection import leave

PEOPLE, GROUPS = "/admin/auth/user/", "/admin/auth/group/"
PASSWORD = "correct horse battery"
JOINED = {"date_joined_0": "2027-03-01", "date_joined_1": "12:00:00"}


@pytest.fixture
def acme(db: None) -> App:
    return make_app("acme")


def admit(app: App, name: str, role: Role = Role.OWNER) -> User:
    person, _ = User.objects.get_or_create(username=name)
    Membership.objects.create(app=app, user=person, role=role)
    return person


def noted() -> list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    """The last first."""
    return list(AuditEntry.objects.values_list("action", "subject", "before", "after"))


def delete(client: Client, *who: User) -> Any:
    """By the page of one, by the list's action for more."""
    if len(who) == 1:
        return client.post(f"{PEOPLE}{who[0].pk}/delete/", {"post": "yes"})
    data = {"action": "delete_selected", "post": "yes", "_selected_action": [item.pk for item in who]}
    return client.post(PEOPLE, data)


def test_who_is_added_is_noted_without_the_password(admin_client: Client) -> None:
    data = {"username": "bob", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    assert admin_client.post(f"{PEOPLE}add/", data).status_code == 302
    bob = User.objects.get(username="bob")
    may = {"is_active": True, "is_staff": False, "is_superuser": False, "groups": [], "user_permissions": []}
    assert noted() == [("user added", "bob", {}, {"username": "bob", **may, "identities": []})]
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.app) == ("operator:admin", None)
    assert bob.password not in json.dumps(noted())


def test_what_somebody_may_is_noted_when_it_changes(admin_client: Client) -> None:
    bob, team = User.objects.create_user("bob"), Group.objects.create(name="team")
    url, data = f"{PEOPLE}{bob.pk}/change/", {"username": "bob", "is_active": "on", **JOINED}
    assert admin_client.post(url, {**data, "email": "bob@example.com"}).status_code == 302
    assert noted() == []
    assert admin_client.post(url, {**data, "is_superuser": "on", "groups": [team.pk]}).status_code == 302
    before, after = {"groups": [], "is_superuser": False}, {"groups": ["team"], "is_superuser": True}
    assert noted() == [("user changed", "bob", before, after)]
    assert admin_client.post(url, {**data, "username": ""}).status_code == 200
    assert len(noted()) == 1


def test_an_account_is_disconnected_from_its_provider(admin_client: Client) -> None:
    bob = User.objects.create_user("bob")
    row = Identity.objects.create(user=bob, issuer="https://login.example.org", subject="u-1")
    url, data = f"{PEOPLE}{bob.pk}/change/", {"username": "bob", "is_active": "on", **JOINED}
    rows = {"TOTAL_FORMS": 1, "INITIAL_FORMS": 1, "0-id": row.pk, "0-user": bob.pk, "0-DELETE": "on"}
    assert (
        admin_client.post(url, {**data, **{f"identities-{name}": value for name, value in rows.items()}}).status_code
        == 302
    )
    assert noted() == [
        ("user changed", "bob", {"identities": ["u-1 at https://login.example.org"]}, {"identities": []})
    ]


def test_a_password_that_is_set_for_somebody_is_noted(admin_client: Client) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    url = f"{PEOPLE}{bob.pk}/password/"
    assert admin_client.post(url, {"password1": "a", "password2": "b"}).status_code == 200
    assert noted() == []
    new = {"password1": PASSWORD.upper(), "password2": PASSWORD.upper()}
    assert admin_client.post(url, new).status_code == 302
    assert noted() == [("password set", "bob", {}, {})]
    assert User.objects.get(username="bob").check_password(PASSWORD.upper())
    assert admin_client.get(f"{PEOPLE}404/password/").status_code == 404


def test_what_a_group_may_is_noted(admin_client: Client) -> None:
    may = Permission.objects.get(codename="change_user")
    assert admin_client.post(f"{GROUPS}add/", {"name": "team", "permissions": [may.pk]}).status_code == 302
    group = Group.objects.get()
    assert admin_client.post(f"{GROUPS}{group.pk}/change/", {"name": "team"}).status_code == 302
    assert admin_client.post(f"{GROUPS}{group.pk}/delete/", {"post": "yes"}).status_code == 302
    assert noted() == [
        ("group deleted", "team", {"name": "team", "permissions": []}, {}),
        ("group changed", "team", {"permissions": [str(may)]}, {"permissions": []}),
        ("group added", "team", {}, {"name": "team", "permissions": [str(may)]}),
    ]


def test_who_is_deleted_leaves_the_apps_and_both_are_noted(admin_client: Client, acme: App) -> None:
    admit(acme, "carol")
    bob = admit(acme, "bob", Role.EDITOR)
    assert delete(admin_client, bob).status_code == 302
    gone, left = noted()
    assert gone[:2] == ("user deleted", "bob")
    assert gone[2]["username"] == "bob"
    assert left == ("members changed", "acme", {"bob": "editor"}, {})
    assert not User.objects.filter(username="bob").exists()


@pytest.mark.parametrize("others", [(), ("carol",)])
def test_the_only_owners_of_an_app_cannot_be_deleted(admin_client: Client, acme: App, others: tuple[str, ...]) -> None:
    owners = [admit(acme, name) for name in ("bob", *others)]
    body = [delete(admin_client, *owners).content.decode()]
    if not others:
        body.append(admin_client.get(f"{PEOPLE}{owners[0].pk}/delete/").content.decode())
    assert all("the only owner of acme" in page for page in body)
    assert set(User.objects.values_list("username", flat=True)) == {"admin", "bob", *others}
    assert noted() == []


def test_an_owner_beside_another_may_go(admin_client: Client, acme: App) -> None:
    bob = admit(acme, "bob")
    admit(acme, "carol")
    stranger = User.objects.create_user("stranger")
    assert delete(admin_client, bob, stranger).status_code == 302
    assert set(User.objects.values_list("username", flat=True)) == {"admin", "carol"}
    assert [action for action, *_ in noted()] == ["user deleted", "user deleted", "members changed"]


def test_nobody_goes_if_another_owner_went_meanwhile(
    admin_client: Client, acme: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, carol = admit(acme, "bob"), User.objects.create_user("carol")
    monkeypatch.setattr(admin, "without_owner", lambda _: [])
    assert delete(admin_client, bob).status_code == 403
    assert delete(admin_client, bob, carol).status_code == 403
    assert User.objects.filter(username__in=["bob", "carol"]).count() == 2
    assert noted() == []


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_who_takes_an_owner_out_waits_for_whoever_else_does() -> None:
    app = make_app("acme")
    bob, carol = admit(app, "bob"), admit(app, "carol")
    waited: list[str] = []

    def meanwhile() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        try:
            set_member(app, carol, None, "operator:carol")
        except OperationalError as error:
            waited.append(str(error))
        leave()

    with transaction.atomic():
        set_member(app, bob, None, "operator:bob")
        other = Thread(target=meanwhile)
        other.start()
        other.join()
    assert "lock timeout" in waited[0]
    with pytest.raises(LastOwner):
        set_member(app, carol, None, "operator:carol")

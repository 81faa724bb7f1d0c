"""Apps, agents and keys in the admin."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Memory
from memsite.tenancy.admin import POLICY_GROUPS, PolicyInline
from memsite.tenancy.keys import create_key, find_key
from memsite.tenancy.models import (
    Agent,
    ApiKey,
    App,
    AppPolicy,
    AppStatus,
    AuditEntry,
    IdempotentAnswer,
    Membership,
    PurgePermit,
    WriteRate,
)
from memsite.tenancy.policy import POLICY_FIELDS, preset_values
from tests.conftest import Caller, client_with, make_app
from tests.dashboard.pages import elements
from tests.tables import each_row

APPS, AGENTS, KEYS = "/admin/tenancy/app/", "/admin/tenancy/agent/", "/admin/tenancy/apikey/"
HOSTILE = "<script>alert(1)</script>"
KEY = re.compile(r"mst_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")


@pytest.fixture(autouse=True)
def few_time_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app's page lists all 600 of them twice, which takes longer than all else of it. `test_roles` has that page."""
    field = AppPolicy._meta.get_field("time_zone")
    offered = ("UTC", "Europe/Berlin", "Asia/Tokyo")
    monkeypatch.setattr(field, "choices", [choice for choice in field.choices if str(choice[0]) in offered])


@pytest.fixture
def short_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app's page with one field of the policy, for what is about its other fields."""
    monkeypatch.setattr(PolicyInline, "fieldsets", [(None, {"fields": ["memory_limit"]})])


def say(answer: Any) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def act(client: Client, base: str, action: str, *rows: Any) -> Any:
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(base, data, follow=True)


def queries_of(client: Client, url: str) -> int:
    client.get(url)  # content types are cached from here on
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
        return len(queries)


def policy_errors(answer: Any) -> dict[str, list[str]]:
    assert answer.status_code == 200
    (errors,) = answer.context["inline_admin_formsets"][1].formset.errors
    return dict(errors)


def app_form(client: Client, app: App, **changes: Any) -> dict[str, Any]:
    """What a browser would send: the app's fields, its policy's and its members', and what was there before.

    The page takes a fifth of a second: a test opens it once, and sends what it showed with other changes.
    """
    page = client.get(f"{APPS}{app.pk}/change/")
    context, hidden = page.context, elements(page, "input", type="hidden")
    before = {item["name"]: item.get("value", "") for item in hidden if item["name"].startswith("initial-")}
    sets = [inline.formset for inline in context["inline_admin_formsets"]]
    forms = [context["adminform"].form, *(form for item in sets for form in (item.management_form, *item.forms))]
    data = {bound.html_name: bound.value() for form in forms for bound in form}
    return {
        name: value for name, value in (before | data | changes).items() if value is not None and value is not False
    }


# --- the site


def test_site_is_called_memsite(admin_client: Client) -> None:
    text = admin_client.get("/admin/").content.decode()
    assert "Memsite" in text
    assert "Django administration" not in text
    assert 'href="/"' in text


def test_bookkeeping_is_not_registered() -> None:
    for model in (IdempotentAnswer, PurgePermit, WriteRate, AppPolicy):
        assert not admin.site.is_registered(model)


@each_row("url", [APPS, AGENTS, KEYS, "/admin/", f"{APPS}add/", f"{AGENTS}add/"])
def test_pages_need_an_operator(client: Client, admin_client: Client, url: str) -> None:
    assert admin_client.get(url).status_code == 200
    assert client.get(url).status_code == 302


def test_no_page_of_ours_has_inline_scripts_or_styles(admin_client: Client, alice: Caller) -> None:
    for url in (APPS, f"{APPS}{alice.app.pk}/change/", AGENTS, f"{AGENTS}{alice.agent.pk}/change/", KEYS):
        text = admin_client.get(url).content.decode()
        assert " style=" not in text
        assert not re.search(r"<script(?![^>]*\ssrc=)[^>]*>", text), url


# --- apps


def test_list_tells_how_many_memories_there_are_and_counts_none(
    admin_client: Client, alice: Caller, charlie: Caller
) -> None:
    alice.remember("One.")
    put_away = alice.remember("Two, quite different.")
    alice.remember("Something else altogether.")
    alice.patch(f"memories/{put_away['id']}", {"status": "archived"})
    with CaptureQueriesContext(connection) as statements:
        answer = admin_client.get(APPS)
    assert [query["sql"] for query in statements if "memories_memory" in query["sql"]] == []
    few = queries_of(admin_client, APPS)
    for index in range(10):
        make_app(f"app-{index}")
    assert queries_of(admin_client, APPS) <= few
    page = answer.content.decode()
    assert f'<a href="/admin/memories/memory/?app__id__exact={alice.app.pk}">2</a>' in page
    assert "Active and inactive memories" in page


def test_new_app_has_its_presets_policy(admin_client: Client, db: None) -> None:
    answer = admin_client.post(f"{APPS}add/", {"app_id": "ops-1", "name": "Ops", "preset": "compact"})
    assert answer.status_code == 302
    app = App.objects.get(app_id="ops-1")
    assert {name: getattr(app.policy, name) for name in POLICY_FIELDS} | {"time_zone": "UTC"} == (
        preset_values("compact") | {"time_zone": "UTC"}
    )


@each_row("app_id", ["Acme", "a b", "", "acme"])
def test_wrong_app_ids_are_refused(admin_client: Client, acme: App, app_id: str) -> None:
    answer = admin_client.post(f"{APPS}add/", {"app_id": app_id, "name": "X", "preset": "ops"})
    assert answer.status_code == 200
    assert App.objects.count() == 1


def test_every_policy_field_is_on_the_page(admin_client: Client, acme: App) -> None:
    displayed = [name for _, names in POLICY_GROUPS for name in names]
    assert sorted(displayed) == sorted(POLICY_FIELDS)
    text = admin_client.get(f"{APPS}{acme.pk}/change/").content.decode()
    for name in POLICY_FIELDS:
        assert f'name="policy-0-{name}"' in text


def test_policy_is_edited(admin_client: Client, acme: App) -> None:
    data = app_form(admin_client, acme, **{"policy-0-memory_limit": "500", "policy-0-ttl_days": '{"work": 7}'})
    assert admin_client.post(f"{APPS}{acme.pk}/change/", data).status_code == 302
    policy = AppPolicy.objects.get(app=acme)
    assert (policy.memory_limit, policy.ttl_days) == (500, {"work": 7})
    assert policy.turn_limit == 10


WRONG_VALUES = [
    {
        "economy_limit": "50",
        "inactive_below": "1.5",
        "memory_limit": "0",
        "ttl_days": '{"work": 0}',
        "marker_categories": '["Not one"]',
        "time_zone": "Mars/Base",
    },
    {"ttl_days": '{"work": NaN}', "time_zone": "x" * 5000},
    {"ttl_days": "[" * 5000},
]


def test_wrong_policy_values_are_refused(admin_client: Client, acme: App) -> None:
    before = AppPolicy.objects.filter(app=acme).values().get()
    data = app_form(admin_client, acme)
    for wrong in WRONG_VALUES:
        typed = {f"policy-0-{field}": value for field, value in wrong.items()}
        answer = admin_client.post(f"{APPS}{acme.pk}/change/", data | typed)
        assert policy_errors(answer).keys() == wrong.keys()
        assert AppPolicy.objects.filter(app=acme).values().get() == before


def test_a_list_of_origins_may_be_empty(admin_client: Client, acme: App) -> None:
    AppPolicy.objects.update(approval_origins=["web"])
    data = app_form(admin_client, acme)
    for typed in ("", "[]", "null", "{}"):
        AppPolicy.objects.update(review_origins=acme.policy.review_origins, approval_origins=["web"])
        lists = {"policy-0-review_origins": typed, "policy-0-approval_origins": typed}
        assert admin_client.post(f"{APPS}{acme.pk}/change/", data | lists).status_code == 302
        policy = AppPolicy.objects.get()
        assert (policy.review_origins, policy.approval_origins) == ([], []), typed


@pytest.mark.usefixtures("short_policy")
def test_app_id_stays_what_it_is(admin_client: Client, acme: App) -> None:
    data = app_form(admin_client, acme, app_id="other", name="Renamed")
    assert admin_client.post(f"{APPS}{acme.pk}/change/", data).status_code == 302
    acme.refresh_from_db()
    assert (acme.app_id, acme.name) == ("acme", "Renamed")


@pytest.mark.usefixtures("short_policy")
def test_changing_the_preset_says_what_it_does_not_do(admin_client: Client, acme: App) -> None:
    data = app_form(admin_client, acme, preset="compact")
    answer = admin_client.post(f"{APPS}{acme.pk}/change/", data, follow=True)
    assert any("Apply the preset" in message for message in say(answer))
    assert AppPolicy.objects.get(app=acme).memory_limit == 100_000
    assert say(act(admin_client, APPS, "apply_preset", acme)) == ["1 have their preset's numbers."]
    assert AppPolicy.objects.get(app=acme).memory_limit == 10


def test_uninstall_and_install_again(admin_client: Client, alice: Caller) -> None:
    alice.remember("Stays.")
    assert say(act(admin_client, APPS, "uninstall", alice.app)) == ["1 set to uninstalled."]
    assert App.objects.get().status == AppStatus.UNINSTALLED
    assert alice.get("memories").status_code == 401
    assert Memory.objects.count() == 1
    act(admin_client, APPS, "reinstall", alice.app)
    assert alice.get("memories").status_code == 200


def test_apps_and_agents_are_not_deleted(admin_client: Client, alice: Caller) -> None:
    for base, row in ((APPS, alice.app), (AGENTS, alice.agent)):
        assert admin_client.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        act(admin_client, base, "delete_selected", row)
        assert type(row).objects.filter(pk=row.pk).exists()


# --- two at once

MEANWHILE: dict[str, Any] = {
    "capture_summaries": True,
    "share_memories": True,
    "inject_unreviewed": False,
    "marker_categories": ["pets"],
    "ttl_days": {"pets": 9},
    "review_origins": [],
    "decay_exempt_from": 0.95,
    "daily_cost": 0.1,
    "daily_tokens": 10**12,
    "ranking": "recent",
    "max_characters": 999,
    "useful_above": 0.1 + 0.2,
    "time_zone": "Europe/Berlin",
}


@pytest.mark.parametrize("turned", [False, True])
def test_a_page_that_was_opened_before_reverts_nothing(admin_client: Client, acme: App, turned: bool) -> None:
    first = {name: getattr(acme.policy, name) for name in MEANWHILE}
    if turned:
        AppPolicy.objects.update(**MEANWHILE)
    data = app_form(admin_client, acme, **{"policy-0-memory_limit": "500"})
    now = first if turned else MEANWHILE
    AppPolicy.objects.update(**now)
    assert admin_client.post(f"{APPS}{acme.pk}/change/", data).status_code == 302
    policy = AppPolicy.objects.get()
    assert {name: getattr(policy, name) for name in now} | {"time_zone": str(policy.time_zone)} == (
        now | {"time_zone": str(now["time_zone"])}
    )
    assert policy.memory_limit == 500
    line = AuditEntry.objects.get()
    assert (line.before, line.after) == ({"memory_limit": 100_000}, {"memory_limit": 500})


TWO_HAVE_SET = [
    ("memory_limit", 300, "500", "300", 500),
    ("daily_cost", 2.5, "1", "2.5", 1.0),
    ("ttl_days", {"work": 9}, '{"work": 7}', '{"work": 9}', {"work": 7}),
    ("approval_origins", ["web"], '["tool"]', '["web"]', ["tool"]),
    ("ranking", "recent", "dual", "recent", "dual"),
]
"""A field, what another one sets it to, what is typed, what the page tells of the other one, what is kept then."""


def test_what_two_have_set_is_told_to_the_second(admin_client: Client, acme: App) -> None:
    url, fields = f"{APPS}{acme.pk}/change/", [field for field, *_ in TWO_HAVE_SET]
    data = app_form(admin_client, acme, **{f"policy-0-{field}": typed for field, _, typed, _, _ in TWO_HAVE_SET})
    others = {field: meanwhile for field, meanwhile, *_ in TWO_HAVE_SET}
    AppPolicy.objects.update(**others)
    answer = admin_client.post(url, data)
    assert policy_errors(answer) == {
        field: [
            f"Somebody else has set this to {output} since the page was opened. "
            "Save again to set it to what is typed here."
        ]
        for field, _, _, output, _ in TWO_HAVE_SET
    }
    assert AppPolicy.objects.values(*fields).get() == others
    for field in fields:
        (hidden,) = elements(answer, "input", name=f"initial-policy-0-{field}")
        data[hidden["name"]] = hidden["value"]
    assert admin_client.post(url, data).status_code == 302
    assert AppPolicy.objects.values(*fields).get() == {field: then for field, _, _, _, then in TWO_HAVE_SET}


def test_two_who_set_the_same_are_one(admin_client: Client, acme: App) -> None:
    data = app_form(admin_client, acme, name="New", **{"policy-0-time_zone": "Asia/Tokyo"})
    data["policy-0-ttl_days"] = '{"b": 2, "a": 1}'
    App.objects.update(name="New")
    AppPolicy.objects.update(time_zone="Asia/Tokyo", ttl_days={"a": 1, "b": 2})
    assert admin_client.post(f"{APPS}{acme.pk}/change/", data).status_code == 302
    assert AuditEntry.objects.count() == 0


@pytest.mark.usefixtures("short_policy")
def test_roles_and_names_stay_as_others_made_them(admin_client: Client, acme: App) -> None:
    for name in ("bob", "carol"):
        admit(acme, name, "owner")
    data = app_form(admin_client, acme, preset="ops", **{"members-1-role": "editor"})
    Membership.objects.filter(user__username="bob").update(role="viewer")
    App.objects.update(name="Renamed", change_number=9)
    answer = admin_client.post(f"{APPS}{acme.pk}/change/", data)
    assert "An app needs an owner" in answer.content.decode()
    data["members-1-role"] = "owner"
    assert admin_client.post(f"{APPS}{acme.pk}/change/", data).status_code == 302
    assert roles_in(acme) == {"bob": "viewer", "carol": "owner"}
    acme.refresh_from_db()
    assert (acme.name, acme.preset, acme.change_number) == ("Renamed", "ops", 9)


@each_row("page, text", product(["tenancy/agent", "memories/memory"], ["x", "nan", "\0", f"{10**20}"]))
def test_what_is_no_app_is_none(admin_client: Client, acme: App, page: str, text: str) -> None:
    """As in an address that somebody has changed by hand."""
    url = f"/admin/{page}/add/"
    assert admin_client.get(url, {"app": text}).status_code == 200
    assert admin_client.post(url, {"app": text}).context["adminform"].form.errors["app"]


# --- members


def admit(app: App, name: str, role: str = "viewer", is_active: bool = True) -> Membership:
    user = User.objects.create_user(name, is_active=is_active)
    return Membership.objects.create(app=app, user=user, role=role)


@pytest.mark.usefixtures("short_policy")
def test_who_may_only_look_sees_who_the_members_are(client: Client, acme: App) -> None:
    admit(acme, "carol", "owner")
    bob = admit(acme, "bob").user
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    client.force_login(bob)
    page = client.get(f"{APPS}{acme.pk}/change/").content.decode()
    assert re.findall(r'"field-username">\s*<p>(.*?)</p>', page) == ["bob", "carol"]


def new_members(number: int, *rows: tuple[str, str]) -> dict[str, Any]:
    """Rows added below `number` that are there: name and role."""
    data: dict[str, Any] = {"members-TOTAL_FORMS": number + len(rows)}
    for index, (name, role) in enumerate(rows, start=number):
        data |= {f"members-{index}-username": name, f"members-{index}-role": role}
    return data


def member_errors(answer: Any) -> list[dict[str, list[str]]]:
    assert answer.status_code == 200
    return list(answer.context["inline_admin_formsets"][0].formset.errors)


def roles_in(app: App) -> dict[str, str]:
    return dict(Membership.objects.for_app(app).values_list("user__username", "role"))


@pytest.mark.usefixtures("short_policy")
def test_members_are_let_in_once(admin_client: Client, acme: App) -> None:
    admit(acme, "bob")
    User.objects.create_user("carol")
    url, there = f"{APPS}{acme.pk}/change/", {"username": ["This name is there already: set the role in its row."]}
    again, data = new_members(1, ("bob", "editor")), app_form(admin_client, acme)
    answer = admin_client.post(url, {**data, "name": "Typed", **again})
    assert member_errors(answer) == [{}, there]
    assert 'value="Typed"' in answer.content.decode()
    twice = new_members(1, ("carol", "editor"), ("carol", "viewer"))
    assert member_errors(admin_client.post(url, data | twice)) == [{}, {}, there]
    assert roles_in(acme) == {"bob": "viewer"}
    anew = {"members-0-DELETE": "on", **again}
    assert admin_client.post(url, data | anew).status_code == 302
    assert roles_in(acme) == {"bob": "editor"}


@pytest.mark.usefixtures("short_policy")
def test_a_member_who_may_not_sign_in_any_more_holds_nothing_up(admin_client: Client, acme: App) -> None:
    admit(acme, "bob", is_active=False)
    User.objects.create_user("carol", is_active=False)
    url = f"{APPS}{acme.pk}/change/"
    data = app_form(admin_client, acme, name="Renamed", **{"members-0-role": "editor"})
    assert admin_client.post(url, data).status_code == 302
    assert roles_in(acme) == {"bob": "editor"}
    errors = member_errors(admin_client.post(url, data | new_members(1, ("carol", "viewer"))))
    assert errors == [{}, {"username": ["There is no user with this name."]}]


@pytest.mark.usefixtures("short_policy")
def test_an_unknown_name_is_told_beside_the_others(admin_client: Client, acme: App) -> None:
    admit(acme, "bob")
    rows = new_members(1, ("nobody", "viewer"), ("bob", "viewer"), ("", "viewer"))
    errors = member_errors(admin_client.post(f"{APPS}{acme.pk}/change/", app_form(admin_client, acme, **rows)))
    assert [list(row) for row in errors] == [[], ["username"], ["username"], []]


@pytest.mark.parametrize("change", [{"members-0-DELETE": "on"}, {"members-0-role": "editor"}])
@pytest.mark.usefixtures("short_policy")
def test_the_last_owner_stays(admin_client: Client, acme: App, change: dict[str, str]) -> None:
    admit(acme, "bob", "owner")
    admit(acme, "carol")
    url = f"{APPS}{acme.pk}/change/"
    data = app_form(admin_client, acme, **change)
    answer = admin_client.post(url, data)
    assert answer.status_code == 200
    assert "An app needs an owner: make somebody else one first." in answer.content.decode()
    assert roles_in(acme) == {"bob": "owner", "carol": "viewer"}
    assert admin_client.post(url, {**data, "members-1-role": "owner"}).status_code == 302
    assert roles_in(acme)["carol"] == "owner"
    assert roles_in(acme).get("bob") in (None, "editor")


@pytest.mark.usefixtures("short_policy")
def test_an_owner_may_be_let_in_as_another_goes(admin_client: Client, acme: App) -> None:
    admit(acme, "bob", "owner")
    User.objects.create_user("carol")
    url, data = f"{APPS}{acme.pk}/change/", app_form(admin_client, acme, **{"members-0-DELETE": "on"})
    refused = admin_client.post(url, data | new_members(1, ("carol", "viewer")))
    assert refused.status_code == 200
    taken = admin_client.post(url, data | new_members(1, ("carol", "owner")))
    assert taken.status_code == 302
    assert roles_in(acme) == {"carol": "owner"}


@pytest.mark.usefixtures("short_policy")
def test_somebody_may_be_taken_out_by_two_at_once(admin_client: Client, acme: App) -> None:
    gone = admit(acme, "bob", "owner")
    admit(acme, "carol", "owner")
    data = app_form(admin_client, acme, **{"members-0-DELETE": "on"})
    gone.delete()
    assert admin_client.post(f"{APPS}{acme.pk}/change/", data).status_code == 302
    assert roles_in(acme) == {"carol": "owner"}


# --- agents and keys


def test_new_agent_gets_a_key_shown_once(admin_client: Client, acme: App) -> None:
    data = {"app": acme.pk, "name": "dora", "domain": "", "scopes": ["read", "write"]}
    answer = admin_client.post(f"{AGENTS}add/", data, follow=True)
    [text] = set(KEY.findall(answer.content.decode()))
    key = find_key(text, timezone.now())
    assert key is not None
    assert key.agent == Agent.objects.get(app=acme, name="dora")
    assert key.scopes == ["read", "write"]
    assert client_with(text).get("/api/v1/memories").status_code == 200
    for url in (AGENTS, f"{AGENTS}{key.agent_id}/change/", f"{AGENTS}{key.agent_id}/history/", KEYS, "/admin/"):
        assert text not in admin_client.get(url).content.decode()


def test_name_is_unique_in_its_app_only(admin_client: Client, alice: Caller, charlie: Caller) -> None:
    data = {"name": "alice", "domain": "", "scopes": ["read"]}
    refused = admin_client.post(f"{AGENTS}add/", {**data, "app": alice.app.pk})
    assert "an agent of this name already" in refused.content.decode()
    assert admin_client.post(f"{AGENTS}add/", {**data, "app": charlie.app.pk}).status_code == 302


def test_agent_keeps_its_name_and_app(admin_client: Client, alice: Caller, charlie: Caller) -> None:
    data = {"name": "mallory", "app": charlie.app.pk, "domain": "databases", "scopes": ["operator"]}
    assert admin_client.post(f"{AGENTS}{alice.agent.pk}/change/", data).status_code == 302
    agent = Agent.objects.get(pk=alice.agent.pk)
    assert (agent.name, agent.app, agent.domain) == ("alice", alice.app, "databases")
    assert agent.keys.count() == 1


def test_a_change_of_an_agents_domain_is_in_the_audit_log(admin_client: Client, alice: Caller) -> None:
    url = f"{AGENTS}{alice.agent.pk}/change/"
    for domain in ("databases", "databases", ""):
        assert admin_client.post(url, {"domain": domain}).status_code == 302
    lines = AuditEntry.objects.for_app(alice.app).order_by("pk").values("actor", "action", "subject", "before", "after")
    line = {"actor": "operator:admin", "action": "agent changed", "subject": "alice"}
    assert list(lines) == [
        {**line, "before": {"domain": ""}, "after": {"domain": "databases"}},
        {**line, "before": {"domain": "databases"}, "after": {"domain": ""}},
    ]


def test_another_key_for_rotation_but_no_third(admin_client: Client, alice: Caller) -> None:
    ApiKey.objects.filter(agent=alice.agent).update(scopes=["read"])
    answer = act(admin_client, AGENTS, "issue_key", alice.agent)
    [text] = set(KEY.findall(answer.content.decode()))
    key = find_key(text, timezone.now())
    assert key is not None
    assert key.scopes == ["read"]
    refused = act(admin_client, AGENTS, "issue_key", alice.agent)
    assert say(refused) == ["acme/alice has two live keys already: revoke one first."]
    assert ApiKey.objects.filter(agent=alice.agent).count() == 2


def test_revoked_key_stops_working(admin_client: Client, alice: Caller) -> None:
    key = alice.agent.keys.get()
    assert say(act(admin_client, KEYS, "revoke", key)) == ["1 revoked."]
    assert alice.get("memories").status_code == 401
    first = ApiKey.objects.get(pk=key.pk).revoked_at
    assert say(act(admin_client, KEYS, "revoke", key)) == ["0 revoked."]
    assert ApiKey.objects.get(pk=key.pk).revoked_at == first


def test_revoking_takes_the_right_to_govern(client: Client, alice: Caller, django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("stan", password="stan", is_staff=True)
    Membership.objects.create(app=alice.app, user=user, role="editor")
    client.force_login(user)
    act(client, KEYS, "revoke", alice.agent.keys.get())
    assert alice.get("memories").status_code == 200
    assert client.get(AGENTS).status_code == 200


def test_keys_are_shown_without_their_hash(admin_client: Client, alice: Caller) -> None:
    operators = create_key(None, ["operator"]).row
    for key in (alice.agent.keys.get(), operators):
        for url in (KEYS, f"{KEYS}{key.pk}/change/", f"{AGENTS}{alice.agent.pk}/change/"):
            text = admin_client.get(url).content.decode()
            assert key.key_hash not in text
            assert key.prefix in text or key is operators
    assert admin_client.get(f"{KEYS}add/").status_code == 403
    assert admin_client.post(f"{KEYS}{operators.pk}/delete/", {"post": "yes"}).status_code == 403


def test_keys_by_state(admin_client: Client, alice: Caller) -> None:
    now = timezone.now()
    create_key(alice.agent, ["read"], expires_at=now)
    ApiKey.objects.filter(pk=create_key(alice.agent, ["read"]).row.pk).update(revoked_at=now)
    for state in ("live", "revoked", "expired"):
        [key] = admin_client.get(f"{KEYS}?state={state}").context["cl"].result_list
        assert admin.site.get_model_admin(ApiKey).state(key) == state  # type: ignore[attr-defined]


@each_row("base", [AGENTS, KEYS], rolled_back=True)
def test_lists_do_not_ask_row_by_row(admin_client: Client, alice: Caller, base: str) -> None:
    few = queries_of(admin_client, base)
    for index in range(10):
        create_key(Agent.objects.create(app=alice.app, name=f"agent-{index}"), ["read"])
    assert queries_of(admin_client, base) <= few


def test_hostile_names_are_escaped(admin_client: Client, alice: Caller) -> None:
    App.objects.filter(pk=alice.app.pk).update(name=HOSTILE, app_id=HOSTILE)
    Agent.objects.filter(pk=alice.agent.pk).update(name=HOSTILE, domain=HOSTILE)
    key = alice.agent.keys.get()
    urls = [APPS, AGENTS, KEYS, f"{APPS}{alice.app.pk}/change/", f"{AGENTS}{alice.agent.pk}/change/"]
    for url in [*urls, f"{KEYS}{key.pk}/change/", "/admin/memories/memory/add/"]:
        answer = admin_client.get(url)
        assert answer.status_code == 200
        assert HOSTILE not in answer.content.decode(), url
    assert HOSTILE not in act(admin_client, AGENTS, "issue_key", alice.agent).content.decode()

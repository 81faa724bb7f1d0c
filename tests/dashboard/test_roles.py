"""What a role allows, in the admin and to a browser session at the API. Apps of others do not exist."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.template.response import TemplateResponse
from django.test import Client
from django.urls import reverse

from memories.models import Memory
from memsite import admin_site
from memsite.admin_site import SiteAdmin
from memsite.tenancy.admin import PolicyInline
from memsite.tenancy.governance import set_status
from memsite.tenancy.models import Agent, ApiKey, App, AppStatus, AuditEntry, Membership
from tests.conftest import Caller, make_app
from tests.dashboard.conftest import member, sign_in
from tests.tables import each_row
from tests.upkeep import upkeep_learn_due

OURS = {model: page for model, page in admin.site._registry.items() if isinstance(page, SiteAdmin)}
ROLES = ("viewer", "editor", "owner")
FORBIDDEN, ABSENT = 403, 404


def staff(app: App, role: str) -> Client:
    return member(f"staff-{role}-{app.app_id}", app, role, is_staff=True)


def lived_in(caller: Caller) -> None:
    """Something in most tables."""
    session = caller.start_session()["id"]
    text = "I am vegan. My dentist appointment is next Friday at 10."
    caller.post(f"sessions/{session}/messages", {"messages": [{"role": "user", "content": text}]})
    output = "[MEMORY:timing:dns] Takes 5s\n[MEMORY:misc] no\n[EVENT:info:dns] up"
    caller.put(f"sessions/{session}/turns/1", {"user_input": "hello", "llm_output": output})
    upkeep_learn_due()
    caller.post("context", {"query": "dns", "session_id": session})


def change_page(row: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def listed(client: Client, model: Any) -> set[int]:
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    answer = client.get(url)
    assert answer.status_code == 200, url
    return {row.pk for row in answer.context_data["cl"].result_list}


# --- the admin


@pytest.fixture
def two_apps(alice: Caller, charlie: Caller) -> App:
    for caller in (alice, charlie):
        lived_in(caller)
    return alice.app


@pytest.fixture
def without_navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of the admin list no other pages: whether one may see them is asked for each of 30, twice."""
    monkeypatch.setattr(admin.site, "get_app_list", lambda *_: [])


@pytest.fixture
def unrendered(without_navigation: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of the admin answer with what would be on them: most of their time is HTML."""
    monkeypatch.setattr(TemplateResponse, "rendered_content", "")


@pytest.mark.usefixtures("unrendered")
def test_superusers_see_all_rows_whatever_the_table(two_apps: App) -> None:
    chief = sign_in("chief", is_superuser=True, is_staff=True)
    for model, page in OURS.items():
        if page.app_path:
            assert listed(chief, model) == {row.pk for row in model._default_manager.all()}, model


@pytest.mark.usefixtures("unrendered")
@each_row("role", ROLES, rolled_back=True)
def test_staff_see_rows_of_their_apps_only_whatever_the_table(two_apps: App, role: str) -> None:
    client, displayed = staff(two_apps, role), 0
    for model, page in OURS.items():
        all_rows = model._default_manager.all()
        if not page.app_path:
            url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            assert client.get(url).status_code == FORBIDDEN, "of the site, and so the superusers'"
            continue
        mine = all_rows.filter(**{page.app_path: two_apps.pk})
        assert listed(client, model) == {row.pk for row in mine}, model
        for row in set(all_rows) - set(mine):
            answer = client.get(change_page(row))
            assert (answer.status_code, answer.get("Location", "/admin/")) == (302, "/admin/"), change_page(row)
        displayed += mine.count()
    assert displayed > 20


@pytest.mark.usefixtures("without_navigation")
@each_row("role", ROLES, rolled_back=True)
def test_who_may_change_what_in_the_admin(alice: Caller, role: str) -> None:
    alice.remember("Whales sing")
    client = staff(alice.app, role)
    memory, agent, key = Memory.objects.first(), alice.agent, ApiKey.objects.get(agent=alice.agent)
    assert memory
    may = {"viewer": (False, False), "editor": (True, False), "owner": (True, True)}[role]
    question = {
        "admin:memories_memory_delete": (memory, may[0]),
        "admin:tenancy_agent_change": (agent, True),
    }
    for name, (row, allowed) in question.items():
        assert (client.get(reverse(name, args=[row.pk])).status_code == 200) is allowed, name
    assert (client.get(reverse("admin:memories_memory_add")).status_code == 200) is may[0]
    assert (client.get(reverse("admin:tenancy_agent_add")).status_code == 200) is may[1]
    assert client.get(reverse("admin:tenancy_app_add")).status_code == FORBIDDEN
    page = client.get(change_page(alice.app)).content.decode()
    assert ('name="policy-0-memory_limit"' in page) is may[1]
    assert ('name="members-0-role"' in page) is may[1]
    client.post(reverse("admin:tenancy_apikey_changelist"), {"action": "revoke", "_selected_action": [key.pk]})
    assert (alice.get("memories").status_code == 401) is may[1]


@pytest.mark.usefixtures("without_navigation")
def test_an_action_passes_over_rows_that_one_may_only_look_at(alice: Caller, charlie: Caller) -> None:
    client = staff(alice.app, "editor")
    user = User.objects.get(username="staff-editor-acme")
    Membership.objects.create(app=charlie.app, user=user, role="viewer")
    for caller in (alice, charlie):
        caller.remember("Backups run at night")
    data = {"action": "archive", "_selected_action": list(Memory.objects.values_list("pk", flat=True))}
    client.post("/admin/memories/memory/", data)
    assert dict(Memory.objects.values_list("app__app_id", "status")) == {"acme": "archived", "globex": "active"}


@pytest.mark.usefixtures("without_navigation")
def test_forms_offer_only_apps_in_which_one_may_add(alice: Caller, charlie: Caller) -> None:
    client = staff(alice.app, "owner")
    Membership.objects.create(app=charlie.app, user=User.objects.get(username="staff-owner-acme"), role="viewer")
    for model in ("memories.memory", "tenancy.agent"):
        assert offered(client, model) == offered(client, model, "ac") == ["acme"]
        assert offered(client, model, "globex") == []
        page = client.get(f"/admin/{model.replace('.', '/')}/add/").content.decode()
        assert 'data-ajax--url="/admin/autocomplete/"' in page
        assert "globex" not in page
    # Doors of what asks for no app, or has no page.
    assert offered(client, "memories.revision") == offered(client, "tenancy.membership") == []
    set_status(alice.app, AppStatus.UNINSTALLED, "test")
    assert offered(client, "memories.memory") == []
    assert offered(client, "tenancy.agent") == ["acme"]
    data = {"app": charlie.app.pk, "name": "spy", "domain": "", "scopes": ["read"]}
    assert client.post("/admin/tenancy/agent/add/", data).status_code == 200
    assert not Agent.objects.filter(name="spy").exists()


def offered(client: Client, model: str, typed: str = "") -> list[str]:
    """The apps that a form of the admin offers as one types."""
    label, name = model.split(".")
    question = {"app_label": label, "model_name": name, "field_name": "app", "term": typed}
    return [result["text"] for result in client.get("/admin/autocomplete/", question).json()["results"]]


def test_the_first_page_for_a_new_row_is_as_small_on_a_site_of_many_apps(admin_client: Client, alice: Caller) -> None:
    urls = ("/admin/memories/memory/add/", "/admin/tenancy/agent/add/")
    few = [len(admin_client.get(url).content) for url in urls]
    for number in range(40):
        make_app(f"app-{number}")
    assert [len(admin_client.get(url).content) for url in urls] == few
    assert len(offered(admin_client, "memories.memory")) == 20, "and more as one scrolls"
    typed = {"app": alice.app.pk, "name": ""}
    assert ">acme</option>" in admin_client.post(urls[1], typed).content.decode(), "what was chosen is still there"


def test_a_filter_names_what_it_is_set_to_also_where_there_are_more_than_it_offers(
    admin_client: Client, alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_site, "FILTER_CHOICES", 2)
    url, last = reverse("admin:memories_memory_changelist"), make_app("zeta")
    for app, others in ((charlie.app, []), (last, ["zeta"])):
        page = admin_client.get(url, {"app__id__exact": app.pk}).content.decode()
        sidebar = page[page.index('id="changelist-filter"') :]
        assert re.findall(r">(acme|globex|zeta)</a>", sidebar) == ["acme", "globex", *others]
        assert re.search(rf'<li class="selected">\s*<a[^>]*>{app.app_id}</a>', sidebar)
    assert "zeta" not in staff(alice.app, "owner").get(url, {"app__id__exact": last.pk}).content.decode()
    for value in ("none of them", "9" * 30):
        assert admin_client.get(url, {"app__id__exact": value}, follow=True).status_code == 200


@pytest.mark.usefixtures("without_navigation")
def test_filters_of_the_admin_name_no_other_app(alice: Caller, charlie: Caller) -> None:
    charlie.remember("Secret plans", category="globexian")
    charlie.start_session()
    client = staff(alice.app, "owner")
    for model, page in OURS.items():
        if not page.app_path:
            continue
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        answer = client.get(url)
        assert answer.status_code == 200, url
        assert "globex" not in answer.content.decode().casefold(), url


def test_owners_let_people_in_by_name_and_it_is_noted(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    # The page has a hundred fields of a policy twice.
    monkeypatch.setattr(PolicyInline, "fieldsets", [(None, {"fields": ["memory_limit"]})])
    client = staff(alice.app, "owner")
    User.objects.create_user("nora")
    page = client.get(change_page(alice.app))
    sets = [inline.formset for inline in page.context["inline_admin_formsets"]]
    forms = [page.context["adminform"].form, *(form for item in sets for form in (item.management_form, *item.forms))]
    data = {bound.html_name: bound.value() for form in forms for bound in form}
    data = {name: value for name, value in data.items() if value is not None and value is not False}
    data |= {"members-TOTAL_FORMS": 2, "members-1-username": "nora", "members-1-role": "editor"}
    assert client.post(change_page(alice.app), data).status_code == 302
    assert Membership.objects.get(user__username="nora").role == "editor"
    entry = AuditEntry.objects.get(action="members changed")
    assert (entry.actor, entry.after) == ("operator:staff-owner-acme", {"nora": "editor"})
    data["members-1-username"] = "nobody-of-this-name"
    assert "There is no user with this name" in client.post(change_page(alice.app), data).content.decode()


# --- the API's door for browsers


def api(client: Client, method: str, path: str, body: Any = None) -> int:
    call, statement = getattr(client, method), () if body is None else (body,)
    return int(call(f"/api/v1/{path}", *statement, content_type="application/json").status_code)


@each_row("role", ROLES, rolled_back=True)
def test_who_may_do_what_at_the_api(alice: Caller, role: str) -> None:
    client = member("m", alice.app, role)
    memory = alice.remember("Whales sing")["id"]
    may_curate, may_govern = role != "viewer", role == "owner"
    assert api(client, "get", "apps/acme") == 200
    assert api(client, "get", "apps/acme/memories") == 200
    assert api(client, "get", "apps/acme/agents") == 200
    assert api(client, "delete", f"apps/acme/memories/{memory}") == (200 if may_curate else FORBIDDEN)
    allowed = 200 if may_govern else FORBIDDEN
    assert api(client, "patch", "apps/acme", {"name": "Acme Ltd"}) == allowed
    assert api(client, "post", "apps/acme/agents", {"name": "dora"}) == (201 if may_govern else FORBIDDEN)
    assert api(client, "delete", "apps/acme/memories") == allowed
    assert api(client, "delete", f"keys/{ApiKey.objects.filter(agent=alice.agent).get().prefix}") == allowed
    assert api(client, "delete", "apps/acme") == allowed
    assert api(client, "post", "apps", {"app_id": "mine", "name": "Mine"}) == FORBIDDEN


def test_apps_of_others_do_not_exist_at_the_api(alice: Caller, charlie: Caller) -> None:
    client = member("m", alice.app, "owner")
    assert [app["app_id"] for app in client.get("/api/v1/apps").json()["results"]] == ["acme"]
    memory, key = charlie.remember("Trains run")["id"], ApiKey.objects.get(agent=charlie.agent)
    for method, path in (
        ("get", "apps/globex"),
        ("patch", "apps/globex"),
        ("delete", "apps/globex"),
        ("get", "apps/globex/memories"),
        ("delete", f"apps/globex/memories/{memory}"),
        ("post", "apps/globex/agents"),
        ("delete", f"keys/{key.prefix}"),
        ("get", "apps/globex/agents/charlie/keys"),
    ):
        foreign = client.generic(method.upper(), f"/api/v1/{path}", b"{}", content_type="application/json")
        absent = client.generic(
            method.upper(),
            f"/api/v1/{path.replace('globex', 'nowhere').replace(key.prefix, 'AAAAAAAA')}",
            b"{}",
            content_type="application/json",
        )
        assert foreign.status_code == absent.status_code == ABSENT, path
        assert foreign.json()["detail"] == absent.json()["detail"]
    charlie.app.refresh_from_db()
    assert (charlie.app.status, Memory.objects.for_app(charlie.app).count()) == (AppStatus.ACTIVE, 1)


def test_operators_keys_are_not_revoked_by_owners_of_an_app(alice: Caller, operator: Any) -> None:
    client = member("m", alice.app, "owner")
    key = ApiKey.objects.get(agent=None)
    assert api(client, "delete", f"keys/{key.prefix}") == ABSENT


def test_a_member_gets_through_no_endpoint_of_agents(alice: Caller) -> None:
    client = member("m", alice.app, "owner")
    for path in ("memories", "sessions", "events"):
        assert api(client, "get", path) == FORBIDDEN


# --- who did it


def test_changes_of_what_is_allowed_are_noted_with_who(alice: Caller) -> None:
    client = member("olga", alice.app, "owner")
    api(client, "patch", "apps/acme", {"name": "Acme Ltd", "policy": {"memory_limit": 7}})
    api(client, "post", "apps/acme/agents", {"name": "dora"})
    key = ApiKey.objects.get(agent__name="dora")
    api(client, "delete", f"keys/{key.prefix}")
    api(client, "delete", f"keys/{key.prefix}")
    alice.remember("Whales sing")
    api(client, "delete", "apps/acme/memories")
    api(client, "delete", "apps/acme")
    output = [(entry.action, entry.before, entry.after) for entry in AuditEntry.objects.order_by("id")]
    assert [action for action, *_ in output] == [
        "app changed",
        "policy changed",
        "agent created",
        "key issued",
        "key revoked",
        "memories purged",
        "app changed",
    ]
    assert output[0][1:] == ({"name": "Acme"}, {"name": "Acme Ltd"})
    assert output[1][1:] == ({"memory_limit": 100_000}, {"memory_limit": 7})
    assert output[-1][1:] == ({"status": "active"}, {"status": "uninstalled"})
    assert {entry.actor for entry in AuditEntry.objects.all()} == {"operator:olga"}
    assert key.key_hash not in str(output)
    assert "sing" not in str(output)

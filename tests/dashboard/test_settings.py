"""Settings: the app, its policy, agents and keys, members, purges, the audit log, export and import."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from memories.dashboard.views import settings as settings_apps
from memories.models import Import, Memory, Purge
from memsite.tenancy.audit import note
from memsite.tenancy.governance import audited
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy, AppStatus, AuditEntry, Membership
from memsite.tenancy.policy import POLICY_FIELDS, POLICY_GROUPS, PRESET_IS_FOR, Preset, preset_values
from tests.conftest import Caller, client_with
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, text_of
from tests.memories.import_export.moving import export
from tests.tables import each_row

PAGES = ("/settings", "/settings/policy", "/settings/agents", "/settings/members", "/settings/purge", "/settings/audit")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> & \"'"
COUNTS = {"memories": 1, "sessions": 0, "turns": 0, "resources": 0}
KEY = re.compile(r"mst_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")


def policy_data(client: Client, **changes: Any) -> dict[str, Any]:
    """What a browser sends after `changes` were typed."""
    form = client.get("/settings/policy").context["form"]
    typed = {bound.html_name: bound.value() for bound in form}
    displayed = {name: "" if value is None else value for name, value in typed.items() if value is not False}
    return {name: value for name, value in (displayed | changes).items() if value is not None}


def audit_lines() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", "actor"))


# --- the app


def test_an_owner_renames_uninstalls_and_installs_again(olga: Client, alice: Caller) -> None:
    assert olga.post("/settings", {"name": "Acme Ltd"}).status_code == 303
    assert App.objects.get().name == "Acme Ltd"
    assert "This field is required" in text_of(olga.post("/settings", {"name": ""}))
    olga.post("/settings/status", {"status": "uninstalled"})
    assert App.objects.get().status == AppStatus.UNINSTALLED
    assert alice.get("memories").status_code == 401
    assert "Install again" in text_of(olga.get("/settings"))
    olga.post("/settings/status", {"status": "active"})
    assert alice.get("memories").status_code == 200
    assert audit_lines() == [("app changed", "operator:olga")] * 3
    assert olga.post("/settings/status", {"status": "purging"}).status_code == 400


def test_what_is_written_while_an_app_gets_another_name_counts(
    olga: Client, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def audited_late(actor: str, app: App) -> Any:
        alice.remember("The clinic opens at nine")
        return audited(actor, app)

    monkeypatch.setattr(settings_apps, "audited", audited_late)
    assert olga.post("/settings", {"name": "Acme Ltd"}).status_code == 303
    app = App.objects.get()
    assert (app.name, app.memory_count, app.change_number) == ("Acme Ltd", 1, 1)


def test_superusers_add_apps_with_the_numbers_of_a_preset(sue: Client, olga: Client, alice: Caller) -> None:
    data = {"app_id": "initech", "name": "Initech", "preset": "compact"}
    answer = sue.post("/settings/apps?app=acme", data)
    assert answer["Location"] == "/settings/agents?app=initech"
    app = App.objects.select_related("policy").get(app_id="initech")
    assert (app.preset, app.policy.memory_limit) == ("compact", 10)
    assert ("app created", "operator:sue") in audit_lines()
    assert "already" in text_of(sue.post("/settings/apps?app=acme", data))
    assert "Lower-case letters" in text_of(sue.post("/settings/apps?app=acme", {**data, "app_id": "A b"}))
    assert olga.post("/settings/apps", {**data, "app_id": "mine"}).status_code == 403
    assert "Add an app" not in text_of(olga.get("/settings"))
    assert {"/settings?app=acme", "/settings?app=initech"} <= set(links(sue.get("/settings?app=acme")))


# --- the policy


def test_what_may_be_left_empty_says_what_that_means_and_so_does_0_of_a_budget(vera: Client) -> None:
    fields = vera.get("/settings/policy").context["form"].fields
    numbers = {name: field.help_text for name, field in fields.items() if isinstance(field, forms.FloatField)}
    numbers |= {"daily_tokens": fields["daily_tokens"].help_text}
    empty = {name for name, output in numbers.items() if "Empty: " in output}
    assert empty == {name for name in numbers if AppPolicy._meta.get_field(name).null}
    assert {name for name, output in numbers.items() if "0: " in output} >= {
        "daily_cost",
        "daily_tokens",
        "energy_floor",
    }


def test_every_number_is_told_with_what_it_means_and_what_the_preset_says(vera: Client, alice: Caller) -> None:
    assert sorted(name for _, names in POLICY_GROUPS for name in names) == sorted(POLICY_FIELDS)
    assert PRESET_IS_FOR.keys() == set(Preset)
    AppPolicy.objects.update(memory_limit=500)
    text = text_of(vera.get("/settings/policy"))
    for part in ("Memories the app may hold.", "standard: 100,000", "changed here", "500", *PRESET_IS_FOR.values()):
        assert part in text
    assert text.count("changed here") == 1
    assert text.count("standard: none") == 4, "where no number, no origin is set"
    assert "Save the policy" not in text
    assert "Set all" not in text


def test_an_owner_changes_numbers(olga: Client, alice: Caller) -> None:
    assert olga.post("/settings/policy", policy_data(olga)).status_code == 303
    assert audit_lines() == [], "saved without a change"
    data = policy_data(
        olga,
        memory_limit="500",
        capture_summaries="on",
        daily_cost="2.5",
        ttl_days="work 30, pets 9",
        marker_categories="timing, pets",
        time_zone="Europe/Berlin",
        capture_markers=None,
    )
    assert olga.post("/settings/policy", data).status_code == 303
    policy = AppPolicy.objects.get()
    assert (policy.memory_limit, policy.capture_summaries, policy.daily_cost) == (500, True, 2.5)
    assert (policy.ttl_days, policy.marker_categories) == ({"work": 30, "pets": 9}, ["timing", "pets"])
    assert (str(policy.time_zone), policy.capture_markers) == ("Europe/Berlin", False)
    assert text_of(olga.get("/settings/policy")).count("changed here") == 7
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.after["memory_limit"]) == ("policy changed", "operator:olga", 500)
    assert olga.post("/settings/policy", policy_data(olga, daily_cost="")).status_code == 303
    assert AppPolicy.objects.get().daily_cost is None


def test_the_guidance_is_edited_on_the_page(olga: Client, alice: Caller) -> None:
    assert olga.post("/settings/policy", policy_data(olga, guidance="Never keep prices.")).status_code == 303
    assert AppPolicy.objects.get().guidance == "Never keep prices."
    assert "Never keep prices." in text_of(olga.get("/settings/policy"))


def test_what_is_wrong_is_said_once(olga: Client) -> None:
    names = ("review_origins", "approval_origins")
    answer = olga.post("/settings/policy", policy_data(olga, **dict.fromkeys(names, "nobody")))
    assert [len(answer.context["form"].errors[name]) for name in names] == [1, 1]


def test_a_browser_sends_what_may_be_empty(olga: Client, alice: Caller) -> None:
    page = olga.get("/settings/policy")
    for name in ("review_origins", "approval_origins", "daily_cost"):
        assert all("required" not in element for element in elements(page, "input", name=name)), name
    assert (
        olga.post("/settings/policy", policy_data(olga, review_origins="", approval_origins="web")).status_code == 303
    )
    policy = AppPolicy.objects.get()
    assert (policy.review_origins, policy.approval_origins) == ([], ["web"])


def loaded(client: Client) -> dict[str, Any]:
    """The page's form, with what each field was when the page was loaded."""
    return policy_data(client) | initials(client.get("/settings/policy"))


def initials(page: Any) -> dict[str, str]:
    inputs = elements(page, "input", type="hidden")
    return {results["name"]: results.get("value", "") for results in inputs if results["name"].startswith("initial-")}


def test_what_others_changed_since_the_page_was_loaded_stays(olga: Client, alice: Caller) -> None:
    page = loaded(olga)
    changes = {"memory_limit": 5, "ttl_days": {"work": 3}, "time_zone": "Asia/Tokyo", "capture_summaries": True}
    AppPolicy.objects.update(**changes, review_origins=["web"], daily_cost=1.5)
    assert olga.post("/settings/policy", {**page, "max_characters": "999"}).status_code == 303
    policy = AppPolicy.objects.get()
    assert {name: getattr(policy, name) for name in changes} == {**changes, "time_zone": ZoneInfo("Asia/Tokyo")}
    assert (policy.review_origins, policy.daily_cost, policy.max_characters) == (["web"], 1.5, 999)
    (line,) = AuditEntry.objects.all()
    assert line.after == {"max_characters": 999}


def test_what_two_people_change_at_once_is_said(olga: Client, alice: Caller) -> None:
    page = loaded(olga)
    AppPolicy.objects.update(memory_limit=5, ttl_days={"work": 3})
    answer = olga.post("/settings/policy", {**page, "memory_limit": "7", "ttl_days": "work 4", "max_characters": "999"})
    for stored in ("5", "work 3"):
        assert f"Somebody else has set this to {stored} since the page was opened." in text_of(answer)
    assert AppPolicy.objects.get().max_characters != 999
    again = {**page, **initials(answer), "memory_limit": "7", "ttl_days": "work 4"}
    assert olga.post("/settings/policy", again).status_code == 303
    policy = AppPolicy.objects.get()
    assert (policy.memory_limit, policy.ttl_days) == (7, {"work": 4}), "who has read it and saves again means it"


CANNOT_BE = [
    {
        "memory_limit": ("0", "greater than or equal to 1"),
        "useful_above": ("1.5", "less than or equal to 1"),
        "ttl_days": ("work", "A name and a number each"),
        "marker_categories": ("Ti ming", "Lower-case letters"),
        "economy_limit": ("50", "cannot inject more than turn_limit"),
        "ranking": ("nonsense", "Select a valid choice"),
        "time_zone": ("Mars/Olympus", "not one of the available choices"),
    },
    {
        "useful_above": ("much", "Enter a number"),
        "ttl_days": ("work 0", "whole number of days"),
        "time_zone": ("../UTC", "not one of the available choices"),
    },
    {
        "ttl_days": ("work 90, pets 9, work 80", "Each name once. Given more than once: work."),
        "time_zone": ("x" * 5000, "not one of the available choices"),
    },
    {"ttl_days": ("90, 80", "Lower-case letters")},
    {"ttl_days": ("", "This field is required")},
]
"""What is typed into the fields of one form, and what is said beside each."""


def test_what_cannot_be_is_said_beside_it_and_nothing_is_saved(olga: Client, alice: Caller) -> None:
    page = policy_data(olga, max_characters="999")
    for wrong in CANNOT_BE:
        answer = olga.post("/settings/policy", page | {field: typed for field, (typed, _) in wrong.items()})
        assert answer.status_code == 200
        text, errors = text_of(answer), answer.context["form"].errors
        assert "Nothing was saved" in text
        assert errors.keys() == wrong.keys()
        for field, (_, says) in wrong.items():
            assert says in text, field
            assert says in " ".join(errors[field]), field
        assert AppPolicy.objects.get().max_characters == 2000


def test_hundreds_of_time_zones_are_shown_at_once(olga: Client, alice: Caller) -> None:
    AppPolicy.objects.update(time_zone="Asia/Tokyo")
    answer = olga.get("/settings/policy")
    zones = [option["value"] for option in elements(answer, "option") if "/" in option["value"]]
    assert {"Asia/Tokyo", "Europe/Berlin", "America/Argentina/Buenos_Aires"} <= set(zones)
    assert len(zones) == len(set(zones)) > 400
    assert [element["value"] for element in elements(answer, "option", selected="") if "/" in element["value"]] == [
        "Asia/Tokyo"
    ]
    assert len(answer.templates) < len(zones), "a template for each takes longer than all else on the page"


def test_a_preset_sets_every_number(olga: Client, alice: Caller) -> None:
    AppPolicy.objects.update(turn_limit=7)
    olga.post("/settings/policy/preset", {"preset": "knowledge"})
    policy = AppPolicy.objects.get()
    assert all(
        getattr(policy, name) == value for name, value in preset_values("knowledge").items() if name != "time_zone"
    )
    assert App.objects.get().preset == "knowledge"
    assert "changed here" not in text_of(olga.get("/settings/policy"))
    assert {action for action, _ in audit_lines()} == {"app changed", "policy changed"}
    assert olga.post("/settings/policy/preset", {"preset": "x"}).status_code == 400


# --- agents and keys


def shown_key(answer: Any) -> str:
    (key,) = set(KEY.findall(answer.content.decode()))
    return str(key)


def test_an_agent_comes_with_a_key_that_is_shown_once(olga: Client, alice: Caller) -> None:
    data = {"name": "dora", "domain": "ops", "scopes": ["read"]}
    answer = olga.post("/settings/agents", data, headers=HTMX)
    client = client_with(shown_key(answer))
    assert client.get("/api/v1/memories").status_code == 200
    assert client.post("/api/v1/memories", {"content": "x"}).status_code == 403
    assert not KEY.search(olga.get("/settings/agents").content.decode())
    assert audit_lines() == [("agent created", "operator:olga"), ("key issued", "operator:olga")]
    assert "already" in text_of(olga.post("/settings/agents", data, headers=HTMX))
    for wrong in ({"name": "a b"}, {"scopes": []}, {"scopes": ["root"]}, {"domain": "!"}):
        answer = olga.post("/settings/agents", {**data, "name": "emil", **wrong}, headers=HTMX)
        assert not KEY.search(answer.content.decode()), wrong
    assert Agent.objects.count() == 2


def test_keys_are_rotated_and_revoked(olga: Client, alice: Caller) -> None:
    later = f"{timezone.now() + timedelta(days=9):%Y-%m-%d}"
    url = "/settings/agents/alice/keys"
    answer = olga.post(url, {"scopes": ["read", "write"], "expires_on": later}, headers=HTMX)
    second = client_with(shown_key(answer))
    assert second.get("/api/v1/memories").status_code == alice.get("memories").status_code == 200
    assert ApiKey.objects.get(expires_at__isnull=False).expires_at.isoformat().startswith(later)
    assert "two live keys already" in text_of(olga.post(url, {"scopes": ["read"]}, headers=HTMX))
    old = ApiKey.objects.get(expires_at=None)
    olga.post(f"/settings/keys/{old.prefix}/revoke")
    assert alice.get("memories").status_code == 401
    text = text_of(olga.get("/settings/agents"))
    assert "do not work any more" in text
    assert audit_lines() == [("key issued", "operator:olga"), ("key revoked", "operator:olga")]
    assert "Lies in the past" in text_of(olga.post(url, {"scopes": ["read"], "expires_on": "2001-01-01"}, headers=HTMX))
    assert olga.post("/settings/agents/nobody/keys", {"scopes": ["read"]}).status_code == 404
    assert olga.post("/settings/keys/nothing/revoke").status_code == 404


def test_a_form_for_a_key_that_is_refused_stays_as_it_was_typed(olga: Client, alice: Caller) -> None:
    Agent.objects.create(app=alice.app, name="dora")
    typed = {"scopes": ["operator"], "expires_on": "2001-01-01"}
    answer = olga.post("/settings/agents/dora/keys", typed, headers=HTMX)
    assert [element.get("value") for element in elements(answer, "input", name="expires_on")] == [None, "2001-01-01"]
    ticked = [element["value"] for element in elements(answer, "input", name="scopes") if "checked" in element]
    assert ticked == ["read", "write", "operator", "read", "write"], "alice's form, dora's, and that for a new agent"
    assert [1 for element in elements(answer, "details") if "open" in element] == [1]


# --- members


def test_owners_let_people_in_change_their_role_and_take_them_out(olga: Client, alice: Caller) -> None:
    User.objects.create_user("nora")
    olga.post("/settings/members", {"name": "nora", "role": "viewer"})
    olga.post("/settings/members", {"name": "nora", "role": "editor"})
    assert Membership.objects.get(user__username="nora").role == "editor"
    assert "nora" in text_of(olga.get("/settings/members"))
    refused = text_of(olga.post("/settings/members", {"name": "x", "role": "viewer"}))
    assert "There is no user with this name. A superuser adds people in the admin" in refused
    assert "a superuser adds one in the admin, under Users" in refused
    olga.post("/settings/members/nora/remove")
    assert not Membership.objects.filter(user__username="nora").exists()
    assert audit_lines() == [("members changed", "operator:olga")] * 3


def test_the_last_owner_stays(olga: Client, alice: Caller) -> None:
    own = Membership.objects.get(user__username="olga")
    assert "An app needs an owner" in text_of(olga.post("/settings/members", {"name": "olga", "role": "viewer"}))
    olga.post("/settings/members/olga/remove")
    own.refresh_from_db()
    assert own.role == "owner"


# --- purges


def test_a_purge_takes_the_typed_id_of_the_app(olga: Client, alice: Caller) -> None:
    alice.remember("Whales sing", user_id="nina")
    alice.remember("Bears sleep", dedupe=False)
    data = {"what": "user", "user_id": "nina"}
    for typed in ("", "Acme", "acme "):
        answer = olga.post("/settings/purge", {**data, "typed": typed.strip() and typed})
        if typed != "acme ":
            assert "Nothing was deleted" in text_of(answer)
            assert Memory.objects.count() == 2
    assert [memory.content for memory in Memory.objects.all()] == ["Bears sleep"]
    text = text_of(olga.get("/settings/purge"))
    for part in ("an end user", "operator:olga", "gone"):
        assert part in text
    assert "Which end user?" in text_of(olga.post("/settings/purge", {"what": "user", "typed": "acme"}))
    olga.post("/settings/purge", {"what": "memories", "typed": "acme"})
    assert not Memory.objects.exists()
    assert [purge.what for purge in Purge.objects.order_by("pk")] == ["user", "memories"]
    assert ("memories purged", "operator:olga") in audit_lines()


def test_a_purge_that_finds_nothing_says_so(olga: Client, alice: Caller) -> None:
    answer = olga.post("/settings/purge", {"what": "user", "user_id": "nobody", "typed": "acme"}, follow=True)
    assert "nothing was deleted" in text_of(answer)
    assert "Deleted for good." not in text_of(answer)


def test_a_whole_app_is_purged(olga: Client, alice: Caller) -> None:
    alice.remember("Whales sing")
    olga.post("/settings/purge", {"what": "app", "typed": "acme"})
    assert not Memory.objects.exists()
    assert App.objects.get().status == AppStatus.UNINSTALLED
    assert "Whales" not in text_of(olga.get("/memories"))


def test_while_an_app_is_being_purged_only_that_is_shown(olga: Client, alice: Caller) -> None:
    alice.remember("Whales sing")
    App.objects.update(status=AppStatus.PURGING)
    for page in ("/", "/memories", "/events", "/settings", "/settings/policy", "/upkeep"):
        answer = olga.get(page)
        assert answer.status_code == 410, page
        assert "Whales" not in text_of(answer)
    assert "/settings/purge" in links(olga.get("/"))
    text = text_of(olga.get("/settings/purge"))
    assert "is being deleted" in text
    assert "Type the id" not in text
    assert olga.get("/settings/audit").status_code == 200
    olga.post("/settings/purge", {"what": "memories", "typed": "acme"})
    assert not Purge.objects.exists()
    assert olga.post("/settings/status", {"status": "active"}).status_code == 410
    assert App.objects.get().status == AppStatus.PURGING


# --- the audit log


def test_the_audit_log_tells_who_changed_what(vera: Client, alice: Caller) -> None:
    note("operator:olga", alice.app, "policy changed", "acme", {"memory_limit": 5}, {"memory_limit": 1000})
    note("operator:sue", alice.app, "key issued", "abc of alice", after={"scopes": ["read"], "expires_at": None})
    text = text_of(vera.get("/settings/audit"))
    for part in ("operator:olga", "memory limit", "5 → 1,000", "abc of alice", "scopes read"):
        assert part in text
    assert "sue" not in text_of(vera.get("/settings/audit", {"who": "olga"}))
    assert "olga" not in text_of(fragment(vera, "/settings/audit?action=key"))
    assert "No such lines" in text_of(vera.get("/settings/audit", {"action": "zzz"}))


@pytest.mark.usefixtures("short_pages")
def test_the_audit_log_is_turned_page_by_page(vera: Client, alice: Caller) -> None:
    for number in range(12):
        note("operator:olga", alice.app, "policy changed", f"line {number}")

    def subjects(**query: str) -> list[str]:
        return [entry.subject for entry, _ in vera.get("/settings/audit", query).context["lines"]]

    first = vera.get("/settings/audit").context["slice"]
    second = vera.get("/settings/audit", {"after": first.older}).context["slice"]
    assert [entry.subject for entry in second.rows][:1] == ["line 6"]
    assert subjects(after=second.older)[-1] == "line 0"
    assert subjects(before=second.newer)[0] == "line 11"
    for nonsense in ("x", "2026-01-01", "\0"):
        assert subjects(after=nonsense)[0] == "line 11"


# --- for all of them


def test_only_owners_change_anything(vera: Client, ed: Client, alice: Caller) -> None:
    key = ApiKey.objects.get()
    for client in (vera, ed):
        for page in PAGES:
            answer = client.get(page)
            assert answer.status_code == 200
            assert [form["action"] for form in elements(answer, "form", method="post")] == ["/logout"], page
        for address, data in (
            ("", {"name": "x"}),
            ("/status", {"status": "uninstalled"}),
            ("/policy", {}),
            ("/policy/preset", {"preset": "ops"}),
            ("/agents", {"name": "x"}),
            ("/agents/alice/keys", {}),
            (f"/keys/{key.prefix}/revoke", {}),
            ("/members", {"name": "vera", "role": "owner"}),
            ("/members/vera/remove", {}),
            ("/purge", {"what": "app", "typed": "acme"}),
            ("/apps", {}),
        ):
            assert client.post(f"/settings{address}", data).status_code == 403, address
    assert AuditEntry.objects.count() == 0
    assert alice.get("memories").status_code == 200


def test_other_apps_are_not_there(otto: Client, alice: Caller) -> None:
    note("operator:olga", alice.app, "policy changed", "acme")
    key = ApiKey.objects.get(agent=alice.agent)
    member = Membership.objects.create(app=alice.app, user=User.objects.create_user("nora"), role="viewer")
    for page in PAGES:
        text = text_of(otto.get(page)).casefold()
        for word in ("acme", "alice", "nora", "olga", key.prefix.casefold()):
            assert word not in text, page
    assert otto.post("/settings/agents/alice/keys", {"scopes": ["read"]}).status_code == 404
    assert otto.post(f"/settings/keys/{key.prefix}/revoke").status_code == 404
    assert otto.post("/settings/members/nora/remove").status_code == 404
    assert alice.get("memories").status_code == 200
    assert Membership.objects.filter(pk=member.pk).exists()


def test_nothing_in_them_counts_the_rows_of_others(olga: Client, alice: Caller, bob: Caller) -> None:
    for page in PAGES:
        marks = re.findall(r' (?:id|for|action)="([^"]+)"', olga.get(page).content.decode())
        assert [mark for mark in marks if re.search(r"[-/]\d+(/|$)", mark)] == [], page


def test_hostile_texts_are_texts(olga: Client, alice: Caller) -> None:
    App.objects.update(name=HOSTILE, vector_model=HOSTILE)
    Agent.objects.update(domain=HOSTILE)
    ApiKey.objects.update(scopes=[HOSTILE])
    user = User.objects.create_user("x")
    User.objects.filter(pk=user.pk).update(username=HOSTILE)
    Membership.objects.create(app=alice.app, user=User.objects.get(username=HOSTILE), role="viewer")
    note(HOSTILE, alice.app, "policy changed", HOSTILE, {HOSTILE: HOSTILE}, {HOSTILE: [HOSTILE]})
    Purge.objects.create(app=alice.app, what="user", asked_by=HOSTILE, counts=COUNTS)
    AppPolicy.objects.update(marker_categories=[HOSTILE])
    for page in PAGES:
        answer = olga.get(page)
        assert "<script>alert" not in answer.content.decode(), page
        assert not elements(answer, "img", src="x")
        assert HOSTILE in text_of(answer), page


@each_row(
    "name, moment",
    product(["after", "before"], ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "yesterday"]),
    rolled_back=True,
)
def test_a_line_of_the_log_that_cannot_be_is_passed_over(olga: Client, alice: Caller, name: str, moment: str) -> None:
    note("operator:olga", alice.app, "policy changed", "memory_limit", {}, {})
    assert len(olga.get("/settings/audit", {name: moment}).context["lines"]) == 1


def test_more_rows_ask_no_more_of_the_database(olga: Client, alice: Caller) -> None:
    few = {page: queries_of(olga, page) for page in PAGES}
    for number in range(6):
        agent = Agent.objects.create(app=alice.app, name=f"a{number}")
        ApiKey.objects.create(prefix=f"p{number}", agent=agent, scopes=["read"])
        Membership.objects.create(app=alice.app, user=User.objects.create_user(f"u{number}"), role="viewer")
        note("operator:x", alice.app, f"done {number}")
        Purge.objects.create(app=alice.app, what="user", asked_by="x", counts=COUNTS)
    assert {page: queries_of(olga, page, is_warm=True) for page in PAGES} == few
    assert [page for page, most in zip(PAGES, (7, 7, 8, 7, 7, 8), strict=True) if few[page] > most] == []


PAGE = "/settings/moving"
HOSTILE_FILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def upload(client: Client, content: bytes, source: str = "memsite", **fields: Any) -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile("file", content), "source": source, **fields})


def test_an_owner_exports_by_the_endpoints_of_the_api(olga: Client, alice: Caller) -> None:
    alice.remember("Whales sing")
    there = [link for link in links(olga.get(PAGE)) if link.startswith("/api/v1/")]
    assert len(there) == 3
    for link in there:
        answer = olga.get(link)
        assert answer.status_code == 200, link
        assert "attachment" in answer["Content-Disposition"]
        assert b"".join(answer.streaming_content)
        answer.close()


def test_a_file_is_looked_at_and_then_taken_in(olga: Client, alice: Caller, charlie: Caller) -> None:
    charlie.remember("Whales sing")
    content = export(charlie.app)
    looked = text_of(upload(olga, content, look="yes"))
    assert "The file would bring" in looked
    assert "memory: 1 new" in looked
    assert not Import.objects.exists()
    assert upload(olga, content).status_code == 303
    assert Memory.objects.get(app=alice.app).content == "Whales sing"
    text = text_of(olga.get(PAGE))
    for part in ("memsite", "done", "memory: 1 new", "operator:olga"):
        assert part in text
    assert AuditEntry.objects.filter(action="import begun", actor="operator:olga").exists()


@pytest.mark.parametrize(
    ("content", "fields", "says"),
    [
        (b"no json", {}, "file"),
        (b"", {}, "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", {"source": "chatgpt"}, "no file of this kind"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", {"source": "mem0"}, "no file of this kind"),
        (b"# Notes\n\nWhales sing.", {"source": "nowhere"}, "Select a valid choice"),
        (b"# Notes\n\nWhales sing.", {"source": "markdown", "agent": "a b"}, "Letters, digits"),
        (b"{}", {"agent": "dora"}, "tells its agents itself"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(
    olga: Client, alice: Caller, content: bytes, fields: dict[str, str], says: str
) -> None:
    answer = upload(olga, content, **fields)
    assert answer.status_code == 200
    assert says in text_of(answer)
    assert elements(answer, "div", **{"class": "field wrong"})
    assert not Memory.objects.exists()


def test_only_owners_move_anything(vera: Client, ed: Client, alice: Caller) -> None:
    for client in (vera, ed):
        answer = client.get(PAGE)
        assert "No imports yet" in text_of(answer)
        assert not [link for link in links(answer) if "export" in link]
        assert upload(client, b"# Notes", "markdown").status_code == 403
    assert not Import.objects.exists()


def test_other_apps_are_not_there_and_texts_are_texts(otto: Client, olga: Client, alice: Caller) -> None:
    output = {
        "source": HOSTILE_FILE[:20],
        "agent": HOSTILE_FILE[:60],
        "reason": HOSTILE_FILE,
        "asked_by": HOSTILE_FILE,
        "status": "failed",
    }
    Import.objects.create(app=alice.app, counts={HOSTILE_FILE: {"new": 3}}, **output)
    answer = olga.get(PAGE)
    assert HOSTILE_FILE in text_of(answer)
    assert "<script>alert" not in answer.content.decode()
    assert "No imports yet" in text_of(otto.get(PAGE))


def test_the_list_refreshes_itself_and_asks_little(vera: Client, alice: Caller) -> None:
    seen = elements(vera.get(PAGE), "section", id="import-list")[0]["hx-headers"].split('"')[3]
    assert fragment(vera, PAGE, **{"X-Seen": seen}).status_code == 204
    few = queries_of(vera, PAGE)
    for _ in range(6):
        Import.objects.create(app=alice.app, source="mem0", asked_by="x", lines=9, done=3)
    assert "mem0" in text_of(fragment(vera, PAGE, **{"X-Seen": seen}))
    assert queries_of(vera, PAGE, is_warm=True) == few <= 6

"""Alerts: what rules find is told once when it begins and once when it is over, by webhook, mail and dashboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.db import DatabaseError, connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from memories.jobs import JOBS
from memories.ledger.spend import record
from memories.models import Alert, AlertKind, AlertRule, Delivery, Extraction, Rejection, Webhook
from memories.notifications import alerts
from memories.notifications.alerts import drop_old_alerts, look_at_rules
from memories.providers.llm.provider import Usage
from memsite.config.conf import get_conf
from memsite.jobs.job import Unclaimed
from memsite.jobs.models import JobRun
from memsite.tenancy.models import Agent, App, AppPolicy
from sessions.models import AgentSession
from tests.api.checks import assert_problem
from tests.api.test_webhooks import Receiver, receiver  # noqa: F401  # a fixture
from tests.conftest import Caller, make_app, make_caller
from tests.dashboard.conftest import member, sign_in
from tests.dashboard.pages import text_of
from tests.tables import each_row
from tests.talking import after
from tests.upkeep import do

RULES = "/api/v1/apps/acme/alerts/rules"


@pytest.fixture(autouse=True)
def _mail_and_loopback() -> Iterator[None]:
    conf = replace(get_conf(), email_url="smtp://mail.invalid", webhook_networks=("127.0.0.0/8",))
    with override_settings(MEMSITE=conf):
        yield


def look() -> Unclaimed:
    """What the job does each minute."""
    run = Unclaimed(timezone.now())
    JOBS["alerts"].work(None, run)
    return run


def rule_for(app: App | None, kind: str, **fields: Any) -> AlertRule:
    return AlertRule.objects.create(app=app, kind=kind, **fields)


def fill(app: App, memories: int = 10, limit: int = 10) -> None:
    AppPolicy.objects.filter(app=app).update(memory_limit=limit)
    App.objects.filter(pk=app.pk).update(memory_count=memories)


def add(operator: APIClient, path: str = RULES, **body: Any) -> dict[str, Any]:
    answer = operator.post(path, body)
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


# --- what is told, and how often


def test_a_webhook_is_told_once_that_it_began_and_once_that_it_is_over(
    acme: App,
    operator: APIClient,
    receiver: Receiver,  # noqa: F811
) -> None:
    hook = operator.post("/api/v1/apps/acme/webhooks", {"url": receiver.url, "events": ["memory.deleted"]}).json()
    rule = add(operator, kind="app_full", webhook=hook["id"], threshold=1)
    for memories in (9, 10, 10, 9, 9):
        fill(acme, memories)
        look()
        do("webhooks")
    assert receiver.kinds == ["alert.begun", "alert.over"]
    data = receiver.got[0].get_json()["data"]
    (alert,) = operator.get("/api/v1/apps/acme/alerts").json()["results"]
    assert data == {
        "alert_id": alert["id"],
        "rule_id": rule["id"],
        "app_id": "acme",
        "kind": "app_full",
        "text": "acme holds 10 of 10 memories",
        "value": 1.0,
        "threshold": 1.0,
    }


def test_a_mail_is_sent_once_when_it_begins_and_once_when_it_is_over(acme: App, operator: APIClient) -> None:
    add(operator, kind="app_full", emails=["ops@example.org"])
    for memories in (9, 9, 8, 8):
        fill(acme, memories)
        look()
    assert [message.subject for message in mail.outbox] == [
        "[Memsite] acme: app full",
        "[Memsite] over: acme: app full",
    ]


def test_an_app_is_full_until_it_is_clearly_below(acme: App) -> None:
    rule_for(acme, "app_full", threshold=0.9)
    ended = []
    for memories in (900, 899, 856, 854):
        fill(acme, memories, 1000)
        look()
        ended.append(Alert.objects.get().ended_at is not None)
    assert ended == [False, False, False, True]


def test_what_comes_back_is_another_alert(acme: App) -> None:
    rule_for(acme, "app_full")
    for memories in (10, 1, 10):
        fill(acme, memories)
        look()
    assert [row.ended_at is None for row in Alert.objects.order_by("pk")] == [False, True]


def test_two_who_look_at_the_same_moment_begin_and_tell_it_once(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = Webhook.objects.create(app=acme, url="https://example.org")
    rule_for(acme, "app_full", webhook=hook)
    fill(acme)
    other, write = iter([look]), Alert.objects.bulk_create

    def after_another(*rows: Any, **options: Any) -> Any:
        for first in other:
            first()
        return write(*rows, **options)

    monkeypatch.setattr(Alert.objects, "bulk_create", after_another)
    look()
    assert (Alert.objects.count(), Delivery.objects.count()) == (1, 1)


def test_a_worker_that_has_lost_its_run_begins_nothing(acme: App) -> None:
    class Lost(Unclaimed):
        def done(self, counts: Any, **cursor: Any) -> None:
            raise RuntimeError

    rule_for(acme, "app_full", webhook=Webhook.objects.create(app=acme, url="https://example.org"))
    fill(acme)
    with pytest.raises(RuntimeError):
        look_at_rules(timezone.now(), Lost(timezone.now()))
    assert (Alert.objects.count(), Delivery.objects.count()) == (0, 0)


def test_a_mail_whose_worker_was_killed_is_sent_by_the_next(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    rule_for(acme, "app_full", emails=["ops@example.org"])
    fill(acme)
    with monkeypatch.context() as patch:
        patch.setattr(alerts, "send_mail", interrupted)
        with pytest.raises(KeyboardInterrupt):
            look()
    look()
    assert mail.outbox == []
    with after(minutes=3):
        look()
    assert len(mail.outbox) == 1


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def test_a_mail_that_cannot_be_sent_is_tried_again_and_says_why(
    acme: App, operator: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule_for(acme, "app_full", emails=["ops@example.org"])
    fill(acme)
    with monkeypatch.context() as patch:
        patch.setattr(alerts, "send_mail", refused)
        look()
        (alert,) = operator.get("/api/v1/apps/acme/alerts").json()["results"]
        assert (alert["mail_error"], alert["mailed"]) == ("ConnectionRefusedError: nobody there", "")
    fill(acme, 1)
    for _ in range(2):
        with after(minutes=1):
            look()
    (alert,) = operator.get("/api/v1/apps/acme/alerts").json()["results"]
    assert ([message.subject[:17] for message in mail.outbox], alert["mail_error"]) == (
        ["[Memsite] acme: a", "[Memsite] over: a"],
        "",
    )


def refused(*_: Any) -> None:
    raise ConnectionRefusedError("nobody there")


def test_a_rule_that_is_switched_off_ends_without_a_word(acme: App, operator: APIClient) -> None:
    rule = add(operator, kind="app_full", emails=["ops@example.org"])
    fill(acme)
    look()
    assert operator.patch(f"{RULES}/{rule['id']}", {"enabled": False}).json()["enabled"] is False
    look()
    assert (len(mail.outbox), Alert.objects.get().ended_at is None) == (1, False)


def test_alerts_are_kept_for_90_days(acme: App) -> None:
    rule = rule_for(acme, "app_full")
    now = timezone.now()
    for days in (91, 89, None):
        ended = now - timedelta(days=days) if days else None
        Alert.objects.create(rule=rule, app=acme, text="x", value=1, ended_at=ended)
    assert (drop_old_alerts(now), Alert.objects.count()) == (1, 2)


# --- what rules find


def failed_digest(app: App) -> None:
    session = AgentSession.objects.create(app=app, agent=Agent.objects.create(app=app, name="bert"))
    row = {"what": "digest", "status": "failed", "attempts": 2}
    Extraction.objects.create(app=app, session=session, **row)


def silent_model(app: App) -> None:
    for _ in range(2):
        record(app, Usage("extract", "some-model", 0, 0, 9.0, None, "unavailable", "openai"))


def spent_budget(app: App) -> None:
    AppPolicy.objects.filter(app=app).update(daily_cost=0.5)
    record(app, Usage("extract", "some-model", 900, 80, 2.0, 0.5, "ok", "openai"))


def waiting_for_tomorrow(app: App) -> None:
    AppPolicy.objects.filter(app=app).update(daily_tokens=1000)
    failed_digest(app)
    Extraction.objects.update(status="pending", reason="budget: spent", next_at=timezone.now() + timedelta(hours=1))


def quarantined(app: App) -> None:
    Rejection.objects.create(app=app, kind="quarantine", reason="x")


def run_of(app: App | None, job: str, **fields: Any) -> None:
    until = timezone.now() - timedelta(hours=2)
    JobRun.objects.create(app=app, job=job, period="x", until=until, next_at=until, fired_by="beat", **fields)


CASES: dict[tuple[str, str], Callable[[App], None]] = {
    ("app_full", "acme holds 10 of 10 memories"): fill,
    ("digest_failed", "acme: 1 digest failed"): failed_digest,
    ("circuit_open", "acme: openai has not answered the last 2 questions"): silent_model,
    ("job_overdue", "acme: nightly, due at"): lambda app: run_of(app, "nightly"),
    ("job_overdue", "acme: weekly, due at"): lambda app: run_of(app, "weekly", status="dead"),
    ("quarantine_waiting", "acme: 1 text waits for a person"): quarantined,
    ("budget_spent", "acme has spent 100% of today's budget"): spent_budget,
    ("budget_spent", "acme has spent 0% of today's budget; texts wait for tomorrow"): waiting_for_tomorrow,
    ("backup_failed", "The backup failed: disk full"): lambda _: run_of(
        None, "backup", status="failed", reason="disk full"
    ),
}


@pytest.fixture
def asks_a_model(settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, llm="openai")


@each_row("kind, text, happen", [(*case, happen) for case, happen in CASES.items()], rolled_back=True)
def test_what_is_the_matter_is_found_and_said(
    asks_a_model: None, acme: App, kind: str, text: str, happen: Callable[[App], None]
) -> None:
    rule_for(None if kind == "backup_failed" else acme, kind)
    look()
    assert not Alert.objects.exists()
    happen(acme)
    look()
    assert Alert.objects.get().text.startswith(text)


@each_row("kind, happen", [(kind, happen) for (kind, _), happen in CASES.items()], rolled_back=True)
def test_a_rule_of_the_site_watches_every_app(
    asks_a_model: None, acme: App, kind: str, happen: Callable[[App], None]
) -> None:
    rule_for(None, kind)
    happen(acme)
    look()
    assert Alert.objects.get().app_id == (None if kind in alerts.TOGETHER else acme.pk)


def test_a_model_that_answers_again_ends_an_outage_and_silence_does_not(asks_a_model: None, acme: App) -> None:
    rule_for(acme, "circuit_open")
    silent_model(acme)
    open_after = []
    for happen in (lambda: None, lambda: record(acme, Usage("extract", "other", 9, 9, 1.0, None, "ok", "anthropic"))):
        look()
        with after(minutes=30):
            happen()
            look()
            open_after.append(Alert.objects.open().count())
    assert open_after == [1, 0]


def test_many_apps_take_as_many_queries_as_one(asks_a_model: None, db: None) -> None:
    for kind in AlertKind.values:
        rule_for(None, kind)
    counts = []
    for names in (["app-0"], ["app-1", "app-2", "app-3", "app-4"]):
        for app in map(make_app, names):
            for happen in (fill, failed_digest, quarantined):
                happen(app)
            AppPolicy.objects.filter(app=app).update(daily_cost=1)
            run_of(app, "nightly")
        with CaptureQueriesContext(connection) as queries:
            look_at_rules(timezone.now(), Unclaimed(timezone.now()))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_database_refuses_an_alert_of_another_apps_rule(acme: App) -> None:
    rule = rule_for(acme, "app_full")
    with pytest.raises(DatabaseError, match="belongs to another app"), transaction.atomic():
        Alert.objects.create(rule=rule, app=make_app("globex"), text="x", value=1)
    Alert.objects.create(rule=rule_for(None, "app_full"), app=acme, text="x", value=1)


# --- rules by REST


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"kind": "app_fuller"}, "kind", "One of app_full, digest_failed"),
    ({}, "kind", "required"),
    ({"kind": "app_full", "threshold": 1.5}, "threshold", "Is a share of the limit: more than 0, and 1 at most."),
    ({"kind": "quarantine_waiting", "threshold": 0}, "threshold", "Is a number of texts: more than 0"),
    ({"kind": "circuit_open", "threshold": 3}, "threshold", "takes no threshold"),
    ({"kind": "app_full", "dashboard": False}, "dashboard", "Nobody would be told"),
    ({"kind": "app_full", "emails": ["nobody"]}, "emails.0", "Not an e-mail address."),
    ({"kind": "app_full", "webhook": str(uuid4())}, "webhook", "There is no webhook with this id."),
    ({"kind": "backup_failed"}, "kind", "Backups are of the whole site"),
]


@each_row("body, field, detail", WRONG, rolled_back=True)
def test_a_rule_that_makes_no_sense_is_refused_and_says_why(
    acme: App, operator: APIClient, body: dict[str, Any], field: str, detail: str
) -> None:
    answer = operator.post(RULES, body)
    assert_problem(answer, 400, field)
    assert detail in answer.json()["detail"]


def test_mails_are_refused_where_none_can_be_sent(acme: App, operator: APIClient) -> None:
    with override_settings(MEMSITE=replace(get_conf(), email_url="")):
        answer = operator.post(RULES, {"kind": "app_full", "emails": ["ops@example.org"]})
    assert "set MEMSITE_EMAIL_URL" in answer.json()["detail"]


def test_a_rule_with_mails_is_switched_off_where_none_can_be_sent_any_more(acme: App, operator: APIClient) -> None:
    rule = add(operator, kind="app_full", emails=["ops@example.org"])
    with override_settings(MEMSITE=replace(get_conf(), email_url="")):
        assert operator.patch(f"{RULES}/{rule['id']}", {"enabled": False}).status_code == 200


def test_a_rule_is_shown_changed_and_deleted(acme: App, operator: APIClient) -> None:
    rule = add(operator, kind="job_overdue")
    assert rule["threshold"] == 15
    assert operator.patch(f"{RULES}/{rule['id']}", {"threshold": 60}).json()["threshold"] == 60
    assert [row["id"] for row in operator.get(RULES).json()["results"]] == [rule["id"]]
    assert operator.delete(f"{RULES}/{rule['id']}").status_code == 200
    assert_problem(operator.get(f"{RULES}/{rule['id']}"), 404)


def test_a_webhook_that_is_deleted_leaves_its_rules_on_the_dashboard(acme: App, operator: APIClient) -> None:
    hook = operator.post("/api/v1/apps/acme/webhooks", {"url": "https://example.org"}).json()["id"]
    rule = add(operator, kind="app_full", webhook=hook, dashboard=False)
    operator.delete(f"/api/v1/apps/acme/webhooks/{hook}")
    displayed = operator.get(f"{RULES}/{rule['id']}").json()
    assert (displayed["webhook"], displayed["dashboard"]) == (None, True)


def test_rules_of_the_site_are_for_who_operates_all_of_it(alice: Caller, operator: APIClient) -> None:
    owner = make_caller(alice.app, "owner", ("operator",))
    add(operator, "/api/v1/alerts/rules", kind="app_full")
    assert_problem(owner.get("alerts/rules"), 403)
    assert_problem(owner.post("alerts/rules", {"kind": "app_full"}), 403)


def test_what_rules_of_the_site_find_is_shown_to_them_alone(
    alice: Caller, charlie: Caller, operator: APIClient
) -> None:
    for app in (alice.app, charlie.app):
        fill(app)
        rule_for(app, "app_full")
    rule_for(None, "app_full")
    look()
    owner = make_caller(alice.app, "owner", ("operator",))
    assert len(owner.get("alerts").json()["results"]) == 1
    assert len(operator.get("/api/v1/alerts").json()["results"]) == 4


def test_acknowledging_says_who_and_changes_nothing_else(acme: App, operator: APIClient) -> None:
    rule_for(acme, "app_full")
    fill(acme)
    look()
    uid = Alert.objects.get().uid
    answer = operator.post(f"/api/v1/alerts/{uid}/acknowledge").json()
    assert (answer["acknowledged_by"].partition(":")[0], answer["ended_at"]) == ("operator", None)
    again = operator.post(f"/api/v1/apps/acme/alerts/{uid}/acknowledge").json()
    assert again["acknowledged_at"] == answer["acknowledged_at"]


def test_alerts_are_listed_by_whether_they_last(acme: App, operator: APIClient) -> None:
    rule_for(acme, "app_full")
    for memories in (10, 1, 10):
        fill(acme, memories)
        look()
    lasting, past = (operator.get("/api/v1/alerts", {"status": name}).json()["results"] for name in ("open", "over"))
    assert (len(lasting), lasting[0]["ended_at"], len(past)) == (1, None, 1)


# --- dashboard and admin


@pytest.fixture
def full(acme: App) -> Alert:
    rule_for(acme, "app_full")
    fill(acme)
    look()
    return Alert.objects.get()


def test_the_menu_counts_alerts_until_somebody_acknowledges_them(full: Alert, acme: App) -> None:
    editor = member("ed", acme, "editor")
    assert "Upkeep 1 new alerts" in text_of(editor.get("/cooldowns"))
    assert "acme holds 10 of 10 memories" in text_of(editor.get("/upkeep/alerts"))
    editor.post(f"/upkeep/alerts/{full.uid}/acknowledge")
    assert "new alerts" not in text_of(editor.get("/cooldowns"))


def test_viewers_of_an_app_acknowledge_nothing_and_others_see_nothing(full: Alert, acme: App) -> None:
    path = f"/upkeep/alerts/{full.uid}/acknowledge"
    viewer, other = member("vera", acme, "viewer"), member("otto", make_app("globex"), "owner")
    assert (viewer.post(path).status_code, other.post(path).status_code) == (403, 404)


def test_the_dashboard_shows_what_is_of_the_site_to_superusers_alone(full: Alert, acme: App) -> None:
    run_of(None, "backup", status="failed", reason="disk full")
    rule_for(None, "backup_failed")
    look()
    chief, owner = sign_in("sue", is_superuser=True, is_staff=True), member("olga", acme, "owner")
    seen = ["The backup failed" in text_of(client.get("/upkeep/alerts", follow=True)) for client in (chief, owner)]
    assert seen == [True, False]


def test_an_owner_makes_a_rule_in_the_admin_for_their_app_alone(acme: App) -> None:
    owner = member("olga", acme, "owner", is_staff=True)
    form = {"kind": "app_full", "emails": "a@example.org\nb@example.org", "dashboard": "on", "enabled": "on"}
    for app in ("", make_app("globex").pk, acme.pk):
        owner.post("/admin/memories/alertrule/add/", {**form, "app": app})
    (rule,) = AlertRule.objects.all()
    assert (rule.app, rule.emails) == (acme, ["a@example.org", "b@example.org"])


def test_the_admin_says_what_is_wrong_with_a_rule(acme: App) -> None:
    chief = sign_in("sue", is_superuser=True, is_staff=True)
    form = {"kind": "app_full", "threshold": "7", "emails": "", "enabled": "on"}
    text = text_of(chief.post("/admin/memories/alertrule/add/", form))
    assert "Is a share of the limit" in text
    assert "Nobody would be told" in text

"""Webhooks: what changes is told, signed, once for each change; what does not arrive is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from pytest_httpserver import HTTPServer
from rest_framework.test import APIClient
from werkzeug import Request, Response

from memories.jobs import JOBS
from memories.maintain.housekeeping import drop_old_deliveries
from memories.models import Action, Delivery, Webhook
from memories.notifications.webhooks import EVENT_TYPES
from memories.services import MemoryAgent, administration
from memories.store.writer import NOTED
from memories.tasks import upkeeper
from memsite.config.conf import get_conf
from memsite.http.signatures import BadSignature, secret_of, verify
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_app
from tests.memories.import_export.moving import export, take_in
from tests.tables import each_row
from tests.talking import after, at_time
from tests.upkeep import do, upkeep_purge

ROOT = "/api/v1/apps/acme"


@pytest.fixture(autouse=True)
def _loopback_is_allowed() -> Iterator[None]:
    with override_settings(MEMSITE=replace(get_conf(), webhook_networks=("127.0.0.0/8",))):
        yield


class Receiver:
    """Keeps what it is sent, and answers with `status`."""

    def __init__(self, server: HTTPServer) -> None:
        self.status, self.got = 200, list[Request]()
        self.url = server.url_for("/hook")
        server.expect_request("/hook").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        request.get_data()
        self.got.append(request)
        return Response(status=self.status, headers={"Location": "/elsewhere"} if self.status == 302 else None)

    @property
    def kinds(self) -> list[str]:
        return [request.get_json()["type"] for request in self.got]


@pytest.fixture
def receiver(httpserver: HTTPServer) -> Receiver:
    return Receiver(httpserver)


def add(operator: APIClient, receiver: Receiver, *events: str) -> dict[str, Any]:
    answer = operator.post(f"{ROOT}/webhooks", {"url": receiver.url, "events": list(events)})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def test_a_kind_that_is_named_twice_is_one(operator: APIClient, acme: App, receiver: Receiver) -> None:
    webhook = add(operator, receiver, "memory.deleted", "memory.created", "memory.deleted")
    assert webhook["events"] == ["memory.deleted", "memory.created"]
    path, twice = f"{ROOT}/webhooks/{webhook['id']}", ["memory.updated", "memory.updated"]
    assert operator.patch(path, {"events": twice}).json()["events"] == ["memory.updated"]


def test_changes_are_told_signed_and_say_nothing_of_what_was_said(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    alice.remember("Before anybody listened")
    webhook = add(operator, receiver)
    memory = alice.remember("Whales sing", subject="whales")["id"]
    alice.patch(f"memories/{memory}", {"content": "Whales sing at night"})
    alice.delete(f"memories/{memory}")
    alice.remember("Bears sleep")
    do("webhooks")
    # The memory is gone by now, and its history with it: only that is told.
    assert receiver.kinds == ["memory.created", "memory.deleted"]
    request = receiver.got[1]
    assert request.get_json()["data"] == {"app_id": "acme", "memory_id": memory}
    assert b"hales" not in b"".join(item.get_data() for item in receiver.got)
    headers = {name.lower(): value for name, value in request.headers.items()}
    answer = verify(headers, request.get_data(), webhook["secret"], timezone.now())
    assert answer == headers["webhook-id"] == str(Delivery.objects.get(kind="memory.deleted").uid)
    with pytest.raises(BadSignature):
        verify(headers, request.get_data() + b" ", webhook["secret"], timezone.now())
    with pytest.raises(BadSignature):
        verify(headers, request.get_data(), webhook["secret"], timezone.now() + timedelta(minutes=6))
    do("webhooks")
    assert len(receiver.got) == 2


def test_each_change_of_a_memory_is_told(alice: Caller, operator: APIClient, receiver: Receiver) -> None:
    add(operator, receiver)
    memory = alice.remember("Takes 60s to start", category="timing", subject="jellyfin")["id"]
    alice.remember("Takes about 60 seconds to start", category="timing", subject="jellyfin")
    alice.patch(f"memories/{memory}", {"importance": 5})
    alice.patch(f"memories/{memory}", {"status": "archived"})
    do("webhooks")
    assert receiver.kinds == ["memory.created", "memory.reinforced", "memory.updated", "memory.archived"]
    assert [item.get_json()["data"]["version"] for item in receiver.got] == [1, 2, 3, 4]


def test_what_an_operator_decides_is_told(alice: Caller, operator: APIClient, receiver: Receiver) -> None:
    ids = [alice.remember("Whales fly", origin="web")["id"]]
    add(operator, receiver)
    operator.post(f"{ROOT}/memories/review", {"ids": ids})
    operator.post(f"{ROOT}/rollbacks", {"what": "agent", "source": "alice"})
    do("webhooks")
    answer = [(item.get_json()["type"], item.get_json()["data"]["action"]) for item in receiver.got]
    assert answer == [("memory.updated", "reviewed"), ("memory.archived", "withdrawn")]


def test_all_is_told_but_what_is_only_noted() -> None:
    assert set(Action) - set(NOTED) == set(EVENT_TYPES)


def test_only_the_kinds_that_were_asked_for_are_told(alice: Caller, operator: APIClient, receiver: Receiver) -> None:
    add(operator, receiver, "memory.deleted")
    alice.delete(f"memories/{alice.remember('Whales sing')['id']}")
    do("webhooks")
    assert receiver.kinds == ["memory.deleted"]


def test_what_does_not_arrive_is_tried_again_later_each_time_and_given_up(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    alice.remember("Whales sing")
    receiver.status = 500
    start, waited = timezone.now(), timedelta()
    for attempt, wait in enumerate([0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000], 1):
        waited += timedelta(seconds=wait + 1)
        with at_time(start + waited - timedelta(seconds=2 if wait else 1)):
            do("webhooks")
        before = len(receiver.got)
        with at_time(start + waited + timedelta(seconds=1)):
            do("webhooks")
        assert (before <= attempt, len(receiver.got)) == (True, attempt)
        waited += timedelta(seconds=1)
    (row,) = operator.get(f"{ROOT}/webhooks/{webhook['id']}/deliveries").json()["results"]
    assert (row["status"], row["attempts"], row["answer"], row["reason"]) == ("dead", 8, 500, "answered 500")
    receiver.status = 204
    answer = operator.post(f"{ROOT}/deliveries/{row['id']}/replay")
    assert (answer.status_code, answer.json()["status"]) == (202, "waiting")
    do("webhooks")
    (row,) = operator.get(f"{ROOT}/webhooks/{webhook['id']}/deliveries", {"status": "delivered"}).json()["results"]
    assert (row["answer"], row["id"]) == (204, receiver.got[-1].headers["webhook-id"])


def test_redirects_are_not_followed_and_gone_switches_off(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    receiver.status = 302
    alice.remember("Whales sing")
    do("webhooks")
    assert len(receiver.got) == 1
    receiver.status = 410
    alice.remember("Bears sleep")
    do("webhooks")
    displayed = operator.get(f"{ROOT}/webhooks/{webhook['id']}").json()
    assert (displayed["is_active"], "410" in displayed["reason"]) == (False, True)
    alice.remember("While nobody listened")
    receiver.status = 200
    operator.patch(f"{ROOT}/webhooks/{webhook['id']}", {"is_active": True})
    alice.remember("Heard again")
    before = len(receiver.got)
    do("webhooks")
    assert receiver.kinds[before:] == ["memory.created"]


def test_one_that_is_switched_on_while_it_is_on_misses_nothing(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    alice.remember("Whales sing")
    operator.patch(f"{ROOT}/webhooks/{webhook['id']}", {"is_active": True, "description": "The same one"})
    do("webhooks")
    assert receiver.kinds == ["memory.created"]


def test_private_networks_are_refused_unless_they_are_allowed(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    with override_settings(MEMSITE=replace(get_conf(), webhook_networks=())):
        operator.post(f"{ROOT}/webhooks/{webhook['id']}/test")
        do("webhooks")
    assert receiver.got == []
    (row,) = operator.get(f"{ROOT}/webhooks/{webhook['id']}/deliveries").json()["results"]
    assert row["reason"] == "it leads into a private network that MEMSITE_WEBHOOK_NETWORKS does not name"


@each_row(
    "url",
    [
        "ftp://example.org",
        "https://",
        "https://me:secret@example.org",
        "x",
        "https://exa mple.org/a",
        "https://exa%20mple.org",
        "https://a..example.org",
        "https://-a.example.org",
        "https://[::1",
        "https://[::g]/",
        "https://xn--a.org",
        f"https://{'a' * 64}.org",
        f"https://{'a.' * 130}org",
        "https://example.org:99999/",
        "https://example.org:0/",
    ],
    rolled_back=True,
)
def test_an_address_has_to_be_one(url: str, alice: Caller, operator: APIClient) -> None:
    assert_problem(operator.post(f"{ROOT}/webhooks", {"url": url}), 400, "url")


@each_row(
    "url",
    [
        "https://10.0.0.1/x",
        "https://169.254.169.254/",
        "https://[::1]/x",
        "https://[::ffff:10.0.0.1]/",
        "https://0xa.1/",
        "http://93.184.216.34/",
    ],
    rolled_back=True,
)
def test_where_delivery_would_never_lead_is_refused_at_once(url: str, alice: Caller, operator: APIClient) -> None:
    """With the setting that would let it."""
    answer = operator.post(f"{ROOT}/webhooks", {"url": url})
    assert_problem(answer, 400, "url")
    assert "MEMSITE_WEBHOOK_NETWORKS" in answer.json()["detail"]


def test_plain_http_to_a_name_is_refused_where_no_network_is_listed(alice: Caller, operator: APIClient) -> None:
    with override_settings(MEMSITE=replace(get_conf(), webhook_networks=())):
        answer = operator.post(f"{ROOT}/webhooks", {"url": "http://chat.internal/hook"})
    assert_problem(answer, 400, "url")
    assert "MEMSITE_WEBHOOK_NETWORKS" in answer.json()["detail"]


@each_row(
    "url",
    [
        "https://example.org/x?y=1",
        "https://example.org:8443/",
        "https://93.184.216.34/",
        "https://exämple.org/",
        "https://my_host.example.org./",
        "https://127.0.0.1/x",
        "http://127.1:5678/",
        "http://in-our-network.example/",
    ],
    rolled_back=True,
)
def test_what_may_work_is_looked_at_when_it_is_delivered(url: str, alice: Caller, operator: APIClient) -> None:
    webhook = operator.post(f"{ROOT}/webhooks", {"url": "https://example.org"}).json()
    assert operator.patch(f"{ROOT}/webhooks/{webhook['id']}", {"url": url}).status_code == 200


@each_row("url", ["http://example.org", "http://127.0.0.1/x", "https://127.0.0.1/x"], rolled_back=True)
def test_plain_http_and_this_machine_need_a_network_in_the_settings(
    url: str, alice: Caller, operator: APIClient
) -> None:
    with override_settings(MEMSITE=replace(get_conf(), webhook_networks=())):
        assert_problem(operator.post(f"{ROOT}/webhooks", {"url": url}), 400, "url")


def test_a_renewed_secret_signs_beside_the_old_one_for_a_day(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    new = operator.post(f"{ROOT}/webhooks/{webhook['id']}/secret").json()["secret"]
    assert new != webhook["secret"]
    operator.post(f"{ROOT}/webhooks/{webhook['id']}/test")
    do("webhooks")
    (request,) = receiver.got
    headers = {name.lower(): value for name, value in request.headers.items()}
    for secret in (new, webhook["secret"]):
        verify(headers, request.get_data(), secret, timezone.now())
    with after(hours=25):
        operator.post(f"{ROOT}/webhooks/{webhook['id']}/test")
        do("webhooks")
        headers = {name.lower(): value for name, value in receiver.got[-1].headers.items()}
        with pytest.raises(BadSignature):
            verify(headers, receiver.got[-1].get_data(), webhook["secret"], timezone.now())


def test_a_change_leaves_what_was_renewed_and_told_meanwhile(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    read = Webhook.objects.get()
    operator.post(f"{ROOT}/webhooks/{webhook['id']}/secret")
    alice.remember("Whales sing")
    do("webhooks")
    MemoryAgent(alice.app, None, "operator:olga").change_webhook(read, {"description": "ours"})
    do("webhooks")
    assert receiver.kinds == ["memory.created"]
    row = Webhook.objects.get()
    assert (row.description, row.secret_number) == ("ours", 1)


def tell_whoever_waits() -> None:
    """As the minute's beat has it done: in apps that are not active, too."""
    for app in App.objects.filter(pk__in=JOBS["webhooks"].waiting(timezone.now())).select_related("policy"):
        JOBS["webhooks"].work(upkeeper(app), Unclaimed(timezone.now()))


@pytest.fixture
def purged_by_and_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough to be gone at once."""
    monkeypatch.setattr(administration, "PURGE_BATCH", -1)


@pytest.mark.usefixtures("purged_by_and_by")
def test_of_a_purged_app_nothing_is_told_but_that_its_memories_are_gone(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    webhook = add(operator, receiver)
    arrived = alice.remember("Whales sing")["id"]
    do("webhooks")
    receiver.status = 500
    waiting = alice.remember("Bears sleep through the winter")["id"]
    do("webhooks")
    unheard = alice.remember("Herons wade at dawn")["id"]
    assert receiver.kinds == ["memory.created"] * 2
    operator.delete(f"{ROOT}?purge_memories=true")
    tell_whoever_waits()
    upkeep_purge()
    assert receiver.kinds == ["memory.created"] * 2
    assert not Delivery.objects.for_app(alice.app).exists()
    receiver.status = 200
    tell_whoever_waits()
    gone = [request.get_json() for request in receiver.got[2:]]
    assert {item["type"] for item in gone} == {"memory.deleted"}
    assert sorted(item["data"]["memory_id"] for item in gone) == sorted([arrived, waiting, unheard])
    assert "alice" not in str(gone)
    displayed = operator.get(f"{ROOT}/webhooks/{webhook['id']}/deliveries").json()["results"]
    assert {(item["kind"], item["status"]) for item in displayed} == {("memory.deleted", "delivered")}


@pytest.mark.usefixtures("purged_by_and_by")
def test_that_a_memory_is_gone_is_told_though_its_app_is_purged_before(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    add(operator, receiver, "memory.deleted")
    receiver.status = 500
    uid = alice.remember("Whales sing")["id"]
    alice.delete(f"memories/{uid}")
    do("webhooks")
    operator.delete(f"{ROOT}?purge_memories=true")
    upkeep_purge()
    (row,) = Delivery.objects.for_app(alice.app)
    assert (row.payload["data"]["memory_id"], row.status) == (uid, "waiting")


@pytest.mark.usefixtures("purged_by_and_by")
def test_the_next_life_of_a_purged_app_begins_with_what_is_new(
    alice: Caller, operator: APIClient, receiver: Receiver
) -> None:
    add(operator, receiver)
    alice.remember("Whales sing")
    operator.delete(f"{ROOT}?purge_memories=true")
    upkeep_purge()
    tell_whoever_waits()
    operator.patch(ROOT, {"status": "active"})
    alice.remember("Bears sleep")
    do("webhooks")
    assert receiver.kinds == ["memory.deleted", "memory.created"]


@each_row("is_active", [True, False], rolled_back=True)
def test_no_message_is_kept_for_more_than_30_days(
    alice: Caller, operator: APIClient, receiver: Receiver, *, is_active: bool
) -> None:
    webhook = add(operator, receiver)
    receiver.status = 500
    alice.remember("Whales sing")
    do("webhooks")
    operator.patch(f"{ROOT}/webhooks/{webhook['id']}", {"is_active": is_active})
    with after(days=29):
        assert drop_old_deliveries(timezone.now()) == 0
    with after(days=31):
        assert drop_old_deliveries(timezone.now()) == 1


def test_what_is_imported_is_no_news(alice: Caller, operator: APIClient, receiver: Receiver) -> None:
    source = make_app("source")
    alice.remember("Whales sing")
    content = export(alice.app)
    add(operator, receiver)
    alice.remember("Bears sleep")
    take_in(alice.app, content)
    take_in(source, content)
    do("webhooks")
    assert receiver.kinds == ["memory.created"]


def test_an_agent_cannot_set_where_changes_are_told(alice: Caller, receiver: Receiver) -> None:
    assert_problem(alice.post("apps/acme/webhooks", {"url": receiver.url}), 403)


def test_secrets_are_stored_nowhere(alice: Caller, operator: APIClient, receiver: Receiver) -> None:
    from tests.talking import tables_with

    webhook = add(operator, receiver)
    assert webhook["secret"] == secret_of(webhook_uid(webhook), 0)
    assert tables_with(webhook["secret"].removeprefix("whsec_")[:20]) == set()


def webhook_uid(webhook: dict[str, Any]) -> Any:
    from uuid import UUID

    return UUID(webhook["id"])

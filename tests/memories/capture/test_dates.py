"""When something was said and for when: its days are those of the clock there, and another time is another memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from time_machine import travel

from memories.models import ExtractionStatus, FutureTrigger, Memory
from memsite.tenancy.models import AppPolicy
from sessions.models import Resource
from tests.conftest import Caller
from tests.tables import each_row
from tests.talking import contents, extractions, hear, statuses
from tests.upkeep import upkeep_learn_due

CODE = "The gate code is 4812"
OVER, COMING = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"


def outcomes(caller: Caller, *text: dict[str, Any]) -> list[str]:
    return [caller.remember(subject="gate", category="general", **item)["outcome"] for item in text]


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ({"valid_until": OVER}, {}),
        ({"valid_until": COMING}, {}),
        ({"valid_from": COMING}, {}),
        ({}, {"valid_until": COMING}),
        ({}, {"valid_from": COMING}),
        ({"valid_from": "2020-03-01T00:00:00Z", "valid_until": "2020-03-15T00:00:00Z"}, {"valid_from": OVER}),
    ],
)
def test_for_another_time_it_is_another_memory(alice: Caller, known: dict[str, Any], again: dict[str, Any]) -> None:
    assert outcomes(alice, {"content": CODE, **known}, {"content": CODE, **again}) == ["created", "created"]
    assert Memory.objects.count() == 2


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ({}, {}),
        ({"valid_from": OVER}, {}),
        ({"valid_from": OVER, "valid_until": COMING}, {"valid_from": OVER, "valid_until": COMING}),
    ],
)
def test_for_the_same_time_it_is_the_same(alice: Caller, known: dict[str, Any], again: dict[str, Any]) -> None:
    assert outcomes(alice, {"content": CODE, **known}, {"content": CODE, **again}) == ["created", "reinforced"]


def test_what_is_over_is_not_denied_by_what_came_after_it(alice: Caller) -> None:
    rome = {"content": "The office is in Rome", "valid_from": "2019-01-01T00:00:00Z", "valid_until": OVER}
    milan = {"content": "The office is in Milan", "valid_from": OVER}
    assert outcomes(alice, rome, milan) == ["created", "created"]


def test_what_holds_now_is_not_denied_by_what_was_over_before_it_was_said(alice: Caller) -> None:
    milan = {"content": "The office is in Milan"}
    rome = {"content": "The office is in Rome", "valid_from": "2019-01-01T00:00:00Z", "valid_until": OVER}
    turin = {"content": "The office is in Turin", "valid_until": OVER}
    assert outcomes(alice, milan, rome, turin) == ["created", "created", "created"]
    assert outcomes(alice, {"content": "The office is in Naples", "valid_until": COMING}) == ["contradicted"]


def test_what_holds_now_is_denied_by_what_holds_from_now_on(alice: Caller) -> None:
    rome, milan = {"content": "The office is in Rome"}, {"content": "The office is in Milan", "valid_from": OVER}
    assert outcomes(alice, rome, milan) == ["created", "contradicted"]


@pytest.mark.parametrize(("first", "then"), [({}, {"valid_from": COMING}), ({"valid_from": COMING}, {})])
def test_what_begins_on_a_day_to_come_denies_nothing_until_then(
    alice: Caller, first: dict[str, Any], then: dict[str, Any]
) -> None:
    rome, milan = {"content": "The office is in Rome", **first}, {"content": "The office is in Milan", **then}
    assert outcomes(alice, rome, milan) == ["created", "created"]
    assert {memory.confidence for memory in Memory.objects.all()} == {0.7}
    with travel(datetime(2999, 1, 2, tzinfo=UTC)):
        results = alice.post("memories/search", {"query": "where is the office?"}).json()["results"]
    # What began then is told before what held until then.
    newest_first = sorted((rome, milan), key=lambda item: "valid_from" not in item)
    assert [hit["content"] for hit in results] == [item["content"] for item in newest_first]
    assert all("conflicting" in hit["trust"] for hit in results)


def test_two_plans_for_one_day_to_come_are_at_odds(alice: Caller) -> None:
    milan = {"content": "The office is in Milan", "valid_from": COMING}
    assert outcomes(alice, milan, milan | {"content": "The office is in Turin"}) == ["created", "contradicted"]


def test_another_wording_of_it_stays_in_its_history(alice: Caller) -> None:
    first, again = {"content": "The gate opens at 7:00"}, {"content": "At 7:00 the gate opens"}
    assert outcomes(alice, first, again, again, first)[1:] == ["reinforced"] * 3
    uid = alice.get("memories").json()["results"][0]["id"]
    reasons = [row["reason"] for row in alice.get(f"memories/{uid}/history").json()["results"]]
    answer = [reason for reason in reasons if reason.endswith("; said as: At 7:00 the gate opens")]
    assert (len(answer), len(reasons)) == (2, 4)


SAID = (
    "I live in Berlin. I am on leave until tomorrow. My flight to Rome is on Friday. We met Ann recently. "
    "The contract runs until 31 December 9999. I moved here the day before yesterday. "
    "My exam is next week and the party is tonight."
)
ENDS = ["0001-01-01T00:00:00Z", "0001-01-03T12:00:00Z", "9999-12-29T00:00:00Z", "9999-12-31T23:59:59Z"]
ZONES = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]


def say(caller: Caller, moment: str, **session: Any) -> dict[str, Any]:
    started = caller.start_session(**session)
    messages = [{"role": role, "content": SAID, "at": moment} for role in ("user", "assistant")]
    assert caller.post(f"sessions/{started['id']}/messages", {"messages": messages}).status_code == 202
    return started


@pytest.mark.parametrize("moment", ENDS)
@pytest.mark.parametrize("zone", ZONES)
def test_facts_are_found_there(alice: Caller, moment: str, zone: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(time_zone=zone)
    say(alice, moment)
    upkeep_learn_due()
    assert [row.reason for row in extractions(alice.app)] == ["", ""]
    assert set(statuses(alice.app)) == {ExtractionStatus.DONE}
    assert "User lives in Berlin" in contents(alice.app)
    contract = Memory.objects.for_app(alice.app).filter(content="The contract runs until 31 December 9999")
    assert set(contract.values_list("valid_until", flat=True)) == {None}


@pytest.mark.parametrize("moment", [ENDS[0], ENDS[-1]])
def test_a_digest_is_written_there(alice: Caller, moment: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(
        time_zone="Pacific/Kiritimati", capture_facts=False, capture_digest=True
    )
    session = say(alice, moment)
    alice.post(f"sessions/{session['id']}/end", {})
    upkeep_learn_due()
    assert set(statuses(alice.app)) == {ExtractionStatus.DONE}
    assert len(contents(alice.app)) == 1


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@each_row("text, day", [
    ("Ich habe am 6. Juni einen Termin beim Zahnarzt.", "2026-06-06"),
    ("J'ai un rendez-vous chez le dentiste le 3 avril.", "2026-04-03"),
    ("Tengo cita con el dentista el 5 de mayo.", "2026-05-05"),
    ("Ho un appuntamento dal dentista il 2 giugno.", "2026-06-02"),
    ("Tenho consulta no dentista em 4 de abril.", "2026-04-04"),
    ("Tenho consulta no dentista no dia 4 de maio.", "2026-05-04"),
], rolled_back=True)  # fmt: skip
@travel(NOW, tick=False)
def test_what_is_on_a_day_waits_for_it_and_is_kept_whole(alice: Caller, text: str, day: str) -> None:
    hear(alice, text)
    assert [str(item.trigger_date) for item in FutureTrigger.objects.for_app(alice.app)] == [day]
    assert [item.content.removesuffix(".") for item in Memory.objects.for_app(alice.app)] == [text.removesuffix(".")]


@each_row("text, end", [
    ("Ich bin bis 6. Juni im Urlaub.", "2026-06-07"),
    ("Ich bin bis zum 6. Juni 2026 in Rom.", "2026-06-07"),
    ("Je suis en vacances jusqu'au 3 avril.", "2026-04-04"),
    ("Estoy de vacaciones hasta el 5 de mayo.", "2026-05-06"),
    ("Sono in vacanza fino al 2 giugno.", "2026-06-03"),
    ("Estou de férias até 4 de abril.", "2026-04-05"),
    ("I am on leave until 5 May.", "2026-05-06"),
    ("Mein Vertrag läuft bis Ende Juni.", None),
], rolled_back=True)  # fmt: skip
@travel(NOW, tick=False)
def test_what_is_until_a_day_is_over_then(alice: Caller, text: str, end: str | None) -> None:
    hear(alice, text)
    (memory,) = Memory.objects.for_app(alice.app)
    assert (memory.valid_until and f"{memory.valid_until:%Y-%m-%d}") == end
    assert text.startswith("I ") or memory.content.removesuffix(".") == text.removesuffix(".")


LATE = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
CLOCKS = [
    # `at`, the app's time zone, the day after
    ("2026-03-01T23:30:00-08:00", "UTC", "2026-03-02"),
    ("2026-03-01T23:30:00-08:00", "Europe/Vienna", "2026-03-02"),
    ("2026-03-02T01:15:00+05:45", "UTC", "2026-03-03"),
    # What says no more than when it was, is of the app's day.
    ("2026-03-01T23:30:00Z", "Europe/Vienna", "2026-03-03"),
    ("2026-03-01T23:30:00+00:00", "Europe/Vienna", "2026-03-03"),
    ("2026-03-01T23:30:00Z", "UTC", "2026-03-02"),
]


def in_zone(caller: Caller, zone: str) -> None:
    AppPolicy.objects.filter(app=caller.app).update(time_zone=zone)


def tell(caller: Caller, content: str, when: str) -> None:
    session = caller.start_session()
    messages = [{"role": "user", "content": content, "at": when}]
    answer = caller.post(f"sessions/{session['id']}/messages", {"messages": messages})
    assert answer.status_code == 202, answer.content


@each_row("when, zone, day", CLOCKS, rolled_back=True)
@time_machine.travel(LATE, tick=False)
def test_tomorrow_counts_from_the_day_that_it_was_there(alice: Caller, when: str, zone: str, day: str) -> None:
    in_zone(alice, zone)
    tell(alice, "I have a dentist appointment tomorrow at 3pm.", when)
    upkeep_learn_due()
    (trigger,) = FutureTrigger.objects.for_app(alice.app)
    (memory,) = Memory.objects.for_app(alice.app)
    (resource,) = Resource.objects.for_app(alice.app)
    assert str(trigger.trigger_date) == day
    written = datetime.fromisoformat(day)
    assert f"on {written.day} {written:%B %Y}" in memory.content
    assert resource.content_at == datetime.fromisoformat(when)


@each_row("when, zone, day", CLOCKS, rolled_back=True)
@time_machine.travel(LATE, tick=False)
def test_so_it_does_where_it_is_only_tried(alice: Caller, when: str, zone: str, day: str) -> None:
    in_zone(alice, zone)
    messages = [{"role": "user", "content": "I have a dentist appointment tomorrow at 3pm.", "at": when}]
    answer = alice.post("extractions/preview", {"messages": messages}).json()
    written = datetime.fromisoformat(day)
    (fact,) = answer["facts"]
    assert f"on {written.day} {written:%B %Y}" in fact["content"]

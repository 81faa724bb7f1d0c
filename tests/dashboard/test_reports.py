"""Reports: what models cost, what is left of the day's budget, and plots as tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from memories.dashboard.plots import Plot, Series
from memories.dashboard.views import reports
from memories.ledger.days import Span, day_of
from memories.ledger.spend import by_day
from memories.models import EnergyUse, LedgerEntry
from memories.models.usage import recall_note
from memories.providers.llm import client
from memsite.db.transactions import execute_all
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller
from tests.dashboard.pages import elements, links, queries_of, text_of
from tests.memories.providers.llm.servers import Says, Server, serve
from tests.tables import each_row
from tests.talking import at_time
from tests.with_model import HastyChat, answers, forget_clients, use

HOSTILE = "<script>alert(1)</script><img src=x> & \"'"
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def call(app: App, operation: str = "extract", days_ago: int = 0, **fields: Any) -> LedgerEntry:
    day = day_of(app, timezone.now()) - timedelta(days=days_ago)
    output = {
        "model": "big-1",
        "provider": "openai",
        "input_tokens": 1000,
        "output_tokens": 100,
        "cost": 0.25,
        **fields,
    }
    return LedgerEntry.objects.create(app=app, operation=operation, day=day, **output)


def table(client: Client, **query: Any) -> list[list[str]]:
    answer = client.get("/costs.csv", query)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(answer.content.decode().splitlines()))


def test_sums_by_operation_model_and_day_with_totals(vera: Client, alice: Caller) -> None:
    call(alice.app)
    call(alice.app, "gate", model="small-1", provider="ollama", cost=None)
    call(alice.app, "gate", 2, cost=1.5, outcome="unavailable")
    call(alice.app, "gate", 90, cost=77.0)
    answer = vera.get("/costs")
    text = text_of(answer)
    for part in (
        "$1.75",
        "3,300",
        "small-1",
        "ollama",
        "1 call is not in the dollars",
        "1 call had no answer that could be used",
    ):
        assert part in text
    assert "77" not in text
    assert [(row.key[0], row.calls) for row in answer.context["operations"]] == [("extract", 1), ("gate", 2)]
    assert [row.calls for row in answer.context["days"]] == [2, 1], "days without calls are left out"
    assert elements(answer, "figure", id="costs")


def test_the_days_are_in_the_address(vera: Client, alice: Caller) -> None:
    with at_time(NOON):
        call(alice.app, days_ago=1)
        call(alice.app, days_ago=40, cost=2.0)
        total = vera.get("/costs", {"since": "2026-10-01", "until": "2026-10-31"}).context["total"]
        assert (total.cost, total.calls) == (2.0, 1)
        spans = {
            ("2026-11-20", "2026-11-01"): (date(2026, 11, 1), date(2026, 11, 18)),
            ("x", "y"): (date(2026, 10, 20), date(2026, 11, 18)),
            ("2020-01-01", ""): (date(2025, 11, 18), date(2026, 11, 18)),
            ("0001-01-01", "0001-01-01"): (date(2025, 11, 18), date(2026, 11, 18)),
            ("", "0001-01-02"): (date(2026, 10, 20), date(2026, 11, 18)),
            ("9999-12-31", "9999-12-31"): (date(2026, 11, 18), date(2026, 11, 18)),
            ("2026-11-17", "2099-01-01"): (date(2026, 11, 17), date(2026, 11, 18)),
        }
        for (since, until), (first, last) in spans.items():
            span = vera.get("/costs", {"since": since, "until": until}).context["span"]
            assert (span.since, span.until) == (first, last), (since, until)
            file = vera.get("/costs.csv", {"since": since, "until": until})["Content-Disposition"]
            assert f"{first}-{last}" in file


def test_days_are_the_apps_own(vera: Client, alice: Caller) -> None:
    AppPolicy.objects.update(time_zone="Pacific/Auckland")
    with at_time(NOON):
        assert vera.get("/costs").context["span"].until == date(2026, 11, 19)


@pytest.mark.usefixtures("noon")
def test_what_the_day_has_left(vera: Client, alice: Caller) -> None:
    call(alice.app, cost=0.3)
    assert text_of(vera.get("/costs")).count("no limit") == 2
    AppPolicy.objects.update(daily_cost=1.0, daily_tokens=2200)
    text = text_of(vera.get("/costs"))
    assert "$0.30 of $1.00" in text
    assert "1,100 of 2,200" in text


@pytest.mark.usefixtures("noon")
def test_searches_are_told_by_what_answered(vera: Client, alice: Caller) -> None:
    today = day_of(alice.app, timezone.now())
    for tier, results in (("items", True), ("items", True), ("summaries", True), ("none", False)):
        execute_all([recall_note(alice.app, today, "auto", tier, 1, int(results), 0.02)])
    answer = vera.get("/costs")
    assert [(row.tier, row.searches, row.share, row.mean_ms) for row in answer.context["searches"]] == [
        ("items", 2, 0.5, 20.0),
        ("none", 1, 0.25, 20.0),
        ("summaries", 1, 0.25, 20.0),
    ]
    assert "75%" in text_of(answer)


def test_a_table_is_downloaded(vera: Client, alice: Caller) -> None:
    call(alice.app)
    call(alice.app, "gate", 1, model="=1+1", cost=None)
    head, *rows = table(vera, by="model")
    assert head == ["provider", "model", "calls", "failed", "input_tokens", "output_tokens", "cost", "unpriced"]
    assert rows == [
        ["openai", "'=1+1", "1", "0", "1000", "100", "0.0", "1"],
        ["openai", "big-1", "1", "0", "1000", "100", "0.25", "0"],
    ]
    assert [row[:3] for row in table(vera, by="operation")[1:]] == [["extract", "1", "0"], ["gate", "1", "0"]]
    assert len(table(vera, by="day-operation")) == 3
    assert table(vera, by="nonsense") == table(vera, by="day")
    assert table(vera, by="day", since="2001-01-01", until="2001-01-02") == [["day", *head[2:]]]
    page = vera.get("/costs", {"since": "2026-01-01", "until": "2026-01-31"})
    assert not [link for link in links(page) if "csv" in link], "nothing to download"


def test_every_day_has_a_row(alice: Caller) -> None:
    with at_time(NOON):
        call(alice.app, days_ago=1)
        rows = by_day(alice.app, Span(date(2026, 11, 16), date(2026, 11, 18)))
        assert [(row.key[0].day, row.calls) for row in rows] == [(18, 0), (17, 1), (16, 0)]


def test_who_sees_several_apps_compares_them(sue: Client, vera: Client, alice: Caller, charlie: Caller) -> None:
    call(alice.app)
    call(charlie.app, cost=9.0)
    call(charlie.app, cost=9.0, days_ago=99)
    apps = [(app.app_id, app.cost, app.calls) for app in sue.get("/costs?app=acme").context["apps"]]
    assert apps == [("globex", 9.0, 1), ("acme", 0.25, 1)]
    App.objects.update(name="Home lab")
    text = text_of(sue.get("/costs?app=acme"))
    assert "Home lab acme 1" in text, "two may have one name"
    assert "Home lab globex 1" in text
    assert "By app" not in text_of(vera.get("/costs"))


def test_what_answered_searches_is_named_as_on_the_overview(vera: Client, alice: Caller) -> None:
    day = day_of(alice.app, timezone.now())
    execute_all([recall_note(alice.app, day, "auto", tier, 1, 1, 0.02) for tier in ("summaries", "items", "none")])
    text = text_of(vera.get("/costs"))
    for part in ("answered by a summary", "answered by memories", "nothing found"):
        assert part in text


def test_an_app_that_asked_no_model_says_so(vera: Client) -> None:
    text = text_of(vera.get("/costs"))
    assert "no model was asked" in text
    assert "By operation" not in text


def test_other_apps_are_not_there(otto: Client, alice: Caller) -> None:
    call(alice.app, model="acme-1")
    execute_all([recall_note(alice.app, day_of(alice.app, timezone.now()), "auto", "items", 1, 1, 0.02)])
    text = text_of(otto.get("/costs"))
    assert "acme" not in text
    assert otto.get("/costs").context["searched"] == 0
    assert len(table(otto, by="model")) == 1


def test_hostile_texts_are_texts(vera: Client, alice: Caller) -> None:
    call(alice.app, "<b>gate</b>", model=HOSTILE, provider="<img src=x>")
    EnergyUse.objects.create(app=alice.app, day=timezone.now().date(), operation="<img src=x>", calls=1, units=1)
    answer = vera.get("/costs")
    assert "<script>alert" not in answer.content.decode()
    assert not elements(answer, "img", src="x")
    assert HOSTILE in text_of(answer)


def test_more_rows_ask_no_more_of_the_database(vera: Client, alice: Caller) -> None:
    call(alice.app)
    few = queries_of(vera, "/costs")
    for number in range(5):
        call(alice.app, f"op{number}", number, model=f"m{number}")
    assert queries_of(vera, "/costs", is_warm=True) == few <= 13


@each_row("page", ["/costs", "/costs.csv"])
def test_strangers_get_nothing(page: str, alice: Caller) -> None:
    assert Client().get(page).status_code == 302


DAYS = [date(2025, 3, 29), date(2025, 3, 30)]


def test_values_are_numbers_for_the_script_and_words_for_people() -> None:
    plot = Plot("costs", "Costs", "Day", DAYS, [Series("spent", [0.004, None])], unit="dollars")
    (first, cells), (second, gaps) = plot.rows()
    assert (plot.axis, first.value, first.text) == ("day", 1743206400, "2025-03-29")
    assert second.value == 1743206400 + 86_400, "days have no zone and no summer time"
    assert [(cell.value, cell.text) for cell in (*cells, *gaps)] == [(0.004, "$0.0040"), ("", "–")]


def test_moments_are_read_in_the_zone_of_the_page() -> None:
    moment = datetime(2025, 3, 30, 12, tzinfo=UTC)
    plot = Plot("sure", "Sure", "When", [moment], [Series("confidence", [0.7])], unit="level")
    with timezone.override(ZoneInfo("Europe/Berlin")):
        ((head, cells),) = plot.rows()
    assert (plot.axis, head.value, head.text) == ("time", moment.timestamp(), "2025-03-30 14:00")
    assert cells[0].text == "0.70"


@pytest.mark.parametrize(
    ("along", "values", "axis", "is_empty"),
    [([], [], "name", True), (["a", "b"], [0, None], "name", True), (["a"], [1], "name", False)],
)
def test_names_have_places_and_nothing_is_empty(
    along: list[str], values: list[float | None], axis: str, is_empty: bool
) -> None:
    plot = Plot("p", "P", "Name", along, [Series("n", values)])
    assert (plot.axis, plot.is_empty) == (axis, is_empty)
    assert [head.value for head, _ in plot.rows()] == list(range(len(along)))


def test_hostile_names_are_text() -> None:
    plot = Plot("p", "<b>P", "Name", ['"><script>x'], [Series("<i>", [1])])
    html = render_to_string("dashboard/parts/plot.html", {"plot": plot})
    assert not [part for part in ("<script", "<b>", "<i>") if part in html]


class TestTheCheckOfTheModel:
    @pytest.fixture
    def model(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
        monkeypatch.setattr(client, "ModelChat", HastyChat)
        forget_clients()
        with serve("openai") as server:
            server.always(answers())
            use(settings, server)
            yield server
        forget_clients()

    def test_each_question_is_asked_once(self, olga: Client, alice: Caller, model: Server) -> None:
        assert links_to_check(olga)
        text = text_of(olga.post("/costs/check"))
        assert len(model.seen) == 8
        assert "All questions were answered as asked" in text

    def test_what_is_wrong_is_shown(self, olga: Client, alice: Caller, model: Server) -> None:
        model.always(answers(extract=Says("prose")))
        text = text_of(olga.post("/costs/check"))
        assert "1 of the questions was not answered as asked" in text
        assert "holds no complete JSON object" in text

    def test_only_so_much_time_is_taken(
        self, olga: Client, alice: Caller, model: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reports, "CHECK_SECONDS", 0.0)
        assert "the other questions took all the time" in text_of(olga.post("/costs/check"))
        assert model.seen == []

    def test_only_owners_may(self, vera: Client, alice: Caller, model: Server) -> None:
        assert vera.post("/costs/check").status_code == 403
        assert not links_to_check(vera)

    def test_without_a_model_there_is_nothing_to_check(self, olga: Client, alice: Caller) -> None:
        assert "no language model is asked" in text_of(olga.post("/costs/check"))


def links_to_check(client: Client) -> bool:
    return bool(elements(client.get("/costs"), "form", action="/costs/check"))


def test_a_model_that_is_asked_for_less_is_named(vera: Client, alice: Caller) -> None:
    assert "lean question" not in text_of(vera.get("/costs"))
    for _ in range(2):
        call(alice.app, outcome="unusable")
    assert "is asked the lean question for facts since" in text_of(vera.get("/costs"))

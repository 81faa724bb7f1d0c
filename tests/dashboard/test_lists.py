"""Overview, Sessions, Events, Cooldowns: what they show, find, and to whom."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.ledger.days import last_days
from memories.maintain import figures
from memories.models import Extraction, ExtractionStatus, Injection, LedgerEntry, Memory, Rejection
from memsite.tenancy.audit import note
from memsite.tenancy.models import App, AppPolicy
from memsite.tenancy.write_rate import take_writes
from sessions.models import AgentSession, Cooldown, Event
from sessions.recording import CRASHED
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, text_of
from tests.tables import each_row
from tests.talking import at_time, tell

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def seen_of(answer: Any, part: str) -> str:
    return str(elements(answer, "section", id=part)[0]["hx-headers"]).split('"')[3]


def titles(answer: Any) -> list[str]:
    assert answer.status_code == 200
    return [str(line.session) for line in answer.context["lines"]]


def messages(answer: Any) -> list[str]:
    assert answer.status_code == 200
    return [event.message for event in answer.context["slice"].rows]


# --- sessions


@pytest.fixture
def shift(alice: Caller, bob: Caller) -> AgentSession:
    """An ended session with two turns, a memory and a bill; and another agent's that goes on."""
    session = alice.start_session(title="Night shift", tier=3, user_id="nina", external_id="shift-1")
    for number in (1, 2):
        alice.put(f"sessions/{session['id']}/turns/{number}", {"llm_output": "[MEMORY:timing:dns] Takes 5s"})
    row = AgentSession.objects.get(uid=session["id"])
    today = timezone.now().date()
    for cost in (0.25, 0.5, None):
        LedgerEntry.objects.create(app=alice.app, operation="gate", model="m", session=row, cost=cost, day=today)
    alice.post(f"sessions/{session['id']}/end")
    bob.start_session(title="Day shift")
    return row


@pytest.mark.usefixtures("shift")
def test_a_session_is_shown_with_what_it_yielded_and_cost(vera: Client) -> None:
    answer = vera.get("/sessions")
    assert titles(answer) == ["Day shift", "Night shift"]
    line = answer.context["lines"][1]
    assert (line.turns, line.memories, line.cost) == (2, 1, 0.75)
    text = text_of(answer)
    for part in ("alice", "3 remediate", "ended", "active", "UTC", "$0.75", "with nina"):
        assert part in text


@pytest.mark.usefixtures("shift")
@each_row(
    "filters, results",
    [
        ({"title": "night"}, ["Night shift"]),
        ({"title": "SHIFT-1"}, ["Night shift"]),
        ({"status": "active"}, ["Day shift"]),
        ({"tier": "3"}, ["Night shift"]),
        ({"tier": "1", "agent": "alice"}, []),
        ({"agent": "bob"}, ["Day shift"]),
        ({"user": "Nin"}, ["Night shift"]),
        ({"tier": "x", "status": "y"}, ["Day shift", "Night shift"]),
    ],
)
def test_sessions_are_filtered(vera: Client, filters: dict[str, str], results: list[str]) -> None:
    assert titles(vera.get("/sessions", filters)) == results


def test_a_crashed_session_is_called_so(vera: Client, shift: AgentSession) -> None:
    AgentSession.objects.filter(pk=shift.pk).update(end_reason=CRASHED)
    assert "crashed" in text_of(vera.get("/sessions"))
    assert "crashed" in text_of(vera.get("/"))


def test_the_list_of_sessions_is_fetched_anew_when_something_happened(vera: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")
    seen = seen_of(vera.get("/sessions"), "session-list")
    assert fragment(vera, "/sessions", **{"X-Seen": seen}).status_code == 204
    alice.put(f"sessions/{session['id']}/turns/1", {"llm_output": "hello"})
    answer = fragment(vera, "/sessions", **{"X-Seen": seen})
    assert titles(answer) == ["Night shift"]
    assert not elements(answer, "main")


# --- events


def test_events_are_filtered_and_the_latest_come_first(vera: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")["id"]
    text = "[EVENT:info:caddy] up\n[EVENT:error:dns] down\n[EVENT:warning] odd"
    alice.put(f"sessions/{session}/turns/1", {"llm_output": text})
    assert messages(vera.get("/events")) == ["odd", "down", "up"]
    assert messages(vera.get("/events", {"level": "error"})) == ["down"]
    assert messages(vera.get("/events", {"service": "cad"})) == ["up"]
    assert messages(vera.get("/events", {"message": "DOW"})) == ["down"]
    assert messages(vera.get("/events", {"level": "nonsense"})) == ["odd", "down", "up"]
    assert "Nothing fits" in text_of(vera.get("/events", {"message": "zzz"}))
    assert "Night shift" in text_of(vera.get("/events"))
    seen = seen_of(vera.get("/events"), "event-list")
    assert fragment(vera, "/events", **{"X-Seen": seen}).status_code == 204
    alice.put(f"sessions/{session}/turns/2", {"llm_output": "[EVENT:info] new"})
    assert messages(fragment(vera, "/events", **{"X-Seen": seen}))[0] == "new"


@pytest.mark.usefixtures("short_pages")
def test_the_feed_is_turned_page_by_page(vera: Client, alice: Caller) -> None:
    for number in range(6):
        Event.objects.create(app=alice.app, message=f"event {number}")
    first = vera.get("/events")
    assert len(messages(first)) == 5
    assert messages(vera.get("/events", {"after": first.context["slice"].older}))[-1] == "event 0"


PAGED = [
    "/memories",
    "/sessions",
    "/events",
    "/knowledge/lessons",
    "/knowledge/entities",
    "/upkeep",
    "/upkeep/review",
    "/upkeep/texts",
    "/upkeep/rollbacks",
    "/settings/moving",
    "/settings/purge",
    "/settings/audit",
]


@each_row("page", PAGED)
def test_a_page_without_rows_says_so_and_leads_to_the_newest(sue: Client, alice: Caller, page: str) -> None:
    app = {"app": alice.app.app_id}
    ends = [("after", UUID(int=0)), ("before", UUID(int=2**128 - 1))]
    if page == "/settings/audit":
        ends = [("after", "2001-01-01T00:00:00+00:00"), ("before", "2999-01-01T00:00:00+00:00")]
    for name, end in ends:
        answer = sue.get(page, {**app, name: end, "kind": ""})
        assert "Nothing further here" in text_of(answer), page
        assert f"?{urlencode({**app, 'kind': ''})}" in links(answer)
    assert "Nothing further here" not in text_of(sue.get(page, app))


def test_a_conversation_has_an_end(vera: Client, shift: AgentSession) -> None:
    answer = vera.get(f"/sessions/{shift.uid}", {"after": UUID(int=0)})
    assert "Nothing further here" in text_of(answer)
    assert "Nothing was said yet" not in text_of(answer)


# --- what cannot be looked for

SEARCHED = [
    ("/memories", "q"),
    ("/memories?by=meaning", "q"),
    ("/memories", "subject"),
    ("/sessions", "title"),
    ("/memories", "user"),
    ("/memories?by=meaning&q=whales", "user"),
    ("/events", "message"),
    ("/upkeep/review", "q"),
    ("/settings/audit", "who"),
    ("/knowledge", "user"),
    ("/knowledge/lessons", "q"),
    ("/knowledge/entities", "q"),
    ("/recall?q=whales", "category"),
    ("/recall", "q"),
]


CANNOT_BE = [("whales " * 100, "characters at most"), ("whales\0", "Null characters are not allowed")]


@pytest.fixture
def whales(alice: Caller) -> None:
    """Something that each page finds."""
    session = alice.start_session(title="Whales")["id"]
    text = "[MEMORY:sea:whales] Whales of Berlin sing\n[EVENT:info] Whales"
    alice.put(f"sessions/{session}/turns/1", {"llm_output": text})
    alice.post("memories", {"content": "Whales sing at night in Berlin", "kind": "lesson"})
    Rejection.objects.create(app=alice.app, kind="fact", content="Whales", reason="no")
    note("operator:whales", alice.app, "policy changed", "whales", {}, {})


@pytest.mark.usefixtures("whales")
@each_row("page", sorted({page.partition("?")[0] for page, _ in SEARCHED} - {"/recall"}))
def test_a_page_on_which_one_can_look_for_whales_has_some(olga: Client, page: str) -> None:
    assert elements(olga.get(page), "tbody")


@pytest.mark.usefixtures("whales")
@each_row("searched, cannot_be", product(SEARCHED, CANNOT_BE))
def test_a_text_that_cannot_be_looked_for_finds_nothing_and_says_why(
    olga: Client, searched: tuple[str, str], cannot_be: tuple[str, str]
) -> None:
    (page, name), (text, why) = searched, cannot_be
    answer = fragment(olga, f"{page}{'&' if '?' in page else '?'}{urlencode({name: text})}")
    assert why in text_of(answer)
    assert not elements(answer, "tbody")
    assert "hits" not in answer.context


# --- the overview


def test_the_overview_counts_what_is_known(vera: Client, alice: Caller) -> None:
    for number in range(3):
        alice.remember(f"Fact {number}", category="office", dedupe=False)
    alice.remember("Doubtful", confidence=0.1, category="health")
    answer = vera.get("/")
    assert answer.context["statuses"] == {
        "active": 3,
        "inactive": 1,
        "superseded": 0,
        "archived": 0,
        "cold": 0,
        "withdrawn": 0,
    }
    assert answer.context["categories"] == [("office", 3), ("health", 1)]
    assert answer.context["new_this_week"] == 4
    assert answer.context["growth"].series[0].values[-1] == 4
    assert "/memories?category=office" in links(answer)
    assert "New memory recorded: [office] Fact 2" in text_of(answer)


def test_growth_is_by_the_days_of_the_app(alice: Caller) -> None:
    alice.remember("Whales sing")
    last = UUID(alice.remember("Bears sleep")["id"])
    # Its own moment, which no clock of a test changes: midnight may be near.
    now = datetime.fromtimestamp((last.int >> 80) / 1000, UTC)
    assert abs(timezone.now() - now) < timedelta(hours=1)
    Memory.objects.exclude(uid=last).update(uid=UUID(int=figures.first_uid(now - timedelta(days=3)).int + 1))
    days = last_days(alice.app, now).days
    made = figures.growth(alice.app, days)
    assert (len(days), days[-1]) == (30, now.date())
    assert {day: number for day, number in zip(days, made, strict=True) if number} == {days[-1]: 1, days[-4]: 1}


def test_the_overview_plots_what_there_is_and_says_what_there_is_not(vera: Client, alice: Caller) -> None:
    alice.remember("Backups run at night", confidence=0.95)
    empty = text_of(vera.get("/"))
    assert "day by day: nothing yet" in empty
    assert "did they use it?: nothing yet" in empty
    alice.post("memories/search", {"query": "When do backups run?"})
    alice.post("memories/search", {"query": "Zyzzyva?"})
    alice.start_session()
    Injection.objects.update(used=True, judged_at=timezone.now())
    answer = vera.get("/")
    plots = {plot.name: plot for plot in answer.context["plots"]}
    assert answer.context["confidences"].series[0].values == [0] * 9 + [1]
    assert [(figure.label, figure.values[-1]) for figure in plots["answers"].series if any(figure.values)] == [
        ("memories", 0.5),
        ("nothing found", 0.5),
    ]
    assert [(figure.label, figure.values[-1]) for figure in plots["use"].series] == [("used", 1), ("not used", 0)]


def test_a_search_shows_on_the_overview_at_its_next_refresh(vera: Client, alice: Caller) -> None:
    alice.remember("Backups run at night")
    seen = vera.get("/").context["seen"]
    assert fragment(vera, "/", **{"X-Seen": seen}).status_code == 204
    alice.post("memories/search", {"query": "When do backups run?"})
    assert fragment(vera, "/", **{"X-Seen": seen}).status_code == 200


def test_the_overview_tells_what_waits_and_what_fails(vera: Client, alice: Caller) -> None:
    tell(alice, alice.start_session(), "I am vegan.")
    assert vera.get("/").context["waiting"].texts == 1
    Extraction.objects.update(status=ExtractionStatus.DEAD)
    App.objects.update(energy_level=0.1)
    text = text_of(vera.get("/"))
    assert "1 text was given up" in text
    assert "energy is at 10%" in text


def test_an_empty_app_has_an_overview(vera: Client) -> None:
    text = text_of(vera.get("/"))
    assert "No sessions yet" in text
    assert "Not everything works" not in text


def test_a_refresh_of_the_overview_answers_only_with_news(vera: Client, alice: Caller) -> None:
    section = elements(vera.get("/"), "div", id="overview")[0]
    seen = section["hx-headers"].split('"')[3]
    assert fragment(vera, "/", **{"X-Seen": seen}).status_code == 204
    alice.remember("Whales sing")
    assert "Whales sing" in text_of(fragment(vera, "/", **{"X-Seen": seen}))


# --- cooldowns


def hold(client: Client) -> list[tuple[str, str]]:
    return [(item.kind, item.name) for item in client.get("/cooldowns").context["held"]]


def test_nothing_is_held_back(vera: Client) -> None:
    assert "Nothing is held back" in text_of(vera.get("/cooldowns"))


def test_an_agent_over_its_write_rate_is_held_back_for_the_minute(vera: Client, alice: Caller) -> None:
    AppPolicy.objects.update(writes_per_minute=2)
    now = timezone.now().replace(second=20)
    with at_time(now):
        take_writes(alice.agent, 1, 2)
        assert hold(vera) == []
        take_writes(alice.agent, 1, 2)
        assert hold(vera) == [("write rate", "alice")]
        assert "2 memories within a minute" in text_of(vera.get("/cooldowns"))
        [item] = vera.get("/cooldowns").context["held"]
        assert item.until == now + timedelta(minutes=1)
    with at_time(now + timedelta(minutes=1)):
        assert hold(vera) == []


def test_learning_waits_for_energy(vera: Client, alice: Caller) -> None:
    tell(alice, alice.start_session(), "I am vegan.")
    App.objects.update(energy_level=0.1)
    assert hold(vera) == [("learning", "energy")]
    assert "1 wait" in text_of(vera.get("/cooldowns"))


@pytest.mark.usefixtures("noon")
def test_learning_waits_for_the_next_day_of_the_budget(vera: Client, alice: Caller, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, llm="openai")
    AppPolicy.objects.update(daily_tokens=10)
    day = timezone.now().date()
    LedgerEntry.objects.create(app=alice.app, operation="gate", model="m", input_tokens=11, day=day)
    [item] = vera.get("/cooldowns").context["held"]
    assert (item.name, item.until.date()) == ("budget", day + timedelta(days=1))


def test_texts_that_failed_are_tried_again(vera: Client, alice: Caller) -> None:
    tell(alice, alice.start_session(), "I am vegan.")
    later = timezone.now() + timedelta(minutes=5)
    Extraction.objects.update(status=ExtractionStatus.FAILED, next_at=later)
    [item] = vera.get("/cooldowns").context["held"]
    assert (item.name, item.until) == ("failed texts", later)


def test_a_model_that_fails_again_and_again_is_told(vera: Client, alice: Caller) -> None:
    today = timezone.now().date()
    for outcome in ("ok", "unavailable", "ok", *["unusable"] * 5):
        assert hold(vera) == []
        LedgerEntry.objects.create(app=alice.app, operation="gate", model="big", outcome=outcome, day=today)
    assert hold(vera) == [("model", "big")]
    LedgerEntry.objects.create(app=alice.app, operation="gate", model="big", outcome="ok", day=today)
    assert hold(vera) == []
    for _ in range(2):
        assert hold(vera) == []
        LedgerEntry.objects.create(app=alice.app, operation="gate", model="big", outcome="unavailable", day=today)
    assert "the last 2 calls failed (unavailable)" in text_of(vera.get("/cooldowns"))


def test_what_agents_reported_is_shown_and_lifted(ed: Client, vera: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")["id"]
    alice.post(
        "cooldowns", {"action": "restart", "service": "caddy", "seconds": 600, "reason": "twice", "session_id": session}
    )
    text = text_of(vera.get("/cooldowns"))
    for part in ("restart", "caddy", "twice", "alice", "Night shift", "in 9 min"):
        assert part in text
    cooldown = Cooldown.objects.get()
    url = f"/cooldowns/{cooldown.uid}/lift"
    assert vera.post(url, headers=HTMX).status_code == 403
    assert ed.get(url).status_code == 405
    assert "may be done again" in ed.post(url, headers=HTMX)["HX-Trigger"]
    assert not Cooldown.objects.exists()
    assert ed.post(url, headers=HTMX).status_code == 404


# --- walls, hostile texts, costs


def test_other_apps_are_not_there(otto: Client, alice: Caller, shift: AgentSession) -> None:
    alice.post("cooldowns", {"action": "restart", "service": "caddy", "seconds": 600})
    App.objects.filter(pk=alice.app.pk).update(energy_level=0)
    for page in ("/", "/sessions", "/events", "/memories", "/cooldowns"):
        text = text_of(otto.get(page)).casefold()
        for word in ("shift", "dns", "caddy", "acme", "energy is at", "alice"):
            assert word not in text, page
    url = f"/cooldowns/{Cooldown.objects.get().uid}/lift"
    assert otto.post(url, headers=HTMX).status_code == 404
    assert Cooldown.objects.exists()


def test_hostile_texts_are_texts_everywhere(ed: Client, alice: Caller) -> None:
    alice.app.name = HOSTILE
    alice.app.save()
    session = alice.start_session(title=HOSTILE, external_id=HOSTILE, user_id=HOSTILE)["id"]
    Event.objects.create(app=alice.app, message=HOSTILE, service=HOSTILE)
    cooldown = {"action": HOSTILE, "service": HOSTILE, "reason": HOSTILE, "seconds": 9, "session_id": session}
    assert alice.post("cooldowns", cooldown).status_code == 201
    alice.remember(HOSTILE, category="office", subject=HOSTILE, session_id=session)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(app=alice.app, operation="gate", model=HOSTILE, outcome="unavailable", day=timezone.now().date())
        for _ in range(5)
    )
    for page in ("/", "/sessions", "/events", "/memories", "/cooldowns"):
        answer = ed.get(page)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.content.decode()
        assert not elements(answer, "img", src="x")
        assert HOSTILE in text_of(answer), page
    for page in ("/sessions", "/events", "/memories"):
        names = ("title", "agent", "user", "message", "service", "level", "q", "category", "subject")
        html = ed.get(page, dict.fromkeys(names, HOSTILE)).content.decode()
        assert "<script>alert" not in html


MOST = {"/": 27, "/sessions": 11, "/events": 6, "/cooldowns": 12}


def test_more_rows_ask_no_more_of_the_database(vera: Client, alice: Caller) -> None:
    def live(name: str) -> None:
        session = alice.start_session(title=name)["id"]
        alice.put(f"sessions/{session}/turns/1", {"llm_output": f"[EVENT:info:{name}] up"})
        alice.remember(f"Known to {name}", session_id=session)
        alice.post("cooldowns", {"action": "restart", "service": name, "seconds": 600, "session_id": session})

    live("one")
    few = {page: queries_of(vera, page) for page in MOST}
    for number in range(4):
        live(f"svc{number}")
    assert {page: queries_of(vera, page, is_warm=True) for page in MOST} == few
    assert [page for page in MOST if few[page] > MOST[page]] == []

"""Learning as durable work: claimed by one, tried again, given up late, never half done, never lost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories.capture import extraction, extraction_queue, ingest_messages
from memories.capture.extraction import find_facts, learn
from memories.capture.extraction_queue import LeaseLost, claim, fail, finish, retry, sessions_due
from memories.jobs import JOBS
from memories.ledger.spend import record
from memories.models import Extraction, ExtractionStatus, Memory, Rejection
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from memories.providers.llm.provider import LLMMisconfigured, LLMUnavailable, LLMUnusable, Usage
from memories.services import MemoryAgent
from memories.store import writing
from memories.store.revisions import LEARNING
from memories.tasks import learn as learn_task
from memories.tasks import learn_again
from memsite.db.transactions import BUSY
from memsite.jobs import task_queue
from memsite.tenancy.models import App, AppPolicy, AppStatus
from sessions.models import AgentSession
from tests.conftest import Caller
from tests.tables import each_row
from tests.talking import after, at_time, contents, extractions, row_of, statuses, tell, turn
from tests.unwritable import disk_full, locked
from tests.upkeep import upkeep_learn_due

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
PENDING, RUNNING, DONE, FAILED, DEAD = (
    ExtractionStatus.PENDING, ExtractionStatus.RUNNING, ExtractionStatus.DONE, ExtractionStatus.FAILED,
    ExtractionStatus.DEAD,
)  # fmt: skip
FACTS = ("I live in Berlin.", "I work at Siemens.", "My sister Anna lives in Porto.")


class Killed(BaseException):
    """What no `except Exception` sees, as when the process ends."""


@pytest.fixture
def session(alice: Caller) -> AgentSession:
    """With three texts to learn from, said at noon."""
    with at_time(NOON):
        started = alice.start_session()
        tell(alice, started, *FACTS)
    return row_of(alice.app, started)


def sweep(moment: datetime = NOON) -> int:
    with at_time(moment):
        return upkeep_learn_due()


def learn_claim(alice: Caller, ours: extraction_queue.Claim, now: datetime) -> extraction.Lesson:
    agent = MemoryAgent(alice.app, None, LEARNING)
    return learn(ours, agent.rules, agent.embedder, now)


def picture(app: App) -> list[Any]:
    """All that learning may change."""
    rows = (Memory.objects.for_app(app), Rejection.objects.for_app(app), Extraction.objects.for_app(app))
    return [list(some.order_by("pk").values()) for some in rows]


def breaks_for(monkeypatch: pytest.MonkeyPatch, word: str, error: BaseException) -> list[str]:
    """Reading a text with this word raises; answers which texts were looked at."""
    seen: list[str] = []

    def find(session: Any, texts: Any, *rest: Any) -> Any:
        for text in texts:
            seen.append(text.raw_content)
            if word in text.raw_content:
                raise error
        return find_facts(session, texts, *rest)

    monkeypatch.setattr(extraction, "find_facts", find)
    return seen


class TestClaims:
    def test_the_work_is_given_to_one(self, alice: Caller, session: AgentSession) -> None:
        ours = claim(alice.app, session.pk, NOON)
        assert ours is not None
        assert [row.resource.raw_content for row in ours.rows if row.resource] == list(FACTS)
        assert claim(alice.app, session.pk, NOON) is None
        assert sessions_due(alice.app, NOON) == []
        assert statuses(alice.app) == [RUNNING] * 3

    def test_what_is_said_meanwhile_is_a_claim_of_its_own(self, alice: Caller, session: AgentSession) -> None:
        claim(alice.app, session.pk, NOON)
        with at_time(NOON + MINUTE):
            tell(alice, {"id": str(session.uid)}, "I prefer tabs over spaces.")
        second = claim(alice.app, session.pk, NOON + MINUTE)
        assert second is not None
        assert [row.resource.raw_content for row in second.rows if row.resource] == ["I prefer tabs over spaces."]

    def test_another_apps_claim_finds_nothing(self, charlie: Caller, session: AgentSession) -> None:
        assert claim(charlie.app, session.pk, NOON) is None
        assert statuses(session.app) == [PENDING] * 3

    def test_a_lease_holds_until_it_runs_out(self, alice: Caller, session: AgentSession) -> None:
        first = claim(alice.app, session.pk, NOON)
        assert claim(alice.app, session.pk, NOON + extraction_queue.LEASE - timedelta(seconds=1)) is None
        second = claim(alice.app, session.pk, NOON + extraction_queue.LEASE)
        assert first is not None
        assert second is not None
        assert [(row.pk, row.token) for row in second.rows] == [(first.rows[0].pk, first.rows[0].token + 1)]

    def test_a_long_session_is_claimed_in_parts_and_in_order(self, alice: Caller) -> None:
        with at_time(NOON):
            started = alice.start_session()
            tell(alice, started, *(f"The service{number} listens on port {8000 + number}." for number in range(90)))
        pk = row_of(alice.app, started).pk
        parts = [claim(alice.app, pk, NOON) for _ in range(4)]
        assert [len(part.rows) if part else 0 for part in parts] == [40, 40, 10, 0]
        resources = [row.resource_id or 0 for part in parts if part for row in part.rows]
        assert resources == sorted(resources)


class TestTheOldWorker:
    def test_cannot_finish_what_is_no_longer_its_own(self, alice: Caller, session: AgentSession) -> None:
        old = claim(alice.app, session.pk, NOON)
        claim(alice.app, session.pk, NOON + extraction_queue.LEASE)
        assert old is not None
        with pytest.raises(LeaseLost), writing(alice.app, "test", NOON + extraction_queue.LEASE) as write:
            finish(write, old.rows[0], made_by="rules")

    def test_stores_nothing(self, alice: Caller, session: AgentSession) -> None:
        old = claim(alice.app, session.pk, NOON)
        new = claim(alice.app, session.pk, NOON + extraction_queue.LEASE)
        assert old is not None
        assert new is not None
        before = picture(alice.app)
        lesson = learn_claim(alice, old, NOON + extraction_queue.LEASE + MINUTE)
        assert lesson.stored == 0
        assert picture(alice.app) == before
        learn_claim(alice, new, NOON + extraction_queue.LEASE + MINUTE)
        sweep(NOON + extraction_queue.LEASE + MINUTE)
        assert statuses(alice.app) == [DONE] * 3
        assert len(contents(alice.app)) == 3

    def test_stores_nothing_after_the_new_one_is_done(self, alice: Caller, session: AgentSession) -> None:
        old = claim(alice.app, session.pk, NOON)
        new = claim(alice.app, session.pk, NOON + extraction_queue.LEASE)
        assert old is not None
        assert new is not None
        learn_claim(alice, new, NOON + extraction_queue.LEASE)
        before = picture(alice.app)
        learn_claim(alice, old, NOON + extraction_queue.LEASE + MINUTE)
        assert picture(alice.app) == before

    def test_cannot_call_it_failed(self, alice: Caller, session: AgentSession) -> None:
        old = claim(alice.app, session.pk, NOON)
        claim(alice.app, session.pk, NOON + extraction_queue.LEASE)
        assert old is not None
        fail(old, old.rows, RuntimeError("late"), NOON + extraction_queue.LEASE)
        taken_over, *others = extractions(alice.app)
        assert (taken_over.status, taken_over.token) == (ExtractionStatus.RUNNING, 2)
        assert {row.status for row in others} == {ExtractionStatus.FAILED}, "nobody else has these"


class TestFailures:
    def fail_times(self, alice: Caller, session: AgentSession, error: Exception, times: int) -> list[Extraction]:
        now = NOON
        for _ in range(times):
            ours = claim(alice.app, session.pk, now)
            assert ours is not None
            fail(ours, ours.rows, error, now)
            now = extractions(alice.app)[0].next_at
        return extractions(alice.app)

    def test_each_wait_is_twice_the_last_up_to_an_hour(self, alice: Caller, session: AgentSession) -> None:
        waits, now = [], NOON
        for _ in range(12):
            ours = claim(alice.app, session.pk, now)
            assert ours is not None
            fail(ours, ours.rows, LLMUnavailable("away"), now)
            next_at = extractions(alice.app)[0].next_at
            waits.append((next_at - now).total_seconds())
            now = next_at
        assert waits == [min(3600, 30 * 2**number) for number in range(12)]

    def test_it_is_not_tried_before_its_time(self, alice: Caller, session: AgentSession) -> None:
        self.fail_times(alice, session, RuntimeError(), 1)
        assert claim(alice.app, session.pk, NOON + timedelta(seconds=29)) is None
        assert claim(alice.app, session.pk, NOON + timedelta(seconds=30)) is not None

    def test_a_worker_is_called_when_its_time_has_come(
        self,
        alice: Caller,
        session: AgentSession,
        monkeypatch: pytest.MonkeyPatch,
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        """Also where the job of every minute has come and gone in this minute."""
        self.fail_times(alice, session, RuntimeError(), 1)
        rung: list[tuple[str, tuple[int | str, ...]]] = []
        monkeypatch.setattr(task_queue, "send", lambda task, args: rung.append((task, args)))
        called = []
        for seconds in (0, 25, 30, 35, 60):
            with at_time(NOON + timedelta(seconds=seconds)), django_capture_on_commit_callbacks(execute=True):
                called.append(learn_again())
        assert called == [0, 0, 1, 1, 0], "at its time, once more if that was lost, and then by the job of the minute"
        with at_time(NOON + timedelta(seconds=30)):
            assert sum(learn_task(*map(int, args)) for task, args in rung if task == "memories.tasks.learn") == 3
        assert statuses(alice.app) == [DONE] * 3

    def test_nobody_is_called_twice_to_what_was_just_said(self, alice: Caller, session: AgentSession) -> None:
        with at_time(NOON):
            assert learn_again() == 0

    @each_row("requests, waited", [(120, 120), (0, 1), (0.2, 1), (86_400, 3600), (5, 5)], rolled_back=True)
    def test_a_service_that_says_how_long_is_believed(
        self, alice: Caller, session: AgentSession, requests: float, waited: float
    ) -> None:
        row = self.fail_times(alice, session, LLMUnavailable("busy", requests), 1)[0]
        assert row.next_at == NOON + timedelta(seconds=waited)

    @each_row("error", [LLMUnavailable("away"), LLMMisconfigured("the key is wrong")], rolled_back=True)
    def test_a_service_that_is_away_is_waited_for_for_ever(
        self, alice: Caller, session: AgentSession, error: Exception
    ) -> None:
        rows = self.fail_times(alice, session, error, extraction_queue.MOST_ATTEMPTS + 3)
        assert {row.status for row in rows} == {FAILED}
        assert {row.reason for row in rows} == {str(error)}

    @each_row("error", [RuntimeError("what was said: I live in Berlin"), LLMUnusable("prose")], rolled_back=True)
    def test_anything_else_is_given_up_after_five_attempts(
        self, alice: Caller, session: AgentSession, error: Exception
    ) -> None:
        assert {row.status for row in self.fail_times(alice, session, error, 4)} == {FAILED}
        ours = claim(alice.app, session.pk, NOON + HOUR)
        assert ours is not None
        fail(ours, ours.rows, error, NOON + HOUR)
        rows = extractions(alice.app)
        assert {row.status for row in rows} == {DEAD}
        assert {row.attempts for row in rows} == {5}
        assert all(row.finished_at == NOON + HOUR and row.reason and "Berlin" not in row.reason for row in rows)
        assert sessions_due(alice.app, NOON + timedelta(days=365)) == []
        listed = alice.get("extractions", status="dead").json()["results"]
        assert len(listed) == 3
        assert all(item["reason"] for item in listed)

    def test_the_dead_are_tried_again_by_hand(self, alice: Caller, session: AgentSession) -> None:
        row = self.fail_times(alice, session, RuntimeError(), 5)[0]
        assert row.status == DEAD
        assert retry(row, NOON + HOUR)
        row.refresh_from_db()
        assert (row.status, row.attempts, row.next_at) == (PENDING, 0, NOON + HOUR)
        with at_time(NOON + HOUR):
            upkeep_learn_due()
        assert contents(alice.app) == ["User lives in Berlin"]
        assert statuses(alice.app) == [DONE, DEAD, DEAD]

    @each_row("status", [DONE, RUNNING], rolled_back=True)
    def test_what_is_done_or_under_way_is_not(self, alice: Caller, session: AgentSession, status: str) -> None:
        Extraction.objects.for_app(alice.app).update(status=status)
        assert not retry(extractions(alice.app)[0], NOON)
        assert statuses(alice.app) == [status] * 3


class TestTrouble:
    @pytest.mark.parametrize("error", [RuntimeError("odd text"), LLMUnusable("prose"), RecursionError(), MemoryError()])
    def test_one_text_costs_no_other_its_turn(
        self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        breaks_for(monkeypatch, "Siemens", error)
        sweep()
        assert contents(alice.app) == ["User lives in Berlin", "User's sister Anna lives in Porto"]
        assert statuses(alice.app) == [DONE, FAILED, DONE]
        bad = extractions(alice.app)[1]
        assert bad.attempts == 1
        assert bad.reason
        assert bad.lease_until is None

    def test_it_is_given_up_alone(self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch) -> None:
        breaks_for(monkeypatch, "Siemens", RuntimeError())
        for hour in range(8):
            sweep(NOON + HOUR * hour)
        assert statuses(alice.app) == [DONE, DEAD, DONE]
        assert extractions(alice.app)[1].attempts == 5

    def test_one_session_costs_no_other_its_turn(
        self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with at_time(NOON):
            for text in ("I prefer tabs over spaces.", "The database listens on port 5433."):
                tell(alice, alice.start_session(), text)
        breaks_for(monkeypatch, "tabs", RuntimeError())
        sweep()
        assert len(contents(alice.app)) == 4
        assert statuses(alice.app) == [DONE, DONE, DONE, FAILED, DONE]

    def test_a_text_that_kills_its_worker_is_given_up_and_the_others_are_learnt(
        self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The process ends each time it reads this text, as when memory runs out."""
        breaks_for(monkeypatch, "Siemens", Killed())
        for number in range(12):
            with suppress(Killed):
                sweep(NOON + HOUR * number)
        assert statuses(alice.app) == [DONE, DEAD, DONE]

    def test_an_embedder_that_is_away_stops_nothing(
        self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(self: Any, texts: Any) -> Any:
            raise EmbedderUnavailable("away")

        monkeypatch.setattr(HashEmbedder, "embed_documents", away)
        sweep()
        assert len(contents(alice.app)) == 3
        assert statuses(alice.app) == [DONE] * 3


class TestKilledBetween:
    @pytest.mark.parametrize("at_row", [0, 1, 2])
    def test_nothing_is_half_stored(
        self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch, at_row: int
    ) -> None:
        texts = alice.get("memories").json()
        finished: list[Any] = []

        def dies(write: Any, row: Any, **counts: Any) -> None:
            if len(finished) == at_row:
                raise Killed
            finished.append(row)
            finish(write, row, **counts)

        with monkeypatch.context() as patched:
            patched.setattr(extraction_queue, "finish", dies)
            with pytest.raises(Killed):
                sweep()
        assert alice.get("memories").json() == texts
        assert contents(alice.app) == []
        assert statuses(alice.app) == [RUNNING] * 3
        with at_time(NOON + MINUTE):
            assert upkeep_learn_due() == 0
        with at_time(NOON + extraction_queue.LEASE):
            assert upkeep_learn_due() == 3
        assert statuses(alice.app) == [DONE] * 3
        assert sorted(contents(alice.app)) == [
            "User lives in Berlin", "User works at Siemens", "User's sister Anna lives in Porto"
        ]  # fmt: skip
        assert set(Memory.objects.for_app(alice.app).values_list("confidence", flat=True)) == {0.9}

    def test_killed_while_reading_costs_nothing(
        self, alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patched:
            breaks_for(patched, "Berlin", Killed())
            with pytest.raises(Killed):
                sweep()
        with at_time(NOON + extraction_queue.LEASE):
            assert upkeep_learn_due() == 3

    def test_texts_are_queued_with_them_or_not_at_all(self, alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        def dies(*given: Any) -> int:
            raise RuntimeError

        started = alice.start_session()
        with monkeypatch.context() as patched:
            patched.setattr(ingest_messages, "queue_facts", dies)
            body = {"user_input": FACTS[0], "llm_output": ""}
            assert alice.put(f"sessions/{started['id']}/turns/1", body).status_code == 500
        assert alice.get("resources").json()["results"] == []
        turn(alice, started, 1, FACTS[0])
        upkeep_learn_due()
        assert contents(alice.app) == ["User lives in Berlin"]


class TestEnergy:
    def test_too_little_defers_with_a_reason_and_enough_resumes(self, alice: Caller) -> None:
        assert alice.put("energy", {"level": 0.1}).json()["low"] is True
        tell(alice, alice.start_session(), *FACTS)
        assert upkeep_learn_due() == 0
        rows = extractions(alice.app)
        assert {row.status for row in rows} == {PENDING}
        assert {row.attempts for row in rows} == {0}
        assert all("energy" in row.reason and "10%" in row.reason for row in rows)
        listed = alice.get("extractions", status="pending").json()["results"]
        assert all("energy" in item["reason"] for item in listed)
        assert alice.get("energy/consumed").json()["deferred"] == 3
        assert alice.put("energy", {"level": 0.9}).json()["low"] is False
        assert {row.reason for row in extractions(alice.app)} == {""}
        assert upkeep_learn_due() == 3
        assert statuses(alice.app) == [DONE] * 3

    def test_a_worker_takes_it_up_as_soon_as_there_is_enough(
        self, alice: Caller, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
    ) -> None:
        """The job of every minute would find it, too, but up to two minutes later."""
        alice.put("energy", {"level": 0.1})
        with at_time(NOON):
            for fact in FACTS:
                tell(alice, alice.start_session(), fact)
            assert upkeep_learn_due() == 0
            rung: list[tuple[str, tuple[int | str, ...]]] = []
            monkeypatch.setattr(task_queue, "send", lambda task, args: rung.append((task, args)))
            with django_capture_on_commit_callbacks(execute=True):
                alice.put("energy", {"level": 0.9})
            assert {task for task, _ in rung} == {"memories.tasks.learn"}
            assert sum(learn_task(*map(int, args)) for _, args in rung) == 3
        assert statuses(alice.app) == [DONE] * 3

    def test_it_stays_deferred_while_it_is_low(self, alice: Caller) -> None:
        alice.put("energy", {"level": 0.1})
        tell(alice, alice.start_session(), *FACTS)
        for hours in range(3):
            with after(hours=hours):
                upkeep_learn_due()
        assert statuses(alice.app) == [PENDING] * 3
        assert contents(alice.app) == []

    def test_turns_and_messages_are_taken_all_the_same(self, alice: Caller) -> None:
        alice.put("energy", {"level": 0.0})
        started = alice.start_session()
        marker = "[MEMORY:timing:jellyfin] Jellyfin takes 60 seconds to start"
        assert turn(alice, started, 1, FACTS[0], marker).json()["captured"]["created"] == 1

    def test_another_apps_energy_is_its_own(self, alice: Caller, charlie: Caller) -> None:
        alice.put("energy", {"level": 0.0})
        tell(charlie, charlie.start_session(), *FACTS)
        upkeep_learn_due()
        assert len(contents(charlie.app)) == 3

    def test_what_failed_before_is_due_again_as_well(self, alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        """A row that failed once and then met low energy is not left behind when energy is back."""
        with at_time(NOON):
            tell(alice, alice.start_session(), FACTS[0])
            with monkeypatch.context() as patched:
                breaks_for(patched, "Berlin", RuntimeError())
                upkeep_learn_due()
        with at_time(NOON + MINUTE):
            alice.put("energy", {"level": 0.0})
            upkeep_learn_due()
            assert "energy" in extractions(alice.app)[0].reason
            alice.put("energy", {"level": 1.0})
            assert upkeep_learn_due() == 1


class TestTheDailyBudget:
    @pytest.fixture
    def with_a_model(self, settings: Any) -> None:
        settings.MEMSITE = replace(settings.MEMSITE, llm="openai")

    @pytest.fixture
    def waiting(self, alice: Caller, with_a_model: None) -> list[Extraction]:
        """Texts that the day's budget is spent for."""
        AppPolicy.objects.filter(app=alice.app).update(daily_tokens=1000)
        with at_time(NOON):
            self.spend(App.objects.get(pk=alice.app.pk), 1000)
            tell(alice, alice.start_session(), *FACTS)
            assert upkeep_learn_due() == 0
        rows = extractions(alice.app)
        assert all(row.next_at > NOON + HOUR for row in rows)
        return rows

    def test_once_the_model_is_switched_off_the_rules_go_on(self, waiting: list[Extraction], settings: Any) -> None:
        settings.MEMSITE = replace(settings.MEMSITE, llm="rules")
        assert self.go_on() == len(waiting)

    @each_row("limit", [{"daily_tokens": 0}, {"daily_cost": 0.0}], rolled_back=True)
    def test_once_the_app_may_ask_none_the_rules_go_on(self, waiting: list[Extraction], limit: dict[str, Any]) -> None:
        AppPolicy.objects.update(**limit)
        assert self.go_on() == len(waiting)

    @each_row("limit", [{"daily_tokens": 2000}, {"daily_tokens": None}], rolled_back=True)
    def test_once_the_limit_is_raised_they_go_on(self, waiting: list[Extraction], limit: dict[str, Any]) -> None:
        assert self.due() == 0
        AppPolicy.objects.update(**limit)
        assert self.due() == len(waiting)

    @each_row(
        "before, after",
        [
            ({"daily_cost": 1.0}, {"daily_cost": 1.5}),
            ({"daily_cost": 0.01}, {"daily_cost": 0.025}),
            ({"daily_cost": 1.0, "daily_tokens": 1000}, {"daily_tokens": None, "daily_cost": 1.5}),
        ],
        rolled_back=True,
    )
    def test_so_with_money(
        self, alice: Caller, waiting: list[Extraction], before: dict[str, Any], after: dict[str, Any]
    ) -> None:
        AppPolicy.objects.update(**{"daily_tokens": None, **before})
        with at_time(NOON):
            Extraction.objects.update(next_at=NOON)
            assert upkeep_learn_due() == 0
        assert self.due() == 0
        AppPolicy.objects.update(**after)
        assert self.due() == len(waiting)

    @each_row("limit", [{"daily_tokens": 500}, {"daily_tokens": 1000, "daily_cost": 0.5}], rolled_back=True)
    def test_a_limit_that_is_spent_too_is_waited_for_and_told(
        self, waiting: list[Extraction], limit: dict[str, Any]
    ) -> None:
        AppPolicy.objects.update(**limit)
        assert self.go_on() == 0
        rows = Extraction.objects.all()
        assert {row.next_at for row in rows} == {waiting[0].next_at}
        assert {row.reason for row in rows} != {waiting[0].reason}
        assert self.go_on() == 0

    def test_apps_are_not_freed_by_each_other(self, waiting: list[Extraction], charlie: Caller) -> None:
        AppPolicy.objects.filter(app=charlie.app).update(daily_tokens=2000)
        assert self.due() == 0

    def test_what_waits_for_something_else_goes_on_waiting(self, waiting: list[Extraction], settings: Any) -> None:
        settings.MEMSITE = replace(settings.MEMSITE, llm="rules")
        Extraction.objects.update(reason="openai: away")
        assert self.go_on() == 0

    def test_while_there_is_a_model_it_is_waited_for(self, waiting: list[Extraction]) -> None:
        assert self.go_on() == 0

    def due(self) -> int:
        """As the sweep finds it, a minute later."""
        [*JOBS["extraction"].waiting(NOON + MINUTE)]
        return Extraction.objects.due(NOON + MINUTE).count()

    def go_on(self) -> int:
        """As the sweep does, a minute later."""
        with at_time(NOON + MINUTE):
            return upkeep_learn_due() if [*JOBS["extraction"].waiting(NOON + MINUTE)] else 0

    def spend(self, app: App, tokens: int) -> None:
        record(app, Usage("extract", "large", tokens, 0, 0.1, 1.0))

    @pytest.mark.parametrize(
        ("zone", "midnight"),
        [
            ("UTC", datetime(2027, 3, 2, 0, tzinfo=UTC)),
            ("Pacific/Auckland", datetime(2027, 3, 2, 11, tzinfo=UTC)),
            ("America/Los_Angeles", datetime(2027, 3, 2, 8, tzinfo=UTC)),
        ],
    )
    @pytest.mark.parametrize("limit", [{"daily_tokens": 1000}, {"daily_cost": 1.0}])
    def test_used_up_it_defers_to_the_apps_next_midnight(
        self, alice: Caller, with_a_model: None, settings: Any, zone: str, midnight: datetime, limit: dict[str, Any]
    ) -> None:
        AppPolicy.objects.filter(app=alice.app).update(time_zone=zone, **limit)
        with at_time(NOON):
            self.spend(App.objects.get(pk=alice.app.pk), 1000)
            tell(alice, alice.start_session(), *FACTS)
            assert upkeep_learn_due() == 0
        rows = extractions(alice.app)
        assert {(row.status, row.attempts, row.next_at) for row in rows} == {(PENDING, 0, midnight)}
        assert all("1,000" in row.reason or "$1.00" in row.reason for row in rows)
        with at_time(midnight - timedelta(seconds=1)):
            assert upkeep_learn_due() == 0
        settings.MEMSITE = replace(settings.MEMSITE, llm="rules")
        with at_time(midnight):
            assert upkeep_learn_due() == 3

    @each_row("limit", [{"daily_tokens": 0}, {"daily_cost": 0.0}], rolled_back=True)
    def test_where_it_is_nothing_the_rules_learn_which_cost_nothing(self, alice: Caller, limit: dict[str, Any]) -> None:
        AppPolicy.objects.filter(app=alice.app).update(**limit)
        tell(alice, alice.start_session(), *FACTS)
        assert upkeep_learn_due() == 3

    def test_below_the_limit_it_goes_on(self, alice: Caller) -> None:
        AppPolicy.objects.filter(app=alice.app).update(daily_tokens=1000)
        with at_time(NOON):
            self.spend(App.objects.get(pk=alice.app.pk), 999)
            tell(alice, alice.start_session(), *FACTS)
            assert upkeep_learn_due() == 3


class TestAnUninstalledApp:
    def test_nothing_is_learnt_and_nothing_lost(self, alice: Caller, session: AgentSession) -> None:
        App.objects.filter(pk=alice.app.pk).update(status=AppStatus.UNINSTALLED)
        assert sweep() == 0
        with at_time(NOON):
            assert learn_task(alice.app.pk, session.pk) == 0
        assert contents(alice.app) == []
        assert statuses(alice.app) == [PENDING] * 3
        App.objects.filter(pk=alice.app.pk).update(status=AppStatus.ACTIVE)
        assert sweep() == 3

    def test_a_task_for_what_is_not_there_does_nothing(self, alice: Caller, charlie: Caller) -> None:
        started = alice.start_session()
        tell(alice, started, *FACTS)
        assert learn_task(10**9, 10**9) == 0
        assert learn_task(alice.app.pk, 10**9) == 0
        assert learn_task(charlie.app.pk, row_of(alice.app, started).pk) == 0
        assert statuses(alice.app) == [PENDING] * 3


def test_running_the_task_twice_learns_once(alice: Caller, session: AgentSession) -> None:
    with at_time(NOON):
        assert learn_task(alice.app.pk, session.pk) == 3
        before = picture(alice.app)
        assert learn_task(alice.app.pk, session.pk) == 0
        assert upkeep_learn_due() == 0
    assert picture(alice.app) == before


def test_on_a_full_disk_texts_wait_all_together_and_are_never_given_up(
    alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = NOON
    with monkeypatch.context() as patch:
        seen = breaks_for(patch, "Berlin", disk_full())
        for _ in range(extraction_queue.MOST_ATTEMPTS + 1):
            sweep(now)
            assert statuses(alice.app) == [FAILED] * 3
            now += extraction_queue.ASK_AGAIN
    assert len(seen) == extraction_queue.MOST_ATTEMPTS + 1, "none is read by itself"
    assert set(Extraction.objects.values_list("attempts", flat=True)) == {0}
    sweep(now)
    assert statuses(alice.app) == [DONE] * 3


def test_texts_wait_for_a_database_that_is_busy_and_are_never_given_up(
    alice: Caller, session: AgentSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = NOON
    with monkeypatch.context() as patch:
        seen = breaks_for(patch, "Berlin", locked())
        for _ in range(extraction_queue.MOST_ATTEMPTS + 1):
            sweep(now)
            assert statuses(alice.app) == [FAILED] * 3
            assert set(Extraction.objects.values_list("reason", flat=True)) == {BUSY}
            now += HOUR
    assert len(seen) == extraction_queue.MOST_ATTEMPTS + 1, (
        "none is read by itself: each would wait as long as all of them"
    )
    sweep(now)
    assert statuses(alice.app) == [DONE] * 3

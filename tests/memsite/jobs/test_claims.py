"""Whoever fires a job and however often: one effect per job, app and period."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import product
from typing import Any

import pytest
import structlog
from django.contrib.messages import get_messages
from django.db import OperationalError, connection, transaction
from django.test import Client
from structlog.testing import capture_logs
from time_machine import travel

from memsite.db.transactions import BUSY
from memsite.jobs import claims, engine
from memsite.jobs.job import Job, Run
from memsite.jobs.models import JobRun, JobSchedule, RunStatus
from memsite.jobs.schedule import Calendar, Every
from memsite.tenancy.models import App, AppPolicy, AuditEntry
from tests.tables import each_row
from tests.unwritable import disk_full, locked, refusing

pytestmark = pytest.mark.django_db
NIGHT = datetime(2027, 3, 1, 2, tzinfo=UTC)


class Counting(Job[App]):
    """Ten batches; `before` is called before each, `inside` in its transaction."""

    name, title, schedule = "counting", "counts to ten", Calendar(time(2))
    before: Callable[[int], Any] = staticmethod(lambda number: None)
    inside: Callable[[int], Any] = staticmethod(lambda number: None)

    def work(self, service: App, run: Run) -> None:
        for number in range(run.cursor.get("next", 0), 10):
            self.before(number)
            with transaction.atomic():
                App.objects.filter(pk=service.pk).update(name=service.name + str(number))
                service.refresh_from_db()
                self.inside(number)
                run.done({"counted": 1}, next=number + 1)


@pytest.fixture
def app() -> App:
    return make_app("acme")


def make_app(name: str) -> App:
    app = App.objects.create(app_id=name, name="", created_at=NIGHT - timedelta(days=10))
    AppPolicy.objects.create(app=app)
    return app


@pytest.fixture
def job() -> Iterator[Counting]:
    return Counting()


def fire(app: App, now: datetime = NIGHT, job: Job[Any] | None = None) -> JobRun | None:
    return claims.fire("counting", app, (job or Counting()).schedule, now, "test")


def work(job: Counting, app: App, now: datetime = NIGHT, **options: Any) -> JobRun:
    with travel(now, tick=False):
        claimed = claims.claim("counting", app, now, **options)
        assert claimed
        app.refresh_from_db()
        engine.run(job, app, claimed)
    return JobRun.objects.get(pk=claimed.row.pk)


def test_twenty_who_fire_make_one_run(app: App) -> None:
    assert [bool(fire(app)) for _ in range(20)] == [True] + [False] * 19
    assert JobRun.objects.get().period == "2027-03-01"


def test_a_run_counts_and_is_done_once(app: App, job: Counting) -> None:
    fire(app)
    run = work(job, app)
    assert (run.status, run.counts, run.attempts) == (RunStatus.DONE, {"counted": 10}, 1)
    assert claims.claim("counting", app, NIGHT) is None
    assert fire(app) is None
    app.refresh_from_db()
    assert app.name == "0123456789"


def test_nothing_is_due_from_before_the_app_was_there(app: App) -> None:
    App.objects.filter(pk=app.pk).update(created_at=NIGHT + timedelta(hours=1))
    app.refresh_from_db()
    assert fire(app, NIGHT + timedelta(hours=2)) is None
    assert fire(app, NIGHT + timedelta(days=1))


def test_three_missed_nights_are_one_run_that_covers_them(app: App, job: Counting) -> None:
    fire(app)
    work(job, app)
    fire(app, NIGHT + timedelta(days=1))  # nobody was there to do it
    later = NIGHT + timedelta(days=4, hours=5)
    fire(app, later)
    run = work(job, app, later)
    assert (run.since, run.until) == (NIGHT, NIGHT + timedelta(days=4))
    displayed = list(JobRun.objects.order_by("until").values_list("period", "status"))
    assert displayed == [("2027-03-01", "done"), ("2027-03-02", "covered"), ("2027-03-05", "done")]


def test_a_clock_that_is_set_back_brings_nothing_up_again(app: App, job: Counting) -> None:
    fire(app, NIGHT + timedelta(days=1))
    work(job, app, NIGHT + timedelta(days=1))
    assert fire(app, NIGHT) is None
    assert fire(app, NIGHT + timedelta(days=2))


@pytest.mark.parametrize("fires", ["beat", "heartbeat"])
def test_a_clock_that_was_years_ahead_stops_nothing(app: App, job: Counting, fires: str) -> None:
    def fire_all(now: datetime) -> list[str]:
        jobs = {"counting": job}
        if fires == "beat":
            return [run.period for run in engine.fire_due(jobs, now, "beat")]
        return engine.fire_for(jobs, app, now, "heartbeat")

    ahead = NIGHT + timedelta(days=3650)
    assert fire_all(ahead)
    work(job, app, ahead)
    assert fire_all(NIGHT)
    assert work(job, app, NIGHT).until == NIGHT
    assert fire_all(NIGHT) == []
    assert fire_all(NIGHT + timedelta(days=1))


def test_a_killed_worker_is_followed_by_one_that_goes_on_where_it_was(app: App, job: Counting) -> None:
    class Killed(BaseException):
        pass

    def die(number: int) -> None:
        if number == 4:
            raise Killed

    fire(app)
    job.inside = die
    with pytest.raises(Killed):
        work(job, app)
    assert claims.claim("counting", app, NIGHT + timedelta(minutes=4)) is None, "its lease still holds"
    job.inside = lambda number: None
    run = work(job, app, NIGHT + timedelta(minutes=6))
    assert (run.status, run.counts, run.attempts) == (RunStatus.DONE, {"counted": 10}, 2)
    app.refresh_from_db()
    assert app.name == "0123456789"


def test_who_was_thought_dead_undoes_its_batch(app: App, job: Counting) -> None:
    taken: list[claims.Claim | None] = []

    def oversleep(number: int) -> None:
        if number == 3 and not taken:
            taken.append(claims.claim("counting", app, NIGHT + timedelta(minutes=6)))

    fire(app)
    job.before = oversleep
    run = work(job, app)
    app.refresh_from_db()
    assert (run.status, run.counts, app.name) == (RunStatus.RUNNING, {"counted": 3}, "012")
    (other,) = taken
    assert other
    engine.run(Counting(), app, other)
    app.refresh_from_db()
    assert app.name == "0123456789"


def test_one_who_is_lost_at_the_very_end_does_not_finish_it(app: App, job: Counting) -> None:
    fire(app)
    claimed = claims.claim("counting", app, NIGHT)
    other = claims.claim("counting", app, NIGHT + timedelta(minutes=6))
    assert claimed
    assert other
    engine.run(Counting(), app, claimed)
    assert JobRun.objects.get().status == RunStatus.RUNNING
    with pytest.raises(claims.ClaimLost):
        claims.finish(claimed, NIGHT)


def test_what_a_run_did_is_told_in_words() -> None:
    run = JobRun(counts={"sessions": 1, "words_put_back": 2, "merged": 0, "reports": 1, "looked_at": 1})
    assert run.did == "1 session, 2 words put back, 1 report, 1 looked at"


def test_what_fails_is_tried_again_later_each_time_and_given_up_in_the_end(app: App, job: Counting) -> None:
    def fail(number: int) -> None:
        if number == 2:
            raise ValueError("a secret of somebody")

    fire(app)
    job.inside, now, waits = fail, NIGHT, []
    for _ in range(claims.MOST_ATTEMPTS):
        run = work(job, app, now)
        waits.append((run.next_at - now).total_seconds() / 60)
        assert claims.claim("counting", app, now) is None
        now = run.next_at
    assert waits == [1, 2, 4, 8, 16]
    assert (run.status, run.reason, run.counts) == (RunStatus.DEAD, "unexpected ValueError", {"counted": 2})
    assert claims.retry(run, now)
    job.inside = lambda number: None
    assert work(job, app, now).counts == {"counted": 10}


def test_a_failed_run_is_logged_with_its_app_if_it_has_one(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("no matter")

    monkeypatch.setattr(Counting, "work", fail)
    claims.fire("counting", None, Counting.schedule, NIGHT, "test")
    of_site = claims.claim("counting", None, NIGHT)
    fire(app)
    of_app = claims.claim("counting", app, NIGHT)
    assert of_site
    assert of_app
    with capture_logs() as logs:
        monkeypatch.setattr(engine, "log", structlog.get_logger())
        engine.run(Counting(), app, of_site)
        engine.run(Counting(), app, of_app)
    assert [(entry["event"], entry["app"]) for entry in logs] == [("run_failed", None), ("run_failed", "acme")]


def test_a_worker_killed_again_and_again_is_not_given_it_for_ever(app: App) -> None:
    fire(app)
    now = NIGHT
    for _ in range(claims.MOST_ATTEMPTS):
        assert claims.claim("counting", app, now)
        now += timedelta(minutes=6)
    assert claims.claim("counting", app, now) is None
    run = JobRun.objects.get()
    assert (run.status, run.reason) == (RunStatus.DEAD, claims.KILLED)


@pytest.mark.django_db(transaction=True)
def test_a_stop_ends_it_after_the_batch_and_it_goes_on_from_there() -> None:
    app, job = make_app("acme"), Counting()
    run = fire(app)
    assert run
    job.before = lambda number: number == 4 and claims.ask_to_stop(run, NIGHT)
    stopped = work(job, app)
    assert (stopped.status, stopped.counts) == (RunStatus.STOPPED, {"counted": 5})
    assert claims.claim("counting", app, NIGHT) is None
    job.before = lambda number: None
    assert claims.retry(stopped, NIGHT)
    assert work(job, app).counts == {"counted": 10}


def test_a_run_nobody_is_at_is_stopped_at_once(app: App) -> None:
    run = fire(app)
    assert run
    assert claims.ask_to_stop(run, NIGHT)
    assert JobRun.objects.get().status == RunStatus.STOPPED
    assert not claims.ask_to_stop(run, NIGHT)


@pytest.mark.django_db(transaction=True)
def test_a_long_run_lets_others_have_the_worker_and_goes_on() -> None:
    app, job = make_app("acme"), Counting()
    fire(app)
    for counted in range(1, 11):
        run = work(job, app, slice_seconds=0)
        assert (run.status, run.counts, run.attempts) == (RunStatus.PENDING, {"counted": counted}, 0)
    assert work(job, app, slice_seconds=0).status == RunStatus.DONE


def test_a_begun_run_is_ended_before_the_next_begins(app: App, job: Counting) -> None:
    fire(app)
    assert claims.claim("counting", app, NIGHT)
    tomorrow = NIGHT + timedelta(days=1)
    fire(app, tomorrow)
    first, second = (work(job, app, tomorrow) for _ in range(2))
    assert (first.period, second.period, second.since) == ("2027-03-01", "2027-03-02", NIGHT)


def test_apps_have_their_own_nights(app: App) -> None:
    app.policy.time_zone = "America/New_York"
    app.policy.save()
    app.refresh_from_db()
    assert claims.fire("counting", app, Calendar(time(2)), NIGHT, "test").period == "2027-02-28"  # type: ignore[union-attr]


def test_beat_fires_for_every_app_and_only_what_is_new(app: App) -> None:
    others = [make_app(f"app{number}") for number in range(3)]
    App.objects.filter(pk=others[0].pk).update(status="uninstalled")
    jobs = {"counting": Counting()}
    assert {run.app_id for run in engine.fire_due(jobs, NIGHT, "beat")} == {app.pk, others[1].pk, others[2].pk}
    assert engine.fire_due(jobs, NIGHT + timedelta(hours=3), "beat") == []
    assert len(engine.fire_due(jobs, NIGHT + timedelta(days=1), "beat")) == 3


def test_the_night_of_many_apps_is_set_going_together(
    app: App, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    apps = [app, *(make_app(f"app{number}") for number in range(20))]
    fire(apps[7])
    with django_assert_max_num_queries(10):
        fired = engine.fire_due({"counting": Counting()}, NIGHT, "beat")
    assert {run.app_id for run in fired} == {item.pk for item in apps} - {apps[7].pk}
    assert {(run.period, run.until, run.status, run.fired_by) for run in fired} == {
        ("2027-03-01", NIGHT, RunStatus.PENDING, "beat")
    }
    assert JobRun.objects.count() == 21


def test_jobs_are_set_going_for_every_app_by_one_press(
    app: App, admin_client: Client, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    for number in range(20):
        make_app(f"app{number}")
    rows = [JobSchedule.of(name, Calendar(time(2))) for name in ("decay", "nightly", "housekeeping")]
    JobSchedule.objects.bulk_create(rows)
    press = {"action": "run_now", "_selected_action": list(JobSchedule.objects.values_list("pk", flat=True))}
    output = []
    for _ in range(2):
        with django_assert_max_num_queries(60):
            answer = admin_client.post("/admin/jobs/jobschedule/", press)
        output += [str(message) for message in get_messages(answer.wsgi_request)]
    assert output[-1] == "0 runs set going. 43 had been before: done once."
    assert "43 runs set going." in output
    assert set(JobRun.objects.filter(job="decay").values_list("app", "fired_by")) == {
        (item.pk, "operator:admin") for item in App.objects.all()
    }


def test_of_two_beats_at_the_same_moment_each_run_is_set_going_by_one(app: App) -> None:
    other, moments = make_app("other"), [lambda: fire(app)]

    def other_beat(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith("INSERT") and moments:
            assert moments.pop()()
        return execute(sql, *more)

    with connection.execute_wrapper(other_beat):
        fired = claims.fire_all("counting", [app, other], Counting.schedule, NIGHT, "beat")
    assert [run.app for run in fired] == [other]
    assert set(JobRun.objects.values_list("app", "fired_by")) == {(app.pk, "test"), (other.pk, "beat")}


def test_what_was_done_for_a_date_is_not_set_going_again_when_the_time_of_day_is_moved(app: App) -> None:
    assert claims.fire_all("counting", [app], Calendar(time(2)), NIGHT, "beat")
    assert not claims.fire_all("counting", [app], Calendar(time(3)), NIGHT + timedelta(hours=2), "beat")
    assert JobRun.objects.count() == 1


def test_operators_move_a_job_and_switch_it_off(app: App) -> None:
    jobs = {"counting": Counting()}
    engine.fire_due(jobs, NIGHT - timedelta(days=1), "beat")
    row = JobSchedule.objects.get()
    assert (row.at, row.enabled) == (time(2), True)
    JobSchedule.objects.update(at=time(5))
    assert engine.fire_due(jobs, NIGHT, "beat") == []
    assert len(engine.fire_due(jobs, NIGHT + timedelta(hours=3), "beat")) == 1
    JobSchedule.objects.update(enabled=False)
    assert engine.fire_due(jobs, NIGHT + timedelta(days=2), "beat") == []
    assert engine.fire_for(jobs, app, NIGHT + timedelta(days=2), "heartbeat") == []
    run, is_new = engine.fire_now(jobs["counting"], app, NIGHT + timedelta(days=2), "operator")
    assert (run.period, is_new) == ("2027-03-02", True)


NO_SCHEDULE = [
    ({}, "Either a time of day, or every so many minutes."),
    ({"weekday": "3"}, "Either a time of day, or every so many minutes."),
    ({"minutes": "0"}, "Ensure this value is greater than or equal to 1."),
    ({"minutes": "-1"}, "Ensure this value is greater than or equal to"),
    ({"minutes": "1441"}, "Ensure this value is less than or equal to 1440."),
    ({"at": "02:00", "minutes": "5"}, "Either a time of day, or every so many minutes."),
    ({"at": "02:00", "weekday": "3", "day": "3"}, "A day of the week or a day of the month, not both."),
    ({"at": "02:00", "day": "29"}, "Ensure this value is less than or equal to 28."),
    ({"minutes": "5", "day": "3"}, "Every so many minutes is on every day."),
    ({"at": "25:00"}, "Enter a valid time."),
]


@each_row("schedule, wrong", product([Calendar(time(1), weekday=6), Every(5)], NO_SCHEDULE), rolled_back=True)
def test_operators_are_told_what_is_no_schedule(
    admin_client: Client, schedule: Calendar | Every, wrong: tuple[dict[str, str], str]
) -> None:
    typed, says = wrong
    row = JobSchedule.of("counting", schedule)
    row.save()
    answer = admin_client.post(f"/admin/jobs/jobschedule/{row.pk}/change/", {"enabled": "on", **typed})
    assert answer.status_code == 200
    assert says in html.unescape(answer.content.decode())
    assert JobSchedule.objects.get().schedule == schedule


def test_a_schedule_is_set_beside_others_and_noted(admin_client: Client) -> None:
    row = JobSchedule.of("counting", Calendar(time(2, 0)))
    row.save()
    url = f"/admin/jobs/jobschedule/{row.pk}/change/"
    page = {"enabled": "on", "at": "02:00:00", "weekday": "", "day": "", "minutes": ""}
    opened = {f"initial-{name}": "True" if name == "enabled" else value for name, value in page.items()}
    assert admin_client.post(url, {**page, **opened}).status_code == 302
    assert not AuditEntry.objects.exists()
    assert admin_client.post(url, {**page, **opened, "weekday": "3"}).status_code == 302
    stopped = {name: value for name, value in page.items() if name != "enabled"}
    assert admin_client.post(url, {**stopped, **opened}).status_code == 302
    row.refresh_from_db()
    assert (row.enabled, row.weekday) == (False, 3)
    noted = AuditEntry.objects.values_list("actor", "app", "action", "subject", "before", "after")
    assert list(noted) == [
        ("operator:admin", None, "schedule changed", "counting", {"enabled": True}, {"enabled": False}),
        ("operator:admin", None, "schedule changed", "counting", {"weekday": None}, {"weekday": 3}),
    ]


def test_what_waits_is_worked_off_short_work_first(app: App) -> None:
    done = []

    class Short(Counting):
        name, schedule = "short", Every(1)

        def work(self, service: App, run: Run) -> None:
            done.append("short")

    class Long(Counting):
        def work(self, service: App, run: Run) -> None:
            done.append("long")

    jobs = {"counting": Long(), "short": Short()}
    with travel(NIGHT, tick=True):
        engine.fire_due(jobs, NIGHT, "beat")
        assert engine.work_off(jobs, lambda app: app, timedelta(minutes=1)) == 2
    assert done == ["short", "long"]


def test_no_more_long_jobs_at_once_than_the_site_allows(app: App) -> None:
    class Other(Counting):
        name = "other"

    class Third(Counting):
        name = "third"

    jobs = {job.name: job for job in (Counting(), Other(), Third())}
    engine.fire_due(jobs, NIGHT, "beat")
    assert [bool(engine.next_claim(jobs, NIGHT)) for _ in range(3)] == [True, True, False]


def test_old_runs_are_dropped_but_none_that_waits_for_somebody(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "AT_ONCE", 2)
    did, nothing = {"added": 10, "seconds": 0.0}, {"added": 0, "seconds": 0.0}
    for days, period, status, counts in [
        (91, "a", "done", did), (91, "b", "dead", {}), (91, "c", "pending", {}), (89, "d", "done", did),
        (89, "e", "done", {"seconds": 0.05}), (8, "f", "done", nothing), (8, "g", "covered", {}), (6, "h", "done", {}),
        (8, "2027-01-01T00:00Z", "done", did), (6, "2027-01-02T00:00Z", "done", did),
    ]:  # fmt: skip
        for of in (app, None):
            JobRun.objects.create(
                app=of, job="counting", period=period, status=status, counts=counts, started_at=NIGHT,
                until=NIGHT - timedelta(days=days),
            )  # fmt: skip
    assert list(engine.drop_old_runs(NIGHT)) == [2, 2, 2, 2]
    for of in (app, None):
        left = JobRun.objects.of("counting", of).values_list("period", flat=True)
        assert set(left) == {"b", "c", "d", "e", "h", "2027-01-02T00:00Z"}


def test_the_last_run_of_a_job_stays_for_the_next_is_for_the_time_since_then(app: App, job: Counting) -> None:
    other = make_app("other")
    for of in (app, other):
        fire(of)
        work(job, of)
    fire(app, NIGHT + timedelta(days=200))
    assert not list(engine.drop_old_runs(NIGHT + timedelta(days=200)))
    assert work(job, app, NIGHT + timedelta(days=200)).since == NIGHT
    assert list(engine.drop_old_runs(NIGHT + timedelta(days=200))) == [1]
    assert set(JobRun.objects.values_list("app__app_id", "period")) == {("acme", "2027-09-17"), ("other", "2027-03-01")}


def test_a_full_disk_is_waited_for_however_often_it_is_tried(app: App, job: Counting) -> None:
    def full(number: int) -> None:
        raise disk_full()

    job.before, now = full, NIGHT
    fire(app)
    for _ in range(claims.MOST_ATTEMPTS + 1):
        run = work(job, app, now)
        assert (run.status, run.attempts) == (RunStatus.FAILED, 0)
        assert run.reason.startswith("The server's disk is full")
        now = run.next_at
    run = work(Counting(), app, now)
    assert (run.status, run.counts) == (RunStatus.DONE, {"counted": 10})


def test_a_busy_database_is_waited_for_later_each_time_and_never_given_up_on(app: App, job: Counting) -> None:
    def wait(number: int) -> None:
        raise locked()

    job.before, now, waits = wait, NIGHT, []
    fire(app)
    for _ in range(claims.MOST_ATTEMPTS + 2):
        run = work(job, app, now)
        assert (run.status, run.reason) == (RunStatus.FAILED, BUSY)
        waits.append((run.next_at - now).total_seconds() / 60)
        now = run.next_at
    assert waits == [1, 2, 4, 8, 16, 32, 64]
    run = work(Counting(), app, now)
    assert (run.status, run.counts) == (RunStatus.DONE, {"counted": 10})


def test_a_run_whose_failing_cannot_be_noted_is_somebody_elses_when_its_lease_is_over(app: App, job: Counting) -> None:
    fire(app)
    with travel(NIGHT, tick=False):
        claimed = claims.claim("counting", app, NIGHT)
        assert claimed
        with refusing(), pytest.raises(OperationalError):
            engine.run(job, app, claimed)
    run = work(job, app, NIGHT + claims.LEASE)
    assert (run.status, run.counts) == (RunStatus.DONE, {"counted": 10})

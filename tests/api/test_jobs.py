"""Operators look at the upkeep, set it going, stop it and try it again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient
from time_machine import travel

from memories.jobs import JOBS
from memories.tasks import upkeep_due, upkeep_work
from memsite.jobs.models import JobRun, JobSchedule, RunStatus
from memsite.tenancy.models import App
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_caller

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def noon() -> Any:
    with travel(NOON, tick=False):
        yield


def fire(operator: APIClient, name: str, **body: str) -> Any:
    return operator.post(f"/api/v1/jobs/{name}/run", body)


def test_each_job_is_listed_with_when_it_is_due_and_what_came_of_it(operator: APIClient, alice: Caller) -> None:
    fire(operator, "decay", app_id="acme")
    upkeep_work()
    jobs = {job["name"]: job for job in operator.get("/api/v1/jobs", {"app_id": "acme"}).json()["results"]}
    assert jobs.keys() == {name for name, job in JOBS.items() if not job.of_site}
    decay = jobs["decay"]
    assert (decay["schedule"], decay["enabled"], decay["next_at"]) == ("daily at 01:30", True, "2027-03-02T01:30:00Z")
    run = decay["last_run"]
    assert (run["status"], run["period"], run["app_id"], run["attempts"]) == ("done", "2027-03-01", "acme", 1)
    assert run["due_at"] == "2027-03-01T01:30:00Z"
    assert jobs["triggers"]["last_run"] is None
    of_site = operator.get("/api/v1/jobs").json()["results"]
    assert {job["name"] for job in of_site} == {name for name, job in JOBS.items() if job.of_site}


def test_a_job_runs_once_for_its_period_however_often_it_is_asked_for(operator: APIClient, alice: Caller) -> None:
    answers = [fire(operator, "decay", app_id="acme") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202] * 3
    assert [answer.json()["is_new"] for answer in answers] == [True, False, False]
    assert len({answer.json()["run"]["id"] for answer in answers}) == 1
    upkeep_work()
    again = fire(operator, "decay", app_id="acme").json()
    assert (again["is_new"], again["run"]["status"]) == (False, "done")
    assert JobRun.objects.count() == 1


@pytest.mark.parametrize("name", [name for name, job in JOBS.items() if not job.of_site])
def test_each_job_of_an_app_may_be_set_going_by_hand(operator: APIClient, alice: Caller, name: str) -> None:
    """Also one that has nothing to do there, such as with pgvector on SQLite."""
    alice.remember("Whales sing")
    run = fire(operator, name, app_id="acme").json()["run"]["id"]
    upkeep_work()
    done = JobRun.objects.get(uid=run)
    assert (done.status, done.reason) == (RunStatus.DONE, "")


def test_the_work_is_done(operator: APIClient, alice: Caller) -> None:
    with travel(NOON - timedelta(days=44), tick=False):
        memory = alice.remember("Something old")
    fire(operator, "decay", app_id="acme")
    upkeep_work()
    assert alice.get(f"memories/{memory['id']}").json()["confidence"] == 0.5
    (run,) = operator.get("/api/v1/jobs/runs", {"job": "decay"}).json()["results"]
    assert run["counts"] == {"decayed": 1, "deactivated": 0}


def test_the_tick_sets_everything_going_for_every_app_once(operator: APIClient, alice: Caller, charlie: Caller) -> None:
    App.objects.update(created_at=NOON - timedelta(days=90))
    assert upkeep_due() == 2 * len([job for job in JOBS.values() if job.is_heavy and not job.of_site]) + len(
        [job for job in JOBS.values() if job.of_site and job.is_heavy]
    )
    assert upkeep_due() == 0
    upkeep_work()
    # A test is a transaction, in which no backup can be made.
    assert set(JobRun.objects.exclude(job="backup").values_list("status", flat=True)) == {RunStatus.DONE}
    assert set(JobSchedule.objects.values_list("job", flat=True)) == set(JOBS)


def test_what_is_over_is_tried_again_and_what_is_done_is_not(operator: APIClient, alice: Caller) -> None:
    uid = fire(operator, "decay", app_id="acme").json()["run"]["id"]
    JobRun.objects.update(status=RunStatus.DEAD, reason="no luck")
    assert operator.post(f"/api/v1/jobs/runs/{uid}/retry").json()["status"] == "pending"
    upkeep_work()
    assert_problem(operator.post(f"/api/v1/jobs/runs/{uid}/retry"), 409)
    assert_problem(operator.post(f"/api/v1/jobs/runs/{uid}/stop"), 409)


def test_one_that_waits_is_stopped_and_goes_on(operator: APIClient, alice: Caller) -> None:
    uid = fire(operator, "decay", app_id="acme").json()["run"]["id"]
    assert operator.post(f"/api/v1/jobs/runs/{uid}/stop").json()["status"] == "stopped"
    upkeep_work()
    assert JobRun.objects.get().status == RunStatus.STOPPED
    operator.post(f"/api/v1/jobs/runs/{uid}/retry")
    upkeep_work()
    assert JobRun.objects.get().status == RunStatus.DONE


def test_runs_are_filtered(operator: APIClient, alice: Caller, charlie: Caller) -> None:
    for name, app in (("decay", "acme"), ("triggers", "acme"), ("decay", "globex")):
        fire(operator, name, app_id=app)

    def listed(**query: str) -> list[tuple[str, str]]:
        runs = operator.get("/api/v1/jobs/runs", query).json()["results"]
        return [(run["job"], run["app_id"]) for run in runs]

    assert listed() == [("decay", "globex"), ("triggers", "acme"), ("decay", "acme")]
    assert listed(app_id="acme") == [("triggers", "acme"), ("decay", "acme")]
    assert listed(job="decay", status="pending") == [("decay", "globex"), ("decay", "acme")]
    assert listed(status="done") == []
    assert_problem(operator.get("/api/v1/jobs/runs", {"status": "asleep"}), 400, "status")
    assert_problem(operator.get("/api/v1/jobs/runs", {"job": "dream"}), 400, "job")
    assert_problem(operator.get("/api/v1/jobs/runs", {"app_id": "nobody"}), 404)


def test_questions_that_make_no_sense(operator: APIClient, alice: Caller) -> None:
    assert_problem(fire(operator, "dream", app_id="acme"), 404)
    assert_problem(fire(operator, "decay"), 400, "app_id")
    assert_problem(fire(operator, "decay", app_id="nobody"), 404)
    assert_problem(fire(operator, "decay", app_id="acme", mood="good"), 400, "mood")
    assert_problem(fire(operator, "housekeeping", app_id="acme"), 400, "app_id")
    assert fire(operator, "housekeeping").status_code == 202


def test_an_apps_operator_has_its_own_jobs_and_not_the_sites(
    alice: Caller, charlie: Caller, operator: APIClient
) -> None:
    mine = make_caller(alice.app, "boss", ("operator",))
    assert mine.post("jobs/decay/run").json()["run"]["app_id"] == "acme"
    foreign = fire(operator, "decay", app_id="globex").json()["run"]["id"]
    site = fire(operator, "housekeeping").json()["run"]["id"]
    assert [run["app_id"] for run in mine.get("jobs/runs").json()["results"]] == ["acme"]
    assert {job["name"] for job in mine.get("jobs").json()["results"]} == {
        name for name, job in JOBS.items() if not job.of_site
    }
    assert_problem(mine.post("jobs/housekeeping/run"), 403)
    for uid in (foreign, site):
        assert_problem(mine.post(f"jobs/runs/{uid}/stop"), 404)
    assert_problem(alice.get("jobs"), 403)

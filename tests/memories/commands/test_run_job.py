"""`manage.py run_job`: a job by hand, or all that is due."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from time_machine import travel

from memories.jobs import JOBS
from memsite.jobs.models import JobRun
from memsite.tenancy.models import App
from tests.conftest import Caller

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def run(*arguments: str) -> str:
    out = StringIO()
    with travel(NOON, tick=False):
        call_command("run_job", *arguments, stdout=out)
    return out.getvalue()


def test_it_does_the_job_for_every_app_once(alice: Caller, charlie: Caller) -> None:
    with travel(NOON - timedelta(days=44), tick=False):
        alice.remember("Something old")
    first = run("decay")
    assert "acme: decay 2027-03-01 done: 1 decayed, 0 deactivated" in first
    assert "globex: decay 2027-03-01 done: nothing to do" in first
    with travel(NOON + timedelta(minutes=1), tick=False):
        out = StringIO()
        call_command("run_job", "decay", "--app", "acme", stdout=out)
    assert "done, before: 1 decayed" in out.getvalue()
    assert JobRun.objects.count() == 2


def test_of_the_whole_site(db: None) -> None:
    answer = run("housekeeping")
    assert answer.startswith("site: housekeeping 2027-03-01 done: ")
    assert "0 answers_dropped" in answer, "in whatever order the database keeps them"


def test_everything_that_is_due(alice: Caller) -> None:
    App.objects.update(created_at=NOON - timedelta(days=90))
    count = len([job for job in JOBS.values() if job.is_heavy])
    assert run("--due") == f"{count} started, {count} worked on.\n"
    assert run("--due") == "0 started, 0 worked on.\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "Which job"),
        (("dream",), "Which job"),
        (("decay", "--due"), "without a job"),
        (("decay", "--app", "nobody"), "There is no app nobody"),
        (("decay", "--app", ""), "There is no app ,"),
        (("--due", "--app", ""), "without --app"),
        (("housekeeping", "--app", "acme"), "whole site"),
    ],
)
def test_what_makes_no_sense(alice: Caller, arguments: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run(*arguments)


def test_one_that_fails_is_told_and_ends_with_an_error(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(JOBS["decay"], "work", fail)
    out = StringIO()
    with travel(NOON, tick=False), pytest.raises(CommandError, match="1 of 1 failed"):
        call_command("run_job", "decay", stdout=out)
    assert "failed" in out.getvalue()
    assert "nothing to do" not in out.getvalue()

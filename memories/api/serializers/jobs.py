"""Serializers of jobs and their runs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.api.fields import (
    NameField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
)
from memories.jobs import Listed
from memsite.jobs.models import JobRun, RunStatus

APP_ID = "Which app it is for; null where it is for the whole site."


class RunShown(StrictSerializer):
    id = StrictUUIDField()
    job = StrictCharField()
    app_id = StrictCharField(allow_null=True, help_text=APP_ID)
    period = StrictCharField(help_text="What it is for: a date on the app's calendar, or a moment.")
    status = StrictChoiceField(RunStatus.choices)
    fired_by = StrictCharField(help_text="Who set it going first.")
    attempts = StrictIntegerField()
    counts = serializers.DictField(child=StrictIntegerField(), help_text="What it has done so far.")
    seconds = StrictFloatField(help_text="Of work, all attempts together.")
    reason = StrictCharField(help_text="Why it failed, or what did it instead.")
    due_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class JobShown(StrictSerializer):
    name = StrictCharField()
    title = StrictCharField(help_text="What it does.")
    schedule = StrictCharField(help_text="When it is due, on the clock of the app.")
    enabled = StrictBooleanField()
    next_at = serializers.DateTimeField(allow_null=True, help_text="When it is due next; null while it is off.")
    last_run = RunShown(allow_null=True)


class JobsShown(StrictSerializer):
    results = JobShown(many=True)


class JobFired(StrictSerializer):
    app_id = NameField(
        required=False, help_text="Needed unless the key belongs to an app or the job is for the whole site."
    )


class JobAnswer(StrictSerializer):
    is_new = StrictBooleanField(help_text="False: this period's run was there already, and nothing is done twice.")
    run = RunShown()


def show_run(run: JobRun) -> dict[str, Any]:
    return {
        "id": run.uid,
        "job": run.job,
        "app_id": run.app.app_id if run.app else None,
        "period": run.period,
        "status": run.status,
        "fired_by": run.fired_by,
        "attempts": run.attempts,
        "counts": run.counts,
        "seconds": round(run.seconds, 3),
        "reason": run.reason,
        "due_at": run.until,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }


def show_job(listed: Listed) -> dict[str, Any]:
    return {
        "name": listed.job.name,
        "title": listed.job.title,
        "schedule": str(listed.schedule),
        "enabled": listed.enabled,
        "next_at": listed.next_at,
        "last_run": show_run(listed.last_run) if listed.last_run else None,
    }

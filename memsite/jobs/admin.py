"""Upkeep for operators: when each job is due, what came of each run, and doing it again or now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery.schedules import ParseException, crontab
from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django_celery_beat.admin import CrontabScheduleAdmin, PeriodicTaskAdmin, PeriodicTaskForm
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, PeriodicTask, SolarSchedule

from memories.jobs import JOBS
from memsite.admin_site import AppFilter, ReadOnlyAdmin, SiteAdmin, column, columns, raw
from memsite.http.optimistic_form import SideBySideForm
from memsite.jobs.claims import ask_to_stop, retry
from memsite.jobs.engine import WORK, fire_all_now, fire_now
from memsite.jobs.models import JobRun, JobSchedule
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.access import Right, actor_of
from memsite.tenancy.audit import note_change
from memsite.tenancy.models import App, AppStatus

PARTS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
UNREADABLE = (ParseException, ValueError)

if TYPE_CHECKING:
    CrontabModelForm = forms.ModelForm[CrontabSchedule]
else:
    CrontabModelForm = forms.ModelForm

# Of the clock behind all upkeep an operator needs no more than what it has: jobs have schedules of their own.
for model in (CrontabSchedule, PeriodicTask, ClockedSchedule, SolarSchedule):
    admin.site.unregister(model)


class CrontabForm(CrontabModelForm):
    def clean(self) -> dict[str, Any]:
        """Refuse what passes the fields' own check and ends the schedule when read: -1, or the 31st of February."""
        fields: dict[str, Any] = super().clean() or {}
        try:
            crontab(**{name: fields[name] for name in PARTS if name in fields})
        except UNREADABLE as error:
            raise ValidationError(f"Not a schedule: {error}.") from error
        return fields


@admin.register(CrontabSchedule)
class Crontabs(CrontabScheduleAdmin):  # type: ignore[misc]  # django-celery-beat has no types
    form = CrontabForm

    def human_readable(self, row: CrontabSchedule) -> str:
        """Show the schedule beside a refused form, too, of what was typed there."""
        try:
            return str(row.human_readable)
        except UNREADABLE:
            return "-"


class TaskForm(PeriodicTaskForm):  # type: ignore[misc]  # django-celery-beat has no types
    def _clean_json(self, field: str) -> Any:
        try:
            return super()._clean_json(field)
        except RecursionError as error:
            raise ValidationError("Too many brackets within each other.") from error


@admin.register(PeriodicTask)
class Tasks(PeriodicTaskAdmin):  # type: ignore[misc]  # django-celery-beat has no types
    form = TaskForm
    exclude = ("solar", "clocked")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return [
            (title, {**options, "fields": [name for name in options["fields"] if name not in self.exclude]})
            for title, options in super().get_fieldsets(request, obj)
        ]


@admin.register(JobSchedule)
class JobScheduleAdmin(SiteAdmin[JobSchedule]):
    """Of the whole site, and so the superusers'. A job has its row from the first minute that the site is up."""

    app_path = ""
    forbidden = ("add", "delete")
    list_display = ["job", "what_it_does", "when", "enabled"]
    list_filter = ["enabled"]
    ordering = ["job"]
    actions = ["run_now"]
    form = SideBySideForm[JobSchedule]
    fields = ["job", "what_it_does", "enabled", "at", "weekday", "day", "minutes"]
    readonly_fields = ["job", "what_it_does"]

    @admin.display(description="what it does")
    def what_it_does(self, row: JobSchedule) -> str:
        job = JOBS.get(row.job)
        return job.title if job else "This version of Memsite has no such job."

    when = column("due", lambda row: row.when)

    @admin.action(description="Run now, for every app", permissions=["change"])
    def run_now(self, request: HttpRequest, queryset: QuerySet[JobSchedule]) -> None:
        jobs = [JOBS[row.job] for row in queryset if row.job in JOBS]
        apps = list(App.objects.filter(status=AppStatus.ACTIVE).select_related("policy"))
        now, by = timezone.now(), actor_of(request.user)
        site = [fire_now(job, None, now, by)[1] for job in jobs if job.of_site]
        each = [len(fire_all_now(job, apps, now, by)) for job in jobs if not job.of_site]
        new, wanted = sum(site) + sum(each), len(site) + len(each) * len(apps)
        before = f" {wanted - new} had been before: done once." if wanted > new else ""
        messages.success(request, f"{new} run{pluralize(new)} set going.{before}")

    def save_model(self, request: HttpRequest, obj: JobSchedule, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        before, after = ({name: values[name] for name in form.fields} for values in (form.initial, form.cleaned_data))
        note_change(actor_of(request.user), None, "schedule changed", obj.job, before, after)


@admin.register(JobRun)
class JobRunAdmin(ReadOnlyAdmin[JobRun]):
    dashboard_page, dashboard_args = "upkeep", ()
    right = Right.GOVERN
    list_display = columns("job app period status what_it_did lasted until")
    list_filter = [("app", AppFilter), "status", "job", ("until", admin.DateFieldListFilter)]
    search_fields = ["job", "period", "reason"]
    actions = ["try_again", "stop"]
    fields = [
        "app", "job", "period", "status", "since", "until", "fired_by", "attempts", "counts_shown", "lasted", "reason",
        "next_at", "started_at", "finished_at",
    ]  # fmt: skip

    what_it_did = column("did", lambda run: run.reason or run.did or "-")
    lasted = column("lasted", lambda run: f"{run.seconds:.1f} s", "seconds")
    counts_shown = column("counts", lambda run: raw(run.counts))

    @admin.action(description="Try again, or go on with", permissions=["act"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[JobRun]) -> None:
        self.report(request, "set going again", [retry(run, timezone.now()) for run in queryset])
        enqueue(WORK)

    @admin.action(description="Stop after the batch under way", permissions=["act"])
    def stop(self, request: HttpRequest, queryset: QuerySet[JobRun]) -> None:
        self.report(request, "stopped, or about to", [ask_to_stop(run, timezone.now()) for run in queryset])

    def report(self, request: HttpRequest, what: str, done: list[bool]) -> None:
        left = len(done) - sum(done)
        rest = f" {left} left alone: there was nothing to do about them." if left else ""
        messages.success(request, f"{sum(done)} {what}.{rest}")

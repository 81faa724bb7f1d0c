"""Schedules of one's own: django-celery-beat's pages, that take no schedule which Celery cannot read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery.schedules import ParseException, crontab
from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django_celery_beat.admin import CrontabScheduleAdmin, PeriodicTaskAdmin, PeriodicTaskForm
from django_celery_beat.models import CrontabSchedule, PeriodicTask

PARTS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
UNREADABLE = (ParseException, ValueError)

if TYPE_CHECKING:
    CrontabModelForm = forms.ModelForm[CrontabSchedule]
else:
    CrontabModelForm = forms.ModelForm

admin.site.unregister(CrontabSchedule)
admin.site.unregister(PeriodicTask)


class CrontabForm(CrontabModelForm):
    def clean(self) -> dict[str, Any]:
        """Its fields' own check lets through what ends the schedule when it is read: -1, or the 31st of February."""
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
        """Shown beside a refused form, too, of what was typed there."""
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

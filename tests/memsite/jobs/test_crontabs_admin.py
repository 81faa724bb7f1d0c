"""django-celery-beat's own pages take no schedule that ends them, and the schedule, when it is read."""

from __future__ import annotations

from django.test import Client
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from tests.tables import each_row

PAGES = "/admin/django_celery_beat"
ALWAYS = {
    "minute": "*", "hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*",
    "timezone": "Europe/Berlin",
    "periodictask_set-TOTAL_FORMS": "0", "periodictask_set-INITIAL_FORMS": "0",
}  # fmt: skip


@each_row(
    "wrong",
    [
        {"minute": "-1"},
        {"hour": "1,"},
        {"day_of_week": "*/-1"},
        {"month_of_year": "-"},
        {"day_of_month": "31", "month_of_year": "2"},
    ],
    rolled_back=True,
)
def test_a_schedule_that_cannot_be_read_is_refused(wrong: dict[str, str], admin_client: Client) -> None:
    answer = admin_client.post(f"{PAGES}/crontabschedule/add/", ALWAYS | wrong)
    assert answer.status_code == 200
    assert "Not a schedule: " in answer.content.decode()
    assert not CrontabSchedule.objects.exists()


@each_row("zone", ["Mars/Phobos", "../etc/passwd", "Europe", ""], rolled_back=True)
def test_a_time_zone_that_is_none_is_refused(zone: str, admin_client: Client) -> None:
    answer = admin_client.post(f"{PAGES}/crontabschedule/add/", ALWAYS | {"timezone": zone})
    assert answer.status_code == 200
    assert not CrontabSchedule.objects.exists()


def test_a_schedule_is_kept_as_it_was_typed(admin_client: Client) -> None:
    typed = {"minute": "*/5", "hour": "8-18", "day_of_week": "mon-fri"}
    answer = admin_client.post(f"{PAGES}/crontabschedule/add/", ALWAYS | typed)
    assert answer.status_code == 302, answer.context["errors"]
    cron = CrontabSchedule.objects.get()
    assert (
        cron.minute,
        cron.hour,
        cron.day_of_week,
        str(cron.timezone),
    ) == ("*/5", "8-18", "mon-fri", "Europe/Berlin")


def test_arguments_without_a_bottom_are_refused(admin_client: Client) -> None:
    often = IntervalSchedule.objects.create(every=5, period="days")
    data = {"name": "x", "task": "t", "args": "[" * 100_000, "kwargs": "{}", "headers": "{}", "interval": often.pk}
    answer = admin_client.post(f"{PAGES}/periodictask/add/", data)
    assert "Too many brackets within each other." in answer.content.decode()
    assert not PeriodicTask.objects.exists()

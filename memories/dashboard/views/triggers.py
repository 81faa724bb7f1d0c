"""The calendar of what is to come: looked at by month, added to, called off."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.utils import timezone

from memories.dashboard.access import DashboardRequest, page
from memories.dashboard.calendar import month_of, read_month
from memories.dashboard.responses import done, fingerprint, is_seen, render_page, unchanged
from memories.learn.future_events import MESSAGE_CHARACTERS
from memories.learn.trigger_span import WrongTrigger
from memories.ledger.days import day_of
from memories.models import TriggerStatus
from memsite.tenancy.access import Right

RULES = [
    ("", "once"),
    ("FREQ=DAILY", "every day"),
    ("FREQ=WEEKLY", "every week"),
    ("FREQ=WEEKLY;INTERVAL=2", "every two weeks"),
    ("FREQ=MONTHLY", "every month"),
    ("FREQ=YEARLY", "every year"),
]
STATUSES = {"cancel": TriggerStatus.CANCELLED, "wait": TriggerStatus.WAITING}
CALLED_OFF_SHOWN = 20


class TriggerForm(forms.Form):
    """What is to be in view, and when."""

    message = forms.CharField(
        max_length=MESSAGE_CHARACTERS, widget=forms.Textarea(attrs={"rows": 2}), label="What agents are to be told"
    )
    trigger_date = forms.DateField(label="Day", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    trigger_time = forms.TimeField(
        label="Time", required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    until = forms.DateField(
        label="Last day",
        required=False,
        help_text="Of a stretch of days. What comes round does so until it is called off.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    rule = forms.ChoiceField(label="Comes round", required=False, choices=RULES)

    use_required_attribute = True


@page()
def triggers(request: DashboardRequest) -> HttpResponse:
    """Show the month of `?month=2026-12`; this one, if none is named."""
    dashboard, agent = request.dashboard, request.dashboard.agent()
    today = day_of(dashboard.app, timezone.now())
    month = month_of(read_month(request.GET.get("month", ""), today), today, agent.triggers())
    off = list(agent.triggers().filter(status=TriggerStatus.CANCELLED).order_by("-uid")[:CALLED_OFF_SHOWN])
    busy = [
        (day.day, [(row.uid, row.message, row.trigger_time, row.status) for row in day.triggers]) for day in month.busy
    ]
    seen = fingerprint((today, busy, [row.uid for row in off]))
    if is_seen(request, seen):
        return unchanged()
    context = {"month": month, "today": today, "off": off, "seen": seen}
    return render_page(request, "knowledge/triggers", context, part="knowledge/month")


@page(read=Right.CURATE, write=Right.CURATE)
def add(request: DashboardRequest) -> HttpResponse:
    dashboard = request.dashboard
    form = TriggerForm(
        request.POST or None,
        initial={"trigger_date": request.GET.get("day") or day_of(dashboard.app, timezone.now())},
        auto_id="trigger-%s",
    )
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        try:
            dashboard.agent().add_trigger({**fields, "text": str(fields["trigger_date"])}, [])
        except WrongTrigger as error:
            reason = error.reason
            for name, field in form.fields.items():
                reason = reason.replace(name, f'"{field.label}"') if "_" in name else reason
            form.add_error(error.field, reason)
        else:
            return done(request, "knowledge-triggers", "Noted. Agents are reminded on the day.")
    return render_page(request, "knowledge/trigger_page", {"form": form}, part="knowledge/trigger_form")


@page(read=None, write=Right.CURATE)
def settle(request: DashboardRequest, uid: UUID, what: str) -> HttpResponse:
    """Call it off, or lets it wait again."""
    if what not in STATUSES:
        raise Http404
    try:
        trigger = request.dashboard.agent().change_trigger(uid, {"status": STATUSES[what]})
    except WrongTrigger:
        return done(request, "knowledge-triggers", "It cannot wait again: its last day is over.", "error")
    if trigger is None:
        raise Http404
    text = "Called off." if what == "cancel" else f"It waits for {trigger.trigger_date} again."
    return done(request, "knowledge-triggers", text)

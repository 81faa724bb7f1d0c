"""Alerts: each minute all rules are looked at, over all apps together; what begins and what is over is told once.

An alert is a row from its beginning to its end, and what is sent of it is written in the same transaction: messages to
webhooks as deliveries, mails as due. A worker that is killed leaves either both or nothing. A mail may come twice if
its worker is killed while the mail server takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from operator import attrgetter
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Case, Count, DateTimeField, Exists, F, Min, OuterRef, Q, Sum, Value, When
from django.utils import timezone

from memories.language.secrets import without_secrets
from memories.ledger import AWAY, FAILURES, UNANSWERED, WITHIN, Outage, runs
from memories.ledger.budget import BUDGET, asks_models
from memories.ledger.days import DAY, day_of
from memories.models import (
    WAITING,
    Alert,
    AlertKind,
    AlertRule,
    Decision,
    Delivery,
    Extraction,
    ExtractionStatus,
    LedgerEntry,
    MailStage,
    Rejection,
    What,
)
from memories.models.alert import NO_MAIL, AlertQuerySet
from memories.notifications.webhooks import ALERT_BEGUN, ALERT_OVER, LEASE, PATIENCE, WAITS, payload
from memories.store.transaction import TELL
from memsite.config.conf import get_conf
from memsite.jobs.job import Run
from memsite.jobs.models import JobRun, RunStatus
from memsite.jobs.task_queue import enqueue
from memsite.tenancy import audit
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.row_level_security import site_wide

log = structlog.get_logger("memories.notifications")
KEPT = timedelta(days=90)
RELIEF = 0.95
"""An app is full until it holds so much less than the rule says: what comes and goes at the limit is not told each
time."""
CALLS_LOOKED_AT = 2_000
NAMED = 3
BACKUP = "backup"
TOGETHER = (AlertKind.CIRCUIT_OPEN, AlertKind.JOB_OVERDUE, AlertKind.BACKUP_FAILED)
"""What has one cause for many apps: a rule of the site has one alert for all of them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is the matter. One that `holds` is over any threshold; one that does not begin keeps an alert open only."""

    value: float
    text: str
    holds: bool = False
    begins: bool = True


Findings = Mapping[int | None, Finding]
"""By app; None: the site's own."""


class Look:
    """What rules may ask for, of all active apps as of `now`. Each is a query or two, however many apps there are."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        rows = App.objects.filter(status=AppStatus.ACTIVE).select_related("policy")
        self.apps = {app.pk: app for app in rows}

    def of_each(self, counts: Mapping[int, float], singular: str, plural: str) -> Findings:
        """Return a finding for each app that has any, in words for one and for many."""
        return {
            pk: Finding(number, f"{self.apps[pk]}: {number:,} {singular if number == 1 else plural}")
            for pk, number in counts.items()
            if number and pk in self.apps
        }

    def app_full(self) -> Findings:
        return {
            pk: Finding(
                app.memory_count / app.policy.memory_limit,
                f"{app} holds {app.memory_count:,} of {app.policy.memory_limit:,} memories",
            )
            for pk, app in self.apps.items()
        }

    @cached_property
    def texts(self) -> list[tuple[int, int, int]]:
        """(app, digests that failed twice or were given up, texts that wait for the next day's budget)."""
        is_failed = Q(status=ExtractionStatus.DEAD) | Q(status=ExtractionStatus.FAILED, attempts__gte=2)
        unlearnt = (ExtractionStatus.PENDING, ExtractionStatus.FAILED, ExtractionStatus.DEAD)
        rows = Extraction.objects.filter(status__in=unlearnt).order_by().values_list("app_id")
        failed = Count("pk", filter=Q(is_failed, what=What.DIGEST))
        waiting = Count("pk", filter=Q(reason__startswith=BUDGET, next_at__gt=self.now))
        return list(rows.annotate(failed=failed, waiting=waiting))

    def digest_failed(self) -> Findings:
        return self.of_each({pk: failed for pk, failed, _ in self.texts}, "digest failed", "digests failed")

    def quarantine_waiting(self) -> Findings:
        rows = Rejection.objects.filter(decision=Decision.OPEN, kind__in=WAITING).order_by().values_list("app_id")
        return self.of_each(dict(rows.annotate(Count("pk"))), "text waits for a person", "texts wait for a person")

    def budget_spent(self) -> Findings:
        limited = [
            app
            for app in self.apps.values()
            if asks_models(app.policy) and (app.policy.daily_cost, app.policy.daily_tokens) != (None, None)
        ]
        if not limited:
            return {}
        since = min(day_of(app, self.now) for app in limited)
        calls = LedgerEntry.objects.filter(app__in=limited, day__gte=since, day__lte=since + DAY).order_by()
        sums = calls.values_list("app_id", "day").annotate(
            dollars=Sum("cost"), tokens=Sum(F("input_tokens") + F("output_tokens"))
        )
        spent = {(pk, day): (cost or 0.0, tokens or 0) for pk, day, cost, tokens in sums}
        waiting = {pk for pk, _, waits in self.texts if waits}
        findings: dict[int | None, Finding] = {}
        for app in limited:
            cost, tokens = spent.get((app.pk, day_of(app, self.now)), (0.0, 0))
            limits = ((cost, app.policy.daily_cost), (tokens, app.policy.daily_tokens))
            share = max(used / limit for used, limit in limits if limit)
            holds = app.pk in waiting
            rest = "; texts wait for tomorrow" if holds else ""
            findings[app.pk] = Finding(share, f"{app} has spent {share:.0%} of today's budget{rest}", holds)
        return findings

    def circuit_open(self) -> Findings:
        """Return whose models fail: calls to a service of nobody's, or answers of no use to an app's own."""
        if get_conf().llm == "rules":
            return {}
        # By time only what was read: there is no index for it over all apps.
        latest = LedgerEntry.objects.order_by("-id").values_list("app_id", "provider", "model", "outcome", "created_at")
        calls = list(latest[:CALLS_LOOKED_AT])
        findings: dict[int | None, Finding] = {}
        services = [(provider or "", outcome, moment) for _, provider, _, outcome, moment in calls]
        for outage in self.lasting(services):
            if outage.outcome == AWAY:
                text = f"{outage.name} has not answered the last {outage.failures} questions"
                asking = (app for app in self.apps.values() if asks_models(app.policy))
                findings |= {app.pk: self.outage(app, outage, text) for app in asking}
        own: dict[int, list[tuple[str, str, datetime]]] = {}
        for pk, _, model, outcome, moment in calls:
            own.setdefault(pk, []).append((model, outcome, moment))
        for pk in own.keys() & self.apps.keys() - findings.keys():
            for outage in self.lasting(own[pk]):
                text = f"the last {outage.failures} calls of {outage.name} failed ({outage.outcome})"
                findings[pk] = self.outage(self.apps[pk], outage, text)
        return findings

    def lasting(self, calls: Sequence[tuple[str, str, datetime]]) -> list[Outage]:
        """Return outages, the latest first, but for those of a while ago after which any call succeeded."""
        succeeded = max((moment for _, outcome, moment in calls if outcome == "ok"), default=None)
        return [
            outage
            for outage in runs(calls)
            if outage.failures >= (UNANSWERED if outage.outcome == AWAY else FAILURES)
            and (outage.since > self.now - WITHIN or succeeded is None or succeeded < outage.since)
        ]

    def outage(self, app: App, outage: Outage, text: str) -> Finding:
        """Return an outage. One of a while ago begins no alert, and ends none before a call succeeds."""
        is_new = outage.since > self.now - WITHIN
        return Finding(outage.failures, f"{app}: {text}; rules answer meanwhile", begins=is_new)

    def job_overdue(self) -> Findings:
        late = (
            JobRun.objects.open().filter(until__lt=self.now).exclude(status=RunStatus.RUNNING, lease_until__gt=self.now)
        )
        later = JobRun.objects.filter(job=OuterRef("job"), app=OuterRef("app"), until__gt=OuterRef("until"))
        given_up = JobRun.objects.given_up().exclude(Exists(later.filter(status=RunStatus.DONE)))
        findings: dict[int | None, Finding] = {}
        for rows, what in ((given_up, "was given up"), (late, "has waited")):
            for pk, job, until in rows.order_by().values_list("app_id", "job").annotate(Min("until")):
                minutes = (self.now - until).total_seconds() / 60
                if (pk is None or pk in self.apps) and minutes > (findings[pk].value if pk in findings else 0):
                    where = self.apps[pk] if pk else "the site"
                    findings[pk] = Finding(minutes, f"{where}: {job}, due at {until:%Y-%m-%d %H:%M} UTC, {what}")
        return findings

    def backup_failed(self) -> Findings:
        backups = JobRun.objects.of(BACKUP, None)
        last = backups.order_by("-until").first()
        if last is None:
            return {}
        done = backups.filter(status=RunStatus.DONE).order_by("-finished_at").first()
        since = done.finished_at if done and done.finished_at else backups.order_by("until").values_list("until")[0][0]
        hours = (self.now - since).total_seconds() / 3600
        is_failing = last.status in (RunStatus.FAILED, RunStatus.DEAD) or (last.is_open and last.attempts > 1)
        reason = f": {last.reason}" if last.reason else ""
        what = f"The backup failed{reason}" if is_failing else f"No backup was made for {hours:.0f} hours"
        return {None: Finding(hours, what, is_failing)}


def look_at_rules(now: datetime, run: Run) -> None:
    """Begin and end alerts, with what is to be sent of them, in one transaction. Counts `begun` and `over`."""
    rules = list(AlertRule.objects.filter(enabled=True).select_related("webhook"))
    look = Look(now)
    findings = {kind: getattr(look, kind)() for kind in {rule.kind for rule in rules}}
    with transaction.atomic():
        rows = Alert.objects.open().select_for_update(of=("self",)).select_related("rule__webhook", "app")
        known = {(row.rule_id, row.app_id): row for row in rows}
        begun, lasting = [], set()
        for rule in rules:
            for app_pk, finding in findings_of(rule, findings[rule.kind]).items():
                key = (rule.pk, app_pk)
                if applies(rule, finding, is_open=key in known):
                    lasting.add(key)
                    if key not in known:
                        begun.append(new_alert(rule, look.apps.get(app_pk or 0), finding, now))
        # Who else looks at this moment has begun some of them: theirs stay, and ours are passed over.
        Alert.objects.bulk_create(begun, ignore_conflicts=True)
        written = set(Alert.objects.filter(uid__in=[row.uid for row in begun]).values_list("uid", flat=True))
        begun = [row for row in begun if row.uid in written]
        watched = {rule.pk for rule in rules}
        over = [row for key, row in known.items() if key not in lasting]
        deliver(begun, ALERT_BEGUN, now)
        for alert in begun:
            log.warning("alert_begun", kind=alert.rule.kind, app=alert.app and alert.app.app_id)
        end([row for row in over if row.rule_id in watched], now)
        # A rule that is switched off says nothing more, not even that it is over.
        forgotten = [row.pk for row in over if row.rule_id not in watched]
        Alert.objects.filter(pk__in=forgotten).update(ended_at=now, mail_next_at=None)
        run.done({"begun": len(begun), "over": len(over)})


def findings_of(rule: AlertRule, findings: Findings) -> Findings:
    """Return what is found where the rule looks: in its app, in each app, or in all of them together."""
    if rule.app_id:
        return {rule.app_id: findings[rule.app_id]} if rule.app_id in findings else {}
    if rule.kind not in TOGETHER:
        return findings
    applying = [finding for finding in findings.values() if applies(rule, finding, is_open=True)]
    worst = sorted(applying, key=attrgetter("value"), reverse=True)
    if not worst:
        return {}
    more = f"; and {len(worst) - NAMED} more" if len(worst) > NAMED else ""
    text = "; ".join(each.text for each in worst[:NAMED]) + more
    return {None: Finding(worst[0].value, text, any(f.holds for f in worst), any(f.begins for f in worst))}


def applies(rule: AlertRule, finding: Finding, *, is_open: bool) -> bool:
    relief = RELIEF if is_open and rule.kind == AlertKind.APP_FULL else 1
    return (finding.begins or is_open) and (finding.holds or finding.value >= rule.limit * relief)


def new_alert(rule: AlertRule, app: App | None, finding: Finding, now: datetime) -> Alert:
    due = now if rule.emails else None
    text = finding.text[:500]
    return Alert(rule=rule, app=app, text=text, value=round(finding.value, 4), begun_at=now, mail_next_at=due)


def end(alerts: Sequence[Alert], now: datetime) -> None:
    """End alerts, and say so: a mail that is under way is followed by the one that says it."""
    due = Case(
        When(mail_next_at__isnull=False, then=F("mail_next_at")),
        When(pk__in=[row.pk for row in alerts if row.rule.emails], then=Value(now)),
        default=None,
        output_field=DateTimeField(),
    )
    Alert.objects.filter(pk__in=[row.pk for row in alerts]).update(ended_at=now, mail_next_at=due)
    deliver(alerts, ALERT_OVER, now)
    for alert in alerts:
        log.info("alert_over", kind=alert.rule.kind, app=alert.app and alert.app.app_id)


def deliver(alerts: Iterable[Alert], kind: str, now: datetime) -> None:
    """Create a delivery for each alert whose rule names a webhook, and enqueue their sending."""
    made = [
        Delivery(
            app_id=hook.app_id,
            webhook=hook,
            kind=kind,
            payload=payload(
                kind,
                now,
                {
                    "alert_id": str(alert.uid),
                    "rule_id": str(alert.rule.uid),
                    "app_id": alert.app.app_id if alert.app else None,
                    "kind": alert.rule.kind,
                    "text": alert.text,
                    "value": alert.value,
                    "threshold": alert.rule.limit,
                },
            ),
            next_at=now,
            created_at=now,
        )
        for alert in alerts
        if (hook := alert.rule.webhook)
    ]
    Delivery.objects.bulk_create(made)
    for app_pk in {row.app_id for row in made}:
        enqueue(TELL, app_pk)


# --- mail


def send_mails(run: Run) -> None:
    """Send what is due, one after the other. Network, outside of transactions. Counts `mailed` and `failed`."""
    after, failures = 0, 0
    rows = Alert.objects.filter(mail_next_at__isnull=False).select_related("rule", "app").order_by("pk")
    while failures < PATIENCE and (alert := rows.filter(mail_next_at__lte=timezone.now(), pk__gt=after).first()):
        if not claim_mail(alert, timezone.now()):
            after = alert.pk
            continue
        error = try_to_mail(alert)
        note_mail(alert, error, timezone.now())
        failures = failures + 1 if error else 0
        after = alert.pk if error else after
        with transaction.atomic():
            run.done({"failed" if error else "mailed": 1})


def claim_mail(alert: Alert, now: datetime) -> bool:
    """Claim a mail; return whether it is ours to send. Whoever dies over it is followed by another after the lease."""
    same = Alert.objects.filter(pk=alert.pk, mailed=alert.mailed, mail_next_at=alert.mail_next_at)
    return bool(same.update(mail_attempts=F("mail_attempts") + 1, mail_next_at=now + LEASE))


def try_to_mail(alert: Alert) -> str:
    """Send the mail that comes next; return why it was not sent, empty if it was."""
    if not get_conf().email_url:
        return NO_MAIL
    is_over = alert.mailed == MailStage.BEGUN
    title = f"{alert.app or 'the whole site'}: {alert.rule.get_kind_display()}"
    text = f"No longer: {alert.text}" if is_over else alert.text
    times = f"Since {alert.begun_at:%Y-%m-%d %H:%M} UTC"
    if is_over and alert.ended_at:
        times += f", over since {alert.ended_at:%Y-%m-%d %H:%M} UTC"
    subject = f"[Memsite] {'over: ' if is_over else ''}{title}"
    try:
        send_mail(subject, f"{text}\n\n{times}.\n", settings.DEFAULT_FROM_EMAIL, alert.rule.emails)
    except Exception as error:  # whatever a mail server or its library comes up with: the alert stays, and says so
        log.warning("mail_not_sent", error=type(error).__name__)
        return without_secrets(f"{type(error).__name__}: {error}")[:300]
    return ""


def note_mail(alert: Alert, error: str, now: datetime) -> None:
    row = Alert.objects.filter(pk=alert.pk, mailed=alert.mailed)
    if error:
        attempts = alert.mail_attempts
        again = now + WAITS[attempts] if attempts < len(WAITS) else None
        row.update(mail_error=error, mail_next_at=again)
    elif alert.mailed == MailStage.BEGUN:
        row.update(mailed=MailStage.OVER, mail_next_at=None, mail_attempts=0, mail_error="")
    else:
        due = Case(When(ended_at__isnull=True, then=None), default=Value(now), output_field=DateTimeField())
        row.update(mailed=MailStage.BEGUN, mail_next_at=due, mail_attempts=0, mail_error="")


# --- operators


def alerts_of(apps: Iterable[App] | Any, *, of_site: bool) -> AlertQuerySet:
    """Return what rules of these apps have found.

    To those who look after the whole site, all there is of these apps and of the site.
    """
    rows = Alert.objects.select_related("rule", "app")
    return rows.filter(Q(app__in=apps) | Q(app=None)) if of_site else rows.filter(rule__app__in=apps)


def rule_fields(rule: AlertRule) -> dict[str, Any]:
    names = ("kind", "threshold", "emails", "dashboard", "enabled")
    hook = str(rule.webhook.uid) if rule.webhook else None
    return {**{name: getattr(rule, name) for name in names}, "webhook": hook}


def save_rule(rule: AlertRule, actor: str, before: Mapping[str, Any] | None = None) -> AlertRule:
    """Store a new rule, or (with what it was `before`) a changed one. Raises Django's ValidationError."""
    rule.clean()
    with transaction.atomic():
        rule.save()
        what = "alert rule changed" if before else "alert rule added"
        audit.note_change(actor, rule.app, what, str(rule.uid), before or {}, rule_fields(rule))
    return rule


def delete_rule(rule: AlertRule, actor: str) -> None:
    """Delete a rule with all that it has found."""
    with transaction.atomic():
        audit.note(actor, rule.app, "alert rule deleted", str(rule.uid), before=rule_fields(rule))
        if rule.app:
            forget_answers(rule.app, [rule.uid])
        rule.delete()


def acknowledge(alert: Alert, actor: str, now: datetime) -> Alert:
    """Note who has seen it first. Who comes later changes nothing."""
    fresh = Alert.objects.filter(pk=alert.pk, acknowledged_at=None)
    fresh.update(acknowledged_at=now, acknowledged_by=actor[:200])
    alert.refresh_from_db(fields=["acknowledged_at", "acknowledged_by"])
    return alert


@site_wide()
def release_webhook(pk: int) -> None:
    """Show on the dashboard what a webhook was sent that is about to be deleted. Rules of the site may name it, too."""
    AlertRule.objects.filter(webhook=pk).update(webhook=None, dashboard=True)


def drop_old_alerts(now: datetime) -> int:
    """Delete what was over long ago."""
    return Alert.objects.filter(ended_at__lt=now - KEPT).delete()[0]

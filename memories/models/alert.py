"""Alerts: what operators want to be told of, and what there was to tell."""

from __future__ import annotations

from typing import Any, Self

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.webhook import Webhook
from memsite.config.conf import get_conf
from memsite.tenancy.scoping import Scoped, ScopedQuerySet, new_uid, where_given

MOST_EMAILS = 20
EMAIL_CHARACTERS = 254
NO_MAIL = "This server sends no mail: set MEMSITE_EMAIL_URL."


class AlertKind(models.TextChoices):
    APP_FULL = "app_full", "app full"
    DIGEST_FAILED = "digest_failed", "digest failed"
    CIRCUIT_OPEN = "circuit_open", "circuit open"
    JOB_OVERDUE = "job_overdue", "job overdue"
    QUARANTINE_WAITING = "quarantine_waiting", "quarantine waiting"
    BUDGET_SPENT = "budget_spent", "budget spent"
    BACKUP_FAILED = "backup_failed", "backup failed"


THRESHOLDS: dict[str, tuple[float, float, str]] = {
    AlertKind.APP_FULL: (0.9, 1, "a share of the limit"),
    AlertKind.DIGEST_FAILED: (1, 1_000_000, "a number of digests"),
    AlertKind.JOB_OVERDUE: (15, 100_000, "a number of minutes"),
    AlertKind.QUARANTINE_WAITING: (1, 1_000_000, "a number of texts"),
    AlertKind.BUDGET_SPENT: (1, 1, "a share of the day's budget"),
    AlertKind.BACKUP_FAILED: (26, 10_000, "a number of hours since the last backup"),
}
"""What is taken unless a rule says more, the most it may say, and what it means. Of a circuit there is none."""


class AlertRuleQuerySet(ScopedQuerySet["AlertRule"]):
    def of(self, app: Any) -> Self:
        """Return the rules of an app, or (None) of the whole site."""
        return self.for_app(app) if app else self.filter(app=None)


class AlertRule(Scoped):
    """What to tell, and whom. Without an app it watches all apps, and is for those who look after the whole site."""

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    app = models.ForeignKey(  # type: ignore[assignment]  # a rule of the site has none
        "tenancy.App",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="Empty: all apps, for superusers.",
    )
    kind = models.CharField(max_length=20, choices=AlertKind)
    threshold = models.FloatField(
        null=True, blank=True, help_text="A share from 0 to 1, a number, minutes or hours; empty: the usual one."
    )
    webhook = models.ForeignKey(
        Webhook,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
        help_text="Who is sent it, signed.",
    )
    emails = models.JSONField(default=list, blank=True, help_text="Who gets a mail.")
    dashboard = models.BooleanField(default=True, help_text="Shown and counted on the dashboard.")
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = AlertRuleQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [where_given("alert_rule_app", "app"), where_given("alert_rule_webhook", "webhook")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.app or 'all apps'})"

    @property
    def limit(self) -> float:
        """Return the value from which on it alerts."""
        return self.threshold if self.threshold is not None else THRESHOLDS.get(self.kind, (1, 1, ""))[0]

    def clean(self) -> None:
        """Raise ValidationError naming each field that is wrong."""
        errors: dict[str, str] = {}
        _, most, meaning = THRESHOLDS.get(self.kind, (0, 0, ""))
        if self.threshold is not None and not meaning:
            errors["threshold"] = "An open circuit is open: this kind takes no threshold."
        elif self.threshold is not None and not 0 < self.threshold <= most:
            errors["threshold"] = f"Is {meaning}: more than 0, and {most:,} at most."
        if self.kind == AlertKind.BACKUP_FAILED and self.app:
            errors["kind"] = "Backups are of the whole site: a rule of the site watches them."
        if self.webhook and self.app and self.webhook.app_id != self.app.pk:
            errors["webhook"] = "The app has no webhook with this id."
        if problem := problem_of(self.emails):
            errors["emails"] = problem
        elif self.emails and self.enabled and not get_conf().email_url:
            errors["emails"] = NO_MAIL
        if not (self.webhook or self.emails or self.dashboard):
            errors["dashboard"] = "Nobody would be told: name a webhook or e-mails, or show it on the dashboard."
        if errors:
            raise ValidationError(errors)


def problem_of(emails: Any) -> str:
    """Return what is wrong with a list of addresses; empty if nothing is."""
    if not isinstance(emails, list) or len(emails) > MOST_EMAILS:
        return f"A list of {MOST_EMAILS} addresses at most."
    for email in emails:
        try:
            validate_email(email)
        except ValidationError:
            return f"Not an e-mail address: {email}"
    return ""


class MailStage(models.TextChoices):
    """The last that was mailed of an alert."""

    NOTHING = "", "nothing yet"
    BEGUN = "begun", "that it began"
    OVER = "over", "that it is over"


class AlertQuerySet(ScopedQuerySet["Alert"]):
    def open(self) -> Self:
        return self.filter(ended_at=None)

    def waiting(self) -> Self:
        """Return what is open and nobody has acknowledged."""
        return self.open().filter(acknowledged_at=None)


class Alert(Scoped):
    """One time that a rule applied to an app, or (None) to the site: from `begun_at` to `ended_at`.

    `mail_next_at` is when a mail is due; None: none is. Webhooks have deliveries, made with the row.
    """

    uid = models.UUIDField(default=new_uid, unique=True, editable=False)
    app = models.ForeignKey(  # type: ignore[assignment]  # what is wrong with the site is of no app
        "tenancy.App",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        editable=False,
    )
    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="alerts")
    text = models.CharField(max_length=500)
    value = models.FloatField()
    begun_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.CharField(max_length=200, blank=True, default="")
    mailed = models.CharField(max_length=5, choices=MailStage, blank=True, default=MailStage.NOTHING)
    mail_attempts = models.PositiveSmallIntegerField(default=0)
    mail_next_at = models.DateTimeField(null=True, blank=True)
    mail_error = models.CharField(max_length=300, blank=True, default="", help_text="Why the last mail was not sent.")

    objects = AlertQuerySet.as_manager()

    class Meta:
        ordering = ["-uid"]
        indexes = [
            models.Index(fields=["app", "-uid"], name="alert_app_latest"),
            models.Index(fields=["app", "acknowledged_at"], condition=Q(ended_at=None), name="alert_open"),
            where_given("alert_app", "app"),
            models.Index(fields=["mail_next_at"], condition=Q(mail_next_at__isnull=False), name="alert_mail_due"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "app"], condition=Q(ended_at=None, app__isnull=False), name="alert_is_open_once_per_app"
            ),
            models.UniqueConstraint(fields=["rule"], condition=Q(ended_at=None, app=None), name="alert_is_open_once"),
        ]

    def __str__(self) -> str:
        return self.text

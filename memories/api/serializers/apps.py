"""Serializers of apps, policies, agents, keys, purges and imports."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError as ModelValidationError
from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from memories.api.fields import (
    MAX_NUMBER,
    JSONObjectField,
    NameField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    integer_of,
    names,
    refuse_secret,
)
from memories.language.secrets import texts_in
from memories.models import Import, ImportStatus, Purge, PurgeStatus, PurgeWhat
from memories.services.apps import AppFigures
from memsite.tenancy.governance import set_policy
from memsite.tenancy.models import (
    DOMAIN_PATTERN,
    Agent,
    App,
    AppPolicy,
    AppStatus,
    Scope,
    is_agent_name,
    is_domain,
)
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import POLICY_FIELDS, ZONES, Preset
from memsite.tenancy.scoping import is_app_id

is_domain_or_none = RegexValidator(rf"^({DOMAIN_PATTERN})?\Z", is_domain.message)
APP_STATUSES = [choice for choice in AppStatus.choices if choice[0] != AppStatus.PURGING]
"""What may be set. Only a purge sets "purging", and takes it back."""

AGENT_STATUSES = ("active", "deleted")
TIER_HELP = "Of its sessions that name none: 1 observe (as if null), 2 investigate, 3 remediate."

JSON_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "BooleanField": ((bool,), "true or false"),
    "FloatField": ((int, float), "a number"),
    "PositiveIntegerField": ((int,), "a whole number"),
    "PositiveBigIntegerField": ((int,), "a whole number"),
    "CharField": ((str,), "a text"),
    "TextField": ((str,), "a text"),
}
"""Of which JSON type a policy field's value is, by the field's own."""
POLICY_HELP = {field.name: field.help_text for field in AppPolicy._meta.concrete_fields}
ANY_TYPE: tuple[tuple[type, ...], str] = (list, dict, str), "a list, an object or a text"
COUNTS = "By type: what is new, what was known already, what was left out; and how much of it was changed."


class Policy(StrictSerializer, serializers.ModelSerializer[AppPolicy]):
    # Describes; what reads is `policy_with`. Said here is what the model's own fields would tell too little of.
    marker_categories = serializers.ListField(child=StrictCharField(), help_text=POLICY_HELP["marker_categories"])
    ttl_days = serializers.DictField(child=serializers.IntegerField(), help_text=POLICY_HELP["ttl_days"])
    review_origins = serializers.ListField(
        child=StrictChoiceField(Origin.choices), help_text=POLICY_HELP["review_origins"]
    )
    approval_origins = serializers.ListField(
        child=StrictChoiceField(Origin.choices), help_text=POLICY_HELP["approval_origins"]
    )
    time_zone = StrictCharField(help_text=POLICY_HELP["time_zone"])

    class Meta:
        model = AppPolicy
        fields = POLICY_FIELDS
        extra_kwargs = {name: {"required": True} for name in POLICY_FIELDS}


@extend_schema_field(Policy)
class PolicyShown(JSONObjectField):
    pass


@extend_schema_field(Policy(partial=True))
class PolicyChanges(serializers.DictField):
    def run_validation(self, data: Any = empty) -> Any:
        """Of its texts all are names but the guidance, which the policy redacts."""
        values = super().run_validation(data)
        for text in texts_in({name: value for name, value in values.items() if name != "guidance"}):
            refuse_secret(text)
        return values


class NewApp(StrictSerializer):
    app_id = NameField(validators=[is_app_id], help_text="Its name in URLs.")
    name = StrictCharField(max_length=200)
    preset = StrictChoiceField(Preset.choices, default=Preset.STANDARD)
    policy = PolicyChanges(default=dict, help_text="Policy fields that differ from the preset's.")


class AppChanges(StrictSerializer):
    name = StrictCharField(max_length=200, required=False, refuses_empty=True)
    preset = StrictChoiceField(Preset.choices, required=False)
    status = StrictChoiceField(APP_STATUSES, required=False, help_text="active installs it again.")
    policy = PolicyChanges(required=False, help_text="Policy fields to change; with a preset, on top of it.")


class AppShown(StrictSerializer):
    app_id = StrictCharField()
    name = StrictCharField()
    preset = StrictChoiceField(Preset.choices)
    status = StrictCharField()
    created_at = serializers.DateTimeField()
    policy = PolicyShown()


class AppCounts(StrictSerializer):
    review = StrictIntegerField(help_text="Refused texts that nobody has decided about.")
    to_decide = StrictIntegerField(help_text="Of these, quarantined ones and ones that wait for approval.")
    failed_texts = StrictIntegerField(help_text="Given up: to be tried again by hand.")
    open_circuits = StrictIntegerField(help_text="Language models that are left alone after failures.")
    overdue_jobs = StrictIntegerField(help_text="Runs that no worker took for five minutes.")
    failed_jobs = StrictIntegerField(help_text="Runs that were given up.")
    last_session_at = serializers.DateTimeField(allow_null=True)
    memories = StrictIntegerField(help_text="Active and inactive: they count against memory_limit.")
    memory_limit = StrictIntegerField()
    new_memories = StrictIntegerField(help_text="Within 7 days.")
    injections = StrictIntegerField(help_text="Lines that agents were shown within 7 days.")
    used_share = serializers.FloatField(allow_null=True, help_text="Of those judged. Null: none was.")
    month_cost = serializers.FloatField(help_text="US dollars for language models this month, as far as known.")


class AppCountedShown(AppShown):
    counts = AppCounts()


class NewAgent(StrictSerializer):
    name = NameField(validators=[is_agent_name])
    domain = StrictCharField(default="", allow_blank=True, max_length=128, validators=[is_domain_or_none])
    tier = StrictIntegerField(min_value=1, max_value=3, default=None, allow_null=True, help_text=TIER_HELP)
    scopes = serializers.ListField(
        child=StrictChoiceField(Scope.choices), default=[Scope.READ, Scope.WRITE], min_length=1
    )


class AgentChanges(StrictSerializer):
    name = NameField(
        required=False, refuses_empty=True, validators=[is_agent_name], help_text="Revisions keep the name they have."
    )
    domain = StrictCharField(required=False, allow_blank=True, max_length=128, validators=[is_domain_or_none])
    tier = StrictIntegerField(required=False, allow_null=True, min_value=1, max_value=3, help_text=TIER_HELP)
    scopes = serializers.ListField(
        child=StrictChoiceField(Scope.choices),
        required=False,
        min_length=1,
        help_text="Of all its live keys, but for those of clients that came by OAuth.",
    )
    status = StrictChoiceField(["active"], required=False, help_text="Brings one back that was deleted, without keys.")


class NewKey(StrictSerializer):
    scopes = serializers.ListField(
        child=StrictChoiceField(Scope.choices), default=[Scope.READ, Scope.WRITE], min_length=1
    )
    expires_at = serializers.DateTimeField(default=None, allow_null=True)


class KeyShown(StrictSerializer):
    prefix = StrictCharField()
    scopes = serializers.ListField(child=StrictCharField())
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class AgentShown(StrictSerializer):
    id = StrictCharField(source="name", help_text="Its name, by which addresses know it.")
    name = StrictCharField()
    domain = StrictCharField()
    tier = serializers.IntegerField(allow_null=True, help_text=TIER_HELP)
    status = StrictCharField(help_text="active or deleted.")
    created_at = serializers.DateTimeField()
    keys = KeyShown(many=True)


class AgentWithKey(StrictSerializer):
    id = StrictCharField(help_text="Its name, by which addresses know it.")
    name = StrictCharField()
    domain = StrictCharField()
    tier = serializers.IntegerField(allow_null=True)
    scopes = serializers.ListField(child=StrictCharField())
    prefix = StrictCharField()
    expires_at = serializers.DateTimeField(allow_null=True)
    api_key = StrictCharField(allow_null=True, help_text="Shown once. Null when the answer is repeated.")


class PurgeShown(StrictSerializer):
    """Counts are of when it was asked for; from then on nobody sees any of it."""

    id = serializers.UUIDField()
    what = StrictChoiceField(PurgeWhat.choices)
    status = StrictChoiceField(PurgeStatus.choices)
    memories = serializers.IntegerField()
    sessions = serializers.IntegerField()
    turns = serializers.IntegerField()
    resources = serializers.IntegerField()
    asked_by = StrictCharField()
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class Purged(StrictSerializer):
    success = StrictBooleanField()
    deleted_count = serializers.IntegerField(help_text="Memories.")
    purge = PurgeShown()


def show_purge(purge: Purge) -> dict[str, Any]:
    columns = ("what", "status", "asked_by", "asked_at", "finished_at")
    return {"id": purge.uid, **{name: getattr(purge, name) for name in columns}, **purge.counts}


def show_purged(purge: Purge) -> dict[str, Any]:
    return {"success": True, "deleted_count": purge.counts["memories"], "purge": show_purge(purge)}


def show_app(app: App) -> dict[str, Any]:
    values = {name: getattr(app.policy, name) for name in POLICY_FIELDS}
    return AppShown.show(app, policy={**values, "time_zone": str(app.policy.time_zone)})


def show_counted(figures: AppFigures) -> dict[str, Any]:
    app = figures.app
    sizes = {"memories": app.memory_count, "memory_limit": app.policy.memory_limit}
    counts = {name: sizes[name] if name in sizes else getattr(figures, name) for name in names(AppCounts)}
    return {**show_app(app), "counts": counts}


def show_agent(agent: Agent) -> dict[str, Any]:
    """Show an agent. Reads its keys: prefetch them for lists."""
    keys = [KeyShown.show(key) for key in agent.keys.all()]
    return AgentShown.show(agent, status=AGENT_STATUSES[bool(agent.deleted_at)], keys=keys)


def policy_with(policy: AppPolicy, preset: str | None, changes: dict[str, Any]) -> AppPolicy:
    """`policy` set to the preset, if one is given, and then changed; ValidationError names each wrong field."""
    unknown = sorted(str(name)[:100] for name in changes.keys() - set(POLICY_FIELDS))
    if unknown:
        raise serializers.ValidationError({"policy": {name: ["Unknown policy field."] for name in unknown}})
    checked = {name: checked_type(name, value) for name, value in changes.items()}
    try:
        set_policy(policy, preset or "", checked)
    except ModelValidationError as error:
        raise serializers.ValidationError({"policy": error.message_dict}) from error
    return policy


def checked_type(name: str, value: Any) -> Any:
    """Return the value, if it is of the JSON type of its field: Django's fields would take "3" for 3."""
    if name == "time_zone":
        if isinstance(value, str) and value in ZONES:
            return value
        raise serializers.ValidationError({"policy": {"time_zone": ["An IANA name such as Europe/Berlin."]}})
    field = AppPolicy._meta.get_field(name)
    if value is None and not field.null:
        raise serializers.ValidationError({"policy": {name: ["Cannot be null."]}})
    names = [choice for choice, _ in getattr(field, "choices", None) or ()]
    if names and value not in names:
        raise serializers.ValidationError({"policy": {name: [f"One of {', '.join(names)}."]}})
    types, takes = JSON_TYPES.get(field.get_internal_type(), ANY_TYPE)
    value = integer_of(value) if types == (int,) else value
    is_bool_for_number = isinstance(value, bool) and types != (bool,)
    if value is not None and (is_bool_for_number or not isinstance(value, types)):
        raise serializers.ValidationError({"policy": {name: [f"Takes {takes}."]}})
    if isinstance(value, int | float) and abs(value) > MAX_NUMBER:
        raise serializers.ValidationError({"policy": {name: ["A number too large."]}})
    return value


class Counted(StrictSerializer):
    new = StrictIntegerField()
    known = StrictIntegerField()
    left_out = StrictIntegerField(help_text="It does not fit into this app, or waits for a person.")
    redacted = StrictIntegerField(help_text="A secret was taken out of it.")
    untrusted = StrictIntegerField(
        help_text="The file is not signed by this server: who said or reviewed it is not believed."
    )
    withheld = StrictIntegerField(
        help_text="Of what was left out: a person has to decide about it, or agents may not read it."
    )


class ImportShown(StrictSerializer):
    id = serializers.UUIDField(source="uid")
    source = StrictCharField()  # type: ignore[assignment]  # a field of that name
    agent = StrictCharField(help_text="Whose conversations they become; empty for an app's own export.")
    user_id = StrictCharField(allow_null=True)
    status = StrictChoiceField(ImportStatus.choices)
    lines = StrictIntegerField()
    done = StrictIntegerField(help_text="Lines that were taken in so far.")
    counts = serializers.DictField(child=Counted(), help_text=COUNTS)
    reason = StrictCharField(help_text="Why it failed or was stopped.")
    asked_by = StrictCharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class SurveyShown(StrictSerializer):
    counts = serializers.DictField(child=Counted(), help_text=COUNTS)


def show_import(row: Import) -> dict[str, Any]:
    return ImportShown.show(row, counts=show_counts(row.counts))


def show_counts(counts: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {name: {field: count.get(field, 0) for field in names(Counted)} for name, count in counts.items()}

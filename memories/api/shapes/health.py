"""Health reports on the wire."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.api.fields import Number, Shape, Text, Whole
from memories.models import HealthReport


class ServerVersion(Shape):
    name = Text(help_text="Always `memsite`.")
    version = Text(help_text="The server's version, as in CHANGELOG.md.")
    api = Text(help_text="The version of the API, as in its addresses.")


class TierHealth(Shape):
    searches = Whole()
    share = Number(allow_null=True)


class RecallHealth(Shape):
    searches = Whole()
    found = Whole()
    hit_rate = Number(allow_null=True, help_text="Share of the searches that found something.")
    by_tier = serializers.DictField(child=TierHealth(), help_text="What answered.")
    mean_ms = Number(allow_null=True)


class UseHealth(Shape):
    injected = Whole()
    used = Whole()
    ignored = Whole()
    echo_rate = Number(allow_null=True, help_text="Share used of what has been judged.")


class OperationHealth(Shape):
    calls = Whole()
    failed = Whole()
    tokens = Whole()
    cost = Number()


class CostHealth(Shape):
    calls = Whole()
    tokens = Whole()
    cost = Number(help_text="US dollars, of the calls whose price is known.")
    by_operation = serializers.DictField(child=OperationHealth())


class FailureHealth(Shape):
    texts_given_up = Whole()
    texts_waiting = Whole()
    jobs = serializers.DictField(child=Whole(), help_text="Runs that failed, by job.")
    without_vector = Whole(help_text="Active memories that are found by words only.")
    rejected = serializers.DictField(child=Whole(), help_text="By kind.")
    last_extracted_at = serializers.DateTimeField(allow_null=True)


class HealthShown(Shape):
    app_id = Text()
    at = serializers.DateTimeField()
    days = Whole(help_text="The rates are of so many days until then.")
    memories = serializers.DictField(child=Whole(), help_text="By status.")
    limit = Whole()
    pinned = Whole()
    categories = serializers.DictField(child=Whole(), help_text="Active ones; the twenty largest.")
    confirmed = serializers.DictField(child=Whole(), help_text="Active ones by the time since they were confirmed.")
    confidence = serializers.ListField(child=Whole(), help_text="Active ones: under 0.1, under 0.2, … up to 1.")
    growth = serializers.DictField(child=Whole(), help_text="What came in, by month.")
    recall = RecallHealth()
    use = UseHealth()
    costs = CostHealth()
    failures = FailureHealth()


class PastHealthShown(Shape):
    period = Text(help_text="The day of the monthly run.")
    report = HealthShown()


def show_past_health(row: HealthReport) -> dict[str, Any]:
    return {"period": row.period, "report": row.content}

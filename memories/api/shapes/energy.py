"""Energy on the wire."""

from typing import Any

from rest_framework import serializers

from memories.agent.spending import EnergyReport
from memories.api.fields import Flag, Number, Shape


class EnergyLevel(Shape):
    level = Number(min_value=0, max_value=1, help_text="How much energy the app's agents have left, 0 to 1.")


class EnergyNoted(Shape):
    level = Number()
    low = Flag(help_text="Whether it is too little to learn: new texts are kept, and learnt from later.")


class EnergyConsumed(Shape):
    units = Number(help_text="Used since this was last asked by any agent of the app. One search is one unit.")
    by_operation = serializers.DictField(child=Number(), help_text="The same units by operation.")
    since = serializers.DateField(allow_null=True, help_text="The day of the first of these units, null for none.")
    level = Number()
    low = Flag()
    deferred = serializers.IntegerField(help_text="Texts and sessions that still wait to be learnt from.")


def show_report(report: EnergyReport) -> dict[str, Any]:
    return {
        "units": report.consumption.units,
        "by_operation": report.consumption.by_operation,
        "since": report.consumption.since,
        "level": report.level,
        "low": report.low,
        "deferred": report.deferred,
    }

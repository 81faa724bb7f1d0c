"""Serializers of jobs and their runs, statistics, usage, health reports, energy and cooldowns."""

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

MOST_SECONDS = 366 * 24 * 3600


def counts(help_text: str | None = None) -> serializers.DictField:
    return serializers.DictField(child=StrictIntegerField(), help_text=help_text)


class Told(StrictSerializer):
    app_id = StrictCharField()
    at = serializers.DateTimeField()
    since = serializers.DateField(help_text="The first of the days; `until` is today.")
    until = serializers.DateField()
    time_zone = StrictCharField(help_text="Where these days begin at midnight: the app's.")


class CategoryCount(StrictSerializer):
    category = StrictCharField()
    memories = StrictIntegerField()


class MemoryCounts(StrictSerializer):
    total = StrictIntegerField(help_text="Of whatever status, as in all of the lists below.")
    live = StrictIntegerField(help_text="Active and inactive: what counts against `limit`.")
    limit = StrictIntegerField()
    full = StrictFloatField(allow_null=True, help_text="Share of `limit`.")
    last_created_at = serializers.DateTimeField(allow_null=True)
    by_status = counts()
    by_kind = counts()
    by_category = CategoryCount(many=True, help_text="The ten largest by live memories, the largest first.")
    by_source = counts(help_text="Which way they came in.")
    by_origin = counts(help_text="Who said it.")
    by_tier = counts(help_text="Of the session they came from.")


class CreatedOnDay(StrictSerializer):
    day = serializers.DateField()
    created = StrictIntegerField()


class CreatedInHour(StrictSerializer):
    since = serializers.DateTimeField()
    created = StrictIntegerField()


class Growth(StrictSerializer):
    created = StrictIntegerField(help_text="On all of these days, and still there.")
    by_day = CreatedOnDay(many=True, help_text="Every day, the first first.")
    last_hour = StrictIntegerField(help_text="In the last hour.")
    by_hour = CreatedInHour(many=True, help_text="The last 24 hours, the first first.")


class AnsweredBy(StrictSerializer):
    tier = StrictCharField(help_text="summaries, items, or none: nothing was found.")
    searches = StrictIntegerField()
    share = StrictFloatField()
    mean_ms = StrictFloatField()


class SearchesOnDay(StrictSerializer):
    day = serializers.DateField()
    searches = StrictIntegerField()
    found = StrictIntegerField(help_text="Those that found something.")


class Recalled(StrictSerializer):
    id = serializers.UUIDField()
    access_count = StrictIntegerField()
    accessed_at = serializers.DateTimeField(allow_null=True)


class Access(StrictSerializer):
    searches = StrictIntegerField()
    found = StrictIntegerField()
    hit_rate = StrictFloatField(allow_null=True, help_text="Share of the searches that found something.")
    last_searched_on = serializers.DateField(allow_null=True, help_text="Also before `since`.")
    by_tier = AnsweredBy(many=True, help_text="What answered, the most first.")
    by_day = SearchesOnDay(many=True, help_text="Every day, the first first.")
    never_recalled = StrictIntegerField(help_text="Active memories that no search has ever found.")
    most_recalled = Recalled(many=True, help_text="The ten active ones found most often, ever.")


class Sums(StrictSerializer):
    calls = StrictIntegerField()
    failed = StrictIntegerField(help_text="Calls without an answer that could be used.")
    input_tokens = StrictIntegerField()
    output_tokens = StrictIntegerField()
    tokens = StrictIntegerField(help_text="Both.")
    cost = StrictFloatField(help_text="US dollars, of the calls whose price is known.")
    unpriced = StrictIntegerField(help_text="Calls that are not in `cost`.")


class SumsOfDay(Sums):
    day = serializers.DateField()


class SumsOfOperation(Sums):
    operation = StrictCharField()


class SumsOfModel(Sums):
    provider = StrictCharField(allow_null=True)
    model = StrictCharField()


class UnitsOnDay(StrictSerializer):
    day = serializers.DateField()
    units = StrictFloatField()


class UnitsOfOperation(StrictSerializer):
    operation = StrictCharField()
    calls = StrictIntegerField()
    units = StrictFloatField()


class EnergyUsed(StrictSerializer):
    level = StrictFloatField(help_text="What its agents have left, 0 to 1.")
    floor = StrictFloatField(help_text="Below it learning waits.")
    low = StrictBooleanField()
    units = StrictFloatField(
        help_text="One search is one unit. Told or not: `GET /energy/consumed` still tells what it has not."
    )
    by_day = UnitsOnDay(many=True, help_text="Every day, the first first.")
    by_operation = UnitsOfOperation(many=True, help_text="The most units first.")


class CompactionsOnDay(StrictSerializer):
    day = serializers.DateField()
    compactions = StrictIntegerField()


class Compactions(StrictSerializer):
    total = StrictIntegerField(help_text="Times that the app was full and made room.")
    by_day = CompactionsOnDay(many=True, help_text="Every day, the first first.")


class Conversations(StrictSerializer):
    begun = StrictIntegerField(help_text="Sessions begun on these days.")
    with_memories = StrictIntegerField(help_text="Of these, how many were shown any memory.")
    share = StrictFloatField(allow_null=True)


class UsedApps(StrictSerializer):
    active = StrictIntegerField(help_text="Of the apps that the caller may see.")
    with_memories = StrictIntegerField(help_text="Of these, how many hold any memory.")
    share = StrictFloatField(allow_null=True)


class StatsShown(Told):
    memories = MemoryCounts()
    sessions = counts(help_text="By status.")
    texts = counts(help_text="By what has become of learning from them.")
    links = StrictIntegerField()
    entities = StrictIntegerField()
    lessons = StrictIntegerField(help_text="Active ones.")
    triggers = counts(help_text="By status.")
    to_review = StrictIntegerField(help_text="What was refused, and nobody has decided about.")
    agents = StrictIntegerField()
    growth = Growth()
    compactions = Compactions()
    conversations = Conversations()
    energy = EnergyUsed()
    apps = UsedApps()
    access = Access()


class RoomInDollars(StrictSerializer):
    limit = StrictFloatField(allow_null=True, help_text="Of a day. Null: none.")
    spent = StrictFloatField(help_text="Today.")
    left = StrictFloatField(allow_null=True)


class RoomInTokens(StrictSerializer):
    limit = StrictIntegerField(allow_null=True, help_text="Of a day. Null: none.")
    spent = StrictIntegerField(help_text="Today.")
    left = StrictIntegerField(allow_null=True)


class Budget(StrictSerializer):
    renewed_at = serializers.DateTimeField(help_text="Midnight where the app lives.")
    cost = RoomInDollars()
    tokens = RoomInTokens()


class UsageShown(Told):
    total = Sums()
    by_day = SumsOfDay(many=True, help_text="Every day, the first first.")
    by_operation = SumsOfOperation(many=True)
    by_model = SumsOfModel(many=True)
    energy = EnergyUsed()
    budget = Budget()


class ServerVersion(StrictSerializer):
    name = StrictCharField(help_text="Always `memsite`.")
    version = StrictCharField(help_text="The server's version, as in CHANGELOG.md.")
    api = StrictCharField(help_text="The version of the API, as in its addresses.")


class TierHealth(StrictSerializer):
    searches = StrictIntegerField()
    share = StrictFloatField(allow_null=True)


class RecallHealth(StrictSerializer):
    searches = StrictIntegerField()
    found = StrictIntegerField()
    hit_rate = StrictFloatField(allow_null=True, help_text="Share of the searches that found something.")
    by_tier = serializers.DictField(child=TierHealth(), help_text="What answered.")
    mean_ms = StrictFloatField(allow_null=True)


class UseHealth(StrictSerializer):
    injected = StrictIntegerField()
    used = StrictIntegerField()
    ignored = StrictIntegerField()
    echo_rate = StrictFloatField(allow_null=True, help_text="Share used of what has been judged.")


class OperationHealth(StrictSerializer):
    calls = StrictIntegerField()
    failed = StrictIntegerField()
    tokens = StrictIntegerField()
    cost = StrictFloatField()


class CostHealth(StrictSerializer):
    calls = StrictIntegerField()
    tokens = StrictIntegerField()
    cost = StrictFloatField(help_text="US dollars, of the calls whose price is known.")
    by_operation = serializers.DictField(child=OperationHealth())


class FailureHealth(StrictSerializer):
    texts_given_up = StrictIntegerField()
    texts_waiting = StrictIntegerField()
    texts_read_by_rules = StrictIntegerField(help_text="In a model's place, which reads them again.")
    jobs = serializers.DictField(child=StrictIntegerField(), help_text="Runs that failed, by job.")
    without_vector = StrictIntegerField(help_text="Active memories that are found by words only.")
    rejected = serializers.DictField(child=StrictIntegerField(), help_text="By kind.")
    last_extracted_at = serializers.DateTimeField(allow_null=True)


class HealthShown(StrictSerializer):
    app_id = StrictCharField()
    at = serializers.DateTimeField()
    days = StrictIntegerField(help_text="The rates are of so many days until then.")
    memories = serializers.DictField(child=StrictIntegerField(), help_text="By status.")
    limit = StrictIntegerField()
    pinned = StrictIntegerField()
    categories = serializers.DictField(child=StrictIntegerField(), help_text="Active ones; the twenty largest.")
    confirmed = serializers.DictField(
        child=StrictIntegerField(), help_text="Active ones by the time since they were confirmed."
    )
    confidence = serializers.ListField(
        child=StrictIntegerField(), help_text="Active ones: under 0.1, under 0.2, … up to 1."
    )
    growth = serializers.DictField(child=StrictIntegerField(), help_text="What came in, by month.")
    recall = RecallHealth()
    use = UseHealth()
    costs = CostHealth()
    failures = FailureHealth()


class PastHealthShown(StrictSerializer):
    period = StrictCharField(help_text="The day of the monthly run.")
    report = HealthShown(source="content")


class EnergyLevel(StrictSerializer):
    level = StrictFloatField(min_value=0, max_value=1, help_text="How much energy the app's agents have left, 0 to 1.")


class EnergyNoted(StrictSerializer):
    level = StrictFloatField()
    low = StrictBooleanField(help_text="Whether it is too little to learn: new texts are kept, and learnt from later.")


class EnergyConsumed(StrictSerializer):
    units = StrictFloatField(
        source="consumption.units",
        help_text="Used since this was last asked by any agent of the app. One search is one unit.",
    )
    by_operation = serializers.DictField(
        source="consumption.by_operation", child=StrictFloatField(), help_text="The same units by operation."
    )
    since = serializers.DateField(
        source="consumption.since", allow_null=True, help_text="The day of the first of these units, null for none."
    )
    level = StrictFloatField()
    low = StrictBooleanField()
    deferred = serializers.IntegerField(help_text="Texts and sessions that still wait to be learnt from.")


class NewCooldown(StrictSerializer):
    action = StrictCharField(max_length=64, help_text="What will not be done again: restart, redeploy, …")
    service = StrictCharField(max_length=200, required=False, allow_blank=True, default="", help_text="To what.")
    seconds = StrictIntegerField(min_value=1, max_value=MOST_SECONDS, required=False, help_text="How long, from now.")
    until = serializers.DateTimeField(required=False, help_text="Or until when.")
    reason = StrictCharField(max_length=500, required=False, allow_blank=True, default="")
    session_id = StrictUUIDField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("seconds" in attrs) == ("until" in attrs):
            raise serializers.ValidationError("Either seconds or until.")
        return attrs


class CooldownShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    action = StrictCharField()
    service = StrictCharField()
    until = serializers.DateTimeField()
    reason = StrictCharField()
    agent = StrictCharField(source="agent.name", help_text="Who reported it last.")
    session_id = StrictUUIDField(source="session.uid", allow_null=True)
    created_at = serializers.DateTimeField()


APP_ID = "Which app it is for; null where it is for the whole site."


class RunShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    job = StrictCharField()
    app_id = StrictCharField(source="app.app_id", allow_null=True, help_text=APP_ID)
    period = StrictCharField(help_text="What it is for: a date on the app's calendar, or a moment.")
    status = StrictChoiceField(RunStatus.choices)
    fired_by = StrictCharField(help_text="Who set it going first.")
    attempts = StrictIntegerField()
    counts = serializers.DictField(child=StrictIntegerField(), help_text="What it has done so far.")
    seconds = StrictFloatField(help_text="Of work, all attempts together.")
    reason = StrictCharField(help_text="Why it failed, or what did it instead.")
    due_at = serializers.DateTimeField(source="until")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class JobShown(StrictSerializer):
    name = StrictCharField(source="job.name")
    title = StrictCharField(source="job.title", help_text="What it does.")
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
    return RunShown.show(run, seconds=round(run.seconds, 3))


def show_job(listed: Listed) -> dict[str, Any]:
    last_run = show_run(listed.last_run) if listed.last_run else None
    return JobShown.show(listed, schedule=str(listed.schedule), last_run=last_run)

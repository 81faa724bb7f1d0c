"""What an app holds and what it has spent, on the wire."""

from __future__ import annotations

from rest_framework import serializers

from memories.api.fields import Flag, Number, Shape, Text, Whole


def counts(help_text: str | None = None) -> serializers.DictField:
    return serializers.DictField(child=Whole(), help_text=help_text)


class Told(Shape):
    app_id = Text()
    at = serializers.DateTimeField()
    since = serializers.DateField(help_text="The first of the days; `until` is today.")
    until = serializers.DateField()
    time_zone = Text(help_text="Where these days begin at midnight: the app's.")


class CategoryCount(Shape):
    category = Text()
    memories = Whole()


class MemoryCounts(Shape):
    total = Whole(help_text="Of whatever status, as in all of the lists below.")
    live = Whole(help_text="Active and inactive: what counts against `limit`.")
    limit = Whole()
    full = Number(allow_null=True, help_text="Share of `limit`.")
    last_created_at = serializers.DateTimeField(allow_null=True)
    by_status = counts()
    by_kind = counts()
    by_category = CategoryCount(many=True, help_text="The ten largest by live memories, the largest first.")
    by_source = counts(help_text="Which way they came in.")
    by_origin = counts(help_text="Who said it.")
    by_tier = counts(help_text="Of the session they came from.")


class CreatedOnDay(Shape):
    day = serializers.DateField()
    created = Whole()


class Growth(Shape):
    created = Whole(help_text="On all of these days, and still there.")
    by_day = CreatedOnDay(many=True, help_text="Every day, the first first.")


class AnsweredBy(Shape):
    tier = Text(help_text="summaries, items, or none: nothing was found.")
    searches = Whole()
    share = Number()
    mean_ms = Number()


class SearchesOnDay(Shape):
    day = serializers.DateField()
    searches = Whole()
    found = Whole(help_text="Those that found something.")


class Recalled(Shape):
    id = serializers.UUIDField()
    access_count = Whole()
    accessed_at = serializers.DateTimeField(allow_null=True)


class Access(Shape):
    searches = Whole()
    found = Whole()
    hit_rate = Number(allow_null=True, help_text="Share of the searches that found something.")
    last_searched_on = serializers.DateField(allow_null=True, help_text="Also before `since`.")
    by_tier = AnsweredBy(many=True, help_text="What answered, the most first.")
    by_day = SearchesOnDay(many=True, help_text="Every day, the first first.")
    never_recalled = Whole(help_text="Active memories that no search has ever found.")
    most_recalled = Recalled(many=True, help_text="The ten active ones found most often, ever.")


class StatsShown(Told):
    memories = MemoryCounts()
    sessions = counts(help_text="By status.")
    texts = counts(help_text="By what has become of learning from them.")
    links = Whole()
    entities = Whole()
    lessons = Whole(help_text="Active ones.")
    triggers = counts(help_text="By status.")
    to_review = Whole(help_text="What was refused, and nobody has decided about.")
    agents = Whole()
    growth = Growth()
    access = Access()


class Sums(Shape):
    calls = Whole()
    failed = Whole(help_text="Calls without an answer that could be used.")
    input_tokens = Whole()
    output_tokens = Whole()
    tokens = Whole(help_text="Both.")
    cost = Number(help_text="US dollars, of the calls whose price is known.")
    unpriced = Whole(help_text="Calls that are not in `cost`.")


class SumsOfDay(Sums):
    day = serializers.DateField()


class SumsOfOperation(Sums):
    operation = Text()


class SumsOfModel(Sums):
    provider = Text(allow_null=True)
    model = Text()


class UnitsOnDay(Shape):
    day = serializers.DateField()
    units = Number()


class UnitsOfOperation(Shape):
    operation = Text()
    calls = Whole()
    units = Number()


class EnergyUsed(Shape):
    level = Number(help_text="What its agents have left, 0 to 1.")
    floor = Number(help_text="Below it learning waits.")
    low = Flag()
    units = Number(help_text="One search is one unit. Told or not: `GET /energy/consumed` still tells what it has not.")
    by_day = UnitsOnDay(many=True, help_text="Every day, the first first.")
    by_operation = UnitsOfOperation(many=True, help_text="The most units first.")


class RoomInDollars(Shape):
    limit = Number(allow_null=True, help_text="Of a day. Null: none.")
    spent = Number(help_text="Today.")
    left = Number(allow_null=True)


class RoomInTokens(Shape):
    limit = Whole(allow_null=True, help_text="Of a day. Null: none.")
    spent = Whole(help_text="Today.")
    left = Whole(allow_null=True)


class Budget(Shape):
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

"""Serializers of memories, searches, contexts, revisions and links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from math import isfinite
from operator import attrgetter
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from memories.api.fields import (
    AppTimeField,
    AskedTimes,
    ConfidenceField,
    JSONObjectField,
    NameField,
    SmallJSONObjectField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    TagsField,
    category,
    names,
)
from memories.api.schema import ProblemError
from memories.language.coverage import WAYS
from memories.language.secrets import clean
from memories.models import (
    SAYABLE,
    Kind,
    LinkKind,
    Memory,
    Rejection,
    RejectionKind,
    Revision,
    Status,
    Trust,
    Visibility,
)
from memories.models.document import citation_of
from memories.retrieve.filters import FilterError, build_filter
from memories.retrieve.hits import Hit
from memories.retrieve.pipeline import BESIDE, MODES, NONE, ONLY
from memories.retrieve.validity import TimeAnswer, valid_text
from memories.services import CHANGES
from memsite.tenancy.models import App
from memsite.tenancy.origin import SAYABLE_ORIGINS, Origin
from memsite.tenancy.policy import MOST_CHARACTERS, Block
from memsite.timestamps import check_in_reach
from sessions.models import MAX_TURN

MAX_BATCH = 500
MAX_QUERY_CHARACTERS = 10_000
COVERAGE_HELP = "Of a question over many memories how it was answered: order (of time), summary, count, list."
OUTSIDE_OF_SCORES = "A number from 0 to 1. Scores are probabilities; before, they had no bounds."
ORIGINS_OF_AGENTS = [(origin.value, origin.label) for origin in SAYABLE_ORIGINS]
# What a caller may set; superseding is what a merge does.
SETTABLE_STATUSES = [(status.value, status.label) for status in (Status.ACTIVE, Status.INACTIVE, Status.ARCHIVED)]
OWN_TO_AN_APP: dict[str, Any] = {
    "session_id": None,
    "turn_number": None,
    "resource_id": None,
    "external_id": None,
    "metadata": {},
    "reviewed_by": "",
}
SURENESS = frozenset({"confidence", "confidence_base"})
DIGITS = 4
"""Of a confidence, behind the point: more would only tell how decay was worked out. Exports keep them all."""
HELD = {RejectionKind.QUARANTINE: "quarantined", RejectionKind.APPROVAL: "waiting"}


def cleaned(text: str) -> str:
    """As `clean` has it; what is longer than any app takes is left as it is, for the app's own limit to refuse."""
    return clean(text) if len(text) <= MOST_CHARACTERS else text


class MemoryFields(StrictSerializer):
    """What can be said of a memory at creation and later alike."""

    content = StrictCharField(help_text="As many characters as the app's policy allows: `max_characters`.")
    category = category(required=False)
    subject = StrictCharField(max_length=200, required=False, allow_null=True)
    importance = StrictIntegerField(min_value=1, max_value=5, required=False)
    confidence = ConfidenceField(required=False)
    tags = TagsField(required=False)
    pinned = StrictBooleanField(required=False)
    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True)
    visibility = StrictChoiceField(Visibility.choices, required=False)
    valid_from = AppTimeField(
        any_year=True, help_text="From when it holds. A later one of the same matter ends the earlier one."
    )
    valid_until = AppTimeField(any_year=True, help_text="Until when, this moment not included.")
    metadata = SmallJSONObjectField(required=False)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if "content" in fields:
            fields["content"] = cleaned(fields["content"])
            if not fields["content"]:
                raise serializers.ValidationError({"content": ["Nothing of it may be kept: all of it is private."]})
        start, end = fields.get("valid_from"), fields.get("valid_until")
        if start and end and end < start:
            raise serializers.ValidationError({"valid_until": ["Lies before valid_from."]})
        return fields


class NewMemory(MemoryFields):
    kind = StrictChoiceField(Kind.choices, required=False)
    origin = StrictChoiceField(ORIGINS_OF_AGENTS, required=False, help_text="Who said it: docs/trust.md.")
    session_id = StrictUUIDField(required=False, allow_null=True)
    turn_number = StrictIntegerField(min_value=0, max_value=MAX_TURN, required=False, allow_null=True)
    external_id = NameField(max_length=200, required=False, allow_null=True)


class NewMemoryOnce(NewMemory):
    dedupe = StrictBooleanField(default=True, help_text="False stores it even if the same is known.")


class NewAppMemory(MemoryFields):
    """An operator's word, which belongs to no agent and no session."""

    kind = StrictChoiceField(Kind.choices, required=False)
    external_id = NameField(max_length=200, required=False, allow_null=True)
    dedupe = StrictBooleanField(default=True, help_text="False stores it even if the same is known.")

    def validate_visibility(self, visibility: str) -> str:
        if visibility == Visibility.AGENT:
            raise serializers.ValidationError("No agent wrote it, so no agent would see it: app or shared.")
        return visibility


@extend_schema_field(NewMemory)
class AnyItem(serializers.JSONField):
    """A memory to be; what is wrong with it is told in its own answer, and refuses no other."""

    def run_validation(self, data: Any = empty) -> Any:
        return data


class MemoryBatch(StrictSerializer):
    memories = serializers.ListField(child=AnyItem(), allow_empty=False, max_length=MAX_BATCH)
    dedupe = StrictBooleanField(default=False)


class MemoryChanges(MemoryFields):
    content = StrictCharField(required=False, refuses_empty=True, help_text="As for a new one.")
    status = StrictChoiceField(SETTABLE_STATUSES, required=False)


class AppMemoryChanges(MemoryChanges):
    reason = StrictCharField(
        max_length=500, required=False, default="", allow_blank=True, help_text="Kept in the history."
    )


class MemoryShown(StrictSerializer):
    id = StrictUUIDField()
    content = StrictCharField()
    kind = StrictCharField()
    category = StrictCharField()
    subject = StrictCharField(allow_null=True)
    tags = serializers.ListField(child=StrictCharField())
    importance = serializers.IntegerField()
    confidence = serializers.FloatField()
    strength = StrictCharField(allow_null=True)
    sentiment = StrictCharField()
    status = StrictCharField()
    pinned = StrictBooleanField()
    tier = serializers.IntegerField()
    priority = serializers.FloatField()
    user_id = StrictCharField(allow_null=True)
    visibility = StrictCharField()
    origin = StrictChoiceField(Origin.choices)
    trust_level = StrictChoiceField(Trust.choices)
    reviewed_by = StrictCharField()
    reviewed_at = serializers.DateTimeField(allow_null=True)
    session_id = StrictUUIDField(allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    resource_id = StrictUUIDField(allow_null=True)
    external_id = StrictCharField(allow_null=True)
    metadata = JSONObjectField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    confirmed_at = serializers.DateTimeField()
    accessed_at = serializers.DateTimeField(allow_null=True)
    access_count = serializers.IntegerField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(help_text="One higher with each change of it. If-Match takes it.")


class MemoryStored(MemoryShown):
    outcome = StrictCharField(help_text="created, reinforced or contradicted (created against what was known).")
    reason = StrictCharField(help_text="Why it is the same or the contrary; empty when it is simply new.")
    contradicts = serializers.ListField(child=StrictUUIDField())


class AppMemoryStored(MemoryStored):
    warning = StrictCharField(help_text="What to know of a text that an agent's would have been quarantined for.")


class MemoryHeld(StrictSerializer):
    """Kept, and not stored: a person decides (docs/trust.md)."""

    outcome = StrictChoiceField(["quarantined", "waiting"], help_text="waiting: for a person's approval.")
    reason = StrictCharField()
    rejection_id = StrictUUIDField()


class ItemError(StrictSerializer):
    status = serializers.IntegerField()
    errors = ProblemError(many=True)  # type: ignore[assignment]  # a field of that name


class ItemRefused(StrictSerializer):
    error = ItemError()


@extend_schema_field(PolymorphicProxySerializer("BatchItem", [MemoryStored, MemoryHeld, ItemRefused], None))
class ItemAnswer(JSONObjectField):
    pass


class BatchAnswer(StrictSerializer):
    results = serializers.ListField(
        child=ItemAnswer(), help_text="Per item: the memory, what waits for a person, or what is wrong with it."
    )


class Ids(StrictSerializer):
    ids = serializers.ListField(child=StrictUUIDField(), allow_empty=False, max_length=MAX_BATCH)


class BulkChange(Ids):
    action = StrictChoiceField([*CHANGES, "delete"])


class Undone(StrictSerializer):
    to = StrictIntegerField(
        min_value=1,
        max_value=MAX_TURN,
        default=None,
        allow_null=True,
        help_text="The number of a revision: as it was after that, but for its status. Without it, the last change.",
    )


LEFT = "How many were left as they are, by why."


class ManyChanged(StrictSerializer):
    done = serializers.IntegerField()
    left = serializers.DictField(child=serializers.IntegerField(), help_text=LEFT)


class Reviewed(StrictSerializer):
    reviewed = serializers.IntegerField()
    left = serializers.DictField(child=serializers.IntegerField(), help_text=LEFT)


class Deleted(StrictSerializer):
    success = StrictBooleanField()
    deleted_count = serializers.IntegerField()


class LeastScoreField(StrictFloatField):
    """The lowest score of a hit. Before 0.2 scores had no bounds: what is outside of theirs is told so."""

    def __init__(self) -> None:
        super().__init__(
            default=None,
            allow_null=True,
            min_value=0,
            max_value=1,
            help_text="Hits with a lower score are left out; by default those below the policy's `min_score`.",
            error_messages=dict.fromkeys(("min_value", "max_value"), OUTSIDE_OF_SCORES),
        )


class SearchQuestion(AskedTimes):
    query = StrictCharField(max_length=MAX_QUERY_CHARACTERS)
    limit = StrictIntegerField(min_value=1, max_value=100, default=10)
    mode = StrictChoiceField(MODES, default="auto")
    min_score = LeastScoreField()
    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True, default=None)
    filters = JSONObjectField(
        required=False, allow_null=True, default=dict, help_text="and, or, not, fields and operators: docs/search.md."
    )
    explain = StrictBooleanField(default=False)
    touch = StrictBooleanField(default=True, help_text="Counts the search as an access of what it finds.")
    scope = StrictChoiceField(
        [("app", "this app's memories"), ("shared", "also what sharing apps share")], default="app"
    )
    documents = StrictChoiceField(
        [(BESIDE, "passages of documents beside memories"), (ONLY, "these alone"), (NONE, "memories alone")],
        default=BESIDE,
    )
    as_of = serializers.DateTimeField(
        required=False,
        allow_null=True,
        default=None,
        validators=[check_in_reach],
        help_text="What was known at this time.",
    )
    cursor = StrictCharField(
        max_length=200,
        required=False,
        allow_null=True,
        default=None,
        refuses_empty=True,
        help_text="`next` of the page before this one.",
    )

    def validate_filters(self, filters: dict[str, Any] | None) -> dict[str, Any]:
        try:
            build_filter(filters or {})
        except FilterError as error:
            raise serializers.ValidationError(str(error)) from error
        return filters or {}

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields["scope"] == "shared" and fields["as_of"]:
            raise serializers.ValidationError({"as_of": ["Looks at the app's own memories only: scope app."]})
        if fields["documents"] == ONLY and fields["as_of"]:
            raise serializers.ValidationError({"as_of": ["Looks at memories only: documents are as they are now."]})
        return super().validate(fields)


class Citation(StrictSerializer):
    id = StrictUUIDField(help_text="Of the document.")
    name = StrictCharField()
    page = serializers.IntegerField(allow_null=True)
    heading = StrictCharField(allow_null=True)
    citation = StrictCharField(help_text="All of it as one text.")


class MemoryTagged(MemoryShown):
    trust = serializers.ListField(
        child=StrictCharField(),
        help_text="What to know: conflicting, uncertain, stale, unconfirmed (nobody said it twice), unreviewed; "
        "standing: it applies to the request, whether or not it answers it.",
    )
    document = Citation(allow_null=True, help_text="Where it is quoted from: a passage, and no memory. Else null.")
    validity = StrictCharField(help_text="Its interval, by the app's clock: `valid 2025-09-01 to 2026-03-14`.")


class AskedTimeShown(StrictSerializer):
    """The time that was asked about: as given, or as the question names it."""

    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True, help_text="Not included.")
    known = StrictBooleanField(help_text="false: nothing is known of that time. What is found held at another.")


class BestPassage(StrictSerializer):
    text = StrictCharField(help_text="The part that says most about the question, with the head of its table.")
    start = StrictIntegerField(help_text="Of the part, in characters of `content`.")
    end = StrictIntegerField(help_text="Not included.")


class HitShown(MemoryTagged):
    passage = BestPassage(allow_null=True, help_text="Of a `content` of more than 600 characters. Else null.")
    score = serializers.FloatField(
        min_value=0, max_value=1, help_text="The probability that it answers: of hits with 0.8, eight of ten do."
    )
    shared_by = StrictCharField(allow_null=True, help_text="The app it comes from, if it is not this one.")
    scores = serializers.DictField(
        child=serializers.FloatField(), required=False, help_text="With `explain`: the parts of `formula_score`."
    )
    formula_score = serializers.FloatField(
        required=False, help_text="With `explain`: what the ranking's formula gives; `score` rises with it."
    )
    replaced = serializers.ListField(
        child=StrictCharField(), required=False, help_text="With `explain`: what it replaced, which counts for it."
    )


class SummaryTold(StrictSerializer):
    category = StrictCharField(source="summary.category")
    version = serializers.IntegerField(source="summary.version")
    passages = serializers.ListField(
        child=StrictCharField(), help_text="The lines that answer; the results are their memories."
    )
    sources = serializers.ListField(child=serializers.UUIDField(), help_text="The memory of each line.")


class SearchAnswer(StrictSerializer):
    results = HitShown(many=True)
    summaries = SummaryTold(
        many=True,
        help_text="What answered, if tier_answered is summaries; if coverage is summary, of what most results are.",
    )
    next = StrictCharField(allow_null=True, help_text="The cursor of the next page.")
    tier_answered = StrictCharField(help_text="summaries, items or none.")
    coverage = StrictChoiceField(WAYS, allow_null=True, help_text=COVERAGE_HELP)
    took_ms = serializers.FloatField()
    degraded = serializers.ListField(child=StrictCharField(), help_text="Retrievers that could not answer.")
    asked_time = AskedTimeShown(allow_null=True, help_text="null: no time is asked about.")
    scores_combined = StrictChoiceField(
        ["sum", "product"], required=False, help_text="With `explain`: what of a hit's parts its `formula_score` is."
    )


class ContextMessage(StrictSerializer):
    role = StrictCharField(max_length=20)
    content = StrictCharField(max_length=100_000, allow_blank=True)


class ContextQuestion(AskedTimes):
    session_id = StrictUUIDField(required=False, allow_null=True, default=None)
    turn_number = StrictIntegerField(min_value=0, max_value=MAX_TURN, required=False, allow_null=True, default=None)
    messages = serializers.ListField(child=ContextMessage(), required=False, max_length=100)
    query = StrictCharField(max_length=MAX_QUERY_CHARACTERS, required=False, default="", allow_blank=True)
    format = StrictChoiceField([*Block.values, "json"], required=False)
    max_tokens = StrictIntegerField(min_value=1, max_value=200_000, required=False, allow_null=True, default=None)
    limit = StrictIntegerField(min_value=1, max_value=1000, required=False, allow_null=True, default=None)
    min_score = LeastScoreField()
    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True, default=None)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields.get("query") and fields.get("messages"):
            raise serializers.ValidationError("Give messages or a query, not both.")
        return super().validate(fields)


class ContextAnswer(StrictSerializer):
    text = StrictCharField()
    tokens = serializers.IntegerField()
    included = serializers.IntegerField()
    total = serializers.IntegerField()
    memories = MemoryTagged(many=True)
    tier_answered = StrictCharField(allow_null=True)
    coverage = StrictChoiceField(WAYS, allow_null=True, help_text=COVERAGE_HELP)
    economised = StrictBooleanField()
    degraded = serializers.ListField(child=StrictCharField())
    asked_time = AskedTimeShown(allow_null=True)


class RevisionShown(StrictSerializer):
    number = serializers.IntegerField()
    action = StrictCharField()
    before = JSONObjectField()
    after = JSONObjectField()
    actor = StrictCharField()
    reason = StrictCharField()
    created_at = serializers.DateTimeField()


class NewLink(StrictSerializer):
    to = StrictUUIDField()
    kind = StrictChoiceField([(kind.value, kind.label) for kind in SAYABLE], default=LinkKind.RELATED)


class LinkShown(StrictSerializer):
    from_id = StrictUUIDField(source="from_memory.uid")
    to_id = StrictUUIDField(source="to_memory.uid")
    kind = StrictCharField()
    created_at = serializers.DateTimeField()


OWN = names(MemoryShown, without=("id", "session_id", "resource_id"))
values_of = attrgetter(*OWN)


def show_memory(memory: Memory) -> dict[str, Any]:
    """Show a memory. Reads session, resource and the text of an archived one: select them for lists."""
    fields: dict[str, Any] = {"id": memory.uid}
    fields.update(zip(OWN, values_of(memory), strict=True))
    fields["content"] = memory.text
    fields["confidence"] = round(memory.confidence, DIGITS)
    # Most have neither: the numbers tell it, and Django's way to a row is long even where there is none.
    session = memory.session if memory.session_id else None
    resource = memory.resource if memory.resource_id else None
    fields["session_id"] = session.uid if session else None
    fields["resource_id"] = resource.uid if resource else None
    return fields


def show_held(rejection: Rejection) -> dict[str, Any]:
    outcome = HELD[RejectionKind(rejection.kind)]
    return {"outcome": outcome, "reason": rejection.reason, "rejection_id": rejection.uid}


def show_tagged(memory: Memory, tags: Sequence[str], zone: tzinfo) -> dict[str, Any]:
    fields = show_memory(memory)
    fields["trust"] = list(tags)
    fields["document"] = citation_of(memory)
    fields["validity"] = valid_text(memory.valid_from, memory.valid_until, zone)
    return fields


def show_asked_time(answer: TimeAnswer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    limits = (answer.start, answer.end)
    start, end = (datetime.fromtimestamp(moment, UTC) if isfinite(moment) else None for moment in limits)
    return {"start": start, "end": end, "known": answer.is_known}


def shown_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return a past state's fields, as far as they are shown."""
    return {name: value for name, value in rounded(state).items() if name in OWN}


def rounded(state: dict[str, Any]) -> dict[str, Any]:
    """With confidences of as many digits as are shown."""
    return {name: round(value, DIGITS) if name in SURENESS else value for name, value in state.items()}


def show_hit(hit: Hit, app: App, *, explain: bool) -> dict[str, Any]:
    """Of another app's memory only what it says: that app's ids and metadata are its own."""
    fields = show_tagged(hit.memory, hit.trust, app.policy.time_zone)
    fields["score"], fields["shared_by"] = hit.score, None
    passage = hit.passage
    fields["passage"] = (
        {"text": passage.of(hit.memory.text), "start": passage.start, "end": passage.end} if passage else None
    )
    if hit.memory.app_id != app.pk:
        fields |= {**OWN_TO_AN_APP, "shared_by": hit.app.app_id}
    if explain:
        fields |= {"scores": hit.parts, "formula_score": hit.formula_score, "replaced": [*hit.replaced]}
    return fields


def show_revision(revision: Revision) -> dict[str, Any]:
    return RevisionShown.show(revision, before=rounded(revision.before), after=rounded(revision.after))

"""Memories on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from memories.api.fields import (
    Confidence,
    Flag,
    Id,
    JSONObject,
    Name,
    Number,
    OneOf,
    Shape,
    SmallObject,
    Tags,
    Text,
    Whole,
    category,
    names,
)
from memories.api.schema import ProblemError
from memories.models import (
    SAYABLE,
    Kind,
    Link,
    LinkKind,
    Memory,
    Rejection,
    RejectionKind,
    Revision,
    Status,
    Trust,
    Visibility,
)
from memories.retrieve.filters import FilterError, build_filter
from memories.retrieve.hits import Hit, SummaryAnswer
from memories.retrieve.pipeline import MODES
from memories.text.clean import clean
from memsite.tenancy.models import App
from memsite.tenancy.origin import SAYABLE_ORIGINS, Origin
from memsite.tenancy.policy import MOST_CHARACTERS, Block
from memsite.timestamps import check_in_reach
from sessions.models import MAX_TURN

MAX_BATCH = 500
MAX_QUERY_CHARACTERS = 10_000
ORIGINS_OF_AGENTS = [(one.value, one.label) for one in SAYABLE_ORIGINS]
# What a caller may set; superseding is what a merge does.
SETTABLE_STATUS = (Status.ACTIVE, Status.INACTIVE, Status.ARCHIVED)


def cleaned(text: str) -> str:
    """As `clean` has it; what is longer than any app takes is left as it is, for the app's own limit to refuse."""
    return clean(text) if len(text) <= MOST_CHARACTERS else text


class MemoryFields(Shape):
    """What can be said of a memory at creation and later alike."""

    content = Text(help_text="As many characters as the app's policy allows: `max_characters`.")
    category = category(required=False)
    subject = Text(max_length=200, required=False, allow_null=True)
    importance = Whole(min_value=1, max_value=5, required=False)
    confidence = Confidence(required=False)
    tags = Tags(required=False)
    pinned = Flag(required=False)
    user_id = Name(max_length=200, required=False, allow_null=True)
    visibility = OneOf(Visibility.choices, required=False)
    valid_from = serializers.DateTimeField(required=False, allow_null=True)
    valid_until = serializers.DateTimeField(required=False, allow_null=True)
    metadata = SmallObject(required=False)

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
    kind = OneOf(Kind.choices, required=False)
    origin = OneOf(ORIGINS_OF_AGENTS, required=False, help_text="Who said it: docs/trust.md.")
    session_id = Id(required=False, allow_null=True)
    turn_number = Whole(min_value=0, max_value=MAX_TURN, required=False, allow_null=True)
    external_id = Name(max_length=200, required=False, allow_null=True)


class NewMemoryOnce(NewMemory):
    dedupe = Flag(default=True, help_text="False stores it even if the same is known.")


@extend_schema_field(NewMemory)
class AnyItem(serializers.JSONField):
    """A memory to be; what is wrong with it is told in its own answer, and refuses no other."""

    def run_validation(self, data: Any = empty) -> Any:
        return data


class MemoryBatch(Shape):
    memories = serializers.ListField(child=AnyItem(), allow_empty=False, max_length=MAX_BATCH)
    dedupe = Flag(default=False)


class MemoryChanges(MemoryFields):
    content = Text(required=False, help_text="As for a new one.")
    status = OneOf([(status.value, status.label) for status in SETTABLE_STATUS], required=False)


class MemoryShown(Shape):
    id = Id()
    content = Text()
    kind = Text()
    category = Text()
    subject = Text(allow_null=True)
    tags = serializers.ListField(child=Text())
    importance = serializers.IntegerField()
    confidence = serializers.FloatField()
    strength = Text(allow_null=True)
    sentiment = Text()
    status = Text()
    pinned = Flag()
    tier = serializers.IntegerField()
    priority = serializers.FloatField()
    user_id = Text(allow_null=True)
    visibility = Text()
    origin = OneOf(Origin.choices)
    trust_level = OneOf(Trust.choices)
    reviewed_by = Text()
    reviewed_at = serializers.DateTimeField(allow_null=True)
    session_id = Id(allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    resource_id = Id(allow_null=True)
    external_id = Text(allow_null=True)
    metadata = JSONObject()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    confirmed_at = serializers.DateTimeField()
    accessed_at = serializers.DateTimeField(allow_null=True)
    access_count = serializers.IntegerField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(help_text="One higher with each change of it. If-Match takes it.")


class MemoryStored(MemoryShown):
    outcome = Text(help_text="created, reinforced or contradicted (created against what was known).")
    reason = Text(help_text="Why it is the same or the contrary; empty when it is simply new.")
    contradicts = serializers.ListField(child=Id())


class MemoryHeld(Shape):
    """Kept, and not stored: a person decides (docs/trust.md)."""

    outcome = OneOf(["quarantined", "waiting"], help_text="waiting: for a person's approval.")
    reason = Text()
    rejection_id = Id()


class ItemError(Shape):
    status = serializers.IntegerField()
    errors = ProblemError(many=True)  # type: ignore[assignment]  # a field of that name


class ItemRefused(Shape):
    error = ItemError()


@extend_schema_field(PolymorphicProxySerializer("BatchItem", [MemoryStored, MemoryHeld, ItemRefused], None))
class ItemAnswer(JSONObject):
    pass


class BatchAnswer(Shape):
    results = serializers.ListField(
        child=ItemAnswer(), help_text="Per item: the memory, what waits for a person, or what is wrong with it."
    )


class Ids(Shape):
    ids = serializers.ListField(child=Id(), allow_empty=False, max_length=MAX_BATCH)


class Reviewed(Shape):
    reviewed = serializers.IntegerField()
    left = serializers.DictField(child=serializers.IntegerField(), help_text="How many were left as they are, by why.")


class Deleted(Shape):
    success = Flag()
    deleted_count = serializers.IntegerField()


class SearchQuestion(Shape):
    query = Text(max_length=MAX_QUERY_CHARACTERS)
    limit = Whole(min_value=1, max_value=100, default=10)
    mode = OneOf(MODES, default="auto")
    min_score = Number(default=None, allow_null=True, min_value=-100, max_value=100)
    user_id = Name(max_length=200, required=False, allow_null=True, default=None)
    filters = JSONObject(
        required=False, allow_null=True, default=dict, help_text="and, or, not, fields and operators: docs/search.md."
    )
    explain = Flag(default=False)
    touch = Flag(default=True, help_text="Counts the search as an access of what it finds.")
    scope = OneOf([("app", "this app's memories"), ("shared", "also what sharing apps share")], default="app")
    as_of = serializers.DateTimeField(
        required=False, allow_null=True, default=None, validators=[check_in_reach],
        help_text="What was known at this time.",
    )  # fmt: skip
    cursor = Text(
        max_length=200, required=False, allow_null=True, default=None, help_text="`next` of the page before this one."
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
        return fields


class MemoryTagged(MemoryShown):
    trust = serializers.ListField(
        child=Text(),
        help_text="What to know: conflicting, uncertain, stale, unconfirmed (nobody said it twice), unreviewed.",
    )


class HitShown(MemoryTagged):
    score = serializers.FloatField()
    shared_by = Text(allow_null=True, help_text="The app it comes from, if it is not this one.")
    scores = serializers.DictField(
        child=serializers.FloatField(), required=False, help_text="With `explain`: the parts of the score."
    )


class SummaryTold(Shape):
    category = Text()
    version = serializers.IntegerField()
    passages = serializers.ListField(child=Text(), help_text="The lines that answer; the results are their memories.")


class SearchAnswer(Shape):
    results = HitShown(many=True)
    summaries = SummaryTold(many=True, help_text="What answered, if tier_answered is summaries.")
    next = Text(allow_null=True, help_text="The cursor of the next page.")
    tier_answered = Text(help_text="summaries, items or none.")
    took_ms = serializers.FloatField()
    degraded = serializers.ListField(child=Text(), help_text="Arms that could not answer.")
    scores_combined = OneOf(
        ["sum", "product"], required=False, help_text="With `explain`: what of a hit's parts its score is."
    )


class ContextMessage(Shape):
    role = Text(max_length=20)
    content = Text(max_length=100_000, allow_blank=True)


class ContextQuestion(Shape):
    session_id = Id(required=False, allow_null=True, default=None)
    turn_number = Whole(min_value=0, max_value=MAX_TURN, required=False, allow_null=True, default=None)
    messages = serializers.ListField(child=ContextMessage(), required=False, max_length=100)
    query = Text(max_length=MAX_QUERY_CHARACTERS, required=False, default="", allow_blank=True)
    format = OneOf([*Block.values, "json"], required=False)
    max_tokens = Whole(min_value=1, max_value=200_000, required=False, allow_null=True, default=None)
    limit = Whole(min_value=1, max_value=1000, required=False, allow_null=True, default=None)
    user_id = Name(max_length=200, required=False, allow_null=True, default=None)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields.get("query") and fields.get("messages"):
            raise serializers.ValidationError("Give messages or a query, not both.")
        return fields


class ContextAnswer(Shape):
    text = Text()
    tokens = serializers.IntegerField()
    included = serializers.IntegerField()
    total = serializers.IntegerField()
    memories = MemoryTagged(many=True)
    tier_answered = Text(allow_null=True)
    economised = Flag()
    degraded = serializers.ListField(child=Text())


class RevisionShown(Shape):
    number = serializers.IntegerField()
    action = Text()
    before = JSONObject()
    after = JSONObject()
    actor = Text()
    reason = Text()
    created_at = serializers.DateTimeField()


class NewLink(Shape):
    to = Id()
    kind = OneOf([(kind.value, kind.label) for kind in SAYABLE], default=LinkKind.RELATED)


class LinkShown(Shape):
    from_id = Id()
    to_id = Id()
    kind = Text()
    created_at = serializers.DateTimeField()


OWN_TO_AN_APP: dict[str, Any] = {
    "session_id": None, "turn_number": None, "resource_id": None, "external_id": None, "metadata": {},
    "reviewed_by": "",
}  # fmt: skip
OWN = names(MemoryShown, without=("id", "session_id", "resource_id"))
values_of = attrgetter(*OWN)
REVISION = names(RevisionShown)
SURENESS = frozenset({"confidence", "confidence_base"})
DIGITS = 4
"""Of a confidence, behind the point: more would only tell how decay was worked out. Exports keep them all."""
HELD = {RejectionKind.QUARANTINE: "quarantined", RejectionKind.APPROVAL: "waiting"}


def show_memory(memory: Memory) -> dict[str, Any]:
    """Reads session and resource, and the cold text of one in the cold archive: select them for lists."""
    shown: dict[str, Any] = {"id": memory.uid}
    shown.update(zip(OWN, values_of(memory), strict=True))
    shown["content"] = memory.text
    shown["confidence"] = round(memory.confidence, DIGITS)
    # Most have neither: the numbers tell it, and Django's way to a row is long even where there is none.
    session = memory.session if memory.session_id else None
    resource = memory.resource if memory.resource_id else None
    shown["session_id"] = session.uid if session else None
    shown["resource_id"] = resource.uid if resource else None
    return shown


def show_held(rejection: Rejection) -> dict[str, Any]:
    outcome = HELD[RejectionKind(rejection.kind)]
    return {"outcome": outcome, "reason": rejection.reason, "rejection_id": rejection.uid}


def show_tagged(memory: Memory, tags: Sequence[str]) -> dict[str, Any]:
    shown = show_memory(memory)
    shown["trust"] = list(tags)
    return shown


def shown_state(state: dict[str, Any]) -> dict[str, Any]:
    """A past state's fields, as far as they are shown."""
    return {name: value for name, value in rounded(state).items() if name in OWN}


def rounded(state: dict[str, Any]) -> dict[str, Any]:
    """With confidences of as many digits as are shown."""
    return {name: round(value, DIGITS) if name in SURENESS else value for name, value in state.items()}


def show_hit(hit: Hit, app: App, *, explain: bool) -> dict[str, Any]:
    """Of another app's memory only what it says: that app's ids and metadata are its own."""
    shown = show_tagged(hit.row, hit.trust)
    shown["score"], shown["shared_by"] = hit.score, None
    if hit.row.app_id != app.pk:
        shown |= {**OWN_TO_AN_APP, "shared_by": hit.app.app_id}
    if explain:
        shown["scores"] = hit.parts
    return shown


def show_told(told: SummaryAnswer) -> dict[str, Any]:
    return {"category": told.summary.category, "version": told.summary.version, "passages": told.passages}


def show_revision(revision: Revision) -> dict[str, Any]:
    shown = {name: getattr(revision, name) for name in REVISION}
    return {**shown, "before": rounded(revision.before), "after": rounded(revision.after)}


def show_link(link: Link) -> dict[str, Any]:
    return {
        "from_id": link.from_memory.uid,
        "to_id": link.to_memory.uid,
        "kind": link.kind,
        "created_at": link.created_at,
    }

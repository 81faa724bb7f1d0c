"""Fields that take what they say and nothing else: no "3" for 3, no 1 for true, no field nobody knows.

No secret comes in by them either: a text that is read is without, an object in all its texts, and a name that is one is
refused. What is said by people and agents is `Raw…`: the app's policy says what becomes of it (`sessions.recording`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime, tzinfo
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as ModelValidationError
from rest_framework import serializers
from rest_framework.fields import SkipField, empty

from memories.api.scope_names import hint
from memories.language.secrets import each_text, is_visible, secret_in_name, without_secrets
from memories.models.memory import MAX_TAGS, TAG_LENGTH
from memories.retrieve.validity import Times, at_moment
from memsite.http.json_body import MAX_OBJECT_CHARACTERS, fits_64_bits, json_length
from memsite.tenancy.policy import MOST_CHARACTERS, is_category
from memsite.timestamps import OUT_OF_REACH, in_utc, is_in_reach

MAX_NUMBER = 2**64
app_zone: ContextVar[tzinfo] = ContextVar("app_zone", default=UTC)
"""The time zone of the app that is asked: times that name none are by its clock."""
READERS_KEPT = 1_024
"""Of all serializers, by which of their fields are given."""


class StrictCharField(serializers.CharField):
    """A text. An empty one in an optional field says as much as none, unless what it is of cannot be without."""

    def __init__(self, *, refuses_empty: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.refuses_empty = refuses_empty or self.required

    def run_validation(self, data: Any = empty) -> Any:
        if isinstance(data, str) and self.trim_whitespace and not self.allow_blank and not is_visible(data):
            if self.refuses_empty:
                self.fail("blank")
            data = None if self.allow_null else empty
        value = super().run_validation(data)
        return self.accept(value) if isinstance(value, str) else value

    def accept(self, text: str) -> str:
        """Return the text that is valid. One longer than anything that is kept is for others to refuse."""
        if len(text) > MOST_CHARACTERS:
            return text
        public = without_secrets(text)
        return public.strip() if self.trim_whitespace else public

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class AppTimeField(serializers.DateTimeField):
    """A moment. One without a zone is by the clock of the app. Of `any_year` or of one in reach of what computes."""

    def __init__(self, *, any_year: bool = False, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, **options})
        self.any_year = any_year

    def enforce_timezone(self, value: datetime) -> datetime:
        try:
            moment = in_utc(value if value.tzinfo else value.replace(tzinfo=app_zone.get()))
        except OverflowError:
            self.fail("overflow")
        if not self.any_year and not is_in_reach(moment):
            raise serializers.ValidationError(OUT_OF_REACH)
        return moment


class RawCharField(StrictCharField):
    """Word for word."""

    def accept(self, text: str) -> str:
        return text


class NameField(StrictCharField):
    """By which something is found again.

    One that is a secret is refused: what stood for it would not match it for ever (with another key of the server
    it is another), and whoever sends it goes on sending it, to wherever that is logged.
    """

    def accept(self, text: str) -> str:
        refuse_secret(text)
        return text


def refuse_secret(name: str) -> None:
    """Raise ValidationError without repeating the secret."""
    if kind := secret_in_name(name):
        raise serializers.ValidationError(f"This looks like a secret ({kind}), and names are shown: choose another.")


class StrictFloatField(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float) or abs(data) > MAX_NUMBER:
            self.fail("invalid")
        return super().to_internal_value(data)


def integer_of(data: Any) -> Any:
    """Return 3 for 3.0: JSON has one kind of number, and some programs write it so."""
    return int(data) if isinstance(data, float) and data.is_integer() and abs(data) <= MAX_NUMBER else data


class StrictIntegerField(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        data = integer_of(data)
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class ConfidenceField(StrictFloatField):
    """Outside 0 to 1 it is clamped, not refused."""

    def to_internal_value(self, data: Any) -> float:
        bounded = min(1.0, max(0.0, data)) if isinstance(data, int | float) and not isinstance(data, bool) else data
        return super().to_internal_value(bounded)


class StrictChoiceField(serializers.ChoiceField):
    """Whoever names another is told which there are."""

    def __init__(self, choices: Any, **options: Any) -> None:
        super().__init__(choices, **options)
        self.error_messages["invalid_choice"] = f"One of {', '.join(map(str, self.choices))}."


class ZonedDateTimeField(serializers.DateTimeField):
    """A moment in the time zone in which it is given: "tomorrow" counts from the day that it was there."""

    def enforce_timezone(self, value: datetime) -> datetime:
        moment: datetime = super().enforce_timezone(value)
        return moment.astimezone(value.tzinfo) if value.tzinfo else moment


class StrictUUIDField(serializers.UUIDField):
    def to_internal_value(self, data: Any) -> UUID:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


def refuse_huge_integers(value: Any) -> None:
    if not fits_64_bits(value):
        raise serializers.ValidationError("An integer in it has more than 64 bits.")


def refuse_long(value: Any) -> None:
    if json_length(value) > MAX_OBJECT_CHARACTERS:
        raise serializers.ValidationError(f"At most {MAX_OBJECT_CHARACTERS:,} characters as JSON.")


class JSONObjectField(serializers.DictField):
    """Any JSON object; the body parser has bounded its depth and size."""

    default_validators = [refuse_huge_integers]

    def run_validation(self, data: Any = empty) -> Any:
        return each_text(super().run_validation(data), without_secrets)

    def run_child_validation(self, data: Any) -> Any:
        """Accept any value, and many of them."""
        return data


class RawJSONObjectField(JSONObjectField):
    """Word for word."""

    def run_validation(self, data: Any = empty) -> Any:
        return serializers.DictField.run_validation(self, data)


class SmallJSONObjectField(JSONObjectField):
    """One that is kept beside something else, and handed out with it each time."""

    default_validators = [refuse_huge_integers, refuse_long]

    def __init__(self, **options: Any) -> None:
        super().__init__(help_text=f"{MAX_OBJECT_CHARACTERS:,} characters as JSON at most.", **options)


class JSONValueField(serializers.JSONField):
    """Any JSON value."""

    default_validators = [refuse_huge_integers]

    def run_validation(self, data: Any = empty) -> Any:
        return each_text(super().run_validation(data), without_secrets)


class RawJSONValueField(JSONValueField):
    """Word for word."""

    def run_validation(self, data: Any = empty) -> Any:
        return serializers.JSONField.run_validation(self, data)


class UniqueListField(serializers.ListField):
    """What is named twice is one."""

    def to_internal_value(self, data: Any) -> list[Any]:
        return list(dict.fromkeys(super().to_internal_value(data)))


class TagsField(UniqueListField):
    child = StrictCharField(max_length=TAG_LENGTH)

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_TAGS, **options)


def category(**options: Any) -> NameField:
    return NameField(validators=[is_category], **options)


class StrictSerializer(serializers.Serializer[Any]):
    # No docstring: the schema would tell it of every serializer that has none of its own.
    # A body. Unknown fields are refused, so that a typing error is not a silent default.

    # Defaults, or what makes them, of fields that it had and that nobody gives.
    not_given: Mapping[str, Any] = {}
    # What reads each field of one that stops at the first that is wrong; None where all that is wrong is told.
    checks: Sequence[tuple[str, Callable[[Any], Any]]] | None = None

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = names_in(type(self))
            unknown = sorted(str(name)[:100] for name in data.keys() - known)
            if unknown:
                raise serializers.ValidationError({name: ["Unknown field." + hint(name, known)] for name in unknown})
        if self.checks is None:
            return super().to_internal_value(data)
        fields = {}
        for name, check in self.checks:
            try:
                fields[name] = check(data.get(name, empty))
            except SkipField:  # a text that is empty, as good as not given
                continue
        for name, default in self.not_given.items():
            fields[name] = default() if callable(default) else default
        return fields

    @classmethod
    def show(cls, row: Any, **given: Any) -> dict[str, Any]:
        """Return a row's fields: what is given, else what a field's `source` leads to; behind None there is None."""
        fields = {}
        for name, path in sources_of(cls):
            value = given.get(name, row)
            for step in () if name in given else path:
                value = None if value is None else getattr(value, step)
            fields[name] = value
        return fields

    def run_validators(self, value: Any) -> None:
        # Few have any, and what DRF gets ready for them takes as long as reading a field.
        if self.validators:
            super().run_validators(value)


def validated(serializer: type[StrictSerializer], data: Any) -> dict[str, Any]:
    """Return the validated data; ValidationError names each wrong field."""
    if isinstance(data, Mapping):
        with suppress(serializers.ValidationError, ModelValidationError):
            return dict(cached_serializer(serializer, names_in(serializer).intersection(data)).run_validation(data))
    body = serializer(data=data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


@lru_cache(READERS_KEPT)
def cached_serializer(serializer: type[StrictSerializer], given: frozenset[str]) -> StrictSerializer:
    """Return a serializer of the given and required fields only: most bodies give a few out of many.

    It is shared by all threads: validation leaves no state in it, and creating one costs more than validating.
    """
    reader, not_given = serializer(), {}
    for name, field in [*reader.fields.items()]:
        if not (name in given or field.required):
            del reader.fields[name]
            if field.default is not empty:
                not_given[name] = field.default
    reader.not_given = not_given
    reader.checks = [(name, check_of(reader, name, field)) for name, field in reader.fields.items()]
    return reader


def check_of(
    serializer: StrictSerializer, name: str, field: serializers.Field[Any, Any, Any, Any]
) -> Callable[[Any], Any]:
    """Return the check of a field: first its own, then the method of the serializer."""
    own: Callable[[Any], Any] | None = getattr(serializer, f"validate_{name}", None)
    read: Callable[[Any], Any] = field.run_validation
    return (lambda value: own(read(value))) if own else read


@cache
def sources_of(serializer: type[StrictSerializer]) -> list[tuple[str, list[str]]]:
    """Return each field's name and the attributes that lead from a row to its value."""
    return [(name, field.source_attrs) for name, field in serializer().fields.items()]


@cache
def names_in(serializer: type[StrictSerializer]) -> frozenset[str]:
    return frozenset(names(serializer))


ONE_TIME = "Give valid_at, or valid_from and valid_until."


class AskedTimes(StrictSerializer):
    """The times that a search or a context may ask about; a range may be open at one end."""

    valid_at = AppTimeField(default=None, help_text="Only what held at this time, though it may have ended since.")
    valid_from = AppTimeField(default=None, help_text="Only what held at some time from here on.")
    valid_until = AppTimeField(default=None, help_text="Only what held at some time before this.")
    since = AppTimeField(default=None, help_text="Only what was stored from here on.")
    until = AppTimeField(default=None, help_text="Only what was stored before this.")

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields.get("valid_at") and (fields.get("valid_from") or fields.get("valid_until")):
            raise serializers.ValidationError({"valid_at": [ONE_TIME]})
        for first, last in (("valid_from", "valid_until"), ("since", "until")):
            start, end = fields.get(first), fields.get(last)
            if start and end and end <= start:
                raise serializers.ValidationError({last: [f"Has to lie after {first}."]})
        return fields


def valid_asked(fields: Mapping[str, Any]) -> Times | None:
    """Return the time in which what is asked for has to have held, from the fields of AskedTimes."""
    if fields["valid_at"]:
        return at_moment(fields["valid_at"])
    return range_of(fields["valid_from"], fields["valid_until"])


def range_of(start: datetime | None, end: datetime | None) -> Times | None:
    """Return a range that may be open at one end; None where it has no end at all."""
    return (start, end) if start or end else None


def names(serializer: type[StrictSerializer], *, without: Collection[str] = ()) -> list[str]:
    """Return the names of its fields."""
    return [name for name in serializer().fields.keys() if name not in without]  # noqa: SIM118  # typed by its keys

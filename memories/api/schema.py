"""OpenAPI: every operation tells its key, its error document and, where it changes something, its idempotency key."""

from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from types import SimpleNamespace
from typing import Any, Literal, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from memories.api.base import takes_idempotency_key
from memories.api.fields import StrictCharField, StrictSerializer
from memories.api.pagination import MAX_LIMIT, USER_CHARACTERS
from memsite.http.json_body import UsualFirst
from memsite.tenancy.idempotency import MAX_KEY_LENGTH

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    # A header is told without the blanks around it.
    {"type": "string", "pattern": "^[!-~]([ -~]*[!-~])?$", "maxLength": MAX_KEY_LENGTH},
    OpenApiParameter.HEADER,
    description="Repeat the request with the same key and body and get the same answer, for 24 hours.",
)
View = TypeVar("View", bound=Callable[..., Any])
CURSOR = OpenApiParameter("cursor", {"type": "string", "minLength": 1}, description="From `next` or `previous`.")
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="An ETag, or several with commas between: only if the memory is still that version.",
)


class ProblemError(StrictSerializer):
    field = StrictCharField()
    detail = StrictCharField()


class Problem(StrictSerializer):
    type = StrictCharField()
    title = StrictCharField()
    status = serializers.IntegerField()
    detail = StrictCharField()
    code = StrictCharField(required=False)
    request_id = StrictCharField()
    errors = ProblemError(many=True, required=False)  # type: ignore[assignment]  # a field of that name


PROBLEM = OpenApiResponse(Problem, description="What is wrong (RFC 9457).")


def whole_number(name: str, least: int, most: int, **options: Any) -> OpenApiParameter:
    """Return an integer parameter within these bounds."""
    return OpenApiParameter(name, {"type": "integer", "minimum": least, "maximum": most}, **options)


LIMIT = whole_number("limit", 1, MAX_LIMIT, description="Rows of a page: 50 unless said.")


def of_user(description: str = "") -> OpenApiParameter:
    name = {"type": "string", "minLength": 1, "maxLength": USER_CHARACTERS}
    return OpenApiParameter("user_id", name, description=description)


def operation(*, parameters: Sequence[OpenApiParameter] = (), **options: Any) -> Callable[[View], View]:
    """Describe an operation by `extend_schema`, and record its parameters: others are refused. See `View.initial`."""
    query = tuple(parameter.name for parameter in parameters if parameter.location == OpenApiParameter.QUERY)
    is_bodiless = options.get("request", ...) is None

    def described(view: View) -> View:
        view.takes, view.is_bodiless = query, is_bodiless  # type: ignore[attr-defined]  # read by View.initial
        done: View = extend_schema(parameters=list(parameters), **options)(view)
        return done

    return described


@cache
def page_of(serializer: type[StrictSerializer]) -> type[StrictSerializer]:
    """Return the serializer of a page of these."""
    attributes = {
        "results": serializer(many=True),
        "next": StrictCharField(allow_null=True, help_text="Null at the end."),
        "previous": StrictCharField(allow_null=True, help_text="Null at the end."),
    }
    return type(f"{serializer.__name__.removesuffix('Shown')}Page", (StrictSerializer,), attributes)


def lists(
    serializer: type[StrictSerializer], operation_id: str, *parameters: OpenApiParameter
) -> Callable[[View], View]:
    """Describe an operation that answers with pages."""
    return operation(responses=page_of(serializer), parameters=[LIMIT, CURSOR, *parameters], operation_id=operation_id)


class ProblemSchema(AutoSchema):
    def get_override_parameters(self) -> list[Any]:
        given = super().get_override_parameters()
        return [*given, IDEMPOTENCY_KEY] if takes_idempotency_key(self.view, self.method, self.path) else given

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        if direction == "response":
            answer = self._get_response_for_code(  # type: ignore[no-untyped-call]
                PROBLEM, "default", ["application/problem+json"]
            )
            return {**bodies, "default": answer}
        return bodies

    def _map_serializer_field(
        self, field: Any, direction: Literal["request", "response"], bypass_extensions: bool = False
    ) -> Any:
        mapped = super()._map_serializer_field(field, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        if isinstance(field, serializers.ListField) and not field.allow_empty:
            mapped["minItems"] = 1
        return mapped

    def _map_basic_serializer(self, serializer: Any, direction: Literal["request", "response"]) -> Any:
        """Allow no other fields in a request body, unless it ignores them; responses may gain fields."""
        mapped = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if direction == "request" and type(serializer).to_internal_value is StrictSerializer.to_internal_value:
            mapped["additionalProperties"] = False
        return mapped


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memsite.tenancy.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "mst_…"}


class OperatorSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memsite.tenancy.authentication.OperatorSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


class InFormatAsked(UsualFirst):
    """`?format=json` as well as Accept: in a browser one has the address alone."""

    settings = SimpleNamespace(URL_FORMAT_OVERRIDE="format")  # type: ignore[assignment]  # all that it looks at


class OneSchema(SchemaGenerator):
    """Made once per process. Made twice at a time, the half of one is what the other finds, and fails on."""

    making = Lock()
    made: dict[str, Any] | None = None

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        with self.making:
            is_kept = public and not self.api_version
            if is_kept and OneSchema.made is not None:
                return OneSchema.made
            made: dict[str, Any] = super().get_schema(request, public)  # type: ignore[no-untyped-call]
            if is_kept:
                OneSchema.made = made
            return made

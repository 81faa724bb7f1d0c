"""What a caller may do: each view says which scope each of its methods takes."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from memsite.tenancy.models import Scope


class HasScope(BasePermission):
    """Refuses every view that does not name its scope, so that a forgotten one is shut, not open."""

    message: str | None = None

    def has_permission(self, request: Request, view: Any) -> bool:
        caller: Any = request.user
        scope = required_scope(request.method or "", view)
        if scope:
            self.message = takes_key_with(scope)
        return caller is not None and scope in caller.scopes


def takes_key_with(scope: str) -> str:
    return f"This takes a key with the scope {scope}."


def required_scope(method: str, view: Any) -> str | None:
    """`view.scope`, or `read` and `write` by method where the view says `scope = "by method"`."""
    scope = getattr(view, "scope", None)
    if scope == "by method":
        return Scope.READ if method in SAFE_METHODS else Scope.WRITE
    return scope

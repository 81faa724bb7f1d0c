"""What can go wrong between a program and its Memsite server."""

from __future__ import annotations

from typing import TypedDict


class FieldError(TypedDict):
    """`field` is a dotted path in the body, or "" for the body as a whole."""

    field: str
    detail: str


class Problem(TypedDict, total=False):
    """The server's document (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[FieldError]


class MemsiteError(Exception):
    """Anything that this package raises on purpose."""


class NotConfigured(MemsiteError):
    """There is no address or no key, or they cannot be ones."""


class ServerAway(MemsiteError):
    """No answer, or one that no Memsite server gives: nothing is known of what became of the request."""


class ProblemError(MemsiteError):
    """The server said no. `problem` is its document, as a whole."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem)

    def __str__(self) -> str:
        return self.problem.get("detail") or self.problem.get("title") or f"HTTP {self.status}"

    @property
    def status(self) -> int:
        return self.problem["status"]

    @property
    def errors(self) -> list[FieldError]:
        """Return the fields that are wrong; empty if it is about something else."""
        return self.problem.get("errors", [])

    @property
    def request_id(self) -> str:
        """Return the id under which the server's log has it."""
        return self.problem.get("request_id", "")


class InvalidRequest(ProblemError):
    """400, 413, 422 …: the request itself is wrong, and will be every time. Also what cannot be sent, as 400."""


class KeyRefused(ProblemError):
    """401: an unknown, expired or revoked key; 403: one that may not do this."""


class NotFound(ProblemError):
    """404 or 410: it does not exist, not any more, or not for this key."""


class Conflict(ProblemError):
    """409: something else is stored there, or another request is at it."""


class VersionMismatch(ProblemError):
    """412: somebody has changed it since it was read."""


class TooManyRequests(ProblemError):
    """429: wait `retry_after` seconds."""

    def __init__(self, problem: Problem, retry_after: float = 1.0) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class ServerFailed(ProblemError):
    """5xx: the server's fault."""


BY_STATUS: dict[int, type[ProblemError]] = {
    401: KeyRefused,
    403: KeyRefused,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    412: VersionMismatch,
}

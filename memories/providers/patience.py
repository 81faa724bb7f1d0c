"""How long to wait for a service, and when to ask it again."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from .errors import ServiceBusy


@dataclass(frozen=True)
class Patience:
    """How long one request may take. `total_seconds` includes all its attempts and waits."""

    connect_seconds: float = 5.0
    total_seconds: float = 30.0
    attempts: int = 3
    first_wait_seconds: float = 0.2
    longest_wait_seconds: float = 4.0


def wait_before_retry(error: Exception, longest_seconds: float) -> bool | float:
    """stamina's hook: False gives up, True waits a little longer each time, a number is in seconds.

    A service that asks for a longer wait than is allowed is left alone: the caller's queue waits better.
    """
    if not isinstance(error, ServiceBusy) or longest_seconds < 0:
        return False
    if error.wait_seconds is None:
        return True
    return error.wait_seconds <= longest_seconds and error.wait_seconds


def retry_after_seconds(header: str) -> float | None:
    """The Retry-After header (RFC 9110, 10.2.3: seconds or a date), or None when it is neither."""
    value = header.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max((moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)

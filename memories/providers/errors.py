"""How a service on the network can fail. Messages name its host and the reason, never a key, a request or an answer."""


class ServiceAway(Exception):
    """No answer this time: the same request may succeed later, after `wait_seconds` if the service told."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class ServiceBusy(ServiceAway):
    """Worth another attempt at once, or after the wait the service asked for."""


class AnswerTooLong(ServiceAway):
    """It answers, and would not stop."""


class ServiceRefused(Exception):
    """Will not work until somebody changes a setting, or asks in another way.

    `status` is that of HTTP, 0 if nothing was sent. `detail` is the beginning of the service's own words: for code
    that looks for what was refused, never to be shown, since it may repeat the request.
    """

    def __init__(self, message: str, status: int = 0, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail

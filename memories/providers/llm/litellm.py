"""Language models of a hundred more providers, through LiteLLM: a package that is installed beside the server.

Models are named as LiteLLM names them, `bedrock/anthropic.claude-…` or `gemini/…`; it reads their credentials from the
environment. It makes its own connections: `MEMSITE_PROVIDER_NETWORKS` does not bound them.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

from memories.providers.http import TEMPORARY_STATUSES, ServiceAway, ServiceBusy, ServiceRefused, retry_after_seconds
from memories.providers.llm.protocols import OpenAI

RETRIES = 2
MISSING = "LiteLLM is not installed: run `pip install litellm` where the server runs"
QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR", "LITELLM_MODE": "PRODUCTION"}
"""Read once, when it is imported. As it comes it fetches a list of prices from the internet, and reads a `.env`."""
REQUEST_TIMEOUT = 408


class ThroughLiteLLM(OpenAI):
    """LiteLLM takes and answers OpenAI's format, and translates it."""

    name = "litellm"

    def endpoint(self, url: str) -> str:
        return url


@cache
def library() -> Any:
    """Return LiteLLM, without what it would report. ServiceRefused where it is not installed."""
    if find_spec("litellm") is None:
        raise ServiceRefused(MISSING)
    os.environ |= {name: value for name, value in QUIET.items() if name not in os.environ}
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


class LiteLLMApi:
    """Ask as `JsonApi` does, with the same ways to fail."""

    host = "LiteLLM"

    def __init__(self, url: str, api_key: str) -> None:
        """Both may be empty: LiteLLM knows the providers' addresses, and finds keys in the environment."""
        library()
        self.given = {name: value for name, value in (("api_base", url), ("api_key", api_key)) if value}

    def post(self, path: str, payload: Any, within: float | None = None) -> object:
        """Return the answer as OpenAI's API gives it. ServiceAway or ServiceRefused."""
        try:
            answer = library().completion(**payload, **self.given, timeout=within, num_retries=RETRIES)
        except Exception as error:
            raise failure(error) from None
        read: object = answer.model_dump()
        return read

    def close(self) -> None:
        """There is nothing to close: LiteLLM keeps its connections for the process."""


def failure(error: Exception) -> ServiceAway | ServiceRefused:
    """Return what an error of LiteLLM means: its errors have the provider's status, whoever the provider is."""
    status, kind = getattr(error, "status_code", None), type(error).__name__
    if not isinstance(status, int) or kind in ("APIConnectionError", "Timeout") or status == REQUEST_TIMEOUT:
        return ServiceAway(f"LiteLLM got no answer ({kind})")
    if status in TEMPORARY_STATUSES or status >= 500:
        headers = getattr(getattr(error, "response", None), "headers", {})
        return ServiceBusy(f"LiteLLM was answered {status}", retry_after_seconds(headers.get("retry-after", "")))
    return ServiceRefused(f"LiteLLM was answered {status} ({kind})", status, str(error)[:2_000])

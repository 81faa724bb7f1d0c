"""Spans for OpenTelemetry: searches, extractions and jobs, where its packages are installed and an exporter is named.

Spans carry apps' ids, counts and times; never a text or a question. Everything is set by the standard
environment variables: `OTEL_EXPORTER_OTLP_ENDPOINT` (or `…_TRACES_ENDPOINT`) turns it on, `OTEL_SERVICE_NAME` names the
service, `OTEL_SDK_DISABLED` turns it off.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

import structlog

from memsite import __version__

log = structlog.get_logger("memsite.ops.tracing")
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PACKAGES = "opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http"
SERVICE = "memsite"
Note = Callable[[Mapping[str, Any]], object]


@contextmanager
def span(name: str, **attributes: str | int | float | bool) -> Iterator[Note]:
    """Trace what happens within; yields what adds attributes to the span. Without a tracer it costs a microsecond.

    Of an error it tells the class only: its message may hold what somebody said.
    """
    made = tracer()
    if made is None:
        yield nothing
        return
    with made.start_as_current_span(
        f"memsite.{name}", attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current.set_attributes
        except BaseException as error:
            current.set_attributes({"error.type": type(error).__name__})
            raise


def nothing(attributes: Mapping[str, Any]) -> None:
    """Add attributes to no span."""


@cache
def tracer() -> Any:
    """Return the tracer of this process, made with its first span; None where tracing is off."""
    if not any(map(os.environ.get, ENDPOINTS)) or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        log.warning("tracing_not_installed", packages=PACKAGES)
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME") or SERVICE
    # At the end of the process what still waits is sent.
    provider = TracerProvider(resource=Resource.create({"service.name": name, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer(SERVICE, __version__)

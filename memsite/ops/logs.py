"""Structured logs: one line an event, JSON for machines, colours only on a terminal, never memory text."""

import logging
import sys
from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]
QUIETER = {
    # Says each 4xx once more; the request log has it, with the request's id.
    "django.request": "ERROR",
    # A traceback for each request with a name that is not ours: anybody could fill the log.
    "django.security.DisallowedHost": "CRITICAL",
    "httpx": "WARNING",
    # Three lines for each message: its server lives as long as one.
    "mcp.server": "WARNING",
    # Sets this itself where nobody has, and would say it whatever the level is.
    "psycopg": "WARNING",
}
"""What is logged of others, at most."""


def logging_config(level: str, log_format: str) -> dict[str, Any]:
    """Return the dictConfig. `auto` is console on a terminal and JSON elsewhere."""
    structlog.configure(
        # What is not logged at this level, costs no more than that.
        processors=[structlog.stdlib.filter_by_level, *SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"structured": {"()": make_formatter, "log_format": log_format}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        # The level at which less is logged.
        "loggers": {
            name: {"level": max(level.upper(), least, key=logging.getLevelNamesMapping().__getitem__)}
            for name, least in QUIETER.items()
        },
    }


def make_formatter(log_format: str) -> structlog.stdlib.ProcessorFormatter:
    terminal = sys.stderr.isatty()
    console = log_format == "console" or (log_format == "auto" and terminal)
    last: list[Any] = (
        # Plain: a traceback with local variables would show what was said.
        [structlog.dev.ConsoleRenderer(colors=terminal, exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=SHARED, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
    )

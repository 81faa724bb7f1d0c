"""What happens between two requests of a thread: Django's own receivers look at all databases and caches there may be,
at the beginning of a request and again at its end, which takes a fortieth of a search. Here there is one database, and
the cache, which is in the process, has nothing to close.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import DEFAULT_DB_ALIAS, close_old_connections, connections, reset_queries


def connect() -> None:
    """Instead of Django's own. Queries are logged only where somebody debugs, and only there is a log to be cleared."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    request_finished.disconnect(close_caches)
    if not settings.DEBUG:
        request_started.disconnect(reset_queries)
    request_finished.connect(let_go)


def let_go(**_: Any) -> None:
    """Closes this thread's connection if it is broken, too old, or left in a transaction; gives it back to its pool, if
    it has one.
    """
    wrapper = connections[DEFAULT_DB_ALIAS]
    # Of a transaction around the request, as a test's.
    if not wrapper.in_atomic_block:
        wrapper.close_if_unusable_or_obsolete()

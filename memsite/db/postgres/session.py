"""How a connection is to behave, whatever the server, database or role has set otherwise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection as default

from memsite.db import clock

ASKED = {
    # As long as with SQLite: without it, a writer waits for another one's lock without end.
    "lock_timeout": f"{settings.LOCK_SECONDS}s",
    # Whoever waited for another writer goes on with what that one left.
    "default_transaction_isolation": "read committed",
    # The driver reads no times of another style, and floats as they are told.
    "DateStyle": "ISO",
    "extra_float_digits": "1",
    # A host that is gone gives up its locks, for which others wait. Where a pooler lies between, it has its own.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "5",
    "tcp_user_timeout": "10s",
    # Rows of other apps are passed over. Otherwise whatever might meet one is refused.
    "row_security": "on",
}
# What the URL's `options` say, counts.
ASK = """
SELECT EXTRACT(EPOCH FROM clock_timestamp())::float8, count(set_config(name, asked, false))
FROM unnest(%s::text[], %s::text[]) AS own(name, asked)
JOIN pg_settings USING (name) WHERE source <> 'client'
"""


def settle(connection: Any) -> None:
    """Set what holds for the session, not by `options`: PgBouncer refuses or drops these."""
    sent = time.time()
    (theirs, _) = connection.execute(ASK, [list(ASKED), list(ASKED.values())]).fetchone()
    clock.note(theirs, sent, time.time())


@contextmanager
def waiting_without_end() -> Iterator[None]:
    """Wait however long others hold a lock. Then as before: RESET would be back at what the server says."""
    with default.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SET lock_timeout = 0")
        try:
            yield
        finally:
            # A transaction that is taken back takes this with it.
            if not default.needs_rollback:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])

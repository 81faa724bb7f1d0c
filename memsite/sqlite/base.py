"""Django's SQLite, but that a transaction which could not begin leaves nothing behind.

SQLite waits for its lock with the connection's mutex held. A cursor that could not begin a transaction stays alive in
the traceback of the error; when Python's collector finds that in another thread, it waits for the mutex to let go of
the statement. If that other thread has the lock that the first one is waiting for by then, nobody writes until the
wait is over, and each wait that is in vain leaves the next such cursor. So the cursor is closed where it failed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.operations import DatabaseOperations


class Operations(DatabaseOperations):
    def convert_datetimefield_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """What Django answers, in a third of the time: a search reads a hundred of them."""
        if isinstance(value, datetime) and value.tzinfo is None:
            return value.replace(tzinfo=self.connection.timezone)
        return super().convert_datetimefield_value(value, expression, connection)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = Operations
    transaction_mode: str | None

    def _start_transaction_under_autocommit(self) -> None:
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode or ''}".rstrip())

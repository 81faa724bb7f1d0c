"""Django's PostgreSQL, but that who cannot be connected is told so at once, and why.

A pool connects in the background: who asks it while the server is away waits for as long as for a pool that is in use,
and then hears of the wait only. So where none was made yet, or the last one could not be made, a connection is tried
right here first.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base
from psycopg_pool import PoolTimeout

from memsite.db.postgres.session import settle
from memsite.db.replica import REPLICA
from memsite.db.transactions import Unsure, is_cut_off

# The server's words where it has no room for one more: those that there are will be free again.
FULL = ("too many", "slots are reserved")


class OutOfReach(psycopg.OperationalError):
    """There is no connection; the text says why. Nothing was asked, so nothing was stored."""


class Connection(psycopg.Connection[Any]):
    """Those of this process know of each other whether the server can be reached."""

    is_reached: ClassVar[bool] = False

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        try:
            made = super().connect(conninfo, **options)
        except psycopg.OperationalError as error:
            if not any(words in str(error) for words in FULL):
                cls.is_reached = False
            raise
        cls.is_reached = True
        try:
            settle(made)
        except BaseException:
            made.close()
            raise
        return made


class ReplicaConnection(Connection):
    """Those to the replica, which may be away while the primary is there."""

    is_reached: ClassVar[bool] = False


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def connection_class(self) -> type[Connection]:
        return ReplicaConnection if self.alias == REPLICA else Connection

    @property
    def pool(self) -> Any:
        pool = super().pool
        if pool:
            pool.connection_class = self.connection_class
        return pool

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if self.pool and not self.connection_class.is_reached:
            knock(self.connection_class, conn_params)
        try:
            return super().get_new_connection(conn_params)
        except PoolTimeout:
            if not self.connection_class.is_reached:
                # It went away meanwhile.
                knock(self.connection_class, conn_params)
            raise

    def _commit(self) -> None:
        """Commit as Django does, but tell who is cut off by it that the outcome is unknown."""
        try:
            super()._commit()  # type: ignore[misc]  # the stubs leave it out
        except OperationalError as error:
            if is_cut_off(error):
                raise Unsure(str(error)) from error.__cause__
            raise

    def _close(self) -> None:
        """Give the connection back to the pool, which makes a new one in the place of a closed one.

        A pool has a `reset` for this, which it asks in a thread of its own.
        """
        if self.connection is not None and (
            not self.connection.closed
            and self.connection.info.parameter_status("default_transaction_read_only") == "on"
        ):
            self.connection.close()
        super()._close()  # type: ignore[misc]  # the stubs leave it out


def knock(kind: type[Connection], conn_params: dict[str, Any]) -> None:
    """Raise OutOfReach."""
    try:
        kind.connect(**conn_params).close()
    except psycopg.OperationalError as error:
        raise OutOfReach(str(error)) from error

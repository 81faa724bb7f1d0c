"""Whether anything was written to the database since: what was read of it is still so, if nothing was."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connection, connections

Commit = tuple[int, int]
"""As good as any other, but that it is another one after each commit, of whatever process."""


def is_committed() -> bool:
    """A transaction may have written what it reads, and that may be taken back: nothing of it is for anybody else."""
    return not connection.in_atomic_block


def last_commit() -> Commit | None:
    """The last one as of now; None where nobody tells: in a transaction, and on PostgreSQL.

    What is read after it was asked for, may be kept beside it, and told again while it is the last one.
    """
    wrapper = connections[DEFAULT_DB_ALIAS]
    if wrapper.vendor != "sqlite" or not is_committed():
        return None
    commit: Commit | None = wrapper.last_commit()  # type: ignore[attr-defined]  # our own, memsite.sqlite
    return commit

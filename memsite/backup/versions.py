"""Whether this code can work with a database, by the migrations that were applied to it."""

from __future__ import annotations

from collections.abc import Collection

from django.db.migrations.loader import MigrationLoader

from memsite.backup.errors import BackupError


def is_older(applied: Collection[tuple[str, str]]) -> bool:
    """Whether migrations are to be applied yet. Raises BackupError if some are of a newer version than this."""
    known = set(MigrationLoader(None).disk_migrations)
    unknown = sorted(f"{app}.{name}" for app, name in set(applied) - known)
    if unknown:
        raise BackupError(f"It is of a newer version, which this one does not know: {', '.join(unknown)}.")
    return not known <= set(applied)

"""Whether this code can work with a database that is in a backup."""

from __future__ import annotations

from collections.abc import Collection

from memsite.backup.errors import BackupError
from memsite.tenancy.models import App
from memsite.versions import standing


def is_older(applied: Collection[tuple[str, str]]) -> bool:
    """Whether migrations are to be applied yet. Raises BackupError if this code has no way on from where it stands."""
    if App._meta.app_label not in {app for app, _ in applied}:
        raise BackupError("It holds nothing of Memsite.")
    found = standing(applied)
    if found.unknown:
        raise BackupError(
            "It is of a newer version, or of one from before 0.1.0. Its migrations are unknown to this version: "
            f"{', '.join(found.unknown)}."
        )
    return found.is_older

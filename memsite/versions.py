"""Which version made a database, by the migrations that were applied to it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.migrations.loader import MigrationLoader

Key = tuple[str, str]
"""An app's label and the name of a migration of its."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a database stands to this code; migrations as "app.name".

    `unknown` were applied and are not of this code: of a newer version, or from before 0.1.0. `is_older`: there are
    some to apply yet.
    """

    unknown: list[str]
    is_older: bool


def standing(applied: Collection[Key]) -> Standing:
    """Compare applied migrations with those of this code."""
    here = (MigrationLoader(None).disk_migrations or {}).keys()
    return Standing(
        unknown=sorted(f"{app}.{name}" for app, name in set(applied) - here),
        is_older=not here <= set(applied),
    )

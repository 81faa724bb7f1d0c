"""How a database stands to this code, by the migrations that were applied to it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


@dataclass(frozen=True, slots=True)
class Standing:
    """How a database stands to this code; migrations as "app.name".

    `unknown` were applied and are not of this code: of a newer version, or from before 0.1.0. `is_older`: there are
    some to apply yet.
    """

    unknown: list[str]
    is_older: bool


def standing(applied: Collection[tuple[str, str]]) -> Standing:
    """Compare applied migrations, as (app, name), with those of this code."""
    here = (MigrationLoader(None).disk_migrations or {}).keys()
    return Standing(
        unknown=sorted(f"{app}.{name}" for app, name in set(applied) - here),
        is_older=not here <= set(applied),
    )


def is_migrated() -> bool:
    return not standing(MigrationRecorder(connection).applied_migrations()).is_older

"""Which version made a database, by the migrations that were applied to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.migrations.loader import MigrationLoader

Key = tuple[str, str]
"""An app's label and the name of a migration of its."""

LAST_ONE_BY_ONE = "c8a8f1a"
"""The last commit that has each of the migrations that became one."""

HALFWAY = (
    "The database is of an older version, halfway through migrations that are one by now: {names}. "
    f"First take it to their end: `manage.py migrate` of commit {LAST_ONE_BY_ONE}. Then update."
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a database stands to this code; migrations as "app.name".

    `unknown` were applied and are of a newer version. `halfway` stand for several older ones, some of which were
    applied and some not: Django leaves such a migration out without a word. `is_older`: there are some to apply yet.
    """

    unknown: list[str]
    halfway: list[str]
    is_older: bool

    @property
    def why_halfway(self) -> str:
        """A sentence for people; empty if it is not."""
        return HALFWAY.format(names=", ".join(self.halfway)) if self.halfway else ""


def standing(applied: Collection[Key]) -> Standing:
    here = MigrationLoader(None).disk_migrations or {}
    replaced = {key: set(migration.replaces) for key, migration in here.items() if migration.replaces}
    there = set(applied)
    whole = {key for key, old in replaced.items() if old <= there}
    halfway = {key for key, old in replaced.items() if old & there and not old & here.keys()} - whole
    return Standing(
        unknown=named(there - here.keys() - {key for old in replaced.values() for key in old}),
        halfway=named(halfway),
        is_older=not here.keys() <= there | whole,
    )


def named(keys: Iterable[Key]) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in keys)

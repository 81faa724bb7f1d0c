"""What the database itself refuses: changing append-only rows, and rows that join two apps.

The one home of the SQLite and PostgreSQL triggers. Deleting append-only rows takes a purge permit, a row that
exists only inside the purging transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from django.db import models, transaction
from django.db.migrations.operations.base import Operation

PERMIT_TABLE = "tenancy_purgepermit"


class PurgePermit(models.Model):
    """Present while, and only inside the transaction in which, a purge deletes append-only rows."""

    def __str__(self) -> str:
        return f"permit {self.pk}"


@contextmanager
def purge_permit() -> Iterator[None]:
    """Open a transaction in which append-only rows may be deleted (never changed)."""
    with transaction.atomic():
        permit = PurgePermit.objects.create()
        yield
        permit.delete()


class TriggerOperation(Operation):
    """A migration step that creates triggers, for the vendor it runs on."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Leave the models as they are."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for statement in self.forwards(schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for statement in self.backwards(schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    def forwards(self, vendor: str) -> list[str]:
        raise NotImplementedError

    def backwards(self, vendor: str) -> list[str]:
        raise NotImplementedError


class AppendOnly(TriggerOperation):
    """Refuses UPDATE of a table always, and DELETE without a purge permit."""

    def __init__(self, table: str) -> None:
        self.table = table

    def describe(self) -> str:
        return f"Make {self.table} append-only"

    def forwards(self, vendor: str) -> list[str]:
        # SQLite's INSERT OR REPLACE deletes without asking the DELETE trigger.
        taken = f"EXISTS (SELECT 1 FROM {self.table} WHERE id = NEW.id)"
        replace = [refuse(vendor, self.table, "INSERT", taken, f"{self.table} is append-only")]
        return [
            *(replace if vendor == "sqlite" else []),
            refuse(vendor, self.table, "UPDATE", "TRUE", f"{self.table} is append-only"),
            refuse(
                vendor,
                self.table,
                "DELETE",
                f"NOT EXISTS (SELECT 1 FROM {PERMIT_TABLE})",
                f"{self.table} is append-only: rows go only with a purge",
            ),
        ]

    def backwards(self, vendor: str) -> list[str]:
        return [drop(vendor, self.table, event) for event in ("INSERT", "UPDATE", "DELETE")]


class SameApp(TriggerOperation):
    """Refuses a row that points to a row of another app: `column` of `table` → `target`, both with app_id.

    With `of_site` one of the two, the "row" or the "target", may be of no app, but of the whole site.
    """

    def __init__(self, table: str, column: str, target: str, of_site: Literal["", "row", "target"] = "") -> None:
        self.table, self.column, self.target, self.of_site = table, column, target, of_site

    def describe(self) -> str:
        return f"Keep {self.table}.{self.column} inside its app"

    def forwards(self, vendor: str) -> list[str]:
        theirs = f"(SELECT app_id FROM {self.target} WHERE id = NEW.{self.column})"
        foreign = f"NEW.{self.column} IS NOT NULL AND NEW.app_id IS DISTINCT FROM {theirs}"
        if vendor == "postgresql" and not self.of_site:
            # The same, and it names the app: where the target is in partitions, one of them is looked into.
            there = f"SELECT FROM {self.target} WHERE id = NEW.{self.column} AND app_id = NEW.app_id"
            foreign = f"NEW.{self.column} IS NOT NULL AND NOT EXISTS ({there})"
        if self.of_site:
            foreign += f" AND {'NEW.app_id' if self.of_site == 'row' else theirs} IS NOT NULL"
        if vendor == "sqlite":
            foreign = foreign.replace("IS DISTINCT FROM", "IS NOT")
        message = f"{self.table}.{self.column} belongs to another app"
        # A change of anything else asks nothing. And where something is asked before a row is changed, PostgreSQL makes
        # anew what it derives from the row: that took most of the time of counting an access.
        timings = {"INSERT": "BEFORE INSERT", "UPDATE": f"AFTER UPDATE OF {self.column}, app_id"}
        return [
            refuse(vendor, self.table, event, foreign, message, self.column, timing)
            for event, timing in timings.items()
        ]

    def backwards(self, vendor: str) -> list[str]:
        return [drop(vendor, self.table, event, self.column) for event in ("INSERT", "UPDATE")]


def trigger_name(table: str, event: str, column: str = "") -> str:
    return "_".join(filter(None, (table, "refuse", event.lower(), column)))


def refuse(
    vendor: str, table: str, event: str, condition: str, message: str, column: str = "", timing: str = ""
) -> str:
    """Return SQL of a trigger that raises `message` for each row of `event` that meets `condition`, by default before.

    Safe to run again: SQLite drops a table's triggers when a migration rebuilds it, PostgreSQL keeps them.
    """
    name, timing = trigger_name(table, event, column), timing or f"BEFORE {event}"
    if vendor == "sqlite":
        return (
            f"CREATE TRIGGER IF NOT EXISTS {name} {timing} ON {table} FOR EACH ROW WHEN {condition} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
    row = "OLD" if event == "DELETE" else "NEW"
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {condition} THEN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END IF; "
        f"RETURN {row}; END $$; "
        f"CREATE OR REPLACE TRIGGER {name} {timing} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


def drop(vendor: str, table: str, event: str, column: str = "") -> str:
    name = trigger_name(table, event, column)
    if vendor == "sqlite":
        return f"DROP TRIGGER IF EXISTS {name}"
    return f"DROP TRIGGER IF EXISTS {name} ON {table}; DROP FUNCTION IF EXISTS {name}()"

"""Refuse a migration with which the last release cannot serve while both run against the new tables.

    DJANGO_SETTINGS_MODULE=tests.settings .venv/bin/python -m tools.rolling

Every operation since the release is compared by what it does to the tables that the release uses. What only a person
can judge (SQL, Python, triggers), and what is let pass, has its reason in tools/rolling.toml.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.db import migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import NOT_PROVIDED, UniqueConstraint

from tools.measure_house import PACKAGES

RELEASE = Path(__file__).with_name("rolling.toml")
LATER = "Expand now: add the new one beside it and write both. Remove the old one a release later."
DEFAULT = "Its INSERTs do not name the column: give it db_default, or null=True until the next release."
BESIDE = "It may write what no longer fits: add a wider column beside it, and drop the old one a release later."
NEXT = "It may write what is refused then: keep to it in the code now, and add it a release later."
REASON = "Nobody can see whether that release can live with it: do it a release later, or write why it can."
WIDENINGS = (
    ("PositiveSmallIntegerField", "PositiveIntegerField", "PositiveBigIntegerField"),
    ("SmallIntegerField", "IntegerField", "BigIntegerField"),
    ("SmallAutoField", "AutoField", "BigAutoField"),
    ("CharField", "TextField"),
)
SEEN = (
    migrations.CreateModel,
    migrations.DeleteModel,
    migrations.RenameModel,
    migrations.AlterModelTable,
    migrations.AlterModelTableComment,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.AddField,
    migrations.RemoveField,
    migrations.AlterField,
    migrations.RenameField,
    migrations.AddIndex,
    migrations.RemoveIndex,
    migrations.RenameIndex,
    migrations.AddConstraint,
    migrations.RemoveConstraint,
)
"""Operations that change tables only as they change the state of models."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a table has, by name; `columns` are fields that are not bound to a model."""

    columns: Mapping[str, Any]
    indexes: Mapping[str, Any]
    constraints: Mapping[str, Any]


Tables = Mapping[str, Table]


def tables_of(state: ProjectState) -> Tables:
    return {
        table_name(model): Table(
            {column_name(name, field): field for name, field in model.fields.items()},
            {index.name: index for index in model.options.get("indexes", ())},
            {constraint.name: constraint for constraint in model.options.get("constraints", ())},
        )
        for model in state.models.values()
    }


def table_name(model: ModelState) -> str:
    return str(model.options.get("db_table") or f"{model.app_label}_{model.name_lower}")


def column_name(name: str, field: Any) -> str:
    return field.db_column or (f"{name}_id" if field.many_to_one or field.one_to_one else name)


def refusals(operations: Iterable[Operation], app: str, state: ProjectState, released: Tables) -> Iterator[str]:
    """Apply the operations to the state; yield "operation: what it breaks. What to do instead"."""
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from refusals(operation.database_operations, app, state.clone(), released)
            operation.state_forwards(app, state)
            continue
        before = tables_of(state)
        operation.state_forwards(app, state)
        problems = list(changes(released, before, tables_of(state)))
        # A trigger of a table that is new refuses nothing that the release writes.
        if not isinstance(operation, SEEN) and getattr(operation, "table", None) not in before.keys() - released.keys():
            problems.append(f"does what no model shows. {REASON}")
        yield from (f"{operation.describe()}: {problem}" for problem in problems)


def changes(released: Tables, before: Tables, after: Tables) -> Iterator[str]:
    for name in before.keys() & released.keys():
        old, was, now = released[name], before[name], after.get(name)
        if now is None:
            yield f"the table {name} is used. {LATER}"
            continue
        gone = [*(was.columns.keys() - now.columns.keys()), *(was.indexes.keys() - now.indexes.keys())]
        # INSERT … ON CONFLICT names what is unique.
        gone += [key for key in was.constraints.keys() - now.constraints.keys() if is_unique(was.constraints[key])]
        for key in gone:
            if key in old.columns or key in old.indexes or key in old.constraints:
                yield f"{name}.{key} is used. {LATER}"
        for column, field in now.columns.items():
            if field is not was.columns.get(column):
                problem = narrowed(old.columns[column], field) if column in old.columns else unfilled(field)
                yield from (f"{name}.{column} {text}" for text in problem)
        for key in now.constraints.keys() - was.constraints.keys():
            yield f"{name} gets the constraint {key}. {NEXT}"


def is_unique(constraint: Any) -> bool:
    return isinstance(constraint, UniqueConstraint)


def unfilled(field: Any) -> Iterator[str]:
    """Yield why an INSERT that does not know the new column would fail."""
    is_filled = field.db_default is not NOT_PROVIDED
    if not (field.null or field.many_to_many or field.generated or is_filled):
        yield f"is NOT NULL without a default of the database. {DEFAULT}"
    if field.unique and is_filled:
        yield f"is unique, and has the same default in each row. {DEFAULT}"


def narrowed(old: Any, new: Any) -> Iterator[str]:
    """Yield what the release may write and the new column refuses, or what it relies on."""
    kind, new_kind = old.get_internal_type(), new.get_internal_type()
    widths = [getattr(field, "max_length", None) or float("inf") for field in (old, new)]
    digits = [(getattr(field, "max_digits", None), getattr(field, "decimal_places", None)) for field in (old, new)]
    wider = next((kinds[kinds.index(kind) :] for kinds in WIDENINGS if kind in kinds), (kind,))
    if new_kind not in wider:
        yield f"is another type, {new_kind}. {BESIDE}"
    elif (widths[1] < widths[0] and new_kind != "TextField") or digits[0] != digits[1]:
        yield f"is narrower. {BESIDE}"
    if old.null and not new.null:
        yield f"becomes NOT NULL. {NEXT}"
    if old.unique != new.unique or (old.db_index and not new.db_index):
        yield f"is indexed otherwise. {NEXT if new.unique else LATER}"
    if old.remote_field and new.remote_field:
        if str(old.remote_field.model).lower() != str(new.remote_field.model).lower():
            yield f"points to another table. {LATER}"
        if new.db_constraint and not old.db_constraint:
            yield f"gets a foreign key. {NEXT}"


def check(release: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is refused of the migrations since the release, and what is let pass without being there."""
    loader = MigrationLoader(None)
    graph, unused = loader.graph, dict(release["allowed"])
    ours = {config.label for config in apps.get_app_configs() if config.name.split(".")[0] in PACKAGES}
    last = [*release["migrations"].items(), *(leaf for leaf in graph.leaf_nodes() if leaf[0] not in ours)]
    done = {key for target in last for key in graph.forwards_plan(target)}
    state = loader.project_state(last)
    released = tables_of(state)
    plan = dict.fromkeys(key for leaf in graph.leaf_nodes() for key in graph.forwards_plan(leaf))
    for app, name in (key for key in plan if key not in done):
        for refusal in refusals(graph.nodes[app, name].operations, app, state, released):
            described = f"{app}.{name}: {refusal}"
            allowed = [entry for entry in release["allowed"] if described.startswith(f"{entry}: ")]
            for entry in allowed:
                unused.pop(entry, None)
            if not allowed:
                yield f"{release['version']} cannot serve beside {described}"
    yield from (f"tools/rolling.toml: {entry} is not refused; take it out." for entry in unused)


def main() -> int:
    django.setup()
    refused = list(check(tomllib.loads(RELEASE.read_text())))
    sys.stderr.writelines(f"{line}\n" for line in refused)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())

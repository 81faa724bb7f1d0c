"""Apps, and what separates them: every row belongs to one app, and every read goes through `for_app`.

Statements name the app, for partitions or shards of it: what Django writes about a row by its number alone (joins,
references, updates of an instance, deletes with what hangs on it) names the row's app, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from threading import Lock
from typing import Any, Self, TypeVar
from uuid import UUID

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.deletion import Collector
from django.db.models.expressions import Col
from django.db.models.fields.related_lookups import RelatedExact, RelatedIn
from django.db.models.lookups import Exact, In, Lookup
from django.db.models.signals import class_prepared
from django.utils import timezone
from uuid_utils.compat import uuid7

from memsite.tenancy.policy import Preset

Model = TypeVar("Model", bound=models.Model, covariant=True)
APP_ID_PATTERN = r"[a-z0-9][a-z0-9._-]{0,63}"
is_app_id = RegexValidator(rf"^{APP_ID_PATTERN}\Z", "Lower-case letters, digits, . - and _, 64 at most.")


class AppStatus(models.TextChoices):
    ACTIVE = "active"
    UNINSTALLED = "uninstalled"
    PURGING = "purging", "purging: uninstalled, and being deleted"


class App(models.Model):
    """A tenant. `change_number` counts its memory writes, so that every process knows when its copy is old.

    Its searches use the vectors of `vector_model` only (`memories.index.app_embedder`).
    """

    app_id = models.CharField(max_length=64, unique=True, validators=[is_app_id])
    name = models.CharField(max_length=200)
    preset = models.CharField(max_length=20, choices=Preset, default=Preset.STANDARD)
    status = models.CharField(max_length=20, choices=AppStatus, default=AppStatus.ACTIVE)
    change_number = models.PositiveBigIntegerField(default=0, editable=False)
    vector_model = models.CharField(
        max_length=120,
        blank=True,
        default="",
        editable=False,
        help_text="The embedder its searches use; empty: none yet.",
    )
    near_model = models.CharField(
        max_length=120,
        blank=True,
        default="",
        editable=False,
        help_text="The embedder whose vectors pgvector is asked for; empty: they are held in each process.",
    )
    embedded_to = models.PositiveBigIntegerField(
        default=0, editable=False, help_text="Up to this change every memory has a vector of that embedder."
    )
    vectors_lost = models.BooleanField(
        default=False,
        editable=False,
        help_text="The embedder before is gone, and not every memory has a vector of this one yet.",
    )
    index_number = models.PositiveIntegerField(
        default=0, editable=False, help_text="Raised when every process has to load its index anew."
    )
    memory_count = models.PositiveIntegerField(default=0, editable=False, help_text="Active and inactive memories.")
    energy_level = models.FloatField(default=1.0, help_text="0 to 1, as its agents last told.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["app_id"]

    def __str__(self) -> str:
        return self.app_id


_last = UUID(int=0)
_lock = Lock()


def new_uid() -> UUID:
    """Return a public id: rising in this process, by time between processes, and no count of other apps' rows."""
    global _last
    with _lock:
        # UUIDs of one millisecond have no order of their own.
        _last = max(uuid7(), UUID(int=_last.int + 1))
        return _last


class ScopedQuerySet(models.QuerySet[Model]):
    """The querysets of everything that belongs to an app."""

    def for_app(self, app: App) -> Self:
        """Return only the rows of this app. What is not in here does not exist for the caller."""
        return self.filter(app=app)

    def for_apps(self, apps: Iterable[App]) -> Self:
        """Return the rows of these apps, as `for_app` does of one."""
        return self.filter(app__in=apps)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete as Django does, with statements that name the app."""
        rows = self.order_by().select_related(None)
        rows.query.select_for_update = False
        collector = AppCollector(using=rows.db, origin=self)
        collector.collect(rows)
        self._result_cache = None
        return collector.delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]


class AppCollector(Collector):
    """Rows to be deleted with what refers to them, which is of the same apps."""

    app_pks: set[int | None] | None = None

    def related_objects(self, related_model: Any, related_fields: Any, objs: Any) -> Any:
        rows = super().related_objects(related_model, related_fields, objs)
        if self.app_pks is None:
            self.app_pks = {read_app(row) for row in objs}
        return self.of_apps(rows)

    def of_apps(self, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        if self.app_pks and None not in self.app_pks and is_of_one_app(rows.model):
            return rows.filter(app__in=self.app_pks)
        return rows

    def delete(self) -> tuple[int, dict[str, int]]:
        # By a condition, as what is deleted unseen: nobody listens to signals of a single row, and the database checks
        # references when all is done.
        self.sort()
        for model, rows in [*self.data.items()]:
            if is_of_one_app(model):
                self.app_pks = self.app_pks or {read_app(row) for row in rows}
                siblings = model._base_manager.using(self.using).filter(pk__in=[row.pk for row in rows])
                self.fast_deletes.append(self.of_apps(siblings))
                del self.data[model]
        return super().delete()


class Scoped(models.Model):
    """A row of one app. PROTECT: an app is uninstalled or purged, never dropped with its rows."""

    app = models.ForeignKey("tenancy.App", on_delete=models.PROTECT, related_name="+", editable=False)

    class Meta:
        abstract = True

    def delete(self, using: str | None = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:
        collector = AppCollector(using=using or self._state.db or "default", origin=self)
        collector.collect([self], keep_parents=keep_parents)
        return collector.delete()

    def refresh_from_db(self, using: Any = None, fields: Any = None, from_queryset: Any = None) -> None:
        if from_queryset is None and read_app(self) is not None:
            from_queryset = type(self)._base_manager.db_manager(using).filter(app=self.app_id)
        super().refresh_from_db(using, fields, from_queryset)

    def _do_update(self, base_qs: models.QuerySet[Any], *arguments: Any) -> Any:
        rows = base_qs if read_app(self) is None else base_qs.filter(app=self.app_id)
        return super()._do_update(rows, *arguments)


def read_app(row: Any) -> int | None:
    """Return the number of the row's app as far as it has been read; None for what is no row of an app."""
    return row.__dict__.get("app_id") if isinstance(row, Scoped) else None


def is_of_one_app(model: type[models.Model]) -> bool:
    """Return whether each of its rows has an app; some of `Scoped` may have none."""
    return issubclass(model, Scoped) and not model._meta.get_field("app").null


def name_apps(sender: type[models.Model], **_: Any) -> None:
    """Let references from one row of an app to another name the app."""
    if not issubclass(sender, Scoped) or sender._meta.abstract:
        return
    for field in sender._meta.local_fields:
        if isinstance(field, models.ForeignKey) and field.name != "app":
            field.get_extra_restriction = partial(same_app, field)  # type: ignore[method-assign,assignment]
            field.get_extra_descriptor_filter = partial(app_of, field)  # type: ignore[method-assign]
            field.register_lookup(ExactInApp)
            field.register_lookup(InApps)


def same_app(field: Any, alias: str | None, related_alias: str | None) -> Exact | None:
    """Return the condition of a join, beside the number of the row that the field refers to."""
    if (
        alias is None
        or related_alias is None
        or not is_of_one_app(field.related_model)
        or not is_of_one_app(field.model)
    ):
        return None
    there, here = (model._meta.get_field("app") for model in (field.related_model, field.model))
    return Exact(there.get_col(alias), here.get_col(related_alias))


def app_of(field: Any, row: Any) -> dict[str, Any]:
    """Return the condition of a look at what the row's field refers to."""
    is_known = is_of_one_app(field.related_model) and is_of_one_app(field.model) and read_app(row) is not None
    return {"app": row.app_id} if is_known else {}


class NamesApps(Lookup):
    """A look for rows that refer to rows at hand: it names their apps, too."""

    app_pks: set[Any] = set()

    def __init__(self, lhs: Any, rhs: Any) -> None:
        rows = rhs if isinstance(rhs, list | tuple | set | frozenset) else [rhs]
        if rows and isinstance(lhs, Col) and is_of_one_app(lhs.target.model):
            self.app_pks = {read_app(row) for row in rows}
        super().__init__(lhs, rhs)

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        sql, parameters = super().as_sql(compiler, connection)
        if not self.app_pks or None in self.app_pks:
            return sql, parameters
        column = self.lhs.target.model._meta.get_field("app").get_col(self.lhs.alias)
        several = len(self.app_pks) > 1
        condition = In(column, sorted(self.app_pks)) if several else Exact(column, min(self.app_pks))
        named, apps = compiler.compile(condition)
        return f"({sql} AND {named})", [*parameters, *apps]


class ExactInApp(NamesApps, RelatedExact):
    pass


class InApps(NamesApps, RelatedIn):
    pass


class_prepared.connect(name_apps)


class IndexedByApp(Scoped):
    """A row of a table that is written often, and has another index that begins with the app: no second one is kept."""

    app = models.ForeignKey("tenancy.App", on_delete=models.PROTECT, related_name="+", editable=False, db_index=False)

    class Meta:
        abstract = True


def where_given(name: str, field: str) -> models.Index:
    """Return an index of a reference that many rows have not: without these rows."""
    return models.Index(fields=[field], condition=models.Q(**{f"{field}__isnull": False}), name=name)


class PurgedQuerySet(ScopedQuerySet[Model]):
    """Of rows that a purge hides first, and deletes when there is time."""

    def for_app(self, app: App) -> Self:
        return super().for_app(app).filter(purged_at=None)

    def for_apps(self, apps: Iterable[App]) -> Self:
        return super().for_apps(apps).filter(purged_at=None)

    def going(self, app: App) -> Self:
        """Return what `for_app` hides."""
        return super().for_app(app).filter(purged_at__isnull=False)


class Purged(Scoped):
    """A row that may be hidden from everyone, since `purged_at`, until it is deleted."""

    purged_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True


class Identified(models.Model):
    """A row that callers see, under an id that cannot be guessed or counted.

    Each model says that it is unique in its app: an app that was copied has the ids it had, and what another app has
    is no obstacle that would show.
    """

    uid = models.UUIDField(default=new_uid, editable=False)

    class Meta:
        abstract = True

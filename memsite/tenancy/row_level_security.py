"""A second wall behind `for_app`: with it, PostgreSQL itself does not show what belongs to another app.

Every table with rows of apps has a policy. It does not hold their owner, who migrates and backs up; so where
`MEMSITE_ROW_SECURITY` is on, requests of agents and work for one app ask as another role, whom it holds to the app that
the connection was told. Who looks at all apps says so (`site_wide`), and asks as the owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import _GeneratorContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.exceptions import MiddlewareNotUsed
from django.core.management.base import CommandError
from django.db import ProgrammingError, connection, transaction
from django.http import HttpRequest, HttpResponse

from memsite.config.conf import get_conf

ROLE, POLICY = "memsite_walled", "memsite_wall"
SETTING = "memsite.app"
# What a connection is told; between these two, the number of an app.
NOBODY, SITE = "nobody", "site"
UNKNOWN = ""
KEYED_PATHS = ("/api/", "/mcp", "/compat/", "/proxy/")
"""Whoever comes in here is nobody until a key says more. The other doors are for people, whose apps `access` knows."""
ASK = f"SELECT set_config('role', %s, false), set_config('{SETTING}', %s, false)"  # our own name
NO_ROLE = (
    "Row-level security needs a role that the database's administrator has to make, once for the server: "
    f'CREATE ROLE {ROLE} NOLOGIN; GRANT {ROLE} TO "{{user}}"'
)

STANDS = """
SELECT pg_has_role(oid, 'MEMBER') AND NOT EXISTS (
    SELECT FROM unnest(%s::text[]) AS name
    WHERE NOT coalesce(has_table_privilege(pg_roles.oid, to_regclass(name), 'INSERT'), false)
) FROM pg_roles WHERE rolname = %s
"""

_behind: ContextVar[str] = ContextVar("behind", default=SITE)


def is_up() -> bool:
    return get_conf().row_security and connection.vendor == "postgresql"


def stands() -> bool:
    """Return whether requests can ask as the role, where they have to.

    What it may do is granted together: one of it tells.
    """
    if not is_up():
        return True
    with connection.cursor() as cursor:
        cursor.execute(STANDS, [connection.introspection.django_table_names(), ROLE])
        row = cursor.fetchone()
    return bool(row and row[0])


# --- who asks


def confine(app_pk: int) -> None:
    """Leave nothing but this app's rows to this request from here on."""
    if is_up():
        _behind.set(str(app_pk))


def open_site() -> None:
    """Treat this request from here on as of somebody who looks after all apps."""
    if is_up():
        _behind.set(SITE)


@contextmanager
def standing(where: str) -> Iterator[None]:
    token = _behind.set(where)
    try:
        yield
    finally:
        _behind.reset(token)


def confined(app_pk: int) -> _GeneratorContextManager[None]:
    """Return a context, or a decorator, in which nothing but this app's rows is there."""
    return standing(str(app_pk))


def site_wide() -> _GeneratorContextManager[None]:
    """Return a context, or a decorator, in which all apps' rows are there: say why where it is used."""
    return standing(SITE)


class RowLevelSecurity:
    """Middleware: nobody sees anything until it is known who asks.

    An answer that is still being sent goes on reading as whom it is for; the thread's next request begins anew.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not is_up():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _behind.set(NOBODY if request.path_info.startswith(KEYED_PATHS) else SITE)
        response = self.get_response(request)
        if not response.streaming:
            _behind.reset(token)
        return response


# --- what a connection is told


@dataclass(slots=True)
class Told:
    """What a connection was told last, and whether within a transaction that may yet be rolled back."""

    where: str = UNKNOWN
    in_transaction: bool = False


def tell_new_connection(connection: Any, **_: Any) -> None:
    """Reset what a connection knows that is made, or taken from the pool."""
    if not is_up() or connection.vendor != "postgresql":
        return
    connection.app_scope = Told()
    if tell_first not in connection.execute_wrappers:
        # Whoever wraps this very statement takes the last one away again: that must be his own.
        connection.execute_wrappers.insert(0, tell_first)


def tell_first(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Tell the connection before each statement, if there is anything new to tell."""
    tell(context["connection"])
    try:
        return execute(sql, params, many, context)
    finally:
        if str(sql).startswith("ROLLBACK TO"):
            context["connection"].app_scope.where = UNKNOWN


def tell(connection: Any) -> None:
    state, where = connection.app_scope, _behind.get()
    status = status_of(connection)
    if status == "INERROR":
        return
    if state.in_transaction and status == "IDLE":
        # Whether it was kept or rolled back, with what it was told in it, nobody knows.
        state.where = UNKNOWN
    if state.where != where:
        with connection.wrap_database_errors:
            connection.connection.execute(ASK, ["none" if where == SITE else ROLE, where])
        state.where, state.in_transaction = where, status_of(connection) != "IDLE"


def status_of(connection: Any) -> str:
    """Return PostgreSQL's own status: not every transaction is Django's."""
    return str(connection.connection.info.transaction_status.name)


# --- what stands in the database

ROLE_FUNCTION = f"""
CREATE OR REPLACE FUNCTION memsite_walled_app() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT CASE WHEN current_setting('{SETTING}', true) ~ '^[0-9]+$' THEN current_setting('{SETTING}', true)::bigint END
$$"""  # our own name


OF_THE_DATABASE = {"memories_near": "app_id"}
"""Tables that no model names, where they are there."""

# A role is of the whole server: another database's migration may be making it just now.
MAKE_ROLE = f"""
DO $$ BEGIN CREATE ROLE {ROLE} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT {ROLE} TO CURRENT_USER"""


def scoped_tables() -> dict[str, str]:
    """Return the column with the app's number, by table."""
    columns = {}
    for model in apps.get_models(include_auto_created=True):
        of_app = (field.column for field in model._meta.concrete_fields if field.name == "app" and field.is_relation)
        column = "id" if model._meta.label == "tenancy.App" else next(of_app, None)
        if column and model._meta.managed and not model._meta.proxy:
            columns[model._meta.db_table] = column
    there = connection.introspection.table_names()
    return columns | {table: column for table, column in OF_THE_DATABASE.items() if table in there}


def build(**_: Any) -> None:
    """Make policies on every table after each migration, so that none is forgotten, and the role's rights."""
    if connection.vendor != "postgresql":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ROLE_FUNCTION)
        cursor.execute("SELECT tablename FROM pg_policies WHERE policyname = %s", [POLICY])
        protected = {table for (table,) in cursor.fetchall()}
        tables = scoped_tables()
        there = set(connection.introspection.table_names(cursor))
        for table in sorted((tables.keys() & there) - protected):
            column = tables[table]
            cursor.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
            cursor.execute(f"CREATE POLICY {POLICY} ON {table} USING ({column} = (SELECT memsite_walled_app()))")
        if is_up():
            allow_role(cursor)


def allow_role(cursor: Any) -> None:
    """Raise CommandError if the role is missing and this user may not make it."""
    cursor.execute("SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = %s", [ROLE])
    row = cursor.fetchone()
    if not row or not row[0]:
        try:
            cursor.execute(MAKE_ROLE)
        except ProgrammingError as error:
            raise CommandError(NO_ROLE.format(user=connection.settings_dict["USER"])) from error
    cursor.execute(
        f"GRANT USAGE ON SCHEMA public TO {ROLE};"
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {ROLE};"
        f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {ROLE}"
    )

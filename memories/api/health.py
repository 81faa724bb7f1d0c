"""Is the process there (`/healthz`), and can it work (`/readyz`)? Both are public and say nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic

import structlog
from django.db import DatabaseError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from memories.ledger import service_away
from memories.providers.embeddings import make_embedder
from memories.providers.llm.client import make_chat
from memories.providers.llm.provider import LLMMisconfigured
from memories.retrieve.retrievers import in_time, run_retrievers
from memories.store.damage import has_reported
from memsite.config.conf import get_conf
from memsite.db import replica
from memsite.db.transactions import count
from memsite.db.versions import is_migrated, library_note
from memsite.tenancy import row_level_security
from memsite.tenancy.models import App, AppStatus

log = structlog.get_logger("memories.api.health")
SECONDS = 3.0
"""Who asks gives up after five, or ten: rather a no in time than none."""
FREE_BYTES = 1024 * 1024
"""What a write may take of SQLite's disk."""


@csrf_exempt
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


@csrf_exempt
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when database, migrations and embedder are there, 503 otherwise; says which one is not.

    It stops at the first that is missing. `degraded` names what works less well than it should: that does not stop
    the server. `notes` has what is worth knowing, and stops nothing.
    """
    checked: dict[str, bool] = {}
    look = partial(in_time, partial(look_around, checked), monotonic() + SECONDS)
    here = {"ready"} if connection.vendor == "sqlite" else ()
    answers, _ = run_retrievers({"ready": look}, SECONDS, here)
    checks = dict(checked)
    ready = all(checks.get(name) for name in CHECKS)
    body = {
        "status": "ok" if ready else "unavailable",
        "checks": checks,
        "degraded": answers.get("ready", []),
        "notes": [note] if (note := library_note()) else [],
    }
    return JsonResponse(body, status=200 if ready else 503)


def look_around(checks: dict[str, bool]) -> list[str]:
    """Return what is degraded, up to the first check that fails: the next would wait for the same service.

    `checks` has the checks that were begun, for whoever does not wait for the end.
    """
    for name, check in CHECKS.items():
        checks[name] = False
        checks[name] = passes(name, check)
        if not checks[name]:
            return []
    return [name for name, holds in DEGRADED.items() if not passes(name, holds)]


def passes(name: str, check: Callable[[], bool]) -> bool:
    try:
        return check()
    except OperationalError as error:
        # A balancer asks every other second, and where it was asked says nothing.
        log.error("not_ready", check=name, error=str(error))
        return False
    except Exception:
        log.exception("not_ready", check=name)
        return False


def database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone())


def embedder_is_configured() -> bool:
    """Cheap: a remote embedder that is away degrades recall, it does not stop the server."""
    return bool(make_embedder(get_conf().embedder_settings).name)


def vectors_are_complete() -> bool:
    """No app has lost its embedder and waits for vectors of another one."""
    return not App.objects.filter(status=AppStatus.ACTIVE, vectors_lost=True).exists()


def nothing_was_damaged() -> bool:
    """As far as this process has met it in the last minutes: it is made anew meanwhile (`memories.store.damage`)."""
    return not has_reported()


def model_answers() -> bool:
    """Whether the language model is asked, and has answered lately. Without it rules answer, and texts wait for it."""
    try:
        chat = make_chat(get_conf().llm_settings)
    except LLMMisconfigured:
        return False
    return chat is None or not (chat.wait_seconds() or service_away(chat.name, timezone.now()))


def takes_writes() -> bool:
    """Whether the database does, and there is room for them on SQLite's disk. Leaves nothing behind.

    Where it does not, what only reads is answered all the same. While others write, it does.
    """
    try:
        count(change_nothing)
        check_free_space()
    except (DatabaseError, OSError) as error:
        log.warning("not_writable", error=str(error))
        return False
    return True


def change_nothing() -> None:
    """Refused as all writes are by a database that is read only, or a copy of another."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_migrations SET name = name WHERE 1 = 0")


def check_free_space() -> None:
    """OSError where there is none. A file without a name is gone before the disk has heard of it."""
    if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]  # SQLite's own
        return
    with TemporaryFile(dir=Path(str(connection.settings_dict["NAME"])).parent) as file:
        file.write(bytes(FREE_BYTES))


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database_answers,
    "migrations": is_migrated,
    "wall": row_level_security.stands,
    "embedder": embedder_is_configured,
}
DEGRADED: dict[str, Callable[[], bool]] = {
    "vectors": vectors_are_complete,
    "indexes": nothing_was_damaged,
    "writing": takes_writes,
    "model": model_answers,
    "replica": replica.is_well,
}

"""The files in which a process that starts finds an app's index, beside an SQLite database; none elsewhere.

What they tell is taken for true only while the database says so. What is forgotten or purged does not stay in them:
the sweep deletes the file of an app of which something is gone since.
"""

from __future__ import annotations

from pathlib import Path

import structlog
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from memories.models import Forgotten, Memory, Revision
from memsite.config.conf import get_conf
from memsite.db.sqlite.library import index_folder
from memsite.ops.files import About, draft_in, map_arrays, read_about
from memsite.tenancy.models import App, AppStatus

SUFFIX = ".index"
log = structlog.get_logger("memories.store")


def index_file_of(app_pk: int) -> Path | None:
    """None where none are kept: on PostgreSQL, whose other machines a sweep would not reach."""
    here = index_folder() if get_conf().keep_indexes else None
    return here / f"{app_pk}{SUFFIX}" if here else None


def evidence(app: App) -> About:
    """By which a file is known again for one of this database: not of a backup's that was put back since, not from
    before a migration.
    """
    latest = Revision.objects.for_app(app).order_by("-pk").values_list("pk", "created_at").first()
    revision = [latest[0], latest[1].isoformat()] if latest else None
    return {"app": app.pk, "migration": latest_migration(), "revision": revision}


def latest_migration() -> int | None:
    return MigrationRecorder(connection).migration_qs.order_by("-pk").values_list("pk", flat=True).first()


def is_current(about: About) -> bool:
    """Whether what it told is of this database, and all of it is still there."""
    app = App.objects.filter(pk=about["app"], status=AppStatus.ACTIVE).first()
    return (
        app is not None
        and about["migration"] == latest_migration()
        and about["change_number"] <= app.change_number
        and is_known(app, about["revision"])
        and not is_anything_gone(app, about["change_number"])
    )


def is_known(app: App, revision: tuple[int, str] | None) -> bool:
    if revision is None:
        return True
    pk, created_at = revision
    return Revision.objects.for_app(app).filter(pk=pk, created_at=created_at).exists()


def is_anything_gone(app: App, change_number: int) -> bool:
    """Whether a memory was forgotten, or is to be, after that change."""
    since = {"change_number__gt": change_number}
    return (
        Forgotten.objects.for_app(app).filter(**since).exists()
        or Memory.objects.going(app).filter(**since).exists()
    )  # fmt: skip


def drop_stale_index_files() -> None:
    """Deletes what tells of something that is gone, what cannot be read, and what a process left that was killed; all
    of them where none are to be kept. OSError where they cannot be deleted.
    """
    here = index_folder()
    if here is None or not here.exists():
        return
    with draft_in(here, wait=True):
        for path in here.glob(f"*{SUFFIX}"):
            if not (get_conf().keep_indexes and is_readable_and_current(path)):
                path.unlink(missing_ok=True)


def unreadable_index_files() -> list[int]:
    """Pks of the apps whose files are damaged. Reads all of them."""
    folder = index_folder()
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder else ():
        try:
            map_arrays(path)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError):
            found.append(int(path.stem) if path.stem.isdecimal() else 0)
    return found


def drop_index_file(app_pk: int) -> None:
    if path := index_file_of(app_pk):
        path.unlink(missing_ok=True)


def is_readable_and_current(path: Path) -> bool:
    try:
        return is_current(read_about(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("index_file_unreadable", file=path.name, error=str(error))
        return False

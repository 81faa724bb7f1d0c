"""System checks that say what to fix before the first request does."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection

from memories.providers.embeddings import EmbedderError, make_embedder
from memories.providers.llm.client import make_chat
from memories.providers.llm.provider import LLMMisconfigured
from memsite.config.conf import MANAGE, get_conf, unknown_variables


@register()
def check_names(**_: Any) -> list[CheckMessage]:
    return [
        Warning(f"{name} is not a setting of Memsite.", hint="See docs/settings.md for the names.", id="memsite.W001")
        for name in unknown_variables()
    ]


@register()
def check_secret(**_: Any) -> list[CheckMessage]:
    if get_conf().effective_secret_key():
        return []
    hint = f"Set MEMSITE_SECRET_KEY, or run `{MANAGE} setup`, which makes {get_conf().secret_file}."
    return [Warning("There is no secret key: sign-in cannot work.", hint=hint, id="memsite.W002")]


@register()
def check_data_dir(**_: Any) -> list[CheckMessage]:
    if is_writable(get_conf().data_dir):
        return []
    hint = "Make it writable for this user or set MEMSITE_DATA_DIR to another directory."
    return [Error(f"The data directory {get_conf().data_dir} cannot be written.", hint=hint, id="memsite.E001")]


@register()
def check_backups(**_: Any) -> list[CheckMessage]:
    """Warn at the start, rather than in the first night that leaves no backup."""
    folder = get_conf().backups
    if folder.is_relative_to(get_conf().data_dir) or is_writable(folder):
        return []
    hint = "Make MEMSITE_BACKUP_DIR writable for this user; in a unit of systemd it has to be in ReadWritePaths, too."
    return [Warning(f"The folder of backups {folder} cannot be written.", hint=hint, id="memsite.W008")]


def is_writable(folder: Path) -> bool:
    """Return it, or where it would be made. What this user may not even look for, is not there."""
    where = next(parent for parent in (folder, *folder.parents) if os.access(parent, os.F_OK))
    return os.access(where, os.W_OK | os.X_OK)


@register()
def check_embedder(**_: Any) -> list[CheckMessage]:
    try:
        make_embedder(get_conf().embedder_settings)
    except EmbedderError as error:
        hint = "See MEMSITE_EMBEDDER, MEMSITE_EMBEDDER_URL and MEMSITE_EMBEDDER_MODEL in docs/settings.md."
        return [Error(str(error), hint=hint, id="memsite.E002")]
    return []


@register()
def check_previous_embedder(**_: Any) -> list[CheckMessage]:
    settings = get_conf().previous_embedder_settings
    try:
        if settings:
            make_embedder(settings)
    except EmbedderError as error:
        hint = "See MEMSITE_PREVIOUS_EMBEDDER in docs/settings.md, or unset it once the change is through."
        return [Warning(str(error), hint=hint, id="memsite.W004")]
    return []


@register()
def check_model(**_: Any) -> list[CheckMessage]:
    """Return a warning: the rules do its work."""
    try:
        make_chat(get_conf().llm_settings)
    except LLMMisconfigured as error:
        hint = "See MEMSITE_LLM and what follows it in docs/settings.md. Until then nothing is asked of it."
        return [Warning(f"The language model cannot be asked: {error}.", hint=hint, id="memsite.W010")]
    return []


@register()
def check_provider(**_: Any) -> list[CheckMessage]:
    """Warn of a provider whose groups let nobody in, or nobody govern where passwords are off."""
    conf = get_conf()
    if not conf.oidc_issuer or conf.oidc_superusers or (conf.local_login and (conf.oidc_roles or conf.oidc_staff)):
        return []
    who = "become a superuser: and passwords are off" if conf.oidc_roles or conf.oidc_staff else "come in"
    hint = "Set MEMSITE_OIDC_SUPERUSERS, MEMSITE_OIDC_STAFF or MEMSITE_OIDC_ROLES: see docs/settings.md."
    return [Warning(f"No group of the OpenID provider lets anybody {who}.", hint=hint, id="memsite.W011")]


@register()
def check_pgvector(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Warn only if it was asked for by hand, and where the database is to be checked, as by `migrate`."""
    if "MEMSITE_PGVECTOR_FROM" not in os.environ or not get_conf().pgvector_from:
        return []
    hint = "Searches measure in the process then. See MEMSITE_PGVECTOR_FROM in docs/settings.md, or unset it."
    if connection.vendor != "postgresql":
        return [Warning("MEMSITE_PGVECTOR_FROM needs PostgreSQL.", hint=hint, id="memsite.W006")]
    if databases and not is_installable():
        return [Warning("PostgreSQL has no pgvector 0.8 or newer.", hint=hint, id="memsite.W007")]
    return []


def is_installable() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
        )
        row = cursor.fetchone()
    return bool(row) and tuple(map(int, row[0].split("."))) >= (0, 8)


# What the words of texts are told apart by is the database's: with a LC_CTYPE of C no letter beyond ASCII is one, and
# in Turkish a small I has no dot.
LETTERS = "SELECT 'ж' ~ '[[:alpha:]]', lower('I') = 'i'"


@register(Tags.database)
def check_letters(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    if connection.vendor != "postgresql" or not databases:
        return []
    with connection.cursor() as cursor:
        cursor.execute(LETTERS)
        knows_letters, knows_small_ones = cursor.fetchone()
    hint = "Make a database with a LC_CTYPE such as C.UTF-8 or en_US.UTF-8, and move there: see docs/postgresql.md."
    if not knows_letters:
        problem = "This PostgreSQL database's locale knows ASCII letters only: searches miss words in other scripts."
        return [Warning(problem, hint=hint, id="memsite.W009")]
    if not knows_small_ones:
        problem = "In this PostgreSQL database's locale i and I are two letters: searches miss words with the other."
        return [Warning(problem, hint=hint, id="memsite.W009")]
    return []


@register(deploy=True)
def check_hosts(**_: Any) -> list[CheckMessage]:
    if "*" not in get_conf().allowed_hosts:
        return []
    hint = "Name the hosts that your reverse proxy passes on."
    return [Warning("MEMSITE_ALLOWED_HOSTS allows every host name.", hint=hint, id="memsite.W003")]

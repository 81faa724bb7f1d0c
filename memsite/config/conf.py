"""Every setting of Memsite, read once from the environment (`MEMSITE_…`) into one typed object.

`memsite.config.settings` makes Django's settings from it; code that needs a value asks `get_conf()`.
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from ipaddress import ip_network
from logging import getLevelNamesMapping
from math import inf
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import environ
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memories.providers.embeddings import EmbedderSettings
from memories.providers.http import ORDINARY_NETWORKS
from memories.providers.llm.client import LLMSettings
from memories.providers.relation import JUDGES, Judge
from memsite.ops.broker import SCHEME

PREFIX = "MEMSITE_"
ROOT = Path(__file__).resolve().parents[2]
# Unlike Path.home() it raises nothing for a user without a home, who has to name MEMSITE_DATA_DIR.
HOME = Path(os.path.expanduser("~"))  # noqa: PTH111
IS_CHECKOUT = (ROOT / "requirements" / "run.lock").is_file()
MANAGE = "manage.py" if IS_CHECKOUT else "memsite-server manage"
"""What messages call the command that runs Django's commands here."""
LLMS = ("rules", "anthropic", "openai", "ollama", "litellm")
EMBEDDERS = ("minilm", "multilingual", "ollama", "openai", "hash")
DATABASES = ("sqlite://", "postgres://", "postgresql://")
# "memory" is for programs that are both ends of it.
BROKERS = (SCHEME, "redis", "redis+socket", "rediss", "amqp", "amqps", "memory")
LOG_FORMATS = ("auto", "console", "json")
SECOND_FACTOR = ("optional", "staff", "everybody")
ROLES = ("viewer", "editor", "owner")
EVERY_APP = "*"
ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
# As browsers write one: in small letters, without a path.
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9._\[\]:-]+")
# So long ago there still is a date.
MOST_YEARS = 100
PERIODS = {
    "idempotency_hours": ("hours", 24),
    "oauth_idle_days": ("days", 1),
    "oidc_session_hours": ("hours", 24),
    "crashed_after_minutes": ("minutes", 1440),
}
POSITIVE = {
    "llm_concurrency": "calls at a time",
    "llm_seconds": "seconds for one question",
    "database_connections": "connections",
    "replica_milliseconds": "milliseconds",
    "upkeep_at_once": "jobs",
    "web_threads": "threads",
    "index_megabytes": "megabytes",
    "max_body_bytes": "bytes",
    "max_line_bytes": "bytes",
    "import_megabytes": "megabytes",
    "document_megabytes": "megabytes",
    "backup_keep": "days",
}
# Nothing else (and nothing at all): who misspells "true" would find out late that it meant "false".
BOOLEANS = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off", ""), False)}
# Of the command `memsite` and what it starts, which may run in the same environment.
CLIENTS_OWN = {"MEMSITE_URL", "MEMSITE_API_KEY", "MEMSITE_SESSION_ID"}


def usual_data_dir(
    environment: Mapping[str, str] = os.environ, is_checkout: bool = IS_CHECKOUT, platform: str = sys.platform
) -> Path:
    """Return `data` in a checkout; of an installed package, the folder where this user's programs keep data."""
    if is_checkout:
        return ROOT / "data"
    if platform == "darwin":
        return HOME / "Library" / "Application Support" / "memsite"
    given = Path(environment.get("XDG_DATA_HOME", ""))
    # The XDG rules ignore a relative path.
    return (given if given.is_absolute() else HOME / ".local" / "share") / "memsite"


USUAL_DATA_DIR = usual_data_dir()


def secret() -> Any:
    """Return a text, empty unless given, that is not written down with the others."""
    return field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conf:
    """One field per environment variable: `data_dir` is `MEMSITE_DATA_DIR`."""

    secret_key: str = secret()
    debug: bool = False
    metrics_token: str = secret()
    allowed_hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    csrf_trusted_origins: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    behind_https_proxy: bool = False
    root_path: str = ""
    trusted_proxies: tuple[str, ...] = ()
    data_dir: Path = USUAL_DATA_DIR
    database_url: str = secret()
    database_connections: int = 20
    replica_url: str = secret()
    replica_milliseconds: int = 100
    row_security: bool = False
    broker_url: str = secret()
    embedder: str = "minilm"
    embedder_url: str = ""
    embedder_model: str = ""
    embedder_api_key: str = secret()
    previous_embedder: str = ""
    previous_embedder_url: str = ""
    previous_embedder_model: str = ""
    previous_embedder_api_key: str = secret()
    relations: Judge = "learned"
    llm: str = "rules"
    llm_url: str = ""
    llm_api_key: str = secret()
    llm_small_model: str = ""
    llm_large_model: str = ""
    llm_prices: str = ""
    llm_concurrency: int = 4
    llm_seconds: int = 60
    llm_lean: bool = False
    proxy_openai_url: str = ""
    proxy_openai_api_key: str = secret()
    proxy_anthropic_url: str = ""
    proxy_anthropic_api_key: str = secret()
    memory_budget: int = 0
    index_megabytes: int = 1024
    keep_indexes: bool = True
    pgvector_from: int = 300_000
    count_milliseconds: int = 500
    time_zone: str = "UTC"
    upkeep_at_once: int = 2
    web_processes: int = 0
    web_threads: int = 16
    log_level: str = "INFO"
    log_format: str = "auto"
    max_body_bytes: int = 8 * 1024 * 1024
    max_line_bytes: int = 8 * 1024 * 1024
    import_megabytes: int = 4096
    document_megabytes: int = 20
    webhook_networks: tuple[str, ...] = ()
    email_url: str = secret()
    email_from: str = "memsite@localhost"
    provider_networks: tuple[str, ...] = ORDINARY_NETWORKS
    idempotency_hours: int = 24
    crashed_after_minutes: int = 30
    rewrite_megabytes: int = 1024
    backup_dir: Path = Path()
    backup_keep: int = 7
    oauth: bool = False
    oauth_idle_days: int = 90
    local_login: bool = True
    second_factor: str = "optional"
    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = secret()
    oidc_scopes: tuple[str, ...] = ("openid", "profile", "email")
    oidc_groups_claim: str = "groups"
    oidc_roles: str = ""
    oidc_staff: tuple[str, ...] = ()
    oidc_superusers: tuple[str, ...] = ()
    oidc_verified_email: bool = False
    oidc_session_hours: int = 12

    def __post_init__(self) -> None:
        require(self.embedder in EMBEDDERS, "EMBEDDER", f"is one of {', '.join(EMBEDDERS)}")
        require(
            self.previous_embedder in ("", *EMBEDDERS),
            "PREVIOUS_EMBEDDER",
            f"is empty or one of {', '.join(EMBEDDERS)}",
        )
        require(self.relations in JUDGES, "RELATIONS", f"is one of {', '.join(JUDGES)}")
        require(self.llm in LLMS, "LLM", f"is one of {', '.join(LLMS)}")
        require(read_prices(self.llm_prices) is not None, "LLM_PRICES", "is model=input/output, model=input/output, …")
        require(is_token(self.metrics_token), "METRICS_TOKEN", "is 16 letters or more, without white space")
        require(
            all("/" not in host for host in self.allowed_hosts),
            "ALLOWED_HOSTS",
            "is a list of names such as memory.example.org, without https://",
        )
        require(
            all(map(ORIGIN.fullmatch, self.cors_origins)),
            "CORS_ORIGINS",
            "is a list such as https://app.example.org, without a path, and without *",
        )
        require(bool(ROOT_PATH.fullmatch(self.root_path)), "ROOT_PATH", "is empty or a path such as /memory")
        require(
            not self.broker_url or self.broker_url.partition("://")[0] in BROKERS,
            "BROKER_URL",
            "is an address such as redis://host:6379/0 or amqp://user:password@host",
        )
        require(
            self.log_level.upper() in getLevelNamesMapping(),
            "LOG_LEVEL",
            "is one of DEBUG, INFO, WARNING, ERROR, CRITICAL",
        )
        require(self.log_format in LOG_FORMATS, "LOG_FORMAT", f"is one of {', '.join(LOG_FORMATS)}")
        require(
            not self.database_url or self.database_url.startswith(DATABASES),
            "DATABASE_URL",
            f"begins with {' or '.join(DATABASES)}",
        )
        is_postgres = self.database_url.startswith(DATABASES[1:])
        require(is_postgres or not self.row_security, "ROW_SECURITY", "needs PostgreSQL: set MEMSITE_DATABASE_URL")
        require(is_postgres or not self.replica_url, "REPLICA_URL", "needs PostgreSQL: set MEMSITE_DATABASE_URL")
        require(
            not self.replica_url or self.replica_url.startswith(DATABASES[1:]),
            "REPLICA_URL",
            f"begins with {' or '.join(DATABASES[1:])}",
        )
        require(self.time_zone in time_zones(), "TIME_ZONE", "is an IANA name such as Europe/Berlin")
        require(self.web_processes >= 0, "WEB_PROCESSES", "is a number of processes, 0 for unknown")
        require(self.memory_budget >= 0, "MEMORY_BUDGET", "is a number of tokens, 0 for the app's own")
        require(self.pgvector_from >= 0, "PGVECTOR_FROM", "is a number of memories, 0 for never")
        require(
            0 <= self.count_milliseconds <= 3_600_000,
            "COUNT_MILLISECONDS",
            "is a number of milliseconds, an hour at most, 0 for none",
        )
        require(are_networks(self.trusted_proxies), "TRUSTED_PROXIES", "is a list such as 127.0.0.1/32,10.0.0.0/8")
        require(are_networks(self.webhook_networks), "WEBHOOK_NETWORKS", "is a list such as 10.0.0.0/8,127.0.0.1/32")
        require(mail_settings(self.email_url) is not None, "EMAIL_URL", "is smtp+tls://user:password@host:587 or such")
        require(are_networks(self.provider_networks), "PROVIDER_NETWORKS", "is a list such as 127.0.0.1/32,10.0.0.0/8")
        require(self.rewrite_megabytes >= 0, "REWRITE_MEGABYTES", "is a number of megabytes, 0 for never")
        require(self.second_factor in SECOND_FACTOR, "SECOND_FACTOR", f"is one of {', '.join(SECOND_FACTOR)}")
        is_address = self.oidc_issuer.startswith(("https://", "http://"))
        require(is_address or not self.oidc_issuer, "OIDC_ISSUER", "is an address such as https://login.example.org")
        require(bool(self.oidc_client_id) or not self.oidc_issuer, "OIDC_CLIENT_ID", "is needed with an issuer")
        require("openid" in self.oidc_scopes, "OIDC_SCOPES", "is a list with openid in it")
        require(read_roles(self.oidc_roles) is not None, "OIDC_ROLES", "is group=app:role, group=*:role, …")
        require(
            self.local_login or bool(self.oidc_issuer),
            "LOCAL_LOGIN",
            "is false, and MEMSITE_OIDC_ISSUER names no other way to sign in",
        )
        for name, unit in POSITIVE.items():
            require(getattr(self, name) > 0, name.upper(), f"is a positive number of {unit}")
        for name, (unit, in_a_day) in PERIODS.items():
            rule = f"is a positive number of {unit}, {MOST_YEARS} years at most"
            require(0 < getattr(self, name) <= MOST_YEARS * 366 * in_a_day, name.upper(), rule)

    @property
    def secret_file(self) -> Path:
        """Return the file in which `manage.py setup` keeps the secret key it made, if none is given."""
        return self.data_dir / "secret.key"

    @property
    def backups(self) -> Path:
        """Return the folder of backups."""
        return self.data_dir / "backups" if self.backup_dir == Path() else self.backup_dir

    @property
    def embedder_settings(self) -> EmbedderSettings:
        return EmbedderSettings(
            kind=self.embedder,  # type: ignore[arg-type]  # checked against EMBEDDERS above
            url=self.embedder_url,
            model=self.embedder_model,
            api_key=self.embedder_api_key,
            networks=self.provider_networks,
        )

    @property
    def previous_embedder_settings(self) -> EmbedderSettings | None:
        """Return settings of the embedder before, which serves until all memories have vectors of the new one."""
        if not self.previous_embedder:
            return None
        return EmbedderSettings(
            kind=self.previous_embedder,  # type: ignore[arg-type]  # checked above
            url=self.previous_embedder_url,
            model=self.previous_embedder_model,
            api_key=self.previous_embedder_api_key,
            networks=self.provider_networks,
        )

    @property
    def llm_settings(self) -> LLMSettings:
        return LLMSettings(
            kind=self.llm,  # type: ignore[arg-type]  # checked against LLMS above
            url=self.llm_url,
            api_key=self.llm_api_key,
            small_model=self.llm_small_model,
            large_model=self.llm_large_model,
            prices=read_prices(self.llm_prices) or {},
            concurrency=self.llm_concurrency,
            seconds=float(self.llm_seconds),
            networks=self.provider_networks,
        )

    def effective_secret_key(self) -> str:
        """Return the given key, else the one in `secret_file`, else nothing (Django then refuses to sign).

        ImproperlyConfigured if that file is another user's.
        """
        if self.secret_key:
            return self.secret_key
        try:
            return self.secret_file.read_text().strip() if self.secret_file.is_file() else ""
        except OSError as error:
            raise ImproperlyConfigured(
                f"{self.secret_file} cannot be read: {error.strerror}. Run this as the user who owns MEMSITE_DATA_DIR."
            ) from error


@cache
def time_zones() -> set[str]:
    """Return all IANA names. Listing them reads the disk."""
    return available_timezones()


def read_prices(text: str) -> dict[str, tuple[float, float]] | None:
    """Return dollars per million tokens, input and output, by model: "small=0.25/1.25, large=3/15". None if unclear."""
    try:
        named = [entry.rpartition("=") for entry in text.split(",") if entry.strip()]
        pairs = {name.strip(): [float(price) for price in both.split("/")] for name, _, both in named}
        prices = {name: (given, sent) for name, (given, sent) in pairs.items()}
    except ValueError:
        return None
    are_clear = all(name and all(0 <= price < inf for price in both) for name, both in prices.items())
    return prices if are_clear else None


def mail_settings(url: str) -> dict[str, Any] | None:
    """Return Django's settings of a mail server, of `smtp://`, `smtp+tls://`, `smtp+ssl://` and so on. None if unclear.

    Without an address none is asked.
    """
    try:
        return dict(environ.Env.email_url_config(url)) if url else {}
    except (ImproperlyConfigured, ValueError):
        return None


def read_roles(text: str) -> list[tuple[str, str, str]] | None:
    """Return group, app (`EVERY_APP` for all) and role: "ops=*:owner, shop-team=shop:editor". None if unclear."""
    split = [re.fullmatch(r"\s*(.+)=([^=:]+):(\w+)\s*", entry) for entry in text.split(",") if entry.strip()]
    rows = [(match[1], match[2], match[3]) for match in split if match and match[3] in ROLES]
    return rows if len(rows) == len(split) else None


def is_token(text: str) -> bool:
    """Return what a header can carry and nobody guesses; or nothing at all."""
    return not text or (len(text) >= 16 and text.isascii() and text.isprintable() and " " not in text)


def are_networks(texts: tuple[str, ...]) -> bool:
    try:
        return all(ip_network(text, strict=False) for text in texts)
    except ValueError:
        return False


def require(holds: bool, name: str, rule: str) -> None:
    if not holds:
        raise ImproperlyConfigured(f"{PREFIX}{name} {rule}.")


def read_conf(environment: Mapping[str, str]) -> Conf:
    """Read Conf from environment variables; ImproperlyConfigured names the variable that cannot be read."""
    given = {field.name: environment[name] for field in fields(Conf) if (name := variable(field.name)) in environment}
    if "memory_budget" not in given and "CLAUDEOPS_MEMORY_BUDGET" in environment:
        given["memory_budget"] = environment["CLAUDEOPS_MEMORY_BUDGET"]
    values: dict[str, Any] = {name: cast(name, text) for name, text in given.items()}
    return Conf(**values)


def variable(field_name: str) -> str:
    return PREFIX + field_name.upper()


def cast(name: str, text: str) -> object:
    default = Conf.__dataclass_fields__[name].default
    try:
        if isinstance(default, tuple):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if isinstance(default, bool):
            return BOOLEANS[text.strip().lower()]
        if isinstance(default, Path):
            # The path without letters is the folder that whoever starts it happens to be in.
            return Path(text).expanduser().resolve() if text.strip() else default
        return environ.Env.parse_value(text, type(default))
    except KeyError:
        raise ImproperlyConfigured(f"{variable(name)} is true or false.") from None
    except RuntimeError:
        raise ImproperlyConfigured(f"{variable(name)} names the home directory of a user who does not exist.") from None
    except ValueError as error:
        raise ImproperlyConfigured(f"{variable(name)} cannot be read as {type(default).__name__}.") from error


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return names that look like ours but are not: typing errors, most likely."""
    known = {variable(field.name) for field in fields(Conf)} | CLIENTS_OWN
    return sorted(name for name in environment if name.startswith(PREFIX) and name not in known)


def get_conf() -> Conf:
    return settings.MEMSITE

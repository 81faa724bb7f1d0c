"""Django's settings, made from `memsite.config.conf`. Nothing here reads the environment but through it."""

import os
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from memsite.config.celery_settings import celery_settings
from memsite.config.conf import IS_CHECKOUT, ROOT, Conf, mail_settings, read_conf
from memsite.db import clock
from memsite.ops.logs import logging_config

MEMSITE: Conf = read_conf(os.environ)

SECRET_KEY = MEMSITE.effective_secret_key()
DEBUG = MEMSITE.debug
ALLOWED_HOSTS = list(MEMSITE.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(MEMSITE.csrf_trusted_origins)
# Behind a proxy that passes on a path of another site.
FORCE_SCRIPT_NAME = MEMSITE.root_path or None
# Of proxies that are trusted; from everybody else it is dropped.
USE_X_FORWARDED_HOST = bool(MEMSITE.trusted_proxies)
# Of answers to keys; cookies are never sent along.
CORS_ALLOWED_ORIGINS = list(MEMSITE.cors_origins)
CORS_URLS_REGEX = r"/(?:api|mcp|compat|proxy)(?:/|$)"
CORS_ALLOW_HEADERS = (
    *("accept", "authorization", "content-type", "idempotency-key", "if-match", "last-event-id", "x-api-key"),
    *("x-request-id", "x-memsite-session", "x-memsite-user", "mcp-method", "mcp-name", "mcp-protocol-version"),
    # Of the proxy's two formats, as their makers' own clients in browsers send them.
    *("anthropic-beta", "anthropic-dangerous-direct-browser-access", "anthropic-version"),
    *("openai-beta", "openai-organization", "openai-project"),
    *(f"x-stainless-{name}" for name in ("arch", "helper-method", "lang", "os", "package-version", "poll-helper")),
    *(f"x-stainless-{name}" for name in ("retry-count", "runtime", "runtime-version", "timeout")),
)
CORS_EXPOSE_HEADERS = ("ETag", "Idempotency-Replayed", "Retry-After", "X-Memsite-Memory", "X-Request-ID")
CSRF_FAILURE_VIEW = "memsite.http.problems.csrf_failure"

INSTALLED_APPS = [
    "memsite.apps.MemsiteConfig",
    "memsite.apps.TenancyConfig",
    "memsite.apps.JobsConfig",
    "memsite.apps.OAuthConfig",
    "memsite.apps.SessionsConfig",
    "memories.apps.MemoriesConfig",
    "memsite.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_htmx",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    # Its templates, so that our own widgets are found beside them.
    "django.forms",
]

MIDDLEWARE = [
    "memsite.http.login.Proxies",
    "memsite.http.middleware.RequestLog",
    *(["corsheaders.middleware.CorsMiddleware"] if MEMSITE.cors_origins else []),
    "memsite.tenancy.row_level_security.RowLevelSecurity",
    "django.middleware.security.SecurityMiddleware",
    "memsite.http.login.Hosts",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "memsite.http.login.Sessions",
    "django.middleware.csrf.CsrfViewMiddleware",
    "memsite.http.login.Authentication",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "memsite.http.problems.PlainBodies",
    "memsite.http.problems.ToldMethods",
    "memsite.http.middleware.ProgramHeaders",
]

ROOT_URLCONF = "memsite.config.urls"
WSGI_APPLICATION = "memsite.config.wsgi.application"
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # A package has them as those of the app `memsite`.
        "DIRS": [ROOT / "templates"] if IS_CHECKOUT else [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {"dashboard": "memories.dashboard.tags"},
        },
    }
]


FORM_RENDERER = "django.forms.renderers.TemplatesSetting"


# A writer waits so long for the one before it, and a request for a connection; then it is answered with 503.
LOCK_SECONDS = 20
RECONNECT_SECONDS, REPLICA_SECONDS = 5, 2
SILENT_SECONDS = 10
# A server that says nothing at all is waited for so long at each of its addresses.
CONNECT_SECONDS = 5
DATABASE_URL_RULE = "is an address such as postgresql://user:password@host:5432/name, with %2F for a / in the password"


def database(conf: Conf) -> dict[str, Any]:
    """Return SQLite in the data directory unless `MEMSITE_DATABASE_URL` says otherwise."""
    url = conf.database_url or f"sqlite:///{conf.data_dir / 'memsite.sqlite3'}"
    try:
        config: dict[str, Any] = dict(environ.Env.db_url_config(url))
    except ValueError:
        # Its own words may quote the password.
        raise ImproperlyConfigured(f"MEMSITE_DATABASE_URL {DATABASE_URL_RULE}.") from None
    if config["NAME"] == ":memory:":
        # Each connection would have one of its own, gone with it.
        raise ImproperlyConfigured("MEMSITE_DATABASE_URL names no file: sqlite:////path/to/memsite.sqlite3")
    ours = sqlite_options() if config["ENGINE"] == "django.db.backends.sqlite3" else postgres_options(conf)
    return config | ours | {"OPTIONS": ours["OPTIONS"] | config.get("OPTIONS", {})}


def sqlite_options() -> dict[str, Any]:
    options = {
        # IMMEDIATE: a transaction that reads and then writes waits for the lock instead of failing.
        "transaction_mode": "IMMEDIATE",
        "timeout": LOCK_SECONDS,
        # recursive_triggers: INSERT OR REPLACE asks the triggers that refuse deletions, too.
        # FULL: an acknowledged write survives a power cut. secure_delete: deleted text is overwritten.
        # cache_size: kilobytes of each thread. What is not in it is in the system's cache, which all share: a search
        # of 10,000 memories takes as long with 2,000, and 16 threads could take 24 MB more.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; "
            "PRAGMA cache_size=-500; PRAGMA temp_store=MEMORY; PRAGMA recursive_triggers=ON"
        ),
    }
    # A connection lives as long as its thread: opening one per request costs more than most requests.
    return {"ENGINE": "memsite.db.sqlite", "CONN_MAX_AGE": None, "OPTIONS": options}


def postgres_options(conf: Conf) -> dict[str, Any]:
    """Return options for connections that threads share: a server likes fewer of them than there are threads."""
    pool = {
        "min_size": 1,
        "max_size": conf.database_connections,
        "timeout": LOCK_SECONDS,
        # A pool waits twice as long before each next try, here 5 seconds in all; then whoever asks makes it try anew.
        # The usual five minutes leave a process without its database for as long again as that was away.
        "reconnect_timeout": RECONNECT_SECONDS,
    }
    options = {
        "pool": pool,
        "connect_timeout": CONNECT_SECONDS,
        # One that falls silent in use, too: else it is waited for until the kernel gives up, a quarter of an hour.
        "tcp_user_timeout": 1_000 * SILENT_SECONDS,
        "keepalives_idle": SILENT_SECONDS // 2,
        "keepalives_interval": 1,
        "keepalives_count": SILENT_SECONDS // 2,
        # Plans are kept of what asks for it (`memsite.db.postgres`), never of what was only asked often.
        "prepare_threshold": sys.maxsize,
    }
    return {"ENGINE": "memsite.db.postgres", "CONN_HEALTH_CHECKS": True, "OPTIONS": options}


def replica(conf: Conf) -> dict[str, Any]:
    """Return the server that follows the database. Nobody waits long for it: the database answers instead.

    Tests make none.
    """
    config = database(replace(conf, database_url=conf.replica_url))
    config["OPTIONS"]["pool"] |= {"timeout": REPLICA_SECONDS}
    limits = {"connect_timeout": REPLICA_SECONDS, "tcp_user_timeout": 1_000 * REPLICA_SECONDS}
    given = dict(environ.Env.db_url_config(conf.replica_url)).get("OPTIONS", {})
    return config | {"OPTIONS": config["OPTIONS"] | limits | given, "TEST": {"MIRROR": "default"}}


DATABASES = {"default": database(MEMSITE), **({"replica": replica(MEMSITE)} if MEMSITE.replica_url else {})}
if DATABASES["default"]["ENGINE"] == "memsite.db.postgres":
    clock.follow()

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
# A session ends where its backend is not listed any more: that of a password, and that of the provider.
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesBackend",
    *(["memsite.oauth.openid.ProviderBackend"] if MEMSITE.oidc_issuer else []),
    *(["django.contrib.auth.backends.ModelBackend"] if MEMSITE.local_login else []),
]
OTP_TOTP_ISSUER = "Memsite"
# By name and address together: nobody locks an operator out from elsewhere.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
# Of an address over all names: many people may share one.
SIGN_IN_FAILURES_OF_AN_ADDRESS = 20
AXES_HANDLER = "memsite.http.login.SignInLimits"
AXES_CLIENT_IP_CALLABLE = "memsite.http.login.client_address"
AXES_COOLOFF_TIME = timedelta(minutes=15)
# Trying on does not prolong it: an operator who waits gets in.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "memories.dashboard.views.sign_in.locked_out"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
# What was typed is kept with an attempt: a recovery code with one wrong letter is still a secret.
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code"]

# Of alerts alone. A mail server that says nothing is not waited for any longer.
vars().update(mail_settings(MEMSITE.email_url) or {})
DEFAULT_FROM_EMAIL = SERVER_EMAIL = MEMSITE.email_from
EMAIL_TIMEOUT = 10

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = MEMSITE.time_zone

STATIC_URL = f"{MEMSITE.root_path}/static/"
STATIC_ROOT = MEMSITE.data_dir / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "memsite.http.static_files.StaticFiles"},
}
# Served straight from the packages too, so that a page never misses its style before collectstatic ran.
WHITENOISE_USE_FINDERS = True
# Plain names are served from the packages: compressing these files, too, would double the first start's work.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "memsite.tenancy.authentication.KeyAuthentication",
        "memsite.tenancy.authentication.OperatorSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["memsite.tenancy.authentication.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["memsite.http.json_body.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["memsite.http.json_body.FastJSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "memsite.http.json_body.UsualFirst",
    "DEFAULT_SCHEMA_CLASS": "memories.api.schema.ProblemSchema",
    "EXCEPTION_HANDLER": "memsite.http.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    # What is answered is asked for in Accept; `?format=` is a parameter that nobody knows.
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Memsite",
    "DESCRIPTION": "The memory server for AI agents.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVERS": [{"url": MEMSITE.root_path}] if MEMSITE.root_path else [],
    "SERVE_INCLUDE_SCHEMA": False,
    "DEFAULT_GENERATOR_CLASS": "memories.api.schema.OneSchema",
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "COMPONENT_SPLIT_REQUEST": True,
    "PATH_CONVERTER_OVERRIDES": {
        "turn": {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
        "tier": {"type": "integer", "minimum": 1, "maximum": 3},
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums"],
    "ENUM_NAME_OVERRIDES": {
        "NewMemoryOnceKindEnum": "memories.models.memory.Kind.choices",
        "MemoryStatusEnum": "memories.models.memory.Status.choices",
        "SessionStatusEnum": "sessions.models.SessionStatus.choices",
        "AppStatusEnum": "memories.api.serializers.apps.APP_STATUSES",
        "SettableStatusEnum": "memories.api.serializers.memories.SETTABLE_STATUSES",
        "PurgeWhatEnum": "memories.models.operations.PurgeWhat.choices",
        "PurgeStatusEnum": "memories.models.operations.PurgeStatus.choices",
        "RollbackWhatEnum": "memories.models.operations.RollbackWhat.choices",
        "RollbackStatusEnum": "memories.models.operations.RollbackStatus.choices",
        "AlertKindEnum": "memories.models.alert.AlertKind.choices",
        "OriginEnum": "memsite.tenancy.origin.Origin.choices",
        "SayableOriginEnum": "memories.api.serializers.memories.ORIGINS_OF_AGENTS",
    },
}

# A body over this is answered with 413; the REST parser and the stream count the bytes themselves.
DATA_UPLOAD_MAX_MEMORY_SIZE = MEMSITE.max_body_bytes
FILE_UPLOAD_HANDLERS = [
    "memsite.http.bodies.Bounded",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = MEMSITE.root_path or "/"
if MEMSITE.behind_https_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
SILENCED_SYSTEM_CHECKS = [
    # HTTPS is the reverse proxy's: docs/deploy says how, `behind_https_proxy` sets the cookies.
    "security.W004",
    "security.W008",
    "security.W012",
    "security.W016",
]

LOGGING = logging_config(MEMSITE.log_level, MEMSITE.log_format)
LOGGING_CONFIG = "logging.config.dictConfig"

CELERY_BROKER_URL: str
globals().update(celery_settings(MEMSITE.broker_url, MEMSITE.data_dir, MEMSITE.time_zone))
CELERY_BEAT_SCHEDULE = {
    # The tick behind all upkeep: what is due when, and for which app, stands in the jobs' own schedules.
    "look for upkeep that is due": {"task": "memories.tasks.upkeep_due", "schedule": timedelta(minutes=1)},
    # As `memories.capture.extraction_queue.LOOK_EVERY`: a text that failed says itself when it is tried again.
    "look for texts to retry": {"task": "memories.tasks.learn_again", "schedule": timedelta(seconds=5)},
}

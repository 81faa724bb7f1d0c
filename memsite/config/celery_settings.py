"""What Celery is told, as Django settings. The database is the truth: the queue only says "look now"."""

import ssl
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from kombu import Exchange, Queue

from memsite.ops.broker import SCHEME, embedded_url

# Workers serve the queues in this order: people wait for the first, nobody for the second.
INTERACTIVE, UPKEEP = "interactive", "upkeep"
QUEUES_IN_ORDER = (INTERACTIVE, UPKEEP)

SOFT_LIMIT = timedelta(minutes=14)
HARD_LIMIT = timedelta(minutes=15)
# Redis hands a task out again after this long without an answer: later than any task may run.
VISIBILITY = timedelta(minutes=20)


def celery_settings(broker_url: str, data_dir: Path, time_zone: str) -> dict[str, object]:
    """Return Django settings named CELERY_…; an empty `broker_url` means the embedded broker in `data_dir`."""
    url = broker_url or embedded_url(data_dir / "broker")
    exchange = Exchange("memsite", type="direct")
    return {
        "CELERY_BROKER_URL": url,
        "CELERY_BROKER_TRANSPORT_OPTIONS": transport_options(url),
        "CELERY_BROKER_USE_SSL": certificates(url),
        # A worker started before its broker waits for it.
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        "CELERY_BROKER_CONNECTION_RETRY": True,
        # However long that is away: a worker gives up after a hundred tries otherwise, and nothing starts it again.
        "CELERY_BROKER_CONNECTION_MAX_RETRIES": None,
        # A request must not wait for a doorbell: one quick second try, then the sweep finds the work.
        "CELERY_BROKER_CONNECTION_TIMEOUT": 2,
        "CELERY_TASK_PUBLISH_RETRY_POLICY": {"max_retries": 1, "interval_start": 0, "interval_max": 0.2},
        "CELERY_TASK_QUEUES": [Queue(name, exchange, routing_key=name) for name in QUEUES_IN_ORDER],
        "CELERY_TASK_DEFAULT_QUEUE": INTERACTIVE,
        "CELERY_TASK_DEFAULT_EXCHANGE": exchange.name,
        "CELERY_TASK_DEFAULT_ROUTING_KEY": INTERACTIVE,
        # By name, so that no caller chooses: upkeep is what the task's name says it is.
        "CELERY_TASK_ROUTES": {"memories.tasks.upkeep_*": {"queue": UPKEEP}},
        # A misspelt queue is an error, not a queue that nobody reads.
        "CELERY_TASK_CREATE_MISSING_QUEUES": False,
        # Tasks are idempotent, so twice is better than never: acknowledged when done, not when started.
        "CELERY_TASK_ACKS_LATE": True,
        "CELERY_TASK_REJECT_ON_WORKER_LOST": True,
        # Held to by the prefork pool only; under `-P threads` leases in the database take this part.
        "CELERY_TASK_SOFT_TIME_LIMIT": int(SOFT_LIMIT.total_seconds()),
        "CELERY_TASK_TIME_LIMIT": int(HARD_LIMIT.total_seconds()),
        # Results are rows in our tables.
        "CELERY_TASK_IGNORE_RESULT": True,
        # Never pickle: who can write to the broker could run code.
        "CELERY_TASK_SERIALIZER": "json",
        "CELERY_ACCEPT_CONTENT": ["json"],
        # A worker takes what it can start now; the rest stays for others.
        "CELERY_WORKER_PREFETCH_MULTIPLIER": 1,
        # Django's LOGGING stays in charge.
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_WORKER_REDIRECT_STDOUTS": False,
        # The schedule is rows that operators can see and change.
        "CELERY_BEAT_SCHEDULER": "memsite.jobs.beat:Beat",
        # "03:00" in the schedule is 03:00 where the operator lives.
        "CELERY_TIMEZONE": time_zone,
        "CELERY_ENABLE_UTC": True,
    }


def transport_options(url: str) -> dict[str, object]:
    """Return what one kind of broker needs telling and others would not know."""
    if url.startswith(f"{SCHEME}:"):
        # Celery looks for its stop signal between two waits, which else take two seconds.
        return {"longest_drain_seconds": 0.25}
    if not url.startswith(("redis://", "redis+socket://", "rediss://")):
        return {}
    return {
        "visibility_timeout": int(VISIBILITY.total_seconds()),
        "queue_order_strategy": "priority",  # the order of QUEUES_IN_ORDER, as the embedded broker does
        # A request waits for it three times at most, when a connection that it had no longer answers.
        "socket_timeout": 1,
        "socket_connect_timeout": 2,
    }


def certificates(url: str) -> dict[str, object] | bool:
    """Return options that check the server's certificate and its host: Celery would trust any, or any host's."""
    parts = urlsplit(url)
    if parts.scheme == "rediss":
        return "ssl_cert_reqs=" not in parts.query and {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    return parts.scheme == "amqps" and {"server_hostname": parts.hostname}

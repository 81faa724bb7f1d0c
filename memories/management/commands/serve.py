"""`manage.py serve`: web, worker and beat in one process tree, whose parts are started again when they die."""

import argparse
import errno
import json
import os
import socket
import sys
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from honcho.printer import Message, Printer

import memsite
from memories.management import plain_errors
from memories.management.arguments import whole_number
from memsite.config.celery_settings import QUEUES_IN_ORDER
from memsite.config.conf import MANAGE, get_conf
from memsite.db.versions import is_migrated
from memsite.ops.broker import SCHEME
from memsite.ops.supervision import Supervisor, alone

# More than any machine has use for; a slip of a finger ends in a sentence.
MOST_PROCESSES, MOST_THREADS = 500, 1_000
# What it learns, nobody waits for as for an answer.
WORKER_NICENESS = 5
WORKER_THREADS = 4  # tasks mostly wait: for a model, for the database
# Granian waits for running requests, for a live stream without end: cut it before we kill it (STOP_SECONDS).
WEB_STOP_SECONDS = 4
# Of a web server alone, which nobody kills sooner.
REQUEST_SECONDS = 30
# Of the C library's memory, else eight a processor: threads that take turns fill each to its largest request.
ARENAS = "2"
PARTS = ("web", "worker", "beat")
CELERY = (sys.executable, "-m", "celery", "--app=memsite", "--quiet")


class Command(BaseCommand):
    help = "Runs the web server, the worker and the schedule together. Ctrl-C stops them all."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=whole_number(1, 65_535), default=8000, help="port to listen on (8000)")
        parser.add_argument("--workers", type=whole_number(1, MOST_PROCESSES), default=2, help="web processes (2)")
        parser.add_argument(
            "--threads",
            type=whole_number(1, MOST_THREADS),
            default=16,
            help="requests and live streams at a time per web process, each with a database connection (16)",
        )
        parser.add_argument("--only", choices=PARTS, help="run this part alone, where others run elsewhere")

    def handle(
        self, *args: Any, host: str, port: int, workers: int, threads: int, only: str | None = None, **options: Any
    ) -> str | None:
        check_set_up()
        if only:
            command = part_command(only, host, port, workers, threads)
            os.execve(command[0], command, child_environment(workers, threads))  # noqa: S606  # signals are its own
        with alone(get_conf().data_dir, url(host, port)):
            check_port(host, port)
            supervisor = Supervisor(JsonLines(sys.stdout) if log_format() == "json" else Lines(sys.stdout))
            supervisor.tell(f"Memsite starts at {url(host, port)}. Ctrl-C stops it.")
            for name, command in processes(host, port, workers, threads, settings.CELERY_BROKER_URL).items():
                niceness = WORKER_NICENESS if name == "worker" else 0
                supervisor.add(name, command, child_environment(workers, threads), niceness)
            code = supervisor.run()
        if supervisor.output.is_stuck:
            os._exit(code)  # Python itself would wait for whoever does not read.
        if code:
            sys.exit(code)
        return None


def check_set_up() -> None:
    """Say in one sentence what would be a traceback from every process."""
    with plain_errors():
        ready = is_migrated()
    if not ready or not get_conf().effective_secret_key():
        raise CommandError(f"{get_conf().data_dir} is not set up for this version: run `{MANAGE} setup` first.")


def url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def processes(host: str, port: int, workers: int, threads: int, broker_url: str) -> dict[str, list[str]]:
    """Name → command. The embedded broker's one worker carries the beat; a real broker may have many."""
    worker = worker_command()
    web = web_commands(host, port, workers, threads)
    if broker_url.startswith(f"{SCHEME}:"):
        return {**web, "worker": [*worker, "--beat"]}
    return {**web, "worker": worker, "beat": beat_command()}


def web_commands(host: str, port: int, workers: int, threads: int) -> dict[str, list[str]]:
    """Return on Linux a granian for each web process: when one dies the others answer on, each counted by itself.

    Only there the kernel spreads connections over all who listen on a port. Elsewhere one granian has all processes,
    and ends with the first of them.
    """
    if not sys.platform.startswith("linux"):
        return {"web": web_command(host, port, workers, threads)}
    return {f"web.{number}": web_command(host, port, 1, threads) for number in range(1, workers + 1)}


def part_command(part: str, host: str, port: int, workers: int, threads: int) -> list[str]:
    """Return the command of one part, which whoever starts it also stops and starts again.

    Web finishes requests for 30 seconds, and takes new code at a SIGHUP.
    """
    if part == "worker":
        return worker_command()
    if part == "beat":
        return beat_command()
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", host, "--port", str(port)),
        *("--workers", str(workers), "--blocking-threads", str(threads)),
        *("--workers-kill-timeout", str(REQUEST_SECONDS)),
        *("--respawn-failed-workers", "--respawn-interval", "20", "--factory", "memsite.ops.processes:web_application"),
    ]


def web_command(host: str, port: int, workers: int, threads: int) -> list[str]:
    # No backpressure option: granian counts idle keep-alive connections against it, so a few would block all.
    return [
        # Below errors granian only says that threads outnumber cores: ours wait for streams and models.
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--log-level", "error"),
        *("--host", host, "--port", str(port)),
        *("--workers", str(workers), "--blocking-threads", str(threads)),
        *("--workers-kill-timeout", str(WEB_STOP_SECONDS)),
        *("--factory", "memsite.ops.processes:web_application"),
    ]


def beat_command() -> list[str]:
    return [*CELERY, "beat", "--loglevel=INFO"]


def worker_command() -> list[str]:
    return [
        *(*CELERY, "worker", "--loglevel=INFO"),
        *("--pool=threads", f"--concurrency={os.environ.get('WORKER_THREADS') or WORKER_THREADS}"),
        f"--queues={','.join(QUEUES_IN_ORDER)}",
    ]


def child_environment(workers: int, threads: int) -> dict[str, str]:
    """Return our environment with the number of web processes and threads, and the way to this checkout.

    The command may come from any folder.
    """
    site = str(Path(memsite.__file__).resolve().parent.parent)
    paths = [site, *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {"MEMSITE_LOG_FORMAT": log_format(), "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
    usual = {"MEMSITE_WEB_PROCESSES": str(workers), "MALLOC_ARENA_MAX": ARENAS}
    return {**usual, **os.environ, "MEMSITE_WEB_THREADS": str(threads), **ours}


def log_format() -> str:
    """Return `console` or `json`. The children write into a pipe and cannot see whether a person reads along."""
    given = get_conf().log_format
    if given != "auto":
        return given
    return "console" if sys.stdout.isatty() else "json"


def check_port(host: str, port: int) -> None:
    """Raise CommandError if we could not listen there, before anything is started."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise CommandError(port_message(host, port, error)) from error


def port_message(host: str, port: int, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken. Choose another one with --port."
    if number == errno.EACCES:
        return f"Port {port} needs more rights than you have. Choose one above 1023 with --port."
    return f"Cannot listen on {host}, port {port}: {error}. Change it with --host and --port."


class Lines(Printer):  # type: ignore[misc]  # honcho has no types
    """What the processes print, for people: when, and which of them. Nobody need read it, and the disk may be full."""

    def write(self, message: Message) -> None:
        with suppress(OSError):
            super().write(message)


class JsonLines(Lines):
    """For who collects logs: a JSON object a line, as the processes log. What else they print becomes one."""

    def write(self, message: Message) -> None:
        text = message.data.decode("utf-8", "replace") if isinstance(message.data, bytes) else message.data
        with suppress(OSError):
            for line in filter(str.strip, text.split("\n")):
                print(as_object(line, message), file=self.output, flush=True)


def as_object(line: str, message: Message) -> str:
    """Return the line itself if it is a JSON object, else an object that holds it."""
    with suppress(ValueError, RecursionError):
        if isinstance(json.loads(line), dict):
            return line
    time = f"{message.time.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    return json.dumps({"event": line.rstrip(), "logger": message.name, "level": "info", "timestamp": time})

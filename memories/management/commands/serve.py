"""`manage.py serve`: web, worker and beat in one process tree that starts and ends together."""

import argparse
import errno
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from honcho.manager import SIGNALS, Manager
from honcho.printer import Message, Printer
from honcho.process import Popen, Process

import memsite
from memories.management.numbers import whole_number
from memories.management.plain_errors import plain_errors
from memsite.broker import SCHEME
from memsite.celery_settings import QUEUES_IN_ORDER
from memsite.conf import get_conf
from memsite.health import is_migrated
from memsite.lifeline import die_with_parent, die_with_starter

# More than any machine has use for; a slip of a finger ends in a sentence.
MOST_PROCESSES, MOST_THREADS = 500, 1_000
WORKER_THREADS = 4  # tasks mostly wait: for a model, for the database
# Granian waits for running requests, for a live stream without end: cut it before honcho's five seconds.
WEB_STOP_SECONDS = 4
STOPPED_ON_REQUEST = {number["rc"] for number in SIGNALS.values()}


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

    def handle(self, *args: Any, host: str, port: int, workers: int, threads: int, **options: Any) -> str | None:
        check_port(host, port)
        check_set_up()
        tree = ProcessTree(JsonLines(sys.stdout) if log_format() == "json" else Lines(sys.stdout))
        tree.tell(f"Memsite starts at {url(host, port)}. Ctrl-C stops it.")
        for name, command in processes(host, port, workers, threads, settings.CELERY_BROKER_URL).items():
            tree.add_process(name, command, env=child_environment(workers, threads))
        tree.loop()
        if tree.returncode not in STOPPED_ON_REQUEST:
            sys.exit(exit_code(tree.returncode))
        return None


def check_set_up() -> None:
    """Rather one sentence here than a traceback from every process."""
    with plain_errors():
        ready = is_migrated()
    if not ready or not get_conf().effective_secret_key():
        raise CommandError(f"{get_conf().data_dir} is not set up for this version: run `manage.py setup` first.")


def url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def exit_code(returncode: int) -> int:
    """What a shell would say; a part that ended by itself is a failure even when it ended with 0."""
    return 128 - returncode if returncode < 0 else returncode or 1


def processes(host: str, port: int, workers: int, threads: int, broker_url: str) -> dict[str, list[str]]:
    """Name → command. The embedded broker's one worker carries the beat; a real broker may have many."""
    worker = worker_command()
    web = web_command(host, port, workers, threads)
    if broker_url.startswith(f"{SCHEME}:"):
        return {"web": web, "worker": [*worker, "--beat"]}
    return {"web": web, "worker": worker, "beat": [*celery_command(), "beat", "--loglevel=INFO"]}


def web_command(host: str, port: int, workers: int, threads: int) -> list[str]:
    # No backpressure option: granian counts idle keep-alive connections against it, so a few would block all.
    return [
        # Below errors granian only says that threads outnumber cores: ours wait for streams and models.
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--log-level", "error"),
        *("--host", host, "--port", str(port)),
        *("--workers", str(workers), "--blocking-threads", str(threads)),
        # A killed worker comes back; granian itself gives up when it dies again and again.
        *("--workers-kill-timeout", str(WEB_STOP_SECONDS), "--respawn-failed-workers"),
        *("--factory", "memsite.lifeline:web_application"),
    ]


def worker_command() -> list[str]:
    return [
        *(*celery_command(), "worker", "--loglevel=INFO"),
        *("--pool=threads", f"--concurrency={WORKER_THREADS}"),
        f"--queues={','.join(QUEUES_IN_ORDER)}",
    ]


def celery_command() -> list[str]:
    return [sys.executable, "-m", "celery", "--app=memsite", "--quiet"]


def child_environment(workers: int, threads: int) -> dict[str, str]:
    """Ours, how many web processes and threads there are, and the way to this checkout: the command may come from any
    folder.
    """
    site = str(Path(memsite.__file__).resolve().parent.parent)
    paths = [site, *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {"MEMSITE_LOG_FORMAT": log_format(), "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
    return {"MEMSITE_WEB_PROCESSES": str(workers), **os.environ, "MEMSITE_WEB_THREADS": str(threads), **ours}


def log_format() -> str:
    """`console` or `json`. The children write into a pipe and cannot see whether a person reads along."""
    given = get_conf().log_format
    if given != "auto":
        return given
    return "console" if sys.stdout.isatty() else "json"


def check_port(host: str, port: int) -> None:
    """CommandError if we could not listen there, before anything is started."""
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
                print(line if is_object(line) else as_object(line, message), file=self.output, flush=True)


def is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def as_object(line: str, message: Message) -> str:
    at = f"{message.time.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    return json.dumps({"event": line.rstrip(), "logger": message.name, "level": "info", "timestamp": at})


class ProcessTree(Manager):  # type: ignore[misc]
    """Honcho's manager, made safe for the moments it leaves open: the first and the last."""

    def __init__(self, lines: Lines | None = None) -> None:
        super().__init__(lines or Lines(sys.stdout))
        self._process_ctor = Branch

    def tell(self, text: str) -> None:
        self._system_print(text)

    def loop(self) -> None:
        # A closed terminal stops us in order too, unless `nohup` said otherwise.
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
            signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        super().loop()

    def _start(self) -> None:
        """Wait until every process has an id: honcho's handler of an early Ctrl-C looks them all up."""
        early = []
        with signals_held_back():
            super()._start()
            while not self._all_started():
                early.append(self.events.get())
                if early[-1].type == "start":
                    self._processes[early[-1].name]["pid"] = early[-1].data["pid"]
        for event in early:
            self.events.put(event)


class Branch(Process):  # type: ignore[misc]
    """One process of the tree and, between it and us, honcho's reader of its output."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._child_ctor = start_child

    def run(self, events: Any = None, ignore_signals: bool = False) -> None:
        die_with_starter()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        super().run(events, ignore_signals)


STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def signals_held_back() -> Iterator[None]:
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def start_child(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """A program that hears signals as if started from a shell and dies with its reader. No shell involved."""
    reader = os.getpid()

    def before_exec() -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        die_with_parent(reader)

    child: subprocess.Popen[bytes] = Popen(command, shell=False, preexec_fn=before_exec, **options)
    return child

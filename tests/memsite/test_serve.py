"""`manage.py serve`: which processes it starts, and what it says before it starts any."""

import errno
import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError

from memories.management.commands import serve
from memories.management.commands.serve import JsonLines
from memsite.ops import supervision
from memsite.ops.supervision import Supervisor
from tools.ports import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
# A parent that forks a child which asks to die with it, says so, and waits to be killed.
PARENT = """
import os, sys, time
from memsite.ops.processes import die_with_parent
ours, theirs = os.pipe()
child = os.fork()
if child == 0:
    die_with_parent()
    os.write(theirs, b"!")
    time.sleep(3600)
os.read(ours, 1)
print("ready", flush=True)
sys.stdin.read()
"""
# One whose child begins, and is killed before the child can ask.
GONE_BEFORE = """
import multiprocessing, os, sys, time
from memsite.ops.processes import die_with_starter
def ask_late(parent):
    print("ready", flush=True)
    while os.getppid() == parent:
        time.sleep(0.01)
    die_with_starter()
    print("alive", flush=True)
multiprocessing.get_context("fork").Process(target=ask_late, args=[os.getpid()]).start()
sys.stdin.read()
"""


def commands(broker_url: str) -> dict[str, list[str]]:
    return serve.processes("127.0.0.1", 8000, 2, 16, broker_url)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("web", ["granian", "--workers-kill-timeout 30", "--workers 3", "--blocking-threads 8", "--host 0.0.0.0"]),
        ("worker", ["worker", "--concurrency=6"]),
        ("beat", ["beat"]),
    ],
)
def test_one_part_alone_takes_the_place_of_the_command(
    part: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signals of whoever started it reach it."""
    ran: list[list[str]] = []
    monkeypatch.setattr(serve, "check_set_up", lambda: None)
    monkeypatch.setattr(os, "execve", lambda program, command, environment: ran.append(command) or sys.exit(0))
    monkeypatch.setenv("WORKER_THREADS", "6")
    with pytest.raises(SystemExit):
        call_command("serve", "--only", part, "--host", "0.0.0.0", "--workers", "3", "--threads", "8")  # noqa: S104
    assert [word for word in words if word not in " ".join(ran[0])] == []


def test_embedded_broker_needs_no_beat_the_worker_carries_it():
    embedded = commands("embedded:///data/broker")
    assert [name for name in embedded if "web" not in name] == ["worker"]
    assert "--beat" in embedded["worker"]


def test_real_broker_has_a_beat_of_its_own():
    real = commands("redis://localhost/0")
    assert [name for name in real if "web" not in name] == ["worker", "beat"]
    assert "--beat" not in real["worker"]
    assert "beat" in real["beat"]


def test_interactive_tasks_come_before_upkeep():
    assert "--queues=interactive,upkeep" in commands("embedded:///x")["worker"]


@pytest.mark.parametrize(
    ("platform", "names", "workers"), [("linux", ["web.1", "web.2", "web.3"], 1), ("darwin", ["web"], 3)]
)
def test_options_reach_the_web_servers_of_which_linux_has_one_for_each_process(monkeypatch, platform, names, workers):
    monkeypatch.setattr("sys.platform", platform)
    web = serve.web_commands("::1", 81, 3, 5)
    assert list(web) == names
    for command in web.values():
        assert f"--host ::1 --port 81 --workers {workers} --blocking-threads 5" in " ".join(command)


def test_children_get_our_environment_and_find_this_checkout(monkeypatch):
    monkeypatch.setenv("MEMSITE_TIME_ZONE", "Europe/Berlin")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    environment = serve.child_environment(2, 8)
    assert environment["MEMSITE_TIME_ZONE"] == "Europe/Berlin"
    assert (environment["MEMSITE_WEB_PROCESSES"], environment["MEMSITE_WEB_THREADS"]) == ("2", "8")
    assert environment["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "elsewhere"]


@pytest.mark.parametrize("given", ["2", "4"])
def test_children_have_two_arenas_unless_said_otherwise(monkeypatch, given):
    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    if given != serve.ARENAS:
        monkeypatch.setenv("MALLOC_ARENA_MAX", given)
    assert serve.child_environment(2, 8)["MALLOC_ARENA_MAX"] == given


@pytest.mark.parametrize(
    ("given", "is_terminal", "children"),
    [("auto", True, "console"), ("auto", False, "json"), ("json", True, "json"), ("console", False, "console")],
)
def test_logs_are_for_people_on_a_terminal_unless_said_otherwise(settings, monkeypatch, given, is_terminal, children):
    settings.MEMSITE = replace(settings.MEMSITE, log_format=given)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    assert serve.child_environment(2, 8)["MEMSITE_LOG_FORMAT"] == children


def test_taken_port_is_told_with_the_option_that_changes_it():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} on 127.0.0.1 is taken.*--port"):
            serve.check_port("127.0.0.1", port)


def test_free_port_is_no_error():
    serve.check_port("127.0.0.1", free_port())


def test_wrong_address_is_told_with_the_options_that_change_it():
    nobodys = "192.0.2.1"  # RFC 5737: for documentation, on no machine
    with pytest.raises(CommandError, match=f"Cannot listen on {nobodys}, .*--host and --port"):
        serve.check_port(nobodys, 8000)


def test_forbidden_port_is_told_with_the_option_that_changes_it():
    assert "--port" in serve.port_message("127.0.0.1", 80, PermissionError(errno.EACCES, "no"))


def test_address_is_shown_as_a_browser_takes_it():
    assert serve.url("127.0.0.1", 8000) == "http://127.0.0.1:8000"
    assert serve.url("::1", 8000) == "http://[::1]:8000"


@pytest.mark.parametrize("text", ["0", "-1", "65536", "1" + "0" * 20, "9" * 5000, "8.5", "x", "", "²", "١"])
@pytest.mark.parametrize(
    ("option", "most"), [("--port", 65_535), ("--workers", serve.MOST_PROCESSES), ("--threads", serve.MOST_THREADS)]
)
def test_a_number_that_cannot_be_is_told_with_those_that_can(option, most, text):
    with pytest.raises(CommandError, match=f"argument {option}: a whole number from 1 to {most}$"):
        call_command("serve", f"{option}={text}")


def test_numbers_that_can_be_are_taken():
    parser = serve.Command().create_parser("manage.py", "serve")
    given = parser.parse_args(["--port", "65535", "--workers", "1", "--threads", str(serve.MOST_THREADS)])
    assert (given.port, given.workers, given.threads) == (65_535, 1, serve.MOST_THREADS)


def test_logs_in_json_are_an_object_a_line_whatever_is_printed(monkeypatch, capfd):
    logged = {"event": "request", "ms": 1.5}
    program = (
        f"import json; print(json.dumps({logged!r})); print(); print('[1]'); print('[' * 100_000); "
        "print('worker: Warm \\u2028 shutdown')"
    )
    monkeypatch.setattr(supervision, "MOST_DEATHS", 1)
    supervisor = Supervisor(JsonLines(sys.stdout))
    supervisor.tell("Memsite starts.")
    supervisor.add("web", [sys.executable, "-c", program])
    supervisor.run()
    lines = [json.loads(line) for line in capfd.readouterr().out.split("\n") if line]
    assert lines[0]["event"] == "Memsite starts."
    assert logged in lines
    output = [(line["event"], line["level"]) for line in lines if line.get("logger") == "web"]
    assert output == [("[1]", "info"), ("[" * 100_000, "info"), ("worker: Warm \u2028 shutdown", "info")]
    assert all(
        datetime.fromisoformat(line["timestamp"]).utcoffset() == timedelta(0) for line in lines if line != logged
    )


HOLDER = """
import sys
from pathlib import Path
from memsite.ops.supervision import alone
with alone(Path(sys.argv[1]), "http://127.0.0.1:8000"):
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_a_data_directory_is_served_once_and_who_comes_second_is_told_by_whom(tmp_path):
    with (
        subprocess.Popen(  # noqa: S603  # our own lines
            [sys.executable, "-c", HOLDER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as holder,
    ):
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        who = rf"process {holder.pid}, since \d.*, at http://127\.0\.0\.1:8000\. Stop"
        with pytest.raises(CommandError, match=who), supervision.alone(tmp_path, "http://127.0.0.1:9000"):
            pass
        holder.kill()
    with supervision.alone(tmp_path, "http://127.0.0.1:9000"):
        assert (tmp_path / supervision.LOCK).read_text().startswith(f"process {os.getpid()}, since ")


def test_a_second_server_ends_before_it_starts_anything(settings, tmp_path, monkeypatch):
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path)
    monkeypatch.setattr(serve, "check_set_up", lambda: None)
    with supervision.alone(tmp_path, "http://127.0.0.1:9000"), pytest.raises(CommandError, match="served already"):
        call_command("serve", port=free_port())


@pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel's parent death signal")
@pytest.mark.parametrize("script", [PARENT, GONE_BEFORE])
def test_child_dies_with_a_killed_parent(script):
    parent = subprocess.Popen(  # noqa: S603  # our own lines
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.kill()
        # Both held the pipe's writing end: it closes when the last of them is gone.
        assert parent.stdout.read() == ""


@pytest.mark.django_db
def test_an_installation_that_is_not_set_up_is_told_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "is_migrated", lambda: False)
    with pytest.raises(CommandError, match=r"manage\.py setup"):
        serve.check_set_up()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("could not connect to server", r"cannot be used: could not connect to server\. See MEMSITE_DATABASE_URL"),
        ("unable to open database file", r"unable to open database file\. `manage\.py setup` makes"),
    ],
)
def test_a_database_that_cannot_be_reached_is_told_as_that(
    monkeypatch: pytest.MonkeyPatch, error: str, text: str
) -> None:
    def away() -> bool:
        raise OperationalError(error)

    monkeypatch.setattr(serve, "is_migrated", away)
    with pytest.raises(CommandError, match=text):
        serve.check_set_up()


@pytest.mark.django_db
def test_one_that_is_set_up_may_start() -> None:
    serve.check_set_up()

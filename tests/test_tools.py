"""What maintainers run: commands with something around them, the nearest tests, figures of the code, its language."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import ENDED, affected, call, language, measure_house, ports

AROUND = """
from tools import call
import sys
try:
    code = call([sys.executable, "-c", {command!r}])
    print("ended", code, flush=True)
finally:
    print("cleaned", flush=True)
"""
WAITS = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


def test_it_has_the_commands_exit_code() -> None:
    output = subprocess.run([sys.executable, "-c", AROUND.format(command="raise SystemExit(7)")], capture_output=True)  # noqa: S603  # our own
    assert output.stdout.split() == [b"ended", b"7", b"cleaned"]


def test_whoever_ends_it_ends_the_command_and_what_stands_around() -> None:
    program = [sys.executable, "-c", AROUND.format(command=WAITS)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # our own
        assert process.stdout
        inner = int(process.stdout.readline())
        process.terminate()
        assert process.stdout.read().split() == ["cleaned"]
        assert process.wait() == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(inner, 0)


def test_who_is_ended_while_the_command_is_begun_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    class Ended(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Ended)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit, match=str(ENDED)):
            call([sys.executable, "-c", WAITS])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [process.returncode for process in begun] == [-signal.SIGTERM]


def test_a_port_that_is_free_is_none_that_is_given_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", ports.free_port())) as server:
        taken = server.getsockname()[1]
        monkeypatch.setattr(ports, "CHOICE", range(taken, taken + 1))
        with pytest.raises(RuntimeError, match="No port is free"):
            ports.free_port()
    assert ports.free_port() == taken
    ephemeral = Path("/proc/sys/net/ipv4/ip_local_port_range")
    if ephemeral.exists():
        assert taken < int(ephemeral.read_text().split()[0])


IMPORTERS = {
    "memories.language.similarity": {"memories.capture.extraction", "tests.memories.language.test_similarity"},
    "memories.capture.extraction": {"memories.api.urls", "tests.memories.capture.test_facts"},
    "memories.api.urls": {"tests.api.test_facts"},
}


def test_tests_are_as_near_as_imports_lie_between() -> None:
    assert dict(affected.tests_of("memories/language/similarity.py", IMPORTERS)) == {
        "tests/memories/language/test_similarity.py": 1,
        "tests/memories/capture/test_facts.py": 2,
        "tests/api/test_facts.py": 3,
    }


def test_a_changed_test_is_nearest_to_itself() -> None:
    assert dict(affected.tests_of("tests/test_tools.py", affected.reverse_imports())) == {"tests/test_tools.py": 0}


def test_data_and_pages_and_docs_lead_to_who_reads_them() -> None:
    def tests_of(path: str) -> set[str]:
        return {test for test, _ in affected.tests_of(path, {})}

    assert tests_of("tests/data/tables/future.json") >= {"tests/memories/language/test_future.py"}
    assert tests_of("docs/api.md") == {"tests/test_docs.py"}
    assert "tests/dashboard/test_lists.py" in tests_of("templates/dashboard/base.html")
    assert tests_of("tests/cli/conftest.py") >= {"tests/cli/test_errors.py"}


def test_an_import_is_found_however_it_is_written() -> None:
    importers = affected.reverse_imports()
    assert "tests.test_tools" in importers["tools.affected"]
    assert "memories.language.relate" in importers["memories.language.relate.verdict"]
    assert "tests.api.test_apps" in importers["memories.api.urls"]


def test_the_nearest_run_and_the_rest_is_named() -> None:
    tests, durations = ["near", "large", "small", "unknown"], {"near": 1.0, "large": 90.0, "small": 2.0}
    assert affected.fit(tests, durations, 3.0) == (["near", "small", "unknown"], ["large"])
    assert affected.fit(["large", "near"], durations, 3.0) == (["near"], ["large"])
    assert affected.fit(["large", "larger"], durations | {"larger": 99.0}, 3.0) == (["large"], ["larger"])
    assert affected.fit(tests, durations, None) == (tests, [])


HOUSE = {
    "memsite/low.py": "from memories.high import answer\n\n\ndef helper(): # fmt: skip\n    return answer\n",
    "memories/high.py": '"""Read."""\n\nimport memsite.low\n\n\ndef answer():\n    return 1\n',
    "memories/migrations/0001_initial.py": "import memsite.low\n",
    "sessions/alone.py": "",
    "memsite_client/__init__.py": "",
    "manage.py": "import memories.high\n",
    "tests/test_low.py": "\n" * 6,
    "docs/page.md": "three more words\n",
    "README.md": "one\n",
    "ARCHITECTURE.md": "## From a candidate to a memory\n\n1. `a/b.py`\n2. `c.py`, `a/b.py`\n\n## Other\n\n`d.py`\n",
    ".importlinter": "[importlinter:contract:one-way]\ntype = layers\nlayers =\n    memories\n    memsite\n",
}


def test_the_house_is_measured(tmp_path: Path) -> None:
    for name, text in HOUSE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(measure_house.measure(tmp_path).values()) == [
        "5", "13", "2 / 2 / 2", "286", "0.46", "1", "5", "2", "-", "1", "1", "1", "4",
    ]  # fmt: skip


LANGUAGE = language.Language(
    pending=["memsite/old"],
    modules={"held": "vector_store"},
    names={"told": "what it holds"},
    words={"door": "endpoint"},
    phrases={"left in peace": "ignored"},
    allowed={"memsite/wire.py": ["door_id"]},
)
SAYS = '''"""Left in peace."""
class OpenDoor: ...
def told_off(told, indoors):
    self.door_id = "It is Left in peace."
'''


def test_words_of_the_old_language_are_refused_in_names_and_messages() -> None:
    assert list(LANGUAGE.check_file("memsite/held.py", SAYS)) == [
        "memsite/held.py: module held: vector_store",
        "memsite/held.py:2: OpenDoor: endpoint",
        "memsite/held.py:3: told: what it holds",
        "memsite/held.py:4: door_id: endpoint",
        "memsite/held.py:4: “Left in peace”: ignored",
    ]


def test_a_name_on_the_wire_is_allowed_in_its_file() -> None:
    assert not any("door_id" in problem for problem in LANGUAGE.check_file("memsite/wire.py", SAYS))


def test_the_text_of_a_template_is_checked_without_its_tags() -> None:
    text = '<p class="left in peace">{% told %}Left in peace</p>'
    assert len(list(LANGUAGE.check_file("templates/a.html", text))) == 1


def test_only_what_is_pending_is_not_renamed() -> None:
    assert [LANGUAGE.is_pending(where) for where in ("memsite/old/a.py", "memsite/older.py")] == [True, False]
    assert language.main([]) == 0

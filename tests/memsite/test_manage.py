"""`manage.py` itself: what it says where a command ends otherwise than it should."""

from __future__ import annotations

import pytest

from memsite import __main__
from tests.memsite.managing import manage


def test_ctrl_c_needs_no_explanation(capfd: pytest.CaptureFixture[str]) -> None:
    assert manage("shell", "-c", "raise KeyboardInterrupt") == 130
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "commands"),
    [
        (
            ["run", "--host", "0.0.0.0", "--port", "9000", "--unattended"],  # noqa: S104
            [
                "memsite-server setup --url http://127.0.0.1:9000 --unattended",
                "memsite-server serve --host 0.0.0.0 --port 9000 --workers 2 --threads 16",
            ],
        ),
        (
            ["run", "--host", "::1", "--url", "https://memory.example.org"],
            [
                "memsite-server setup --url https://memory.example.org",
                "memsite-server serve --host ::1 --port 8000 --workers 2 --threads 16",
            ],
        ),
        (["manage", "create_key", "--help"], ["memsite-server manage create_key --help"]),
    ],
)
def test_the_installed_command_runs(arguments: list[str], commands: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(__main__, "execute_from_command_line", lambda words: ran.append(" ".join(words)))
    monkeypatch.setattr(__main__.connections, "close_all", lambda: None)
    __main__.main(arguments)
    assert ran == commands

"""`manage.py` itself: what it says where a command ends otherwise than it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MANAGE = Path(__file__).parents[2] / "manage.py"


def test_ctrl_c_needs_no_explanation() -> None:
    command = [sys.executable, MANAGE, "shell", "-c", "raise KeyboardInterrupt"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 130
    assert "Traceback" not in ended.stderr

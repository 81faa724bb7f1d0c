"""`manage.py` itself: what it says where a command ends otherwise than it should."""

from __future__ import annotations

import pytest

from tests.memsite.managing import manage


def test_ctrl_c_needs_no_explanation(capfd: pytest.CaptureFixture[str]) -> None:
    assert manage("shell", "-c", "raise KeyboardInterrupt") == 130
    assert "Traceback" not in capfd.readouterr().err

"""Certificate authorities: one, where nothing in a test speaks TLS. All of them take each HTTP client 20 ms."""

from __future__ import annotations

from pathlib import Path

import certifi
import pytest

END = "-----END CERTIFICATE-----\n"


def trust_one_authority(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let HTTP clients of this process, and of those it starts, load one certificate."""
    file = folder / "authority.pem"
    file.write_text(Path(certifi.where()).read_text(encoding="utf-8").partition(END)[0] + END, encoding="utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))

"""Where the server is, as the last `manage.py setup` was told: for commands that show how to ask it."""

from __future__ import annotations

from memsite.conf import get_conf

USUAL = "http://127.0.0.1:8000"
FILE_NAME = "address"


def keep_address(url: str) -> None:
    (get_conf().data_dir / FILE_NAME).write_text(f"{url}\n")


def known_address() -> str:
    try:
        return (get_conf().data_dir / FILE_NAME).read_text().strip() or USUAL
    except OSError:
        return USUAL

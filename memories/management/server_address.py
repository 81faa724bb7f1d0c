"""Where the server is, as the last `manage.py setup` was told: for commands that show how to ask it."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.management.base import CommandError

from memsite.config.conf import get_conf

USUAL = "http://127.0.0.1:8000"
FILE_NAME = "address"


def checked_address(text: str) -> str:
    """Return the server's root, without a slash at its end; CommandError if it can be no address of one."""
    url = text.strip().rstrip("/")
    if reason := what_is_wrong(url):
        raise CommandError(f"--url {text!r}: {reason}. It is an address such as {USUAL} or https://memory.example.org.")
    return url


def what_is_wrong(url: str) -> str:
    """Return what is wrong with an address; empty if nothing is."""
    if not url.isprintable() or " " in url:
        return "there are blanks or control characters in it"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "its IPv6 address is none"
    if parts.scheme not in ("http", "https"):
        return "it begins with neither http:// nor https://"
    if not parts.hostname:
        return "there is no host in it"
    try:
        has_port = parts.port != 0
    except ValueError:
        has_port = False
    if not has_port:
        return "its port is none"
    if "@" in parts.netloc:
        return "a name or a password does not belong in it"
    return "nothing may follow a ? or a #" if "?" in url or "#" in url else ""


def store_address(url: str) -> None:
    (get_conf().data_dir / FILE_NAME).write_text(f"{url}\n")


def known_address() -> str:
    try:
        return (get_conf().data_dir / FILE_NAME).read_text().strip() or USUAL
    except OSError:
        return USUAL

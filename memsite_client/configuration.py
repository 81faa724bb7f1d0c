"""Where the server is and which key opens it: arguments, then the environment, then the file of `memsite login`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from memsite_client.errors import NotConfigured

DEFAULT_URL = "http://127.0.0.1:8000"
API = "/api/v1"


class Server(NamedTuple):
    """A server: `url` is its root, without a slash at its end; `key` may be empty."""

    url: str
    key: str

    @property
    def api(self) -> str:
        return self.url + API


def find_server(url: str | None = None, key: str | None = None, environment: Mapping[str, str] = os.environ) -> Server:
    """Return the server. NotConfigured without a key, or with an invalid address or key."""
    place = server_of(url, key, environment)
    if not place.key:
        raise NotConfigured(f"There is no key for {place.url}: set MEMSITE_API_KEY, or keep one with `memsite login`.")
    return place


def server_of(url: str | None = None, key: str | None = None, environment: Mapping[str, str] = os.environ) -> Server:
    """Return the server, whose key may be missing."""
    url, key = url or environment.get("MEMSITE_URL"), key or environment.get("MEMSITE_API_KEY")
    saved = {} if url and key else read_kept(config_file(environment))
    root = root_of(url or saved.get("url") or DEFAULT_URL)
    # A kept key goes to the server it was kept for, and to no other.
    is_its_own = root == root_of(saved.get("url") or DEFAULT_URL)
    return Server(root, checked_key(key or (saved.get("api_key", "") if is_its_own else "")))


def root_of(url: str) -> str:
    """Return the server's root, from its address with or without `/api/v1`."""
    root = url.strip().rstrip("/").removesuffix(API)
    try:
        parts = urlsplit(root)
        if (parts.hostname or "").isascii():
            # What no name can be, such as two dots in a row, is refused there only when it is looked up.
            (parts.hostname or "").encode("idna")
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise NotConfigured(f"{url!r} is no address of a server, such as {DEFAULT_URL}.")
    return root


def checked_key(key: str) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise NotConfigured("The key has characters that no key has: copy it again.")
    return key


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    home = environment.get("XDG_CONFIG_HOME") or Path(environment.get("HOME") or Path.home(), ".config")
    return Path(home, "memsite", "config.json")


def state_folder() -> Path:
    """Return the folder of state that may be lost, at the price of sending something twice."""
    home = os.environ.get("XDG_STATE_HOME") or Path(os.environ.get("HOME") or Path.home(), ".local", "state")
    return Path(home, "memsite")


def read_kept(path: Path) -> dict[str, str]:
    """Return what `memsite login` stored, empty without it. NotConfigured if the file cannot be read."""
    try:
        saved = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise NotConfigured(f"{path} cannot be read: {error}") from error
    if not isinstance(saved, dict):
        raise NotConfigured(f"{path} is not what `memsite login` writes.")
    return {name: value for name, value in saved.items() if isinstance(value, str)}


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a file atomically, also if we are killed, or two write at once. A link is followed."""
    import tempfile  # a hook that writes nothing is not kept waiting for it

    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

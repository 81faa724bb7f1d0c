"""The project that a folder belongs to, by its git remote: one scope for all its clones, work trees and agents."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

PREFIX = "project:"
MOST_CHARACTERS = 200
SECTION = re.compile(r'^\s*\[\s*(\w+)\s*(?:"(.*)")?\s*\]\s*$')
URL = re.compile(r"^\s*url\s*=\s*(\S.*?)\s*$", re.IGNORECASE)
# git@github.com:acme/app.git; C:\app is a path.
SCP = re.compile(r"^(?:[^@/\\:]+@)?(\[[^\]]+\]|[^:/\\]{2,}):(?!//)(.+)$")


def project_of(folder: str) -> str:
    """Return `project:github.com/acme/app`; without a remote `project:` and the path of its root, or of the folder.

    Nobody waits for git: its files are read. Whoever signs in to a remote, and its port, make no other project of it.
    """
    path = Path(folder).absolute() if folder else Path.cwd()
    git = git_folder(path)
    remote = normal_remote(remote_in(git)) if git else ""
    name = remote or str(root_of(path) or path).replace("\\", "/")
    return shortened(PREFIX + name)


def root_of(path: Path) -> Path | None:
    """Return the folder of the work tree; None outside of any."""
    try:
        return next((place for place in (path, *path.parents) if (place / ".git").exists()), None)
    except OSError:
        return None


def git_folder(path: Path) -> Path | None:
    """Return the folder that has `config`: the one of the main work tree, for others point to it."""
    root = root_of(path)
    if root is None:
        return None
    git = root / ".git"
    try:
        if git.is_file():
            git = root / git.read_text().partition("gitdir:")[2].strip()
            common = git / "commondir"
            git = git / common.read_text().strip() if common.is_file() else git
    except (OSError, UnicodeDecodeError):
        return None
    return git


def remote_in(git: Path) -> str:
    """Return the address of `origin`, else of the first remote; empty without any."""
    try:
        lines = (git / "config").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    remotes, name = dict[str, str](), ""
    for line in lines:
        if section := SECTION.match(line):
            name = section[2] or "" if section[1].lower() == "remote" else ""
        elif name and (url := URL.match(line)):
            remotes.setdefault(name, url[1].strip('"'))
    return remotes.get("origin") or next(iter(remotes.values()), "")


def normal_remote(url: str) -> str:
    """Return `github.com/acme/app` for each form of the address; of one that is a path, that. Never a password."""
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, path = parts.hostname or "", unquote(parts.path)
        except ValueError:
            return ""
        # Some serve ssh where only https passes: ssh.github.com, port 443.
        host = host.removeprefix("ssh.") if parts.scheme == "ssh" else host
    elif match := SCP.match(url):
        host, path = match[1], match[2]
    else:
        return url.replace("\\", "/").rstrip("/").removesuffix(".git") if url.startswith(("/", "\\")) else ""
    path = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host}/{path}".lower() if host else f"/{path}"


def shortened(name: str) -> str:
    """Return a name as the server takes it: of one too long the beginning, and what tells it from others alike."""
    if len(name) <= MOST_CHARACTERS:
        return name
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:16]
    return f"{name[: MOST_CHARACTERS - len(digest) - 1]}~{digest}"

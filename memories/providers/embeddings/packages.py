"""The files of models that come as packages: found, checked against pinned hashes, mapped."""

from __future__ import annotations

import hashlib
import mmap
from importlib.util import find_spec
from pathlib import Path

from .base import EmbedderMisconfigured


def locate_package(package: str, remedy: str) -> Path:
    """The folder of the package. It is looked up, never imported.

    Raises EmbedderMisconfigured when it is not installed.
    """
    spec = find_spec(package)  # for a top-level name this finds without executing
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderMisconfigured(f"the model package {package} is not installed; {remedy}")
    return Path(spec.submodule_search_locations[0])


def map_file(path: Path, sha256: str, remedy: str) -> mmap.mmap:
    """The file mapped into memory, read-only, once its SHA-256 is the pinned one (90 MB: 0.07 s).

    Raises EmbedderMisconfigured when it is missing or different.
    """
    try:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise EmbedderMisconfigured(f"{path.name} is not the file this version expects; {remedy}")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise EmbedderMisconfigured(f"{path.name} cannot be read ({error.strerror}); {remedy}") from error


def read_graph(path: Path, remedy: str) -> bytes:
    """Raises EmbedderMisconfigured when it is missing."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise EmbedderMisconfigured(f"{path.name} cannot be read; {remedy}") from error

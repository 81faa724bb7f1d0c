"""Build the bundle for Claude Desktop, `dist/memsite-VERSION.mcpb`: the bridge to a server, with all that it imports.

    .venv/bin/python -m tools.mcpb [--folder dist]

It has the packages that are installed here, which are Python alone: nothing is downloaded, here or where it runs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from memsite_client import __version__

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "integrations" / "mcpb"
NEEDED = "httpx"
MODULES = ("__init__.py", "configuration.py", "errors.py", "mcp_stdio.py", "wire.py")
LIBRARY = "server/lib"
# The same bytes for the same sources.
MOMENT = (2026, 1, 1, 0, 0, 0)


def requirements_of(name: str) -> Iterator[str]:
    """Yield a package's name and those of all that it needs here, extras left out."""
    waiting, seen = [name], set[str]()
    while waiting:
        current = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if current in seen:
            continue
        seen.add(current)
        try:
            package = distribution(current)
        except PackageNotFoundError:  # for another Python
            continue
        yield current
        needed = [line for line in package.requires or () if "extra ==" not in line]
        waiting += [match[0] for line in needed if (match := re.match(r"[\w.-]+", line))]


def library_files(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the path in the bundle and the file of each module and licence of a package."""
    for file in distribution(name).files or ():
        path = Path(str(file.locate()))
        if ".." in file.parts or "__pycache__" in file.parts or not path.is_file():
            continue
        if path.suffix in (".so", ".pyd"):
            raise SystemExit(f"{name} is not of Python alone: {file}")
        yield f"{LIBRARY}/{file.as_posix()}", path


def bundle_files() -> dict[str, bytes]:
    """Return the content of each file of the bundle by its path."""
    manifest = json.loads((SOURCE / "manifest.json").read_text()) | {"version": __version__}
    files = {"manifest.json": json.dumps(manifest, indent=2, ensure_ascii=False).encode()}
    files["server/main.py"] = (SOURCE / "server" / "main.py").read_bytes()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for module in MODULES:
        files[f"{LIBRARY}/memsite_client/{module}"] = (ROOT / "memsite_client" / module).read_bytes()
    for name in requirements_of(NEEDED):
        files |= {path: file.read_bytes() for path, file in library_files(name)}
    return files


def build(folder: Path) -> Path:
    """Write the bundle and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"memsite-{__version__}.mcpb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in sorted(bundle_files().items()):
            bundle.writestr(zipfile.ZipInfo(name, MOMENT), content, zipfile.ZIP_DEFLATED)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    path = build(parser.parse_args().folder)
    sys.stdout.write(f"{path}: {path.stat().st_size / 1024:.0f} KiB\n")


if __name__ == "__main__":
    main()

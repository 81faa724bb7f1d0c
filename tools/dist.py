"""The packages: build them, and try them where nothing else of this checkout is.

    .venv/bin/python -m tools.dist build .venv/dist/bin/python   # dist/*.whl and dist/*.tar.gz
    .venv/bin/python -m tools.dist try                           # installed elsewhere: does it remember?

Trying takes other packages from `.venv`, as the lock has them; ours come from the wheels alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import ZipFile

from memories.providers.embeddings.minilm import SHA256, locate_model, map_verified
from memsite_client import __version__
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PACKAGES = ("memsite", "memories", "sessions")
SERVER = (
    *(*PACKAGES, "requirements/run.in", "requirements/run.lock", "memsite_client/__init__.py"),
    *("templates", "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"),
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
PATIENCE_SECONDS = 90
SENTENCE, QUESTION = "We deploy on Tuesdays, never on Fridays", "when do we ship"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(required=True)
    tasks.add_parser("try").set_defaults(task=lambda _: try_all())
    building = tasks.add_parser("build")
    building.add_argument("builder", help="a Python with what requirements/dist.lock names")
    building.set_defaults(task=lambda options: build_all(options.builder))
    options = parser.parse_args(arguments)
    options.task(options)


def build_all(builder: str) -> None:
    """Build each from a copy: what a build leaves behind lies there. The model's does not change with a version."""
    for old in (path for path in DIST.glob("memsite*") if not path.name.startswith("memsite_minilm")):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="memsite-dist-") as folder:
        server, client, model = (Path(folder, name) for name in ("server", "client", "model"))
        for name in SERVER:
            copy(ROOT / name, server / name)
        build(builder, server)
        check_whole(server)
        copy(ROOT / "memsite_client", client)
        copy(ROOT / "LICENSE", client / "LICENSE")
        build(builder, client)
        if not list(DIST.glob("memsite_minilm-*.whl")):
            copy(ROOT / "packages" / "minilm", model)
            for name in SHA256:
                map_verified(locate_model() / name).close()
                copy(locate_model() / name, model / "memsite_minilm" / name)
            build(builder, model, "--wheel")


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT)
    else:
        shutil.copyfile(source, target)


def build(builder: str, project: Path, *kind: str) -> None:
    """Build an archive of the sources, and the wheel from what that holds."""
    # What setuptools says of folders without __init__.py, such as templates, is a page a build.
    command = [builder, "-W", "ignore", "-m", "build", "--no-isolation", "--outdir", DIST, *kind, project]
    say(run(command).strip().splitlines()[-1])


def check_whole(server: Path) -> None:
    """SystemExit where a file of the packages, such as a template, is in none of the wheel's folders."""
    (wheel,) = DIST.glob("memsite-*.whl")
    folders = [(server / name, name) for name in PACKAGES] + [(server / "templates", "memsite/templates")]
    sources = {
        f"{inside}/{path.relative_to(folder)}"
        for folder, inside in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    if missing := sources - set(ZipFile(wheel).namelist()):
        sys.exit(f"Not in {wheel.name}: {', '.join(sorted(missing))}")


def try_all() -> None:
    with tempfile.TemporaryDirectory(prefix="memsite-tried-") as folder:
        home = Path(folder)
        commands = install(home / "venv")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "PYTHON"))},
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/share",
            "XDG_CONFIG_HOME": f"{folder}/config",
        }
        url = f"http://127.0.0.1:{free_port()}"
        with serving([commands / "memsite-server", "run", "--port", url.rpartition(":")[2]], home, environment):
            wait_for(f"{url}/readyz")
            notes = (home / "share" / "memsite" / "first-start.txt").read_text()
            key = next(line.split()[-1] for line in notes.splitlines() if "Agent key" in line)
            as_agent = {**environment, "MEMSITE_URL": url, "MEMSITE_API_KEY": key}
            run([commands / "memsite", "store", SENTENCE, "--subject", "deploys"], home, as_agent)
            hits = run([commands / "memsite", "search", QUESTION], home, as_agent)
        if SENTENCE not in hits:
            sys.exit(f"It does not remember: {hits}")
    say(f"{__version__} from its wheels, outside of the checkout: it remembers.")


def install(venv: Path) -> Path:
    """Return the folder of the commands of a fresh environment with our wheels."""
    run([sys.executable, "-m", "venv", "--without-pip", venv])
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", venv / "bin" / "python"]
    run([*pip, "install", "--quiet", "--no-index", "--no-deps", "--no-compile", *DIST.glob("*.whl")])
    (library,) = venv.glob("lib/python*/site-packages")
    others = ROOT / ".venv" / "lib" / library.parent.name / "site-packages"
    (library / "others.pth").write_text(f"{others}\n")
    return venv / "bin"


def run(command: Sequence[object], folder: Path = ROOT, environment: dict[str, str] | None = None) -> str:
    """Return what it prints; SystemExit if it fails."""
    texts = [str(part) for part in command]
    done = subprocess.run(texts, cwd=folder, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join(texts)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def serving(command: Sequence[object], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run a server that ends in order, and print what it said if anything goes wrong."""
    log = folder / "server.log"
    texts = [str(part) for part in command]
    with log.open("w") as output:
        server = subprocess.Popen(texts, cwd=folder, env=environment, stdout=output, stderr=output)  # noqa: S603
    try:
        yield
    except SystemExit:
        say(log.read_text())
        raise
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)


def wait_for(url: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            with urlopen(url, timeout=5):  # noqa: S310  # our own, on loopback
                return
        except (URLError, OSError):
            time.sleep(0.2)
    sys.exit(f"{url} does not answer.")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])

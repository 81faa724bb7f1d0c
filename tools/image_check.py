"""The image without a container engine: run the Containerfile's steps in a root of Debian's, and the server in that.

    .venv/bin/python -m tools.image_check [EXTRA=…]     # needs root, debootstrap and bubblewrap; two minutes

In place of the base image stands what `debootstrap` makes, kept in `build/image`. The server runs as the image says:
not as root, on a file system that it cannot write to, and here without any network.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "image"
SUITE, BASE_IMAGE = "trixie", "debian:trixie-slim"
# As the slim images leave them out.
SLIM = ("var/cache/apt", "usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info")
MOST_MEGABYTES = 450
# What this machine reaches its registries with.
OF_THIS_MACHINE = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
SYSTEM_FILES = {"/etc/resolv.conf": "/etc/resolv.conf", "/etc/hosts": "/etc/hosts", AUTHORITIES: "/run/authorities"}
SENTENCE, QUESTION = "We deploy on Tuesdays, never on Fridays", "when do we ship"
TRIAL = """
{server} > /tmp/server.log 2>&1 & server=$!
for second in $(seq 120); do kill -0 $server || break; {health} 2> /tmp/health.log && break; sleep 1; done
{health} || {{ cat /tmp/server.log; exit 1; }}
export MEMSITE_API_KEY=$(sed -n 's/ *Agent key *//p' /data/first-start.txt)
memsite store "{sentence}" --subject deploys && memsite search "{question}"
! command -v pg_dump > /dev/null || pg_dump --version
id -u; touch /written 2> /dev/null && echo "The root can be written to."
kill $server; wait $server
"""


@dataclass
class Stage:
    """A file system on its way, and what the image says about running it."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "root"
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)


def main(given: dict[str, str]) -> None:
    """Check the image, made with the given arguments; without any its size, too."""
    missing = [name for name in ("debootstrap", "bwrap") if not shutil.which(name)]
    if missing or os.geteuid():
        sys.exit("Needs root, and on Debian: apt install debootstrap bubblewrap")
    with tempfile.TemporaryDirectory(prefix="memsite-image-") as scratch:
        image = build(instructions((ROOT / "Containerfile").read_text()), Path(scratch), given)
        megabytes = {name: size_of(folder) for name, folder in (("all", image.folder), ("base", base()))}
        output = try_out(image, Path(scratch))
    say(output)
    say(f"{megabytes['all']} MB, of which Debian and Python {megabytes['base']} MB")
    lines = output.splitlines()
    if SENTENCE not in output or lines[-1] in ("0", "The root can be written to."):
        sys.exit("It does not remember, runs as root or can write to its root.")
    if not given and megabytes["all"] > MOST_MEGABYTES:
        sys.exit(f"It is larger than {MOST_MEGABYTES} MB.")


def instructions(text: str) -> list[tuple[str, str]]:
    """Return pairs of instruction and argument: lines that go on put together, comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\s*\\\n\s*", " ", lines)
    return [(name, rest) for line in joined.splitlines() if line for name, _, rest in [line.partition(" ")]]


def build(steps: Sequence[tuple[str, str]], scratch: Path, given: dict[str, str]) -> Stage:
    """Return the last stage. Stages that it is not made of are left out, as an engine does."""
    stages: dict[str, Stage] = {}
    wanted = needed(steps)
    stage = None
    for number, (name, rest) in enumerate(steps):
        if name == "FROM":
            stage = begin(rest, stages, scratch / str(number)) if number in wanted else None
        elif stage:
            say(f"{name} {rest[:100]}")
            if name == "ARG":
                stage.arguments |= {key: given.get(key, value) for key, value in [shlex.split(rest)[0].split("=", 1)]}
            else:
                HANDLERS[name](stage, rest, stages)
    assert stage, "the last stage is always wanted"
    return stage


def needed(steps: Sequence[tuple[str, str]]) -> set[int]:
    """Return the numbers of the FROMs that the last one is made of."""
    names, uses, current = {}, {}, 0
    for number, (name, rest) in enumerate(steps):
        if name == "FROM":
            origin, _, alias = rest.partition(" AS ")
            current, uses[number] = number, {origin}
            names[alias or str(number)] = number
        elif name == "COPY" and rest.startswith("--from="):
            uses[current].add(rest.split()[0].removeprefix("--from="))
    wanted, todo = set(), [max(uses)]
    while todo:
        number = todo.pop()
        wanted.add(number)
        todo += [names[origin] for origin in uses[number] if origin in names]
    return wanted


def begin(rest: str, stages: dict[str, Stage], folder: Path) -> Stage:
    origin, _, alias = rest.partition(" AS ")
    if origin == "scratch":
        folder.mkdir()
        stage = Stage(folder)
    else:
        assert origin in (*stages, BASE_IMAGE), f"there is nothing here that could stand in place of {origin}"
        before = stages.get(origin) or Stage(base(), {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"})
        run(["cp", "-a", "--reflink=auto", before.folder, folder])
        stage = Stage(folder, dict(before.variables), workdir=before.workdir)
    stages[alias] = stage
    return stage


def base() -> Path:
    """Return the root that stands in place of the base image, made once."""
    folder = KEPT / SUITE
    if not folder.exists():
        say(f"Making a root of {SUITE} (once, some minutes) …")
        new = folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.parent.mkdir(parents=True, exist_ok=True)
        run(["debootstrap", "--variant=minbase", SUITE, new, *mirror()])
        for name in SLIM:
            shutil.rmtree(new / name, ignore_errors=True)
        excluded = "".join(f"path-exclude /{name}/*\n" for name in SLIM)
        (new / "etc" / "dpkg" / "dpkg.cfg.d" / "slim").write_text(excluded)
        new.rename(folder)
    return folder


def mirror() -> list[str]:
    """Return where this machine's packages come from, if it says so."""
    sources = Path("/etc/apt").glob("sources.list*/**/*.sources")
    addresses = re.findall(r"^URIs: *(\S+)", "\n".join(path.read_text() for path in sources), re.MULTILINE)
    return addresses[:1]


def run_step(stage: Stage, rest: str, _: dict[str, Stage]) -> None:
    binds = [part for name, to in SYSTEM_FILES.items() if Path(name).exists() for part in ("--ro-bind", name, to)]
    given = {name: os.environ[name] for name in OF_THIS_MACHINE if name in os.environ}
    given |= {"PIP_CERT": "/run/authorities", "DEBIAN_FRONTEND": "noninteractive"}
    variables = setenv({**stage.variables, **stage.arguments, **given})
    run([*sandbox(stage, "--bind"), *binds, *variables, "--chdir", stage.workdir, "/bin/sh", "-c", rest])


def copy_step(stage: Stage, rest: str, stages: dict[str, Stage]) -> None:
    words = shlex.split(rest)
    origin = stages[words.pop(0).removeprefix("--from=")].folder if words[0].startswith("--from=") else None
    *sources, target = words
    place = stage.folder / (Path(stage.workdir) / target).relative_to("/")
    place.mkdir(parents=True, exist_ok=True)
    for source in sources:
        if origin:
            run(["cp", "-a", f"{origin / source.lstrip('/')}/.", place])
        else:
            for path in files_of(source):
                to = place / (path.relative_to(ROOT) if source == "." else path.name)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)


def files_of(source: str) -> Iterator[Path]:
    """Yield the files of the context that `.containerignore` lets in."""
    lines = [line for line in (ROOT / ".containerignore").read_text().splitlines() if line and line[0] not in "#*"]
    allowed = [line[1:] for line in lines if line[0] == "!"]
    paths = [ROOT / source] if source != "." else [ROOT / name for name in allowed]
    for path in paths:
        inside = path.rglob("*") if path.is_dir() else [path]
        yield from (file for file in inside if file.is_file() and not fnmatch.fnmatch(str(file), "*/__pycache__/*"))


def set_variables(stage: Stage, rest: str, _: dict[str, Stage]) -> None:
    for word in shlex.split(rest):
        name, value = word.split("=", 1)
        stage.variables[name] = value.replace("$PATH", stage.variables.get("PATH", ""))


def set_workdir(stage: Stage, rest: str, _: dict[str, Stage]) -> None:
    stage.workdir = rest
    (stage.folder / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)


def set_user(stage: Stage, rest: str, _: dict[str, Stage]) -> None:
    stage.user = rest


def set_command(stage: Stage, rest: str, _: dict[str, Stage]) -> None:
    stage.command = json.loads(rest)


def set_health(stage: Stage, rest: str, _: dict[str, Stage]) -> None:
    stage.health = json.loads(rest.partition("CMD ")[2])


HANDLERS = {
    "RUN": run_step,
    "COPY": copy_step,
    "ENV": set_variables,
    "WORKDIR": set_workdir,
    "USER": set_user,
    "CMD": set_command,
    "HEALTHCHECK": set_health,
    **dict.fromkeys(("VOLUME", "EXPOSE"), lambda *_: None),
}


def try_out(image: Stage, scratch: Path) -> str:
    """Return what the trial prints: a memory found again, then the user's number."""
    data = scratch / "data"
    data.mkdir(mode=0o700)
    uid, gid = image.user.split(":")
    trial = TRIAL.format(
        server=shlex.join(image.command), health=shlex.join(image.health), sentence=SENTENCE, question=QUESTION
    )
    command = [
        *sandbox(image, "--ro-bind"),
        *("--bind", data, "/data", "--unshare-user", "--uid", uid, "--gid", gid, "--unshare-net", "--unshare-pid"),
        *setenv({**image.variables, "HOME": "/data"}),
    ]
    return run([*command, "/bin/sh", "-c", trial])


def sandbox(stage: Stage, binding: str) -> list[object]:
    """Return bubblewrap's command for a stage's root, with a /tmp of its own and no variable of ours."""
    mounts = ("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--perms", "1777", "--tmpfs", "/tmp")  # noqa: S108
    return ["bwrap", "--die-with-parent", "--clearenv", binding, stage.folder, "/", *mounts]


def setenv(variables: dict[str, str]) -> list[str]:
    return [part for name, value in variables.items() for part in ("--setenv", name, value)]


def size_of(folder: Path) -> int:
    """Return megabytes of the files themselves, as layers are counted."""
    return int(run(["du", "--summarize", "--apparent-size", "--block-size=1000000", folder]).split()[0])


def run(command: Sequence[object]) -> str:
    """Return what it prints; SystemExit with that if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}\n{command[0]} ended with {done.returncode}.")
    return done.stdout


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(dict(argument.split("=", 1) for argument in sys.argv[1:]))

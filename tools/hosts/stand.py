"""A site on eight hosts: balancer, two with web, one with worker and beat, two databases, PgBouncer, Redis.

Needs root, and on Debian and Ubuntu: apt install postgresql haproxy pgbouncer redis-server (and libfaketime).
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Self

import httpx

from tools.hosts import network
from tools.hosts.network import address_of, inside
from tools.hosts.services import (
    COMPOSE,
    DEPLOY,
    UNIT,
    Service,
    Unit,
    read_compose,
    read_unit,
    run_once,
)

PROGRAMS = {"haproxy": "haproxy", "pgbouncer": "pgbouncer", "redis-server": "redis-server", "ip": "iproute2"}
READY_SECONDS = 180
LOOK_EVERY_SECONDS = 0.1
DISK, DISK_NAME = "400m", "memsite-hosts"
"""Of the first primary, in memory: small, so that it can be filled."""
USER = "postgres"
BALANCER, POOLER = DEPLOY / "haproxy" / "haproxy.cfg", DEPLOY / "pgbouncer" / "pgbouncer.ini"
EXAMPLE = re.compile(r"\b10\.0\.0\.(\d+)\b")
"""The addresses in the files that users get. Their last numbers are those of the stand."""
POSTGRES = """
listen_addresses = '*'
unix_socket_directories = ''
wal_level = replica
hot_standby = on
max_wal_size = 128MB
min_wal_size = 32MB
wal_keep_size = 64MB
# A replica that has gone silent is noticed as soon as the hosts that ask.
wal_sender_timeout = 10s
wal_receiver_timeout = 10s
tcp_keepalives_idle = 10
tcp_keepalives_interval = 5
tcp_keepalives_count = 3
log_min_messages = warning
"""
ACCESS = (
    f"host all all {network.NETWORK}.0/24 scram-sha-256\nhost replication all {network.NETWORK}.0/24 scram-sha-256\n"
)


def bin_of_postgres() -> Path:
    """Return the folder of the newest server here. SystemExit if there is none."""
    servers = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not servers:
        raise SystemExit("There is no PostgreSQL. On Debian and Ubuntu: apt install postgresql")
    return servers[-1].parent


def with_addresses(text: str) -> str:
    """Return a file of deploy/ with the stand's addresses in the place of the example's."""
    return EXAMPLE.sub(rf"{network.NETWORK}.\1", text)


def check() -> None:
    """SystemExit if the stand cannot be had here, with what to do."""
    if os.geteuid():
        raise SystemExit("Namespaces need root: run this with sudo.")
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    if missing:
        raise SystemExit(f"On Debian and Ubuntu: apt install {' '.join(missing)}")


def remove_disks() -> None:
    """Unmount disks, of a stand that was killed, too, and remove what else that has left."""
    for line in Path("/proc/mounts").read_text().splitlines():
        name, place = line.split()[:2]
        if name == DISK_NAME:
            subprocess.run(["umount", place], check=False)  # noqa: S603, S607
            shutil.rmtree(Path(place).parent, ignore_errors=True)


class Database:
    """A PostgreSQL server on a host, primary or replica."""

    def __init__(self, host: str, folder: Path, password: str) -> None:
        self.host, self.folder, self.password = host, folder / "data", password
        self.bin = bin_of_postgres()
        folder.mkdir()
        shutil.chown(folder, USER, USER)
        # At -D: it takes on the server that was killed at once, as containers do.
        unit = Unit([str(self.bin / "postgres"), "-D", str(self.folder)], restart_seconds=1, stop_seconds=20, user=USER)
        self.service = Service(host, "postgres", unit, folder.with_suffix(".log"))

    def run(self, program: str, *arguments: str) -> str:
        unit = Unit((), environment={"PGPASSWORD": self.password})
        return run_once(self.host, [str(self.bin / program), *arguments], unit, USER)

    def init(self) -> None:
        secret = self.folder.parent / "secret"
        secret.write_text(self.password)
        shutil.chown(secret, USER)
        self.run("initdb", "-D", str(self.folder), "-U", "memsite", "--pwfile", str(secret), "-E", "UTF8",
                 "--locale=C.UTF-8", "-A", "scram-sha-256")  # fmt: skip
        secret.unlink()
        (self.folder / "postgresql.conf").open("a").write(POSTGRES)
        (self.folder / "pg_hba.conf").open("a").write(ACCESS)

    def follow(self, primary: Database) -> None:
        """Begin anew as a copy of another one, which it then follows."""
        shutil.rmtree(self.folder, ignore_errors=True)
        source = f"host={primary.host} user=memsite password={self.password} application_name={self.host}"
        self.run("pg_basebackup", "-D", str(self.folder), "-d", source, "-R", "-X", "stream", "-c", "fast")
        self.service.start()

    def sql(self, statement: str, database: str = "postgres") -> str:
        where = f"host={self.host} user=memsite dbname={database} connect_timeout=5"
        return self.run("psql", "-X", "-A", "-t", "-c", statement, where).strip()

    def set(self, **settings: str) -> None:
        for name, value in settings.items():
            self.sql(f"ALTER SYSTEM SET {name} = '{value}'")
        self.sql("SELECT pg_reload_conf()")

    def answers(self) -> bool:
        with suppress(RuntimeError):
            return self.sql("SELECT 1") == "1"
        return False

    def promote(self) -> None:
        """Make it the primary, as docs/deploy.md says. It waits for no replica of its own."""
        self.sql("SELECT pg_promote()")
        self.set(synchronous_standby_names="")


class Stand:
    """All hosts. `folder` is emptied by whoever made it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        folder.chmod(0o755)
        given = {
            "MEMSITE_SECRET_KEY": token_hex(24),
            "POSTGRES_PASSWORD": token_hex(24),
            "MEMSITE_ALLOWED_HOSTS": f"localhost,127.0.0.1,balancer,{address_of('balancer')}",
        }
        self.environment, database = read_compose(COMPOSE.read_text(), given)
        self.environment |= {"MEMSITE_TRUSTED_PROXIES": f"{address_of('balancer')}/32", **settings}
        self.password, self.database_name = database["POSTGRES_PASSWORD"], database["POSTGRES_DB"]
        self.databases: dict[str, Database] = {}
        self.services: dict[str, list[Service]] = {host: [] for host in network.HOSTS}
        self.operator_key = ""
        self.first = "db1"

    @property
    def primary(self) -> Database:
        return self.databases[self.first]

    @property
    def replica(self) -> Database:
        return self.databases["db2" if self.first == "db1" else "db1"]

    def __enter__(self) -> Self:
        check()
        network.remove()
        remove_disks()
        network.build()
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for service in self.all():
            service.is_wanted = False
        network.remove()
        remove_disks()

    def all(self) -> list[Service]:
        return [service for some in self.services.values() for service in some]

    def start(self) -> None:
        self.start_databases()
        self.add("queue", "redis", Unit(["redis-server", "--protected-mode", "no", "--save", "", "--appendonly", "no"]))
        pooler = self.write("pgbouncer.ini", with_addresses(POOLER.read_text()))
        secret = self.write("userlist.txt", f'"memsite" "{self.password}"\n')
        self.write("pgbouncer.ini", pooler.read_text().replace("/etc/pgbouncer/userlist.txt", str(secret)))
        self.add("db", "pgbouncer", Unit(["pgbouncer", str(pooler)], user=USER))
        text = with_addresses(BALANCER.read_text()).replace("/run/haproxy/", f"{self.folder}/")
        self.add("balancer", "haproxy", Unit(["haproxy", "-db", "-f", str(self.write("haproxy.cfg", text))]))
        self.wait("db", lambda: self.is_open("db", 5432))
        # The first start makes the tables; all others find them.
        for host, parts in (("web1", ["web"]), ("web2", ["web"]), ("worker", ["worker", "beat"])):
            self.add_memsite(host, *parts)
            if host == "web1":
                self.wait(host, lambda: self.is_ready("web1"))
        self.wait("web2", lambda: self.is_ready("web2"))
        self.operator_key = self.manage("web1", "create_key", "--operator").strip()
        self.wait("balancer", lambda: self.is_ready("balancer", 80))

    def start_databases(self) -> None:
        place = self.folder / "db1"
        self.databases = {host: Database(host, self.folder / host, self.password) for host in ("db1", "db2")}
        options = f"size={DISK},uid={USER},gid={USER},mode=0700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, DISK_NAME, str(place)], check=True)  # noqa: S603, S607
        primary, replica = self.databases.values()
        for server in (primary, replica):
            self.services[server.host].append(server.service)
        primary.init()
        primary.service.start()
        self.wait("db1", primary.answers)
        primary.sql(f"CREATE DATABASE {self.database_name}")
        replica.follow(primary)
        self.wait("db2", replica.answers)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o644)
        return path

    def add(self, host: str, name: str, unit: Unit, *, starts: bool = True) -> None:
        service = Service(host, name, unit, self.folder / f"{host}-{name}.log")
        self.services[host].append(service)
        if starts:
            service.start()

    def add_memsite(self, host: str, *parts: str, starts: bool = True) -> None:
        """Enable instances of deploy/systemd/memsite@.service on a host."""
        state = self.folder / host
        files = self.folder / "web1" / "memsite" / "static"
        if not state.exists():
            (state / "memsite").mkdir(parents=True)
            # As of an image: to collect and to compress them once is enough.
            if files.exists():
                shutil.copytree(files, state / "memsite" / "static")
        listen = {"SERVE_OPTIONS": f"--host {address_of(host)} --workers 1"} if "web" in parts else {}
        for part in parts:
            unit = read_unit(UNIT.read_text(), part, state, {**self.environment, **listen})
            self.add(host, part, unit, starts=starts)

    def manage(self, host: str, *arguments: str) -> str:
        service = next(item for item in self.services[host] if item.unit.before)
        program = service.unit.before[0]
        return run_once(host, [*program[: program.index("setup")], *arguments], service.unit)

    def wait(self, host: str, is_there: Callable[[], bool], seconds: float = READY_SECONDS) -> float:
        """Return after how many seconds it is. RuntimeError if it is not in time."""
        begun = time.monotonic()
        while not is_there():
            if time.monotonic() > begun + seconds:
                logs = "".join(item.log.read_text(errors="replace")[-1500:] for item in self.services[host])
                raise RuntimeError(f"{host} is not ready after {seconds:.0f} s: {logs}")
            time.sleep(LOOK_EVERY_SECONDS)
        return time.monotonic() - begun

    def is_ready(self, host: str, port: int = 8000) -> bool:
        with inside("clients"), suppress(httpx.HTTPError):
            return httpx.get(f"http://{address_of(host)}:{port}/readyz", timeout=5).status_code == 200
        return False

    def is_open(self, host: str, port: int, from_: str = "clients") -> bool:
        with inside(from_), suppress(OSError):
            socket.create_connection((address_of(host), port), timeout=1).close()
            return True
        return False

    def lose(self, host: str) -> None:
        """Take a host away, as when its power is cut: nobody hears of it, and what it held in memory is lost."""
        network.plug(host, in_=False)
        for service in self.services[host]:
            service.is_wanted = False
        network.kill(network.namespace_of(host))

    def bring_back(self, host: str) -> None:
        """Boot a host, which starts what is enabled."""
        network.plug(host, in_=True)
        for service in self.services[host]:
            service.start()

    def balance(self, command: str) -> str:
        """Ask HAProxy at its socket."""
        with socket.socket(socket.AF_UNIX) as admin:
            admin.connect(str(self.folder / "admin.sock"))
            admin.sendall(f"{command}\n".encode())
            return b"".join(iter(lambda: admin.recv(65536), b"")).decode()

    def turn_to(self, primary: str) -> None:
        """Let PgBouncer ask another primary."""
        path = self.folder / "pgbouncer.ini"
        path.write_text(re.sub(r"host=\S+", f"host={address_of(primary)}", path.read_text()))
        where = "host=db user=memsite dbname=pgbouncer"
        self.databases[primary].run("psql", "-X", "-c", "RELOAD", where)
        self.first = primary

    def stat(self, host: str, column: str) -> str:
        """Return what HAProxy says of a web host."""
        lines = self.balance("show stat").lstrip("# ").splitlines()
        names, rows = lines[0].split(","), [line.split(",") for line in lines[1:] if line]
        return next(dict(zip(names, row, strict=False))[column] for row in rows if row[:2] == ["web", host])

    def is_idle(self, host: str) -> bool:
        return self.stat(host, "scur") == "0"

    def is_up(self, host: str) -> bool:
        return self.stat(host, "status") == "UP"

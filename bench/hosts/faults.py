"""The faults: what is broken, for how long, and how long it took until all was well again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import httpx
import psycopg

from bench.hosts.load import URL, Found, Load, answer_of, client_of, everything, new_app, under_load, wait_until_learnt
from memsite_client import Memsite
from tools.hosts import network
from tools.hosts.network import inside
from tools.hosts.services import Service, Unit, released, released_unit
from tools.hosts.stand import Stand

BEFORE_SECONDS, AFTER_SECONDS = 6, 8
"""Of load around a fault."""
CUT_SECONDS = 60
APART_SECONDS = 300
SOON_SECONDS = 60
RUNNING = ("memories_extraction", "jobs_jobrun")
QUIET = "worked-on"
WANTED = "status = 'running' AND app_id = (SELECT id FROM tenancy_app WHERE app_id = %s)"
TEXTS = 3


@dataclass(frozen=True, slots=True)
class Result:
    check: Found
    note: str
    most_silent: float
    """What docs/promises.md allows, in seconds."""
    is_right: bool = True
    """Whether what is special about this fault came out as it should."""

    @property
    def silence(self) -> float:
        return max(self.check.log.silence(kind)[0] for kind in ("write", "search"))

    @property
    def holds(self) -> bool:
        return self.check.holds and self.is_right and self.silence <= self.most_silent


def lose_a_web_host(stand: Stand) -> Result:
    with under_load(stand, "web-lost") as load:
        time.sleep(BEFORE_SECONDS)
        stand.lose("web2")
        time.sleep(2 * AFTER_SECONDS)
        stand.bring_back("web2")
        back = stand.wait("web2", lambda: stand.is_ready("web2"))
        time.sleep(AFTER_SECONDS)
    return Result(load.check(), f"the host was back {back:.0f} s after its start", 15)


def lose_the_worker_host(stand: Stand) -> Result:
    """In the middle of an extraction and of a nightly job: we hold a lock that each needs to go on.

    Their leases would run out after 15 and 5 minutes: we let them, and then wait for who takes the work up.
    """
    with under_load(stand, "worker-lost", statements=False) as load:
        time.sleep(BEFORE_SECONDS)
        key = new_app(stand, QUIET)
        with ThreadPoolExecutor(2) as pool:
            caught = [pool.submit(hold_running, stand, table) for table in RUNNING]
            with inside("clients"), Memsite(URL, key, retries=9) as agent:
                sessions = [agent.create("sessions", {"external_id": f"s{number}"})["id"] for number in range(TEXTS)]
            with inside("clients"), Memsite(URL, stand.operator_key, retries=9) as operator:
                operator.create("jobs/nightly/run", {"app_id": QUIET})
            with inside("clients"), Memsite(URL, key, retries=9) as agent:
                for number, session in enumerate(sessions):
                    body = {"messages": [{"role": "user", "content": f"The probe z{number} takes 3 seconds to answer"}]}
                    agent.create(f"sessions/{session}/messages", body)
            stand.wait("worker", lambda: all(job.done() for job in caught), SOON_SECONDS)
            stand.lose("worker")
        locked_pks = []
        for connection, pk in (job.result() for job in caught):
            connection.close()
            locked_pks.append(pk)
        for table in RUNNING:
            asks(stand, f"UPDATE {table} SET lease_until = now() WHERE status = 'running'")  # noqa: S608  # our own
        begun = time.monotonic()
        stand.bring_back("worker")
        done = [
            f"SELECT status = 'done' AND attempts = 2 FROM {table} WHERE id = {pk}"  # noqa: S608  # our own
            for table, pk in zip(RUNNING, locked_pks, strict=True)
        ]
        stand.wait("worker", lambda: all(asks(stand, sql) == "t" for sql in done))
        with inside("clients"):
            wait_until_learnt(key)
            contents = [str(row["content"]) for row in everything(key, "memories")]
        taken_up = time.monotonic() - begun
    learnt = [sum(f"probe z{number} " in text for text in contents) for number in range(TEXTS)]
    note = f"text and job were done {taken_up:.0f} s after the new start; of {TEXTS} texts {sum(learnt)} memories"
    return Result(load.check(), note, 15, learnt == [1] * TEXTS)


def hold_running(stand: Stand, table: str) -> tuple[psycopg.Connection, int]:
    """Lock one row of work the moment that a worker has begun it. Return who holds it, and its key."""
    connection = connect(stand)
    sql = f"SELECT id FROM {table} WHERE {WANTED} LIMIT 1 FOR UPDATE SKIP LOCKED"  # noqa: S608  # our own
    until = time.monotonic() + SOON_SECONDS
    while time.monotonic() < until:
        for (pk,) in connection.execute(sql, [QUIET]).fetchall():
            return connection, int(pk)
        connection.rollback()
        time.sleep(0.002)
    raise RuntimeError(f"Nobody was seen at work in {table}.")


def connect(stand: Stand) -> psycopg.Connection:
    where = f"hostaddr={network.address_of(stand.first)} user=memsite dbname={stand.database_name}"
    with inside("clients"):
        return psycopg.connect(where, password=stand.password)


def asks(stand: Stand, sql: str) -> str:
    return stand.primary.sql(sql, stand.database_name)


def lose_redis(stand: Stand) -> Result:
    (redis,) = stand.services["queue"]
    with under_load(stand, "redis-lost") as load:
        time.sleep(BEFORE_SECONDS)
        stand.lose("queue")
        time.sleep(2 * AFTER_SECONDS)
        stand.bring_back("queue")
        stand.wait("queue", lambda: stand.is_open("queue", 6379))
        time.sleep(AFTER_SECONDS)
    ended = time.monotonic()
    check = load.check()
    learnt = time.monotonic() - ended
    note = f"away for {2 * AFTER_SECONDS} s; all was learnt {learnt:.0f} s after the load"
    return Result(check, note, 15, redis.starts == 2)


def cut_a_web_host_off(stand: Stand) -> Result:
    with under_load(stand, "cut-off") as load:
        time.sleep(BEFORE_SECONDS)
        network.cut("web1", "db")
        begun = time.monotonic()
        time.sleep(CUT_SECONDS / 2)
        is_out = not stand.is_ready("web1")
        time.sleep(max(0.0, begun + CUT_SECONDS - time.monotonic()))
        network.mend("web1", "db")
        back = stand.wait("web1", lambda: stand.is_ready("web1"))
        time.sleep(AFTER_SECONDS)
    return Result(load.check(), f"cut for {CUT_SECONDS} s; ready {back:.1f} s after its end", 15, is_out)


def lose_the_primary(stand: Stand) -> Result:
    """Every acknowledged write waits until the replica has it."""
    stand.primary.set(synchronous_standby_names="*", synchronous_commit="remote_apply")
    stand.wait(
        stand.primary.host,
        lambda: stand.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1",
        SOON_SECONDS,
    )
    return fail_over(stand, "primary-lost-remote-apply", may_lose=False)


def lose_the_primary_unsynchronised(stand: Stand) -> Result:
    """As PostgreSQL comes: what the replica has not got yet is gone."""
    return fail_over(stand, "primary-lost", may_lose=True)


def fail_over(stand: Stand, name: str, *, may_lose: bool) -> Result:
    old, new = stand.primary, stand.replica
    with under_load(stand, name) as load:
        time.sleep(BEFORE_SECONDS)
        stand.lose(old.host)
        begun = time.monotonic()
        new.promote()
        stand.turn_to(new.host)
        turned = time.monotonic() - begun
        time.sleep(2 * AFTER_SECONDS)
    check = load.check()
    # The old one comes back as a copy of the new one, and never as itself.
    network.plug(old.host, in_=True)
    stand.wait(old.host, partial(stand.is_open, new.host, 5432, old.host), SOON_SECONDS)
    old.follow(new)
    stand.wait(old.host, old.answers)
    lost = len(check.lost)
    note = f"promoted and turned to in {turned:.1f} s; the old one follows it now"
    if may_lose:
        check = Found(check.writes, check.searches, [], check.twice, [], check.log)
        note += f"; {lost} acknowledged writes were not on the replica"
    return Result(check, note, 30)


def set_clocks_apart(stand: Stand) -> Result:
    """One web host with a worker is five minutes ahead of the others."""
    stand.add_memsite("web2", "worker", starts=False)
    web, worker = stand.services["web2"]
    web.stop()
    for service in (web, worker):
        service.with_clock(APART_SECONDS)
        service.start()
    stand.wait("web2", lambda: stand.is_ready("web2"))
    try:
        with under_load(stand, "clocks-apart") as load:
            time.sleep(BEFORE_SECONDS)
            problems = [*check_clocks(load.key)]
            time.sleep(3 * AFTER_SECONDS)
        ended = time.monotonic()
        check = load.check()
        learnt = time.monotonic() - ended
    finally:
        worker.stop()
        stand.services["web2"].remove(worker)
        web.stop()
        web.with_clock(0)
        web.start()
        stand.wait("web2", lambda: stand.is_ready("web2"))
    runs = asks(stand, "SELECT count(*) - count(DISTINCT (app_id, job, period)) FROM jobs_jobrun")
    note = f"all was learnt {learnt:.0f} s after the load; {'; '.join(problems) or 'hosts agree on what time it is'}"
    return Result(check, note, 15, not problems and runs == "0" and learnt < SOON_SECONDS)


def check_clocks(key: str) -> Iterator[str]:
    """Yield what two hosts do not agree on."""
    with inside("clients"):
        addresses = [f"http://{network.address_of(host)}:8000" for host in ("web1", "web2")]
        first, second = (client_of(key, address) for address in addresses)
        bodies = [{"content": f"Seen by {client.base_url.host}"} for client in (first, second)]
        made = [
            answer_of(client.post("memories", json=body)) for client, body in zip((first, second), bodies, strict=True)
        ]
        moments = [datetime.fromisoformat(str(row["created_at"])) for row in made]
        if abs((moments[0] - moments[1]).total_seconds()) > SOON_SECONDS:
            yield f"created_at is {abs((moments[0] - moments[1]).total_seconds()):.0f} s apart"
        # One key to both at once, again and again until it is answered: one effect.
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(repeat, key, address, "twin") for address in addresses]
            answers = {job.result() for job in jobs}
        if len(answers) != 1:
            yield f"one Idempotency-Key had {len(answers)} answers"


def repeat(key: str, address: str, idempotency_key: str) -> str:
    with inside("clients"), client_of(key, address) as client:
        while True:
            answer = client.post("memories", json={"content": "A twin is born", "dedupe": False},
                                 headers={"Idempotency-Key": idempotency_key})  # fmt: skip
            if answer.status_code != 409:
                return str(answer_of(answer)["id"])
            time.sleep(0.1)


def fill_the_disk(stand: Stand) -> Result:
    """All that is left of the primary's disk is taken for a while, its log's part, too."""
    statuses: dict[int, int] = {}
    with under_load(stand, "disk-full", statements=False) as load:
        time.sleep(BEFORE_SECONDS)
        ballast = stand.primary.folder.parent / "ballast"
        with stop_after(fill, ballast):
            watch(stand, load.key, 3 * AFTER_SECONDS, statuses)
        ballast.unlink()
        begun = time.monotonic()
        stand.wait("db1", lambda: writes_again(load), SOON_SECONDS)
        back = time.monotonic() - begun
        time.sleep(AFTER_SECONDS)
    counts = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
    note = f"single writes meanwhile: {counts}; written again {back:.1f} s after there was room"
    return Result(load.check(), note, 3 * AFTER_SECONDS + 15, statuses.keys() <= {201, 503, 507})


@contextmanager
def stop_after(work: Callable[[threading.Event, Path], None], path: Path) -> Iterator[None]:
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over, path), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def fill(over: threading.Event, path: Path) -> None:
    """Take what is free, whatever others give back meanwhile."""
    with path.open("ab", buffering=0) as file:
        while not over.is_set():
            with suppress(OSError):
                while not over.is_set():
                    file.write(bytes(1 << 16))
            time.sleep(0.01)


def watch(stand: Stand, key: str, seconds: float, statuses: dict[int, int]) -> None:
    """Write by hand, without repeats: which answers there are."""
    until = time.monotonic() + seconds
    with inside("clients"), client_of(key) as client:
        number = 0
        while time.monotonic() < until:
            number += 1
            with suppress(httpx.HTTPError):
                answer = client.post("memories", json={"content": f"Single {number}", "dedupe": False})
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                if answer.status_code in (503, 507) and "Retry-After" not in answer.headers:
                    statuses[-answer.status_code] = statuses.get(-answer.status_code, 0) + 1
            time.sleep(0.3)


def writes_again(load: Load) -> bool:
    written = load.log.answered["write"]
    return bool(written) and time.monotonic() - written[-1] < 0.5


def upgrade(stand: Stand) -> Result:
    """As docs/deploy.md says, from the last release: worker and beat first, then each web host out of the balancer."""
    version, folder = released(stand.folder / "release")
    units = {}
    for host in ("worker", "web1", "web2"):
        for service in stand.services[host]:
            units[service] = service.unit
            service.stop()
            service.unit = released_unit(service.unit, service.name, host, folder)
            service.start()
    for host in ("web1", "web2"):
        stand.wait(host, partial(stand.is_ready, host))
    # The balancer looks a few times before it takes a host back.
    stand.wait("balancer", lambda: stand.is_up("web1") and stand.is_up("web2"), SOON_SECONDS)
    with under_load(stand, "upgrade") as load:
        time.sleep(BEFORE_SECONDS)
        for service in stand.services["worker"]:
            install(service, units[service])
        for host in ("web1", "web2"):
            stand.balance(f"set server web/{host} state drain")
            stand.wait(host, partial(stand.is_idle, host), SOON_SECONDS)
            (service,) = stand.services[host]
            install(service, units[service])
            stand.wait(host, partial(stand.is_ready, host))
            stand.balance(f"set server web/{host} state ready")
            stand.wait(host, partial(stand.is_up, host), SOON_SECONDS)
            time.sleep(AFTER_SECONDS)
    failed = load.log.failed.total()
    return Result(load.check(), f"from {version}, on tables of this version", 15, not failed)


def install(service: Service, unit: Unit) -> None:
    service.stop()
    service.unit = unit
    service.start()


FAULTS: dict[str, tuple[str, Callable[[Stand], Result]]] = {
    "web": ("web host lost under load", lose_a_web_host),
    "worker": ("worker host lost in an extraction and a nightly job", lose_the_worker_host),
    "redis": ("Redis lost, back empty", lose_redis),
    "cut": ("web host and database cut apart", cut_a_web_host_off),
    "clocks": ("clocks five minutes apart", set_clocks_apart),
    "disk": ("database's disk full", fill_the_disk),
    "upgrade": ("rolling upgrade", upgrade),
    "primary": ("primary lost, replica promoted", lose_the_primary_unsynchronised),
    "primary-sync": ("the same with `remote_apply`", lose_the_primary),
}

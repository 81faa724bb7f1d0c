"""What docs/promises.md says, on a real site, in the small. At full scale: `make promises`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.parser import text_string_to_metric_families

from bench.promises.copies import Outcome as Copies
from bench.promises.copies import send_copies
from bench.promises.crowd import write_together
from bench.promises.keys import hit_limit, revoke, rotate
from bench.promises.kills import kill_under_load
from bench.promises.locked import hold_lock
from bench.promises.memory import SAMPLES, keep_asking
from bench.promises.mingle import mingle
from bench.promises.site import LOOK_EVERY_SECONDS, PATIENCE_SECONDS, START_SECONDS, Site
from bench.promises.slow import send_slowly
from bench.promises.traces import purge_in_use

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("site")]

SEARCHES = 6

HEALTHZ = "memsite_http_requests_total healthz"
STARTS, PROCESSES, WORKER = "memsite_process_starts_total web", "memsite_processes web", "memsite_processes worker"


def scraped(site: Site) -> dict[str, float]:
    """Samples by name and the label that tells them apart here."""
    token = {"Authorization": f"Bearer {site.environment['MEMSITE_METRICS_TOKEN']}"}
    text = httpx.get(f"{site.url}/metrics", headers=token, timeout=PATIENCE_SECONDS).text
    return {
        f"{sample.name} {sample.labels.get('route') or sample.labels.get('process') or ''}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_whoever_is_asked_tells_what_all_processes_have_counted(site: Site) -> None:
    question = scraped(site).get(HEALTHZ, 0.0) + 60
    for _ in range(60):
        httpx.get(f"{site.url}/healthz", timeout=PATIENCE_SECONDS)  # a connection each, to whichever takes it
    files = [MmapedDict.read_all_values_from_file(path) for path in (site.folder / "metrics").glob("counter_web-*.db")]
    assert sum(any('"healthz"' in key for key, *_ in file) for file in files) >= 2, "one process answered them all"
    before = [scraped(site) for _ in range(6)]
    assert [item[HEALTHZ] for item in before] == [question] * 6
    assert before[0][PROCESSES] == 2
    assert site.kill("web", min)
    assert scraped_when_back(site, before[0][STARTS] + 1)[HEALTHZ] == question


def scraped_when_back(site: Site, starts: float) -> dict[str, float]:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            results = scraped(site)
        except httpx.HTTPError:
            results = {}
        if (results.get(STARTS), results.get(PROCESSES), results.get(WORKER)) == (starts, 2, 1):
            return results
        time.sleep(LOOK_EVERY_SECONDS)
    raise AssertionError("The process did not come back.")


def test_a_limit_is_exact_however_many_processes_are_asked_at_once(site: Site) -> None:
    done = hit_limit(site, requests=80, limit=30)
    assert done.holds, done


def test_a_revoked_key_opens_nothing_in_any_process(site: Site) -> None:
    done = revoke(site, rounds=80)
    assert done.holds, done


def test_a_key_is_replaced_without_a_failed_request(site: Site) -> None:
    done = rotate(site, rotations=2)
    assert done.holds, done
    assert done.statuses[200] > 100


@dataclass(frozen=True, slots=True)
class Restarted:
    """What came of copies, half of which were sent after a restart in order, and of a memory found before it."""

    copies: Copies
    access_count: int


@pytest.fixture(scope="module")
def restarted(site: Site) -> Restarted:
    (key,) = site.new_app("counting")
    agent = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=agent, timeout=PATIENCE_SECONDS) as client:
        stored = client.post("/memories", json={"content": "Whales sing"}).json()
        for _ in range(SEARCHES):
            assert client.post("/memories/search", json={"query": "whales"}).json()["results"]
    copies = send_copies(site, keys=25, copies=8)
    displayed = httpx.get(f"{site.url}/api/v1/memories/{stored['id']}", headers=agent, timeout=PATIENCE_SECONDS)
    return Restarted(copies, displayed.json()["access_count"])


def test_copies_of_a_request_have_one_effect_and_one_answer_also_after_a_restart(restarted: Restarted) -> None:
    done = restarted.copies
    assert (done.created, done.unlike, done.statuses) == (25, 0, Counter({201: 25 * 8 + 25}))


def test_a_site_that_stops_in_order_has_counted_what_was_searched(restarted: Restarted) -> None:
    assert restarted.access_count == SEARCHES


def test_no_file_of_a_site_in_use_holds_a_byte_of_what_was_purged(site: Site) -> None:
    if site.environment.get("MEMSITE_DATABASE_URL"):
        pytest.skip("its files are PostgreSQL's own")
    done = purge_in_use(site, memories=60)
    assert done.holds, done
    assert {"memsite.sqlite3", "memsite.sqlite3-wal"} & done.before.keys()


def test_writers_that_come_together_are_all_served_while_others_look_and_upkeep_runs(site: Site) -> None:
    done = write_together(site, writers=6, posts=8)
    assert done.holds, (done.statuses, done.lost, done.rounds, done.waits[-3:])
    assert done.pages > 0


def test_all_kinds_of_requests_to_the_same_few_memories_are_answered(site: Site) -> None:
    done = mingle(site, guests=6, acts=60)
    assert done.holds, done.broken
    assert done.statuses[200] > 100


def test_the_memory_of_each_web_process_is_looked_at_while_they_are_asked(site: Site) -> None:
    done = keep_asking(site, requests=160, memories=50)
    assert done.holds, done
    assert [len(sizes) for sizes in done.resident.values()] == [SAMPLES] * 2
    assert all(min(sizes) > 2**20 for sizes in done.resident.values())


def test_whoever_sends_half_of_a_request_keeps_nobody_from_an_answer(site: Site) -> None:
    done = send_slowly(site, strangers=48, known=12)
    assert done.holds, done
    assert done.statuses[201] > 0


def test_readers_and_some_writers_are_answered_while_the_lock_is_held(site: Site) -> None:
    if site.environment.get("MEMSITE_DATABASE_URL"):
        pytest.skip("PostgreSQL has no lock that all writers wait for")
    done = hold_lock(site, writers=40, readers=12, seconds=0)
    assert done.holds, done


def test_what_was_acknowledged_is_there_once_whatever_is_killed(site: Site) -> None:
    done = kill_under_load(site, ["web", "worker", "all"])
    assert done.holds, done
    assert done.kills == {"web": 1, "worker": 1, "all": 1}
    assert done.acknowledged > 20


@pytest.fixture
def own_children(site: Site) -> Iterator[Site]:
    """Started anew before, so that few deaths are counted, and after."""
    site.restart()
    yield site
    site.restart()


def test_whichever_two_die_are_started_again_and_all_end_when_asked_or_with_the_first(own_children: Site) -> None:
    site = own_children
    process = site.process
    assert process is not None
    for parts in (["server", "worker"], ["beat", "web"]):
        before = site.left()
        for part in parts:
            assert site.kill(part, min)
        wait_until(lambda dead=before: is_whole(site) and site.left() != dead)
    assert site.kill_children()
    site.wait_until_ready()
    assert site.process is process
    assert site.kill_children()
    site.stop()
    assert process.returncode == 0
    wait_until(lambda: not site.left())
    assert "It starts again in" in site.log.read_text()
    site.start()
    assert site.kill("all", min)
    wait_until(lambda: not site.left())


def is_whole(site: Site) -> bool:
    counts = {part: len(pids) for part, pids in site.parts().items()}
    return counts == {"web": 2, "server": 2, "worker": 1, "beat": 1, "all": 1} and site.is_ready()


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + START_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(LOOK_EVERY_SECONDS)

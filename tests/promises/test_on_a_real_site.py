"""What docs/promises.md says, on a real site, in the small. At full scale: `make promises`."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.promises.copies import send_copies
from bench.promises.crowd import write_together
from bench.promises.keys import hit_limit, revoke, rotate
from bench.promises.kills import kill_under_load
from bench.promises.site import Site
from bench.promises.traces import purge_in_use


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


def test_copies_of_a_request_have_one_effect_and_one_answer_also_after_a_restart(site: Site) -> None:
    done = send_copies(site, keys=25, copies=8)
    assert (done.created, done.unlike, done.statuses) == (25, 0, Counter({201: 25 * 8 + 25}))


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


def test_what_was_acknowledged_is_there_once_whatever_is_killed(site: Site) -> None:
    done = kill_under_load(site, kills=4)
    assert done.holds, done
    assert done.kills.total() == 4
    assert done.acknowledged > 20

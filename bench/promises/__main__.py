"""Tries what docs/promises.md says at full scale, and prints what came of it.

    .venv/bin/python -m bench.promises [--share 0.1] [--only kills,copies]

On SQLite, or on the database of --database. Takes about half an hour; exits with 1 if a promise does not hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.page import circumstances
from bench.promises import copies, crowd, keys, kills, locked, memory, slow, traces
from bench.promises.mingle import mingle
from bench.promises.site import Site

Try = Callable[[Site, float], tuple[bool, str]]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--share", type=float, default=1.0, help="how much of the full scale (1.0)")
    options.add_argument("--only", default=",".join(TRIES), type=names, help=f"of {', '.join(TRIES)}")
    options.add_argument("--database", default="", help="postgresql://… of an empty database")
    options.add_argument("--note", default="", help="what else a reader of the figures should know")
    given = options.parse_args()
    print(circumstances(given.note), flush=True)
    settings = {"MEMSITE_DATABASE_URL": given.database} if given.database else {}
    all_hold = True
    with tempfile.TemporaryDirectory(prefix="memsite-promises-") as folder, Site(Path(folder), **settings) as site:
        for name in given.only:
            started = time.perf_counter()
            holds, output = TRIES[name](site, given.share)
            all_hold = all_hold and holds
            verdict = "holds" if holds else "DOES NOT HOLD"
            print(f"{name}: {verdict}. {output} {time.perf_counter() - started:.0f} s.", flush=True)
    return 0 if all_hold else 1


def names(text: str) -> list[str]:
    chosen = text.split(",")
    if not TRIES.keys() >= set(chosen):
        raise argparse.ArgumentTypeError(f"some of {', '.join(TRIES)}, with commas")
    return chosen


def scaled(number: int, share: float) -> int:
    return max(1, round(number * share))


def try_kills(site: Site, share: float) -> tuple[bool, str]:
    done = kills.kill_under_load(site, kills.drawn(scaled(100, share)))
    return done.holds, told_of(done)


def try_deaths(site: Site, share: float) -> tuple[bool, str]:
    parts = kills.drawn_rounds(scaled(20, share))
    done = kills.kill_under_load(site, parts)
    went_on = done.restarts == parts.count(kills.RESTART) + 1
    end = "went on by itself each time" if went_on else "ENDED"
    text = f"{told_of(done)}\n  The site {end}; the longest time without an answer was {done.silence:.1f} s."
    return done.holds and done.is_quick and went_on, text


def told_of(done: kills.Outcome) -> str:
    killed = ", ".join(f"{count} {part}" for part, count in done.kills.items())
    text = (
        f"{done.kills.total()} kills ({killed}), {done.restarts} starts; {done.acknowledged:,} writes acknowledged, "
        f"{done.unsure} unsure, {len(done.lost)} lost, {len(done.doubled)} twice, {len(done.broken)} broken answers, "
        f"{done.dead_work} texts given up, integrity: {done.integrity or 'clean'}."
    )
    for what in (*done.lost[:3], *done.doubled[:3], *done.broken[:3]):
        text += f"\n  {what}"
    return text


def try_copies(site: Site, share: float) -> tuple[bool, str]:
    done = copies.send_copies(site, scaled(1000, share), 20)
    return done.holds, (
        f"{done.keys:,} keys, {done.requests:,} requests, {done.created:,} memories, "
        f"{done.unlike} keys answered differently; {dict(done.statuses)}."
    )


def try_crowd(site: Site, share: float) -> tuple[bool, str]:
    done = crowd.write_together(site, 32, scaled(500, share))
    return done.holds and done.is_quick, (
        f"{done.posts:,} posts in {done.seconds:.0f} s, {done.lost} lost, {done.not_backed_up} not in the "
        f"backup made meanwhile; {dict(done.statuses)}; p50 "
        f"{done.quantile(0.5):.2f}, p99 {done.quantile(0.99):.2f}, longest {done.waits[-1]:.2f} s; beside {done.pages} "
        f"pages and {done.rounds} rounds of upkeep."
    )


def try_limit(site: Site, share: float) -> tuple[bool, str]:
    done = keys.hit_limit(site, scaled(1000, share), scaled(600, share))
    return done.holds, f"limit {done.limit}: {dict(done.statuses)}, {done.stored} stored."


def try_revoking(site: Site, share: float) -> tuple[bool, str]:
    done = keys.revoke(site, scaled(500, share))
    return (
        done.holds and done.is_quick,
        f"last answered {done.seconds:.3f} s after; asked after it: {dict(done.after)}.",
    )


def try_rotating(site: Site, share: float) -> tuple[bool, str]:
    done = keys.rotate(site, scaled(20, share))
    return done.holds, f"{done.rotations} rotations: {dict(done.statuses)}."


def try_traces(site: Site, share: float) -> tuple[bool, str]:
    done = traces.purge_in_use(site, scaled(500, share))
    return done.holds, (
        f"in {dict(done.before)} before the purge, in {dict(done.left) or 'no file'} {done.seconds:.1f} s after it; "
        f"the neighbour in {dict(done.neighbour)}."
    )


def try_mingling(site: Site, share: float) -> tuple[bool, str]:
    done = mingle(site, 8, scaled(1000, share))
    return done.holds, "\n  ".join([f"{dict(done.statuses)}.", *done.broken[:9]])


def try_memory(site: Site, share: float) -> tuple[bool, str]:
    done = memory.keep_asking(site, scaled(100_000, share))
    text = f"{done.statuses.total():,} requests, {dict(done.statuses)}{', RESTARTED' if done.restarted else ''}."
    for pid, resident in done.resident.items():
        sizes = " ".join(f"{item / 2**20:.0f}" for item in resident)
        text += f"\n  Web process {pid}, in MiB: {sizes}; {done.growth[pid]:+.1%} after the first tenth."
    return done.holds and done.is_flat, text


def try_slow(site: Site, share: float) -> tuple[bool, str]:
    done = slow.send_slowly(site, scaled(1000, share), scaled(64, share))
    return done.holds and done.is_quick, (
        f"Half sent without a key: {dict(done.strangers)}; with one: {dict(done.known)}; beside them "
        f"{len(done.waits):,} requests, {dict(done.statuses)}, p99 {done.p99:.2f}, longest {done.waits[-1]:.2f} s."
    )


def try_locked(site: Site, share: float) -> tuple[bool, str]:
    if site.environment.get("MEMSITE_DATABASE_URL"):
        return True, "Not tried: PostgreSQL has no lock that all writers wait for."
    done = locked.hold_lock(site, 40, 12, 60 * share)
    return done.holds and done.is_quick, (
        f"40 writers {dict(done.writers)}, afterwards {done.afterwards}; 12 readers {dict(done.readers)}, the slowest "
        f"{max(done.waits):.2f} s."
    )


TRIES: dict[str, Try] = {
    "traces": try_traces,
    "limit": try_limit,
    "revoking": try_revoking,
    "rotating": try_rotating,
    "copies": try_copies,
    "crowd": try_crowd,
    "mingling": try_mingling,
    "memory": try_memory,
    "slow": try_slow,
    "locked": try_locked,
    "kills": try_kills,
    "deaths": try_deaths,
}

if __name__ == "__main__":
    sys.exit(main())

"""What the reports of upkeep say; the work itself is tested where it lives."""

from bench.purging import Purged
from bench.upkeep import purge_table


def test_a_purge_is_told_with_what_its_neighbours_waited_and_what_is_left():
    of = Purged(hidden=0.25, gone=12.04, waited=[0.1, 0.2, 2.4], megabytes=23.4, left=0, traces=1)
    assert purge_table({5_000: of}).splitlines()[-1] == ("| 5,000 memories, 23 MB | 0.2 | 12.0 | 0.20 / 2.40 | 0 | 1 |")

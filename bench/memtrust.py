"""What a harness by others finds again of many notes of one pattern. Writes "A harness by others" of the benchmarks.

    .venv/bin/python -m bench.memtrust --harness .venv/memtrust/bin/python [--notes 500]

`memtrust-cli` stores notes that differ by a day, a name and a reference, and asks for samples of them at several sizes.
Beside its own figures: how many of the notes are active in the end, as all of them should be.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from bench.options import parser
from bench.page import circumstances, table, write_section
from bench.promises.site import Site

ADAPTER = Path(__file__).with_name("memtrust_adapter.py")
USER = "scale-stress-session"
EXPLAINED = (
    "`memtrust-cli`, its evaluation `scale`: notes such as `On day 17, Priya noted that the API rate limit increase "
    "moved to Thursday afternoon. (ref: SCALEMARK000017)`, stored by `POST /memories` one after the other, of which "
    "samples are asked for by their reference. Its verdict: `{signal}`. In the end: {counts}."
)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--harness", required=True, help="the Python that has memtrust-cli")
    options.add_argument("--notes", type=int, default=500)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="memsite-memtrust-") as folder, Site(Path(folder)) as site:
        (key,) = site.new_app("memtrust")
        done = subprocess.run(  # noqa: S603  # our own adapter
            [given.harness, "-P", str(ADAPTER), f"{site.url}/api/v1/", key, str(given.notes)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(done.stderr)
        output = json.loads(done.stdout)
        stored = site.everything(key, f"memories?user_id={USER}")
    body = render(output, Counter(memory["status"] for memory in stored), circumstances(given.note))
    write_section("A harness by others", body)
    print(body)


def render(values: dict[str, object], statuses: Counter[str], facts: str) -> str:
    checkpoints = values["checkpoints"]
    assert isinstance(checkpoints, list)
    rows = [
        [
            checkpoint["checkpoint_n"],
            checkpoint["records_stored_so_far"],
            f"{sum(query['found'] for query in checkpoint['needle_queries'])} / {len(checkpoint['needle_queries'])}",
        ]
        for checkpoint in checkpoints
    ]
    counts = ", ".join(f"{number} {status}" for status, number in statuses.most_common())
    return "\n\n".join(
        [
            f"Measured {facts}",
            EXPLAINED.format(signal=values["signal"], counts=counts),
            table(["notes", "stored", "found again"], rows),
        ]
    )


if __name__ == "__main__":
    main()

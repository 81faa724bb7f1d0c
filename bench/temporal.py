"""Questions that name a time, over statements with validity. Writes "Validity" of bench/results/benchmarks.md.

    .venv/bin/python -m bench.temporal [--held-out] [--misses]

The statements of `bench/temporal.jsonl` are stored over REST, each on its day, some long after they began to hold, and
asked for on 15 June 2026. A question is answered if the first hit, or one of three, is the statement that held at the
time it names; one about a time of which nothing is known, if the answer says so. Beside it: all statements by meaning
alone, and the same search without validity.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from django.test.utils import setup_test_environment
from time_machine import travel

from bench.judgement import Endpoint as Client
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from memories.providers.embeddings import MiniLMEmbedder

SETS = Path(__file__).with_name("temporal.jsonl")
TODAY = datetime(2026, 6, 15, 12, tzinfo=UTC)
WAYS = ("meaning alone", "search without validity", "search")
Row = dict[str, Any]
Answer = tuple[list[str], bool]
"""The first ids, and whether something is known of the time."""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--held-out", action="store_true", help="measure the questions that were kept aside too")
    options.add_argument("--misses", action="store_true", help="print what came out wrong, and write no page")
    given = options.parse_args()
    setup_test_environment(debug=False)
    make_database()
    facts = circumstances(given.note)
    rows = [json.loads(line) for line in SETS.read_text(encoding="utf-8").splitlines()]
    statements, questions = [row for row in rows if "id" in row], [row for row in rows if "question" in row]
    sets = {"development": [row for row in questions if not row.get("held_out")]}
    if given.held_out:
        sets["held out"] = [row for row in questions if row.get("held_out")]
    answers = answers_by_way(statements, [row for part in sets.values() for row in part], misses=given.misses)
    body = report(facts, sets, answers)
    print(body)
    if not given.misses:
        write_section("Validity", body)


def answers_by_way(statements: Sequence[Row], questions: Sequence[Row], *, misses: bool) -> dict[str, list[Answer]]:
    client = Client("standard")
    for row in statements:
        with travel(moment(row["stored"]), tick=False):
            fields = {name: row[name] for name in ("content", "subject", "valid_from", "valid_until") if name in row}
            client.post("memories", {**fields, "external_id": row["id"]})
    ways: dict[str, Callable[[str], Answer]] = {
        "meaning alone": by_meaning(statements),
        "search without validity": lambda text: search(client, text, by_validity=False),
        "search": lambda text: search(client, text, by_validity=True),
    }
    answers = {way: [answer(row["question"]) for row in questions] for way, answer in ways.items()}
    if misses:
        for row, given in zip(questions, answers["search"], strict=True):
            if not is_right(row, given, 1):
                print(f"{row['way']}: {row['question']} {row['right']} -> {given}")
    return answers


def moment(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T09:00:00+00:00")


def by_meaning(statements: Sequence[Row]) -> Callable[[str], Answer]:
    embedder = MiniLMEmbedder()
    vectors = embedder.embed_documents([f"{row['subject']}: {row['content']}" for row in statements])
    ids = np.array([row["id"] for row in statements])
    return lambda text: (ids[np.argsort(-(vectors @ embedder.embed_query(text)))[:10]].tolist(), True)


def search(client: Client, text: str, *, by_validity: bool) -> Answer:
    without = nullcontext() if by_validity else patch("memories.retrieve.pipeline.read_asked_time", return_value=None)
    with travel(TODAY, tick=False), without:
        answer = client.post("memories/search", {"query": text, "limit": 10, "touch": False})
    time = answer["asked_time"]
    return [hit["external_id"] for hit in answer["results"]], not time or time["known"]


def is_right(row: Row, answer: Answer, most: int) -> bool:
    ids, is_known = answer
    return not set(row["right"]).isdisjoint(ids[:most]) if row["right"] else not (ids and is_known)


def report(facts: str, sets: dict[str, list[Row]], answers: dict[str, list[Answer]]) -> str:
    parts, start = [f"Measured {facts}", __doc__.split("\n\n")[-1].strip().replace("\n", " ")], 0
    for name, rows in sets.items():
        here = {way: list(zip(rows, given[start : start + len(rows)], strict=True)) for way, given in answers.items()}
        start += len(rows)
        kinds = list(dict.fromkeys(row["way"] for row in rows))
        lines = [
            [kind, sum(kind in ("all", row["way"]) for row in rows), *(shares(here[way], kind) for way in WAYS)]
            for kind in ("all", *kinds)
        ]
        parts += [f"First · among three, {name}:", table(["", "questions", *WAYS], lines)]
    return "\n\n".join(parts)


def shares(given: Sequence[tuple[Row, Answer]], kind: str) -> str:
    here = [pair for pair in given if kind in ("all", pair[0]["way"])]
    return " · ".join(str(sum(is_right(row, answer, most) for row, answer in here)) for most in (1, 3))


if __name__ == "__main__":
    main()

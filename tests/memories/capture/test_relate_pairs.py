"""The labelled pairs, with cosines of all-MiniLM-L6-v2 kept beside them so that no model is needed here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memories.capture.relate import Relation, relate

DATA = Path(__file__).parents[2] / "data"
COSINES: dict[str, float] = json.loads((DATA / "relation-cosines.json").read_text())
FILES = ("relation-pairs.jsonl", "relation-pairs-extra.jsonl")

Pair = dict[str, Any]


def load_pairs(name: str) -> list[Pair]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def judge(pair: Pair, *, with_cosine: bool = True) -> Relation:
    cosine = COSINES[f"{pair['existing']}\n{pair['new']}"] if with_cosine else None
    return relate(pair["existing"], pair["new"], cosine, pair["subject"]).relation


def confusion(name: str, *, with_cosine: bool = True) -> Counter[tuple[str, str]]:
    """Count (label, verdict)."""
    return Counter((pair["relation"], judge(pair, with_cosine=with_cosine).value) for pair in load_pairs(name))


def accuracy(counts: Counter[tuple[str, str]]) -> float:
    return sum(count for (label, verdict), count in counts.items() if label == verdict) / counts.total()


@pytest.mark.parametrize("name", FILES)
def test_nineteen_of_twenty_verdicts_are_right(name: str) -> None:
    assert accuracy(confusion(name)) >= 0.95


@pytest.mark.parametrize("name", FILES)
def test_a_contradiction_is_never_merged_away(name: str) -> None:
    assert confusion(name)["contradicts", "same"] == 0


@pytest.mark.parametrize("name", FILES)
def test_nine_of_ten_are_right_before_the_vectors_arrive(name: str) -> None:
    assert accuracy(confusion(name, with_cosine=False)) >= 0.9


@pytest.mark.parametrize("pair", load_pairs(FILES[0]), ids=lambda pair: f"{pair['existing'][:30]} / {pair['new'][:30]}")
def test_no_contradiction_is_the_same_at_any_cosine(pair: Pair) -> None:
    if pair["relation"] != "contradicts":
        return
    for cosine in (0.5, 0.8, 0.96, 1.0):
        verdict = relate(pair["existing"], pair["new"], cosine, pair["subject"])
        assert verdict.relation is not Relation.SAME, verdict


@pytest.mark.parametrize("name", FILES)
def test_the_order_of_the_two_hardly_matters(name: str) -> None:
    """A pair told the other way round is the same kind of pair."""
    swapped = [{**pair, "existing": pair["new"], "new": pair["existing"]} for pair in load_pairs(name)]
    right = sum(
        relate(p["existing"], p["new"], COSINES[f"{p['new']}\n{p['existing']}"], p["subject"]).relation.value
        == p["relation"]
        for p in swapped
    )
    assert right / len(swapped) >= 0.95

"""The labelled pairs, with cosines of all-MiniLM-L6-v2 kept beside them so that no model is needed here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from bench.train_relate import (
    CONTRADICTS,
    COSINES,
    SAME,
    SAME_CAUTION,
    Row,
    folds_by_author,
    key_of,
    load_data,
    make_weights,
    predict,
    read_rows,
    scores_of,
)
from memories.language.relate import Relation, Verdict, relate
from memories.language.relate.lexicon import canonical_text
from memories.language.relate.verdict import WEIGHTS
from tests.tables import each_row, each_row_of

ROWS = read_rows()
KNOWN: dict[str, float] = json.loads(COSINES.read_text(encoding="utf-8"))


def judge(row: Row, *, with_cosine: bool = True) -> Verdict:
    return relate(row["existing"], row["new"], KNOWN[key_of(row)] if with_cosine else None, row["subject"])


@lru_cache
def confusion(author: str, *, with_cosine: bool = True) -> Counter[tuple[str, str]]:
    """Count (label, verdict)."""
    rows = [row for row in ROWS if row["author"] == author]
    return Counter((row["relation"], judge(row, with_cosine=with_cosine).relation.value) for row in rows)


def accuracy(counts: Counter[tuple[str, str]]) -> float:
    return sum(count for (label, verdict), count in counts.items() if label == verdict) / counts.total()


def test_the_counts_of_the_pairs() -> None:
    assert Counter(row["author"] for row in ROWS) == {"ref": 45, "extra": 394, "a": 220, "b": 220, "c": 260, "d": 150}


@each_row(("author", "least"), [("ref", 0.93), ("extra", 0.92), ("a", 0.86), ("b", 0.83), ("c", 0.88), ("d", 0.92)])
def test_most_verdicts_are_right(author: str, least: float) -> None:
    assert accuracy(confusion(author)) >= least


@each_row(("author", "most"), [("ref", 0), ("extra", 3), ("a", 3), ("b", 3), ("c", 3), ("d", 1)])
def test_contradictions_are_hardly_ever_merged_away(author: str, most: int) -> None:
    assert confusion(author)["contradicts", "same"] <= most


@each_row(("author", "least"), [("ref", 0.93), ("c", 0.85), ("d", 0.87)])
def test_words_alone_do_nearly_as_well_before_the_vectors_arrive(author: str, least: float) -> None:
    counts = confusion(author, with_cosine=False)
    assert accuracy(counts) >= least
    assert counts["contradicts", "same"] <= 2


def test_authors_never_seen_are_understood() -> None:
    """The figure to believe: weights trained on everybody else's pairs."""
    data = load_data(with_cosine=True)
    found = predict(scores_of(data, folds_by_author), SAME_CAUTION)
    theirs = np.isin(data.authors, ["c", "d"])
    lost = (found == SAME) & (data.y == CONTRADICTS) & theirs
    assert (found == data.y)[theirs].mean() >= 0.87
    assert lost.sum() <= 0.04 * (theirs & (data.y == CONTRADICTS)).sum()


def test_the_weights_are_those_of_these_pairs_and_this_reader() -> None:
    """Failed? Run `python -m bench.train_relate`."""
    kept, made = json.loads(WEIGHTS.read_text(encoding="utf-8")), make_weights()
    assert made.keys() == kept.keys()
    for name, model in made.items():
        assert model["bias"] == pytest.approx(kept[name]["bias"], abs=1e-3)
        assert model["weights"].keys() == kept[name]["weights"].keys()
        for feature, weights in model["weights"].items():
            assert weights == pytest.approx(kept[name]["weights"][feature], abs=1e-3), feature


def test_a_reason_never_quotes_a_conflict_for_the_same() -> None:
    verdicts = [judge(row) for row in ROWS]
    same = [verdict.reason for verdict in verdicts if verdict.relation is Relation.SAME]
    assert not [reason for reason in same if any(word in reason for word in ("differs", "opposed", "negated", "value"))]
    assert all(1 / 3 <= v.score <= 1 for v in verdicts if v.relation is not Relation.DIFFERENT)


def test_small_additions_stay_the_same() -> None:
    """What is said to say more was never labelled the same."""
    more = Counter(row["relation"] for row in ROWS if judge(row).reason.startswith("says more"))
    assert more["same"] == 0


def test_the_order_of_the_two_hardly_matters() -> None:
    """A pair told the other way round is the same kind of pair."""
    rows = [row for row in ROWS if row["author"] in ("ref", "c", "d")]
    swapped = [relate(row["new"], row["existing"], KNOWN[key_of(row)], row["subject"]) for row in rows]
    right = sum(verdict.relation.value == row["relation"] for verdict, row in zip(swapped, rows, strict=True))
    assert right / len(rows) >= 0.85


DATA = Path(__file__).parents[2] / "data"


def restated() -> Iterator[tuple[str, str]]:
    """Each in both orders."""
    for line in (DATA / "relation-restated.txt").read_text(encoding="utf-8").splitlines():
        if " | " in line:
            one, other = line.split(" | ")
            yield one, other
            yield other, one


@each_row_of("relate_lookalikes")
def test_what_only_looks_alike_is_not_the_same(existing: str, new: str) -> None:
    for similarity in (None, 0.85, 0.95, 0.99):
        assert relate(existing, new, similarity).relation is not Relation.SAME


@each_row_of("relate_lookalikes")
def test_what_may_be_true_beside_it_is_neither_the_same_nor_its_contrary(existing: str, new: str) -> None:
    for similarity in (None, 0.7, 0.85):
        assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row("similarity", [None, 0.75, 0.85])
def test_what_says_nothing_that_is_not_there_denies_nothing(similarity: float | None) -> None:
    existing = "Mira is the user's sister, she likes climbing and visits on 28 November"
    assert relate(existing, "User's sister Mira is into climbing", similarity, "mira").relation is Relation.DIFFERENT
    # Another number is another word.
    assert relate("Takes 2 pills a day", "Takes 3 pills a day", similarity).relation is Relation.CONTRADICTS


@each_row_of("relate_lookalikes")
def test_what_cannot_be_true_beside_it_is_its_contrary(existing: str, new: str) -> None:
    for similarity in (0.7, 0.85):
        assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row(("existing", "new"), [*restated()])
def test_what_is_said_again_in_other_words_is_the_same(existing: str, new: str) -> None:
    assert relate(existing, new, 0.95).relation is Relation.SAME


@each_row(
    ("one", "other"),
    [
        ("  The NAS is at  /mnt/nas.", "the nas is at /mnt/nas"),
        ('"Deploy on Friday"', "Deploy on Friday!"),
        ("Ask first (always); then deploy", "ask first always then deploy"),
        ("It\u2019s 5\u2026", "it's 5"),
    ],
)
def test_the_punctuation_of_sentences_says_nothing(one: str, other: str) -> None:
    assert canonical_text(one) == canonical_text(other)


@each_row(
    ("one", "other"),
    [
        ("-5", "5"),
        (".5", "5"),
        ("a != b", "a = b"),
        ("✅", "❌"),
        ("A → B", "A ← B"),
        ("¥5", "₹5"),
        ("my_var", "my var"),
    ],
)
def test_signs_say_something(one: str, other: str) -> None:
    assert canonical_text(one) != canonical_text(other)

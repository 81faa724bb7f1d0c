"""Make `weights.json` from the labelled pairs; for maintainers, in a checkout.

    python -m bench.train_relate            print the cross-validation, write the weights
    python -m bench.train_relate --embed    first make the cosines of the pairs anew, with MiniLM

Run it after every change of the reader or of a word list: the weights belong to them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from bench.logistic_regression import Floats, Ints, fit
from memories.language.relate.features import COSINE, WEIGHED, extract, lay_side_by_side
from memories.language.relate.verdict import LABELS, WEIGHTS, WITH_COSINE, WITHOUT_COSINE, Relation, Thresholds

DATA = Path(__file__).parents[1] / "tests" / "data"
COSINES = DATA / "relation-cosines.json"
FILES = {"ref": "relation-pairs.jsonl", "extra": "relation-pairs-extra.jsonl", "": "relation-pairs-training.jsonl"}

AUTHOR_WEIGHTS = {"ref": 2.0, "extra": 0.3, "a": 1.0, "b": 1.0, "c": 2.0, "d": 2.0}
"""`c` and `d` write as the reference does. Word lists were tuned on `extra`, which looks easier than life."""

PENALTY = 4.0
SAME_CAUTION = 1.6
FOLDS = 10
SAME, CONTRADICTS = LABELS.index(Relation.SAME), LABELS.index(Relation.CONTRADICTS)

Mask = NDArray[np.bool_]


class Row(TypedDict):
    """A labelled pair; `author` is the name of the file where one author wrote it."""

    author: str
    category: str
    subject: str
    existing: str
    new: str
    relation: str


def read_rows() -> list[Row]:
    rows: list[Row] = []
    for author, name in FILES.items():
        lines = (DATA / name).read_text(encoding="utf-8").splitlines()
        rows += [cast(Row, {"author": author, **json.loads(line)}) for line in lines]
    return rows


def key_of(row: Row) -> str:
    """Name a pair in the file of cosines."""
    return f"{row['subject']}\n{row['existing']}\n{row['new']}"


@dataclass(frozen=True)
class Data:
    """Features (pairs, features), labels, and what the folds are made of: one entry per pair."""

    x: Floats
    y: Ints
    authors: NDArray[np.str_]
    bases: NDArray[np.str_]

    @property
    def weights(self) -> Floats:
        return np.array([AUTHOR_WEIGHTS[author] for author in self.authors])


def load_data(*, with_cosine: bool) -> Data:
    rows = read_rows()
    cosines: dict[str, float] = json.loads(COSINES.read_text(encoding="utf-8"))
    x = [_features(row, Thresholds().scale(cosines[key_of(row)]) if with_cosine else None) for row in rows]
    y = [LABELS.index(Relation(row["relation"])) for row in rows]
    authors, bases = [row["author"] for row in rows], [row["existing"] for row in rows]
    return Data(np.array(x), np.array(y), np.array(authors), np.array(bases))


def _features(row: Row, closeness: float | None) -> list[float]:
    results = extract(lay_side_by_side(row["existing"], row["new"], row["subject"]), closeness).features
    return [results[name] for name in names_of(with_cosine=closeness is not None)]


def names_of(*, with_cosine: bool) -> list[str]:
    return [name for name in WEIGHED if with_cosine or name != COSINE]


def train(data: Data, mask: Mask | None = None) -> tuple[Floats, Floats]:
    chosen = np.ones(len(data.y), dtype=bool) if mask is None else mask
    return fit(data.x[chosen], data.y[chosen], data.weights[chosen], PENALTY)


Folds = Iterator[tuple[Mask, Mask]]
"""(train on, test on)."""


def folds_by_base(data: Data) -> Folds:
    """Pairs of one base statement are never on both sides."""
    order = {base: number % FOLDS for number, base in enumerate(dict.fromkeys(data.bases.tolist()))}
    fold = np.array([order[base] for base in data.bases.tolist()])
    for number in range(FOLDS):
        yield fold != number, fold == number


def folds_by_author(data: Data) -> Folds:
    """One author's pairs are tested at a time; `extra` was made from the reference author's statements."""
    for author in AUTHOR_WEIGHTS:
        test = data.authors == author
        stored = ~test & ~np.isin(data.bases, data.bases[test])
        yield (stored & (data.authors != "extra") if author == "ref" else stored), test


def scores_of(data: Data, folds: Callable[[Data], Folds]) -> Floats:
    """Return the score of every label for every pair, from weights that never saw it."""
    results = np.zeros((len(data.y), len(LABELS)))
    for stored, test in folds(data):
        weights, bias = train(data, stored)
        results[test] = data.x[test] @ weights + bias
    return results


def predict(scores: Floats, caution: float) -> Ints:
    wary = scores.copy()
    wary[:, SAME] -= caution
    return np.asarray(wary.argmax(axis=1))


def report(data: Data, folds: Callable[[Data], Folds], title: str) -> None:
    """Print accuracy (contradictions called same / contradictions) by author."""
    out = sys.stdout.write
    out(f"\n| {title} | " + " | ".join(AUTHOR_WEIGHTS) + " | a-d |\n" + "|---" * (len(AUTHOR_WEIGHTS) + 2) + "|\n")
    scores = scores_of(data, folds)
    masks = [data.authors == author for author in AUTHOR_WEIGHTS]
    masks.append(~np.isin(data.authors, ["ref", "extra"]))
    for caution in sorted({0.0, 0.5, 1.0, SAME_CAUTION, 1.6, 2.0}):
        cells = [_cell(predict(scores, caution)[mask], data.y[mask]) for mask in masks]
        out(f"| caution {caution} | " + " | ".join(cells) + " |\n")


def _cell(predicted: Ints, y: Ints) -> str:
    lost = int(((predicted == SAME) & (y == CONTRADICTS)).sum())
    return f"{(predicted == y).mean():.3f} ({lost}/{int((y == CONTRADICTS).sum())})"


def describe(data: Data, *, with_cosine: bool) -> dict[str, Any]:
    """Return what `weights.json` says of one model."""
    weights, bias = train(data)
    rows = zip(names_of(with_cosine=with_cosine), weights, strict=True)
    return {
        "same_caution": SAME_CAUTION,
        "bias": _by_label(bias),
        "weights": {name: _by_label(row) for name, row in rows},
    }


def _by_label(values: Floats) -> dict[str, float]:
    return {label.value: round(float(value), 4) for label, value in zip(LABELS, values, strict=True)}


def make_weights() -> dict[str, Any]:
    """Return the contents of `weights.json`."""
    return {
        name: describe(load_data(with_cosine=known), with_cosine=known)
        for name, known in ((WITH_COSINE, True), (WITHOUT_COSINE, False))
    }


def embed_rows() -> None:
    """Write the cosines of all pairs, embedded as memories are. Takes about half a minute and the MiniLM files."""
    import django

    django.setup()
    from memories.models.vector import embedded_text
    from memories.providers.embeddings import MiniLMEmbedder

    rows = read_rows()
    embedder = MiniLMEmbedder()
    old = embedder.embed_documents([embedded_text(row["existing"], row["subject"]) for row in rows])
    new = embedder.embed_documents([embedded_text(row["new"], row["subject"]) for row in rows])
    cosines = {key_of(row): round(float(a @ b), 4) for row, a, b in zip(rows, old, new, strict=True)}
    COSINES.write_text(json.dumps(cosines, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embed", action="store_true", help="make the cosines anew (set DJANGO_SETTINGS_MODULE)")
    if parser.parse_args().embed:
        embed_rows()
    for name, known in ((WITH_COSINE, True), (WITHOUT_COSINE, False)):
        data = load_data(with_cosine=known)
        report(data, folds_by_base, f"{name}: grouped by base")
        report(data, folds_by_author, f"{name}: leave one author out")
    WEIGHTS.write_text(json.dumps(make_weights(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

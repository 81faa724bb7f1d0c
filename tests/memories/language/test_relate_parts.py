"""What the parts of the relation model promise: order, negation, additions, reasons, the fit."""

from __future__ import annotations

import numpy as np
import pytest

from bench.logistic_regression import fit, softmax
from memories.language.relate import Relation, Thresholds, relate
from memories.language.relate.equivalence import find_additions, find_replacement
from memories.language.relate.features import WEIGHED, extract, lay_side_by_side
from memories.language.relate.lexicon import (
    _NEGATIVE_PREFIXES,
    MIN_CHARS_OF_A_WORD_WITH_PREFIX,
    opposites_by_form,
    tokenize,
)
from memories.language.relate.outline import Evidence, write_out
from memories.language.relate.parsing import Scope, read
from memories.language.relate.verdict import LABELS, LEAST, MOST, WITH_COSINE, WITHOUT_COSINE, load_model
from tests.tables import each_row


def evidence(existing: str, new: str) -> Evidence:
    return extract(lay_side_by_side(existing, new, ""), 1.0)


@each_row(
    ("existing", "new", "agrees"),
    [
        ("Mount the share before docker starts", "Start docker after the share is mounted", True),
        ("Mount the share before docker starts", "Docker must not start before the share is mounted", True),
        ("Mount the share before docker starts", "Docker starts before the share is mounted", False),
        ("Must be started after mosquitto", "Has to be started before mosquitto", False),
        ("Must not start before mosquitto", "Has to wait for mosquitto", True),
    ],
)
def test_order_is_told_from_either_end(existing: str, new: str, agrees: bool) -> None:
    features = evidence(existing, new).features
    assert (features["order_agrees"], features["order_clashes"]) == (float(agrees), float(not agrees))


@each_row(
    ("text", "denied"),
    [
        ("does not start", {"start"}),
        ("does not start without redis", {"start"}),
        ("starts without redis", {"redis"}),
        ("prefers tea over coffee", {"coffee"}),
        ("starts without problems", set()),
        ("no later than noon", set()),
    ],
)
def test_a_negation_reaches_as_far_as_it_means(text: str, denied: set[str]) -> None:
    tokens = tuple(text.split())
    signs = dict(zip(tokens, Scope(tokens).signs, strict=True))
    words = {"start", "starts", "redis", "tea", "coffee", "problems", "noon"}
    assert {word for word, sign in signs.items() if sign < 0} & words == denied


@each_row(
    ("text", "plain"),
    [
        ("at half past six", "at 06:30"),
        ("at half past eleven in the evening", "at 23:30"),
        ("at quarter to 9", "at 08:45"),
        ("at half past ²", "at half past ²"),
        ("fails every now and then", "fails sometimes"),
    ],
)
def test_times_in_words_are_written_out(text: str, plain: str) -> None:
    assert write_out(text) == plain


@each_row(
    ("existing", "new", "added"),
    [
        ("User likes tea", "User likes tea with two spoons of sugar in the morning", ["spoons", "sugar", "morning"]),
        ("Backups run nightly", "Backups run nightly to the NAS", []),
        ("A full disk is fixed with prune", "Run docker system prune when the drive has no space left", []),
    ],
)
def test_a_few_added_words_are_no_loss_but_three_are(existing: str, new: str, added: list[str]) -> None:
    assert find_additions(lay_side_by_side(existing, new, "")) == added


@each_row(
    ("existing", "new", "reason"),
    [
        ("A full build takes 12 minutes", "A full build takes 35 minutes", "number of minutes differs: 12 / 35"),
        ("Listens on port 8384", "Listens on port 8080", "port differs: 8384 / 8080"),
        ("Persistence is enabled", "Persistence is disabled", "opposed: enabled / disabled"),
        ("Flags are stored in Redis", "Flags are stored in PostgreSQL", "other value: redis / postgresql"),
        ("The user plays the cello", "The user no longer plays the cello", "negated: no longer plays"),
        (
            "The query is slow because of a missing index on orders.customer_id",
            "Added index orders_customer_id_idx",
            "opposed: missing / added",
        ),
    ],
)
def test_a_contradiction_names_its_conflict(existing: str, new: str, reason: str) -> None:
    verdict = relate(existing, new, 0.9)
    assert (verdict.relation, verdict.reason) == (Relation.CONTRADICTS, reason)


def test_a_number_in_a_name_and_a_year_are_no_figures() -> None:
    quantities = read("Switched pg-03 off in June 2026").quantities
    assert [(one.kind, one.text) for one in quantities] == [("date", "june"), ("year", "2026")]
    assert not read("Db-11 is behind gpt-4 and rack-112").quantities


def test_one_year_of_two_dates_is_no_value_in_common() -> None:
    features = evidence("The API freezes on 14 October 2026", "The office closes on 3 December 2026").features
    assert (features["number_equal"], features["number_both"], features["number_conflict"]) == (0.0, 0.0, 1.0)
    assert evidence("The house was bought in 2019", "Bought the house in 2019").features["number_equal"] == 1.0


def test_what_has_another_day_is_not_the_same() -> None:
    existing = (
        "Brandt should say that User needs the VAT return by 10 November 2026; "
        "User switched to quarterly filing in July 2026, Keep it formal"
    )
    assert relate(existing, "4.3 stays on 20 October 2026", 0.37).relation is Relation.DIFFERENT


def test_without_a_word_in_common_nothing_is_the_same() -> None:
    assert relate("Uses the family account", "Exports metrics for prometheus", 1.0).relation is not Relation.SAME


def test_cosines_are_scaled_by_the_embedders_thresholds() -> None:
    narrow = Thresholds(same=0.85, related=0.6)
    assert [narrow.scale(cosine) for cosine in (0.6, 0.85)] == pytest.approx([0, 1])
    assert (narrow.scale(-1e9), narrow.scale(1e9)) == (LEAST, MOST)
    assert Thresholds(same=0.5, related=0.5).scale(0.5) == 0


@each_row("name", [WITH_COSINE, WITHOUT_COSINE])
def test_the_model_gives_probabilities(name: str) -> None:
    model = load_model(name)
    assert set(model.weights) <= set(WEIGHED)
    probabilities = model.probabilities(dict.fromkeys(WEIGHED, 0.0))
    assert list(probabilities) == list(LABELS)
    assert sum(probabilities.values()) == pytest.approx(1)


def test_the_fit_finds_the_minimum_of_its_loss() -> None:
    """At the minimum the gradient is zero: what the labels ask for equals what the penalty holds back."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(200, 3))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    y = rng.integers(0, 3, 200)
    y[x[:, 0] > 0.5] = 1
    weights, bias = fit(x, y, np.ones(200), penalty=2.0)
    gradient = x.T @ (softmax(x @ weights + bias) - np.eye(3)[y]) + 2.0 * weights
    assert np.abs(gradient).max() < 1e-3
    assert weights[0].argmax() == 1


@each_row(
    ("existing", "new", "words"),
    [
        ("The payment service runs on node falcon", "The payment service runs on node heron", ("falcon", "heron")),
        ("Job 7 ran for 3 seconds on node bababa", "Job 7 ran for 3 seconds on node bahali", ("bababa", "bahali")),
        ("The key is on rack b12c", "The key is on rack b12d", ("b12c", "b12d")),
        ("The wiki has a favourite theme", "The wiki has a favorite theme", None),
        ("The wiki is pretty big", "The wiki is pretty large", None),
        ("The gateway takes 60 seconds to start", "The gateway needs 60 seconds to start", None),
        ("The gateway takes 60 seconds to start", "The gateway takes 60 seconds to boot", None),
        ("The service runs on node falcon", "On node heron runs the service", None),
        ("The service runs on node falcon", "The service lives on host heron", None),
    ],
)
def test_one_word_in_the_place_of_another_is_another_value(
    existing: str, new: str, words: tuple[str, str] | None
) -> None:
    assert find_replacement(lay_side_by_side(existing, new, "")) == words
    if words:
        assert relate(existing, new, 0.95).relation != Relation.SAME


def opposed_by_form(left: str, right: str) -> bool:
    """One is the other with a negative prefix, or with "-less" for "-ful" or for nothing."""
    short, long = sorted((left, right), key=len)
    if len(short) < MIN_CHARS_OF_A_WORD_WITH_PREFIX:
        return False
    return any(long == prefix + short for prefix in _NEGATIVE_PREFIXES) or any(
        one.removesuffix("less") == other.removesuffix("ful") != one for one, other in ((left, right), (right, left))
    )


def test_the_opposites_of_a_word_are_those_that_any_two_words_would_tell() -> None:
    roots = ["encrypted", "harm", "in", "ful", "unless", "antibody", ""]
    before, after = (
        ["", *_NEGATIVE_PREFIXES, "un" + "in"],
        ["", "ful", "less", "fulless", "lessful", "lessless", "fulful"],
    )
    words = [prefix + root + suffix for root in roots for prefix in before for suffix in after]
    for left in words:
        wanted = {right for right in words if opposed_by_form(left, right)}
        assert opposites_by_form(left).intersection(words) == wanted, left
    assert "unencrypted" in opposites_by_form("encrypted")
    assert "careful" in opposites_by_form("careless")


@each_row(
    ("text", "pieces"),
    [
        ("port 11311, not 1,000.", ["port", "11311", ",", "not", "1,000", "."]),
        ("see example.com. at 02:00: yes", ["see", "example.com", ".", "at", "02:00", ":", "yes"]),
    ],
)
def test_what_ends_a_number_or_an_address_is_none_of_it(text: str, pieces: list[str]) -> None:
    assert [token.text for token in tokenize(text)] == pieces

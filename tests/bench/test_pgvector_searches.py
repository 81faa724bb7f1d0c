"""The report on recall with pgvector, by hand and of a small app."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from django.conf import settings as django_settings

from bench.pgvector_searches import DIM, IN_PGVECTOR, IN_PROCESS, TURNS, Answers, Measured, Searched, measure, render
from bench.synthetic import mixed, unit_vectors


def test_recall_is_told_by_place_and_by_who_may_be_shown() -> None:
    answers = {
        "all": Answers(0.991, {"auto": [0.008] * 9, "vector": [0.004] * 9}),
        "5 %": Answers(0.5, {"auto": [0.002] * 9, "vector": [0.001] * 9}),
    }
    searched = {IN_PROCESS: Searched(0.5, 1700.4, answers), IN_PGVECTOR: Searched(0.25, 200.0, answers)}
    output = render({(10_000, TURNS): Measured(searched, 61.2, 1_024)}, "today.")
    assert "| 10,000 in the process | turns | all | 0.991 | 8.0 / 8.0 | 4.0 / 4.0 | 0.50 | 1700 |" in output
    assert "| 10,000 in pgvector | turns | 5 % | 0.500 | 2.0 / 2.0 | 1.0 / 1.0 | 0.25 | 200 |" in output
    assert output.endswith("10,000 memories with vectors of turns copied and indexed in 61 s, 1,024 MB of index.")


def test_vectors_made_of_others_are_as_near_to_each_other() -> None:
    some = unit_vectors(300, 1, 16, seed=4)[0]
    many = mixed(some, 1_000, seed=1)
    assert many[:300] == pytest.approx(some, abs=1e-6)
    assert many.shape == (1_000, 16)
    assert np.linalg.norm(many, axis=1) == pytest.approx(np.ones(1_000), abs=1e-6)
    nearest = np.sort(many @ many.T, axis=1)[:, -2]
    assert np.median(nearest[300:]) == pytest.approx(np.median(nearest[:300]), abs=0.15)
    assert mixed(some, 200, seed=1) == pytest.approx(some[:200], abs=1e-6)


@pytest.mark.postgres("pgvector is an extension of it")
@pytest.mark.django_db(transaction=True)
def test_both_places_find_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(django_settings, "MEMSITE", replace(django_settings.MEMSITE, pgvector_from=1))
    results = measure(*unit_vectors(400, 5, DIM, seed=1), "small")
    assert list(results.searched) == [IN_PROCESS, IN_PGVECTOR]
    for of in results.searched.values():
        for answers in of.answers.values():
            assert answers.recall > 0.9
            assert {mode: len(seconds) for mode, seconds in answers.seconds.items()} == {"auto": 5, "vector": 5}

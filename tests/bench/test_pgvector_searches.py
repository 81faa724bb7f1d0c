"""The report on recall with pgvector, by hand and of a small app."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.conf import settings as django_settings

from bench import pgvector_searches
from bench.pgvector_searches import IN_PGVECTOR, IN_PROCESS, Answers, Measured, Searched, measure, render


def test_recall_is_told_by_place_and_by_who_may_be_shown() -> None:
    answers = {
        "all": Answers(0.991, {"auto": [0.008] * 9, "vector": [0.004] * 9}),
        "5 %": Answers(0.5, {"auto": [0.002] * 9, "vector": [0.001] * 9}),
    }
    searched = {IN_PROCESS: Searched(0.5, 1700.4, answers), IN_PGVECTOR: Searched(0.25, 200.0, answers)}
    told = render({10_000: Measured(searched, 61.2, 1_024)}, "today.")
    assert "| 10,000 in the process | all | 0.991 | 8.0 / 8.0 | 4.0 / 4.0 | 0.50 | 1700 |" in told
    assert "| 10,000 in pgvector | 5 % | 0.500 | 2.0 / 2.0 | 1.0 / 1.0 | 0.25 | 200 |" in told
    assert told.endswith("10,000 memories copied and indexed in 61 s, 1,024 MB of index.")


@pytest.mark.postgres("pgvector is an extension of it")
@pytest.mark.django_db(transaction=True)
def test_both_places_find_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgvector_searches, "QUERIES", 5)
    monkeypatch.setattr(django_settings, "MEMSITE", replace(django_settings.MEMSITE, pgvector_from=1))
    found = measure(400)
    assert list(found.searched) == [IN_PROCESS, IN_PGVECTOR]
    for of in found.searched.values():
        for answers in of.answers.values():
            assert answers.recall > 0.9
            assert {mode: len(seconds) for mode, seconds in answers.seconds.items()} == {"auto": 5, "vector": 5}

"""The report on the pace of imports, and what it is made from."""

import pytest

from bench.import_pace import Pace, render, take_pace
from bench.porting import Step
from memories.models import Memory
from memories.providers.embeddings import HashEmbedder


@pytest.mark.django_db
def test_all_of_it_is_taken_in() -> None:
    texts = [f"Fact {number} is about thing{number}" for number in range(5)]
    pace = take_pace(texts, HashEmbedder())
    assert (pace.size, pace.characters) == (5, 22.0)
    assert set(Memory.objects.values_list("content", flat=True)) == set(texts)


def test_the_share_is_of_the_embedders_own_pace() -> None:
    halves = Step(45.0, 45.0, 1.0), Step(45.0, 45.0, None)
    pace = Pace(10_000, 149.2, halves, Step(96.0, 110.0, 20.0))
    output = render(pace, "now")
    assert "| import, whole | 10,000 | 96.0 / 110.0 | 20 | 104.2 |" in output
    assert output.endswith("**94%** of the embedder's own pace (goal: 90%, met).")
    assert render(Pace(10_000, 149.2, halves, Step(120.0, 110.0, 20.0)), "now").endswith("(goal: 90%, missed).")

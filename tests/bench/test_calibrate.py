import numpy as np
import pytest

from bench.calibrate import SUMMARIES, Answer, collect, fit, print_table, right_of
from memories.providers.embeddings import HashEmbedder
from memories.retrieve.calibration import lines
from tests.bench.invented import conversation


def drawn(groups: int) -> list[Answer]:
    """Three hits each, right as often as the first of three numbers says."""
    random = np.random.default_rng(1)
    answers = []
    for number in range(600):
        formula = np.sort(random.normal(0, 2, 3))[::-1]
        right = random.random(3) < 1 / (1 + np.exp(-formula))
        answers.append(Answer(f"talk {number % groups}", formula, right))
    return answers


def test_scores_are_as_often_right_as_they_say() -> None:
    answers = drawn(3)
    scores, right = fit(answers).scores(answers), right_of(answers)
    for low in (0.2, 0.4, 0.6, 0.8):
        of_it = (scores >= low) & (scores < low + 0.2)
        assert right[of_it].mean() == pytest.approx(scores[of_it].mean(), abs=0.1)


def test_the_table_is_of_conversations_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    answers = drawn(3)
    print_table("standard", answers, fit(answers).temperature)
    first, *rows = [line for line in capsys.readouterr().out.splitlines() if "fold" not in line]
    assert first.startswith("standard: 1,800 hits")
    assert sum(int(row.split()[1].replace(",", "")) for row in rows) == 1800


def test_every_ranking_answers(db: None) -> None:
    answers = collect([conversation("one"), conversation("two", "realtalk")], HashEmbedder(512))
    assert answers.keys() == lines().keys()
    assert all(len(answer.formula) == len(answer.right) for some in answers.values() for answer in some)
    assert any(answer.right.any() for answer in answers["standard"])
    assert SUMMARIES in answers

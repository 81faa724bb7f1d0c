import pytest

from bench.metrics import Score, mean, score

TEN = list("abcdefghij")


@pytest.mark.parametrize(
    ("results", "gold", "expected"),
    [
        (TEN, {"a"}, Score(1, 1, 1)),
        (TEN, {"c", "g"}, Score(1 / 2, 1, 1 / 3)),
        (TEN, {"f", "z"}, Score(0, 1 / 2, 1 / 6)),
        ([*TEN, "k"], {"k"}, Score(0, 0, 0)),
        ([], {"a"}, Score(0, 0, 0)),
    ],
)
def test_scores_by_hand(results, gold, expected):
    assert score(results, gold) == expected


def test_the_mean_counts_each_question_once():
    assert mean([Score(1, 1, 1), Score(0, 0.5, 0.25)]) == Score(0.5, 0.75, 0.625)


def test_a_score_reads_as_three_figures():
    assert str(Score(0.5, 2 / 3, 1)) == "0.500 / 0.667 / 1.000"

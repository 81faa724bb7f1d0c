import numpy as np
import pytest

from bench.listwise import Listed, derivatives, fit, loss, pack


def lists(count: int = 40, seed: int = 3) -> list[Listed]:
    """The first feature speaks for the gold one, the second against it, the third is noise."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        features = random.normal(size=(8, 3)).astype(np.float32)
        scores = features @ [2, -1, 0] + random.gumbel(size=8)
        made.append(Listed(features, scores >= np.sort(scores)[-int(random.integers(1, 3))]))
    return made


def test_it_learns_the_signs():
    for_it, against_it, noise = fit(lists())
    assert for_it > 0.5
    assert against_it < -0.2
    assert abs(noise) < abs(against_it)


def test_the_same_lists_give_the_same_weights():
    assert np.array_equal(fit(lists()), fit(lists()))


def test_the_gradient_is_that_of_the_loss():
    packed, index, width = pack(lists()), np.array([0.3, -0.2, 0.1]), 1e-2
    _, slope, curve = derivatives(packed, index, 0.01)
    for number, direction in enumerate(np.eye(3)):
        rise = loss(packed, index + width * direction, 0.01) - loss(packed, index - width * direction, 0.01)
        assert rise / (2 * width) == pytest.approx(slope[number], abs=1e-3)
        ahead, behind = (derivatives(packed, index + sign * width * direction, 0.01)[1] for sign in (1, -1))
        assert (ahead - behind) / (2 * width) == pytest.approx(curve[number], abs=1e-3)


def test_it_stands_at_the_minimum():
    packed = pack(lists())
    weights = fit(lists()) * packed.spread
    assert np.abs(derivatives(packed, weights, 1e-3)[1]).max() < 1e-4


def test_a_list_counts_as_much_as_its_pull():
    """Two questions that say the contrary: the stronger one is believed."""
    features = np.array([[1.0], [0.0]], np.float32)
    listed = Listed(features, np.array([True, False]), pull=1.0)
    other = Listed(features, np.array([False, True]), pull=3.0)
    assert fit([listed, other])[0] < 0


def test_a_list_without_a_choice_teaches_nothing():
    empty = Listed(np.ones((4, 3), np.float32), np.zeros(4, bool))
    full = Listed(np.ones((4, 3), np.float32), np.ones(4, bool))
    assert np.array_equal(fit([*lists(), empty, full]), fit(lists()))


def test_the_penalty_keeps_weights_small_where_gold_is_plain():
    plain = [Listed(np.array([[1.0], [0.0]], np.float32), np.array([True, False]))]
    assert 0 < fit(plain, l2=0.1)[0] < fit(plain, l2=0.001)[0] < 100

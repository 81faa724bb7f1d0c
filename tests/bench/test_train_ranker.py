import json

import numpy as np
import pytest

from bench.metrics import Score
from bench.train_ranker import (
    LEFT_OUT,
    Validated,
    cross_validate,
    is_no_worse,
    keep_figures,
    learn,
    make_lessons,
    present_weights,
    write_weights,
)
from memories.providers.embeddings import HashEmbedder
from memories.retrieve.ranking import learnt_weights
from tests.bench.invented import conversation


@pytest.fixture
def learnt(db):
    return make_lessons([conversation("one"), conversation("two", "realtalk")], HashEmbedder(512))


def test_a_lesson_holds_every_weighted_feature_of_each_candidate(learnt):
    names, lessons = learnt
    assert set(learnt_weights()) <= set(names)
    assert not set(LEFT_OUT) & set(names)
    assert len(lessons) == 6
    violin = lessons[1]
    assert violin.listed.features.shape == (10, len(names))
    assert violin.ids[violin.listed.gold].tolist() == ["turn-5"]
    assert (violin.listed.pull, lessons[4].listed.pull) == (1.0, 1.5)


def test_what_answers_shares_words_with_what_is_asked(learnt):
    names, lessons = learnt
    weights = dict(zip(names, learn(lessons), strict=True))
    assert weights["words"] > 0
    assert np.array_equal(learn(lessons), learn(lessons))


def test_weights_learnt_beside_others_leave_these_as_they_are(learnt):
    names, lessons = learnt
    present = present_weights(names)
    beside = np.array([name == "words" for name in names])
    known = np.where(beside, 0.0, present)
    weights = learn([lesson.beside(known) for lesson in lessons], beside)
    assert np.array_equal(weights[~beside], present[~beside])
    assert weights[beside] != learn(lessons, beside)[beside]


def test_a_conversation_and_a_corpus_are_scored_by_weights_that_have_not_seen_them(learnt):
    _, lessons = learnt
    validated = cross_validate(lessons)
    assert len(validated.folds) == 2
    without_one = learn([lesson for lesson in lessons if lesson.conversation.name != "one"])
    assert np.array_equal(validated.folds[0], without_one)
    assert validated.scores[0] == validated.apart[0] == lessons[0].score(without_one)


def test_weights_that_find_less_are_not_taken(learnt):
    names, lessons = learnt
    everything, nothing = ([Score(results, results, results)] * len(lessons) for results in (1, 0))
    folds = np.zeros((2, len(names)))
    assert is_no_worse(lessons, Validated(everything, folds, everything), present_weights(names))
    assert not is_no_worse(lessons, Validated(nothing, folds, nothing), present_weights(names))


def test_figures_are_kept_by_data_set_and_category(learnt, tmp_path):
    _, lessons = learnt
    keep_figures(tmp_path / "figures.json", lessons, cross_validate(lessons))
    figures = json.loads((tmp_path / "figures.json").read_text())["left_out"]
    assert figures["locomo"].keys() == {"all", "single_hop", "multi_hop"}


def test_weights_are_written_readably_by_name(tmp_path):
    write_weights(tmp_path / "weights.json", ["words", "meaning"], np.array([0.123456, 2]), ["one"])
    text = (tmp_path / "weights.json").read_text()
    weights = ' "weights": {\n  "meaning": 2.0,\n  "words": 0.1235\n },\n'
    assert text == f'{{\n{weights} "learnt_from": [\n  "one"\n ]\n}}\n'

"""The labelled statements have the labels that their README names, and nothing held out is in the rest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "judgement"
RELATIONS = {"same", "adds", "replaces", "contradicts", "both"}
EFFECTS = {"cancelled", "moved", "partial", "none"}


def rows(pattern: str) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(DATA.glob(pattern)) for line in path.read_text().splitlines()]


def test_pairs_have_a_relation_and_two_statements() -> None:
    pairs = rows("pairs-*.jsonl") + rows("held-out/pairs.jsonl")
    wrong = [pair for pair in pairs if pair["relation"] not in RELATIONS or not pair["existing"] or not pair["new"]]
    assert len(pairs) > len(wrong) == 0, wrong


def test_dates_have_an_effect() -> None:
    dates = rows("dates-called-off.jsonl") + rows("held-out/dates-called-off.jsonl")
    assert {date["effect"] for date in dates} == EFFECTS


def test_a_sentence_that_is_kept_is_known_by_its_own_words() -> None:
    sentences = rows("sentences*.jsonl") + rows("held-out/sentences.jsonl")
    assert {sentence["keep"] for sentence in sentences} == {True, False}
    stored = [sentence for sentence in sentences if sentence["keep"]]
    texts = [(sentence["keep_has"], f"{sentence['before']} {sentence['text']}") for sentence in stored]
    assert [text for pattern, text in texts if not re.search(pattern, text, re.IGNORECASE)] == []


def test_nothing_held_out_is_in_the_rest() -> None:
    seen = {(pair["existing"], pair["new"]) for pair in rows("pairs-*.jsonl")}
    assert seen.isdisjoint((pair["existing"], pair["new"]) for pair in rows("held-out/pairs.jsonl"))
    texts = {sentence["text"] for sentence in rows("sentences*.jsonl")}
    assert texts.isdisjoint(sentence["text"] for sentence in rows("held-out/sentences.jsonl"))


def test_each_fact_of_a_conversation_is_said_in_it() -> None:
    for path in (DATA / "conversations.json", DATA / "held-out" / "conversations.json"):
        for name, talk in json.loads(path.read_text()).items():
            assert talk["sessions"], name
            assert len({fact["label"] for fact in talk["facts"]}) == len(talk["facts"])
            assert all(re.compile(fact["regex"]) for fact in talk["facts"] + talk["questions"])

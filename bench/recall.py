"""Recall of the default search beside the usual baselines, in process. Writes "Recall" of bench/results/benchmarks.md.

.venv/bin/python -m bench.recall --data ../shared/bench [--limit 2]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from django.utils import timezone

from bench.baselines import SHOWN, Baselines
from bench.conversations import Conversation, read_conversations, read_corpora, stored_conversations, without_sessions
from bench.kept_vectors import KeptVectors
from bench.metrics import Score, mean, score
from bench.options import add_data, make_database, parser
from bench.page import circumstances, table, write_section
from memories.providers.embeddings import Embedder, MiniLMEmbedder
from memories.retrieve import ranking
from memories.retrieve.pipeline import recall
from memories.retrieve.scoped_view import Scope
from memsite.tenancy.models import App

OURS = "**Memsite, default search**"
LEFT_OUT = "its ranking, each conversation ranked by weights learnt without it"
ALL = "all"
TIMED_EMBEDDINGS = 200
FIGURES = "train-ranker.json"
SOURCES = {"locomo": "LoCoMo, CC BY-NC 4.0", "realtalk": "REALTALK", "beam": "BEAM"}
WORST = 10
WEIGHTS = Path(ranking.__file__).parent / "weights.json"
LEARNT_FROM = frozenset(json.loads(WEIGHTS.read_text())["learnt_from"])


@dataclass
class Measured:
    """`scores` by data set, contender and category; seconds of each search, its question embedded before."""

    scores: dict[str, dict[str, dict[str, list[Score]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    )
    search_seconds: list[float] = field(default_factory=list)

    def add(self, conversation: Conversation, category: str, contender: str, item: Score) -> None:
        of_contender = self.scores[group_of(conversation)][contender]
        of_contender[ALL].append(item)
        of_contender[category].append(item)


def group_of(conversation: Conversation) -> str:
    """Its data set. What the weights of the ranking were not learnt from is apart."""
    return conversation.data_set if conversation.group in LEARNT_FROM else f"{conversation.data_set}, not learnt from"


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    given = options.parse_args()
    make_database()
    model = MiniLMEmbedder()
    facts = circumstances(given.note)
    conversations = read_conversations(given.data, given.limit)
    written = read_corpora()
    talks = [
        *conversations,
        *(conversation for conversation in written if any(item.session for item in conversation.items)),
    ]
    stored = [*conversations, *written, *map(without_sessions, talks)]
    measured = measure_all(stored, KeptVectors(model, given.cache))
    embedding = time_embedding(conversations, model)
    body = render([*conversations, *written], measured, embedding, left_out_figures(given), facts)
    print(body)
    if given.limit:
        print("Nothing written: these are not all conversations.")
    else:
        write_section("Recall", body)


def measure_all(conversations: list[Conversation], embedder: Embedder) -> Measured:
    measured = Measured()
    for conversation, app, _ in stored_conversations(conversations, embedder):
        measure_one(conversation, app, embedder, measured)
    return measured


def measure_one(conversation: Conversation, app: App, embedder: Embedder, measured: Measured) -> None:
    baselines = Baselines(conversation, embedder)
    search(app, "anything", embedder)  # loads the index
    for question in conversation.questions:
        rankings = baselines.rankings(question.text)
        search(app, question.text, embedder)  # embeds the question
        start = time.perf_counter()
        rankings[OURS] = search(app, question.text, embedder)
        measured.search_seconds.append(time.perf_counter() - start)
        for contender, results in rankings.items():
            measured.add(conversation, question.category, contender, score(results, question.gold))


def search(app: App, text: str, embedder: Embedder) -> list[str]:
    """Item ids, best first, as an operator sees them."""
    results = recall(app, text, Scope(None, None, timezone.now().timestamp()), embedder, limit=SHOWN)
    return [hit.memory.external_id or "" for hit in results.hits]


def time_embedding(conversations: Sequence[Conversation], embedder: Embedder) -> list[float]:
    """Seconds for each of the first questions."""
    texts = [question.text for conversation in conversations for question in conversation.questions][:TIMED_EMBEDDINGS]
    seconds = []
    for text in texts:
        start = time.perf_counter()
        embedder.embed_query(text)
        seconds.append(time.perf_counter() - start)
    return seconds


def left_out_figures(given: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """Return what `bench.train_ranker` left in the cache, by data set and category. Nothing for a part of the data."""
    file: Path = given.cache / FIGURES
    if given.limit or not file.exists():
        return {}
    figures: dict[str, dict[str, list[float]]] = json.loads(file.read_text())["left_out"]
    return figures


def render(
    conversations: Sequence[Conversation], measured: Measured, embedding: Sequence[float],
    left_out: dict[str, dict[str, list[float]]], facts: str,
) -> str:  # fmt: skip
    parts = [
        f"Measured {facts}",
        describe(conversations),
        "Each cell is R@5 / R@10 / MRR@10: the share of a question's annotated evidence among the first 5 and the "
        "first 10 hits, and 1 / rank of the first.",
    ]
    parts += [worst_first(measured, [(name, ALL) for name in measured.scores], len(measured.scores))]
    categories = [
        (name, category) for name, scores in measured.scores.items() for category in scores[OURS] if category != ALL
    ]
    parts += ["Of all categories, the furthest behind their best baseline:", worst_first(measured, categories, WORST)]
    for data_set, contenders in measured.scores.items():
        parts.append(f"**{data_set}**\n\n{score_table(contenders, left_out.get(data_set, {}))}")
    parts.append(
        f"A search takes {milliseconds(measured.search_seconds)} in process, with a loaded index; embedding its "
        f"question with MiniLM, which comes on top, {milliseconds(embedding)}."
    )
    return "\n\n".join(parts)


def worst_first(measured: Measured, some: Sequence[tuple[str, str]], most: int) -> str:
    """Return a table of so many (data set, category), that first which is furthest behind its best baseline in R@10."""
    rows = []
    for data_set, category in some:
        results = {name: mean(scores[category]) for name, scores in measured.scores[data_set].items()}
        ours = results.pop(OURS)
        best = max(results, key=lambda name: results[name].recall_10)
        count = len(measured.scores[data_set][OURS][category])
        ahead = ours.recall_10 - results[best].recall_10
        label = data_set if category == ALL else f"{data_set}: {category.replace('_', ' ')}"
        rows.append((ahead, [label, count, best, results[best], ours, f"{ahead:+.3f}"]))
    rows.sort(key=lambda row: row[0])
    return table(["", "questions", "best baseline", "its", "Memsite", "R@10 ahead"], [row for _, row in rows[:most]])


def describe(conversations: Sequence[Conversation]) -> str:
    """Describe the data, and which of it the ranking knows."""
    items = sum(len(conversation.items) for conversation in conversations)
    questions = sum(len(conversation.questions) for conversation in conversations)
    names = dict.fromkeys(conversation.data_set for conversation in conversations)
    sources = [SOURCES[name] for name in names if name in SOURCES]
    written = [name for name in names if name not in SOURCES]
    known = sum(conversation.name in LEARNT_FROM for conversation in conversations)
    return (
        f"{len(conversations)} apps of conversations ({'; '.join(sources)}) and of texts written for this "
        f"(`bench/corpora`: {', '.join(written)}), {items:,} memories, {questions:,} questions with evidence; preset "
        "`standard`, all-MiniLM-L6-v2, limit 10. Conversations are measured once more as a client stores them that "
        "names no sessions. BM25 is SQLite's FTS5 with porter stemming over any of the words; fusions take the one "
        f"without stop words. The weights of the ranking were learnt from {known} of these apps; what they were not "
        f'learnt from stands apart. The row "{LEFT_OUT}" (`make train-ranker`; no floor for what is shown) is nearer '
        "to what to expect of others, and still a little high: the features were chosen on these, too. How questions "
        "are read was learnt from most of `bench/corpora` but what ends in `-held`: this flatters whatever ranks by "
        "meaning, cosine too."
    )


def score_table(contenders: dict[str, dict[str, list[Score]]], left_out: dict[str, list[float]]) -> str:
    ours = contenders[OURS]
    categories = {name: ours[name] for name in (ALL, *sorted(ours.keys() - {ALL}))}
    head = ["", *[f"{name.replace('_', ' ')} ({len(scores):,})" for name, scores in categories.items()]]
    rows: list[list[object]] = [
        [name, *[mean(by_category[category]) for category in categories]] for name, by_category in contenders.items()
    ]
    if left_out:
        rows.append([LEFT_OUT, *[Score(*left_out[category]) for category in categories]])
    return table(head, rows)


def milliseconds(seconds: Sequence[float]) -> str:
    middle, late = np.percentile(np.array(seconds) * 1e3, [50, 95])
    return f"{middle:.1f} ms (p50) and {late:.1f} ms (p95)"


if __name__ == "__main__":
    main()

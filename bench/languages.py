"""The two models that come as packages: on statements in eleven languages, and on the conversations in English.

.venv/bin/python -m bench.languages --data ../shared/bench [--limit 2]

Writes "Languages" of bench/results/benchmarks.md. Needs `make multilingual`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from bench.conversations import Conversation, make_app, read_conversations, stored_conversations
from bench.kept_vectors import KeptVectors
from bench.metrics import Score, mean, score
from bench.options import add_data, make_database, parser
from bench.page import circumstances, table, write_section
from bench.recall import search as search_ids
from bench.search_latency import search, store
from memories.providers.embeddings import Embedder, MiniLMEmbedder, MultilingualEmbedder
from memories.store import Candidate
from memsite.tenancy.models import App

SETS = Path(__file__).with_name("languages.txt")
SHOWN = 10
TIMED = 256


@dataclass(frozen=True, slots=True)
class Language:
    """`questions` with the statement that answers each; `open_questions` none answers."""

    name: str
    statements: list[str]
    questions: list[tuple[str, str]]
    open_questions: list[str]


@dataclass(frozen=True, slots=True)
class Found:
    """Shares of the questions whose answer was first, and among three; hits of a question; open ones left empty."""

    first: float
    early: float
    hits: float
    empty: float


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    embedders = [MiniLMEmbedder(), MultilingualEmbedder()]
    conversations = read_conversations(given.data, given.limit)
    languages = read_languages(SETS.read_text())
    speeds = [measure_speed(embedder, conversations) for embedder in embedders]
    results = [[measure_language(language, embedder) for embedder in embedders] for language in languages]
    english = [measure_english(conversations, KeptVectors(embedder, given.cache)) for embedder in embedders]
    body = render(facts, languages, results, english, speeds)
    print(body)
    if given.limit:
        print("Nothing written: these are not all conversations.")
    else:
        write_section("Languages", body)


def read_languages(text: str) -> list[Language]:
    """Read each language: its name in brackets, statements, questions with their answer's number, open questions."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    groups = [lines[index : index + 4] for index in range(0, len(lines), 4)]
    return [read_language(name.strip("[]"), *(line.split("|") for line in rest)) for name, *rest in groups]


def read_language(name: str, statements: list[str], questions: list[str], open_questions: list[str]) -> Language:
    requested = [question.rsplit("=", 1) for question in questions]
    return Language(name, statements, [(text, statements[int(index)]) for text, index in requested], open_questions)


def measure_language(language: Language, embedder: Embedder) -> Found:
    """One app of preset `standard`, one memory for each statement, default search."""
    app = fresh_app(f"{language.name} {embedder.name}")
    store(app, [Candidate(content=statement) for statement in language.statements], embedder)
    output = [(search(app, text, embedder), answer) for text, answer in language.questions]
    left = [search(app, text, embedder) for text in language.open_questions]
    return Found(
        fmean(hits[:1] == [answer] for hits, answer in output),
        fmean(answer in hits[:3] for hits, answer in output),
        fmean(len(hits) for hits, _ in output),
        fmean(not hits for hits in left),
    )


def fresh_app(name: str) -> App:
    """As requests get it, with its policy."""
    return App.objects.select_related("policy").get(pk=make_app(name).pk)


def measure_english(conversations: list[Conversation], embedder: KeptVectors) -> dict[str, dict[str, Score]]:
    """By way of ranking and data set."""
    values: dict[str, dict[str, list[Score]]] = defaultdict(lambda: defaultdict(list))
    renamed = [named_for(conversation, embedder) for conversation in conversations]
    for conversation, app, _ in stored_conversations(renamed, embedder):
        vectors = embedder.embed_documents([item.content for item in conversation.items])
        ids = np.array([item.id for item in conversation.items])
        for question in conversation.questions:
            nearest = np.argsort(-(vectors @ embedder.embed_query(question.text)), kind="stable")[:SHOWN]
            ways = {"meaning": ids[nearest].tolist(), "search": search_ids(app, question.text, embedder)}
            for way, hits in ways.items():
                values[way][conversation.data_set].append(score(hits, question.gold))
    return {way: {name: mean(scores) for name, scores in by_set.items()} for way, by_set in values.items()}


def named_for(conversation: Conversation, embedder: Embedder) -> Conversation:
    """Return an app of its own for each embedder."""
    name = f"{conversation.name} {embedder.name}"
    return Conversation(
        name, conversation.data_set, conversation.group, conversation.items, conversation.questions
    )  # fmt: skip


def measure_speed(embedder: Embedder, conversations: Sequence[Conversation]) -> tuple[float, float]:
    """Texts a second in batches, and milliseconds of a question by itself (median)."""
    texts = [item.content for conversation in conversations for item in conversation.items][:TIMED]
    questions = [question.text for conversation in conversations for question in conversation.questions][:TIMED]
    embedder.embed_query("loads the model")
    start = time.perf_counter()
    embedder.embed_documents(texts)
    pace = len(texts) / (time.perf_counter() - start)
    return pace, float(np.median([seconds_of(embedder, question) for question in questions])) * 1e3


def seconds_of(embedder: Embedder, question: str) -> float:
    start = time.perf_counter()
    embedder.embed_query(question)
    return time.perf_counter() - start


def render(
    facts: str, languages: Sequence[Language], sequences: Sequence[Sequence[Found]],
    english: Sequence[dict[str, dict[str, Score]]], speeds: Sequence[tuple[float, float]],
) -> str:  # fmt: skip
    statements = {len(language.statements) for language in languages}
    head = ["", "first", "in three", "hits", "left empty", "first", "in three", "hits", "left empty"]
    rows = [
        [language.name, *cells(minilm), *cells(multilingual)]
        for language, (minilm, multilingual) in zip(languages, sequences, strict=True)
    ]
    sets = list(english[0]["meaning"])
    of_english = [
        [f"{title}, {name}", *(item[way][name] for item in english)]
        for way, title in (("meaning", "by meaning alone"), ("search", "default search"))
        for name in sets
    ]
    pace = [["texts a second, in batches", *(f"{pace:.0f}" for pace, _ in speeds)]]
    pace.append(["a question by itself, ms", *(f"{each:.1f}" for _, each in speeds)])
    models = ["", "all-MiniLM-L6-v2", "multilingual-e5-small"]
    return "\n\n".join(
        [
            f"Measured {facts}",
            f"{min(statements)} to {max(statements)} plain statements of one person in each language, questions that "
            "one of them answers, and questions that none does (`bench/languages.txt`, written for this; the "
            "thresholds of neither model were chosen on it, but how much of its language is left to a text was). One "
            "app each, preset `standard`, default search, limit 10. Shares of the questions whose answer came first "
            "and among the first three, hits of such a question, and the share of the others that were left empty; "
            "first four columns with all-MiniLM-L6-v2, then with multilingual-e5-small "
            "(`MEMSITE_EMBEDDER=multilingual`).",
            table(head, rows),
            "The conversations of [Recall](#recall), in English, R@5 / R@10 / MRR@10. The weights of the default "
            "search were learnt from these very conversations with MiniLM's vectors, to its advantage; the centre that "
            "is taken from multilingual vectors was chosen over others with their help, to the advantage of that one.",
            table(models, [*of_english, *pace]),
        ]
    )


def cells(results: Found) -> list[str]:
    return [f"{results.first:.2f}", f"{results.early:.2f}", f"{results.hits:.1f}", f"{results.empty:.2f}"]


if __name__ == "__main__":
    main()

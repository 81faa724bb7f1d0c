"""Train how MiniLM reads a question: the map of `memories/providers/embeddings/minilm.py`.

    pip install torch     # not needed by the server
    python -m tools.train_question_map [--left-out 0]

A question's vector is moved towards what would answer it; the vectors of texts stay as they are. Learnt of the
questions of `bench/corpora` and of the short dialogues of `tests/data/judgement`: the answer is to be told from all
else that the same app holds, and from all that any app holds (softmax over cosines). Two things are kept: how near
unrelated texts are on the whole, so that thresholds mean the same, and questions in languages that the model hardly
knows. Of conversations and dialogues that nothing is trained on (`is_left_out`) and apps that end in `-held` nothing is
learnt. With --left-out one of five parts is left out, by app, and what is found there is printed instead of writing.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from memories.providers.embeddings import MiniLMEmbedder
from memories.providers.embeddings.minilm import QUESTIONS_FILE
from tools.judgement_data import JUDGEMENT, is_left_out

ROOT = Path(__file__).resolve().parents[1]
CORPORA, FOREIGN = ROOT / "bench/corpora", ROOT / "tests/data/secrets/said.json"
HELD_OUT = "-held"
PARTS, SEED = 5, 1
EPOCHS, BATCH, RATE = 6, 128, 1e-3
TEMPERATURE, DROPOUT = 0.05, 0.2
SPREAD = 0.05
"""Of the first of two matrices, whose product is learnt; the second begins as zeros."""
SHORT = 0.1
"""How much it costs to move a question at all."""
KEPT, AT_ONCE, MOST_CHARACTERS = 20.0, 64, 200
"""How much it costs to move a text of another language; so many are looked at in a step, of so many characters."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question over the texts of an app. `right` are the numbers of those that answer it."""

    app: str
    corpus: str
    question: str
    texts: Sequence[str]
    right: Sequence[int]


def read_examples() -> Iterator[Example]:
    for file in sorted(CORPORA.glob("*.json")):
        for app in json.loads(file.read_text(encoding="utf-8")):
            name = app["app_id"]
            if name.endswith(HELD_OUT) or is_left_out(name.removeprefix("facts-").replace("-", "_")):
                continue
            texts = [f"{item['speaker']}: {item['text']}".removeprefix(": ") for item in app["items"]]
            places = {item["id"]: place for place, item in enumerate(app["items"])}
            for query in app["queries"]:
                if query["scored"] and query["gold"]:
                    yield Example(name, file.stem, query["text"], texts, [places[item] for item in query["gold"]])
    for line in (JUDGEMENT / "dialogues.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts = [fact["label"] for fact in row["facts"]]
        for query in row["questions"] if not is_left_out(row["id"]) else ():
            right = [place for place, text in enumerate(texts) if re.search(query["regex"], text, re.IGNORECASE)]
            if right:
                yield Example(row["id"], "dialogues", query["question"], texts, right)


def embedded(embedder: MiniLMEmbedder, texts: Sequence[str]) -> Tensor:
    """Embed texts, and questions too, as texts."""
    return torch.from_numpy(embedder.embed_documents(texts))


class Lessons:
    """Examples as vectors: `questions` (n, 384), all `texts` (m, 384), which are an example's own, and right."""

    def __init__(self, examples: Sequence[Example], embedder: MiniLMEmbedder) -> None:
        every = list(dict.fromkeys(text for example in examples for text in example.texts))
        number = {text: place for place, text in enumerate(every)}
        self.examples = examples
        self.questions = embedded(embedder, [example.question for example in examples])
        self.texts = embedded(embedder, every)
        self.own = torch.zeros(len(examples), len(every), dtype=torch.bool)
        self.right = torch.zeros_like(self.own)
        for row, example in enumerate(examples):
            self.own[row, [number[text] for text in example.texts]] = True
            self.right[row, [number[example.texts[place]] for place in example.right]] = True
        self.middle = functional.normalize(self.texts.mean(0), dim=0)

    def moved(self, questions: Tensor, learnt: Tensor) -> Tensor:
        """Return by how much: not along the middle of all texts, nearness to which all have in common."""
        by = questions @ learnt
        return by - (by @ self.middle)[:, None] * self.middle

    def cosines(self, rows: Sequence[int], learnt: Tensor) -> Tensor:
        questions = self.questions[rows]
        return functional.normalize(questions + self.moved(questions, learnt), dim=1) @ self.texts.T


def train(lessons: Lessons, rows: Sequence[int], foreign: Tensor) -> Tensor:
    """Minimise minus the log of the probability of the answers, among the app's texts and among all."""
    torch.manual_seed(SEED)
    chance, order = random.Random(SEED), list(rows)  # noqa: S311
    first = (torch.randn(foreign.shape[1], foreign.shape[1]) * SPREAD).requires_grad_()
    second = torch.zeros_like(first).requires_grad_()
    optimizer = torch.optim.AdamW([first, second], lr=RATE, weight_decay=0.0)
    steps, step = EPOCHS * math.ceil(len(order) / BATCH), 0
    for _ in range(EPOCHS):
        chance.shuffle(order)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            questions = lessons.questions[batch]
            by = lessons.moved(functional.dropout(questions, DROPOUT) @ first, second)
            scores = functional.normalize(questions + by, dim=1) @ lessons.texts.T / TEMPERATURE
            right, own = (
                torch.logsumexp(scores.masked_fill(~some[batch], -1e9), 1) for some in (lessons.right, lessons.own)
            )
            others = foreign[torch.randint(len(foreign), (AT_ONCE,))]
            loss = (own + torch.logsumexp(scores, 1) - 2 * right).mean() + SHORT * by.square().sum(1).mean()
            loss = loss + KEPT * (others @ first @ second).square().sum(1).mean()
            optimizer.param_groups[0]["lr"] = RATE * (1 - step / steps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
    return (first @ second).detach()


def read_foreign(embedder: MiniLMEmbedder) -> Tensor:
    rows = json.loads(FOREIGN.read_text(encoding="utf-8"))
    texts = [text for language, _, text in rows if language != "en" and len(text) < MOST_CHARACTERS]
    vectors = embedded(embedder, texts)
    return vectors[vectors.any(1)]


def report(lessons: Lessons, rows: Sequence[int], learnt: Tensor) -> None:
    """Print for each corpus how often the nearest text of the app, and one of the nearest three, answers."""
    rows_by_corpus: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        rows_by_corpus[lessons.examples[row].corpus].append(row)
    for corpus, some in sorted(rows_by_corpus.items()):
        shares = []
        for matrix in (torch.zeros_like(learnt), learnt):
            cosines = lessons.cosines(some, matrix).masked_fill(~lessons.own[some], -1)
            hits = lessons.right[some].gather(1, cosines.topk(3, 1).indices)
            shares.append(f"{hits[:, 0].float().mean():.3f} {hits.any(1).float().mean():.3f}")
        print(f"{corpus:10} {len(some):5}  {' -> '.join(shares)}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--left-out", type=int, help=f"a part from 0 to {PARTS - 1}")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    embedder = MiniLMEmbedder()
    lessons, foreign = Lessons(list(read_examples()), embedder), read_foreign(embedder)
    part = [zlib.crc32(example.app.encode()) % PARTS for example in lessons.examples]
    learnt = train(lessons, [row for row, own in enumerate(part) if own != chosen.left_out], foreign)
    left_out = [row for row, own in enumerate(part) if chosen.left_out in (None, own)]
    report(lessons, left_out, learnt)
    if chosen.left_out is None:
        moved = lessons.moved(torch.eye(len(learnt)), learnt)
        np.save(QUESTIONS_FILE, moved.numpy().astype(np.float16))


if __name__ == "__main__":
    main()

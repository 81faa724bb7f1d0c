"""Train how MiniLM reads a question: `minilm_questions.npz` and its graph, beside `memories/providers/embeddings`.

    pip install torch onnx     # neither is needed by the server
    python -m tools.train_question_encoder [--left-out 0]

The upper layers of all-MiniLM-L6-v2 are tuned for questions alone; the vectors of texts stay as they are. Learnt of the
questions of `bench/corpora` and of the dialogues of `tests/data/judgement`, over statements and over the messages they
were made of: the answer is to be told from all else that the same app holds, and from all that any app holds (softmax
over cosines; Karpukhin et al. 2020). Two things are kept: how near unrelated texts are on the whole, so that thresholds
mean the same, and texts in languages that the model hardly knows. Of conversations and dialogues that nothing is
trained on (`is_left_out`) and apps that end in `-held` nothing is learnt. With --left-out one of five parts is left
out, by app, and what is found there is printed instead of writing.
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")

import numpy as np
import torch
from onnx import ModelProto, TensorProto, helper
from torch import Tensor
from torch.nn import functional

from memories.providers.embeddings import MiniLMEmbedder
from memories.providers.embeddings.minilm import (
    QUESTIONS_FILE,
    QUESTIONS_GRAPH_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDS,
    load_tokenizer,
    locate_model,
)
from tools import bert_graph
from tools.export_minilm import LAYERS, VOCABULARY
from tools.judgement_data import JUDGEMENT, is_left_out
from tools.tuned_bert import TunedBert

ROOT = Path(__file__).resolve().parents[1]
CORPORA, FOREIGN = ROOT / "bench/corpora", ROOT / "tests/data/secrets/said.json"
HELD_OUT = "-held"
FIRST_LAYER, PARTS, SEED = 2, 5, 1
EPOCHS, BATCH, RATE, WARM_UP = 4, 64, 1e-4, 0.1
TEMPERATURE, MOST_TOKENS = 0.05, 64
LEVEL = 20.0
"""How much it costs to come nearer to the middle of all texts, nearness to which all have in common."""
SHARE = 0.85
"""Of the tuned weights, beside those of before: it finds more of what is unlike the examples (Wortsman et al. 2022)."""
KEPT, AT_ONCE, EACH, MOST_CHARACTERS = 2.0, 16, 3, 200
"""How much it costs to move a text of another language; so many are looked at in each third step, of so many letters.
"""


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
    for row in rows_of("dialogues.jsonl"):
        texts = [fact["label"] for fact in row["facts"]]
        for query in row["questions"]:
            right = [place for place, text in enumerate(texts) if re.search(query["regex"], text, re.IGNORECASE)]
            if right:
                yield Example(row["id"], "dialogues", query["question"], texts, right)
    for row in rows_of("read.jsonl"):
        yield from examples_of(row)


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    for line in (JUDGEMENT / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not is_left_out(row["id"]):
            yield row


def examples_of(row: Mapping[str, Any]) -> Iterator[Example]:
    """Return the questions of a dialogue: over its facts and what was kept of it, and over its messages."""
    stored, facts = [entry["content"] for entry in row["read"]], [fact["statement"] for fact in row["facts"]]
    texts = list(dict.fromkeys([*stored, *facts]))
    for query in row["questions"]:
        yield Example(row["id"], "facts of dialogues", query["question"], texts, [texts.index(facts[query["fact"]])])
    messages = [f"{message['role'].capitalize()}: {message['content']}" for message in row["messages"]]
    for entry in row["read"]:
        for question in entry.get("questions", ()):
            yield Example(row["id"], "statements", question, texts, [texts.index(entry["content"])])
            if "message" in entry:
                yield Example(row["id"], "messages", question, messages, [entry["message"]])


class Reader(TunedBert):
    """Embeds questions: the normalised sum of all tokens."""

    def __init__(self) -> None:
        super().__init__(FIRST_LAYER)
        self.tokenizer = load_tokenizer(locate_model() / TOKENIZER_FILE)

    def tokenise(self, text: str) -> list[int]:
        tokens: list[int] = self.tokenizer.encode(text).ids[:MOST_TOKENS]
        return tokens

    def embed(self, tokens: Sequence[list[int]]) -> Tensor:
        """Shape (n, 384)."""
        ids = torch.zeros(len(tokens), max(map(len, tokens)), dtype=torch.long)
        mask = torch.zeros_like(ids, dtype=torch.bool)
        for row, some in enumerate(tokens):
            ids[row, : len(some)], mask[row, : len(some)] = torch.tensor(some), True
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_training):
            hidden = self.hidden(ids, torch.zeros_like(ids), mask)
        return functional.normalize((hidden.float() * mask[:, :, None]).sum(1), dim=1)


class Lessons:
    """Examples as vectors: all `texts` (m, 384), which are an example's own, and right."""

    def __init__(self, examples: Sequence[Example], embedder: MiniLMEmbedder, reader: Reader) -> None:
        every = list(dict.fromkeys(text for example in examples for text in example.texts))
        number = {text: place for place, text in enumerate(every)}
        self.examples = examples
        self.questions = torch.from_numpy(embedder.embed_documents([example.question for example in examples]))
        self.tokens = [reader.tokenise(example.question) for example in examples]
        self.texts = torch.from_numpy(embedder.embed_documents(every))
        self.own = torch.zeros(len(examples), len(every), dtype=torch.bool)
        self.right = torch.zeros_like(self.own)
        for row, example in enumerate(examples):
            self.own[row, [number[text] for text in example.texts]] = True
            self.right[row, [number[example.texts[place]] for place in example.right]] = True
        self.middle = functional.normalize(self.texts.mean(0), dim=0)


@dataclass(frozen=True, slots=True)
class Foreign:
    """Texts in languages that the model hardly knows, whose vectors shall stay."""

    tokens: Sequence[list[int]]
    vectors: Tensor


def read_foreign(embedder: MiniLMEmbedder, reader: Reader) -> Foreign:
    rows = json.loads(FOREIGN.read_text(encoding="utf-8"))
    texts = [text for language, _, text in rows if language != "en" and len(text) < MOST_CHARACTERS]
    vectors = torch.from_numpy(embedder.embed_documents(texts))
    readable = vectors.any(1)
    tokens = [reader.tokenise(text) for text, is_readable in zip(texts, readable.tolist(), strict=True) if is_readable]
    return Foreign(tokens, vectors[readable])


def train(reader: Reader, lessons: Lessons, rows: Sequence[int], foreign: Foreign) -> None:
    """Minimise minus the log of the probability of the answers, among the app's texts and among all."""
    torch.manual_seed(SEED)
    chance, order = random.Random(SEED), list(rows)  # noqa: S311
    published = {name: tensor.detach().clone() for name, tensor in reader.tuned.items()}
    optimizer = torch.optim.AdamW(list(reader.tuned.values()), lr=RATE, weight_decay=0.01)
    steps, step = EPOCHS * math.ceil(len(order) / BATCH), 0
    reader.is_training = True
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        total = 0.0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors = reader.embed([lessons.tokens[row] for row in batch])
            scores = vectors @ lessons.texts.T / TEMPERATURE
            right, own = (
                torch.logsumexp(scores.masked_fill(~some[batch], -1e9), 1) for some in (lessons.right, lessons.own)
            )
            level = ((vectors - lessons.questions[batch]) @ lessons.middle).square().mean()
            loss = (own + torch.logsumexp(scores, 1) - 2 * right).mean() + LEVEL * level
            if step % EACH == 0:
                others = torch.randint(len(foreign.tokens), (AT_ONCE,)).tolist()
                moved = reader.embed([foreign.tokens[other] for other in others]) - foreign.vectors[others]
                loss = loss + KEPT * moved.square().sum(1).mean()
            optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / (WARM_UP * steps)) * (1 - step / steps)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(reader.tuned.values()), 1.0)
            optimizer.step()
            step += 1
            total += len(batch) * float(loss)
        print(f"epoch {epoch + 1}: loss {total / len(order):.3f}", flush=True)
    reader.is_training = False
    with torch.no_grad():
        for name, tensor in reader.tuned.items():
            tensor.lerp_(published[name], 1 - SHARE)


def report(reader: Reader, lessons: Lessons, rows: Sequence[int]) -> None:
    """Print for each corpus how often the nearest text of the app, and one of the nearest three, answers."""
    rows_by_corpus: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        rows_by_corpus[lessons.examples[row].corpus].append(row)
    for corpus, some in sorted(rows_by_corpus.items()):
        with torch.no_grad():
            read = torch.cat([reader.embed([lessons.tokens[row]]) for row in some])
        shares = []
        for vectors in (lessons.questions[some], read):
            cosines = (vectors @ lessons.texts.T).masked_fill(~lessons.own[some], -1)
            hits = lessons.right[some].gather(1, cosines.topk(3, 1).indices)
            shares.append(f"{hits[:, 0].float().mean():.3f} {hits.any(1).float().mean():.3f}")
        print(f"{corpus:20} {len(some):5}  {' -> '.join(shares)}")


def build_model(tuned: Sequence[str]) -> ModelProto:
    """input_ids and attention_mask (batch, length) int64, the word table; to vectors (batch, hidden)."""
    g = bert_graph.TunedBuilder(WEIGHTS_FILE, tuned)
    bert_graph.add_shapes(g, "input_ids")
    bert_graph.add_mask(g)
    g.node("Gather", [WORDS, "input_ids"], "words")
    bert_graph.add_encoder(g, LAYERS)
    names = ["input_ids", "attention_mask"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    inputs.append(helper.make_tensor_value_info(WORDS, TensorProto.FLOAT, [VOCABULARY, bert_graph.HIDDEN]))
    return bert_graph.make_model(bert_graph.make_graph(g, "questions", inputs), {bert_graph.CONTRIBUTED: 1})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--left-out", type=int, help=f"a part from 0 to {PARTS - 1}")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    embedder, reader = MiniLMEmbedder(), Reader()
    lessons, foreign = Lessons(list(read_examples()), embedder, reader), read_foreign(embedder, reader)
    part = [zlib.crc32(example.app.encode()) % PARTS for example in lessons.examples]
    train(reader, lessons, [row for row, own in enumerate(part) if own != chosen.left_out], foreign)
    if chosen.left_out is not None:
        report(reader, lessons, [row for row, own in enumerate(part) if own == chosen.left_out])
    else:
        bert_graph.write(build_model(list(reader.tuned)), QUESTIONS_GRAPH_FILE)
        np.savez_compressed(QUESTIONS_FILE, **reader.arrays())


if __name__ == "__main__":
    main()

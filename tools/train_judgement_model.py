"""Train the networks of `memories/providers/judgement_model.py`: their graph and their tuned weights.

    pip install torch onnx     # neither is needed by the server
    python -m tools.train_judgement_model [--epochs 3] [--first-layer 2] [--seed 1] [--start FILE] [--average FILE …]

Tune the upper layers and a head of all-MiniLM-L6-v2 on the labelled pairs and sentences of `tests/data`. A seventh of
them (by a hash of the text) is not trained on: these calibrate the probabilities, and the figures that are printed are
theirs. The weights in the repository are the mean of several trainings: `--epochs 0 --average FILE …` makes it.
`--start` goes on from earlier weights, with a lower `--rate`, on a `--share` of the examples.
`--statements` trains the one that reads a statement beside its message, from the weights of the other, on the labelled
statements of `tests/data/judgement/read.jsonl` and a few sentences.
`--held-out` prints those of `tests/data/judgement/held-out` too: nothing may be chosen by them.
"""

from __future__ import annotations

import argparse
import math
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")

import numpy as np
import torch
from onnx import ModelProto, TensorProto, helper
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from memories.providers.embeddings.in_process import SCALE, restored
from memories.providers.embeddings.minilm import TOKENIZER_FILE, TUNED, WEIGHTS_FILE, WORDS, locate_model, map_verified
from memories.providers.judgement_model import (
    ANSWERS,
    GRAPH_FILE,
    MAX_TOKENS,
    QUESTIONS,
    STATEMENTS_FILE,
    TEMPERATURE,
    TUNED_FILE,
)
from tools import bert_graph
from tools.bert_graph import HIDDEN, POSITIONS, SEGMENTS
from tools.export_minilm import LAYERS, VOCABULARY
from tools.judgement_data import (
    HELD_OUT,
    SEED,
    Example,
    as_statement,
    dates_called_off,
    is_development,
    read_examples,
    read_pairs,
    read_sentences,
    read_statements,
)
from tools.tuned_bert import DROPOUT, TunedBert

BATCH = 32
LAYER_RATE, HEAD_RATE = 1.5e-4, 1e-3
WARM_UP = 0.1
HEAD = "head"
SENTENCES_BESIDE = 3_500
"""Sentences that stand alone, trained on beside the statements of dialogues."""


class Network(TunedBert):
    """One head over the first token beside the mean of all."""

    def __init__(self, first_layer: int) -> None:
        super().__init__(first_layer)
        self.tune(f"{HEAD}.weight", torch.randn(ANSWERS, 2 * HIDDEN) * 0.02)
        self.tune(f"{HEAD}.bias", torch.zeros(ANSWERS))

    def scores(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Shape (batch, ANSWERS), of ids, segments and a boolean mask, each (batch, length)."""
        x = self.hidden(ids, segments, mask)
        shares = mask.float()[:, :, None]
        mean = (x * shares).sum(1) / shares.sum(1)
        return self.linear(functional.dropout(torch.cat([x[:, 0], mean], 1), DROPOUT, self.is_training), HEAD)


@dataclass(frozen=True, slots=True)
class Encoded:
    ids: list[int]
    segments: list[int]
    meant: list[bool]


def encode(examples: Sequence[Example]) -> list[Encoded]:
    tokenizer = Tokenizer.from_buffer(bytes(map_verified(locate_model() / TOKENIZER_FILE)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    encoded = []
    for example in examples:
        output = tokenizer.encode(example.texts[0], example.texts[1] if len(example.texts) > 1 else None)
        meant = [answer in example.answers.get(name, ()) for name, answers in QUESTIONS.items() for answer in answers]
        encoded.append(Encoded(output.ids, output.type_ids, meant))
    return encoded


def batches(encoded: Sequence[Encoded], chance: random.Random | None) -> Iterator[tuple[list[int], list[Tensor]]]:
    """Positions, and [ids, segments, mask, what is meant]. Pairs of a like length go together."""
    order = list(range(len(encoded)))
    if chance:
        chance.shuffle(order)
    blocks = [order[start : start + 16 * BATCH] for start in range(0, len(order), 16 * BATCH)]
    ordered = [sorted(block, key=lambda item: len(encoded[item].ids)) for block in blocks]
    cut = [block[start : start + BATCH] for block in ordered for start in range(0, len(block), BATCH)]
    if chance:
        chance.shuffle(cut)
    for batch in cut:
        length = max(len(encoded[index].ids) for index in batch)
        ids, segments = torch.zeros(2, len(batch), length, dtype=torch.long)
        mask = torch.zeros(len(batch), length, dtype=torch.bool)
        for row, index in enumerate(batch):
            size = len(encoded[index].ids)
            ids[row, :size], segments[row, :size] = torch.tensor([encoded[index].ids, encoded[index].segments])
            mask[row, :size] = True
        yield batch, [ids, segments, mask, torch.tensor([encoded[index].meant for index in batch])]


def train(network: Network, encoded: Sequence[Encoded], epochs: int, seed: int, rate: float = LAYER_RATE) -> None:
    """Minimise minus the log of the probability of what is meant, with AdamW and a rate that falls to 0."""
    chance = random.Random(seed)  # noqa: S311
    head = [tensor for name, tensor in network.tuned.items() if name.startswith(HEAD)]
    layers = [tensor for name, tensor in network.tuned.items() if not name.startswith(HEAD)]
    rates = (rate, rate / LAYER_RATE * HEAD_RATE)
    optimizer = torch.optim.AdamW([{"params": layers}, {"params": head}], weight_decay=0.01)
    steps, step = epochs * math.ceil(len(encoded) / BATCH), 0
    network.is_training = True
    for epoch in range(epochs):
        lost = 0.0
        for batch, (ids, segments, mask, meant) in batches(encoded, chance):
            share = min(1.0, step / (WARM_UP * steps)) * (1 - step / steps)
            for group, highest in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = highest * share
            with torch.autocast("cpu", torch.bfloat16):
                scores = network.scores(ids, segments, mask)
            loss = loss_of(scores.float(), meant)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*layers, *head], 1.0)
            optimizer.step()
            step += 1
            lost += loss.item() * len(batch)
        print(f"epoch {epoch + 1}: loss {lost / len(encoded):.3f}", flush=True)
    network.is_training = False


def average(network: Network, files: Sequence[Path], *, is_trained: bool) -> None:
    """Give the network the mean of its weights and those of earlier trainings (Wortsman et al. 2022)."""
    trained = [np.load(file) for file in files]
    with torch.no_grad():
        for name, tensor in network.tuned.items():
            key = f"{TUNED}{name}"
            weights = [restored(stored[key], stored.get(f"{key}{SCALE}")) for stored in trained]
            weights += [tensor.numpy().copy()] if is_trained or not trained else []
            tensor.copy_(torch.from_numpy(np.mean(weights, axis=0)))


def slices() -> Iterator[tuple[str, slice]]:
    """Where the answers of each question are."""
    start = 0
    for name, answers in QUESTIONS.items():
        yield name, slice(start, start + len(answers))
        start += len(answers)


def loss_of(scores: Tensor, meant: Tensor) -> Tensor:
    """Minus the log of the probability of what is meant, over the questions that an example answers: their mean."""
    lost = torch.zeros(())
    for _, part in slices():
        question = meant[:, part].any(1)
        if question.any():
            output = functional.log_softmax(scores[question][:, part], 1)
            lost = lost - torch.logsumexp(output.masked_fill(~meant[question][:, part], -1e9), 1).sum()
    return lost / len(scores)


def scores_of(network: Network, encoded: Sequence[Encoded]) -> Tensor:
    """Shape (examples, ANSWERS)."""
    scores = torch.zeros(len(encoded), ANSWERS)
    with torch.no_grad():
        for batch, (ids, segments, mask, _) in batches(encoded, None):
            scores[batch] = network.scores(ids, segments, mask)
    return scores


def calibrate(scores: Tensor, encoded: Sequence[Encoded], part: slice) -> float:
    """Return the temperature that makes what is meant likeliest (Guo et al. 2017, section 4.2)."""
    meant = torch.tensor([item.meant for item in encoded])[:, part]
    question = meant.any(1)

    def loss(temperature: float) -> float:
        output = functional.log_softmax(scores[question][:, part] / temperature, 1)
        return float(-torch.logsumexp(output.masked_fill(~meant[question], -1e9), 1).mean())

    return float(min(np.arange(0.5, 4.01, 0.05), key=loss))


def report(name: str, examples: Sequence[Example], scores: Tensor) -> None:
    """Print the share of each question judged right, and what each answer was taken for."""
    for question, part in slices():
        requested = [index for index, example in enumerate(examples) if question in example.answers]
        if not requested:
            continue
        answers = QUESTIONS[question]
        taken = [answers[int(index)] for index in scores[requested][:, part].argmax(1)]
        right = sum(item in examples[index].answers[question] for index, item in zip(requested, taken, strict=True))
        print(f"{name}: {question} {right / len(requested):.3f} of {len(requested)}")
        for answer in answers:
            meant = [index for index, item in enumerate(requested) if examples[item].answers[question] == (answer,)]
            print(f"  {answer}: {dict(Counter(taken[index] for index in meant).most_common(6))}")


def build_model(tuned: Sequence[str]) -> ModelProto:
    """From ids, mask and segments (batch, length) and the word table to scores (batch, ANSWERS)."""
    g = bert_graph.TunedBuilder(WEIGHTS_FILE, tuned)
    bert_graph.add_shapes(g, "input_ids")
    bert_graph.add_mask(g)
    g.node("Gather", [WORDS, "input_ids"], "words")
    x = add_embeddings_of_pairs(g)
    for number in range(LAYERS):
        x = bert_graph.add_layer(g, x, number)
    add_head(g, x)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    inputs.append(helper.make_tensor_value_info(WORDS, TensorProto.FLOAT, [VOCABULARY, HIDDEN]))
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", ANSWERS])]
    graph = helper.make_graph(g.nodes, "judgement", inputs, outputs, g.initializers)
    return bert_graph.make_model(graph, {bert_graph.CONTRIBUTED: 1})


def add_embeddings_of_pairs(g: bert_graph.GraphBuilder) -> str:
    """`words` (batch, length, hidden), positions and segments added up and normalised: (tokens, hidden)."""
    positions = g.weight("embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
    g.node("Slice", [positions, g.integers("start", 0), "length"], "positions")
    segments = g.weight("embeddings.token_type_embeddings.weight", SEGMENTS, HIDDEN)
    g.node("Gather", [segments, "token_type_ids"], "segments")
    g.node("Add", ["positions", "segments"], "places")
    g.node("Add", ["words", "places"], "embedded")
    return g.layer_norm(g.node("Reshape", ["embedded", "rows"], "embedded_rows"), "embeddings.LayerNorm", "x")


def add_head(g: bert_graph.GraphBuilder, x: str) -> None:
    """Put the first token beside the mean of all through one linear layer."""
    g.node("Reshape", [x, "batched"], "tokens")
    axis = g.integers("axis", 1)
    g.node("Gather", ["tokens", g.constant("first", np.array(0, dtype=np.int64))], "opening", axis=1)
    g.node("Unsqueeze", ["mask", axis], "mask_row")
    g.node("MatMul", ["mask_row", "tokens"], "sum_row")
    g.node("Squeeze", ["sum_row", axis], "sum")
    g.node("ReduceSum", ["mask", axis], "count", keepdims=1)
    g.node("Div", ["sum", "count"], "mean")
    g.node("Concat", ["opening", "mean"], "pooled", axis=1)
    weights = [g.weight(f"{HEAD}.weight", ANSWERS, 2 * HIDDEN), g.weight(f"{HEAD}.bias", ANSWERS)]
    g.node("Gemm", ["pooled", *weights], "scores", transB=1)


def export(network: Network, temperatures: dict[str, float], file: Path) -> None:
    arrays = network.arrays() | {f"{TEMPERATURE}{name}": np.float32(value) for name, value in temperatures.items()}
    bert_graph.write(build_model(list(network.tuned)), GRAPH_FILE)
    np.savez_compressed(file, **arrays)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epochs", type=int, default=3)
    options.add_argument("--first-layer", type=int, default=2, help="the lowest layer that is tuned, 0 to 5")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seed", type=int, default=SEED, help="of the order and of dropout, not of the head")
    options.add_argument("--average", type=Path, nargs="*", default=[], help="earlier weights, to take the mean with")
    options.add_argument("--start", type=Path, nargs=1, default=[], help="earlier weights, to go on from")
    options.add_argument("--rate", type=float, default=LAYER_RATE, help="of the layers; the head's goes with it")
    options.add_argument("--share", type=float, default=1.0, help="of the examples, by chance, that is trained on")
    options.add_argument("--statements", action="store_true")
    options.add_argument("--held-out", action="store_true")
    chosen = options.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(chosen.threads)
    examples = read_examples()
    if chosen.statements:
        alone = [example for example in examples if "worth" in example.answers and len(example.texts) == 1]
        few = random.Random(SEED).sample(alone, SENTENCES_BESIDE)  # noqa: S311
        examples = [*read_statements(), *map(as_statement, few)]
    trained = [example for example in examples if not is_development(example)]
    trained = random.Random(chosen.seed).sample(trained, round(chosen.share * len(trained)))  # noqa: S311
    development = list({example.texts: example for example in examples if is_development(example)}.values())
    print(f"{len(trained)} examples to train on, {len(development)} to measure", flush=True)
    network = Network(chosen.first_layer)
    torch.manual_seed(chosen.seed)
    if chosen.start or chosen.statements:
        average(network, chosen.start or [TUNED_FILE], is_trained=False)
    if chosen.epochs:
        train(network, encode(trained), chosen.epochs, chosen.seed, chosen.rate)
    average(network, chosen.average, is_trained=bool(chosen.epochs))
    encoded = encode(development)
    scores = scores_of(network, encoded)
    questions = {name for example in development for name in example.answers}
    temperatures = {name: calibrate(scores, encoded, part) if name in questions else 1.0 for name, part in slices()}
    print(f"temperatures {temperatures}")
    report("development", development, scores)
    export(network, temperatures, STATEMENTS_FILE if chosen.statements else TUNED_FILE)
    if chosen.held_out:
        stored = [
            *read_pairs(HELD_OUT / "pairs.jsonl"),
            *read_sentences(HELD_OUT / "sentences.jsonl"),
            *dates_called_off(HELD_OUT),
        ]
        report("held out", stored, scores_of(network, encode(stored)))


if __name__ == "__main__":
    main()

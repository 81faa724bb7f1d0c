"""Maintainers' script: writes `minilm.onnx`, the graph of all-MiniLM-L6-v2 without its weights.

    python -m tools.export_minilm

Its initializers are named after the tensors of `model.safetensors`; `embeddings.minilm` supplies them.
"""

from pathlib import Path

from onnx import ModelProto, TensorProto, helper

from memories.providers.embeddings.minilm import GRAPH_FILE, WEIGHTS_FILE, WORDS
from tools.bert_graph import HIDDEN, GraphBuilder, add_encoder, add_mask, add_shapes, make_graph, make_model, write

LAYERS = 6
VOCABULARY = 30_522


def build_model() -> ModelProto:
    """input_ids and attention_mask (batch, length) int64, the word table; to vectors (batch, hidden)."""
    g = GraphBuilder(WEIGHTS_FILE)
    add_shapes(g, "input_ids")
    add_mask(g)
    g.node("Gather", [WORDS, "input_ids"], "words")
    add_encoder(g, LAYERS)
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    inputs = [
        helper.make_tensor_value_info("input_ids", integers, ["batch", "length"]),
        helper.make_tensor_value_info("attention_mask", integers, ["batch", "length"]),
        # An input, not an initializer: onnxruntime copies initializers, but reads inputs where they
        # are. Half of the weights so stay in the mapped file, shared by all processes.
        helper.make_tensor_value_info(WORDS, floats, [VOCABULARY, HIDDEN]),
    ]
    return make_model(make_graph(g, "all-MiniLM-L6-v2", inputs))


def export(path: Path = GRAPH_FILE) -> None:
    write(build_model(), path)


if __name__ == "__main__":
    export()

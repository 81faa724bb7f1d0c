"""Maintainers' script: writes `multilingual.onnx`, the graph of multilingual-e5-small without its weights.

    python -m tools.export_multilingual

Its matrices stay in 4 bits, in onnxruntime's own operator MatMulNBits: as fast as float32 ones, in an eighth of the
memory. The rows of its word table come as an input, since the caller unpacks those that a batch needs. In
the end the centre of all languages is taken away (`bench.multilingual_leanings`).
"""

from pathlib import Path

from onnx import ModelProto, TensorProto, helper

from memories.providers.embeddings.multilingual import BLOCK, CENTRE, GRAPH_FILE, PACKED, SCALES, WEIGHTS_FILE
from tools.bert_graph import HIDDEN, GraphBuilder, add_encoder, add_mask, add_shapes, make_graph, make_model, write

LAYERS = 12
CONTRIBUTED = "com.microsoft"


class PackedGraphBuilder(GraphBuilder):
    def linear(self, x: str, name: str, wide: int, narrow: int, output: str) -> str:
        """Map x (tokens, narrow) to (tokens, wide)."""
        blocks = narrow // BLOCK
        packed = self.weight(name + PACKED, wide, blocks, BLOCK // 2, kind=TensorProto.UINT8)
        inputs = [x, packed, self.weight(name + SCALES, wide * blocks), "", "", self.weight(f"{name}.bias", wide)]
        sizes = {"K": narrow, "N": wide, "bits": 4, "block_size": BLOCK}
        return self.node("MatMulNBits", inputs, output, domain=CONTRIBUTED, **sizes)


def build_model() -> ModelProto:
    """attention_mask (batch, length) int64 and words (batch, length, hidden); to vectors (batch, hidden)."""
    g = PackedGraphBuilder(WEIGHTS_FILE)
    add_shapes(g, "attention_mask")
    add_mask(g)
    add_encoder(g, LAYERS, "directions")
    g.node("Sub", ["directions", g.weight(CENTRE, HIDDEN)], "from_centre")
    g.node("LpNormalization", ["from_centre"], "vectors", axis=-1, p=2)
    inputs = [
        helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "length", HIDDEN]),
    ]
    return make_model(make_graph(g, "multilingual-e5-small", inputs), {CONTRIBUTED: 1})


def export(path: Path = GRAPH_FILE) -> None:
    write(build_model(), path)


if __name__ == "__main__":
    export()

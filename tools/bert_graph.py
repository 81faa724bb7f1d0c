"""BERT as an ONNX graph without its weights, for the maintainers' scripts that write one.

Devlin et al. 2019, with mean pooling and L2 normalisation, in standard ONNX operators: measured against onnxruntime's
own fused ones (SkipLayerNormalization, BiasGelu, MultiHeadAttention) it is as fast or faster on one thread. The
initializers are named as the tensors of published models are and declared as external data; whoever loads the graph
supplies them. The same source gives the same bytes.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from memories.providers.embeddings.in_process import BLOCK, SCALE
from memories.providers.embeddings.minilm import TUNED

HIDDEN = 384
HEADS = 12
INNER = 1536
POSITIONS = 512
SEGMENTS = 2
LAYER_NORM_EPSILON = 1e-12
OPSET = 20  # the first one with Gelu
IR_VERSION = 9
CONTRIBUTED = "com.microsoft"
"""onnxruntime's own operators."""
NO_ZERO_POINTS_NOR_ORDER = ("", "")
BY_BYTES = 4
"""The activations are rounded to bytes, too, by blocks."""


class GraphBuilder:
    """Collects nodes, weights and constants; each method returns the name of the value it made.

    `location`: the file that is named as holding the weights.
    """

    def __init__(self, location: str) -> None:
        self.location = location
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def integers(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, dtype=np.int64))

    def weight(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        """Return a tensor that the caller of the graph supplies."""
        tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value=self.location)
        self.initializers.append(tensor)
        return name

    def linear(self, x: str, name: str, wide: int, narrow: int, output: str) -> str:
        """Map x (tokens, narrow) to (tokens, wide). Weights stay (out, in): Gemm packs them as they are."""
        weights = [self.weight(f"{name}.weight", wide, narrow), self.weight(f"{name}.bias", wide)]
        return self.node("Gemm", [x, *weights], output, transB=1)

    def layer_norm(self, x: str, name: str, output: str) -> str:
        weights = [self.weight(f"{name}.weight", HIDDEN), self.weight(f"{name}.bias", HIDDEN)]
        return self.node("LayerNormalization", [x, *weights], output, axis=-1, epsilon=LAYER_NORM_EPSILON)


class EightBitBuilder(GraphBuilder):
    """Multiplies by matrices of 8 bits, as `pack_matrix` lays them out: a quarter of the memory, and as fast."""

    def linear(self, x: str, name: str, wide: int, narrow: int, output: str) -> str:
        weights = [
            self.weight(f"{name}.weight", wide, narrow // BLOCK, BLOCK, kind=TensorProto.UINT8),
            self.weight(f"{name}.weight{SCALE}", wide * narrow // BLOCK),
        ]
        inputs = [x, *weights, *NO_ZERO_POINTS_NOR_ORDER, self.weight(f"{name}.bias", wide)]
        settings = {"K": narrow, "N": wide, "bits": 8, "block_size": BLOCK, "accuracy_level": BY_BYTES}
        return self.node("MatMulNBits", inputs, output, domain=CONTRIBUTED, **settings)


class TunedBuilder(EightBitBuilder):
    """Names the weights that were tuned as this project's own."""

    def __init__(self, location: str, tuned: Collection[str]) -> None:
        super().__init__(location)
        self.tuned = frozenset(tuned)

    def weight(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        is_tuned = name.removesuffix(SCALE) in self.tuned
        return super().weight(f"{TUNED}{name}" if is_tuned else name, *shape, kind=kind)


def add_shapes(g: GraphBuilder, shaped: str) -> None:
    """Add the shapes that reshapes use: `rows` (tokens, hidden), `batched` (batch, length, hidden), `split`.

    `shaped`: an input (batch, length).
    """
    g.node("Shape", [shaped], "shape")
    g.node("Shape", [shaped], "length", start=1)
    g.integers("rows", -1, HIDDEN)
    g.node("Concat", ["shape", g.integers("hidden_size", HIDDEN)], "batched", axis=0)
    g.node("Concat", ["shape", g.integers("head_sizes", HEADS, HIDDEN // HEADS)], "split", axis=0)


def add_mask(g: GraphBuilder) -> None:
    """`mask` (batch, length) of 0 and 1, and `bias` (batch, 1, 1, length): 0 where 1, -1e9 where 0."""
    g.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    g.node("Sub", ["mask", g.constant("one", np.array(1, dtype=np.float32))], "masked")
    g.node("Mul", ["masked", g.constant("large", np.array(1e9, dtype=np.float32))], "masked_scores")
    g.node("Unsqueeze", ["masked_scores", g.integers("middle_axes", 1, 2)], "bias")
    g.constant("scale", np.array((HIDDEN // HEADS) ** -0.5, dtype=np.float32))


def add_embeddings(g: GraphBuilder) -> str:
    """`words` (batch, length, hidden), positions and segment 0 added up and normalised: (tokens, hidden)."""
    start = g.integers("start", 0)
    positions = g.weight("embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
    g.node("Slice", [positions, start, "length"], "positions")
    # one segment only, so its row is added to all; a slice keeps the axis that broadcasts
    segments = g.weight("embeddings.token_type_embeddings.weight", SEGMENTS, HIDDEN)
    g.node("Slice", [segments, start, g.integers("end", 1)], "segment")
    g.node("Add", ["positions", "segment"], "places")
    g.node("Add", ["words", "places"], "embedded")
    return g.layer_norm(g.node("Reshape", ["embedded", "rows"], "embedded_rows"), "embeddings.LayerNorm", "x")


def add_heads(g: GraphBuilder, x: str, name: str, output: str, order: list[int]) -> str:
    """One of query, key and value, split into heads and turned to the given order of axes."""
    projected = g.linear(x, name, HIDDEN, HIDDEN, f"{output}_rows")
    split = g.node("Reshape", [projected, "split"], f"{output}_split")
    return g.node("Transpose", [split], output, perm=order)


def add_attention(g: GraphBuilder, x: str, name: str, text: str) -> str:
    """softmax(q k / sqrt(head size) + bias) v for every head, joined again: (tokens, hidden)."""
    query = add_heads(g, x, f"{name}.self.query", f"{text}query", [0, 2, 1, 3])
    key = add_heads(g, x, f"{name}.self.key", f"{text}key", [0, 2, 3, 1])
    value = add_heads(g, x, f"{name}.self.value", f"{text}value", [0, 2, 1, 3])
    products = g.node("MatMul", [query, key], f"{text}products")
    scaled = g.node("Mul", [products, "scale"], f"{text}scaled")
    scores = g.node("Add", [scaled, "bias"], f"{text}scores")
    shares = g.node("Softmax", [scores], f"{text}shares", axis=-1)
    mixed = g.node("MatMul", [shares, value], f"{text}mixed")
    turned = g.node("Transpose", [mixed], f"{text}turned", perm=[0, 2, 1, 3])
    joined = g.node("Reshape", [turned, "rows"], f"{text}joined")
    return g.linear(joined, f"{name}.output.dense", HIDDEN, HIDDEN, f"{text}attended")


def add_layer(g: GraphBuilder, x: str, number: int) -> str:
    """Attention and feed-forward, each added to its input and normalised."""
    name, index = f"encoder.layer.{number}", f"layer{number}_"
    attended = add_attention(g, x, f"{name}.attention", index)
    total = g.node("Add", [attended, x], f"{index}attended_plus_x")
    x = g.layer_norm(total, f"{name}.attention.output.LayerNorm", f"{index}middle")
    inner = g.linear(x, f"{name}.intermediate.dense", INNER, HIDDEN, f"{index}inner")
    active = g.node("Gelu", [inner], f"{index}active")
    outer = g.linear(active, f"{name}.output.dense", HIDDEN, INNER, f"{index}outer")
    total = g.node("Add", [outer, x], f"{index}outer_plus_middle")
    return g.layer_norm(total, f"{name}.output.LayerNorm", f"{index}out")


def add_pooling(g: GraphBuilder, x: str, vectors: str) -> None:
    """L2-normalised sum of the unmasked tokens; the mean has the same direction, so nothing is divided."""
    g.node("Reshape", [x, "batched"], "tokens")
    axis = g.integers("axis", 1)
    g.node("Unsqueeze", ["mask", axis], "mask_row")
    g.node("MatMul", ["mask_row", "tokens"], "sum_row")
    g.node("Squeeze", ["sum_row", axis], "sum")
    g.node("LpNormalization", ["sum"], vectors, axis=-1, p=2)


def add_encoder(g: GraphBuilder, layers: int, vectors: str = "vectors") -> None:
    """From `words` and `mask` to `vectors` (batch, hidden)."""
    x = add_embeddings(g)
    for number in range(layers):
        x = add_layer(g, x, number)
    add_pooling(g, x, vectors)


def make_graph(g: GraphBuilder, name: str, inputs: list[ValueInfoProto]) -> GraphProto:
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", HIDDEN])]
    return helper.make_graph(g.nodes, name, inputs, outputs, g.initializers)


def make_model(graph: GraphProto, domains: Mapping[str, int] = MappingProxyType({})) -> ModelProto:
    """`domains`: versions of operators that are not ONNX's own."""
    opsets = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(name, number) for name, number in domains.items())]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def write(model: ModelProto, path: Path) -> None:
    path.write_bytes(model.SerializeToString(deterministic=True))

"""all-MiniLM-L6-v2 in PyTorch, its upper layers open to tuning, for the maintainers' scripts that train networks."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from memories.providers.embeddings.in_process import SCALE, quantised
from memories.providers.embeddings.minilm import TUNED, WORDS, locate_model, view_weights
from tools.bert_graph import HEADS, HIDDEN, LAYER_NORM_EPSILON
from tools.export_minilm import LAYERS

DROPOUT = 0.1


class TunedBert:
    """The functions of BERT over tensors by their published names; from `first_layer` on they are tuned."""

    def __init__(self, first_layer: int) -> None:
        self.tensors = {name: torch.from_numpy(np.array(view)) for name, view in view_weights(locate_model()).items()}
        self.first_layer = first_layer
        self.tuned: dict[str, Tensor] = {}
        layers = tuple(f"encoder.layer.{number}." for number in range(first_layer, LAYERS))
        for name in [name for name in self.tensors if name.startswith(layers)]:
            self.tune(name, self.tensors[name])
        self.is_training = False

    def tune(self, name: str, values: Tensor) -> None:
        self.tensors[name] = self.tuned[name] = values.requires_grad_()

    def hidden(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Shape (batch, length, HIDDEN), of ids, segments and a boolean mask, each (batch, length)."""
        t = self.tensors
        with torch.no_grad():
            x = t[WORDS][ids] + t["embeddings.position_embeddings.weight"][: ids.shape[1]]
            x = self.norm(x + t["embeddings.token_type_embeddings.weight"][segments], "embeddings.LayerNorm")
            for number in range(self.first_layer):
                x = self.layer(x, mask, f"encoder.layer.{number}", is_training=False)
        for number in range(self.first_layer, LAYERS):
            x = self.layer(x, mask, f"encoder.layer.{number}", is_training=self.is_training)
        return x

    def layer(self, x: Tensor, mask: Tensor, name: str, *, is_training: bool) -> Tensor:
        batch, length, _ = x.shape

        def heads(part: str) -> Tensor:
            return self.linear(x, f"{name}.attention.self.{part}").view(batch, length, HEADS, -1).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads("query"), heads("key"), heads("value"), mask[:, None, None, :], DROPOUT if is_training else 0.0
        )
        output = self.linear(mixed.transpose(1, 2).reshape(batch, length, HIDDEN), f"{name}.attention.output.dense")
        x = self.norm(x + functional.dropout(output, DROPOUT, is_training), f"{name}.attention.output.LayerNorm")
        inner = functional.gelu(self.linear(x, f"{name}.intermediate.dense"))
        outer = functional.dropout(self.linear(inner, f"{name}.output.dense"), DROPOUT, is_training)
        return self.norm(x + outer, f"{name}.output.LayerNorm")

    def linear(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"])

    def norm(self, x: Tensor, name: str) -> Tensor:
        weights = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]
        return functional.layer_norm(x, (HIDDEN,), *weights, eps=LAYER_NORM_EPSILON)

    def arrays(self) -> dict[str, Any]:
        """Return what was tuned as it is stored: matrices as int8 with a scale for each row."""
        stored: dict[str, Any] = {}
        for name, tensor in self.tuned.items():
            values = tensor.detach().numpy()
            if values.ndim == 2:
                stored[f"{TUNED}{name}"], stored[f"{TUNED}{name}{SCALE}"] = quantised(values)
            else:
                stored[f"{TUNED}{name}"] = values
        return stored

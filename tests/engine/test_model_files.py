"""Every way a model folder can be wrong ends in one line that names the file, the fault and the way out."""

import json
import os
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save, save_file

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.library import load
from spark_tui.engine.weights import expected_shapes, read_weights
from spark_tui.errors import ModelError
from tests.engine.tiny import CONFIG, config_entries, random_weights

NORM = "model.norm.weight"
UP = "model.layers.1.mlp.up_proj.weight"


def refusal(folder: Path) -> str:
    """The message `load` refuses a folder with; one line that says what to do."""
    with pytest.raises(ModelError) as caught:
        load(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert "install the model again or name another one" in message or "name another model" in message
    return message


def write_config(folder: Path, **changes: Any) -> None:
    entries = config_entries() | changes
    (folder / "config.json").write_text(json.dumps({name: value for name, value in entries.items() if value != ...}))


def write_weights(folder: Path, changes: dict[str, Any], kind: Any = np.float16) -> None:
    arrays = {name: array.astype(kind) for name, array in random_weights().items()} | changes
    save_file({name: array for name, array in arrays.items() if array is not None}, folder / "model.safetensors")


def test_the_config_of_a_hugging_face_folder_is_read(model_folder: Path) -> None:
    assert ModelConfig.read(model_folder) == CONFIG


def test_rope_theta_is_found_where_newer_writers_put_it(model_folder: Path) -> None:
    write_config(model_folder, rope_theta=..., rope_parameters={"rope_type": "default", "rope_theta": 500.0})
    assert ModelConfig.read(model_folder) == replace(CONFIG, rope_theta=500.0)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(model_folder: Path, name: str) -> None:
    (model_folder / name).unlink()
    assert f"{name}: missing;" in refusal(model_folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_regular_file_is_not_opened(model_folder: Path, name: str, make: Any) -> None:
    (model_folder / name).unlink()
    make(model_folder / name)
    assert f"{name}: not a regular file;" in refusal(model_folder)


def test_a_file_that_cannot_be_read_is_named(model_folder: Path) -> None:
    (model_folder / "config.json").unlink()
    (model_folder / "config.json").symlink_to("config.json")
    assert "config.json: cannot be read (" in refusal(model_folder)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b'{"vocab_size": ' + b"9" * 5000 + b"}"])
def test_a_config_that_is_not_json_is_refused(model_folder: Path, content: bytes) -> None:
    (model_folder / "config.json").write_bytes(content)
    assert "config.json: not JSON;" in refusal(model_folder)


def test_a_config_that_is_no_object_is_refused(model_folder: Path) -> None:
    (model_folder / "config.json").write_text("[1]")
    assert "not a JSON object" in refusal(model_folder)


def test_a_huge_config_is_not_read(model_folder: Path) -> None:
    (model_folder / "config.json").write_bytes(b" " * (2 << 20))
    assert "larger than the 1,048,576 bytes it may have" in refusal(model_folder)


@pytest.mark.parametrize("name", [name for name, value in config_entries().items() if type(value) is int])
@pytest.mark.parametrize("value", [..., None, 0, -4, 1.5, "8", True, 10**12])
def test_a_size_that_is_no_sensible_whole_number_is_named(model_folder: Path, name: str, value: Any) -> None:
    write_config(model_folder, **{name: value})
    assert f"config.json: {name} is " in refusal(model_folder)


@pytest.mark.parametrize("name", ["rope_theta", "rms_norm_eps"])
@pytest.mark.parametrize("value", [..., None, 0, -1.0, "1e-6", True, float("inf"), float("nan")])
def test_a_real_number_that_is_not_positive_is_named(model_folder: Path, name: str, value: Any) -> None:
    write_config(model_folder, **{name: value})
    assert f"config.json: {name} is " in refusal(model_folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "llama"}, "model_type is 'llama', this engine runs only 'qwen3'; name another model"),
        ({"model_type": ...}, "model_type is None"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu'"),
        ({"attention_bias": True}, "attention_bias is True"),
        ({"use_sliding_window": True}, "use_sliding_window is True"),
        ({"rope_scaling": {"type": "yarn"}}, "rope_scaling is {'type': 'yarn'}"),
        ({"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4}}, "rope_type is 'yarn'"),
        ({"num_key_value_heads": 3}, "4 heads cannot share 3 key/value heads"),
        ({"head_dim": 7}, "head_dim is 7"),
    ],
)
def test_a_model_this_engine_does_not_run_is_refused(model_folder: Path, changes: dict[str, Any], message: str) -> None:
    write_config(model_folder, **changes)
    assert message in refusal(model_folder)


def bfloat16(array: FloatArray) -> bytes:
    """The upper halves of float32 numbers."""
    return (array.view(np.uint32) >> 16).astype("<u2").tobytes()


def write_bfloat16(folder: Path, arrays: dict[str, FloatArray]) -> None:
    header, data = {}, b""
    for name, array in arrays.items():
        start, data = len(data), data + bfloat16(array)
        header[name] = {"dtype": "BF16", "shape": array.shape, "data_offsets": [start, len(data)]}
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def test_weights_of_every_supported_type_are_read_as_the_float32_they_stand_for(model_folder: Path) -> None:
    weights = random_weights()
    for kind in (np.float16, np.float32):
        write_weights(model_folder, {}, kind)
        read = read_weights(model_folder, CONFIG)
        assert read.keys() == weights.keys()
        assert all((read[name] == weights[name]).all() for name in weights)
        assert {array.dtype for array in read.values()} == {np.dtype(np.float32)}
    write_bfloat16(model_folder, weights)
    read = read_weights(model_folder, CONFIG)
    assert all(np.allclose(read[name], weights[name], rtol=2**-7) for name in weights)
    assert bfloat16(read[UP]) == bfloat16(weights[UP])


def test_weights_are_ours_whatever_becomes_of_the_file(model_folder: Path) -> None:
    read = read_weights(model_folder, CONFIG)
    with (model_folder / "model.safetensors").open("r+b") as stream:
        stream.truncate(0)
    assert (read[UP] == random_weights()[UP]).all()


def test_a_second_copy_of_the_shared_matrix_is_left_aside(model_folder: Path) -> None:
    head = {"lm_head.weight": np.zeros((CONFIG.vocab_size, CONFIG.hidden_size), np.float16)}
    write_weights(model_folder, head)
    assert read_weights(model_folder, CONFIG).keys() == random_weights().keys()


def test_an_untied_model_needs_its_head(model_folder: Path) -> None:
    write_config(model_folder, tie_word_embeddings=False)
    assert "1 tensors that config.json asks for are missing, lm_head.weight first" in refusal(model_folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({UP: None, NORM: None}, f"2 tensors that config.json asks for are missing, {UP} first"),
        ({"extra.weight": np.zeros(3, np.float16)}, "1 tensors that config.json does not ask for, extra.weight first"),
        ({UP: np.zeros((32, 48), np.float16)}, f"{UP} has shape (32, 48), config.json asks for (48, 32)"),
        ({UP: np.zeros((48, 32), np.int8)}, f"{UP} is I8, this engine reads F16, BF16, F32"),
        ({NORM: np.full(32, np.nan, np.float16)}, f"{NORM} holds values that are not finite numbers"),
        ({NORM: np.full(32, np.inf, np.float16)}, f"{NORM} holds values that are not finite numbers"),
    ],
)
def test_tensors_that_do_not_match_the_config_are_named(
    model_folder: Path, changes: dict[str, Any], message: str
) -> None:
    write_weights(model_folder, changes)
    assert f"model.safetensors: {message};" in refusal(model_folder)


def test_weights_of_a_model_with_fewer_layers_are_refused(model_folder: Path) -> None:
    write_config(model_folder, num_hidden_layers=4)
    assert "11 tensors that config.json asks for are missing, model.layers.3." in refusal(model_folder)


@given(kept=st.floats(0, 1, exclude_max=True))
def test_a_file_truncated_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, kept: float) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = save({name: array.astype(np.float16) for name, array in random_weights().items()})
    (folder / "model.safetensors").write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ModelError, match="truncated or not a safetensors file"):
        read_weights(folder, CONFIG)


BOMBS = {
    "header of 2^62 bytes": struct.pack("<Q", 1 << 62) + b"{}",
    "tensor of 2^62 bytes": b'{"a": {"dtype": "F32", "shape": [1073741824, 1073741824], "data_offsets": [0, 16]}}',
    "offsets past the end": b'{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 4611686018427387904]}}',
    "overlapping tensors": b'{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},'
    b' "b": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}',
    "deep nesting": b'{"a": ' + b"[" * 100_000,
    "pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_header_is_refused(model_folder: Path, name: str) -> None:
    text = BOMBS[name]
    whole = struct.pack("<Q", len(text)) + text + bytes(16) if text.startswith(b"{") else text
    (model_folder / "model.safetensors").write_bytes(whole)
    assert "truncated or not a safetensors file" in refusal(model_folder)


def test_a_config_of_a_huge_model_beside_a_small_file_allocates_nothing(model_folder: Path) -> None:
    write_config(model_folder, vocab_size=1 << 20, hidden_size=1 << 16, num_hidden_layers=1 << 10)
    tracemalloc.start()
    try:
        assert "tensors that config.json asks for are missing" in refusal(model_folder)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_a_file_far_larger_than_the_config_allows_is_not_read(model_folder: Path) -> None:
    with (model_folder / "model.safetensors").open("r+b") as stream:
        stream.truncate(1 << 40)
    assert "model.safetensors: larger than the " in refusal(model_folder)


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(model_folder: Path) -> None:
    write_config(model_folder, vocab_size=100)
    assert "tokenizer.json: 293 tokens, config.json allows 100;" in refusal(model_folder)


def test_expected_shapes_are_those_of_a_saved_qwen3() -> None:
    shapes = expected_shapes(replace(CONFIG, n_layers=1, tie_word_embeddings=False))
    assert shapes == {
        "model.embed_tokens.weight": (320, 32),
        "lm_head.weight": (320, 32),
        "model.norm.weight": (32,),
        "model.layers.0.input_layernorm.weight": (32,),
        "model.layers.0.self_attn.q_proj.weight": (32, 32),
        "model.layers.0.self_attn.k_proj.weight": (16, 32),
        "model.layers.0.self_attn.v_proj.weight": (16, 32),
        "model.layers.0.self_attn.o_proj.weight": (32, 32),
        "model.layers.0.self_attn.q_norm.weight": (8,),
        "model.layers.0.self_attn.k_norm.weight": (8,),
        "model.layers.0.post_attention_layernorm.weight": (32,),
        "model.layers.0.mlp.gate_proj.weight": (48, 32),
        "model.layers.0.mlp.up_proj.weight": (48, 32),
        "model.layers.0.mlp.down_proj.weight": (32, 48),
    }

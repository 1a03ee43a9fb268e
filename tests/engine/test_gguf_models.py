"""Models of every family, written as GGUF and read back, held against the reference and against
llama.cpp.
"""

import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.export import QUANTISATIONS, Quantisation, write_gguf
from spark_tui.engine.gguf import (
    ROPE_FACTORS,
    GgufFile,
    GgufTensor,
    gguf_config,
    gguf_name,
    gguf_weights,
    halved,
    interleaved,
    read_gguf,
)
from spark_tui.engine.gguf_quants import ENCODINGS
from spark_tui.engine.loader import load, number_formats, read_model
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError
from tests.engine.gguf_files import IDS, MODELS, RECORDED, gguf, info, saved, written
from tests.engine.tiny import CONFIG, FAMILIES, KINDS, random_weights, tiny_tokenizer

TOKENIZER = Tokenizer(tiny_tokenizer())
LLAMA = FAMILIES["llama"]
Q = "model.layers.0.self_attn.q_proj.weight"
TOLERANCE = {"f32": 1e-4, "f16": 2e-3, "q8_0": 6e-2, "q4_0": 6e-2}
"""Of the largest logit.

With quantised weights llama.cpp rounds activations too, which is much in so narrow a model.
"""


def logits(model: Any, ids: list[int] = IDS) -> FloatArray:
    """Behind every token, (T, V)."""
    found: FloatArray = model.forward(ids, model.new_cache(), last_only=False)
    return found


@pytest.fixture
def file(tmp_path: Path) -> GgufFile:
    """A tiny llama."""
    write_gguf(tmp_path / "tiny.gguf", LLAMA, random_weights(LLAMA), TOKENIZER, "f32", name="tiny")
    return read_gguf(tmp_path / "tiny.gguf")


@pytest.mark.parametrize(
    "name",
    [name for name, config in KINDS.items() if not config.experts or config.experts.normalized],
)
def test_a_model_of_each_family_comes_back_as_it_was_written(tmp_path: Path, name: str) -> None:
    config, weights = KINDS[name], random_weights(KINDS[name])
    write_gguf(tmp_path / "tiny.gguf", config, weights, TOKENIZER, "f32", name=name)
    stored = read_model(tmp_path / "tiny.gguf")
    assert stored.config == config
    assert stored.weights.keys() == weights.keys()
    assert all(np.array_equal(stored.weights[each], weights[each]) for each in weights)
    assert stored.tokenizer.encode("return the (values)") == TOKENIZER.encode("return the (values)")


def test_a_mixture_that_gguf_has_no_words_for_is_refused(tmp_path: Path) -> None:
    config = KINDS["qwen3_moe-shares"]
    with pytest.raises(ModelError, match="norm_topk_prob is false"):
        write_gguf(tmp_path / "no.gguf", config, random_weights(config), TOKENIZER, name="no")
    assert not list(tmp_path.iterdir())


def test_a_mixture_whose_stack_of_experts_has_another_size_is_refused(tmp_path: Path) -> None:
    config = KINDS["qwen3_moe"]
    file = tmp_path / "tiny.gguf"
    write_gguf(file, config, random_weights(config), TOKENIZER, "f32", name="tiny")
    whole = read_gguf(file)
    fewer = {**whole.metadata, "qwen3moe.expert_count": 7}
    with pytest.raises(ModelError, match=r"blk.0.ffn_gate_inp.weight has shape \(8, 32\)"):
        gguf_weights(whole, gguf_config(replace(whole, metadata=fewer)))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("quantisation", QUANTISATIONS)
def test_llama_cpp_computed_the_same_logits_from_the_same_file(
    tmp_path: Path, name: str, quantisation: Quantisation
) -> None:
    with np.load(RECORDED) as recorded:
        expected = recorded[f"{name}-{quantisation}"]
    ours = logits(load(written(tmp_path, name, quantisation)).model)[-2:]
    assert np.abs(ours - expected).max() <= TOLERANCE[quantisation] * np.abs(expected).max()


@pytest.mark.parametrize("quantisation", QUANTISATIONS)
def test_vectors_stay_exact_and_matrices_get_the_format_where_their_rows_allow(
    tmp_path: Path, quantisation: Quantisation
) -> None:
    write_gguf(
        tmp_path / "tiny.gguf", CONFIG, random_weights(), TOKENIZER, quantisation, name="tiny"
    )
    tensors = read_gguf(tmp_path / "tiny.gguf").tensors
    wanted = quantisation.upper()
    assert tensors["output_norm.weight"].encoding.name == "F32"
    assert tensors["blk.0.attn_q.weight"].encoding.name == wanted
    assert CONFIG.intermediate_size % 32
    assert tensors["blk.0.ffn_down.weight"].encoding.name == (wanted if wanted[0] == "F" else "F16")
    assert number_formats(tmp_path / "tiny.gguf")[0] == wanted


def test_the_head_may_have_a_format_of_its_own(tmp_path: Path) -> None:
    write_gguf(
        tmp_path / "tiny.gguf",
        LLAMA,
        random_weights(LLAMA),
        TOKENIZER,
        "q4_0",
        name="tiny",
        head="q8_0",
    )
    tensors = read_gguf(tmp_path / "tiny.gguf").tensors
    names = {"token_embd.weight": "Q8_0", "output.weight": "Q8_0", "blk.0.attn_q.weight": "Q4_0"}
    assert {name: tensors[name].encoding.name for name in names} == names


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    weights = random_weights()
    del weights["model.norm.weight"]
    with pytest.raises(KeyError):
        write_gguf(tmp_path / "tiny.gguf", CONFIG, weights, TOKENIZER, "f32", name="tiny")
    assert list(tmp_path.iterdir()) == []


def test_pairs_that_rotate_together_become_neighbours_in_a_llama_alone() -> None:
    rows = np.arange(LLAMA.n_heads * LLAMA.head_dim, dtype=np.float32)
    half = LLAMA.head_dim // 2
    assert interleaved(Q, rows, LLAMA)[:4].tolist() == [0, half, 1, half + 1]
    assert np.array_equal(halved(Q, interleaved(Q, rows, LLAMA), LLAMA), rows)
    for same in (Q.replace("q_proj", "v_proj"), Q.replace("q_proj", "o_proj")):
        assert interleaved(same, rows, LLAMA) is rows
    assert interleaved(Q, rows, CONFIG) is rows


def test_names_are_those_of_the_specification() -> None:
    assert gguf_name("model.embed_tokens.weight") == "token_embd.weight"
    assert gguf_name("model.layers.12.self_attn.q_proj.bias") == "blk.12.attn_q.bias"
    assert gguf_name("model.layers.3.mlp.down_proj.weight") == "blk.3.ffn_down.weight"


REFUSED: dict[str, dict[str, Any]] = {
    "its architecture is 'gemma'; this engine runs llama, qwen2, qwen3": {
        "general.architecture": "gemma"
    },
    "its architecture is 'None'": {"general.architecture": None},
    "one of several parts; join them": {"split.count": 3},
    "num_hidden_layers is None": {"llama.block_count": None},
    "num_hidden_layers is 0": {"llama.block_count": 0},
    "num_attention_heads is 3, ": {"llama.attention.head_count": 3},
    "attention.head_count_kv differs from layer to layer": {
        "llama.attention.head_count_kv": np.array([2, 1, 2])
    },
    "num_experts is 8": {"llama.expert_count": 8},
    "rms_norm_eps is nan": {"llama.attention.layer_norm_rms_epsilon": float("nan")},
    "attention.sliding_window is '4096'": {"llama.attention.sliding_window": 4096},
    "logit_scale is '0.5'": {"llama.logit_scale": 0.5},
    "attention.value_length is '16', this engine runs only 8": {"llama.attention.value_length": 16},
    "rope.dimension_count is '4', this engine runs only 8": {"llama.rope.dimension_count": 4},
    "rope_type is 'longrope'": {"llama.rope.scaling.type": "longrope"},
    "factor is 'x'": {"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": "x"},
    "attention_factor is inf": {
        "llama.rope.scaling.type": "yarn",
        "llama.rope.scaling.factor": 4.0,
        "llama.rope.scaling.attn_factor": float("inf"),
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_metadata_of_models_that_are_not_run_is_refused(file: GgufFile, message: str) -> None:
    entries = file.metadata | REFUSED[message]
    changed = replace(
        file, metadata={key: value for key, value in entries.items() if value is not None}
    )
    if message.startswith("num_attention_heads"):
        message = "3 heads cannot share 2 key/value heads"
    with pytest.raises(ModelError, match=r"tiny\.gguf: ") as caught:
        gguf_config(changed)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_settings_have_the_defaults_of_llama_cpp(file: GgufFile) -> None:
    left_out = (
        "attention.head_count_kv",
        "attention.key_length",
        "attention.value_length",
        "rope.freq_base",
    )
    kept = {
        key: value
        for key, value in file.metadata.items()
        if not key.endswith((*left_out, "dimension_count"))
    }
    assert gguf_config(replace(file, metadata=kept)) == replace(LLAMA, n_kv_heads=LLAMA.n_heads)


def renamed(file: GgufFile, changes: dict[str, GgufTensor | None]) -> GgufFile:
    """The file with some tensors replaced or left out."""
    tensors = file.tensors | changes
    return replace(
        file, tensors={name: tensor for name, tensor in tensors.items() if tensor is not None}
    )


def floats(values: FloatArray) -> GgufTensor:
    """A tensor in float32."""
    return GgufTensor(values.shape, ENCODINGS[0], memoryview(values.astype("<f4").tobytes()))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"output_norm.weight": None}, "1 tensors are missing, 'output_norm.weight' first"),
        (
            {"blk.0.attn_q.bias": floats(np.zeros(32, np.float32))},
            "1 tensors are unknown to a model of this kind, 'bl",
        ),
        (
            {"output_norm.weight": floats(np.ones(31, np.float32))},
            "output_norm.weight has shape (31,), the metadata",
        ),
        (
            {"output_norm.weight": floats(np.full(32, np.nan, np.float32))},
            "holds values that are not finite numbers",
        ),
    ],
)
def test_tensors_that_do_not_fit_the_metadata_are_refused(
    file: GgufFile, changes: dict[str, GgufTensor | None], message: str
) -> None:
    with pytest.raises(ModelError) as caught:
        dict(gguf_weights(renamed(file, changes), LLAMA))
    assert message in str(caught.value)


@pytest.mark.parametrize("factors", [np.array([1, 2, 3, 8.0]), np.ones(3), np.full(4, np.nan)])
def test_rope_factors_that_no_llama_3_has_are_refused(file: GgufFile, factors: FloatArray) -> None:
    with pytest.raises(ModelError, match=r"tiny\.gguf: "):
        gguf_config(renamed(file, {ROPE_FACTORS: floats(factors)}))


def test_a_file_of_nothing_but_a_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"made\.gguf: its architecture is 'None'"):
        load(saved(tmp_path, gguf({}, [info("one", (8,))], bytes(32))))


@pytest.mark.parametrize("name", MODELS)
def test_the_installed_llama_cpp_loads_the_file_and_agrees(tmp_path: Path, name: str) -> None:
    pytest.importorskip("llama_cpp")
    from tests.engine.record_gguf import llama_cpp_logits

    file = written(tmp_path, name, "f32")
    expected = llama_cpp_logits(file)
    assert (
        np.abs(logits(load(file).model) - expected).max()
        <= TOLERANCE["f32"] * np.abs(expected).max()
    )


WIDE = replace(LLAMA, hidden_size=256, head_dim=64, intermediate_size=256, n_layers=1)
"""Wide enough for blocks of 256."""
WIDE_WEIGHTS = {
    name: array * np.float32(1 if array.ndim == 1 else 0.25)
    for name, array in random_weights(WIDE).items()
}
"""Small enough that attention is spread out, and does not make much of llama.cpp's rounding of
activations.
"""


@pytest.fixture(scope="module")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Makes llama.cpp quantise a model to one of its file types."""
    llama_cpp = pytest.importorskip("llama_cpp")
    folder = tmp_path_factory.mktemp("quantised")
    write_gguf(folder / "wide.gguf", WIDE, WIDE_WEIGHTS, TOKENIZER, "f32", name="wide")

    def quantise(file_type: int) -> Path:
        options = llama_cpp.llama_model_quantize_default_params()
        options.ftype, options.nthread = file_type, 1
        made = folder / f"{file_type}.gguf"
        assert (
            llama_cpp.llama_model_quantize(
                bytes(folder / "wide.gguf"), bytes(made), ctypes.byref(options)
            )
            == 0
        )
        return made

    return quantise


@pytest.mark.parametrize(
    ("file_type", "name"),
    [(3, "Q4_1"), (8, "Q5_0"), (9, "Q5_1"), (15, "Q4_K"), (17, "Q5_K"), (18, "Q6_K"), (32, "BF16")],
)
def test_files_quantised_by_the_installed_llama_cpp_compute_what_it_computes(
    quantised: Callable[[int], Path], file_type: int, name: str
) -> None:
    from tests.engine.record_gguf import llama_cpp_logits

    file = quantised(file_type)
    assert name in number_formats(file)
    expected = llama_cpp_logits(file)
    assert (
        np.abs(logits(load(file).model) - expected).max()
        <= TOLERANCE["q8_0"] * np.abs(expected).max()
    )


@pytest.mark.parametrize(("file_type", "quantisation"), [(7, "q8_0"), (2, "q4_0")])
def test_our_bytes_are_those_of_the_installed_llama_cpp(
    quantised: Callable[[int], Path], tmp_path: Path, file_type: int, quantisation: Quantisation
) -> None:
    theirs = read_gguf(quantised(file_type)).tensors
    write_gguf(tmp_path / "wide.gguf", WIDE, WIDE_WEIGHTS, TOKENIZER, quantisation, name="wide")
    ours = read_gguf(tmp_path / "wide.gguf").tensors
    layers = [name for name in ours if name.startswith("blk.")]
    assert all(ours[name].data[:] == theirs[name].data[:] for name in layers)

"""spark-m as it is shipped: whole, the default, and taught to edit by an adapter that fits it."""

import re

from spark_tui.engine.config import ModelConfig
from spark_tui.engine.gguf import read_gguf, read_parts
from spark_tui.engine.loader import (
    DEFAULT_MODEL,
    MODELS_FOLDER,
    find_model,
    list_models,
    number_formats,
)
from spark_tui.engine.lora import GGUF_DOWN, GGUF_FILE, GGUF_UP
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.providers.calibration import Calibration

FOLDER = MODELS_FOLDER / "spark-m"
PARTS = 9


def test_it_is_listed_and_the_default() -> None:
    assert "spark-m" in list_models()
    assert DEFAULT_MODEL == "spark-m"
    assert find_model() == FOLDER


def test_its_parts_hold_every_layer_and_the_embedding() -> None:
    paths = sorted(FOLDER.glob("base-*.gguf"))
    names = [re.fullmatch(rf"base-(\d+)-of-0000{PARTS}\.gguf", path.name) for path in paths]
    assert [int(name[1]) for name in names if name] == list(range(1, PARTS + 1))
    config, tensors = ModelConfig.read(FOLDER), read_parts(paths).tensors
    layers = {int(name.split(".")[1]) for name in tensors if name.startswith("blk.")}
    assert layers == set(range(config.n_layers))
    assert tensors["token_embd.weight"].shape == (config.vocab_size, config.hidden_size)
    assert tensors["output_norm.weight"].shape == (config.hidden_size,)
    assert tensors["blk.0.ffn_up.weight"].shape == (config.intermediate_size, config.hidden_size)
    assert number_formats(FOLDER)[0] == "IQ4_NL"


def test_its_adapter_fits_all_layers() -> None:
    config, file = ModelConfig.read(FOLDER), read_gguf(FOLDER / GGUF_FILE)
    layers = {int(name.split(".")[1]) for name in file.tensors}
    assert layers == set(range(config.n_layers))
    assert len(file.tensors) == len(layers) * 7 * 2
    downs = {
        name: tensor.shape for name, tensor in file.tensors.items() if name.endswith(GGUF_DOWN)
    }
    for name, shape in downs.items():
        assert file.tensors[name.removesuffix(GGUF_DOWN) + GGUF_UP].shape[1] == shape[0] == 64, name
    assert downs["blk.8.ffn_down.weight.lora_a"] == (64, config.intermediate_size)


def test_its_tokenizer_fits_its_embedding() -> None:
    assert Tokenizer.read(FOLDER).vocab_size <= ModelConfig.read(FOLDER).vocab_size


def test_it_says_how_likely_its_answers_are() -> None:
    calibration = Calibration.read(FOLDER)
    assert calibration is not None
    assert 0.5 < calibration.sure < 1

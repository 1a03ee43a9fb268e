"""The parts of spark-m that lie in the repository so far: whole files, layers from below, an adapter that fits them."""

import json
import re

from spark_tui.engine.adapters import CONFIG_FILE, DOWN, UP, WEIGHTS_FILE
from spark_tui.engine.gguf import read_parts
from spark_tui.engine.library import DEFAULT_MODEL, MODELS_FOLDER, list_models
from spark_tui.engine.shards import open_shard

FOLDER = MODELS_FOLDER / "spark-m"


def test_the_parts_are_the_first_ones_and_hold_whole_layers() -> None:
    paths = sorted(FOLDER.glob("base-*.gguf"))
    names = [re.fullmatch(r"base-(\d+)-of-00009\.gguf", path.name) for path in paths]
    assert [int(name[1]) for name in names if name] == list(range(1, len(paths) + 1))
    tensors = read_parts(paths).tensors
    layers = {int(name.split(".")[1]) for name in tensors}
    assert layers == set(range(max(layers) + 1))
    assert {tensor.encoding.name for tensor in tensors.values() if len(tensor.shape) == 2} == {"IQ4_NL"}
    assert tensors["blk.0.ffn_up.weight"].shape == (4864, 896)


def test_the_adapter_fits_the_upper_layers() -> None:
    config = json.loads((FOLDER / CONFIG_FILE).read_text())
    with open_shard(FOLDER / WEIGHTS_FILE) as shard:
        shapes = {name: shard.read(name).shape for name in shard.tensors}
    assert {int(name.split(".")[4]) for name in shapes} == set(range(8, 24)) == set(config["layers_to_transform"])
    assert all(shape[0 if name.endswith(DOWN) else 1] == config["r"] for name, shape in shapes.items())
    assert {name.removesuffix(DOWN) for name in shapes if name.endswith(DOWN)} == {
        name.removesuffix(UP) for name in shapes if name.endswith(UP)
    }


def test_a_model_in_parts_is_not_offered_before_all_of_it_is_there() -> None:
    assert "spark-m" not in list_models()
    assert DEFAULT_MODEL in list_models()

"""A low-rank adapter beside a model's weights, as PEFT writes it: added to them when they are read.

Source: Hu et al. 2021, arXiv:2106.09685; adapter_config.json and adapter_model.safetensors of huggingface/peft.
"""

from pathlib import Path

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.entries import Entries
from spark_tui.engine.files import damaged
from spark_tui.engine.shards import open_shard

CONFIG_FILE, WEIGHTS_FILE = "adapter_config.json", "adapter_model.safetensors"
PREFIX, DOWN, UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
_MAX_BYTES = 1 << 20
_MOST_RANK = 1 << 10


def add_adapter(folder: Path, weights: dict[str, FloatArray]) -> None:
    """Add what the folder's adapter says to the weights it names, in place; nothing where there is no adapter.

    Args: weights: float32, by Hugging Face name. Raises: ModelError: the adapter is damaged or of another model.
    """
    if not (folder / CONFIG_FILE).is_file():
        return
    config = Entries.read(folder / CONFIG_FILE, limit=_MAX_BYTES)
    scale = config.number("lora_alpha", 0.0, 1e4) / config.whole("r", _MOST_RANK)
    path = folder / WEIGHTS_FILE
    with open_shard(path) as shard:
        for name in sorted(shard.tensors):
            if not name.endswith(DOWN):
                continue
            weight = f"{name.removeprefix(PREFIX).removesuffix(DOWN)}.weight"
            other = name.removesuffix(DOWN) + UP
            if weight not in weights or other not in shard.tensors:
                raise damaged(path, f"{name} belongs to no weight of this model")
            down, up = shard.read(name), shard.read(other)
            if (up.shape[0], down.shape[-1]) != weights[weight].shape or up.shape[-1] != down.shape[0]:
                raise damaged(path, f"{name} is {down.shape}, which does not fit {weight}")
            weights[weight] += scale * (up @ down)

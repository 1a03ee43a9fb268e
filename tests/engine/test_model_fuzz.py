"""Damaged config.json and safetensors files: read all the same, or a ModelError, soon and
within little memory.
"""

import json
import random
import struct
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.weights import read_weights
from spark_tui.errors import ModelError
from tests.engine.folders import soon_and_cheaply
from tests.engine.tiny import CONFIG, FAMILIES, config_entries, random_weights

SECONDS, BYTES = 1.0, 64 << 20
MUTATIONS = 3_400
SLICE = 60


def stored(config: ModelConfig) -> bytes:
    """A tiny model as a safetensors file."""
    data: bytes = save(
        {name: array.astype(np.float16) for name, array in random_weights(config).items()}
    )
    return data


CONFIGS = [(config_entries(config), stored(config)) for config in FAMILIES.values()]
WEIGHTS = stored(CONFIG)
HEADER_BYTES = 8 + struct.unpack("<Q", WEIGHTS[:8])[0]
INDEX = {"metadata": {}, "weight_map": dict.fromkeys(random_weights(), "model-1.safetensors")}
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    2**63,
    2**64,
    10**400,
    -(10**400),
    0.0,
    1e-320,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "llama",
    "qwen2",
    "F32",
    "I8",
    "../model.safetensors",
    "\n\x1b[31m",
    "x" * 100_000,
    [],
    [[]],
    [0] * 10_000,
    [2**40] * 8,
    {},
    {"rope_type": "yarn"},
    {"type": "llama3", "factor": 1e300},
    {"": {}},
]
"""What stands in place of a value."""


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a JSON value with each of its keys."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def spliced(value: Any, rng: random.Random) -> bytes:
    """JSON with some values replaced, moved, left out or added."""
    value = deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        found = places(value)
        if not found:
            break
        container, key = rng.choice(found)
        other, place = rng.choice(found)
        match rng.randrange(4):
            case 0:
                container[key] = deepcopy(rng.choice(VALUES))
            case 1:
                container[key] = deepcopy(other[place])
            case 2:
                del container[key]
            case 3 if isinstance(container, dict):
                container[rng.choice(["x", "rope_scaling", "lm_head.weight", "__metadata__"])] = (
                    deepcopy(rng.choice(VALUES))
                )
    return dumped(value)


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def damaged(data: bytes, rng: random.Random, within: int) -> bytes:
    """Bytes with some bits flipped, cut off, repeated or exchanged, mostly among the first
    `within`.
    """
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = (
            rng.randrange(min(within, len(changed)) if rng.random() < 0.8 else len(changed))
            if changed
            else 0
        )
        match rng.randrange(5):
            case 0 if changed:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                del changed[at:]
            case 2:
                changed[at:at] = changed[at : at + rng.randrange(64)]
            case 3:
                del changed[at : at + rng.randrange(64)]
            case 4:
                changed[at : at + 8] = struct.pack(
                    "<Q", rng.choice([0, 1, 2**31, 2**62, 2**64 - 1])
                )
    return bytes(changed)


def reheadered(rng: random.Random) -> bytes:
    """The weights under a header with spliced values."""
    header = spliced(json.loads(WEIGHTS[8:HEADER_BYTES]), rng)
    return struct.pack("<Q", len(header)) + header + WEIGHTS[HEADER_BYTES:]


def bad_config(folder: Path, rng: random.Random) -> None:
    entries, weights = rng.choice(CONFIGS)
    text = spliced(entries, rng) if rng.random() < 0.7 else damaged(dumped(entries), rng, 1000)
    (folder / "config.json").write_bytes(text)
    (folder / "model.safetensors").write_bytes(weights)


def bad_weights(folder: Path, rng: random.Random) -> None:
    (folder / "config.json").write_text(json.dumps(config_entries()))
    text = reheadered(rng) if rng.random() < 0.6 else damaged(WEIGHTS, rng, HEADER_BYTES)
    (folder / "model.safetensors").write_bytes(text)


def bad_index(folder: Path, rng: random.Random) -> None:
    (folder / "config.json").write_text(json.dumps(config_entries()))
    (folder / "model.safetensors").unlink(missing_ok=True)
    (folder / "model-1.safetensors").write_bytes(WEIGHTS if rng.random() < 0.5 else reheadered(rng))
    text = spliced(INDEX, rng) if rng.random() < 0.7 else damaged(dumped(INDEX), rng, 1000)
    (folder / "model.safetensors.index.json").write_bytes(text)


KINDS = [bad_config, bad_weights, bad_index]


def load(folder: Path) -> FloatArray:
    """The logits of a model."""
    config = ModelConfig.read(folder)
    weights = read_weights(folder, config)
    with np.errstate(all="ignore"):  # numbers may be absurd without being wrong
        model = Decoder(config, weights)
        return model.forward([0], model.new_cache(1))


def refusal(folder: Path) -> str | None:
    """The message a model is refused with; None for a sound one."""
    try:
        soon_and_cheaply(lambda: load(folder), SECONDS, BYTES)
    except ModelError as error:
        return str(error)
    return None


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    "count", [SLICE, pytest.param(MUTATIONS, marks=pytest.mark.exhaustive)], ids=["some", "all"]
)
def test_a_damaged_file_ends_in_a_model_error_soon_and_in_little_memory(
    tmp_path: Path, make: Callable[[Path, random.Random], None], count: int
) -> None:
    refused = 0
    for seed in range(count):
        make(tmp_path, random.Random(seed))
        message = refusal(tmp_path)
        if message is not None:
            refused += 1
            assert message.isprintable(), seed
            assert len(message) < 600, seed
    assert count / 4 < refused < count

"""Record fixtures/gguf_quants.json with the reference implementation: `python -m
tests.engine.record_gguf_quants`.

Needs the `gguf` package of llama.cpp; the tests do not.
"""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from spark_tui.engine.gguf_quants import ENCODINGS

TARGET = Path(__file__).parent / "fixtures" / "gguf_quants.json"


def record() -> dict[str, Any]:
    """Two random blocks of every format with their values, and values with their encodings."""
    rng = np.random.default_rng(4)
    values = np.vstack(
        [rng.normal(size=(2, 32)), rng.integers(-4, 5, (1, 32)), np.zeros((1, 32))]
    ).astype(np.float32)
    kinds = {name: gguf.GGMLQuantizationType[name] for name in ("Q8_0", "Q4_0")}
    return {
        "values": values.tolist(),
        "encoded": {
            name: gguf.quants.quantize(values, kind).tobytes().hex() for name, kind in kinds.items()
        },
        "blocks": {encoding.name: _blocks(number, rng) for number, encoding in ENCODINGS.items()},
    }


def _blocks(number: int, rng: np.random.Generator) -> dict[str, Any]:
    kind = gguf.GGMLQuantizationType(number)
    while True:
        blocks = rng.integers(0, 256, (2, ENCODINGS[number].bytes), dtype=np.uint8)
        with np.errstate(all="ignore"):
            values = gguf.quants.dequantize(blocks, kind).reshape(-1)
        if np.isfinite(values).all():
            return {"bytes": blocks.tobytes().hex(), "values": values.tolist()}


if __name__ == "__main__":
    TARGET.write_text(json.dumps(record()) + "\n")

"""One pass of the smallest model there is, which has numba compile, or load, the code of every pass."""

import numpy as np

from spark_tui.engine.config import ModelConfig
from spark_tui.engine.gguf_quants import ENCODINGS, Q8_0, dequantise
from spark_tui.engine.kernels.arrange import arrange
from spark_tui.engine.kernels.compiled import CompiledDecoder
from spark_tui.engine.kernels.unpack import unpack
from spark_tui.engine.weights import expected_shapes

_SMALLEST = ModelConfig(
    vocab_size=2, hidden_size=4, n_layers=1, n_heads=1, n_kv_heads=1, head_dim=4, intermediate_size=4, rope_theta=1e4,
    rms_norm_eps=1e-6, max_position_embeddings=4, tie_word_embeddings=True,
)  # fmt: skip


def compile_passes() -> None:
    """Run one pass of the smallest model there is, and unpack a block; the code is the same for every one."""
    weights = {name: np.ones(shape, np.float32) for name, shape in expected_shapes(_SMALLEST).items()}
    model = CompiledDecoder(_SMALLEST, arrange(_SMALLEST, weights, 8, 1))
    model.forward([0], model.new_cache())
    block = ENCODINGS[Q8_0]
    dequantise(block, bytes(block.bytes), unpack)

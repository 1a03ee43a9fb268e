"""Record what llama.cpp computes with our files: `python -m tests.engine.record_gguf`, with
llama-cpp-python.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.export import QUANTISATIONS
from tests.engine.gguf_files import IDS, MODELS, RECORDED, written


def llama_cpp_logits(file: Path, ids: Sequence[int] = IDS) -> FloatArray:
    """Logits behind each token, (T, V), with keys and values in float32."""
    from llama_cpp import Llama

    model = Llama(
        str(file),
        n_ctx=256,
        n_threads=1,
        n_threads_batch=1,
        logits_all=True,
        verbose=False,
        type_k=0,
        type_v=0,
    )
    model.eval(list(ids))
    return np.array(model.scores[: len(ids)], np.float32)


def main() -> None:
    logits = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            for quantisation in QUANTISATIONS:
                file = written(Path(folder), name, quantisation)
                logits[f"{name}-{quantisation}"] = llama_cpp_logits(file)[-2:]
    np.savez_compressed(RECORDED, allow_pickle=False, **logits)


if __name__ == "__main__":
    main()

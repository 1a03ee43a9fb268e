"""What figures were measured on and with."""

import platform
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from spark_tui import __version__
from spark_tui.engine import processor
from spark_tui.engine.backend import processors

_FEATURES = {
    "avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_int8", "asimd", "asimddp", "i8mm", "sve", "bf16"
}  # fmt: skip
_BEYOND_CACHES = 1 << 28
_TIMES = 10


def machine() -> dict[str, Any]:
    """The processor, and how fast memory is read with all cores we may use (GB/s)."""
    facts = processor.facts()
    return {
        "cpu": facts.get("model name", platform.processor() or platform.machine()),
        "cores": processors(),
        "features": sorted(set(facts.get("flags", facts.get("Features", "")).split()) & _FEATURES),
        "system": platform.platform(terse=True),
        "read_gigabytes_per_second": round(read_bandwidth(_BEYOND_CACHES) / 1e9, 2),
    }


def versions() -> dict[str, str]:
    """What the figures were measured with."""
    found = {"spark": __version__, "python": platform.python_version()}
    for name in ("numpy", "numba", "textual"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def read_bandwidth(size: int) -> float:
    """Bytes a second that `size` bytes are read with by all cores together, over and over: the best of three.

    What fits in a cache is read from there, as the weights of a small model are.
    """
    import numpy as np

    cores = processors()
    rows = max(1, size // 4096 // cores)
    blocks = [np.ones((rows, 1024), np.float32) for _ in range(cores)]
    vector = np.ones(1024, np.float32)

    def read(block: "np.ndarray[Any, np.dtype[np.float32]]") -> None:
        for _ in range(_TIMES):
            block @ vector

    def once(pool: ThreadPoolExecutor) -> float:
        began = time.perf_counter()
        list(pool.map(read, blocks))
        return _TIMES * sum(block.nbytes for block in blocks) / (time.perf_counter() - began)

    with ThreadPoolExecutor(len(blocks)) as pool:
        return max(once(pool) for _ in range(3))

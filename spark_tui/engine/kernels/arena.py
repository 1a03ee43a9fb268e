"""Memory for weights: in large pages where the system has them, as every page of a stream costs a look-up."""

import mmap
import sys
import threading

import numpy as np
import numpy.typing as npt

_LINE = 64
_LARGE_PAGE = 1 << 21
_BLOCK = 64 << 20


class Arena:
    """Hands out memory that begins at a cache line, to any thread; it lives as long as any array of it. Mutable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: npt.NDArray[np.uint8] = np.empty(0, np.uint8)

    def take(self, size: int) -> npt.NDArray[np.uint8]:
        """So many bytes, of any value."""
        whole = -(-size // _LINE) * _LINE
        with self._lock:
            if whole > len(self._left):
                self._left = _block(max(whole, _BLOCK))
            taken, self._left = self._left[:size], self._left[whole:]
        return taken


def _block(size: int) -> npt.NDArray[np.uint8]:
    """Memory that begins at a large page."""
    if sys.platform == "linux" and hasattr(mmap, "MADV_HUGEPAGE"):
        mapped = mmap.mmap(-1, size + _LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        mapped.madvise(mmap.MADV_HUGEPAGE)
    else:
        mapped = mmap.mmap(-1, size + _LARGE_PAGE)
    whole = np.frombuffer(mapped, np.uint8)
    return whole[-whole.ctypes.data % _LARGE_PAGE :]

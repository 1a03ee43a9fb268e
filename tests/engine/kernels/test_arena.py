"""Where weights lie."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from spark_tui.engine.kernels.packed_weights import Arena

_SWITCH = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def mapping(array: npt.NDArray[np.uint8]) -> dict[str, str]:
    """What the system says of the memory that an array lies in."""
    facts: dict[str, str] = {}
    inside = False
    for line in Path("/proc/self/smaps").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if "-" in name:
            first, last = (int(part, 16) for part in line.split()[0].split("-"))
            inside = first <= array.ctypes.data < last
        elif inside:
            facts[name] = value.strip()
    return facts


def test_weights_may_lie_in_large_pages() -> None:
    if not _SWITCH.exists() or "[never]" in _SWITCH.read_text("utf-8"):
        pytest.skip("this system has no large pages for the asking")
    taken = Arena().take(8 << 20)
    taken[:] = 1
    assert mapping(taken)["THPeligible"] == "1"


def test_what_is_taken_begins_at_a_cache_line_and_is_nobody_elses() -> None:
    arena = Arena()
    parts = [arena.take(size) for size in (1, 63, 64, 65, 70 << 20, 5)]
    for number, part in enumerate(parts):
        part[:] = number
    assert all(part.ctypes.data % 64 == 0 for part in parts)
    assert [set(part[:: max(1, len(part) // 100)].tolist()) for part in parts] == [
        {n} for n in range(len(parts))
    ]

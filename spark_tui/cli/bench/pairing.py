"""Two sides measured in turn, A B A B, so that what the machine does meanwhile happens to both."""

import time
from collections.abc import Callable

from spark_tui.cli.bench.rows import Pairs

SETTLE_SECONDS = 0.05
"""Between two sides: llama.cpp's threads spin for some milliseconds when they have nothing to do, ours yield."""


def settle() -> None:
    """Let the threads of the side that was measured last come to rest."""
    time.sleep(SETTLE_SECONDS)


def in_turn(
    runs: int, ours: Callable[[int], float], peer: Callable[[int], float] | None = None, peer_name: str | None = None
) -> Pairs:
    """Measure both sides `runs` times. Args: ours, peer: measure once, given the number of the run."""
    mine, theirs = [], []
    for number in range(runs):
        settle()
        mine.append(ours(number))
        if peer is not None:
            settle()
            theirs.append(peer(number))
    return Pairs(mine, theirs, peer_name if theirs else None)

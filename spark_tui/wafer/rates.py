"""What software on a PE costs beside the network: the one mechanism of the mesh runs with either set."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from spark_tui.wafer.constants import ISSUE, PASSING, THROUGH_PE, WAVELET


@dataclass(frozen=True, slots=True)
class Rates:
    """What a PE spends, in cycles.

    Args: issue, wavelet, passing: as `constants.ISSUE`, `WAVELET` and `PASSING`. whole: it takes no part of a cycle.
    """

    issue: float
    wavelet: float
    passing: float
    whole: bool

    @property
    def stage(self) -> float:
        """Cycles from a wavelet's arrival at a router until the sum it became part of leaves there again."""
        return THROUGH_PE + self.issue

    def counted(self, cycles: float) -> float:
        """An average number of cycles, as a PE's clock counts it."""
        return ceil(cycles) if self.whole else cycles


CALIBRATED: Final = Rates(ISSUE, WAVELET, PASSING, whole=True)
"""As kernels in CSL behave."""

NETWORK: Final = Rates(0, 1, 1, whole=False)
"""The network alone: a ramp takes one word each way a cycle; averages stay fractions.

Source: Luczynski et al., HPDC 2024, arXiv:2404.15888.
"""

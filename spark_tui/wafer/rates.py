"""What software on a PE costs beside the network: the one mechanism of the mesh runs with either set."""

from dataclasses import dataclass
from typing import Final

from spark_tui.wafer.constants import ISSUE, THROUGH_PE, WAVELET


@dataclass(frozen=True, slots=True)
class Rates:
    """Args: issue: cycles of an operation before its first element. wavelet: cycles a word keeps a PE, at least 1."""

    issue: float
    wavelet: float

    @property
    def stage(self) -> float:
        """Cycles from a wavelet's arrival at a router until the sum it became part of leaves there again."""
        return THROUGH_PE + self.issue


CALIBRATED: Final = Rates(ISSUE, WAVELET)
"""As kernels in CSL behave."""

NETWORK: Final = Rates(0, 1)
"""The network alone, one word a cycle. Source: Luczynski et al., HPDC 2024, arXiv:2404.15888."""

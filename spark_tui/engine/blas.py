"""One BLAS thread: more of them stall for milliseconds at a time on matrices as small as these.

Imports nothing, so that it can run before numpy does.
"""

import os
import sys

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_blas_thread() -> None:
    """Ask the BLAS that numpy is about to load for a single thread; what the user has set stays."""
    if "numpy" in sys.modules:
        return  # BLAS has read the variables already
    for name in _VARIABLES:
        os.environ.setdefault(name, "1")

"""One BLAS thread: more of them stall for milliseconds at a time on matrices as small as these.

Imports nothing, so that it can run before numpy does.
"""

import os
import sys

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_blas_thread() -> tuple[str, ...]:
    """Ask the BLAS that numpy is about to load for a single thread; what the user has set stays.

    Returns: the environment variables set here, which child processes would inherit; () once numpy is imported,
        because BLAS reads them only when it is loaded.
    """
    if "numpy" in sys.modules:
        return ()
    chosen = tuple(name for name in _VARIABLES if name not in os.environ)
    os.environ.update(dict.fromkeys(chosen, "1"))
    return chosen

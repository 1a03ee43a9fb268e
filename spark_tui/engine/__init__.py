"""The inference engine: runs language models in this process, from tokens to the next tokens.

Knows nothing of edits, git or the screen. This file imports no other module of the engine, so that
`use_one_blas_thread` can run before numpy is imported.
"""

import os
import sys

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_blas_thread() -> None:
    """Have the BLAS that numpy is about to load use a single thread, unless the user set another.

    On matrices as small as a layer's, further threads stall for milliseconds at a time.
    """
    if "numpy" in sys.modules:
        return  # too late: BLAS reads the variables when it is loaded
    for name in _VARIABLES:
        os.environ.setdefault(name, "1")

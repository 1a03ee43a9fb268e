"""Tokens in, logits and tokens out: weights, tokenizer, cache, sampling, a thread.

Knows no edits, git or screen. Imports nothing here, so that `use_one_blas_thread` can run before
numpy is imported.
"""

import os
import sys

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_blas_thread() -> None:
    """Ask the BLAS that numpy is about to load for a single thread; what the user has set stays.

    On matrices as small as these, more threads stall for milliseconds at a time.
    """
    if "numpy" in sys.modules:
        return  # BLAS has read the variables already
    for name in _VARIABLES:
        os.environ.setdefault(name, "1")

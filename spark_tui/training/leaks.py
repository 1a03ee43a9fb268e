"""Keeps evaluation code out of training: stretches of 13 tokens that both hold give a copy away.

Of all 13-grams a sixteenth is looked at, chosen by its hash, so that the list in the repository stays small: a copied
stretch of 60 tokens goes unnoticed in one case of twenty, one of 100 in one of three hundred.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

LIST = Path(__file__).with_name("eval_ngrams.npy")
"""The hashes of all code of the packages that are kept for evaluation, sorted."""
LENGTH = 13
SAMPLED = 16
_TOKEN = re.compile(r"\w+|[^\w\s]")


def ngram_hashes(lines: Iterable[str]) -> set[int]:
    """The 32-bit hashes of the sampled 13-grams of a stretch of code; indentation and line breaks do not count."""
    tokens = _TOKEN.findall("\n".join(lines))
    grams = (" ".join(tokens[start : start + LENGTH]) for start in range(len(tokens) - LENGTH + 1))
    hashes = (
        int.from_bytes(hashlib.blake2b(gram.encode("utf-8", "replace"), digest_size=5).digest()) for gram in grams
    )
    return {one >> 8 for one in hashes if one % SAMPLED == 0}


@cache
def _known() -> frozenset[int]:
    return frozenset(map(int, np.load(LIST)))


def leaks(lines: Iterable[str]) -> bool:
    """Whether code shares a sampled 13-gram with the code kept for evaluation."""
    return not _known().isdisjoint(ngram_hashes(lines))

"""Real code for the tests of the training data: a fixed sample of the standard library."""

import hashlib
import os
from itertools import islice
from pathlib import Path

import pytest

from spark_tui.editing.snippet import Snippet
from spark_tui.training.corpus import snippets, sources, standard_library


@pytest.fixture(scope="session")
def real_snippets() -> list[Snippet]:
    files = list(sources([standard_library(Path(os.__file__).parent)]))
    files.sort(key=lambda one: hashlib.sha256(one.path.name.encode()).digest())
    found = [one.snippet for one in snippets(islice(files, 40))]
    found.sort(key=lambda one: hashlib.sha256("\n".join(one.lines).encode()).digest())
    return found[:400]

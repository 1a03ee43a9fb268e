"""The cases written by hand, with the code they are about: `tests/blind` from its packages, a
few on code of ours.
"""

from functools import cache
from pathlib import Path

import pytest

from spark_tui.config import cache_dir
from spark_tui.training.dataset import NotFetched, fetch, packages_of
from spark_tui.training.references import ReferenceCase, read_cases, read_references

BLIND = Path(__file__).with_name("blind")
OWN = Path(__file__).with_name("own_cases.jsonl")


@cache
def own_cases() -> tuple[ReferenceCase, ...]:
    """Cases on code that we made up: they need no package."""
    return tuple(read_cases([OWN], Path()))


@cache
def blind_cases() -> tuple[ReferenceCase, ...]:
    """The blind ones; their packages (10 MB) are downloaded once.

    Where they cannot be had, the test is skipped.
    """
    paths, folder = sorted(BLIND.glob("*.jsonl")), cache_dir() / "packages"
    try:
        fetch(
            packages_of(one.place for path in paths for one in read_references(path)),
            folder,
            lambda *_: None,
        )
    except NotFetched as e:
        pytest.skip(str(e))
    return tuple(read_cases(paths, folder))

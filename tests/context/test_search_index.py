"""The search index: what two threads may do with the parts that they share."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from spark_tui.context.search_index import SearchIndex

FILES = {f"f{number}.txt": f"line {number}\n".encode() for number in range(2200)}
"""More files than an index keeps the parts of."""


@pytest.fixture
def hasty() -> Iterator[None]:
    """Have threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty")
def test_two_threads_find_the_parts_of_different_files_in_indexes_that_share_them() -> None:
    index = SearchIndex(tuple(FILES), FILES.__getitem__)
    other = index.of(tuple(FILES)[1:])

    def found(index: SearchIndex) -> int:
        return sum(len(index.parts([path])) for path in index.files)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(found, [index, other])) == [len(FILES), len(FILES) - 1]

"""What a function may lack is listed for the search of a fix: a line, a case that ends it, a step."""

import pytest

from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.bugs.lacking import lacking
from spark_tui.editing.snippet import Snippet

MERGE = """
def merge(left, right):
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    result.extend(left[i:])
    result.extend(right[j:])
    return result
"""
REVERSE = """
def reverse(node):
    previous = None
    while node:
        following = node.next
        node.next = previous
        previous = node
        node = following
    return previous
"""
REACHED = """
def reached(graph, start):
    seen = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        waiting.extend(graph[node])
    return seen
"""
POWER = """
def power(base, exponent):
    if exponent == 0:
        return 1
    half = power(base, exponent // 2)
    return half * half * (base if exponent % 2 else 1)
"""
FIND = """
def find(items, wanted):
    low, high = 0, len(items) - 1
    while low < high:
        middle = (low + high) // 2
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
"""


def _listed(code: str) -> set[str]:
    before = Snippet(tuple(code.strip("\n").split("\n")))
    return {"\n".join(applied(before, ops)) for _, ops in lacking(before)}


@pytest.mark.parametrize(
    ("code", "right", "wrong"),
    [
        (MERGE, "    result.extend(right[j:])\n", ""),
        (REVERSE, "        previous = node\n", ""),
        (REACHED, "        seen.add(node)\n", ""),
        (REACHED, "while waiting:", "while True:"),
        (POWER, "    if exponent == 0:\n        return 1\n", ""),
        (FIND, "low = middle + 1", "low = middle"),
    ],
)
def test_what_lacks_is_among_what_is_tried(code: str, right: str, wrong: str) -> None:
    assert code.count(right) == 1
    assert code.strip("\n") in _listed(code.replace(right, wrong))


@pytest.mark.parametrize("code", [MERGE, REVERSE, REACHED, POWER])
def test_little_is_tried_where_nothing_lacks(code: str) -> None:
    assert len(_listed(code)) <= 2

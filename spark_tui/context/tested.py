"""Tests beside the code that they test: who wishes something of the code means that first."""

import re
from collections.abc import Sequence

from spark_tui.context.ranking import Part
from spark_tui.context.source import Source

_TEST_FILE = re.compile(r"(?:^|/)(?:tests?/|(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$)")
_TEST_NAME = re.compile(r"(?:^|\.)(?:test|Test|setUp|tearDown)|Tests?(?:Case)?(?:\.|$)")
_OF_TESTS = re.compile(r"(?i)\b(?:tests?|test_\w+|pytest|unittest|assert\w*|fixtures?|mock\w*)\b")


def is_test(path: str, symbol: str | None = None) -> bool:
    """Whether a file, or what is called so in it, is there to test other code."""
    return bool(_TEST_FILE.search(path) or (symbol and _TEST_NAME.search(symbol)))


def code_first(parts: Sequence[Part], sources: Sequence[Source], instruction: str) -> tuple[Part, ...]:
    """Parts of these files with all tests behind the code, unless the words speak of tests."""
    if _OF_TESTS.search(instruction):
        return tuple(parts)
    return tuple(sorted(parts, key=lambda part: _is_test(part, sources)))


def _is_test(part: Part, sources: Sequence[Source]) -> bool:
    return is_test(sources[part.document].path, part.symbol.name if part.symbol else None)

"""Which code is there to test other code."""

import re

_TEST_FILE = re.compile(r"(?:^|/)(?:tests?/|(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$)")
_TEST_NAME = re.compile(r"(?:^|\.)(?:test|Test|setUp|tearDown)|Tests?(?:Case)?(?:\.|$)")


def is_test(path: str, symbol: str | None = None) -> bool:
    """Whether a file, or what is called so in it, is there to test other code."""
    return bool(_TEST_FILE.search(path) or (symbol and _TEST_NAME.search(symbol)))

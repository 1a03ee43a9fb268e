"""Checks and branches that go, and other small rewrites of statements."""

import pytest

from tests.editing.codemods.results import results

OPEN = """def open(self, jobs):
    if not jobs:
        return None
    found = self.find(jobs)
    if not found:
        return None
    if found == 1:
        return True
    elif found == 2:
        return False
    return False"""


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("the first check can go", "    if not jobs:\n        return None\n"),
        ("the elif is needless", "    elif found == 2:\n        return False\n"),
    ],
)
def test_a_check_or_a_branch_goes(words: str, gone: str) -> None:
    assert OPEN.replace(gone, "") == results("remove_statement", OPEN, words)[0]


def test_a_lock_that_is_never_let_go_is_held_for_the_rest() -> None:
    before = "def get(self):\n    self.lock.acquire()\n    return self.found"
    after = "def get(self):\n    with self.lock:\n        return self.found"
    assert results("use_with", before, "the lock is never let go") == [after]


def test_an_error_is_raised_again_on_a_condition() -> None:
    before = "def go(args, more):\n    try:\n        run(args)\n    except TypeError:\n        pass"
    after = before.replace("pass", "if args or more:\n            raise")
    assert after in results("reraise", before, "raise again if args or more were given")


def test_a_statement_goes_below_the_imports() -> None:
    before = '"""Doc."""\n\n__all__ = ("a",)\n\nimport os\nimport re\n\nprint(os, re)'
    after = '"""Doc."""\n\nimport os\nimport re\n__all__ = ("a",)\n\nprint(os, re)'
    assert [one.split() for one in results("replace_text", before, "__all__ below the imports")][:1] == [after.split()]

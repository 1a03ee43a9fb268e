"""What words ask for first, and the return that they ask for besides."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

FAIL = ("def fail(name):", "    print(name)", "    return 0")
WARN = ("def warn(name):", "    if not name:", "        print(name)", "        go()", "    return 0")
ON_EMPTY = ("def mean(values):", "    return sum(values) / len(values)")


@pytest.mark.parametrize(
    ("lines", "gone", "new"),
    [
        (FAIL, ["print(name)", "return 0"], ["print(name, file=sys.stderr)", "return 1"]),
        (FAIL[:2], ["print(name)"], ["print(name, file=sys.stderr)", "return 1"]),
        (WARN, [], []),
        (("for name in names:", "    print(name)"), [], []),
    ],
)
def test_the_return_comes_right_behind_what_is_done_first(
    lines: tuple[str, ...], gone: list[str], new: list[str]
) -> None:
    assert changed("print to stderr and return 1", lines) == (gone, new)


@pytest.mark.parametrize("words", ["it crashes on an empty list, return 0", "fails when empty; it should return 0"])
def test_what_is_to_come_where_it_crashes_on_nothing_is_read(words: str) -> None:
    assert changed(words, ON_EMPTY)[1] == ["if not values:", "return 0"]

import pytest

from tests.editing.codemods.results import results

TWO = "def f(x):\n    print(x)\n    print('x is', x, x.y)"
LOGGED = "def f(x):\n    {0}(x)\n    {0}('x is %s %s', x, x.y)"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (TWO, "use logging instead of prints", [LOGGED.format("logger.info")]),
        (TWO, "log.warn instead of print statements", [LOGGED.format("log.warning")]),
        (TWO, "log at debug, not with the prints", [LOGGED.format("logger.debug")]),
        ("self.log.info(a)\nprint(b)", "log it", ["self.log.info(a)\nself.log.info(b)"]),
        ("print(a, b, flush=True)  # why", "log it", ["logger.info('%s %s', a, b)  # why"]),
        ("print(*a)\nprint(b, end='')\nprint()", "log it", []),
        ("a = print(b)", "log it", []),
    ],
)
def test_prints_become_log_calls(before: str, instruction: str, after: list[str]) -> None:
    assert results("print_to_logging", before, instruction) == after


def test_a_selection_says_which_print() -> None:
    assert results("print_to_logging", TWO, "log this", (1, 1)) == [TWO.replace("print(x)", "logger.info(x)")]

import pytest

from spark_tui.editing.codemods.extract_constant import ExtractConstant
from tests.editing.codemods.table import afters

FUNCTION = """
def wait(path):
    log("30")
    if sleep(30) and path != "/tmp/x":
        sleep(30 * 2)
"""
METHOD = """
    @cache
    def wait(self, delay=30):
        return self.ask(retries=3)
"""
CLASS = """
class Clock:
    \"\"\"Ticks.\"\"\"

    def wait(self):
        return self.ask(retries=3)
"""
MODULE = """
import os

LIMIT = 5


def wait():
    return [-7, 8]
"""


@pytest.mark.parametrize(
    ("before", "instruction", "changes"),
    [
        (FUNCTION, "move 30 to DELAY", [("def", "DELAY = 30\n\n\ndef"), ("p(30", "p(DELAY")]),
        (
            FUNCTION,
            "extract the path /tmp/x, call it root",
            [("def", 'ROOT = "/tmp/x"\n\n\ndef'), ('"/tmp/x":', "ROOT:")],
        ),
        (FUNCTION, "30 as a local called delay", [("    log", "    delay = 30\n    log"), ("p(30", "p(delay")]),
        (
            FUNCTION,
            "first line of the function: delay = 30",
            [("    log", "    delay = 30\n    log"), ("p(30", "p(delay")],
        ),
        (METHOD, "3 into a constant", [("    @", "    RETRIES = 3\n\n    @"), ("=3)", "=self.RETRIES)")]),
        (METHOD, "3 into MANY", [("    @", "    MANY = 3\n\n    @"), ("=3)", "=self.MANY)")]),
        (CLASS, "a class constant MANY for 3", [('."""\n', '."""\n\n    MANY = 3\n'), ("=3)", "=self.MANY)")]),
        (MODULE, "name -7 LOW", [("LIMIT = 5\n", "LIMIT = 5\nLOW = -7\n"), ("[-7", "[LOW")]),
        (MODULE, "[-7, 8] to BOUNDS", [("LIMIT = 5\n", "LIMIT = 5\nBOUNDS = [-7, 8]\n"), ("rn [-7, 8]", "rn BOUNDS")]),
    ],
)
def test_the_first_edit_is_the_expected_one(before: str, instruction: str, changes: list[tuple[str, str]]) -> None:
    expected = before.strip("\n")
    for old, new in changes:
        expected = expected.replace(old, new)
    assert afters(ExtractConstant(), before, instruction)[:1] == [expected]


@pytest.mark.parametrize(
    "before",
    [
        "LIMIT = 5",
        "x = f'{y} 30'",
        "def f(x: 'int'):\n    '''30'''",
        "match x:\n    case 30:\n        pass",
        "x = '''a\nb'''",
    ],
)
def test_what_has_a_name_or_needs_none_stays(before: str) -> None:
    assert afters(ExtractConstant(), before, "into LIMIT_OF_ALL") == []


def test_with_lines_selected_only_their_uses_may_be_meant() -> None:
    assert len(afters(ExtractConstant(), FUNCTION, "call it DELAY", (2, 2))) == 3

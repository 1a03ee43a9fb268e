import pytest

from spark_tui.editing.codemods.replace_text import ReplaceText
from tests.editing.codemods.table import afters

BEFORE = "total = count(rows, page)\nlog.info('no such row')\nprint(count)"


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("replace rows with items", "rows", "items"),
        ("`rows` \u2192 `items`", "rows", "items"),
        ("that is too loud, debug level is enough", ".info(", ".debug("),
        ("it says log.info but i want logger.debug", "log.info", "logger.debug"),
        ("use `len` instead of `print`", "print", "len"),
        ("page\u2192index", "page", "index"),
        ("instead of page take index", "page", "index"),
        ("s/total/amount/", "total", "amount"),
        ("change 'no such row' to 'nothing found'", "no such row", "nothing found"),
        ("page is wrong, it should be index", "page", "index"),
        ("in the line with `rows` change count to size", "count(rows", "size(rows"),
        ("replace count by size near print", "print(count", "print(size"),
    ],
)
def test_what_is_told_becomes_what_is_told(instruction: str, old: str, new: str) -> None:
    assert afters(ReplaceText(), BEFORE, instruction) == [BEFORE.replace(old, new)]


def test_one_line_or_all_of_them() -> None:
    first, last, both = (
        BEFORE.replace(*pair) for pair in (("count(", "size("), ("(count)", "(size)"), ("count", "size"))
    )
    assert afters(ReplaceText(), BEFORE, "count -> size") == [first, last, both]
    assert afters(ReplaceText(), BEFORE, "replace count by size everywhere") == [both]
    assert afters(ReplaceText(), BEFORE, "replace count by size", (2, 2)) == [last]


@pytest.mark.parametrize("instruction", ["", "fix this", "replace columns with rows", "replace ( with ["])
def test_nothing_to_replace(instruction: str) -> None:
    assert afters(ReplaceText(), BEFORE, instruction) == []


@pytest.mark.parametrize("body", ['    """Load it."""', "    pass", "    return None", "    ..."])
def test_a_body_that_does_nothing_raises_what_is_told(body: str) -> None:
    kept = body if '"' in body else ""
    wanted = "\n".join(filter(None, ["def load(self):", kept, "    raise NotImplementedError"]))
    assert wanted in afters(ReplaceText(), f"def load(self):\n{body}", "the base should raise NotImplementedError")

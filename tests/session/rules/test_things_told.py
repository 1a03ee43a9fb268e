"""What is told letter by letter comes with an edit, and what is told as a symptom does not."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.things_told import told_otherwise


def _said(words: str, before: str, after: str) -> str:
    lines = before.split("\n")
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return told_otherwise(words, Code(words, "a.py", region, lines, lines), after.split("\n"))


MEAN = "def mean(xs):\n    return 0.5"
READ = "rows = []\nfor row in read(f):\n    rows.append(row)"
PAGES = "def pages(page=1, per_page=20): pass"
TRY = "try:\n    a = get()\n    b = a\nexcept OSError:\n    b = 1"


@pytest.mark.parametrize(
    ("words", "before", "wrong", "right", "why"),
    [
        ("add type hints, List[float] -> float", MEAN, MEAN.replace("):", ") -> float:"),
         MEAN.replace("xs):", "xs: List[float]) -> float:"), "does not bring List[float]"),
        ("this can just be list(reader)", READ, "rows = []\nrows.extend(read(f))", "rows = list(read(f))",
         "does not use list"),
        ("it could use `in`", 'a = b == "x" or b == "y"', 'a = b == "y" or b == "x"', 'a = b in ("x", "y")',
         "does not use in"),
        ("also accept on and TRUE", 'a = b == "1"', 'a = b in ("1", "TRUE")', 'a = b in ("1", "on", "TRUE")',
         "does not bring on"),
        ("401 because nothing is sent", "a = post(b) == 200", "a = post(b) == 401", "a = post(b, c) == 200",
         "401 is what goes wrong"),
        ("page size 50", PAGES, PAGES.replace("=1", "=50"), PAGES.replace("=20", "=50"), "really page"),
        ("raise for bad status", TRY, TRY.replace("b = 1", "raise"), TRY.replace("b = a", "a.raise_for_status()"),
         "which error"),
        ("it is off by one", "a = b[c] + b[c + 1]", "a = b[c] + b[c]", "a = b[c - 1] + b[c]", "b[c] + b[c]"),
    ],
)  # fmt: skip
def test_an_edit_that_leaves_it_out_is_not_offered(words: str, before: str, wrong: str, right: str, why: str) -> None:
    assert why in _said(words, before, wrong)
    assert not _said(words, before, right)


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("dict[str, int] is redundant here, drop the annotation", "a: dict[str, int] = {}", "a = {}"),
        ("set page to 50", PAGES, PAGES.replace("=1", "=50")),
        ("make 401 the code", "a = 200", "a = 401"),
        ("accept both", 'a = b == "1"', 'a = b in ("1", "on")'),
        ("return double, a + a", "return_(b)", "return_(a + a)"),
    ],
)
def test_what_is_done_as_told_is_offered(words: str, before: str, after: str) -> None:
    assert not _said(words, before, after)

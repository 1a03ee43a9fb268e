"""What words name as what shall come has to come with an edit."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.brought import not_brought
from spark_tui.session.rules.facts import Code


def _said(words: str, before: str, after: str, file: str = "") -> str:
    lines = before.split("\n")
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return not_brought(words, Code(words, "a.py", region, lines, (file or before).split("\n")), after.split("\n"))


GET = 'def f(d):\n    return d["a"]'
TYPED = "def f(marks):\n    return 0.5"
OK = 'def f(code):\n    if code == 200:\n        return "ok"\n    elif code == 404:\n        return "gone"'
OPENED = "def f(path):\n    return open(path)"


@pytest.mark.parametrize(
    ("words", "before", "wrong", "right", "why"),
    [
        ("use += here", "if a != None: a = a + 1", "if a is not None: a = a + 1", "if a != None: a += 1", "use +="),
        ("use -= here", "a = a - 1\nb = b + 1", "a -= 1\nb += 1", "a -= 1\nb = b + 1", "uses +=, too"),
        ("use max()", "a = b", "a = c", "a = max(b, c)", "does not use max"),
        ("x += 1", "y = 2\nx = x+1", "y = 1\nx = x+1", "y = 2\nx += 1", "does not bring x += 1"),
        ("use booleans", "x = 2\ny = 0", "x = 1\ny = 0", "x = 2\ny = False", "brings no booleans"),
        ("use os.environ.get", 'if "A" in os.environ: a = os.environ["A"]\nb = os.environ["B"]',
         'if "A" in os.environ: a = os.environ.get("A")\nb = os.environ["B"]',
         'if "A" in os.environ: a = os.environ["A"]\nb = os.environ.get("B")', "is of no use where 'A' is there"),
        ("use startswith", 'if a[:1] == "b": c = ""', 'if a[:1] == "b": c = "="', 'if a.startswith("b"): c = ""',
         "does not use startswith"),
        ("use os.replace instead", "os.rename(a, b)", "os.rename(b, a)", "os.replace(a, b)", "does not use replace"),
        ("sort by title", "a = sorted(b)", "a = sorted(c)", "a = sorted(b, key=lambda x: x.title)", "sort by title"),
        ("use the walrus", "a = b()\nif a: c()", "if a: c()", "if a := b(): c()", "does not use walrus"),
        (
            'use .get for a with "" as default', GET, 'def f(d):\n    return d.get("a")',
            'def f(d):\n    return d.get("a", "")', 'leaves out the default ""',
        ),
        ("use .get with default []", 'b = d["a"]', 'b = d.get("a")', 'b = d.get("a", [])', "default []"),
        (
            "add type hint list[float] to marks and return type float", TYPED,
            TYPED.replace("):", ") -> list[float]:"), TYPED.replace("marks):", "marks: list[float]) -> float:"),
            "return type float",
        ),
        (
            "add type hint list[float] to marks", TYPED, TYPED.replace("):", ") -> float:"),
            TYPED.replace("marks)", "marks: list[float])"), "type of marks list[float]",
        ),
        (
            "treat 201 as ok too", OK, OK.replace("== 404", "in (404, 201)"), OK.replace("== 200", "in (200, 201)"),
            "does not make 201 ok",
        ),
    ],
)  # fmt: skip
def test_what_is_told_to_come_comes(words: str, before: str, wrong: str, right: str, why: str) -> None:
    assert why in _said(words, before, wrong)
    assert not _said(words, before, right)


def test_a_name_that_nobody_spoke_of_is_to_be_imported_first() -> None:
    after = OPENED.replace("open(path)", "Path(path).open()")
    assert (
        _said("open it the modern way", OPENED, after, f"import os\n{OPENED}")
        == "Path is not imported in a.py; add the import first"
    )
    assert not _said("use pathlib", OPENED, after, f"from pathlib import Path\n{OPENED}")
    assert not _said("use pathlib", OPENED, after, f"import os\n{OPENED}")
    assert not _said("use Path(path).open()", OPENED, after, f"import os\n{OPENED}")


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("print total", "def f(new_id):\n    return new_id"),
        ("return the new id", "def f(new_id):\n    total = 1\n    return total"),
        ("return new_id instead", "def f(new_id):\n    total = new_id"),
    ],
)
def test_a_statement_that_is_told_comes(words: str, wrong: str) -> None:
    before = "def f(new_id):\n    total = 1\n    send(new_id)"
    verb, name = words.split(" ", maxsplit=1)[0], "total" if "total" in words else "new_id"
    assert f"does not {verb} {name}" in _said(words, before, wrong)
    assert not _said(words, before, before.replace("send(new_id)", f"{verb} {name}"))


@pytest.mark.parametrize("words", ["use the name with care", "use a variable", "use .get with a default"])
def test_words_that_name_nothing_rule_nothing_out(words: str) -> None:
    assert not _said(words, GET, 'def f(d):\n    return d.get("a")')

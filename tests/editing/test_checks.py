import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyflakes.checker import Checker

from spark_tui.editing import syntax
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.text import Text
from tests.editing.texts import edited

GOOD = b"import os\n\ndef f(path):\n    return os.stat(path)\n"


def check(before: bytes, after: bytes, name: str, path: str = "a.py") -> Check:
    (found,) = [
        one
        for one in run_checks(Text.from_bytes(before), Text.from_bytes(after), path)
        if one.name == name
    ]
    return found


def test_a_good_edit_passes_all_three() -> None:
    found = run_checks(
        Text.from_bytes(GOOD), Text.from_bytes(GOOD.replace(b"stat", b"lstat")), "pkg/a.py"
    )
    assert found == (Check("applies", ok=True), Check("parses", ok=True), Check("names", ok=True))


@pytest.mark.parametrize(
    ("before", "after", "ok", "detail"),
    [
        (b"x = 1\n", b"x = (\n", False, "line 1: '(' was never closed"),
        (b"x = (\n", b"x = 1\n", True, "it did not parse before"),
        (
            b"x = (\ny = 1\n",
            b"x = (\ny = 2\n",
            True,
            "it did not parse before either (line 1: '(' was never closed)",
        ),
        (
            b"def f():\n    return 1\n",
            b"def f():\nreturn 1\n",
            False,
            "line 2: expected an indented block",
        ),
        (
            b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
            b"# -*- coding: latin-1 -*-\ny = '\xe9'\n",
            True,
            "",
        ),
        (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n", True, ""),
        (b"x = 1\r\nif x:\r\n\ty = 2", b"x = 1\r\nif x:\r\n\ty = 3", True, ""),
        (b"x = '\\d'\n", b"x = '\\d' is x\n", True, ""),
    ],
)
def test_parses_blames_the_proposal_only_for_what_it_broke(
    before: bytes, after: bytes, ok: bool, detail: str
) -> None:
    found = check(before, after, "parses")
    assert found.ok == ok
    assert found.detail.startswith(detail)
    assert bool(found.detail) == bool(detail)


@pytest.mark.parametrize(
    ("before", "after", "ok", "detail"),
    [
        (
            b"def f(a):\n    return a\n",
            b"def f(a):\n    return b\n",
            False,
            "undefined: b (line 2)",
        ),
        (b"def f():\n    return gone\n", b"def f():\n    return gone + gone\n", True, ""),
        (
            b"def f():\n    return gone\n",
            b"def f():\n    return gone + more\n",
            False,
            "undefined: more (line 2)",
        ),
        (b"def f():\n    return gone\n", b"def f():\n    return 1\n", True, ""),
        (
            b"a = 1\nprint(a)\n",
            b"print(a)\n\nprint(b, a)\n",
            False,
            "undefined: a (line 1), b (line 3)",
        ),
        (
            b"__all__ = ['f']\ndef f(): 0\n",
            b"__all__ = ['f']\ndef g(): 0\n",
            False,
            "undefined: f (line 1)",
        ),
        (
            b"def f(): 0\ndef g(): 0\n",
            b"def g(): 0\ndef g(): 0\n",
            False,
            "defined a second time: g (line 2)",
        ),
        (
            b"class A:\n def f(): 0\n",
            b"class A:\n def f(): 0\n def f(): 1\n",
            False,
            "defined a second time: A.f (line 3)",
        ),
        (b"def f(): 0\ndef f(): 0\n", b"def f(): 1\ndef f(): 0\n", True, ""),
        (b"@over\ndef f(): 0\n", b"@over\ndef f(): 0\ndef f(): 0\n", True, ""),
        (b"x = (\n", b"x = y\n", True, "not checked: the file did not parse before the edit"),
        (b"x = 1\n", b"x = (y\n", True, "not checked: the file does not parse with the edit"),
    ],
)
def test_names_blames_the_proposal_only_for_names_it_made_unknown(
    before: bytes, after: bytes, ok: bool, detail: str
) -> None:
    assert check(before, after, "names") == Check("names", ok=ok, detail=detail)


def test_a_very_large_file_is_read_by_its_grammar_and_no_names_are_claimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(syntax, "MOST_PARSED", 10)
    applies, wrong = Check("applies", ok=True), "line 4: not Python: return os.stat(path"
    good, bad = (
        Text.from_bytes(GOOD.replace(b"stat(path)", new))
        for new in (b"missing(path)", b"stat(path")
    )
    assert run_checks(Text.from_bytes(GOOD), good, "a.py") == (applies, Check("parses", ok=True))
    assert run_checks(Text.from_bytes(GOOD), bad, "a.py") == (
        applies,
        Check("parses", ok=False, detail=wrong),
    )


def test_changing_a_line_that_is_not_utf8_does_not_apply() -> None:
    found = check(b"a\n'\xe9'\n", b"a\n'e'\n", "applies", "a.txt")
    assert found == Check("applies", ok=False, detail="line 2 is not UTF-8 and must stay as it is")
    assert check(b"a\n'\xe9'\n", b"b\n'\xe9'\n", "applies", "a.txt").ok
    mixed = check(b"a\n'\xe9'\n", "é\n'".encode() + b"\xe9'\n", "applies", "a.txt")
    assert mixed == Check(
        "applies", ok=False, detail="line 1 would hold UTF-8, and the file is encoded otherwise"
    )


@pytest.mark.parametrize(
    "source",
    [
        b"-" * 100_000 + b"1",
        b"(" * 10_000,
        b"a" + b".b" * 100_000,
        b"not " * 50_000 + b"x",
        b"1" * 6000,
        b"\xff = 1",
        b"# coding: nonsense\n",
        b"\f\r\v",
        b"if x:\n" * 200,
        b"f'{" * 500,
        b"x = 1" + b" + 1" * 5000,
        b"if x:\n    0\n" + b"elif x:\n    0\n" * 5000,
    ],
)
def test_weird_source_is_answered_not_raised(source: bytes) -> None:
    found = check(b"x = 1\n", source, "parses")
    assert not found.ok
    assert found.detail
    assert check(source, source, "parses").ok


@given(edited(), st.sampled_from(["a.py", "a.txt", "py"]))
def test_any_edit_gets_its_answers(pair: tuple[Text, Text], path: str) -> None:
    names = [one.name for one in run_checks(*pair, path)]
    assert names == (["applies", "parses", "names"] if path == "a.py" else ["applies"])


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    from __future__ import annotations\n",
        "return 1\n",
        "def f(a, a):\n    pass\n",
        "break\n",
    ],
)
def test_what_python_would_not_run_does_not_parse(source: str) -> None:
    base = Text.from_bytes(b"x = 1\n", "a.py")
    *_, parses, names = run_checks(base, Text.from_bytes(source.encode(), "a.py"), "a.py")
    assert (parses.ok, names.ok) == (False, True)


@pytest.mark.parametrize(
    "deep", [b"y = 1" + b" + 1" * 980, b"if x:\n    0\n" + b"elif x:\n    0\n" * 980]
)
def test_names_of_what_is_nested_too_deeply_are_not_checked_and_it_says_so(deep: bytes) -> None:
    found = check(b"x = 1\n" + deep, b"x = 2\n" + deep, "names")
    assert found.ok
    assert found.detail.startswith("not checked: ")


def plainly_unknown(source: str) -> dict[str, int]:
    """What pyflakes itself says."""
    wanted = ("UndefinedName", "UndefinedLocal", "UndefinedExport")
    found = [one for one in Checker(ast.parse(source)).messages if type(one).__name__ in wanted]
    lines: dict[str, int] = {}
    for one in sorted(found, key=lambda one: int(one.lineno)):
        lines.setdefault(one.message_args[0], one.lineno)
    return lines


STATEMENTS = (
    "import os",
    "from sys import *",
    "from sys import path as p",
    "print(len, p)",
    "del print",
    "del x",
    "x = len",
    "def print(x): return os, p",
    "x: 'int | pr\\x69nt' = 1",
    "y: 'sum' 'mary' = __file__",
    "__all__ = ['x', 'len']",
    "try: gone\nexcept NameError: x",
    "try: gone\nexcept: len",
    "class C:\n    x = 1\n    def f(self): return x, __class__",
    "def f():\n    print(x)\n    x = 1",
    "def f():\n    global x\n    x = WindowsError",
    "[x for x in y if p]",
    "match x:\n    case {'a': p, **y}: print(p)\n    case str(): pass",
    "lambda p=x: p + y + z",
    "\uff50rint(\uff58)",
    "del \uff58",
    "with x as (p, y): p",
    "for print in x: print",
    "import os.path as x",
    "async def f(a: sum, *b: 'max') -> 'Gone': await a",
    "x = (y := 1) + y",
    "locals()",
)


@given(
    st.lists(st.sampled_from(STATEMENTS), max_size=6),
    st.lists(st.sampled_from(STATEMENTS), max_size=6),
)
def test_the_names_found_unknown_are_those_that_pyflakes_finds(
    before: list[str], after: list[str]
) -> None:
    texts = ["".join(line + "\n" for line in lines) for lines in (before, after)]
    known, unknown = map(plainly_unknown, texts)
    wrong = ", ".join(
        f"{name} (line {line})" for name, line in unknown.items() if name not in known
    )
    found = check(texts[0].encode(), texts[1].encode(), "names")
    if not found.detail.startswith(("not checked", "defined a second time")):
        assert found == Check("names", ok=not wrong, detail=f"undefined: {wrong}" if wrong else "")

"""Which functions and classes an edit leaves without their code."""

import pytest

from spark_tui.editing.placeholders import lost_to_placeholders
from spark_tui.editing.text import Text

METHOD = "class A:\n    def pay(self):\n        return 1\n"


def lost(old: str, new: str, path: str = "a.py") -> tuple[str, ...]:
    return lost_to_placeholders(text(old), text(new), path)


def text(source: str) -> Text:
    return Text(tuple(source.splitlines(keepends=True)))


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("def f():\n    return 1\n", "def f(): ...\n", ("f",)),
        ("async def f():\n    return 1\n", "async def f():\n    pass\n", ("f",)),
        ("def f():\n    return 1\n", 'def g():\n    """As before."""\n', ("g",)),
        ("def f():\n    a()\n    b()\n", "def f():\n    a()\n    ...\n", ("f",)),
        (METHOD, METHOD.replace("return 1", "..."), ("A.pay",)),
        (METHOD, "class A: ...\n", ("A",)),
        (METHOD, METHOD.replace("A", "B").replace("return 1", "pass"), ("B.pay",)),
        ("if x:\n    def f():\n        return 1\n", "if x:\n    def f(): ...\n", ("f",)),
    ],
)
def test_kind_2_code_that_gave_way_to_a_placeholder_is_named(
    old: str, new: str, names: tuple[str, ...]
) -> None:
    assert lost(old, new) == names


OVERLOADS = "@overload\ndef f(x: int) -> int: ...\n@t.overload\ndef f(x: str) -> str: ...\n"
CODE = "def f(x):\n    return x\n"
ABSTRACT = "    @abc.abstractmethod\n    def pay(self): ...\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f():\n    pass\n", "def f():\n    ...\n"),
        ('def f():\n    """Say."""\n', "def f(x):\n    ...\n"),
        (CODE, CODE + "def g(): ...\n"),
        (CODE, "class Error(Exception):\n    pass\n"),
        (CODE, OVERLOADS + CODE),
        (METHOD, METHOD + ABSTRACT.replace("pay", "owe")),
        (METHOD, "class A:\n" + ABSTRACT),
        (METHOD, METHOD.replace("A:", "A(Protocol[T]):").replace("return 1", "...")),
        (CODE, ""),
        (CODE, CODE.replace("return x", "return -x")),
        (CODE, "def f(:\n    ...\n"),
    ],
)
def test_kind_2_definitions_that_lost_no_code_are_not_named(old: str, new: str) -> None:
    assert lost(old, new) == ()


def test_kind_2_code_of_an_abstract_method_may_be_lost_too() -> None:
    old = "class A:\n" + ABSTRACT.replace("...", "return 1")
    assert lost(old, old.replace("return 1", "...")) == ("A.pay",)


def test_kind_2_a_file_of_another_language_loses_nothing() -> None:
    assert lost(CODE, "def f(x): ...\n", "a.rb") == ()

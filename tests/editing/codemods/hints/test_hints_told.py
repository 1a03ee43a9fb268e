"""Type hints that are there, changed as the words tell."""

import pytest

from tests.editing.codemods.results import results

DICT = "class Row(TypedDict):\n    note: str\n    size: int"


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("add_parameter_type", "size can be None", "def f(size: int): ...", "def f(size: int | None): ..."),
        ("add_parameter_type", "size is never None", "def f(size: int | None): ...", "def f(size: int): ..."),
        ("add_parameter_type", "size should be a float", "def f(size: int): ...", "def f(size: float): ..."),
        ("add_parameter_type", "allow bytes for text too", "def f(text: str): ...", "def f(text: str | bytes): ..."),
        (
            "add_parameter_type",
            "rows is any Sequence, annotate it so",
            "def f(rows: list[int]): ...",
            "def f(rows: Sequence[int]): ...",
        ),
        (
            "add_return_type",
            "builtin dict for the return type",
            "def f() -> Dict[str, int]: ...",
            "def f() -> dict[str, int]: ...",
        ),
        ("add_return_type", "quote the return annotation", "def f() -> a.B: ...", 'def f() -> "a.B": ...'),
        ("add_return_type", "unquote the return annotation", 'def f() -> "B": ...', "def f() -> B: ..."),
        ("add_return_type", "returns a str, not an int", "def f() -> int: ...", "def f() -> str: ..."),
        ("annotate_variable", "note is optional", DICT, DICT.replace("note: str", "note: NotRequired[str]")),
        ("annotate_variable", "no bytes here", "x: bytes | str = go()", "x: str = go()"),
        (
            "annotate_variable",
            'Need type annotation for "found"',
            "def f(rows) -> list[Row]:\n    found = []\n    return found",
            "def f(rows) -> list[Row]:\n    found: list[Row] = []\n    return found",
        ),
        (
            "annotate_variable",
            "RUF012 annotate it with ClassVar",
            "class A:\n    names = ['a']",
            "class A:\n    names: ClassVar[list[str]] = ['a']",
        ),
        (
            "annotate_variable",
            "waiting lacks its type",
            "def f(node: Node):\n    waiting = [node]",
            "def f(node: Node):\n    waiting: list[Node] = [node]",
        ),
    ],
)
def test_it_is_listed(kind: str, words: str, old: str, new: str) -> None:
    assert new in results(kind, old, words)[:3]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("size is never checked", "def f(size: int): ..."),
        ("TypeError when size is None", "def f(size: int): ..."),
        ("rename size to str_size", "def f(size: int, other: str): ..."),
    ],
)
def test_hints_that_are_not_spoken_of_stay(words: str, code: str) -> None:
    assert results("add_parameter_type", code, words) == []


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("mypy refuses size = None", "def f(size: int): ...", "def f(size: int | None): ..."),
        (
            "`x: list = None` is not what it says, mypy hates it",
            "def f(a: int, x: list = None): ...",
            "x: list | None = None",
        ),
        ("why does mypy believe that f never gives None?", "def f(a) -> bool: ...", "-> bool | None"),
        ("pyright flags the overload f as possibly None", "def f(a) -> int | None: ...", "def f(a) -> int: ..."),
        ("the port of the client can be None", "def f(client: tuple[str, int]): ...", "tuple[str, int | None]"),
        ("mypy: missing type parameters, it gives None", "def f(do: Callable): ...", "do: Callable[..., None]"),
    ],
)
def test_none_comes_into_a_hint_or_goes_where_a_checker_is_spoken_of(words: str, before: str, after: str) -> None:
    assert any(
        after in one for kind in ("add_parameter_type", "add_return_type") for one in results(kind, before, words)
    )

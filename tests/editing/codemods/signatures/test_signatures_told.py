"""Parameters that get or lose a default, and that are given by name or by position, as the words tell."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("change_default", "sep should default to ';'", "def f(rows, sep): ...", "def f(rows, sep=';'): ..."),
        (
            "change_default",
            "n should default to 3",
            "def f(n=None):\n    if n is None:\n        n = 1",
            "def f(n=None):\n    if n is None:\n        n = 3",
        ),
        ("change_default", "default n to 3", "def f(n=None): return n or 1", "def f(n=None): return n or 3"),
        ("change_default", "default n to 3", "def f(n=None): return n or g()", "def f(n=3): return n or g()"),
        ("change_default", "path should default to a.json", "def f(path): ...", "def f(path='a.json'): ..."),
        ("change_default", "level is optional", "def f(level: int): ...", "def f(level: int = None): ..."),
        ("change_default", "step: 1 if not given", "def f(x, *, step: int): ...", "def f(x, *, step: int = 1): ..."),
        ("change_default", "no default for step", "def f(x, step=1): ...", "def f(x, step): ..."),
        ("change_default", "step is required", "def f(x, step: int = 1): ...", "def f(x, step: int): ..."),
        ("keyword_only", "x need not be positional-only", "def f(x, /, y): ...", "def f(x, y): ..."),
        ("keyword_only", "make x positional-only", "def f(x, y): ...", "def f(x, /, y): ..."),
        (
            "keyword_only",
            "no popping of size, make it a keyword-only parameter",
            "def f(**kwargs):\n    size = kwargs.pop('size', 3)\n    go(size, **kwargs)",
            "def f(*, size=3, **kwargs):\n    go(size, **kwargs)",
        ),
    ],
)
def test_it_is_listed(kind: str, words: str, old: str, new: str) -> None:
    assert new in results(kind, old, words)[:2]


@pytest.mark.parametrize(
    ("kind", "words", "code"),
    [
        ("change_default", "rows should default to 3", "def f(rows, other): ..."),
        ("change_default", "rows may be missing in the table", "def f(step, other): ..."),
        ("keyword_only", "drop the pop", "def f(*kwargs):\n    x = kwargs.pop('x')"),
    ],
)
def test_what_is_no_python_or_not_meant_is_not_listed(kind: str, words: str, code: str) -> None:
    assert results(kind, code, words) == []


def test_what_python_says_lacks_may_get_a_default_and_its_hint_none() -> None:
    error = "TypeError: A() missing 1 required positional argument: 'end_note'\ndefault it to None"
    found = results("change_default", "def f(a, end_note: str): ...", error)
    assert found == ["def f(a, end_note: str = None): ...", "def f(a, end_note: str | None = None): ..."]
    spoken = results("change_default", "def f(a, end_note=1, file_encoding=2, text_mode=3, x=4): ...", "mode optional")
    assert spoken == []
    assert "text_mode=None" in results("change_default", "def f(a, text_mode): ...", "mode optional, None")[0]

"""What words ask of signatures: layout, parameters for what is fixed, hints told without ado, members that lack."""

import pytest

from tests.editing.codemods.results import results

_PROPERTY = "@property\ndef x(self) -> int:\n    return self._x"
_CLASS = "class Bag:\n    def __init__(self, items):\n        self.items = items"


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("trailing_comma", "pep8: no space before the parens", "def f (x):\n    go (x,1)", "def f(x):\n    go(x,1)"),
        ("trailing_comma", "pep8 the spacing", "def f (x=1):\n    y=go( x,1 )", "def f(x=1):\n    y = go(x, 1)"),
        ("trailing_comma", "one parameter per line", "def f(x, y=1): ...", "def f(\n    x,\n    y=1,\n): ..."),
        ("trailing_comma", "def on one line please", "def f(\n    x,\n    y,\n): ...", "def f(x, y): ..."),
        (
            "add_parameter",
            "width as parameter, default 13",
            "def f(i):\n    go(13, i)",
            "def f(i, width=13):\n    go(width, i)",
        ),
        (
            "add_parameter",
            "poll interval as keyword only arg, 0.1 default",
            "def f(n: int):\n    sleep(0.1)",
            "def f(n: int, *, poll_interval: float = 0.1):\n    sleep(poll_interval)",
        ),
        (
            "add_parameter",
            "anchor should be a parameter, C by default",
            'def f(x):\n    go(x, anchor="C")',
            'def f(x, anchor="C"):\n    go(x, anchor=anchor)',
        ),
        (
            "add_parameter",
            "color as optional argument",
            "def f(self):\n    self._color = Color()",
            "def f(self, color=None):\n    self._color = Color() if color is None else color",
        ),
        (
            "add_parameter",
            "take an optional timeout",
            "def f(self):\n    return self.queue.get()",
            "def f(self, timeout=None):\n    return self.queue.get(timeout=timeout)",
        ),
        ("complete_hints", "annotate it, int to str", "def f(n): ...", "def f(n: int) -> str: ..."),
        ("complete_hints", "both args are str", "def f(a, b) -> None: ...", "def f(a: str, b: str) -> None: ..."),
        (
            "complete_hints",
            "types: a is a dict, start/end optional int, returns bytes",
            "def f(a, start=0, end=1): ...",
            "def f(a: dict, start: int | None = 0, end: int | None = 1) -> bytes: ...",
        ),
        (
            "add_parameter_type",
            "the annotation lies, bytes are fine too",
            "def f(k: str): ...",
            "def f(k: str | bytes): ...",
        ),
        (
            "add_return_type",
            "narrow the annotation, elements are `str`",
            "def f() -> set: ...",
            "def f() -> set[str]: ...",
        ),
        ("change_default", "default both to 100", "def f(x, y): ...", "def f(x=100, y=100): ..."),
        ("change_default", "24 rows by 80 columns by default", "def f(w, h, x): ...", "def f(w, h=24, x=80): ..."),
        ("change_default", "default day to monday", "def f(day): ...", "def f(day='monday'): ..."),
        ("change_default", "a optional, last", "def f(a: int, b): ...", "def f(b, a: int | None = None): ..."),
        ("change_default", "swap a and b", "def f(self, a=1, b=None): ...", "def f(self, b=None, a=1): ..."),
        (
            "change_default",
            "let x default to None => empty dict",
            "def f(x: dict):\n    self.x = x",
            "def f(x: dict | None = None):\n    self.x = x if x is not None else {}",
        ),
        (
            "change_default",
            "ttl optional, no expire if it's None",
            "def f(ttl: int):\n    go.expire(ttl)",
            "def f(ttl: int | None = None):\n    if ttl is not None:\n        go.expire(ttl)",
        ),
        ("replace_text", "turn it into a str enum", "class A:\n    X = 1", "class A(str, Enum):\n    X = 1"),
        (
            "replace_text",
            "total=False",
            "class A(TypedDict):\n    x: int",
            "class A(TypedDict, total=False):\n    x: int",
        ),
        (
            "replace_text",
            "make it an ABC with abstractmethod",
            "class A:\n    def f(self):\n        raise NotImplementedError",
            "class A(ABC):\n    @abstractmethod\n    def f(self):\n        raise NotImplementedError",
        ),
        ("keyword_only", "n keyword only, 5 by default", "def f(x, n=1): ...", "def f(x, *, n=5): ..."),
        ("keyword_only", "the bools by keyword", "def f(a: bool, x): ...", "def f(x, *, a: bool): ..."),
        (
            "inline_variable",
            "make it a lambda",
            "def f(xs):\n    def key(x: int):\n        return -x\n    return sorted(xs, key=key)",
            "def f(xs):\n    return sorted(xs, key=lambda x: -x)",
        ),
        (
            "add_repr",
            "add a setter",
            _PROPERTY,
            f"{_PROPERTY}\n\n@x.setter\ndef x(self, value: int) -> None:\n    self._x = value",
        ),
        ("add_repr", "add __len__ too", _CLASS, f"{_CLASS}\n\n    def __len__(self):\n        return len(self.items)"),
        (
            "add_repr",
            'an EmptyBag subclass, docstring "With nothing in it."',
            "class Bag: ...",
            'class Bag: ...\n\n\nclass EmptyBag(Bag):\n    """With nothing in it."""',
        ),
    ],
)
def test_it_is_listed(kind: str, words: str, old: str, new: str) -> None:
    assert new in results(kind, old, words)[:10]


@pytest.mark.parametrize(
    ("kind", "words", "code"),
    [
        ("trailing_comma", "spaces before parens", "if (x):\n    return (x)"),
        ("add_repr", "add a setter", "def x(self):\n    return self._x"),
    ],
)
def test_what_is_not_there_to_be_changed_is_not_listed(kind: str, words: str, code: str) -> None:
    assert results(kind, code, words) == []


def test_texts_keep_their_blanks() -> None:
    assert results("trailing_comma", "x = f (a,b'a ,b', f'{a ,b}')", "pep8 whitespace") == [
        "x = f(a, b'a ,b', f'{a ,b}')"
    ]


def test_a_method_that_is_there_is_not_listed_again() -> None:
    code = f"{_CLASS}\n\n    def __len__(self):\n        return 3"
    assert not any("return len" in one for one in results("add_repr", code, "add __len__ too"))

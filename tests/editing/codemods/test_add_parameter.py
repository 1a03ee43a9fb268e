import ast

import pytest

from tests.editing.codemods.results import results

CODE = "def load(a, **more):\n    pass"


@pytest.mark.parametrize(
    ("before", "instruction", "signature"),
    [
        (CODE, "add `n: int = 3` to load", "def load(a, n: int = 3, **more):"),
        (CODE, "give load a parameter max_rows, 10 by default", "def load(a, max_rows=10, **more):"),
        (CODE, "add an argument path of type str", "def load(a, path: str, **more):"),
        (CODE, "add the parameter 'mode' defaulting to `'r'`", "def load(a, mode='r', **more):"),
        (CODE, "load should take strict: bool = False", "def load(a, strict: bool = False, **more):"),
        ("def f():\n    pass", "pass limit to it", "def f(limit):"),
        ("def f(\n    a,\n    b=1,\n):\n    pass", "add parameter c=None", "def f(\n    a,\n    b=1,\n    c=None,\n):"),
    ],
)
def test_the_parameter_told_comes_last(before: str, instruction: str, signature: str) -> None:
    found = results("add_parameter", before, instruction)
    assert [one.removesuffix("\n    pass") for one in found] == [signature]


@pytest.mark.parametrize(
    ("before", "instruction"),
    [(CODE, "add a parameter a"), ("x = 1", "add a parameter n"), ("def f(a=1):\n    pass", "add a required n_max")],
)
def test_what_cannot_be_a_parameter_is_not_listed(before: str, instruction: str) -> None:
    assert results("add_parameter", before, instruction) == []


BODY = '''\
def save(rows, to):
    """Write 3 rows."""
    print(f"rows: {len(rows):.3f}")
    if rows:
        raise ValueError("rows missing")
    return to.write(rows[:3], self.sep, mark=self.sep)'''


@pytest.mark.parametrize(
    ("words", "parameter", "changes"),
    [
        ("an argument mark=None and pass it on to len", "mark=None", {"len(rows)": "len(rows)"}),
        ("add `flush=True` and pass it to to.write", "flush=True", {"sep)": "sep, flush=flush)"}),
        ("new `digits: int = 3`, used in the print", "digits: int = 3", {".3f": ".{digits}f"}),
        (
            "`what: str = 'rows'`, the message starts with it",
            "what: str = 'rows'",
            {'"rows missing': 'f"{what} missing', 'f"rows:': 'f"{what}:'},
        ),
        ("`most=9` instead of 3", "most=9", {":3]": ":most]"}),
        (
            "`sep: str | None = None`, overrides self.sep",
            "sep: str | None = None",
            {"self.sep": "self.sep if sep is None else sep"},
        ),
        ("`strict=False`: only raise when strict", "strict=False", {"    raise": "    if strict:\n            raise"}),
        ("`quiet=False` to skip the print", "quiet=False", {"    print": "    if not quiet:\n        print"}),
    ],
)
def test_the_parameter_is_used_as_told(words: str, parameter: str, changes: dict[str, str]) -> None:
    wanted = BODY.replace("to):", f"to, {parameter}):")
    for old, new in changes.items():
        wanted = wanted.replace(old, new)
    assert wanted in results("add_parameter", BODY, words)[:3]


def test_a_parameter_with_no_use_told_only_is_there() -> None:
    assert results("add_parameter", BODY, "add `mode='w'`") == [BODY.replace("to):", "to, mode='w'):")]


def test_a_use_that_would_be_no_python_is_left_out() -> None:
    code = 'def full(name, owner):\n    return f"{name}{owner.look(name)}"'
    words = "AttributeError: 'NoneType' object has no attribute 'look' as soon as I use it without an owner"
    for after in results("add_parameter", code, words):
        ast.parse(after)


def test_a_field_of_a_text_is_no_text() -> None:
    code = 'def f(a):\n    return f"{a.size} of size {a}"'
    assert results("add_parameter", code, "`what: str = 'size'`, used in the text")[0] == (
        "def f(a, what: str = 'size'):\n    return f\"{a.size} of {what} {a}\""
    )


GET = "def get(self, *args, **kwargs):\n    return Transfer(self).get(*args, **kwargs)"


def test_a_parameter_is_taken_out_of_the_stars_and_handed_on() -> None:
    after = GET.replace("*args", "remote, *args")
    assert results("add_parameter", GET, "add an explicit first parameter remote")[0] == after


def test_stars_become_what_is_told_in_their_place() -> None:
    after = GET.replace("*args", "remote, local")
    assert after in results("add_parameter", GET, "it takes (remote, local, **kwargs), no *args")


def test_stars_come_in_beside_the_others_and_are_handed_on() -> None:
    before = "def log(self, event: str, **kw: Any) -> None:\n    self.out('msg', event, **kw)"
    after = before.replace("**kw", "*args, **kw").replace("*args, **kw: Any", "*args: Any, **kw: Any")
    assert after in results("add_parameter", before, "take *args as well and pass them through")

"""Edits of structure over several lines, or of several places at once."""

import pytest

from tests.editing.codemods.results import results

FIRST = """
remove_else: both elses can go
def f(a, b):
    if a:
        if b:
            return 1
        else:
            return 2
    else:
        raise ValueError(a)
->
def f(a, b):
    if a:
        if b:
            return 1
        return 2
    raise ValueError(a)
===
return_condition: return it directly
def f(rows):
    if any(
        row.late
        for row in rows
    ):
        return False
    return True
->
def f(rows):
    return not any(
        row.late
        for row in rows
    )
===
return_condition: return the condition
def f(a, b):
    if (
        a
        and b
    ):
        return True
    else:
        return False
->
def f(a, b):
    return bool(
        a
        and b
    )
===
return_condition: return the condition
def f(rows):
    if not all(
        row.ok for row in rows
    ):
        return False
    return True
->
def f(rows):
    return all(
        row.ok for row in rows
    )
===
to_ternary: one conditional expression
def f(self):
    if self.folder_of_everything_else is not None:
        return Loader(join(self.root_of_the_project, self.folder_of_everything_else))
    return None
->
def f(self):
    return (
        Loader(join(self.root_of_the_project, self.folder_of_everything_else))
        if self.folder_of_everything_else is not None
        else None
    )
===
inline_variable: no need for put
def f(rows, out):
    put = out.append
    for row in rows:
        put(row.name)
    return out
->
def f(rows, out):
    for row in rows:
        out.append(row.name)
    return out
===
inline_variable: make the tuple in the call, do not rebind keys
def f(keys):
    keys = tuple(keys)
    table = Table()
    table.fill(keys)
    return table
->
def f(keys):
    table = Table()
    table.fill(tuple(keys))
    return table
===
remove_hints: the annotation of self.seen is noise
def f(self, n: int):
    self.seen: set[str] = set()
    self.n: int = n
->
def f(self, n: int):
    self.seen = set()
    self.n: int = n
===
remove_hints: set[str] says nothing new, drop the hint
def f(self, n: int):
    self.seen: set[str] = set()
    self.n: int = n
->
def f(self, n: int):
    self.seen = set()
    self.n: int = n
===
to_comprehension: as a comprehension, with a walrus
def f(rows):
    found = []
    for row in rows:
        name = row.name()
        if name and row.ok:
            found.append(name)
    print(found)
->
def f(rows):
    found = [name for row in rows if (name := row.name()) and row.ok]
    print(found)
===
to_comprehension: a dict comprehension
def f(rows):
    table = {}
    for row in rows:
        name = row.name()
        value = row.value
        if not name:
            continue
        table[name] = value
    return table
->
def f(rows):
    return {name: row.value for row in rows if (name := row.name())}
===
any_all: use any()
def f(rows):
    for row in rows:
        name = row.name.strip()
        if name == "x":
            return True
    return False
->
def f(rows):
    return any(row.name.strip() == "x" for row in rows)
"""
"""A kind, the words, the region and what the first edit listed makes of it."""


@pytest.mark.parametrize("case", FIRST.strip().split("\n===\n"))
def test_it_comes_first(case: str) -> None:
    head, _, rest = case.partition("\n")
    old, _, new = rest.partition("\n->\n")
    kind, _, words = head.partition(": ")
    assert results(kind, old, words)[0] == new


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("inline_variable", "def f(rows, out):\n    put = out.append\n    for out in rows:\n        put(out)"),
        (
            "inline_variable",
            "def f(keys):\n    keys = tuple(keys)\n    keys.sort()\n    keys = go(keys)\n    return keys",
        ),
        ("inline_variable", "def f(keys):\n    found = list(keys)\n    keys.clear()\n    return found"),
        ("return_condition", "if go(\n    a\n):\n    x = True\nelse:\n    y = False"),
    ],
)
def test_what_would_not_mean_the_same_is_not_listed(kind: str, code: str) -> None:
    assert results(kind, code, "please") == []


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("list(rows) is enough", "x = go([row for row in rows])", "x = go(list(rows))"),
        ("itemgetter(1) instead of the lambda", "rows.sort(key=lambda x: x[1])", "rows.sort(key=itemgetter(1))"),
        ("no need for the generator in go, table.keys() does it", "go(k for k in table)", "go(table.keys())"),
        ("max(a, b) reads better than the conditional", "x = a if a > b else b", "x = max(a, b)"),
        ("`rows = rows[:]` -> list(rows)", "rows = rows[:]", "rows = list(rows)"),
    ],
)
def test_an_expression_stands_in_for_one_that_is_told_by_its_sort(words: str, old: str, new: str) -> None:
    assert results("replace_text", old, words)[0] == new


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (
            "the except should just return None",
            "def f():\n    try:\n        go()\n    except OSError:\n        # again\n        stop()\n        go()",
            "def f():\n    try:\n        go()\n    except OSError:\n        # again\n        return None",
        ),
        (
            "only raise ValueError(a) in the else branch",
            "def f(a):\n    if a:\n        go()\n    else:\n        stop()\n        log(a)",
            "def f(a):\n    if a:\n        go()\n    else:\n        raise ValueError(a)",
        ),
        (
            "the handler should simply pass",
            "try:\n    go()\nexcept OSError:\n    stop()",
            "try:\n    go()\nexcept OSError:\n    pass",
        ),
    ],
)
def test_a_branch_does_but_what_is_told(words: str, old: str, new: str) -> None:
    assert new in results("replace_text", old, words)


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (
            "3.11 is the oldest we support, the else can go",
            "if sys.version_info >= (3, 11):\n    import tomllib\nelse:\n    import tomli as tomllib\nx = 1",
            "import tomllib\nx = 1",
        ),
        (
            "no need for the backport any more",
            "try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib\nx = 1",
            "import tomllib\nx = 1",
        ),
        ("drop python 2", "def f():\n    if not PY3:\n        go()\n    stop()", "def f():\n    stop()"),
    ],
)
def test_a_branch_for_an_old_python_goes(words: str, old: str, new: str) -> None:
    assert new in results("dead_code", old, words)
    assert new not in results("dead_code", old, "tidy up")


def test_some_of_the_nested_ifs_are_merged_over_several_lines() -> None:
    long = "the_first_of_the_conditions == the_value_it_should_have"
    old = f"if {long}:\n    if {long} or b:\n        if c:\n            go()"
    new = f"if (\n    {long}\n    and ({long} or b)\n):\n    if c:\n        go()"
    assert new in results("merge_ifs", old, "merge the outer two")


MORE = """
simplify: the list() around sorted is redundant
def f(rows):
    return list(sorted(rows))
->
def f(rows):
    return sorted(rows)
===
simplify: no need to convert to int, it is one
def f(n):
    return 2 * int(n + 1)
->
def f(n):
    return 2 * (n + 1)
===
simplify: use .get here
def f(table, key):
    if key in table:
        return table[key]
    return 0
->
def f(table, key):
    return table.get(key, 0)
===
simplify: get() would do
def f(table, key):
    x = None if key not in table else table[key]
    return x
->
def f(table, key):
    x = table.get(key)
    return x
===
add_parameter: make size an argument, with this value by default
def f(rows):
    size: int = 3
    return rows[:size]
->
def f(rows, size: int = 3):
    return rows[:size]
===
add_parameter: turn the 3 into a parameter called most
def f(rows):
    return rows[:3]
->
def f(rows, most=3):
    return rows[:most]
===
add_import: the import of json belongs at the top
import os

def f(a):
    import json
    return json.loads(a)
->
import os
import json

def f(a):
    return json.loads(a)
===
swap_arguments: the signature should have path first
def f(self, data, path, n=1):
    path.write(data)
->
def f(self, path, data, n=1):
    path.write(data)
===
rename: a/b are too terse, width and height please
def f(a, b):
    return a * b
->
def f(width, height):
    return width * height
===
rename: unclear names: a is width, b is height
def f(a, b):
    return a * b
->
def f(width, height):
    return width * height
===
sort_imports: one import from typing is enough, merge them
from typing import Any
import os
from typing import Optional
->
from typing import Any, Optional
import os
"""


@pytest.mark.parametrize("case", MORE.strip().split("\n===\n"))
def test_it_is_listed(case: str) -> None:
    head, _, rest = case.partition("\n")
    old, _, new = rest.partition("\n->\n")
    kind, _, words = head.partition(": ")
    assert new in results(kind, old, words)


@pytest.mark.parametrize(
    ("kind", "words", "code"),
    [
        ("simplify", "list the rows", "x = list(rows)"),
        ("simplify", "drop the list of rows", "x = go(list(rows))"),
    ],
)
def test_what_is_not_asked_for_is_not_listed(kind: str, words: str, code: str) -> None:
    assert results(kind, code, words) == []

"""An edit that uses a well-known name for the first time brings its import."""

import pytest

from spark_tui.editing.checks import run_checks
from spark_tui.editing.imports_brought import with_imports
from spark_tui.editing.intents import code_names
from spark_tui.editing.text import Text

HEAD = '"""Doc."""\n\nimport os\n\n\n'
PLAIN = "def f(x):\n    return x\n"
CLASS = "class A:\n    b = 1\n"


def _brought(words: str, before: str, after: str) -> list[str]:
    """The lines that come besides the edit, which leaves no name undefined."""
    base, edited = Text.from_bytes(before.encode()), Text.from_bytes(after.encode())
    whole = with_imports(base, edited, code_names(words))
    checks = {check.name: check for check in run_checks(base, whole, "a.py", told=code_names(words))}
    assert not checks["names"].detail
    rest = iter(whole.lines)
    assert all(line in rest for line in edited.lines)
    return [line for line in whole.lines if line not in edited.lines]


@pytest.mark.parametrize(
    ("words", "used", "line"),
    [
        ("use a Counter", "Counter(x)", "from collections import Counter"),
        ("use collections.Counter", "collections.Counter(x)", "import collections"),
        ("use a defaultdict", "defaultdict(list, x)", "from collections import defaultdict"),
        ("use a deque", "deque(x)", "from collections import deque"),
        ("use pathlib", "Path(x)", "from pathlib import Path"),
        ("use pathlib.Path", "pathlib.Path(x)", "import pathlib"),
        ("use Decimal instead of float", "Decimal(x)", "from decimal import Decimal"),
        ("use datetime.now()", "datetime.now()", "from datetime import datetime"),
        ("use datetime.datetime.now()", "datetime.datetime.now()", "import datetime"),
        ("use timedelta(seconds=x)", "timedelta(seconds=x)", "from datetime import timedelta"),
        ("use suppress", "suppress(x)", "from contextlib import suppress"),
        ("use partial", "partial(x)", "from functools import partial"),
        ("use itemgetter", "itemgetter(x)", "from operator import itemgetter"),
        ("use itertools.chain", "itertools.chain(x)", "import itertools"),
        ("use json.dumps", "json.dumps(x)", "import json"),
        ("use deepcopy", "deepcopy(x)", "from copy import deepcopy"),
        ("use urllib.parse.quote(x)", "urllib.parse.quote(x)", "import urllib.parse"),
        ("raise it as an HTTPStatus", "HTTPStatus(x)", "from http import HTTPStatus"),
    ],
)
def test_a_call(words: str, used: str, line: str) -> None:
    assert _brought(words, HEAD + PLAIN, HEAD + PLAIN.replace("return x", f"return {used}")) == [line]


@pytest.mark.parametrize(
    ("words", "code", "after", "line"),
    [
        ("make it a dataclass", CLASS, f"@dataclass\n{CLASS}", "from dataclasses import dataclass"),
        ("cache it with @cache", PLAIN, f"@cache\n{PLAIN}", "from functools import cache"),
        ("add @lru_cache(maxsize=8)", PLAIN, f"@lru_cache(maxsize=8)\n{PLAIN}", "from functools import lru_cache"),
        ("add @functools.cache", PLAIN, f"@functools.cache\n{PLAIN}", "import functools"),
        ("add @wraps(os)", PLAIN, f"@wraps(os)\n{PLAIN}", "from functools import wraps"),
        ("add @contextmanager", PLAIN, f"@contextmanager\n{PLAIN}", "from contextlib import contextmanager"),
        ("make it an Enum", CLASS, CLASS.replace("A:", "A(Enum):"), "from enum import Enum"),
        ("inherit from ABC", CLASS, CLASS.replace("A:", "A(ABC):"), "from abc import ABC"),
        ("mark f with @abstractmethod", PLAIN, f"@abstractmethod\n{PLAIN}", "from abc import abstractmethod"),
        ("x is Optional[int]", PLAIN, PLAIN.replace("x)", "x: Optional[int])"), "from typing import Optional"),
        ("x is an Iterable", PLAIN, PLAIN.replace("x)", "x: Iterable)"), "from collections.abc import Iterable"),
    ],
)  # fmt: skip
def test_a_decorator_a_base_or_a_hint(words: str, code: str, after: str, line: str) -> None:
    assert _brought(words, HEAD + code, HEAD + after) == [line]


@pytest.mark.parametrize(
    "head",
    [
        "",
        '"""Doc."""\n\n\n',
        "from __future__ import annotations\n\n",
        "#!/bin/python\n# A.\n\nB = 1\n",
        "import os\r\n",
    ],
)
def test_wherever_the_imports_of_the_file_begin(head: str) -> None:
    assert _brought("use a Counter", head + PLAIN, head + PLAIN.replace("x\n", "Counter(x)\n"))[0] == (
        "from collections import Counter"
    )


def test_into_an_import_of_its_module() -> None:
    head = "from collections import OrderedDict\n\nA = OrderedDict()\n"
    base, after = (Text.from_bytes((head + code).encode()) for code in (PLAIN, PLAIN.replace("x\n", "Counter(x)\n")))
    whole = with_imports(base, after, {"Counter"})
    assert whole.lines[0] == "from collections import Counter, OrderedDict"


@pytest.mark.parametrize(
    ("head", "used", "told"),
    [
        ("", "Counter(x)", ""),
        ("from collections import Counter\n", "Counter(x)", "Counter"),
        ("Counter = dict\n", "Counter(x)", "Counter"),
        ("", "total(x)", "total"),
        ("", "count(x)", "count"),
        ("", "time(x)", "time"),
        ("", "Event(x)", "Event"),
        ("", "x.deepcopy()", "deepcopy"),
        ("", "Counter(x", "Counter"),
    ],
)
def test_none_where_none_was_asked_for_or_it_is_not_sure(head: str, used: str, told: str) -> None:
    base, after = (
        Text.from_bytes((head + code).encode()) for code in (PLAIN, PLAIN.replace("return x", f"return {used}"))
    )
    assert with_imports(base, after, {told}) == after

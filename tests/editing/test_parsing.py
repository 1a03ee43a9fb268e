"""Of a very large file only what is around an edit is read, and what is said of that holds for all of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_tui.editing import large_files, parsing
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.parsing import AROUND, NOT_READ, parse_error, parsed
from spark_tui.editing.text import Text

FUNCTION = 'def load_{0}(d):\n    """Load {0}."""\n    if d:\n        return {0}\n    else:\n        return d\n\n\n'
METHOD = '    def price_{0}(self, qty):\n        """Price."""\n        if qty:\n            return {0}\n\n'
FUNCTIONS = "import os\n\n\n" + "".join(FUNCTION.format(number) for number in range(9000))
METHODS = "class Shop:\n    rate = 1\n\n" + "".join(METHOD.format(number) for number in range(9000))
DATA = "rates = [\n" + "".join(f"{number},\n" for number in range(90_000)) + "]\n"


def text(source: str) -> Text:
    return Text.from_bytes(source.encode(), "a.py")


def parses(before: str, after: str) -> Check:
    return run_checks(text(before), text(after), "a.py")[1]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes Python was given to read at once, each time."""
    given: list[int] = []

    def count(source: bytes, *args: object, **options: object) -> object:
        given.append(len(source))
        return compile(source, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(parsing, "compile", count, raising=False)
    parse_error.cache_clear()
    return given


@pytest.mark.parametrize(
    ("source", "old", "good", "bad"),
    [
        (FUNCTIONS, "return 4000\n", "return 4000 + 1\n", "return 4000 +\n"),
        (FUNCTIONS, "def load_4000(d):\n", "def load_4000(rates):\n", "def load_4000(rates:\n"),
        (FUNCTIONS, "def load_4000(d):\n", "@over\ndef load_4000(d):\n", "@over\nx = 1\n\n\ndef load_4000(d):\n"),
        (FUNCTIONS, '"""Load 4000."""\n', '"""Load it."""\n', '"""Load it.\n'),
        (FUNCTIONS, "        return 4000\n    else:\n", "        return 4000\n    elif d:\n", "    else:\n"),
        (FUNCTIONS, "import os\n", "import os\nimport re\n", "import os\nimport\n"),
        (METHODS, "return 4000\n", "return 4000 + 1\n", "return 4000 +\n"),
        (METHODS, "    return 4000\n\n", "    return 1\n\n    x = 1\n\n", "    return 1\n\nx = 1\n\n"),
    ],
)
def test_a_broken_edit_of_a_very_large_file_is_refused_and_little_is_read(
    compiled: list[int], source: str, old: str, good: str, bad: str
) -> None:
    assert parses(source, source.replace(old, good)) == Check("parses", ok=True, detail=AROUND)
    assert not parses(source, source.replace(old, bad)).ok
    assert 0 < sum(compiled) < 3000


def test_the_line_of_a_fault_is_counted_from_the_top_of_the_file() -> None:
    for source in (FUNCTIONS, METHODS):
        wrong = source.replace("return 4000\n", "return +\n")
        line = wrong[: wrong.index("return +")].count("\n") + 1
        assert parses(source, wrong).detail.startswith(f"line {line}: ")


def test_every_place_of_an_edit_is_read(compiled: list[int]) -> None:
    wrong = FUNCTIONS.replace("return 10\n", "return 1\n").replace("return 8000\n", "return +\n")
    assert not parses(FUNCTIONS, wrong).ok
    assert sum(compiled) < 3000


def test_what_was_broken_around_an_edit_is_no_fault_of_it() -> None:
    broken = FUNCTIONS.replace("return 4000\n", "return +\n")
    worse = broken.replace("if d:\n        return +", "if not d:\n        return +")
    assert parses(broken, worse) == Check("parses", ok=True, detail=NOT_READ)
    assert parses(broken, FUNCTIONS) == Check("parses", ok=True, detail=NOT_READ)


def test_one_that_is_all_one_statement_is_not_read_and_it_says_so(compiled: list[int]) -> None:
    assert parses(DATA, DATA.replace("\n400,\n", "\n401,\n")) == Check("parses", ok=True, detail=NOT_READ)
    assert sum(compiled) == 0


BLOCKS = (
    "def f(a):\n    return a\n",
    "class C:\n    def g(self):\n        if a:\n            return 2\n\n    def h(self):\n        0\n",
    "class D:\n    @over\n    def g(self):\n        return 1\n    x = 1\n    class E:\n        def h(self): 0\n",
    "import os\n",
    "from __future__ import annotations\n",
    "from os import path\n",
    "@over\n@over(\na)\n\ndef f():\n    yield\n",
    "x = (\ny,\n)\n",
    "x = [\nwith_(1),\n]\n",
    'x = """\ndef f(a):\n    return a\n"""\n',
    "x = '''\nimport os\n\"\"\"\ndef g():\n    0\n'''\n",
    '# it\'s """\n',
    "y = '\"\"\"' # '''\n",
    "try:\n    import os\nexcept OSError:\n    def f(): 0\nelse:\n    x = 1\n",
    "if x:\n    def f(): 0\nelse:\n    with x:\n        import os\n",
    "x = \\\n1\n",
    "while x:\n    pass\n\n\n",
    "async def f():\n    await x\n",
    'def k():\n    """\ndef t():\n    """\n    return 1\n',
    "x = [\n    (\n1), y]\n",
    "if (x and\nnot y):\n\tdef f():\n\t\treturn 1\n",
)
LINES = sorted({line for block in BLOCKS for line in block.split("\n")})


@settings(max_examples=300)
@given(st.lists(st.sampled_from(BLOCKS), max_size=8), st.data(), st.sampled_from([40, 100, 1000]))
def test_an_edit_that_is_said_to_parse_does_not_break_the_file(
    blocks: list[str], data: st.DataObject, most: int
) -> None:
    lines = "".join(blocks).split("\n")
    base = "\n".join(lines)
    start = data.draw(st.integers(0, len(lines)))
    stop = data.draw(st.integers(start, min(start + 3, len(lines))))
    new = data.draw(st.lists(st.sampled_from(LINES), max_size=4))
    edit = "\n".join([*lines[:start], *new, *lines[stop:]])
    if parse_error(base.encode()):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_files, "MOST_READ", -1)
        patch.setattr(large_files, "_MOST_AROUND", most)
        read = parsed(text(base), text(edit))
    assert not (read.is_sound and parse_error(edit.encode()))

import pytest

from spark_tui.editing.codemods.add_import import AddImport, lines_said
from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.snippet import Around, Snippet
from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("instruction", "lines"),
    [
        ("import json", ["import json"]),
        ("NameError: name 'Path' is not defined", ["from pathlib import Path"]),
        ("we forgot to import np", ["import numpy as np"]),
        ("join comes from os.path", ["from os.path import join"]),
        ("add from .models import `User`", ["from .models import User"]),
        ("import of urllib.parse is missing", ["import urllib.parse"]),
        ("import widget as w", ["import widget as w"]),
        ("undefined name sysmod, should be sys", ["import sys as sysmod"]),
        ("please fix the missing import", []),
        ("import server as self.direction", []),
        ("import .models as models", []),
    ],
)
def test_an_instruction_says_what_to_import(instruction: str, lines: list[str]) -> None:
    assert lines_said(instruction) == lines


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "import a\nfrom b import (\n    c,\n)\n\nd = 1",
            "import os",
            ["import a\nfrom b import (\n    c,\n)\nimport os\n\nd = 1"],
        ),
        ('"""M."""\n\na = 1\nb = 2', "import os", ['"""M."""\n\nimport os\n\na = 1\nb = 2']),
        ("def f():\n    re.sub()\n\n\ng = 1", "fix it", ["import re\n\n\ndef f():\n    re.sub()\n\n\ng = 1"]),
        ("import os\n\nos.x(json)", "missing import", ["import os\nimport json\n\nos.x(json)"]),
        ("import os", "import os", []),
        ("def f():\n    re.sub()", "import re", []),
        ("    import a\n    a.b()", "import re", []),
    ],
)
def test_imports_come_below_the_others(before: str, instruction: str, after: list[str]) -> None:
    found = results("add_import", before, instruction, (len(before.split("\n")) - 1,) * 2)
    assert found[: len(after) or None] == after


TOP = "import abc\nimport json\nimport sys\n\nfrom attr import define\nfrom typing import Any, Sized\n\n\ndef f(): ..."


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("import os", "import sys", "import os\nimport sys"),
        ("import zlib", "import sys", "import sys\nimport zlib"),
        ("from typing import Iterable", "Any, Sized", "Any, Iterable, Sized"),
        ("we need Hashable, next to Sized", "Any, Sized", "Any, Hashable, Sized"),
        ("evolve is needed too, from attr", "import define", "import define, evolve"),
    ],
)
def test_an_import_goes_where_the_order_of_the_others_wants_it(words: str, old: str, new: str) -> None:
    assert results("add_import", TOP, words) == [TOP.replace(old, new)]


@pytest.mark.parametrize(
    ("words", "line", "below"),
    [
        ("NameError: name 'glob' is not defined", "import glob", "import abc"),
        ("os undefined in f", "import os", "import json"),
        ("why a NameError on TracebackType?", "from types import TracebackType", "import sys"),
        ("asyncoi import above json", "import asyncio", "import abc"),
        (
            "name 'Path' is not defined since the last merge, it's from pathlib",
            "from pathlib import Path",
            "import sys",
        ),
        ("f takes ages; have ssl in there, between json and sys", "import ssl", "import json"),
    ],
)
def test_what_is_said_to_be_undefined_is_imported(words: str, line: str, below: str) -> None:
    assert TOP.replace(below, f"{below}\n{line}") in results("add_import", TOP, words)


def test_an_import_among_unsorted_ones_comes_last() -> None:
    assert results("add_import", "import sys\nimport abc\nimport json\n\nx = 1", "import os") == [
        "import sys\nimport abc\nimport json\nimport os\n\nx = 1"
    ]


MODULE = """\
import os.path
import sys
from io import BytesIO


def f(a):
    return BytesIO(os.path.join(a, f'{sys.path}'))"""


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("alias os.path as osp", {"import os.path": "import os.path as osp", "os.path.join": "osp.join"}),
        ("import sys as system, please", {"import sys": "import sys as system", "{sys.": "{system."}),
        ("import io itself, not from io", {"from io import BytesIO": "import io", "return ": "return io."}),
        ("import join directly from os.path", {"import os.path": "from os.path import join", "os.path.join": "join"}),
        ("from sys import path reads better", {"import sys": "from sys import path", "sys.path": "path"}),
        ("`BytesIO as Buffer`", {"import BytesIO": "import BytesIO as Buffer", " BytesIO(": " Buffer("}),
    ],
)
def test_an_import_is_written_in_another_way_with_its_uses(words: str, changes: dict[str, str]) -> None:
    after = MODULE
    for old, new in changes.items():
        after = after.replace(old, new)
    assert after in results("add_import", MODULE, words)


def test_an_alias_goes() -> None:
    code = "import numpy as np\nfrom a import (\n    b as c,\n    d,\n)\nx = np.zeros(c, np=d)"
    assert results("add_import", code, "no alias for np please")[0] == code.replace(" as np", "").replace(
        "np.zeros", "numpy.zeros"
    )
    assert results("add_import", code, "drop the alias c")[0] == code.replace("b as c", "b").replace("(c,", "(b,")


@pytest.mark.parametrize("words", ["import join from os.path", "we use os.path a lot", "directly call f"])
def test_what_is_used_otherwise_stays_as_it_is_imported(words: str) -> None:
    code = "import os.path\nprint(os.path.join(os.path.sep))\nprint(os.path)"
    assert all("\nprint(os.path.join" in after for after in results("add_import", code, words))


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        ("from typing import Any, Optional", "import sys\nfrom typing import Any, Optional\n"),
        ("import Any and Optional from typing", "import sys\nfrom typing import Any, Optional\n"),
        ("add imports for os and re", "import os\nimport re\nimport sys\n"),
        ("import numpy as np, pandas as pd", "import sys\nimport numpy as np\nimport pandas as pd\n"),
        ("import sys and Path", "import sys\nfrom pathlib import Path\n"),
    ],
)
def test_of_several_imports_that_are_asked_for_all_come(instruction: str, after: str) -> None:
    rest = "\nprint(sys)"
    assert results("add_import", f"import sys\n{rest}", instruction) == [f"{after}{rest}"]


def test_several_imports_come_all_or_none() -> None:
    assert results("add_import", "import sys\n\nprint(sys)", "import frobnicate and re") == []


def test_the_first_import_of_a_file_that_is_one_function_goes_above_it() -> None:
    lines = ("def f():", "    return re.sub()")
    for opens, count in ((True, 1), (False, 0)):
        found = listed(AddImport(), Snippet(lines, Around(opens=opens)), Request("import re"))
        assert [applied(Snippet(lines), ops)[0] for ops in found or ()] == ["import re"] * count

"""A name in all files of a repository: what belongs together is renamed together, and nothing
of it is run.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spark_tui.context.rename import Rename, Renamed
from spark_tui.errors import UsageError

SINGS = "import pathlib\npathlib.Path(__file__).with_suffix('.sang').touch()\n"
STARTS = {"subprocess.Popen", "os.posix_spawn", "os.exec", "os.fork"}


class Audit:
    """What is started, or imported from a folder, while it is watched; and all that happens
    with other `sys.path`s.
    """

    def __init__(self) -> None:
        self._root, self._path = "", sys.path
        self.seen: list[tuple[str, object]] = []
        sys.addaudithook(self._see)  # for good

    @contextmanager
    def watching(self, root: Path) -> Iterator[None]:
        self._root, self._path = str(root), sys.path
        yield
        self._root = ""

    def _see(self, event: str, args: tuple[object, ...]) -> None:
        imported = event == "import" and self._root in str(args[1])
        if self._root and (event in STARTS or imported or sys.path is not self._path):
            self.seen.append((event, args))


def renamed(root: Path, files: dict[str, str], old: str, new: str) -> Renamed:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    first = next(iter(files))
    start = files[first].index(old)
    holding = {path: text for path, text in files.items() if path.endswith(".py")}
    return Rename(root, list(holding), holding, old, new).find(first, start, lambda _: None)


CLASSES = """\
class A:
    kind = 1

    def __init__(self):
        self.size = 0

    def go(self):
        return self.kind


class B(A):
    kind = 2

    def go(self):
        self.size = 5
        return super().go()


def use(b: "B", other):
    return b.go(), b.size, other.go()
"""
SCOPES = """\
x = 1
if x:
    x = 2


def set_x():
    global x
    x = 3


def local(size):
    x = 1
    for x in range(size):
        pass
    return x


local(size=2)
"""


@pytest.mark.parametrize(
    ("text", "old", "lines"),
    [
        (CLASSES, "go", [7, 14, 16, 20]),
        (CLASSES, "size", [5, 15, 20]),
        (CLASSES, "kind", [2, 8, 12]),
        (CLASSES, "B", [11, 19]),
        (SCOPES, "x", [1, 2, 3, 7, 8]),
        (SCOPES, "size", [11, 13, 18]),
    ],
)
def test_what_belongs_together_is_renamed_together(
    tmp_path: Path, text: str, old: str, lines: list[int]
) -> None:
    found = renamed(tmp_path, {"a.py": text}, old, "new_name")
    after = found.files["a.py"].splitlines()
    assert [number for number, line in enumerate(after, 1) if "new_name" in line] == lines
    assert [use.line for use in found.unknown] == ([20] if old == "go" else [])


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        ("def f(x):\n    return x + y\n", "x", "y", "y is in use in a.py:2 already"),
        (
            "class A:\n    one = 1\n\n    def two(self): ...\n",
            "one",
            "two",
            "two is in use in a.py:2 already",
        ),
        (
            "class A:\n    def __init__(self): ...\n",
            "__init__",
            "b",
            "__init__ in a.py:2 is defined outside",
        ),
        ("print(open('a'))\n", "open", "b", "open in a.py:1 is defined outside"),
    ],
)
def test_what_would_clash_or_lies_outside_is_refused(
    tmp_path: Path, text: str, old: str, new: str, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        renamed(tmp_path, {"a.py": text}, old, new)


def test_nothing_of_the_repository_is_run_and_no_import_could_find_it(tmp_path: Path) -> None:
    files = {
        "a.py": f"{SINGS}import native, markdown_it, numpy, colorsys\nfrom b import "
        f"load\nload(native.x)\n",
        "b.py": f"{SINGS}def load(x):\n    return x\n",
        **dict.fromkeys(
            ["markdown_it.py", "sitecustomize.py", "conftest.py", "colorsys.py"], SINGS
        ),
        "native.abi3.so": "no library",
        ".venv/bin/python": "#!/bin/sh\ntouch sang\n",
        ".jedi/project.json": '[1, {"environment_path": ".venv/bin/python", '
        '"load_unsafe_extensions": true}]',
    }
    audit = Audit()
    with audit.watching(tmp_path):
        found = renamed(tmp_path, files, "load", "read")
    assert list(found.files) == ["a.py", "b.py"]
    assert audit.seen == []
    assert not list(tmp_path.rglob("*sang"))

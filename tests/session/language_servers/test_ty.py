"""The check of types with ty, where it is installed: what it finds, and what it never runs."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_tui.editing.checks import run_checks
from spark_tui.session.language_servers import type_check
from spark_tui.session.language_servers.catalog import TY, find_program
from spark_tui.session.language_servers.type_check import TypeChecker
from tests.fakes import lives
from tests.session.language_servers.conftest import UNHURRIED, text_of
from tests.session.test_shell import until

pytestmark = pytest.mark.skipif(
    not find_program(TY, Path("/nowhere")), reason="ty is not installed"
)
HELPER = "def scaled(value: float, factor: int = 2) -> float:\n    return value * factor\n"
BASE = """\
import json
from dataclasses import dataclass
from pathlib import Path

from helper import scaled


@dataclass
class Row:
    name: str
    amount: float
    note: str | None = None


def load(path: Path) -> list[Row]:
    return [Row(**each) for each in json.loads(path.read_text())]


def total(rows: list[Row]) -> float:
    return sum(scaled(row.amount) for row in rows)


def report(rows: list[Row]) -> str:
    lines = [f"{row.name}: {row.amount}" for row in rows]
    return "\\n".join(lines)


def notes(rows: list[Row]) -> list[str]:
    return [row.note.strip() for row in rows if row.note]
"""
WRONG = {
    "an attribute that a class lacks": ("scaled(row.amount)", "scaled(row.amout)"),
    "a function that a module lacks": ("json.loads(", "json.load_text("),
    "a method that a class lacks": ("path.read_text()", "path.readtext()"),
    "a name that another file lacks": ("import scaled", "import scaled, halved"),
    "too many arguments": ("scaled(row.amount)", "scaled(row.amount, 2, 3)"),
    "an argument that is not known": ("scaled(row.amount)", "scaled(row.amount, by=2)"),
    "an argument of another type": ("scaled(row.amount)", "scaled(row.name)"),
    "a missing argument": ("scaled(row.amount)", "scaled()"),
    "a value of another type": ('return "\\n".join(lines)', "return lines"),
    "what may be None": ("if row.note]", "if row.name]"),
}
"""Edits that parse and use no unknown name, and are wrong."""
RIGHT = {
    "another attribute": ("{row.name}: {row.amount}", "{row.name}: {row.note}"),
    "another argument": ("scaled(row.amount)", "scaled(row.amount, 3)"),
    "an argument by its name": ("scaled(row.amount)", "scaled(row.amount, factor=3)"),
    "a new field": ("    note: str", "    count: int = 1\n    note: str"),
    "a new parameter": ("def total(rows: list[Row])", "def total(rows: list[Row], tax: float = 0)"),
    "a guard": ("    lines = [", '    if not rows:\n        return ""\n    lines = ['),
    "a new import": ("import json\n", "import json\nimport csv\n"),
    "a package that is not here": ("import json\n", "import json\nimport numpy_of_nobody\n"),
    "a sort": (
        "for row in rows]\n    return",
        "for row in sorted(rows, key=lambda each: each.name)]\n    return",
    ),
    "a docstring": ("-> float:\n    return sum", '-> float:\n    """All of it."""\n    return sum'),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "helper.py").write_text(HELPER)
    (tmp_path / "repo" / "rows.py").write_text(BASE)
    return tmp_path / "repo"


@pytest.fixture
def checker(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TypeChecker]:
    for limit in ("PROMPT_SECONDS", "FAST_SECONDS", "SLOW_SECONDS"):
        monkeypatch.setattr(type_check, limit, UNHURRIED)
    made = TypeChecker(root)
    yield made
    made.close()


def test_wrong_edits_that_parse_are_found_and_right_ones_are_not(checker: TypeChecker) -> None:
    base = text_of(BASE)
    checker.begin(base, "rows.py")
    verdicts = dict[str, bool]()
    for name, (old, new) in {**WRONG, **RIGHT}.items():
        assert BASE.count(old) == 1, name
        edited = text_of(BASE.replace(old, new))
        assert all(check.ok for check in run_checks(base, edited, "rows.py")), name
        found = checker.check(base, edited, "rows.py")
        assert found is not None, name
        verdicts[name] = found.ok
    assert [name for name in RIGHT if not verdicts[name]] == []
    assert [name for name in WRONG if verdicts[name]] == []


def test_an_edit_of_two_files_is_checked_as_one(checker: TypeChecker, root: Path) -> None:
    from spark_tui.editing.multi_file import joined

    before = joined({"helper.py": text_of(HELPER), "rows.py": text_of(BASE)})
    renamed = {
        "helper.py": text_of(HELPER.replace("scaled", "grown")),
        "rows.py": text_of(BASE.replace("scaled", "grown")),
    }
    checker.begin(before, "helper.py")
    whole = checker.check(before, joined(renamed), "helper.py")
    assert whole is not None
    assert whole.ok, whole.detail
    half = checker.check(before, joined({**renamed, "rows.py": text_of(BASE)}), "helper.py")
    assert half is not None
    assert half.ok, "only the errors of files that an edit changes are looked at"
    wrong = renamed["rows.py"].to_bytes().decode().replace("row.amount)", "row.amout)")
    broken = checker.check(before, joined({**renamed, "rows.py": text_of(wrong)}), "helper.py")
    assert broken is not None
    assert broken.detail.startswith("rows.py, line 20: "), broken.detail


def test_what_changed_on_disk_counts_from_the_next_turn_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("FAST_SECONDS", "SLOW_SECONDS"):
        monkeypatch.setattr(type_check, limit, UNHURRIED)
    checker = TypeChecker(root, files=lambda _: ["helper.py", "rows.py"])
    base = text_of(BASE)
    edited = text_of(BASE.replace("import scaled", "import scaled, halved"))
    try:
        checker.begin(base, "rows.py")
        first = checker.check(base, edited, "rows.py")
        (root / "helper.py").write_text(f"{HELPER}\n\ndef halved() -> int:\n    return 1\n")
        checker.begin(base, "rows.py")
        second = checker.check(base, edited, "rows.py")
    finally:
        checker.close()
    assert first is not None
    assert second is not None
    assert (first.ok, second.ok) == (False, True)


SCRIPT = '# /// script\n# requires-python = ">=3.11"\n# dependencies = ["requests"]\n# ///\n'
PROJECTS = {
    "uv installs what a script names": '[tool.ty.project-manager]\nscript = "uv"\n',
    "a Python of the repository": '[tool.ty.environment]\npython = "./evil/bin/python"\n',
}


@pytest.mark.parametrize("settings", PROJECTS.values(), ids=PROJECTS)
def test_no_setting_of_a_repository_runs_a_program(
    root: Path, tmp_path: Path, settings: str, checker: TypeChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every program that ty could start notes that it ran."""
    mark = tmp_path / "ran"
    for folder in (tmp_path / "programs", root / "evil" / "bin", root / ".venv" / "bin"):
        folder.mkdir(parents=True)
        for name in ("uv", "python", "python3"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
            (folder / name).chmod(0o755)
    (root / ".venv" / "pyvenv.cfg").write_text(f"home = {root}/evil/bin\nversion = 3.11\nuv = 1\n")
    (root / "pyproject.toml").write_text(f'[project]\nname = "x"\nversion = "1"\n{settings}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:{os.environ['PATH']}")
    monkeypatch.setenv("TY_UV", "1")
    base = text_of(SCRIPT + BASE)
    (root / "rows.py").write_text(SCRIPT + BASE)
    checker.begin(base, "rows.py")
    checker.check(base, text_of(SCRIPT + BASE.replace("row.amount)", "row.amout)")), "rows.py")
    checker.close()
    assert not mark.exists()


KILLED = """
import sys, time
from pathlib import Path
from spark_tui.editing.text import Text
from spark_tui.session.language_servers import connection, type_check
type_check.SLOW_SECONDS = 60.0
checker = type_check.TypeChecker(Path(sys.argv[1]))
base = Text(("a = 1\\n",))
checker.begin(base, "a.py")
checker.check(base, Text(("a = 2\\n",)), "a.py")
print(*[process.pid for process in connection.running()], flush=True)
time.sleep(600)
"""


def test_a_spark_that_is_killed_leaves_no_server_behind(root: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        server = int(process.stdout.readline())
        assert lives(server)
        process.send_signal(signal.SIGKILL)
        process.wait()
    until(lambda: not lives(server))

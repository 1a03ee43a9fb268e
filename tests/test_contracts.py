"""What a start may cost: heavy libraries are imported by the rooms that use them, and only when
they are used.

And who knows whom: within a room, too, no two files import each other, by whatever way.
"""

import ast
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

HEAVY = {
    "textual",
    "rich",
    "numpy",
    "numba",
    "git",
    "httpx2",
    "jinja2",
    "torch",
    "tokenizers",
    "safetensors",
    "pyflakes",
    "tree_sitter_python",
    "tree_sitter_javascript",
}
MAY_LOAD = {
    "spark_tui.__main__": set(),
    "spark_tui.cli.main": set(),
    "spark_tui.cli.acp": set(),
    "spark_tui.cli.exec": set(),
    "spark_tui.cli.open": set(),
    "spark_tui.cli.task": set(),
    "spark_tui.cli.bench": set(),
    "spark_tui.cli.train": set(),
    "spark_tui.cli.doctor": set(),
    "spark_tui.config": set(),
    "spark_tui.errors": set(),
    "spark_tui.editing.formats.quoted": set(),
    "spark_tui.editing.review": set(),
    "spark_tui.context.resolver": set(),
    "spark_tui.engine": set(),
    "spark_tui.engine.decoder": {"numpy", "safetensors"},
    "spark_tui.session.runner": set(),
    "spark_tui.vcs.repository": {"git"},
    "spark_tui.session.events": set(),
    "spark_tui.tui.app": {"textual", "rich"},
    "spark_tui.session.session": {"numpy", "git", "tokenizers", "safetensors", "pyflakes"},
}


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    return subprocess.run(
        [sys.executable, *arguments], env=env, capture_output=True, text=True, check=True
    )


@pytest.mark.parametrize(("module", "allowed"), MAY_LOAD.items())
def test_importing_a_module_loads_no_heavy_library_it_has_no_use_for(
    module: str, allowed: set[str]
) -> None:
    code = f"import sys; import {module}; print(*sorted(set(sys.modules) & {HEAVY!r}))"
    assert set(_python("-c", code).stdout.split()) <= allowed


AT_FIRST_PAINT = """
import sys
from spark_tui.errors import UsageError
from spark_tui.tui.app import SparkApp

def load():
    print(*sorted(sys.modules))
    raise UsageError("seen enough")

SparkApp(load).run(headless=True, size=(80, 24))
"""


def test_the_first_paint_waits_for_nothing_but_textual() -> None:
    loaded = _python("-c", AT_FIRST_PAINT).stdout.split()
    assert "spark_tui.tui.screens.main" in loaded
    assert not set(loaded) & (HEAVY - {"textual", "rich"})
    ours = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("spark_tui.")}
    own = {
        "config",
        "crash_report",
        "errors",
        "mentions",
        "own_folders",
        "remedies",
        "resources",
        "safe_text",
        "small_files",
        "system",
        "windows",
        "editing",
        "session",
        "tui",
    }
    assert ours <= {f"spark_tui.{name}" for name in own}
    below = [
        name for name in loaded if name.startswith(("spark_tui.session.", "spark_tui.editing."))
    ]
    small = [
        "editing.hunks",
        "editing.line_diff",
        "editing.multi_file",
        "editing.syntax",
        "editing.text",
        "session.events",
        "session.hunk_items",
        "session.throttle",
        "session.turn_state",
    ]
    assert below == [f"spark_tui.{name}" for name in small], "they load no others"


def test_the_edge_of_the_process_imports_nothing_before_it_can_catch_an_interrupt() -> None:
    code = "import sys; import spark_tui.__main__; print(*sorted(sys.modules))"
    loaded = [name for name in _python("-c", code).stdout.split() if name.startswith("spark_tui")]
    assert loaded == ["spark_tui", "spark_tui.__main__"]


def test_help_loads_none_and_starts_at_once() -> None:
    done = _python("-X", "importtime", "-m", "spark_tui", "--help")
    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()
    }
    assert not loaded & HEAVY
    assert min(_cpu_seconds("-m", "spark_tui", "--help") for _ in range(5)) < 0.2


def _cpu_seconds(*arguments: str) -> float:
    """Processor time of one run: unlike the time on the wall it does not depend on what else
    the machine does.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


PACKAGE = Path(__file__).parent.parent / "spark_tui"


def _imported(path: Path, module: str) -> Iterator[str]:
    """Every name that a file imports: also for types alone, and also only once a function is
    called.
    """
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = (
                package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            )
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def _imports(package: Path) -> dict[str, set[str]]:
    """The modules of a package, and which others of it each imports."""
    paths = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts): path
        for path in package.rglob("*.py")
    }
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    found = dict[str, set[str]]()
    for module, path in modules.items():
        names = {
            name if name in modules else name.rpartition(".")[0] for name in _imported(path, module)
        }
        found[module] = {name for name in names if name in modules and name != module}
    return found


def _circle(imports: Mapping[str, set[str]]) -> list[str]:
    """Modules each of which imports the next, the last one the first; none where there is no
    such circle.
    """
    done = set[str]()

    def search(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        done.add(module)
        return next(
            filter(
                None, (search(each, [*way, module]) for each in sorted(imports.get(module, ())))
            ),
            [],
        )

    return next(filter(None, (search(module, []) for module in sorted(imports))), [])


def test_no_files_of_a_room_import_each_other_in_a_circle() -> None:
    imports = {
        module: {each for each in others if each.split(".")[1:2] == module.split(".")[1:2]}
        for module, others in _imports(PACKAGE).items()
    }
    assert len(imports) > 100
    assert not (circle := _circle(imports)), f"a circle of imports: {' -> '.join(circle)}"


def test_what_runs_a_model_stands_behind_what_answers() -> None:
    """But for what shows the model itself on a wafer."""
    known = {f"{PACKAGE.name}.session.{name}" for name in ("wafer", "pace")}
    session = {
        each: found
        for each, found in _imports(PACKAGE).items()
        if each.startswith(f"{PACKAGE.name}.session.")
    }
    assert len(session) > 20
    engine = f"{PACKAGE.name}.engine"
    assert {
        each for each, found in session.items() if any(one.startswith(engine) for one in found)
    } <= known


def test_a_circle_is_found_wherever_the_import_stands(tmp_path: Path) -> None:
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "a.py").write_text("from house import b\n")
    (package / "b.py").write_text("def f():\n    from .c import d\n")
    (package / "c.py").write_text("if TYPE_CHECKING:\n    import house.a\n")
    assert _circle(_imports(package)) == ["house.a", "house.b", "house.c", "house.a"]
    (package / "c.py").write_text("import os\n")
    assert _circle(_imports(package)) == []

"""Who may start a process: git through its one factory, and a short list with reasons.

Nobody else, by any name.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import spark_tui

PACKAGE = Path(spark_tui.__file__).parent

MAY_START = {
    "vcs/git.py": "git, hardened: the one factory",
    "session/repair/sandbox.py": "the user's own --check command, in a copy, when the user "
    "names it; and what a task may run, in its work tree",
    "tasks/agents/process.py": "an agent that the user has installed and named, in the work tree "
    "of a task",
    "session/language_servers/connection.py": "a language server of the "
    "user, never of the work tree; what runs code of a repository waits for Trust",
    "session/language_servers/trial_run.py": "the same, for its version",
    "keeper_process.py": "what these start, as its child, to end all of it",
    "session/external.py": "command lines that the user typed, their own editor, and tmux to "
    "copy, at their keys",
    "providers/chat_template.py": "this very Python, to render a stranger's template within limits",
    "tui/watchdog.py": "a fork of itself that gives the terminal back when spark is killed",
    "engine/kernels/second_process.py": "this very Python, to compile kernels beside the passes",
    "training/dataset.py": "pip, to download the packages that references name, for `spark "
    "train data` and `fetch`",
    "training/commits.py": "git, hardened, to read clones of repositories that the user names",
    "cli/bench/terminal.py": "this very spark, on a terminal to measure",
    "cli/bench/remote.py": "a server on loopback that answers late, to measure what a "
    "connection costs",
}
MAY_CALL_C = {
    "keeper_process.py": "prctl, to become the parent of orphans",
    "vcs/disk.py": "renameat2 and renameatx_np, which Python does not offer",
    "vcs/darwin_attributes.py": "extended attributes and access lists of macOS",
    "engine/machine.py": "sysctl of macOS",
    "engine/kernels/ir.py": "the addresses of kernels in an object that LLVM has linked",
    "cli/bench/llama_cpp.py": "a peer to measure beside",
    "tui/watchdog.py": "memmove over its own command line, for another name",
}
MAY_RUN_HOOKS = {"vcs/commit.py": "a commit the user asked for, after Trust.require"}
MAY_IMPORT_GITPYTHON = {
    "vcs/git_python.py": "HEAD and refs as objects, its way to start git closed"
}
OF_GITPYTHON = frozenset({"active_branch"})
"""What is asked of GitPython's repository: properties that read files and start nothing."""

MODULES = frozenset(
    {
        "subprocess",
        "multiprocessing",
        "pty",
        "pexpect",
        "sh",
        "plumbum",
        "webbrowser",
        "posix",
        "_posixsubprocess",
        "billiard",
        "loky",
        "joblib",
    }
)
SUBMODULES = frozenset(
    {"asyncio.subprocess", "concurrent.futures.process", "torch.multiprocessing"}
)
CALLS = ("system", "popen", "exec", "spawn", "posix_spawn", "fork", "startfile")
ANYWHERE = frozenset(
    {
        "create_subprocess_exec",
        "create_subprocess_shell",
        "subprocess_exec",
        "subprocess_shell",
        "ProcessPoolExecutor",
        "open_url",
        "is_dirty",
        "untracked_files",
    }
)


def _starts(module: ast.AST) -> Iterator[str]:
    """Each way to start a process that a module spells out."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if _is_starter(each.name))
            case ast.ImportFrom(module=str(origin), names=names, level=0):
                whole = [origin, *(f"{origin}.{each.name}" for each in names)]
                yield from (name for name in whole if _is_starter(name))
                yield from (each.name for each in names if each.name in ANYWHERE)
            case ast.Attribute(value=ast.Name(id=str(owner)), attr=attr) if _is_starter(
                f"{owner}.{attr}"
            ):
                yield f"{owner}.{attr}"
            case ast.Attribute(attr=attr) if attr in ANYWHERE:
                yield attr
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ) if _is_starter(name):
                yield name
            case (
                ast.List(elts=[ast.Constant(value="git"), *_])
                | ast.Tuple(elts=[ast.Constant(value="git"), *_])
            ):
                yield "a git command line"


def _is_starter(name: str) -> bool:
    if name.partition(".")[0] in MODULES or any(
        name == each or name.startswith(f"{each}.") for each in SUBMODULES
    ):
        return True
    owner, _, attr = name.partition(".")
    return owner in {"os", "posix"} and attr.startswith(CALLS)


def _imported(module: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def _asked_of_gitpython(module: ast.AST) -> Iterator[str]:
    """What is taken from GitPython's repository, which is called `handle` here."""
    for node in ast.walk(module):
        match node:
            case ast.Attribute(
                value=ast.Name(id="handle") | ast.Attribute(attr="_handle"), attr=attr
            ):
                yield attr


def _lets_hooks_run(module: ast.AST) -> bool:
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call))
    keywords = (keyword for call in calls for keyword in call.keywords if keyword.arg == "hooks")
    return any(
        not isinstance(each.value, ast.Constant) or each.value.value is not False
        for each in keywords
    )


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_bytes())
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def test_processes_are_started_where_there_is_a_reason_and_nowhere_else(
    modules: dict[str, ast.Module],
) -> None:
    found = {name: sorted(set(_starts(module))) for name, module in modules.items()}
    starters = {name: ways for name, ways in found.items() if ways}

    assert {name: ways for name, ways in starters.items() if name not in MAY_START} == {}
    assert MAY_START.keys() - starters.keys() == set(), (
        "these start nothing any more: take them off the list"
    )


def test_c_is_called_where_there_is_a_reason_and_nowhere_else(
    modules: dict[str, ast.Module],
) -> None:
    assert {
        name for name, module in modules.items() if _imported(module) & {"ctypes", "cffi"}
    } == MAY_CALL_C.keys()


def test_hooks_run_where_a_commit_was_asked_for_and_nowhere_else(
    modules: dict[str, ast.Module],
) -> None:
    assert {
        name for name, module in modules.items() if _lets_hooks_run(module)
    } == MAY_RUN_HOOKS.keys()


def test_gitpython_is_asked_for_what_starts_nothing(modules: dict[str, ast.Module]) -> None:
    importers = {name for name, module in modules.items() if _imported(module) & {"git", "gitdb"}}
    asked = {attr for module in modules.values() for attr in _asked_of_gitpython(module)}

    assert importers == MAY_IMPORT_GITPYTHON.keys()
    assert asked <= OF_GITPYTHON
    assert asked, "GitPython's repository has another name now: the lint looks past it"


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess",
        "import subprocess as s",
        "from subprocess import run",
        "import os\nos.system('x')",
        "import os\nos.execvp('x', [])",
        "import os\nrun = os.popen",
        "from os import fork",
        "from os import posix_spawn as p",
        "import pty\npty.spawn('x')",
        "from pty import spawn",
        "import multiprocessing.pool",
        "from torch import multiprocessing",
        "import torch.multiprocessing as mp",
        "from concurrent.futures import ProcessPoolExecutor",
        "from concurrent.futures.process import BrokenProcessPool",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "from asyncio import create_subprocess_shell",
        "from asyncio import subprocess",
        "loop.subprocess_shell(f, 'x')",
        "import importlib\nimportlib.import_module('subprocess')",
        "__import__('multiprocessing')",
        "import webbrowser",
        "app.open_url('x')",
        "repo.is_dirty()",
        "repo.untracked_files",
        "start(['git', 'status'])",
        "start(('git', name))",
    ],
)
def test_the_lint_sees_each_way_to_start_a_process(code: str) -> None:
    assert list(_starts(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["import os\nos.environ", "executor.submit(f)", "x = ['a', 'git']", "names.index('a')"]
)
def test_the_lint_leaves_other_code_alone(code: str) -> None:
    assert not list(_starts(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["handle.index.diff(None)", "repo._handle.git.status()", "self._handle.remotes"]
)
def test_the_lint_sees_what_gitpython_would_run(code: str) -> None:
    assert not set(_asked_of_gitpython(ast.parse(code))) <= OF_GITPYTHON

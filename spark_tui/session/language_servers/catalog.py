"""The language servers that spark knows, and where they are installed.

A server is the user's own program: it is looked for on PATH and beside the Python that runs spark,
and never taken from the work tree. What a server gets of the environment is listed here, and the
settings with which it starts nothing and fetches nothing, as far as it can be told.

`ty` and `clangd` only read the files of a repository. With its settings of today, ty starts one
program: where a repository's configuration says so, it has `uv` install what a script names. An
untrusted workspace, which is what spark tells it each one is, has that switched off. The others run
what a repository holds (build scripts, plugins, a compiler of its own), so they need `spark trust`.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from spark_tui.vcs.git import path_outside

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_USUAL = (
    "HOME USER LOGNAME LANG LC_ALL TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME "
    "VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CARGO_HOME RUSTUP_HOME GOPATH GOROOT GOCACHE "
    "GOMODCACHE"
).split()
"""Variables that every server sees: where the user's packages and caches are."""


class ServerKind(NamedTuple):
    """A language server.

    Attributes:
        program: Its name on PATH.
        languages: The languages that it checks, by the suffixes of their files.
        arguments: What the program is started with.
        options: The `initializationOptions`.
        environment: Variables that are set for it.
        runs_code: Whether it may run what a repository holds.
        is_fast: Whether it answers fast enough to be asked about every hunk.
        unheeded: The codes of errors that say what is installed, not what an edit does.
        least_version: The first version that the settings hold for, by what it says of itself.
        version_arguments: What has the program say its version, and end.
        remedy: What to do where the program does not run.
    """

    program: str
    languages: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    options: Mapping[str, Any] = _NOTHING
    environment: Mapping[str, str] = _NOTHING
    runs_code: bool = True
    is_fast: bool = False
    unheeded: frozenset[str] = frozenset()
    least_version: tuple[int, ...] = ()
    version_arguments: tuple[str, ...] = ("--version",)
    remedy: str = "install it again, or take it off PATH"


TY = ServerKind(
    "ty",
    {".py": "python", ".pyi": "python"},
    ("server",),
    {"untrustedWorkspace": True, "configuration": {"project-manager": {"script": "none"}}},
    {"TY_UV": "0"},
    runs_code=False,
    is_fast=True,
    unheeded=frozenset({"import-not-found", "unresolved-import"}),
    least_version=(0, 0, 107),
    remedy="pip install 'spark-tui[checks]' brings a newer one",
)
CLANGD = ServerKind(
    "clangd",
    {".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp"},
    # no index written to disk, and the compiler's errors only
    ("--background-index=false", "--clang-tidy=false", "--log=error"),
    runs_code=False,
    unheeded=frozenset({"pp_file_not_found"}),
)
GOPLS = ServerKind(
    "gopls",
    {".go": "go"},
    # no download of modules or of another Go, and no change of go.mod
    environment={"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"},
    unheeded=frozenset({"BrokenImport"}),
    version_arguments=("version",),
)
RUST_ANALYZER = ServerKind(
    "rust-analyzer",
    {".rs": "rust"},
    # no `cargo check`, no download of crates or of a toolchain
    options={"checkOnSave": False},
    environment={"CARGO_NET_OFFLINE": "true", "RUSTUP_AUTO_INSTALL": "0"},
    remedy="rustup component add rust-analyzer",
)
TYPESCRIPT = ServerKind(
    "typescript-language-server",
    {
        ".ts": "typescript",
        ".mts": "typescript",
        ".cts": "typescript",
        ".tsx": "typescriptreact",
        ".js": "javascript",
        ".jsx": "javascriptreact",
    },
    ("--stdio",),
    # no download of `@types` packages
    {"disableAutomaticTypingAcquisition": True},
    unheeded=frozenset({"2307", "7016"}),  # a module, or its declarations, not found
)
KINDS = (TY, CLANGD, GOPLS, RUST_ANALYZER, TYPESCRIPT)


def kind_for(path: str) -> ServerKind | None:
    """The server that checks the files of a path's suffix."""
    suffix = Path(path).suffix
    return next((kind for kind in KINDS if suffix in kind.languages), None)


def languages_of(kind: ServerKind) -> str:
    """The endings of the files that a server checks, in words."""
    return ", ".join(f"*{suffix}" for suffix in kind.languages)


def find_program(kind: ServerKind, root: Path) -> str:
    """The absolute path of a server's program; "" where none is installed outside of `root`.

    Beside the Python of spark stands what came with an extra of spark.
    """
    places = os.pathsep.join([path_outside(root), str(Path(sys.executable).parent.resolve())])
    found = shutil.which(kind.program, path=places)
    if found is None:
        return ""
    program = Path(found).absolute()
    top = root.resolve()
    if any(place.is_relative_to(top) for place in (program, program.resolve())):
        return ""
    return str(program)


def environment_for(kind: ServerKind, root: Path) -> dict[str, str]:
    """All that a server sees of the environment."""
    seen = {name: os.environ[name] for name in _USUAL if name in os.environ}
    return seen | {"PATH": path_outside(root)} | dict(kind.environment)

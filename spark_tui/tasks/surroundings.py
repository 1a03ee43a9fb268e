"""What a task's command finds around it: the variables it sees and the places that are shown.

Both are lists of what is kept, not of what is taken away: nobody can list all names of secrets. In
bubblewrap the home folder and the folders where programs keep sockets are empty, and of them only
the places below are shown, to be read: where tools are installed, and the packages that they have
fetched. The folders on PATH are among them, each with the virtual environment that it belongs to.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_KEPT = frozenset(
    (
        "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR COLUMNS LINES TZ CI "
        # where tools are
        "VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION PYTHONPATH "
        "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOMODCACHE GOTOOLCHAIN "
        "JAVA_HOME M2_HOME MAVEN_HOME GRADLE_HOME ANDROID_HOME SDKMAN_DIR DOTNET_ROOT "
        "NVM_DIR NVM_BIN NODE_PATH VOLTA_HOME ASDF_DIR ASDF_DATA_DIR RBENV_ROOT GEM_PATH "
        # how they build and run
        "LD_LIBRARY_PATH LIBRARY_PATH CPATH PKG_CONFIG_PATH CC CXX CFLAGS CXXFLAGS CPPFLAGS "
        "LDFLAGS MAKEFLAGS RUSTFLAGS GOFLAGS GOOS GOARCH CGO_ENABLED NODE_ENV "
        "PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 PYTEST_ADDOPTS "
        "PYTEST_PLUGINS SOURCE_DATE_EPOCH"
    ).split()
)
_LOCALE = "LC_"
_EMPTIED = ("/home", "/root", "/tmp", "/var/tmp", "/run", "/var/run")  # noqa: S108 - hidden
_TOOLS = (
    ".asdf .bun/bin .cargo/bin .cargo/git .cargo/registry .deno/bin .fnm .ghcup/bin .ghcup/ghc "
    ".jenv .local/bin .local/lib .local/share/fnm .local/share/mise/installs "
    ".local/share/mise/shims .local/share/pipx/venvs .local/share/uv/python .local/share/uv/tools "
    ".m2/repository .nodenv .nvm .opam .pyenv .rbenv .rustup .sdkman/candidates .volta/bin "
    ".volta/tools anaconda3 go/bin go/pkg miniconda3 miniforge3"
).split()
"""Places in the home folder where tools are installed and keep packages; none holds a key."""
_INSTALLED = (
    "VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT RUSTUP_HOME GOROOT GOMODCACHE JAVA_HOME M2_HOME "
    "MAVEN_HOME ANDROID_HOME DOTNET_ROOT NVM_DIR RBENV_ROOT"
).split()
"""Variables that name a folder where a tool is installed."""
_VENV_MARK = "pyvenv.cfg"


def seen_variables(
    variables: Mapping[str, str], withheld: Sequence[str], allowed: Sequence[str] = ()
) -> dict[str, str]:
    """The variables that commands see.

    Args:
        variables: All that spark sees.
        withheld: The names of variables with keys, which are left out whatever their names.
        allowed: The names of variables that the user lets commands see.
    """
    kept = _KEPT.union(allowed)
    return {
        name: value
        for name, value in variables.items()
        if (name in kept or name.startswith(_LOCALE)) and name not in withheld
    }


def emptied_folders() -> list[Path]:
    """The folders of which nothing is shown but tools, those above before those within."""
    named = {Path(place).resolve() for place in _EMPTIED} | {_home()}
    return sorted(place for place in named if place.is_dir() and place != Path("/"))


def tool_folders(variables: Mapping[str, str]) -> list[Path]:
    """The places within `emptied_folders` where tools are, none within another one."""
    emptied = emptied_folders()
    found = list[Path]()
    for place in sorted(set(_candidates(variables))):
        leads_to = place.resolve()
        # A place that holds an emptied folder, as where PATH names the home folder, is not shown.
        if any(folder.is_relative_to(leads_to) for folder in emptied):
            continue
        is_emptied = any(place.is_relative_to(folder) for folder in emptied)
        is_shown = any(place.is_relative_to(folder) for folder in found)
        if place.is_dir() and is_emptied and not is_shown:
            found.append(place)
    return found


def _home() -> Path:
    return Path.home().resolve()


def _candidates(variables: Mapping[str, str]) -> Iterator[Path]:
    """Places where tools may be, whether they exist or not."""
    for name in _TOOLS:
        yield _home() / name
    for name in _INSTALLED:
        yield from _absolute(variables.get(name, ""))
    for entry in variables.get("PATH", "").split(os.pathsep):
        for folder in _absolute(entry):
            yield folder.parent if (folder.parent / _VENV_MARK).is_file() else folder


def _absolute(path: str) -> Iterator[Path]:
    """A path below the real path of its folder, so that it can be compared; relative ones not."""
    if path.startswith("/"):
        place = Path(os.path.normpath(path))
        yield place.parent.resolve() / place.name

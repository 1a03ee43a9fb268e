"""Which repositories are trusted, and which files need an approval of their own.

`Trust` says whether a repository may run its own programs: what it could run, and whether the user
allowed that. The answer is kept outside the repository, with a hash of each setting and hook; a
changed hash asks for trust again.

`concerns` says why writing to a file needs its own approval, which "accept all" never gives. Both
only state facts; callers ask the user.
"""

import hashlib
import json
import os
import re  # noqa: TID251 - reads paths of files
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import Any

from spark_tui import system
from spark_tui.errors import FileError, RepoError
from spark_tui.small_files import read_small
from spark_tui.vcs.blob_store import content_hash, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import GitFailure, Setting, is_harmless, run_git, settings_of
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import file_mode, read_file, real_path
from spark_tui.vcs.spelling import folded

PROJECT_CONFIG = ".spark/config.toml"
_VERSION = 1
"""The version of the file that keeps the trust; a file of another version counts as no trust."""
_MOST_CHARACTERS_SHOWN = 60
_MOST_LINES_SHOWN = 40
"""Lines of the project's configuration: as much as a screen shows above the question."""
_SECRET_KEYS = ("smtppass", "password", ".pass", "token", "header", "cookie")
"""Settings with these words in their key have values that are not shown."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A setting, hook or the like that trust is about.

    Args:
        name: The key under which the item is kept.
        shown: The item for people.
        digest: A hash of its content.
    """

    name: str
    shown: str
    digest: str


class Trust:
    """What a repository could run, and whether the user trusts it.

    The repository is examined anew at each call.

    Args:
        repo: The repository.
        state_dir: spark's state directory, outside the repository.
    """

    def __init__(self, repo: Repository, state_dir: Path) -> None:
        self._repo = repo
        self._file = state_dir / "trust" / f"{repo.key}.json"

    @property
    def programs(self) -> tuple[str, ...]:
        """What the repository could run or lead git to, trusted or not, for people.

        These are unusual settings, hooks and a foreign owner.
        """
        return tuple(item.shown for item in self._unusual())

    @property
    def config(self) -> tuple[str, ...]:
        """The lines of the project's configuration; empty where there is none.

        Raises:
            FileError: The configuration cannot be read.
        """
        content = read_file(self._repo.root, PROJECT_CONFIG) or b""
        lines = [
            line.rstrip()
            for line in content.decode("utf-8", "surrogateescape").split("\n")
            if line.strip()
        ]
        shown = [_shorten(line) for line in lines[:_MOST_LINES_SHOWN]]
        if len(lines) > _MOST_LINES_SHOWN:
            shown.append(f"and {len(lines) - _MOST_LINES_SHOWN} more lines")
        return tuple(shown)

    @property
    def restricted(self) -> tuple[str, ...]:
        """Why the repository may not run its own programs.

        Empty where the repository has none, or the user trusts them.
        """
        known = self._granted()
        if known is None:
            return self.programs
        reasons = []
        for item in self._unusual():
            if known.get(item.name) != item.digest:
                state = "changed" if item.name in known else "new"
                reasons.append(f"{item.shown} ({state} since you trusted it)")
        return tuple(reasons)

    @property
    def trusted(self) -> bool:
        """Whether the user trusts the repository as it is now, project configuration included."""
        known = self._granted()
        if known is None:
            return False
        return all(known.get(item.name) == item.digest for item in self._everything())

    def require(self, what: str) -> None:
        """Refuse an action that needs trust.

        Args:
            what: The action, as the subject of a sentence.

        Raises:
            RepoError: The user does not trust the repository.
        """
        reasons = self.restricted
        if not reasons:
            return
        more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
        raise RepoError(
            f"{what} waits: this repository could run programs of its own "
            f"({reasons[0]}{more}); review them and allow it with `spark trust`"
        )

    def look(self) -> Mapping[str, str]:
        """The hash of each item that trust is about, by name, as the item is now."""
        return {item.name: item.digest for item in self._everything()}

    def grant(self, seen: Mapping[str, str] | None = None) -> None:
        """Trust the repository.

        Args:
            seen: The hashes that `look` gave when the user saw the items; default those of now.

        Raises:
            FileError: The trust cannot be kept.
        """
        if seen is None:
            seen = self.look()
        record = {"version": _VERSION, "root": str(self._repo.root), "trusted": dict(seen)}
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._file, json.dumps(record).encode(), Disk())
        except OSError as e:
            raise FileError(f"cannot keep the trust in {self._file.parent}: {e.strerror}") from e

    def revoke(self) -> None:
        """Trust the repository no longer.

        Raises:
            FileError: The file of the trust cannot be removed.
        """
        try:
            self._file.unlink(missing_ok=True)
        except OSError as e:
            raise FileError(f"cannot remove {self._file}: {e.strerror}") from e

    def _granted(self) -> Mapping[str, str] | None:
        """The hashes of what is trusted, by name; None where none are kept, or they are damaged."""
        try:
            record: Any = json.loads(read_small(self._file))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(record, dict) or record.get("version") != _VERSION:
            return None
        trusted = record.get("trusted")
        if isinstance(trusted, dict) and record.get("root") == str(self._repo.root):
            return trusted
        return None

    def _everything(self) -> list[_Item]:
        """All that trust is about: what could run, and the project configuration."""
        content = read_file(self._repo.root, PROJECT_CONFIG)
        items = self._unusual()
        if content is not None:
            items.append(_Item(PROJECT_CONFIG, PROJECT_CONFIG, content_hash(content)))
        return items

    def _unusual(self) -> list[_Item]:
        """What the repository could run or lead git to."""
        settings = settings_of(self._repo.git_dir)
        items = list(_risky_settings(settings))
        for folder in self._hook_folders(settings):
            items += _list_hooks(folder)
        items += _foreign_owners(settings, self._repo.root, self._repo.git_dir)
        return items

    def _hook_folders(self, settings: tuple[Setting, ...]) -> Iterator[Path]:
        """The folders in which hooks that are not the user's own may lie.

        A relative path in the user's settings leads into the repository, too.
        """
        hook_paths = [
            setting
            for setting in settings
            if setting.key == "core.hookspath" and setting.scope != "command"
        ]
        if not any(setting.of_repository for setting in hook_paths):
            yield self._repo.common_dir / "hooks"
        for setting in hook_paths[-1:]:  # the last one is in force
            folder = self._repo.root / _expanded(setting.value)
            if setting.of_repository or folder.resolve().is_relative_to(self._repo.root.resolve()):
                yield folder


def _risky_settings(settings: Iterable[Setting]) -> Iterator[_Item]:
    """The settings of the repository that may run something."""
    values_by_key: dict[str, list[str]] = {}
    for setting in settings:
        if setting.of_repository and not is_harmless(setting):
            values_by_key.setdefault(setting.key, []).append(setting.value)
    for key, values in values_by_key.items():
        is_secret = any(word in key for word in _SECRET_KEYS)
        shown = "..." if is_secret else _shorten(values[-1])
        digest = content_hash("\0".join(values).encode("utf-8", "surrogateescape"))
        yield _Item(key, f"{key} = {shown}", digest)


def _shorten(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS_SHOWN:
        return text
    return text[:_MOST_CHARACTERS_SHOWN] + "..."


def _foreign_owners(settings: Iterable[Setting], root: Path, git_dir: Path) -> Iterator[_Item]:
    """The foreign owner of a repository, unless the user's own configuration calls it safe."""
    ours = {system.own_id()}
    # As git does: under sudo, files of the user who called sudo are not a stranger's.
    sudo = os.environ.get("SUDO_UID", "")
    if sudo.isdecimal():
        ours.add(int(sudo))
    safe: list[str] = []
    for setting in settings:
        if setting.key == "safe.directory" and setting.scope in {"system", "global"}:
            if setting.value:
                safe.append(setting.value)
            else:  # git takes an empty value for the start of a new list
                safe.clear()
    if any(_covers(value, root) for value in safe):
        return
    owners = {root.lstat().st_uid, git_dir.lstat().st_uid}
    for owner in sorted(owners - ours):
        yield _Item("owner", f"it belongs to another user ({system.name_of(owner)})", str(owner))


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib raises where there is no such user


def _covers(safe: str, root: Path) -> bool:
    """Whether a value of safe.directory covers this work tree.

    Source:
        git-config(1), safe.directory.
    """
    return (
        safe == "*"
        or _expanded(safe) == str(root)
        or (safe.endswith("/*") and root.is_relative_to(safe[:-2]))
    )


def _list_hooks(folder: Path) -> Iterator[_Item]:
    """The files in a folder that git would take for hooks."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        if path.suffix != ".sample" and not path.is_dir() and os.access(path, os.X_OK):
            yield _Item(f"hook {path.name}", f"hook {path.name}", _digest(path))


def _digest(path: Path) -> str:
    """A hash of a file's content; follows links as git does, and waits for no pipe."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "not a file"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as e:
        return f"unreadable: {e.strerror}"


_RUNS = {
    "git obeys it": ".gitattributes .gitmodules .gitignore .gitconfig .lfsconfig",
    "pip runs it": "setup.py setup.cfg pyproject.toml hatch_build.py requirements*.txt "
    "constraints*.txt pipfile",
    "Python runs it at every start": "sitecustomize.py usercustomize.py *.pth pyvenv.cfg",
    "tests run it": "conftest.py noxfile.py tox.ini toxfile.py pytest.ini .coveragerc",
    "checkers run it": ".pre-commit-config.yaml .pre-commit-hooks.yaml .pylintrc pylintrc "
    "mypy.ini .mypy.ini",
    "building runs it": (
        "makefile gnumakefile *.mk justfile taskfile.y*ml meson.build sconstruct wscript "
        "dodo.py fabfile.py tasks.py"
        " dockerfile* containerfile* *compose*.y*ml package.json .npmrc .yarnrc*"
    ),
    "the documentation build runs it": "docs/conf.py doc/conf.py docs/source/conf.py "
    ".readthedocs.y*ml",
    "a server runs it at every push": (
        ".github/* .gitlab/* .gitlab-ci.yml .circleci/* .buildkite/* .ci/* .woodpecker* "
        ".travis.yml .drone.yml"
        " jenkinsfile azure-pipelines.yml appveyor.yml bitbucket-pipelines.yml .forgejo/* .gitea/*"
    ),
    "the shell, an editor or a debugger runs it when the folder is opened": (
        ".envrc .vscode/* .idea/* .fleet/* .zed/* .devcontainer/* *.code-workspace "
        ".dir-locals.el .exrc .vimrc .nvimrc"
        " .nvim.lua .pdbrc .gdbinit .lldbinit .tool-versions mise.toml .mise.toml .husky/* "
        ".githooks/*"
    ),
    "assistants obey it": "agents.md claude.md gemini.md .cursorrules .cursor/* .claude/* .spark/*",
}
"""Patterns of names in lower case; those with a slash are paths from the root, or folders."""

_SECRET_FILES = (
    ".env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk id_rsa* id_dsa* "
    "id_ecdsa* id_ed25519*"
    " .netrc _netrc .pypirc .npmrc .pgpass .my.cnf .htpasswd .git-credentials credentials* "
    "secret.* secrets.* .secrets* .vault_pass* *.tfvars *.tfvars.json *.tfstate"
    " client_secret*.json service-account*.json service_account*.json .dockercfg kubeconfig"
    " .aws/* .ssh/* .gnupg/* .kube/* .docker/* secrets/* .secrets/*"
)
_HARMLESS = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist"})


def concerns(
    repo: Repository, path: str, asked: Collection[str] = (), *, gone: Collection[str] = ()
) -> tuple[str, ...]:
    """Why writing to a file needs its own approval; nothing for ordinary source files.

    Args:
        path: Relative to the root; the file behind a symbolic link counts, too.
        asked: The files that the user named, if any.
        gone: The files that are deleted at the same time.

    Returns:
        Reasons in words that follow the path.

    Raises:
        RepoError: Git cannot say whether it ignores the file.
        FileError: The path leads out of the work tree.
    """
    return concerns_of(repo, [path], asked, gone=gone)[path]


def concerns_of(
    repo: Repository,
    paths: Collection[str],
    asked: Collection[str] = (),
    *,
    gone: Collection[str] = (),
) -> dict[str, tuple[str, ...]]:
    """Why writing to files needs approvals of their own, by path; git is asked once for all.

    Args and errors: as for `concerns`.
    """
    places = {path: tuple(dict.fromkeys([path, real_path(repo.root, path)])) for path in paths}
    every = dict.fromkeys(place for found in places.values() for place in found)
    ignored = ignored_among(repo, every)
    twins = _find_twins(repo, every, gone)
    told = dict[str, tuple[str, ...]]()
    for path, found in places.items():
        reasons = list[str]()
        for place in found:
            reasons += _reasons(place, path, asked, is_ignored=place in ignored)
            if twin := twins.get(place):
                ending = "on a computer that ignores case or how accents are written"
                reasons.append(f"would be {twin} {ending}")
        told[path] = tuple(dict.fromkeys(reasons))
    return told


def why_private(repo: Repository, path: str) -> tuple[str, ...]:
    """Why showing the text of a file to others needs a consent; see `concerns`."""
    places = dict.fromkeys([path, real_path(repo.root, path)])
    ignored = ignored_among(repo, places)
    reasons = list[str]()
    for place in places:
        reasons += _private_reasons(place, is_ignored=place in ignored)
    return tuple(dict.fromkeys(reasons))


def holds_secrets(path: str) -> bool:
    """Whether a file may, by its name, hold secrets."""
    return path.rsplit("/", 1)[-1].lower() not in _HARMLESS and _matches(path, _SECRET_FILES)


def may_hold_secrets(repo: Repository, path: str) -> bool:
    """Whether a file, or the one that a link leads to, may hold secrets by its name."""
    if holds_secrets(path):
        return True
    # No Path, and only links are followed, since this is asked about very many files.
    if os.path.islink(f"{repo.root}/{path}"):  # noqa: PTH114
        with suppress(FileError):  # a link that leads nowhere is read by nobody
            return holds_secrets(real_path(repo.root, path))
    return False


def _reasons(path: str, named: str, asked: Collection[str], *, is_ignored: bool) -> Iterator[str]:
    """The reasons for one path that follow from its name.

    Args:
        named: The path as it was named, a symbolic link perhaps.
    """
    for effect, patterns in _RUNS.items():
        if _matches(path, patterns):
            yield f"decides what runs by itself: {effect}"
    yield from _private_reasons(path, is_ignored=is_ignored)
    if asked and named not in asked:
        yield "is not among the files you named"


def _private_reasons(path: str, *, is_ignored: bool) -> Iterator[str]:
    if holds_secrets(path):
        yield "may hold secrets"
    if is_ignored:
        yield "is ignored by git, which cannot bring it back"


def _matches(path: str, patterns: str) -> bool:
    """Whether a path matches one of some patterns, see `_RUNS`."""
    lower = path.lower()
    of_names, of_paths = _compiled(patterns)
    name = lower.rsplit("/", 1)[-1]
    return bool(of_names.match(name) or of_paths.match(f"/{lower}"))


@cache
def _compiled(patterns: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns as one expression for the name of a file, and one for its path behind a slash."""
    names = list[str]()
    paths = list[str]()
    for pattern in patterns.split():
        if pattern.endswith("/*"):
            paths.append(translate(f"*/{pattern}"))
        elif "/" in pattern:
            paths.append(translate(f"/{pattern}"))
        else:
            names.append(translate(pattern))
    return re.compile("|".join(names) or "(?!)"), re.compile("|".join(paths) or "(?!)")


def is_ignored(repo: Repository, path: str) -> bool:
    """Whether git ignores a file that it does not track.

    Raises:
        RepoError: Git cannot say.
    """
    return path in ignored_among(repo, [path])


def ignored_among(repo: Repository, paths: Collection[str]) -> frozenset[str]:
    """The files that git ignores, of some that it does not track.

    Raises:
        RepoError: Git cannot say.
    """
    # check-ignore takes no literal paths; behind "./" no character of a path is special.
    args = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
    asked = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    if not asked:
        return frozenset()
    try:
        listed = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, stdin=asked)
    except GitFailure as e:
        if e.status != 1:
            names = ", ".join(list(paths)[:3])
            raise RepoError(f"git cannot say whether it ignores {names}: {e.detail}") from e
        return frozenset()
    return frozenset(os.fsdecode(name.removeprefix(b"./")) for name in listed.split(b"\0"))


def _find_twins(repo: Repository, paths: Iterable[str], gone: Collection[str]) -> dict[str, str]:
    """The tracked files that are the same files as new ones where case or accents are ignored.

    Args:
        gone: Files that are deleted as the new ones come.
    """
    wanted = {path: folded(path) for path in paths if file_mode(repo.root, path) is None}
    if not wanted:
        return {}
    listed = run_git(["ls-files", "-z"], git_dir=repo.git_dir, work_tree=repo.root).split(b"\0")
    tracked = dict[str, list[str]]()
    for name in map(os.fsdecode, listed):
        tracked.setdefault(folded(name), []).append(name)
    twins = dict[str, str]()
    for path, spelling in wanted.items():
        others = [name for name in tracked.get(spelling, ()) if name not in {path, *gone}]
        twins |= {path: others[0]} if others else {}
    return twins

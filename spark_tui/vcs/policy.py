"""Which repositories are trusted, and which files ask for a consent of their own.

Whether a repository may run its own programs: what it could run, and what the user has said to
that.

What was trusted is kept outside the repository, with a hash of each setting and hook; a change asks
for trust again.

Why writing to a file needs its own approval: what "accept all" never includes. Facts only, nobody
is asked.
"""

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from spark_tui import system
from spark_tui.errors import FileError, RepoError
from spark_tui.vcs.blob_store import content_hash, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import GitFailure, Setting, is_harmless, run_git, settings_of
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import file_mode, read_file, real_path
from spark_tui.vcs.spelling import folded

PROJECT_CONFIG = ".spark/config.toml"
_VERSION = 1
_MOST_SHOWN = 60
_MOST_LINES = 40
_SECRET = ("smtppass", "password", ".pass", "token", "header", "cookie")


@dataclass(frozen=True, slots=True)
class _Item:
    """Something trust is about.

    `name`: what it is kept under; `shown`: the same for people; `digest`: what it says.
    """

    name: str
    shown: str
    digest: str


class Trust:
    """What a repository could run, and whether the user trusts it.

    Everything is looked at anew each time.

    Args:
        repo: Which.
        state_dir: spark's state directory, outside the repository.
    """

    def __init__(self, repo: Repository, state_dir: Path) -> None:
        self._repo = repo
        self._file = state_dir / "trust" / f"{repo.key}.json"

    @property
    def programs(self) -> tuple[str, ...]:
        """What the repository could run or lead git to, trusted or not: unusual settings,
        hooks, a foreign owner.
        """
        return tuple(item.shown for item in self._unusual())

    @property
    def config(self) -> tuple[str, ...]:
        """What the project's configuration says, line by line; empty where there is none.

        Raises:
            FileError.
        """
        content = read_file(self._repo.root, PROJECT_CONFIG) or b""
        lines = [
            line.rstrip()
            for line in content.decode("utf-8", "surrogateescape").split("\n")
            if line.strip()
        ]
        more = [f"and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
        return (*(_cut(line) for line in lines[:_MOST_LINES]), *more)

    @property
    def restricted(self) -> tuple[str, ...]:
        """Why the repository may not run its own programs; empty when it has none or the user
        trusts them.
        """
        known = self._granted()
        if known is None:
            return tuple(item.shown for item in self._unusual())
        news = [
            (each.shown, each.name in known)
            for each in self._unusual()
            if known.get(each.name) != each.digest
        ]
        return tuple(
            f"{shown} ({'changed' if old else 'new'} since you trusted it)" for shown, old in news
        )

    @property
    def trusted(self) -> bool:
        """Whether the user trusts the repository as it is now, its project configuration
        included.
        """
        known = self._granted()
        return known is not None and all(
            known.get(each.name) == each.digest for each in self._everything()
        )

    def require(self, what: str) -> None:
        """Refuse what needs trust.

        Args:
            what: As the subject of a sentence.

        Raises:
            RepoError.
        """
        if reasons := self.restricted:
            more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
            raise RepoError(
                f"{what} waits: this repository could run programs of its own "
                f"({reasons[0]}{more}); review them and "
                "allow it with `spark trust`"
            )

    def look(self) -> Mapping[str, str]:
        """A hash of each thing that trust is about, as it is now."""
        return {item.name: item.digest for item in self._everything()}

    def grant(self, seen: Mapping[str, str] | None = None) -> None:
        """Trust the repository.

        Args:
            seen: As it was at that `look`; default now.

        Raises:
            FileError: Not kept.
        """
        record = {
            "version": _VERSION,
            "root": str(self._repo.root),
            "trusted": dict(self.look() if seen is None else seen),
        }
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._file, json.dumps(record).encode(), Disk())
        except OSError as e:
            raise FileError(f"cannot keep the trust in {self._file.parent}: {e.strerror}") from e

    def revoke(self) -> None:
        """Trust it no longer.

        Raises:
            FileError: What was kept cannot be removed.
        """
        try:
            self._file.unlink(missing_ok=True)
        except OSError as e:
            raise FileError(f"cannot remove {self._file}: {e.strerror}") from e

    def _granted(self) -> Mapping[str, str] | None:
        """What was trusted, by name, with its hash; None when nothing was, or it cannot be read."""
        try:
            record: Any = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(record, dict) or record.get("version") != _VERSION:
            return None
        trusted = record.get("trusted")
        if isinstance(trusted, dict) and record.get("root") == str(self._repo.root):
            return trusted
        return None

    def _everything(self) -> list[_Item]:
        content = read_file(self._repo.root, PROJECT_CONFIG)
        return self._unusual() + (
            []
            if content is None
            else [_Item(PROJECT_CONFIG, PROJECT_CONFIG, content_hash(content))]
        )

    def _unusual(self) -> list[_Item]:
        settings = settings_of(self._repo.git_dir)
        hooks = (hook for folder in self._hook_folders(settings) for hook in _hooks(folder))
        return [*_odd(settings), *hooks, *_strangers(settings, self._repo.root, self._repo.git_dir)]

    def _hook_folders(self, settings: tuple[Setting, ...]) -> Iterator[Path]:
        """Where hooks that are not the user's own may lie: a relative path in the user's
        settings leads here, too.
        """
        named = [
            each for each in settings if each.key == "core.hookspath" and each.scope != "command"
        ]
        if not any(each.of_repository for each in named):
            yield self._repo.common_dir / "hooks"
        for each in named[-1:]:
            folder = self._repo.root / _expanded(each.value)
            if each.of_repository or folder.resolve().is_relative_to(self._repo.root.resolve()):
                yield folder


def _odd(settings: Iterable[Setting]) -> Iterator[_Item]:
    values: dict[str, list[str]] = {}
    for each in settings:
        if each.of_repository and not is_harmless(each):
            values.setdefault(each.key, []).append(each.value)
    for key, said in values.items():
        shown = "..." if any(word in key for word in _SECRET) else _cut(said[-1])
        yield _Item(
            key,
            f"{key} = {shown}",
            content_hash("\0".join(said).encode("utf-8", "surrogateescape")),
        )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


def _strangers(settings: Iterable[Setting], *places: Path) -> Iterator[_Item]:
    """The user another than ours that the repository belongs to, unless our own configuration
    calls it safe.
    """
    sudo = os.environ.get("SUDO_UID", "")
    ours = {system.own_id(), *([int(sudo)] if sudo.isdecimal() else [])}
    safe: list[str] = []
    for each in settings:
        if each.key == "safe.directory" and each.scope in {"system", "global"}:
            safe = [*safe, each.value] if each.value else []
    if not any(_covers(value, places[0]) for value in safe):
        for owner in sorted({place.lstat().st_uid for place in places} - ours):
            yield _Item(
                "owner", f"it belongs to another user ({system.name_of(owner)})", str(owner)
            )


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib raises where there is no such user


def _covers(safe: str, root: Path) -> bool:
    """Whether a value of safe.directory means this work tree."""
    return (
        safe == "*"
        or _expanded(safe) == str(root)
        or (safe.endswith("/*") and root.is_relative_to(safe[:-2]))
    )


def _hooks(folder: Path) -> Iterator[_Item]:
    """The files git would take for hooks, and what is in them."""
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return
    for place in places:
        if place.suffix != ".sample" and not place.is_dir() and os.access(place, os.X_OK):
            yield _Item(f"hook {place.name}", f"hook {place.name}", _content(place))


def _content(path: Path) -> str:
    """A hash of a file that follows links as git does, and waits for no pipe."""
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
"""Patterns of names in lower case; one with a slash is a path from the root, or a folder
anywhere.
"""

_SECRET_FILES = (
    ".env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk id_rsa* id_dsa* "
    "id_ecdsa* id_ed25519*"
    " .netrc _netrc .pypirc .npmrc .pgpass .my.cnf .htpasswd .git-credentials credentials* "
    "secrets.* *.tfvars *.tfstate"
    " client_secret*.json service-account*.json .aws/* .ssh/* .gnupg/* .kube/* .docker/*"
)
_HARMLESS = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist"})


def concerns(repo: Repository, path: str, asked: Collection[str] = ()) -> tuple[str, ...]:
    """Why writing to a file needs its own approval; nothing for ordinary source files.

    Args:
        path: Relative to the root; where it leads to through symbolic links counts, too.
        asked: The files the user named, if any.

    Returns:
        Reasons in words that follow the path.

    Raises:
        RepoError: Git cannot say whether it ignores the file.
        FileError: The path leads out.
    """
    paths = tuple(dict.fromkeys((path, real_path(repo.root, path))))
    return tuple(
        dict.fromkeys(reason for each in paths for reason in _reasons(repo, each, path, asked))
    )


def holds_secrets(path: str) -> bool:
    """Whether a file is, by its name, one for secrets: what is in it is nobody's business."""
    return path.rsplit("/", 1)[-1].lower() not in _HARMLESS and _matches(path, _SECRET_FILES)


def _reasons(repo: Repository, path: str, named: str, asked: Collection[str]) -> Iterator[str]:
    yield from (
        f"decides what runs by itself: {what}"
        for what, patterns in _RUNS.items()
        if _matches(path, patterns)
    )
    if holds_secrets(path):
        yield "may hold secrets"
    if is_ignored(repo, path):
        yield "is ignored by git, which cannot bring it back"
    if asked and named not in asked:
        yield "is not among the files you named"
    if twin := _twin(repo, path):
        yield f"would be {twin} on a computer that ignores case or how accents are written"


def _matches(path: str, patterns: str) -> bool:
    lower = path.lower()
    name = lower.rsplit("/", 1)[-1]
    return any(_fits(lower, name, pattern) for pattern in patterns.split())


def _fits(path: str, name: str, pattern: str) -> bool:
    if pattern.endswith("/*"):
        return fnmatchcase(f"/{path}", f"*/{pattern}")
    return fnmatchcase(path if "/" in pattern else name, pattern)


def is_ignored(repo: Repository, path: str) -> bool:
    """Whether git ignores a file that it does not track.

    Raises:
        RepoError: It cannot say.
    """
    # check-ignore knows no literal paths; behind "./" nothing in a path means anything else than
    # itself.
    args = ["--no-literal-pathspecs", "check-ignore", "-q", "--", f"./{path}"]
    try:
        run_git(args, git_dir=repo.git_dir, work_tree=repo.root)
    except GitFailure as e:
        if e.status != 1:
            raise RepoError(f"git cannot say whether it ignores {path}: {e.detail}") from e
        return False
    return True


def _twin(repo: Repository, path: str) -> str | None:
    """The tracked file that a new one cannot stand beside everywhere."""
    if file_mode(repo.root, path) is not None:
        return None
    listed = run_git(["ls-files", "-z"], git_dir=repo.git_dir, work_tree=repo.root).split(b"\0")
    wanted = folded(path)
    tracked = map(os.fsdecode, listed)
    return next((each for each in tracked if each != path and folded(each) == wanted), None)

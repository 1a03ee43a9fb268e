"""Whether a repository may run its own programs: what it could run, and what the user has said to that.

What was trusted is kept outside the repository, with a hash of each setting and hook; a change asks for trust again.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_tui import users
from spark_tui.errors import FileError, RepoError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import settings_of
from spark_tui.vcs.hardening import Setting, is_harmless
from spark_tui.vcs.paths import read_file
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.store import content_hash, write_whole

PROJECT_CONFIG = ".spark/config.toml"
_VERSION = 1
_MOST_SHOWN = 60
_MOST_LINES = 40
_SECRET = ("smtppass", "password", ".pass", "token", "header", "cookie")


@dataclass(frozen=True, slots=True)
class _Item:
    """Something trust is about. `name`: what it is kept under; `shown`: the same for people; `digest`: what it says."""

    name: str
    shown: str
    digest: str


class Trust:
    """What a repository could run, and whether the user trusts it. Everything is looked at anew each time.

    Args: repo: which. state_dir: spark's state directory, outside the repository.
    """

    def __init__(self, repo: Repository, state_dir: Path) -> None:
        self._repo = repo
        self._file = state_dir / "trust" / f"{repo.key}.json"

    @property
    def programs(self) -> tuple[str, ...]:
        """What the repository could run or lead git to, trusted or not: unusual settings, hooks, a foreign owner."""
        return tuple(item.shown for item in self._unusual())

    @property
    def config(self) -> tuple[str, ...]:
        """What the project's configuration says, line by line; empty where there is none. Raises: FileError."""
        content = read_file(self._repo.root, PROJECT_CONFIG) or b""
        lines = [line.rstrip() for line in content.decode("utf-8", "surrogateescape").split("\n") if line.strip()]
        more = [f"and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
        return (*(_cut(line) for line in lines[:_MOST_LINES]), *more)

    @property
    def restricted(self) -> tuple[str, ...]:
        """Why the repository may not run its own programs; empty when it has none or the user trusts them."""
        known = self._granted()
        if known is None:
            return tuple(item.shown for item in self._unusual())
        news = [(each.shown, each.name in known) for each in self._unusual() if known.get(each.name) != each.digest]
        return tuple(f"{shown} ({'changed' if old else 'new'} since you trusted it)" for shown, old in news)

    @property
    def trusted(self) -> bool:
        """Whether the user trusts the repository as it is now, its project configuration included."""
        known = self._granted()
        return known is not None and all(known.get(each.name) == each.digest for each in self._everything())

    def require(self, what: str) -> None:
        """Refuse what needs trust. Args: what: as the subject of a sentence. Raises: RepoError."""
        if reasons := self.restricted:
            more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
            raise RepoError(
                f"{what} waits: this repository could run programs of its own ({reasons[0]}{more}); review them and "
                "allow it with `spark trust`"
            )

    def look(self) -> Mapping[str, str]:
        """A hash of each thing that trust is about, as it is now."""
        return {item.name: item.digest for item in self._everything()}

    def grant(self, seen: Mapping[str, str] | None = None) -> None:
        """Trust the repository. Args: seen: as it was at that `look`; default now. Raises: FileError: not kept."""
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
        """Trust it no longer. Raises: FileError: what was kept cannot be removed."""
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
        return trusted if isinstance(trusted, dict) and record.get("root") == str(self._repo.root) else None

    def _everything(self) -> list[_Item]:
        content = read_file(self._repo.root, PROJECT_CONFIG)
        return self._unusual() + (
            [] if content is None else [_Item(PROJECT_CONFIG, PROJECT_CONFIG, content_hash(content))]
        )

    def _unusual(self) -> list[_Item]:
        settings = settings_of(self._repo.git_dir)
        hooks = (hook for folder in self._hook_folders(settings) for hook in _hooks(folder))
        return [*_odd(settings), *hooks, *_strangers(settings, self._repo.root, self._repo.git_dir)]

    def _hook_folders(self, settings: tuple[Setting, ...]) -> Iterator[Path]:
        """Where hooks that are not the user's own may lie: a relative path in the user's settings leads here, too."""
        named = [each for each in settings if each.key == "core.hookspath" and each.scope != "command"]
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
        yield _Item(key, f"{key} = {shown}", content_hash("\0".join(said).encode("utf-8", "surrogateescape")))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


def _strangers(settings: Iterable[Setting], *places: Path) -> Iterator[_Item]:
    """The user another than ours that the repository belongs to, unless our own configuration calls it safe."""
    sudo = os.environ.get("SUDO_UID", "")
    ours = {users.own_id(), *([int(sudo)] if sudo.isdecimal() else [])}
    safe: list[str] = []
    for each in settings:
        if each.key == "safe.directory" and each.scope in {"system", "global"}:
            safe = [*safe, each.value] if each.value else []
    if not any(_covers(value, places[0]) for value in safe):
        for owner in sorted({place.lstat().st_uid for place in places} - ours):
            yield _Item("owner", f"it belongs to another user ({users.name_of(owner)})", str(owner))


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib raises where there is no such user


def _covers(safe: str, root: Path) -> bool:
    """Whether a value of safe.directory means this work tree."""
    return safe == "*" or _expanded(safe) == str(root) or (safe.endswith("/*") and root.is_relative_to(safe[:-2]))


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

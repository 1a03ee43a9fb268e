"""How a patch of somebody else is to be read: where paths begin in its names, and its context.

Git calls a file `a/x` in the earlier version and `b/x` in the later one, has other prefixes with
`diff.mnemonicPrefix` or `--src-prefix`, and none with `diff.noprefix`. `git apply` takes the first
folder off each name, whatever it is, or none. Here the two names of each file tell which is right:
prefixes make them differ, and without any they are equal. Where both readings are possible, the
patch is refused, since one of them may be another file of the repository.
"""

import os
import re  # noqa: TID251 - reads the headings of patches
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Protocol

from spark_tui.errors import UsageError

_ADVICE = "make it with `git diff --src-prefix=a/ --dst-prefix=b/`"
_UNCLEAR = f"this patch may mean {{}} or {{}}: its names do not tell; {_ADVICE}"
_TWO_FILES = f"this patch names both {{}} and {{}} for one file; {_ADVICE}"
_MIXED = f"{{}} has no prefix in this patch, and {{}} has one; split the patch, or {_ADVICE}"

_PREFIXES = frozenset("abciow12")
"""The prefixes that git has: `a/`, `b/`, those of `diff.mnemonicPrefix` and of `--no-index`."""
_NO_FILE = "/dev/null"
_GIT = b"diff --git "
_OF_GIT = "heading of git"
"""A name for unidiff, which splits the headings of git wrongly where names have blanks."""
_HUNK_SIGNS = b" +-\\@"
_MOST_LETTERS = 2 * 4096 + 6
"""Two paths as long as Linux has them, their prefixes and a blank."""

_FACTS = rb"(?:(?:old|new|new file|deleted file) mode|(?:copy|rename) (?:from|to)|index|"
_FACTS += rb"(?:dis)?similarity index) [^\n]*\n"
_HEADING = re.compile(
    rb"^diff --git (?P<names>[^\r\n]+)\r?\n(?P<facts>(?:%b)*)(?P<lines>--- )?" % _FACTS,
    re.MULTILINE,
)
_ORIGIN = re.compile(rb"^(?:copy|rename) from ([^\r\n]+)", re.MULTILINE)
_VERSION = re.compile(rb"^index ([0-9a-f]{4,64})\.\.", re.MULTILINE)
_TWO_NAMES = re.compile(rb'("(?:[^"\\]|\\.)*"|[^"]*) ("(?:[^"\\]|\\.)*"|[^"]*)')
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
# Source: git's quote.c.
_ESCAPED = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


class KnownFiles(Protocol):
    """The files of a work tree and of its last commit."""

    def has_file(self, path: str) -> bool:
        """Whether there is a file."""

    def has_folder(self, path: str) -> bool:
        """Whether there is a folder."""


@dataclass(frozen=True, slots=True)
class PatchStyle:
    """How a patch is to be read.

    Args:
        level: How many folders of its names are a prefix; None: git can tell, as the patch only
            moves files.
        is_whole: Whether each hunk is as long as it says.
        is_bare: Whether a hunk has no line around its change.
        is_adrift: Whether a bare hunk is not at the first line, so that git could take other lines
            for those that it changes.
        versions: The versions that git made the patch of, by path: abbreviated names of blobs.
    """

    level: int | None
    is_whole: bool = True
    is_bare: bool = False
    is_adrift: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a file before and after, as a patch has them; None: there is no file.

    Args:
        by_git: Whether git wrote them, which has two names for one file only where it says so.
        version: The version before, as an abbreviated name of a blob, or "".
    """

    old: str | None
    new: str | None
    by_git: bool
    version: str = ""


def read_style(patch: bytes, known: KnownFiles) -> PatchStyle:
    """Work out how a patch is to be read.

    Raises:
        UsageError: The patch could be read in two ways.
    """
    from unidiff import PatchSet  # noqa: PLC0415 - takes long to import
    from unidiff.errors import UnidiffParseError  # noqa: PLC0415 - as above

    names = list(_names_by_git(patch))
    try:
        files = PatchSet(_plain_lines(patch), metadata_only=True)
    except (UnidiffParseError, ValueError):  # ValueError: of numbers with thousands of digits
        return PatchStyle(_level(names, known), is_whole=False)
    for file in files:
        if file.source_file != _OF_GIT:
            names.append(_Names(_real(file.source_file), _real(file.target_file), by_git=False))
    bare = [hunk for file in files for hunk in file if hunk.source_length == hunk.removed]
    level = _level(names, known)
    return PatchStyle(
        level,
        is_bare=bool(bare),
        is_adrift=any(hunk.source_start > 1 for hunk in bare),
        versions={**_versions(names, level), **dict(_versions_of_moved(patch))},
    )


def _versions(names: Sequence[_Names], level: int | None) -> dict[str, str]:
    """The versions of files that were not moved, by path; of several the first one."""
    versions: dict[str, str] = {}
    for each in names:
        if each.new is not None and each.version.strip("0"):
            versions.setdefault(each.new.split("/", level or 0)[-1], each.version)
    return versions


def _versions_of_moved(patch: bytes) -> Iterator[tuple[str, str]]:
    """The former paths of renamed and copied files, which have no prefix, and their versions."""
    for heading in _HEADING.finditer(patch):
        origin = _ORIGIN.search(heading["facts"])
        version = _VERSION.search(heading["facts"])
        if origin is not None and version is not None:
            yield _unquoted(origin[1]), version[1].decode("ascii")


def _plain_lines(patch: bytes) -> Iterator[str]:
    """The lines of a patch as `diff -u` would have them, for unidiff: no words and facts of git."""
    in_heading = False
    for line in BytesIO(patch):
        if line.startswith(_GIT):
            in_heading = True
        elif line in {b"\n", b"\r\n"}:
            yield " \n"
        elif in_heading and line.startswith((b"--- ", b"+++ ")):
            yield f"{line[:4].decode('ascii')}{_OF_GIT}\n"
        elif line[0] in _HUNK_SIGNS:
            in_heading = in_heading and not line.startswith(b"@@ -")
            yield line.decode("latin-1")


def _names_by_git(patch: bytes) -> Iterator[_Names]:
    """The names in git's headings of files, but for renamed and copied ones.

    Raises:
        UsageError: A heading names two files.
    """
    for heading in _HEADING.finditer(patch):
        facts: bytes = heading["facts"]
        # Without facts and lines it is a line of somebody's words.
        if (facts or heading["lines"]) and _ORIGIN.search(facts) is None:
            version = _VERSION.search(facts)
            known = "" if version is None else version[1].decode("ascii")
            yield replace(_split(heading["names"]), version=known)


def _split(names: bytes) -> _Names:
    """The two names of a file that was not moved.

    Raises:
        UsageError: They are those of two files.
    """
    names = names[:_MOST_LETTERS]
    pair = _TWO_NAMES.fullmatch(names)
    if b'"' in names and pair is not None:
        return _Names(_unquoted(pair[1]), _unquoted(pair[2]), by_git=True)
    middle = len(names) // 2
    if names[:middle] == names[middle + 1 :]:
        return _Names(_unquoted(names[:middle]), _unquoted(names[:middle]), by_git=True)
    for place, letter in enumerate(names):
        if letter != ord(" "):
            continue
        old = names[:place]
        new = names[place + 1 :]
        if b"/" in old and b"/" in new and old.partition(b"/")[2] == new.partition(b"/")[2]:
            return _Names(_unquoted(old), _unquoted(new), by_git=True)
    old, _, new = names.partition(b" ")
    raise UsageError(_TWO_FILES.format(_unquoted(old), _unquoted(new)))


def _real(name: str) -> str | None:
    """A name as unidiff has it, as the path that it is; None: there is no file."""
    if name == _NO_FILE:
        return None
    return _unquoted(name.rstrip("\r").encode("latin-1"))


def _unquoted(name: bytes) -> str:
    """A name without git's quotes and escapes."""
    if len(name) > 1 and name.startswith(b'"') and name.endswith(b'"'):
        name = _ESCAPE.sub(_unescaped, name[1:-1])
    return os.fsdecode(name)


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    if code.isdigit():
        return bytes([int(code, 8) & 0xFF])
    return bytes([_ESCAPED[code[0]]])


def _level(names: Sequence[_Names], known: KnownFiles) -> int | None:
    """How many folders all names begin with that are no part of a path.

    Raises:
        UsageError: It is not the same number for all, or there is doubt.
    """
    levels: dict[int, str] = {}
    for each in names:
        if each.old is not None and each.new is not None:
            levels.setdefault(
                _level_of_pair(each.old, each.new, known, by_git=each.by_git), each.new
            )
    if not levels:
        alone = filter(None, (each.old or each.new for each in names))
        levels = {_level_of_one(name, known): name for name in alone}
    if len(levels) > 1:
        raise UsageError(_MIXED.format(levels[0], levels[1]))
    return next(iter(levels), None)


def _level_of_pair(old: str, new: str, known: KnownFiles, *, by_git: bool) -> int:
    """The level of the two names of one file.

    Raises:
        UsageError: They may mean two files.
    """
    old_prefix, old_slash, old_rest = old.partition("/")
    new_prefix, new_slash, new_rest = new.partition("/")
    if old == new:
        if old_slash and old_prefix in _PREFIXES and not known.has_folder(old_prefix):
            raise UsageError(_UNCLEAR.format(old, old_rest))
        return 0
    has_prefixes = bool(old_slash and new_slash and old_prefix != new_prefix)
    if has_prefixes and old_rest == new_rest:
        if not {old_prefix, new_prefix} <= _PREFIXES:
            _refuse_rivals(old, new, known)
        return 1
    # `diff -u` gets two names, such as those of a file and its backup; git takes the shorter one.
    paths = (old_rest, new_rest) if has_prefixes else (old, new)
    if by_git or all(map(known.has_file, paths)):
        raise UsageError(_TWO_FILES.format(*paths))
    return int(has_prefixes)


def _refuse_rivals(old: str, new: str, known: KnownFiles) -> None:
    """Refuse names with unusual prefixes that could be read as another path.

    Raises:
        UsageError: There is such a path.
    """
    old_prefix, _, path = old.partition("/")
    new_prefix = new.partition("/")[0]
    # A prefix need not end at a slash: `--src-prefix=x-` makes `x-pkg/a` of `pkg/a`.
    ends = [old_prefix[start:] for start in range(len(old_prefix))]
    folders = [end for end in ends if new_prefix.endswith(end) and known.has_folder(end)]
    rivals = [f"{folder}/{path}" for folder in folders]
    rivals += filter(known.has_file, (old, new))
    if rivals:
        raise UsageError(_UNCLEAR.format(path, rivals[0]))


def _level_of_one(name: str, known: KnownFiles) -> int:
    """The level of the only name of a file that `diff -u` has come or go.

    Raises:
        UsageError: There is doubt.
    """
    first, slash, rest = name.partition("/")
    if not slash:
        return 0
    is_folder = known.has_folder(first)
    if is_folder == (first in _PREFIXES):
        raise UsageError(_UNCLEAR.format(name, rest))
    return 0 if is_folder else 1

"""A name renamed in all Python files of a repository: a turn about all those that change; no model takes part."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from keyword import iskeyword

from spark_tui.answering.known import Known
from spark_tui.context.index import MOST_BYTES
from spark_tui.context.renaming import Renaming
from spark_tui.context.source import Region, Source
from spark_tui.editing.documents import joined
from spark_tui.editing.identifiers import uses
from spark_tui.editing.text import Text
from spark_tui.errors import NotText, UsageError
from spark_tui.session.elsewhere import few
from spark_tui.session.fixing.trial import Command
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository

_MOST_SHOWN = 3
Lines = tuple[int, int]


def rename_turn(
    number: str, repo: Repository, mentions: PlaceLookup, request: Request, watch: Callable[[str], None],
    command: Command | None = None,
) -> Turn:  # fmt: skip
    """A turn that renames the name that is the words of a request, else its symbol.

    Args: watch: see `Renaming.find`.
    Raises: UsageError: no such name, no Python, or nothing that it can be called. FileError: as `Repository.read`.
    """
    old, new = request.instruction or request.symbol or "", request.rename
    name = old.rpartition(".")[2]
    if not new.isidentifier() or iskeyword(new) or new == name:
        raise UsageError(f"{new} cannot be the new name of {name}; choose another one")
    path, lines = _aim(repo, mentions, request, name)
    region, start = _place(path, repo.read(path), lines, name)
    before, unread = _holding(repo, name, path)
    code = {each: "".join(text.raw) for each, text in before.items()}
    found = Renaming(repo.root, repo.files(".py"), code, name, new).find(path, start, watch)
    paths = sorted(found.files, key=lambda each: each != path)
    after = joined({each: Text.from_bytes(found.files[each].encode("utf-8", "surrogateescape")) for each in paths})
    request = replace(request, instruction=f"rename {old} to {new}", path=path, symbol=None, lines=None)
    base = joined({each: before[each] for each in paths})
    turn = Turn(number, request, region, base, Known(lambda _: after.lines), command)
    left = few([f"{use.path}:{use.line}" for use in found.unknown], _MOST_SHOWN)
    notes = list[str]()
    if left:
        notes.append(f"not renamed where its type is not known: {left}")
    if unread:
        notes.append(f"not looked for in very large files: {few(unread, _MOST_SHOWN)}")
    if found.unread:
        deep = few(list(found.unread), _MOST_SHOWN)
        notes.append(f"not looked for in files that are nested too deeply: {deep}")
    turn.elsewhere = lambda _: "; ".join(notes)
    return turn


def _aim(repo: Repository, mentions: PlaceLookup, request: Request, name: str) -> tuple[str, Lines | None]:
    """The file where a name is meant, and the lines where first. Raises: UsageError."""
    focus, path, symbol = request.focus, request.path, request.symbol
    if not path and focus and focus.path.endswith(".py") and any(_uses(repo.read(focus.path), name)):
        return focus.path, focus.lines
    if not path:
        path, symbol = _defined(mentions, name)
    if not path.endswith(".py"):
        raise UsageError(f"{path} is no Python file, and names are renamed in those only; ask for it in words")
    named = Source(path, repo.read(path)).named(tuple(symbol.split("."))) if symbol else []
    if symbol and not named:
        raise UsageError(f"there is no function or class {symbol} in {path}; check its name")
    return path, (named[0].start_line, named[0].end_line) if named else request.lines


def _place(path: str, data: bytes, lines: Lines | None, name: str) -> tuple[Region, int]:
    """What a name stands in, and its offset. Args: lines: where first. Raises: UsageError: it is not there."""
    found = _uses(data, name)
    if not found:
        raise UsageError(f"there is no name {name} in {path}; check how it is written")
    first, last = lines or (1, len(data))
    line, start = next((each for each in found if first <= each[0] <= last), found[0])
    around = [each for each in Source(path, data).symbols if each.contains(line, line)]
    symbol = min(around, key=lambda each: each.length, default=None)
    ends = (symbol.start_line, symbol.end_line) if symbol else (line, line)
    return Region(path, *ends, symbol.name if symbol else None, None, sha256(data).hexdigest()), start


def _uses(data: bytes, name: str) -> list[tuple[int, int]]:
    """The line (1-based) and the offset of each use of a name in a file."""
    text = data.decode("utf-8", "surrogateescape")
    found = [use.start for use in uses(text) if use.name.removeprefix(".") == name] if name in text else []
    return [(text.count("\n", 0, start) + 1, start) for start in found]


def _defined(mentions: PlaceLookup, name: str) -> tuple[str, str]:
    """The file and the symbol of the one function or class with a name. Raises: UsageError: there is not one."""
    python = [path for path in mentions.files() if path.endswith(".py")]
    found = [(path, each.name) for path, each in mentions.outline(python) if each.name.rpartition(".")[2] == name]
    if len(found) == 1:
        return found[0]
    places = " or ".join(f"@{path}::{symbol}" for path, symbol in found[:_MOST_SHOWN])
    raise UsageError(
        f"which {name} is meant? Say where: {places}" if found else f"no function or class is called {name}"
    )


def _holding(repo: Repository, name: str, told: str) -> tuple[dict[str, Text], list[str]]:
    """The Python files that hold a name, by their paths, and those that are too large to be read.

    Args: told: the file where the name is meant, which is read in any case.
    """
    held = dict[str, Text]()
    unread = list[str]()
    for path in repo.files(".py"):
        if path != told and repo.size(path) > MOST_BYTES:
            unread.append(path)
            continue
        data = repo.read(path)
        if name.encode() in data:
            with suppress(NotText):
                held[path] = Text.from_bytes(data, path)
    return held, unread

"""AGENTS.md: what the user wants of every turn, from the folder spark works in up to the repository's root."""

from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import FileError
from spark_tui.vcs.repository import Repository

NAME = "AGENTS.md"
MOST_BYTES = 32_768
"""Of all files together; the nearest ones are read first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Standing instructions.

    `files`: those that were read, the outermost first, relative to the root. `text`: what is in them; `cut`: not all.
    """

    files: tuple[str, ...] = ()
    text: str = ""
    cut: bool = False


def standing_instructions(repo: Repository, folder: Path) -> Standing:
    """Read them. Args: folder: within the work tree; elsewhere only the root's file is read."""
    found: list[tuple[str, str]] = []
    room, cut = MOST_BYTES, False
    for path in _candidates(repo.root, folder.resolve()):
        try:
            data = repo.read(path, max(room, 0) + 1)
        except FileError:
            continue
        cut = cut or len(data) > room
        if room <= 0:
            break
        found.append((path, data[:room].decode("utf-8", "replace")))
        room -= len(data)
    found.reverse()
    return Standing(tuple(path for path, _ in found), "\n\n".join(text.strip() for _, text in found), cut)


def _candidates(root: Path, folder: Path) -> list[str]:
    """The nearest first."""
    inside = folder if folder.is_relative_to(root) else root
    steps = [inside, *inside.parents]
    return [(each / NAME).relative_to(root).as_posix() for each in steps[: steps.index(root) + 1]]

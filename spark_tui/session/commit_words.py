"""The words that a commit is offered with: what was asked for, where, and what is left out of it."""

import re
import textwrap
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from spark_tui.session.uncommitted import Earlier

_SUBJECT = 72
"""Characters of a message's first line."""
_CODE = re.compile(r"\S*\w[./_(\d]\w*\S*|\S*_")
"""A file or a name at the start, whose letters are what they are."""


def left_out(paths: Collection[str]) -> str:
    """What is said of accepted edits that somebody took out of the files by hand, or ""."""
    return f"what is no longer in {' and '.join(paths)} is left out" if paths else ""


def told_earlier(earlier: Earlier) -> str:
    """What is said of what was accepted before this start, or ""."""
    found, changed = len(earlier.open), earlier.changed
    said = [f"with {found} edit{'s' * (found > 1)} accepted before this start"] if found else []
    if changed:
        which = f"“{_sentence(changed[0].entry.asked)}”" + (f" and {len(changed) - 1} more" * (len(changed) > 1))
        where = " and ".join(dict.fromkeys(path for batch in changed for path in batch.in_force))
        said.append(f"{which}, accepted earlier, cannot be told from what changed since in {where}; use `git add -p`")
    return "; ".join(said)


def offered_message(instructions: Sequence[str], paths: Sequence[str]) -> str:
    """A message that says what was asked for and where. Args: instructions: at least one. paths: the files changed."""
    asked = list(dict.fromkeys(_sentence(each) for each in instructions))
    more = f" and {len(asked) - 1} more edit{'s' * (len(asked) > 2)}" if len(asked) > 1 else ""
    subject = asked[0] + more + _where(asked[0], paths)
    short = textwrap.shorten(subject, _SUBJECT, placeholder="…")
    if more:
        return f"{short}\n\n" + "\n".join(f"- {each}" for each in asked)
    return short if short == subject else f"{short}\n\n" + textwrap.fill(subject, _SUBJECT)


def _sentence(instruction: str) -> str:
    words = " ".join(instruction.split()).rstrip(" .!")
    begins_with_code = _CODE.match(words) is not None
    return words if begins_with_code else words[:1].upper() + words[1:]


def _where(asked: str, paths: Sequence[str]) -> str:
    names = [PurePosixPath(path).name for path in paths]
    if any(name in asked for name in names):
        return ""
    return f" in {' and '.join(names)}" if len(names) <= 2 else f" in {len(names)} files"

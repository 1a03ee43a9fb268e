"""What a turn says for itself at its end, and what is said of a hunk that was asked for again."""

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten

from spark_tui.context.source import Region
from spark_tui.editing.checks import Check

SAME_EDIT = "with these words the same edit comes again; say what should be different"
"""What is said of an edit that other words were to correct."""
SAME_AGAIN = "the hunk comes out the same; say what should be different"
FIRST_AGAIN = "with these words the hunk comes out as it was at first; say what should be different in other words"
NOTHING_THERE = "with these words nothing changes in this hunk; say it in other words"
"""What is said of a hunk that was asked for again, and came out as it was, as at first, or without a change."""


def where(region: Region) -> str:
    """A region in words: `path:first-last (symbol)`, lines 1-based; only the path where the file is empty."""
    if region.end_line < region.start_line:
        return region.path
    symbol = f" ({region.symbol})" if region.symbol else ""
    return f"{region.path}:{region.start_line}-{region.end_line}{symbol}"


def mixed(path: str, line: int) -> str:
    """Text that would be written in UTF-8, into a file that is not."""
    return (
        f"{path} is not UTF-8, so that what line {line} would hold could not be read there; nothing was written: "
        "keep to ASCII, or save the file as UTF-8 first"
    )


_MARKS = "```", "~~~", "<<<"
"""What the code of an answer begins with."""
WHO_COULD = "a chat model could answer that: `spark model add`, an endpoint in config.toml, then /ask or deep = NAME"
"""Who could do what a model finds no edit for, where no other model is named."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What is said of an edit that passed its checks. Args: lead: its begin. hunks: how many. rest: its end."""

    lead: str
    hunks: int
    rest: str

    def told(self, still_open: int | None = None) -> str:
        """It in words. Args: still_open: how many of the hunks are open by now; all of them where left out."""
        said = f"{self.hunks} hunk{'' if self.hunks == 1 else 's'}"
        if still_open == 0:
            said += ", decided"
        elif still_open is not None and still_open < self.hunks:
            said = f"{still_open} of {self.hunks} hunks open"
        return f"{self.lead} {said}{self.rest}"


def checked(checks: Iterable[Check], *, sure: bool = True) -> str:
    """What is said of checks that passed, behind what they are of; of what nobody is sure of, no more than these."""
    checks = tuple(checks)
    passed = ", ".join(check.name for check in checks if not check.detail)
    notes = "".join(f"; {check.name}: {check.detail}" for check in checks if check.detail)
    return (f", checked ({passed})" if sure else f": {passed}") + notes


def unsure(chance: float | None) -> str:
    """How unsure an edit is. Args: chance: that it is right, None where nobody knows."""
    return "unsure" if chance is None else f"unsure ({chance:.0%})"


def whole_words(said: str) -> str:
    """Leave out a last line that may become a fence or a mark. Args: said: so far."""
    above, _, last = said.rpartition("\n")
    begins_mark = last and any(mark.startswith(last[:3]) for mark in _MARKS)
    return above.strip() if begins_mark else said.strip()


def in_words(said: str) -> str:
    """What to say where a chat model answered instead of editing, as far as a message has room for it, or ""."""
    return said and f"no edit; it answers: {shorten(said, 120, placeholder='…')}"

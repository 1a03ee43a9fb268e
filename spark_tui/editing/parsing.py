"""Whether a Python file parses, with an edit and without; of a very large one only what is around the edit is read."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.large_files import Stretch, is_large, stretches_around
from spark_tui.editing.text import Text
from spark_tui.editing.trees import no_warnings

AROUND = "read around the edit only: the file is very large"
NOT_READ = "not checked: the file is very large, and what is around the edit cannot be read alone"


class Parsed(NamedTuple):
    """Why a file does not parse without an edit and with it, each or "". `left_out`: what was not read, or ""."""

    before: str
    after: str
    left_out: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether it is known to parse with the edit."""
        return not self.after and self.left_out != NOT_READ

    @property
    def was_sound(self) -> bool:
        """Whether it is known that what was read of it parsed before."""
        return not self.before and self.left_out != NOT_READ


def parsed(base: Text, proposed: Text) -> Parsed:
    """Read a Python file without and with an edit."""
    if not (is_large(base) or is_large(proposed)):
        return Parsed(parse_error(base.to_bytes()), parse_error(proposed.to_bytes()))
    found = [_read(base, stretch, hunks) for stretch, hunks in apart(base, diff(base, proposed))]
    wrong = next(filter(None, (each.after for each in found)), "")
    return Parsed("", wrong, max((each.left_out for each in found), key=len, default=AROUND))


@lru_cache(maxsize=16)
def parse_error(source: bytes, above: int = 0) -> str:
    """Why a piece of Python does not parse, or "". Args: above: how many lines of its file are above it."""
    try:
        with no_warnings():
            compile(source, "file", "exec", dont_inherit=True)  # finds what the grammar allows, like a lone `return`
    except SyntaxError as error:
        return f"line {error.lineno + above}: {error.msg}" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return "it is nested too deeply to be read"
    return ""


def apart(base: Text, hunks: Iterable[Hunk]) -> Iterator[tuple[Stretch | None, Sequence[Hunk]]]:
    """Hunks in order, those that the same stretch of the file holds together."""
    stretch, held = None, list[Hunk]()
    for hunk in hunks:
        if held and hunk.start > (stretch.stop if stretch else held[-1].stop):
            yield stretch, held
            held = []
        held.append(hunk)
        stretch = _around(base, held[0].start, hunk.stop)[0]
    if held:
        yield stretch, held


def _around(base: Text, first: int, stop: int) -> tuple[Stretch | None, str]:
    """The smallest stretch around some lines that parses; where there is none, also what is wrong with the smallest."""
    wrong = ""
    for stretch in stretches_around(base, first, stop):
        error = parse_error(stretch.before(base), stretch.above)
        if not error:
            return stretch, ""
        wrong = wrong or ("" if stretch.indent else error)  # what is within a statement need not be read alone
    return None, wrong


def _read(base: Text, stretch: Stretch | None, hunks: Sequence[Hunk]) -> Parsed:
    if stretch is None:
        return Parsed("", "", NOT_READ)
    return Parsed("", parse_error(stretch.after(base, hunks), stretch.above), AROUND)

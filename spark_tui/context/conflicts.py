"""Where the conflicts are that a merge left in files."""

from collections.abc import Callable, Sequence
from hashlib import sha256

from spark_tui.context.source import Region, Source
from spark_tui.editing.markers import torn
from spark_tui.errors import UsageError

Lines = tuple[int, int]


def torn_region(
    paths: Sequence[str], read: Callable[[str], bytes], lines: Lines | None = None, symbol: str | None = None
) -> Region:
    """The stretch from the first to the last conflict of one file: of these lines or this function, else of all of it.

    Args: paths: the files to look in. read: the bytes of one. lines: 1-based.
    Raises: UsageError: there are none, or in several files.
    """
    found = [region for each in paths if (region := _in_file(each, read(each), lines, symbol))]
    if len(found) == 1:
        return found[0]
    if found:
        where = ", ".join(region.path for region in found)
        raise UsageError(f"there are conflicts in {where}: say which file, such as @{found[0].path}")
    raise UsageError(f"there is no conflict in {symbol or ', '.join(paths) or 'any file'}")


def _in_file(path: str, data: bytes, lines: Lines | None, symbol: str | None) -> Region | None:
    source = Source(path, data)
    found = torn(source.lines)
    if symbol is not None:
        places = [(each.start_line - 1, each.end_line - 1) for each in source.named(tuple(symbol.split(".")))]
        found = tuple(each for each in found if any(each.touches(*place) for place in places))
    if lines is not None:
        found = tuple(each for each in found if each.touches(lines[0] - 1, lines[1] - 1))
    if not found:
        return None
    return Region(path, found[0].start + 1, found[-1].end + 1, None, None, sha256(data).hexdigest())

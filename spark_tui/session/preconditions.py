"""What makes it impossible to edit lines, whatever is asked: told before a model reads them."""

from spark_tui.context.source import Region
from spark_tui.editing.markers import torn
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained


def refuse_uneditable(region: Region, base: Text) -> None:
    """Refuse a place where nothing can be edited. Args: base: the file. Raises: Abstained."""
    if why := _in_a_conflict(region, base) or _with_lone_returns(region, base):
        raise Abstained(why)


def _in_a_conflict(region: Region, base: Text) -> str:
    first, last = region.start_line - 1, region.end_line - 1
    found = [each for each in torn(base.lines) if each.touches(first, last)]
    if not found:
        return ""
    what = region.symbol or f"{region.path}:{region.start_line}-{region.end_line}"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    where = f"{region.path}:{found[0].start + 1}-{found[0].end + 1}{more}"
    return f"{what} is in a conflict ({where}); settle that first: /keep ours, theirs or both"


def _with_lone_returns(region: Region, base: Text) -> str:
    lines = base.lines[region.start_line - 1 : region.end_line]
    if not region.path.endswith((".py", ".pyi")) or not any("\r" in line for line in lines):
        return ""
    return f"{region.path} has CRs without LF in these lines: line ends to Python, none to git; convert them first"

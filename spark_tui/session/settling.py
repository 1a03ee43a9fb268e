"""What is said of conflicts that are settled by a side: which side is whose, and what is to be done then."""

from spark_tui.context.source import Region
from spark_tui.editing.markers import Torn, torn
from spark_tui.editing.parsing import parsed
from spark_tui.editing.text import Text
from spark_tui.vcs.conflicted import unmerged_files
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.underway import under_way


def settled_then(repo: Repository, region: Region, base: Text, file: Text) -> str:
    """What git calls the sides, and what is left to do. Args: region: the conflicts. file: with them settled."""
    first = next(each for each in torn(base.lines) if each.touches(region.start_line - 1, region.end_line - 1))
    work = under_way(repo)
    return "; ".join(filter(None, [_sides(first, work), _left(repo, region.path, base, file, work)]))


def _sides(conflict: Torn, work: str) -> str:
    told = f"ours is {conflict.ours or 'the upper one'}, theirs is {conflict.theirs or 'the lower one'}"
    return f"{told}, in a rebase your own commit" if work.startswith("a rebase") else told


def _left(repo: Repository, path: str, base: Text, file: Text, work: str) -> str:
    if left := torn(file.lines):
        return f"{path} has {len(left)} more, from line {left[0].start + 1}"
    if path.endswith(".py") and (broken := parsed(base, file).after):
        return f"{path} does not parse with it ({broken})"
    finish = f", and `git status` how to finish the {work.removeprefix('a ')}" if work else ""
    return f"then `git add {path}` tells git{finish}" if path in unmerged_files(repo) else ""

"""What an edit leaves undone, here and elsewhere.

Where else in the repository an edit matters: files that still use a name which the edited one has
lost.

What an edit leaves undone of a request of two steps, as the model that made it sees that; it knows
no English.

Where one part of the words makes the edit likelier than all of them do, the other part asked for
something else.
"""

import math
import re
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import replace

from spark_tui.editing.checks import names_for_others
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.hunks import diff
from spark_tui.editing.identifiers import uses
from spark_tui.editing.syntax import is_large, read_tree
from spark_tui.editing.text import Text
from spark_tui.errors import RepoError
from spark_tui.providers.base import Ability, Provider
from spark_tui.session.turn import Turn
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.repository import Repository

MOST_SECONDS = 2.0
MOST_SHOWN = 5
_OTHER = "[^A-Za-z0-9_\udc80-\udcff]"
_SIGN = "\udce2\udc80"
"""How a dash, a quotation mark or the like begins in UTF-8: git compares bytes, and others
beyond ASCII are letters.
"""
_HEAD = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(?P<name>\w+)")


def elsewhere(repo: Repository, path: str, before: Text, after: Text) -> str:
    """What to say of the other tracked files that use a name which `path` loses, or "".

    Args:
        before, after: The file without and with an edit.
    """
    if not path.endswith((".py", ".pyi")):
        return ""
    if is_large(before) or is_large(after):
        names = ", ".join(sorted(_heads_lost(before, after)))
        return f"did not look for other uses of {names}: the file is very large" if names else ""
    old = read_tree(before.to_bytes())
    new = read_tree(after.to_bytes())
    if old and new:
        lost = names_for_others(old) - names_for_others(new)
    else:
        lost = _heads_lost(before, after)
    if not lost:
        return ""
    return "; ".join(filter(None, [_still_here(lost, path, after), _in_others(repo, path, lost)]))


def _heads_lost(before: Text, after: Text) -> set[str]:
    """The functions and classes that are gone, by the lines that change alone."""
    hunks = diff(before, after)
    kept = _headed(line for hunk in hunks for line in hunk.new)
    return _headed(line for hunk in hunks for line in hunk.old) - kept


def _headed(lines: Iterable[str]) -> set[str]:
    """The functions and classes that begin in some lines."""
    return {head["name"] for line in lines if (head := _HEAD.match(line))}


def _still_here(lost: Collection[str], path: str, after: Text) -> str:
    """The lines of the file itself that still use what it has lost."""
    text = "\n".join(after.lines)
    found = {text.count("\n", 0, use.start) + 1: use.name for use in uses(text) if use.name in lost}
    if not found:
        return ""
    names = ", ".join(sorted({name.removeprefix(".") for name in found.values()}))
    rows = ", ".join(map(str, sorted(found)[:MOST_SHOWN])) + (
        " and more" if len(found) > MOST_SHOWN else ""
    )
    return f"{names} also in line {rows} of {path}: not changed"


def _in_others(repo: Repository, path: str, lost: Collection[str]) -> str:
    """The other tracked files that use what is lost."""
    names = ", ".join(sorted({name.removeprefix(".") for name in lost}))
    try:
        found = [
            each
            for each in _grepped(repo, [_pattern(name) for name in sorted(lost)])
            if each != path
        ]
    except RepoError:
        return f"too many files to look for other uses of {names}"
    return f"{names} also in: {few(found, MOST_SHOWN)}: not changed" if found else ""


def few(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _grepped(repo: Repository, expressions: Collection[str]) -> list[str]:
    """The tracked files in which one of some expressions is found, Python first.

    Raises:
        RepoError: Too slow.
    """
    patterns = [part for one in expressions for part in ("-e", one)]
    try:
        listed = run_git(
            ["grep", "-lIzE", *patterns],
            git_dir=repo.git_dir,
            work_tree=repo.root,
            most_seconds=MOST_SECONDS,
        )
    except GitFailure:
        return []
    found = [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]
    return sorted(found, key=lambda path: (not path.endswith((".py", ".pyi")), path))


def _pattern(name: str) -> str:
    before = r"\." if name.startswith(".") else f"(^|{_OTHER}|{_SIGN}[\udc80-\udcbf])"
    return f"{before}{re.escape(name.removeprefix('.'))}({_OTHER}|{_SIGN}|$)"


_FEWEST = 4
_MOST = 24
"""Words of a request that is looked at: each one more costs two passes."""
_LEAST = 2
_AROUND = "`'\",.:;()"
"""Words that are left, besides the name of the place and what stands around it: "in main" asks
for nothing.
"""
_GAIN = 0.1
"""How much likelier a part has to make the edit, as a log-probability."""
_EXPLAINS = math.log(0.85)
"""How likely it has to make it."""
_NEARLY = 0.1
"""Parts that come so close to the best say as much as that one; the shortest of them leaves the
most undone.
"""
_DONE = math.log(0.2)
"""From here on nothing is to be changed for what is left: it only told why."""


def left_over(turn: Turn) -> Generator[str | None, None, None]:
    """The words of a turn that its edit leaves undone, if there are any; None between passes, to be
    given up at.

    Raises:
        SparkError: The answerer fails.
    """
    own = turn.candidates.own
    request = turn.ask.request
    answerer = turn.answerer
    settled = turn.command or turn.request.rename or turn.request.keep
    if Ability.SCORE not in answerer.can or own is None or settled:
        return
    after = tuple(turn.page.within(own.file))
    rest = yield from _rest(answerer, request, after)
    place = {
        *turn.region.path.split("/"),
        *(turn.region.symbol or "").split("."),
        turn.region.symbol,
    }
    if sum(word.strip(_AROUND) not in place for word in rest.split()) >= _LEAST:
        then = QuotedRequest(request.path, after, rest)
        done = yield from _likely(answerer, then, after)
        if done < _DONE:
            yield rest


def _rest(
    answerer: Provider, request: QuotedRequest, after: Sequence[str]
) -> Generator[None, None, str]:
    """The words besides those that the edit is the likeliest for, or "".

    Args:
        after: The lines with it.
    """
    words = request.words.split()
    if not _FEWEST <= len(words) <= _MOST:
        return ""
    whole = yield from _likely(answerer, request, after)
    odds = dict[str, float]()
    for cut in range(1, len(words)):
        for part, rest in ((words[:cut], words[cut:]), (words[cut:], words[:cut])):
            likely = yield from _likely(answerer, replace(request, words=" ".join(part)), after)
            odds[" ".join(rest)] = likely
    best = max(odds.values())
    if best < max(whole + _GAIN, _EXPLAINS):
        return ""
    return max((rest for rest, likely in odds.items() if likely >= best - _NEARLY), key=len)


def _likely(
    answerer: Provider, request: QuotedRequest, after: Sequence[str]
) -> Generator[None, None, float]:
    """The log-probability that a request leads to these lines."""
    found = -math.inf
    for _, found in answerer.score(request, [after]):  # noqa: B007 - there is one
        yield
    return found

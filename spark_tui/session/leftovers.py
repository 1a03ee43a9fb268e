"""Finds what an edit leaves undone, in other files and of the request itself.

`elsewhere` looks for files that still use a name which the edited file has lost.

`left_over` looks for a second step of the request: where a part of the words makes the edit
likelier than all of them do, the other part asked for something else. The model judges that; this
page knows no English.
"""

import math
import re  # noqa: TID251 - reads source code
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
"""How long git may look for other uses."""
MOST_SHOWN = 5
"""Files, or lines, that are listed."""
_OTHER = "[^A-Za-z0-9_\udc80-\udcff]"
"""A byte that is no part of a name."""
_SIGN = "\udce2\udc80"
"""The first bytes of dashes, quotation marks and the like in UTF-8.

git compares bytes; the other characters beyond ASCII count as letters.
"""
_HEAD = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(?P<name>\w+)")
"""The line that a Python function or class begins with."""


def elsewhere(repo: Repository, path: str, before: Text, after: Text) -> str:
    """What to say of the other tracked files that use a name which `path` loses, or "".

    Args:
        before, after: The file without and with an edit.
    """
    if not path.endswith((".py", ".pyi")):
        return ""
    if is_large(before) or is_large(after):
        names = ", ".join(sorted(_heads_lost(before, after)))
        if not names:
            return ""
        return f"did not look for other uses of {names}: the file is very large"
    old = read_tree(before.to_bytes())
    new = read_tree(after.to_bytes())
    # Where one of the two does not parse, the changed `def` and `class` lines have to do.
    if old and new:
        lost = names_for_others(old) - names_for_others(new)
    else:
        lost = _heads_lost(before, after)
    if not lost:
        return ""
    return "; ".join(filter(None, [_still_here(lost, path, after), _in_others(repo, path, lost)]))


def _heads_lost(before: Text, after: Text) -> set[str]:
    """The functions and classes that are gone, judged by the changed lines alone."""
    hunks = diff(before, after)
    kept = _headed(line for hunk in hunks for line in hunk.new)
    return _headed(line for hunk in hunks for line in hunk.old) - kept


def _headed(lines: Iterable[str]) -> set[str]:
    """The functions and classes that begin in some lines."""
    return {head["name"] for line in lines if (head := _HEAD.match(line))}


def _still_here(lost: Collection[str], path: str, after: Text) -> str:
    """The clause about lines of the file itself that still use a lost name."""
    text = "\n".join(after.lines)
    lines = {text.count("\n", 0, use.start) + 1: use.name for use in uses(text) if use.name in lost}
    if not lines:
        return ""
    names = ", ".join(sorted({name.removeprefix(".") for name in lines.values()}))
    numbers = ", ".join(map(str, sorted(lines)[:MOST_SHOWN]))
    if len(lines) > MOST_SHOWN:
        numbers += " and more"
    return f"{names} also in line {numbers} of {path}: not changed"


def _in_others(repo: Repository, path: str, lost: Collection[str]) -> str:
    """The clause about other tracked files that use a lost name."""
    names = ", ".join(sorted({name.removeprefix(".") for name in lost}))
    patterns = [_pattern(name) for name in sorted(lost)]
    try:
        files = [file for file in _grepped(repo, patterns) if file != path]
    except RepoError:
        return f"too many files to look for other uses of {names}"
    return f"{names} also in: {few(files, MOST_SHOWN)}: not changed" if files else ""


def few(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _grepped(repo: Repository, expressions: Collection[str]) -> list[str]:
    """The tracked files that match one of several expressions, Python first.

    Raises:
        RepoError: git took too long.
    """
    patterns: list[str] = []
    for expression in expressions:
        patterns += ["-e", expression]
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
"""How few and how many words a request may have: each further word costs two passes."""
_LEAST = 2
"""Words that must be left besides the name of the place: "in main" asks for nothing."""
_AROUND = "`'\",.:;()"
"""Punctuation around the name of the place."""
_GAIN = 0.1
"""How much likelier a part must make the edit, as a log-probability."""
_EXPLAINS = math.log(0.85)
"""How likely a part must make the edit."""
_NEARLY = 0.1
"""How close to the best part others may come and still say as much.

The shortest of them leaves the most undone.
"""
_DONE = math.log(0.2)
"""From here on, nothing is to be changed for the words left: they only gave a reason."""


def left_over(turn: Turn) -> Generator[str | None, None, None]:
    """Find the words of a turn that its edit leaves undone.

    Yields:
        The words, if there are any; None between passes, where the search may be closed.

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
    # The rest must ask for something besides naming the place, and the model must want to change
    # something for it.
    if sum(word.strip(_AROUND) not in place for word in rest.split()) >= _LEAST:
        then = QuotedRequest(request.path, after, rest)
        done = yield from _likely(answerer, then, after)
        if done < _DONE:
            yield rest


def _rest(
    answerer: Provider, request: QuotedRequest, after: Sequence[str]
) -> Generator[None, None, str]:
    """The words besides those that make the edit likeliest, or "".

    Args:
        after: The lines with the edit.
    """
    words = request.words.split()
    if not _FEWEST <= len(words) <= _MOST:
        return ""
    whole = yield from _likely(answerer, request, after)
    odds = dict[str, float]()
    # Cut the words in two at every gap, and see how well each part alone explains the edit. What
    # explains it on its own needs no other part: that one asked for something else.
    for cut in range(1, len(words)):
        for part, rest in ((words[:cut], words[cut:]), (words[cut:], words[:cut])):
            logprob = yield from _likely(answerer, replace(request, words=" ".join(part)), after)
            odds[" ".join(rest)] = logprob
    best = max(odds.values())
    if best < max(whole + _GAIN, _EXPLAINS):
        return ""
    # `odds` is keyed by what is left: the longest rest leaves the shortest part to explain the
    # edit.
    nearly = [rest for rest, logprob in odds.items() if logprob >= best - _NEARLY]
    return max(nearly, key=len)


def _likely(
    answerer: Provider, request: QuotedRequest, after: Sequence[str]
) -> Generator[None, None, float]:
    """The log-probability that a request leads to these lines."""
    logprob = -math.inf
    for _, logprob in answerer.score(request, [after]):  # noqa: B007 - there is one
        yield
    return logprob

"""`spark train commits`: finds commits of public repositories that can serve as requests to learn.

A commit whose message says what was done, and whose change lies in one region of one file, is a
request with its answer. The module goes from clones to requests in five steps:

- Words (`words_of`): the subject of the message without what a tracker needs; none of a message
  that a machine wrote. These rules clean data that is trained on; they read nothing of a user.
- Clones (`history`, `contents`): git reads histories, files and licences, and runs nothing. A
  folder holds a clone of every repository, bare or not, called `owner+name`.
- Regions (`find_region`): a function, a class, or whole blocks around the change.
- Choice (`find_requests`): small changes that people made in one region of one file.
- References (`run`, `resolve`): no code and no message of others is kept. A file of references
  holds a JSON object a line:

      repository, commit, path, first (1-based), count, hash: the region, before the commit

  `resolve` makes the words from the message again, and reads what the region becomes from the
  commit.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, Any

from spark_tui.context.symbols import Symbol, is_test, outline_of, symbols
from spark_tui.editing.formats.quoted import ADD, DROP, QuotingError, apply_quoted, write_quoted
from spark_tui.editing.syntax import language_of
from spark_tui.errors import UsageError
from spark_tui.training.dataset import SHIPPED, leaks, say
from spark_tui.training.references import hash_of, without_blanks

FEWEST_WORDS = 2
MOST_WORDS = 20
"""Words of a commit's subject; fewer say nothing of the change, more are no instruction."""
_BOT = re.compile(
    r"\[bot\]|[-_ ][Bb]ot\b|[a-z]Bot\b|<bot@"
    r"|^(?i:dependabot|renovate|github-actions|pre-commit)\b"
)
# In order: merges and work in progress; commits to be squashed; releases; versions of dependencies;
# lists of changes; uploads and edits in a browser, in two rules; reviews; bare versions; commits
# that no CI runs for.
_MACHINE_MADE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:revert|reapply|merge[sd]?|bump(?:s|ed)?|wip|cherry.?pick\w*)\b.*",
        r"(?:fixup|squash|amend)!.*",
        r"(?:releas\w+|version|tag|prepar\w+|back to|start\w*)\b.*\b(?:\d+\.\d.*|release|version)",
        r"(?:up(?:date|grade)[sd]?|bump|pin|require)\b.*\b(?:to|from|version)\b.*\d.*",
        r"(?:.*\W)?(?:change ?logs?|release notes?|copyright|translations?)\b.*",
        r"(?:update|create|delete|rename)[sd]? \S+\.\w+",
        r"\S+ updates?|add(?:ed)? files via upload",
        r"(?:appl|address|incorporat)\w* .*(?:review|suggestion|feedback|comment)s?\b.*",
        r"v?\d+(?:\.\d+)+\S*.*",
        r".*\b(?:ci skip|skip ci)\b.*",
    )
)
_TICKET = r"(?:#\d+|gh-?\d+|[A-Z][A-Z0-9]+-\d{2,}|https?://\S+)"
_TICKETS = rf"{_TICKET}(?:(?:,|,? and|,? &|;)?\s*{_TICKET})*"
_CLOSING = (
    r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|re(?:f(?:s|erences)?)?|see|issues?|bugs?|pr"
    r"|tickets?|part of|for)"
)
# `Fix #12: words`, `[ABC-12] words` and the like, at either end.
_LEADING_TICKETS = re.compile(
    rf"(?i)(?:(?:{_CLOSING}[ :]+)?{_TICKETS}\s*[:.,;-]+"
    rf"|[\[(](?:{_CLOSING}[ :]+)?{_TICKETS}[\])]:?|#\d+)\s*"
)
_TRAILING_TICKETS = re.compile(
    rf"(?i)[\s,;.-]*(?:[\[(](?:{_CLOSING}[ :]*)*{_TICKETS}[\])]|\b{_CLOSING}:? {_TICKETS})[\s.]*$"
)
# What refers to something outside of the change: tickets, addresses, commits, people.
_ELSEWHERE = re.compile(r"#\d|\bgh-\d|https?:|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|@\w", re.IGNORECASE)
_EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_GITMOJI = re.compile(r"^(?::[a-z0-9_+-]+:\s*)+|(?:\s*:[a-z0-9_+-]+:)+$")
_PREFIX = re.compile(r"(?:[\w$./*+-]+(?:\([^()]*\))?!?:\s+|\[[^\[\]]*\]:?\s*)(?=\S)")
_CAPITALISED = re.compile(r"[A-Z][a-z]*(?![\w.(])")
_QUOTES = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")


def is_bot(author: str) -> bool:
    """Whether the name and address of an author are those of a program."""
    return bool(_BOT.search(author))


def words_of(subject: str, commit: str) -> str:
    """Make the words of a request from the subject of a message.

    Half of the prefixes (`fix(scope):`) and half of the first capitals go, as the commit's hash
    decides.

    Args:
        subject: The first line of the message.
        commit: The hash of the commit, in hexadecimal.

    Returns:
        The words, or nothing where a machine made the message, or it makes no request.
    """
    # The lowest two bits of the hash decide: random over commits, and the same in every run.
    choice = int(commit[-1], 16)
    text = " ".join(_EMOJI.sub("", subject.translate(_QUOTES)).split())
    text = _without_tickets(_GITMOJI.sub("", text))
    bare = text
    if _PREFIX.match(text):
        bare = _PREFIX.sub("", text, count=1)
    bare = _without_tickets(bare)
    if _is_no_request(bare) or any(pattern.fullmatch(text) for pattern in _MACHINE_MADE):
        return ""
    words = text
    if choice & 1:
        words = bare
    if choice & 2 and _CAPITALISED.match(words):
        words = words[0].lower() + words[1:]
    return words


def _without_tickets(text: str) -> str:
    """Take the numbers of tickets and the dots from both ends of a line."""
    before = ""
    while text != before:
        before = text
        if match := _LEADING_TICKETS.match(text):
            text = text[match.end() :]
        text = _TRAILING_TICKETS.sub("", text).strip()
        # two dots stand for words that were cut off, see `_is_no_request`
        if not text.endswith(".."):
            text = text.rstrip(" .,;:")
    return text


def _is_no_request(text: str) -> bool:
    """Whether a line is too short or long, cut off, in other letters, or refers to a tracker."""
    words = text.split()
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS or not text.isascii() or text.endswith(".."):
        return True
    spelled = [word for word in words if any(map(str.isalpha, word))]
    if len(spelled) < FEWEST_WORDS or _ELSEWHERE.search(text):
        return True
    return any(pattern.fullmatch(text) for pattern in _MACHINE_MADE)


# A clone is a stranger's: its configuration, attributes and the user's own must neither run a
# program nor change what git prints.
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.quotePath=true",
    "core.alternateRefsCommand=",
    "diff.external=",
    "diff.renames=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "log.showRoot=true",
    "i18n.logOutputEncoding=UTF-8",
    "protocol.allow=never",
)
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
_FORMAT = "--format=%x01%H%x01%an <%ae>%x01%s"
_LICENCE_NAME = re.compile(r"(?i)(?:licen[cs]e|copying)(?:[-.][\w.-]*)?")
# By the text of MIT, BSD, Apache and ISC licences, whatever their file is called.
_PERMISSIVE = re.compile(
    r"(?i)Permission is hereby granted, free of charge"
    r"|Redistribution and use in source and binary forms"
    r"|Apache License,? Version 2\.0|apache\.org/licenses/LICENSE-2\.0"
    r"|Permission to use, copy, modify,? and(?:/or)? distribute this software"
)
_RECIPROCAL = re.compile(
    r"(?i)GNU (?:Lesser |Affero |Library )?General Public"
    r"|Mozilla Public|Server Side Public"
)


@dataclass(frozen=True, slots=True)
class Clone:
    """A clone of a repository.

    Attributes:
        name: The repository, as owner/name.
        git_dir: The git directory of the clone.
    """

    name: str
    git_dir: Path


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file that a commit changes.

    Attributes:
        path: The path of the file.
        old: The hash of its contents before the commit.
        new: The hash of its contents after the commit.
        modified: Whether it is a regular file before and after, under the same path.
    """

    path: str
    old: str
    new: str
    modified: bool


@dataclass(frozen=True, slots=True)
class RepositoryCommit:
    """A commit.

    Attributes:
        id: The hash of the commit.
        author: The name and the address of the author.
        subject: The first paragraph of the message.
        changes: The files that the commit changes.
    """

    id: str
    author: str
    subject: str
    changes: tuple[CommittedFile, ...]


def clones_in(folder: Path) -> list[Clone]:
    """List the clones in a folder, by name.

    Raises:
        UsageError: The folder cannot be read.
    """
    try:
        folders = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as e:
        raise UsageError(f"{folder} cannot be read ({e.strerror}); give a folder of clones") from e
    clones = (clone_in(folder, path.name.replace("+", "/", 1)) for path in folders)
    return [clone for clone in clones if clone is not None]


def clone_in(folder: Path, repository: str) -> Clone | None:
    """Find the clone of a repository in a folder of clones; None where it has none."""
    home = folder / repository.replace("/", "+", 1)
    for git_dir in (home / ".git", home):
        if (git_dir / "HEAD").is_file() and (git_dir / "objects").is_dir():
            return Clone(repository, git_dir)
    return None


def is_permissive(clone: Clone) -> bool:
    """Whether the newest commit's licence files hold an MIT, BSD, Apache or ISC licence alone."""
    with _git(clone, "ls-tree", "--name-only", "HEAD") as output:
        names = output.read().decode("utf-8", "replace").splitlines()
    licences = [f"HEAD:{name}" for name in names if _LICENCE_NAME.fullmatch(name)]
    files = b"\n".join(data for data in contents(clone, licences) if data)
    text = " ".join(files.decode("utf-8", "replace").split())
    return bool(_PERMISSIVE.search(text)) and not _RECIPROCAL.search(text)


def history(clone: Clone) -> Iterator[RepositoryCommit]:
    """Read the commits that lead to the newest one, from the newest on, without merges."""
    arguments = ("log", "--no-merges", "--raw", "--no-abbrev", *_DIFF, _FORMAT, "HEAD", "--")
    with _git(clone, *arguments) as output:
        yield from _commits(output)


def subjects(clone: Clone, commits: Iterable[str]) -> dict[str, str]:
    """Read the subjects of commits; commits that the clone lacks are left out."""
    arguments = ("log", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--no-patch")
    with _git(clone, *arguments, *_DIFF, _FORMAT, names=commits) as output:
        return {commit.id: commit.subject for commit in _commits(output)}


def contents(clone: Clone, names: Iterable[str]) -> Iterator[bytes | None]:
    """Read files, one after the other.

    Args:
        clone: The clone to read.
        names: The name of each file for git: its hash, or COMMIT:PATH.

    Yields:
        The contents of each file, in order; None where there is no such file.
    """
    # `cat-file --batch` answers each name with a header, and with the data if there is such an
    # object.
    names = list(names)
    with _git(clone, "cat-file", "--batch", names=names) as output:
        for _ in names:
            header = output.readline().split(b" ")
            # "NAME KIND SIZE", or "NAME missing"
            if len(header) < 3 or not header[-1].strip().isdigit():
                yield None
                continue
            # a line feed follows the data
            data = output.read(int(header[-1]) + 1)[:-1]
            if header[-2] == b"blob":
                yield data
            else:
                yield None


def _commits(output: IO[bytes]) -> Iterator[RepositoryCommit]:
    header: list[str] = []
    changes: list[CommittedFile] = []
    for line in output:
        text = line.decode("utf-8", "replace").rstrip("\n")
        if text.startswith("\x01"):
            if header:
                yield RepositoryCommit(header[0], header[1], header[2], tuple(changes))
            header = text[1:].split("\x01", 2)
            changes = []
        elif text.startswith(":"):
            changes.append(_change(text))
    if header:
        yield RepositoryCommit(header[0], header[1], header[2], tuple(changes))


def _change(line: str) -> CommittedFile:
    """Parse a line of `--raw`: `:MODE MODE HASH HASH STATUS<TAB>PATH`, which may be quoted."""
    facts, _, path = line.partition("\t")
    old_mode, new_mode, old, new, status = facts[1:].split(" ")
    regular = old_mode.startswith("100") and new_mode.startswith("100")
    # git quotes paths with odd characters; such files are left out
    return CommittedFile(
        path, old, new, modified=status == "M" and regular and not path.startswith('"')
    )


@contextmanager
def _git(clone: Clone, *arguments: str, names: Iterable[str] = ()) -> Iterator[IO[bytes]]:
    """Run git, and give its output; git ends with the block, even in mid-work.

    Args:
        clone: The clone to run git in.
        arguments: The arguments of git.
        names: The lines that git reads from stdin.
    """
    command = ["git", f"--git-dir={clone.git_dir}", *_OPTIONS]
    for setting in _SETTINGS:
        command += ["-c", setting]
    command += arguments
    # Names come from a file. Through a pipe, git could wait for somebody to read its output while
    # this process still writes names.
    with tempfile.TemporaryFile() as file:
        file.writelines(f"{name}\n".encode() for name in names)
        file.seek(0)
        env = {"PATH": os.environ.get("PATH", os.defpath), **_ENVIRONMENT}
        with subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, env=env) as git:
            assert git.stdout
            try:
                yield git.stdout
            finally:
                git.kill()


LONGEST_REGION = 80
"""Lines of a block that is shown whole, as spark itself would."""
SHORTEST_WINDOW = 20
LONGEST_WINDOW = 60
"""The most lines of a region that is made of whole blocks around the change."""
MARGIN = 10
"""Lines on each side of a change whose block is too long to be shown whole."""


def changed_lines(before: Sequence[str], after: Sequence[str]) -> tuple[int, int] | None:
    """Find the first and the last line of a file (1-based) between which all that changes lies.

    Returns:
        The lines; the two on both sides of where lines are only added. None where nothing changes.
    """
    if before == after:
        return None
    shorter = min(len(before), len(after))
    top = 0
    while top < shorter and before[top] == after[top]:
        top += 1
    bottom = 0
    while bottom < shorter - top and before[-1 - bottom] == after[-1 - bottom]:
        bottom += 1
    first = top + 1
    last = len(before) - bottom
    # Nothing is removed: the lines on both sides of what is added.
    if first > last:
        first, last = max(last, 1), min(first, len(before))
    return first, last


def find_region(path: str, lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Find the region that shows lines of a file (1-based): the innermost symbol, else a window.

    Returns:
        The first and the last line of the region.
    """
    # shown whole up to a length, as spark shows a function; else a stretch around the change
    nearby = _symbols(path, lines, first, last)
    holders = (symbol for symbol in nearby if symbol.contains(first, last))
    innermost = min(holders, key=lambda symbol: symbol.length, default=None)
    if innermost is not None and innermost.length <= LONGEST_REGION:
        return innermost.start_line, innermost.end_line
    return find_window(lines, first, last)


def _symbols(path: str, lines: Sequence[str], first: int, last: int) -> tuple[Symbol, ...]:
    if path.endswith((".py", ".pyi")):
        return symbols(lines)
    # A symbol begins with the comment above it, which stands before what the grammar calls it.
    return outline_of(path, lines, (first, last + LONGEST_REGION))


def find_window(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Find whole blocks around lines of a file (1-based); a blank line ends a block.

    Returns:
        The first and the last line of the window.
    """
    start = _block_start(lines, first)
    end = _block_end(lines, last)
    # the blocks that change are too long already: a stretch, cut without regard to blocks
    if end - start >= LONGEST_WINDOW:
        start = max(1, first - MARGIN)
        return start, min(len(lines), last + MARGIN, start + LONGEST_REGION - 1)
    # A short block says little of its surroundings: blocks are added until it is long enough.
    while end - start + 1 < SHORTEST_WINDOW and (start, end) != (1, len(lines)):
        wider = _wider(lines, start, end)
        if wider[1] - wider[0] >= LONGEST_WINDOW:
            break
        start, end = wider
    return start, end


def _wider(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Add the shorter one of the blocks above and below, where there are both."""
    above = _block_start(lines, max(start - 2, 1))
    below = _block_end(lines, min(end + 2, len(lines)))
    if end == len(lines) or (start > 1 and start - above <= below - end):
        return above, end
    return start, below


def _block_start(lines: Sequence[str], number: int) -> int:
    while number > 1 and lines[number - 2]:
        number -= 1
    return number


def _block_end(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and lines[number]:
        number += 1
    return number


MOST_OF_REPOSITORY = 1500
"""Requests, so that no repository's habits become the model's."""
DIRECTORY_SHARE = 30
"""At most one request in so many of a repository comes from the same directory."""
MOST_FILES = 3
"""Files of a commit; the subject of a larger one tells too little about each."""
MOST_CHANGED = 40
"""Lines that a script removes and adds."""
LONGEST_LINE = 300
"""Characters; longer lines are data, or were written by a program."""
_LARGEST_FILE = 150_000
"""Bytes beyond which a file is not read: most that is larger was not typed."""
_MOST_REPOSITORIES = 2
"""Words that more repositories use are about no change in particular."""
_HEAD = 10
"""Lines in which a generated file tells that it is one."""
_VENDORED = re.compile(
    r"(?i)(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|3rdparty|extern(?:al)?"
    r"|node_modules|dist|deps|bower_components)/"
)
_ASIDE = re.compile(
    r"(?i)(?:^|/)(?:(?:change(?:s|log)|news(?:fragments)?|release[_-]?notes|history)\b[^/]*(?:/.*)?"
    r"|[^/]*\.lock|[^/]*[-.]lock\.\w+|go\.sum|npm-shrinkwrap\.json|[^/]*\.snap"
    r"|(?:authors|contributors)\b[^/]*)$"
)
"""Files that change along with others: lists of changes and of people, lock files, snapshots."""
_GENERATED_NAME = re.compile(r"(?i)(?:[.-]min|_pb2(?:_grpc)?|\.pb|\.generated|\.g)\.\w+$")
_GENERATED = re.compile(r"(?i)@generated|generated by|do not (?:edit|modify)|auto\S*[ -]?generated")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_NUMBER = re.compile(r"\d+")
_TEXT_NAME = re.compile(r"\.(?:rst|adoc|cfg|ini|scss|less|vue|svelte|cmake|gradle)$")
"""Endings of files that people write and no grammar reads."""


@dataclass(frozen=True, slots=True)
class CommitReference:
    """The region of a file that a commit changes.

    Attributes:
        repository: The repository, as owner/name.
        commit: The hash of the commit.
        path: The file.
        first: The first line of the region in the commit's parent, from 1.
        count: The number of lines.
        hash: The hash of the lines.
    """

    repository: str
    commit: str
    path: str
    first: int
    count: int
    hash: str


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A request made of a commit.

    Attributes:
        reference: The region.
        words: The words, made of the commit's message.
        before: The lines of the region before the commit.
        after: The lines that the commit makes of them.
    """

    reference: CommitReference
    words: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A commit that may become a request, judged by its message and its list of files."""

    commit: str
    words: str
    change: CommittedFile


def find_requests(clone: Clone, most: int = MOST_OF_REPOSITORY) -> Iterator[CommitRequest]:
    """Find the commits that make requests, in the order of their hashes: evenly over the history.

    Args:
        clone: The clone of a repository.
        most: The most requests to find.
    """
    # The contents of all candidates come from one process of git, in their order; the loop below
    # takes two of them for each, before it skips any.
    candidates = _candidates(history(clone))
    names = ((candidate.change.old, candidate.change.new) for candidate in candidates)
    files = contents(clone, chain.from_iterable(names))
    directories = Counter[str]()
    known = set[tuple[str, str]]()
    for candidate in candidates:
        before = next(files)
        after = next(files)
        directory = str(PurePosixPath(candidate.change.path).parent)
        if directories[directory] >= max(most // DIRECTORY_SHARE, 1):
            continue
        request = _make_request(clone.name, candidate, before, after)
        if request is None or (request.words, request.reference.hash) in known:
            continue
        known.add((request.words, request.reference.hash))
        directories[directory] += 1
        yield request
        if len(known) == most:
            return


def without_commonplaces(requests: Sequence[CommitRequest]) -> Iterator[CommitRequest]:
    """Leave out words that several repositories use: `fix the tests` describes no change."""
    pairs = {(request.words.lower(), request.reference.repository) for request in requests}
    counts = Counter(words for words, _ in pairs)
    return (request for request in requests if counts[request.words.lower()] <= _MOST_REPOSITORIES)


def _candidates(commits: Iterable[RepositoryCommit]) -> list[_Candidate]:
    """Choose commits by their files and by messages that occur once, in the order of hashes."""
    counts = Counter[str]()
    candidates: list[tuple[str, _Candidate]] = []
    for commit in commits:
        # Counted before the choice: a subject that comes twice says nothing of either change.
        counts[commit.subject.lower()] += 1
        change = changed_file(commit.changes)
        if change is None or is_bot(commit.author):
            continue
        words = words_of(commit.subject, commit.id)
        if words:
            candidates.append((commit.subject.lower(), _Candidate(commit.id, words, change)))
    unique = [candidate for subject, candidate in candidates if counts[subject] == 1]
    unique.sort(key=lambda candidate: candidate.commit)
    return unique


def changed_file(changes: Sequence[CommittedFile]) -> CommittedFile | None:
    """Choose the file that a commit is about.

    Tests, lists of changes and lock files may change along with it; a test may change alone.

    Returns:
        The change of the file; None for several files, or one that people did not write.
    """
    if not 0 < len(changes) <= MOST_FILES:
        return None
    files = [change for change in changes if not _ASIDE.search(change.path)]
    # drops a test that changed along with the source
    if len(files) > 1:
        files = [change for change in files if not is_test(change.path)]
    if len(files) != 1 or not files[0].modified or not _is_written(files[0].path):
        return None
    return files[0]


def _is_written(path: str) -> bool:
    if _VENDORED.search(path) or _GENERATED_NAME.search(path):
        return False
    return language_of(path) is not None or _TEXT_NAME.search(path) is not None


def _make_request(
    repository: str,
    candidate: _Candidate,
    old: bytes | None,
    new: bytes | None,
) -> CommitRequest | None:
    # The cheap tests come first: of most candidates nothing is left before a file is parsed.
    if not old or not new or max(len(old), len(new)) > _LARGEST_FILE:
        return None
    before = split_lines(old)
    after = split_lines(new)
    if _GENERATED.search("\n".join(before[:_HEAD])):
        return None
    changed = changed_lines(before, after)
    if changed is None or changed[1] - changed[0] >= LONGEST_REGION:
        return None
    path = candidate.change.path
    first, last = find_region(path, before, *changed)
    region = before[first - 1 : last]
    digest = hash_of(region)
    reference = CommitReference(repository, candidate.commit, path, first, len(region), digest)
    request = cut_region(reference, candidate.words, before, after)
    if request is None or not _is_sound(request):
        return None
    return request


def _is_sound(request: CommitRequest) -> bool:
    """Whether a change is small, more than layout, typed by people, and a script can write it."""
    before = request.before
    after = request.after
    lines = [*before, *after]
    if not any(after) or max(map(len, lines)) > LONGEST_LINE or any(map(_ODD.search, lines)):
        return False
    if _is_layout(before, after) or not _has_its_numbers(request):
        return False
    script = write_quoted(before, after)
    if sum(line[:1] in {ADD, DROP} for line in script) > MOST_CHANGED:
        return False
    try:
        return tuple(apply_quoted(before, script)) == after
    except QuotingError:
        return False


def _is_layout(before: Sequence[str], after: Sequence[str]) -> bool:
    return "".join("".join(before).split()) == "".join("".join(after).split())


def _has_its_numbers(request: CommitRequest) -> bool:
    """Whether the words hold the new numbers, where only numbers change: versions and dates do."""
    before = "\n".join(request.before)
    after = "\n".join(request.after)
    if _NUMBER.sub("0", before) != _NUMBER.sub("0", after):
        return True
    # Numbers alone changed: a request only where its words name one of the new numbers.
    new = set(_NUMBER.findall(after)) - set(_NUMBER.findall(before))
    return bool(new.intersection(_NUMBER.findall(request.words)))


def split_lines(data: bytes | None) -> list[str]:
    """Split a file into lines as `references.read_lines` does; none where it is no text."""
    try:
        text = (data or b"").decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return []
    return without_blanks(text.split("\n"))


def cut_region(
    reference: CommitReference,
    words: str,
    before: Sequence[str],
    after: Sequence[str],
) -> CommitRequest | None:
    """Cut the region from both states of a file; None where its hash is not the reference's."""
    start = reference.first - 1
    stop = reference.first - 1 + reference.count
    old = tuple(before[start:stop])
    # All of the change lies in the region, which has grown by as many lines as the file.
    new = tuple(after[start : stop + len(after) - len(before)])
    if not words or hash_of(old) != reference.hash:
        return None
    return CommitRequest(reference, words, old, new)


COMMITS = "commits.jsonl.gz"
HELD_REPOSITORIES = 15
"""One repository in so many goes to a file of its own."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `commits`."""
    parser = commands.add_parser("commits", help="find commits of public repositories for requests")
    folder = "holds a clone of each repository, called owner+name"
    parser.add_argument("clones", type=Path, metavar="CLONES_DIR", help=folder)
    out = "to write (default: %(default)s)"
    parser.add_argument("--out", type=Path, default=Path(COMMITS), help=out)
    parser.add_argument(
        "--most",
        type=int,
        default=MOST_OF_REPOSITORY,
        metavar="N",
        help="requests of a repository (default: %(default)s)",
    )
    likelier = "keep the commits whose words a model finds likelier with their change than without"
    parser.add_argument("--keep-likelier", action="store_true", help=likelier)
    model = "that model, by name or folder (default: the shipped one)"
    parser.add_argument("-m", "--model", help=model)


def run(args: argparse.Namespace, keeps: Callable[[CommitRequest], bool] | None = None) -> int:
    """Run `commits`: write the references to the requests in clones.

    Args:
        args: The arguments of the command line.
        keeps: Whether a request is kept; None keeps all.

    Raises:
        UsageError: The folder of clones cannot be read.
    """
    requests: list[CommitRequest] = []
    for clone in clones_in(args.clones):
        if not is_permissive(clone):
            say(f"{clone.name}: left out, it has no permissive license")
            continue
        chosen: list[CommitRequest] = []
        for request in find_requests(clone, args.most):
            if keeps is None or keeps(request):
                chosen.append(request)
        say(f"{clone.name}: {len(chosen)} requests")
        requests += chosen
    references = [request.reference for request in without_commonplaces(requests)]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(map(_json_line, map(asdict, references)))
    # without a time, so that the same references give the same file
    args.out.write_bytes(gzip.compress(text.encode(), mtime=0))
    say(f"{args.out}: {len(references)} references")
    return 0


def write_requests(args: argparse.Namespace) -> int:
    """Run `data --commits`: write requests with their code, those of held repositories apart.

    Raises:
        UsageError: A file of references cannot be read.
    """
    paths: list[Path] = args.references or [SHIPPED / COMMITS]
    references = chain.from_iterable(map(read_references, paths))
    parts: dict[str, list[CommitRequest]] = {"commits": [], "commits.held": []}
    for request in resolve(references, args.commits):
        name = "commits.held" if is_held(request.reference.repository) else "commits"
        if not leaks([*request.before, *request.after]):
            parts[name].append(request)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for name, requests in parts.items():
        path = args.out.with_suffix(f".{name}{args.out.suffix}")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(map(_json_line, map(as_row, requests)))
        say(f"{path}: {len(requests)} requests")
    return 0


def is_held(repository: str) -> bool:
    """Whether the requests of a repository are kept from training, to measure what it teaches."""
    return zlib.crc32(repository.lower().encode()) % HELD_REPOSITORIES == 0


def as_row(request: CommitRequest) -> dict[str, Any]:
    """Make the line of a file of requests (see `rows`)."""
    asked = {"words": request.words, "after": "\n".join(request.after)}
    code = "\n".join(request.before)
    return {"path": request.reference.path, "code": code, "requests": [asked]}


def _json_line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def read_references(path: Path) -> list[CommitReference]:
    """Read the references of a file, gzipped where its name ends in .gz.

    Raises:
        UsageError: The file cannot be read or holds something else.
    """
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        lines = filter(str.strip, data.decode().split("\n"))
        return [CommitReference(**json.loads(line)) for line in lines]
    except (OSError, EOFError, ValueError, TypeError) as e:
        advice = "make it with `spark train commits`"
        raise UsageError(f"{path} holds no references to commits ({e}); {advice}") from e


def resolve(references: Iterable[CommitReference], clones: Path) -> Iterator[CommitRequest]:
    """Read the requests of references, repository by repository; say which are missing.

    Args:
        references: The references, in any order.
        clones: The folder of clones.
    """
    by_repository: dict[str, list[CommitReference]] = {}
    for reference in references:
        by_repository.setdefault(reference.repository, []).append(reference)
    for repository, group in by_repository.items():
        clone = clone_in(clones, repository)
        if clone is None:
            say(f"{repository}: {len(group)} requests left out, there is no clone")
            continue
        requests = [request for request in _read_requests(clone, group) if request is not None]
        yield from requests
        missing = len(group) - len(requests)
        if missing:
            say(f"{repository}: {missing} requests left out, the clone holds no such lines")


def _read_requests(
    clone: Clone, references: Sequence[CommitReference]
) -> Iterator[CommitRequest | None]:
    messages = subjects(clone, (reference.commit for reference in references))
    names: list[str] = []
    for reference in references:
        # the file in the parent, then in the commit
        names.append(f"{reference.commit}^:{reference.path}")
        names.append(f"{reference.commit}:{reference.path}")
    files = contents(clone, names)
    for reference in references:
        before = split_lines(next(files))
        after = split_lines(next(files))
        words = words_of(messages.get(reference.commit, ""), reference.commit)
        yield cut_region(reference, words, before, after)

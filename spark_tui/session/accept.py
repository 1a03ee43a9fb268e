"""What accepting hunks writes, and everything said about a proposal before and after.

Accepting fits the hunks to the file as it is on disk: hunks of a file that was edited during the
review go in beside the edits, exactly as shown, or not at all (`fitted`). The rest of the module,
in this order: what a change breaks (`faults`, `broken`); the one or several files of a turn (see
`editing.multi_file`); consents, for files and for text that is not what it looks like
(`concerns_about`, `doubts`); and what the user does to a proposal by hand (`edit`, `verdict`,
`show_another`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from spark_tui.context.verbatim_names import file_names
from spark_tui.editing.checks import run_checks
from spark_tui.editing.confusables import suspects, warning
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.identifiers import names_in
from spark_tui.editing.line_diff import is_document, sections, whole_file
from spark_tui.editing.multi_file import Files, apart, changed, former_names, joined
from spark_tui.editing.rebase import transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained, Conflict, FileError, UsageError
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Status
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.patch import merge
from spark_tui.vcs.policy import concerns
from spark_tui.vcs.repository import Repository


def chosen_of(turn: Turn, hunk_ids: Collection[str] | None) -> Collection[str]:
    """The ids of the hunks of a turn to accept.

    Args:
        hunk_ids: None: every hunk that is fully written.

    Raises:
        Abstained: The turn offers none.
        UsageError: A hunk is not open, or still being written.
    """
    if turn.status is Status.ABSTAINED:
        raise Abstained(turn.message)
    # While the turn runs, only hunks whose last line is written may reach the disk.
    closed = {hunk.id for hunk in turn.closed_hunks}
    if hunk_ids is None:
        return closed
    if being_written := set(hunk_ids) & {part.hunk.id for part in turn.parts} - closed:
        raise UsageError(
            f"hunk {min(being_written)} is still being written; pause or wait for its end"
        )
    if unknown := set(hunk_ids) - closed:
        raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
    return hunk_ids


def fitted(
    repo: Repository, change: FileChange, over: Mapping[str, str] | None = None
) -> FileChange:
    """Fit a change to the file as it is on disk now.

    A file that is created or deleted is written as a whole.

    Args:
        over: The details of the conflicts that the user saw, by file; there the hunks replace the
            lines that clash.

    Raises:
        Conflict: The lines of the hunks, or lines beside them, were edited; its detail has both
            versions.
        FileError: The file is gone, or no longer text.
    """
    if change.before is None or change.after is None:
        return change
    now = repo.read(change.path)
    if now == change.before:
        return change
    try:
        merged = merge(change.before, now, change.after, change.path)
    except Conflict as e:
        # The user agreed to override the conflict they saw; another one has to be shown first.
        if over is None or e.detail != over.get(change.path):
            raise
        merged = merge(change.before, now, change.after, change.path, prefer="theirs")
        return FileChange(change.path, now, merged)
    fit = FileChange(change.path, now, merged)
    # A clean merge may still join or drop hunks; nothing is written that the screen did not show.
    if _hunks(fit) != _hunks(change):
        raise Conflict(
            f"{change.path} has changed on disk, and the hunks do not fit as shown; nothing was "
            f"written"
        )
    return fit


def since(turn: Turn, change: FileChange) -> FileChange:
    """Everything accepted of a turn so far, and of the turns it goes on from, as one change.

    Args:
        change: What was accepted last.
    """
    now = Text.from_bytes(change.after or b"", change.path)
    try:
        before = transplant(turn.review.base, turn.file.beginning, now, change.path)
    except Conflict:  # somebody else edited those lines, too: only the last accept can be judged
        return change
    return replace(change, before=before.to_bytes())


def faults(change: FileChange) -> str:
    """What a change breaks in its file, or "".

    The file did parse and no longer does, or the change uses unknown names.
    """
    checks = run_checks(*change.texts, change.path)
    return "; ".join(check.fault for check in checks if not check.ok)


def half_renamed(turn: Turn, after: Text) -> str:
    """The names that a renaming leaves in part, or "", in languages whose names no check knows.

    Args:
        after: The file with the change.
    """
    if turn.kind != "rename" or turn.region.path.endswith(".py"):
        return ""  # of Python, "names" tells what is undefined, function by function
    before = _names_of(turn.base)
    whole = _names_of(turn.file.proposal)
    now = _names_of(after)
    # No new name is in the file yet, so nothing is half renamed.
    if not (whole - before) & now:
        return ""
    left = (before - whole) & now
    return f"names: {', '.join(sorted(left))} only partly renamed" if left else ""


def _names_of(text: Text) -> set[str]:
    return names_in("\n".join(text.lines))


def broken(changes: Iterable[FileChange]) -> str:
    """The files that changes break, and how, or ""."""
    parts = []
    for change in changes:
        fault = faults(change) if change.after is not None else ""
        if fault:
            parts.append(f"{change.path} ({fault})")
    return ", ".join(parts)


def _hunks(change: FileChange) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The old and the new lines of each hunk, wherever the hunk stands in the file."""
    return [(hunk.old, hunk.new) for hunk in diff(*change.texts)]


def has_several(turn: Turn) -> bool:
    """Whether several files are, or may be, under review together."""
    return is_document(turn.file.base.raw)


def paths_of(turn: Turn) -> tuple[str, ...]:
    """The files that a turn is about, and those it would create, relative to the root.

    A file that it renames has both of its names. The caller holds the lock.
    """
    if not has_several(turn):
        return (str(turn.region.path),)
    base = sections(turn.file.base.raw)
    names = {section.origin: [section.path] for section in base}
    order = list(names)
    known = len(order)
    # All versions list their files in the same order, so a file that only a later version has (a
    # created one) goes behind the file before it.
    for text in (turn.review.base, turn.file.proposal, turn.review.proposed):
        position = known
        for section in sections(text.raw):
            if section.origin not in names:
                names[section.origin] = []
                order.insert(position, section.origin)
            if section.path not in names[section.origin]:
                names[section.origin].append(section.path)
            position = max(position, order.index(section.origin) + 1)
    return tuple(chain.from_iterable(names[origin] for origin in order))


def changes_between(before: Text, after: Text, path: str) -> tuple[FileChange, ...]:
    """The changes that lead from one version of a turn's files to another, file by file.

    Args:
        path: The path of a lone file.
    """
    return tuple(
        FileChange(name, _bytes(old), _bytes(new))
        for name, old, new in changed(before, after, path)
    )


def _bytes(text: Text | None) -> bytes | None:
    return None if text is None else text.to_bytes()


def on_disk(repo: Repository, turn: Turn) -> Text:
    """The files of a turn as they are on disk now.

    Raises:
        FileError: A lone file is gone, or no longer text.
    """
    if not has_several(turn):
        path = str(turn.region.path)
        return Text.from_bytes(repo.read(path), path)
    with turn.lock:
        paths = paths_of(turn)
    return _as_one(turn, {path: _read(repo, path) for path in paths})


def with_files(turn: Turn, changes: Iterable[FileChange], *, before: bool) -> Text:
    """The files of a turn as changes have them; the caller holds the lock.

    Args:
        before: Whether the files are as they were before the changes.
    """
    images = {}
    for change in changes:
        images[change.path] = change.before if before else change.after
    if not has_several(turn):
        return Text.from_bytes(images[turn.region.path] or b"", turn.region.path)
    known: dict[str, Text | None] = dict(apart(turn.review.base))
    for path, data in images.items():
        known[path] = None if data is None else Text.from_bytes(data, path)
    return _as_one(turn, {path: known[path] for path in paths_of(turn) if path in known})


def _as_one(turn: Turn, texts: Mapping[str, Text | None]) -> Text:
    """The files of a turn as one text.

    Args:
        texts: By path, in the order of `paths_of`; None: there is no such file.
    """
    with turn.lock:
        # A file that is renamed but not yet accepted may stand under either of its names.
        here = {section.path for section in sections(turn.review.base.raw)}
        former = former_names(turn.review.base) | former_names(turn.file.proposal)
    left_out: set[str] = set()
    for path, old in former.items():
        # The name that exists holds; where both or neither do, the review's base tells.
        is_there = texts.get(path) is not None
        is_new_name = path in here
        if is_there != (texts.get(old) is not None):
            is_new_name = is_there
        left_out.add(old if is_new_name else path)
    files: dict[str, Text] = {}
    for path, text in texts.items():
        there = turn.missing if text is None else text
        if there is not None and path not in left_out:
            files[path] = there
    return joined(files, former)


def _read(repo: Repository, path: str) -> Text | None:
    try:
        return Text.from_bytes(repo.read(path), path)
    except FileError:
        return None


@dataclass(frozen=True, slots=True)
class Odd:
    """What is odd about a hunk: text that is not what it looks like.

    Args:
        words: One line for the user; "" when nothing is odd.
        spans: Offsets of the odd text in each new line, by the line's number in the hunk.
    """

    words: str
    spans: Mapping[int, tuple[tuple[int, int], ...]]


def odd_in(base: Text, hunks: Iterable[Hunk]) -> dict[str, Odd]:
    """What is odd about hunks, by their ids; hunks without anything odd are left out.

    Args:
        base: A file, or several files one below the other; lines are counted in each file.
    """
    odd: dict[str, Odd] = {}
    files = Files(base.raw)
    file = ""
    # By how many lines the hunks above have moved the line, in the file with the edit.
    shift = 0
    for hunk in hunks:
        path, line = files.spot(hunk)
        if path != file:
            file = path
            shift = 0
        if suspicious := suspects(base, hunk):
            spans = defaultdict[int, list[tuple[int, int]]](list)
            for suspect in suspicious:
                spans[suspect.line].append((suspect.start, suspect.stop))
            # Line numbers are 1-based, but the heading of a whole file counts as its line 0.
            is_heading_first = bool(whole_file(hunk.old, hunk.new))
            words = warning(suspicious, line + shift + (not is_heading_first))
            odd[hunk.id] = Odd(words, {line: tuple(places) for line, places in spans.items()})
        shift += hunk.growth
    return odd


def concerns_about(
    repo: Repository, turn: Turn, hunk_ids: Collection[str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Why files of a turn need a consent of their own, by path.

    The reasons are worded to follow the path.

    Args:
        hunk_ids: The hunks to be written; None: all.

    Raises:
        RepoError, FileError.
        UsageError: No such hunk.
    """
    request = turn.request
    named: Collection[str] = (request.path,) if request.path else request.among
    if not has_several(turn):
        why = {turn.region.path: concerns(repo, turn.region.path, named)}
    else:
        with turn.lock:
            review = turn.review
            after = review.proposed if hunk_ids is None else review.would_accept(hunk_ids)
        paths = [file.path for file in changed(review.base, after, "")]
        shown: list[str] = []
        if named:
            shown = [section.path for section in sections(turn.file.base.raw)]
            shown += _named_in(request.instruction, paths)
        why = {path: concerns(repo, path, shown) for path in paths}
    return {path: words for path, words in why.items() if words}


def _named_in(instruction: str, paths: Iterable[str]) -> list[str]:
    """The paths whose ending an instruction names, such as that of a file to be created."""
    ends = tuple(f"/{name}" for name in file_names(instruction))
    return [path for path in paths if f"/{path}".endswith(ends)]


def doubts(repo: Repository, turn: Turn) -> dict[str, tuple[str, ...]]:
    """Why somebody must look at a turn before all of it is written, worded as `concerns_about`.

    Raises:
        RepoError, FileError.
    """
    with turn.lock:
        odd = odd_in(turn.review.base, turn.review.hunks)
    reasons = concerns_about(repo, turn)
    disguised = tuple(
        f"would hold text that is not what it looks like: {hunk.words}" for hunk in odd.values()
    )
    if disguised:
        reasons[turn.region.path] = (*reasons.get(turn.region.path, ()), *disguised)
    return reasons


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The answer that is proposed now.

    Args:
        number: Its number among `total` answers, from 1.
        problem: Why the answer was held back, or "".
    """

    number: int
    total: int
    logprob: float
    problem: str = ""


def edit(turn: Turn, hunk_id: str, lines: Sequence[str]) -> tuple[list[Hunk], str]:
    """Propose other new lines for a hunk.

    Returns:
        The hunks in its place; and what is wrong with the whole proposal now, or "".

    Raises:
        As `Review.edit`.
    """
    hunks = turn.file.edit(hunk_id, lines)
    with turn.lock:
        base = turn.review.base
        proposed = turn.review.proposed
    return hunks, _wrong(base, proposed, turn)


def verdict(turn: Turn, hunk_ids: Collection[str] | None = None) -> str:
    """What accepting hunks would break in the file, or "".

    Args:
        hunk_ids: The hunks; None: all that are open and not taken out.
    """
    with turn.lock:
        open_ids = [part.hunk.id for part in turn.parts if part.taken != part.hunk.old]
        after = turn.review.would_accept(open_ids if hunk_ids is None else hunk_ids)
    return _wrong(turn.file.base, after, turn)


def left_broken(turn: Turn, hunk_ids: Collection[str]) -> str:
    """What accepting hunks would break and no other open hunk could mend, or ""."""
    # Where everything together passes, the hunks still open can mend what these break.
    return verdict(turn) and verdict(turn, hunk_ids)


def _wrong(before: Text, after: Text, turn: Turn) -> str:
    failed = (check for check in run_checks(before, after, str(turn.region.path)) if not check.ok)
    return "; ".join(check.fault for check in failed) or half_renamed(turn, after)


def proposed_now(turn: Turn) -> list[Text]:
    """The answer proposed now, as a whole file; empty when it is not a known answer."""
    files = [answer.file for answer in turn.variations]
    return [file for file in files if turn.file.is_whole(file)]


def varied(turn: Turn) -> Turn:
    """The turn, provided that it can give other answers.

    Raises:
        UsageError: It cannot.
    """
    if not turn.candidates:
        raise UsageError(
            "no answer was written here, so there is no other one; say it in other words"
        )
    return turn


def show_another(
    turn: Turn,
    step: int,
    given_up: Collection[Text] = (),
    hunk_id: str | None = None,
    *,
    held: bool = False,
) -> ShownAnswer | None:
    """Propose the next answer in place of the current one; what was accepted stays.

    Args:
        step: How many answers to go on; negative: back.
        given_up: Whole files that are not to be shown again.
        hunk_id: Take only what the answer has in place of this hunk, from an answer that differs
            there.
        held: Whether to show answers that were held back, too, behind the others.

    Returns:
        None where there is no other answer, or only answers that were held back are left and `held`
        is not set.

    Raises:
        UsageError: No such hunk is open, or the user went on from an answer.
    """
    known = (*turn.variations, *(turn.candidates.held_back if held else ()))
    answers: list[Candidate] = []
    current = -1  # the answer before the first one, where none of them is shown
    for answer in known:
        is_shown = turn.file.is_whole(answer.file)
        if is_shown and current < 0:
            current = len(answers)
        if is_shown or answer.file not in given_up:
            answers.append(answer)
    others = len(answers) if current < 0 else len(answers) - 1
    # The list does not start over silently: the caller first offers the answers held back.
    stops_at_end = current >= 0 and hunk_id is None and not held and bool(turn.candidates.held_back)
    for distance in range(1, others + 1):
        target = current + distance * step
        number = target % len(answers)
        if stops_at_end and target != number:
            return None
        answer = answers[number]
        if turn.show(answer, hunk_id) or hunk_id is None:
            return ShownAnswer(number + 1, len(answers), answer.logprob, answer.problem)
    return None

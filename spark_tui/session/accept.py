"""What an accept writes: hunks fitted to the file as it is, consents, edits by hand.

Hunks for a file that was edited while they were looked at go in beside the edits, as shown, or not
at all.

And what a change breaks is said.

The files that a turn is about: one, or several under review together (see `editing.multi_file`).

What is to be looked at before hunks are written: its file, and text that is not what it looks like.

What the user does to a proposal by hand: hunks cut, lines taken out, texts edited and checked,
answers exchanged.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from spark_tui.context.search_index import file_names
from spark_tui.editing.checks import run_checks
from spark_tui.editing.confusables import suspects, warning
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.identifiers import names_in
from spark_tui.editing.line_diff import is_document, sections
from spark_tui.editing.multi_file import apart, changed, joined
from spark_tui.editing.rebase import transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained, Conflict, FileError, UsageError
from spark_tui.session.events import Status
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.patch import merge
from spark_tui.vcs.policy import concerns
from spark_tui.vcs.repository import Repository


def chosen_of(turn: Turn, hunk_ids: Collection[str] | None) -> Collection[str]:
    """The hunks of a turn to accept; None: all.

    Raises:
        Abstained: It offers none.
        UsageError: As `Session.accept`.
    """
    if turn.status is Status.ABSTAINED:
        raise Abstained(turn.message)
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


def fitted(repo: Repository, change: FileChange, over: str = "") -> FileChange:
    """The same hunks for the file as it is on disk now; one that comes or goes does so as a whole.

    Args:
        over: The detail of a conflict that the user saw, and whose hunks are to take the place of
            what is there.

    Raises:
        Conflict: Their lines or those beside them were edited, both versions in its detail.
        FileError: The file is gone, or no text any more.
    """
    if (
        change.before is None
        or change.after is None
        or (now := repo.read(change.path)) == change.before
    ):
        return change
    try:
        merged = merge(change.before, now, change.after, change.path)
    except Conflict as e:
        if not over or e.detail != over:
            raise
        return FileChange(
            change.path, now, merge(change.before, now, change.after, change.path, prefer="theirs")
        )
    if _hunks(fit := FileChange(change.path, now, merged)) != _hunks(change):
        raise Conflict(
            f"{change.path} has changed on disk, and the hunks do not fit as shown; nothing was "
            f"written"
        )
    return fit


def since(turn: Turn, change: FileChange) -> FileChange:
    """All that was accepted of a turn by now, and of those that it goes on from.

    Args:
        change: What was just now.
    """
    now = Text.from_bytes(change.after or b"", change.path)
    try:
        return replace(
            change,
            before=transplant(turn.review.base, turn.file.beginning, now, change.path).to_bytes(),
        )
    except Conflict:  # others edited those lines, too
        return change


def faults(change: FileChange) -> str:
    """What of a file is wrong with a change and was not before: it does not parse, or uses
    unknown names; or "".
    """
    return "; ".join(
        check.fault for check in run_checks(*change.texts, change.path) if not check.ok
    )


def half_renamed(turn: Turn, after: Text) -> str:
    """Which names a renaming leaves in part, which in most languages no check sees; or "".

    Args:
        after: The file.
    """
    if turn.kind != "rename":
        return ""
    was, whole, now = (
        names_in("\n".join(text.lines)) for text in (turn.base, turn.file.proposal, after)
    )
    left = (was - whole) & now if (whole - was) & now else ()
    return f"names: {', '.join(sorted(left))} only partly renamed" if left else ""


def broken(changes: Iterable[FileChange]) -> str:
    """Which files changes break, and how; or ""."""
    found = ((change.path, faults(change)) for change in changes if change.after is not None)
    return ", ".join(f"{path} ({words})" for path, words in found if words)


def _hunks(change: FileChange) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What is taken away and what takes its place, hunk by hunk, wherever that is in the file."""
    return [(hunk.old, hunk.new) for hunk in diff(*change.texts)]


def has_several(turn: Turn) -> bool:
    """Whether several files are under review together, or may be."""
    return is_document(turn.base.raw)


def paths_of(turn: Turn) -> tuple[str, ...]:
    """The files that it is about, and those it would bring, relative to the root; the caller
    holds the lock.
    """
    if not has_several(turn):
        return (str(turn.region.path),)
    found = [each.path for each in sections(turn.base.raw)]
    known = len(found)
    for text in (
        turn.review.base,
        turn.file.proposal,
        turn.review.proposed,
    ):  # which are all in the same order
        at = known
        for path in (each.path for each in sections(text.raw)):
            if path not in found:
                found.insert(at, path)
            at = max(at, found.index(path) + 1)
    return tuple(found)


def changes_between(before: Text, after: Text, path: str) -> tuple[FileChange, ...]:
    """What leads from one version of what a turn is about to another, file by file.

    Args:
        path: Of a lone file.
    """
    return tuple(
        FileChange(each, _bytes(old), _bytes(new))
        for each, old, new in changed(before, after, path)
    )


def _bytes(text: Text | None) -> bytes | None:
    return None if text is None else text.to_bytes()


def on_disk(repo: Repository, turn: Turn) -> Text:
    """What a turn is about as it is on disk now.

    Raises:
        FileError: A lone file is gone, or one is no text any more.
    """
    if not has_several(turn):
        path = str(turn.region.path)
        return Text.from_bytes(repo.read(path), path)
    with turn.lock:
        paths = paths_of(turn)
    return joined({path: text for path in paths if (text := _read(repo, path)) is not None})


def with_files(turn: Turn, changes: Iterable[FileChange], *, before: bool) -> Text:
    """What a turn is about with files as changes have them; the caller holds the lock.

    Args:
        before: As they were.
    """
    images = {each.path: each.before if before else each.after for each in changes}
    if not has_several(turn):
        return Text.from_bytes(images[turn.region.path] or b"", turn.region.path)
    known = apart(turn.review.base) | {
        path: Text.from_bytes(data, path) for path, data in images.items() if data is not None
    }
    gone = {path for path, data in images.items() if data is None}
    return joined(
        {path: known[path] for path in paths_of(turn) if path in known and path not in gone}
    )


def _read(repo: Repository, path: str) -> Text | None:
    try:
        return Text.from_bytes(repo.read(path), path)
    except FileError:
        return None


@dataclass(frozen=True, slots=True)
class Odd:
    """What is odd about a hunk.

    Args:
        words: One line, "" when nothing is.
        spans: Offsets in each of its new lines.
    """

    words: str
    spans: Mapping[int, tuple[tuple[int, int], ...]]


def odd_in(base: Text, hunks: Iterable[Hunk]) -> dict[str, Odd]:
    """What is odd about each of some hunks, in order, by their ids; those that are not are left
    out.
    """
    found: dict[str, Odd] = {}
    shift = 0
    for hunk in hunks:
        if here := suspects(base, hunk):
            spans = defaultdict[int, list[tuple[int, int]]](list)
            for each in here:
                spans[each.line].append((each.start, each.stop))
            found[hunk.id] = Odd(
                warning(here, hunk.start + shift + 1),
                {line: tuple(places) for line, places in spans.items()},
            )
        shift += hunk.growth
    return found


def concerns_about(
    repo: Repository, turn: Turn, hunk_ids: Collection[str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Why files of a turn need a consent of their own, by their paths, in words that follow these.

    Args:
        hunk_ids: Which hunks are to be written; None: all.

    Raises:
        RepoError, FileError.
        UsageError: None such.
    """
    request = turn.request
    named: Collection[str] = (request.path,) if request.path else request.among
    if not has_several(turn):
        why = {turn.region.path: concerns(repo, turn.region.path, named)}
    else:
        with turn.lock:
            review = turn.review
            after = review.proposed if hunk_ids is None else review.would_accept(hunk_ids)
        paths = [each.path for each in changed(review.base, after, "")]
        words = file_names(
            request.instruction
        )  # a new file is named where what it is called stands in them
        new = [path for path in paths if any(f"/{path}".endswith(f"/{word}") for word in words)]
        shown = [*(each.path for each in sections(turn.base.raw)), *new] if named else []
        why = {path: concerns(repo, path, shown) for path in paths}
    return {path: words for path, words in why.items() if words}


def doubts(repo: Repository, turn: Turn) -> dict[str, tuple[str, ...]]:
    """Why not all of a turn may be written unseen, as `concerns_about`.

    Raises:
        RepoError, FileError.
    """
    with turn.lock:
        odd = odd_in(turn.review.base, turn.review.hunks)
    found = concerns_about(repo, turn)
    if disguised := tuple(
        f"would hold text that is not what it looks like: {each.words}" for each in odd.values()
    ):
        found[turn.region.path] = (*found.get(turn.region.path, ()), *disguised)
    return found


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer that is proposed now.

    Args:
        number: Which of `total`, from 1.
        problem: Why it was held back, or "".
    """

    number: int
    total: int
    logprob: float
    problem: str = ""


def edit(turn: Turn, hunk_id: str, lines: Sequence[str]) -> tuple[list[Hunk], str]:
    """Propose other new lines in a hunk.

    Returns:
        The hunks in its place, and what is wrong with the whole proposal now, or "".

    Raises:
        As `Review.edit`.
    """
    hunks = turn.file.edit(hunk_id, lines)
    with turn.lock:
        base = turn.review.base
        proposed = turn.review.proposed
    return hunks, _wrong(base, proposed, turn)


def verdict(turn: Turn, hunk_ids: Collection[str] | None = None) -> str:
    """What would be wrong with the file once hunks were accepted, and was not before; or "".

    Args:
        hunk_ids: Which; None: all that is open and in.
    """
    with turn.lock:
        open_ids = [part.hunk.id for part in turn.parts if part.taken != part.hunk.old]
        after = turn.review.would_accept(open_ids if hunk_ids is None else hunk_ids)
    return _wrong(turn.base, after, turn)


def left_broken(turn: Turn, hunk_ids: Collection[str]) -> str:
    """What would be wrong with the file once hunks were accepted, where no other could make it
    whole; or "".
    """
    return verdict(turn) and verdict(turn, hunk_ids)


def _wrong(before: Text, after: Text, turn: Turn) -> str:
    failed = (check for check in run_checks(before, after, str(turn.region.path)) if not check.ok)
    return "; ".join(check.fault for check in failed) or half_renamed(turn, after)


def proposed_now(turn: Turn) -> list[Text]:
    """The answer that is proposed now, as a whole file; none where it is none of those that are
    known.
    """
    return [each.file for each in turn.variations if turn.file.is_whole(each.file)]


def varied(turn: Turn) -> Turn:
    """A turn that can give other answers.

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
    """Propose the next answer in place of the one proposed now; what was accepted stays.

    Args:
        step: So many on, or back.
        given_up: Whole files that are not to be shown again.
        hunk_id: Take what it has in the place of this hunk only, and an answer that has something
            else there.
        held: Show those that were held back, too, behind the others.

    Returns:
        None where there is no other, or only what was held back comes next and is not to be shown.

    Raises:
        UsageError: No such hunk is open, or the user went on from an answer.
    """
    known = (*turn.variations, *(turn.candidates.held_back if held else ()))
    answers = [each for each in known if each.file not in given_up or turn.file.is_whole(each.file)]
    at = next((number for number, each in enumerate(answers) if turn.file.is_whole(each.file)), -1)
    for away in range(1, len(answers) + (at < 0)):
        number = (at + away * step) % len(answers)
        if (
            at + away * step != number
            and at >= 0
            and not held
            and hunk_id is None
            and turn.candidates.held_back
        ):
            return None
        if turn.show(answers[number], hunk_id) or hunk_id is None:
            return ShownAnswer(
                number + 1, len(answers), answers[number].logprob, answers[number].problem
            )
    return None

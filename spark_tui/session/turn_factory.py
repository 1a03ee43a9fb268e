"""Makes turns: new ones, those that rewrite one hunk, branches, and renamings.

`TurnFactory` leads from a request and its place to a turn. What nobody can edit is refused before a
model reads it (`refuse_uneditable`). The module has, in this order: `AgainTurn`, which rewrites one
hunk while the rest of the review holds to the byte; the factory; what is said of settled conflicts
(`settled_then`); the beginning of a branch in the user's own words (`with_words`, `with_line`); and
`rename_turn`, which renames a name in all Python files without a model.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from keyword import iskeyword

from spark_tui.context.regions import Region, Source
from spark_tui.context.search_index import MOST_BYTES
from spark_tui.editing.checks import run_checks
from spark_tui.editing.conflicts import Torn, torn
from spark_tui.editing.formats import quoted
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.identifiers import uses
from spark_tui.editing.line_diff import is_document, sections
from spark_tui.editing.multi_file import joined
from spark_tui.editing.renewed_hunk import renewed
from spark_tui.editing.review import Review
from spark_tui.editing.syntax import is_large, parse_error
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained, NotText, RepoError, SparkError, UsageError
from spark_tui.providers.base import Ability, Provider, Talker
from spark_tui.providers.registry import Known, ProviderHost, one_side
from spark_tui.session import candidates
from spark_tui.session.conversation import Conversation
from spark_tui.session.disclosure import Disclosure
from spark_tui.session.events import Checked, Event, HunkUpdated, Status
from spark_tui.session.file_review import ReviewedFile
from spark_tui.session.language_servers.type_check import TypeChecker
from spark_tui.session.leftovers import elsewhere, few
from spark_tui.session.locator import PlaceIndex
from spark_tui.session.repair.sandbox import TrialCommand
from spark_tui.session.request import Request, ask_of
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import (
    Repository,
    committed_bytes,
    under_way,
    unmerged_files,
)

_MOST_FAULTS = 8
"""Errors of types that a model reads."""


class OneHunk(ReviewedFile):
    """A file under review while one of its hunks is rewritten; until then nothing can be decided.

    Args:
        other: The review so far, for the same file; it stays as it is.
        telling: As for `ReviewedFile`.
        is_written: Whether the new hunk is written.

    Raises:
        UsageError: No such hunk is open.
    """

    def __init__(
        self,
        other: ReviewedFile,
        hunk_id: str,
        telling: Callable[[], Callable[[], None]],
        is_written: Callable[[], bool],
    ) -> None:
        super().__init__(other.base, partial(self._retelling, telling))
        self._is_written = is_written
        with other.lock:
            part = other.review.part(hunk_id)
            self.asked = part.hunk.id
            self.asked_at = other.review.parts.index(part)
            self.earlier = other.review.copy()
            self.review = other.review.copy()
            # Copies throughout: where this turn comes to nothing, the other review comes back
            # untouched.
            self._inherit(other, list(other._bases))
        self._written = self.review.copy()
        self.worked_on = True

    @property
    def as_written(self) -> bool:
        """Whether the user has done nothing to the review since the hunk was rewritten."""
        with self.lock:
            return self.review.stands_as(self._written)

    def refuse_mixture(self) -> None:
        """As `ReviewedFile.refuse_mixture`.

        Raises:
            UsageError: Another answer would take back what the user did since.
        """
        if not self.as_written:
            raise UsageError("you went on from this answer; undo that to see another one")

    def follow(self, on_disk: Text) -> None:
        """As `ReviewedFile.follow`, but never while the hunk is being written."""
        if self._is_written():
            super().follow(on_disk)

    @contextmanager
    def _step(self, words: str) -> Iterator[None]:
        if not self._is_written():
            raise UsageError("a hunk is being rewritten; wait until it is done, or go back with u")
        with super()._step(words):
            yield

    def propose(self, text: Text) -> list[HunkUpdated]:
        """As `ReviewedFile.propose`, for the hunk alone."""
        with self.lock:
            if text != self.proposal:
                self.proposal = text
                self.review = self.mixed(text)
                self._written = self.review.copy()
            return self._news()

    def _retelling(self, telling: Callable[[], Callable[[], None]]) -> Callable[[], None]:
        """Save what is reported, and the review as written, for an answer that comes back."""
        written = self._written
        retell = telling()

        def retell_all() -> None:
            self._written = written
            retell()

        return retell_all

    def mixed(self, text: Text) -> Review:
        """The review with what an answer has in place of the hunk.

        Args:
            text: The file that the answer makes.
        """
        return renewed(self.earlier, self.asked, self.base, text)


class AgainTurn(Turn):
    """A turn that writes one hunk of another turn anew; no hunk is closed until its end.

    Args:
        before: The other turn.
        hunk_id: The hunk to write anew.
        page: The region to write, and its file; None: those of the other turn.
        one: Makes the review.

    Raises:
        UsageError: No such hunk is open, or as `Turn`.
    """

    def __init__(
        self,
        turn_id: str,
        request: Request,
        answerer: Provider,
        before: Turn,
        hunk_id: str,
        *,
        page: tuple[Region, Text] | None = None,
        one: type[OneHunk] = OneHunk,
    ) -> None:
        region, base = page or (before.region, before.base)
        super().__init__(turn_id, request, region, base, answerer, before.command)
        self.reviewed = before
        """The turn whose hunk is written anew."""
        self._first = _first_answer(before)
        """The answer to the first words; getting it again would not answer the new ones."""
        self._one = one(
            before.file, hunk_id, self._telling, lambda: self.status is not Status.RUNNING
        )
        self.file = self._one
        self.asked = self._one.asked
        self.asked_at = self._one.asked_at

    @property
    def closed_hunks(self) -> tuple[Hunk, ...]:
        """As `Turn.closed_hunks`; none while the hunk is being written."""
        with self.lock:
            if self.status is Status.RUNNING:
                return ()
            return tuple(part.hunk for part in self.review.parts)

    @property
    def others(self) -> list[Hunk]:
        """The hunks that stay, or their parts."""
        return [part.hunk for part in self._one.earlier.parts if part.hunk.id != self.asked]

    def words_for(self, old: Sequence[str], new: Sequence[str]) -> str:
        """As `Turn.words_for`; a hunk that stays has the words it came from."""
        stays = any((each.old_lines, each.new_lines) == (old, new) for each in self.others)
        return self.reviewed.words_for(old, new) if stays else self.request.instruction

    def _offer(self, file: Text, doubt: str) -> None:
        """As `Turn._offer`, for the file with the new hunk and those that stay."""
        mixed = self.review.proposed
        self.checks = run_checks(self.file.base, mixed, self.region.path)
        if self.types and (types := self.types.check(self.base, mixed, self.region.path)):
            self.checks = (*self.checks, types)
        super()._offer(mixed, doubt)

    def _why_none(self, problem: str) -> str:
        """Why no edit is offered.

        That the likeliest answer is of no use tells the user more than what is wrong with a later
        one.
        """
        why = self._idle(self.candidates.first.file)
        return why if why in {candidates.SAME_AGAIN, candidates.FIRST_AGAIN} else problem

    def _idle(self, file: Text) -> str:
        """Why an answer is of no use for the hunk, or ""."""
        mixed = self._mixed(file)
        if mixed == self._one.earlier.proposed:
            return candidates.SAME_AGAIN
        if self._first is not None and mixed == self._mixed(self._first):
            return candidates.FIRST_AGAIN
        return candidates.NOTHING_THERE if mixed == self._mixed(self.base) else ""

    def _mixed(self, file: Text) -> Text:
        return self._one.mixed(file).proposed

    def _run(self) -> Generator[Event, None, None]:
        # The hunks that stay were checked in their own turn. Of the new ones, only faults count
        # that the earlier proposal did not have.
        with closing(super()._run()) as events:
            for event in events:
                if not isinstance(event, Checked) or event.hunk_id is None:
                    yield event
                    continue
                earlier = self._one.earlier
                new = {hunk.id for hunk in self.hunks if hunk not in earlier.hunks}
                if event.hunk_id in new:
                    yield Checked(event.hunk_id, self.checks_since(earlier.proposed))
        self.file.touched = True


def _first_answer(before: Turn) -> Text | None:
    """The answer to the first words about a hunk, as a whole file, if there was one."""
    if isinstance(before, AgainTurn):
        return before._first
    own = before.candidates.own
    return own.file if own else None


@dataclass(frozen=True, slots=True)
class Ahead:
    """What can be read before a request is sent.

    Args:
        base: The file that the request is about.
    """

    request: quoted.QuotedRequest
    base: Text


class TurnFactory:
    """Makes the turns of one model.

    Args:
        host: The host of the model.
        conversation: What a chat model reads of earlier turns; None: nothing.
        types: Tells of errors of types; None: nobody does.
        disclosure: Knows which files the model may read; None: it asks for no consent that was
            given elsewhere.
    """

    def __init__(
        self,
        repo: Repository,
        host: ProviderHost,
        conversation: Conversation | None = None,
        types: TypeChecker | None = None,
        disclosure: Disclosure | None = None,
    ) -> None:
        self._repo = repo
        self.host = host
        self.disclosure = disclosure or Disclosure(repo)
        self.conversation = conversation
        self.types = types
        self.mentions = PlaceIndex(
            repo, self.fits, lambda: Ability.FILES in host.answerer.can, self.withheld
        )
        """The index of what a request can point at."""

    @property
    def answerer(self) -> Provider:
        """The provider of the next turn."""
        return self.host.ready()

    def prepare(self) -> None:
        """Load what the first turn would otherwise wait for."""
        self.host.answerer.prompt(quoted.QuotedRequest("", (), ""))

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether the model has room for lines, words and an answer."""
        return self.host.answerer.has_room(lines)

    def withheld(self, paths: Iterable[str]) -> list[str]:
        """The files among some that the model may not read."""
        return self.disclosure.withheld(paths, self.host)

    def may_read(self, region: Region, base: Text) -> bool:
        """Whether the model may read what a turn shows."""
        return not self.withheld(shown_paths(region, base))

    def _refuse_withheld(self, region: Region, base: Text) -> None:
        """Refuse a turn that shows a file which the model may not read.

        Raises:
            ConsentMissing.
        """
        self.disclosure.refuse_withheld(shown_paths(region, base), self.host)

    def base(self, request: Request, region: Region) -> Text:
        """The file of a place; for a model that edits several, all files that the request names.

        The file of the place comes first.

        Raises:
            FileError: A file cannot be read as text.
            UsageError: A file has an odd name.
        """
        lone = self.read(region.path)
        # These edit the one file of the place: a side of a conflict, given lines, or a one-file
        # model.
        if request.keep or request.become is not None or Ability.FILES not in self.host.ready().can:
            return lone
        refuse_uneditable(self._repo, region, lone)
        files = {region.path: lone}
        named = dict.fromkeys(request.among, True) | self.mentions.files_named(request.instruction)
        for path, by_name in named.items():
            # A named folder may hold secrets, which the request is hardly about.
            if not by_name and self.withheld([path]):
                continue
            try:
                files.setdefault(path, self.read(path))
            except NotText:
                # A named folder may hold pictures, which the request is hardly about.
                if by_name:
                    raise
        return joined(files)

    def read(self, path: str) -> Text:
        """A file of the repository.

        Raises:
            FileError: It cannot be read as text.
        """
        return Text.from_bytes(self._repo.read(path), path)

    def look_ahead(self, request: Request, region: Region, base: Text) -> Ahead | None:
        """What can be read of a request that is still being written; or None.

        Raises:
            UsageError, Abstained.
        """
        if Ability.READ_AHEAD not in self.host.answerer.can:
            return None
        refuse_uneditable(self._repo, region, base)
        return Ahead(ask_of(request, region, base).request, base)

    def read_ahead(self, ahead: Ahead) -> Generator[None, None, None]:
        """Read what `look_ahead` found; may be closed at any item."""
        return _reading(self.answerer, ahead)

    def create(
        self,
        number: str,
        request: Request,
        region: Region,
        base: Text,
        command: TrialCommand | None,
    ) -> Turn:
        """Make a turn.

        Raises:
            Abstained: Nothing can be edited there.
            UsageError: As `Turn`.
        """
        # A side of a conflict needs no model, and no refusal: the conflict itself is to be edited.
        if request.keep:
            side = Known(partial(one_side, side=request.keep))
            turn = Turn(number, request, region, base, side, command)
            turn.elsewhere = partial(settled_then, self._repo, region, base)
            return turn
        # For several files, `base` has refused the place already.
        if not is_document(base.raw):
            refuse_uneditable(self._repo, region, base)
        self._begin_types(base, region.path)
        if (become := request.become) is not None:
            return self._told(Turn(number, request, region, base, Known(lambda _: become), command))
        self._refuse_withheld(region, base)
        around = self._around(request, region, base)
        request = self._after(replace(request, around=around), region, base)
        return self._told(Turn(number, request, region, base, self.answerer, command))

    def _after(self, request: Request, region: Region, base: Text) -> Request:
        """The request with the conversation so far, for a model that reads one.

        What has happened since then includes the errors of types in the lines of the request.
        """
        request = self._without_withheld(request)
        if self.conversation is None or not isinstance(self.answerer, Talker):
            return replace(request, before=(), news="")
        before, news = self.conversation.so_far()
        news = "\n\n".join(filter(None, [news, self._errors_in_view(region, base)]))
        return replace(request, before=before, news=news)

    def _without_withheld(self, request: Request) -> Request:
        """The request without a last edit that the model may not read."""
        previous = request.previous
        if previous is None or not self.withheld([previous.path]):
            return request
        return replace(request, previous=None)

    def _begin_types(self, base: Text, path: str) -> None:
        """Have a file read, in the background, for the check of types."""
        if self.types is not None:
            self.types.begin(base, path)

    def _errors_in_view(self, region: Region, base: Text) -> str:
        """The errors of types in the lines of a region, for a model; "" for none known yet."""
        if self.types is None:
            return ""
        shown = range(region.start_line - 1, region.end_line)
        known = self.types.known(base, region.path)
        faults = [str(fault) for fault in known if fault.line in shown]
        if not faults:
            return ""
        words = "\n".join(faults[:_MOST_FAULTS])
        return f"The type checker finds this in {region.path}, as it is:\n\n{words}"

    def _around(self, request: Request, region: Region, base: Text) -> str:
        """A map of what is not shown, for a model that reads one."""
        lines = ask_of(request, region, base).request.lines
        files = {part.path: lines[part.start : part.stop] for part in sections(lines)}
        if not files:
            files = {region.path: lines}
        return self.mentions.map(request.instruction, files, self.answerer.map_room)

    def again(self, number: str, turn: Turn, hunk_id: str, request: Request) -> Turn:
        """Make a turn that writes one hunk of another turn anew.

        Raises:
            UsageError: No such hunk is open, or as `Turn`.
        """
        self._begin_types(turn.base, turn.region.path)
        request = self._after(request, turn.region, turn.base)
        if turn.rewriter is None:
            self._refuse_withheld(turn.region, turn.base)
            again = AgainTurn(number, request, self.answerer, turn, hunk_id)
            return self._told(again)
        rewritten = turn.rewriter(self._repo, number, request, self.answerer, turn, hunk_id)
        # Only now is it known which of the files the hunk is in; nothing is sent before the turn
        # runs.
        self._refuse_withheld(rewritten.region, rewritten.base)
        rewritten.writers = (self.host.in_use,)
        return rewritten

    def branch(self, number: str, turn: Turn, begun: str) -> Turn:
        """Make a turn for the same words whose answer begins with a text.

        Raises:
            UsageError: No answer begins so, or as `Turn`.
        """
        self._begin_types(turn.base, turn.region.path)
        self._refuse_withheld(turn.region, turn.base)
        request = self._without_withheld(turn.request)
        other = Turn(
            number, request, turn.region, turn.base, self.answerer, turn.command, begun=begun
        )
        return self._told(other)

    def _told(self, turn: Turn) -> Turn:
        turn.writers = (self.host.in_use,)
        turn.types = self.types
        if not is_document(turn.base.raw):
            turn.elsewhere = partial(elsewhere, self._repo, turn.region.path, turn.base)
        return turn


def shown_paths(region: Region, base: Text) -> list[str]:
    """The files that a model reads in a turn."""
    return [region.path, *(part.path for part in sections(base.raw))]


def _reading(answerer: Provider, ahead: Ahead) -> Generator[None, None, None]:
    yield from answerer.read_ahead(ahead.request)
    if ahead.request.path.endswith(".py") and not is_large(ahead.base):
        parse_error(ahead.base.to_bytes())  # the result is cached, and the checks ask for it again


def refuse_uneditable(repo: Repository, region: Region, base: Text) -> None:
    """Refuse a place where nothing can be edited.

    Args:
        repo: Tells which files have conflicts.
        base: The file.

    Raises:
        Abstained: It has a merge conflict, or lines that end in CR alone.
        RepoError: Git cannot list the conflicts.
    """
    path = region.path
    first = region.start_line - 1
    last = region.end_line
    conflicts = [conflict for conflict in torn(base.lines) if conflict.touches(first, last - 1)]
    if conflicts and not _are_text(repo, path, base, conflicts):
        more = f" and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
        where = f"{path}:{conflicts[0].start + 1}-{conflicts[0].end + 1}{more}"
        name = region.symbol or f"{path}:{first + 1}-{last}"
        raise Abstained(
            f"{name} has a merge conflict ({where}); resolve it first: /keep ours, theirs or both"
        )
    if path.endswith((".py", ".pyi")) and any("\r" in line for line in base.lines[first:last]):
        why = "line ends to Python, none to git"
        raise Abstained(f"{path} has CRs without LF in these lines: {why}; convert them first")


def _are_text(repo: Repository, path: str, base: Text, conflicts: Sequence[Torn]) -> bool:
    """Whether conflicts are lines of the file, as in a page or a test about conflicts.

    They are where Python reads the file, so that they stand in strings. In any other file, they are
    where the branch has the very same lines and git knows of no conflict in the file.
    """
    if path.endswith((".py", ".pyi")):
        return not parse_error(base.to_bytes())
    if path in unmerged_files(repo):
        return False
    # Line endings do not count, as `lines` below come without theirs.
    known = b"\n".join((committed_bytes(repo, path) or b"").splitlines())
    for conflict in conflicts:
        lines = base.lines[conflict.start : conflict.end + 1]
        if "\n".join(lines).encode("utf-8", "surrogateescape") not in known:
            return False
    return True


def settled_then(repo: Repository, region: Region, base: Text, file: Text) -> str:
    """What git calls the two sides, and what is left to do.

    Args:
        region: The conflicts.
        file: The file with them settled.
    """
    start = region.start_line - 1
    end = region.end_line - 1
    first = next(conflict for conflict in torn(base.lines) if conflict.touches(start, end))
    work = under_way(repo)
    return "; ".join(filter(None, [_sides(first, work), _left(repo, region.path, file, work)]))


def _sides(conflict: Torn, work: str) -> str:
    sides = (
        f"ours is {conflict.ours or 'the upper one'}, theirs is "
        f"{conflict.theirs or 'the lower one'}"
    )
    return f"{sides}, in a rebase your own commit" if work.startswith("a rebase") else sides


def _left(repo: Repository, path: str, file: Text, work: str) -> str:
    if left := torn(file.lines):
        return f"{path} has {len(left)} more, from line {left[0].start + 1}"
    if path.endswith(".py") and not is_large(file) and (broken := parse_error(file.to_bytes())):
        return f"{path} does not parse with it ({broken})"
    try:
        unmerged = unmerged_files(repo)
    except RepoError:  # the advice is lost, but not the edit
        return ""
    finish = f", and `git status` how to finish the {work.removeprefix('a ')}" if work else ""
    return f"then `git add {path}` tells git{finish}" if path in unmerged else ""


# A branch: the text that an answer begins with, in the user's own words. What does not fit is
# refused before anything is given up.

NOTHING_WRITTEN = "no line is being written at this token; go to one where there is"
_UNFIT = "this does not fit here; write how the line goes on"


def takes_words(turn: Turn, index: int) -> bool:
    """Whether words can follow a token of the tape at all."""
    draft = turn.tape.read(index)
    return Ability.BEGIN in turn.answerer.can and (draft.open_line is not None or draft.in_name)


def with_words(turn: Turn, index: int, words: str) -> str:
    """The text up to a token of the tape, without an incomplete character, and then words.

    Args:
        words: Text to go on with in the current line; each line feed begins a further line.

    Raises:
        UsageError: Nothing can be written there, or not these words.
    """
    if not takes_words(turn, index):
        raise UsageError(NOTHING_WRITTEN)
    return _fitting(turn, turn.tape.text(index), words)


def with_line(turn: Turn, index: int, line: str) -> str:
    """The text before the line that is being written at a token, and then the corrected line.

    Args:
        line: The line with its indentation; each line feed begins a further line.

    Raises:
        UsageError: As `with_words`.
    """
    draft = turn.tape.read(index)
    if not takes_words(turn, index) or draft.open_line is None:
        raise UsageError(NOTHING_WRITTEN)
    before, feed, _ = turn.tape.text(index).rpartition("\n")
    return _fitting(turn, before + feed + draft.line_mark, line)


def _fitting(turn: Turn, before: str, words: str) -> str:
    """A text that an answer can begin with.

    Raises:
        UsageError: No answer can begin with it.
    """
    draft = turn.tape.blank()
    text = before + words.replace("\n", "\n" + draft.line_mark)
    try:
        draft.take(text.encode())
    except SparkError as e:
        raise UsageError(f"{_UNFIT} ({e})") from e
    # Raises where no answer can begin so; the writer itself is dropped before it computes anything.
    turn.answerer.write(replace(turn.ask, begun=text))
    return text


def hunks_at(turn: Turn, index: int) -> tuple[Hunk, ...]:
    """The hunks of everything written up to a token, against the turn's base."""
    return diff(turn.base, turn.tape.file(index))


_MOST_SHOWN = 3
"""Places that a message lists."""
Lines = tuple[int, int]
"""First and last line, 1-based."""


def rename_turn(
    number: str,
    repo: Repository,
    mentions: PlaceIndex,
    request: Request,
    watch: Callable[[str], None],
    command: TrialCommand | None = None,
) -> Turn:
    """Make a turn that renames a name in all Python files.

    The old name is the instruction of the request, else its symbol.

    Args:
        watch: As for `Rename.find`.

    Raises:
        UsageError: There is no such name, no Python, or the new name is impossible.
        FileError: As `Repository.read`.
    """
    from spark_tui.context.rename import Rename  # noqa: PLC0415 - jedi takes a while to import

    old = request.instruction or request.symbol or ""
    new = request.rename
    name = old.rpartition(".")[2]
    if not new.isidentifier() or iskeyword(new) or new == name:
        raise UsageError(f"{new} cannot be the new name of {name}; choose another one")
    # First the one use that the user means, then every file that holds the name at all.
    path, lines = _aim(repo, mentions, request, name)
    region, start = _place(path, repo.read(path), lines, name)
    before, unread = _holding(repo, name, path)
    code = {each: "".join(text.raw) for each, text in before.items()}
    found = Rename(repo.root, repo.files(".py"), code, name, new).find(path, start, watch)
    # The file that the user means comes first in the review; the sort keeps the order of the
    # others.
    paths = sorted(found.files, key=lambda each: each != path)
    images = {}
    for changed in paths:
        # Jedi works on text; surrogates carry the bytes of a file that is not UTF-8 through it.
        images[changed] = Text.from_bytes(found.files[changed].encode("utf-8", "surrogateescape"))
    after = joined(images)
    request = replace(
        request, instruction=f"rename {old} to {new}", path=path, symbol=None, lines=None
    )
    base = joined({changed: before[changed] for changed in paths})
    turn = Turn(number, request, region, base, Known(lambda _: after.lines), command)
    left = few([f"{use.path}:{use.line}" for use in found.unknown], _MOST_SHOWN)
    notes = list[str]()
    if left:
        notes.append(f"not renamed where its type is not known: {left}")
    if unread:
        notes.append(f"not looked for in very large files: {few(unread, _MOST_SHOWN)}")
    if found.unread:
        deep = few(list(found.unread), _MOST_SHOWN)
        notes.append(f"not looked for in files that are nested too deeply: {deep}")
    turn.elsewhere = lambda _: "; ".join(notes)
    return turn


def _aim(
    repo: Repository, mentions: PlaceIndex, request: Request, name: str
) -> tuple[str, Lines | None]:
    """The file where a name is meant, and the lines to look at first.

    Raises:
        UsageError: There is no such function or class, or no Python file.
    """
    focus = request.focus
    path = request.path
    symbol = request.symbol
    if (
        not path
        and focus
        and focus.path.endswith(".py")
        and any(_uses(repo.read(focus.path), name))
    ):
        return focus.path, focus.lines
    if not path:
        path, symbol = _defined(mentions, name)
    if not path.endswith(".py"):
        raise UsageError(
            f"{path} is no Python file, and names are renamed in those only; ask for it in words"
        )
    named = Source(path, repo.read(path)).named(tuple(symbol.split("."))) if symbol else []
    if symbol and not named:
        raise UsageError(f"there is no function or class {symbol} in {path}; check its name")
    return path, (named[0].start_line, named[0].end_line) if named else request.lines


def _place(path: str, data: bytes, lines: Lines | None, name: str) -> tuple[Region, int]:
    """The region that a name stands in, and the offset of the name.

    Args:
        lines: The lines to look at first.

    Raises:
        UsageError: The name is not there.
    """
    found = _uses(data, name)
    if not found:
        raise UsageError(f"there is no name {name} in {path}; check how it is written")
    # A file has no more lines than bytes, so this range holds all of them.
    first, last = lines or (1, len(data))
    line, start = next((use for use in found if first <= use[0] <= last), found[0])
    base_hash = sha256(data).hexdigest()
    around = [symbol for symbol in Source(path, data).symbols if symbol.contains(line, line)]
    if not around:
        return Region(path, line, line, None, None, base_hash), start
    symbol = min(around, key=lambda each: each.length)
    region = Region(path, symbol.start_line, symbol.end_line, symbol.name, None, base_hash)
    return region, start


def _uses(data: bytes, name: str) -> list[tuple[int, int]]:
    """The line (1-based) and the offset of each use of a name in a file."""
    text = data.decode("utf-8", "surrogateescape")
    if name not in text:
        return []
    starts = [use.start for use in uses(text) if use.name.removeprefix(".") == name]
    return [(text.count("\n", 0, start) + 1, start) for start in starts]


def _defined(mentions: PlaceIndex, name: str) -> tuple[str, str]:
    """The file and the symbol of the only function or class with a name.

    Raises:
        UsageError: There is none, or several.
    """
    python = [path for path in mentions.files() if path.endswith(".py")]
    found = [
        (path, each.name)
        for path, each in mentions.outline(python)
        if each.name.rpartition(".")[2] == name
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"no function or class is called {name}")
    places = " or ".join(f"@{path}::{symbol}" for path, symbol in found[:_MOST_SHOWN])
    raise UsageError(f"which {name} is meant? Say where: {places}")


def _holding(repo: Repository, name: str, meant: str) -> tuple[dict[str, Text], list[str]]:
    """The Python files that hold a name, by path, and those too large to be read.

    Args:
        meant: The file where the name is meant, which is read in any case.
    """
    held = dict[str, Text]()
    unread = list[str]()
    for path in repo.files(".py"):
        if path != meant and repo.size(path) > MOST_BYTES:
            unread.append(path)
            continue
        data = repo.read(path)
        if name.encode() in data:
            with suppress(NotText):
                held[path] = Text.from_bytes(data, path)
    return held, unread

"""A session: one repository, one loaded model, and the turns that the user takes in it.

Every front end works through `Session`: `begin` makes a turn, `accept` writes hunks, `undo` and
`redo` turn batches of the journal. The parts of a session (check, staging, history, conversation,
models that take over) hang off its attributes.
"""

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from spark_tui.context.regions import Region
from spark_tui.editing.formats.quoted import NONE, PreviousEdit, write_quoted
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.multi_file import changed
from spark_tui.errors import Abstained, Conflict, ConsentMissing, SparkError, UsageError
from spark_tui.providers.base import Ability, Talker
from spark_tui.providers.registry import Models, ProviderHost
from spark_tui.session import candidates
from spark_tui.session.accept import (
    Odd,
    broken,
    changes_between,
    chosen_of,
    concerns_about,
    doubts,
    faults,
    fitted,
    half_renamed,
    has_several,
    odd_in,
    on_disk,
    paths_of,
    since,
    with_files,
)
from spark_tui.session.alternatives import Alternatives, share_of_first
from spark_tui.session.ask import Questions, standing_instructions
from spark_tui.session.change_review import (
    ChangeReview,
    ReviewSource,
    read_source,
    refuse_torn,
    source_of,
)
from spark_tui.session.change_turn import ChangeTurn
from spark_tui.session.check import CheckCommand
from spark_tui.session.conversation import Conversation
from spark_tui.session.disclosure import Disclosure
from spark_tui.session.events import Event, HandedOver, Status
from spark_tui.session.file_review import size_of
from spark_tui.session.history import Past, PromptHistory
from spark_tui.session.language_servers.type_check import TypeChecker
from spark_tui.session.leftovers import few, left_over
from spark_tui.session.locator import RankedPlace, weigh
from spark_tui.session.next_edit import NextEdit, NextEdits
from spark_tui.session.precedence import Precedence
from spark_tui.session.repair.sandbox import BUDGET_SECONDS, TrialCommand
from spark_tui.session.request import Request, refuse_too_long
from spark_tui.session.runner import Runner
from spark_tui.session.staging import Staging
from spark_tui.session.succession import Succession, handed_over
from spark_tui.session.suggestions import Suggestion, suggest
from spark_tui.session.telemetry import TaskEnd, Telemetry
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import Ahead, TurnFactory, shown_paths
from spark_tui.session.turn_store import Memory, SavedSession, SessionStore
from spark_tui.session.work_tree_review import WorkTreeFile
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import MOST_BYTES, Batches
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.policy import Trust, concerns_of
from spark_tui.vcs.repository import Repository

if TYPE_CHECKING:
    from spark_tui.providers.registry import Far, LoadedModel

_PATIENCE_SECONDS = 1.0
"""How long `close` waits for what is being saved."""
# What a notice says of a file that was edited during its review.
_BESIDE = "that stays, and what you accepted went in beside it"
_INSTEAD = "what you accepted took the place of what clashed with it, and undo brings that back"
_MOST_NAMES = 3
"""Files that the description of a batch names."""
MOST_EARLIER = 3
"""Words that a redirect keeps of those that it corrects."""


def earlier_words(turn: Turn) -> tuple[str, ...]:
    """The words that a redirect of a turn corrects, the oldest first.

    Empty where any hunk of the turn was decided: the words then ask for something new.
    """
    if turn.file.touched:
        return ()
    return (*turn.request.earlier, turn.request.instruction)[-MOST_EARLIER:]


def accepted_edit(turn: Turn) -> PreviousEdit | None:
    """What was accepted of a turn, within its region.

    None where the turn is about several files, or nothing was accepted.
    """
    if has_several(turn):
        return None
    script = write_quoted(turn.page.lines, turn.page.within(turn.review.base))
    if script == [NONE]:
        return None
    return PreviousEdit(turn.region.path, turn.request.instruction, tuple(script))


class Session:
    """One repository, one model, and everything that a front end asks of them.

    Mutable; turns may run in `runner` while the interface goes on. `host` holds the model that they
    run on.

    Args:
        state_dir: Where the journal is kept.
        journal_bytes: What may be kept for undo.
        sessions: Where turns are saved for later starts; None: nowhere.
        models: The models that the session can change to.
        remote: The endpoint that answers instead of a model.
        folder: Where the user works.
        deep: The model to ask where the first one is not sure; "" for none.
        judge: The model of this process that judges the answers of the first one; "" for none.
        next_edit_model: The model of Sweep's that finds next edits; "" for the first model.
        telemetry: Notes the figures of turns; None: nothing is noted.
        model_name: What to call the model until it is loaded.
        types: Whether language servers that are installed check the types of edits.
        is_for_one_edit: Whether the process makes one edit and ends.
        is_overheard: As for `Disclosure`.

    Raises:
        UsageError: `judge` or `next_edit_model` is an endpoint.
    """

    speculate: ClassVar[bool] = True
    """Whether tokens are drafted, which changes no token."""

    def __init__(
        self,
        repo: Repository,
        loaded: "LoadedModel | Callable[[], LoadedModel]",
        state_dir: Path,
        *,
        journal_bytes: int = MOST_BYTES,
        sessions: SessionStore | None = None,
        models: Models | None = None,
        remote: "Far | None" = None,
        folder: Path | None = None,
        deep: str = "",
        judge: str = "",
        next_edit_model: str = "",
        telemetry: Telemetry | None = None,
        model_name: str = "",
        types: bool = False,
        is_for_one_edit: bool = False,
        is_overheard: bool = False,
    ) -> None:
        self.repo = repo
        self.folder = folder or repo.root
        self.models = models or Models()
        self.host = ProviderHost(
            loaded,
            remote,
            speculate=self.speculate,
            writes_blocks=self.models.writes_blocks,
            thinking=self.models.thinking,
            name=model_name,
        )
        self.host.standing = standing_instructions(repo, folder or repo.root).text
        self.runner = Runner()
        self.turn: Turn | None = None
        self.warning = ""
        """What the last accept left broken, or ""."""
        self._was_broken = False
        self.previous: PreviousEdit | None = None
        """The last edit accepted and in force, for words that go on from it."""
        self.notices: list[str] = []
        """What the user should know and is no error; see `take_notices`."""
        self._trust = Trust(repo, state_dir)
        self._batches = Batches(repo, state_dir, tell=self.notices.append, most_bytes=journal_bytes)
        # Before anything below reads the files: a crash may have left a batch half written.
        self._batches.recover_at_start()
        self._refuse_endpoints(judge, next_edit_model)
        self.history = PromptHistory(state_dir / "history" / f"{self._batches.name}.lines")
        """What was written in the prompt."""
        kept = state_dir / "checks" / f"{self._batches.name}.line"
        self.check = CheckCommand(repo.root, kept, partial(self._trust.require, "the check"))
        """The command that the user has run after each accept."""
        self.staging = Staging(repo, self._batches, state_dir, self.notices.append)
        """The accepted edits on their way into git."""
        self._memory = Memory(repo, sessions, self.notices.append)
        self.telemetry = telemetry or Telemetry()
        self.past = Past(self._batches, sessions, self._memory, self._followed)
        """Earlier batches and turns, of this session and others."""
        self.conversation = Conversation(self.check)
        """What chat models read of the turns before."""
        self._types = self._type_checker(is_for_one_edit=is_for_one_edit) if types else None
        self.disclosure = Disclosure(repo, is_overheard=is_overheard)
        """Which files' text may leave this machine."""
        self.maker = TurnFactory(repo, self.host, self.conversation, self._types, self.disclosure)
        """The factory of turns."""
        self.succession = Succession(self.maker, repo, self.models, deep, judge)
        """The models that take over from the first one."""
        self.asking = Questions(repo, self.succession, self.maker.mentions, self.disclosure)
        """The questions and their answers."""
        self.precedence = Precedence(self._lanes_in_use)
        """Lets work in the background use a model behind what the user waits for."""
        self._next_edits = NextEdits(repo, self.succession, self.precedence, next_edit_model)
        self.state_dir = state_dir
        self.tasks_folder = state_dir / "tasks" / self._batches.name
        """Where the tasks of this work tree are kept."""
        self.mentions = self.maker.mentions
        """The index of what a request can point at."""
        self._numbers = count(1)
        self._alternatives: Alternatives | None = None

    @property
    def loaded(self) -> "LoadedModel":
        """The model of this process; see `ProviderHost.loaded`."""
        return self.host.loaded

    def prepare(self) -> None:
        """Load what the first turn would otherwise wait for; a server has loaded all of that."""
        if self.host.served is None:
            self.maker.prepare()

    def _refuse_endpoints(self, judge: str, next_edit_model: str) -> None:
        """Refuse models that are none of this process, where only such a model will do.

        Raises:
            UsageError.
        """
        if judge in self.models.endpoints:
            raise UsageError(
                f"judge {judge} is an endpoint; name a chat model that runs here: one that was "
                f"added, or a GGUF file"
            )
        if next_edit_model in self.models.endpoints:
            raise UsageError(
                f"next_edit_model is {next_edit_model}, an endpoint; name a GGUF file or a folder "
                f"of one of Sweep's models"
            )

    def _type_checker(self, *, is_for_one_edit: bool) -> TypeChecker:
        return TypeChecker(
            self.repo.root, self._is_trusted, self._names_ending, is_for_one_edit=is_for_one_edit
        )

    def _is_trusted(self) -> bool:
        """Whether the user trusts the repository; False where that cannot be told."""
        try:
            return self._trust.trusted
        except SparkError:
            return False

    def _names_ending(self, endings: tuple[str, ...]) -> list[str]:
        """The paths of the repository with one of these endings.

        Raises:
            RepoError: Git cannot read the index.
        """
        return [path for path in self.repo.names() if path.endswith(endings)]

    @property
    def restricted(self) -> tuple[str, ...]:
        """What the repository could run that the user has not allowed.

        Raises:
            RepoError.
        """
        return self._trust.restricted

    def begin(self, request: Request, *, command: TrialCommand | None = None) -> Turn:
        """Find the region of a request and make a turn of it.

        Nothing is computed before the events of the turn are iterated.

        Args:
            command: A command that the answers must pass, in a copy of the tracked files; see
                `command`.

        Raises:
            UsageError: There is no region, or not one region.
            FileError: The file cannot be read as text.
        """
        refuse_too_long(request.instruction)
        # A model chosen meanwhile takes its turn first: the place must fit what that model can
        # read.
        self.host.ready()
        try:
            places = self.mentions.find_ranked(request)
            region = places[0].region
            base = self.maker.base(request, region)
            turn = self.maker.create(self._number(), request, region, base, command)
        except ConsentMissing:
            raise
        # A deep model may have room for a place, or can create files, where the first one cannot.
        except UsageError as problem:
            return self._kept(self.succession.instead(self._number(), request, command, problem))
        turn.place_chance = share_of_first(places)
        self._offer_places(turn, request, places)
        return self._kept(turn)

    def _offer_places(self, turn: Turn, request: Request, places: Sequence[RankedPlace]) -> None:
        """Let the edits at other places compete with the answers of a turn.

        Args:
            request: The words of the turn.
            places: None where the words name their place.
        """
        self._alternatives = None
        # Answers at different places, or with and without the turn before, compare by their
        # probabilities. Where a command judges the answers, their rank says nothing.
        places = places or (RankedPlace(turn.region, 0.0),)
        has_others = len(places) > 1 or request.previous is not None
        if not has_others or turn.command or Ability.PROBABILITIES not in turn.answerer.can:
            return
        begin = partial(self._turn_at_place, request)
        rank = None if self.mentions.knows(request) else partial(self._rank, request)
        self._alternatives = Alternatives(turn, places, begin, rank)

    def _rank(self, request: Request) -> Generator[None, None, Sequence[RankedPlace]]:
        """Weigh the places that a turn did not wait for, and return all of them in order."""
        yield from self.weigh(request)
        return self.mentions.ranked(request)

    def alternatives_to(self, turn: Turn) -> Alternatives | None:
        """The turns of the same request at other places.

        None where the request named its place, or a hunk of the turn was decided.
        """
        alternatives = self._alternatives
        if alternatives is None or turn not in alternatives.turns or turn.file.touched:
            return None
        return alternatives

    def show_alternative(self, turn: Turn) -> None:
        """Go on with the turn at another place of the same request."""
        self._kept(turn)

    def take_over(self, turn: Turn, error: Exception | None = None) -> Turn | None:
        """Make the turn of the model that takes a request over, or None where the turn stands.

        Args:
            turn: A turn that has ended.
            error: What ended it, if anything did.

        Raises:
            SparkError: That model cannot be asked.
        """
        name = self.succession.heir(turn, error)
        if not name:
            return None
        heir = self.succession.create(self._number(), turn, name)
        alternatives = self.alternatives_to(turn)
        # The deep model adds a second opinion; a fallback takes the place of a turn that failed.
        if error is None and name == self.succession.deep:
            self._set_beside(turn, heir)
        elif alternatives is not None:
            alternatives.replace(turn, heir)
        return self._kept(heir)

    def is_succeeded(self, turn: Turn) -> bool:
        """Whether another model took over the request of a turn."""
        alternatives = self.alternatives_to(turn)
        return alternatives is not None and any(each.before is turn for each in alternatives.turns)

    def _set_beside(self, turn: Turn, heir: Turn) -> None:
        """Keep the answer of the unsure model as another answer to the same request."""
        alternatives = self.alternatives_to(turn)
        if alternatives is None:
            place = RankedPlace(turn.region, 0.0)
            alternatives = Alternatives(turn, [place], partial(self._turn_at_place, turn.request))
        alternatives.put_first(heir)
        self._alternatives = alternatives

    def host_of(self, turn: Turn) -> ProviderHost:
        """Return the host of the model that writes a turn."""
        return self.succession.hosts.get(turn.writer, self.host)

    def _maker_of(self, turn: Turn) -> TurnFactory:
        """Return the factory of a turn; its model also writes what goes on from its answer."""
        # Other words about an open edit go to the model that wrote the edit. Once all is decided,
        # the first model answers again.
        is_open = turn.status is Status.RUNNING or bool(turn.hunks) or bool(turn.reply)
        others = self.succession.hosts if is_open else ()
        return self.succession.maker(turn.writer) if turn.writer in others else self.maker

    def _turn_at(
        self, request: Request, region: Region, command: TrialCommand | None = None
    ) -> Turn:
        base = self.maker.base(request, region)
        return self.maker.create(self._number(), request, region, base, command)

    def _turn_at_place(self, request: Request, place: RankedPlace, is_alone: bool) -> Turn:
        """Make a turn at another place, or without the turn before."""
        if is_alone:
            request = replace(request, previous=None)
        return self._turn_at(request, place.region)

    def rename(
        self, request: Request, watch: Callable[[str], None], command: TrialCommand | None = None
    ) -> Turn:
        """Make a turn that renames the name of a request wherever it is used; see `rename_turn`.

        Raises:
            As `rename_turn`.
        """
        # Jedi takes a while to import.
        from spark_tui.session.turn_factory import rename_turn  # noqa: PLC0415

        return self._kept(
            rename_turn(self._number(), self.repo, self.mentions, request, watch, command)
        )

    def command(self, line: str, budget: float = BUDGET_SECONDS) -> TrialCommand:
        """A command of the user's own that answers must pass.

        Args:
            budget: Seconds to look for a repair that makes the command pass.

        Raises:
            UsageError: There is no budget.
            RepoError: The repository could run programs that the user does not trust.
        """
        self._trust.require("the check")
        return TrialCommand(self.repo, line, budget)

    def suggestions(self, request: Request) -> Generator[Suggestion | None, None, None]:
        """Suggest requests for a place, by default the likeliest one; see `suggest`.

        Raises:
            UsageError: The model has no probabilities.
            SparkError: The place is not there.
        """
        if Ability.PROBABILITIES not in (answerer := self.host.ready()).can:
            raise UsageError(
                f"{self.host.name} cannot say how sure it is of an edit; the model that comes "
                f"with spark can"
            )
        region = self.mentions.find(request)
        yield from suggest(answerer, region, self.maker.base(request, region))

    def look_ahead(self, request: Request) -> Ahead | None:
        """What can be read of a request that is still being written, for `read_ahead`; or None.

        Raises:
            UsageError: The request tells no region yet, or one that is too long.
            Abstained: Nothing can be edited there.
            FileError: The file cannot be read as text.
        """
        refuse_too_long(request.instruction)
        region = self.mentions.find_ahead(request)
        return self.maker.look_ahead(request, region, self.maker.read(region.path))

    def weigh(self, request: Request) -> Generator[None, None, None]:
        """Weigh the places of a request (see `locator.weigh`); may be closed at any item."""
        return weigh(self.host.ready(), self.mentions, request)

    def read_ahead(self, ahead: Ahead | None) -> None:
        """Have the runner read what `look_ahead` found, if it is free.

        A turn that starts stops it between two passes. The call never waits. Errors are not
        reported: the turn will meet them itself.
        """
        if ahead and self.runner.is_free:
            self.runner.start(self.maker.read_ahead(ahead), lambda _: None, lambda _: None)

    def redirect(
        self,
        turn: Turn,
        instruction: str,
        places: Sequence[RankedPlace] = (),
        *,
        attached: str = "",
    ) -> Turn:
        """Make a turn with other words about the same region.

        What was accepted stays; the rest of `turn` is given up.

        Args:
            places: Other places that the words may be about.
            attached: Text that the model reads behind the words; "": what `turn` has.

        Raises:
            UsageError: The words are too many.
        """
        refuse_too_long(instruction)
        # Nothing was written by a model that other words could correct: they begin anew at these
        # lines.
        if turn.request.rename:
            lines = turn.region.start_line, turn.region.end_line
            return self.begin(
                replace(turn.request, instruction=instruction, rename="", lines=lines)
            )
        with turn.lock:
            base = turn.review.base
        region = turn.region
        if not has_several(turn):
            # What was accepted has moved the end of the region.
            growth = len(base.lines) - len(turn.base.lines)
            region = replace(region, end_line=region.end_line + growth)
        request = replace(
            turn.request,
            instruction=instruction,
            earlier=earlier_words(turn),
            keep="",
            become=None,
            attached=attached or turn.request.attached,
        )
        maker = self._maker_of(turn)
        # The new words may name further files.
        if has_several(turn) and maker is self.maker:
            base = maker.base(request, region)
        made = self._kept(maker.create(self._number(), request, region, base, turn.command))
        # Other words say that the last edit was wrong, so the same edit is no answer to them.
        if Ability.PROBABILITIES in made.answerer.can and instruction != turn.request.instruction:
            made.candidates.given_up = turn.file.proposal
        # At other places the words correct nothing.
        self._offer_places(made, replace(request, earlier=()), places)
        return made

    def ask_again(self, turn: Turn, hunk_id: str, instruction: str) -> Turn:
        """Make a turn with other words that writes one hunk anew; the rest of the review holds.

        Raises:
            UsageError.
        """
        refuse_too_long(instruction)
        if turn.request.keep:
            raise UsageError("no model wrote this hunk; for another side of a conflict use /keep")
        if turn.request.rename:
            raise UsageError("no model wrote this hunk; for another name use /rename")
        with turn.lock:
            # Refuses an unknown hunk before a model is asked for anything.
            turn.review.part(hunk_id)
            if isinstance(turn.file, WorkTreeFile):
                self._look_again(turn, turn.file, [hunk_id])
        request = replace(turn.request, instruction=instruction)
        return self._kept(self._maker_of(turn).again(self._number(), turn, hunk_id, request))

    def branch(self, turn: Turn, begun: str) -> Turn:
        """Make a turn whose answer begins with a text (see `with_words`); decisions hold."""
        other = self._maker_of(turn).branch(self._number(), turn, begun)
        if turn.file.touched:
            other.file.go_on_from(turn.file)
        return self._kept(other)

    def vary(self, turn: Turn, count: int) -> Generator[Event, None, None]:
        """Write other answers of a turn; see `Turn.vary`.

        The fallback of an endpoint that fails goes on with them.

        Raises:
            As `Turn.vary`, where no other model is named.
        """
        writer = turn
        while True:
            try:
                yield from writer.vary(count, turn)
            except SparkError as error:
                name = self.succession.substitute(writer, error)
                if not name:
                    raise
                yield HandedOver(handed_over(error, name, anew=False))
                writer = self.succession.create(self._number(), writer, name)
            else:
                return

    def begin_review(self, source: ReviewSource, request: Request) -> Turn:
        """Make a turn that reviews a change which no model made; no model is needed.

        Args:
            request: What to call the review, and how a model is asked about a hunk.

        Raises:
            UsageError: There is no such source, or no hunk to review.
            SparkError: The source cannot be read.
        """
        return self._kept(ChangeTurn(self._number(), request, read_source(self.repo, source)))

    def left_over(self, turn: Turn) -> Generator[str | None, None, None]:
        """Find the words that an edit leaves undone; see `leftovers.left_over`."""
        return left_over(turn)

    def next_edit(self, turn: Turn, gives_up: Callable[[], bool]) -> NextEdit | None:
        """Find the next place that wants what was accepted of a turn; see `NextEdits.find`.

        None where not all of the turn was accepted, or it was taken back.

        Args:
            turn: The turn.
            gives_up: As for `NextEdits.find`.

        Raises:
            SparkError: As `NextEdits.find`.
        """
        accepted = self.previous
        is_ours = not (turn.is_change or turn.request.keep or turn.request.rename)
        if accepted is None or not is_ours or not turn.file.is_whole(turn.review.base):
            return None
        return self._next_edits.find(turn, accepted, self._number(), gives_up)

    def is_current(self, found: NextEdit) -> bool:
        """Whether the file of a next edit is as it was when the edit was found."""
        try:
            return on_disk(self.repo, found.turn) == found.turn.base
        except SparkError:
            return False

    def _number(self) -> str:
        return f"t{next(self._numbers)}"

    def _kept(self, turn: Turn) -> Turn:
        # The turn before is saved once more: its decisions end here.
        made = [each for each in (self.turn, turn) if each is not None and not each.is_change]
        self._memory.keep(*made)
        # Figures are about models; a review of a change that is there already has none.
        if not isinstance(turn, ChangeTurn):
            self.telemetry.begin(turn)
        # Whoever answers next may be an endpoint, so no conversation tells of secrets.
        if not (turn.is_change or self.disclosure.private(shown_paths(turn.region, turn.base))):
            self.conversation.follow(turn)
        turn.is_alone = not (self.succession.deep or isinstance(turn.answerer, Talker))
        turn.second = self.succession.judge_of(turn)
        turn.has_heir = self.succession.asks_at_once(turn)
        self.turn = turn
        return turn

    def concerns(
        self, turn: Turn, hunk_ids: Collection[str] | None = None, *, accept: bool = True
    ) -> Mapping[str, tuple[str, ...]]:
        """Why files of a turn need a consent of their own; see `concerns_about`.

        Args:
            accept: Whether the hunks are to be accepted; else they are to be taken back.

        Raises:
            RepoError, FileError.
        """
        if hunk_ids is None or not isinstance(turn.file, WorkTreeFile):
            return concerns_about(self.repo, turn, hunk_ids)
        changes = self._settling(turn, turn.file, hunk_ids, accept=accept)
        gone = [change.path for change in changes if change.after is None]
        why = concerns_of(self.repo, [change.path for change in changes], gone=gone)
        return {path: words for path, words in why.items() if words}

    def odd(self, turn: Turn) -> dict[str, Odd]:
        """The text in the open hunks of a turn that is not what it looks like, by their ids."""
        with turn.lock:
            return odd_in(turn.review.base, [part.hunk for part in turn.parts])

    def doubts(self, turn: Turn) -> Mapping[str, tuple[str, ...]]:
        """Why somebody must look at a turn before all of it is written; see `accept.doubts`.

        Raises:
            RepoError, FileError.
        """
        return doubts(self.repo, turn)

    def changes(
        self, turn: Turn, hunk_ids: Collection[str] | None = None
    ) -> tuple[FileChange, ...]:
        """What accepting hunks would change, file by file."""
        with turn.lock:
            review = turn.review
            after = review.would_accept(chosen_of(turn, hunk_ids))
        for path, old, new in changed(review.base, after, str(turn.region.path)):
            # A change that was made outside spark is taken as it is, whatever its encoding.
            mixed = old.mixed(new) if old and new and not turn.is_change else None
            if mixed is not None:
                raise Abstained(candidates.mixed(path, mixed + 1))
        return turn.as_files(changes_between(review.base, after, str(turn.region.path)))

    def accept(
        self,
        turn: Turn,
        hunk_ids: Collection[str] | None = None,
        *,
        allow: Collection[str] | None = (),
        over: Mapping[str, str] | None = None,
    ) -> JournalEntry:
        """Write hunks to the work tree, beside any edits made in the file meanwhile.

        Args:
            hunk_ids: The hunks; None: all that are fully written.
            allow: The files that the user consented to; None: the caller has asked about every file
                that needs a consent.
            over: As for `fitted`.

        Raises:
            Conflict: The same lines, or lines beside them, were edited.
            Abstained: The edit did not pass its checks.
            UsageError: There is no such hunk, or it is still being written.
            SparkError: The file needs a consent of its own; or all hunks are taken and one must be
                looked at first. Whatever is raised, nothing was written.
        """
        if allow is not None:
            self._refuse_without_consent(turn, hunk_ids, allow)
        # One lock from the choice to the review's new base: what is written is what was chosen,
        # even while the turn goes on writing.
        with turn.lock:
            bound = None if hunk_ids is None else turn.file.with_conflict_peers(hunk_ids)
            chosen = chosen_of(turn, bound)
            shown = self.changes(turn, chosen)
            changes = tuple(fitted(self.repo, change, over) for change in shown)
            as_shown = changes == shown
            entry = self._batches.accept(changes, turn.told_of(chosen))
            self.staging.add(entry)
            # Noted before the review takes the hunks in, which ends their ids.
            hunks = [part.hunk for part in turn.review.chosen(chosen)]
            taken = size_of(turn.file.decided(chosen, accept=True))
            # Where the file was edited meanwhile, the review learns of these edits from the file
            # before and after the write.
            if as_shown:
                turn.file.accept(chosen)
            else:
                before = with_files(turn, changes, before=True)
                after = with_files(turn, changes, before=False)
                turn.file.accept(chosen, before, after)
            self.previous = accepted_edit(turn) or self.previous
        # Accepting everything from a shell says little: nobody looked at the hunks one by one.
        if hunk_ids is not None:
            turn.tell_decision(accepted=True)
        if not turn.is_change:
            self._memory.accepted(turn, entry, taken)
        self.telemetry.accepted(turn, entry.id, hunks)
        if turn.task:
            is_whole = turn.file.is_whole(turn.review.base)
            self.telemetry.note_end(
                turn.task, TaskEnd.APPLIED if is_whole else TaskEnd.PARTLY, entry.id
            )
        for change, fit in zip(shown, changes, strict=True):
            if change != fit:
                way = _INSTEAD if over and change.path in over else _BESIDE
                self.notices.append(f"{change.path} was edited meanwhile: {way}")
        self._warn_of(turn, changes, as_shown=as_shown)
        return entry

    def _refuse_without_consent(
        self, turn: Turn, hunk_ids: Collection[str] | None, allow: Collection[str]
    ) -> None:
        """Refuse files that the user did not consent to.

        Raises:
            SparkError: A file needs a consent, or all hunks are taken and one must be seen first.
        """
        reasons = self.doubts(turn) if hunk_ids is None else self.concerns(turn, hunk_ids)
        for path, why in reasons.items():
            if path not in allow:
                raise SparkError(
                    f"{path} {'; '.join(why)}; nothing was written: it needs its own approval"
                )

    def _warn_of(self, turn: Turn, changes: Sequence[FileChange], *, as_shown: bool) -> None:
        """Set the warning of what an accept broke; a whole turn, as shown, was checked already."""
        whole = turn.status is not Status.INTERRUPTED and turn.file.is_whole(turn.review.base)
        self.warning = ""
        half = ""
        # A whole turn was checked before it was offered, but only against the file as the turn saw
        # it.
        if not (as_shown and whole):
            if has_several(turn):
                self.warning = broken(changes)
            else:
                self.warning = faults(since(turn, changes[0]))
                half = half_renamed(turn, changes[0].texts[1])
        # `since` looks at everything accepted of the turn: where this accept alone breaks nothing,
        # an earlier one did.
        self._was_broken = bool(self.warning) and not broken(changes)
        self.warning = self.warning or half

    def told_warning(self, turn: Turn) -> str:
        """The warning as a clause that follows "accepted".

        "alone" says that the hunks still open could make the file whole.
        """
        if self._was_broken:
            return f", and the file is still broken ({self.warning})"
        if not self.warning:
            return ""
        alone = "alone " if turn.hunks or turn.status is Status.RUNNING else ""
        return f", which {alone}breaks the file ({self.warning})"

    def reject(self, turn: Turn, hunk_ids: Collection[str]) -> None:
        """Reject hunks; they stay rejected while later ones are being written.

        Raises:
            UsageError: No such hunk.
        """
        # All hunks of a merge conflict go together.
        rejected = turn.file.with_conflict_peers(hunk_ids)
        with turn.lock:
            hunks = [part.hunk for part in turn.review.parts_of(rejected)]
            turn.file.reject(rejected)
        self.telemetry.rejected(turn, hunks)
        turn.tell_decision(accepted=False)

    def settle(self, turn: Turn, hunk_ids: Collection[str], *, accept: bool) -> JournalEntry | None:
        """Keep hunks of a change that is in the work tree, or take them back.

        The user was asked about every file that needs a consent.

        Returns:
            The entry of the journal; None where nothing was to be written.

        Raises:
            Conflict: The hunks are no longer in the work tree as they were shown, or a merge is not
                resolved in a file that would be taken back.
            UsageError: There is no such hunk.
            SparkError: The disk refused. Whatever is raised, nothing was written.
        """
        file = turn.file
        assert isinstance(file, WorkTreeFile)
        with turn.lock:
            chosen = file.with_conflict_peers(hunk_ids)
            self._look_again(turn, file, chosen)
            changes = self._settling(turn, file, chosen, accept=accept)
            if not accept:
                refuse_torn(self.repo, changes)
            hunks = [part.hunk for part in turn.review.parts_of(chosen)]
            # The work tree already holds what was decided, so the decision is the review's alone.
            if not changes:
                if accept:
                    file.keep(chosen)
                else:
                    file.reject(chosen)
                self._note_settled(turn, hunks, "", accept=accept)
                return None
            # A hunk that was edited here, or that is taken back, changes the files: a batch of the
            # journal.
            after = file.outcome(chosen, accept=accept)
            words = turn.told_of(chosen)
            if not accept:
                names = few([change.path for change in changes], _MOST_NAMES)
                words = f"take back {names} ({turn.request.instruction})"
            entry = self._batches.accept(changes, words)
            file.write(chosen, after, entry.id, accept=accept)
        self._note_settled(turn, hunks, entry.id, accept=accept)
        return entry

    def _note_settled(
        self, turn: Turn, hunks: Sequence[Hunk], batch_id: str, *, accept: bool
    ) -> None:
        if accept:
            self.telemetry.accepted(turn, batch_id, hunks)
        else:
            self.telemetry.rejected(turn, hunks)

    def _settling(
        self, turn: Turn, file: WorkTreeFile, hunk_ids: Collection[str], *, accept: bool
    ) -> tuple[FileChange, ...]:
        """What a decision about a change in the work tree writes."""
        after = file.outcome(hunk_ids, accept=accept)
        changes = turn.as_files(changes_between(file.on_disk, after, ""))
        return tuple(map(self._as_on_disk, changes))

    def _as_on_disk(self, change: FileChange) -> FileChange:
        """The change as it meets the disk: a deleted file is an empty one in the review."""
        if change.before == b"" and not (self.repo.root / change.path).exists():
            return replace(change, before=None)
        return change

    def _look_again(self, turn: Turn, file: WorkTreeFile, hunk_ids: Collection[str]) -> None:
        """See what was edited in the work tree since the review was shown.

        Raises:
            Conflict: The hunks are others now.
        """
        shown = file.review.parts_of(hunk_ids)
        if not file.note_external_edits(on_disk(self.repo, turn)):
            return
        contents = {part.hunk.id: (part.hunk.old, part.hunk.new) for part in turn.parts}
        if any(contents.get(part.hunk.id) != (part.hunk.old, part.hunk.new) for part in shown):
            raise Conflict(
                "the work tree was edited meanwhile, and is shown as it is now; nothing was decided"
            )

    def review(self, source: ReviewSource) -> ChangeReview:
        """Open changes that no turn made, for review; as `ChangeReview.open`."""
        return ChangeReview.open(self.repo, self._batches, source)

    def propose(
        self, words: str, changes: Sequence[FileChange], notes: Sequence[str], task: str = ""
    ) -> Turn:
        """Make a turn that reviews changes which are not in the files yet.

        Args:
            words: What the journal calls them.
            changes: From the files as they are, or as they were where the changes clash with those.
            notes: What the user should know, one clause each.
            task: The id of the task that made them; "" for none.

        Raises:
            UsageError: There is no hunk to review.
        """
        source = source_of(words, changes, notes)
        turn = ChangeTurn(self._number(), Request(words), source)
        turn.task = task
        return self._kept(turn)

    def _lanes_in_use(self) -> set[str]:
        """The engine and the endpoints that the user waits for now."""
        if self.runner.idle or self.runner.paused:
            return set()
        names = [self.host.in_use]
        if self.turn is not None and self.turn.writer:
            names.append(self.turn.writer)
        return {self.succession.lane(name) for name in names}

    def accept_written(self, turn: Turn, hunk_ids: Collection[str]) -> None:
        """Take note that another program, such as an editor, wrote hunks and can take them back.

        Raises:
            Abstained: The turn offers none.
            UsageError: There is no such hunk.
        """
        with turn.lock:
            chosen = chosen_of(turn, turn.file.with_conflict_peers(hunk_ids))
            hunks = [part.hunk for part in turn.review.chosen(chosen)]
            turn.file.accept(chosen)
            self.previous = accepted_edit(turn) or self.previous
        turn.tell_decision(accepted=True)
        self.telemetry.accepted(turn, "", hunks)

    def reserve_id(self) -> None:
        """Let `go_on` find this session even if it gets no turn; waits for the disk."""
        self._memory.reserve()

    def go_on(self, session_id: str) -> None:
        """Continue a saved session, before the first turn here; new turns join its own.

        Raises:
            UsageError: There is no such session.
            FileError: The session is damaged.
        """
        saved = self._memory.go_on(session_id)
        self._numbers = count(_last_number(saved) + 1)

    def undo(self, batch_id: str | None = None) -> JournalEntry:
        """Take a batch back, by default the last one in force.

        Raises:
            UsageError, Conflict: Nothing was written.
        """
        return self._followed(self._batches.undo(batch_id))

    def redo(self) -> JournalEntry:
        """Redo the last undo.

        Raises:
            UsageError, Conflict: Nothing was written.
        """
        return self._followed(self._batches.redo())

    def remember(self, turn: Turn | None = None) -> None:
        """Save the state of a turn, by default the present one, for later starts.

        Nobody waits for the disk.
        """
        turn = turn or self.turn
        if turn is not None and not turn.is_change:
            self._memory.keep(turn)

    def close(self) -> None:
        """Save the present turn, wait a moment for the disk, and close the connections."""
        self.check.stop()
        if self._types is not None:
            self._types.close()
        self.remember()
        self.telemetry.close()
        self._memory.wait(_PATIENCE_SECONDS)
        self._next_edits.close()
        self.host.close()
        self.succession.close()

    @property
    def creates(self) -> bool:
        """Whether the model that answers can create files."""
        return Ability.FILES in self.host.answerer.can

    def take_notices(self) -> list[str]:
        """Take the notices that were not shown yet, to show them."""
        taken = self.notices[:]
        del self.notices[: len(taken)]
        return taken

    def _followed(self, entry: JournalEntry) -> JournalEntry:
        """Bring the review on the screen up to date with the disk, after an undo or a redo."""
        self.telemetry.note_undo(entry)
        self.previous = None  # the last accepted edit may be the one that was taken back
        if self.turn:
            self.follow(self.turn, entry)
        return entry

    def follow(self, turn: Turn, entry: JournalEntry) -> None:
        """Bring a review up to date with the disk, if an undo or a redo wrote its file."""
        # Before the look at the paths: a redo goes on with the journal whatever file the batch was
        # in.
        turn.file.journal_moved(back=entry.undoes is not None)
        with turn.lock:
            about = set(paths_of(turn))
        if not about & {file.path for file in entry.files}:
            return
        if isinstance(turn.file, WorkTreeFile):
            turn.file.follow_batch(entry, on_disk(self.repo, turn))
        else:
            turn.file.follow(on_disk(self.repo, turn))


def _last_number(saved: SavedSession) -> int:
    """The highest number in the names of a session's turns; see `Session._number`."""
    numbers = [turn.id.removeprefix("t") for turn in saved.turns]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)

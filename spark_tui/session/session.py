"""A session: one repository, one loaded model, and the turns the user takes with them."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, TypeVar

from spark_tui.answering.embedded import vocabulary_of
from spark_tui.context.source import Region
from spark_tui.editing import remarks
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.guide import Guide
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.memory import fitting_context
from spark_tui.engine.model import Model
from spark_tui.engine.recovering import RecoveringModel, from_disk
from spark_tui.engine.runner import Runner
from spark_tui.errors import Abstained, SparkError, UsageError
from spark_tui.session import answers
from spark_tui.session.again import AgainTurn, OneAgain, SeveralAgain
from spark_tui.session.asked import as_it_came, asked_for
from spark_tui.session.besides import besides
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.consent import Odd, concerns_about, doubts, odd_in
from spark_tui.session.editable import why_not_here
from spark_tui.session.elsewhere import elsewhere
from spark_tui.session.events import Status
from spark_tui.session.examples import Example, working_example
from spark_tui.session.fixing.trial import BUDGET_SECONDS, Command
from spark_tui.session.guiding import guided
from spark_tui.session.intents import leaning
from spark_tui.session.keeping.history import History
from spark_tui.session.keeping.memory import Memory
from spark_tui.session.keeping.past import Past
from spark_tui.session.keeping.store import SessionStore
from spark_tui.session.mentions import Mentions
from spark_tui.session.models import Models
from spark_tui.session.prefetch import read_ahead
from spark_tui.session.prompt import beginning, has_room, words_within
from spark_tui.session.quoted_turn import QuotedAgain, QuotedTurn, quoted_beginning, quoted_room, quotes
from spark_tui.session.rebase_hunks import chosen_of, faults, fitted, since
from spark_tui.session.reviewed import size_of
from spark_tui.session.settling import ONLY_ASKED, SettledTurn, settles
from spark_tui.session.staging import Staging
from spark_tui.session.turn import Request, Turn
from spark_tui.session.variations import VariedTurn
from spark_tui.session.wishless import no_wish
from spark_tui.session.wording.corrections import corrected
from spark_tui.session.wording.length import refuse_too_long
from spark_tui.session.wording.steps import split
from spark_tui.vcs.batches import MOST_BYTES, Batches
from spark_tui.vcs.history import Batch
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.trust import Trust
from spark_tui.vcs.write import FileChange

T = TypeVar("T", bound=Turn)
_PATIENCE_SECONDS = 1.0
"""How long the end waits for what is being saved."""
_BESIDE = "that stays, and what you accepted went in beside it"
_INSTEAD = "what you accepted took the place of what clashed with it, and undo brings that back"
MOST_EARLIER = 3
"""Words that were corrected one after the other, and are read with the last ones."""
MOST_KEPT_BYTES = 64 << 20
"""Memory for the keys and values of regions that may be come back to."""


def read_again(path: Path) -> Model:
    """A model as its files have it. Raises: ModelError."""
    return load(path).model


class Session:
    """What a user works in. Mutable; `runner` is where its turns may run while the interface goes on.

    `engine` is the model of `loaded`, and who hears of its failures can be set there.

    Args: state_dir: where the journal is kept. reload: reads the model again when it fails. journal_bytes: what may be
        kept for undo. sessions: where turns are saved for later starts; None: nowhere. models: what it can change to.
    """

    turn_type: ClassVar[type[Turn]] = VariedTurn

    def __init__(
        self,
        repo: Repository,
        loaded: LoadedModel,
        state_dir: Path,
        reload: Callable[[Path], Model] = read_again,
        *,
        journal_bytes: int = MOST_BYTES,
        sessions: SessionStore | None = None,
        models: Models | None = None,
    ) -> None:
        self.repo = repo
        self.loaded = loaded
        self.models = models or Models()
        self.mentions = Mentions(repo, self._fits, lambda: quotes(self.loaded))
        self.runner = Runner()
        self.turn: Turn | None = None
        self.warning = ""
        """What the last accept left broken, or ""."""
        self._was_broken = False
        self.notices: list[str] = []
        """What the user should know and is no error; see `take_notices`."""
        self._trust = Trust(repo, state_dir)
        self._batches = Batches(repo, state_dir, tell=self.notices.append, most_bytes=journal_bytes)
        self._batches.recover_at_start()
        self.history = History(state_dir / "history" / f"{self._batches.name}.lines")
        """What was written in the prompt."""
        self.staging = Staging(repo, self._batches, state_dir, self.notices.append)
        """What was accepted here, on its way into git."""
        self._memory = Memory(repo, sessions, self.notices.append)
        self.past = Past(self._batches, sessions, self._memory, self._followed)
        """What was done before, here and in earlier sessions."""
        self._again = from_disk(loaded.path, reload)
        self._offered: tuple[Model, Path | None] | None = None
        self._next: LoadedModel | None = None
        self._foreseen: tuple[Guide | None, Text | None] = None, None
        """What will guide the turn that was looked ahead to last, if it asks for one thing, and its file."""
        self._taking = Lock()
        self._use(loaded.model)
        self._numbers = count(1)

    def _fits(self, lines: Sequence[str]) -> bool:
        """Whether the model has room for lines, words and an answer."""
        return (quoted_room if quotes(self.loaded) else has_room)(self.loaded, lines, self.context)

    @property
    def context(self) -> int:
        """Tokens that the prompt and the answer of a turn may take together."""
        return self._cache.capacity

    def prepare(self) -> None:
        """Load what the first turn would otherwise wait for."""
        if quotes(self.loaded):
            vocabulary_of(self.loaded.tokenizer, self.loaded.config.vocab_size)
            return
        codemods()
        remarks.shipped()
        leaning(self.loaded, "", ())

    @property
    def model_name(self) -> str:
        """The name of the model that the next turn runs on."""
        return (self._next or self.loaded).name

    @property
    def restricted(self) -> tuple[str, ...]:
        """What the repository could run that the user has not allowed. Raises: RepoError."""
        return self._trust.restricted

    def offer(self, model: Model, path: Path | None = None) -> None:
        """Take another model of the same weights from the next turn on; from any thread. Args: path: of its files."""
        self._offered = model, path

    def change_model(self, name: str) -> None:
        """Load a model, and take it from the next turn on; until it is loaded, nothing changes.

        Raises: UsageError: there is none. ModelError: it cannot be used.
        """
        self._next, self._offered = self.models.load(name), None

    def ready(self) -> tuple[LoadedModel, KVCache]:
        """The model that a turn runs on from now on, what was offered taken, and the cache that is made for it."""
        with self._taking:
            if (other := self._next) is not None:
                self.loaded, self._next = other, None
                self._again = from_disk(other.path, lambda path: self.models.load_again(path).model)
                self._use(other.model)
            if (offered := self._offered) is not None:
                self._offered = None
                if offered[1] in {None, self.loaded.path}:  # not of a model that was left meanwhile
                    self._use(offered[0])
            return self.loaded, self._cache

    def _use(self, model: Model) -> None:
        self.engine = RecoveringModel(model, self._again)
        self.loaded = replace(self.loaded, model=self.engine)
        self._cache = model.new_cache(fitting_context(self.loaded.config))
        self._cache.kept.most_bytes = MOST_KEPT_BYTES

    def begin(self, request: Request, *, command: Command | None = None) -> Turn:
        """Find the region and make a turn of it; nothing is computed before its events are asked for.

        Args: command: what the turn answers passes it, in a copy of the tracked files; see `command`.
        Raises: UsageError: no region, or not one region. FileError: the file cannot be read as text.
        """
        request = self._read(request)
        region = self._found(request)
        base = Text.from_bytes(self.repo.read(region.path), region.path)
        return self._start(request, region, base, command)

    def _read(self, request: Request) -> Request:
        """A request as its turn gets it; a model that quotes reads the words as they are. Raises: UsageError."""
        refuse_too_long(request.instruction)
        if quotes(self.loaded):
            return request
        return replace(request, instruction=corrected(request.instruction))

    def command(self, line: str, budget: float = BUDGET_SECONDS) -> Command:
        """A command of the user's own. Args: budget: seconds to look for a repair that makes it pass.

        Raises: UsageError: no budget. RepoError: the repository could run programs that the user does not trust.
        """
        self._trust.require("--check")
        return Command(self.repo, line, budget)

    def _found(self, request: Request) -> Region:
        """The place to edit. Raises: as `begin`; Abstained: none is clear, and no edit was asked for."""
        try:
            return self.mentions.find(request)
        except UsageError as e:
            if not quotes(self.loaded) and (told := no_wish(request.instruction)):
                raise Abstained(told) from e
            raise

    def look_ahead(self, request: Request) -> list[int]:
        """The tokens that the prompt of a turn will begin with, by an instruction that may still be being written.

        Raises: UsageError: it does not tell a region yet, or one that is too long. Abstained: nothing can be edited
            there. FileError: the file cannot be read as text.
        """
        request = self._read(request)
        region = self.mentions.find_ahead(request)
        base = Text.from_bytes(self.repo.read(region.path), region.path)
        if quotes(self.loaded):
            self._foreseen = None, base
            return quoted_beginning(self.loaded, region, base)
        if settles(request.instruction, region, base):
            return []
        if problem := why_not_here(region, base):
            raise Abstained(problem)
        loaded, words = self.loaded, request.instruction.strip()
        several = len(split(words)) > 1
        guide = None if several else guided(loaded, words_within(region, words), region, base)
        self._foreseen = guide, base
        return beginning(loaded, region, base, request.instruction, self.context)

    def read_ahead(self, token_ids: list[int]) -> None:
        """Run such tokens where turns run, if none is there, and weigh the edits of the look ahead they are from.

        A turn that comes stops it between two passes. It never waits, and what goes wrong is not told: the turn will
        see for itself.
        """
        if self.runner.idle:
            self.runner.start(read_ahead(*self.ready(), token_ids, *self._foreseen), lambda _: None, lambda _: None)

    def redirect(self, turn: Turn, instruction: str) -> Turn:
        """A turn with other words about the same region; what was accepted stays, the rest of `turn` is given up.

        Raises: UsageError: far more words than are read.
        """
        request = self._read(replace(turn.request, instruction=instruction))
        with turn.lock:
            base = turn.review.base
        grown = len(base.lines) - len(turn.base.lines)
        region = replace(turn.region, end_line=turn.region.end_line + grown)
        earlier = () if turn.touched else (*turn.request.earlier, turn.request.instruction)
        return self._start(replace(request, earlier=earlier[-MOST_EARLIER:]), region, base, turn.command)

    def ask_again(self, turn: Turn, hunk_id: str, instruction: str) -> AgainTurn:
        """A turn with other words that writes one hunk anew; the rest of the review holds in it. Raises: UsageError."""
        instruction = self._read(replace(turn.request, instruction=instruction)).instruction
        if isinstance(turn, SettledTurn):
            raise UsageError(ONLY_ASKED)
        with turn.lock:
            turn.review.part(hunk_id)
        kind: type[AgainTurn] = SeveralAgain if len(split(instruction)) > 1 else OneAgain
        if isinstance(turn, QuotedTurn):
            kind = QuotedAgain
        request = replace(turn.request, instruction=instruction)
        other = self._started(kind, request, turn.region, turn.base, turn.command)
        other.take_over(turn, hunk_id)
        return other

    def branch(self, turn: Turn, begun: Sequence[int], index: int = 0) -> Turn:
        """A turn for the same words whose script begins with these tokens (see `branching`); what was decided holds.

        Args: index: where in the tape the branch leaves; of several steps it tells the one that goes on otherwise.
        """
        kind: type[Turn] = QuotedTurn if isinstance(turn, QuotedTurn) else self.turn_type
        options: dict[str, Any] = {"begun": begun}
        if isinstance(turn, ComposedTurn):
            kind, options["begun_step"] = ComposedTurn, turn.step_at(index)
        other = self._started(kind, turn.request, turn.region, turn.base, turn.command, **options)
        if turn.touched:
            other.go_on_from(turn)
        return other

    def words(self, turn: Turn) -> str:
        """What a turn does, in the user's words; see `as_it_came`."""
        return as_it_came(turn)

    def concerns(self, turn: Turn) -> tuple[str, ...]:
        """Why the file of a turn needs a consent of its own; see `concerns_about`. Raises: RepoError, FileError."""
        return concerns_about(self.repo, turn)

    def odd(self, turn: Turn) -> dict[str, Odd]:
        """What is not what it looks like in the open hunks of a turn, by their ids."""
        with turn.lock:
            return odd_in(turn.review.base, [part.hunk for part in turn.parts])

    def doubts(self, turn: Turn) -> tuple[str, ...]:
        """Why not all of a turn may be written unseen; see `consent`. Raises: RepoError, FileError."""
        return doubts(self.repo, turn)

    def change(self, turn: Turn, hunk_ids: Collection[str] | None = None) -> FileChange:
        """What accepting hunks would change. Args, raises: as `accept`, before it looks at the disk."""
        with turn.lock:
            review = turn.review
            after = review.would_accept(chosen_of(turn, hunk_ids))
            if (mixed := review.base.mixed(after)) is not None:
                raise Abstained(answers.mixed(turn.region.path, mixed + 1))
            return FileChange(str(turn.region.path), review.base.to_bytes(), after.to_bytes())

    def accept(
        self, turn: Turn, hunk_ids: Collection[str] | None = None, *, allow: Collection[str] = (), over: str = ""
    ) -> JournalEntry:
        """Write hunks to the work tree.

        Where the file was edited meanwhile, the hunks go in beside that.

        Args: hunk_ids: which; None takes all that are fully written. allow: files that the user consented to.
            over: see `fitted`.
        Raises: Conflict: the same lines, or those beside them, were edited. Abstained: the edit did not pass its
            checks. UsageError: no such hunk, or it is still being written. SparkError: the file needs a consent of its
            own, or, where all is taken, holds something to be looked at first. In all cases nothing was written.
        """
        path = str(turn.region.path)
        if path not in allow and (why := self.doubts(turn) if hunk_ids is None else self.concerns(turn)):
            raise SparkError(f"{path} {'; '.join(why)}; nothing was written: it needs a consent of its own")
        with turn.lock:
            chosen = chosen_of(turn, hunk_ids if hunk_ids is None else turn.bound(hunk_ids))
            shown = self.change(turn, chosen)
            change = fitted(self.repo, shown, over)
            asked = asked_for(turn, chosen)
            entry = self._batches.accept([change], asked.words)
            self.staging.add(entry, asked)
            taken = size_of(turn.decided(chosen, accept=True))
            texts = () if change is shown else (change.before, change.after)
            turn.accept(chosen, *(Text.from_bytes(data or b"", path) for data in texts))
        self._memory.accepted(turn, entry, taken)
        if change is not shown:
            self.notices.append(f"{path} was edited meanwhile: {_INSTEAD if over else _BESIDE}")
        whole = turn.status is not Status.INTERRUPTED and turn.is_whole(turn.review.base)
        self.warning = "" if change is shown and whole else faults(since(turn, change))
        self._was_broken = bool(self.warning) and not faults(change)
        return entry

    def told_warning(self, turn: Turn) -> str:
        """The warning, to go on with behind "accepted"; only what is still open could make it whole."""
        if self._was_broken:
            return f", and the file is still broken ({self.warning})"
        alone = "alone " if turn.hunks or turn.status is Status.RUNNING else ""
        return f", which {alone}breaks the file ({self.warning})" if self.warning else ""

    def reject(self, turn: Turn, hunk_ids: Collection[str]) -> None:
        """Give up hunks; they stay rejected while later ones are being written. Raises: UsageError: no such hunk."""
        turn.reject(turn.bound(hunk_ids))

    def undo(self, batch_id: str | None = None) -> JournalEntry:
        """Take a batch back, by default the last one in force. Raises: UsageError, Conflict: nothing was written."""
        return self._followed(self._batches.undo(batch_id))

    def redo(self) -> JournalEntry:
        """Do again what was undone last. Raises: UsageError, Conflict: nothing was written."""
        return self._followed(self._batches.redo())

    def remember(self, turn: Turn | None = None) -> None:
        """Save what a turn, by default the present one, came to, for later starts; nobody waits for that."""
        if turn := turn or self.turn:
            self._memory.keep(turn)

    def close(self) -> None:
        """Save what the present turn came to, and wait a moment until all is saved."""
        self.remember()
        self._memory.wait(_PATIENCE_SECONDS)

    def take_notices(self) -> list[str]:
        """The notices that were not shown yet; whoever takes them shows them."""
        taken = self.notices[:]
        del self.notices[: len(taken)]
        return taken

    def log(self) -> tuple[Batch, ...]:
        """What was accepted, undone and redone here, the newest first."""
        return self._batches.log()

    def _followed(self, entry: JournalEntry) -> JournalEntry:
        """Bring the review on the screen up to what is on disk now."""
        if self.turn:
            self.follow(self.turn, entry)
        return entry

    def follow(self, turn: Turn, entry: JournalEntry) -> None:
        """Bring a review up to what is on disk now, if an undo or a redo wrote its file."""
        turn.turned(back=entry.undoes is not None)
        if (path := str(turn.region.path)) in {file.path for file in entry.files}:
            turn.follow(Text.from_bytes(self.repo.read(path), path))

    def _start(self, request: Request, region: Region, base: Text, command: Command | None) -> Turn:
        if quotes(self.loaded):
            return self._started(QuotedTurn, request, region, base, command)
        if settles(request.instruction, region, base):
            return self._started(SettledTurn, request, region, base, command, repo=self.repo)
        kind = ComposedTurn if len(split(request.instruction)) > 1 else self.turn_type
        return self._started(kind, request, region, base, command)

    def _started(
        self,
        kind: type[T],
        request: Request,
        region: Region,
        base: Text,
        command: Command | None,
        **options: Any,
    ) -> T:
        loaded, cache = self.ready()
        number = f"t{next(self._numbers)}"
        turn = kind(number, request, region, base, loaded, cache, command, **options)
        if isinstance(turn, QuotedTurn):
            turn.elsewhere = partial(elsewhere, self.repo, region.path, base)
        else:
            turn.elsewhere = partial(besides, self.repo, turn, loaded, cache)
            turn.example = partial(self._example, turn, loaded, cache)
        self._memory.keep(*filter(None, [self.turn, turn]))
        self.turn = turn
        return turn

    def _example(self, turn: Turn, loaded: LoadedModel, cache: KVCache) -> str:
        """What would work where a turn found nothing to do, with its place unless the user told that; or ""."""
        kind_offered = partial(self._kind_offered, turn, loaded, cache)
        found = working_example(turn.base.lines, turn.region, turn.words, kind_offered)
        if found is None:
            return ""
        place = "::".join(filter(None, (turn.region.path, found.symbol)))
        return f"“{found.words}”" + ("" if _is_placed(turn.request) else f" --at {place}")

    def _kind_offered(
        self, turn: Turn, loaded: LoadedModel, cache: KVCache, example: Example, due: float
    ) -> str | None:
        """The kind of edit in the same file that an example, sent as a turn's words were, would end in."""
        request = replace(turn.request, instruction=example.words, temperature=0.0)
        if not _is_placed(request):
            request = replace(request, path=turn.region.path, symbol=example.symbol or None)
        try:
            region = self.mentions.find_again(request)
            other = Turn("", request, region, turn.base, loaded, cache)
            if region.path == turn.region.path:
                with closing(other.events()) as events:
                    for _ in takewhile(lambda _: time.monotonic() < due, events):
                        pass
        except SparkError:
            return None
        return other.kind if other.status is Status.OK else None


def _is_placed(request: Request) -> bool:
    """Whether the user told the file beside the words."""
    return bool(request.path or request.among)

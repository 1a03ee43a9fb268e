"""Runs spark in plain lines, for screen readers and for terminals that can only print.

Every line is written once and stays; questions are answered with a line. Nothing moves the cursor.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from types import FrameType

from spark_tui import system
from spark_tui.cli import output
from spark_tui.cli.journal import ask_which, other_version, previewed
from spark_tui.cli.keyboard import LineReader, is_yes
from spark_tui.config import Settings
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.multi_file import Files, lines_of
from spark_tui.errors import Conflict, ConsentMissing, SparkError, UsageError
from spark_tui.session.controller import Controller, moved
from spark_tui.session.events import Event, Held, HunkClosed, Status, TurnEnded, TurnStarted
from spark_tui.session.external import edit_outside
from spark_tui.session.history import EarlierTurn
from spark_tui.session.playback import returned
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.tui.commands import meant, typed_command

_HELP = (
    "Say what to change, in your own words; @file, @file:10-20 or @file::function says where.",
    (
        "Ctrl+C stops at the token; then an empty line goes on, words redirect, and d drops what "
        "is unfinished."
    ),
    "/undo and /redo show what they would do, then ask; /log lists what was accepted.",
    "/resume lists earlier turns; /quit ends.",
)
_ANSWERS = {"yes": "y", "no": "n", "edit": "e", "all": "a", "quit": "q"} | {
    letter: letter for letter in "yneaq"
}
"""Answers to the question about a hunk; the next instruction, typed too early, is none."""
_ELSEWHERE = {
    "/ask": "spark ask WORDS",
    "/doctor": "spark doctor",
    "/plan": "spark task plan WORDS",
    "/review": "spark review",
    "/task": "spark task WORDS",
    "/tasks": "spark task list",
}
"""The commands of the shell that do what a command of the full screen does."""
_LEFT = "left as it is; nothing was written"
_MOST_EARLIER = 20
_CHOICES = (
    "y accepts, n rejects, e edits it in your editor, a accepts it and all that follow, "
    "q leaves them undecided"
)


class Talk:
    """A conversation about one repository.

    Args:
        session: The repository and its model.
        settings: The settings of turns.
        keyboard: Reads the answers.
    """

    def __init__(self, session: Session, settings: Settings, keyboard: LineReader) -> None:
        self._session = session
        self._keyboard = keyboard
        self._controller = Controller(session, settings)
        self._commands: dict[str, Callable[[], None]] = {
            "/help": self._help,
            "/undo": partial(self._undo_or_redo, back=True),
            "/redo": partial(self._undo_or_redo, back=False),
            "/log": self._log,
            "/resume": self.show_earlier,
        }
        self._stopped = False
        self._shown: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        """The old and new lines of hunks that were read out, which are not read out again."""

    def run(self, prompt: str) -> None:
        """Take instructions until there are no more.

        Args:
            prompt: The first one, if any.
        """
        controller = self._controller
        output.show_words(
            f"spark in {controller.folder}, on {controller.branch}, with {controller.named}"
        )
        output.show_words("Say what to change. /help lists the rest, /quit leaves.")
        line: str | None = prompt or self._ask("spark: ")
        while line is not None and line.strip() not in {"/quit", "/q"}:
            try:
                with self._showing_errors():
                    self._carry_out(line.strip())
            except KeyboardInterrupt:
                output.show_words("stopped; what was accepted stays")
            line = self._ask("spark: ")

    def _help(self) -> None:
        for line in _HELP:
            output.show_words(line)

    def show_earlier(self, session_id: str = "") -> None:
        """List earlier turns, and take the instruction of one again if the user says which."""
        turns = self._session.past.turns(session_id)[:_MOST_EARLIER]
        for number, earlier in enumerate(turns, 1):
            turn = earlier.turn
            time = f"{turn.time.astimezone():%Y-%m-%d %H:%M}"
            words = " ".join(turn.instruction.split())
            output.show_words(
                f"{number}: {time}, {turn.status}, {earlier.state}: {words} ({turn.path})"
            )
        if not turns:
            output.show_words("no earlier turns here")
            return
        answer = self._ask("which one? Its number, or nothing: ") or ""
        if answer.isdecimal() and 1 <= int(answer) <= len(turns):
            self._take_again(turns[int(answer) - 1])

    def take_last_again(self) -> None:
        """Offer the instruction of the last turn."""
        for earlier in self._session.past.turns()[:1]:
            self._take_again(earlier)

    def _take_again(self, earlier: EarlierTurn) -> None:
        output.show(earlier.turn.patch or "no patch was kept\n")
        if self._says_yes(f"“{earlier.turn.instruction}” again? [y/n] "):
            self._turn(earlier.turn.instruction)

    def _carry_out(self, line: str) -> None:
        """Run a command, or take a line as an instruction."""
        if not line:
            return
        if line in self._commands:
            self._commands[line]()
            return
        is_command = line.startswith("/") and (" " not in line or typed_command(line))
        if is_command:
            name = line.partition(" ")[0]
            problem = f"there is no {name} here"
            if instead := _ELSEWHERE.get(name):
                problem = f"{problem}: `{instead}` does it, from a shell"
            if name in self._commands:
                problem = f"{name} takes no argument here"
            raise UsageError(f"{problem}; /help lists the commands")
        names = {name.removeprefix("/") for name in (*self._commands, "/quit")}
        if words := meant(line, names):
            output.show_words(words)
            return
        self._turn(line)

    def _undo_or_redo(self, *, back: bool) -> None:
        """Preview an undo or a redo, and carry it out once the user says so."""
        work = partial(self._session.past.preview_last, back=back)
        choices = f"k keeps what is there, t {other_version(back=back)}, both shown first"
        preview = previewed(work, partial(ask_which, ask=self._decided, choices=choices))
        if preview is None:
            output.show_words(_LEFT)
            return
        words = " ".join(preview.subject.description.split())
        verb = "takes back" if back else "redoes"
        output.show_words(f"this {verb} “{words}”")
        question = "take it back" if back else "redo it"
        if preview.patch:
            for change in preview.changes:
                output.show_words(f"in {change.path}")
                # hunks of two files may be equal, and each is read out
                self._shown.clear()
                for hunk in diff(*change.texts):
                    self._show_hunk(hunk)
        else:
            output.show_words("the files stay as they are")
            question = "mark it as taken back" if back else "mark it as redone"
        if preview.warning:
            output.show_words(preview.warning)
        if self._says_yes(f"{question}? [y/n] "):
            output.show_words(
                self._controller.show_applied(self._controller.apply_preview(preview))
            )
            self._show_notices()
        else:
            output.show_words(_LEFT)

    def _log(self) -> None:
        for batch in self._session.past.log():
            time = f"{batch.entry.time.astimezone():%Y-%m-%d %H:%M}"
            words = " ".join(batch.entry.description.split())
            output.show_words(f"{batch.state.value}: {time}, {words}")

    def _turn(self, instruction: str) -> None:
        """Run an instruction, then ask about each of its hunks."""
        next_turn = self._begin(instruction)
        # A turn may end in another one: redirected by the user, or taken over by another model.
        while next_turn is not None:
            turn = self._controller.turn = next_turn
            next_turn, error = self._play_to_end(turn)
            if next_turn is None and (why := self._controller.reason_to_hand_over(turn, error)):
                output.show_words(why)
                next_turn = self._session.take_over(turn, error)
            elif error is not None:
                raise error
        self._show_notices()
        if turn.hunks and turn.status is not Status.ABSTAINED:
            self._review(turn)
        self._session.remember()

    def _begin(self, instruction: str) -> Turn | None:
        """Make the turn of an instruction; ask before an endpoint gets what may hold secrets."""
        while True:
            try:
                return returned(self._controller.begin(instruction))
            except ConsentMissing as e:
                question = f"{', '.join(e.paths)} {'; '.join(e.why)}. Send it? [y/N] "
                if not self._says_yes(question):
                    raise UsageError("nothing was sent") from e
                self._session.disclosure.allow(e.paths)

    def _play_to_end(self, turn: Turn) -> tuple[Turn | None, SparkError | None]:
        """Run a turn.

        Returns:
            The turn that the user redirected it to, and the error that ended it, if any.
        """
        try:
            return self._play(turn), None
        except SparkError as e:
            return None, e

    def _play(self, turn: Turn) -> Turn | None:
        """Run a turn to its end.

        Returns:
            The turn that the user redirected it to, if any.
        """
        self._shown.clear()
        with closing(turn.events()) as events, self._stoppable():
            for event in events:
                self._show_event(turn, event)
                # Ctrl+C takes effect between two events; a turn that has ended meanwhile is shown
                # as it is.
                if not self._stopped or isinstance(event, TurnEnded):
                    continue
                other = self._paused(turn)
                if other is turn:
                    return None
                if other is not None:
                    return other
        return None

    def _show_event(self, turn: Turn, event: Event) -> None:
        match event:
            case TurnStarted(region=region):
                lines = f"lines {region.start_line} to {region.end_line}"
                output.show_words(f"editing {region.path}, {lines}")
            case Held(line) if line:
                output.show_words(line)
            case HunkClosed(hunk=hunk):
                self._show_hunk(hunk, Files(turn.base.lines))
            case TurnEnded(message=message):
                self._show_end(turn, message)

    def _show_end(self, turn: Turn, message: str) -> None:
        """Say how a turn ended, and all of an answer in words."""
        if self._shown and (turn.status is Status.ABSTAINED or not turn.hunks):
            output.show_words("withdrawn: nothing read out above is proposed")
        output.show_words(message)
        for line in turn.unsaid:
            output.show_words(line)
        if turn.advice:
            output.show_words(turn.advice)

    def _paused(self, turn: Turn) -> Turn | None:
        """Ask how a stopped turn goes on.

        Returns:
            None to go on; the turn itself to drop what is unfinished; or another turn.
        """
        # At the question Ctrl+C means an empty answer, as at every question.
        stop = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            self._keyboard.drop()
            while True:
                answer = self._ask(
                    "stopped. Enter goes on, words redirect, d drops what is unfinished: "
                )
                if answer is None or answer.strip() == "d":
                    return turn
                if not answer.strip():
                    output.show_words("going on")
                    return None
                with self._showing_errors():
                    other = self._controller.redirect(answer.strip())
                    if place := moved(self._controller.turn, other):
                        output.show_words(place)
                    return other
        finally:
            self._stopped = False
            signal.signal(signal.SIGINT, stop)

    def _review(self, turn: Turn) -> None:
        """Ask about each hunk, from top to bottom."""
        accepts_all = False
        passed = 0  # hunks that stay open because an error met their decision
        # A single hunk was read out while it was written; of several, each is read again at its
        # question.
        if len(turn.hunks) > 1:
            self._shown.clear()
        while passed < len(turn.hunks):
            # A hunk that is decided leaves the list, so the next one takes its place.
            hunk = turn.hunks[passed]
            bound = turn.file.with_conflict_peers([hunk.id])
            for open_hunk in turn.hunks:
                if open_hunk.id in bound:
                    self._show_hunk(open_hunk, Files(turn.review.base.lines))
            answer = "y"
            if not accepts_all:
                answer = self._answer(turn, hunk, _question(passed, len(turn.hunks), len(bound)))
            if answer == "q":
                output.show_words(f"left undecided: {turn.undecided}")
                return
            if answer == "a":
                accepts_all = True
            with self._showing_errors() as errors:
                self._decide(turn, hunk, answer)
            if errors:
                passed += 1

    def _answer(self, turn: Turn, hunk: Hunk, question: str) -> str:
        """Ask what to do with a hunk: y, n, e, a or q."""
        odd = self._session.odd(turn)
        if hunk.id in odd:
            output.show_words(f"look: {odd[hunk.id].words}")
        if turn.status is Status.UNSURE:
            output.show_words("unsure: see whether this is what you meant")
        while True:
            answer = self._decided(question)
            if answer is None:
                return "q"
            choice = _ANSWERS.get(answer.strip().lower())  # reads a choice of a few
            if choice is not None:
                return choice
            output.show_words(_CHOICES)

    def _decide(self, turn: Turn, hunk: Hunk, answer: str) -> None:
        if answer == "n":
            self._session.reject(turn, [hunk.id])
            output.show_words("rejected")
        elif answer == "e":
            with self._keyboard.lent():
                lines = edit_outside(hunk.new_lines, turn.region.path, self._session.repo.root)
            turn.file.edit(hunk.id, lines)
        elif self._consents(turn):
            entry = self._session.accept(turn, [hunk.id], allow=None)
            warning = self._session.told_warning(turn)
            paths = ", ".join(file.path for file in entry.files)
            output.show_words(f"accepted and written to {paths}{warning}; /undo takes it back")
            self._show_notices()
        else:
            raise UsageError("not written")

    def _consents(self, turn: Turn) -> bool:
        """Ask before an unusual file is written.

        Returns:
            Whether the user agrees to all of them.
        """
        for path, reasons in self._session.concerns(turn).items():
            if not self._says_yes(f"{path} {'; '.join(reasons)}. Write to it? [y/N] "):
                return False
        return True

    def _says_yes(self, question: str) -> bool:
        """Ask what decides something; only a plain yes is one."""
        return is_yes(self._decided(question))

    def _show_hunk(self, hunk: Hunk, files: Files = Files()) -> None:  # noqa: B008 - immutable
        """Show a hunk as numbered lines, once.

        Args:
            hunk: A hunk of `files`.
            files: The files as one text.
        """
        content = (hunk.old_lines, hunk.new_lines)
        if content in self._shown:
            return
        self._shown.add(content)
        path, first = files.spot(hunk)
        removed = lines_of(hunk.old_lines)
        added = lines_of(hunk.new_lines)
        where = f" of {path}" if path else ""
        counts = f"{len(removed)} removed, {len(added)} added"
        output.show_words(f"hunk at line {first + 1}{where}: {counts}")
        for sign, lines in (("removed", removed), ("added", added)):
            for number, line in enumerate(lines, first + 1):
                output.show_line(f"{sign} {number}: {line.expandtabs(4)}")

    def _show_notices(self) -> None:
        for words in self._session.take_notices():
            output.show_words(words)

    def _decided(self, question: str) -> str | None:
        """Ask what decides something: only what is typed at the question answers it."""
        return self._ask(question, self._keyboard.decide)

    def _ask(self, question: str, ask: Callable[[str], str | None] | None = None) -> str | None:
        """Ask; Ctrl+C at a question is an empty answer, a second one right after it the end."""
        for _ in range(2):
            try:
                return (ask or self._keyboard.ask)(question)
            except KeyboardInterrupt:
                output.show_words("")
                output.show_words("Ctrl+C again quits")
        return None

    @contextmanager
    def _showing_errors(self) -> Iterator[list[SparkError]]:
        """Show an error and go on.

        Yields:
            A list that gets the error.
        """
        errors: list[SparkError] = []
        try:
            yield errors
        except SparkError as e:
            errors.append(e)
            output.show_words(output.on_one_line(e))
            if isinstance(e, Conflict) and e.detail:
                output.show(e.detail)

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """Let Ctrl+C stop the turn at its next token.

        A second one before that token interrupts as usual.
        """

        def stop(_: int, __: FrameType | None) -> None:
            if self._stopped:
                raise KeyboardInterrupt
            self._stopped = True

        self._stopped = False
        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def talk(
    load: Callable[[], Session], settings: Settings, *, prompt: str, resume: str | None, again: bool
) -> int:
    """Talk until the user leaves.

    Args:
        load: Opens the session.
        settings: The settings of turns.
        prompt: The first instruction, or "".
        resume: Show earlier turns: of the session that begins so, or "" for all.
        again: Offer the instruction of the last turn.

    Returns:
        The exit code.
    """
    for number in system.ENDING:
        signal.signal(number, _exit)
    with LineReader() as keyboard, closing(load()) as session:
        session.prepare()
        conversation = Talk(session, settings, keyboard)
        with suppress(KeyboardInterrupt):
            if again:
                conversation.take_last_again()
            elif resume is not None:
                conversation.show_earlier(resume)
            conversation.run(prompt)
    if session.turn is not None and (session_id := session.past.session_id):
        output.say(f"spark: `spark -r {session_id}` shows its turns again")
    return 0


def _exit(number: int, _: FrameType | None) -> None:
    """End by the same way out as always: what the terminal was given is taken back."""
    sys.exit(128 + number)


def _question(passed: int, hunks: int, bound: int) -> str:
    """Return the question about a hunk.

    Args:
        passed: The hunks left as they are so far.
        hunks: How many are open.
        bound: How many are decided together.
    """
    numbers = f"{passed + 1}"
    subject = "this hunk"
    if bound > 1:
        numbers += f" to {passed + bound}"
        subject = f"these {bound} hunks, which belong together"
    keys = "y/n/e/a/q/?"
    left = hunks - passed
    if left > bound:
        keys += f"; a: all {left}"
    return f"[{numbers} of {hunks} open] accept {subject}? [{keys}] "

"""spark in plain lines: for screen readers, for terminals that can only print, and for those who
like it so.

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
from spark_tui.cli.keyboard import LineReader, is_yes
from spark_tui.cli.steps import ask_which, other_version, previewed
from spark_tui.config import Settings
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.multi_file import Files, lines_of
from spark_tui.errors import Conflict, SparkError, UsageError
from spark_tui.session.controller import Controller, moved
from spark_tui.session.events import Held, HunkClosed, Status, TurnEnded, TurnStarted
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
"""What is meant by an answer; other words, the next instruction say, mean none of it."""
_CHOICES = (
    "y accepts, n rejects, e edits it in your editor, a accepts it and all that follow, "
    "q leaves them undecided"
)


class Talk:
    """A conversation about one repository.

    Args:
        session: Where.
        settings: Of the turns.
        keyboard: Answers.
    """

    def __init__(self, session: Session, settings: Settings, keyboard: LineReader) -> None:
        self._session = session
        self._keyboard = keyboard
        self._desk = Controller(session, settings)
        self._commands: dict[str, Callable[[], object]] = {
            "/help": lambda: list(map(output.show_words, _HELP)),
            "/undo": lambda: self._turn_batch(back=True),
            "/redo": lambda: self._turn_batch(back=False),
            "/log": self._log,
            "/resume": self.show_earlier,
        }
        self._stopped = False
        self._told: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()

    def run(self, prompt: str) -> None:
        """Take instructions until there are no more.

        Args:
            prompt: The first one, if any.
        """
        output.show_words(
            f"spark in {self._desk.folder}, on {self._desk.branch}, with {self._desk.named}"
        )
        output.show_words("Say what to change. /help lists the rest, /quit leaves.")
        line: str | None = prompt or self._ask("spark: ")
        while line is not None and line.strip() not in {"/quit", "/q"}:
            try:
                with self._errors_told():
                    self._carry_out(line.strip())
            except KeyboardInterrupt:
                output.show_words("stopped; what was accepted stays")
            line = self._ask("spark: ")

    def show_earlier(self, session_id: str = "") -> None:
        """List earlier turns, and take the words of one again if the user says which."""
        turns = self._session.past.turns(session_id)[:20]
        for number, earlier in enumerate(turns, 1):
            when = f"{earlier.turn.time.astimezone():%Y-%m-%d %H:%M}"
            turn = earlier.turn
            words = " ".join(turn.instruction.split())
            output.show_words(
                f"{number}: {when}, {turn.status}, {earlier.state}: {words} ({turn.path})"
            )
        if not turns:
            output.show_words("no earlier turns here")
            return
        answer = self._ask("which one? Its number, or nothing: ") or ""
        if answer.isdecimal() and 1 <= int(answer) <= len(turns):
            self._take_again(turns[int(answer) - 1])

    def take_last_again(self) -> None:
        """Offer the words of the last turn."""
        for earlier in self._session.past.turns()[:1]:
            self._take_again(earlier)

    def _take_again(self, earlier: EarlierTurn) -> None:
        output.show(earlier.turn.patch or "no patch was kept\n")
        if self._says_yes(f"“{earlier.turn.instruction}” again? [y/n] "):
            self._turn(earlier.turn.instruction)

    def _carry_out(self, line: str) -> None:
        if not line:
            return
        if line in self._commands:
            self._commands[line]()
        elif line.startswith("/") and (" " not in line or typed_command(line)):
            name = line.partition(" ")[0]
            if name in self._commands:
                much = f"{name} takes no argument here"
            else:
                much = f"there is no {name} here"
            raise UsageError(f"{much}; /help lists the commands")
        elif words := meant(line, {name[1:] for name in (*self._commands, "/quit")}):
            output.show_words(words)
        else:
            self._turn(line)

    def _turn_batch(self, *, back: bool) -> None:
        """Undo, or redo, once the user has seen what that does and says so."""
        work = partial(self._session.past.preview_last, back=back)
        choices = f"k keeps what is there, t {other_version(back=back)}, both shown first"
        which = partial(ask_which, ask=self._decided, choices=choices)
        if (preview := previewed(work, which)) is None:
            output.show_words("left as it is; nothing was written")
            return
        words = " ".join(preview.subject.description.split())
        output.show_words(f"{'this takes back' if back else 'this redoes'} “{words}”")
        if not preview.patch:
            output.show_words("the files stay as they are")
        for change in preview.changes if preview.patch else ():
            output.show_words(f"in {change.path}")
            self._told.clear()
            for hunk in diff(*change.texts):
                self._tell(hunk)
        does = "take it back" if back else "redo it"
        if not preview.patch:
            does = "mark it as taken back" if back else "mark it as redone"
        if preview.warning:
            output.show_words(preview.warning)
        if self._says_yes(f"{does}? [y/n] "):
            output.show_words(self._desk.turned(self._desk.turn_batch(preview)))
            self._tell_notices()
        else:
            output.show_words("left as it is; nothing was written")

    def _log(self) -> None:
        for batch in self._session.past.log():
            words = " ".join(batch.entry.description.split())
            output.show_words(
                f"{batch.state.value}: {batch.entry.time.astimezone():%Y-%m-%d %H:%M}, {words}"
            )

    def _turn(self, instruction: str) -> None:
        following: Turn | None = returned(self._desk.begin(instruction))
        while following is not None:
            turn = self._desk.turn = following
            following, error = self._play_to_end(turn)
            if following is None and (why := self._desk.reason_to_hand_over(turn, error)):
                output.show_words(why)
                following = self._session.take_over(turn, error)
            elif error is not None:
                raise error
        self._tell_notices()
        if turn.hunks and turn.status is not Status.ABSTAINED:
            self._review(turn)
        self._session.remember()

    def _play_to_end(self, turn: Turn) -> tuple[Turn | None, SparkError | None]:
        """Run a turn.

        Returns:
            As `_play`; and the error that ended it, if one did.
        """
        try:
            return self._play(turn), None
        except SparkError as e:
            return None, e

    def _play(self, turn: Turn) -> Turn | None:
        """Run a turn to its end.

        Returns:
            The one that the user redirected it to, if so.
        """
        self._told.clear()
        with closing(turn.events()) as events, self._stoppable():
            for event in events:
                match event:
                    case TurnStarted(region=region):
                        output.show_words(
                            f"editing {region.path}, lines {region.start_line} to {region.end_line}"
                        )
                    case Held(line) if line:
                        output.show_words(line)
                    case HunkClosed(hunk=hunk):
                        self._tell(hunk, Files(turn.base.lines))
                    case TurnEnded(message=message):
                        self._tell_end(turn, message)
                if self._stopped and not isinstance(event, TurnEnded):
                    other = self._paused(turn)
                    if other is not None:
                        return other if other is not turn else None
        return None

    def _tell_end(self, turn: Turn, message: str) -> None:
        """Say what a turn came to, and all of an answer in words."""
        if self._told and (turn.status is Status.ABSTAINED or not turn.hunks):
            output.show_words("withdrawn: nothing read out above is proposed")
        output.show_words(message)
        for line in turn.unsaid:
            output.show_words(line)
        if turn.advice:
            output.show_words(turn.advice)

    def _paused(self, turn: Turn) -> Turn | None:
        """Ask what now.

        Returns:
            None: go on; the turn itself: drop what is unfinished of it; else go on with that.
        """
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
                with self._errors_told():
                    other = self._desk.redirect(answer.strip())
                    if there := moved(self._desk.turn, other):
                        output.show_words(there)
                    return other
        finally:
            self._stopped = False
            signal.signal(signal.SIGINT, stop)

    def _review(self, turn: Turn) -> None:
        """Ask about each hunk, from top to bottom."""
        all_of_them = False
        passed = 0
        if len(turn.hunks) > 1:
            self._told.clear()
        while passed < len(turn.hunks):
            hunk = turn.hunks[passed]
            bound = turn.file.bound([hunk.id])
            for each in turn.hunks:
                if each.id in bound:
                    self._tell(each, Files(turn.review.base.lines))
            if all_of_them:
                answer = "y"
            else:
                answer = self._answer(turn, hunk, _question(passed, len(turn.hunks), len(bound)))
            if answer == "q":
                output.show_words("left undecided; none of that was written")
                return
            all_of_them = all_of_them or answer == "a"
            with self._errors_told() as told:
                self._decide(turn, hunk, answer)
            passed += bool(told)

    def _answer(self, turn: Turn, hunk: Hunk, question: str) -> str:
        """What to do with a hunk: y, n, e, a or q."""
        odd = self._session.odd(turn)
        if hunk.id in odd:
            output.show_words(f"look: {odd[hunk.id].words}")
        if turn.status is Status.UNSURE:
            output.show_words("unsure: see whether this is what you meant")
        while True:
            answer = self._decided(question)
            if answer is None:
                return "q"
            if (choice := _ANSWERS.get(answer.strip().lower())) is not None:
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
            where = ", ".join(file.path for file in entry.files)
            output.show_words(f"accepted and written to {where}{warning}; /undo takes it back")
            self._tell_notices()
        else:
            raise UsageError("not written")

    def _consents(self, turn: Turn) -> bool:
        """Whether the file may be written to; one that is no ordinary one only when the user
        says so.
        """
        concerns = self._session.concerns(turn).items()
        return all(
            self._says_yes(f"{path} {'; '.join(why)}. Write to it? [y/N] ")
            for path, why in concerns
        )

    def _says_yes(self, question: str) -> bool:
        """Whether a question that decides something is answered with yes; with nothing else it
        is not.
        """
        return is_yes(self._decided(question))

    def _tell(self, hunk: Hunk, files: Files = Files()) -> None:  # noqa: B008 - it never changes
        """A hunk as lines, each with what becomes of it and its number; once.

        Args:
            files: Whose lines it is about.
        """
        if (content := (hunk.old_lines, hunk.new_lines)) in self._told:
            return
        self._told.add(content)
        (path, first), old, new = (
            files.spot(hunk),
            lines_of(hunk.old_lines),
            lines_of(hunk.new_lines),
        )
        where = f" of {path}" if path else ""
        output.show_words(f"hunk at line {first + 1}{where}: {len(old)} removed, {len(new)} added")
        for sign, lines in (("removed", old), ("added", new)):
            for number, line in enumerate(lines, first + 1):
                output.show_line(f"{sign} {number}: {line.expandtabs(4)}")

    def _tell_notices(self) -> None:
        for words in self._session.take_notices():
            output.show_words(words)

    def _decided(self, question: str) -> str | None:
        """Ask what decides something: only what is typed at the question answers it."""
        return self._ask(question, self._keyboard.decide)

    def _ask(self, question: str, ask: Callable[[str], str | None] | None = None) -> str | None:
        """Ask; Ctrl+C at a question is an answer of nothing, a second one at once the end."""
        for _ in range(2):
            try:
                return (ask or self._keyboard.ask)(question)
            except KeyboardInterrupt:
                output.show_words("")
                output.show_words("Ctrl+C again quits")
        return None

    @contextmanager
    def _errors_told(self) -> Iterator[list[SparkError]]:
        """Tell of an error and go on; the list has it then."""
        met: list[SparkError] = []
        try:
            yield met
        except SparkError as e:
            met.append(e)
            output.show_words(output.on_one_line(e))
            if isinstance(e, Conflict) and e.detail:
                output.show(e.detail)

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """Have Ctrl+C stop the turn at its next token; a second one before that is an interrupt
        as usual.
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
        prompt, resume, again: As for the screen.

    Returns:
        The exit code.
    """
    for number in system.ENDING:
        signal.signal(
            number, lambda number, _: sys.exit(128 + number)
        )  # by the same way out as always
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


def _question(passed: int, hunks: int, bound: int) -> str:
    """Args:
    passed: The hunks left as they are so far.
    hunks: How many are open.
    bound: How many are decided now.
    """
    last = f" to {passed + bound}" if bound > 1 else ""
    what = f"these {bound} hunks, which belong together" if bound > 1 else "this hunk"
    left = hunks - passed
    every = f"; a: all {left}" if left > bound else ""
    return f"[{passed + 1}{last} of {hunks} open] accept {what}? [y/n/e/a/q/?{every}] "

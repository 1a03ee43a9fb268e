"""The main screen: the diff above, the prompt below, and what a key means right now.

The screen composes the widgets. Its actions and handlers pass keys and messages on to parts, which
do the work; a part sees the screen as a `Host`, and only those other parts that its constructor
takes.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import IN_TURN
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.check_runner import CheckRunner
from spark_tui.tui.screens.command_runner import CommandRunner
from spark_tui.tui.screens.completion_control import CompletionControl
from spark_tui.tui.screens.file_watch import FileWatch
from spark_tui.tui.screens.focus_guard import KeyUse
from spark_tui.tui.screens.follow_up import FollowUp
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.hunk_decisions import HunkDecisions
from spark_tui.tui.screens.look_back import LookBack
from spark_tui.tui.screens.next_edit import NextEditOffer
from spark_tui.tui.screens.painter import Painter
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.screens.task_actions import TaskActions
from spark_tui.tui.screens.undo import JournalActions
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.diff_rows import LEAST_WIDTH
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar
from spark_tui.tui.widgets.task_lines import TaskLines
from spark_tui.tui.widgets.thought import ThoughtFold
from spark_tui.tui.widgets.work import Work

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.tui.screens.hunk_editor import HunkShaper
    from spark_tui.tui.screens.other_answers import OtherAnswers
    from spark_tui.tui.screens.patch_export import PatchExport
    from spark_tui.tui.widgets.answer_text import AnswerText


class MainScreen(Host):
    """Prompt, diff, hunks and meters, over a Controller that comes once the model is loaded.

    Args:
        text: The text that the prompt begins with.
        clock: Returns seconds, for whatever depends on how long something was on the screen.
        keys: The keys in force.
    """

    # -low, -tall and -wide are the breakpoints of `SparkApp`; -beside is set by `Work`.
    DEFAULT_CSS = """
    MainScreen {
        background: $spark-background; layout: vertical;
        #title, #region { background: $spark-surface; }
        #writing { height: auto; }
        #check { display: none; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-faint; }
        #mark.-focused { color: $spark-accent; }
        Prompt { width: 1fr; }
    }
    MainScreen.-low HunkList, MainScreen.-low Prompt { max-height: 2; }
    MainScreen.-tall HunkList { max-height: 8; }
    MainScreen.-wide Work { layout: horizontal; }
    MainScreen.-wide HunkList { width: 42; height: 1fr; max-height: 100%; }
    MainScreen.-wide Work.-beside { layout: vertical; }
    MainScreen.-wide Work.-beside HunkList { width: 100%; height: auto; max-height: 5; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "pause; again: drop the unfinished", id="turn.stop"),
        Binding("ctrl+r", "redo", "redo", id="journal.redo"),
        Binding("f2", "rename", "rename it in all files", id="symbol.rename"),
        Binding("tab", "to_diff", "to the diff", id="focus.diff"),
        Binding("ctrl+l", "places", "choose the place to edit", show=False, id="prompt.places"),
        Binding(
            "f12", "thought", "open or fold what the model thought", show=False, id="thought.open"
        ),
        Binding("ctrl+t", "fix", "ask for the fix of what failed", id="check.fix"),
    ]

    def __init__(self, text: str, clock: Callable[[], float], keys: Keymap) -> None:
        super().__init__(clock, keys)
        self._text = text

    # Each part is made on first use. A part that only a session needs is also imported on first
    # use: the first paint waits for none of these imports.

    @cached_property
    def pending(self) -> CancellableWork:
        """Work whose result opens a sheet."""
        return CancellableWork(self, self.action_escape)

    @cached_property
    def file_watch(self) -> FileWatch:
        """Looks at the file under review."""
        return FileWatch(self)

    @cached_property
    def follow_up(self) -> FollowUp:
        """Looks for what an accepted edit left undone."""
        return FollowUp(self)

    @cached_property
    def next_edit(self) -> NextEditOffer:
        """Offers the next place that wants an accepted change."""
        return NextEditOffer(self)

    @cached_property
    def dispatch(self) -> PromptDispatch:
        """The dispatch of instructions to the engine."""
        return PromptDispatch(self, lambda: self.completion.choosing)

    @cached_property
    def look_back(self) -> LookBack:
        """The tokens that were written."""
        return LookBack(self, self.dispatch)

    @cached_property
    def checks(self) -> CheckRunner:
        """The user's own check."""
        return CheckRunner(self, self.dispatch)

    @cached_property
    def commands(self) -> CommandRunner:
        """The commands that begin with / or !."""
        return CommandRunner(self, self.dispatch, self.pending, self.checks)

    @cached_property
    def completion(self) -> CompletionControl:
        """The list above the prompt."""
        return CompletionControl(self, self.look_back, self.commands)

    @cached_property
    def decisions(self) -> HunkDecisions:
        """Accepting and rejecting."""
        return HunkDecisions(self, self.pending, self.dispatch)

    @cached_property
    def journal(self) -> JournalActions:
        """Undo, redo and commit."""
        return JournalActions(self, self.pending, self.dispatch)

    @cached_property
    def tasks(self) -> TaskActions:
        """The tasks in the background."""
        return TaskActions(self, self.dispatch, self.commands)

    @cached_property
    def answers(self) -> "OtherAnswers":
        """Other answers to the request."""
        from spark_tui.tui.screens.other_answers import OtherAnswers  # noqa: PLC0415 - see above

        return OtherAnswers(self, self.dispatch)

    @cached_property
    def shaper(self) -> "HunkShaper":
        """Splits and edits hunks."""
        from spark_tui.tui.screens.hunk_editor import HunkShaper  # noqa: PLC0415 - see above

        return HunkShaper(self, self.pending)

    @cached_property
    def export(self) -> "PatchExport":
        """The patch for use elsewhere."""
        from spark_tui.tui.screens.patch_export import PatchExport  # noqa: PLC0415 - see above

        return PatchExport(self)

    @cached_property
    def painter(self) -> Painter:
        """Paints what changes."""
        return Painter(
            self,
            self.pending,
            self.dispatch,
            self.look_back,
            self.completion,
            self.file_watch,
            self.next_edit,
            # a function, as making this part would import the session before the first paint
            lambda: self.answers,
        )

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield Bar(id="title")
        yield Work(self.clock, self.keys)
        yield ThoughtFold(self.keys.key("thought.open"))
        yield Note("/message")
        yield Completion()
        yield Bar(id="region")
        with Horizontal(id="writing"):
            yield Static("›", id="mark")
            yield Prompt(self._text)
        yield Bar(id="check")
        yield TaskLines()
        yield Bar(id="hints")
        yield Bar(id="meters")

    def on_mount(self) -> None:
        """Start the parts, which have their widgets now."""
        self.painter.mount()
        # sees each key before the prompt takes the key as text
        self.prompt.helper = self._take_in_prompt
        self.file_watch.mount()
        self.next_edit.mount()
        self.checks.mount()
        self.prompt.focus()
        self.paint()

    def _take_in_prompt(self, key: str) -> bool:
        """Handle a key that is not text in the prompt, and tell whether the key was handled."""
        if not self.prompt.text:
            # the key of the decision that moved the focus here, pressed once more
            if self.guard.repeats_decision(key):
                return True
            # Another letter follows at once: the ignored key was the first letter of a word.
            ignored = self.guard.take_ignored()
            if ignored and len(key) == 1 and key != ignored:
                self.prompt.put(ignored, by_hand=True)
        return self.completion.takes(key)

    def open(self, controller: "Controller") -> None:
        """The model is loaded: from here on instructions are carried out."""
        self.controller = controller
        self.show_notices()
        self.paint()
        # Each part now does what the user asked of it while the model was being loaded.
        self.completion.open(controller)
        self.dispatch.open()
        self.commands.open()
        self.tasks.open()
        self.run_worker(self.tasks.tell_interrupted(), group="task")

    # What the user asks for

    def action_escape(self) -> None:
        """Pause; when paused, drop what is unfinished; otherwise come back to the prompt.

        An Esc that comes after the end of a turn leaves the reason for that end on the screen: the
        user may have meant the turn, and cannot have read the reason yet.
        """
        self.guard.keeps_message = False
        # Work that prepares a sheet, or waits for the session, stops in any case. What stopped is
        # said at the very end, so that no message about the turn covers it.
        cancelled = self.pending.cancel() or self.tasks.withdraw()
        self.say("")
        self._stop_search()
        # One Esc stops the other answers or the turn, never both.
        if not (self._stop_answers() or self.dispatch.stop()):
            words, look = self.view.reason
            self.say(words, look=look, stays=True)
            if not words:
                self.say(self.painter.late())
        if cancelled:
            self.say(cancelled)
        self.prompt.focus()

    def _has_session(self) -> bool:
        """Whether there is a session; says that the model is being loaded if there is none."""
        if self.controller is None:
            self.say("the model is being loaded")
        return self.controller is not None

    def action_accept_hunk(self) -> None:
        """Accept the selected hunk."""
        self.decisions.decide(self.bench.selected, accept=True)

    def action_reject_hunk(self) -> None:
        """Reject the selected hunk."""
        self.decisions.decide(self.bench.selected, accept=False)

    def action_accept_file(self) -> None:
        """Accept all finished hunks of the file under the cursor."""
        self.decisions.accept_all(self.bench.in_file)

    def action_reject_file(self) -> None:
        """Reject all finished hunks of the file under the cursor."""
        self.decisions.decide(self.bench.in_file, accept=False)

    def action_accept_files(self) -> None:
        """Accept all finished hunks of all files."""
        self.decisions.accept_all(self.bench.written)

    def action_split_hunk(self) -> None:
        """Cut the selected hunk finer, or make it whole again."""
        if self._has_session():
            self.shaper.split()

    def action_toggle_line(self) -> None:
        """Take the line at the cursor out of its hunk, or in again."""
        if self._has_session():
            self.shaper.toggle()

    def action_edit_hunk(self) -> None:
        """Edit the half-written line, if the cursor is there, else the selected hunk."""
        if self._has_session() and not self.look_back.fix():
            self.shaper.edit()

    def action_edit_outside(self) -> None:
        """Edit the selected hunk in the user's own editor."""
        if self._has_session():
            self.shaper.edit_outside()

    def action_ask_again(self) -> None:
        """Ask for the selected hunk again."""
        if self._has_session():
            self.answers.again()

    def action_show_answer(self, step: int) -> None:
        """Show the next answer to the request, or the previous one."""
        # A Tab just after the program moved the focus was meant for the way to the diff.
        if not self.guard.is_led_away and self._has_session():
            self.answers.step(step)

    def action_copy_patch(self) -> None:
        """Copy the patch of the turn to the clipboard."""
        if self._has_session():
            self.export.copy()

    def action_save_patch(self) -> None:
        """Save the patch of the turn to a file."""
        if self._has_session():
            self.export.save()

    def action_to_file(self, step: int) -> None:
        """Go to the next file of the turn, or the previous one, or say that there is none."""
        view = self.view
        if not self._has_session() or self.bench.diff.to_file(step):
            return
        if view.files:
            self.say(f"there is no {'later' if step > 0 else 'earlier'} file")
        else:
            self.say(f"this turn is about one file, {view.path or 'not known yet'}")

    def action_to_diff(self) -> None:
        """Go to the diff, where letters are keys.

        Where a request brought no edit, the diff shows another answer to the request. Where an edit
        is offered at the next place, that edit opens instead.
        """
        if self.focused is self.prompt and self.next_edit.open():
            return
        if self.view.abstained and self.answers.has_others:
            self.answers.step(1)
        front = self.bench.front
        if front.display:
            # Offered words would hide the placeholder, which says that letters are keys now.
            if self.prompt.is_offered:
                self.prompt.put_away(self.prompt.full)
            front.focus()

    def action_to_prompt(self) -> None:
        """Go to the prompt."""
        self.prompt.focus()

    def action_undo(self) -> None:
        """Undo the last accept or rejection."""
        self.journal.undo_or_redo(back=True)

    def action_redo(self) -> None:
        """Redo the last undo."""
        self.journal.undo_or_redo(back=False)

    def action_commit(self) -> None:
        """Stage and commit what was accepted."""
        self.journal.commit()

    def action_task(self, words: str) -> None:
        """Begin a task in the background."""
        self.tasks.begin(words)

    def action_plan(self, words: str) -> None:
        """Have a plan written, for a task."""
        self.tasks.plan(words)

    def action_show_tasks(self) -> None:
        """List the tasks."""
        self.tasks.show()

    def action_clear(self) -> None:
        """Clear the last turn off the screen."""
        self.commands.clear()

    def action_show_message(self) -> None:
        """Show the whole of the last message."""
        self.say_all()

    def action_choose_theme(self) -> None:
        """Offer the themes."""
        self.commands.theme("")

    def action_rename(self) -> None:
        """Ask for a new name for the function or class that the cursor is in."""
        self.commands.ask_name()

    def action_meters(self) -> None:
        """Show everything that is measured in the last line, or only what always matters."""
        self.shows_meters = not self.shows_meters
        self.paint_words()

    def action_fix(self) -> None:
        """Ask for the fix of what failed last."""
        self.checks.fix()

    @on(Host.Written)
    def _on_written(self) -> None:
        self.checks.run()
        self.follow_up.look()
        self.next_edit.look()

    def action_thought(self) -> None:
        """Open or fold the thought that the model wrote before its answer."""
        self.query_one(ThoughtFold).toggle()

    def action_look_back(self, how: str) -> None:
        """Look back at the turn, token by token; see `LookBack`."""
        self.look_back.open(how)

    async def action_leave(self) -> None:
        """Quit; with work undone, say so first, and quit if asked again while the words stand."""
        words = self.words_of_leaving(self.keys.key("quit"))
        left_open = self.view.hunks or self.tasks.at_work
        if left_open and not self.shows_message(words):
            self.say(words, look="warning")
        else:
            await self.app.run_action("app.quit")

    def words_of_leaving(self, key: str) -> str:
        """The message that tells what quitting leaves undone, and which key quits all the same.

        Args:
            key: The key that quits if pressed again.
        """
        left = len(self.view.hunks)
        count = self.tasks.at_work
        undone = []
        later = ""
        if left:
            undone.append(f"{left} hunk{'s' * (left != 1)} undecided")
            later = ", and /resume brings the words back later"
        if count:
            undone.append(f"{count} {'tasks are' if count > 1 else 'task is'} at work")
            later = ", and `spark task resume` goes on later"
        return "; ".join(filter(None, [", ".join(undone), f"{key} again quits{later}"]))

    def on_screen_suspend(self) -> None:
        """Hide the key hints: the keys of a covered screen do nothing."""
        self.paint_words()

    def on_screen_resume(self) -> None:
        """Show the notices that waited until the screen on top was closed."""
        self.show_notices()
        self.paint_words()

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        if event.text.strip():
            self.guard.note_sent()
        self.commands.sent(event.text, by_hand=event.by_hand)

    def action_search(self) -> None:
        """Search the earlier instructions."""
        self.prompt.focus()
        self.completion.search()

    def action_places(self) -> None:
        """Choose the place that the instruction is about."""
        self.prompt.focus()
        self.completion.choose_place()

    def action_suggest(self, place: str) -> None:
        """Offer requests that would work."""
        self.prompt.focus()
        self.completion.suggest(place)

    @on(Completion.Picked)
    def _on_picked(self) -> None:
        self.prompt.focus()
        self.completion.takes("tab")

    @on(Prompt.Changed)
    def _on_changed(self) -> None:
        self.completion.changed()
        if self.prompt.text:
            # Whatever looks for more work in the background makes way for what the user writes:
            # there is one engine, and it should read the new words.
            self.follow_up.stop()
            self.next_edit.withdraw()
            # The words of a request that brought no edit come back by themselves, while another
            # place is searched for.
            if not self.prompt.is_offered:
                self._leave_other_places()
        else:
            self.guard.keeps_message = False
        self.paint_words()
        self.dispatch.read_ahead()

    def _stop_answers(self) -> bool:
        """Stop the writing of other answers.

        Returns:
            Whether any were being written.
        """
        return self.is_varying and self.answers.stop()

    def _stop_search(self) -> None:
        """Stop the search for another place that has an edit, if it is under way."""
        # Asking `self.answers` would make the part, and import the session before the first paint.
        if "answers" in vars(self):
            self.answers.stop_search()

    def _leave_other_places(self) -> None:
        """Leave the engine to what the user writes, if edits at other places are being written."""
        # As in `_stop_search`.
        if "answers" in vars(self):
            self.answers.leave_other_places()

    @on(Prompt.SelectionChanged)
    def _on_cursor_moved(self) -> None:
        self.completion.changed()
        self.painter.cursor_moved()

    @on(Prompt.Typed)
    def _on_typed(self) -> None:
        self.guard.note_typed()
        if not (self.pending.shows_report or self.guard.keeps_message):
            self.say("")
        self.dispatch.pause()

    def run_frames(self) -> None:
        """Paint frames until nothing more comes."""
        self.painter.run()

    def paint_words(self) -> None:
        """The lines above and below."""
        self.painter.paint_words()

    # Messages of the widgets

    @on(DiffView.Moved)
    def _on_moved(self, event: DiffView.Moved) -> None:
        """Say what is odd about the hunk that the user went to, which now counts as looked at.

        The message before goes, unless it tells why there is no edit.
        """
        view = self.view
        if event.by_user and view.phase not in IN_TURN and not self.shows_message(view.reason[0]):
            self.say("")
        if event.by_user:
            for hunk in self.bench.selected:
                # Nobody has looked at lines that are still to be written.
                if view.state(hunk) is HunkState.WRITING:
                    continue
                if words := view.look_at(hunk):
                    self.say(words, look="warning")
        self.paint_words()

    @on(Prompt.HelpAsked)
    async def _on_help_asked(self) -> None:
        await self.app.run_action("app.help")

    @on(DiffView.NoRoom)
    def _on_no_room(self) -> None:
        words = f"two sides need {LEAST_WIDTH} columns; in fewer they stand one below the other"
        self.say(words, holds=lambda: self.size.width < LEAST_WIDTH)

    def on_resize(self) -> None:
        """Hide a message that was about the room there was."""
        self.query_one(Note).look_again()

    def on_descendant_focus(self) -> None:
        """Show the keys that mean something now."""
        self.paint_words()

    def on_key(self, event: events.Key) -> None:
        """Handle a key that no widget handled: a letter that may be text; see `FocusGuard`.

        The prompt takes its own letters. A letter that comes here while the prompt has the focus
        was on its way to the diff when the focus left the diff.
        """
        if self.focused is self.prompt and event.is_printable and event.character:
            event.stop()
            self.prompt.put(event.character, by_hand=True)
        elif self.focused is self.bench.diff:
            self._on_diff_key(event)
        elif self.bench.is_read and event.key not in self.active_bindings:
            self._write_on(event)

    def _on_diff_key(self, event: events.Key) -> None:
        """Let a key of the diff act, unless the key is text; see `FocusGuard`."""
        use = self.guard.use_of(
            event,
            is_key=event.key in self.active_bindings,
            decisions=len(self.view.decisions),
            decides_last=self.view.decides_last,
        )
        if use is KeyUse.ACT:
            return  # an event that is not stopped goes on to the bindings
        event.stop()
        if use is KeyUse.TEXT and event.character:
            self._begin_word(event.character)

    def _begin_word(self, letter: str) -> None:
        """Write a letter into the prompt, behind letters of the same word that acted as keys."""
        word = self.guard.take_word()
        # One of these letters may have decided a hunk. What the screen says about that decision
        # has to outlast the rest of the word.
        has_decided = bool(word.letters) and len(self.view.decisions) > word.decisions
        self.guard.keeps_message = has_decided or self.is_deciding
        self.write(word.letters + letter)
        if has_decided:
            self.say(
                f"“{word.letters}” acted in the diff; /undo takes the decision back",
                look="warning",
            )

    def _write_on(self, event: events.Key) -> None:
        """Write a letter that comes while an answer in words has the focus into the prompt."""
        if event.key == "enter":
            self.prompt.focus()
        elif event.is_printable and event.character:
            event.stop()
            self.write(event.character)

    # Found by its name: `@on` would need the class, whose module takes a while to import.
    async def on_answer_text_taken(self, event: "AnswerText.Taken") -> None:
        """Have a block of code in an answer reviewed."""
        blocks = event.answer.blocks
        if event.number <= len(blocks):
            self.commands.take_code(blocks[event.number - 1])

    def on_paste(self, event: events.Paste) -> None:
        """Write pasted text into the prompt, wherever the cursor is."""
        self.write(event.text)

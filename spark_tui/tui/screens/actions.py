"""The actions of the main screen by name, as keys, commands and the palette call them."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.command_runner import CommandRunner
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.hunk_decisions import HunkDecisions
from spark_tui.tui.screens.look_back import LookBack
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.screens.undo import JournalActions

if TYPE_CHECKING:
    from spark_tui.tui.screens.hunk_editor import HunkShaper
    from spark_tui.tui.screens.variations import Variations


class Actions:
    """Carries out the named actions of `screen`.

    Parts that only a session needs are loaded at their first use: the first paint waits for none of
    them.
    """

    def __init__(
        self,
        screen: Host,
        preparing: CancellableWork,
        sending: PromptDispatch,
        looking: LookBack,
        commanding: CommandRunner,
    ) -> None:
        self._screen = screen
        self._preparing = preparing
        self._sending = sending
        self._looking = looking
        self.recording = JournalActions(screen, preparing, sending)
        self._deciding = HunkDecisions(screen, preparing, sending)
        self._does: dict[str, Callable[[], object]] = {
            "accept": self._accept,
            "reject": self._reject,
            "accept_all": self._accept_in_file,
            "accept_files": self._accept_in_all_files,
            "reject_all": self._reject_in_file,
            "undo": partial(self.recording.turn, back=True),
            "redo": partial(self.recording.turn, back=False),
            "commit": self.recording.commit,
            "clear": commanding.clear,
            "message": screen.say_all,
            "theme": partial(commanding.theme, ""),
            "rename": commanding.ask_name,
            "to_diff": self._to_diff,
            "to_prompt": self._to_prompt,
        }

    @cached_property
    def varying(self) -> "Variations":
        """Other answers."""
        from spark_tui.tui.screens.variations import Variations  # noqa: PLC0415 - see above

        return Variations(self._screen, self._sending)

    @cached_property
    def _does_with_session(self) -> dict[str, Callable[[], object]]:
        from spark_tui.tui.screens.hunk_editor import HunkShaper  # noqa: PLC0415 - see above
        from spark_tui.tui.screens.patch_export import PatchExport  # noqa: PLC0415 - see above

        shaping = HunkShaper(self._screen, self._preparing)
        giving = PatchExport(self._screen)
        return {
            "split": shaping.split,
            "toggle": shaping.toggle,
            "edit": partial(self._edit, shaping),
            "editor": shaping.edit_outside,
            "next": partial(self.varying.step, 1),
            "previous": partial(self.varying.step, -1),
            "again": self.varying.again,
            "copy": giving.copy,
            "save": giving.save,
            "next_file": partial(self._to_file, 1),
            "previous_file": partial(self._to_file, -1),
        }

    def do(self, name: str) -> None:
        """Do the named action; actions on hunks need a session."""
        if name in self._does:
            self._does[name]()
        elif self._screen.desk is None:
            self._screen.say("the model is being loaded")
        else:
            self._does_with_session[name]()

    def _accept(self) -> None:
        self._deciding.decide(self._screen.bench.selected, accept=True)

    def _reject(self) -> None:
        self._deciding.decide(self._screen.bench.selected, accept=False)

    def _accept_in_file(self) -> None:
        self._deciding.accept_all(self._screen.bench.in_file)

    def _accept_in_all_files(self) -> None:
        self._deciding.accept_all(self._screen.bench.written)

    def _reject_in_file(self) -> None:
        self._deciding.decide(self._screen.bench.in_file, accept=False)

    def _edit(self, shaping: "HunkShaper") -> None:
        """Edit the half-written line, if the cursor is there, else the selected hunk."""
        if not self._looking.fix():
            shaping.edit()

    def _to_prompt(self) -> None:
        self._screen.prompt.focus()

    def _to_diff(self) -> None:
        """Go to the diff, whose keys are letters, as an empty prompt says.

        Where no edit came of a request, this leads to what else could have come.
        """
        if self._screen.view.abstained and self.varying.has_others:
            self.varying.step(1)
        front = self._screen.bench.front
        if front.display:
            if self._screen.prompt.is_offered:
                self._screen.prompt.put_away(self._screen.prompt.full)
            front.focus()

    def _to_file(self, step: int) -> None:
        """Go to another file of the turn, or say that there is none."""
        view = self._screen.view
        if self._screen.bench.diff.to_file(step):
            return
        if view.files:
            words = f"there is no {'later' if step > 0 else 'earlier'} file"
        else:
            words = f"this turn is about one file, {view.path or 'not known yet'}"
        self._screen.say(words)

    def leave_other_places(self) -> None:
        """Leave the engine to what the user writes."""
        if "varying" in vars(self):
            self.varying.leave_other_places()

    def stop(self) -> bool:
        """Stop what runs in the engine for a key.

        Returns:
            Whether anything did.
        """
        return self._screen.is_varying and self.varying.stop()

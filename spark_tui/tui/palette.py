"""What the palette of commands offers, and that of themes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from textual.theme import ThemeProvider

from spark_tui.tui.keymap import actions_in
from spark_tui.tui.screens.host import Application

Command = tuple[str, str, Callable[[], object]]
"""Its name, what it does, with the key of an action for its {id}, and how it is done."""

COMMANDS = (
    ("Keys", "every key and what it does ({help})", "app.help"),
    ("Accept", "write the selected hunk to its file ({hunk.accept})", "main.accept"),
    ("Reject", "give the selected hunk up ({hunk.reject})", "main.reject"),
    ("Accept all", "write every finished hunk ({all.accept})", "main.accept_all"),
    ("Reject all", "give every finished hunk up ({all.reject})", "main.reject_all"),
    ("Look back", "by tokens, and branch ({token.back})", "main.look_back('back')"),
    ("Uncertain", "the next token it was unsure of ({token.unsure})", "main.look_back('unsure')"),
    ("Play again", "at reading speed ({turn.play})", "main.look_back('play')"),
    ("Two sides", "unified or side by side ({view.sides})", "diff.beside"),
    ("Fold", "fold the hunk, or open it ({hunk.fold})", "diff.fold"),
    ("Undo", "take back what was accepted or rejected last ({journal.undo})", "main.undo"),
    ("Redo", "do again what was undone last ({journal.redo})", "main.redo"),
    ("Commit", "stage and commit what was accepted ({git.commit})", "main.commit"),
    ("Split", "cut the hunk finer, then whole again ({hunk.split})", "main.handle('split')"),
    ("Line", "take the line out of its hunk, or in ({line.toggle})", "main.handle('toggle')"),
    ("Edit", "write the proposed text anew ({hunk.edit})", "main.handle('edit')"),
    ("Editor", "the same in your editor ({hunk.editor})", "main.handle('editor')"),
    ("Variation", "show another answer ({variation.next} in the diff)", "main.handle('next')"),
    ("Again", "ask for the hunk again, with a reason ({hunk.again})", "main.handle('again')"),
    ("Copy patch", "the whole turn, to the clipboard ({patch.copy})", "main.handle('copy')"),
    ("Save patch", "the whole turn, to a file", "main.handle('save')"),
    ("Pause", "stop at the token; again: drop the unfinished ({turn.stop})", "main.escape"),
    ("History", "search what was sent before ({prompt.search} in the prompt)", "main.search"),
    ("Place", "choose the place that the instruction is about ({prompt.places})", "main.places"),
    ("Clear", "show nothing of the last turn any more (/clear)", "main.clear"),
    ("Log", "what was accepted here; take it back from there (/log)", "app.log"),
    ("Earlier turns", "bring the words of one back (/resume)", "app.resume"),
    ("Report", "where the milliseconds of the turn went ({turn.report})", "app.report"),
    ("Settings", "what can be set, and where it was (/settings)", "app.settings"),
    ("Doctor", "what is installed and what is missing (/doctor)", "app.doctor"),
    ("Wafer", "the simulated wafer, a mesh at work on the turn's tokens ({wafer})", "app.wafer"),
    ("Pace", "how fast tokens are shown: as a wafer or a GPU would (/pace)", "app.pace"),
    ("Mouse", "take the mouse, or leave it to the terminal", "app.mouse"),
    ("Theme", "choose the colours", "app.change_theme"),
    ("Quit", "leave spark ({quit} in the diff, {interrupt} twice)", "app.quit"),
)
"""All that can be done without knowing its key; the actions are of the application, the main screen or the diff."""

IN_PALETTE = frozenset(action for _, does, _ in COMMANDS for action in actions_in(does)) - {"interrupt"}
"""The actions that it does. Only Ctrl+C, or what stands for it, ends what a program holds up."""


def palette(app: Application) -> Iterator[Command]:
    """Everything that can be done without knowing its key."""
    for name, does, action in COMMANDS:
        yield name, does, partial(_do, app, action)


async def _do(app: Application, action: str) -> None:
    """Do it on what it is an action of, whatever covers that."""
    owner, _, name = action.partition(".")
    if owner == "app":
        await app.run_action(action)
    else:
        await app.run_action(name, app.main.bench.diff if owner == "diff" else app.main.screen)


class ThemeChoices(ThemeProvider):
    """What the picker offers: those that cannot be used, too, which say why when they are chosen."""

    @property
    def commands(self) -> list[tuple[str, Callable[[], None]]]:
        """Names, and what choosing each does."""
        app = cast("Application", self.app)
        choose = app.main.commanding.theme
        names = sorted(self.app.available_themes)
        known = [(f"{name} (in use)" if name == app.theme else name, partial(choose, name)) for name in names]
        return [*known, *((f"{name} (broken)", partial(choose, name)) for name in app.themes.broken)]

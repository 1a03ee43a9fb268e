"""What the palette of commands offers, and that of themes."""

from collections.abc import Callable, Iterator
from functools import partial

from spark_tui.tui.keymap import actions_in
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.small import CoveredApp

Command = tuple[str, str, Callable[[], object]]
"""Its name, what it does, with the key of an action for its {id}, and how it is done."""

COMMANDS = (
    ("Keys", "every key and what it does ({help})", "app.help"),
    ("Accept", "write the selected hunk to its file ({hunk.accept})", "main.do('accept')"),
    ("Reject", "reject the selected hunk ({hunk.reject})", "main.do('reject')"),
    ("Accept all", "write every finished hunk of the file ({all.accept})", "main.do('accept_all')"),
    ("Reject all", "reject every finished hunk of the file ({all.reject})", "main.do('reject_all')"),
    ("Accept all files", "write every finished hunk of all files ({files.accept})", "main.do('accept_files')"),
    ("Look back", "by tokens, and branch ({token.back})", "main.look_back('back')"),
    ("Uncertain", "the next uncertain token ({token.unsure})", "main.look_back('unsure')"),
    ("Two sides", "unified or side by side ({view.sides})", "diff.beside"),
    ("Fold", "fold the hunk, or open it ({hunk.fold})", "diff.fold"),
    ("Rename", "a new name in all Python files ({symbol.rename})", "main.do('rename')"),
    ("Undo", "take back what was accepted or rejected last ({journal.undo})", "main.do('undo')"),
    ("Redo", "redo what was undone last ({journal.redo})", "main.do('redo')"),
    ("Commit", "stage and commit what was accepted ({git.commit})", "main.do('commit')"),
    ("Split", "cut the hunk finer, then whole again ({hunk.split})", "main.do('split')"),
    ("Line", "take the line out of its hunk, or in ({line.toggle})", "main.do('toggle')"),
    ("Edit", "write the proposed text anew ({hunk.edit})", "main.do('edit')"),
    ("Editor", "the same in your editor ({hunk.editor})", "main.do('editor')"),
    ("Variation", "show another answer ({variation.next} in the diff)", "main.do('next')"),
    ("Again", "ask for the hunk again, with a reason ({hunk.again})", "main.do('again')"),
    ("Fix", "ask for a fix of what failed: the check, or a !command ({check.fix})", "main.fix"),
    ("Copy patch", "the whole turn, to the clipboard ({patch.copy})", "main.do('copy')"),
    ("Save patch", "the whole turn, to a file", "main.do('save')"),
    ("Pause", "stop at the token; again: drop the unfinished ({turn.stop})", "main.escape"),
    ("History", "search what was sent before ({prompt.search} in the prompt)", "main.search"),
    ("Place", "choose the place that the instruction is about ({prompt.places})", "main.places"),
    ("Clear", "clear the last turn off the screen (/clear)", "main.do('clear')"),
    ("Log", "what was accepted here; take it back from there (/log)", "app.open('log')"),
    ("Earlier turns", "bring the words of one back (/resume)", "app.open('resume')"),
    ("Doctor", "what is installed and what is missing (/doctor)", "app.open('doctor')"),
    ("Wafer", "the simulated wafer, a mesh at work on the turn's tokens ({wafer})", "app.open('wafer')"),
    ("Pace", "how fast tokens are shown: as a wafer or a GPU would (/pace)", "app.pace"),
    ("Mouse", "take the mouse, or leave it to the terminal", "app.mouse"),
    ("Theme", "choose the theme (/theme)", "main.do('theme')"),
    ("Quit", "leave spark ({quit} in the diff, {interrupt} twice)", "app.quit"),
)
"""All that can be done without knowing its key; the actions are of the application, the main screen or the diff."""

IN_PALETTE = frozenset(action for _, does, _ in COMMANDS for action in actions_in(does)) - {"interrupt"}
"""The actions that it does. Only Ctrl+C, or what stands for it, ends what a program holds up."""


def palette(app: CoveredApp, main: Host) -> Iterator[Command]:
    """Everything that can be done without knowing its key."""
    for name, does, action in COMMANDS:
        yield name, does, partial(_do, app, main, action)


async def _do(app: CoveredApp, main: Host, action: str) -> None:
    """Do it on what it is an action of, whatever covers that."""
    owner, _, name = action.partition(".")
    if owner == "app":
        await app.run_action(action)
    else:
        await app.run_action(name, main.bench.diff if owner == "diff" else main)

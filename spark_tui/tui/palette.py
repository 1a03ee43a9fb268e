"""What the palette of commands offers."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_tui.tui.app import SparkApp

Command = tuple[str, str, Callable[[], object]]
"""Its name, what it does, with the key of an action for its {id}, and how it is done."""


def palette(app: "SparkApp") -> Iterator[Command]:
    """Everything that can be done without knowing its key."""
    main = app.main
    yield "Keys", "every key and what it does ({help})", app.action_help
    yield "Accept", "write the selected hunk to its file ({hunk.accept})", main.action_accept
    yield "Reject", "give the selected hunk up ({hunk.reject})", main.action_reject
    yield "Accept all", "write every finished hunk ({all.accept})", main.action_accept_all
    yield "Reject all", "give every finished hunk up ({all.reject})", main.action_reject_all
    yield "Look back", "by tokens, and branch ({token.back})", lambda: main.looking.open("back")
    yield "Uncertain", "the next token it was unsure of ({token.unsure})", lambda: main.looking.open("unsure")
    yield "Play again", "at reading speed ({turn.play})", lambda: main.looking.open("play")
    yield "Two sides", "unified or side by side ({view.sides})", main.bench.diff.action_beside
    yield "Fold", "fold the hunk, or open it ({hunk.fold})", main.bench.diff.action_fold
    yield "Undo", "take back what was accepted or rejected last ({journal.undo})", main.action_undo
    yield "Redo", "do again what was undone last ({journal.redo})", main.action_redo
    yield "Commit", "stage and commit what was accepted ({git.commit})", main.action_commit
    yield "Split", "cut the selected hunk finer, then whole again ({hunk.split})", partial(main.action_handle, "split")
    yield "Line", "take the line out of its hunk, or in ({line.toggle})", partial(main.action_handle, "toggle")
    yield "Edit", "write the proposed text anew ({hunk.edit})", partial(main.action_handle, "edit")
    yield "Editor", "the same in your editor ({hunk.editor})", partial(main.action_handle, "editor")
    yield "Variation", "show another answer ({variation.next} in the diff)", partial(main.action_handle, "next")
    yield "Again", "ask for the hunk again, with a reason ({hunk.again})", partial(main.action_handle, "again")
    yield "Copy patch", "the whole turn, to the clipboard ({patch.copy})", partial(main.action_handle, "copy")
    yield "Save patch", "the whole turn, to a file", partial(main.action_handle, "save")
    yield "Pause", "stop at the token; again: drop the unfinished ({turn.stop})", main.action_escape
    yield "History", "search what was sent before ({prompt.search} in the prompt)", main.action_search
    yield "Place", "choose the place that the instruction is about ({prompt.places})", main.action_places
    yield "Clear", "show nothing of the last turn any more (/clear)", main.action_clear
    yield "Log", "what was accepted here; take it back from there (/log)", app.action_log
    yield "Earlier turns", "bring the words of one back (/resume)", app.action_resume
    yield "Report", "where the milliseconds of the turn went ({turn.report})", app.action_report
    yield "Settings", "what can be set, and where it was (/settings)", app.action_settings
    yield "Doctor", "what is installed and what is missing (/doctor)", app.action_doctor
    yield "Wafer", "the simulated wafer, a mesh at work on the turn's tokens ({wafer})", app.action_wafer
    yield "Pace", "how fast tokens are shown: as a wafer or a GPU would (/pace)", app.action_pace
    yield "Mouse", "take the mouse, or leave it to the terminal", app.action_mouse
    yield "Theme", "choose the colours", app.action_change_theme
    yield "Quit", "leave spark ({quit} in the diff, {interrupt} twice)", app.action_quit

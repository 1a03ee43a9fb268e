"""What the palette of commands offers."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.tui.keymap import actions_in

if TYPE_CHECKING:
    from spark_tui.tui.app import SparkApp

Command = tuple[str, str, Callable[[], object]]
"""Its name, what it does, with the key of an action for its {id}, and how it is done."""


def _commands() -> "Sequence[tuple[str, str, Callable[[SparkApp], object]]]":
    """Everything that can be done without knowing its key."""
    return (
        ("Keys", "every key and what it does ({help})", lambda app: app.action_help()),
        ("Accept", "write the selected hunk to its file ({hunk.accept})", lambda app: app.main.action_accept()),
        ("Reject", "give the selected hunk up ({hunk.reject})", lambda app: app.main.action_reject()),
        ("Accept all", "write every finished hunk ({all.accept})", lambda app: app.main.action_accept_all()),
        ("Reject all", "give every finished hunk up ({all.reject})", lambda app: app.main.action_reject_all()),
        ("Look back", "by tokens, and branch ({token.back})", lambda app: app.main.looking.open("back")),
        ("Uncertain", "the next token it was unsure of ({token.unsure})", lambda app: app.main.looking.open("unsure")),
        ("Play again", "at reading speed ({turn.play})", lambda app: app.main.looking.open("play")),
        ("Two sides", "unified or side by side ({view.sides})", lambda app: app.main.bench.diff.action_beside()),
        ("Fold", "fold the hunk, or open it ({hunk.fold})", lambda app: app.main.bench.diff.action_fold()),
        ("Undo", "take back what was accepted or rejected last ({journal.undo})", lambda app: app.main.action_undo()),
        ("Redo", "do again what was undone last ({journal.redo})", lambda app: app.main.action_redo()),
        ("Commit", "stage and commit what was accepted ({git.commit})", lambda app: app.main.action_commit()),
        ("Split", "cut the hunk finer, then whole again ({hunk.split})", lambda app: app.main.action_handle("split")),
        ("Line", "take the line out of its hunk, or in ({line.toggle})", lambda app: app.main.action_handle("toggle")),
        ("Edit", "write the proposed text anew ({hunk.edit})", lambda app: app.main.action_handle("edit")),
        ("Editor", "the same in your editor ({hunk.editor})", lambda app: app.main.action_handle("editor")),
        ("Variation", "show another answer ({variation.next} in the diff)", lambda app: app.main.action_handle("next")),
        ("Again", "ask for the hunk again, with a reason ({hunk.again})", lambda app: app.main.action_handle("again")),
        ("Copy patch", "the whole turn, to the clipboard ({patch.copy})", lambda app: app.main.action_handle("copy")),
        ("Save patch", "the whole turn, to a file", lambda app: app.main.action_handle("save")),
        ("Pause", "stop at the token; again: drop the unfinished ({turn.stop})", lambda app: app.main.action_escape()),
        (
            "History",
            "search what was sent before ({prompt.search} in the prompt)",
            lambda app: app.main.action_search(),
        ),
        (
            "Place",
            "choose the place that the instruction is about ({prompt.places})",
            lambda app: app.main.action_places(),
        ),
        ("Clear", "show nothing of the last turn any more (/clear)", lambda app: app.main.action_clear()),
        ("Log", "what was accepted here; take it back from there (/log)", lambda app: app.action_log()),
        ("Earlier turns", "bring the words of one back (/resume)", lambda app: app.action_resume()),
        ("Report", "where the milliseconds of the turn went ({turn.report})", lambda app: app.action_report()),
        ("Settings", "what can be set, and where it was (/settings)", lambda app: app.action_settings()),
        ("Doctor", "what is installed and what is missing (/doctor)", lambda app: app.action_doctor()),
        ("Wafer", "the simulated wafer, a mesh at work on the turn's tokens ({wafer})", lambda app: app.action_wafer()),
        ("Pace", "how fast tokens are shown: as a wafer or a GPU would (/pace)", lambda app: app.action_pace()),
        ("Mouse", "take the mouse, or leave it to the terminal", lambda app: app.action_mouse()),
        ("Theme", "choose the colours", lambda app: app.action_change_theme()),
        ("Quit", "leave spark ({quit} in the diff, {interrupt} twice)", lambda app: app.action_quit()),
    )


IN_PALETTE = frozenset(action for _, does, _ in _commands() for action in actions_in(does)) - {"interrupt"}
"""The actions that it does. Only Ctrl+C, or what stands for it, ends what a program holds up."""


def palette(app: "SparkApp") -> Iterator[Command]:
    """Everything that can be done without knowing its key."""
    for name, does, do in _commands():
        yield name, does, partial(do, app)

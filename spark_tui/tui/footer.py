"""The words of the two lines at the bottom: the keys that mean something now, and what was measured."""

from spark_tui.tui.keymap import Keymap
from spark_tui.tui.pacing import Pacer
from spark_tui.tui.view import STREAMING, Phase, TurnView
from spark_tui.tui.widgets.bar import Piece, hint

_LOOKS = {Phase.PAUSED: "accent", Phase.WRITING: "ok", Phase.THINKING: "ok", Phase.READING: "ok"}


def hints(
    phase: Phase, keys: Keymap, *, in_diff: bool, has_text: bool, hunks: int, written: bool, again: bool = False,
    commits: bool = True, offered: bool = False, others: bool = False, guessed: bool = False, files: bool = False,
    diff: bool = False, words: bool = False,
) -> list[Piece]:  # fmt: skip
    """The keys that mean something now, the most useful first.

    Args: written: whether the selected hunk is fully written. again: whether a hunk is asked for again.
        commits: whether anything that was accepted is not committed. offered: whether what is typed takes the place
        of the text. others: whether there are other answers, and the one that is shown is not sure, or none is shown.
        guessed: whether the place may be another one. files: whether several are under review together. diff: whether
        there is one to go to. words: whether an answer in words is shown instead.
    """
    known = _keys(phase, in_diff, has_text, hunks, written, again, commits)
    if guessed and phase is Phase.REVIEW and not has_text:
        known.insert(0, ("{prompt.places}", "another place"))
    if others and phase in {Phase.REVIEW, Phase.READY}:
        known.insert(not (in_diff or guessed), ("{variation.next}" if in_diff else "{focus.diff}", "other answers"))
    if files and in_diff and hunks and phase is Phase.REVIEW:
        known[3:3] = [("{file.previous} {file.next}", "file"), ("{files.accept}", "accept all files")]
    if diff and phase is Phase.READY and not in_diff:
        known[1:1] = [*([] if others else [("{focus.diff}", "diff")]), *([("/commit", "to git")] if commits else [])]
    if words and phase is Phase.READY and not others:
        known.insert(1, ("{focus.diff}", "read on"))
    if offered and not in_diff:
        known.insert(1, ("Right", "keep the words"))
    filled = [(keys.fill(key, most=1, without="").strip(), does) for key, does in known]
    return [piece for key, does in filled if key for piece in hint(key, does, weight=_weight(does))]


def hints_in_answer(keys: Keymap, blocks: int) -> list[Piece]:
    """The keys of an answer in words that has the focus. Args: blocks: of code in the answer."""
    known = [("Up Down", "scroll"), ("type", "to go on from it"), (keys.key("turn.stop"), "prompt")]
    if blocks:
        numbers = "1" if blocks == 1 else f"1-{min(blocks, 9)}"
        known.insert(0, (numbers, "review the code as hunks"))
    return [piece for key, does in known for piece in hint(key, does, weight=_weight(does))]


def hints_in_list(*, sends: bool) -> list[Piece]:
    """The keys of the list above the prompt. Args: sends: whether Enter does, to the place that is chosen."""
    keys = (*[("Enter", "send")] * sends, ("Tab", "take"), ("Up Down", "choose"), ("Esc", "close"))
    return [piece for key, does in keys for piece in hint(key, does, weight=_weight(does))]


def _keys(
    phase: Phase, in_diff: bool, has_text: bool, hunks: int, written: bool, again: bool, commits: bool
) -> list[tuple[str, str]]:
    drop = ("{turn.stop}", "back to the earlier one" if again else "drop the unfinished")
    if in_diff:
        decide = [("{hunk.accept}", "accept"), ("{hunk.reject}", "reject")] if written else []
        review = [*decide, ("{hunk.previous} {hunk.next}", "hunk")] if hunks else []
        if phase in STREAMING:
            return [*review, ("{turn.stop}", "pause"), ("{help}", "keys")]
        if phase is Phase.PAUSED:
            edit = [("{hunk.edit}", "edit")] if hunks else []
            return [drop, *review, ("{focus.prompt}", "prompt"), ("{help}", "keys"), *edit]
        everything = [("{all.accept} {all.reject}", "all")] if hunks > 1 else []
        commit = [("{git.commit}", "commit")] if commits and not hunks else []
        undo = ("{journal.undo}", "undo")
        return [*review, *everything, undo, *commit, ("{focus.prompt}", "prompt"), ("{help}", "keys")]
    review = [("{focus.diff}", "review")] if hunks else []
    if phase in STREAMING:
        return [("{turn.stop}", "pause"), ("type", "to redirect"), *review]
    if phase is Phase.PAUSED:
        on = ("Enter", "redirect" if has_text else "go on")
        say = [] if has_text else [("type", "to redirect")]
        return [on, *say, drop, *review]
    more = [] if has_text else [("?", "keys")]
    return [("Enter", "send"), *review, ("{prompt.earlier}", "history"), *more, ("{interrupt}", "quit")]


def _weight(does: str) -> int:
    """Where it is narrow the last ones go, but for what tells of all the others."""
    return 3 if does == "keys" else 2


def where_to(
    view: TurnView, ahead: str | None, keys: Keymap, *, guessed: bool = False, looking: bool = False, refused: str = ""
) -> list[Piece]:
    """The place of the turn, or where what is written leads.

    Args: ahead: that place; "" while it is not clear. guessed: whether that of the turn may be another one. looking:
        whether it is still to be seen. refused: why it would be refused, unless the note says so already.
    """
    if ahead is None:
        more = f" and {view.files.count - 1} more file{'s' * (view.files.count > 2)}" if view.files.count > 1 else ""
        beside = [Piece(f"map of {view.map_tokens:,} tokens", "faint", 1)] if view.map_tokens else []
        where = f"{view.place}{'?' * guessed}{more}" if view.place else "spark finds the place"
        return [Piece(where, "warning" if guessed else "muted", 2), *beside]
    other = [Piece(keys.key("prompt.places"), "text", 1), Piece(" another place", "faint", 1, joined=True)]
    if not ahead:
        other[1] = Piece(" choose one", "faint", 1, joined=True)
    unknown = "place not known yet" if looking else refused or "no clear place yet"
    look = "warning" if refused and not looking and not ahead else "muted"
    return [Piece(f"edits {ahead}" if ahead else unknown, look, 2), *other]


def meters(
    model: str, view: TurnView, phase: Phase, limit: int | None, *, pacer: Pacer | None = None,
    simulated: float | None = None, cost: float | None = None, waiting: bool = False, wrote: str = "",
) -> tuple[list[Piece], list[Piece]]:  # fmt: skip
    """What was measured, left and right; what was not measured yet is not shown.

    Args: pacer: holds tokens back, when there is a pace. simulated: tokens a second of the simulated wafer.
        cost: of the last answer, in what prices are told in.
        wrote: the model that wrote what is shown, where it is not the first one.
        waiting: whether a turn is about to begin, or another model has come: the figures of the last turn are past.
    """
    figures = view.figures.lasting if waiting else view.figures
    measured = [
        *_speed(figures.rate, pacer, waiting=waiting),
        (f"TTFT {_milliseconds(figures.ttft_ms)}", 5, figures.ttft_ms),
        (f"Esc {_milliseconds(figures.stop_ms)}", 6, figures.stop_ms),
        (f"{figures.per_pass or 0:.1f} tok/pass", 3, figures.per_pass),
        (f"thought {figures.thought:,} tok", 5, figures.thought or None),
        (f"cost {cost or 0:.4f}", 7, cost),
        (f"{figures.used}/{limit} ctx", 4, figures.used if limit else None),
        (f"wafer {simulated or 0:,.0f} tok/s simulated", 0, simulated),
    ]
    left = [Piece(model, "text", 1), Piece(phase.value, _LOOKS.get(phase, "muted"), 9)]
    left += [Piece(f"written by {wrote}", "muted", 8)] if wrote else []
    left += [Piece(words, "muted", weight) for words, weight, value in measured if value is not None]
    if not view.hunks:
        return left, []
    added, removed = view.sizes()
    hunks = f"{len(view.hunks)} hunk{'s' * (len(view.hunks) != 1)}"
    return left, [
        Piece(hunks, "muted", 3),
        Piece(f"+{added}", "added", 7),
        Piece(f" −{removed}", "removed", 7, joined=True),
    ]


def _speed(real: float | None, pacer: Pacer | None, *, waiting: bool) -> list[tuple[str, int, float | None]]:
    """How fast tokens come, and how fast they could; a device's own figures are simulated."""
    if pacer is None or (pace := pacer.pace) is None:
        return [(f"{real or 0:.0f} tok/s", 8, real)]
    if waiting or (shown := pacer.rate) is None or (real is not None and real < pace.rate):
        limit = f"{pace.device} {_rate(pace.rate)} simulated" if pace.device else _rate(pace.rate)
        measured = "" if real is None else f", real {_rate(real)} tok/s"
        return [(f"paced: {limit}{measured}", 8, pace.rate)]
    named = f" ({pace.device}, {pace.model} simulated)" if pace.device else ""
    return [(f"{_rate(shown)} tok/s paced{named}", 8, shown), (f"real {real or 0:,.0f}", 7, real)]


def _rate(value: float) -> str:
    """Tokens a second; a slow pace with its tenths."""
    return f"{value:,.1f}".removesuffix(".0") if value < 9.95 else f"{value:,.0f}"


def _milliseconds(value: float | None) -> str:
    value = value or 0.0
    return f"{value:.1f} ms" if value < 9.95 else f"{value:.0f} ms"

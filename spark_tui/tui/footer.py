"""The words of the two lines at the bottom: the keys that mean something now, and what was measured."""

from spark_tui.tui.view import STREAMING, Phase, TurnView
from spark_tui.tui.widgets.bar import Piece

_LOOKS = {Phase.PAUSED: "accent", Phase.WRITING: "ok", Phase.READING: "ok"}


def hints(phase: Phase, *, in_diff: bool, has_text: bool, hunks: int) -> list[Piece]:
    """The keys that mean something now, the most useful first."""
    return [piece for key, does in _keys(phase, in_diff, has_text, hunks) for piece in _hint(key, does)]


def _keys(phase: Phase, in_diff: bool, has_text: bool, hunks: int) -> list[tuple[str, str]]:
    if in_diff:
        review = [("a", "accept"), ("r", "reject"), ("[ ]", "hunk")] if hunks else []
        if phase in STREAMING:
            return [*review, ("Esc", "pause"), ("?", "keys")]
        everything = [("A R", "all")] if hunks > 1 else []
        commit = [] if hunks else [("c", "commit")]
        return [*review, *everything, ("u", "undo"), *commit, ("Enter", "prompt"), ("?", "keys")]
    if phase in STREAMING:
        return [("Esc", "pause"), ("type", "to redirect"), *([("Tab", "review")] if hunks else [])]
    if phase is Phase.PAUSED:
        on = ("Enter", "redirect" if has_text else "go on")
        say = [] if has_text else [("type", "to redirect")]
        return [on, *say, ("Esc", "drop the unfinished"), *([("Tab", "review")] if hunks else [])]
    review = [("Tab", "review")] if hunks else []
    return [("Enter", "send"), *review, ("Up", "history"), *([] if has_text else [("?", "keys")]), ("Ctrl+C", "quit")]


def _hint(key: str, does: str) -> tuple[Piece, Piece]:
    return Piece(key, "text", 2), Piece(f" {does}", "muted", 2, joined=True)


def meters(model: str, view: TurnView, phase: Phase, limit: int | None) -> tuple[list[Piece], list[Piece]]:
    """What was measured, left and right; what was not measured yet shows as a dash."""
    figures = view.figures
    added, removed = view.sizes()
    context = f"ctx {figures.used}/{limit}" if figures.used is not None and limit else "ctx –"
    left = [
        Piece(model, "text", 1),
        Piece(phase.value, _LOOKS.get(phase, "muted"), 9),
        Piece("– tok/s" if figures.rate is None else f"{figures.rate:.0f} tok/s", "muted", 8),
        Piece(f"ttft {_milliseconds(figures.ttft_ms)}", "muted", 5),
        Piece(f"esc {_milliseconds(figures.stop_ms)}", "muted", 6),
        Piece(context, "muted", 4),
    ]
    if figures.drafted:
        left.append(Piece(f"{figures.drafted / figures.tokens:.0%} drafted", "muted", 2))
    if not view.hunks:
        return left, []
    hunks = f"{len(view.hunks)} hunk{'s' * (len(view.hunks) != 1)}"
    return left, [
        Piece(hunks, "muted", 3),
        Piece(f"+{added}", "added", 7),
        Piece(f" −{removed}", "removed", 7, joined=True),
    ]


def _milliseconds(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}ms" if value < 9.95 else f"{value:.0f}ms"

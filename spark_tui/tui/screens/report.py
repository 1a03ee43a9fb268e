"""Where the milliseconds of a turn went: measured, none estimated."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from spark_tui.marks import visible
from spark_tui.tui.looks import look
from spark_tui.tui.wafer_draw import bar

if TYPE_CHECKING:
    from spark_tui.session.events import Timing
    from spark_tui.session.meter import Spent

_BAR = 24
_MS, _UNIT = "ms", 14
_ROOMY = 74
"""Columns from which there is room for bars."""
Row = tuple[str, str, str, float]
"""What, how much, its unit, and its share of the whole where there is one (else 0)."""


class ReportScreen(ModalScreen[None]):
    """One sheet; Esc, q, T and Enter close it.

    Args: instruction: of the turn. stop_ms: of the last Esc. context: tokens of it in use, and those there are.
    """

    DEFAULT_CSS = """
    ReportScreen {
        align: center middle; background: $spark-background 60%;
        VerticalScroll {
            width: 72; height: auto; max-height: 100%; background: $spark-surface; padding: 1 2;
            scrollbar-size-vertical: 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,T,enter", "dismiss", show=False)]

    def __init__(
        self, instruction: str, timing: "Timing", spent: "Spent", stop_ms: float | None, context: tuple[int | None, int]
    ) -> None:
        super().__init__()
        self._instruction = instruction
        self._rows = [*_times(timing, spent), *_counts(timing, spent, stop_ms, context)]

    def compose(self) -> ComposeResult:
        """One sheet."""
        with VerticalScroll():
            yield Static(id="sheet")

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        self.on_resize()

    def on_resize(self) -> None:
        """There is room for the bars, or there is not."""
        self.query_one("#sheet", Static).update(self._sheet())

    def _sheet(self) -> Text:
        narrow = self.app.size.width < _ROOMY
        title = " ".join(visible(line) for line in self._instruction.splitlines())
        sheet = Text(title, look(self, "accent"), no_wrap=True, overflow="ellipsis")
        sheet.append("\nmeasured; pauses are left out\n", look(self, "muted"))
        for what, much, unit, share in self._rows:
            sheet.append(f"\n{what:<19}{much:>9} ", look(self, "text"))
            sheet.append(f"{unit:<{len(unit) if narrow else _UNIT}}", look(self, "muted"))
            sheet.append("" if narrow else bar(share, _BAR).rstrip(), look(self, "accent"))
        return sheet


def _times(timing: "Timing", spent: "Spent") -> Iterator[Row]:
    total = timing.total_ms or 1.0
    for what, ms in (
        ("reading (prefill)", spent.prefill_ms),
        ("writing (decode)", spent.decode_ms),
        ("judging, checks", spent.checks_ms),
        ("other answers", spent.varying_ms),
        ("waiting, the rest", spent.other_ms),
    ):
        if ms or what != "other answers":
            yield what, f"{ms:,.1f}", _MS, ms / total
    yield "together", f"{timing.total_ms:,.1f}", _MS, 0.0
    yield "", "", "", 0.0


def _counts(timing: "Timing", spent: "Spent", stop_ms: float | None, context: tuple[int | None, int]) -> Iterator[Row]:
    """What was counted; of a turn that never came to the model there is nothing of it."""
    if timing.prompt_tokens:
        yield "in the prompt", f"{timing.prompt_tokens:,}", "tokens", 0.0
        yield "read before", f"{timing.cached_tokens:,}", "tokens", 0.0
        yield from _writing(timing, spent)
        if context[0] is not None:
            yield "context used (ctx)", f"{context[0]:,}", f"of {context[1]:,} tokens", 0.0
    else:
        yield "the model was not asked", "", "", 0.0
    if stop_ms is not None:
        yield "last Esc stopped in", f"{stop_ms:.1f}", _MS, 0.0


def _writing(timing: "Timing", spent: "Spent") -> Iterator[Row]:
    """Where each token was the only one allowed, or was chosen as the prompt was read, nothing has a speed."""
    yield "written", f"{timing.generated_tokens:,}", "tokens", 0.0
    yield "  no other allowed", f"{spent.only:,}", "tokens", 0.0
    yield "  guessed right", f"{timing.accepted_draft_tokens:,}", "tokens", 0.0
    yield "passes to write", f"{spent.passes:,}", "passes", 0.0
    if spent.passes:
        yield "written in a pass", f"{timing.generated_tokens / spent.passes:.2f}", "tokens", 0.0
    if timing.tokens_per_second:
        yield "speed", f"{timing.tokens_per_second:,.0f}", "tokens a second", 0.0
    if timing.generated_tokens:
        yield "first token (TTFT)", f"{timing.ttft_ms:,.1f}", _MS, 0.0

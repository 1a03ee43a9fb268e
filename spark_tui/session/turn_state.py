"""The state of a turn on the screen: the session's events folded into plain values.

`TurnState` takes events (`take`) and the review's hunks (`sync`), and answers what the widgets
show. The module knows no widgets.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_tui.editing.line_diff import whole_file
from spark_tui.editing.multi_file import Files, heading_change, lines_of
from spark_tui.session import events
from spark_tui.session.hunk_items import (
    Decided,
    Decisions,
    Edits,
    HunkItem,
    HunkLike,
    HunkState,
    Items,
    Lines,
    OutsideEdit,
    live_line,
    place_now,
)
from spark_tui.session.throttle import Rate

if TYPE_CHECKING:
    from spark_tui.context.regions import Region
    from spark_tui.session.accept import Odd


# Mapped over what may be thousands of hunks.
_OLD = attrgetter("old")
_NEW = attrgetter("new")


Content = tuple[tuple[str, ...], tuple[str, ...]]
"""Old and new lines of a hunk.

What is known of a hunk is known of its content, wherever the hunk moves, even when it comes back.
"""


class TurnPhase(StrEnum):
    """What is going on; the words are those of the footer.

    LOADING: there is no model yet. READY: nothing is left to decide. READING, THINKING, WRITING:
    the model is at work. PAUSED: the user stopped it, or it failed. STOPPING: the turn was given
    up, which takes effect at the next token. REVIEW: hunks are open.
    """

    LOADING = "loading"
    READY = "ready"
    READING = "reading"
    THINKING = "thinking"
    WRITING = "writing"
    PAUSED = "paused"
    STOPPING = "stopping"
    REVIEW = "review"


STREAMING = frozenset({TurnPhase.READING, TurnPhase.THINKING, TurnPhase.WRITING})
_MOST_THOUGHT = 100_000
"""Characters of a thought that are kept: its end."""
IN_TURN = STREAMING | {TurnPhase.PAUSED, TurnPhase.STOPPING}


@dataclass(slots=True)
class _Figures:
    """The figures of a turn; None stands for one that is not measured yet.

    Args:
        stopped: Whether `stop_ms` is of an Esc in this turn.
    """

    rate: float | None = None
    ttft_ms: float | None = None
    stop_ms: float | None = None
    stopped: bool = False
    used: int | None = None
    tokens: int = 0
    thought: int = 0
    per_pass: float | None = None

    @property
    def lasting(self) -> "_Figures":
        """What holds from one turn to the next: how long the engine took to stand still."""
        return _Figures(stop_ms=self.stop_ms)


class TurnState:
    """One turn as it looks right now.

    Feed it events, and tell it what the user decided.

    `hunks` are those open to review and `base` the lines they apply to, both as of the last `sync`;
    `problem` is why the engine stands still, where it does so by itself.
    """

    under_way: Mapping[str, HunkState] = MappingProxyType({})
    """What is being decided about hunks, by id, until the decision is on the disk."""
    given_up = False
    """Whether the user gave the turn up, and the turn has ended."""
    judging = ""
    """Who judges the answers, while that is under way."""
    _by_id: Mapping[str, HunkLike] = MappingProxyType({})
    _by_id_of: Sequence[HunkLike] = ()
    """The hunks that `_by_id` was made of."""

    def __init__(self, instruction: str = "", base: Sequence[str] = ()) -> None:
        self.instruction = instruction
        self.base = base
        self.files = Files(base)
        self.phase = TurnPhase.READY
        self.path: str | None = None
        self.place = ""
        self.map_tokens = 0
        self.region: Lines | None = None
        self.hunks: tuple[HunkLike, ...] = ()
        self._sizes: tuple[int, int] | None = None
        self._seen: Sequence[HunkLike] = ()
        self._streamed = False
        self._live: tuple[int, int] | None = None
        self.message = ""
        self.abstained = False
        self.unsure = False
        self._as_written = True
        self.problem = ""
        """What failed, if something did."""
        self.held = ""
        """Why an endpoint makes the turn wait, until that is said."""
        self.trying = ""
        """How far the user's command was tried."""
        self.reason = "", ""
        """Why the turn ended without an edit, and the look of those words."""
        self.figures = _Figures()
        self.decisions = Decisions()
        self._closed: set[Content] = set()
        self._checks: dict[tuple[Content, frozenset[int]], str] = {}
        """What is wrong with hunks, by their content and their rows that are out."""
        self._by_hand: set[Content] = set()
        """The contents that the user wrote: no model can be unsure of them."""
        self.verdict: str | None = ""
        """What is wrong with the edit as the user left it, or ""; None: still to be checked."""
        self._sound: set[tuple[Content, frozenset[int]]] = set()
        """The hunks, as in `_checks`, that passed when all were checked together."""
        self.odd: Mapping[str, Odd] = {}
        self._looked_at: set[Content] = set()
        self.out: Mapping[str, Collection[int]] = {}
        self.edits: Edits = ()
        self.words = ""
        """What a chat model says instead of an edit."""
        self.thought = ""
        """What the model thought before its answer."""
        self.thinks = False
        """Whether it still thinks."""
        self._rate = Rate()
        self.token_ids: list[int] = []
        """The tokens that were written."""
        self._prompt_tokens = 0

    def take(self, event: events.Event) -> None:
        """Fold one event in."""
        match event:
            case events.TurnStarted(_, instruction, region, map_tokens):
                self.instruction = instruction
                self.path = str(region.path)
                self.place = place(self.path, region.start_line, region.end_line, region.symbol)
                self.map_tokens = map_tokens
                self.region = (region.start_line - 1, region.end_line)
            case events.Prefill(prompt_tokens, _, done_tokens, _):
                self._prompt_tokens = prompt_tokens
                self.figures.used = done_tokens
            case events.Held():
                self.held = event.line or self.held
            case events.TrialProgress():
                self.trying = event.words
            case events.Thinking() | events.Token():
                self._take_written(event)
            case events.HunkUpdated(hunks):
                # Where nothing tells which line was written, the line before stays the live one.
                self._live = live_line(self._seen, hunks) or self._live
                self._seen = hunks
                self._streamed = self._streamed or bool(hunks)
            case events.HunkClosed(hunk):
                self._closed.add(_content(hunk))
                self._live = None
            case events.Checked(hunk_id, checks):
                self._take_faults(hunk_id, [check.fault for check in checks if not check.ok])
            case events.TurnEnded(status, message, timing):
                self.figures.rate = timing.tokens_per_second or self.figures.rate
                self.ended(status, message)

    def _take_faults(self, hunk_id: str | None, faults: Sequence[str]) -> None:
        if hunk_id is None:
            return
        # There may be thousands of hunks, each with an event: the table is made once for all of
        # them.
        if self._by_id_of is not self._seen:
            self._by_id_of = self._seen
            self._by_id = {hunk.id: hunk for hunk in self._seen}
        if (hunk := self._by_id.get(hunk_id)) is not None:
            self._checks[_key(hunk)] = "; ".join(faults)

    def ended(self, status: events.Status, message: str) -> None:
        """Note how the turn ended."""
        self.take_outcome(status, message)
        self.finish()

    def take_outcome(self, status: events.Status, message: str) -> None:
        """Note what is said of the edit that is proposed now."""
        self.message = message
        self.abstained = status is events.Status.ABSTAINED
        self.unsure = status is events.Status.UNSURE

    def finish(self) -> None:
        """Note that nothing more will be written: the hunks are complete, and open to review."""
        self._live = None
        self.thinks = False
        self._closed |= {_content(hunk) for hunk in self.hunks}
        # Read before the phase changes.
        self.given_up |= self.phase is TurnPhase.STOPPING
        self.phase = TurnPhase.REVIEW if self.hunks else TurnPhase.READY

    def interrupted(self) -> None:
        """Note that the stream stood still; that time does not count for its speed."""
        self._rate.pause()

    def sync(
        self,
        base: Sequence[str],
        hunks: Sequence[HunkLike],
        odd: Mapping[str, "Odd"] | None = None,
        out: Mapping[str, Collection[int]] | None = None,
        edits: Edits = (),
        *,
        as_written: bool = True,
    ) -> None:
        """Take base and open hunks, or their parts, as the review has them now.

        Args:
            odd: What is odd about them, by id.
            out: Their rows that the user took out, by id.
            edits: The edits of the file beside the review.
            as_written: Whether the proposal is still the turn's own, and whole.
        """
        # The checks of the turn hold for its own edit. What the user has made of it is checked
        # anew, once for each change.
        if as_written:
            self.verdict = ""
        elif self._as_written or (self.hunks, self.out) != (tuple(hunks), out or {}):
            self.verdict = None
        self._as_written = as_written
        # Compared by identity: comparing the lines of a long file would take time at each frame.
        if base is not self.base:
            self.files = Files(base)
        self.base = base
        self.hunks = tuple(hunks)
        self.odd = odd or {}
        self.out = out or {}
        self.edits = edits
        self._sizes = None
        if self.phase not in IN_TURN:
            self.finish()

    def close(
        self, hunks: Iterable[HunkLike], problem: str | None = None, *, by_hand: bool = False
    ) -> None:
        """Mark hunks as complete, whatever the stream says.

        Args:
            problem: "": none.
            by_hand: They are the user's text.
        """
        for hunk in hunks:
            self._closed.add(_content(hunk))
            if problem is not None:
                self._checks[_key(hunk)] = problem
            if by_hand:
                self._by_hand.add(_content(hunk))

    def go_on_from(self, other: "TurnState", hunks: Sequence[HunkLike] = ()) -> None:
        """Take over the decisions of another turn, and what is known of its hunks.

        Args:
            hunks: Those that are there before anything is written.
        """
        self._seen = hunks
        self.decisions = other.decisions
        self._checks |= other._checks
        self._by_hand |= other._by_hand
        self._looked_at |= other._looked_at

    @property
    def place_shown(self) -> Lines | None:
        """The base lines of the place; of several files, its own is the first, below a heading."""
        if self.region and self.files:
            return (self.region[0] + 1, self.region[1] + 1)
        return self.region

    @property
    def live(self) -> tuple[int, int] | None:
        """The (hunk, new line) being written, once `hunks` have that line.

        An event tells of the line before the next `sync`.
        """
        hunk, line = self._live or (len(self.hunks), 0)
        if hunk < len(self.hunks) and line < len(self.hunks[hunk].new_lines):
            return self._live
        return None

    def _take_written(self, piece: events.Thinking | events.Token) -> None:
        if isinstance(piece, events.Thinking):
            self._take_thought(piece)
        else:
            self._take_token(piece)

    def _take_thought(self, thought: events.Thinking) -> None:
        self.thinks = True
        if self.phase in STREAMING:
            self.phase = TurnPhase.THINKING
        self.thought = (self.thought + thought.text)[-_MOST_THOUGHT:]
        self.figures.thought = thought.tokens
        self.figures.used = self._prompt_tokens + self.figures.tokens + thought.tokens

    def _take_token(self, token: events.Token) -> None:
        self.thinks = False
        if self.phase in STREAMING:
            self.phase = TurnPhase.WRITING
        self.trying = ""
        if token.index == 0:
            self.figures.ttft_ms = token.t_ms
        self.figures.tokens = token.index + 1
        self.token_ids.append(token.token_id)
        self.figures.used = self._prompt_tokens + self.figures.tokens + self.figures.thought
        self._rate.add(token.t_ms / 1000)
        self.figures.rate = self._rate.value

    def state(self, hunk: HunkLike) -> HunkState:
        """How an open hunk stands.

        That a hunk passes its checks says little where the model is not sure of it.
        """
        if hunk.id in self.under_way:
            return self.under_way[hunk.id]
        state = self._checked_state(hunk)
        passes = state in {HunkState.OK, HunkState.TOGETHER}
        if self.unsure and passes and _content(hunk) not in self._by_hand:
            return HunkState.UNSURE
        return state

    def _checked_state(self, hunk: HunkLike) -> HunkState:
        # Hashing takes a while where lines are long, so an empty set is not asked.
        if not self._closed or _content(hunk) not in self._closed:
            return HunkState.WRITING
        if self.wrong(hunk):
            return HunkState.FAILED
        if hunk.id in self.odd:
            return HunkState.ODD
        if any(_touches(edit, hunk) for edit in self.edits):
            return HunkState.CHANGED
        # Reached by a hunk whose own check found nothing: a fault has returned above.
        if self._key(hunk) in self._checks and not self.verdict:
            return HunkState.OK
        return self._state_as_left(hunk)

    def _state_as_left(self, hunk: HunkLike) -> HunkState:
        """The state of a hunk without a check of its own: that of all hunks that are in."""
        is_out = self.is_out(hunk)
        if self._as_written or is_out or self.phase is not TurnPhase.REVIEW:
            if self._key(hunk) in self._sound and not is_out:
                return HunkState.TOGETHER
            return HunkState.UNCHECKED
        if self.verdict is None:
            return HunkState.CHECKING
        if self.verdict:
            return HunkState.SPOILED
        if len(self.hunks) > 1:
            return HunkState.TOGETHER
        return HunkState.OK

    def judged(self, wrong: str) -> None:
        """Note the result of checking all open hunks together.

        Args:
            wrong: What is wrong with them, or "".
        """
        self.verdict = wrong
        if not wrong:
            self._sound |= set(map(self._key, self.hunks))

    def look_at(self, hunk: HunkLike) -> str:
        """Note that the user looks at a hunk.

        Returns:
            What is odd about it, or "".
        """
        self._looked_at.add(_content(hunk))
        return self.odd[hunk.id].words if hunk.id in self.odd else ""

    @property
    def decides_last(self) -> bool:
        """Whether a decision about all that is open is on its way to the disk."""
        return bool(self.under_way) and all(hunk.id in self.under_way for hunk in self.hunks)

    def is_unseen(self, hunk: HunkLike) -> bool:
        """Whether something is odd about a hunk and the user has not looked at it."""
        return hunk.id in self.odd and _content(hunk) not in self._looked_at

    def wrong(self, hunk: HunkLike) -> str:
        """Which check an open hunk fails, and why, or "".

        For what the user left of an edit, this is what is wrong with all of it.
        """
        if self._checks and (fault := self._checks.get(self._key(hunk))):
            return fault
        # The verdict is about all hunks together. One hunk bears it where it is the only one, or
        # where the user took lines out of it.
        alone = len(self.hunks) == 1 and not self._as_written and self.phase is TurnPhase.REVIEW
        if self.verdict and (alone or hunk.id in self.out) and not self.is_out(hunk):
            return self.verdict
        return ""

    def _key(self, hunk: HunkLike) -> tuple[Content, frozenset[int]]:
        return _key(hunk, self.out.get(hunk.id, ()))

    def _note(self, hunk: HunkLike) -> str:
        """What is wrong or odd about a hunk, or how many of its lines are out."""
        if wrong := self.wrong(hunk):
            return wrong
        if out := len(self.out.get(hunk.id, ())):
            return f"{out} line{'s' * (out != 1)} out"
        if hunk.id in self.odd:
            return self.odd[hunk.id].words
        return heading_change(hunk.old, hunk.new)

    def items(self) -> Items:
        """Every hunk of the turn, decided ones too, from top to bottom."""
        return Items(self.hunks, self._item, self.decisions.placed(), self.edits, self.files)

    def _item(self, number: int) -> HunkItem:
        hunk = self.hunks[number]
        added, removed = self._counts(hunk)
        path, line = place_now(self.files, self.edits, hunk, hunk.start)
        return HunkItem(self.state(hunk), line + 1, added, removed, self._note(hunk), number, path)

    def done(self) -> list[Lines]:
        """The base lines that accepted hunks brought, and that are still there."""
        placed = self.decisions.placed()
        return [_brought(item) for item in placed if item.accepted and not item.gone]

    def gone(self) -> list[Lines]:
        """The base lines that accepted hunks brought, and that are no longer in the file."""
        return [_brought(item) for item in self.decisions.placed() if item.gone]

    def missing(self) -> list[Lines]:
        """Of the lines in `gone`, those whose place in `base` nothing else has taken."""
        missing = []
        for item in self.decisions.placed():
            start, stop = _brought(item)
            if item.gone and tuple(self.base[start:stop]) == item.hunk.new_lines:
                missing.append((start, stop))
        return missing

    def summary(self, hunk: HunkLike) -> str:
        """An open hunk in a few words: how many lines, and how it stands."""
        added, removed = self._counts(hunk)
        return f"+{added} −{removed} {self.state(hunk).value}"

    def is_out(self, hunk: HunkLike) -> bool:
        """Whether every line of a hunk is out."""
        return hunk.id in self.out and not any(self._counts(hunk))

    def _counts(self, hunk: HunkLike) -> tuple[int, int]:
        """Lines that a hunk adds and removes, without those that are out."""
        out = self.out.get(hunk.id, ())
        # Rows count the old lines first, then the new ones.
        old_out = sum(row < len(hunk.old) for row in out)
        new_out = len(out) - old_out
        if whole_file(hunk.old, hunk.new):  # the heading of the file is no line of the file
            return len(lines_of(hunk.new)) - new_out, len(lines_of(hunk.old)) - old_out
        return len(hunk.new) - new_out, len(hunk.old) - old_out

    @property
    def outcome(self) -> str:
        """What to say of the edit and its checks.

        Once the user has changed the edit, this is about what is still open of the changed one.
        """
        if self.abstained:
            return ""
        if self._as_written:
            return self.message
        if not (self.message and self.hunks):
            return ""
        if self.verdict:
            return f"changed by you: {self.verdict}"
        count = "1 hunk"
        checked = "checked"
        if len(self.hunks) > 1:
            count = f"{len(self.hunks)} hunks"
            checked = "checked together"
        if self.verdict is None:
            checked = "being checked"
        return f"changed by you: {count}, {checked}"

    @property
    def withdrawn(self) -> str:
        """Why an edit that was being written is not proposed after all.

        "" if nothing was being written, or something is proposed.
        """
        gone = self.abstained and self._streamed and self.phase is TurnPhase.READY
        return self.message.partition("; ")[0] if gone else ""

    @property
    def any_closed(self) -> bool:
        """Whether any hunk was finished."""
        return bool(self._closed)

    @property
    def rows(self) -> int:
        """Lines that the open hunks have, old and new ones."""
        return sum(len(hunk.new) + len(hunk.old) for hunk in self.hunks)

    def sizes(self) -> tuple[int, int]:
        """Lines added and removed by the open hunks."""
        if self._sizes is not None:
            return self._sizes
        if self.base and not (self.out or self.files):
            # There may be thousands of hunks: nothing is looked up for each of them.
            added = sum(map(len, map(_NEW, self.hunks)))
            removed = sum(map(len, map(_OLD, self.hunks)))
        else:
            counts = [self._counts(hunk) for hunk in self.hunks]
            added = sum(more for more, _ in counts)
            removed = sum(less for _, less in counts)
        self._sizes = added, removed
        return self._sizes


def preview_of(region: "Region", lines: Sequence[str]) -> TurnState:
    """What the screen shows of a place before there is a turn.

    Args:
        lines: The lines of its file.
    """
    view = TurnState(base=lines)
    view.path = region.path
    view.place = place(region.path, region.start_line, region.end_line, region.symbol)
    view.region = (region.start_line - 1, region.end_line)
    return view


def place(path: str, start_line: int, end_line: int, symbol: str | None) -> str:
    """A region in words: `path:lines  symbol`; only the path of an empty file."""
    words = path
    if end_line >= start_line:
        words += f":{start_line}-{end_line}"
    if symbol:
        words += f"  {symbol}"
    return words


def _brought(decided: Decided) -> Lines:
    """The base lines that a decided hunk brought."""
    return decided.start, decided.start + len(decided.hunk.new)


def _touches(edit: OutsideEdit, hunk: HunkLike) -> bool:
    """Whether an edit by others overlaps a hunk, or stands right beside it."""
    # A merge takes changes of neighboring lines for a conflict, too.
    return edit.start <= hunk.start + len(hunk.old) and hunk.start <= edit.stop


def _content(hunk: HunkLike) -> Content:
    return hunk.old_lines, hunk.new_lines


def _key(hunk: HunkLike, out: Iterable[int] = ()) -> tuple[Content, frozenset[int]]:
    return _content(hunk), frozenset(out)

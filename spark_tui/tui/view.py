"""What the screen shows of a turn: the events of the session folded into plain state. Knows no widgets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING

from spark_tui.editing.headings import whole_file
from spark_tui.editing.spots import Files, lines_of
from spark_tui.session import events
from spark_tui.tui.decisions import Decided, Decisions
from spark_tui.tui.items import Item, Items, State
from spark_tui.tui.layout import Lines
from spark_tui.tui.pacing import Rate
from spark_tui.tui.rows import Edits, HunkLike, further, live_line

if TYPE_CHECKING:
    from spark_tui.context.source import Region
    from spark_tui.session.consent import Odd

_OLD, _NEW = attrgetter("old"), attrgetter("new")
Content = tuple[tuple[str, ...], tuple[str, ...]]
"""Old and new lines: what is known of a hunk is known of its content, wherever it moves and even when it comes back."""


class Phase(StrEnum):
    """What is going on; the words are those of the footer."""

    LOADING = "loading"
    READY = "ready"
    READING = "reading"
    THINKING = "thinking"
    WRITING = "writing"
    PAUSED = "paused"
    REVIEW = "review"


STREAMING = frozenset({Phase.READING, Phase.THINKING, Phase.WRITING})
_MOST_THOUGHT = 100_000
"""Characters of a thought that are kept: its end."""
IN_TURN = STREAMING | {Phase.PAUSED}


@dataclass(slots=True)
class _Figures:
    """What was measured; None is not measured yet. Args: stopped: whether `stop_ms` is of an Esc in this turn."""

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


class TurnView:
    """One turn as it looks right now. Feed it events, and tell it what the user decided.

    `hunks` are those open to review and `base` the lines they apply to, both as of the last `sync`;
    `problem` is why the engine stands still, where it does so by itself.
    """

    def __init__(self, instruction: str = "", base: Sequence[str] = ()) -> None:
        self.instruction, self.base = instruction, base
        self.files = Files(base)
        self.phase = Phase.READY
        self.path: str | None = None
        self.place, self.map_tokens = "", 0
        self.region: Lines | None = None
        self.hunks: tuple[HunkLike, ...] = ()
        self._sizes: tuple[int, int] | None = None
        self._seen: Sequence[HunkLike] = ()
        self._streamed = False
        self._live: tuple[int, int] | None = None
        self.message, self.abstained, self.unsure = "", False, False
        self._as_written = True
        self.problem = self.held = self.trying = ""
        """What failed; what an endpoint is waited for, until that is said; how far the user's command was tried."""
        self.reason = "", ""
        """Why it ended without an edit, and how that looks."""
        self.figures = _Figures()
        self.decisions = Decisions()
        self._closed: set[Content] = set()
        self._checks: dict[tuple[Content, frozenset[int]], str] = {}
        """What is wrong with hunks, by their content and the rows of it that are out."""
        self._by_hand: set[Content] = set()
        """What the user wrote, of which no model can be unsure."""
        self.verdict: str | None = ""
        """What is wrong with all that is open and in, after the user changed it; None: that is to be seen."""
        self._sound: set[tuple[Content, frozenset[int]]] = set()
        """The hunks, as in `_checks`, with which nothing was wrong when all was checked together."""
        self.odd: Mapping[str, Odd] = {}
        self._looked_at: set[Content] = set()
        self.out: Mapping[str, Collection[int]] = {}
        self.edits: Edits = ()
        self.words = ""
        """What a chat model says instead of an edit."""
        self.thought, self.thinks = "", False
        """What the model thought before its answer; whether it does so still."""
        self._rate = Rate()
        self.token_ids: list[int] = []
        """The tokens that were written."""
        self._prompt_tokens = 0

    def take(self, event: events.Event) -> None:
        """Fold one event in."""
        match event:
            case events.TurnStarted(_, instruction, region, map_tokens):
                self.instruction, self.path = instruction, str(region.path)
                self.place = place(self.path, region.start_line, region.end_line, region.symbol)
                self.map_tokens = map_tokens
                self.region = (region.start_line - 1, region.end_line)
            case events.Prefill(prompt_tokens, _, done_tokens, _):
                self._prompt_tokens, self.figures.used = prompt_tokens, done_tokens
            case events.Held():
                self.held = event.line or self.held
            case events.Trying():
                self.trying = event.words
            case events.Thinking() | events.Token():
                self._take_written(event)
            case events.HunkUpdated(hunks):
                self._live = live_line(self._seen, hunks) or self._live
                self._seen = hunks
                self._streamed = self._streamed or bool(hunks)
            case events.HunkClosed(hunk):
                self._closed.add(_content(hunk))
                self._live = None
            case events.Checked(hunk_id, checks):
                wrong = [check.fault for check in checks if not check.ok]
                self._checks |= {_key(hunk): "; ".join(wrong) for hunk in self._seen if hunk.id == hunk_id}
            case events.TurnEnded(status, message, timing):
                self.figures.rate = timing.tokens_per_second or self.figures.rate
                self.ended(status, message)

    def ended(self, status: events.Status, message: str) -> None:
        """The turn ended so."""
        self.told(status, message)
        self.finish()

    def told(self, status: events.Status, message: str) -> None:
        """What is said of the edit that is proposed now."""
        self.message, self.abstained = message, status is events.Status.ABSTAINED
        self.unsure = status is events.Status.UNSURE

    def finish(self) -> None:
        """Nothing more will be written: what is there is complete, and open to review."""
        self._live, self.thinks = None, False
        self._closed |= {_content(hunk) for hunk in self.hunks}
        self.phase = Phase.REVIEW if self.hunks else Phase.READY

    def interrupted(self) -> None:
        """The stream stood still, which is not how fast it is."""
        self._rate.pause()

    def sync(
        self, base: Sequence[str], hunks: Sequence[HunkLike], odd: Mapping[str, "Odd"] | None = None,
        out: Mapping[str, Collection[int]] | None = None, edits: Edits = (), *, as_written: bool = True,
    ) -> None:  # fmt: skip
        """Take base and open hunks, or their parts, as the review has them now.

        Args: odd: what is odd about them, by id. out: their rows that the user took out, by id. edits: what was
            edited in the file besides. as_written: whether the proposal is still the turn's own, and whole.
        """
        if as_written:
            self.verdict = ""
        elif self._as_written or (self.hunks, self.out) != (tuple(hunks), out or {}):
            self.verdict = None
        self._as_written = as_written
        if base is not self.base:
            self.files = Files(base)
        self.base, self.hunks, self.odd, self.out, self.edits = base, tuple(hunks), odd or {}, out or {}, edits
        self._sizes = None
        if self.phase not in IN_TURN:
            self.finish()

    def close(self, hunks: Iterable[HunkLike], problem: str | None = None, *, by_hand: bool = False) -> None:
        """These are complete, whatever the stream says. Args: problem: "": none. by_hand: they are the user's text."""
        for hunk in hunks:
            self._closed.add(_content(hunk))
            if problem is not None:
                self._checks[_key(hunk)] = problem
            if by_hand:
                self._by_hand.add(_content(hunk))

    def go_on_from(self, other: "TurnView", hunks: Sequence[HunkLike] = ()) -> None:
        """What was decided in the other turn was decided in this one, and what is known of its hunks holds.

        Args: hunks: those that are there before anything is written.
        """
        self._seen = hunks
        self.decisions = other.decisions
        self._checks |= other._checks
        self._by_hand |= other._by_hand
        self._looked_at |= other._looked_at

    @property
    def place_shown(self) -> Lines | None:
        """The base lines of the place: of several files its own comes first, below its heading."""
        return (self.region[0] + 1, self.region[1] + 1) if self.region and self.files else self.region

    @property
    def live(self) -> tuple[int, int] | None:
        """The (hunk, new line) being written, once `hunks` have it: an event tells of it before the next `sync`."""
        hunk, line = self._live or (len(self.hunks), 0)
        return self._live if hunk < len(self.hunks) and line < len(self.hunks[hunk].new_lines) else None

    def _take_written(self, piece: events.Thinking | events.Token) -> None:
        if isinstance(piece, events.Thinking):
            self._take_thought(piece)
        else:
            self._take_token(piece)

    def _take_thought(self, thought: events.Thinking) -> None:
        self.thinks = True
        if self.phase in STREAMING:
            self.phase = Phase.THINKING
        self.thought = (self.thought + thought.text)[-_MOST_THOUGHT:]
        self.figures.thought = thought.tokens
        self.figures.used = self._prompt_tokens + self.figures.tokens + thought.tokens

    def _take_token(self, token: events.Token) -> None:
        self.thinks = False
        if self.phase in STREAMING:
            self.phase = Phase.WRITING
        self.trying = ""
        if token.index == 0:
            self.figures.ttft_ms = token.t_ms
        self.figures.tokens = token.index + 1
        self.token_ids.append(token.token_id)
        self.figures.used = self._prompt_tokens + self.figures.tokens + self.figures.thought
        self._rate.add(token.t_ms / 1000)
        self.figures.rate = self._rate.value

    def state(self, hunk: HunkLike) -> State:
        """How an open hunk stands; that it passes its checks says little where the model is not sure of it."""
        state = self._checked_state(hunk)
        doubted = self.unsure and state in {State.OK, State.TOGETHER} and _content(hunk) not in self._by_hand
        return State.UNSURE if doubted else state

    def _checked_state(self, hunk: HunkLike) -> State:
        content = _content(hunk)
        if not self._closed or content not in self._closed:  # hashing takes a while where lines are long
            return State.WRITING
        if self.wrong(hunk):
            return State.FAILED
        if hunk.id in self.odd:
            return State.ODD
        if any(edit.start <= hunk.start + len(hunk.old) and hunk.start <= edit.stop for edit in self.edits):
            return State.CHANGED
        if self._key(hunk) in self._checks and not self.verdict:
            return State.OK
        return self._state_as_left(hunk)

    def _state_as_left(self, hunk: HunkLike) -> State:
        """How a hunk stands that nobody checked by itself: as all that the user left, where it is in that."""
        if self._as_written or self.is_out(hunk) or self.phase is not Phase.REVIEW:
            return State.TOGETHER if self._key(hunk) in self._sound and not self.is_out(hunk) else State.UNCHECKED
        if self.verdict is None:
            return State.CHECKING
        return State.SPOILED if self.verdict else State.TOGETHER if len(self.hunks) > 1 else State.OK

    def judged(self, wrong: str) -> None:
        """All that is open and in was checked. Args: wrong: what is wrong with it, or ""."""
        self.verdict = wrong
        if not wrong:
            self._sound |= set(map(self._key, self.hunks))

    def look_at(self, hunk: HunkLike) -> str:
        """The user looks at a hunk. Returns: what is odd about it, or ""."""
        self._looked_at.add(_content(hunk))
        return self.odd[hunk.id].words if hunk.id in self.odd else ""

    def is_unseen(self, hunk: HunkLike) -> bool:
        """Whether something is odd about a hunk and the user has not looked at it."""
        return hunk.id in self.odd and _content(hunk) not in self._looked_at

    def wrong(self, hunk: HunkLike) -> str:
        """Which check an open hunk does not pass, and why, or ""; of what the user left, what is wrong with all."""
        known = self._checks.get(self._key(hunk), "") if self._checks else ""
        alone = len(self.hunks) == 1 and not self._as_written and self.phase is Phase.REVIEW
        is_left = (alone or hunk.id in self.out) and not self.is_out(hunk)
        return known or (is_left and self.verdict) or ""

    def _key(self, hunk: HunkLike) -> tuple[Content, frozenset[int]]:
        return _key(hunk, self.out.get(hunk.id, ()))

    def _note(self, hunk: HunkLike) -> str:
        """What is wrong with a hunk, or odd about it, or how much of it is out."""
        if wrong := self.wrong(hunk):
            return wrong
        if out := len(self.out.get(hunk.id, ())):
            return f"{out} line{'s' * (out != 1)} out"
        return self.odd[hunk.id].words if hunk.id in self.odd else ""

    def items(self) -> Items:
        """Every hunk of the turn, decided ones too, from top to bottom."""
        return Items(self.hunks, self._item, self.decisions.placed(), self.edits, self.files)

    def _item(self, number: int) -> Item:
        hunk = self.hunks[number]
        added, removed = self._counts(hunk)
        path, line = self.files.spot(hunk)
        line += further(self.edits, hunk.start) - hunk.start + 1
        return Item(self.state(hunk), line, added, removed, self._note(hunk), number, path)

    def done(self) -> list[Lines]:
        """The base lines that accepted hunks brought, and are there still."""
        return [_brought(each) for each in self.decisions.placed() if each.accepted and not each.gone]

    def gone(self) -> list[Lines]:
        """Those that accepted hunks brought, and somebody took out of the file."""
        return [_brought(each) for each in self.decisions.placed() if each.gone]

    def missing(self) -> list[Lines]:
        """Those of them that `base` has nothing else in the place of."""
        gone = [(_brought(each), each.hunk.new_lines) for each in self.decisions.placed() if each.gone]
        return [(start, stop) for (start, stop), lines in gone if tuple(self.base[start:stop]) == lines]

    def summary(self, hunk: HunkLike) -> str:
        """An open hunk in a few words: how many lines, and how it stands."""
        added, removed = self._counts(hunk)
        return f"+{added} −{removed} {self.state(hunk).value}"

    def is_out(self, hunk: HunkLike) -> bool:
        """Whether every line of a hunk is out."""
        return not any(self._counts(hunk))

    def _counts(self, hunk: HunkLike) -> tuple[int, int]:
        """Lines that a hunk adds and removes, without those that are out."""
        out = self.out.get(hunk.id, ())
        old = sum(row < len(hunk.old) for row in out)
        added, removed = len(hunk.new) - len(out) + old, len(hunk.old) - old
        if not whole_file(hunk.old, hunk.new):
            return added, removed
        return added - len(hunk.new) + len(lines_of(hunk.new)), removed - len(hunk.old) + len(lines_of(hunk.old))

    @property
    def outcome(self) -> str:
        """What is said of the edit, checks and all; once the user made another one of it, of what is open of that."""
        if self.abstained:
            return ""
        if self._as_written or not (self.message and self.hunks):
            return self.message if self._as_written else ""
        if self.verdict:
            return f"changed by you: {self.verdict}"
        several = len(self.hunks) > 1
        checked = ", being checked" if self.verdict is None else f", checked{' together' if several else ''}"
        return f"changed by you: {len(self.hunks)} hunk{'s' if several else ''}{checked}"

    @property
    def withdrawn(self) -> str:
        """Why what was being written is not proposed after all, or "" where nothing was, or something is."""
        gone = self.abstained and self._streamed and self.phase is Phase.READY
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
        if self._sizes is None:
            plain = bool(self.base) and not (self.out or self.files)
            whole = self.hunks if plain else ()
            cut = [] if plain else [self._counts(hunk) for hunk in self.hunks]
            added, removed = (sum(map(len, map(lines, whole))) for lines in (_NEW, _OLD))  # there may be thousands
            self._sizes = added + sum(more for more, _ in cut), removed + sum(less for _, less in cut)
        return self._sizes


def preview_of(region: "Region", lines: Sequence[str]) -> TurnView:
    """What the screen shows of a place before there is a turn. Args: lines: those of its file."""
    view = TurnView(base=lines)
    view.path = region.path
    view.place = place(region.path, region.start_line, region.end_line, region.symbol)
    view.region = (region.start_line - 1, region.end_line)
    return view


def place(path: str, start_line: int, end_line: int, symbol: str | None) -> str:
    """A region in words: `path:lines  symbol`; only the path of an empty file."""
    lines = f":{start_line}-{end_line}" if end_line >= start_line else ""
    return f"{path}{lines}" + (f"  {symbol}" if symbol else "")


def _brought(decided: Decided) -> Lines:
    return decided.start, decided.start + len(decided.hunk.new)


def _content(hunk: HunkLike) -> Content:
    return hunk.old_lines, hunk.new_lines


def _key(hunk: HunkLike, out: Iterable[int] = ()) -> tuple[Content, frozenset[int]]:
    return _content(hunk), frozenset(out)

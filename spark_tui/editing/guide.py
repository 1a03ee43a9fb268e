"""Which tokens may come next for one request: the format's grammar, and for listed kinds only the edits there are.

Where the codemod of the kind chosen lists its edits, no other script can be written; where it lists none, the script
ends empty. What remains is the grammar's: scripts that apply, in words that are there to be copied.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

import numpy as np
import numpy.typing as npt

from spark_tui.editing.brackets import asks_for_syntax, mended
from spark_tui.editing.choices import Choices
from spark_tui.editing.codemods.base import Ops, Request, between, listed
from spark_tui.editing.codemods.registry import codemods, plain_kind
from spark_tui.editing.format import (
    END,
    NO_EDIT,
    Frame,
    Vocabulary,
    encode_pieces,
    kind_mark,
    render_lines,
    render_script,
)
from spark_tui.editing.grammar import Grammar, IntArray
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.ranking import Ranking
from spark_tui.editing.snippet import Around, Snippet
from spark_tui.editing.standing import LEAST_WORDS, Standings
from spark_tui.editing.text import readable
from spark_tui.editing.tokens import token_classes

_MOST_KINDS, _WIDEST_GAP = 24, 6.0
"""Of how many kinds, the likeliest by their words, the edits are looked at before one is chosen, and how much less
likely than the first they may be."""
_SYNTAX = "fix_call"
"""The kind as which a syntax error is mended, as the model knows none for that."""
_FAR, _EMPTY = -12.0, -20.0
"""What speaks for a kind that was not looked at, and for one that has no edit."""
FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Leaning:
    """What leans the choice: the log-probability of every kind by the words, and what counts how much.

    `only`: the kind that the words tell for certain, with its one edit; "" where none is certain.
    """

    words: Mapping[str, float]
    ranking: Ranking
    only: str = ""


class Guide:
    """The tokens allowed next in a script for one region and request.

    Args: vocabulary: the model's. vocab_size: V, how many ids the model scores. frame, lines: the region's.
        free_words: what a line may say that neither region nor instruction say; without any, everything.
        leaning: without it, the model alone chooses. begun: the ids that the script begins with, by the user's own
            hand: where no listed edit begins so, the grammar alone holds. around: what is known of its file.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        vocab_size: int,
        frame: Frame,
        lines: Sequence[str],
        request: Request,
        *,
        free_words: Iterable[str] = (),
        leaning: Leaning | None = None,
        begun: Sequence[int] = (),
        around: Around | None = None,
    ) -> None:
        self._begun = begun
        self.frame, self._lines = frame, lines
        self._vocabulary, self._request, self.leaning = vocabulary, request, leaning
        self._tokens = token_classes(vocabulary, vocab_size)
        self._grammar = Grammar(vocabulary, vocab_size, frame, lines, request.instruction, free_words=free_words)
        self._snippet = _parsed(Snippet(tuple(map(readable, lines)), around or Around()))
        self._standings = Standings(lines, request)
        self._mended = () if self._snippet or begun else _closing(lines, request)
        plain = plain_kind(self._snippet, request) if self._snippet and not begun else _SYNTAX if self._mended else ""
        self.plain = plain if kind_mark(plain) in self._tokens.marks else ""
        """The kind that the model knows and that is asked for so plainly that there is nothing to choose, or ""."""
        self._edits: dict[str, tuple[Ops, ...] | None] = {}
        self._choices: dict[str, Choices] = {}
        self._worths: dict[str, FloatArray] = {}

    @property
    def sharpness(self) -> float:
        """What the model's logits count by where the mask adds to them: beside others it is less sure than alone."""
        return self.leaning.ranking.model if self.leaning else 1.0

    def allowed(self, parser: ScriptParser, written: Sequence[int]) -> IntArray | FloatArray:
        """The tokens that may follow. Args: written: the ids of the script so far, its kind first.

        Returns: their ids, ascending, read-only, or (V,) what to add to the logits; where nothing is allowed, the end
        is.
        """
        kind = parser.kind
        if kind is None and self.plain:
            return np.array([self._tokens.marks[kind_mark(self.plain)]], np.int32)
        if kind is None and self.leaning is not None:
            return self._leant(self._grammar.allowed(parser), self.leaning)
        if kind is None or self.edits(kind) is None:
            return self._grammar.allowed(parser)
        ids = np.array(self._choice(kind).after(written) or [self._tokens.marks[END]], np.int32)
        return ids if len(ids) == 1 else self._biased(ids, np.array(self._choice(kind).worths(written), np.float32))

    def ahead(self) -> Iterator[None]:
        """Do now what the choice of a kind will ask for, in parts: an item behind each."""
        standings = dict[str, float]()
        for kind in _near(self.leaning) if self.leaning and not self.plain else ():
            standings[kind] = self._standing(kind)
            yield
        likely = self.plain or max(standings, key=standings.__getitem__, default="")
        if self.edits(likely):
            self._choice(likely)

    def likely(self, kind: str, written: Sequence[int]) -> Sequence[int]:
        """The rest of the first listed edit that goes on from what is written; empty where none are listed."""
        return () if self.edits(kind) is None else self._choice(kind).likely(written)

    def spelled(self, first: int, last: int) -> Sequence[int]:
        """The region's lines from the first to the last, 0-based, as a script would write them."""
        return encode_pieces(render_lines(self._lines[first : last + 1], self.frame.layout), self._vocabulary)

    def edits(self, kind: str) -> tuple[Ops, ...] | None:
        """The edits of a kind that the request may mean, or None when they cannot be listed."""
        if kind not in self._edits:
            self._edits[kind] = self._listed(kind)
        return self._edits[kind]

    def _listed(self, kind: str) -> tuple[Ops, ...] | None:
        if self._mended and kind == _SYNTAX:
            return self._mended
        found = codemods().get(kind)
        edits = listed(found, self._snippet, self._request) if found and self._snippet else None
        if edits is None or not self._begun or Choices(self._scripts(kind, edits)).after(self._begun):
            return edits
        return None

    def _choice(self, kind: str) -> Choices:
        if kind not in self._choices:
            self._choices[kind] = Choices(self._scripts(kind, self.edits(kind) or ()), self._worths_of(kind))
        return self._choices[kind]

    def _scripts(self, kind: str, edits: Iterable[Ops]) -> Iterator[list[int]]:
        return (encode_pieces(render_script(kind, ops, self.frame), self._vocabulary) for ops in edits)

    def _worths_of(self, kind: str) -> FloatArray:
        """What speaks for each edit of a kind, as logits of the model would; for one that lists none, for it alone."""
        if kind not in self._worths:
            self._worths[kind] = self._weighed(kind, self.leaning) if self.leaning else np.zeros(0, np.float32)
        return self._worths[kind]

    def _weighed(self, kind: str, leaning: Leaning) -> FloatArray:
        said, edits = leaning.words.get(kind, LEAST_WORDS), self.edits(kind)
        if kind == NO_EDIT:
            known = self._standings.nothing(kind, said)
        elif edits is None:
            known = self._standings.unlisted(kind, said)
        else:
            known = self._standings.listed(kind, said, edits)
        return leaning.ranking.worths(kind, known) / np.float32(leaning.ranking.model)

    def _leant(self, ids: IntArray, leaning: Leaning) -> FloatArray:
        """What speaks for each kind: its words, and its edits if the words may well mean it."""
        near = _near(leaning)
        bias = self._biased(ids, np.full(len(ids), _FAR / self.sharpness, np.float32))
        for kind, said in leaning.words.items():
            standing = self._standing(kind) if kind in near else max(said, LEAST_WORDS) + _FAR
            bias[self._tokens.marks[kind_mark(kind)]] = standing / self.sharpness
        return bias

    def _standing(self, kind: str) -> float:
        """What speaks for a kind: all of its edits together."""
        worths = self._worths_of(kind) * np.float32(self.sharpness)
        return float(np.logaddexp.reduce(worths)) if len(worths) else _EMPTY

    def _biased(self, ids: IntArray, worths: FloatArray) -> FloatArray:
        bias = np.full(self._tokens.size, -np.inf, np.float32)
        bias[ids] = worths
        return bias


def _near(leaning: Leaning) -> set[str]:
    """The kinds that the words may well mean, and making no edit."""
    if leaning.only:
        return {leaning.only}
    least = max(leaning.words.values()) - _WIDEST_GAP
    likely = nlargest(_MOST_KINDS, leaning.words, key=leaning.words.__getitem__)
    return {*(kind for kind in likely if leaning.words[kind] > least), NO_EDIT}


def _closing(lines: Sequence[str], request: Request) -> tuple[Ops, ...]:
    """What closes the brackets of lines that do not parse, where that is asked for."""
    after = mended(lines) if asks_for_syntax(request.instruction) else []
    return (between(Snippet(tuple(lines)), after),) if after else ()


def _parsed(snippet: Snippet) -> Snippet | None:
    try:
        return snippet if snippet.tree.body else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

"""Which tokens may come next for one request: the format's grammar, and for listed kinds only the edits there are.

Where the codemod of the kind chosen lists its edits, no other script can be written; where it lists none, the script
ends empty. What remains is the grammar's: scripts that apply, in words that are there to be copied.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from spark_tui.editing.choices import Choices
from spark_tui.editing.codemods.base import Ops, Request, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.evidence import Evidence
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
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.tokens import token_classes

_WEIGHT = 2.0
"""Of the evidence beside the model's log-probabilities; as the worths below, chosen on hand-written cases."""
_MOST_KINDS = 8
"""For how many kinds, the likeliest by their words, the edits are looked at before one is chosen."""
_BY_TEXT = frozenset(["rename", "replace_text", "change_literal", "add_element"])
_REPEATING = frozenset(["add_comment", "add_docstring", "insert_line"])
"""Kinds that may write down whatever is said, which says nothing for them."""
_OPEN_WORTH, _NO_WORTH, _NO_EDIT_WORTH = -0.5, -2.0, -1.0
FloatArray = npt.NDArray[np.float32]


class Guide:
    """The tokens allowed next in a script for one region and request.

    Args: vocabulary: the model's. vocab_size: V, how many ids the model scores. frame, lines: the region's.
        free_words: what a line may say that neither region nor instruction say; without any, everything.
        leaning: (V,) what to add to the logits where the kind is chosen. begun: the ids that the script begins with, by
            the user's own hand: where no listed edit begins so, the grammar alone holds.
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
        leaning: FloatArray | None = None,
        begun: Sequence[int] = (),
    ) -> None:
        self._begun = begun
        self.frame, self._lines = frame, lines
        self._vocabulary, self._request, self._leaning = vocabulary, request, leaning
        self._tokens = token_classes(vocabulary, vocab_size)
        self._grammar = Grammar(vocabulary, vocab_size, frame, lines, request.instruction, free_words=free_words)
        self._snippet = _parsed(lines)
        self._evidence = Evidence(lines, request.instruction)
        self._edits: dict[str, tuple[Ops, ...] | None] = {}
        self._choices: dict[str, Choices] = {}

    def allowed(self, parser: ScriptParser, written: Sequence[int]) -> IntArray | FloatArray:
        """The tokens that may follow. Args: written: the ids of the script so far, its kind first.

        Returns: their ids, ascending, read-only, or (V,) what to add to the logits; where nothing is allowed, the end
        is.
        """
        kind = parser.kind
        if kind is None and self._leaning is not None:
            return self._leant(self._grammar.allowed(parser), self._leaning)
        if kind is None or self.edits(kind) is None:
            return self._grammar.allowed(parser)
        ids = np.array(self._choice(kind).after(written) or [self._tokens.marks[END]], np.int32)
        return ids if len(ids) == 1 else self._biased(ids, np.array(self._choice(kind).worths(written), np.float32))

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
        found = codemods().get(kind)
        edits = listed(found, self._snippet, self._request) if found and self._snippet else None
        if edits is None or not self._begun or self._choices_of(kind, edits).after(self._begun):
            return edits
        return None

    def _choice(self, kind: str) -> Choices:
        if kind not in self._choices:
            self._choices[kind] = self._choices_of(kind, self.edits(kind) or ())
        return self._choices[kind]

    def _choices_of(self, kind: str, edits: Iterable[Ops]) -> Choices:
        edits = tuple(edits)
        scripts = (render_script(kind, ops, self.frame) for ops in edits)
        return Choices((encode_pieces(script, self._vocabulary) for script in scripts), self._worths(edits))

    def _worths(self, edits: Sequence[Ops]) -> list[float]:
        return [_WEIGHT * self._evidence.of(ops, rank) for rank, ops in enumerate(edits)]

    def _leant(self, ids: IntArray, leaning: FloatArray) -> FloatArray:
        """The leaning of the words, and what speaks for the best edit of each kind that they may well mean."""
        bias = self._biased(ids, leaning[ids])
        likely = {int(ids[at]) for at in np.argsort(-leaning[ids], kind="stable")[:_MOST_KINDS]}
        nothing = _WEIGHT * self._evidence.of(())
        for kind in codemods():
            mark = self._tokens.marks.get(kind_mark(kind))
            if mark is not None:
                near = mark in likely or kind in _BY_TEXT
                bias[mark] += self._worth(kind, nothing) if near else nothing
        bias[self._tokens.marks[kind_mark(NO_EDIT)]] += nothing / 2 + _NO_EDIT_WORTH
        return bias

    def _worth(self, kind: str, nothing: float) -> float:
        """What speaks for the best edit of a kind. Args: nothing: what speaks for doing nothing."""
        edits = self.edits(kind)
        if edits is None:
            return nothing / 2 + _OPEN_WORTH
        best = max(self._worths(edits), default=nothing + _NO_WORTH)
        return min(best, nothing / 2) if kind in _REPEATING else best

    def _biased(self, ids: IntArray, worths: FloatArray) -> FloatArray:
        bias = np.full(self._tokens.size, -np.inf, np.float32)
        bias[ids] = worths
        return bias


def _parsed(lines: Sequence[str]) -> Snippet | None:
    snippet = Snippet(tuple(lines))
    try:
        return snippet if snippet.tree.body else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

"""A choice among scripts that are known beforehand, made token by token."""

import math
from collections.abc import Iterable, Sequence
from itertools import chain, repeat


class _Node(dict[int, "_Node"]):
    """What may follow a token, by its id. `worth`: the most of any script that goes through here."""

    worth = -math.inf


class Choices:
    """Token sequences as a tree.

    Args: scripts: each ends in a token that none has before its end. worths: what speaks for each; 0 where none are
        given.
    """

    def __init__(self, scripts: Iterable[Sequence[int]], worths: Iterable[float] = ()) -> None:
        self._root = _Node()
        for script, worth in zip(scripts, chain(worths, repeat(0.0)), strict=False):
            node = self._root
            for token_id in script:
                node = node.setdefault(token_id, _Node())
                node.worth = max(node.worth, worth)

    def after(self, written: Iterable[int]) -> list[int]:
        """The tokens that may follow, ascending; empty when nothing begins with what is written."""
        return sorted(self._at(written))

    def worths(self, written: Iterable[int]) -> list[float]:
        """What speaks for each of the tokens of `after`: the most that speaks for any script with it."""
        node = self._at(written)
        return [node[token_id].worth for token_id in sorted(node)]

    def likely(self, written: Iterable[int]) -> list[int]:
        """A script that begins with what is written, from there on: the first given, by the first token of each."""
        node, path = self._at(written), []
        while node:
            token_id, node = next(iter(node.items()))
            path.append(token_id)
        return path

    def _at(self, written: Iterable[int]) -> _Node:
        node = self._root
        for token_id in written:
            node = node.get(token_id, _Node())
        return node

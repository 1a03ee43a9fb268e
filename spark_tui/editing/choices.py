"""A choice among scripts that are known beforehand, made token by token."""

from collections.abc import Iterable, Sequence


class _Node(dict[int, "_Node"]):
    """What may follow a token, by its id."""


class Choices:
    """Token sequences as a tree. Args: scripts: each ends in a token that none has before its end."""

    def __init__(self, scripts: Iterable[Sequence[int]]) -> None:
        self._root = _Node()
        for script in scripts:
            node = self._root
            for token_id in script:
                node = node.setdefault(token_id, _Node())

    def after(self, written: Iterable[int]) -> list[int]:
        """The tokens that may follow, ascending; empty when nothing begins with what is written."""
        return sorted(self._at(written))

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

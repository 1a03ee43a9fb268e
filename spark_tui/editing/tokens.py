"""A vocabulary's tokens sorted by what they can be in a script: marks, the text of a line, parts of a name."""

import re
from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from spark_tui.editing.format import Mark, Vocabulary, kind_of

_WORD, _LEAD, _REST = re.compile(r"\w+"), re.compile(r"\w*"), re.compile(r"\w*\Z")


class TokenClasses:
    """The ids of a vocabulary by class. Control characters other than a tab belong to none.

    Args: vocabulary: a model's. size: V, how many ids the model scores.
    """

    def __init__(self, vocabulary: Vocabulary, size: int) -> None:
        self.size = size
        self.marks: dict[Mark, int] = {}
        self.line_text: list[int] = []
        self._words: dict[str, list[int]] = {}
        for token_id in range(size):
            piece = vocabulary.piece(token_id)
            if isinstance(piece, str):
                self.marks[Mark(piece)] = token_id
            elif piece and all(byte >= 32 or byte == 9 for byte in piece):
                self.line_text.append(token_id)
                self._words.setdefault(piece.decode("utf-8", "replace"), []).append(token_id)
        self.digits = self._ids_of(str.isdigit)
        self.breaking = [
            (token_id, _LEAD.match(word)[0], _REST.search(word)[0])  # type: ignore[index]
            for word, ids in self._words.items()
            if not _WORD.fullmatch(word)
            for token_id in ids
        ]
        """Tokens that are no part of one word: id, the end of a word at their start, the start of one at their end."""
        self.kinds = [token_id for mark, token_id in self.marks.items() if kind_of(mark) is not None]
        self.name_starts = self._ids_of(str.isidentifier)
        self.name_parts = self._ids_of(lambda word: ("a" + word).isidentifier())
        self.attribute_starts = self._ids_of(lambda word: word[0] == "." and ("a" + word[1:]).isidentifier())

    def ids(self, marks: Iterable[Mark]) -> list[int]:
        """The ids of the marks that the vocabulary has."""
        return [self.marks[mark] for mark in marks if mark in self.marks]

    def can_spell(self, name: str) -> bool:
        """Whether a name can be written from any of its characters on."""
        return all(character in self._words for character in name)

    def towards(self, written: str, names: Iterable[str]) -> list[int]:
        """The tokens that lead from what is written to one of the names."""
        rests = {name[len(written) :] for name in names if name.startswith(written)}
        words = {rest[:length] for rest in rests for length in range(1, len(rest) + 1)}
        return [token_id for word in words for token_id in self._words.get(word, ())]

    def _ids_of(self, fits: Callable[[str], bool]) -> list[int]:
        return [token_id for word, ids in self._words.items() if fits(word) for token_id in ids]


_KNOWN: WeakKeyDictionary[Vocabulary, dict[int, TokenClasses]] = WeakKeyDictionary()


def token_classes(vocabulary: Vocabulary, size: int) -> TokenClasses:
    """The classes of a vocabulary, worked out once."""
    known = _KNOWN.setdefault(vocabulary, {})
    if size not in known:
        known[size] = TokenClasses(vocabulary, size)
    return known[size]

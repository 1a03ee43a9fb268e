"""Which lines an instruction points at by what stands there: "the second loop", "in the except", "that message"."""

import re
from collections.abc import Collection, Iterator, Sequence

_SORTS = {
    # a sort of line: how it begins, and the words for it
    "return": (r"return\b|yield\b", r"returns?|yields?|result"),
    "loop": (r"(?:async )?(?:for|while)\b", r"loops?|for|while|iterat\w+"),
    "if": (r"(?:el)?if\b", r"ifs?|condition\w*|check\w*|test|guard|branch\w*|comparison"),
    "else": (r"else\b|elif\b", r"else|elif"),
    "except": (r"except\b", r"excepts?|catch\w*|handler|swallow\w*"),
    "try": (r"try\b|finally\b", r"try|finally"),
    "raise": (r"raise\b", r"raise\w*|throw\w*|error|exception|message"),
    "import": (r"import\b|from\b", r"import\w*"),
    "comment": (r"#|.*  #", r"comment\w*|todo|note"),
    "docstring": (r"[rR]?(?:\"\"\"|''')", r"docstring\w*|docs?|document\w*"),
    "decorator": (r"@", r"decorator\w*|property|static\w*|classmethod"),
    "print": (r"print\(", r"print\w*|debug\w*"),
    "assert": (r"assert\b", r"assert\w*"),
    "def": (r"(?:async )?def\b", r"param\w*|arg\w*|signature|defaults?|function|method|kwarg\w*"),
    "with": (r"(?:async )?with\b", r"with|context manager"),
    "log": (r".*\blog(?:ger|ging)?\.", r"log\w*"),
    "string": (r".*[\"']", r"message|text|string|wording|says?|typo"),
    "assignment": (r"[\w.,\[\]\"' ]+ ?[-+*/|&]?= ", r"assign\w*|variable|local|set"),
    "call": (r".*\w\(", r"calls?|calling|pass\w*"),
}
_LINES = {sort: re.compile(begins) for sort, (begins, _) in _SORTS.items()}
_WORDS = {sort: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for sort, (_, words) in _SORTS.items()}
_NUMBERS = {
    "first": 0, "1st": 0, "top": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "last": -1, "final": -1, "bottom": -1,
}  # fmt: skip
_NUMBERED = re.compile(rf"\b({'|'.join(_NUMBERS)})\s+(\w+)(?:\s+(\w+))?", re.IGNORECASE)


class Pointing:
    """What one instruction points at in one region. Args: lines: the region's."""

    def __init__(self, lines: Sequence[str], instruction: str) -> None:
        self._lines = [line.strip() for line in lines]
        found = {sort: self._of(sort) for sort, words in _WORDS.items() if words.search(instruction)}
        self._named = [places for places in found.values() if places]
        self._numbered = list(self._ordinals(instruction))

    def hits(self, lines: Collection[int]) -> tuple[int, int]:
        """How many of the sorts of line that are named some lines (0-based) are of, and how many they are not of."""
        hit = sum(1 for places in self._named if not places.isdisjoint(lines))
        return hit, len(self._named) - hit

    def numbered(self, lines: Collection[int]) -> int:
        """How many of the lines told by their number among their sort are among these."""
        return sum(1 for place in self._numbered if place in lines)

    def _of(self, sort: str) -> frozenset[int]:
        return frozenset(at for at, line in enumerate(self._lines) if _LINES[sort].match(line))

    def _ordinals(self, instruction: str) -> Iterator[int]:
        for number, *nouns in _NUMBERED.findall(instruction):
            sort = next((sort for noun in nouns for sort, words in _WORDS.items() if words.fullmatch(noun)), None)
            places = sorted(self._of(sort)) if sort else []
            at = _NUMBERS[number.lower()]
            if places and at < len(places):
                yield places[at]

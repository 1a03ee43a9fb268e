"""A piece of code without a word of what is to be done with it: a name, a value, a statement or a few of them."""

import builtins
import keyword
import re
from collections.abc import Collection

_QUOTED = r"`\w+`|[A-Za-z]{0,2}\"(?!\")\w+\"(?!\")|[A-Za-z]{0,2}'(?!')\w+'(?!')|[fFrRbB]{1,2}(?:\"\"|'')"
_PIECES = re.compile(rf"(?:{_QUOTED})(?:[\s,;]+(?:and\s+)?(?:{_QUOTED}))*")
"""Words in quotes; more than a word may well be how the code is to be written."""
_VALUE = re.compile(r"%[-+ 0#]*[\d.]*[a-zA-Z]|\$\w+|\{\w*\}|-\d[\d._]*")
_NAME = re.compile(r"[^\W\d]\w*")
_SET = re.compile(r"(?P<name>[^\W\d]\w*) [-+*/]?= (?:-?\d[\d._]*|True|False|None|\"[^\"]*\"|'[^']*'|\[\]|\{\}|\(\))")
_KEYWORDS = frozenset(keyword.kwlist) - {"True", "False", "None"}
_KINDS = frozenset(
    """alphabetical annotations backwards classmethod comment comments comprehension condition dataclass docstring
    docstrings fix fstring fstrings hints imports inline inverted listcomp logging order pathlib property redundant
    rename simplify sort staticmethod swapped ternary todo types typo unused walrus wrong""".split()  # noqa: SIM905
)
"""Words that alone tell which edit is meant."""
_ENDS = " \t\n.!,;?"


def lone(words: str, names: Collection[str], *, pointed: bool) -> str:
    """That a request is nothing but a piece of code, in a sentence, or "".

    Args: names: those of the lines it is about. pointed: whether the user chose these lines, so that a keyword or a
        value says what is missing there.
    """
    said = words.strip(_ENDS)
    bare = not pointed and (said in _KEYWORDS or _VALUE.fullmatch(said) is not None)
    named = _NAME.fullmatch(said) is not None and said in names and not _tells_a_kind(said)
    given = _SET.fullmatch(said)
    if bare or named or _PIECES.fullmatch(said) or (given and given["name"] not in names):
        return f"what is to be done with {said}? Say it in words, as in “rename total to amount”"
    return ""


def _tells_a_kind(word: str) -> bool:
    """Whether a word alone tells which edit is meant, though it may stand in the lines, too: "enumerate"."""
    return word in _KEYWORDS or hasattr(builtins, word) or word == "self" or word.lower() in _KINDS

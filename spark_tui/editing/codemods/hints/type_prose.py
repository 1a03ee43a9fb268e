"""Which capitalised words of an instruction are prose, or of a type checker's message, and no types."""

import re
from collections.abc import Container

_MESSAGES = re.compile(
    r"""
    \bfunction\ is\ missing\ a\ (?:return\ )?type\ annotation(?:\ for\ one\ or\ more\ \w+)?
  | \buse\ "->\ None"\ if\ function\ does\ not\ return\ a\ value
  | \bcall\ to\ untyped\ function\ ["'`]?[\w.]+["'`]?\ in\ typed\ context
  | \bmissing\ (?:return\ )?type\ annotation\ for\ (?:public|private|special|static|class)\ ?(?:function|method)
  | \bmissing\ (?:return\ )?type\ annotation\ for\ (?:function\ argument|classmethod|staticmethod)
  | \btype\ annotation\ (?:is\ )?missing\ for\ parameter
  | \b(?:declared\ )?return\ type\ is\ (?:partially\ )?unknown
  | \b(?:parameter|return)\ type\ is\ "[^"]*\bUnknown\b[^"]*"
  | \b(?:based)?(?:pylance|pyright|mypy|ruff)\(\w+\)
  | \S+\.pyi?\b(?::\d+)*:?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_USUAL = frozenset([
    "Function", "Functions", "Missing", "Call", "Use", "Type", "Types", "Return", "Returns", "Returning", "Add",
    "Need", "Needs", "Argument", "Arguments", "Parameter", "Parameters", "Annotation", "Annotate", "Untyped",
    "Unknown", "Expected", "Incompatible", "Cannot", "Method", "Error",
    "Warning", "Note", "Help", "Fixme", "Todo", "Pylance", "Pyright", "Mypy", "Ruff", "Python", "Sphinx", "Google",
    "TODO", "FIXME", "NOTE", "ERROR", "WARNING", "PEP", "ANN", "CI", "IDE", "API",
])  # fmt: skip
_KNOWN = frozenset([
    "Any", "Path", "Decimal", "Callable", "Iterable", "Iterator", "Sequence", "Mapping", "Hashable", "Pattern",
    "Exception", "Fraction", "Counter", "Enum",
])  # fmt: skip
_ARTICLE = re.compile(r"\ban? [`'\"]?$")
_ENDS = re.compile(r"[`'\"]?(?:$|[.,;:!?)])")
_TITLED = re.compile(r"[A-Z][a-z]*")
_TOLD = re.compile(
    r"(?:->|→|=>|\||\bof type|\breturn(?:s|ing)?(?: an?| the)?|\b(?:either|of|instance of an?))[ `'\"]*$"
)
_TOLD_AFTER = re.compile(
    r"[`'\"]* ?(?:\| ?\w|\[\w)|[`'\"]* (?:or (?:else )?[`'\"]?[A-Z]|objects?\b|as (?:the |an? )?\w* ?type)"
)
_FIRST = re.compile(
    r"(?:^|[.!?]\s|\n|\b(?:error|note|warning|help|hint|info|mypy|pyright|pylance|ruff|lint|nit|review|todo|fixme)"
    r"\s?[:-]|\b[A-Z]{1,4}\d{3,4}\b)[^\w`'\"]*$",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"(?:(?<!thanks)(?<!please)(?<!hello)(?<!hey)(?<!hi)[:,(=/-]"
    r"|\b(?:an?|the|as|is|it's|be|are|to|with|type|types|typed|hint|hints|annotation|annotated|rtype"
    r"|expected|use|using|suggest|specify|for|and|or|else|either|then|from|mapping|gets?|gives?|back"
    r"|only|always|say|says|declare|add|put"
    r"|expects?|takes?|wants?|accepts?|holds?|optional|class|subclass|not|just|no|needs?|set|getting|being))"
    r"[\s`'\"]*$",
    re.IGNORECASE,
)


def without_messages(instruction: str) -> str:
    """The instruction without the set phrases of type checkers, and without names of files."""
    return _MESSAGES.sub(" ", instruction)


def is_prose(text: str, start: int, end: int, names: Container[str]) -> bool:
    """Whether a word of a text is prose although it is capitalised as classes are.

    Args: names: the names that the code uses.
    """
    word, before = text[start:end], text[:start]
    usual = word in _USUAL
    if not usual and (not _TITLED.fullmatch(word) or word in ("None", "True", "False")):
        return False
    if _is_told(text, start, end):
        return False
    if usual or _FIRST.search(before):
        return not (word in _KNOWN and _ENDS.match(text, end))
    return word not in names and word not in _KNOWN and not _CUE.search(before)


def _is_told(text: str, start: int, end: int) -> bool:
    """Whether what stands around a word says that it is a type."""
    before = text[:start]
    ticked = text[start - 1 : start] == "`" == text[end : end + 1]
    told = _TOLD.search(before) or _TOLD_AFTER.match(text, end)
    return ticked or bool(told or (_ARTICLE.search(before) and _ENDS.match(text, end)))

"""Fences around code, as Markdown has them and as models write them."""

import re  # noqa: TID251 - reads an answer
from collections.abc import Collection, Iterable
from typing import NamedTuple

from spark_tui.editing.syntax import BY_SUFFIX

# Up to three spaces before a fence, and no backtick in the text behind: CommonMark, section 4.5.
# Some models indent by a tab.
_FENCE = re.compile(r"(?P<indent> {0,3}|\t)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_LEAST = 3
"""The characters of the shortest fence. Source: CommonMark, section 4.5."""
_TAGS = r"(?:(?:</?[A-Za-z][^<>`]{0,60}>|<\|[^<>|`]{1,60}\|>)\s*)"
_TAG_ALONE = re.compile(r"<(?P<name>[A-Za-z][\w.-]*)[^<>]*>")
_GLUED = re.compile(
    rf"\s*{_TAGS}*"
    r"(?P<mark>(?:`{3,}|~{3,})(?:\w[\w+.#-]*)?|<{5,9} ?SEARCH>?|>{5,9} ?REPLACE>?)"
    rf"\s*{_TAGS}*"
)
"""A fence, or a mark of a block, on one line with tags around the answer."""

_LANGUAGE = re.compile(r"[+#.-]*\w[\w+#.-]*")
_PATH = r"[\w@.~+-]*(?:[/\\.:][\w@.~+-]+)+"
_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
_ATTRIBUTE = rf"(?:\{{[^{{}}]*\}}|\[[^][]*\]|[\w.:-]+={_QUOTED}|{_QUOTED})"
_INFO = re.compile(
    rf"(?:(?:{_LANGUAGE.pattern}|{_PATH})(?:[,:]?{_PATH}|,[\w,-]+)?|\{{[^{{}}]*\}})"
    rf"(?:{_ATTRIBUTE})?(?:\s+{_ATTRIBUTE})*"
)
"""What the text after a fence is where it is no code: a word or a path, and attributes."""
_MORE_INFO = re.compile(rf"(?:(?:^|\s+)(?:{_ATTRIBUTE}|{_PATH}|[\w.:-]+=[^\s\"'=]+))+")
"""What else may stand after the name of a language."""
_LANGUAGES = (
    frozenset(BY_SUFFIX)
    | {language.name.casefold() for language in BY_SUFFIX.values()}
    | {"console", "diff", "plain", "plaintext", "python3", "text", "txt", "zsh"}
)
"""The words by which fences name languages."""


class FenceText(NamedTuple):
    """The text after a fence.

    Attributes:
        info: The language of the block, with its attributes.
        code: The first line of the block, where the text holds one; else None.
        is_known: Whether that is certain.
    """

    info: str
    code: str | None = None
    is_known: bool = True


def read_fence_text(text: str, known: Collection[str] = ()) -> FenceText:
    """Read the text after a fence: models write the first line of the code there.

    Args:
        text: The text.
        known: The first line of the code before the edit, stripped; none where that is not known.
    """
    # what is the code's own first line is code, with or without a language before it
    language, _, rest = text.partition(" ")
    rest = rest.strip()
    if text in known:
        return FenceText("", text)
    if rest in known and _LANGUAGE.fullmatch(language):
        return FenceText(language, rest)
    if _INFO.fullmatch(text) or not text:
        return FenceText(text)
    if language.casefold() not in _LANGUAGES:
        return FenceText("", text, is_known=False)
    # one word more may be anything that a renderer knows: ```` ```python wrap ````
    if _MORE_INFO.fullmatch(rest) or _LANGUAGE.fullmatch(rest):
        return FenceText(text)
    return FenceText(language, rest, is_known=False)


def without_tags(line: str) -> str:
    """A line without the tags before or behind its fence, or its mark of a block.

    Models put an answer into tags of their own, or send a token that ends it, and leave out the
    line feed: `<answer>```python`, ```` ```<|im_end|> ````. Any other line stays as it is.
    """
    if "<" not in line:
        return line
    match = _GLUED.fullmatch(line)
    if match is None or match["mark"] == line.strip():
        return line
    return match["mark"]


def is_tag(line: str) -> bool:
    """Whether a line is nothing but a tag."""
    return re.fullmatch(_TAGS, line.strip()) is not None


def is_frame(first: str, last: str) -> bool:
    """Whether two lines are a tag that opens, and the same tag that closes."""
    tag = _TAG_ALONE.fullmatch(first)
    return tag is not None and last == f"</{tag['name']}>"


def fence_for(lines: Iterable[str]) -> str:
    """A fence that is longer than all fences in some lines."""
    fences = filter(None, map(_FENCE.fullmatch, lines))
    longest = max((len(match["fence"]) for match in fences), default=0)
    return "`" * max(_LEAST, longest + 1)


class Fence:
    """A fence that was opened. Mutable: blocks within open and close.

    A block within counts only if its fence is at least as long as this one.

    Args:
        mark: The fence: three characters or more, all the same.
        indent: The white space before the fence, and before the lines within.
        info: The text behind the fence.
    """

    def __init__(self, mark: str = "`" * _LEAST, indent: str = "", info: str = "") -> None:
        self._mark = mark
        self._indent = indent
        self.info = info
        """The text behind the fence: the language of the block."""
        self._within = 0

    @classmethod
    def opened(cls, line: str) -> "Fence | None":
        """The fence that a line opens; None for any other line."""
        match = _FENCE.fullmatch(line)
        if match is None:
            return None
        return cls(match["fence"], match["indent"], match["info"].strip())

    def is_like(self, line: str) -> bool:
        """Whether a line is a fence that could open or close a block of this kind."""
        match = _FENCE.fullmatch(line)
        return match is not None and match["fence"].startswith(self._mark)

    def enter(self) -> None:
        """Count a block within that was opened by a line not given to `ends`."""
        self._within += 1

    def reopen(self) -> None:
        """Go on as if the line that closed the fence had not."""
        self._within = 0

    def ends(self, line: str) -> bool:
        """Take the next line below the fence.

        Returns:
            Whether the line closes the fence.
        """
        # A fence with a language behind it can only open a block, one without only closes: so a
        # block within without a language is read as the end (`answer_code.AnswerCode` keeps
        # such a line back until it knows).
        match = _FENCE.fullmatch(line)
        if not match or not match["fence"].startswith(self._mark):
            return False
        if match["info"].strip():
            self._within += 1
            return False
        self._within -= 1
        return self._within < 0

    def would_end(self, line: str) -> bool:
        """Whether `ends` would return True for a line, without taking the line."""
        match = _FENCE.fullmatch(line)
        if not match or match["info"].strip():
            return False
        return not self._within and match["fence"].startswith(self._mark)

    def may_end(self, begun: str) -> bool:
        """Whether a line that begins with `begun` may close the fence."""
        bare = begun.strip().partition("<")[0]  # a tag may follow
        return not self._within and bool(bare) and not bare.strip(self._mark[0])

    def within(self, line: str) -> str:
        """A line of the answer as a line of the block, without the indentation of the fence."""
        return line.removeprefix(self._indent)

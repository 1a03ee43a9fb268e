"""Fences around code, as Markdown has them and as models write them."""

import re  # noqa: TID251 - reads an answer
from collections.abc import Iterable

# Up to three spaces before a fence, and no backtick in the text behind: CommonMark, section 4.5.
# Some models indent by a tab.
_FENCE = re.compile(r"(?P<indent> {0,3}|\t)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_LEAST = 3
"""The characters of the shortest fence. Source: CommonMark, section 4.5."""
_TAGS = r"(?:(?:</?[A-Za-z][^<>`]{0,60}>|<\|[^<>|`]{1,60}\|>)\s*)"
_TAG_ALONE = re.compile(r"<(?P<name>[A-Za-z][\w.-]*)[^<>]*>")
_GLUED = re.compile(
    rf"\s*{_TAGS}*(?P<mark>(?:`{{3,}}|~{{3,}})[\w+.#-]*|<{{5,9}} ?SEARCH>?|>{{5,9}} ?REPLACE>?)"
    rf"\s*{_TAGS}*"
)
"""A fence, or a mark of a block, on one line with tags around the answer."""


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

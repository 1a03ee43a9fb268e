"""What a chat model thinks before it answers, told apart from its answer by the tags that models put around it.

Chat templates often open the thought in the prompt, so that only its closing tag arrives.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NAMES = "(?:seed:)?think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad"
_TAG = re.compile(
    rf"< ?/? ?(?:{_NAMES}) ?>|<\|(?:begin|end)_of_thought\|>|\[/?THINK\]",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"< ?/|<\|end|\[/", re.IGNORECASE)
_HALF_TAG = re.compile(r"(?:< ?/? ?[A-Za-z:]{0,12} ?|<\|[A-Za-z_]{0,16}\|?|\[/?[A-Za-z]{0,5})\Z")
"""What may become a tag with the next piece."""
_QUOTES = "\"'`"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)\Z", re.DOTALL)
_BLOCK, _BLOCK_END = "<<<<<<< ", ">>>>>>> "


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of a thought: no part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was taken for the answer until now was a thought: its closing tag came, without an opening one."""


Part = str | Thinking | TakenBack


class Thoughts:
    """Tells the parts of an answer apart as it arrives in pieces of any size. Mutable.

    Tags within a fence or a block are code, and so is a tag in quotes. Tags that the lines to edit have are code, too.

    Args:
        region: The lines to edit.
        opened: Whether the prompt has opened the thought.
    """

    def __init__(self, region: Iterable[str] = (), *, opened: bool = False) -> None:
        self._known = {tag.lower() for line in region for tag in _TAG.findall(line)}
        self.thinks = self.thought = opened
        """Whether a thought goes on, and whether there was any."""
        self.unopened = False
        """Whether a thought was closed that the answer had not opened."""
        self._held = ""
        self._line = ""
        """The line of the answer so far, as it was passed on."""
        self._fence = ""
        self._opened_in_code = 0
        """Tags that the code of the answer opens, and has not closed."""
        self._blank = True
        """Whether the answer, or what follows a thought, has no text yet."""

    def take(self, text: str) -> list[Part]:
        """Take a piece of the content. Returns: what is known of it by now, in order."""
        self._held += text
        return self._parts(last=False)

    def pass_thought(self) -> None:
        """Take note of a thought that the server keeps apart from the content."""
        self.thought = True
        self._blank = self._blank or not self._line

    def finish(self) -> list[Part]:
        """Nothing more arrives. Returns: what was held back."""
        return self._parts(last=True)

    def _parts(self, *, last: bool) -> list[Part]:
        parts: list[Part] = []
        while (tag := _TAG.search(self._held)) and (last or tag.end() < len(self._held)):
            self._pass(self._held[: tag.start()], parts)
            after = self._held[tag.end() : tag.end() + 1]
            self._held = self._held[tag.end() :]
            self._turn(tag[0], after, parts)
        keep = 0
        if not last:
            start = tag or _HALF_TAG.search(self._held)
            keep = len(self._held) - start.start() if start else 0
        known = self._held[: len(self._held) - keep]
        self._held = self._held[len(known) :]
        self._pass(known, parts)
        return parts

    def _turn(self, tag: str, after: str, parts: list[Part]) -> None:
        """Take a tag. Args: after: the character behind it."""
        closes = _CLOSING.match(tag) is not None
        quoted = bool(self._line) and self._line[-1] in _QUOTES and bool(after) and after in _QUOTES
        if tag.lower() in self._known or quoted:
            self._pass(tag, parts)
        elif self.thinks and closes:
            self.thinks, self._line, self._blank = False, "", True
        elif self.thinks:
            self._pass(tag, parts)
        elif closes and self._opened_in_code:
            self._opened_in_code -= 1
            self._pass(tag, parts)
        elif closes and self._may_close(after):
            parts.append(TakenBack())
            self.thought = self.unopened = self._blank = True
            self._line = self._fence = ""
            self._opened_in_code = 0
        elif not closes and not self._fence and not self._line.strip():
            self.thinks = self.thought = True
        else:
            self._opened_in_code += bool(self._fence) and not closes
            self._pass(tag, parts)

    def _may_close(self, after: str) -> bool:
        """Whether a closing tag without an opening one ends a thought; in code, only at the end of a line."""
        if self._fence == _BLOCK:
            return False
        return not self._fence or not after or after in "\r\n"

    def _pass(self, text: str, parts: list[Part]) -> None:
        """Pass text on as what it is."""
        if self._blank and self.thought and not self.thinks:
            text = text.lstrip("\r\n")
        if not text:
            return
        if self.thinks:
            parts.append(Thinking(text))
            self._line = (self._line + text).rpartition("\n")[2]
            return
        self._blank = False
        parts.append(text)
        *lines, rest = text.split("\n")
        for line in lines:
            self._close_line(self._line + line)
            self._line = ""
        self._line += rest

    def _close_line(self, line: str) -> None:
        """Follow the fences and the blocks of an answer."""
        fence = _FENCE.match(line.rstrip("\r"))
        if self._fence == _BLOCK:
            if line.startswith(_BLOCK_END):
                self._fence = ""
        elif not self._fence and line.startswith(_BLOCK):
            self._fence = _BLOCK
        elif fence and not self._fence:
            self._fence = fence[1]
        elif fence and not fence[2].strip() and fence[1].startswith(self._fence):
            self._fence = ""


def is_tag(text: str) -> bool:
    """Whether a text is a tag that opens or closes a thought."""
    return _TAG.fullmatch(text) is not None


def first_opening(text: str) -> str:
    """The first tag in a text, where that opens a thought; "" elsewhere."""
    tag = _TAG.search(text)
    return "" if tag is None or _CLOSING.match(tag[0]) else tag[0]


def closing_of(prompt: str) -> str:
    """What closes the thought that a prompt has opened at its end; "" where it has opened none."""
    tags = list(_TAG.finditer(prompt))
    if not tags or prompt[tags[-1].end() :].strip() or _CLOSING.match(tags[-1][0]):
        return ""
    tag = tags[-1][0]
    return tag.replace("begin", "end") if tag[1] == "|" else f"{tag[0]}/{tag[1:]}"

"""Tells the thought of a chat model apart from its answer, by the marks around the thought.

`find_mark` and `kind_of` know the marks of all models: tags, channels of a message, or fixed words.
`Thoughts` follows an answer as it arrives and decides which marks count. Chat templates often open
the thought in the prompt, so that only the closing mark arrives. Lines to edit may hold such marks
themselves (a chat template does): a mark that may be text of these lines is text.

Sources, beside the chat templates of the models: vLLM's reasoning parsers (Granite's words, Kimi's
and Seed's tags), OpenAI's harmony format (`<|channel|>analysis<|message|>`), whose tokens some
servers pass on, or leave out so that `analysis` and `assistantfinal` stay as words.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

_NAMES = "(?:seed:)?think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad"
_WORDS_BEFORE = ("here is my thought process:", "here's my thought process:")
_WORDS_BEHIND = ("here is my response:", "here's my response:")
_LEFT_OVER = "assistantfinal"
_TAG = re.compile(
    rf"< ?/? ?(?:{_NAMES}) ?>|◁ ?/? ?(?:{_NAMES}) ?▷|\[/?THINK\]"
    r"|<\|(?:begin|end)_of_thought\|>|<\|(?:start|end)_thinking\|>|<\|inner_(?:prefix|suffix)\|>",
    re.IGNORECASE,
)
# The names of the groups are those of `MarkKind`; tags are told apart by `_CLOSING_TAG`.
_MARK = re.compile(
    rf"(?P<tag>{_TAG.pattern})"
    r"|(?P<header><\|(?:start|channel|constrain)\|>)"
    r"|(?P<message><\|message\|>)"
    r"|(?P<end><\|(?:end|return|call|(?:start|end)_response)\|>)"
    rf"|(?P<before>{'|'.join(_WORDS_BEFORE)})"
    rf"|(?P<behind>{'|'.join(_WORDS_BEHIND)})"
    rf"|(?P<left_over>{_LEFT_OVER})",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(r"[<◁] ?/|\[/|<\|end|<\|inner_suffix", re.IGNORECASE)
_HALF = re.compile(r"(?:[<◁] ?/? ?[A-Za-z:]{0,12} ?|<\|[A-Za-z_]{0,16}\|?|\[/?[A-Za-z]{0,5})\Z")
"""Characters at the end of a text that may become a tag with the next piece."""
_OPPOSITES = {"begin_": "end_", "start_": "end_", "_prefix": "_suffix"}
"""The parts of opening tags without a slash in their closing tags, and what takes their place."""


class MarkKind(Enum):
    """The meaning of a mark."""

    OPENS = auto()
    """A tag that opens a thought."""
    CLOSES = auto()
    """A tag that closes a thought."""
    HEADER = auto()
    """A token of the heading of a message, in which the channel is named."""
    MESSAGE = auto()
    """The end of the heading."""
    END = auto()
    """The end of the message."""
    BEFORE = auto()
    """Words before a thought."""
    BEHIND = auto()
    """Words behind a thought."""
    LEFT_OVER = auto()
    """The heading of the answer without its tokens."""


_PHRASES = {
    MarkKind.BEFORE: _WORDS_BEFORE,
    MarkKind.BEHIND: _WORDS_BEHIND,
    MarkKind.LEFT_OVER: (_LEFT_OVER,),
}


def find_mark(text: str) -> re.Match[str] | None:
    """Find the first mark of a text."""
    return _MARK.search(text)


def kind_of(mark: re.Match[str]) -> MarkKind:
    """Return the meaning of a mark."""
    if mark.lastgroup != "tag":
        return MarkKind[str(mark.lastgroup).upper()]
    if _CLOSING_TAG.match(mark[0]):
        return MarkKind.CLOSES
    return MarkKind.OPENS


def marks_in(text: str) -> list[str]:
    """Return all marks of a text, in lower case."""
    return [mark[0].lower() for mark in _MARK.finditer(text)]


def half_mark(text: str, words: Iterable[MarkKind] = ()) -> int:
    """Count the characters at the end of a text that may become a mark with the next piece.

    Args:
        text: The text so far, without a whole mark at its end.
        words: The kinds of marks that are words and may come here.
    """
    half = _HALF.search(text)
    longest = len(half[0]) if half else 0
    phrases: list[str] = []
    for kind in words:
        phrases += _PHRASES[kind]
    for phrase in phrases:
        end = text[1 - len(phrase) :].lower()
        for size in range(len(end), longest, -1):
            if phrase.startswith(end[-size:]):
                longest = size
                break
    return longest


def is_tag(text: str) -> bool:
    """Whether a text is a tag that opens or closes a thought."""
    return _TAG.fullmatch(text) is not None


def first_opening(text: str) -> str:
    """Return the first tag in a text, where that tag opens a thought; "" elsewhere."""
    tag = _TAG.search(text)
    if tag is None or _CLOSING_TAG.match(tag[0]):
        return ""
    return tag[0]


def closing_of(prompt: str) -> str:
    """Return the tag that closes the thought opened at the end of a prompt; "" for no thought."""
    tags = list(_TAG.finditer(prompt))
    if not tags:
        return ""
    tag = tags[-1][0]
    is_last = not prompt[tags[-1].end() :].strip()
    if not is_last or _CLOSING_TAG.match(tag):
        return ""
    for opening, closing in _OPPOSITES.items():
        if opening in tag:
            return tag.replace(opening, closing)
        if opening.upper() in tag:
            return tag.replace(opening.upper(), closing.upper())
    return f"{tag[0]}/{tag[1:]}"


_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)\Z", re.DOTALL)
_FENCE_MARK = "```"
_QUOTES = "\"'`"
_BLOCK = "<<<<<<< "
_BLOCK_END = ">>>>>>> "
_LONGEST_HEADER = 200
"""Characters of the heading of a message."""
_LEFT_OVER_START = "analysis"
"""The heading of a thought without its tokens, at the start of a reply."""
_CLOSING = frozenset({MarkKind.CLOSES, MarkKind.BEHIND, MarkKind.LEFT_OVER})
"""The marks that close a thought."""


@dataclass(frozen=True, slots=True)
class ThoughtPiece:
    """A piece of a thought: no part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The answer until now was a thought: the mark came that closes a thought never opened."""


Part = str | ThoughtPiece | TakenBack


class _Code:
    """The fences and the blocks of a text, followed line by line. Mutable."""

    def __init__(self) -> None:
        self.fence = ""
        """The fence, or the mark of the block, that is open; "" outside of code."""
        self.begun = False
        """Whether there was any code."""

    def close_line(self, line: str) -> None:
        """Take a whole line."""
        fence = _FENCE.match(line.rstrip("\r"))
        if self.fence == _BLOCK:
            if line.startswith(_BLOCK_END):
                self.fence = ""
        elif not self.fence and line.startswith(_BLOCK):
            self.fence = _BLOCK
            self.begun = True
        elif fence and not self.fence:
            self.fence = fence[1]
            self.begun = True
        elif fence and not fence[2].strip() and fence[1].startswith(self.fence):
            self.fence = ""

    def fence_behind(self, line: str) -> str:
        """Return the fence that is open behind the start of a line, which may close a fence."""
        behind = _Code()
        behind.fence = self.fence
        if self.fence:
            behind.close_line(line)
        return behind.fence


class Thoughts:
    """Tells the parts of an answer apart as the answer arrives in pieces of any size.

    Mutable. Marks within a fence or a block are code; a mark in quotes is text.

    Args:
        region: The lines to edit.
        opened: Whether the prompt has opened the thought.
    """

    def __init__(self, region: Iterable[str] = (), *, opened: bool = False) -> None:
        self._region = [line.strip() for line in region if line.strip()]
        self._known = set(marks_in("\n".join(self._region)))
        """The marks that the lines to edit hold."""
        self.thinks = opened
        """Whether a thought is open."""
        self.thought = opened
        """Whether there was any thought."""
        self.assumed = opened
        """Whether no tag opened the last thought."""
        self.unopened = False
        """Whether a thought was closed that the answer had not opened."""
        self._held = ""
        """Text that may become a mark."""
        self._line = ""
        """The line of the answer so far, as it was passed on."""
        self._start = ""
        """The first characters of the reply."""
        self._code = _Code()
        self._sketch = _Code()
        """The code within the thought."""
        self._opened_in_code = 0
        """Tags that the code of the answer has opened and not closed."""
        self._opened_by_words = False
        """Whether words opened the thought; only words close such a thought."""
        self._header: str | None = None
        """The heading of a message, as far as it came; None outside of one."""
        self._has_channels = False
        """Whether the reply has messages with headings."""
        self._blank = True
        """Whether the answer, or what follows a thought, has no text yet."""

    def take(self, text: str) -> list[Part]:
        """Take a piece of the content.

        Returns:
            The parts that are certain, in order.
        """
        self._held += text
        return self._parts(last=False)

    def pass_thought(self) -> None:
        """Take note of a thought that the server sends apart from the content."""
        self.thought = True
        self._blank = self._blank or not self._line

    def finish(self) -> list[Part]:
        """Take note that nothing more arrives.

        Returns:
            The parts that were held back.
        """
        parts = self._parts(last=True)
        header = self._header
        self._header = None
        if header is not None:
            self._pass(header, parts)
        return parts

    def _parts(self, *, last: bool) -> list[Part]:
        """Return the parts of the text that is held, as far as they are known.

        Args:
            last: Whether nothing more arrives.
        """
        parts: list[Part] = []
        # A mark at the very end waits for the next character, which tells whether it counts.
        while (mark := find_mark(self._held)) and (last or mark.end() < len(self._held)):
            self._pass(self._held[: mark.start()], parts)
            after = self._held[mark.end() : mark.end() + 1]
            self._held = self._held[mark.end() :]
            self._turn(kind_of(mark), mark[0], after, parts)
        if last:
            keep = 0
        elif mark:
            keep = len(self._held) - mark.start()
        else:
            keep = self._half()
        known = self._held[: len(self._held) - keep]
        self._held = self._held[len(known) :]
        self._pass(known, parts)
        return parts

    def _half(self) -> int:
        """Count the characters at the end that may become a mark; words only where they may be."""
        kinds = list(filter(self._may_be_words, (MarkKind.BEFORE, MarkKind.LEFT_OVER)))
        # The text that is held may end the line: the words behind a thought may follow within it.
        if self._opened_by_words:
            kinds.append(MarkKind.BEHIND)
        return half_mark(self._held, kinds)

    def _turn(self, kind: MarkKind, mark: str, after: str, parts: list[Part]) -> None:
        """Take a mark.

        Args:
            kind: The meaning of the mark.
            mark: The text of the mark.
            after: The character behind the mark; "" for none.
            parts: Collects the parts.
        """
        if self._is_text(kind, mark, after):
            self._pass(mark, parts)
        elif kind is MarkKind.END:
            return  # what follows begins with a heading of its own
        elif kind is MarkKind.HEADER:
            self._header = (self._header or "") + mark
        elif kind is MarkKind.MESSAGE:
            self._begin_message(parts)
        elif kind in _CLOSING:
            self._close(parts)
        else:
            self._open(assumed=kind is MarkKind.BEFORE)

    def _is_text(self, kind: MarkKind, mark: str, after: str) -> bool:
        """Whether a mark does not count, but is text of a thought, of the code, or of the talk."""
        # Talk about a mark puts it in quotes: `<think>`.
        is_quoted = self._line[-1:] in tuple(_QUOTES) and after in tuple(_QUOTES)
        # Three of them are a fence, which may stand at the end of a line of talk, too.
        is_quoted = is_quoted and not self._line.endswith(_FENCE_MARK)
        if is_quoted and not self._closes_fence:
            return True
        if kind in (MarkKind.HEADER, MarkKind.MESSAGE, MarkKind.END):
            return self._is_text_in_message(kind, mark)
        if mark.lower() in self._known:
            return self._is_text_of_region(kind, mark, after)
        if kind is MarkKind.OPENS:
            return self._is_text_that_opens()
        if kind is MarkKind.CLOSES:
            return self._is_text_that_closes(after)
        return not self._may_be_words(kind)

    def _may_be_words(self, kind: MarkKind) -> bool:
        """Whether words of a kind count as a mark here."""
        if kind is MarkKind.BEFORE:
            return self._blank and not self.thought
        if kind is MarkKind.BEHIND:
            return self._opened_by_words and not self._line.strip()
        return self._start.startswith(_LEFT_OVER_START)

    def _is_text_that_opens(self) -> bool:
        """Whether an opening tag is text: within a thought, in code, or behind other text."""
        if self.thinks:
            return True
        in_code = bool(self._code.fence)
        self._opened_in_code += in_code
        return in_code or bool(self._line.strip())

    def _is_text_that_closes(self, after: str) -> bool:
        """Whether a closing tag is text: in a thought of words, or in code that opened one."""
        if self.thinks:
            return self._opened_by_words
        if self._opened_in_code:
            self._opened_in_code -= 1
            return True
        # In code, a tag without an opening one closes a thought only at the end of a line.
        fence = self._code.fence_behind(self._line)
        return fence == _BLOCK or bool(fence and not _ends_line(after))

    @property
    def _closes_fence(self) -> bool:
        """Whether the line so far closes the code: what follows is glued to the closing fence."""
        code = self._sketch if self.thinks else self._code
        return bool(code.fence) and not code.fence_behind(self._line)

    def _is_text_in_message(self, kind: MarkKind, mark: str) -> bool:
        """Whether a token of the heading or the end of a message is text."""
        # within a heading all its tokens count; the end of a message does not belong there
        if self._header is not None:
            return kind is MarkKind.END
        if self._code.fence and not self.thinks:
            return True
        # a token of the region, once code has begun: most likely copied
        if mark.lower() in self._known and (self._code.begun or self._sketch.fence):
            return True
        # an end without any message or thought before it, or `<|message|>` without a heading
        if kind is MarkKind.END:
            return not (self._has_channels or self.thought)
        return kind is MarkKind.MESSAGE

    def _is_text_of_region(self, kind: MarkKind, mark: str, after: str) -> bool:
        """Whether a mark that the region holds, too, is text here.

        Only the first mark of an answer opens a thought. Only a mark at an end of its line closes a
        thought: within the thought, outside of lines that are copied; before it, only as long as
        neither code has begun nor the line may be copied from the region.
        """
        if kind not in _CLOSING:
            return self.thinks or not self._blank or self.thought or bool(self._code.fence)
        if self._closes_fence and not self._is_copied(mark):
            return self.thought and not self.thinks
        within_line = bool(self._line.strip())
        may_be_copied = within_line or self._is_copied(mark)
        if within_line and (not _ends_line(after) or self._is_copied(mark)):
            return True
        if self.thinks:
            return bool(self._sketch.fence) and may_be_copied
        if self.thought or self._code.fence:
            return True
        return self._code.begun and may_be_copied

    def _is_copied(self, mark: str) -> bool:
        """Whether the line so far, with a mark, is the start of a line of the region."""
        so_far = (self._line + mark).lstrip()
        return any(line.startswith(so_far) for line in self._region)

    def _open(self, *, assumed: bool = False) -> None:
        """Open a thought.

        Args:
            assumed: Whether words opened it, and no tag.
        """
        self.thinks = self.thought = True
        self.assumed = self._opened_by_words = assumed
        self._line = ""
        self._sketch = _Code()

    def _close(self, parts: list[Part]) -> None:
        """Close the thought; where none is open, all that came was a thought."""
        if not self.thinks:
            parts.append(TakenBack())
            self.unopened = True
        self.thinks = self.assumed = self._opened_by_words = False
        self.thought = self._blank = True
        self._line = ""
        # fences that were open belonged to the thought
        self._code = _Code()
        self._opened_in_code = 0

    def _begin_message(self, parts: list[Part]) -> None:
        """Begin a message after its heading: all channels but the final one are thoughts."""
        header = self._header or ""
        self._header = None
        self._has_channels = True
        channel = header.lower().partition("<|channel|>")[2].strip()
        if channel and not channel.startswith("final"):
            self._open()
        elif self.thinks or not self._blank:
            self._close(parts)

    def _pass(self, text: str, parts: list[Part]) -> None:
        """Pass text on, as a part of the thought or of the answer."""
        if self._header is not None:
            text = self._header + text
            self._header = None
            # A heading that never ends was none.
            if "\n" not in text and len(text) <= _LONGEST_HEADER:
                self._header = text
                return
        # the blank lines that models put between a thought and the answer
        if self._blank and self.thought and not self.thinks:
            text = text.lstrip("\r\n")
        if not text:
            return
        if len(self._start) < len(_LEFT_OVER_START):
            self._start = (self._start + text).lstrip()
        if self.thinks:
            parts.append(ThoughtPiece(text))
            self._follow(text, self._sketch)
            return
        self._blank = self._blank and not text.strip()
        parts.append(text)
        self._follow(text, self._code)

    def _follow(self, text: str, code: _Code) -> None:
        """Follow the lines of a text, and the code that they open and close."""
        *lines, rest = text.split("\n")
        for line in lines:
            whole = self._line + line
            code.close_line(whole)
            code.begun = code.begun or self._is_edit(whole)
            self._line = ""
        self._line += rest

    def _is_edit(self, line: str) -> bool:
        """Whether a line is copied from the region, though it may stand outside of any fence."""
        return any(map(str.isalnum, line)) and line.strip() in self._region


def _ends_line(after: str) -> bool:
    """Whether a line ends before a character.

    Args:
        after: The next character; "" for none.
    """
    return not after or after in "\r\n"

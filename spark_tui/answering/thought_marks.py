"""The marks that models put around a thought: tags, channels of a message, or fixed words.

Sources, beside the chat templates of the models: vLLM's reasoning parsers (Granite's words, Kimi's
and Seed's tags), OpenAI's harmony format (`<|channel|>analysis<|message|>`), whose tokens some
servers pass on, or leave out so that `analysis` and `assistantfinal` stay as words.
"""

import re
from collections.abc import Iterable
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
_CLOSING = re.compile(r"[<◁] ?/|\[/|<\|end|<\|inner_suffix", re.IGNORECASE)
_HALF = re.compile(r"(?:[<◁] ?/? ?[A-Za-z:]{0,12} ?|<\|[A-Za-z_]{0,16}\|?|\[/?[A-Za-z]{0,5})\Z")
"""What may become a tag with the next piece."""
_OPPOSITES = {"begin_": "end_", "start_": "end_", "_prefix": "_suffix"}


class MarkKind(Enum):
    """What a mark is.

    OPENS, CLOSES: a tag around a thought. HEADER: a token of the heading of a message, in which the
    channel is named. MESSAGE: the heading ends there. END: the message does. BEFORE, BEHIND: words
    around a thought. LEFT_OVER: what is left of the heading of the answer without its tokens.
    """

    OPENS = auto()
    CLOSES = auto()
    HEADER = auto()
    MESSAGE = auto()
    END = auto()
    BEFORE = auto()
    BEHIND = auto()
    LEFT_OVER = auto()


_PHRASES = {
    MarkKind.BEFORE: _WORDS_BEFORE,
    MarkKind.BEHIND: _WORDS_BEHIND,
    MarkKind.LEFT_OVER: (_LEFT_OVER,),
}


def find_mark(text: str) -> re.Match[str] | None:
    """The first mark of a text."""
    return _MARK.search(text)


def kind_of(mark: re.Match[str]) -> MarkKind:
    """What a mark is."""
    if mark.lastgroup == "tag":
        return MarkKind.CLOSES if _CLOSING.match(mark[0]) else MarkKind.OPENS
    return MarkKind[str(mark.lastgroup).upper()]


def marks_in(text: str) -> list[str]:
    """All marks of a text, in small letters."""
    return [mark[0].lower() for mark in _MARK.finditer(text)]


def half_mark(text: str, words: Iterable[MarkKind] = ()) -> int:
    """How many characters at the end of a text may become a mark with the next piece.

    Args:
        text: What came, without a whole mark at its end.
        words: The kinds of marks that are words and may come.
    """
    half = _HALF.search(text)
    longest = len(half[0]) if half else 0
    for kind in words:
        for phrase in _PHRASES[kind]:
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
    """The first tag in a text, where that opens a thought; "" elsewhere."""
    tag = _TAG.search(text)
    return "" if tag is None or _CLOSING.match(tag[0]) else tag[0]


def closing_of(prompt: str) -> str:
    """What closes the thought that a prompt has opened at its end; "" where it has opened none."""
    tags = list(_TAG.finditer(prompt))
    if not tags or prompt[tags[-1].end() :].strip() or _CLOSING.match(tags[-1][0]):
        return ""
    tag = tags[-1][0]
    for opening, closing in _OPPOSITES.items():
        for one, other in ((opening, closing), (opening.upper(), closing.upper())):
            if one in tag:
                return tag.replace(one, other)
    return f"{tag[0]}/{tag[1:]}"

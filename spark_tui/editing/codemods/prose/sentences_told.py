"""What docstrings and comments are told to say, not in quotes: the end of the words, in the forms that it may have.

"add a docstring saying it yields rows" tells "Yield rows.", "mention that it may fail" tells "May fail." or "It may
fail.".
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from spark_tui.editing.codemods.common.said import Span, spans

_TEXT = r"(?:docs?(?:tr\w*|umentation)?|comm?ents?|descriptions?|notes?|text|summary|sentence|warning)"
_WHERE = (
    r"(?:(?:in|to|into|at|as|on) (?:the |a |an |this |its |that |their )?(?:\w+ ){0,2}?"
    rf"(?:{_TEXT}|here|line|end|class)\b)"
)
_SURE = re.compile(
    rf"(?i)(?:\b(?:say\w*|tell\w*|mention\w*|not(?:e|ing)|explain\w*|stat(?:e|es|ing)|add|document\w*|make clear|remark"
    rf"|write|reads?|remind\w*|warn\w*)(?: here)?(?:,? {_WHERE})?(?: that| how| why)?:?\s+"
    r"|(?<!function )(?<!method )(?<!class )(?<!one )(?<!code )\bthat\s+"
    rf"|\b{_TEXT}(?:[^\w\s,]|,| -+| like)\s+|\b(?:something |only )?like:?\s+|(?<![\w:]):\s+|(?<=[\w)\]]):\s+"
    r"|\bdocstring\b[^.]*\. )(?=\S)"
)
_LATE = re.compile(r"(?:,|;| -+| \u2014| \(|\.) ?(?=\S)")
_TAIL = re.compile(
    r"(?i)(?:,? (?:please|pls|plz|thanks|thx|(?:too|as well|here)(?=\W*$)|in here|as (?:its|an?) own \w+|while at it"
    rf"|instead of .*|in place of .*|no pass.*|{_WHERE}(?: at the \w+)?|if you (?:don't mind|like|please)))+[\s.!?)]*$"
)
_ARTICLED = re.compile(r"(?i)^(?:that |how |why )?(?:(?:it|this|that) (?:is|was)|it'?s|its|that's) (?=\w)")
_SUBJECT = re.compile(r"(?i)^(?:that |how |why )?(?:it|this|(?:this|the) (?:function|method|class)|we|which) (?=\w)")
_BREAK = re.compile(r"(?<=[.!?]) (?=\S)")
_IRREGULAR = {"does": "do", "goes": "go", "has": "have", "is": "be", "tries": "try"}
_NO_VERBS = frozenset("this its always is was has as us plus thus less minus does goes previous various alias".split())  # noqa: SIM905
_SPOKEN = (
    (re.compile(r"\b(does|is|are|do|was|were|has|have|would|could|should|did)nt\b"), r"\1n't"),
    (re.compile(r"\bcant\b"), "can't"),
    (re.compile(r"\bwont\b"), "won't"),
)
_ABOUT = re.compile(
    rf"(?i)(?:(?:an?|the|this|that|its|your|and|but|please|give it an?|no|update the) )?(?:\w+ )?{_TEXT}\b"
    r"|(?:what|how|why|instead|no (?=doc|pass)|says?|saying|mentions?|add|put|should|missing|update"
    r"|please|document|explain|tell|write|make|drop|remove|so|there|here|not|needs?|it(?=:)|it should|it has no|turn"
    r"|use)\b"
)
"""How what is no text begins: it speaks of the docstring itself."""
_PREFIX = re.compile(r"(?:\S+ ){1,4}[\w`'\"]+: ")
_MOST = 4


@lru_cache(16)
def sentences_told(words: str) -> tuple[str, ...]:
    """What may be meant as the text, as it stands in the words; the likeliest first."""
    return tuple(dict.fromkeys(_sentences(words)))[:_MOST]


def _sentences(words: str) -> Iterator[str]:
    whole = [span.text.strip() for span in spans(words) if " " in span.text.strip() and _is_text(span)]
    if whole:
        yield from whole
        return
    held = [(span.start, span.end) for span in spans(words) if span.mark]
    for cues in (_SURE, _LATE):
        ends = [cue.end() for cue in cues.finditer(words)]
        for end in ends if cues is _SURE else ends[-2:]:
            if not any(start < end < stop for start, stop in held):
                yield from _cleaned(words[end:])


def _is_text(span: Span) -> bool:
    """Whether what is quoted is no code: in backticks it is where it has only a few words."""
    return span.mark in ("'", '"') or (
        span.mark == "`" and bool(re.fullmatch(r"[:\w,'.-]+(?: [:\w,'.-]+){2,}", span.text))
    )


def _cleaned(text: str) -> Iterator[str]:
    text = _TAIL.sub("", text).strip().rstrip("?!").rstrip()
    if (
        len(text.split()) < 2
        or "\n" in text
        or len(text) > 160
        or '"""' in text
        or _ABOUT.match(text)
        or _PREFIX.match(text)
    ):
        return
    for pattern, right in _SPOKEN:
        text = pattern.sub(right, text)
    if text.count("(") < text.count(")"):
        text = text.removesuffix(")")
    first = _BREAK.split(text)[0]
    yield text
    if first != text and len(first.split()) > 1:
        yield _TAIL.sub("", first)


def capital(text: str) -> str:
    """With a capital letter, but for what is a name."""
    word = re.match(r"[a-z][a-z'-]*(?=[\s,.;:]|$)", text)
    return text[0].upper() + text[1:] if word else text


def ended(text: str) -> str:
    """With a period, where no sign ends it."""
    return text if re.search(r"[.!?:]$", text) else text + "."


def base_form(word: str) -> str:
    """A verb of the third person as it is in commands; others as they are."""
    lower = word.lower()
    if not lower.endswith("s") or lower.endswith(("ss", "us")) or len(lower) < 4 or lower in _NO_VERBS:
        return _IRREGULAR.get(lower, word)
    if lower.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if re.search(r"(?:ss|sh|ch|x|zz)es$", lower) else word[:-1]


def commanding(text: str) -> str:
    """A text with its first word as in commands, and those that go on behind "and" or "or"."""
    head, gap, rest = text.partition(" ")
    base = base_form(head)
    if base == head:
        return text
    rest = re.sub(
        r"(\b(?:and|or|but|then) )(\w+s)(?= (?:an?|the|it|its|them|each|all|to|for|in|with)\b)",
        lambda match: match[1] + base_form(match[2]),
        rest,
    )
    return base + gap + re.sub(r"\bdoesn't\b", "do not", rest)


def as_summary(text: str) -> Iterator[str]:
    """The ways that a text may be written as a docstring."""
    if (found := _ARTICLED.match(text)) is not None:
        yield ended(capital(text[found.end() :]))
        return
    if (found := _SUBJECT.match(text)) is not None:
        rest = text[found.end() :]
        yield ended(capital(commanding(rest)))
        yield ended(capital(rest))
        return
    yield from dict.fromkeys((ended(capital(text)), ended(capital(commanding(text))), text))


def as_remark(text: str) -> Iterator[str]:
    """The ways that a text may be written as one sentence more."""
    if (found := _ARTICLED.match(text)) is not None:
        yield ended(f"This is {text[found.end() :]}")
        yield ended(capital(text[found.end() :]))
        yield ended(f"It is {text[found.end() :]}")
    elif (found := _SUBJECT.match(text)) is not None:
        yield ended(capital(text[found.end() :]))
        yield ended(capital(re.sub("(?i)^(?:that|how|why) ", "", text)))
    else:
        yield ended(capital(text))
        if text != ended(capital(text)):
            yield text


def as_comment(text: str) -> Iterator[str]:
    """The ways that a text may be written as a comment."""
    yield from dict.fromkeys((text.removesuffix("."), ended(capital(text)), capital(text.removesuffix("."))))

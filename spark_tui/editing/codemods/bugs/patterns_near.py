"""What a pattern may be by mistake: a class that lacks characters, a bare dot, a missing end, too much taken."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.cure_words import told
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_OF_RE = frozenset("compile match search fullmatch sub subn findall finditer split re_path RegexValidator".split())  # noqa: SIM905
_NAMED = re.compile(r"(?:^|_)(?:re|rx|regex|pattern|regexp)s?(?:_|$)|pattern|regex", re.IGNORECASE)
_CLASS = re.compile(r"\[(\^?)((?:\\.|[^\]\\])+)\]")
_MORE = (
    (told("digits? numbers? numeric", r"[A-Za-z]\d"), ("0-9", r"\d")),
    (told("underscores? snake*", "_"), ("_",)),
    (told("hyphens? dash dashes minus negative", r"\w-\w"), ("-",)),
    (told("upper* capital* case", "[A-Z]{2}"), ("A-Z",)),
    (told("lower* case"), ("a-z",)),
    (told("dots? version* decimal* float*", r"\w\.\w"), (".",)),
    (told("spaces? blanks? whitespace"), (" ", r"\s")),
    (told("plus", r"\+"), ("+",)),
    (told("slash* path*", "/"), ("/",)),
    (told("colons?", ":"), (":",)),
    (told("percent", "%"), ("%",)),
    (told("hex*"), ("a-fA-F", "A-F")),
    (told("apostrophe* quotes?"), ("'",)),
    (told("newlines? line_breaks?"), (r"\n", r"\r")),
)
_DOT = told("dots? any_char* anything else* other* host* domain* extension* escap*", r"\w\.\w")
_GREEDY = told("greedy too_much swallow* whole* all last several two second between everything longest first")
_FEW = told("empty optional missing without zero none no single one short")
_ENDS = told(
    "whole end ends ending trailing after start* begin* inside middle substring part prefix suffix anything junk"
    " garbage accept* matches word words boundar* longer rest"
)
_MOST = 24


def pattern_slips(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Every pattern with what the words speak of put right."""
    kept = 0
    for node in _patterns(before):
        source = text_of(before, node)
        match = re.fullmatch(r"""([rRbB]{0,2})(["'])(.*)\2""", source)
        if not match or match[3][:1] == match[2]:
            continue
        for text in dict.fromkeys(_turned(match[3], instruction)):
            new = f"{match[1]}{match[2]}{text}{match[2]}"
            if text != match[3] and _compiles(text) and kept < _MOST:
                kept += 1
                raw = new if "r" in match[1].lower() or "\\" not in text or "\\" in match[3] else f"r{new}"
                yield Slip(start_of(before, node), end_of(before, node), raw, ("pattern", "regex"))


def _patterns(before: Snippet) -> Iterator[ast.Constant]:
    for node in before.nodes:
        match node:
            case ast.Call(func=func, args=[ast.Constant(value=str() | bytes()) as first, *_]):
                if (dotted(func) or "").rpartition(".")[2] in _OF_RE:
                    yield first
            case ast.Assign(targets=[target], value=ast.Constant(value=str()) as value):
                if _NAMED.search((dotted(target) or "").rpartition(".")[2]):
                    yield value


def _compiles(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def _turned(text: str, instruction: str) -> Iterator[str]:
    yield from _with_more(text, instruction)
    if _DOT.search(instruction):
        yield from _exchanged(text, r"(?<!\\)\.(?![*+?{])", "\\.")
    if _GREEDY.search(instruction):
        yield from _exchanged(text, r"(?<=[^\\][*+])(?![?+])", "?")
    if _FEW.search(instruction):
        yield from _exchanged(text, r"(?<!\\)\*(?![?+])", "+")
        yield from _exchanged(text, r"(?<!\\)\+(?![?+])", "*")
        yield from _exchanged(text, r"(?<=[)\]])(?![?*+{])", "?")
    if _ENDS.search(instruction):
        yield from (f"{text}$", f"^{text}", f"^{text}$", rf"{text}\Z", rf"\b{text}\b", rf"\b{text}", rf"{text}\b")
        yield from (rf"{text[:-1]}\Z", text[:-1]) if text.endswith("$") else ()
        yield from (text[1:],) if text.startswith("^") else ()


def _exchanged(text: str, old: str, new: str) -> Iterator[str]:
    """A text with one of the stretches of a pattern as another one."""
    for match in re.finditer(old, text):
        yield text[: match.start()] + new + text[match.end() :]


def _with_more(text: str, instruction: str) -> Iterator[str]:
    """A pattern with characters more in one of its classes."""
    for words, more in _MORE:
        for match in _CLASS.finditer(text) if words.search(instruction) else ():
            for one in more:
                if one not in match[2]:
                    yield f"{text[: match.start()]}[{match[1]}{match[2]}{one}]{text[match.end() :]}"

"""Values that a message is to show as well, told by a piece of the new text: `end it with " (got %s)"`, "..., not {x}".

The piece is the text as it is with more in it, its end, or what comes behind it; numbers, `N`, `%s` and `{x}` in it
stand for values, which the words name. Calls of a logger get `%s` and arguments, a `%` more values, others a field.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.mistaken import plain_nodes
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.codemods.common.values_told import paths_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_HOLE = re.compile(r"%[srd]|\{[^{}]*\}|(?<![\w.])-?\d[\d.]*(?<!\.)|(?<![\w'])[NXY](?![\w'])")
_ENDING = re.compile(
    r"\bend(?:s|ing)?\b|\bbehind\b|\bafter(?:wards)?\b|\bappend|\badd|\bsuffix|\btoo\b|\balso\b|\bas well\b"
)
_LITERAL = re.compile(r"""f?(['"])(?!\1\1)(?:[^\\\n]|\\[nt])*\1""")
_ADDS = re.compile(
    r"\b(?:too|also|as well|includ\w+|add|mention\w*|show\w*|say\w*|tell\w*|which|put|log|name|besides|with the)\b",
    re.IGNORECASE,
)
_MOST_MESSAGES = 2
_LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")
_MOST_VALUES, _MOST = 3, 6


@dataclass(frozen=True, slots=True)
class _Message:
    """A literal of several words with what its values are in: a call of a logger, a `%`, or nothing."""

    node: ast.expr
    whole: ast.Call | ast.BinOp | None
    given: Sequence[ast.expr]

    @property
    def logs(self) -> bool:
        """Whether values go behind it as arguments."""
        return isinstance(self.whole, ast.Call)


def shown_values(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each message that may be meant shows what is told, the likeliest first."""
    told = [span.text for span in spans(request.instruction) if span.mark and re.search(r"\W", span.text)]
    values = _values(before, request) if told or _ADDS.search(request.instruction) else []
    if not values:
        return
    if not told:
        yield from _behind(before, request, values[0])
    found = [
        (one, text) for one in _messages(before, request) for text in told if any(_tail(before, one, text, request))
    ]
    for message, text in found[:_MOST]:
        for lines in _written(before, message, _tail(before, message, text, request), values):
            if all(len(line) <= max(MAX_WIDTH, 140) for line in lines):
                yield lines


def _behind(before: Snippet, request: Request, value: str) -> Iterator[list[str]]:
    """A value behind the text of a message that shows others already, in the usual ways."""
    for message in list(_messages(before, request))[:_MOST_MESSAGES]:
        content = _content(before, message)
        if content.count(" ") < 2 or value in content or any(value in text_of(before, one) for one in message.given):
            continue
        name = value.rpartition(".")[2].strip("_").replace("_", " ")
        for glue in (" ({})", ": {}", f" ({name} {{}})", " for {}", f", {name}: {{}}", ", got {}"):
            if message.whole is not None and message.given:
                yield from _with_arguments(before, message, content, glue.format("%s"), [value], content.count("%"))
            elif message.whole is None and isinstance(message.node, ast.JoinedStr):
                yield _put(before, message, content + glue.format(f"{{{value}}}"))


def _values(before: Snippet, request: Request) -> list[str]:
    """The values that the words name, in the order in which they do: by their name, or by the words it is made of."""
    words = request.instruction.lower()
    found: dict[str, int] = {}
    for text in re.findall(r"\{([^{}]+)\}", request.instruction):
        if is_expression(text):
            found[text] = -1
    for span in spans(request.instruction):
        if not span.mark and re.fullmatch(r"(?:self|cls)(?:\.\w+)+(?:\(\))?", span.text):
            found[span.text] = -1
    called = {text_of(before, node.func) for node in before.nodes if isinstance(node, ast.Call)}
    for name, path in paths_of(before).items():
        if path in called or re.search(r"(?:^|[._])log(?:ger|ging)?$", path):
            continue
        parts = [re.escape(one) for one in name.rpartition(".")[2].lower().strip("_").split("_") if one]
        match = re.search(rf"(?<![\w.]){re.escape(path)}(?![\w(])", request.instruction) or re.search(
            rf"(?<![\w.']){'[ _-]'.join(parts)}(?![\w(])", words
        )
        if match and len("".join(parts)) > 1:
            found.setdefault(path, match.start())
    longest = [one for one in found if not any(other != one and other.endswith(f".{one}") for other in found)]
    shown = [one for one in longest if not any(other.startswith(f"{one}.") for other in longest)]
    return sorted(shown, key=lambda one: found[one])[:_MOST_VALUES]


def _messages(before: Snippet, request: Request) -> Iterator[_Message]:
    first, last = request.selected or (0, len(before.lines))
    nodes = [node for node in plain_nodes(before.tree) if isinstance(node, ast.expr)]
    wholes: dict[int, tuple[ast.Call | ast.BinOp, Sequence[ast.expr]]] = {}
    for node in nodes:
        match node:
            case ast.BinOp(left=literal, op=ast.Mod(), right=ast.Tuple(elts=given)):
                wholes[id(literal)] = node, given
            case ast.BinOp(left=literal, op=ast.Mod(), right=given_one):
                wholes[id(literal)] = node, [given_one]
            case ast.Call(func=ast.Attribute(value=owner, attr=level), args=[literal, *rest]) if level in _LEVELS:
                if "log" in (dotted(owner) or "").lower():
                    wholes[id(literal)] = node, rest
    for node in nodes:
        source = text_of(before, node) if isinstance(node, ast.Constant | ast.JoinedStr) else ""
        if source and first <= node.lineno - 1 <= last and _LITERAL.fullmatch(source) and " " in source:
            yield _Message(node, *wholes.get(id(node), (None, ())))


def _content(before: Snippet, message: _Message) -> str:
    return text_of(before, message.node).removeprefix("f")[1:-1]


def _tail(before: Snippet, message: _Message, told: str, request: Request) -> tuple[str, str]:
    """What of a message stays and what comes behind it, as the piece that is told says; two empty texts for no."""
    content = _content(before, message)
    piece = told.strip("\u2026") if not told.startswith("...") else told[3:].lstrip()
    if kept := _kept(content, piece):
        return kept
    if re.match(r"[^\w\s{]|\s", piece) and (_HOLE.search(piece) or _ENDING.search(request.instruction.lower())):
        stop = "." if piece.endswith(".") and content.endswith(".") else ""
        blank = " " * (piece[0] in "([{<" and not content.endswith(" "))
        return content.removesuffix(stop), blank + piece
    return "", ""


def _kept(content: str, piece: str) -> tuple[str, str] | None:
    """The piece from where it begins in the text, if it is the text with more in it; the rest of it after "...".

    `"Error: %s"` and `Error %s: ...` become `Error` and ` %s: %s`.
    """
    words = re.findall(r"\w+", piece)[:2]
    begin = re.search(r"\W+".join(map(re.escape, words)), content) if len(words) == 2 else None
    if begin is None:
        return None
    open_end = piece.endswith("...")
    piece = piece.removesuffix("...").rstrip()
    same = begin.start()
    at = 0
    while at < len(piece) and same < len(content) and piece[at] == content[same]:
        at, same = at + 1, same + 1
    rest = piece[at:]
    if not _HOLE.search(rest):
        return None
    return content[:same], rest + (re.sub(r"^\W*(?=\s)", "", content[same:]) if open_end else "")


def _written(before: Snippet, message: _Message, parts: tuple[str, str], values: Sequence[str]) -> Iterator[list[str]]:
    head, tail = parts
    content = _content(before, message)
    own = len(re.findall(r"%[srd]", content))
    fresh = [value for value in values if not re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", content)]
    holes = list(_HOLE.finditer(tail))
    if message.whole is not None:
        yield from _with_arguments(before, message, head, tail, fresh, own)
    elif holes and len(holes) <= len(fresh):
        texts = iter(fresh)
        shown = _HOLE.sub(lambda hole: _field(hole[0], texts), tail)
        yield _put(before, message, f"{_plain(message, head)}{shown}")


def _field(hole: str, values: Iterator[str]) -> str:
    if hole[0] == "{" and is_expression(re.sub(r"![rsa]$|:.*$", "", hole[1:-1])):
        next(values)
        return hole
    return f"{{{next(values)}{'!r' * (hole == '%r')}}}"


def _plain(message: _Message, text: str) -> str:
    return text if isinstance(message.node, ast.JoinedStr) else text.replace("{", "{{").replace("}", "}}")


def _put(before: Snippet, message: _Message, content: str) -> list[str]:
    mark = text_of(before, message.node)[-1]
    text = f"f{mark}{content}{mark}"
    return splice(before.lines, start_of(before, message.node), end_of(before, message.node), text)


def _with_arguments(
    before: Snippet, message: _Message, head: str, tail: str, values: Sequence[str], own: int
) -> Iterator[list[str]]:
    """`%s` in the text, and the values among those that are given: where the new text has them."""
    tail = re.sub(r"\{[^{}]*\}|(?<![\w.%])-?\d[\d.]*(?<!\.)|(?<!\w)[NXY](?!\w)", "%s", tail)
    mark = text_of(before, message.node)[-1]
    count = len(re.findall(r"%[srd]", head + tail)) - own
    at = len(re.findall(r"%[srd]", head))
    given = [text_of(before, one) for one in message.given]
    if not 0 < count <= len(values) or len(given) != own or not all(given):
        return
    new = [*given[:at], *values[:count], *given[at:]]
    text = f"{mark}{head}{tail}{mark}"
    last = message.given[-1] if message.given else message.node
    if message.logs:
        yield splice(before.lines, start_of(before, message.node), end_of(before, last), ", ".join([text, *new]))
    elif message.whole:
        yield splice(
            before.lines, start_of(before, message.whole), end_of(before, message.whole), f"{text} % ({', '.join(new)})"
        )

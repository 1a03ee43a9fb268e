"""The functions, classes and sections of a file that is not Python, and the lines they stand on.

What a grammar calls a definition is one; of Markdown what stands under a heading, of TOML a table, of YAML outer
keys, of SQL what is created, of a makefile what a rule makes.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from spark_tui.context.symbols import Symbol
from spark_tui.editing.languages import language_of, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_READ = 1_000_000
"""Characters of a file beyond which no symbols are looked for."""
_FUNCTIONS = re.compile(r"function|method|constructor|destructor|macro_definition|preproc_function_def|operator")
_CLASSES = re.compile(
    r"^(?:class|struct|interface|enum|trait|impl|union|record|object|namespace|module|internal_module|protocol|type)"
    r"(?!_member)(?:_|$)"
)
_DEFINES = re.compile(
    r"_(?:definition|declaration|item|specifier|spec|def)$|^(?:method|singleton_method|class|module)$"
)
_HOLDERS = re.compile(
    r"^(?:variable_declarator|(?:public_)?field_definition|pair|assignment|var_spec|init_declarator|val_def|property_decl)"
)
_IS_FUNCTION = re.compile(
    r"^(?:arrow_function|function_(?:expression|definition)|lambda(?:_literal|_expression)?|func_literal)$"
)
_NAMES = ("name", "declarator", "type", "property", "left", "key", "pattern")
_ABOVE = re.compile(r"comment|attribute|annotation|decorator")
_OUTER = re.compile(r"^(?:export_statement|decorated_definition|template_declaration|type_declaration)$")
_WORD = re.compile(r"[^\W\d][\w$]*(?:(?:::|\.)~?[^\W\d][\w$]*)*")
_HEADINGS = {
    "Markdown": re.compile(r"(?P<level>#{1,6})[ \t]+(?P<title>.*?)[ \t#]*"),
    "TOML": re.compile(r"(?P<level>)\[\[?(?P<title>[^\[\]]+)\]\]?[ \t]*(?:#.*)?"),
    "YAML": re.compile(r"(?P<level>)(?P<title>[\w.-]+):(?:[ \t].*)?"),
    "Make": re.compile(r"(?P<level>)(?P<title>[\w%/-][\w.%/ -]*?)[ \t]*::?(?![:=]).*"),
    "SQL": re.compile(
        r"(?i)(?P<level>)create (?:or replace |temp(?:orary)? |unique |materialized )*\w+ (?:if not exists )?[\"`\[]?"
        r"(?P<title>[\w.]+).*"
    ),
}
"""What a section of a file begins with, by its language; these read files, never what a person asks."""
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


def outline_of(path: str, lines: Sequence[str], within: tuple[int, int] | None = None) -> tuple[Symbol, ...]:
    """Every function, method, class or section of a file, in the order of their first lines.

    Args: lines: the file's, without line endings. within: the first and last line (1-based) of the part that matters:
        what lies outside may be left out, which is quicker.
    Returns: none where its language is not read, or it is very large.
    """
    language = language_of(path)
    if language is None or sum(map(len, lines)) > MOST_READ:
        return ()
    if heading := _HEADINGS.get(language.name):
        found = _sections(lines, heading)
    else:
        root = tree_of("".join(f"{line}\n" for line in lines), language) if language.package else None
        first, last = within or (1, len(lines))
        found = _definitions(root, first - 1, last - 1) if root else iter(())
    return tuple(sorted(found, key=lambda symbol: (symbol.start_line, -symbol.end_line)))


def _sections(lines: Sequence[str], heading: re.Pattern[str]) -> Iterator[Symbol]:
    """What stands under each heading, down to the next of its level or above."""
    heads, fenced = list[tuple[int, int, str]](), False
    for number, line in enumerate(lines, 1):
        fenced ^= _FENCE.match(line) is not None
        if not fenced and (found := heading.fullmatch(line)):
            heads.append((number, len(found["level"]), found["title"]))
    last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    for at, (number, level, title) in enumerate(heads):
        following = next((start for start, deep, _ in heads[at + 1 :] if deep <= level), last + 1)
        yield Symbol(title, "section", number, following - 1)


def _definitions(root: "Node", first: int, last: int) -> Iterator[Symbol]:
    """Args: first, last: rows; what lies before or behind is not looked into."""
    waiting: list[tuple[Node, Symbol | None, Node | None]] = [(root, None, None)]
    while waiting:
        node, holder, outer = waiting.pop()
        if (found := _symbol(node, holder, outer)) is not None:
            yield found
            holder = found
        wrapper = (outer or node) if _OUTER.match(node.type) else None
        children = (one for one in node.named_children if one.end_point[0] >= first and one.start_point[0] <= last)
        waiting += reversed([(child, holder, wrapper) for child in children])


def _symbol(node: "Node", holder: Symbol | None, outer: "Node | None") -> Symbol | None:
    kind = _kind(node)
    name = _name(node) if kind else ""
    if not name:
        return None
    whole, receiver = outer or node, node.child_by_field_name("receiver")
    is_method = receiver is not None or (holder is not None and holder.kind == "class")
    of = [holder.name] if holder else []
    if receiver is not None:  # Go: (s *Stack[T]), or the type alone
        of = _words(receiver, before=b"[")[-1:]
    kind = "method" if is_method and kind == "function" else kind
    return Symbol(".".join((*of, name)), kind, _start(whole) + 1, _end(whole) + 1)


def _start(node: "Node") -> int:
    """The first row, with the comments and annotations right above."""
    first, before = node.start_point[0], node.prev_named_sibling
    while before is not None and _ABOVE.search(before.type) and first - 1 <= _end(before) <= first:
        above = before.prev_named_sibling
        if above is not None and _end(above) == before.start_point[0]:
            break  # it stands behind other code
        first, before = before.start_point[0], above
    return first


def _end(node: "Node") -> int:
    """The last row that something of it stands in."""
    row, column = node.end_point
    return max(node.start_point[0], row - (column == 0))


def _kind(node: "Node") -> str:
    """What a node defines: a function, a class or "", neither."""
    if _HOLDERS.search(node.type):
        inner = chain(node.named_children, *(one.named_children for one in node.named_children if "list" in one.type))
        return "function" if any(_IS_FUNCTION.match(each.type) for each in inner) else ""
    if not _DEFINES.search(node.type) or (node.type.endswith("_specifier") and not node.child_by_field_name("body")):
        return ""  # `struct a *b;` only mentions a
    return "class" if _CLASSES.search(node.type) else "function" if _FUNCTIONS.search(node.type) else ""


def _name(node: "Node") -> str:
    """The name that a definition gives, with dots between its parts, or ""."""
    for field in _NAMES:
        inner = node.child_by_field_name(field)
        while inner is not None and (deeper := inner.child_by_field_name("declarator")) is not None:
            inner = deeper
        if inner is not None and (found := _words(inner)):
            return found[0].replace("::", ".")
    return ""


def _words(node: "Node", before: bytes = b"\0") -> list[str]:
    return _WORD.findall((node.text or b"").partition(before)[0].decode("utf-8", "replace"))

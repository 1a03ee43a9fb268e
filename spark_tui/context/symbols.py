"""Finds the functions and classes of source files, with their lines, in all languages.

Python is read by its own parser (`symbols`), or by indentation where that fails or takes too long
(`outline`). Other languages are read by their grammars (`outline_of`): what a grammar calls a
definition is one. Some formats have sections instead: what stands under a heading of Markdown,
tables of TOML, outer keys of YAML, CREATE statements of SQL, rules of makefiles.
"""

import ast
import re  # noqa: TID251 - reads source code
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_tui.editing.conflicts import is_marker
from spark_tui.editing.syntax import JSON, MOST_PARSED, YAML, language_of, read_tree, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node


_HEADER = re.compile(r"(?:async[ \t]+)?(?P<word>def|class)[ \t]+(?P<name>[^\W\d]\w*)")
_QUOTES = re.compile("'''|\"\"\"")
# a folder of tests, or a name such as test_x.py, x_test.go, x.spec.ts, conftest.py
_TEST_FILE = re.compile(
    r"(?:^|/)(?:(?:tests?|__tests__|spec)/"
    r"|(?:test_[^/]*|[^/]*(?:[._-]tests?|[._]spec)|tests?|conftest)\.\w+$)"
)
_TEST_NAME = re.compile(r"(?:^|\.)(?:test|Test|setUp|tearDown)|Tests?(?:Case)?(?:\.|$)")
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, method, class or section.

    Attributes:
        name: The qualified name: "Class.method".
        kind: "function", "method", "class" or "section".
        start_line: The first line, from 1, with decorators.
        end_line: The last line, inclusive.
    """

    name: str
    kind: str
    start_line: int
    end_line: int

    @property
    def length(self) -> int:
        """The number of lines."""
        return self.end_line - self.start_line + 1

    def contains(self, start_line: int, end_line: int) -> bool:
        """Whether all these lines (1-based, inclusive) are the symbol's."""
        return self.start_line <= start_line and end_line <= self.end_line


def is_test(path: str, symbol: str | None = None) -> bool:
    """Whether a file, or a symbol of it, is there to test other code."""
    return bool(_TEST_FILE.search(path) or (symbol and _TEST_NAME.search(symbol)))


def is_aside(path: str) -> tuple[bool, bool]:
    """Return a key that sorts tests last, and before them stubs, text and data."""
    language = language_of(path)
    is_code = language is not None and bool(language.package) and language not in {JSON, YAML}
    return is_test(path), path.endswith(".pyi") or not is_code


def symbols(lines: Sequence[str]) -> tuple[Symbol, ...]:
    """Return every function, method and class of a Python file, by their first lines.

    Args:
        lines: The lines of the file, without endings.
    """
    tree = _parsed(lines)
    if tree is None:
        return _in_order(_by_indentation(lines))
    return _in_order(_of_tree(tree))


def _in_order(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    # Of two that begin on one line the outer one comes first.
    return tuple(sorted(symbols, key=lambda symbol: (symbol.start_line, -symbol.end_line)))


def outline(lines: Sequence[str]) -> tuple[Symbol, ...]:
    """Return the same as `symbols`, by indentation alone: quick, and wrong for odd layouts."""
    return tuple(sorted(_by_indentation(lines), key=lambda symbol: symbol.start_line))


def statements_with(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return the fewest whole statements of one block around lines first..last, from 1.

    Just the lines where there are none, or the file cannot be parsed.
    """
    tree = _parsed(lines)
    block: Sequence[ast.stmt] = tree.body if tree else ()
    start = first
    end = last
    # Each round goes one block deeper, and narrows the statements to those of that block; it ends
    # where no single block holds all of the lines.
    while touched := [node for node in block if _end(node) >= first and _start(node) <= last]:
        start = min(first, _start(touched[0]))
        end = max(last, _end(touched[-1]))
        block = _block_around(touched, first, last)
    return start, end


def _block_around(nodes: Iterable[ast.stmt], first: int, last: int) -> Sequence[ast.stmt]:
    """Return the block of some statements that holds lines first..last, if there is one."""
    for node in nodes:
        for block in _blocks(node):
            if _start(block[0]) <= first and last <= _end(block[-1]):
                return block
    return ()


def _blocks(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Yield the blocks of a statement, none of them empty."""
    for field in ("body", "orelse", "finalbody"):
        block: Sequence[ast.stmt] = getattr(node, field, ())
        if block:
            yield block
    for field in ("handlers", "cases"):
        for handler in getattr(node, field, ()):
            yield handler.body


def _start(node: ast.stmt) -> int:
    """Return the first line, with decorators."""
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _parsed(lines: Sequence[str]) -> ast.Module | None:
    """The tree of a Python file; None when Python's parser cannot read it, or not soon.

    A lone CR must not count as the end of a line.
    """
    if sum(map(len, lines)) > MOST_PARSED:
        return None
    # Surrogates, which stand for bytes that are no UTF-8, become U+FFFD: the parser refuses them.
    sound = (
        "\n".join(lines)
        .replace("\r", " ")
        .encode("utf-8", "surrogateescape")
        .decode("utf-8", "replace")
    )
    return read_tree(sound)


def _of_tree(tree: ast.Module) -> Iterator[Symbol]:
    waiting: list[tuple[ast.AST, str, str]] = [(tree, "", "function")]
    while waiting:
        node, prefix, kind = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_class = isinstance(node, ast.ClassDef)
            own_kind = "class" if is_class else kind
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield Symbol(prefix + node.name, own_kind, first, node.end_lineno or node.lineno)
            prefix = f"{prefix}{node.name}."
            kind = "method" if is_class else "function"
        for field in _BODIES:
            waiting += [(child, prefix, kind) for child in getattr(node, field, ())]


def _by_indentation(lines: Sequence[str]) -> list[Symbol]:
    scan = _Scan()
    quote = ""
    for number, line in enumerate(lines, 1):
        # lines of a longer text belong to the definition, whatever their indentation
        if quote:
            scan.last = number
        elif line.strip():
            if scan.is_within(line):
                scan.last = number
            else:
                scan.take(number, line)
        if '"""' in line or "'''" in line:
            quote = _open_quote(line, quote)
    # the end of the file ends whatever is open
    scan.close(0)
    return scan.found


def _open_quote(line: str, quote: str) -> str:
    """Return the triple quote that is open after a line, or "".

    Args:
        line: The line.
        quote: The triple quote that is open before the line.
    """
    for mark in _QUOTES.findall(line):
        if mark == quote:
            quote = ""
        elif not quote:
            quote = mark
    return quote


class _Scan:
    """Finds definitions by indentation.

    A definition ends before the next code that is not indented deeper.
    """

    def __init__(self) -> None:
        self.found: list[Symbol] = []
        self.last = 0
        self._open: list[tuple[int, Symbol]] = []
        self._decorators: dict[int, int] = {}

    def is_within(self, line: str) -> bool:
        """Whether a line plainly belongs to the definition opened last: most lines do."""
        if not self._open or self._decorators:
            return False
        deeper = self._open[-1][0] + 1
        # Deeper code can begin a definition only by an a, c or d ("async", "class", "def"). `take`
        # looks at those lines, and at comments, decorators and closing brackets.
        return line[:deeper].isspace() and line.lstrip()[0] not in "#@acd)]}"

    def take(self, number: int, line: str) -> None:
        """Read a line that is not blank.

        A closing bracket ends nothing. Comments count for nothing, and so do the markers of a
        conflict: a function goes on behind them.
        """
        indent = len(line) - len(line.lstrip())
        if line[indent] == "#" or is_marker(line):
            return
        if line[indent] in ")]}":
            self.last = number
            return
        self.close(indent)
        self.last = number
        if line[indent] == "@":
            # of several decorators the first is where the definition begins
            self._decorators.setdefault(indent, number)
            return
        start = self._decorators.pop(indent, number)
        if header := _HEADER.match(line, indent):
            self._open.append(
                (indent, self._symbol(header["name"], header["word"] == "class", start))
            )

    def close(self, indent: int) -> None:
        """End the definitions that code at this indentation is not part of."""
        while self._open and indent <= self._open[-1][0]:
            self.found.append(replace(self._open.pop()[1], end_line=self.last))

    def _symbol(self, name: str, is_class: bool, start: int) -> Symbol:
        parent = self._open[-1][1] if self._open else None
        if is_class:
            kind = "class"
        elif parent and parent.kind == "class":
            kind = "method"
        else:
            kind = "function"
        if parent:
            name = f"{parent.name}.{name}"
        return Symbol(name, kind, start, start)


MOST_OUTLINED = 1_000_000
"""Characters of a file beyond which no symbols are searched."""
# Types of nodes, as the grammars of tree-sitter name them: alike in most languages, so that these
# few patterns stand for a table of each.
_FUNCTIONS = re.compile(
    r"function|method|constructor|destructor|macro_definition|preproc_function_def|operator"
)
_CLASSES = re.compile(
    r"^(?:class|struct|interface|enum|trait|impl|union|record|object|namespace|module"
    r"|internal_module|protocol|type)"
    r"(?!_member)(?:_|$)"
)
_DEFINES = re.compile(
    r"_(?:definition|declaration|item|specifier|spec|def)$"
    r"|^(?:method|singleton_method|class|module)$"
)
# nodes that give a function a name without being one: `const f = () => 0`, `f = lambda: 0`
_HOLDERS = re.compile(
    r"^(?:variable_declarator|(?:public_)?field_definition|pair|assignment|var_spec"
    r"|init_declarator|val_def|property_decl)"
)
_IS_FUNCTION = re.compile(
    r"^(?:arrow_function|function_(?:expression|definition)|lambda(?:_literal|_expression)?"
    r"|func_literal)$"
)
_NAMES = ("name", "declarator", "type", "property", "left", "key", "pattern")
_ABOVE = re.compile(r"comment|attribute|annotation|decorator")
_OUTER = re.compile(
    r"^(?:export_statement|decorated_definition|template_declaration|type_declaration)$"
)
_WORD = re.compile(r"[^\W\d][\w$]*(?:(?:::|\.)~?[^\W\d][\w$]*)*")
_HEADINGS = {
    "Markdown": re.compile(r"(?P<level>#{1,6})[ \t]+(?P<title>.*?)[ \t#]*"),
    "TOML": re.compile(r"(?P<level>)\[\[?(?P<title>[^\[\]]+)\]\]?[ \t]*(?:#.*)?"),
    "YAML": re.compile(r"(?P<level>)(?P<title>[\w.-]+):(?:[ \t].*)?"),
    "Make": re.compile(r"(?P<level>)(?P<title>[\w%/-][\w.%/ -]*?)[ \t]*::?(?![:=]).*"),
    "SQL": re.compile(
        r"(?i)(?P<level>)create (?:or replace |temp(?:orary)? |unique |materialized )*\w+ (?:if "
        r"not exists )?[\"`\[]?"
        r"(?P<title>[\w.]+).*"
    ),
}
"""The beginning of a section, by language.

These expressions read files, never what a person asks.
"""
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


def outline_of(
    path: str, lines: Sequence[str], within: tuple[int, int] | None = None
) -> tuple[Symbol, ...]:
    """Return every function, method, class or section of a file, by their first lines.

    Args:
        path: The path of the file, which tells its language.
        lines: The lines of the file, without endings.
        within: The first and the last line that matter, from 1; symbols outside may be left out,
            which is quicker.

    Returns:
        Nothing where the language is not read, or the file is very large.
    """
    language = language_of(path)
    if language is None or sum(map(len, lines)) > MOST_OUTLINED:
        return ()
    if heading := _HEADINGS.get(language.name):
        return _in_order(_sections(lines, heading))
    if not language.package:
        return ()
    root = tree_of("".join(f"{line}\n" for line in lines), language)
    if root is None:
        return ()
    first, last = within or (1, len(lines))
    return _in_order(_definitions(root, first - 1, last - 1))


def _sections(lines: Sequence[str], heading: re.Pattern[str]) -> Iterator[Symbol]:
    """Yield the section under each heading, down to the next of its level or above."""
    heads = list[tuple[int, int, str]]()
    fenced = False
    last = 0
    for number, line in enumerate(lines, 1):
        if line.strip():
            last = number
        # within a fence, `# comment` is code and no heading
        fenced ^= _FENCE.match(line) is not None
        match = heading.fullmatch(line)
        if match and not fenced:
            heads.append((number, len(match["level"]), match["title"]))
    for index, (number, level, title) in enumerate(heads, 1):
        end = last
        for start, other_level, _ in heads[index:]:
            if other_level <= level:
                end = start - 1
                break
        yield Symbol(title, "section", number, end)


def _definitions(root: "Node", first: int, last: int) -> Iterator[Symbol]:
    """Yield the definitions in a tree.

    Args:
        root: The root of the tree.
        first: The first row that matters; what lies above is not entered.
        last: The last row that matters; what lies below is not entered.
    """
    waiting: list[tuple[Node, Symbol | None, Node | None]] = [(root, None, None)]
    while waiting:
        node, holder, outer = waiting.pop()
        symbol = _symbol(node, holder, outer)
        if symbol is not None:
            yield symbol
            holder = symbol
        wrapper = None
        # Of nested wrappers the outermost one counts; a child that is not directly wrapped has
        # none.
        if _OUTER.match(node.type):
            wrapper = outer or node
        # The last child first: the stack gives them back in their order.
        for child in reversed(node.named_children):
            if child.end_point[0] >= first and child.start_point[0] <= last:
                waiting.append((child, holder, wrapper))


def _symbol(node: "Node", holder: Symbol | None, outer: "Node | None") -> Symbol | None:
    """Return the symbol that a node defines, if any.

    Args:
        node: The node.
        holder: The symbol around the node.
        outer: The wrapper of the node, such as an export, which counts as a part of it.
    """
    kind = _kind(node)
    name = _name(node) if kind else ""
    if not name:
        return None
    whole = outer or node
    owner = [holder.name] if holder else []
    is_method = holder is not None and holder.kind == "class"
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:  # Go: (s *Stack[T]), or the type alone
        is_method = True
        owner = _words(receiver, before=b"[")[-1:]
    if is_method and kind == "function":
        kind = "method"
    return Symbol(".".join((*owner, name)), kind, _start_of(whole) + 1, _end_of(whole) + 1)


def _start_of(node: "Node") -> int:
    """The first row, with the comments and annotations right above."""
    first = node.start_point[0]
    before = node.prev_named_sibling
    while (
        before is not None and _ABOVE.search(before.type) and first - 1 <= _end_of(before) <= first
    ):
        above = before.prev_named_sibling
        if above is not None and _end_of(above) == before.start_point[0]:
            break  # it stands behind other code
        first = before.start_point[0]
        before = above
    return first


def _end_of(node: "Node") -> int:
    """The last row that some of the node stands on."""
    row, column = node.end_point
    # A node may end with the line feed, at the start of a row that has nothing of it.
    return max(node.start_point[0], row - (column == 0))


def _kind(node: "Node") -> str:
    """Return what a node defines: "function", "class", or ""."""
    if _HOLDERS.search(node.type):
        inner = list(node.named_children)
        for child in node.named_children:
            # Go and Lua put both sides of an assignment into lists.
            if "list" in child.type:
                inner += child.named_children
        is_function = any(_IS_FUNCTION.match(child.type) for child in inner)
        return "function" if is_function else ""
    if not _DEFINES.search(node.type):
        return ""
    if node.type.endswith("_specifier") and not node.child_by_field_name("body"):
        return ""  # `struct a *b;` only mentions a
    if _CLASSES.search(node.type):
        return "class"
    if _FUNCTIONS.search(node.type):
        return "function"
    return ""


def _name(node: "Node") -> str:
    """Return the dotted name that a definition gives, or ""."""
    for field in _NAMES:
        inner = node.child_by_field_name(field)
        # C nests declarators: in `int *f(void)` the name is within the function, within the
        # pointer.
        while inner is not None and (deeper := inner.child_by_field_name("declarator")) is not None:
            inner = deeper
        words = _words(inner) if inner is not None else []
        if words:
            return words[0].replace("::", ".")
    return ""


def _words(node: "Node", before: bytes = b"\0") -> list[str]:
    return _WORD.findall((node.text or b"").partition(before)[0].decode("utf-8", "replace"))

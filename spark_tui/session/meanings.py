"""The marks of the edit format in words, for whoever looks back at what was written."""

from spark_tui.editing.format import (
    DEDENT,
    DELETE,
    END,
    INDENT,
    INSERT,
    LEVELS,
    NO_EDIT,
    REPLACE,
    SUBSTITUTE,
    TO,
    Layout,
    Mark,
    kind_of,
)
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.script import TOP

_WORDS = {
    REPLACE: "replace",
    INSERT: "insert",
    DELETE: "delete",
    SUBSTITUTE: "rename",
    TO: "to",
    INDENT: "indent",
    DEDENT: "dedent",
    END: "that is all",
}


def meaning(mark: Mark, parser: ScriptParser, first_line: int) -> str:
    """What a mark says. Args: parser: has just read it. first_line: of the region in its file, from 1."""
    if (kind := kind_of(mark)) is not None:
        return "no edit" if kind == NO_EDIT else f"kind of edit: {kind.replace('_', ' ')}"
    if mark in LEVELS:
        return _line_begins(LEVELS.index(mark), parser.frame.layout)
    if (number := parser.frame.number(mark)) is not None:
        return _place(number, parser, first_line)
    return _WORDS.get(mark, "a mark that means nothing here")


def _line_begins(level: int, layout: Layout) -> str:
    units = level + layout.base
    indented = f"{units} tab{'s' * (units != 1)}" if layout.unit == "\t" else f"{units * len(layout.unit)} spaces"
    return f"a line, indented by {indented}" if units else "a line, not indented"


def _place(number: int, parser: ScriptParser, first_line: int) -> str:
    if number == TOP:
        return f"before line {first_line}"
    where = "behind line" if parser.op_mark == INSERT else "to line" if len(parser.lines) > 1 else "line"
    return f"{where} {first_line + number}"

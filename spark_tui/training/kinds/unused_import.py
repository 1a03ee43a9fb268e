"""Remove an import that a person or a linter calls unused."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import imported
from spark_tui.training.kinds.base import Edit, Kind, Planted

Import = ast.Import | ast.ImportFrom


class UnusedImport(Kind):
    """The import line goes, or the one name on it."""

    name: ClassVar[str] = "unused_import"
    skeletons: ClassVar[str] = """
<remove> the <unused> import {name}
<remove> the <unused> import of {name}
<remove> the import of {name}
<remove> the import {name}
<remove> the {name} import
<remove> the <unused> {name} import
<get_rid> the import of {name}
<get_rid> the <unused> {name} import
<drop> the import of {name}
<drop> the {name} import
don't import {name} [any more|anymore|]
stop importing {name}
no import of {name}
no {name} import [please|]
{name} is <unused>
{name} is imported but [never used|not used|unused]
{name} is imported [for nothing|needlessly|without need]
{name} isn't used [any more|anymore|anywhere|]
{name} is not used [any more|anymore|anywhere|]
{name} is not needed [any more|anymore|]
{name} [doesn't|does not] need to be imported
nothing uses {name}[, <remove> the import|]
nobody uses {name}[, <drop> it|]
[we|you|i] don't use {name} [any more|anymore|]
[we|you|i] don't need {name} [any more|anymore|]
[we|you|i] don't need the {name} import [any more|anymore|]
the import of {name} is <unused>
the import of {name} is <unneeded>
the import of {name} [can|should|must] go
the {name} import is <unneeded>
the {name} import [can|should|must] go
the {name} import <should> be <removed>
[why|how come] do we import {name}
[why|how come] is {name} imported
do we [still|] need {name}? <remove> the import
is {name} [still|even] used? <drop> it
<lint>: F401 {name}
<lint>: F401 {name} imported but unused
F401 {name} imported but unused
W0611 unused import {name}
pylint unused-import: {name}
unused import: {name}
unused import {name}
<lint>: unused import {name}
<nit>: unused import {name}
<nit>: {name} is <unused>
<review>: unused import {name}
<review>: {name} is imported but not used
pyflakes: {name} imported but unused
[clean up|tidy] the imports, {name} is <unused>
<imports>: <remove> {name}
imports without {name}
unimport {name}
rm import {name}
leave {name} out of the imports
take {name} out of the imports
<remove> {name} from the imports
<drop> {name} from the imports
the code works without {name}[, <drop> the import|]
forgot to <remove> the {name} import
<remove> {statement}
<remove> the line {statement}
<get_rid> {statement}
<drop> {statement}
{statement} is <unused>
{statement} is <unneeded>
{statement} [can|should|must] go
[we|you|i] don't need {statement}
[why|how come] {statement}
no {statement}
@<remove> this import
@this import is <unused>
@this import is <unneeded>
@<drop> this import
@[F401|W0611] here
@unused import
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Import something new somewhere among the imports at the top."""
        block = imported.top_block(snippet)
        if not block:
            return None
        name, line = imported.new_import(rng)
        if name in imported.bound(snippet):
            return None
        at = code.statement_lines(rng.choice(block))[1] + 1
        return Planted(Snippet((*snippet.lines[:at], line, *snippet.lines[at:])))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove one name that is imported once; what comes later is not in sight, so that it has to be told."""
        found = [one for one in _removable(snippet) if code.mentions(snippet, one[1]) == 1]
        if not found:
            return None
        node, name, after = rng.choice(found)
        first, last = code.statement_lines(node)
        if len(node.names) == 1 and rng.random() < 0.3:
            slots = {"statement": snippet.lines[first].strip()} if rng.random() < 0.5 else {}
            return Edit.between(snippet, after, slots, None if slots else (first, last))
        return Edit.between(snippet, after, {"name": name})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses and binds one name less."""
        if not super().accepts(before, after, slots):
            return False
        return len(imported.bound(Snippet(tuple(after)))) == len(imported.bound(before)) - 1


def _removable(snippet: Snippet) -> Iterator[tuple[Import, str, list[str]]]:
    """Every import that can be taken out line by line, with the name it binds and the lines without it."""
    for node in imported.top_block(snippet):
        first, last = code.statement_lines(node)
        for alias in node.names:
            name = alias.asname or alias.name
            lines: list[str] | None = None
            if len(node.names) == 1:
                blank = not "".join(snippet.lines[first - 1 : first]).strip()
                lines = None if blank or first != last else [*snippet.lines[:first], *snippet.lines[last + 1 :]]
            elif first == last:
                lines = _without(snippet, first, ast.unparse(alias))
            elif snippet.lines[alias.lineno - 1].strip() == f"{ast.unparse(alias)},":
                lines = [*snippet.lines[: alias.lineno - 1], *snippet.lines[alias.lineno :]]
            if lines is not None:
                yield node, name, lines


def _without(snippet: Snippet, line: int, alias: str) -> list[str] | None:
    """The lines after `a, b, c` on one of them became `a, c`."""
    head, keyword, names = snippet.lines[line].rpartition("import ")
    listed = [name.strip() for name in names.strip().strip("()").split(",")]
    if listed.count(alias) != 1 or "#" in names or "\\" in names:
        return None
    listed.remove(alias)
    kept = ", ".join(listed)
    text = f"{head}{keyword}({kept})" if "(" in names else f"{head}{keyword}{kept}"
    return [*snippet.lines[:line], text, *snippet.lines[line + 1 :]]

"""Remove an import that a person or a linter calls unused."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.unused_import import removed, unused_imports
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import imported
from spark_tui.training.kinds.base import Edit, Kind, Planted

_ONE = "unused import|import nobody uses|dead import|import that isn't used|superfluous import"
_SEVERAL = "unused imports|imports nobody uses|dead imports|imports that aren't used|superfluous imports"


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
<remove> the {what}
<get_rid> the {what}
<drop> the {what}
[clean up|tidy up|purge|prune] the {what}
the {what} [can|should|must] go
no {what} [please|]
[is there|are there|i see|we have|there's] {what} [here|in here|at the top|]? <remove> it
<lint>: F401 {what}
F401 {what}
autoflake [says|complains about]: {what}
<review>: {what}
[we|you] left {what} [behind|in there|at the top]
[sort out|fix] the {what}
{what} at the top
@<remove> this import
@this import is <unused>
@this import is <unneeded>
@<drop> this import
@[F401|W0611] here
@unused import
@nothing uses this [import|]
@[why|how come] [do we|are we] import this
@we don't need this [any more|anymore|]
@this isn't used [anywhere|any more|]
@[dead|stray|leftover] import [here|]
@this import can go
@imported but [never used|unused|not used]
<remove> {statement} [again|], <unused>
is {statement} [still|] needed?
nothing needs {statement}
{statement} is left over
[kill|cut] {statement}
@can this import go?
@this line imports nothing we use
@nobody uses this import
@pointless import
@this one is imported for nothing
@no one needs this import [here|]
@what is this import for
F401 `{name}` imported but unused
F401 [\\[*\\] |]`{name}` imported but unused
F401 '{name}' imported but unused
W0611: Unused {name} imported
W0611: Unused import {name} (unused-import)
reportUnusedImport: Import "{name}" is not accessed
"{name}" is not accessed
vscode greys out {name}
{name} is greyed out [in my editor|in pycharm|at the top|]
pycharm: unused import statement, {name}
deepsource / codeclimate: {name} unused
vulture finds {name}
{name} imported, not used
{name}: unused
{name} - not used
{name} was [needed|used] [once|before|in an earlier version], [not now|no longer|not any more]
{name} came in with the [last commit|refactoring|debugging|old code] and [can go|is not wanted|nobody uses it]
since the [refactoring|rewrite|cleanup|last change] {name} has no [use|user|purpose] [here|in this file|in this module]
after the [refactoring|cleanup|move] we can do without {name}
no one calls {name} [here|in here|in this file]
nothing here touches {name}
{name} has no users [here|left|]
{name} is just noise [at the top|up there|]
{name} is a leftover [from debugging|of the old version|]
{name} up there is [dead|not used|useless|for nothing]
what do we have {name} for
what is {name} doing [up there|in the imports|at the top]
did we ever use {name}?
can {name} go?
can we lose {name}?
is anything using {name}? if not, out
{name} out
out with {name}
minus {name}
-{name} from the import list
without {name} at the top
no more {name} [at the top|in the imports]
{name} slows the [start|start-up|import] down and nobody needs it
importing {name} costs time for nothing
circular import because of {name}, which we don't even use
ModuleNotFoundError: No module named '{name}' - and it's not even used
{name} isn't [installed|available|around] [any more|in production|on the server], and not used either
we [dropped|got rid of] the {name} dependency, this is the last trace
{name} is no dependency of ours any more
take the {name} line off the top
import list: {name} is too much
i see {name} imported, but where is it used?
grep finds {name} only in the import
only mention of {name} is its import
ruff --fix would drop {name}
autoflake would take {name} out
isort is happy but {name} is [dead|unused]
forgot {name} [up there|at the top|in the imports] when i [removed|moved|rewrote] the code
{statement}? [not used|what for|nobody needs it]
{statement} -> nothing
{statement}: unused
F401 {statement}
{statement} was for debugging
{statement} is dead
without {statement}
the line {statement} does nothing for us
we could do without {statement}
can {statement} go?
the {what} [at the top|up there] bothers me
{what} alert
i see {what} up there
flake8 F401, {what}
ruff: {what}
{what}: out
without the {what} please
we can do without the {what}
can the {what} go?
@F401
@W0611
@greyed out in my editor
@is not accessed
@out
@nobody needs that
@no longer used
@not used in here
@what's this import for
@dead weight
@unused
@can go
@this was for debugging
@we stopped using this
@leftover from the [refactoring|old version|last change]
@grep finds no other use
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
        unused = unused_imports(snippet)
        found = [one for one in unused if code.mentions(snippet, one.bound) == 1]
        if not found:
            return None
        if snippet.functions and len(found) == len(unused) and rng.random() < 0.4:
            after = removed(snippet, found)
            words = _SEVERAL if len(found) > 1 else _ONE
            return Edit.between(snippet, after, {"what": rng.choice(words.split("|"))}) if after else None
        one = rng.choice(found)
        after = removed(snippet, [one])
        if after is None or not any(map(str.strip, after)):
            return None
        if len(one.node.names) == 1 and rng.random() < 0.3:
            told = rng.random() < 0.5
            slots = {"statement": ast.unparse(one.node)} if told else {}
            rows = one.node.lineno - 1, (one.node.end_lineno or one.node.lineno) - 1
            return Edit.between(snippet, after, slots, None if told else rows)
        return Edit.between(snippet, after, {"name": rng.choice(one.names[:1] * 4 + one.names[2:]) or one.bound})

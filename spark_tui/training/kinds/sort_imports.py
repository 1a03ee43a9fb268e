"""Put imports in order."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods.imports.import_blocks import Block, Item, stretches, with_sorted_names
from spark_tui.editing.codemods.sort_imports import by_modules, in_blocks, in_groups, merged, parted
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import imported
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import said

_ALL = "imports|import statements|import lines|imports|import block|module imports|imports at the top"


class SortImports(Kind):
    """Import statements are sorted, in groups when told, parted or merged.

    Slots: {plural} what people call them, with {plain}, {sections}, {modules}, {parts}, {lines} "" for what is to be done;
    {several} when `import a, b` is to be parted; {module} whose imports
    are merged, {source} whose names are sorted.
    """

    name: ClassVar[str] = "sort_imports"
    skeletons: ClassVar[str] = """
<sort> the {plural}{plain}
<sort> the {plural} alphabetically{plain}
<sort> [all|] {plural}{plain}
[put|bring|get] the {plural} [in|into] [alphabetical|the right|a sensible|proper] order{plain}
[alphabetize|alphabetise|order|arrange|reorder] the {plural}{plain}
the {plural} are [not sorted|unsorted|out of order|in the wrong order|not in order|a mess|messy|in random order]{plain}
the {plural} are not [alphabetical|in alphabetical order|sorted alphabetically]{plain}
the {plural} <should> be [sorted|alphabetical|in alphabetical order|in order]{plain}
unsorted {plural}{plain}
sorted {plural} [please|]{plain}
[tidy|tidy up|clean up|organize|organise] the {plural}{plain}
why are the {plural} [not sorted|unsorted|in this order|so disordered]{plain}
<want> [sorted {plural}|the {plural} sorted|the {plural} in order]{plain}
<lint>: {plural} are [incorrectly sorted|unsorted|not sorted]{plain}
<nit>: sort the {plural}{plain}
<review>: {plural} [out of order|not sorted|unsorted]{plain}
{plural} a to z{plain}
{plural} in alphabetical order [please|]{plain}
can the {plural} be [sorted|in order|alphabetical]{plain}
I100 Import statements are in the wrong order{plain}
<fix> the order of the {plural}{plain}
<fix> the import order{plain}
wrong import order{plain}
the import order is [wrong|off|not right|random]{plain}
I001 Import block is un-sorted or un-formatted{sections}
isort{sections}
run isort [on this|here|on the {plural}|over it]{sections}
what isort would do{sections}
isort: {plural} are incorrectly sorted and/or formatted{sections}
ERROR: Imports are incorrectly sorted and/or formatted. (isort){sections}
<sort> the {plural} [like|the way] isort [does|would|does it]{sections}
<sort> the {plural} [by|as in|per|according to|following] PEP 8{sections}
PEP 8 [import order|order of imports] [please|]{sections}
<sort> and group the {plural}{sections}
group the {plural}{sections}
group the {plural} [by|into] [standard library, third party and local|stdlib, third-party, local|sections]{sections}
[separate groups for|group] [standard library|stdlib] and third[-| ]party {plural}{sections}
[standard library|stdlib] first, then third[-| ]party, then local {plural}{sections}
[stdlib|the standard library] {plural} <should> come [first|before third-party ones]{sections}
the {plural} are not [grouped|in sections|in groups]{sections}
the {plural} <should> be [grouped|in groups|in sections]{sections}
C0411 wrong-import-order: standard import should be placed before third party import{sections}
C0411: third party import should be placed before local import{sections}
third[-| ]party {plural} [come|stand|are] before standard library ones{sections}
[stdlib and third party|standard library and third-party] {plural} are mixed [up|]{sections}
<sort> the {plural} into sections{sections}
<sort> the {plural} by module name{modules}
<sort> the {plural} by module[, no matter if import or from|, import and from mixed|, ignoring import or from]{modules}
order the {plural} by module name, regardless of import or from{modules}
mix import and from [lines|imports] [when sorting|and sort by module]{modules}
force_sort_within_sections for the {plural}{modules}
<sort> the {plural} only by [the|their] module name{modules}
one import per line{parts}
[put|place|write] each import on its own line{parts}
E401 multiple imports on one line{parts}{several}
C0410: Multiple imports on one line (multiple-imports){parts}{several}
<split> the {plural} [into|onto|over] [separate|several] lines{parts}
every import <should> [be|stand|go] on its own line{parts}
[several|multiple|two|many] {plural} on one line{parts}, <split> them{several}
no several modules in one import{parts}, one import per line{several}
<split> up the combined import{parts}{several}
separate lines for the {plural}{parts}
a separate import [line|statement] for [each|every] module{parts}
why [several|two|many] {plural} on one line{parts}{several}
<lint>: multiple imports on one line{parts}{several}
<merge> the {plural} [from|of] {module}
<merge> the [two|] from {module} [imports|lines]{lines}
<merge> [the|all] {plural} [from|of] the same [module|package]{lines}
[combine|join] the {plural} from {module} [into one|in one line|]
[combine|join|collapse] [all|] {plural} [from|of] the same [module|package]{lines}
{module} is imported from twice, <merge> [them|the lines]
import everything from {module} [in one statement|with a single import]
put the {plural} from {module} together
a single [from|] import for {module}
one from import [for|per] module{lines}
why [two|several] {plural} from {module}? <merge> them
duplicate from {plural}{lines}, merge them
C0412 ungrouped-imports: {plural} from package {module} are not together{lines}
<sort> the names imported from {source}{names}
<sort> the names in the import from {source}{names}
the names imported from {source} <should> be sorted{names}
the names [in the import|imported] from {source} are [unsorted|not sorted|out of order|not alphabetical]{names}
alphabetize the names imported from {source}{names}
@<sort> [these|this]{plain}
@<sort> these imports{plain}
@[unsorted|not sorted|wrong order]{plain}
[{plural} please in order|alphabetical {plural}]{plain}
who [keeps|left] the {plural} in this order{plain}
i can never find anything in the {plural}{plain}, put them in order
abc order for the {plural}{plain}
{plural}: a, b, c{plain}
[merge conflicts|conflicts] all the time because the {plural} aren't sorted{plain}
the {plural} jump around{plain}
order of the {plural} is random{plain}
reorder-python-imports{plain}
[pre-commit|ci|the hook] fails on the order of the {plural}{plain}
{plural} all over the place{plain}
{plural} in no order at all{plain}
new {plural} were just added at the end{plain}, put them where they belong
someone appended to the {plural} without sorting{plain}
{plural} by alphabet{plain}
shuffle the {plural} into the right order{plain}
the last import is in the wrong [place|spot]{plain}
keep the {plural} tidy{plain}
I101 Imported names are in the wrong order{plain}
ruff --select I --fix{sections}
ruff I001{sections}
I001 \\[*\\] Import block is un-sorted or un-formatted{sections}
ruff check says I001{sections}
Organize imports{sections}
[pycharm|vscode]: optimize {plural}{sections}
would be reformatted by isort{sections}
isort --check fails{sections}
isort --profile black{sections}
let isort have its way{sections}
{plural} the PEP8 way{sections}
blank line between stdlib and the rest of the {plural}{sections}
{plural} in three blocks{sections}
three groups of {plural}, blank line between them{sections}
what's from us, what's third party? group the {plural}{sections}
stdlib, pip packages and our own {plural} are jumbled{sections}
our own modules last{sections}, stdlib on top
stdlib goes on top{sections}
[first|wrong-import-order: first] party import before third party import{sections}
C0411 (wrong-import-order){sections}
I201 Missing newline between import groups{sections}
I202 Additional newline in a group of imports{sections}
import x and from x next to each other when sorting the {plural}{modules}
don't care about import vs from, just the module name{modules}
{plural} by module, from or not{modules}
interleave import and from lines{modules}
module name decides, not the keyword{modules}
google style {plural} order{modules}
fssws{modules}
no separate block for the from {plural}, sort them in between{modules}
E401 Multiple imports on one line{parts}{several}
import a, b -> two lines{parts}{several}
import a, b is against pep8{parts}{several}
commas in import lines, no{parts}
one module, one line{parts}
[diffs|git blame] [are|is] easier with one import per line{parts}
force_single_line{parts}
force_single_line = true{parts}
single-line {plural}{parts}
no commas in the {plural}{parts}
a line for each of the {plural}{parts}
un-comma the {plural}{parts}
one name per import line{parts}
[each|every] imported name on its own line{parts}
{module} shows up twice
{module} imported from in several places
from {module} import everything we need, once
why not one line for {module}
two lines for {module}, one would do
the same module {module} again and again
C0412 (ungrouped-imports) {module}
Imports from package {module} are not together
one from-import for {module}
collect what comes from {module} in one import
fold the {module} lines into one
same module on more than one line{lines}
from x import a, from x import b -> from x import a, b{lines}
from x import a; from x import b{lines}, one line is enough
[don't|no need to] repeat from for the same module{lines}
the from lines repeat themselves{lines}
one module one statement{lines}
[what|names] we import from {source} in alphabetical order{names}
from {source} import ... [should be|please] sorted{names}
names behind from {source} import in order{names}
sort inside from {source} import{names}
I101 Imported names are in the wrong order. {source}{names}
after from {source} import, a to z{names}
order within the {source} import{names}
@a to z{plain}
@in order please{plain}
@alphabetical{plain}
@random order{plain}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Shuffle, join or part imports."""
        found = stretches(snippet)
        if not found or any(item.module == "__future__" for item in found[0][0]):
            return None
        stretch = rng.choice(found)
        first, last = stretch[0][0].first, stretch[-1][-1]
        new = list(_disordered(stretch, rng))
        after = (*snippet.lines[:first], *new, *snippet.lines[last.first + len(last.lines) :])
        return Planted(Snippet(after)) if after != snippet.lines else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Sort, group, part or merge."""
        found = stretches(snippet)
        slots = {"plural": said(rng, _ALL)}
        options: list[tuple[list[str], dict[str, str]]] = []
        for make, sort in ((in_blocks, "plain"), (in_groups, "sections"), (by_modules, "modules"), (parted, "parts")):
            if after := next(make(snippet, found), None):
                told = {"several": ""} if sort == "parts" and _has_several(found) else {}
                options += [(after, {**slots, sort: "", **told})] * (2 if sort == "plain" else 1)
        merges = list(merged(snippet, found))
        if merges:
            modules = _merged_modules(found)
            told = {"module": modules[0]} if len(modules) == 1 else {}
            options += [(merges[0], {**slots, "lines": "", **told})] * 2
        options += list(_names(snippet, found))
        fit = [(after, words) for after, words in options if after != list(snippet.lines)]
        if not fit:
            return None
        items = [item for stretch in found for block in stretch for item in block]
        rows = (items[0].first, items[-1].first + len(items[-1].lines) - 1)
        return Edit.between(snippet, *rng.choice(fit), rows if len(found) == 1 and rng.random() < 0.15 else None)


def _names(snippet: Snippet, found: list[list[Block]]) -> Iterator[tuple[list[str], dict[str, str]]]:
    for item in (item for stretch in found for block in stretch for item in block):
        if (new := with_sorted_names(item)) and item.module:
            after = [*snippet.lines[: item.first], *new, *snippet.lines[item.first + len(item.lines) :]]
            yield after, {"source": item.module, "names": ""}


def _has_several(found: list[list[Block]]) -> bool:
    nodes = (item.node for stretch in found for block in stretch for item in block)
    return any(isinstance(node, ast.Import) and len(node.names) > 1 for node in nodes)


def _merged_modules(found: list[list[Block]]) -> list[str]:
    items = [item for stretch in found for block in stretch for item in block if isinstance(item.node, ast.ImportFrom)]
    names = [f"{'.' * item.level}{item.module}" for item in items]
    return sorted({name for name in names if names.count(name) > 1})


def _disordered(stretch: list[Block], rng: Random) -> Iterator[str]:
    items = [item for block in stretch for item in block]
    lines = [list(item.lines) for item in items]
    roll = rng.random()
    if roll < 0.2:
        yield from _joined(stretch, rng)
    elif roll < 0.4 and (wide := [item for item in items if _can_part(item)]):
        item = rng.choice(wide)
        at = lines.index(list(item.lines))
        lines[at : at + 1] = [[line] for line in _two(item)]
        yield from (line for one in lines for line in one)
    elif roll < 0.7 and len(stretch) > 1:
        rng.shuffle(lines)
        yield from (line for one in lines for line in one)
    else:
        yield from _shuffled(stretch, rng)


def _shuffled(stretch: list[Block], rng: Random) -> Iterator[str]:
    margin = indentation(stretch[0][0].lines[0])
    for number, block in enumerate(stretch):
        texts = [list(item.lines) for item in block]
        if number == 0 and rng.random() < 0.3:
            texts.append([margin + imported.new_import(rng)[1]])
        rng.shuffle(texts)
        yield from [""] if number else []
        yield from (line for one in texts for line in one)


def _joined(stretch: list[Block], rng: Random) -> Iterator[str]:
    margin = indentation(stretch[0][0].lines[0])
    for number, block in enumerate(stretch):
        yield from [""] if number else []
        plain = [item for item in block if isinstance(item.node, ast.Import) and "#" not in item.lines[0]]
        some = rng.sample(plain, min(len(plain), rng.choice([2, 2, 3])))
        for item in block:
            if item not in some:
                yield from item.lines
            elif item is some[0]:
                yield f"{margin}import {', '.join(ast.unparse(name) for one in some for name in one.node.names)}"


def _can_part(item: Item) -> bool:
    return isinstance(item.node, ast.ImportFrom) and len(item.node.names) > 1 and "#" not in "".join(item.lines)


def _two(item: Item) -> tuple[str, str]:
    head = item.lines[0].partition(" import ")[0]
    names = [ast.unparse(name) for name in item.node.names]
    middle = len(names) // 2
    return f"{head} import {', '.join(names[:middle])}", f"{head} import {', '.join(names[middle:])}"

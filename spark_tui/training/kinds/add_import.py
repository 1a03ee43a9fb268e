"""Add an import after the imports at the top of a module."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.imports.import_places import put_in
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import imported
from spark_tui.training.kinds.base import Edit, Kind


class AddImport(Kind):
    """One line after the last of the imports."""

    name: ClassVar[str] = "add_import"
    weight: ClassVar[float] = 1.2
    skeletons: ClassVar[str] = """
import {module}
import {module} [at the top|too|as well|also|here]
<add> [an|the] import of {module}
<add> [an|the] import for {module}
<add> [the |]import {module}
<add> [the |a |]{module} import
<add> {module} to the imports
<put> {module} in the imports
<add> <a_missing> import of {module}
[we|i|you] need {module}
[we|i|you] need to import {module}
[we|i|you] forgot to import {module}
{module} is not imported
{module} isn't imported [yet|]
{module} <should> be imported
{module} needs an import
{module} is missing [from the imports|]
the import of {module} is missing
the {module} import is missing
missing import: {module}
missing import {module}
<missing> {module}
NameError: name {module} is not defined
name {module} is not defined
undefined name {module}
F821 undefined name {module}
<lint>: F821 undefined name {module}
<lint>: {module} is not imported
E0602 undefined variable {module}
<fix> the NameError for {module}
<fix> the missing import of {module}
<nit>: import {module}
<review>: {module} is never imported
[why|how come] isn't {module} imported
[i want|i'd like] to use {module}[, import it|]
make {module} available
bring {module} into scope
load {module} at the top
<imports>: <add> {module}
it crashes, {module} is not imported
import {name} from {source}
import {name} from {source} [at the top|too|as well|also|here]
from {source} import {name}
<add> [an|the] import of {name} from {source}
<add> [the |]from {source} import {name}
<add> {name} from {source} to the imports
<add> <a_missing> import of {name} from {source}
[we|i|you] need {name} from {source}
[we|i|you] need to import {name} from {source}
[we|i|you] forgot to import {name} from {source}
{name} from {source} is not imported
{name} <should> be imported from {source}
{name} needs to come from {source}
{name} is missing, it [comes from|lives in|is in] {source}
missing import: {name} from {source}
NameError: name {name} is not defined, it is in {source}
F821 undefined name {name}[,|:] import it from {source}
undefined name {name}, it [comes from|lives in|is in] {source}
get {name} from {source}
pull {name} in from {source}
bring in {name} from {source}
use {name} of {source}, import it
<fix> the NameError: {name} [comes from|lives in|is in] {source}
<nit>: import {name} from {source}
<review>: {name} is never imported, it [comes from|is in] {source}
[why|how come] isn't {name} imported from {source}
make {name} from {source} available
{source} has {name}, import it
<add> {statement}
<add> {statement} [at the top|to the imports|after the imports|below the other imports]
<put> {statement} [at the top|with the other imports|after the imports]
[we|i|you] need {statement}
{statement} is missing
missing {statement}
<write> {statement} [at the top|after the imports]
[there should be|i want] {statement} [at the top|]
import {original} as {alias}
<add> import {original} as {alias}
<add> an import of {original} as {alias}
import {original} under the name {alias}
[we|i|you] need {original} as {alias}
{original} <should> be imported as {alias}
missing import: {original} as {alias}
NameError: name {alias} is not defined, it is {original}
undefined name {alias}, <should> be {original}
i need {module} in this module
{module} is needed [here|in here|in this file|for the next change]
{module} please
{module} at the top
{module}, import it
+ import {module}
import {module} up there
we'll need {module} [in a minute|in a moment|soon|next|below]
i'm going to use {module} [here|below|in a second]
going to call {module} further down, [get it in|so import it]
could you get {module} in
get {module} in here
can we have {module} [in here|at the top|here]?
let me use {module}
i want {module} around
so that i can write {module}.something
NameError: name '{module}' is not defined
NameError: name '{module}' is not defined. Did you forget to import '{module}'?
F821 Undefined name `{module}`
E0602: Undefined variable '{module}' (undefined-variable)
error: Name "{module}" is not defined [\\[name-defined\\]|]
"{module}" is not defined
reportUndefinedVariable: "{module}" is not defined
Unresolved reference '{module}'
Cannot find reference '{module}'
pycharm underlines {module}
{module} has a red squiggle
{module} is undefined
{module} isn't known [here|in this file|in this module]
nobody imported {module}
no import for {module} [yet|]
the import for {module} got lost [in the merge|when i rebased|somehow|]
lost {module} in the merge
i deleted the {module} import by [accident|mistake], back please
put back {module}
{module} went missing [from the imports|]
it wants {module}
add to the import list: {module}
one more import: {module}
another import, {module}
also {module} [in the imports|at the top]
imports += {module}
pull in {module}
{module} isn't there at the top
from {source} import {name} [please|at the top|with the others]
from {source}: {name}
{source}.{name} is needed [here|in here|]
i need {name} out of {source}
{name} ({source})
{name} of {source} is needed [here|below|]
{name} please, from {source}
{name} is defined in {source}, get it in here
NameError: name '{name}' is not defined [({source})|, it's in {source}|- {source} has it]
F821 Undefined name `{name}` [({source})|, it's in {source}|-> {source}]
error: Name "{name}" is not defined, {source} has it
Unresolved reference '{name}', {source} defines it
"{name}" is not defined. comes from {source}
{name} moved to {source}, import it from there
pycharm underlines {name}, it's in {source}
{name} is undefined, lives in {source}
the import for {name} got lost, it was from {source}
{source} exports {name}, we want it [here|in here|]
{source} offers {name}, take it in
out of {source} i want {name}
take {name} from {source}
i'd like to call {name} without the {source} in front
let me write {name} without {source} before it
one more import: {name} out of {source}
can we have {name} [here|at the top|], from {source}?
is {name} imported? it's in {source}
put back {name} from {source}
+ from {source} import {name}
+ {statement}
{statement}!
{statement} please
{statement} got lost
{statement} at the top
the line {statement} is missing
where is {statement}
can we have {statement}
somebody deleted {statement}
one more line up there: {statement}
{original} as {alias}
{original} as {alias} please
{alias} for {original}
{alias} should be {original}
{alias} stands for {original}, import it so
{alias} is our usual [short form|abbreviation|alias|name] for {original}
NameError: name '{alias}' is not defined ({original})
F821 Undefined name `{alias}`, that's {original}
get {original} in as {alias}
bring in {original}, called {alias}
so that i can write {alias} for {original}
i need {original} but [call it|under the name|as] {alias}
everybody writes import {original} as {alias}
"""

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Import a module, a name, or a module by another name."""
        block = imported.top_block(snippet)
        if not block:
            return None
        slots, name, line = _wanted(rng)
        if name in imported.bound(snippet) or line in snippet.lines:
            return None
        if rng.random() < 0.15:
            slots = {"statement": line}
        return Edit(put_in(snippet, line) or (Insert(code.statement_lines(block[-1])[1], (line,)),), slots)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It binds one name more."""
        told = {"statement": next((line for line in after if line not in before.lines), "")}
        if not super().accepts(before, after, told):
            return False
        return len(imported.bound(Snippet(tuple(after)))) == len(imported.bound(before)) + 1


def _wanted(rng: Random) -> tuple[dict[str, str], str, str]:
    roll = rng.random()
    if roll < 0.5:
        module = imported.module(rng)
        return {"module": module}, module, f"import {module}"
    if roll < 0.9:
        source, name = imported.member(rng)
        return {"name": name, "source": source}, name, f"from {source} import {name}"
    module = imported.module(rng)
    last = module.rpartition(".")[2]
    alias = rng.choice([f"_{last}", last[0], f"{last[:2]}_", f"{last}_", last[:4] + "mod", last[0].upper()])
    return {"alias": alias, "original": module}, alias, f"import {module} as {alias}"

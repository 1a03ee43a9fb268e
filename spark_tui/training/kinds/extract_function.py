"""Move statements into a function of their own."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.extract_function import extracted, meant
from spark_tui.editing.extraction import Run, runs
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import names_used
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind

_SAYINGS: tuple[tuple[tuple[type[ast.stmt], ...], str], ...] = (
    ((ast.For, ast.AsyncFor, ast.While), "the loop|the whole loop|the loop with its body|that loop"),
    ((ast.Try,), "the try block|the try statement|the try/except|the whole try block"),
    ((ast.With, ast.AsyncWith), "the with block|the with statement|the whole with block"),
    ((ast.If,), "the if block|the if statement|the whole if statement|the if/else"),
)


class ExtractFunction(Kind):
    """Two and more statements, selected or a block that is told, become a function above.

    Slots: {name} is the function's; {what} is the block in words; {unnamed} when nobody names the function.
    """

    name: ClassVar[str] = "extract_function"
    skeletons: ClassVar[str] = """
    @<extract> [this|these lines|the selection|this code|this part] [into|to|as] [a <function> |]{name}
    @<extract> [this|these lines|the selection] [into|to] a <function> <named> {name}
    @<extract> [a|the] <function> {name}
    @<extract> [a|the] <function> <named> {name} [from|out of] [this|these lines|the selection]
    @<extract> {name}
    @<move> [this|these lines|the selected lines|this part] [into|to|out to] [a|its own|a new|a separate] <function> {name}
    @<move> [this|these lines] [into|to] {name}
    @<put> [this|these lines|that] [in|into] [a|its own|a new|a separate|a helper] <function>[,| called|:] {name}
    @<make> [this|these lines|that|it] [a|into a|its own] <function>[,| called|:] {name}
    @<turn> [this|these lines|it] into [a|its own] <function> [called|named] {name}
    @[this|these lines] <should> be [a|its own|a separate] <function>[,| called|:] {name}
    @[this|that] [belongs|could go] in [a|its own|a separate] <function>[,| called|:] {name}
    @[this|that] <should> be [moved|pulled out|extracted] [to|into] {name}
    @[introduce|create|define|add] a <function> {name} [for|with|from] [this|these lines]
    @[introduce|create|add] a helper [<function>|] {name} [for this|from this|with these lines]
    @new <function> {name} [for this|from these lines|with this]
    @<function> {name} [for this|from this|please]
    @helper {name} [for this|please]
    @split [this|these lines] [off|out] [as|into|to] {name}
    @split the <function>: [this|these lines] [to|into|as] {name}
    @break [this|these lines] out [as|into] {name}
    @factor [this|these lines] out [as|into|to] {name}
    @refactor [this|these lines] into [a <function>|a helper|] {name}
    @the <function> is too long, [move|pull|take] [this|these lines] [out|] [to|into] {name}
    @too long, <extract> {name}
    @[let|have] {name} do [this|that]
    @name [this|these lines|this step|this part] {name}
    @give [this|these lines|this step|this block] a name: {name}
    @call it {name} and move it out
    @[outsource|delegate] [this|that] to [a <function>|] {name}
    @i want [this|these lines] in [a|its own|a separate] <function>[,| called|:] {name}
    @why is [this|all this] inline? <extract> {name}
    @can [this|that] be a <function> [called|named] {name}
    @so that i can [reuse|test|call] it: <function> {name}
    @i need [this|it] elsewhere too, make it [a <function>|] {name}
    @to [reuse|test] [this|it], move it [to|into] {name}
    @replace [this|these lines] [with|by] a call [to|of] [a new <function>|] {name}
    @<nit>: <extract> {name}
    @<review>: [pull|move] [this|it] [out|] into {name}
    @C901 too complex, <extract> {name}
    @PLR0915 too many statements, <move> [this|these] [to|into] {name}
    @-> {name}()
    @def {name}
    @<extract> [this|these lines|the selection|it] [into|to] a [new|separate|] <function>{unnamed}
    @<make> [this|these lines|it] [a|its own] <function>{unnamed}
    @<move> [this|these lines] out of the <function>{unnamed}
    @[this|that] <should> be [a|its own] function{unnamed}
    @[extract|pull out] [function|method|helper]{unnamed}
    @refactor this into a helper{unnamed}
    <extract> {what} [into|to|as] [a <function> |]{name}
    <extract> {what} [into|to] [a|its own|a new|a separate] <function> <named> {name}
    <extract> a <function> {name} [from|out of] {what}
    <extract> {name} [from|out of] {what}
    <move> {what} [into|to|out to] [a|its own|a new|a separate] <function> {name}
    <move> {what} [into|to] {name}
    <put> {what} [in|into] [a|its own|a new|a separate|a helper] <function>[,| called|:] {name}
    <make> {what} [a|into a|its own] <function>[,| called|:] {name}
    <turn> {what} into [a|its own] <function> [called|named] {name}
    {what} <should> be [a|its own|a separate] <function>[,| called|:] {name}
    {what} [belongs|could go] in [a|its own|a separate] <function>[,| called|:] {name}
    {what} is too long, [move|pull] it [out|] [to|into] {name}
    [introduce|create|define|add] a <function> {name} [for|with|from] {what}
    a [helper|function] {name} for {what}
    split {what} [off|out] [as|into|to] {name}
    factor {what} out [as|into|to] {name}
    refactor {what} into [a <function>|a helper|] {name}
    the <function> is too long, [move|pull|take] {what} [out|] [to|into] {name}
    [let|have] {name} do {what}
    [outsource|delegate] {what} to {name}
    give {what} a name: {name}
    i want {what} in [a|its own|a separate] <function>[,| called|:] {name}
    i need {what} elsewhere too, make it [a <function>|] {name}
    {what} -> {name}()
    {name}() for {what}
    replace {what} [with|by] a call [to|of] [a new <function>|] {name}
    C901 too complex, <move> {what} [to|into] {name}
    <review>: [pull|move] {what} [out|] into {name}
    <extract> {what} [into|to] a [new|separate|] <function>{unnamed}
    <make> {what} [a|its own] <function>{unnamed}
    {what} <should> be [a|its own] function{unnamed}
    <move> {what} out of the <function>{unnamed}
    @I'd call this {name}
    @{name}() could do this
    @{name} should do [this|that] for us
    @this is {name}, [really|isn't it]
    @this is a job for {name}
    @own function: {name}
    @{name}: these lines
    @these lines -> {name}
    @this whole part -> {name}()
    @needs a name, {name}
    @deserves a name: {name}
    @a step of its own, {name}
    @[one|a] step, one function: {name}
    @unit test this as {name}
    @can't test this on its own, {name}
    @i want to unit test this, so {name}
    @i want to mock this. {name}
    @this will be needed [again|elsewhere] soon, {name}
    @going to call this from [somewhere else|another place|the cli], {name}
    @copy-pasted elsewhere, {name} please
    @duplicated in the other module, make it {name} so i can call it there
    @too much going on, {name} for this
    @function does two things. {name} is one of them
    @this has nothing to do with the rest, {name}
    @different level of detail than the rest, {name}
    @i'm lost in this function. {name} for these lines
    @the function is 80 lines long, start by moving this to {name}
    @what these lines do is {name}
    @instead of a comment, a function name: {name}
    @helper: {name}
    @private helper {name}
    @tuck this away in {name}
    @hide this behind {name}
    @lift [this|these lines] out, {name}
    @carve this out as {name}
    @out into {name}
    @off to {name}
    @to its own place: {name}
    @should live in {name}
    @sub-function {name}
    @{name}() please
    @{name} [as|is] a [separate|] function
    @C901 `{function}` is too complex, {name}
    @PLR0915 Too many statements, {name} for this part
    @PLR0912 Too many branches, pull {name} out
    @R0915 Too many statements (57/50), {name}
    @R0914 Too many local variables, {name} for these
    @S3776 Refactor this function to reduce its Cognitive Complexity, {name}
    @WPS213 Found too many expressions, {name}
    @WPS231 cognitive complexity, this part to {name}
    @scrolling forever in {function}, {name} for this
    @{function} is too long, {name} for this
    @{function} should only call {name} here
    @only a call of {name} should remain here
    @extract method {name}
    @refactor > extract method > {name}
    @own function please{unnamed}
    @deserves its own function{unnamed}
    @pull this out{unnamed}
    @to a helper{unnamed}
    @helper please{unnamed}
    @can't test this on its own, extract it{unnamed}
    @extract method{unnamed}
    @too long, split this off{unnamed}
    {what} is {name}, isn't it
    {what}: {name}
    {what} out, {name}
    {name} should contain {what}
    {name} for {what}
    {name}(), with {what} in it
    {name}() instead of {what}
    only a call to {name} should remain of {what}
    {what} does too much [in one place|], {name}
    {what} deserves a name, {name}
    {what} has nothing to do with the rest, {name}
    {what} can't be tested alone. {name}
    i'd like to test {what} on its own, {name}
    i want to mock {what}, so make it {name}
    {what} will be reused, {name}
    {what} is copy-pasted elsewhere, make it {name}
    {what} makes {function} too long, {name}
    {function} would be readable with {what} in {name}
    {function} is too long, {what} -> {name}
    C901 `{function}` is too complex, {what} to {name}
    PLR0912 Too many branches in {function}, {what} -> {name}
    S3776 cognitive complexity of {function}, {what} out to {name}
    PLR0915 Too many statements, {what} could be {name}
    lift {what} out as {name}
    carve {what} out as {name}
    hide {what} behind {name}
    tuck {what} away in {name}
    {what} needs a home, {name}
    own function for {what}: {name}
    own function for {what}{unnamed}
    {what} to a helper{unnamed}
    {what} out of here, into a helper{unnamed}
    pull {what} out{unnamed}
    {what} deserves a function{unnamed}
    can't test {what} on its own, extract it{unnamed}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Statements that are selected, or a block that the words tell from the others."""
        told = rng.random() < 0.3
        found = [run for run in runs(snippet) if run.lines[1] - run.lines[0] in range(1, 20)]
        if told:
            blocks = [(run, text) for run in meant(snippet, Request()) if (text := _told(snippet, run))]
            found = [run for run, _ in blocks]
        rng.shuffle(found)
        for run in found[:6]:
            name = _name(snippet, run, rng)
            ops = extracted(snippet, run, name) if name not in names_used(snippet) else None
            if ops:
                slots = {"name": name, "function": run.function.name}
                if name in ("helper", "_helper"):
                    slots["unnamed"] = ""
                if told:
                    return Edit(ops, slots | {"what": rng.choice(_told(snippet, run).split("|"))})
                return Edit(ops, slots, run.lines)
        return None


def _name(snippet: Snippet, run: Run, rng: Random) -> str:
    if rng.random() < 0.12:
        return "helper" if run.owner is None else "_helper"
    name = pools.function_name(rng)
    taken = {node.attr for node in ast.walk(snippet.tree) if isinstance(node, ast.Attribute)}
    return name if "_" in name.strip("_") and name not in taken else f"{name}_{pools.noun(rng)}"


def _told(snippet: Snippet, run: Run) -> str:
    """What people call a block that is the only one of its sort, parted by `|`, or ""."""
    node = run.statements[0]
    if run.header is not None or len(run.statements) > 1:
        return ""
    for sorts, words in _SAYINGS:
        if isinstance(node, sorts):
            alike = [one for one in ast.walk(snippet.tree) if isinstance(one, sorts)]
            return words if len(alike) == 1 else ""
    return ""

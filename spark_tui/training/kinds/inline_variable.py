"""Put a variable's value in its place."""

from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.extract_variable import meant, suggestion, with_variable
from spark_tui.editing.codemods.inline_variable import Variable, inlined, variables
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.names import absent_name


class InlineVariable(Kind):
    """`total = a + b` and `return total * 2` become `return (a + b) * 2`.

    Slots: {name} is the variable, {expr} its value; {returned} is its name when it is returned right away, {one} what
    people call the only one there is.
    """

    name: ClassVar[str] = "inline_variable"
    skeletons: ClassVar[str] = """
    <inline> {name}
    <inline> the <variable> {name}
    <inline> {name}, it is only used once
    <inline> the temporary [variable|] {name}
    <inline> [the value of|what is in] {name}
    <inline> {expr} [instead of {name}|where it is used|]
    <get_rid> the [temporary|temp|extra|intermediate|local|] <variable> {name}
    <get_rid> {name}, [use|write|put] {expr} [directly|in place]
    <remove> the [temporary|temp|intermediate|helper|] <variable> {name} and use [its value|{expr}] directly
    <remove> {name}[, use its value directly| and use the value directly|, inline it]
    <drop> the [extra|needless|local|] <variable> {name}[, use {expr}|]
    <replace> {name} [with|by] its value
    <replace> {name} [with|by] {expr}
    <replace> [each use|all uses|every use] of {name} [with|by] [its value|{expr}]
    <use> {expr} directly [instead of|not via|without] [the variable|] {name}
    <use> {expr} [in place of|instead of] {name}
    <use> the value of {name} directly
    <put> {expr} [right|directly] where {name} is used
    <put> the value of {name} [right|] where it is used
    write {expr} [instead of|where it says] {name}
    substitute {name} [away|by its value|]
    fold {name} [away|into the expression|into its use|in]
    collapse {name}
    do without [the variable|] {name}
    do we need [the variable|] {name}[?| at all?] [use {expr} directly|inline it|]
    is {name} really [needed|necessary]? [inline it|use the value|]
    why [store|keep|save|put] {expr} in {name}? [inline it|use it directly|]
    why is there a variable {name}? [inline it|use the value directly]
    why not [use|write] {expr} directly [instead of|without] {name}
    [no|there's no] need for [the variable|a variable|] {name}
    [no|there's no] need to [name|store|keep|save] {expr} [as|in] {name}
    [we|i] don't need [the variable|] {name}[, inline it|, use {expr}|]
    {name} is only used once[, inline it|, put it in place|]
    {name} is used [just|only|exactly] once, [no need for it|inline it|use {expr}]
    {name} is <unneeded>[, inline it|]
    {name} is [a needless|an unnecessary|a pointless|a useless] variable
    {name} [adds nothing|doesn't help|just adds noise|is noise][, inline it|]
    {name} could be inlined
    {name} <should> be inlined
    {name} [can|should] go, [use its value|use {expr}|put the value in place]
    the <variable> {name} [can|could|should] be inlined
    the [temporary|temp|intermediate|local] {name} is <unneeded>
    the <variable> {name} is only there to hold {expr}
    [too many|one too many] variables, <inline> {name}
    one line less: [inline|no] {name}
    <simplify>: <inline> {name}
    <simplify> by inlining {name}
    inline {name} please
    inline var {name}
    inline variable {name}
    inline local {name}
    {name}: inline
    -{name}, use {expr}
    no {name}, [just|directly] {expr}
    <nit>: <inline> {name}
    <nit>: {name} is <unneeded>
    <review>: [please inline|no need for] {name}
    <lint>: {name} is only used once
    WPS331 found variables that are only used for return: {returned}
    RET504 unnecessary assignment to {returned} before return statement
    RET504 unnecessary variable assignment before return[: {returned}|, {returned}]
    R504 unnecessary assignment before return: {returned}
    <lint>: unnecessary assignment to {returned} before return
    return [the value|it] directly instead of [assigning it to|going through|storing it in] {returned}
    return the value of {returned} directly
    why assign {returned} [first|] and then return it
    just return [the expression|the value|it], [no|without] {returned}
    {returned} is assigned and returned [right away|at once|on the next line][, just return the value|]
    [skip|drop] {returned} and return [directly|the expression|right away]
    no need for {returned}, return [directly|the value|the expression]
    don't store [the result|it] in {returned}, return it [directly|]
    <inline> the {one}
    <get_rid> the {one}
    <remove> the {one} [and use its value|]
    the {one} is <unneeded>
    no need for the {one}
    do we need the {one}
    use the value directly, not the {one}
    @<inline> this
    @<inline> this <variable>
    @<inline> it
    @this variable is <unneeded>
    @this variable is [only used once|used just once]
    @no need for [this|a] variable [here|]
    @[use|put] the value directly
    @<get_rid> this variable
    @[remove|drop] this variable, use its value [directly|]
    @RET504
    @why not inline this
    {name} only appears once more, [fold it in|put the value there]
    {name} is assigned and then used on the very next line, fold it
    [pointless|useless|needless] {name}
    {name} says no more than {expr}
    {expr} is clear enough without {name}
    {expr} is readable [as it is|by itself], {name} just gets in the way
    {expr} straight in
    {expr} right there, no {name}
    we don't gain anything from {name}
    what does {name} buy us?
    what is {name} good for
    {name} doesn't earn its line
    one name too many: {name}
    {name} is misleading and not needed, its value is fine
    i keep having to look up what {name} is
    i have to scroll up to see {name}, put the value where it's used
    {name} is a leftover [from debugging|of an earlier version|from the refactoring]
    leftover {name}, used to be [needed|longer]
    {name} was for the debugger only
    {name} was only there so i could print it
    [save|spare] us {name}
    merge {name} into the line that uses it
    merge the line that sets {name} [into|with] the one [that uses|using] it
    two lines that could be one, {name}
    one line instead of two, no {name}
    {name} and its use: one line please
    the line with {name} = can be folded into the next
    [why|what] the detour via {name}
    no detour via {name}
    [go|do it] straight, without {name}
    avoid the intermediate {name}
    intermediate {name} not needed
    local {name}: not needed
    temp {name} away
    tmp variable {name}? no
    {name} -> {expr}
    {name} => {expr}
    s/{name}/{expr}
    wherever it says {name} write {expr}
    {name} is just [an alias|another name|a synonym] for {expr}
    {name} is the same as {expr}, so [why both|drop the name]
    {name} hides what happens: {expr}
    drop = of {name}, put its right-hand side where it's needed
    move the right-hand side of {name} to where it's needed
    too many locals (R0914), {name} can go
    R0914 Too many local variables, {name} is not needed
    S1488 Immediately return this expression instead of assigning it to the temporary variable "{returned}"
    RET504 Unnecessary assignment to `{returned}` before `return` statement
    R504 you shouldn't assign a value to {returned} if it is used as a return value only
    unnecessary {returned}, the return can do it alone
    {returned} = ...; return {returned} is one line too many
    return it right away, {returned} isn't needed
    why is {returned} there if the next line returns it
    assign-then-return with {returned}
    straight return, no {returned}
    return without going through {returned}
    put what {returned} gets after the return
    {returned} only lives for one line
    [skip|lose] the assignment to {returned}
    single-use {name}
    single use variable {name}
    used once: {name}
    {name} used a single time
    sourcery: inline-immediately-returned-variable ({returned})
    sourcery: inline variable that is only used once ({name})
    reviewer: {name} obscures more than it explains
    [the|a] {one} for one use?
    {one} used once
    {one} not needed
    lose the {one}
    without the {one} please
    one line will do, no {one}
    what is the {one} for
    pointless {one}
    @not needed, put it where it's used
    @single use
    @one line too many
    @fold this into the next line
    @fold it in
    @straight in, no variable
    @do we need a name for this
    @merge with the next line
    @used only once
    @pointless variable
    @what's this one good for, inline
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Give a part of a statement a name."""
        found = [part for part in meant(snippet, Request()) if part.place.function and len(part.source) <= 60]
        if not found or rng.random() < 0.3:
            return None
        part = rng.choice(found)
        name = absent_name(snippet.lines, rng) if rng.random() < 0.7 else suggestion(part.uses[0])
        lines = with_variable(snippet, part, name)
        return Planted(Snippet(tuple(lines))) if lines else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Inline one variable, told by its name, by being the only one, or by the line that sets it."""
        found = [one for one in variables(snippet) if inlined(snippet, one)]
        if not found:
            return None
        variable = rng.choice(found)
        after = inlined(snippet, variable)
        assert after is not None
        slots = {"name": variable.name}
        if len(variable.source) <= 50:
            slots["expr"] = variable.source
        if variable.place.function:
            slots["function"] = variable.place.function.name
        if _is_returned(snippet, variable):
            slots["returned"] = variable.name
        first, last = variable.place.first, variable.place.last
        if rng.random() < 0.25:
            return Edit.between(snippet, after, slots, (first, last))
        if len(found) == 1 and rng.random() < 0.4:
            slots["one"] = rng.choice(
                ["variable", "temporary variable", "temporary", "local variable", "extra variable"]
            )
        return Edit.between(snippet, after, slots)


def _is_returned(snippet: Snippet, variable: Variable) -> bool:
    following = snippet.lines[variable.place.last + 1].strip() if variable.place.last + 1 < len(snippet.lines) else ""
    return following == f"return {variable.name}"

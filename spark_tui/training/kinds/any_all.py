"""Turn a loop that searches, counts, adds up or keeps the largest into any(), all(), sum() or max()."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation, statement_lines, text_of
from spark_tui.editing.codemods.common.flow import Site, blocks, simple
from spark_tui.editing.codemods.common.negation import AND, enclosed, negated
from spark_tui.editing.codemods.idioms.looping import function_at, read_later
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.flow import FlowKind


class AnyAll(FlowKind):
    """`for x in y: if c: return True` and `return False` become `return any(c for x in y)`.

    Slots: {call} the function; {any}, {all}, {sum}, {max} or {min} when it is that; {name} what is assigned, {over}
    what is looped over.
    """

    name: ClassVar[str] = "any_all"
    skeletons: ClassVar[str] = """
<use> {unsaid}{call}
<use> {unsaid}{call} [here|instead|instead of the loop|instead of looping|rather than the loop]
<use> {unsaid}{call} with a generator
<use> {unsaid}[a|the] builtin [here|instead of the loop|]
<replace> {unsaid}the loop [by|with] {call}
<replace> {unsaid}the [loop|for loop] [by|with] a [call|call to|call of] {call}
<turn> {unsaid}the [loop|for loop] into {call}
<turn> {unsaid}the [loop|for loop] into a [single expression|one-liner|generator expression]
<convert> {unsaid}the [loop|for loop] to {call}
<rewrite> {unsaid}the [loop|for loop] [with|using] {call}
<write> {unsaid}the [loop|for loop] [with|as|using] {call}
<simplify> {unsaid}the [loop|for loop] [with|using|by] {call}
<make> {unsaid}the loop [a one-liner|an expression|one call]
{unsaid}the loop [can|could|should] be {call}
{unsaid}the loop [can|could|should] be [one line|a one-liner|one call|an expression]
{unsaid}the loop is [just|only|really] {call}
[can|could] {unsaid}[we|you|this|it] use {call}?
isn't {unsaid}that what {call} is for?
[why|how come] {unsaid}[not|don't we] use {call}?
[why|how come] {unsaid}loop by hand[ when there is a builtin|]?
no need {unsaid}[for a loop|to loop by hand|for the loop]
no {unsaid}[manual|explicit] loop [needed|please|], [{call} does it|there's {call}]
there is {unsaid}[a|the] builtin for [that|this|the loop]
{call} {unsaid}[does the same|would do|is shorter|is enough|instead of the loop]
[collapse|shorten|condense] {unsaid}the loop [to|into] [one line|{call}|one call]
<get_rid> {unsaid}the [loop|for loop]
<avoid> {unsaid}the [loop|manual loop|explicit loop], [use|there's] {call}
more pythonic {unsaid}[than the loop|please], [use|with] {call}
<lint>: {unsaid}use {call} [instead of the for loop|instead of a loop]
<review>: {unsaid}[use|prefer] {call} [here|]
<nit>: {unsaid}{call} [instead of the loop|would do|]
<lint>: SIM110 use return any(...) instead of for loop{any}{unsaid}
SIM110 {any}{unsaid}use any instead of the loop
SIM110 {all}{unsaid}use all instead of the loop
<lint>: SIM111 use return all(...) instead of for loop{all}{unsaid}
R1729 {any}{unsaid}use-a-generator
consider-using-any-or-all {any}{unsaid}
consider-using-any-or-all {all}{unsaid}
consider {sum}{unsaid}sum instead of [the loop|adding up by hand]
<return> {any}{unsaid}whether any [of them|element|one] [matches|does|fits|is found]
<return> {all}{unsaid}whether all [of them|elements|] [match|do|fit|are fine]
{any}{unsaid}true [if|when] any [of them|element|one] [matches|does|fits]
{all}{unsaid}true [if|when] all [of them|elements] [match|do|fit]
{any}{unsaid}the loop [only|just] [looks for|searches|finds] [one|something|a match]
{all}{unsaid}the loop [only|just] checks [all of them|every one|that none fails]
{any}{unsaid}[searching|looking] for one by hand, [there is|use] any
{all}{unsaid}checking every one by hand, [there is|use] all
{sum}{unsaid}the loop [only|just] [adds up|sums|counts]
{sum}{unsaid}[adding up|summing|counting] by hand
[add up|sum|total] {sum}{unsaid}[in one go|in one expression|without a loop|with the builtin]
{max}{unsaid}the loop [only|just] [finds|keeps] the [largest|biggest|greatest|maximum]
{min}{unsaid}the loop [only|just] [finds|keeps] the [smallest|least|lowest|minimum]
<use> {call} for {name}
<use> {call} to [compute|get|set|find] {name}
[compute|set|get|calculate] {name} [with|using|by] {call}
[compute|set|get|calculate] {name} [in one line|in one go|in one expression|without a loop]
{name} [can|could|should] be [computed|set] [with {call}|by {call}|in one line|without a loop]
<turn> the loop [that sets|that computes|for|behind] {name} into [{call}|one call|a one-liner]
<replace> the loop [that sets|that computes|for] {name} [by|with] {call}
no need for a loop to [set|compute|get] {name}
no loop for {name}, [use|there is] {call}
[why|how come] is {name} [set|computed] in a loop?
{name} = {call}(...)
<use> {call} over {over}
<use> {call} on {over} [instead of the loop|instead of looping|]
<replace> the loop over {over} [by|with] {call}
<turn> the loop over {over} into [{call}|one call|a one-liner|an expression]
<convert> the loop over {over} to {call}
<rewrite> the loop over {over} [with|using] {call}
the loop over {over} [can|could|should] be [{call}|one line|a one-liner]
the loop over {over} is [just|only|really] {call}
no loop over {over}, [use|there is] {call}
[no need|why] to loop over {over} by hand
{call} over {over}
@<use> {call} [here|]
@<turn> this [loop|] into {call}
@this [loop|] [can|could|should] be {call}
@{call} [here|please|instead|]
@<make> this [loop|] [one line|a one-liner|an expression]
@no loop [needed|] [here|]
@[SIM110|SIM111|there's a builtin for this]
@<simplify> this loop
@<replace> this [loop|] [by|with] [a builtin|{call}]
@<get_rid> this loop
{result}
`{result}` please
-> {result}
why not {result}
simply {result}
nit: {result}
could be `{result}`
make that {result}
the loop says no more than {result}
loop -> {call}{unsaid}
{call}(...) {unsaid}[please|would do|instead]
{call}() {unsaid}exists
python has {call} {unsaid}for that
ever heard of {call} ?{unsaid}
that's {call}, [reinvented|spelled out|by hand]{unsaid}
reinvents {call}{unsaid}
hand-made {call}{unsaid}
poor man's {call}{unsaid}
{call} spelled out {unsaid}[over five lines|in a loop]
the [stdlib|standard library|language] can do this {unsaid}in one call
no need to write out what {call} does{unsaid}
SIM110 Use `return any(...)` instead of `for` loop{any}{unsaid}
SIM110 Use `return all(...)` instead of `for` loop{all}{unsaid}
SIM110 Use `{result}` instead of `for` loop
SIM111 Use `return all(...)` instead of `for` loop{all}{unsaid}
C0501 consider-using-any-or-all: `for` loop could be `any`{any}{unsaid}
C0501: `for` loop could be `all`{all}{unsaid}
sourcery: {unsaid}use {call} instead of the for loop
pylint: {unsaid}consider {call} here
[flag|boolean] plus break, {any}{unsaid}that's any
flag and break... {all}{unsaid}all would do
a flag that is flipped in a loop{unsaid}, one expression please
is there one that fits? {any}{unsaid}ask that in one line
true as soon as one fits, one line{any}{unsaid}
false as soon as one fails, one line{all}{unsaid}
one hit is enough, say so in one expression{any}{unsaid}
they all have to pass, say so in one expression{all}{unsaid}
none may fail, one line for that{all}{unsaid}
[running total|accumulator] by hand{sum}{unsaid}
adding them up one by one{sum}{unsaid}
the total in one line{sum}{unsaid}
starts at 0 and adds up, one call would do{sum}{unsaid}
tracks the largest by hand{max}{unsaid}
tracks the smallest by hand{min}{unsaid}
largest so far... {max}{unsaid}there is max
smallest so far... {min}{unsaid}there is min
five lines for a yes or no{any}{unsaid}
too many lines for such a question{any}{unsaid}
too many lines to check them all{all}{unsaid}
the whole loop fits in one line{unsaid}
@say it in one expression
@one expression, no loop
should read like english: any of them ...{any}{unsaid}
should read like english: all of them ...{all}{unsaid}
simpler and faster with {call}{unsaid}
{name} = any(...){any}
{name} = all(...){all}
{name} = sum(...){sum}
{name} in one line please
{name} is just {call} of something
{name} counts by hand{sum}
{name} adds up by hand{sum}
{name} as a flag with a loop around it, one line would do{any}
define {name} in one go
so that {name} is assigned only once
{name}: {call} over {over}
{name} is {call} over {over}
don't loop over {over} just for a yes or no{any}
don't loop over {over} just to add up{sum}
the answer for {over} in one line
ask {over} in one expression{any}
walk over {over} in a generator instead
one generator over {over} inside {call}
@{call}
@{call}(...)
@-> {call}
@{result}
@there's {call}
@reinvents {call}
@one line
@one expression please
@python can do that in one call
@builtin ?
@spelled out {call}
@SIM110{any}
@flag plus loop, {call} instead
@without the loop
@too long for what it says
"""

    def undone(self, snippet: Snippet, rng: Random) -> Iterator[Site]:
        """Calls of any, all and sum with a generator, written out as loops."""
        for block in blocks(snippet.tree):
            for node in block:
                match node:
                    case (
                        ast.Return(value=ast.Call() as call)
                        | ast.Assign(targets=[ast.Name()], value=ast.Call() as call)
                    ):
                        if simple(snippet, node):
                            yield from _written_out(snippet, node, call, rng)


def _written_out(snippet: Snippet, node: ast.Return | ast.Assign, call: ast.Call, rng: Random) -> Iterator[Site]:
    match call:
        case ast.Call(func=ast.Name(id="any" | "all" | "sum" | "max" | "min" as function), args=[one], keywords=[]):
            name = node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""
            lines = _loop(snippet, one, function, name, rng) if name or function in ("any", "all") else []
            first, last = statement_lines(node)
            names = frozenset(
                part.id for part in ast.walk(one) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
            )
            if lines and function_at(snippet, first) and not read_later(snippet, names, first, last):
                indent = indentation(snippet.lines[first])
                yield Site(first, last, tuple(indent + line for line in lines))


def _loop(snippet: Snippet, one: ast.expr, function: str, name: str, rng: Random) -> list[str]:
    """The lines of the loop, without the common indentation."""
    unit = snippet.layout.unit
    if not isinstance(one, ast.GeneratorExp) or function in ("max", "min"):
        return _over_plain(snippet, one, function, name)
    lines: list[str] = []
    tests: list[str] = []
    for part in one.generators:
        target, source = text_of(snippet, part.target), text_of(snippet, part.iter)
        if not (target and source) or part.is_async or tests:
            return []
        lines.append(f"{unit * len(lines)}for {target} in {source}:")
        tests = [enclosed(snippet, test, AND) for test in part.ifs]
    depth = len(lines)
    if function != "sum":
        said = enclosed(snippet, one.elt, AND) if function == "any" else negated(snippet, one.elt)
        if function == "all" and isinstance(one.elt, ast.BoolOp) and tests:
            return []
        tests = [*tests, said]
    if not all(tests):
        return []
    if tests:
        lines.append(f"{unit * depth}if {' and '.join(tests)}:")
        depth += 1
    return _ended(lines, unit * depth, function, name, text_of(snippet, one.elt), rng)


def _over_plain(snippet: Snippet, one: ast.expr, function: str, name: str) -> list[str]:
    """The loop over the things themselves."""
    unit, item = snippet.layout.unit, "value" if "value" not in "".join(snippet.lines) else "each"
    source = text_of(snippet, one) if isinstance(one, ast.Name | ast.Attribute) else ""
    if not source or function in ("any", "all") or source == name:
        return []
    if function == "sum":
        return [f"{name} = 0", f"for {item} in {source}:", f"{unit}{name} += {item}"]
    test = f"{item} {'>' if function == 'max' else '<'} {name}"
    return [f"{name} = {source}[0]", f"for {item} in {source}:", f"{unit}if {test}:", f"{unit * 2}{name} = {item}"]


def _ended(lines: list[str], inner: str, function: str, name: str, element: str, rng: Random) -> list[str]:
    """The loop with what it does innermost, and what stands around it."""
    if function == "sum":
        return [f"{name} = 0", *lines, f"{inner}{name} += {element}"] if element else []
    hit, miss = str(function == "any"), str(function != "any")
    if not name:
        return [*lines, f"{inner}return {hit}", f"return {miss}"]
    stop = [f"{inner}break"] if rng.random() < 0.8 else []
    return [f"{name} = {miss}", *lines, f"{inner}{name} = {hit}", *stop]

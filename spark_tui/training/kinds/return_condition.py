"""Replace True and False chosen by a condition by the condition."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation, statement_lines, text_of
from spark_tui.editing.codemods.common.flow import Site, blocks, simple
from spark_tui.editing.codemods.common.negation import IF_ELSE, negated, strength
from spark_tui.editing.codemods.return_condition import is_boolean
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.flow import FlowKind


class ReturnCondition(FlowKind):
    """`if c: return True` and `return False` become `return c`.

    Slots: {test} the condition, {name} what is assigned, {returned} or {ternary} when it is that.
    """

    name: ClassVar[str] = "return_condition"
    skeletons: ClassVar[str] = """
return {returned}{unsaid}the [condition|comparison|expression|check|test] [directly|itself|right away|instead|]
<return> {returned}{unsaid}the [condition|boolean|result of the check] [directly|itself|]
just return {returned}{unsaid}the [condition|boolean|check]
<simplify> {returned}{unsaid}the [return|returns|boolean returns|if and the returns]
<simplify> {unsaid}the [boolean|true/false|True and False|flag] [logic|part|thing|choice|]
[why|how come] {returned}{unsaid}return True and False [by hand|separately|]? [the condition says it all|return the condition|]
no need {returned}{unsaid}to return True [and|or] False
no need for {unsaid}[True and False|the if|the literal True and False|an if around True and False]
[no|without] {returned}{unsaid}if [needed|] to return True [or|and] False
{unsaid}the [if|branches] [is|are] <unneeded>, the condition is [already|] a [bool|boolean]
{unsaid}the condition is [already|] [true or false|a bool|a boolean] [anyway|itself|by itself]
{unsaid}the condition already is the [answer|result|value]
return {returned}{unsaid}True [else|or|and] False is <unneeded>
`return True` / `return False` {returned}{unsaid}[can|should] be one [return|line]
[collapse|shorten|condense|merge] {returned}{unsaid}the [two|True and False|true/false|boolean] returns
<replace> {returned}{unsaid}the if [by|with] [returning the condition|a return of the condition|one return]
<get_rid> {returned}{unsaid}[the if|return True and return False|the literal True and False]
one return {returned}{unsaid}[is enough|instead of True and False|of the condition]
[can|could] {returned}{unsaid}[we|you|it] [just|simply|] return the [condition|comparison|check]?
isn't {returned}{unsaid}that just the condition?
<make> {returned}{unsaid}it [one return|a single return|a one-liner] [of the condition|without if|]
<use> {unsaid}the condition [itself|directly|as the value|as it is]
<use> {unsaid}the [boolean|comparison|condition] instead of [True and False|True or False|an if]
<turn> {returned}{unsaid}the if [with True and False|with the two returns|] into [a return of the condition|one return]
<lint>: SIM103 return the condition directly{returned}{unsaid}
<lint>: {returned}{unsaid}needless bool
SIM103 {returned}{unsaid}return the condition
R1703 {unsaid}the if statement can be replaced with [bool(test)|return bool(test)|var = bool(test)]
simplifiable-if-statement{unsaid}
simplifiable {unsaid}if statement
<lint>: PLR1703 simplifiable if statement{unsaid}
<lint>: {unsaid}unnecessary True and False
<review>: {unsaid}[use|return] the condition [directly|itself]
<nit>: {unsaid}[the condition is enough|no need for True and False|use the condition itself]
if True {returned}{unsaid}then True else False [is silly|, really?|]
{unsaid}[redundant|needless|pointless|silly] True and False
{unsaid}if x then True else False is just x
return {returned}{test}
<return> {returned}{test} [directly|itself|right away|instead of True and False|instead]
just return {returned}{test}
[simply|only] return {returned}{test}
no need for an if on {test}
no need to [turn|convert] {test} into True and False
{test} [already is|is already|is] [a bool|a boolean|true or false|the result|the answer]
<use> {test} [directly|itself|as the value|instead of True and False]
<simplify> the [if|true/false choice|booleans] on {test}
<get_rid> the [if on|True and False after] {test}
<make> {test} the [return value|value|result] [directly|]
[why|how come] not return {returned}{test} [directly|]?
the if on {test} is <unneeded>
set {name} to {test} [directly|]
[set|assign] {name} to the [condition|comparison|boolean|check|test] [directly|itself|]
[set|assign] {name} [directly|in one line|without an if|without True and False]
{name} is [just|simply] the condition
{name} <should> [just|simply] be the [condition|comparison|check]
{name} = {test}
no need for an if to set {name}
no if [needed|] for {name}, [it is|it's] the condition
<simplify> [the flag|the boolean|the assignment of] {name}
{name} is set to True [or|and] False by hand
<use> the condition [itself|] for {name}
<get_rid> the if [around|for|that sets] {name}
[collapse|shorten|condense] the assignment of {name}
<lint>: SIM210 use the condition instead of True if {ternary}{unsaid}... else False
SIM210 {ternary}{unsaid}use bool instead of True if else False
<lint>: SIM211 {ternary}{unsaid}use not instead of False if else True
<remove> {ternary}{unsaid}the `True if ... else False`
<remove> {ternary}{unsaid}the [needless|redundant|pointless|useless] [ternary|if else]
<simplify> {ternary}{unsaid}the [ternary|True if else False|conditional expression]
{ternary}{unsaid}True if ... else False is [silly|redundant|just the condition|<unneeded>]
no need {ternary}{unsaid}for True if else False
@<use> the condition [itself|directly|] [here|]
@<simplify> [this|the booleans|the true/false]
@just the condition [please|]
@no need for True and False [here|]
@this is just [the condition|a boolean|a bool]
@[SIM103|SIM210|R1703|needless bool] [here|]
@[why|how come] True and False [here|]?
@[silly|needless|redundant] [if|True and False|bool]
@[collapse|shorten] this [to the condition|]
@[this|the if] is <unneeded>, the condition is a bool
if x: return True, else return False... {returned}{unsaid}come on
True if true, False if false{unsaid}
this is just a bool{unsaid}
that's a roundabout way of [saying|writing] the condition{unsaid}
long way round to a [bool|boolean]{unsaid}
the comparison gives a bool already{unsaid}
it's a bool already{unsaid}
no need to spell out True and False{unsaid}
stop spelling out True and False{unsaid}
too many words for a yes or no{unsaid}
yes/no answer, {unsaid}the test [gives|is] it
the test is the answer{unsaid}
the test itself [would do|is good enough]{unsaid}
true or false comes out of the test anyway{unsaid}
SIM103 Return the condition `{result}` directly
SIM210 Use `bool(...)` instead of `True if ... else False`{ternary}{unsaid}
SIM211 Use `not ...` instead of `False if ... else True`{ternary}{unsaid}
R1703: The if statement can be replaced with 'return bool(test)' (simplifiable-if-statement){returned}{unsaid}
R1719: The if expression can be replaced with 'test' (simplifiable-if-expression){ternary}{unsaid}
R1719 {ternary}{unsaid}simplifiable-if-expression
sonar S1126: return of boolean expressions should not be wrapped into an "if-then-else" statement{returned}{unsaid}
`{result}` please
{result}
-> {result}
make it {result}
just {result}
simply {result}
why not {result}
nit: {result}
could be `{result}`
could be one line: {result}
this whole thing is {result}
the if says no more than {result}
{result} says the same
one line: {result}
[i'd|i would] write {result}
four lines for a bool{returned}{unsaid}
@four lines to say yes or no{returned}
an if just to make a bool{unsaid}
why branch {unsaid}for a [yes or no|bool]
no branching [needed|] for a bool{unsaid}
branching on {test} just to get a bool
{test} says it all
{test} alone [would do|says the same|is enough]
{test} and done
{test} already tells [us|]
{test} is what we want back{returned}
hand back {test} as it is{returned}
give back {test} straight away{returned}
{name} just mirrors {test}
{name} is the same as {test}
{name} means {test}, so say that
{name} in one line, no if
{name} takes four lines for a bool
let {name} be {test}
let {name} be the [test|comparison] itself
{name} could [be|hold] the comparison itself
why branch for {name}
True/False by hand for {name}
no True/False for {name} please
without the if, {name} is the outcome of the check
@just the test
@{result}
@-> {result}
@it's a bool already
@long-winded
@a bool is a bool
@why the if
@returns what it tests anyway{returned}
@say it in one line
@True if True...
@yes/no, one line
"""

    def undone(self, snippet: Snippet, rng: Random) -> Iterator[Site]:
        """Conditions that are returned or assigned, written out with True and False."""
        for block in blocks(snippet.tree):
            for node in block:
                match node:
                    case (
                        ast.Return(value=ast.expr() as value)
                        | ast.Assign(targets=[ast.Name() | ast.Attribute()], value=value)
                    ):
                        if is_boolean(value) and simple(snippet, node):
                            yield from _written_out(snippet, node, value, rng)


def _written_out(snippet: Snippet, node: ast.Return | ast.Assign, value: ast.expr, rng: Random) -> Iterator[Site]:
    first, last = statement_lines(node)
    test, opposite, indent = text_of(snippet, value), negated(snippet, value), indentation(snippet.lines[first])
    if not test or first != last or strength(snippet, value) < IF_ELSE:
        return
    yes, no = "True", "False"
    if rng.random() < 0.25:
        test, yes, no = opposite, no, yes
    start = "return " if isinstance(node, ast.Return) else f"{text_of(snippet, node.targets[0])} = "
    unit = snippet.layout.unit
    if start == " = " or rng.random() < 0.1:
        yield Site(first, last, (f"{indent}{start}{yes} if {test} else {no}",) if start != " = " else ())
        return
    branch = (f"{indent}if {test}:", f"{indent}{unit}{start}{yes}")
    short = isinstance(node, ast.Return) and rng.random() < 0.6
    if not short and isinstance(node, ast.Assign) and rng.random() < 0.3:
        yield Site(first, last, (f"{indent}{start}{no}", *branch))
    elif short:
        yield Site(first, last, (*branch, f"{indent}{start}{no}"))
    else:
        yield Site(first, last, (*branch, f"{indent}else:", f"{indent}{unit}{start}{no}"))

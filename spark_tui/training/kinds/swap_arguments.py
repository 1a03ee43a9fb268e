"""Put two neighbours back in order that were swapped."""

import ast
from random import Random

from spark_tui.editing.code import end_of, start_of
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.codemods.swap_arguments import swap_slips
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, planted

_CALLS = {
    "isinstance": "TypeError: isinstance() arg 2 must be a type, a tuple of types, or a union",
    "issubclass": "TypeError: issubclass() arg 1 must be a class",
    "getattr": "TypeError: attribute name must be string, not 'object'|TypeError: getattr(): attribute name must be string",
    "setattr": "TypeError: attribute name must be string",
    "hasattr": "TypeError: hasattr(): attribute name must be string|TypeError: attribute name must be string",
    "enumerate": "TypeError: 'int' object is not iterable",
    "map": "TypeError: 'list' object is not callable",
    "filter": "TypeError: 'list' object is not callable",
}


class SwapArguments(Kind):
    """`isinstance(str, x)` becomes `isinstance(x, str)`.

    Slots: {code} is an expression in the wrong order, {right} in the right one; {left} and {second} are the neighbours
    as they stand; {callee} is what is called; {called}, {operands}, {targets} and {branches} show nothing and say of what
    sort they are; {where} is the statement in words, {sole} says that nothing else in its line could be swapped; {trouble} is how Python complains.
    """

    name = "swap_arguments"
    weight = 0.5
    skeletons = """
    @swap the arguments{called}
    @swap [these|the two|both] arguments{called}
    @the arguments{called} are [swapped|the wrong way round|in the wrong order|mixed up|reversed|backwards]
    @wrong argument order{called}
    @wrong order of [the|] arguments{called}
    @<fix> the [argument order|order of the arguments]{called}
    @[exchange|switch|reverse|flip] the [arguments|parameters|args]{called}
    @[this|it] passes the arguments{called} [in the wrong order|the wrong way round|backwards]
    @shouldn't these arguments{called} be the other way round
    @swap the operands{operands}
    @the operands{operands} are [swapped|the wrong way round|in the wrong order|mixed up|reversed]
    @wrong [operand order|order of operands]{operands}
    @[exchange|switch|flip|reverse] the [operands|two sides|sides]{operands}
    @<fix> the order of the operands{operands}
    @swap the two sides{operands}
    @[it|this] should be the other way round{operands}
    @swap the [names|variables|targets|elements]{targets}
    @the [names|variables|elements]{targets} are [swapped|in the wrong order|mixed up|the wrong way round]
    @wrong [unpacking order|order of unpacking|order of the names]{targets}
    @[flip|exchange|switch] the [tuple|two names|elements]{targets}
    @swap the branches{branches}
    @the branches{branches} are [swapped|the wrong way round|mixed up]
    @[flip|exchange|switch] the [two values|branches|alternatives]{branches}
    @the two [values|alternatives]{branches} are [swapped|the wrong way round]
    @[this|it] is [in the wrong order|the wrong way round|swapped|backwards]
    @swap them
    @swap [these|those|the] two
    @wrong order [here|]
    @[the order|order] is <wrong> [here|]
    @<fix> the order [here|]
    @[these|they] are [swapped|in the wrong order|mixed up|the wrong way round]
    @two things [are swapped|got mixed up] here
    @the other way round
    @[other|the other] way around [please|]
    @[reverse|flip|exchange|switch] [these|those] two
    @somebody swapped [two things|these] [here|]
    @[this|that] is backwards
    @[turn|swap] [this|it] around
    @[the|these] two [must|should|have to] change places
    @let [them|these two] change places
    @the [first|second] one [should be|belongs] [last|first|second]
    @i [wrote|put|passed] these in the wrong order
    @you [got|have] the order wrong [here|]
    @[order mixup|mixed up order|order mistake|order bug] [here|]
    @somehow the order got [reversed|mixed up|lost] [here|]
    @it should be {right}
    @{trouble}
    @[i get|it gives|python says|getting|this raises|fails with] {trouble}
    swap {left} and {second}
    swap {left} with {second}
    [exchange|switch|flip|interchange|reverse] {left} and {second}
    {left} and {second} are [swapped|mixed up|in the wrong order|the wrong way round|reversed|backwards]
    {left} and {second} [have to be|must be|should be] [swapped|exchanged|switched|the other way round]
    {second} <should> come before {left}
    {second} [goes|comes|belongs] [first|before {left}|in front of {left}]
    {second} first, then {left}
    {left} <should> come after {second}
    [put|move] {second} before {left}
    [put|move] {left} after {second}
    wrong order: {left} and {second}
    wrong order of {left} and {second}
    the order of {left} and {second} is <wrong>
    <fix> the order of {left} and {second}
    the arguments {left} and {second} are [swapped|mixed up|in the wrong order]{called}
    swap the arguments {left} and {second}{called}
    <fix> the order of the arguments {left} and {second}{called}
    swap the operands {left} and {second}{operands}
    i [mixed up|confused] {left} and {second}
    [is it|isn't it] {second} first and then {left}
    shouldn't {left} and {second} be [swapped|the other way round]
    why is {left} before {second} ? [wrong order|swap them]
    [it is|it's] {second} and then {left}, not the other way round
    swap {left} and {second} in {code}
    the arguments of {callee} are [swapped|in the wrong order|mixed up|the wrong way round|backwards]{called}
    swap the [two|] arguments of {callee}{called}
    [exchange|switch|flip|reverse] the arguments [of|to|in] {callee}{called}
    <fix> the [argument order|order of arguments] [of|in] [the call to|] {callee}{called}
    {callee} [is called|gets called] with [its|the] arguments [in the wrong order|swapped|mixed up]{called}
    {callee} gets its arguments [in the wrong order|backwards]{called}
    wrong argument order in [the call to|] {callee}{called}
    we pass the arguments to {callee} in the wrong order{called}
    {callee} takes its arguments in the other order{called}
    swap the operands of {code}{operands}
    the operands [of|in] {code} are [swapped|in the wrong order|mixed up]{operands}
    wrong operand order in {code}{operands}
    the two sides of {code} are [swapped|the wrong way round]{operands}
    swap the branches of {code}{branches}
    the branches of {code} are [swapped|the wrong way round]{branches}
    {code} is [backwards|the wrong way round|in the wrong order]
    {code} has [something|two things] in the wrong order
    [flip|turn around] {code}
    <fix> the order in {code}
    wrong order in {code}
    {code} <should> be {right}[, wrong order|, swapped|, the other way round]
    {trouble} [in|at|from] {code}
    {code} [fails|dies|blows up] with {trouble}
    @swapped
    @reversed order
    @order?
    @wrong order, no ?
    @other way round please
    @vice versa
    @first and second are mixed up
    @the second one should come first
    @put them the other way round
    @isn't it the other way round ?
    @i always mix these two up
    @should be {right}
    @{right}
    @{second} first
    @{second} before {left}
    @first {second} then {left}
    @{second}, {left}
    @{left} last
    @{left} and {second} mixed up
    @nit: {second} goes first
    @why is {left} first ?
    @ARG order{called}
    @W1114 positional arguments appear to be out of order{called}
    @arguments-out-of-order{called}
    @args swapped{called}
    @args the wrong way round{called}
    @check the signature, it takes them in the other order{called}
    @wrong parameter gets the value{called}
    @each gets what the other should have{called}
    @positional args are in the wrong order{called}
    @passes the right things in the wrong places{called}
    @you call it with the two of them exchanged{called}
    @unpacked the wrong way round{targets}
    @these come back in the other order{targets}
    @wrong one gets which value{targets}
    @they come out in the other order, don't they{targets}
    @minuend and subtrahend are swapped{operands}
    @compares the wrong way round{operands}
    @subtracts the wrong one from the other{operands}
    @result has the wrong sign{operands}
    @divides the wrong way round{operands}
    @left and right of the operator should change places{operands}
    @then and else are swapped{branches}
    @picks the wrong one of the two every time{branches}
    @values of the ternary are the wrong way round{branches}
    @does the opposite, swap the two values{branches}
    {second}, {left} [not|instead of] {left}, {second}
    not {left}, {second} but {second}, {left}
    {second} then {left}
    {second} goes before {left}
    {second} must come ahead of {left}
    {left} and {second} traded places
    {left} and {second} exchanged by accident
    somebody swapped {left} and {second}
    i got {left} and {second} the wrong way round
    {left}/{second} the wrong way round
    mixed up {left} and {second}
    have {second} in front of {left}
    {left} belongs behind {second}
    order: {second}, {left}
    {second} comes first in the signature, then {left}{called}
    it takes {second} first and {left} second{called}
    {left} is passed where {second} should be{called}
    {left} ends up as {second}, and the other way round{called}
    subtract the other way round: {left} and {second}{operands}
    the sign is wrong, {left} and {second} the other way round{operands}
    {code} -> {right}
    {right}, not {code}
    {right} instead of {code}
    it says {code}, should be {right}
    nit: {right}
    {code} is the wrong way round, no ?
    isn't {code} backwards ?
    {code} has them swapped
    should be {right}, right ?
    {code} gives the wrong sign{operands}
    {code} divides or subtracts the wrong way round{operands}
    {code} unpacks the wrong way round{targets}
    W1114 arguments-out-of-order in {code}{called}
    {code} passes them the wrong way round{called}
    {callee}: args swapped{called}
    {callee} wants them the other way round{called}
    {callee} wants {second} first{called}
    look at the signature of {callee}, wrong order{called}
    {callee} expects the two the other way round{called}
    W1114: Positional arguments appear to be out of order in the call of {callee}{called}
    {callee}: {trouble}{called}
    {trouble} <- {callee}{called}
    {trouble}. {code} has the arguments the wrong way round{called}
    {trouble}, see {code}
    tests fail in {code}, {trouble}
    {where} has them in the wrong order{sole}
    wrong order in {where}{sole}
    {where}: swap the two{sole}
    {where} is the wrong way round{sole}
    {where}: {second} first
    in {where} {second} should come before {left}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Swap two neighbours."""
        slips = list(swap_slips(snippet))
        if not slips:
            return None
        slip = rng.choice(slips)
        bug = break_at(snippet, slip)
        found = (
            [] if bug is None else [one for one in swap_slips(bug.before) if one[:3] == (bug.start, bug.end, bug.new)]
        )
        if bug is None or not found:
            return None
        alone = sum(one.start[0] == bug.start[0] for one in swap_slips(bug.before)) == 1
        slots = _slots(bug, snippet, found[0], rng)
        told = bool(slots.keys() & {"left", "code"})
        if not alone and not told:
            return None
        slots |= {"sole": ""} if alone else {}
        return planted(bug, slots, rng, told=told, by_line=0.5 if alone else 0)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _slots(bug: Bug, right: Snippet, fix: Slip, rng: Random) -> dict[str, str]:
    slots = dict(code_slots(bug, right)) if bug.rows[0] == bug.rows[1] else {}
    slots[_sort(bug)] = ""
    left, second = fix.words[:2]
    if max(len(left), len(second)) <= 30 and _pairs_like(bug, left, second) == 1:
        slots |= {"left": left, "second": second}
    callee = fix.words[-1] if "called" in slots else ""
    if callee and sum(f"{callee}(" in line for line in bug.before.lines) == 1 and "code" in slots:
        alone = sum(one.words[-1] == callee for one in swap_slips(bug.before)) == 1
        slots |= {"callee": callee} if alone else {}
    trouble = _CALLS.get(callee or fix.words[-1], "") if "called" in slots else ""
    return slots | ({"trouble": rng.choice(trouble.split("|"))} if trouble else {})


def _pairs_like(bug: Bug, left: str, second: str) -> int:
    return sum(one.words[:2] == (left, second) for one in swap_slips(bug.before))


def _sort(bug: Bug) -> str:
    for node in ast.walk(bug.before.tree):
        if isinstance(node, ast.BinOp | ast.Compare | ast.IfExp):
            place = start_of(bug.before, node), end_of(bug.before, node)
            if place == (bug.start, bug.end):
                return "branches" if isinstance(node, ast.IfExp) else "operands"
        if isinstance(node, ast.Call):
            parts = [*node.args, *(one.value for one in node.keywords)]
            if any(start_of(bug.before, part) == bug.start for part in parts):
                return "called"
    return "targets"

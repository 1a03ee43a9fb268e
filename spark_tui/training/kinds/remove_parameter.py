"""Take a named parameter that nothing uses out of a signature."""

import ast
import textwrap
from collections.abc import Sequence
from random import Random

from spark_tui.editing.code import Function, is_receiver, mentions, parameters
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.signature import (
    append_parameter,
    default_is_due,
    drop_parameter,
    fresh_name,
    insert_parameter,
    parameter_span,
    random_parameter,
)


class RemoveParameter(Kind):
    """`def f(a, b):` becomes `def f(a):` when `b` is not used."""

    name = "remove_parameter"
    skeletons = """
    <remove> [the|] <parameter> {name} [from {function}|from the signature|]
    <remove> {name} from [{function}|the signature|the <parameters>|the parameter list|the signature of {function}]
    <remove> [the|] {name} [<parameter>|from the <parameters>]
    <remove> [the|] <unused> [<parameter>|] {name}
    <remove> [the|] <unused> {name} [<parameter>|from {function}|from the signature]
    <remove> {name}, [it's|it is|that one is] <unused>
    <remove> {name}[, nobody uses it|, nothing uses it|, it does nothing|, it has no effect|, we don't need it]
    rm <parameter> {name}
    rm {name} [from the signature|from {function}|param|arg]
    del [param|arg|parameter|argument] {name}
    <get_rid> [the|] <parameter> {name}
    <get_rid> {name} in the [signature|parameter list|<parameters>] [of {function}|]
    take {name} out of [{function}|the signature|the <parameters>|the parameter list]
    take away the <parameter> {name}
    leave {name} out of the [signature|<parameters>|parameter list] [of {function}|]
    leave out {name} in the [signature|parameters]
    [let|make|have] {function} take no {name} [any more|anymore|]
    make the signature [of {function}|] shorter by {name}
    don't [take|accept|ask for] {name} [in {function}|] [any more|anymore|]
    stop [taking|accepting] {name} [in {function}|]
    no [more|longer] {name} in [{function}|the signature|the parameters]
    [cut|trim] the signature [of {function}|]: no {name}
    [clean|tidy] up the signature [of {function}|], {name} is <unused>
    [clean|tidy] the [parameters|signature]: {name} [goes|is not used|can go]
    simplify the signature [of {function}|] by <removing> {name}
    prune {name} from [the|] [signature|<parameters>]
    lose [the|] {name} [<parameter>|]
    {function} [doesn't|does not] [need|use|want|require] {name}
    {function} [doesn't|does not] [need|use] its <parameter> {name}
    {function} never [uses|reads|touches|looks at] {name}
    {function} ignores {name}, [so|] <remove> it
    {function} <should> not [take|have|accept|get] {name}
    {function} <should> [work|be called|be callable] without {name}
    {function} without [the|] {name} [<parameter>|]
    {function} has [a useless|an unused|a needless|a superfluous] <parameter>[:| called| named|,] {name}
    {name} is [never|not] used [in {function}|here|in the body|anywhere]
    {name} is <unused>[, remove it|, so drop it|, take it out|, get rid of it|]
    {name} is an unused <parameter>
    {name} is [a leftover|dead|useless|not needed|obsolete|no longer needed|pointless], [remove|drop] it
    {name} [can|should|has to|must] go
    {name} [can|should] be [dropped|removed] [from the signature|from {function}|]
    {name} <should> not be a <parameter> [of {function}|]
    {name} [does nothing|has no effect|serves no purpose] [in {function}|here|]
    {name} [isn't|is not] [needed|used|necessary|required] [any more|anymore|here|in {function}|]
    {name} out of the [signature|parameters]
    the <parameter> {name} is [never used|unused|not used|useless|dead weight|ignored]
    the <parameter> {name} <should> [go|be removed|be dropped|disappear]
    the {name} <parameter> is <unused>
    the signature [of {function}|] <should> not [contain|have|list|include] {name}
    nobody [passes|uses|needs|sets|cares about] {name}[, drop it|, remove it|]
    nothing in {function} [uses|reads|needs] {name}
    we [don't|no longer|never] [need|use|pass] {name} [in {function}|]
    i [don't|no longer] [need|want] {name} [in {function}|as a parameter|]
    <want> {name} [gone|removed|dropped] from [{function}|the signature]
    why does {function} [take|have|accept|need] {name}
    why is there a <parameter> {name}, it's <unused>
    do we need {name} [in {function}|]? no, <remove> it
    what is {name} for? [drop|remove] it
    unused [argument|parameter|param|arg] {name}
    ARG001 unused function argument: {name}
    ARG002 unused method argument: {name}
    W0613: Unused argument {name} (unused-argument)
    pylint: unused-argument {name}
    <lint>: {name} is not used in {function}
    <review>: {function} doesn't use {name}
    -{name} [from the signature|]
    {name}? [unused|never read|nobody needs that|gone]
    {name} out
    no {name}
    no {name} [please|here|for {function}]
    without {name}
    {name} goes
    {name} [just|only] [sits there|hangs around|takes up space]
    {name} is [never|not] [read|looked at|touched|referenced] [in {function}|]
    {name} [comes|goes] in and [nothing happens|is never touched|is dropped on the floor]
    passing {name} [makes no difference|changes nothing|is pointless]
    whatever i pass as {name}, [nothing changes|it's ignored]
    why [do i have to|should i|must callers] pass {name}? it's [ignored|not used]
    why pass {name} at all
    callers <should> not [have to|need to] [pass|know|give] {name}
    callers [stopped passing|no longer pass|never pass] {name}
    [all|the] callers [are updated|have been changed], {name} can go now
    {name} [is from|dates from|comes from] [the old api|an older version|before the rewrite], [kill|drop] it
    [since|after] the [refactoring|rewrite|last change] {name} is [dead|pointless|unused]
    {name} lost its [purpose|use|job] [a while ago|long ago|with the last change]
    {name} was never [implemented|hooked up|wired up], take it out
    {name} was [deprecated|deprecated long ago], time to [drop|remove|delete] it
    deprecated {name}, remove [it|the argument]
    {function}(...) without {name}
    {function} minus {name}
    {function} [gets|takes] {name} for nothing
    {function} [gets|takes|asks for] {name} [but|and] [never uses it|does nothing with it|ignores it]
    {function} could do with one <parameter> less: {name}
    {function} has one <parameter> too many, {name}
    one <parameter> too many: {name}
    one <parameter> less: {name}
    too many arguments, {name} isn't used
    R0913 too many arguments, {name} [is unused|can go]
    PLR0913 Too many arguments in function definition, [kill|drop] {name}
    ARG001 Unused function argument: `{name}`
    ARG002 Unused method argument: `{name}`
    ARG003 Unused class method argument: `{name}`
    ARG004 Unused static method argument: `{name}`
    ARG005 {name}
    U100 Unused argument {name}
    vulture: unused variable {name} (100% confidence)
    unused variable {name} (in the signature)
    "{name}" is not accessed (pylance), drop it [from the signature|]
    sonar: Remove the unused function parameter "{name}"
    S1172 unused function parameter {name}
    [pycharm|the ide|my editor] greys out {name}
    {name} is [greyed out|grey] in my editor
    parameter '{name}' value is not used
    dead <parameter> {name}
    [dead weight|ballast|noise]: {name}
    [scrap|axe|nuke|zap|chuck|ax] {name}
    {name} -> [remove|delete|drop|trash]
    signature cleanup: {name}
    [shorter|simpler|smaller] signature please, {name} isn't [used|needed]
    [is|was] {name} [ever|still|really] used?
    can {name} go?
    can we [lose|drop|get rid of] {name}?
    what does {function} need {name} for
    what does {name} do? nothing, so [out with it|delete it|drop it]
    i don't see {name} being used, <remove> it
    TypeError: {function}() missing 1 required positional argument: '{name}', it isn't used anyway
    callers get "missing required argument {name}", but nothing reads it
    <nit>: {name} unused
    <nit>: do we need {name}?
    <review>: {name}?  never used
    <review>: can {name} go?
    <lint>: {name} unused
    todo: drop {name} from the signature
    [breaking change ok|api break is fine], {name} goes
    yagni: {name}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put a parameter that nothing uses before one of the others."""
        name = fresh_name(snippet, rng)
        function = rng.choice(snippet.functions or (None,))
        if function is None or name is None:
            return None
        lines = _with_idle(snippet, function, name, rng)
        if lines is None or _tree(lines) is None:
            return None
        before = Snippet(tuple(lines))
        twin = before.functions[snippet.functions.index(function)]
        after = drop_parameter(before, twin, name)
        if after != list(snippet.lines):
            return None
        return Planted(before, Edit.between(before, after, {"name": name, "function": function.name}))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove a parameter that the snippet mentions nowhere but in the signature."""
        idle = [
            (function, one.arg)
            for function in snippet.functions
            for one in parameters(function)
            if not is_receiver(function, one) and mentions(snippet, one.arg) == 1
        ]
        if not idle:
            return None
        function, name = rng.choice(idle)
        after = drop_parameter(snippet, function, name)
        return Edit.between(snippet, after, {"name": name, "function": function.name}) if after else None


def _with_idle(snippet: Snippet, function: Function, name: str, rng: Random) -> list[str] | None:
    places = [at for at, one in enumerate(parameters(function)) if not is_receiver(function, one)]
    if not places or rng.random() < 0.3:
        default = default_is_due(function) or rng.random() < 0.5
        return append_parameter(snippet, function, random_parameter(function, name, rng, default=default)[0])
    at, every, spec = rng.choice(places), parameters(function), function.args
    positional = len(spec.posonlyargs) + len(spec.args)
    first_default = positional - len(spec.defaults)
    default = at > first_default if at <= positional and spec.defaults else at > positional and rng.random() < 0.5
    text = random_parameter(function, name, rng, default=default or (at == first_default and rng.random() < 0.5))[0]
    span = parameter_span(snippet, function, every[at].arg)
    return insert_parameter(snippet, span[0], text) if span else None


def _tree(lines: Sequence[str]) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent("\n".join(lines)))
    except SyntaxError:
        return None

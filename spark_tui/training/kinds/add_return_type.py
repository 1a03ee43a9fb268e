"""Write the return annotation that the instruction tells."""

import ast
from collections.abc import Mapping, Sequence
from random import Random

from spark_tui.editing.code import Function, header, splice
from spark_tui.editing.codemods.add_return_type import returning
from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.hints.typing_words import return_type_of
from spark_tui.editing.signatures import same_without_annotations
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.annotations import random_type
from spark_tui.training.kinds.base import Edit, Kind, Planted


class AddReturnType(Kind):
    """`def f(x):` becomes `def f(x) -> T:`."""

    name = "add_return_type"
    skeletons = """
    <add> [a|the] return [type|annotation|type annotation|hint|type hint] {type} [to {function}|]
    <add> [a|the|] return [type|annotation|hint] [of|:] {type} [to {function}|]
    <add> -> {type} [to {function}|to the signature|to the def line|to the def|]
    <add> [the|] {type} as [the|] return [type|annotation] [of {function}|]
    <add> {type} as what {function} returns
    <put> [a|] -> {type} on [{function}|the def|the signature|the def line]
    <put> {type} after the arrow [of {function}|]
    <give> {function} [a|the] return [type|annotation] [of|] {type}
    <give> {function} a {type} return [type|annotation|hint]
    <give> it [a|the] return [type|annotation] {type}
    <annotate> [{function}|the <function>|it|this] as returning {type}
    <annotate> the return [value|type|] [of {function}|] [as|with] {type}
    <annotate> [{function}|the <function>|this] with -> {type}
    <annotate> what {function} returns: {type}
    <annotate> the result [of {function}|] as {type}
    <mark> [{function}|this <function>|it] as returning {type}
    <mark> the return type [of {function}|] as {type}
    declare [{function}|the <function>|this] as returning {type}
    declare [the return type|that the return type is] {type}
    declare that {function} returns {what}
    <set> [the|] return [type|annotation] [of {function}|] to {type}
    specify [the|a] return type [of|:] {type} [for {function}|]
    specify that {function} returns {type}
    state the return type of {function}: {type}
    type the return [value|] [of {function}|] as {type}
    say [in the signature|in the def|] that {function} returns {what}
    have the signature [of {function}|] say it returns {type}
    make it clear in the signature that {function} returns {what}
    make the return type [of {function}|] explicit[,|:] it's {what}
    make the return type {type} [for {function}|]
    return type [for|of] {function} <should> be {type}
    return type [is|should be|:|=|->] {type}
    returns {type}[, annotate it|, please annotate|, add the hint|, add that to the signature]
    {function} returns {what}[, annotate it|, add the annotation|, say so in the signature|, please type it]
    {function} returns {what} but [the signature doesn't say so|has no return annotation|isn't annotated]
    {function} -> {type}
    -> {type} [on|for] {function}
    -> {type}
    ret type -> {type}
    ret type of {function}: {type}
    ret: {type}
    rtype {type}
    {type} return [type|hint|annotation] [for|on] {function}
    {type} as return type
    the return type [of {function}|] is [missing|not there|not declared][, it's|, it is|, should be|:] {type}
    the return type [of {function}|] is {what}[, annotate it|, put it in the signature|]
    the return annotation [of {function}|] <should> be {type}
    the signature [of {function}|] <should> [say|show|declare] [that it returns|] {type}
    the signature [of {function}|] lacks [its|the|a] return type[,|:] [it's|] {type}
    this [<function>|] [gives|hands|passes] back {what}[, annotate that|, add the type|]
    this [<function>|] <should> be annotated [as returning|with return type|->] {type}
    this [<function>|] returns {what}[, the signature should say so|, so annotate it|, please add the hint]
    it [always|] returns {what}[, add the return hint|, add that annotation|, annotate accordingly]
    it <should> be declared as returning {type}
    there is no return [annotation|type|hint] [on {function}|], [it should be|add|use] {type}
    [no|missing] return [type|annotation] [on|for] {function}[: | - |, should be |, expected ]{type}
    missing return type annotation for {function}: {type}
    missing return annotation [in|on] {function} (expected {type})
    mypy: function {function} is missing a return type annotation[, it's|;|:] {type}
    error: function is missing a return type annotation ({type})
    ANN201 missing return type annotation for public function {function}[: | -> ]{type}
    ANN202 missing return type [annotation|] for private function {function}, [add|suggest|use] {type}
    add return type annotation: {type}
    pyright: return type of {function} is unknown, should be {type}
    <lint>: {function} [has no|lacks a|needs a] return annotation ({type})
    <review>: {function} needs a return type[,|:] {type}
    the type checker [wants|needs|asks for] [a|the] return type [on|for] {function}[: | - |, it's ]{type}
    annotate return {type} [for|on] {function}
    use {type} as [the|] return [type|annotation] [for|of] {function}
    use -> {type} [for|in] {function}
    <want> [a|the] return type [of|] {type} [on|for] {function}
    <want> {function} [annotated|typed|marked] as returning {type}
    <want> to see in the signature that {function} returns {what}
    <should> [this|{function}] have a return type? [it returns|it's] {what}
    why does {function} have no return type? it [is|returns] {what}
    what {function} returns is {what}[, put that in the signature|, annotate it]
    callers of {function} get {what}[, annotate it that way|, add the return hint for that]
    callers can't see that {function} returns {what}
    type hint [for|on] the return [value|] [of {function}|]: {type}
    hint the return [value|] [of {function}|] as {type}
    output type [of {function}|] is {type}[, annotate it|, add it|]
    the result [of {function}|] is {what}[, add a return annotation|, annotate it]
    <add>{untold} [a|the] [missing|] return [type|annotation|hint] [to {function}|]
    <annotate>{untold} the return [type|value] [of {function}|]
    <annotate>{untold} what {function} returns
    <give>{untold} {function} a return [type|annotation]
    {function}{untold} [has no|needs a|lacks a|is missing a|wants a] return [type|annotation|hint]
    what{untold} does {function} return? [say so in the signature|annotate it]
    [mypy|pyright|the type checker] complains{untold} about the missing return type [of {function}|]
    mypy: function{untold} {function} is missing a return type annotation
    ANN201{untold} missing return type annotation for public function {function}
    the return type{untold} [of {function}|] is <missing>
    no return annotation{untold} [on {function}|here]
    [return type|return hint|return annotation]{untold} [for|on] {function} please
    [fill in|work out|figure out|infer]{untold} [the|a] return type [of {function}|]
    <want>{untold} a return type [on {function}|]
    {type} [comes|is coming] [back|out of {function}]
    [comes back|gives back|hands back] {what}, [annotate|the def should say so|put it in the def]
    what comes [back|out] is {what}, [say so|annotate that|the signature should show it]
    you get {what} back, [not visible from the signature|annotate that]
    {function} gives {what}, [tell mypy|make that visible|mypy can't know]
    {function} [yields|hands out|delivers|produces] {what}, annotate the return
    {function}() -> {type}
    def {function}(...) -> {type}
    def ... -> {type}:
    {function} => {type}
    [arrow|->] {type} [please|missing|is missing]
    [arrow|->] {type} at the end of the def
    [after|behind] the closing paren: -> {type}
    result: {type}
    [result|return value|output] is {type}, [annotate|hint please|hint it]
    the result is typed as Any, it's {what}
    [mypy|pyright] thinks {function} returns Any, it's {what}
    [mypy|pyright|pylance] [can't|cannot] infer what {function} returns, it's {type}
    error: Function is missing a return type annotation  \\[no-untyped-def\\] ({type})
    error: Call to untyped function {function} in typed context  \\[no-untyped-call\\], it returns {type}
    ANN201 -> {type}
    ANN201 {function}: {type}
    ANN202 {function} -> {type}
    ANN204 Missing return type annotation for special method ({type})
    ANN205 missing return type, {type}
    ANN206 Missing return type annotation for classmethod, {type}
    no arrow on {function}, {type}
    [untyped|unannotated] return: {type}
    the parameters are typed, the return isn't ({type})
    [only|just] the return type is [missing|left|open], {type}
    return hint {type} [please|pls|]
    return: {type}
    returns: {type}
    -> {type} please
    what does {function} [return|give back]? {what}, [write it down|say so]
    what type comes back? {type}
    what's returned is {what}, [should be in the def|hint it]
    can {function} [have|get|carry] -> {type}?
    can we annotate this with -> {type}?
    [could|should] the signature say -> {type}?
    why no -> {type} [on {function}|here]
    my editor doesn't know that {function} returns {what}
    autocomplete [doesn't work|is dead] on the result of {function}, it's {what}
    readers can't tell that {function} returns {what}
    callers [only|always] get {what} [back|], hint please
    the docstring says it returns {what}, [so should the signature|put it in the signature too]
    isinstance({function}(...), {type}), annotate it
    make mypy happy: {function} returns {what}
    [strict|--strict] [mode|mypy] wants -> {type}
    [typing|hint|types]: returns {type}
    todo: return type {type}
    <nit>: -> {type}
    <nit>: {function} lacks -> {type}
    <review>: -> {type} missing
    <review>: return type? {type}
    let {function} declare {type}
    {type} <should> be [what|the type that] {function} [declares|is annotated with]
    close the signature with -> {type}
    [signature|def] <should> end [in|with] -> {type}
    it's {what} that {function} returns
    return type?{untold}
    [missing|no]{untold} ->
    [the|] arrow{untold} is missing [on {function}|]
    [what comes back|what it returns]{untold} isn't annotated
    the parameters are typed{untold}, the return isn't
    [only|just] the return type{untold} is [missing|left]
    error: function is missing a return type annotation{untold}  \\[no-untyped-def\\]
    ANN201{untold}
    ANN201{untold} {function}
    ANN202{untold} missing return type annotation for private function {function}
    ANN204{untold} missing return type annotation for special method {function}
    [untyped|unannotated] return{untold} [in {function}|]
    readers can't see{untold} what comes back [from {function}|]
    one can see{untold} what it returns, [annotate it|put it in the signature]
    [can|could] {function}{untold} [have|get] a return type?
    annotate the return [type |]{untold}[pls|please]
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a return annotation away; half of the time the instruction asks for that very one back."""
        annotated = [function for function in snippet.functions if function.returns is not None]
        if not annotated:
            return None
        function = rng.choice(annotated)
        head = header(snippet, function)
        if head is None or function.returns is None:
            return None
        row, column = head.closing
        if head.colon[0] != row:
            return None
        returns = snippet.lines[row][column + 1 : head.colon[1]].strip().removeprefix("->").strip()
        bare = Snippet(tuple(splice(snippet.lines, (row, column + 1), head.colon, "")))
        ops = returning(bare, bare.functions[snippet.functions.index(function)], returns) if returns else None
        if rng.random() < 0.5 or ops is None or applied(bare, ops) != list(snippet.lines):
            return Planted(bare)
        return Planted(bare, Edit(ops, {"function": function.name, "type": returns}))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Annotate a function that has no return annotation."""
        bare = [function for function in snippet.functions if function.returns is None]
        if not bare:
            return None
        function = rng.choice(bare)
        usual = return_type_of(function)
        if usual and rng.random() < 0.3:
            ops = returning(snippet, function, usual)
            return Edit(ops, {"function": function.name, "untold": ""}) if ops else None
        source, words = ("None", "nothing") if _hands_nothing_back(function, rng) else random_type(rng)
        ops = returning(snippet, function, source)
        return Edit(ops, {"function": function.name, "type": source, "what": words}) if ops else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """Only annotations differ."""
        return super().accepts(before, after, slots) and same_without_annotations(before, after)


def _hands_nothing_back(function: Function, rng: Random) -> bool:
    if function.name == "__init__":
        return True
    gives = any(isinstance(node, ast.Return | ast.Yield) and node.value for node in ast.walk(function))
    return not gives and rng.random() < 0.3

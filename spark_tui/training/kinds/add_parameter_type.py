"""Annotate one named parameter with the type that the instruction tells."""

from collections.abc import Mapping, Sequence
from random import Random

from spark_tui.editing.code import is_receiver, parameters, splice
from spark_tui.editing.codemods.add_parameter_type import typed
from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.hints.typing_words import type_of
from spark_tui.editing.signatures import annotation_span, default_of, same_without_annotations
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.annotations import random_type
from spark_tui.training.kinds.base import Edit, Kind, Planted


class AddParameterType(Kind):
    """`def f(x, n=1):` becomes `def f(x, n: int = 1):`."""

    name = "add_parameter_type"
    skeletons = """
    <add> [a|the|] {type} [annotation|hint|type|type hint] [to|for|on] {name}
    <add> [a|the|] type [hint|annotation|] {type} [to|for|on] [the <parameter> {name}|{name}]
    <add> : {type} [to|after] {name}
    <add> {name}: {type}[ to the signature| to the hints|]
    <add> [a|] <hint> [saying|to say] [that|] {name} is {what}
    <annotate> {name} as {type}
    <annotate> the [<parameter> {name}|{name} <parameter>] [as|with] {type}
    <annotate> <parameter> {name}: {type}
    <annotate> [the|] {name} [in the signature|] as {what}
    [type|hint] {name} as {type}
    [type|hint] the <parameter> {name}: {type}
    type-hint {name} [as|with|to] {type}
    <declare> {name} [as|to be] {type}
    <declare> [that|] {name} is {what}
    <mark> {name} as {type}
    <mark> the <parameter> {name} as {what}
    <give> {name} [the|a] type [hint|annotation|] {type}
    <give> {name} [a|the] {type} [hint|annotation|type]
    <give> the <parameter> {name} its type[:|,] {type}
    <put> [a|the] {type} <hint> on {name}
    <set> the type of {name} to {type}
    <set> [the|] {name} <parameter> type to {type}
    make {name} [a typed <parameter>|typed]: {type}
    specify {type} [for|as the type of] {name}
    specify the type of {name}[:| as| to be] {type}
    state that {name} [is|has to be|must be] {what}
    say [in the signature|] that {name} is {what}
    say what {name} is: {type}
    spell out the type of {name}: {type}
    note in the signature that {name} is {what}
    document the type of {name} in the signature, it's {what}
    use {type} [as type|as annotation|as the type|] [for|of|on] [the <parameter> {name}|{name}]
    write {name}: {type} [in the signature|in the def|in the parameter list|]
    have {name} annotated [as|with] {type}
    restrict {name} to {type} [in the hints|with a hint|by annotation]
    turn {name} into {name}: {type}
    change {name} to {name}: {type} [in the signature|]
    {name} is {what}[, annotate it|, add the hint|, type it|, add the annotation|, please annotate it]
    {name} is [always|supposed to be|expected to be] {what}[, annotate it|, say so in the signature]
    {name} <should> be [annotated|typed|declared|hinted] [as|] {type}
    {name} <should> have [the|] type {type}
    {name} <should> have [a|] {type} [annotation|hint]
    {name} takes {what}[, annotate it|, add that type|, so type it]
    {name} [has no|is missing a|lacks a|needs a] <hint>[, it's|, it is|: it should be|, should be] {what}
    {name} [has no|is missing its|lacks its|is without] type[: |, use |, it's ]{type}
    {name} [isn't|is not] annotated[, it's {what}|, should be {type}|: {type}]
    {name}: {type}
    {name} -> {type}
    {name} type {type}
    {name} :: {type}
    {type} for {name}
    {type} [as|is] the type of {name}
    type of {name} [is|:|=|should be] {type}
    the type of {name} [is|should be] {what}[, annotate it|, add it|]
    the <parameter> {name} is {what}[, annotate it|, add the hint|, put that in the signature]
    the <parameter> {name} <should> be [annotated as|typed|declared as|:] {type}
    the signature <should> [say|show|tell] that {name} is {what}
    the [annotation|hint|type] [of|for|on] {name} [is missing|should be there], it's {type}
    this takes {what} as {name}[, annotate that|, add the hint|]
    it [expects|wants|accepts|gets] {what} [as|for|in] {name}[, annotate it|, type it]
    callers pass {what} as {name}[, add the annotation|, annotate it]
    what is {name}? {what}, annotate it
    why is {name} untyped? [it's|make it|it should be] {type}
    param {name}: {type}
    [arg|param|parameter|argument] {name} [has type|is of type|is|:] {type}
    param type [of|for] {name}: {type}
    [missing|no] type annotation for [function argument|argument|parameter|] {name}[: | - |, expected |, should be ]{type}
    ANN001 missing type annotation for function argument {name}[: | -> | should be ]{type}
    mypy: function is missing a type annotation for [one or more arguments|argument {name}]: {name} is {type}
    pyright: type annotation is missing for parameter {name}[ | - |: use ]{type}
    error: {name} is untyped[, expected|, should be|:] {type}
    <lint>: {name} [has no|needs a|lacks a] type annotation [({type})|: {type}|, {type}]
    <review>: {name} [needs|could use|should get] a <hint>[:|,] {type}
    the type checker [wants|needs|asks for] a type for {name}[: | - |, it's ]{type}
    <want> {name} [typed|annotated|hinted|declared] as {type}
    <want> a {type} <hint> on {name}
    <want> to see that {name} is {what}
    <annotate>{untold} {name}
    <annotate>{untold} the <parameter> {name} [by its default|]
    <add>{untold} [a|the missing|] <hint> [to|for|on] {name}
    <give>{untold} {name} [a type|an annotation|a hint]
    {name}{untold} [has no|needs a|lacks a|is missing a] [type|hint|type annotation]
    {name}{untold} is untyped[, fix that|]
    what type{untold} is {name}? annotate it
    [mypy|pyright|the type checker]{untold} wants a type for {name}
    ANN001{untold} missing type annotation for function argument {name}
    [type|hint]{untold} the <parameter> {name}
    type{untold} {name} [from its default|like its default|]
    the default of{untold} {name} says [its type|what it is], annotate it
    no type{untold} on {name}
    <want>{untold} {name} [typed|annotated]
    {name}? {type}
    {name}, {type}
    {name} = {type} [type wise|, typewise|, as for types]
    {name} as {type} please
    [say|tell|show] that {name} is {what}
    {name} is {what}, [the signature should tell|make that visible|mypy can't know that|tell mypy]
    {name} is {what}, nobody can see that [from the signature|]
    readers can't tell that {name} is {what}
    my editor doesn't know {name} is {what}
    [autocomplete|completion] [doesn't work|is dead] for {name}, it's {what}
    [mypy|pyright] treats {name} as Any, it's {what}
    [mypy|pyright|pylance] [can't|cannot] infer {name}, it's {type}
    error: Function is missing a type annotation for one or more arguments  \\[no-untyped-def\\] ({name}: {type})
    reportMissingParameterType: Type annotation is missing for parameter {name}, {type}
    reportUnknownParameterType: type of parameter {name} is unknown. {type}
    ANN001 {name}: {type}
    ANN001 `{name}` -> {type}
    ANN001 on {name} - {what}
    untyped def, {name} is {what}
    no hint [on|for] {name} [yet|], {type} [fits|is right|would be right]
    {name} lacks its type. {what}
    [we|callers] [always|only] pass {what} [for|as] {name}
    [always|only] {what} comes in as {name}, annotate
    what comes in as {name} is {what}. [hint please|annotate|type it]
    what goes into {name}? {type}
    [is|what is] {name} supposed to be? {what}, [write|put] it down
    what's {name}? should say {type}
    could {name} [carry|get|have] {type} as [annotation|hint]?
    can we [have|get] {name} as {type}?
    why not say {type} for {name}
    [it|this] only works when {name} is {what}, annotate it so
    {name} in the [def|signature] <should> read {name}: {type}
    {type} behind {name} [please|]
    [behind|after] {name}: {type}
    colon {type} after {name}
    let the signature say {name}: {type}
    {function}({name}: {type})
    def {function}({name}: {type})
    {function} takes {what} ({name}), [type|annotate] that
    {function}'s {name} is {what}
    in the def, {name}: {type}
    [typing|hint|types]: {name} {type}
    [static|strict] typing: {name} is {type}
    all the others are typed, {name} [isn't|is not] ({type})
    [only|just] {name} is still untyped, {what}
    the docstring says {name} is {what}, [so should the signature|put it in the signature]
    make mypy happy: {name} is {what}
    [documentation|docs] for {name}: {type}, as annotation
    type({name}) [is|==] {type}, annotate
    isinstance({name}, {type}) [always|] holds, annotate it
    {name} [gets|has] no annotation, why? {type}
    [strict|--strict] [mode|mypy] needs {name}: {type}
    nit: {name}: {type}
    <nit>: {name} untyped, {type}
    <review>: what is {name}? {what}? annotate please
    <review>: {name}: {type}?
    {name} <should> show up as {type} in the [editor|ide|docs]
    todo: hint {name}, {type}
    {name}{untold} isn't [typed|annotated|hinted]
    {name}{untold} untyped
    [all the others are typed|everything else is annotated], {name} isn't{untold}
    one can see{untold} from the default what {name} is, annotate it
    its default{untold} gives away the type of {name}, write it down
    ANN001{untold} {name}
    {untold}reportMissingParameterType: {name}
    [my editor|my ide|autocomplete] has no clue{untold} what {name} is, [type|annotate] it
    {function}{untold}: {name} needs [a type|typing]
    [could|can] {name}{untold} [get|have] a [type|hint|annotation]?
    [forgot|missed] the type{untold} [of|for|on] {name}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take one annotation away; half of the time the instruction asks for that very one back."""
        spans = [
            (function, parameter, span)
            for function in snippet.functions
            for parameter in parameters(function)
            if (span := annotation_span(snippet, parameter)) and not is_receiver(function, parameter)
        ]
        if not spans:
            return None
        function, parameter, (start, end) = rng.choice(spans)
        source = snippet.lines[start[0]][start[1] : end[1]].lstrip(": ")
        if default_of(function, parameter) is not None:
            rest = snippet.lines[end[0]][end[1] :]
            if not rest.startswith(" = "):
                return None
            bare = Snippet(tuple(splice(snippet.lines, start, (end[0], end[1] + 3), "=")))
        else:
            bare = Snippet(tuple(splice(snippet.lines, start, end, "")))
        ops = typed(bare, bare.functions[snippet.functions.index(function)], parameter.arg, source)
        if rng.random() < 0.5 or ops is None or applied(bare, ops) != list(snippet.lines):
            return Planted(bare)
        return Planted(bare, Edit(ops, {"function": function.name, "name": parameter.arg, "type": source}))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Annotate a parameter that has no annotation."""
        bare = [
            (function, parameter)
            for function in snippet.functions
            for parameter in parameters(function)
            if parameter.annotation is None and not is_receiver(function, parameter)
        ]
        if not bare:
            return None
        function, parameter = rng.choice(bare)
        usual = type_of(default_of(function, parameter))
        source, words = random_type(rng)
        slots = {"function": function.name, "name": parameter.arg, "type": source, "what": words}
        if usual and rng.random() < 0.3:
            source, slots = usual, {"function": function.name, "name": parameter.arg, "untold": ""}
        ops = typed(snippet, function, parameter.arg, source)
        return Edit(ops, slots) if ops else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """Only annotations differ."""
        return super().accepts(before, after, slots) and same_without_annotations(before, after)

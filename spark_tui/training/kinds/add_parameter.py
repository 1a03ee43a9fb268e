"""Add a parameter, told with or without a default and a type, at the end of a signature."""

from collections.abc import Mapping, Sequence
from random import Random

from spark_tui.editing.code import Function, is_receiver, parameters, quote_of, text_of
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.annotations import default_of
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.signature import (
    append_parameter,
    default_is_due,
    drop_parameter,
    fresh_name,
    parameter_source,
    random_parameter,
)


class AddParameter(Kind):
    """`def f(a, **kw):` becomes `def f(a, n=1, **kw):`.

    Slots: {signature} is the source of the new parameter, always known. The others are known for one form only, so that no
    wording leaves something out: {bare}; {extra} and {default}; {typed} and {type}; {full}, {full_type}, {full_default}.
    """

    name = "add_parameter"
    skeletons = """
    <add> [a|the|] <parameter> {bare} [to {function}|to the signature|at the end|]
    <add> {bare} [to the <parameters>|to the signature|as a parameter|as the last parameter] [of {function}|]
    <give> {function} [a|another|one more|an extra] <parameter> [<named>|] {bare}
    [make|have|let] {function} [take|accept|expect] {bare} [too|as well|] as [a|its last] <parameter>
    let {function} [take|accept|receive] [a|an additional|another] [required|] <parameter> {bare}
    extend {function} [with|by] [a|the] <parameter> {bare}
    {function} <should> [take|accept|have|get] [a|the] <parameter> <named> {bare}
    {function} needs [a new|an extra|another|one more] <parameter>[,|:] {bare}
    {bare} <should> be [a|the last|another] <parameter> [of {function}|]
    new <parameter> {bare} [for|in] {function}
    i [want|need|have] to pass {bare} [to|into] {function}
    pass {bare} [in|] as [a|another|an extra] <parameter> [of {function}|]
    [required|mandatory|positional] <parameter> {bare} [for {function}|]
    {bare} is [missing from|not in] the [signature|parameters] [of {function}|]
    the signature [of {function}|] [lacks|is missing|needs] [a|the] <parameter> {bare}
    TypeError: {function} got an unexpected keyword argument {bare}, make it required
    <add> [a|the|an optional] <parameter> {extra} [with|that has] [the|a|] default [value|of|] {default} [to {function}|]
    <add> [a|the|an optional|] <parameter> {extra} [defaulting to|that defaults to|whose default is] {default}
    <add> {extra} [to {function}|to the signature|to the parameters|], [default|default is|defaulting to|by default] {default}
    <add> an optional {extra} [to {function}|]({default}[ by default| if not given|])
    <add> [a new|an extra|another] [keyword|optional|] <parameter> {extra}, {default} by default
    <add> {extra} with {default} as [the|its] <default> [to {function}|]
    <give> {function} [a|an optional] <parameter> {extra} [defaulting to|with default|with a default of] {default}
    <give> {function} an [optional|extra] {extra}, {default} [by default|when not given|if omitted]
    [make|have|let] {function} [take|accept] [a|an optional] <parameter> {extra} (default[:|] {default})
    [make|have|let] {function} accept {extra}, [defaulting to|default|which defaults to] {default}
    let {function} [take|accept|have] [an optional|] {extra}, [defaulting to|default] {default}
    let callers [pass|set|choose|give] {extra} [to {function}|], [default|defaulting to] {default}
    allow [passing|to pass|callers to pass] {extra} [to {function}|] [with|, ] default {default}
    extend {function} by {extra} ([default|defaults to|optional, default] {default})
    [{function}|this|it] <should> [take|accept|have] [an optional|a] <parameter> {extra}, [default|defaulting to] {default}
    {function} <should> accept {extra} [with default|and default it to|defaulting to] {default}
    {function} needs a [further|new] <parameter> {extra}, [default|defaulting to] {default}
    {extra} <should> be [an optional|a] <parameter> [of {function}|] [with default|defaulting to] {default}
    new [optional|keyword|] <parameter> {extra}, [default|default value|defaults to] {default}
    optional {extra} <parameter>, [default|defaults to|default value] {default}
    <want> [an|to have an|a new] optional <parameter> {extra} [in {function}|] whose default is {default}
    <want> to be able to pass {extra} [to {function}|], [it defaults to|default|otherwise it is] {default}
    introduce [an|a new] [argument|option|parameter|flag] {extra} [set to|equal to|with] {default} by default
    [configurable|settable|overridable] {extra} [for {function}|], default {default}
    {extra} as [a new|an optional|a] <parameter>, {default} by default
    with {default} as default, <add> [a|the] <parameter> {extra}
    TypeError: {function} got an unexpected keyword argument {extra}, should default to {default}
    <add> [a|the|] <parameter> {typed} of type {type} [to {function}|]
    <add> {typed} to the <parameters> [of {function}|], [it's|it is|type] {type}
    <add> [a|the] {type} <parameter> [<named>|] {typed} [to {function}|]
    <give> {function} [a|another] <parameter> {typed} [of type|typed|annotated] {type}
    [make|have|let] {function} [take|accept] {typed}, [typed|annotated|declared] as {type}
    {function} <should> [take|accept] [a|another] <parameter> {typed} of type {type}
    {function} needs [another|a new] [required|] <parameter> {typed}, [typed|annotated|hinted] {type}
    new <parameter> {typed} ([type |]{type}) [for {function}|]
    <add> [a|the|] <parameter> {full} of type {full_type} [with|and] default {full_default} [to {function}|]
    <add> [an optional|a] {full_type} <parameter> {full}, [default|defaulting to] {full_default}
    <give> {function} [a|an optional] <parameter> {full} ({full_type}, default {full_default})
    {function} <should> take {full} of type {full_type}, {full_default} by default
    new <parameter> {full}: [type|] {full_type}, default {full_default}
    <add> {signature} [to {function}|to the signature|to the <parameters>|as a parameter|as the last parameter]
    <add> {signature} at the end of the [signature|parameters|parameter list|argument list] [of {function}|]
    <add> [the|a|] <parameter>[:|] {signature} [to {function}|]
    append {signature} to the [parameters|parameter list|arguments|signature] [of {function}|]
    <put> {signature} [in|into] the [signature|parameter list|argument list] [of {function}|]
    <give> {function} {signature} as [a|an additional|another] <parameter>
    [make|have|let] {function} [take|accept] {signature} [as well|too|]
    [{function}|this|it] <should> [also|] [take|accept|get] {signature} [as <parameter>|]
    the signature [of {function}|] <should> [include|contain|end with|have] {signature}
    another <parameter>[:|,] {signature}
    new <parameter>[:|] {signature}
    param {signature}
    +{signature} [in the signature|to the parameters|as parameter]
    {signature} as [a new|another|the last] <parameter> [of {function}|]
    <lint>: {function} lacks <parameter> {signature}
    <review>: {function} <should> take {signature}
    {bare} [too|as well]
    {bare} in [here|there] too, the caller [knows|has|decides] it
    the caller [knows|has|decides] {bare}, [pass|hand] it in
    the caller <should> [decide|choose] {bare}
    {function}(..., {bare})
    {function} can't know {bare}, [hand|pass|give] it in
    {function} has no {bare}, callers have to [provide|supply|hand in] it
    {function} [also|additionally] [depends on|works with|wants] {bare}
    where does {function} get {bare} from? [make it|should be] a <parameter>
    NameError: name {bare} is not defined, it [should|must] come from the caller
    undefined name {bare}, [should|has to] be passed [in|]
    {function}() takes no {bare} yet
    TypeError: {function}() got an unexpected keyword argument {bare}
    E1123 unexpected keyword argument {bare} in function call, add it
    one <parameter> more: {bare}
    [one|1] more <parameter>, {bare}, no default
    [need|we need|missing] {bare} in the signature
    the signature [is|falls] short of {bare}
    [subclasses|callbacks|plugins] get {bare} as well, so should {function}
    {bare} from [outside|the caller|the call site] please
    don't take {bare} from thin air, [accept it|make it a <parameter>]
    [callback|hook|handler] signature [changed|is wrong]: {bare} comes last now
    can {function} [get|have|receive] {bare}?
    why can't i pass {bare} [to {function}|]
    {extra} = {default} in the signature
    {extra}, {default} unless [given|told otherwise|somebody says otherwise]
    {default} for {extra} unless the caller [says|wants] otherwise
    make {extra} [configurable|adjustable|a knob], [today's value|default|normally] {default}
    {extra} <should> be [up to|decided by] the caller, {default} if [nothing is said|omitted|left out]
    [an option|a flag|a switch|a knob] {extra} ({default}) for {function}
    [hook|knob|switch|flag] wanted: {extra}, default {default}
    if [no|nobody gives] {extra} [is given|], [take|use|assume] {default}, and make it a <parameter>
    callers who don't care about {extra} get {default}, [new|optional] <parameter>
    {function}({extra}={default})
    {function}(..., {extra}={default})
    kwarg {extra}, {default}
    [kw|keyword]: {extra}, default: {default}
    [backwards compatible|without breaking callers]: <parameter> {extra}, default {default}
    i can't [set|choose|control] {extra} from outside, [should be|make it] a <parameter>, {default} by default
    can {function} have [a|an] {extra} [option|setting|argument]? {default} normally
    one more [option|setting|argument]: {extra}, normally {default}
    {typed} too, [it's|of type] {type}
    {typed} as {type}, from the caller
    {function}(..., {typed}: {type})
    the caller [knows|has] {typed} ({type}), take it as <parameter>
    one <parameter> more: {typed}, [typed|type] {type}
    [needs|missing]: a {type} called {typed} in the signature
    {function} <should> know {typed}, a {type}
    mandatory {type} <parameter> {typed}
    accept a {type} named {typed} [too|as well|]
    {full}, a {full_type}, {full_default} unless given
    {function}(..., {full}: {full_type} = {full_default})
    make {full} [configurable|an option], {full_type}, normally {full_default}
    [an option|a knob|a flag] {full}: {full_type}, {full_default} by default
    accept a {full_type} {full}, {full_default} if [omitted|left out|not given]
    one more <parameter>: {full}, typed {full_type}, default {full_default}
    callers may pass {full} ({full_type}), otherwise it's {full_default}
    {signature} [too|as well]
    {signature} please
    {signature} last in the [signature|parens|parentheses|def]
    {function}(..., {signature})
    def {function}(..., {signature})
    [need|want|missing][:|] {signature} in {function}
    [extra|additional|one more] [arg|argument|kwarg|param]: {signature}
    the def line <should> end with {signature}
    take {signature} from the caller
    [signature|args|params]: + {signature}
    [todo|fixme]: accept {signature}
    why doesn't {function} [take|have|accept] {signature}?
    can {function} take {signature}?
    {function} lacks {signature}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take the last parameter away where putting it back gives the very same source."""
        function = rng.choice(snippet.functions or (None,))
        every = parameters(function) if function else []
        if function is None or not every or rng.random() < 0.5:
            return None
        last = every[-2] if function.args.kwarg and len(every) > 1 else every[-1]
        if is_receiver(function, last) or last in (function.args.vararg, function.args.kwarg):
            return None
        code = text_of(snippet, last.annotation) if last.annotation else ""
        default = default_of(function, last)
        fallback = text_of(snippet, default) if default else ""
        lines = drop_parameter(snippet, function, last.arg)
        if lines is None or bool(code) != bool(last.annotation) or bool(fallback) != bool(default):
            return None
        before = Snippet(tuple(lines))
        place = snippet.functions.index(function)
        again = append_parameter(before, before.functions[place], parameter_source(last.arg, code, fallback))
        if again != list(snippet.lines):
            return None
        return Planted(before, Edit.between(before, again, _slots(function, last.arg, code, fallback)))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Add a parameter with a name that is new to the snippet."""
        function = rng.choice(snippet.functions or (None,))
        name = fresh_name(snippet, rng)
        if function is None or name is None:
            return None
        default = default_is_due(function) or rng.random() < 0.6
        text, code, fallback = random_parameter(function, name, rng, default=default, quote=quote_of(snippet))
        after = append_parameter(snippet, function, text)
        return Edit.between(snippet, after, _slots(function, name, code, fallback)) if after else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is the parameter told."""
        return super().accepts(before, after, {"signature": f"the parameter `{slots['signature']}`"})


def _slots(function: Function, name: str, code: str, fallback: str) -> dict[str, str]:
    slots = {"function": function.name, "signature": parameter_source(name, code, fallback)}
    if code and fallback:
        return slots | {"full": name, "full_type": code, "full_default": fallback}
    if code:
        return slots | {"typed": name, "type": code}
    return slots | ({"extra": name, "default": fallback} if fallback else {"bare": name})

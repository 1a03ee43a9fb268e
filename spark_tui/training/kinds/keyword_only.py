"""Make parameters keyword-only with a bare star."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.keyword_only import Star, stars, with_star
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind


class KeywordOnly(Kind):
    """`def f(a, b=1):` becomes `def f(a, *, b=1):`.

    Slots: {param} is the only one concerned; {first} and {second} the two that are; {after} the parameter that stays
    before the star; {but} the only one that stays; {from} the first one behind it; {defaults}, {every} and {flag} say what the star comes before.
    """

    name: ClassVar[str] = "keyword_only"
    skeletons: ClassVar[str] = """
    make {param} keyword-only
    make {param} [a|] keyword only [argument|parameter|arg]
    make {param} keyword[ |-]only
    <make> {param} into a keyword-only <parameter>
    force callers to [pass|name|write] {param} by [name|keyword]
    force {param} to be [passed|given] [by name|by keyword|as a keyword]
    {param} <should> be keyword[-| ]only
    {param} <should> [only|] be [passed|given|set] by [name|keyword]
    nobody should pass {param} [by position|positionally|without its name]
    {param} must not be [positional|passed by position|given by position]
    disallow passing {param} [positionally|by position]
    don't allow {param} as a positional [argument|arg|]
    callers keep passing {param} [positionally|by position], [stop that|forbid it|require the name]
    require the name for {param}
    require {param} [to be passed|] as [a|] keyword [argument|]
    i want people to write {param}=... [explicitly|] [in calls|when they call it|]
    it's [confusing|unclear|unreadable] at the call site what {param} is, [make it keyword-only|require the keyword]
    <put> a [star|*|bare star] before {param}
    <add> a [*|star|asterisk] [before|in front of] {param} [in the signature|]
    <add> *, before {param}
    [star|*] before {param}
    {param} keyword only
    {param}: kw-only
    kwonly {param}
    keyword-only: {param}
    can {param} be keyword-only
    why can {param} be passed [by position|positionally]? it <should> not
    <nit>: {param} <should> be keyword-only
    <review>: {param} [could|should] be keyword-only
    make {first} and {second} keyword[-| ]only
    {first} and {second} <should> be [keyword-only|passed by name|keyword arguments only]
    force {first} and {second} to be [passed|given] by [name|keyword]
    <put> a [star|*] before {first} and {second}
    {first} and {second} [by name only|by keyword only|must be named]
    nobody should pass {first} or {second} [by position|positionally]
    don't let callers pass {first} and {second} [positionally|by position]
    make everything after {after} keyword[-| ]only
    [everything|all|all the arguments|the parameters] after {after} <should> be [keyword-only|passed by name|named]
    only {but} <should> be positional
    keep {after} positional, [make|] the rest keyword-only
    <put> a [star|*|bare *] [right |]after {after}
    <add> [a|] [*|star] after {after} [in the signature|]
    [the rest|whatever comes|everything that comes] after {after} must be given by name
    after {after} [only keywords|keyword arguments only|keyword-only]
    make all [parameters|arguments] after {after} keyword-only
    {but} may be positional, the others [not|by name only|must be keywords]
    make {from} and everything after it keyword[-| ]only
    {from} and [the rest|all that follow|everything after] <should> be keyword-only
    from {from} on [keyword-only|only by name|everything by keyword]
    <put> [the|a] [star|*] before {from}
    <add> a * before {from}
    [keyword-only|keywords only] [from|starting at|beginning with] {from}
    {from} and what comes after [it|]: [keyword-only|by name only]
    nothing from {from} on [may|can] be [passed|given] by position
    positional arguments [end|stop] before {from}
    make the [optional|defaulted] [arguments|parameters] keyword[-| ]only{defaults}
    make [the ones|those|all arguments|the parameters] with [a default|defaults] keyword[-| ]only{defaults}
    optional [arguments|parameters] <should> be [keyword-only|passed by name]{defaults}
    [everything|whatever] [that has|with] a default <should> be [passed by name|keyword-only]{defaults}
    force [the|] [options|optional arguments|defaults] to be given by [name|keyword]{defaults}
    <put> a [star|*] before the [first default|defaults|optional arguments]{defaults}
    separate [the|] [options|optional arguments] with a [star|*]{defaults}
    make all [the|] [arguments|parameters] keyword[-| ]only{every}
    all [arguments|parameters] <should> be [keyword-only|passed by name|given by keyword]{every}
    [only keyword arguments|keyword arguments only|no positional arguments]{every}
    [disallow|forbid|no] positional arguments [altogether|at all|]{every}
    calls <should> name every argument{every}
    callers must [spell out|write|use] [the names of all arguments|all argument names|keywords for everything]{every}
    kw-only [signature|arguments]{every}
    make it impossible to [pass|give] anything [by position|positionally]{every}
    everything <should> be [passed by name|named|given by keyword]{every}
    start the parameters with a [star|*]{every}
    <put> a [star|*] first [in the signature|]{every}
    no arguments by position{every}
    every argument [by name|needs its name|must be named]{every}
    FBT002 boolean default positional argument [{flag}|in the function definition, {flag}]
    FBT001 boolean-typed positional argument in function definition[: {flag}|, {flag}]
    <lint>: boolean positional argument {flag}
    [boolean trap|a bare True tells nobody anything]: {flag} <should> be [keyword-only|named]
    the [flag|boolean|bool] {flag} <should> be keyword-only
    f(x, True) is [hard to read|unreadable], [make|force] {flag} [to be|] keyword-only
    {flag} is a [boolean|flag|bool], callers <should> [name it|pass it by name]
    don't let people pass {flag} as a bare True
    PLR0917 too many positional arguments, [keep only {but}|make everything after {after} keyword-only]
    everything but {but} <should> be keyword-only
    all but {but} by [name|keyword] only
    [apart from|besides|except for] {but}, keyword only
    everything except {but} [by name|as keywords|keyword-only]
    {but} may be positional, nothing else
    one positional ({but}), the rest by name
    f({but}, ...) with everything else named
    [only|just] {but} without a name
    {but}, *, and then the rest
    def ...({but}, *, ...)
    {but}, then a star
    after {but} comes a *
    star after {but}
    nothing but {but} by position
    anything after {but} [has to|must] be spelled out [by name|]
    past {but} i want names
    nobody remembers the order of what comes after {after}, make them name it
    stop positional arguments [at|after] {after}
    [the order|argument order] after {after} keeps changing, so names only
    {after} is the last positional one
    {after}, *, ...
    from there on names, {after} being the last without
    everything behind {after} by name
    someone passed {param} positionally and [broke prod|got it wrong|it went unnoticed]
    people mix up the order, {param} by name please
    {param} gets mixed up with the one before it, [force the name|make people name it]
    {param} next to the others is easily swapped, names only
    {param}= must be [written|spelled] out
    i'd like to see {param}= at every call
    {param}=... or TypeError
    TypeError please when {param} comes without its name
    should be a TypeError to pass {param} by position
    f(..., {param}=x), never f(..., x)
    callers must write {param}=
    so that we can reorder [later|without breaking callers], {param} keyword-only
    so {param} can move later without breaking anyone
    [room|leave room] for more positional ones later, {param} after a star
    *, {param}
    def f(..., *, {param})
    bare * in front of {param}
    {param} after the star
    {param} not by position
    {param} by name only
    {param}: by keyword [please|]
    positional {param} is a bug waiting to happen
    nobody can tell what {param} is when reading a call
    unreadable at the call site: {param}
    named only: {param}
    require keyword {param}
    a * so {param} has to be named
    {first}, {second}: by name only
    *, {first}, {second}
    {first} and {second} get mixed up [all the time|], force names
    {first} and {second} are easily swapped, make people name them
    {first}=, {second}= must be written out
    callers swapped {first} and {second}, never again
    same type for {first} and {second}, so names only please
    by keyword: {first}, {second}
    a * so {first} and {second} have to be named
    {first} and {second} after a star
    no positional {first} or {second}
    [starting|beginning] at {from} names only
    * right before {from}
    *, {from}, ...
    positional up to {from}, [then|from there] names
    {from} onwards by keyword
    anything from {from} on must be named
    too many positional ones, put a * before {from}
    R0917 Too many positional arguments, star before {from}
    PLR0917 too many positional, keywords from {from}
    the options should [have to|] be named{defaults}
    [what|whatever] is optional [should|must] be named{defaults}
    required ones by position, optional ones by name{defaults}
    star between the required and the optional ones{defaults}
    optional ones after a *{defaults}
    positional = required, keyword = optional{defaults}
    [nobody|no one] should pass an option without its name{defaults}
    def f(*, ...){every}
    leading *{every}
    *, first thing in the signature{every}
    names for everything{every}
    no call without names{every}
    [too many|so many] parameters [of the same type|], calls must name them all{every}
    nobody can remember this order, names only{every}
    keyword arguments all the way{every}
    keywords or TypeError{every}
    strictly by name{every}
    FBT001 Boolean-typed positional argument in function definition ({flag})
    FBT002 Boolean default positional argument in function definition, {flag}
    FBT003 at the callers because of {flag}, require the keyword
    a naked True for {flag} says nothing
    what does the True mean? force {flag}=True
    {flag}=True instead of just True
    bool {flag} must be named
    boolean {flag} by position is a trap
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """One star in one signature, told by what comes before or after it."""
        found = [star for star in stars(snippet) if with_star(snippet, star)]
        if not found:
            return None
        at_end = [star for star in found if star.first >= len(star.free) - 2]
        star = rng.choice(at_end if at_end and rng.random() < 0.6 else found)
        after = with_star(snippet, star)
        slots = _slots(star)
        if after is None or not slots:
            return None
        return Edit.between(snippet, after, {**slots, "function": star.function.name})


def _slots(star: Star) -> Mapping[str, str]:
    """What can be said of a star, as slots; other parameters of the function must not share the names."""
    before, behind = star.free[: star.first], star.free[star.first :]
    slots = {"from": behind[0].arg} if len(behind) > 1 else {}
    if before and len(behind) > 1:
        slots["after"] = before[-1].arg
    if len(before) == 1:
        slots["but"] = before[0].arg
    if len(behind) == 1:
        slots["param"] = behind[0].arg
        if _is_flag(star, behind[0]):
            slots["flag"] = behind[0].arg
    elif len(behind) == 2:
        slots |= {"first": behind[0].arg, "second": behind[1].arg}
    defaults = [default_of(star.function, one) is not None for one in star.free]
    if len(behind) > 1 and all(defaults[star.first :]) and not any(defaults[: star.first]) and before:
        slots["defaults"] = ""
    if not before and len(behind) > 1:
        slots["every"] = ""
    return slots


def _is_flag(star: Star, parameter: ast.arg) -> bool:
    default = default_of(star.function, parameter)
    return isinstance(default, ast.Constant) and isinstance(default.value, bool)

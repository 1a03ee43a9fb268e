"""Change the default of a parameter to a told value."""

import ast
from random import Random

from spark_tui.editing.code import (
    MAX_WIDTH,
    end_of,
    is_receiver,
    quote_of,
    splice,
    start_of,
)
from spark_tui.editing.codemods.change_default import defaults
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.pools import number, string, value


class ChangeDefault(Kind):
    """`def f(n=1):` becomes `def f(n=5):`."""

    name = "change_default"
    skeletons = """
    [change|update|modify|alter] [the|] <default> [value|] of {name} to {new}
    [change|update|modify|alter] [the|] <default> [of|for] {name} from {old} to {new}
    [change|update|modify|alter] {name}'s <default> to {new}
    [change|update|modify|alter] the {name} <default> [from {old}|] to {new}
    change {name} to [default to|be] {new} [by default|if not given|when omitted]
    change <default> {old} [of {name}|] to {new}
    <set> [the|] <default> [of|for] {name} to {new}
    <set> {name} to {new} by default
    <make> {new} the <default> [of|for] {name}
    make {name} default to {new} [instead of {old}|rather than {old}|not {old}|]
    make {name} {new} [by default|if nobody passes it|when it's not given|unless given]
    make the <default> [of|for] {name} {new} [rather than {old}|instead of {old}|]
    make {new} what {name} is [by default|when nothing is passed]
    let {name} default to {new}
    let {name} be {new} [by default|unless it is passed|when left out]
    use {new} as [the|] <default> [of|for] {name}
    use {new} [instead of|rather than|not] {old} as [the|] <default> [of|for] {name}
    use {new} for {name} [by default|unless told otherwise|when it isn't passed|if omitted]
    use {name}={new} [in the signature|]
    default {name} to {new} [instead of {old}|not {old}|]
    default [of|for] {name}: {new}
    <replace> [the|] <default> {old} [of|for] {name} <with> {new}
    <replace> the <default> of {name} <with> {new}
    <switch> [the|] <default> [of|for] {name} [from {old}|] to {new}
    <give> {name} [a different|another|the|a new] <default>[:|,] {new}
    <give> {name} {new} as [its|the] <default>
    <fix> the <default> of {name}, it <should> be {new}
    update the <default> [of|for] {name} to {new}
    adjust [the|] <default> {name} to {new}
    bump [the|] <default> [of|for] {name} [from {old}|] to {new}
    turn the <default> of {name} into {new}
    {name} <should> [default to|be] {new} by default
    {name} <should> default to {new}[, not {old}|, not to {old}| instead of {old}| rather than {old}|]
    {name} <should> [be|equal] {new} [when not given|if omitted|when it is not passed|unless given]
    {name} <should> have [the|] default [value|] {new}
    {name} [defaults to|is] {old} by default but [should be|we need|we want|i need] {new}
    {name} defaults to {old}, [should be|make it|change that to|it should be] {new}
    {name} defaulting to {old} is [wrong|not good|a bad idea|bad], use {new}
    {name} default -> {new}
    {name} default {old} -> {new}
    {name}={old} -> {name}={new}
    {name}: default {new}
    {name}: {old} -> {new} [as default|]
    {new} <should> be the <default> [of|for] {name}
    {new} [as|is a better|would be a better|makes more sense as] <default> for {name}
    {new} instead of {old} as [the|] <default> [of|for] {name}
    {old} is [a bad|the wrong|a poor|not a good] <default> for {name}, [use|make it|it should be|take] {new}
    {old} -> {new} [for the default of|as default for] {name}
    the <default> [of|for] {name} <should> be {new}[, not {old}| instead of {old}|]
    the <default> [of|for] {name} is {old}, [should be|but should be|make it|change it to] {new}
    the <default> [of|for] {name} is <wrong>, [it should be|use|make it|must be] {new}
    the {name} <parameter> <should> default to {new}
    the <parameter> {name} <should> [be|default to] {new} by default
    the signature <should> [say|have|read] {name}={new}
    wrong <default> [for|of] {name}: {old} <should> be {new}
    [param|parameter|argument|arg] {name} <should> default to {new}
    <want> {name} to [default to|be] {new} [by default|when nobody sets it|unless passed]
    <want> {new} as the <default> [of|for] {name}
    <want> the <default> [of|for] {name} to be {new}
    without {name} it should [take|use|assume] {new} [as default|in the signature|]
    if {name} [isn't|is not] [given|passed], it <should> be {new}[, change the default|, by default]
    when {name} is [omitted|left out|not passed], <use> {new} [by default|as the default|]
    why [is {name} {old} by default|does {name} default to {old}]? [make it|use|should be] {new}
    <should> {name} [really|] default to {old}? [make it|i'd say] {new}
    callers [who|that] don't pass {name} should get {new}
    <review>: default [of|for] {name} should be {new}
    mutable default {mutable} for {name}, default to {new}
    B006 do not use mutable default {mutable} [for|of] {name}, use {new} [as default|]
    {name} default: {new} instead of {old}
    {name} defaults: {old} -> {new}
    {name}, default {new}
    {name}={new} please
    {name}={new} in the def
    {function} with {name}={new} [unless told|by default]
    {function}: {name}={old} -> {name}={new}
    {name}? {new} unless someone says otherwise
    {name} ought to start [out|off|] as {new}
    {name} out of the box: {new}
    out of the box {name} is {old}, [people|users|most] want {new}
    most [callers|people|users] pass {name}={new} anyway, so that's the default
    everyone passes {name}={new}. make that the default
    nobody wants {name}={old}, {new} [by default|unless asked]
    i always have to pass {name}={new}, can that be the default?
    calling {function} [alone|without anything|with no arguments] should mean {name}={new}
    {function} without {name} should act as if {name}={new}
    opt in, not opt out: {name}={new}
    opt-out please: {name} {new} unless passed
    {name} off/on by default: {new}
    what you get without {name} <should> be {new}
    leaving {name} out gives {old}, i expect {new}
    if you leave {name} out you get {old}. {new} would be [right|better|safer|saner]
    {old} is [too small|too big|too short|too long|unsafe|silly] as [a default|the standard] for {name}. {new}
    the docs say {name} defaults to {new}, [the code disagrees|the signature says {old}|here it's {old}]
    docs and code differ: {name} is {old} here and {new} there, the docs are right
    doc says (default: {new}) for {name}
    [ship|start|go] with {name}={new}
    safer default for {name}: {new}
    saner default: {name} {new}
    new default {new} ({name})
    {name} [optional|may be omitted] with {new}
    {name} falls back [to|on] {old}, [better fall back on|it ought to be|let it be] {new}
    fall back to {new} for {name}
    fall back on {new} if {name} is missing
    initial {name} {old} -> {new}
    preset {name} to {new}
    the preset {name}={old} hurts, {new}
    start value of {name}: {new}
    B006 Do not use mutable data structures for argument defaults: {mutable} -> {new}
    W0102: Dangerous default value {mutable} as argument, {name} {new}
    {name} shares one {mutable} [between|across] calls, {new} then
    B008 Do not perform function call in argument defaults: {name}={old} -> {name}={new}
    RUF013 PEP 484 prohibits implicit Optional: {name}, use {new}
    error: Incompatible default for argument "{name}", [it should be|want] {new}
    FBT002 Boolean default positional argument {name}: {new}
    from now on {name} is {new} when you don't say
    since v2 {name} defaults to {new}
    in the next release {name} becomes {new} [by default|unless told]
    backwards compatible: {name} has to default to {new}, not {old}
    could {name} be {new} if one doesn't care?
    why not {name}={new} as the standard
    would {new} make a better start for {name}?
    {new} for {name} [if nothing is said|unless overridden|when the caller is silent|by itself]
    the standard {name} is {new}, not {old}
    nit: default {name} {new}
    signature: {name}={old} -> {name}={new}
    in the signature {name} has {old}, put {new} [there|]
    where the signature says {name}={old} it must say {new}
    {new} behind the equals sign of {name}
    {name}'s {old} -> {new}
    param {name} has the wrong default, {new}
    swap {name}'s default {old} for {new}
    set it so {name} is {new} for people who don't pass it
    assume {new} for {name}
    assume {name} is {new} unless told
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Give the last positional parameter a default, now and then a mutable one."""
        function = rng.choice(snippet.functions or (None,))
        spec = function.args if function else None
        if function is None or spec is None or not spec.args or spec.defaults or is_receiver(function, spec.args[-1]):
            return None
        end = end_of(snippet, spec.args[-1])
        text = rng.choice(["[]", "{}"]) if rng.random() < 0.1 else value(rng, quote_of(snippet))
        glue = " = " if spec.args[-1].annotation else "="
        return Planted(Snippet(tuple(splice(snippet.lines, end, end, glue + text))))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Change one default that stands on one line, mostly to a value of its own sort."""
        found = defaults(snippet)
        if not found:
            return None
        one = rng.choice(found)
        default, quote = one.node, quote_of(snippet)
        old, new = one.source, _new_value(default, quote, rng).replace("''", quote * 2)
        if len(old) > 40 or old == new:
            return None
        after = splice(snippet.lines, start_of(snippet, default), end_of(snippet, default), new)
        if len(after[default.lineno - 1]) > MAX_WIDTH:
            return None
        slots = {"name": one.name, "old": old, "new": new, "function": one.function.name}
        if isinstance(default, ast.List | ast.Dict | ast.Set):
            slots["mutable"] = old
        return Edit.between(snippet, after, slots)


def _new_value(default: ast.expr, quote: str, rng: Random) -> str:
    held = default.value if isinstance(default, ast.Constant) else ()
    if rng.random() < 0.3:
        return value(rng, quote)
    match held:
        case bool():
            return str(not held)
        case int() | float():
            return number(rng)
        case str():
            return string(rng, quote)
        case None:
            return value(rng, quote)
    return "None" if rng.random() < 0.5 else value(rng, quote)

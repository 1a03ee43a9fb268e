"""Put a told decorator directly above a `def`."""

from collections.abc import Mapping, Sequence
from random import Random

from spark_tui.editing.code import Function, parameters
from spark_tui.editing.codemods.add_decorator import decorated, worn
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.pools import class_name, function_name, noun, number, string, variable_name

_BECOMES = {"staticmethod": "static method", "classmethod": "class method", "property": "property"}
_CACHES = (
    "functools.cache",
    "cache",
    "lru_cache",
    "functools.lru_cache",
    "cached_property",
    "functools.cached_property",
)
_COMMON = """
override final abstractmethod abc.abstractmethod typing.override typing.final contextmanager contextlib.contextmanager
asynccontextmanager pytest.fixture fixture login_required staticmethod singledispatch functools.singledispatch overload
typing.overload cache functools.cache lru_cache atexit.register torch.no_grad() njit unittest.skip numba.jit deprecated
click.command() app.task shared_task wraps(func) functools.wraps(func) csrf_exempt require_POST transaction.atomic
validator asyncio.coroutine tf.function jax.jit receiver(post_save) pytest.mark.asyncio
pytest.mark.slow no_type_check typing.no_type_check experimental synchronized timed timeit profile memoize retry
""".split()  # noqa: SIM905 - a list of one word a line would be longer than the module


class AddDecorator(Kind):
    """`def f():` becomes `@cache` over `def f():`, below the decorators that are already there.

    Slots: {decorator} is without its `@`, {at} with it; {what} is what a function turns into ("static method").
    """

    name = "add_decorator"
    skeletons = """
    <add> [a|the|] {at} [to {function}|on {function}|above {function}|on top|here|]
    <add> [the|] {decorator} <decorator> [to {function}|on {function}|above the def|]
    <add> [the|a|] <decorator> {decorator} [to {function}|over {function}|]
    <add> {decorator} as [a|] <decorator> [to {function}|of {function}|]
    <add> {decorator} to [{function}|the <function>|this <function>]
    add a line {at} [above|before|over] [the def|{function}|def {function}]
    <put> {at} [on|above|over|on top of|before] [{function}|the <function>|the def]
    <put> [a|the] {decorator} <decorator> [on|over|above] [{function}|the def|it]
    decorate {function} with {decorator}
    decorate [it|this|the <function>|this <function>] with [{at}|{decorator}]
    wrap {function} with {at}
    apply {decorator} [to {function}|here|]
    apply [the|] [{at}|{decorator}] [decorator|] to [{function}|this <function>|it]
    <use> [the|] {decorator} <decorator> [on|for] {function}
    <use> {at} [on|for] {function}
    use {decorator} to decorate {function}
    [mark|label] {function} [with|by] {at}
    <mark> [it|this <function>|{function}] with [the|] {decorator} <decorator>
    tag {function} [with|as] [{at}|{decorator}]
    flag {function} with {at}
    <give> {function} [the|a|] {decorator} <decorator>
    <give> {function} [an|] {at}
    attach [the|] {decorator} [decorator|] to {function}
    stick [an|] {at} [on|over|above] {function}
    slap [an|] {at} on {function}
    {function} <should> be decorated [with|by] {decorator}
    {function} <should> [have|carry|get|use] [the|a|] {decorator} <decorator>
    {function} <should> have {at} [above it|on it|]
    {function} <should> be [wrapped|marked|tagged] with {at}
    {function} [needs|wants|lacks|is missing] [a|the|] {at}
    {function} [needs|lacks|is missing] [the|a|its] {decorator} <decorator>
    {function} [isn't|is not] decorated with {decorator} [yet|but should be|]
    {function}: {at}
    {function}: [add|put|use|needs] [the|] {decorator} [decorator|]
    {at}
    {at} [on|for|over|above|to] {function}
    {at} [is missing|should be there|goes|missing] [on|above|over] {function}
    {decorator} <decorator> [on|for] {function}
    decorator {decorator} [on|for] {function}
    decorator: {decorator}
    [missing|no|forgot the|forgot] [decorator|] {at} [on|above|over] {function}
    missing {decorator} decorator
    the <decorator> {decorator} is <missing> [on {function}|here|]
    the <function> <should> be decorated with {decorator}
    this <should> be decorated with {decorator}
    this [<function>|] [needs|should have|must have|wants] {at}
    it needs [the|a] {decorator} <decorator>
    there <should> be [a|an] {at} [above|over|on] {function}
    [where is|where's|what about] the {decorator} <decorator> [on {function}|]
    why is {function} not decorated with {decorator}
    shouldn't {function} have {at}
    <want> [a|an|the|] {at} [on|above] {function}
    <want> {function} [decorated with|under|wrapped in] {decorator}
    <want> {function} to be decorated with [{at}|{decorator}]
    insert {at} [right above|before|directly above|just above] [the def|def {function}|{function}]
    prefix {function} with [{at}|the decorator {decorator}]
    register {function} [with|via|through] the {decorator} <decorator>
    <review>: {function} <should> have {at}
    <lint>: {function} lacks <decorator> {decorator}
    <make> {function} [a|into a] {what}
    <turn> {function} into a {what}
    <turn> [this|it|the <function>] into a {what}
    [declare|define|mark] {function} as [a|] {what}
    {function} <should> be a {what}
    {function} [could|can|might as well] be [a|made a] {what}
    this <should> be a {what}
    R6301 {function} could be a {what}
    <want> {function} [to be|as] a {what}
    cache {function} [with|using|through|via] {cache}
    cache the [result|results|return value|value] of {function} [with|using|by] {cache}
    memoize {function} [with|using|by] {cache}
    {function} is [slow|expensive|called over and over], [cache it|memoize it] [with|using] {cache}
    <avoid> recomputing {function}[:|,] [cache|decorate] it with {cache}
    {at}, {function}
    {at} please
    {at} [missing|is missing|forgotten]
    {at} over the def
    {at} goes [on top|above it|on it|over it]
    {at} [here|there] too
    {at} -> {function}
    {function} <- {at}
    + {at} [on {function}|]
    {function} as {at}
    {function} without {at} [makes no sense|is wrong|doesn't work]
    {function} [lost|has lost] its {at} [in the last refactoring|at some point|]
    [the others|all the others|its siblings] have {at}, {function} [doesn't|hasn't]
    [somebody|someone|i] removed {at} from {function}, [bring it back|it's needed]
    [i|we] forgot {at} [on {function}|]
    {function} is [bare|naked|undecorated], [wants|put|needs] {at}
    [where|where's] {at}? [on {function}|]
    no {at} on {function}?
    why no {at} [on {function}|here]
    can {function} [have|get] {at}?
    can we [get|have] {at} [on {function}|here]?
    could {at} go on {function}?
    how about {at} on {function}
    shouldn't there be {at} [on {function}|here]?
    [isn't|is] {decorator} [missing|forgotten] [on {function}|here]?
    run {function} through {decorator}
    pass {function} through {decorator}
    {decorator} around {function}
    {decorator} it
    {decorator} this <function>
    [needs|wants] {decorator}[, the decorator|]
    {function} is a job for {decorator}
    {function} <should> go through {decorator}
    {function} <should> [do|work] with {decorator}
    instead of {function} = {decorator}({function}) [write|use] {at}
    the def [of {function}|] <should> start with {at}
    the line {at} is missing [above {function}|]
    line above the def: {at}
    [one|a] line above def {function}: {at}
    before the def: {at}
    on top: {at}
    have {at} [sit|stand] [on|above] {function}
    [hook|plug] {decorator} [into|onto|on] {function}
    decorated: {function}, {decorator}
    we have {decorator}, use it on {function}
    {decorator} [exists for that|does exactly that|is made for this], [on|put it on] {function}
    [the docs|the framework|the spec] [says|say|wants] {at} [on {function}|here]
    it only works with {at}
    [todo|fixme]: {at} [on {function}|]
    <nit>: {at}?
    <nit>: {at} [missing|] on {function}
    <review>: why no {at}?
    <review>: {at} on {function}?
    <lint>: {at} missing
    {function} -> {what}
    {function} as {what}
    {what} please
    a {what} would [do|be enough|be nicer] [for {function}|here]
    why is {function} not a {what}?
    [make|can we make] {function} a {what}?
    PLR6301 Method `{function}` could be a function, class method, or static method -> {what}
    <nit>: {function} could be a {what}
    {function} gives the same result every time, {cache}
    same [arguments|input], same [result|answer]: {cache} [on {function}|]
    {function} recomputes [everything|the same thing] on each call, [use|put] {cache} [on it|]
    [profiler|profiling] says {function} is hot, {cache}
    calling {function} twice computes it twice, {cache}
    {function} <should> remember its results ({cache})
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take away the decorator directly above a def."""
        places = [
            (one, one.decorator_list[-1])
            for one in snippet.functions
            if one.decorator_list and one.decorator_list[-1].end_lineno == one.lineno - 1
        ]
        if not places:
            return None
        function, decorator = rng.choice(places)
        row = decorator.lineno - 1
        source = snippet.lines[row].strip()
        if decorator.end_lineno != decorator.lineno or not source.startswith("@") or "#" in source or len(source) > 60:
            return None
        before = Snippet((*snippet.lines[:row], *snippet.lines[row + 1 :]))
        twin = before.functions[snippet.functions.index(function)]
        return Planted(before, Edit(decorated(before, twin, source[1:]), _slots(function, source[1:])))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Decorate a function with something it does not wear yet."""
        if not snippet.functions:
            return None
        function = rng.choice(snippet.functions)
        decorator = _decorator(function, rng)
        if decorator.partition("(")[0] in worn(function):
            return None
        return Edit(decorated(snippet, function, decorator), _slots(function, decorator))

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is the decorator told."""
        return super().accepts(before, after, {"at": slots["at"]})


def _slots(function: Function, decorator: str) -> dict[str, str]:
    slots = {"function": function.name, "decorator": decorator, "at": f"@{decorator}"}
    if decorator in _BECOMES:
        slots["what"] = _BECOMES[decorator]
    if "cache" in decorator:
        slots["cache"] = decorator
    return slots


def _decorator(function: Function, rng: Random) -> str:
    roll, names = rng.random(), [one.arg for one in parameters(function)]
    receiver = names[0] if names else ""
    if roll < 0.25 and receiver == "self" and len(names) == 1:
        return rng.choice(["property", "property", "cached_property", "functools.cached_property"])
    if roll < 0.25 and receiver == "cls":
        return "classmethod"
    if roll < 0.2 and receiver != "self":
        return "staticmethod"
    if roll < 0.35:
        size = rng.choice(["None", number(rng), "128", "256", "1024", "1"])
        return rng.choice([*_CACHES[:4], f"lru_cache(maxsize={size})", f"functools.lru_cache(maxsize={size})"])
    return rng.choice(_COMMON) if roll < 0.6 else _invented(rng)


def _invented(rng: Random) -> str:
    name = rng.choice([variable_name(rng), function_name(rng), f"{noun(rng)}.{function_name(rng)}", class_name(rng)])
    inside = rng.choice(
        ["", string(rng), number(rng), f"{noun(rng)}={number(rng)}", f"{noun(rng)}={string(rng)}", noun(rng)]
    )
    if rng.random() < 0.12:
        return f"{rng.choice(['app', 'router', 'bp', 'api'])}.{rng.choice(['get', 'post', 'route'])}('/{noun(rng)}')"
    return name if rng.random() < 0.5 else f"{name}({inside})"

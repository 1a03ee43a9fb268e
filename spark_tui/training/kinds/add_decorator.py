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

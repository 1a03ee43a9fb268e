"""Put back an `await` that was left out, or take out one too many."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.add_await import (
    called_name,
    made_async,
    may_be_awaited,
    plain_loops,
    unsuited,
    with_await,
    without_await,
)
from spark_tui.editing.codemods.base import Ops, applied
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted

_SLOW = frozenset(
    ["read", "write", "send", "recv", "get", "post", "put", "fetch", "query", "execute", "connect", "close", "open", "load", "save", "request", "download", "upload", "sleep", "run", "process", "handle", "start", "stop", "wait", "drain", "commit", "rollback", "publish", "subscribe", "receive", "acquire", "call", "update", "delete", "create"]
)  # fmt: skip
_TYPES = {
    "len": "int",
    "str": "str",
    "strip": "str",
    "join": "str",
    "append": "NoneType",
    "print": "NoneType",
    "list": "list",
    "dict": "dict",
    "get": "dict",
    "split": "list",
    "sorted": "list",
    "format": "str",
    "items": "dict_items",
    "int": "int",
    "bool": "bool",
    "isinstance": "bool",
}


class AddAwait(Kind):
    """`fetch(x)` becomes `await fetch(x)`; `await len(x)` becomes `len(x)`.

    Slots: {call} the name called, {source} the call as written, {name} what gets its result; {unsaid} for a missing
    await, {ending} for one too many (both show nothing); {trouble} what Python says; {used} and
    {dropped} (which show nothing too) tell whether the result of the call that lacks one is used.
    """

    name: ClassVar[str] = "add_await"
    weight: ClassVar[float] = 0.5
    skeletons: ClassVar[str] = """
{trouble}
{trouble}, <fix> it
[i get|we get|it says|it raises|getting|it fails with] {trouble}
<why> do i get {trouble}
{unsaid}await is missing
{unsaid}<a_missing> await
{unsaid}<add> the missing await
{unsaid}<add> await
{unsaid}i forgot [the|an|to] await
{unsaid}[there's|there is] an await missing
{unsaid}forgot to await [it|something|the call]
{unsaid}<add> await to {call}
{unsaid}<add> [an|the|] await [before|in front of|to the call of|to the call to] {call}
{unsaid}await {call}
{unsaid}await the call [to|of] {call}
{unsaid}await the result of {call}
{unsaid}await {source}
{unsaid}{source} <should> be await {source}
{unsaid}{call} [is|was] never awaited
{unsaid}{call} [isn't|is not|wasn't|was not] awaited
{unsaid}{call} <should> be awaited
{unsaid}{call} [lacks|needs|is missing|<need>] [the|an|] await
{unsaid}coroutine {call} was never awaited
{unsaid}RuntimeWarning: coroutine '{call}' was never awaited
{unsaid}coroutine [is|was] never awaited
{unsaid}[we|you|i] [never|don't|do not|forgot to] await {call}
{unsaid}[we|i|you] [don't|do not|never] wait for {call}
{unsaid}wait for {call}
{unsaid}wait for {call} [to finish|to be done|before going on]
{unsaid}{call} never runs
{unsaid}{call} [doesn't|does not|never] [run|get executed|do anything|happen]
{unsaid}nothing happens in {call}
{unsaid}{call} is async[, await it|]
{unsaid}{call} is a coroutine [function|][, await it|]
{unsaid}{call} [returns|gives|just gives] a coroutine [object|]
{unsaid}{name} is a coroutine [object|], not [a|the] [value|result]
{unsaid}{name} <should> be the result, not a coroutine
{unsaid}{name} [holds|contains|is set to] a coroutine
{unsaid}print shows <coroutine object {call} at 0x7f>
{used}{unsaid}i [get|see] a coroutine [object|] instead of the [result|value]
{used}{unsaid}got a coroutine [object|] [instead of a value|]
{used}{unsaid}AttributeError: 'coroutine' object has no attribute 'get'
{used}{unsaid}TypeError: 'coroutine' object is not iterable
{used}{unsaid}TypeError: 'coroutine' object is not subscriptable
{unsaid}[why is|how come] {name} [is|] a coroutine
{dropped}{unsaid}<lint>: RUF006 or missing await [at|for] {call}
{dropped}{unsaid}pyright: Result of async function call is not used [at {call}|]
{unsaid}pylint: W1 not-awaited coroutine {call}
{dropped}{unsaid}mypy: Value of type "Coroutine" must be used [at {call}|]
{dropped}{unsaid}unused coroutine
@{unsaid}<add> await [here|]
@{unsaid}await this
@{unsaid}await [it|this|that call] [here|]
@{unsaid}missing await [here|]
@{unsaid}[this|it] <should> be awaited
@{unsaid}this [isn't|is not|is never] awaited
@{unsaid}this is [a coroutine|async]
@{unsaid}never awaited
@{unsaid}this call never runs
@{unsaid}[shouldn't|must] this be awaited?
{ending}[there's|there is] an await too much
{ending}one await too many
{ending}<remove> the await [before|from|in front of] {call}
{ending}<drop> the await on {call}
{ending}{call} <should> not be awaited
{ending}don't await {call}
{ending}{call} is not async[, no await|]
{ending}{call} is [not a coroutine|a plain function|sync|synchronous|a normal function]
{ending}{call} can't be awaited
{ending}no await [needed|] [for|on] {call}
{ending}no need to await {call}
{ending}the await [before|on] {call} is <unneeded>
{ending}<unneeded> await [before|on] {call}
{ending}<why> is {call} awaited
{ending}await {call} [fails|is wrong|makes no sense|is <unneeded>]
{ending}awaiting {call} [fails|is wrong|makes no sense]
{ending}{call} [returns|gives] a plain value
{ending}<remove> the <unneeded> await
@{ending}<remove> [the|this] await
@{ending}no await [here|]
@{ending}<unneeded> await
@{ending}[this|that] is not async
@{ending}this can't be awaited
@{ending}don't await this
{trouble} in the [log|logs|console|test output]
{trouble} every time [it runs|i call it|]
sys:1: {trouble}
pytest prints {trouble}
{trouble}. what did i miss?
[tests pass but|works, but] {trouble}
{unsaid}await!
{unsaid}await {call} please
{unsaid}{call} -> await {call}
{unsaid}{call} without await?
{unsaid}no await on {call}
{unsaid}{call} isn't waited for
{dropped}{unsaid}it goes on before {call} is [done|through|finished]
{dropped}{unsaid}the next line runs before {call} [has finished|is done|returned]
{dropped}{unsaid}{call} is fire and forget now, it must not be
{unsaid}{call} only creates the coroutine [and drops it|]
{dropped}{unsaid}we made {call} async and forgot this call
{unsaid}{call} became async
{unsaid}since {call} is async now
{unsaid}{call} never gets going
{dropped}{unsaid}nothing is [sent|written|done|executed], {call} just sits there
{dropped}{unsaid}{call} [seems to be|is] skipped
{unsaid}{call} has no effect whatsoever
{unsaid}let {call} finish first
{unsaid}block on {call} until it's done
{unsaid}{name} isn't the value, it's the coroutine
{unsaid}{name} [prints as|looks like|is] \\<coroutine object at 0x7f21>
{unsaid}{name} is still pending
{unsaid}type({name}) is coroutine
{unsaid}in {name} i want what {call} returns, not the awaitable
{unsaid}{name} = await ...
{used}{unsaid}AttributeError: 'coroutine' object has no attribute '[items|json|get|strip|id|status]'
{used}{unsaid}TypeError: 'coroutine' object [is not iterable|is not subscriptable|does not support item assignment]
{used}{unsaid}TypeError: object of type 'coroutine' has no len()
{used}{unsaid}TypeError: cannot unpack non-iterable coroutine object
{used}{unsaid}TypeError: Object of type coroutine is not JSON serializable
{unsaid}RuntimeWarning: Enable tracemalloc to get the object allocation traceback
{dropped}{unsaid}error: Value of type "Coroutine\\[Any, Any, None\\]" must be used  \\[unused-coroutine\\]
{unsaid}mypy: Maybe you forgot to use "await"?
{unsaid}note: Maybe you forgot to use "await"? ({call})
{dropped}{unsaid}pyright: reportUnusedCoroutine [{call}|]
{unsaid}Coroutine '{call}' is not awaited
{dropped}{unsaid}Result of async function call is not used; use "await" or assign result to variable
{used}{unsaid}if {call} is always true because a coroutine is truthy
@{unsaid}await
@{unsaid}where's the await?
@{unsaid}doesn't wait
@{unsaid}only makes a coroutine
@{unsaid}async, so await
@{unsaid}this just returns a coroutine [object|]
{ending}{call} as it is, the await must go
{ending}await {call} -> {call}
{ending}plain {call}, no await
{ending}{call} is sync [now|again|]
{ending}{call} isn't a coroutine any more
{ending}there's nothing to wait for in {call}
{ending}{call} is an ordinary [function|method]
{ending}{call} returns right away
{ending}you can't await {call}
{ending}we made {call} sync [again|last week|], the await stayed
{ending}what's the await on {call} for?
{ending}error: Incompatible types in "await" (actual type "int", expected type "Awaitable\\[Any\\]")
{ending}pyright: "int" is not awaitable
{ending}await on a plain value
{ending}awaits something that is no coroutine
@{ending}nothing to await [here|]
@{ending}sync [now|]
@{ending}the await must go
@{ending}await is wrong [here|]
async for [instead of for|here|] [over {over}|]{loop}
<make> the loop over {over} an async for{loop}
<make> the loop an async for{loop}
<use> async for [here|over {over}|for the loop|]{loop}
{over} is an async [iterator|generator|iterable], so async for{loop}
{over} <need> async for{loop}
the loop over {over} <should> be async for{loop}
the for loop lacks async{loop}
for -> async for{loop}
`async for` not `for`{loop}
{error} object is not iterable{loop}
TypeError: {error} object is not iterable{loop}
{error} object is not iterable -- the sync [one|version] is fine{loop}
'async_generator' object is not iterable{loop}
TypeError: 'async_generator' object is not iterable when looping over {over}{loop}
TypeError: 'async for' requires an object with __aiter__, no, the other way: {error} object is not iterable{loop}
E1133: Non-iterable value used, this is an async iterator{loop}
has no "__iter__"; "async for" is what it needs{loop}
mypy: {error} has no attribute "__iter__" (not iterable), maybe "async for"?{loop}
loop over {over} with async for{loop}
iterate asynchronously over {over}: async for{loop}
async with [instead of with|here|] [for {over}|]{block}
<make> the with an async with{block}
<use> async with [here|for {over}|]{block}
{over} is an async context manager, so async with{block}
{over} <need> async with{block}
the with <should> be async with{block}
with -> async with{block}
`async with` not `with`{block}
{error} object does not support the context manager protocol{block}
TypeError: {error} object does not support the context manager protocol{block}
AttributeError: __enter__[, it only has __aenter__|]{block}
AttributeError: {error} has no attribute __enter__{block}
RuntimeError: use async with{block}
E1129: no __enter__, that's an async context manager{block}
open {over} with async with{block}
@async for [here|]{loop}
@{error} object is not iterable{loop}
@async with [here|]{block}
@no __enter__ [here|], it's async{block}
@{error} object does not support the context manager protocol{block}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Leave an await out, now and then in a function made async for it; or put in one too many."""
        if not any(isinstance(one, ast.AsyncFunctionDef) for one in snippet.functions):
            made = _made_async(snippet, rng)
            if made is None:
                return None
            snippet = made
        if rng.random() < 0.5 and (bug := _plain_block(snippet, rng)):
            return planted(self.name, bug, rng, "async for")
        every = [spot for spot in spots(snippet.tree) if isinstance(spot.function, ast.AsyncFunctionDef)]
        bugs = list(_bugs(snippet, every, rng))
        return planted(self.name, rng.choice(bugs), rng) if bugs else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """As the others; words for a loop or block speak of async."""
        return super().accepts(
            before, after, {**slots, "cue": "async for"} if slots.keys() & {"loop", "block"} else slots
        )

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _made_async(snippet: Snippet, rng: Random) -> Snippet | None:
    """The snippet with one function async and a slow-sounding call in it awaited."""
    found = [
        spot
        for spot in spots(snippet.tree)
        if isinstance(spot.function, ast.FunctionDef) and may_be_awaited(spot) and isinstance(spot.node, ast.Call)
        if _SLOW & set(called_name(spot.node).split("_")) and not spot.function.name.startswith("__")
    ]
    if not found or rng.random() < 0.9:
        return None
    spot = rng.choice(found)
    assert spot.function
    awaited = with_await(snippet, spot)
    row, column = start_of(snippet, spot.function)
    if not awaited or not snippet.lines[row].startswith("def ", column):
        return None
    lines = applied(snippet, awaited)
    return Snippet((*lines[:row], f"{lines[row][:column]}async {lines[row][column:]}", *lines[row + 1 :]))


def _plain_block(snippet: Snippet, rng: Random) -> Bug | None:
    """A loop or with statement that should have been an async one."""
    found = [(node, ops) for _, node in plain_loops(snippet) if (ops := made_async(snippet, node))]
    if not found:
        return None
    node, ops = rng.choice(found)
    over = text_of(snippet, node.iter if isinstance(node, ast.For) else node.items[0].context_expr)
    slots = {"over": over} if over and sum(line.count(over) for line in snippet.lines) == 1 else {}
    error = f"'{pools.class_name(rng)}'"
    return Bug(
        snippet.lines,
        applied(snippet, ops),
        slots,
        {"loop" if isinstance(node, ast.For) else "block": "", "error": error},
    )


def _bugs(snippet: Snippet, every: list[Spot], rng: Random) -> Iterator[Bug]:
    missing = [(spot, spot.node.value) for spot in every if isinstance(spot.node, ast.Await)]
    for spot, call in missing:
        if isinstance(call, ast.Call) and (ops := without_await(snippet, spot)):
            yield _bug(snippet, ops, call, spot, rng, missing=True)
    extra = [spot for spot in every if isinstance(spot.node, ast.Call) and not isinstance(spot.parent, ast.Await)]
    extra = [spot for spot in extra if id(spot.node) not in unsuited(snippet)]
    for spot in rng.sample(extra, min(len(extra), 1 + len(missing) // 3)):
        if isinstance(spot.node, ast.Call) and (ops := with_await(snippet, spot)):
            yield _bug(snippet, ops, spot.node, spot, rng, missing=False)


def _bug(snippet: Snippet, ops: Ops, call: ast.Call, spot: Spot, rng: Random, *, missing: bool) -> Bug:
    source, name = text_of(snippet, call), called_name(call)
    calls = [called_name(one) for one in ast.walk(snippet.tree) if isinstance(one, ast.Call)]
    slots = {"call": rng.choice([name, dotted(call.func) or name]), "source": source} if calls.count(name) == 1 else {}
    if isinstance(spot.parent, ast.Assign) and (target := dotted(spot.parent.targets[0])) and missing:
        slots["name"] = target
    if missing:
        use = "dropped" if isinstance(spot.parent, ast.Expr) else "used"
        owner = f"{pools.class_name(rng)}." if isinstance(call.func, ast.Attribute) and rng.random() < 0.5 else ""
        trouble = f"RuntimeWarning: coroutine '{owner}{name}' was never awaited"
        symptoms = {"unsaid": "", "trouble": trouble, use: ""}
    else:
        kind = _TYPES.get(name) or rng.choice(["NoneType", "str", "int", "dict", "list", "bool"])
        symptoms = {"ending": "", "trouble": f"TypeError: object {kind} can't be used in 'await' expression"}
    return Bug(applied(snippet, ops), snippet.lines, slots, symptoms)

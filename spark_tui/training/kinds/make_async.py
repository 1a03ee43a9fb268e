"""Turn a plain function into a coroutine function."""

import ast
from collections.abc import Mapping, Sequence
from random import Random

from spark_tui.editing.code import Function, splice, start_of, text_of, walk_scope
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted


class MakeAsync(Kind):
    """`def f():` becomes `async def f():`."""

    name = "make_async"
    skeletons = """
    make {function} async
    make {function} [asynchronous|awaitable|an async function|a coroutine|a coroutine function]
    make {function} an async [<function>|one]
    make [it|this|this <function>|this one] [async|asynchronous|awaitable|a coroutine]
    make the def async
    make sure {function} is async
    <turn> {function} into [a coroutine|an async function|a coroutine function|an async def|a native coroutine]
    <turn> [this|it|this <function>] into [a coroutine|an async function|an async def]
    [convert|change|refactor] {function} to [async|an async function|a coroutine]
    [convert|change|rewrite] [this|it|the <function>] to [async|a coroutine|async def]
    [convert|turn|make] the sync <function> [{function}|] into an async one
    [change|switch] {function} to [async def|be async|an async <function>|a coroutine]
    [change|turn] def {function} to async def {function}
    [change|turn] def to async def [for {function}|in front of {function}|on {function}|]
    [change|switch] the [definition|def|signature] of {function} to [async|async def]
    <replace> def [with|by] async def [for {function}|]
    <add> async [to {function}|before def {function}|in front of {function}|to the def|before the def]
    <add> the async keyword [to {function}|in front of def|]
    <add> the missing async [to {function}|before {function}|]
    <put> async [before|in front of] [def|def {function}|{function}|the def of {function}]
    prefix [{function}|def {function}|the def|the definition] with async
    mark {function} [as|] async
    mark [the <function>|it|this] as async
    declare {function} [as|] async
    define {function} [with async def|as a coroutine|as async]
    <use> async def [for {function}|instead of def|here|on {function}]
    use an async <function> for {function}
    <switch> {function} to async
    <switch> {function} from sync to async
    port {function} to asyncio
    asyncify [{function}|this|it]
    async-ify {function}
    go async [with {function}|here|in {function}]
    async def {function}
    async {function}
    async def
    async
    async please
    def -> async def
    def {function} -> async def {function}
    {function} async
    {function} -> async
    {function}: [async|make async|should be async|needs async|not async]
    {function} <should> be [async|a coroutine|awaitable|asynchronous|an async function|async def]
    {function} <should> be [declared|defined|marked] [async|with async def]
    {function} [isn't|is not] async [but should be|yet|though it has to be|, fix that]
    {function} is a plain [function|def] but [it should be|i need] [async|a coroutine]
    {function} will be awaited[, make it async|, so it has to be async]
    {function} gets awaited by its callers
    {function} must be awaitable
    {function} can't be awaited [as it is|yet|]
    callers [want to|will|must be able to|need to] await {function}
    i [want|need|have|would like] to [be able to|] await {function}
    i <need> {function} to be [async|awaitable|a coroutine]
    <want> {function} [as a coroutine|async|to be async|to be awaitable]
    <want> an async [version of|] {function}
    <want> this <function> to be async
    we await {function}[, so it should be async|, make it async|]
    [so|] that we can await {function}, <make> it async
    run {function} on the event loop, make it async
    this <should> be [async|a coroutine|an async function|asynchronous|awaitable]
    this <function> <should> be [async|a coroutine|declared async]
    it <should> be [async|async def|awaitable]
    the <function> <should> be async
    the def [is missing|lacks|needs] [the|an|] async [keyword|]
    [missing|forgot the|forgot] async [on|before|in front of|for] {function}
    async [is|keyword is] missing [on|before] {function}
    why is {function} not async
    <should> {function} be async? yes
    shouldn't {function} be async
    SyntaxError: 'await' outside async function ({awaited})
    TypeError: object can't be used in 'await' expression, {function} is not async
    'await' outside async function: {awaited}
    {awaited} [stands|is used] in {function} but that [isn't|is not] async
    {function}? async
    {function} is sync, [callers are async|needs to be async|why|should be async]
    {function} is still [sync|a plain def|a normal function|blocking]
    {function} is [called|used] with await
    {function} [gets|is] awaited
    [they|callers|the tests|the others] await {function}
    await {function}(...) <should> [work|be possible]
    await {function}() [fails|doesn't work|blows up], it's [sync|a plain def]
    TypeError: object NoneType can't be used in 'await' expression when i await {function}
    TypeError: object dict can't be used in 'await' expression, {function}
    TypeError: object list can't be used in 'await' expression ({function})
    TypeError: a coroutine was expected, got {function}
    TypeError: An asyncio.Future, a coroutine or an awaitable is required, {function} is none
    ValueError: a coroutine was expected, from asyncio.run({function}())
    asyncio.run({function}()) <should> work
    asyncio.gather needs {function} as a coroutine
    asyncio.create_task({function}()) fails, it [isn't|must be] a coroutine
    [i want to|let me|we] use {function} in asyncio.gather
    [aiohttp|fastapi|starlette|the framework] [wants|expects] {function} to be async
    [handlers|views|callbacks|hooks] [are|must be] async [now|], {function} too
    the base class has {function} async
    [the interface|the protocol|the parent] declares {function} async, so make it that
    Return type is incompatible: expected Coroutine, {function} must be async
    mypy: Incompatible types in "await", {function} isn't async
    "{function}" is not awaitable
    pyright: "{function}" is not awaitable
    [all|] the other methods are async, {function} [isn't|is not]
    [somebody|someone|i] forgot the async on {function}
    the async got lost on {function}
    [where is|where's] the async [on {function}|]?
    no async on {function}?
    async is missing here
    async [goes|belongs|comes] [before|in front of] the def [of {function}|]
    [one word|a word|keyword] missing before def {function}: async
    coroutine {function}
    coroutine please
    [should|must|has to] return a coroutine [when called|], {function}
    {function} <should> return a coroutine
    calling {function} <should> give [a coroutine|something awaitable|an awaitable]
    {function} as [async|a coroutine|async def|awaitable]
    {function} in async
    [sync -> async|sync to async]: {function}
    {function}, async version
    {function} <should> not be sync
    not sync, async
    no longer sync, {function}
    {function} must not be a plain def [any more|anymore|]
    can {function} be [async|awaited|a coroutine]?
    can we await {function}?
    could {function} be [async|a coroutine]?
    why is {function} sync?
    i'd like to await {function}
    [step 1 of|for] the asyncio [port|migration]: {function}
    [we're|we are] [going|moving to] asyncio, {function} first
    [everything|the whole stack] is async now, {function} as well
    <nit>: async def {function}
    <review>: {function} should be async, [no|right]?
    <lint>: {function} not async
    todo: {function} async
    PLE1142 `await` should be used within an async function ({awaited})
    F704 await outside async: {awaited}
    E1142: 'await' should be used within an async function (await-outside-async), {awaited}
    "await" allowed only within async function: {awaited}
    pyright: "await" allowed only within async function ({awaited})
    error: "await" outside coroutine ("async def")  ({awaited})
    SyntaxError: 'await' outside async function, see {awaited}
    it awaits {awaited} but [is|it's] a plain def
    it awaits {awaited}, [so|] the def needs async
    you can't await {awaited} in a [plain|normal|sync] def
    there's an await [in here|inside] ({awaited}), async missing
    {awaited} is awaited in a sync function
    {awaited} won't [work|run] in a plain def
    doesn't [compile|parse|even import]: await {awaited}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take the `async` off a coroutine function; what it awaits stays."""
        coroutines = [one for one in snippet.functions if isinstance(one, ast.AsyncFunctionDef)]
        if not coroutines:
            return None
        function = rng.choice(coroutines)
        row, column = start_of(snippet, function)
        if not snippet.lines[row][column:].startswith("async def "):
            return None
        before = Snippet(tuple(splice(snippet.lines, (row, column), (row, column + len("async ")), "")))
        slots = {"function": function.name, **_awaited(snippet, function)}
        return Planted(before, Edit.between(before, snippet.lines, slots))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Put `async` before a plain function that does not yield."""
        plain = [one for one in snippet.functions if isinstance(one, ast.FunctionDef) and _may_wait(one)]
        if not plain:
            return None
        function = rng.choice(plain)
        start = start_of(snippet, function)
        return Edit.between(snippet, splice(snippet.lines, start, start, "async "), {"function": function.name})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """The only difference is one word `async` more."""
        old, new = " ".join(before.lines).split(), " ".join(after).split()
        if len(new) != len(old) + 1 or not super().accepts(before, after, slots):
            return False
        place = next((at for at, word in enumerate(old) if word != new[at]), len(old))
        return new[place] == "async" and new[place + 1 :] == old[place:]


def _may_wait(function: Function) -> bool:
    dunder = function.name.startswith("__") and function.name.endswith("__") and function.name != "__call__"
    return not dunder and not any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk_scope(function))


def _awaited(snippet: Snippet, function: Function) -> dict[str, str]:
    calls = [text_of(snippet, node) for node in walk_scope(function) if isinstance(node, ast.Await)]
    return {"awaited": calls[0]} if calls and 0 < len(calls[0]) < 60 else {}

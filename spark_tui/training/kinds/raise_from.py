"""Chain the exceptions raised in except clauses."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of
from spark_tui.editing.codemods.checks.except_clauses import Clause, clauses, head_end, raises
from spark_tui.editing.codemods.common.occasions import Change, Occasion, bare_line, names_of, replaced, rewritten
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import staging, wording
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.occasional import Occasional

_NAMES = ("e", "ex", "exc", "err", "error", "cause", "original", "orig")


class RaiseFrom(Occasional):
    """`raise X(...)` becomes `raise X(...) from e` or `from None`.

    Slots: besides those of Occasional, {hide} when the cause is None, {chain} when it is the exception, {item} its name.
    """

    name: ClassVar[str] = "raise_from"
    one: ClassVar[str] = "the raise|this raise|the raise in the except|the exception raised here|the raised exception"
    many: ClassVar[str] = "the raises|all raises|these raises|all the raised exceptions|both raises|every raise"
    named: ClassVar[str] = (
        "the {}|the raise of {}|raising {}|the {} we raise|the raised {}|the raise {}|the {} raised here"
    )
    naming: ClassVar[int] = 1
    skeletons: ClassVar[str] = """
chain {what} [to|with] [the original|the caught one|its cause|the original exception]{chain}
<add> from e to {what}{chain}
<add> the cause to {what}{chain}
<add> a from clause to {what}{chain}
<add> `from e` [to|after|on] {what}{chain}
keep the [original|cause|original exception|original error|original traceback] in {what}{chain}
preserve the [original|cause|original exception|caught exception|traceback] [in|for] {what}{chain}
{what} <should> [keep|preserve|carry] the [cause|original error|original exception]{chain}
{what} <should> be chained{chain}
{what} <should> say [from e|where it came from|from err|what it comes from]{chain}
{what} <should> come from the [caught|original] [exception|error|one]{chain}
<use> exception chaining [for|in] {what}{chain}
<use> raise from [for|in] {what}{chain}
<use> raise ... from [for|in] {what}{chain}
<make> {what} keep its cause{chain}
<make> {what} a chained exception{chain}
raise from the caught exception in {what}{chain}
[why|how come] is the cause lost in {what}, keep it{chain}
the [original error|cause|root cause] gets lost in {what}, keep it{chain}
<lint>: B904 [in|for] {what}, keep the cause{chain}
B904 {what}: chain it{chain}
W0707 raise-missing-from, {what}: keep the cause{chain}
TRY200 use raise from [for|in] {what}{chain}
<nit>: from e [on|for] {what}{chain}
<review>: chain {what}{chain}
{what} from e{chain}
raise from [here|please|instead|]{plain}{unsaid}{chain}
<use> raise from{unsaid}{chain}
chain the exception[s|]{unsaid}{chain}
keep the original [exception|error|cause|traceback|one]{unsaid}{chain}
preserve the [traceback|cause|context|original exception]{unsaid}{chain}
B904 Within an `except` clause, raise exceptions with `raise ... from err`{unsaid}{chain}
W0707: Consider explicitly re-raising using 'raise ... from e'{unsaid}{chain}
<lint>: raise-missing-from, keep the cause{unsaid}{chain}
"During handling of the above exception, another exception occurred", chain them{unsaid}{chain}
the root cause is lost, keep it{unsaid}{chain}
<add> from to the raise[s|], with the caught exception as the cause{unsaid}{chain}
<want> to see the original error as the cause{unsaid}{chain}
<add> from None to {what}{hide}
<add> `from None` [to|after|on] {what}{hide}
<use> from None [for|in|on] {what}{hide}
{what} <should> be from None{hide}
hide the [original|cause|original exception|inner error|context] [in|for|of] {what}{hide}
suppress the [original|cause|context|exception context|chain] [in|for|of] {what}{hide}
drop the [cause|context|exception context] [of|from|in] {what}{hide}
{what} <should> not show the original [error|exception|traceback]{hide}
{what} without the [original|context|inner exception|chain]{hide}
no [context|chaining|cause|chain] for {what}{hide}
don't show the [inner|original|first] [exception|error|traceback] [with|for|in] {what}{hide}
raise {what} from None{hide}
<nit>: from None [on|for] {what}{hide}
<review>: suppress the context of {what}{hide}
from None [here|please|]{unsaid}{hide}
raise from None{unsaid}{hide}
suppress the [exception context|original exception|inner exception|context|chained traceback]{unsaid}{hide}
hide the [inner|original] [exception|error|traceback]{unsaid}{hide}
users shouldn't see the inner error, hide it{unsaid}{hide}
don't leak the [original exception|inner error|traceback|cause]{unsaid}{hide}
the [double traceback|inner traceback] is noise, suppress it{unsaid}{hide}
<add> from {item} to {case}, <with> the exception caught as {item}
chain {case}: except ... as {item}, raise ... from {item}
raise {case} from {item}
<make> {case} raise from {item}
name the exception {item} and chain {case} to it
{case} <should> be raised from {item}
{case} from {item}, so that we see the cause
catch it as {item} and raise {case} from {item}
@raise from {item}
@chain this, caught as {item}
@from {item}
@raise this from {item} [please|]
@chain [this|it|the exception]{plain}{chain}
@from e [here|]{plain}{chain}
@keep the [cause|original|original exception]{plain}{chain}
@[B904|W0707] here, keep the cause{plain}{chain}
@preserve the [cause|traceback]{plain}{chain}
@this loses the original error, chain it{plain}{chain}
@from None [here|]{plain}{hide}
@hide the [cause|original|inner exception]{plain}{hide}
@suppress the context [here|]{plain}{hide}
@no chaining here{plain}{hide}
@raise this from None{plain}{hide}
B904 Within an `except` clause, raise exceptions with `raise ... from err` or `raise ... from None`, the former please{unsaid}{chain}
B904, with the cause{unsaid}{chain}
raise-missing-from (W0707){unsaid}{chain}
where did it come from? the traceback [doesn't say|should say]{unsaid}{chain}
{unsaid}{chain}[i'd like|we need] "The above exception was the direct cause of the following exception" in the traceback
{unsaid}{chain}explicit cause please
{unsaid}{chain}__cause__ is None [on it|], it should be the caught [one|exception]
{unsaid}{chain}__cause__ <should> be set
{unsaid}{chain}debugging is hard when the first error isn't linked. chain them
{unsaid}{chain}sentry shows two unrelated errors, they belong together[: chain them|, chain]
{unsaid}{chain}from e, from err, whatever, but with the cause
{unsaid}{chain}link [the new error|it] to the [caught|original] one
{unsaid}{chain}tie the new exception to the original one
{unsaid}{chain}the original error <should> stay attached
{unsaid}{chain}`raise X` inside an except should be `raise X from e`
{unsaid}{chain}implicit context isn't enough, make the cause explicit
{unsaid}{chain}can we keep the original error as the cause?
{unsaid}{chain}exc.__cause__ must [point to|be] the original
{unsaid}{chain}[nit|review]: chain please
{unsaid}{chain}raise ... from ...
{unsaid}{chain}"During handling of the above exception, another exception occurred" looks like a bug in our handler, make it the direct cause
{unsaid}{chain}the reader of the log can't tell what triggered it, keep the cause
{what} forgets [what caused it|its cause|the original error], chain it{chain}
{what} [without|has no] `from`, chain it{chain}
{what}: where's the original? chain it{chain}
{what} <should> know its cause{chain}
{what} ought to carry the caught error along as its cause{chain}
shouldn't {what} be chained{chain}
link {what} to the [original error|caught exception]{chain}
what caused {what} <should> be in the traceback, chain it{chain}
from e at the end of {what}{chain}
set the cause of {what} to the caught [error|exception]{chain}
`{what} ... from e`{chain}
{what} should be "raise ... from" the exception we caught{chain}
{hide}{unsaid}from None
{hide}{unsaid}B904, from None [please|is right here|]
{hide}{unsaid}raise ... from None please
{hide}{unsaid}nobody needs [the|that] inner traceback, from None
{hide}{unsaid}the KeyError is an implementation detail, from None
{hide}{unsaid}"During handling of the above exception, another exception occurred" only confuses users, suppress it
{hide}{unsaid}[two|both] tracebacks [are printed|show up|appear] [for one mistake|], suppress the first
{hide}{unsaid}one traceback [is enough|not two], from None
{hide}{unsaid}without the inner error, please
{hide}{unsaid}__suppress_context__ should be True
{hide}{unsaid}what we caught is of no interest to the caller, hide it
{hide}{unsaid}shorter tracebacks: don't show the caught one
{hide}{unsaid}`raise X` -> `raise X from None`
{hide}{unsaid}callers should only see our exception, not what was caught (from None)
{hide}{unsaid}the internals leak through the traceback, cut them off with from None
{hide}{unsaid}users get scared by the double traceback, hide the first half
{what} prints two tracebacks, suppress the inner one{hide}
{what}, from None{hide}
for {what} the [inner|original] error is noise, hide it{hide}
the [inner|original|caught] error is of no use in {what}, suppress it{hide}
{what} <should> stand alone, without the original{hide}
cut the inner traceback off {what} with from None{hide}
drop what came before {what}: from None{hide}
B904 {what}, from None{hide}
{case}: ... from {item}
except ... as {item}, and {case} from {item}
bind the exception as {item} and chain it to {case}
{case} <need> `from {item}`
call the caught exception {item} and have {case} raised from {item}
name it {item}, then {case} from {item}
B904 for {case}, from {item}
there's no name for the exception, catch it as {item} so that {case} can be raised from {item}
@B904 [here|]: from {item}
@as {item} ... from {item}
@where's the cause?{plain}{chain}
@missing `from e`{plain}{chain}
@link the original [error|exception] to it{plain}{chain}
@B904, chain{plain}{chain}
@the caught one is noise, hide it{plain}{hide}
@B904, from None{plain}{hide}
@don't show the inner [one|error|traceback] [here|]{plain}{hide}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take the cause off what is raised from one, and the name off the clause when nothing else needs it; or raise."""
        fit = [(clause, node) for clause in clauses(snippet) for node in raises(clause) if node.cause and node.exc]
        if not fit:
            return _raising(snippet, rng) if rng.random() < 0.05 else None
        clause, node = rng.choice(fit)
        assert node.exc is not None
        changes: list[Change] = [(end_of(snippet, node.exc), end_of(snippet, node), "")]
        if snippet.lines[changes[0][0][0]][changes[0][0][1] :].startswith(")"):
            return None
        changes += _unnamed(snippet, clause) if rng.random() < 0.6 else []
        after = rewritten(snippet, [Occasion(node.lineno - 1, tuple(changes))])
        return Planted(Snippet(tuple(after))) if after else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """The cause or None; now and then the name of the cause."""
        if rng.random() < 0.3:
            return {"hide": "", "plain": ""}
        unnamed = all(clause.handler.name is None for clause in clauses(snippet))
        name = rng.choice(_NAMES)
        used = any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(snippet.tree))
        return {"item": name} if unnamed and not used and rng.random() < 0.4 else {"chain": "", "plain": ""}

    def said(self, slots: Mapping[str, str]) -> str:
        """Which of the two."""
        return (
            "from None" if "hide" in slots else f"raise from {slots['item']}" if "item" in slots else "keep the cause"
        )


def _unnamed(snippet: Snippet, clause: Clause) -> list[Change]:
    name, at = clause.handler.name, head_end(snippet, clause)
    uses = [n for part in clause.handler.body for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == name]
    if not name or at is None or len(uses) != 1:
        return []
    return [(at, (at[0], at[1] + len(f" as {name}")), "")]


def _raising(snippet: Snippet, rng: Random) -> Planted | None:
    """Another exception in place of what a handler does, or a statement put into a try that raises another one."""
    mild = [
        (clause, one.body[0])
        for clause in clauses(snippet)
        if len((one := clause.handler).body) == 1 and clause.caught
        if isinstance(one.body[0], ast.Pass | ast.Return | ast.Raise | ast.Continue) and bare_line(snippet, one.body[0])
    ]
    if mild and rng.random() < 0.7:
        clause, last = rng.choice(mild)
        change = replaced(snippet, last, _raised(clause.caught, clause.handler.name, rng))
        after = rewritten(snippet, [Occasion(last.lineno - 1, (change,))])
        return Planted(Snippet(tuple(after))) if after else None
    fit = [node for node in staging.simple_statements(snippet) if staging.calls(node)]
    if not fit:
        return None
    caught = wording.exception(rng)
    name = rng.choice(("e", "exc", "err")) if rng.random() < 0.35 else None
    if name in names_of(snippet.tree):
        name = None
    head = f"except {caught} as {name}:" if name else f"except {caught}:"
    return Planted(staging.tried(snippet, rng.choice(fit), [head, _raised(caught, name, rng)]))


def _raised(caught: str, name: str | None, rng: Random) -> str:
    kind = next(one for one in (wording.raised(rng) for _ in range(99)) if one != caught)
    text = staging.failure(rng)
    if name and rng.random() < 0.6:
        return rng.choice((f'raise {kind}(f"{text}: {{{name}}}")', f"raise {kind}(str({name}))"))
    return f'raise {kind}("{text}")' if rng.random() < 0.85 else f"raise {kind}"

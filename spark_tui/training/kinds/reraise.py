"""Raise a caught exception again."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of
from spark_tui.editing.codemods.checks.except_clauses import Clause, clauses, head_end, raises
from spark_tui.editing.codemods.common.occasions import Change, Occasion, gone, names_of, replaced, rewritten
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.occasional import Occasional


class Reraise(Occasional):
    """A handler that swallows ends in `raise`; `raise e` becomes `raise`.

    Slots: besides those of Occasional, {bare} for `raise e`, {swallowed} for a handler that does not raise.
    """

    name: ClassVar[str] = "reraise"
    one: ClassVar[str] = "the except|the except clause|this except|the handler|the exception handler|the except block"
    many: ClassVar[str] = "the excepts|all excepts|both except clauses|every except|all handlers|the except blocks"
    named: ClassVar[str] = (
        "the except {}|the {} handler|except {}|the except {} clause|the handler for {}|the handler of {}|the {} case"
    )
    skeletons: ClassVar[str] = """
re-raise in {what}{swallowed}
reraise in {what}{swallowed}
re-raise the [exception|error] in {what}{swallowed}
re-raise [at the end of|from|inside] {what}{swallowed}
<raise> it again in {what}{swallowed}
<raise> the [exception|error] again in {what}{swallowed}
rethrow [the exception|the error|it|] in {what}{swallowed}
<add> a raise to {what}{swallowed}
<add> a bare raise [to|at the end of] {what}{swallowed}
put a raise [at the end of|in|into] {what}{swallowed}
don't swallow the [exception|error] in {what}{swallowed}
do not swallow [errors|exceptions] in {what}{swallowed}
don't [hide|eat|ignore|suppress] the [exception|error] in {what}{swallowed}
let the [exception|error] [propagate|bubble up|through|escape] [from|in] {what}{swallowed}
{what} <should> re-raise{swallowed}
{what} <should> raise again{swallowed}
{what} <should> not swallow [it|the error|the exception|anything]{swallowed}
{what} <should> end in a raise{swallowed}
{what} <should> let it [propagate|bubble up|through]{swallowed}
{what} swallows the [error|exception]{swallowed}
{what} silently [ignores|eats|drops|hides] the [error|exception]{swallowed}
{what} [eats|hides] [errors|everything|bugs]{swallowed}
[why|how come] does {what} swallow the [error|exception]{swallowed}
propagate the [error|exception] [from|in] {what}{swallowed}
pass the [error|exception] on [from|in] {what}{swallowed}
the caller <should> see the [error|exception] of {what}{swallowed}
callers [never see|don't see|need to see] the [error|exception] in {what}{swallowed}
the [error|exception] gets lost in {what}{swallowed}
<make> {what} raise{swallowed}
<make> {what} [re-raise|raise again|rethrow]{swallowed}
<lint>: S110 try-except-pass [in|at] {what}, re-raise{swallowed}
<nit>: re-raise in {what}{swallowed}
<review>: {what} <should> not swallow{swallowed}
no silent failure in {what}{swallowed}
fail loudly in {what}{swallowed}
[re-raise|reraise|rethrow] [it|the exception|the error|]{unsaid}{swallowed}
<raise> [it|the exception|the error] again{unsaid}{swallowed}
don't swallow [exceptions|the exception|errors|the error]{unsaid}{swallowed}
stop swallowing [errors|exceptions|the error]{unsaid}{swallowed}
let [it|the exception|the error] [propagate|bubble up|through]{unsaid}{swallowed}
the [error|exception] [disappears|is swallowed|is lost|vanishes|is ignored]{unsaid}{swallowed}
errors [pass silently|are swallowed|go unnoticed|should never pass silently]{unsaid}{swallowed}
the caller never learns [about it|of the error|that it failed]{unsaid}{swallowed}
it fails silently{unsaid}{swallowed}
fail loudly{unsaid}{swallowed}
<use> a bare raise in {what}{bare}
<use> [raise|just raise] instead of raise e in {what}{bare}
<use> plain raise in {what}{bare}
no name after raise in {what}{bare}
drop the [name|variable|exception] [after|from] the raise in {what}{bare}
just raise in {what}{bare}
TRY201 [in|for] {what}{bare}
<lint>: W0706 [in|for] {what}, <use> a bare raise{bare}
{what} <should> use a bare raise{bare}
keep the traceback in {what}, bare raise{bare}
<nit>: bare raise in {what}{bare}
<use> a bare raise{unsaid}{bare}
<use> raise without [a|the] name{unsaid}{bare}
<use> `raise` without specifying exception name{unsaid}{bare}
TRY201 Use `raise` without specifying exception name{unsaid}{bare}
no need to name [it|the exception] when re-raising{unsaid}{bare}
[just|plain|bare] raise [is enough|will do|keeps the traceback]{unsaid}{bare}
raise, not raise e{unsaid}{bare}
@[re-raise|reraise|rethrow] [here|it|this|the exception|]{plain}{swallowed}
@don't swallow [this|it|the error|here]{plain}{swallowed}
@<raise> [it|this] again{plain}{swallowed}
@this swallows the [error|exception]{plain}{swallowed}
@this <should> re-raise{plain}{swallowed}
@let [it|this] [propagate|bubble up|through]{plain}{swallowed}
@raise [here|instead|]{plain}{swallowed}
@S110 [here|]{plain}{swallowed}
@bare raise [here|]{plain}{bare}
@just raise{plain}{bare}
@TRY201 [here|]{plain}{bare}
@no name [needed|] [here|after raise]{plain}{bare}
{what} and then? raise{swallowed}
{what} -> raise{swallowed}
{what} + raise{swallowed}
{what} <should> not be the end of it, raise{swallowed}
{what} keeps the error to itself{swallowed}
{what} pretends nothing happened{swallowed}
nobody [learns|hears] of the error in {what}{swallowed}
after {what} [we|it] must not go on as if nothing happened{swallowed}
it goes on as if nothing happened after {what}{swallowed}
{what} <should> pass the error up{swallowed}
hand the error up [the stack|] from {what}{swallowed}
up the stack with it in {what}{swallowed}
i want the crash in {what}{swallowed}
better to crash than to go on in {what}{swallowed}
the caller has to deal with it, raise in {what}{swallowed}
let the caller handle what lands in {what}{swallowed}
{what} turns errors into [nothing|None|silence], raise instead{swallowed}
isn't there a raise missing in {what}?{swallowed}
shouldn't {what} raise?{swallowed}
S110 {what}, raise it{swallowed}
and then raise, in {what}{swallowed}
last line of {what}: raise{swallowed}
end {what} with raise{swallowed}
in {what} the error <should> go further up{swallowed}
{unsaid}{swallowed}raise at the end
{unsaid}{swallowed}in the except: raise
{unsaid}{swallowed}and then raise
{unsaid}{swallowed}and raise again
{unsaid}{swallowed}raise, don't swallow
{unsaid}{swallowed}swallowed
{unsaid}{swallowed}swallowed exception, should go up
{unsaid}{swallowed}no swallowing
{unsaid}{swallowed}where did my exception go?
{unsaid}{swallowed}my exception vanished
{unsaid}{swallowed}the test expects the exception: Failed: DID NOT RAISE
{unsaid}{swallowed}Failed: DID NOT RAISE \\<class 'ValueError'>
{unsaid}{swallowed}pytest.raises never sees it
{unsaid}{swallowed}caller thinks everything went fine
{unsaid}{swallowed}exit code is 0 although it failed
{unsaid}{swallowed}the job is green although it failed
{unsaid}{swallowed}it must be possible to catch this further up
{unsaid}{swallowed}the caller should deal with it
{unsaid}{swallowed}i want to see the crash
{unsaid}{swallowed}crash, please
{unsaid}{swallowed}Either log or rethrow this exception. rethrow
{unsaid}{swallowed}sonar: "except" clauses should do more than hide it, raise
{unsaid}{swallowed}celery doesn't retry because the error never leaves the function
{unsaid}{swallowed}the transaction is committed although an error occurred
{unsaid}{bare}raise e -> raise
{unsaid}{bare}TRY201
{unsaid}{bare}the name after raise is noise
{unsaid}{bare}raise alone
{unsaid}{bare}why name it again? raise
{unsaid}{bare}raise does it without the name
{unsaid}{bare}`raise` on its own keeps the original traceback
{unsaid}{bare}the traceback gets an extra line from raise e
{unsaid}{bare}ruff: Use `raise` without specifying exception name
{unsaid}{bare}verbose-raise
{what}: raise e -> raise{bare}
{what}, raise alone{bare}
{what} raises by name, not needed{bare}
bare raise for {what}{bare}
the variable after raise in {what} is noise{bare}
verbose-raise in {what}{bare}
@and then raise{plain}{swallowed}
@up the stack{plain}{swallowed}
@raise!{plain}{swallowed}
@crash instead{plain}{swallowed}
@pretends nothing happened{plain}{swallowed}
@raise alone{plain}{bare}
@without the name{plain}{bare}
@raise e -> raise{plain}{bare}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Name what a bare raise raises, or swallow it."""
        fit = [(one, node) for one in clauses(snippet) for node in raises(one) if node.exc is None]
        if not fit:
            return None
        clause, node = rng.choice(fit)
        changes = _named(snippet, clause, node) if rng.random() < 0.45 else _swallowed(snippet, clause, node, rng)
        after = rewritten(snippet, [Occasion(node.lineno - 1, tuple(changes))]) if changes else None
        return Planted(Snippet(tuple(after))) if after else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """Which of the two."""
        bare = any(
            isinstance(n.exc, ast.Name) and n.exc.id == one.handler.name
            for one in clauses(snippet)
            for n in raises(one)
        )
        return {"bare" if bare and rng.random() < 0.7 else "swallowed": "", "plain": ""}

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """Those of the variant told."""
        return [one for one in found if one.variant in told]

    def said(self, slots: Mapping[str, str]) -> str:
        """Nothing: the kind of place tells."""
        return ""


def _named(snippet: Snippet, clause: Clause, node: ast.Raise) -> list[Change]:
    at = head_end(snippet, clause)
    if clause.handler.name:
        return [(end_of(snippet, node), end_of(snippet, node), f" {clause.handler.name}")]
    if at is None or "e" in names_of(snippet.tree):
        return []
    return [(at, at, " as e"), (end_of(snippet, node), end_of(snippet, node), " e")]


def _swallowed(snippet: Snippet, clause: Clause, node: ast.Raise, rng: Random) -> list[Change]:
    body = clause.handler.body
    if node is not body[-1] or node.lineno - 1 <= clause.line:
        return []
    if len(body) > 1 and rng.random() < 0.6:
        return [gone(snippet, node.lineno - 1, node.lineno - 1)]
    return [replaced(snippet, node, "return None" if len(body) > 1 else rng.choice(("pass", "pass", "return None")))]

"""Catch less in an except clause that catches everything."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods import narrow_except as codemod
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.checks.except_clauses import Clause, clauses, head_end, keyword_span
from spark_tui.editing.codemods.common.occasions import Change, Occasion, function_at, rewritten
from spark_tui.editing.codemods.narrow_except import causes, exceptions_told
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import staging, wording
from spark_tui.training.kinds.base import Edit, Planted
from spark_tui.training.kinds.occasional import Occasional

_BROAD = ("", "Exception", "BaseException")


class NarrowExcept(Occasional):
    """`except:` or `except Exception:` becomes `except ValueError:`.

    Slots: besides those of Occasional, {exception} what to catch, or {guess} when that follows from the body alone,
    or {bare} when a bare except is to catch Exception. Where one clause alone is too broad: {single}, which shows nothing,
    {now} what it catches, {call} what is called in its body.
    """

    name: ClassVar[str] = "narrow_except"
    one: ClassVar[str] = "the except|the except clause|this except|the handler|the exception handler|the try/except"
    many: ClassVar[str] = "the excepts|all excepts|both except clauses|every except|all handlers|the except clauses"
    named: ClassVar[str] = "the except {}|the {} handler|except {}|the except {} clause|the clause with {}|the broad {}"
    skeletons: ClassVar[str] = """
<catch> only {exception} in {case}
<catch> just {exception} in {case}
<catch> {exception} instead of everything in {case}
only <catch> {exception} in {case}
narrow {case} to {exception}
narrow {case} down to {exception}
restrict {case} to {exception}
limit {case} to {exception}
<make> {case} catch {exception}
<make> {case} catch only {exception}
<make> {case} more specific: {exception}
{case} <should> catch {exception}
{case} <should> only catch {exception}
{case} <should> be for {exception} only
{case} <should> be limited to {exception}
{case} catches too much, {exception} is enough
{case} catches too much, only {exception} is expected
{case} is too broad, {exception} [is what we expect|will do|is enough]
{case} is too [wide|general|broad]: {exception}
{case} swallows [bugs|everything|all errors], <catch> {exception}
{case} hides [bugs|other errors], it <should> be {exception}
<change> {case} to {exception}
<replace> {case} [with|by] except {exception}
<use> {exception} in {case}
<use> except {exception} for {case}
[why|how come] does {case} catch everything, {exception} is enough
only {exception} can happen in {case}
except {exception} in {case}
<lint>: W0718 broad exception caught, {case}: {exception}
BLE001 do not catch blind exception, {case}: {exception}
E722 do not use bare except: {exception} in {case}
<nit>: {exception} instead of everything in {case}
<review>: {case} <should> name {exception}
don't catch everything in {case}, just {exception}
don't swallow other errors than {exception} in {case}
let everything but {exception} through in {case}
{exception} is the only [error|exception] we expect in {case}
in {case} <catch> nothing but {exception}
narrow {what}{guess}
<make> {what} [narrower|more specific|less broad|catch less]{guess}
<catch> only what [can happen|the code can raise|may go wrong] in {what}{guess}
{what} <should> be [narrower|more specific|less broad]{guess}
{what} <should> catch [less|only what can happen here]{guess}
{what} catches too much{guess}
{what} is too [broad|wide|general]{guess}
<lint>: W0718 broad-exception-caught [in|for] {what}{guess}
BLE001 [in|for] {what}{guess}
<nit>: narrower exception [in|for] {what}{guess}
<review>: what do we expect in {what}, be specific{guess}
[use|name] the [specific|right|actual] exception in {what}{guess}
don't catch everything in {what}{guess}
the broad except hides bugs{unsaid}{guess}
narrow the except[s|]{unsaid}{guess}
<catch> a more specific exception{unsaid}{guess}
<catch> only the exception that can happen [here|]{unsaid}{guess}
too broad an except[ion clause|]{unsaid}{guess}
catching too [general|broad] exception{unsaid}{guess}
W0703: Catching too general exception Exception{unsaid}{guess}
BLE001 Do not catch blind exception: `Exception`{unsaid}{guess}
blind except{unsaid}{guess}
pokemon exception handling, be specific{unsaid}{guess}
E722 do not use bare 'except'{unsaid}{bare}
E722 [in|for|at] {what}{bare}
W0702: No exception type(s) specified (bare-except){unsaid}{bare}
<get_rid> the bare except{unsaid}{bare}
no bare except [here|please|]{unsaid}{bare}
don't use a bare except [here|]{unsaid}{bare}
<lint>: bare except [in|at] {what}{bare}
{what} <should> not be bare{bare}
<make> {what} except Exception{bare}
{what} [also |]catches KeyboardInterrupt, make it Exception{bare}
{what} [also |]catches SystemExit, make it Exception{bare}
the bare except eats [ctrl-c|ctrl c|the keyboard interrupt]{unsaid}{bare}
ctrl-c [doesn't work|is swallowed] because of the bare except{unsaid}{bare}
@<catch> only {exception} [here|]
@<catch> {exception} [here|instead|]
@narrow this to {exception}
@this <should> be {exception}
@this <should> only catch {exception}
@except {exception}
@too broad, {exception} is enough
@[make|change] this [to|into] {exception}
@only {exception} [here|please|]
@{exception} instead of everything
@too broad{plain}{guess}
@narrow this{plain}{guess}
@be more specific [here|]{plain}{guess}
@[W0718|BLE001|W0703] here{plain}{guess}
@this catches too much{plain}{guess}
@don't catch everything [here|]{plain}{guess}
@bare except{plain}{bare}
@E722 [here|]{plain}{bare}
@no bare except{plain}{bare}
{single}{now} -> {exception}
{single}except {now} => except {exception}
{single}{exception} [please|instead|is plenty|suffices|only]
{single}{exception}, nothing else
{single}was: {now}, wanted: {exception}
{single}{now} here hides real bugs. {exception} is all we mean
{single}why {now}? it can only be {exception}
{single}{call} only [ever|] [raises|throws] {exception}[, so catch that|, catch that one|]
{single}too broad. {call} [only ever raises|raises nothing but|only gives] {exception} [so catch that|]
{single}{call} raises {exception} [and that is all|, the rest are bugs of ours]
{single}according to the docs {call} [can|may] only fail with {exception}
{single}a typo in the try would go unnoticed, so {exception} there
{single}i lost an hour because the except ate my NameError. should be {exception}
{single}let [my own bugs|programming errors|everything else] [through|crash], {exception} is the expected one
{single}[anything|everything] but {exception} [should propagate|should blow up|is a bug and should crash]
{single}catch-all should become {exception}
{single}W0718: Catching too general exception {now} (broad-exception-caught). {exception} will do
{single}BLE001 Do not catch blind exception: `{now}` -- {exception} would be right
{single}S110/BLE001, we only care about {exception}
{single}Sonar: Catch a more specific exception than {now}. use {exception}
{single}PIE786 Use precise exception handlers: {exception}
{single}in the except: {exception}
{single}except {exception} [rather than|instead of|not] [{now}|everything|the catch-all]
{single}can we catch [just|only|] {exception} instead of [{now}|the whole world|everything under the sun]?
{single}[the|this] handler is only there for {exception}
{single}all this ever guards against is {exception}
{single}the only thing that goes wrong here in practice is {exception}
{single}{exception} is what [the lib|{call}] documents, don't catch more
{single}the try is around {call}, that's {exception}
{single}when {call} fails it's {exception}; other things shouldn't be hidden
don't hide anything but {exception} in {case}
{case}: {exception} [would be enough|is all we expect|and no more]
{case} -> {exception}
{exception} for {case}, the rest [may|should] crash
could {case} be limited to {exception}?
isn't {exception} enough for {case}?
{case} also swallows AttributeErrors from typos, it is meant for {exception}
{case} is a catch-all, it was written for {exception}
[pls|please] spell out {exception} in {case}
bare except / except Exception is banned here, {case} is about {exception}
a blanket except like {case} is bad, {exception} it is
what i want to catch in {case} is {exception} and that's it
too much gets [caught|swallowed|hidden]{unsaid}{guess}
catch-all hides typos [in the try|] too{unsaid}{guess}
my NameError [vanished|was swallowed|disappeared] in there{unsaid}{guess}
what can actually go wrong [here|in the try]? catch that and nothing else{unsaid}{guess}
no catch-all please{unsaid}{guess}
PIE786 Use precise exception handlers{unsaid}{guess}
broad-exception-caught{unsaid}{guess}
W0718: Catching too general exception Exception (broad-exception-caught){unsaid}{guess}
real bugs should surface, not be [eaten|hidden] by the except{unsaid}{guess}
except Exception is lazy[, what does the body raise|]?{unsaid}{guess}
only [the error|what] [the body|the try|that call] really raises, please{unsaid}{guess}
can't stop it with ctrl-c{unsaid}{bare}
Ctrl+C [is ignored|does nothing|gets eaten]{unsaid}{bare}
KeyboardInterrupt and SystemExit [must|should] get through{unsaid}{bare}
sys.exit() inside the try has no effect{unsaid}{bare}
`except:` -> `except Exception:`{unsaid}{bare}
B001 Do not use bare `except:`, it also catches unexpected events{unsaid}{bare}
Specify an exception class to catch or reraise the exception{unsaid}{bare}
the process [can't be killed|ignores ctrl-c|doesn't react to ^C] because of [the|that] except without a type{unsaid}{bare}
@{now} -> {exception}
@{exception}, not more
@this is only for {exception}
@[isn't|wouldn't] {exception} enough [here|]?
@can only be {exception}
@let the rest crash, {exception} is what we expect
@the only real case is {exception}
@too greedy{plain}{guess}
@catch-all, tighten it{plain}{guess}
@hides my typos too{plain}{guess}
@[naked|empty] except{plain}{bare}
@this eats ctrl-c{plain}{bare}
{trace}: {exception}
{trace}{exception} [is what comes|comes] out of it
{trace}it raises {exception}[, which is not caught|]
{trace}{exception} gets [through|past the except]
{trace}{exception} isn't caught
{trace}{exception} is never caught[, the except is for something else|]
{trace}the except is for the wrong [thing|exception], it's {exception}
{trace}wrong exception caught, {exception} is what [comes|is raised]
{trace}i get {exception}
{trace}blows up with {exception}
{trace}blows up with {exception}: 'missing', should be handled
{trace}crashes with {exception} [although|even though] there is a try
{trace}traceback ends in {exception}
{trace}{exception}: [uncaught|not handled]
{trace}<catch> {exception} instead of {now}
{trace}{now} -> {exception}
{trace}{exception} rather than {now}
{trace}{now} is [never raised|wrong], it's {exception}
{trace}it's {exception} that is raised, not {now}
{trace}<replace> {now} [by|with] {exception}
{trace}it never raises {now} but {exception}
{trace}why {now}? {exception} it is
{beside}also <catch> {exception}
{beside}<catch> {exception} as well
{beside}<catch> {exception} too
{beside}{exception} <should> be caught too
{beside}{exception} <should> be [handled|treated] the same [way|], as well
{beside}not only {now} but {exception}
{beside}<catch> both {now} and {exception}
{beside}<handle> {exception} as well
{beside}<add> {exception} to the except
{beside}add {exception} [here|]
{beside}same for {exception}, too
{beside}{exception} can happen as well
{beside}{exception} can be raised too
{beside}in addition to {now}, {exception}
{beside}also {exception}
{beside}{exception} is also possible
{beside}except {now} and {exception}, both
@{trace}{exception}
@{trace}<should> be {exception}
@{trace}{exception} is what it raises
@{beside}also {exception}
@{beside}{exception}, too
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Let a clause catch everything, or put a statement that may fail into a try."""
        fit = [one for one in clauses(snippet) if one.handler is one.owner.handlers[-1] and one.caught not in _BROAD]
        if not fit:
            return _tried(snippet, rng) if rng.random() < 0.03 else None
        clause = rng.choice(fit)
        if clause.handler.name or rng.random() < 0.6:
            return _caught(snippet, clause, " Exception")
        return _caught(snippet, clause, "")

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Something narrower; where nothing is broad, another exception instead of one or besides it."""
        found = list(clauses(snippet))
        if not found or any(one.caught in _BROAD for one in found):
            return super().propose(snippet, rng)
        return _other(snippet, rng.choice(found), len(found) == 1, rng)

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """An exception, that the body tells it, or that a bare except is to catch Exception."""
        broad = [one for one in clauses(snippet) if one.caught in _BROAD]
        told = self._wanted_of(broad, rng)
        return told | _about(broad[0]) if told and len(broad) == 1 else told

    def _wanted_of(self, broad: Sequence[Clause], rng: Random) -> dict[str, str]:
        natural = [causes(one.owner.body) for one in broad]
        if natural and len(natural[0]) == 1 and all(one == natural[0] for one in natural) and rng.random() < 0.45:
            return {"guess": "", "plain": ""} if all(one.caught for one in broad) else {"exception": natural[0][0]}
        if broad and not any(one.caught for one in broad) and rng.random() < 0.4:
            return {"bare": "", "plain": ""}
        if natural and natural[0] and rng.random() < 0.5:
            return {"exception": rng.choice(natural[0])}
        names = [wording.exception(rng) for _ in range(2 if rng.random() < 0.2 else 1)]
        text = rng.choice(("{} and {}", "{} or {}", "({}, {})")).format(*names) if len(set(names)) == 2 else names[0]
        return {"exception": text} if exceptions_told(text) == list(dict.fromkeys(names)) else {}

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """What follows from the body where nothing is told, Exception for a bare except."""
        if not told:
            return []
        if "bare" in told:
            return [one for one in found if one.variant == "Exception"]
        return [one for one in found if not one.variant.startswith("(")] if "guess" in told else found

    def said(self, slots: Mapping[str, str]) -> str:
        """The exceptions."""
        return ("also " if "beside" in slots else "") + slots.get("exception", "")


def _other(snippet: Snippet, clause: Clause, sole: bool, rng: Random) -> Edit | None:
    """Another exception in the place of the one caught, or besides it."""
    exception, beside = wording.exception(rng), rng.random() < 0.45
    told = f"also {exception}" if beside else exception
    found = (
        list(codemod.NarrowExcept().occasions(snippet, Request(told)))
        if exceptions_told(exception) == [exception]
        else []
    )
    one = next((one for one in found if one.line == clause.line), None)
    after = rewritten(snippet, [one]) if one and exception not in _BROAD else None
    if after is None:
        return None
    slots = {"exception": exception, "beside" if beside else "trace": ""}
    slots |= {"now": clause.caught} if clause.handler.type and not isinstance(clause.handler.type, ast.Tuple) else {}
    where = function_at(snippet, clause.line)
    selected = (clause.line, clause.line) if not sole or rng.random() < 0.25 else None
    return Edit.between(snippet, after, slots | ({"function": where.name} if where else {}), selected)


def _caught(snippet: Snippet, clause: Clause, text: str) -> Planted | None:
    span = keyword_span(snippet, clause)
    if span is None or head_end(snippet, clause) is None:
        return None
    change: Change = (*span, text)
    after = rewritten(snippet, [Occasion(clause.line, (change,))])
    return Planted(Snippet(tuple(after))) if after else None


def _about(clause: Clause) -> dict[str, str]:
    """What can be said of the only clause."""
    found = {"single": ""}
    if clause.caught:
        found["now"] = clause.caught
    body = (node for part in clause.owner.body for node in ast.walk(part))
    called = [ast.unparse(node.func) for node in body if isinstance(node, ast.Call)]
    return found | ({"call": called[0]} if len(called) == 1 and len(called[0]) <= 40 else {})


def _tried(snippet: Snippet, rng: Random) -> Planted | None:
    fit = [node for node in staging.simple_statements(snippet) if staging.calls(node)]
    natural = [node for node in fit if causes([node])]
    if not fit:
        return None
    node = rng.choice(natural if natural and rng.random() < 0.7 else fit)
    head = rng.choice(("except:", "except Exception:", "except Exception:", "except Exception:"))
    body = ["return None"] if isinstance(node, ast.Assign | ast.Return) else ["pass"]
    if rng.random() < 0.3:
        body = [f'logger.warning("{staging.failure(rng)}")', *(body if body != ["pass"] else [])]
    return Planted(staging.tried(snippet, node, [head, *body]))

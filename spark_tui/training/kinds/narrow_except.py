"""Catch less in an except clause that catches everything."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.except_clauses import Clause, clauses, head_end, keyword_span
from spark_tui.editing.codemods.narrow_except import causes, exceptions_told
from spark_tui.editing.codemods.occasions import Change, Occasion, rewritten
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.occasional import Occasional

_BROAD = ("", "Exception", "BaseException")


class NarrowExcept(Occasional):
    """`except:` or `except Exception:` becomes `except ValueError:`.

    Slots: besides those of Occasional, {exception} what to catch, or {guess} when that follows from the body alone,
    or {bare} when a bare except is to catch Exception.
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
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Let a clause catch everything."""
        fit = [one for one in clauses(snippet) if one.handler is one.owner.handlers[-1] and one.caught not in _BROAD]
        if not fit:
            return None
        clause = rng.choice(fit)
        if clause.handler.name or rng.random() < 0.6:
            return _caught(snippet, clause, " Exception")
        return _caught(snippet, clause, "")

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """An exception, that the body tells it, or that a bare except is to catch Exception."""
        broad = [one for one in clauses(snippet) if one.caught in _BROAD]
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
        return slots.get("exception", "")


def _caught(snippet: Snippet, clause: Clause, text: str) -> Planted | None:
    span = keyword_span(snippet, clause)
    if span is None or head_end(snippet, clause) is None:
        return None
    change: Change = (*span, text)
    after = rewritten(snippet, [Occasion(clause.line, (change,))])
    return Planted(Snippet(tuple(after))) if after else None

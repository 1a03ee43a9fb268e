"""Put a statement or a whole body into try/except."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.checks.troubles import troubles_of
from spark_tui.editing.codemods.wrap_try import body_of, is_caught, wrappable, wrapped
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, calls_of, places
from spark_tui.training.kinds import handlers, trouble_words
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.handlers import Handler
from spark_tui.training.kinds.statements import describe


class WrapTry(Kind):
    """`try:`, the statement one level deeper, `except ...:` and what to do then."""

    name: ClassVar[str] = "wrap_try"
    weight: ClassVar[float] = 1.5
    skeletons: ClassVar[str] = (
        """
<wrap> {what} in [a |]try[/| ]except {exception}[,| and|:] {handler}
<wrap> {what} in a try and {handler} on {exception}
<wrap> {what} in try/except {caught}
<wrap> {what} with [a |]try/except[ block|] for {caught}
[put|place] a try/except {caught} around {what}
<catch> {exception} around {what} and {handler}
<catch> {exception} from {what}[,| and] {handler}
<catch> {caught} around {what}
<catch> {caught} [at|for|in] {what}
if {what} raises {exception}[,| then] {handler}
if {what} fails with {exception}[,| just|] {handler}
when {what} throws {exception} {handler}
in case {what} raises {exception}[,|] {handler}
on {exception} in {what} {handler}
[try|attempt] {what}[,| and] {handler} on {exception}
[try|attempt] {what} but {handler} if [it raises|it throws|there is a|there's a] {exception}
<handle> {exception} [at|in|around|from] {what} by {handling}
<handle> {caught} [at|in|around|from] {what}
<handle> errors [at|in|around|from] {guarded}
<wrap> {guarded} in [a |]try[/| ]except
<add> a try[/|-| ]except around {guarded}
<add> [error|exception] handling [around|for|to] {guarded}
<add> [error|exception] handling for {caught} [around|to] {what}
<add> a try[/|-| ]except for {exception} around {what}[,| and| that should] {handler}
<add> try/except {exception} [to|around|over] {what} [with|doing] {handler}
<add> an except {exception} for {what}[,| and|:] {handler}
guard {what} against {caught}
guard {what} against {exception}[,| and|;] {handler}
protect {what} from {exception} by {handling}
protect {what} [from|against] {caught}
make {what} safe against {caught}
make {what} tolerate {exception} by {handling}
{what} [can|could|may|might] raise {exception}[,| -|;] {handler} [then|in that case|when it does]
{what} [can|could|may|might] raise {caught}[,| so| -] [catch|handle] it
{what} [can|could] blow up with {exception}[,| so| then] {handler}
{what} crashes with {caught} sometimes[, handle it|, catch that|]
{what} should not [crash|blow up] on {exception}[,|:] {handler} instead
{what} should be inside a try with except {exception}: {handler}
{what} needs a try/except {caught}
{what} needs [error handling|a try/except|an exception handler] for {exception}, {handler}
[we|i] get {caught} from {what}[,| -] [wrap it|handle that|catch it]
[we|i] get {exception} from {what} [at times|sometimes], {handler} when that happens
[why|how come] is there no try/except {caught} around {what}
don't let {exception} from {what} [escape|propagate|bubble up][,|:] {handler}
don't let {caught} from {what} [escape|propagate|bubble up]
do not crash on {exception} at {what}[,| but] {handler}
[ignore|catch] {exception} [from|at] {what}: {handler}
<lint>: unhandled {caught} [at|in] {what}
unhandled {caught} [at|in] {what}
{exception} at {what} -> {handler}
{exception} in {what} => {handler}
try {what} except {exception} {handler}
try: {what} except {exception}: {handler}
try/except {exception} on {what}[,|:] {handler}
try/except {caught} on {what}
try/except around {guarded}
surround {what} with try and except {exception}[,|:] {handler}
nest {what} in a try statement[ that catches|, catch|, except] {exception} and {handler}
[there should be|i'd like|i want] a try/except {exception} around {what} [which does|with] {handler}
<handle> {missing}
<handle> {missing} [gracefully|properly|nicely|here|too]
<handle> the case of {missing}
<add> handling for {missing}
[deal with|cope with|tolerate|survive|don't crash on|don't fail on] {missing}
<catch> {missing}
what about {missing}[, handle that|]
<should> not crash on {missing}
<handle> {trouble} by {handling}
on {trouble} {handler}
{handler} [on|in case of|when there is] {trouble}
[deal with|cope with] {trouble} by {handling}
in case of {trouble}[,| just|] {handler}
@<wrap> this in [a |]try/except {exception}[,| and|:] {handler}
@<wrap> this in try/except {caught}
@<wrap> [this|these lines|the selection|the selected code] with a try/except for {caught}
@<catch> {exception} here[,| and|:] {handler}
@<catch> {caught} [here|on this line]
@this [can|could|may|might] raise {exception}[,| so|:] {handler}
@this raises {caught} sometimes
@if this [fails|raises|breaks] with {exception}[,|] {handler}
@<handle> {exception} here by {handling}
@try this and {handler} on {exception}
@don't let this raise {exception}[,|:] {handler}
@try/except {exception}: {handler}
@try/except {caught}
{what}: {exception}? {handler}
{what}, but {handler} on {exception}
{what} [isn't|is not] [safe|guarded|protected], {exception} should {handler}
[sometimes|now and then|in production] {what} raises {exception}. {handler} then
traceback from {what}: {exception}. {handler} [instead|in that case]
{exception} comes from {what}. {handler}
{exception} out of {what}? {handler}
{exception} [kills|crashes|takes down] [the whole thing|everything] at {what}, just {handler}
{function} <should> survive {exception} from {what}: {handler}
{function} dies at {what} with {exception}. {handler}
[users|customers] see [a|an] {exception} from {what}, {handler}
[nobody|nothing] catches {exception} [from|at] {what}. {handler}
[should|must] {exception} happen at {what}, {handler}
[expected|it's normal] that {what} raises {exception} [at times|], {handler} then
{what} is allowed to fail with {exception}, {handler}
{what} is allowed to fail, [except|catch] {exception} and {handler}
{handler} [if|when] {what} raises {exception}
{handler} [if|when] {exception} [comes|happens|is raised] at {what}
{handler} on {exception} from {what}
except {exception} at {what}: {handler}
{what} in a try, except {exception}, {handler}
the try goes around {what}, the except is for {exception}: {handler}
[best effort|not critical]: {what}, {exception} -> {handler}
[can|could] we {handler} when {what} gives {exception}?
what if {what} raises {exception}? {handler}
[robust|safe] against {exception} from {what} please, {handler}
{what} raises {caught} [every now and then|on bad input|in production]
{what} [isn't|is not] guarded against {caught}
{what} [dies|fails|bombs|explodes] with {caught}
{what} is allowed to fail with {caught}
[nobody|nothing] catches {caught} [from|at] {what}
[traceback|uncaught|crash]: {caught} from {what}
{caught} [kills|crashes|takes down] [the whole thing|everything] at {what}
{caught} comes from {what}, catch it there
{function} <should> survive {caught} from {what}
[should|must] not die of {caught} at {what}
[expected|it's normal] that {what} raises {caught} [at times|], catch that
[we|i] keep [getting|seeing] {caught} [at|from] {what}
can {what} be in a try? {caught}
what if {what} raises {caught}?
{what} in a try, except {caught}
[best effort|not critical]: {what}, {caught} must not stop us
errors [in|from] {guarded} [must not stop us|should not be fatal|are not fatal]
{guarded} may fail, that's [fine|ok], catch it
[whatever|no matter what] {guarded} raises, catch it
catch [everything|all exceptions|any error] [from|in] {guarded}
{guarded} <should> never [crash|bring down] the [program|app|server|process]
a failure [in|of] {guarded} <should> not [stop|kill] everything
[nothing|no try] [protects|guards] {guarded} [yet|]
best effort: {guarded}
{missing} <should> not be [fatal|an error]
{missing} [crashes|breaks|kills] it
[we|it] [must|should|has to] survive {missing}
{function} [chokes on|dies from|can't cope with|falls over] {missing}
[traceback|crash] because of {missing}
{missing} is [not a reason to die|to be expected|normal|no drama]
what happens with {missing}? don't crash
{trouble}? {handler}
{trouble}: {handler}
{trouble} <should> not be fatal, {handler}
{function} [chokes on|dies from|falls over] {trouble}, {handler}
what happens with {trouble}? {handler}
[we|it] [must|should] survive {trouble}, so {handler}
[traceback|crash] because of {trouble}. {handler} [instead|then]
@{exception} here? {handler}
@{exception} -> {handler}
@{handler} [if|when] this raises {exception}
@{handler} on {exception}
@[we get|i get|sometimes] {exception} here, {handler}
@allowed to fail with {exception}, {handler}
@must not die of {caught}
@{caught} here [sometimes|every now and then|in production]
@[nobody|nothing] catches {caught}
@[not guarded|unguarded] against {caught}
@allowed to fail with {caught}
@{caught} should not stop us here
"""
        + trouble_words.SKELETONS
    )

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Wrap one statement that can be told from the others, or a body."""
        if rng.random() < 0.2 and snippet.functions:
            return _wrap_body(snippet, rng.choice(snippet.functions), rng)
        among, fit = places(snippet), wrappable(snippet)
        troubled = [
            (place, one) for place in fit for one in troubles_of(place.node) if not is_caught(snippet, place, one)
        ]
        if troubled and rng.random() < 0.7:
            return _wrap_troubled(snippet, troubled, rng)
        if not fit:
            return None
        place = rng.choice([p for p in fit if next(calls_of(p.node), None)] or fit)
        what = describe(snippet, among, place, rng) if rng.random() < 0.8 else ""
        handler = _chosen(snippet, place, rng)
        return _wrap(snippet, place, handler, _slots(handler, what)) if handler and what is not None else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It has one try statement more."""
        return super().accepts(before, after, slots) and _tries(Snippet(tuple(after))) == _tries(before) + 1


def _tries(snippet: Snippet) -> int:
    return sum(isinstance(node, ast.Try) for node in ast.walk(snippet.tree))


def _chosen(snippet: Snippet, place: Place, rng: Random) -> Handler | None:
    caught = "Exception" if rng.random() < 0.15 else handlers.any_exception(rng)
    return handlers.choose(snippet, place, rng, caught)


def _slots(handler: Handler, what: str) -> dict[str, str]:
    if handler.handler and handler.handling:
        told = {"exception": handler.exception, "handler": handler.handler, "handling": handler.handling}
    else:
        told = {"caught": handler.exception}
    if what:
        told["what"] = what
        if handler.exception == "Exception" and not handler.handler:
            told["guarded"] = what
    return told


def _wrap_troubled(snippet: Snippet, troubled: list[tuple[Place, str]], rng: Random) -> Edit | None:
    exception = rng.choice(sorted({found for _, found in troubled}))
    place = rng.choice([one for one, found in troubled if found == exception])
    handler = handlers.choose(snippet, place, rng, exception, untold=0.5)
    alone = sum(found == exception for _, found in troubled) == 1
    if handler is None or (not alone and rng.random() < 0.5):
        return None
    by_noun = rng.random() < 0.5
    words = (trouble_words.noun if by_noun else trouble_words.clause)(exception, rng)
    if handler.handler and handler.handling:
        told = {"handler": handler.handler, "handling": handler.handling, "trouble" if by_noun else "lost": words}
    else:
        told = {"missing" if by_noun else "gone": words}
    return _wrap(snippet, place, handler, told, selected=not alone)


def _wrap_body(snippet: Snippet, function: Function, rng: Random) -> Edit | None:
    place = body_of(snippet, function)
    handler = _chosen(snippet, place, rng) if place else None
    if place is None or handler is None or (handler.handler is None and handler.action == "pass"):
        return None
    what = rng.choice(["the body", "the whole body", "everything", "all of it", "the function body", "the code"])
    return _wrap(snippet, place, handler, _slots(handler, what))


def _wrap(
    snippet: Snippet, place: Place, handler: Handler, slots: dict[str, str], selected: bool | None = None
) -> Edit:
    ops = wrapped(snippet, place, handler.exception, handler.action)
    where = {"function": place.function.name} if place.function else {}
    lines = (place.first, place.last) if selected or (selected is None and "what" not in slots) else None
    return Edit(ops, slots | where, lines)

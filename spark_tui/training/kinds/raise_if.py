"""Refuse bad input: `if x < 0:` and `raise ValueError("...")` at the top of the body."""

from random import Random
from typing import ClassVar

from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.statements import quote, subject


class RaiseIf(Kind):
    """`if condition:` and `raise error` before everything but the docstring.

    A message that is not told is the condition as it is told.
    """

    name: ClassVar[str] = "raise_if"
    skeletons: ClassVar[str] = """
<raise> [a |an |]{exception} [saying|with the message|with] {message} [if|when] {condition}
<raise> [a |an |]{exception} if {condition}[, saying|, with the message|:| with message] {message}
<raise> [a |an |]{exception}: {message} when {condition}
if {condition}[,| then] <raise> [a |an |]{exception} [saying|with|with the message] {message}
when {condition} <raise> [a |an |]{exception} [saying|with|with the message] {message}
in case {condition}[,|] <raise> {exception} with {message}
{condition} -> {exception} {message}
{condition} => raise {exception}, {message}
<add> a check: if {condition} raise {exception} with {message}
<add> a check that raises {exception} [saying|with] {message} [if|when] {condition}
<add> [validation|input validation|argument checking]: {exception} [with|saying] {message} if {condition}
validate the input[,|:] {exception} {message} if {condition}
[fail|blow up|error out|stop] with [a |an |]{exception} saying {message} [if|when] {condition}
[fail|error out] if {condition}[:| with] {exception} {message}
it <should> raise [a |an |]{exception} [saying|with] {message} [if|when] {condition}
[this|the function|it] <should> [complain|fail] with [a |an |]{exception} {message} [if|when] {condition}
refuse to [run|work|go on] [if|when] {condition}: {exception} {message}
reject the case [that|where] {condition} with [a |an |]{exception} saying {message}
[guard|protect] against {condition}: raise {exception} saying {message}
[at the top|at the start|first|before anything else] raise {exception} with {message} if {condition}
make it raise {exception} saying {message} [if|when] {condition}
what if {condition}? raise {exception} with {message}
<review>: {exception} with {message} [if|when] {condition}
the error for {condition} <should> be [a |an |]{exception} saying {message}
there <should> be [a |an |]{exception} saying {message} [if|when] {condition}
[why|how come] is there no {exception} [saying|with] {message} [if|when] {condition}?
[can|could|should] [it|this] raise {exception} with {message} [if|when] {condition}?
{exception} [if|when] {condition}, message {message}
{message} <should> be raised as [a |an |]{exception} [if|when] {condition}
tell the caller {message} with [a |an |]{exception} [if|when] {condition}
raise {call} [if|when] {condition}
throw {call} [if|when] {condition}
if {condition}[,| then|:] [raise|throw] {call}
when {condition}[,|:|] [raise|throw] {call}
{condition} -> raise {call}
{condition}: {call}
<add> a check[:| that does] raise {call} [if|when] {condition}
<add> [raise {call}|{call}] for the case [that|where] {condition}
[at the top|at the start|first|up front] raise {call} [if|when] {condition}
[fail|blow up|error out] with {call} [if|when] {condition}
it <should> raise {call} [if|when] {condition}
{call} <should> be raised [if|when] {condition}
[i want|we need|i'd like] {call} [if|when] {condition}
in case {condition} raise {call}
validate: {call} if {condition}
guard: if {condition} raise {call}
[don't allow|do not accept] {condition}: raise {call}
what if {condition}? then raise {call}
<raise> [a |an |]{error} [if|when] {condition}
if {condition}[,| then|:] <raise> [a |an |]{error}
when {condition}[,|] <raise> [a |an |]{error}
in case {condition} <raise> [a |an |]{error}
{condition} <should> [raise|give|cause|be|lead to] [a |an |]{error}
{condition} -> {error}
{error} [if|when] {condition}
<add> a check that raises [a |an |]{error} [if|when] {condition}
<add> a check [at the top|at the start|]: {error} if {condition}
<add> [validation|a sanity check]: [raise |]{error} [if|when] {condition}
validate the [input|arguments]: {error} [if|when] {condition}
[fail|blow up|error out] with [a |an |]{error} [if|when] {condition}
it <should> raise [a |an |]{error} [if|when] {condition}
[the function|this] <should> refuse with [a |an |]{error} when {condition}
[why|how come] [doesn't it|does it not] raise {error} [if|when] {condition}?
make it raise [a |an |]{error} [if|when] {condition}
reject the case [that|where] {condition} with [a |an |]{error}
guard against {condition} with [a |an |]{error}
[don't|do not] accept it [if|when] {condition}[:|,] {error}
<missing> check: {condition}, raise {error}
<review>: raise {error} [if|when] {condition}
there <should> be [a |an |]{error} [if|when] {condition}
what if {condition}? raise {error}
[first|before anything else|up front][,|] raise {error} [if|when] {condition}
{condition}? {exception} {message}
{condition}: {exception}({message})
{condition} must [fail|not pass|not get through]: {exception}, {message}
{condition} is [not ok|not allowed|forbidden|illegal|a bug in the caller]. {exception} {message}
{condition} [slips through|goes unnoticed|is accepted silently], [should be|make it] {exception} {message}
[nobody|nothing] checks whether {condition}. [raise|should be] {exception} {message}
callers <should> get {exception} {message} [if|when] {condition}
[users|callers] [pass nonsense|get it wrong]: {condition}. tell them {message} ({exception})
[expected|i expect|the tests expect] {exception} {message} when {condition}
with pytest.raises({exception}, match={message}) when {condition}
the [docs|spec|docstring] [promises|says] {exception} {message} [if|when] {condition}
{function} <should> [complain|refuse|protest] [if|when] {condition}, {exception} {message}
{function} [goes on|carries on|works] happily when {condition}, i want {exception} {message}
{exception} {message}, [that's|] [if|when] {condition}
{exception} for {condition}: {message}
an {exception} would be better [if|when] {condition}. [text|message]: {message}
[error|error text|error message] {message}, class {exception}, [if|when] {condition}
[obscure|cryptic|confusing] error later on [if|when] {condition}, raise {exception} {message} up front
[fail early|fail fast][:|,] {condition} -> {exception} {message}
[not silently|don't go on] when {condition}: {exception} {message}
[forgot|missed] to check that: {condition}. {exception} {message}
[line 1|first line|first check]: {condition}? {exception} {message}
the message {message} in [a|an] {exception} [if|when] {condition}
say {message} in [a|an] {exception} [if|when] {condition}
stop with {message} ({exception}) [if|when] {condition}
[bug|issue]: {condition} passes, should be {exception} {message}
{condition}? raise {call}
{condition} must not pass: {call}
{condition} is [not ok|illegal|a bug in the caller], {call}
{condition} [slips through|goes unnoticed], {call} please
[nobody|nothing] checks whether {condition}. raise {call}
[expected|i expect|the tests expect] {call} when {condition}
{function} <should> [complain|refuse] [if|when] {condition}: {call}
{function} carries on when {condition}, [better|rather] raise {call}
{call} [if|when] {condition}
{call} for {condition}
[fail early|fail fast][:|,] {condition}, {call}
[line 1|first line|first check]: if {condition} raise {call}
[callers|users] get {call} [if|when] {condition}
two lines at the top: if {condition}, raise {call}
[not silently|don't go on] when {condition}: raise {call}
should be {call} [if|when] {condition}, not a crash further down
{condition}? {error}
{condition} is [not ok|not allowed|forbidden|illegal]: {error}
{condition} [slips through|goes unnoticed|is accepted silently], [should be|make it] [a |an |]{error}
{condition} must not [pass|get through], [a |an |]{error} please
[nobody|nothing] checks whether {condition}, [a |an |]{error} would be [right|good]
callers <should> get [a |an |]{error} [if|when] {condition}
[expected|i expect|the tests expect] [a |an |]{error} when {condition}
with pytest.raises({error}) when {condition}
the [docs|spec|docstring] [promises|says] {error} [if|when] {condition}
{function} <should> [complain|refuse|protest] [if|when] {condition} ({error})
{function} [goes on|carries on|works] happily when {condition}, should be [a |an |]{error}
[obscure|cryptic|confusing] error later on [if|when] {condition}, make it [a |an |]{error} up front
[fail early|fail fast][:|,] {condition}, {error}
[line 1|first line|first check]: {condition}? {error}
[a|an] {error} and no result [if|when] {condition}
can we have [a|an] {error} [if|when] {condition}?
[not silently|don't go on] when {condition}: {error}
[treat it as|it's] an error [if|when] {condition}, {error}
[bug|issue]: {condition} passes without [a |an |]{error}
"""

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Refuse a value of a parameter or an attribute."""
        about = subject(snippet, rng)
        if about is None:
            return None
        source, words = wording.condition(about.name, rng)
        error, text = wording.raised(rng), wording.message(rng)
        roll = rng.random()
        if roll < 0.4:
            call, slots = f"{error}({quote(snippet, text)})", {"exception": error, "message": text}
        elif roll < 0.7:
            mark = rng.choice("'\"")
            call = rng.choice([f"{error}({mark}{text}{mark})", f"{error}({about.name})", f"{error}()"])
            slots = {"call": call}
        elif set(words) & set("'\"\\"):
            return None
        else:
            call, slots = f"{error}({quote(snippet, words.replace('`', ''))})", {"error": error}
        if any(line.strip().startswith(f"if {source}") for line in snippet.lines):
            return None
        lines = (f"{about.indent}if {source}:", f"{about.indent}{snippet.layout.unit}raise {call}")
        slots |= {"condition": words, "function": about.function.name}
        return Edit((Insert(about.after, lines),), slots)

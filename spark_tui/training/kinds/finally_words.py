"""How people ask for a finally."""

SKELETONS = """
<put> {what} in[to|] a finally
<move> {what} into a finally [block|]
<wrap> [it|that|the rest] in try/finally so that {what} always [runs|happens]
<use> try/finally for {what}
<use> a finally for {what}
<add> a finally for {what}
<add> try/finally around it, with {what} in the finally
<make> sure {what} [always|also|still] [runs|happens] [when something raises|on errors|after an exception]
<ensure> {what} [runs|happens] even if [there is an exception|something fails|it raises]
{what} <should> [always|] [run|happen], even on [errors|exceptions|failure]
{what} <should> be in a finally
{what} <should> happen on the error path too
{what} <should> run no matter what
{what} is skipped [on errors|when it raises|if something fails|after an exception]
{what} never [happens|runs] [if|when] [the code above raises|there is an error|something goes wrong]
{what} doesn't run [on errors|when there is an exception]
on [an exception|errors|failure], {what} is [skipped|never reached|missed]
an exception [above|in between] and {what} [is lost|never happens]
if [this|the code above|anything] raises, {what} is never reached
when the code before it blows up we never get to {what}
{what} also on errors
{what} in any case
{what}, whatever happens
{what} even when it fails
[why|how come] {what} isn't in a finally
can {what} go into a finally
can we do {what} even after an exception
shouldn't {what} be in a finally
finally: {what}
finally for {what}
try/finally [for|around|with] {what}
try ... finally, with {what}
{what} -> finally
guard {what} with try/finally
protect {what} [from exceptions|with a finally]
<nit>: {what} belongs in a finally
<review>: {what} belongs in a finally
<review>: what if this raises? {what} in a finally please
no matter how [we leave|the block ends], {what}
{what} must not depend on success
exception safe please, {what}
exception safety: {what}
<make> {what} exception-safe
leaks {unsaid}when something raises
leaks on errors{unsaid}
[stays|is left] [open|locked|set|behind] when [there is an error|something raises]{unsaid}
the cleanup is skipped [on errors|when it raises]{unsaid}
the [last|final] [line|step] <should> run even on errors{unsaid}
not exception safe{unsaid}
<make> this exception safe{unsaid}
<use> try/finally [here|]{unsaid}
<wrap> it in try/finally{unsaid}
<wrap> this in a try/finally so that the cleanup always [runs|happens]{unsaid}
<wrap> the body in try/finally{unsaid}
<put> the cleanup in a finally{unsaid}
<add> a finally{unsaid}
try/finally [please|]{unsaid}
finally is missing{unsaid}
[a|the] finally is missing [here|]{unsaid}
clean up even if it [fails|raises]{unsaid}
clean up on errors, too{unsaid}
clean up in any case{unsaid}
what if it raises in between?{unsaid}
what if something in the middle fails? clean up anyway{unsaid}
ResourceWarning[: unclosed|] after an exception{unsaid}{closing}
ResourceWarning: unclosed file{unsaid}{closing}
the file is not closed when [parsing|reading|it] fails{unsaid}{closing}
the handle leaks on errors{unsaid}{closing}
resource leak [on the error path|when it raises]{unsaid}{closing}
close it on errors too{unsaid}{closing}
close it in a finally{unsaid}{closing}
after an error it is never [closed|released|undone]{unsaid}{closing}
the lock is never released when it raises{unsaid}{closing}
deadlock after an exception: the lock stays taken{unsaid}{closing}
after the first error everything hangs, nothing is released{unsaid}{closing}
R1732 or try/finally, your choice: use the finally{unsaid}{closing}
sonar: resources should be closed in a finally{unsaid}{closing}
the state is not [restored|reset] [after|on] [errors|an exception]{unsaid}
state stays changed after a failure, restore it in a finally{unsaid}
reset it even when the [code|block] raises{unsaid}
<wrap> the yield in try/finally{unsaid}{yielding}
try/finally around the yield{unsaid}{yielding}
the yield <need> [a|] try/finally{unsaid}{yielding}
the yield <should> be in a try with finally{unsaid}{yielding}
if the [block|body|with block] raises, [the rest|the cleanup] never runs{unsaid}{yielding}
if the with block raises, it is never undone. wrap the yield in try/finally{unsaid}{yielding}
an exception in the with block skips what comes after the yield{unsaid}{yielding}
the contextmanager doesn't clean up [on errors|after exceptions]{unsaid}{yielding}
a contextmanager must clean up when the body raises{unsaid}{yielding}
what comes after the yield <should> run on errors too{unsaid}{yielding}
teardown is skipped when the test fails{unsaid}{yielding}
the fixture's teardown never runs when the test raises{unsaid}{yielding}
{what} after the yield <should> be in a finally{yielding}
if the block raises, {what} never happens. wrap the yield{yielding}
@finally
@<put> this in a finally
@<should> be in a finally
@this <should> [always|] run[, even on errors|]
@also on errors
@skipped when it raises
@in a finally please
@never reached after an exception
@even if the code above fails
@must happen in any case
@try/finally
@no matter what
@what if the code above raises?
"""

"""How people ask for asserts to become checks that raise, and back."""

SKELETONS = """
<replace> {case} [by|with] a {exception}
<convert> {case} [to|into] a {exception}
<turn> {case} into an if that raises {exception}
<raise> {exception} instead of {case}
<raise> [a|] {exception} [instead|] in {case}
<raise> {exception} [rather than|not] {case}
<make> {case} [a real check|an if] that raises {exception}
<make> {case} raise {exception}
{case} <should> raise {exception}
{case} <should> be a {exception}
{case} <should> be an if with raise {exception}
{case} -> raise {exception}
{case} -> {exception}
{case} vanish[es|] under -O, raise {exception} with the same text instead
asserts vanish under -O, {exception} for {case}
python -O [drops|strips|removes] {case}, raise {exception}
{case} [does|do] nothing with optimization on, use {exception}
S101 Use of `assert` detected: {case}, {exception} instead
B101 assert_used: {case} <should> raise {exception}
B101: Use of assert detected. The enclosed code will be removed when compiling to optimised byte code. raise {exception} in {case}
bandit doesn't like {case}, raise {exception}
sonar: {case} is no input validation, {exception}
{case} checks user input, that's a {exception}
[callers|users] <should> get a {exception} from {case}
callers can't catch AssertionError [properly|], {exception} for {case}
AssertionError is not for users, make {case} a {exception}
not an AssertionError but [a|] {exception} for {case}
<want> a {exception} where {case} is now
{exception}, same message, for {case}
same [text|message|check] as {case} but as {exception}
<use> {exception} [for|in|instead of] {case}
<use> if and raise {exception} for {case}
if not ...: raise {exception}, for {case}
we don't [use|want] assert[s|] outside of tests, {case}: {exception}
no asserts in production code. {case} <should> be {exception}
assert is for tests. raise {exception} in {case}
[why|how come] is {case} not a {exception}
can {case} be a {exception} instead[?|]
shouldn't {case} raise {exception}
{case} is [wrong|no good] here, {exception} is [what we|what callers] expect
<rewrite> {case} as [an explicit|a proper] {exception}
<swap> {case} for a {exception}
explicit {exception} in place of {case}
proper {exception} please, not {case}
<nit>: {exception} instead of {case}
<review>: {case} must survive -O, raise {exception}
{exception} when {case} [doesn't hold|fails]
{case} fails with AssertionError, <should> be {exception}
<get_rid> {case}, raise {exception}
keep the condition of {case} but raise {exception}
<replace> {what} [by|with] a proper exception{away}
<convert> {what} into [if and raise|a real check|proper exceptions]{away}
<turn> {what} into [an if with a raise|explicit raises]{away}
{what} <should> raise a real exception{away}
{what} vanish[es|] with -O[, raise instead|]{away}
{what} [is|are] stripped by python -O, so raise{away}
{what} -> if + raise{away}
S101 [assert detected|]: {what}{away}
B101:assert_used {what}{away}
<raise> [properly|something|an exception] instead of {what}{away}
no asserts in library code{unsaid}{away}
S101 Use of `assert` detected{unsaid}{away}
Use of assert detected. The enclosed code will be removed when compiling to optimised byte code.{unsaid}{away}
asserts are [stripped|gone|skipped] with -O, so this checks nothing{unsaid}{away}
don't assert, raise{unsaid}{away}
if and raise, not assert{unsaid}{away}
this needs to work with PYTHONOPTIMIZE=1 too, no assert{unsaid}{away}
we validate input with assert, that's not what it is for{unsaid}{away}
asserts are for tests, raise something proper{unsaid}{away}
users [see|get] a bare AssertionError, raise something sensible{unsaid}{away}
an AssertionError [tells callers nothing|is no api], raise a proper one{unsaid}{away}
never assert on arguments, raise{unsaid}{away}
@raise {exception} [instead|here|]
@asserts vanish under -O, raise {exception} with the same text instead
@-> {exception}
@<should> be a {exception}
@{exception} instead of assert
@{exception} please, -O drops this
@this is a {exception} [really|]
@no assert here, {exception}
@S101, raise {exception}
@if not ...: raise {exception}
@don't assert, raise{plain}{away}
@no asserts{plain}{away}
@S101{plain}{away}
@gone with -O, raise properly{plain}{away}
@if + raise instead{plain}{away}
<turn> {what} into an assert{back}
<convert> {what} to [an assert|asserts]{back}
<replace> {what} [by|with] an assert{back}
<use> assert for {what}{back}
<make> {what} an assert{back}
{what} <should> be an assert{back}
{what} -> assert{back}
{what} can [just|] be an assert{back}
a plain assert will do, {what} can't fail [anyway|in practice] so use assert{back}
<rewrite> {what} as assert{back}
just assert it[ instead of if and raise|]{unsaid}{back}
this is an internal invariant, just assert it{unsaid}{back}
<use> [an|] assert [instead of raising|rather than if/raise|here]{unsaid}{back}
one line please, use assert{unsaid}{back}
this can only be a programming error, so make it an assert{unsaid}{back}
if + raise -> assert{unsaid}{back}
shorter with [an|] assert{unsaid}{back}
that's what we have asserts for, use assert{unsaid}{back}
nobody outside calls this, a plain assert is enough so use assert{unsaid}{back}
@<use> assert [here|]{plain}{back}
@<should> be an assert{plain}{back}
@just assert{plain}{back}
@-> assert{plain}{back}
@make it an assert{plain}{back}
@with assert instead{plain}{back}
"""

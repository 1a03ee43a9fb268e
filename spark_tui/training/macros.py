"""The shared synonyms of the skeletons: `<add>` in a skeleton is one of the alternatives of MACROS["add"].

Bodies use the skeleton language themselves ([a|b|], <other>). The nouns come without article.
"""

_TEXT = """
add: add|add in|put in|insert|include|introduce|bring in|stick in|drop in|throw in|slip in|append
give: give|hand|provide|supply
remove: remove|delete|drop|take out|strip|strip out|get rid of|kill|cut|cut out|throw out|throw away|clear out|eliminate|discard|lose|erase|ditch
drop: drop|remove|leave out|omit|skip|lose|take away
get_rid: get rid of|remove|do away with|clean up|clean out|eliminate|purge
change: change|modify|alter|update|edit|adjust|make|turn|switch|amend
replace: replace|swap|swap out|substitute|exchange|trade|change
swap: swap|exchange|flip|switch|interchange|switch around
rename: rename|change the name of|give a new name to|refactor|rebrand|relabel
rewrite: rewrite|reword|redo|rework|restructure|refactor|recast|re-express|express|write|reformulate
convert: convert|turn|change|transform|switch|migrate|port|translate|rewrite|refactor|make
make: make|turn|change|have|let|get
use: use|go with|switch to|prefer|adopt|employ|utilize|try|apply|move to|rely on
switch: switch|change|move|go over|migrate|flip
move: move|shift|relocate|pull|bring|push|put
wrap: wrap|enclose|put|surround|guard|protect|envelop|encase|nest
put: put|place|set|stick|insert|position
extract: extract|pull out|factor out|lift out|hoist|break out|move out|split out|take out|isolate|separate out
inline: inline|fold in|collapse|substitute in|put inline|expand in place
split: split|split up|break up|break|separate|divide|take apart|pull apart
merge: merge|combine|join|fold together|collapse|unify|put together|fuse|unite
simplify: simplify|tidy|tidy up|clean up|streamline|shorten|cut down|reduce|condense|tighten|make simpler|compact
fix: fix|correct|repair|patch|sort out|resolve|straighten out|address|mend|put right
handle: handle|deal with|take care of|cope with|account for|cover|guard against
check: check|verify|make sure|ensure|validate|test|assert|confirm|guarantee
set: set|assign|initialize|initialise|change|put
return: return|give back|hand back|send back|yield back|pass back
raise: raise|throw|fail with|signal|blow up with|error out with
catch: catch|handle|trap|intercept|swallow|deal with|guard against
log: log|write to the log|record|emit a log for|trace|report
print: print|print out|output|show|display|echo|dump|write out
sort: sort|order|put in order|arrange|alphabetize|alphabetise
call: call|invoke|run|execute|use|make a call to
declare: declare|define|create|introduce|add|set up
document: document|describe|explain|write up|add documentation to
annotate: annotate|type|add types to|type-annotate|add annotations to|give types to|add type hints to
mark: mark|flag|tag|decorate|label|declare
write: write|add|put|create|produce|compose|draft|generate
turn: turn|convert|change|transform|make|rewrite|switch|refactor
avoid: avoid|stop|don't do|do not do|get away from|no more|quit
ensure: ensure|make sure|make certain|guarantee|see to it|be sure|see
adding: adding|putting in|inserting|including|introducing
removing: removing|deleting|dropping|taking out|stripping|getting rid of|killing|cutting
changing: changing|modifying|updating|altering|editing|adjusting
replacing: replacing|swapping out|substituting|exchanging|swapping
using: using|going with|switching to|relying on|moving to|adopting
making: making|turning|having|changing
renaming: renaming|changing the name of|giving a new name to
converting: converting|turning|changing|transforming|rewriting|switching
wrapping: wrapping|enclosing|putting|surrounding|guarding
fixing: fixing|correcting|repairing|sorting out|resolving
added: added|put in|inserted|included|introduced
removed: removed|deleted|dropped|taken out|stripped|gone|cut
changed: changed|modified|updated|altered|edited|adjusted
replaced: replaced|swapped|swapped out|substituted|exchanged
renamed: renamed|called something else|given another name
fixed: fixed|corrected|repaired|sorted out|resolved|put right
function: function|func|def|routine|callable|fn|procedure|function definition
method: method|member function|function|class method|def
class: class|type|class definition
variable: variable|var|local|local variable|name|identifier|symbol
parameter: parameter|argument|param|arg|function argument|formal parameter|input|keyword argument
parameters: parameters|arguments|params|args|function arguments|inputs
attribute: attribute|field|member|property|instance attribute|instance variable|attr
decorator: decorator|annotation|decoration|wrapper|@-decorator
docstring: docstring|doc string|documentation string|doc|documentation|docs|doc comment|help text|docstr
comment: comment|remark|note|code comment|inline comment
hint: type hint|hint|annotation|type annotation|type|typing|static type
hints: type hints|hints|annotations|type annotations|types|typing|static types
import: import|import statement|import line|module import
imports: imports|import statements|import lines|module imports
loop: loop|for loop|iteration|for-loop|for|for statement|looping
condition: condition|test|check|if condition|predicate|boolean expression|conditional
branch: branch|arm|case|path|side|clause
statement: statement|line|instruction|piece of code|stmt|bit
expression: expression|expr|term|computation|bit|piece
exception: exception|error|exception type|exception class|exc
string: string|str|text|string literal|literal
literal: literal|value|constant|hard-coded value|hardcoded value
number: number|value|numeric value|figure|constant|int
value: value|result|thing|contents|object
line: line|statement|row|line of code
code: code|logic|implementation|snippet|stuff|part
name: name|identifier|label|naming
default: default|default value|fallback|fallback value|preset
list: list|array|collection|sequence
dict: dict|dictionary|mapping|map|lookup|hash
block: block|section|chunk|part|piece|bit|stretch
body: body|contents|insides|whole body|implementation|code
call_noun: call|invocation|use|function call
message: message|text|string|wording|error message|msg
constant: constant|const|module constant|named constant|global
test: test|unit test|test case|testcase|test function
missing: missing|absent|not there|lacking|left out|forgotten
a_missing: a missing|an absent|the missing|a forgotten|the forgotten
unused: unused|never used|dead|not used|unneeded|useless|leftover|unreferenced|not needed
unneeded: unneeded|unnecessary|redundant|superfluous|needless|pointless|useless|extra|not needed|surplus
wrong: wrong|incorrect|bad|off|not right|broken|mistaken|faulty|buggy
should: should|needs to|has to|must|ought to|is supposed to|is meant to|had better
need: need|require|want|would like|must have|could use|am after
want: i want|i'd like|i need|we want|we need|i would like|we'd like|i'd prefer|i'd love|what i want is
canyou: can you|could you|would you|will you|can we|could we|are you able to|would you mind trying to|any chance you could|is it possible to|mind if you
why: why|how come|for what reason|why on earth
instead: instead|rather|in its place|in place of that|as a replacement
here: here|in here|in this place|at this spot|in this code|right here
this: this|the|that|our|the current|the given
the: the|this|that|our|
into: into|to|in|inside
with: with|by|using
called: called|named|with the name|by the name of|known as|whose name is
named: named|called|with the name|by the name
always: always|in all cases|in every case|every time|at all times|consistently
just: just|simply|only|merely|directly
all: all|all the|all of the|every single one of the|the
each: each|every|any|each and every
so_that: so that|so|such that|in order that|in a way that
because: because|since|as|given that|the reason being that
lint: lint|linter|lint warning|linter says|flake8|warning|static analysis|the linter complains|lint error|code check|ci complains
nit: nit|nitpick|minor|small thing|style|style nit|cosmetic|readability|tiny nit
review: review|review comment|reviewer|code review|reviewer says|from review|pr feedback|per review|pr comment
"""


MACROS: dict[str, str] = {name: body for name, _, body in (line.partition(": ") for line in _TEXT.strip().splitlines())}
"""Macro name to its alternatives, parted by `|`."""

"""How people ask to `fix_condition`: lines by what is wrong. A slot that shows nothing only says that its words fit."""

SKELETONS = """
@the condition is [inverted|backwards|the wrong way round|upside down|reversed]{opposite}
@inverted [condition|check|test|logic]{opposite} [here|]
@[this|the] <condition> <should> be the opposite{opposite}
@[there's|there is] a not missing [here|]{opposite}{needs_not}
@missing not [here|]{opposite}{needs_not}
@a not too many or too few{opposite} [here|]
@[this|it] does [exactly|] the opposite{opposite} of what it should
@[this|that] check is [inverted|backwards|the wrong way round]{opposite}
@negate [this|the condition|the check]{opposite}
@<fix> the [inverted|reversed] [condition|check|logic]{opposite}
@wrong way round{opposite}
@it [runs|fires|happens] exactly when it shouldn't{opposite}
@[flip|turn round|reverse] the [condition|check|test]{opposite}
@{right} was meant{opposite}
@wrong <condition> [here|]{opposite}
@the <condition> is <wrong>{opposite}
@<fix> the <condition>{opposite}
the condition {code} is [inverted|backwards|the wrong way round|reversed]{opposite}
{code} is [inverted|backwards|the wrong way round|reversed]{opposite}
{code} <should> be the opposite{opposite}
[there's|there is] a not missing in {code}{opposite}{needs_not}
missing [or extra|or superfluous|] not in {code}{opposite}
negate {code}{opposite}
[flip|turn round|reverse] the [condition|check|test] {code}{opposite}
<fix> the [inverted|reversed] [condition|check] {code}{opposite}
{code} tests the opposite of what it should{opposite}
{code} is true when it should be false{opposite}
the logic of {code} is [inverted|reversed|backwards]{opposite}
{code} <should> be {right}{opposite}
it checks {code} [but|where it] should [check|test] the opposite{opposite}
wrong condition{opposite} {code}
<fix> the condition{opposite} {code}
the condition {code} is <wrong>{opposite}
@it <should> also [check|test|require] {part}{both}
@also [check|test|require] [that|] {told}{both}
@only [if|when] {told}{both}
@only [if|when] {part}{both}
@and {part}{both}
@the [check|condition] is too weak, it also needs {part}{both}
@[this|it] [forgets|misses] {part}{both}
@[this|the condition|the check] <should> also [demand|ask] that {told}{both}
@[must|should] not happen unless {told}{both}
@the check for {part} is missing [here|]{both}
@{part} is not [checked|tested|looked at] here{both}
@[you|we|i] forgot [to check|to test|about] {part}{both}
@this <should> only [run|happen|apply] when {part}{both}
@{part} <should> hold [too|as well|also]{both}
@[check|test] {part} [too|as well|in addition]{both}
@without {part} this [must|should] not [run|happen]{both}
@it lets too much through, {part} <should> be required{both}
@{joint} {part} [is|was] [missing|left out|lost] [here|]
@something is missing in the condition: {joint} {part}
@[add|put back|bring back] {joint} {part} [here|]
@{part} [alone|] <should> be enough [too|]{either}
@it misses the case {part}{either}
@the case {part} is [forgotten|missing|left out]{either}
@this <should> also [run|happen|apply] when {part}{either}
@{part} <should> count [too|as well]{either}
@what if {part} ? [that should work too|then too]{either}
@[the or part|the other case], {part}, [is|got] [lost|missing]{either}
@[it|this] <should> [be done|happen] for {part} [too|as well]{either}
@one alternative is missing: {part}{either}
@[accept|allow] {part} [too|as well|also]{either}
@or {part}{either}
@or [if|when] {told}{either}
@[this|it] should also [happen|apply|be done] [if|when] {told}{either}
@the [check|condition] is too strict, it <should> [also|] [allow|accept] {part}{either}
@[also|too] [when|if] {part}{either}
[the condition|the check|the test] {code} [lacks|misses|forgets] {part}
{code} <should> also [check|test|require] {part}{both}
{code} is not enough, [also check|it also needs|check] {part}{both}
<add> {part} to the <condition> {code}
<add> {joint} {part} to {code}
{code} is too weak, [only if|add] {part}{both}
[next to|besides] {code} it must [check|test] {part}{both}
{code} <should> only hold [if|when] {told}{both}
in {code} [also|] make sure that {told}{both}
{code} [forgets|does not consider|ignores] that {told}{both}
{code}, but only if {told}{both}
{code} is too strict, {part} <should> [do|be enough|pass] too{either}
not only {code}, [also|but also] [if|when] {told}{either}
{code} <should> also be true [if|when] {told}{either}
{code} or {part}[ it should be| is right]{either}
{code} and {part}[ it should be| is right]{both}
the condition {code} <should> be {right}{part_known}
@{extra} <should> not [matter|be checked|be tested|be part of this] here
@{extra} is [one check too many|too much|superfluous|not needed] here
@don't [check|test] {extra} [here|]
@[too strict|too strong]{strong}, [leave out|drop|without] {extra}
@[too weak|too lax|lets too much through]{weak}, [leave out|drop|without] {extra}
@<remove> {extra} [from the condition|from the check|from the test]
@why [check|test] {extra} here ?
the [check|condition|test] {code} is too [strict|strong]{strong}, [drop|leave out] {extra}
the [check|condition|test] {code} is too [weak|lax]{weak}, [drop|leave out] {extra}
{code} <should> not [check|test|ask for|depend on] {extra}
<remove> {extra} from [the <condition>|] {code}
[drop|leave out|skip] {extra} [in|from] the [condition|check] {code}
{extra} has no place in {code}
{extra} [does not belong|should not be] in [the condition|] {code}
{extra} is [wrong|superfluous|too much] in {code}
why {extra} in {code} ?
{code} has one part too many: {extra}
[it|the condition|the check] <should> not [check|test|depend on|look at] {alone}
[drop|leave out|<remove>] the part {alone} [of|from] the <condition>
the part {alone} of the <condition> is [wrong|superfluous|a mistake|one too many]
it is too [strict|picky]{strong}, {alone} <should> not matter
whether {alone} or not <should> not matter
@negated by mistake{opposite}
@needs a `not`{opposite}{needs_not}
@there is one not too many{opposite}{has_not}
@`not` too many{opposite}{has_not}
@take the not out{opposite}{has_not}
@the `not` [is wrong|must go|has to go]{opposite}{has_not}
@without the not{opposite}{has_not}
why the not in {code}{opposite}{has_not}
{code} without the not{opposite}{has_not}
no not in {code}{opposite}{has_not}
@wrong way round, no ?{opposite}
@isn't it the other way round{opposite}
@this is the exact contrary of what the [name|docstring|comment] says{opposite}
@true when it should be false [and vice versa|]{opposite}
@should be [if not|unless]{opposite}{needs_not}
@logic error: opposite case{opposite}
@happens for everyone except the ones it should happen for{opposite}
@we get in here in exactly the wrong cases{opposite}
@skips the good ones and keeps the bad ones{opposite}
@never gets in here when it should{opposite}
@[the|this] branch is taken when [everything is fine|all is well|it must not be]{opposite}
@the test looks upside down{opposite}
@somebody dropped the not{opposite}{needs_not}
@since the last refactoring this check does the reverse{opposite}
@yes and no are mixed up{opposite}
@`if {right}`, not `if {code}`{opposite}
@{code} -> {right}{opposite}
@should [say|read] {right}{opposite}
{code} -> {right}{opposite}
{right} instead of {code}{opposite}
{right}, not {code}{opposite}
not {code} but {right}{opposite}
isn't {code} [the wrong way round|inverted|backwards] ?{opposite}
{code}? i'd say the opposite{opposite}
it should happen unless {code}{opposite}
we want the cases where {code} is false{opposite}
{code} lets exactly the wrong ones through{opposite}
with {code} it does nothing when it should [and works when it shouldn't|]{opposite}
[a|the] `not` [got lost|is missing|was dropped] in front of {code}{opposite}{needs_not}
when {code} holds we must not get in there{opposite}
tests fail, i suspect {code} is the wrong way round{opposite}
the check in {where} is [inverted|backwards|the wrong way round]{opposite}{sole}
{where} tests the [opposite|contrary|reverse]{opposite}{sole}
{where}: `not` missing [or too many|]{opposite}{sole}
inverted condition in {where}{opposite}{sole}
{where}: {right}{opposite}
must be {right} in {where}{opposite}
{subject} can be None: {crash}{both}
{crash} when {subject} is None, [guard against that|check it in the condition]{both}
{subject} may be None there. {crash}{both}
guard against {subject} being None, [i get|else] {crash}{both}
{crash}, because {subject} is not checked [for None|]{both}
@{crash} [if|when] {subject} is None{both}
@{subject} is None sometimes{none}{both}
@guard against None for {subject}{none}{both}
@blows up [if|when] {subject} is None{none}{both}
@should survive {subject} being None{none}{both}
in {code} {subject} can be None, <handle> that{none}{both}
{code} dies when {subject} is None{none}{both}
@but only [if|when|as long as] {told}{both}
@[nothing to do|skip it|not] unless {told}{both}
@makes sense only [if|when] {told}{both}
@happens too often, only [if|when] {told}{both}
@only ... when {told}{both}
only do {where} when {told}{both}
only [get into|enter] {where} [if|when] {told}{both}
{code} [and|&&] {part}{both}
{code} [or|\\|\\|] {part}{either}
{code} and also {part}{both}
{code}: + {joint} {part}
{code} is half the story, {joint} {part}
{joint} {part} after {code}
{part} got lost next to {code}
i lost the {part} [part|bit] of {code}
@lost {joint} {part} [in the merge|when i cleaned up|]
@+ {joint} {part}
@should [be the same|also work] when {told}{either}
@same for {part}{either}
@count {part} as well{either}
@{told}? same thing please{either}
@{part} is just as good{either}
@treat {part} the same way{either}
can {part} be good enough too, next to {code} ?{either}
besides {code} [it should|let it] also happen when {told}{either}
{extra}? no. [just|only] the rest of {code}
@what has {extra} to do with it
@nobody cares about {extra} here
@{extra} is none of our business here
@without the {extra} [part|bit|thing]
@the {extra} [part|bit] can go
@never true because of {extra}{strong}
@always true because of {extra}{weak}
@[shouldn't|why does it] need {extra}{strong}
who put {alone} into the condition ? [take it out|]
{alone} in the condition is nonsense
never gets in there because of {alone}{strong}
{alone} makes it [always true|true far too often]{weak}
the condition without {alone} please
no need for {alone} [in the check|there]
{alone} must not matter
- {alone} in the if, please take it out again
{also} <should> count [as well|too]{either}
can {also} go the same way ?{either}
{also} too{either}
{also} as well, like {like}{either}
same for {also}{either}
same for {also} as for {like}{either}
treat {also} like {like}{either}
{also} should be treated like {like}{either}
not only {like}, {also} as well{either}
{like} and {also}, both{either}
what about {also} ?{either}
{also} is forgotten, only {like} is looked at{either}
also {also}{either}
{also} is just like {like}{either}
{also} has to be excluded [as well|too]{both}
neither {like} nor {also}{both}
{also} not either{both}
the same goes for {also}{both}
not for {also} either, just like {like}{both}
only if {told}, otherwise skip {where}{both}
{where} only makes sense [if|when] {told}{both}
nothing should happen in {where} unless {told}{both}
"""

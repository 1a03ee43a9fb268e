"""How people ask for one more member."""

SKELETONS = """
<add> [{element}|"{literal}"] to {holder}{items}
<add> [{element}|"{literal}"] to the {holder} list{items}
<add> [{element}|"{literal}"] to the [list|tuple|set|collection] of {holder}{items}
<add> [{element}|"{literal}"] next to {like}
<add> [{element}|"{literal}"] [after|besides|alongside] {like}{items}
<put> [{element}|"{literal}"] in {holder}{items}
<put> [{element}|"{literal}"] in[to|] the same list as {like}{items}
{holder} <should> [include|contain|have|hold] [{element}|"{literal}"][, too| as well|]{items}
{holder} <should> [include|contain] [{element}|"{literal}"] [and not only {like}|like {like}|]{items}
{holder} lacks [{element}|"{literal}"]
{holder} is missing [{element}|"{literal}"]
[{element}|"{literal}"] is missing [in|from] {holder}
[{element}|"{literal}"] is missing next to {like}
[{element}|"{literal}"] belongs in[to|] {holder}{items}
[{element}|"{literal}"] belongs [with|next to] {like}
[{element}|"{literal}"] <should> be in {holder}{items}
[{element}|"{literal}"] <should> be [treated|handled] like {like}
[{element}|"{literal}"] <should> count as {holder} [too|as well]
[{element}|"{literal}"] is one of the {holder}, too{items}
[{element}|"{literal}"] is not [known|accepted|recognized|supported], but {like} is
[{element}|"{literal}"] too, not just {like}
[{element}|"{literal}"] [too|also|as well], like {like}
[{element}|"{literal}"] works like {like}
[{element}|"{literal}"] is the same as {like} [here|]
[same for|likewise|the same goes for] [{element}|"{literal}"] as for {like}{items}
not only {like} but [also|] [{element}|"{literal}"]
{like} is [there|accepted|handled], [{element}|"{literal}"] isn't
{like} and [{element}|"{literal}"] alike
<handle> [{element}|"{literal}"] [the same way as|like|the way we handle] {like}
treat [{element}|"{literal}"] like {like}
extend {holder} with [{element}|"{literal}"]{items}
<make> {holder} include [{element}|"{literal}"]{items}
{holder}: [{element}|"{literal}"] [too|also|as well]
{holder}: + [{element}|"{literal}"]
{holder} += [{element}|"{literal}"]{items}
could {holder} [also|] [be|include|have] [{element}|"{literal}"] [as well|too|]
could [{element}|"{literal}"] count [like {like}|as {holder} as well]?
why isn't [{element}|"{literal}"] in {holder}{items}
[{element}|"{literal}"] was forgotten in {holder}
someone forgot [{element}|"{literal}"] [in {holder}|next to {like}]
{holder} forgot [about|] [{element}|"{literal}"]
we [now|also] have [{element}|"{literal}"], add it to {holder}{items}
new one for {holder}: [{element}|"{literal}"]{items}
also [{element}|"{literal}"] for {holder}
<nit>: [{element}|"{literal}"] missing in {holder}
<review>: what about [{element}|"{literal}"] in {holder}
<review>: what about [{element}|"{literal}"]? {like} is there
one more for {holder}: [{element}|"{literal}"]
<add> [{element}|"{literal}"]{unsaid}{items}
<add> [{element}|"{literal}"] [as well|too]{unsaid}{items}
<add> [{element}|"{literal}"] to the [list|options|choices|collection|others]{unsaid}{items}
[{element}|"{literal}"] is missing [here|]{unsaid}
[{element}|"{literal}"] was forgotten{unsaid}
[{element}|"{literal}"] <should> be in there [too|as well]{unsaid}{items}
[{element}|"{literal}"] <should> be accepted [too|as well]{unsaid}
[{element}|"{literal}"] <should> be [ok|fine|allowed|supported] [too|as well]{unsaid}
allow [{element}|"{literal}"] [too|as well|]{unsaid}
also allow [{element}|"{literal}"]{unsaid}
also accept [{element}|"{literal}"]{unsaid}
accept [{element}|"{literal}"] [too|as well]{unsaid}
support [{element}|"{literal}"] [too|as well|]{unsaid}
[{element}|"{literal}"] is valid, too{unsaid}
[{element}|"{literal}"] counts, too{unsaid}
[{element}|"{literal}"] isn't [recognized|supported|handled|accepted] yet{unsaid}
what about [{element}|"{literal}"]?{unsaid}
[{element}|"{literal}"] please{unsaid}
include [{element}|"{literal}"]{unsaid}
could [{element}|"{literal}"] be [included|accepted|allowed|supported] [as well|too|]{unsaid}
there's [also|now] [{element}|"{literal}"]{unsaid}
we got [{element}|"{literal}"] now{unsaid}
don't forget [{element}|"{literal}"]{unsaid}
[{element}|"{literal}"] as well{unsaid}
fails for [{element}|"{literal}"], should work{unsaid}
[i want|we need] [{element}|"{literal}"] in there{unsaid}
also accept {plural}{unsaid}{types}
{plural} <should> be [accepted|fine|allowed|ok] [too|as well]{unsaid}{types}
{plural} are [rejected|not accepted|refused], they should be ok{unsaid}{types}
<make> it work with {plural} [too|as well]{unsaid}{types}
allow {element}, not only {like}{types}
a {element} is [fine|ok|allowed] [too|as well]{unsaid}{types}
isinstance check <should> accept {element}, too{unsaid}{types}
TypeError for {element}, it <should> be accepted{unsaid}{types}
check for {element} [too|as well]{unsaid}{tests}
check for [{element}|"{literal}"], not only {like}{tests}
or [{element}|"{literal}"]{unsaid}{tests}
same for [{element}|"{literal}"]{unsaid}{tests}
the same if it's [{element}|"{literal}"]{unsaid}{tests}
[{element}|"{literal}"] <should> [go|take] the same [way|branch]{unsaid}{tests}
also when it's [{element}|"{literal}"]{unsaid}{tests}
also for [{element}|"{literal}"]{unsaid}{tests}
<add> {many} to {holder}{items}
<add> {many}{unsaid}
{holder} lacks {many}
{many} are missing [in {holder}|next to {like}]
{one} are missing{unsaid}
{one} missing [here|]{unsaid}
allow {many} [too|as well|]{unsaid}
also accept {many}{unsaid}
{many} <should> be [accepted|allowed|fine] [too|as well]{unsaid}
support {one} [too|as well]{unsaid}
treat {many} like {like}
include {many}{unsaid}
{many} were forgotten{unsaid}
<add> {key} with [the value|] {value} to {holder}{keys}
<add> {key}: {value} to {holder}{keys}
<add> {key}: {value}{unsaid}{keys}
<add> {key} -> {value}{unsaid}{keys}
<add> the key {key} with [the value|value] {value}{unsaid}{keys}
<add> an entry {key}: {value}[ to {holder}|]{unsaid}{keys}
{key} <should> map to {value}{unsaid}{keys}
map {key} to {value}{unsaid}{keys}
{key} is {value}{unsaid}{keys}
{key} is missing, it's {value}{unsaid}{keys}
{holder} lacks {key}, it's {value}{keys}
KeyError: '{key}', should be {value}{unsaid}{keys}
<set> {key} to {value} in {holder}{keys}
{holder} <should> have {key}: {value}{keys}
{key} is missing, same value as {same}{keys}
{key} is missing, same as {same}{keys}
{key} <should> be the same as {same}{keys}
<add> {key} with the same value as {same}{keys}
<add> {key}, same as {same}{keys}
{key} like {same}{keys}
KeyError for {key}, treat it like {same}{keys}
same for {key} as for {same}{keys}
@<add> [{element}|"{literal}"] [here|]
@[{element}|"{literal}"] [too|as well|also]
@[{element}|"{literal}"] is missing
@also [{element}|"{literal}"]
@and [{element}|"{literal}"]
@+ [{element}|"{literal}"]
@include [{element}|"{literal}"]
@allow [{element}|"{literal}"] [too|as well|]
@what about [{element}|"{literal}"]?
@{many} too
@<add> {many}
@<add> {key}: {value}
@{key} is {value}
@{key} same as {same}
@{one} are missing
"""

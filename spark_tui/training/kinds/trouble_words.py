"""How people speak of what goes wrong without naming the exception: "the missing file", "the file is not there"."""

from random import Random

_NOUNS = {
    "FileNotFoundError": "the missing file|a missing file|the file not existing|file not found|a file that isn't there"
    "|an absent file|a nonexistent file|a non-existent file|a file that does not exist|no such file|missing files"
    "|the file not being there|a file that is not there yet|the case where the file doesn't exist",
    "ValueError": "a bad number|an invalid number|a non-numeric value|input that is not a number|the invalid number"
    "|something that is not a number|bad numbers|a malformed number|non-numeric input|text instead of a number",
    "json.JSONDecodeError": "invalid json|malformed json|broken json|the json error|bad json|corrupt json"
    "|json that doesn't parse|garbage instead of json",
    "KeyError": "a missing key|the missing key|an unknown key|the key not being there|an absent key"
    "|a key that isn't there|a key that does not exist|missing keys|no such key",
    "PermissionError": "missing permissions|no permission|permission problems|denied permission|lack of permission"
    "|permission denied|insufficient permissions",
    "ZeroDivisionError": "division by zero|a division by zero|dividing by zero|a zero denominator|divide by zero",
    "IndexError": "a bad index|an index out of range|an index that is out of range|too few items"
    "|a list that is too short|the index error",
    "StopIteration": "an exhausted iterator|the end of the iterator|an empty iterator|the iterator running out",
    "AttributeError": "a missing attribute|no such attribute|an unknown attribute|the attribute not being there",
    "requests.Timeout": "a timeout|time-outs|a time out|timeouts",
    "asyncio.TimeoutError": "a timeout|time-outs|a time out|timeouts",
    "subprocess.TimeoutExpired": "a timeout|time-outs|a time out|timeouts",
    "TimeoutError": "a timeout|time-outs|a time out|timeouts",
    "requests.ConnectionError": "connection trouble|connection problems|a lost connection|no network|being offline",
    "OSError": "connection trouble|connection problems|a lost connection|no network|being offline",
    "FileExistsError": "an existing directory|a folder that already exists|an already existing folder",
    "UnicodeDecodeError": "bad utf-8|a bad encoding|undecodable bytes|a wrong encoding|broken encoding",
    "subprocess.CalledProcessError": "a failing command|a command that fails|a non-zero exit status|a bad exit code",
    "EOFError": "the end of input|ctrl-d|no more input|end of input",
}
_CLAUSES = {
    "FileNotFoundError": "the file is missing|the file does not exist|the file doesn't exist|the file is not there"
    "|the file isn't there|there is no file|there is no such file|the file is absent|the file can't be found"
    "|the file isn't there yet|open() fails|the file is not found|the file has not been created yet",
    "ValueError": "it is not a number|it's not a number|the number is bad|the number is invalid|int() fails"
    "|the text is no number|the value isn't numeric|someone types letters instead of a number",
    "json.JSONDecodeError": "the json is invalid|the json is broken|the json does not parse|it is not json",
    "KeyError": "the key is missing|the key is not there|there is no such key|the key does not exist"
    "|the key isn't in the dict|the key is unknown",
    "PermissionError": "we have no permission|permission is denied|the permission is missing|access is not permitted",
    "ZeroDivisionError": "we divide by zero|it divides by zero|the denominator is zero|the division fails",
    "IndexError": "the index is out of range|the list is too short|there are too few items|the index is bad",
    "StopIteration": "the iterator is exhausted|there is nothing left|the iterator is empty|the iterator runs out",
    "AttributeError": "the attribute is missing|there is no such attribute|the attribute does not exist",
    "requests.Timeout": "it times out|the request times out|it takes too long",
    "asyncio.TimeoutError": "it times out|it takes too long",
    "subprocess.TimeoutExpired": "it times out|the command hangs",
    "TimeoutError": "it times out|it takes too long",
    "requests.ConnectionError": "the connection fails|we are offline|the network is down|the server is unreachable",
    "OSError": "the connection fails|we are offline|the network is down|the server is unreachable",
    "FileExistsError": "the directory already exists|the folder exists|it is already there",
    "UnicodeDecodeError": "the encoding is wrong|it is not utf-8|it can't be decoded",
    "subprocess.CalledProcessError": "the command fails|the exit status is non-zero|the exit code is bad",
    "EOFError": "there is no more input|someone hits ctrl-d|the input ends with eof",
}

SKELETONS = """
<handle> it when {gone}
don't crash [when|if] {gone}
do not [crash|fail|die|blow up] [when|if] {gone}
<should> not [crash|fail|die|blow up|explode] [when|if] {gone}
it [crashes|fails|dies|blows up|explodes] [when|if] {gone}
{function} [crashes|fails|dies|blows up|explodes] [when|if] {gone}
what if {gone}
what happens [when|if] {gone}
[survive|cope] [when|if] {gone}
[sometimes|at times|now and then] {gone}
{gone} [sometimes|at times|now and then|on the first run]
{gone} and then it crashes
{gone}, that <should> not be [fatal|an error]
[it's|it is] [ok|fine|normal|no error] [when|if] {gone}
[wrap|guard|protect] it in case {gone}
[be prepared for|be ready for|expect|allow for|allow] {missing}
[be|make it] robust against {missing}
[make it|make this|make {function}] work with {missing}
[make it|make this|make {function}] [survive|tolerate|resist] {missing}
[survive|get over|live with] {missing}
[guard|protect] against {missing}
[fails|crashes|blows up|breaks] [on|with] {missing}
no [handling|provision|protection] for {missing}
[graceful|proper] handling of {missing}
[try/except|a try] for {missing}
<wrap> it in a try for {missing}
[why|how come] does it crash on {missing}
{missing} is not handled [yet|here|anywhere|]
{missing} takes [it|everything|the program] down
[a user|someone] ran into {missing}
[it|this|{function}] can't [deal with|cope with|handle|take] {missing}
[when|if] {lost}[,|] {handler}
[when|if] {lost}[,|] [just|simply] {handler}
{handler} [when|if] {lost}
{handler} in case {lost}
what if {lost}? {handler}
{lost}? {handler}
[sometimes|at times|now and then] {lost}, {handler} then
don't crash [when|if] {lost}[,|:] {handler}
it crashes [when|if] {lost}, [it should|make it|better] {handler}
{handler} [instead of crashing|instead of dying|instead] [when|if] {lost}
[survive|guard against|be robust against] {trouble}: {handler}
{handler} for {trouble}
{handler} [instead of crashing|rather than crash] on {trouble}
{trouble} <should> [just|simply] {handler}
[catch|expect] {trouble} and {handler}
@don't crash [when|if] {gone}
@what if {gone}
@<handle> {missing} here
@[when|if] {lost}[,|] {handler}
@{handler} [when|if] {lost}
"""


def noun(exception: str, rng: Random) -> str:
    """What goes wrong when an exception that `troubles_of` knows is raised, as a noun."""
    return rng.choice(_NOUNS[exception].split("|"))


def clause(exception: str, rng: Random) -> str:
    """The same as a clause: "the file is missing"."""
    return rng.choice(_CLAUSES[exception].split("|"))

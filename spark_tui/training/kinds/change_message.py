"""Another text for a message, or a value put into it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import is_receiver, parameters
from spark_tui.editing.codemods.change_message import Message, messages, with_text, with_values
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.wording import message as random_message

_SAYINGS = {
    "raise": "the error message|the exception message|the error|the exception text|the message of the exception"
    "|the message that is raised|the text of the error|the error text",
    "log": "the log message|the log line|the log call|the log text|the logging message|what is logged",
    "warning": "the warning|the warning message|the text of the warning|the warning text|what the warning says",
    "print": "the print|the printed text|the print statement|what is printed|the print call|the message in the print",
    "assert": "the assertion message|the assert message|the message of the assert|the assert text",
}


class ChangeMessage(Kind):
    """`raise ValueError("bad")` becomes `raise ValueError("no such key")` or `raise ValueError(f"bad: {key}")`.

    Slots: {new_text} is the new text, {text} the old one; {what} says which message, {exc} the exception's class;
    {value} is a name that is added, {first} and {second} two.
    """

    name: ClassVar[str] = "change_message"
    skeletons: ClassVar[str] = """
    <change> {what} to {new_text}
    [change|update|edit|rewrite] {what} to say {new_text}
    [change|set|update] the text of {what} to {new_text}
    [reword|rephrase|rewrite] {what}: {new_text}
    [reword|rephrase] {what} [to|as] {new_text}
    {what} <should> [be|say|read] {new_text}
    {what} <should> [rather|better|] say {new_text}
    <make> {what} say {new_text}
    <make> {what} [read|be] {new_text}
    let {what} [say|read|be] {new_text}
    <use> {new_text} [as|for] {what}
    <put> {new_text} [in|into] {what}
    a better text for {what}: {new_text}
    {what} is [unclear|misleading|not helpful|vague|confusing], [say|use|make it|write] {new_text}
    {what} is <wrong>, it <should> [be|say] {new_text}
    {what} tells [me|users] nothing, [say|use|write] {new_text}
    {what}: {new_text}
    {what} -> {new_text}
    i [want|need|would like] {what} to [be|say|read] {new_text}
    users don't understand {what}, [say|write] {new_text}
    [clearer|better] wording for {what}: {new_text}
    [translate|shorten|fix] {what} to {new_text}
    improve {what}: {new_text}
    <replace> {what} [with|by] {new_text}
    <replace> the [message|text|wording] of {what} [with|by] {new_text}
    why does {what} not say {new_text}
    {what} has to say {new_text}
    another text for {what}: {new_text}
    [a|the] better {what}: {new_text}
    use this for {what}: {new_text}
    the {exc} <should> say {new_text}
    <raise> {exc} with [the text|the message|] {new_text}
    <change> the [message|text] of the {exc} to {new_text}
    the [message|text] of [the|] {exc} <should> [be|say] {new_text}
    {exc} message: {new_text}
    {exc}: {new_text}
    <make> the {exc} say {new_text}
    [reword|rephrase] the {exc}: {new_text}
    <change> the [message|error|text] {text} to {new_text}
    <replace> the [message|error|error text] {text} [with|by] {new_text}
    the [message|error] <should> [say|be|read] {new_text} [instead of|and not|rather than] {text}
    it says {text}, but it <should> say {new_text}
    instead of {text} it <should> say {new_text}
    [reword|rephrase] {text} [to|as] {new_text}
    the [message|error|wording] {text} is [unclear|misleading|confusing|wrong], [say|use|write] {new_text}
    {text} <should> [read|be|say] {new_text}
    say {new_text} [instead of|rather than|not] {text}
    @<change> the [message|text|wording] to {new_text}
    @the [message|text] <should> [be|say|read] {new_text}
    @[reword|rephrase] [this|the message]: {new_text}
    @say {new_text}
    @use {new_text} [instead|here|as the message]
    @it <should> say {new_text}
    @<make> [this|it] say {new_text}
    @[better|new] [message|text|wording]: {new_text}
    include {value} in {what}
    include [the|] {value} in {what}
    <add> {value} to {what}
    <add> the [value of|] {value} to {what}
    <put> {value} [in|into] {what}
    <put> the [value of|] {value} [in|into] {what}
    [mention|show|say|print|give|report] {value} in {what}
    [mention|show|report] the [value of|] {value} in {what}
    {what} <should> [include|contain|show|mention|tell|have] {value}
    {what} <should> [include|contain|show|mention|tell] the [value of|] {value}
    {what} <should> [tell|say] [which|what] {value} it was
    {what} [doesn't|does not] [say|tell|show|mention] [which|the|what] {value}
    {what} [doesn't|does not] [show|include|contain] {value}
    [which|what] {value}? {what} <should> [say|tell|show] it
    {what} with [the|] {value} [in it|please|]
    {what} is useless without [the|] {value}
    {what} [needs|lacks|misses] [the|] {value}
    i [can't|cannot] see [which|what] {value} from {what}
    i want to see {value} in {what}
    extend {what} with {value}
    append {value} to {what}
    interpolate {value} [in|into] {what}
    make {what} [show|include|mention|contain] [the|] {value}
    let {what} [show|include|mention|contain] [the|] {value}
    the {exc} <should> [include|mention|tell|show] [the|] {value}
    include {value} in the {exc}
    <add> [the|] {value} to the {exc} [message|]
    [which|what] {value}? the {exc} [doesn't|does not] [say|tell]
    include {value} in the message {text}
    <add> {value} to {text}
    <add> {value} to the message {text}
    {text} <should> [include|show|mention] {value}
    {text}: [which|what] {value}?
    {text} with {value}
    {text} with {first} and {second}
    <put> {first} and {second} [in|into] {text}
    where it says {text} <add> {first} and {second}
    <add> {first} and {second} to the message {text}
    include {first} and {second} in {what}
    <add> {first} and {second} to {what}
    [mention|show] {first} and {second} in {what}
    {what} <should> [include|show|mention|contain] {first} and {second}
    <put> {first} and {second} [in|into] {what}
    {what} with {first} and {second}
    i want to see {first} and {second} in {what}
    @say which {value}
    @interpolate {value}
    @append {value}
    @include [the|] {value} [in the message|here|]
    @<add> [the|] {value} [to the message|here|]
    @[mention|show] [the|] {value} [in the message|too|]
    @the message <should> [include|show|tell|mention] [the|] {value}
    @the message [doesn't|does not] [say|tell|show] [which|the|] {value}
    @say which {first} and {second}
    the {exc} <should> [show|include] {first} and {second}
    @[include|add] {first} and {second}
    @the message <should> [include|show|mention] {first} and {second}
    typo-ridden, better: {new_text}. that's for {what}
    [users|customers|people] [read|see] {what}, so write {new_text}
    [support|ops|our users] [asked|want] {what} to be {new_text}
    {what} sounds rude, {new_text} please
    {what} is far too [wordy|long], make it {new_text}
    {what} could be friendlier: {new_text}
    too technical for users. {what} should be {new_text}
    way too wordy, {what}: {new_text}
    {new_text} [is|would be] a better {what}
    {new_text} [reads better|is clearer|sounds better] for {what}
    {new_text} as {what}
    nobody gets {what}, {new_text} is clearer
    typo in {what}, should be {new_text}
    grammar in {what}: {new_text}
    [no|not] sentence case in {what}, {new_text}
    the docs say {new_text} for {what}
    [i'd|i would] word {what} as {new_text}
    how about {new_text} for {what}
    couldn't {what} just say {new_text}
    {what} is copy-pasted from somewhere else, {new_text}
    {what} lies, it's really {new_text}
    {what} => {new_text}
    when it fails i'd expect {exc}: {new_text}
    {exc}: {new_text} is what [i'd expect|the test wants|the docs promise]
    pytest expects {exc} to match {new_text}
    AssertionError: Regex pattern did not match. Regex: {new_text}, that's the {exc}
    {exc} tells me nothing, {new_text} would
    raise {exc}({new_text})
    the {exc} is too terse: {new_text}
    {exc} should read {new_text}
    {exc} with a friendlier text: {new_text}
    wording of the {exc}: {new_text}
    {text} => {new_text}
    {text} -> {new_text}
    s/{text}/{new_text}/
    not {text} but {new_text}
    {text} is too [vague|terse|wordy|technical], {new_text}
    {text} is [bad|terrible] english, [say|should be] {new_text}
    {text} is bad grammar, {new_text}
    {text} sounds [odd|wrong|unfriendly], [better|rather|perhaps] {new_text}
    typo: {text}, should read {new_text}
    [who wrote|who came up with] {text}? {new_text} please
    {text} confuses [users|people|support], {new_text} wouldn't
    {new_text}, not {text}
    {new_text} where it says {text}
    [got|i get|it prints|i see] {text}, [expected|should be] {new_text}
    [docs|the tests|the spec] [say|says] {new_text} but [here it's|we have] {text}
    {text} tells me nothing. {new_text}
    [marketing|legal|qa] wants {new_text} and no longer {text}
    we call it {new_text} now, not {text}
    @{new_text}
    @too wordy, {new_text}
    @clearer: {new_text}
    @typo, {new_text}
    @[users|nobody] won't get this, {new_text}
    @friendlier please: {new_text}
    @rather {new_text}
    @reword, {new_text}
    {what} is no help, [which|what] {value} was it?
    [can't debug|hard to debug|impossible to debug] this without {value} in {what}
    {value} is missing [from|in] {what}
    {what} leaves out {value}
    {what} without {value} is [useless|no help|pointless]
    [we|i] [never know|can't tell] which {value} [caused it|it was about|failed] from {what}
    what was {value} at that point? {what} should tell
    {what} + {value}
    {what} plus {value}
    {what}: {value} too
    also {value} in {what}
    {value} would help in {what}
    f-string with {value} for {what}
    could {what} tell us {value}
    users ask which {value}, {what} doesn't say
    {what} ends too early, {value} is what i want to know
    had to attach a debugger to find out {value}, put it in {what}
    support needs {value} in {what}
    grep for {value} in the logs finds nothing, {what} should have it
    from {what} i can't reconstruct {value}
    {exc} but for which {value}?
    the {exc} without {value} [is useless|tells nothing|is no help]
    {exc} should name {value}
    {value} missing in the {exc}
    {exc} leaves me guessing {value}
    have the {exc} carry {value} in its text
    {text} but which {value}
    {text} plus {value}
    {text} should tell {value}
    {text} says nothing about {value}
    {text} is no help without {value}
    [i get|all i get is|it just says] {text}, [which|what] {value}?
    after {text} show {value}
    {text}, and {value} please
    {value} behind {text}
    {value} missing in {text}
    [both|] {first} and {second} are missing [from|in] {what}
    {what} plus {first} and {second}
    {what} without {first} and {second} [is no help|is useless]
    which {first}, which {second}? {what} doesn't tell
    {first} and {second} would help in {what}
    {text}: add {first} and {second}
    {text} but {first}? {second}?
    {text} says nothing about {first} or {second}, should show both
    the {exc} with {first} and {second} please
    {exc}, for which {first} and {second}?
    @which {value}?
    @[useless|no help] without {value}
    @{value} too
    @also {value}
    @plus {value}
    @{value} is missing
    @{first} and {second} too
    @can't debug this without {value}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Another text for one message, or one or two names of its function put into it."""
        found = list(messages(snippet))
        if not found:
            return None
        message = rng.choice(found)
        slots = _place(found, message, rng)
        if rng.random() < 0.5:
            text = random_message(rng)
            after = with_text(snippet, message, text)
            told = {"new_text": text} | slots
        else:
            values = _values(message, rng)
            after = with_values(snippet, message, values) if values else None
            told = {"value": values[0]} if len(values) == 1 else dict(zip(("first", "second"), values, strict=False))
            told |= slots
        if after is None:
            return None
        row = message.node.lineno - 1
        alone = sum(one.node.lineno - 1 == row for one in found) == 1
        if message.function:
            told["function"] = message.function.name
        if alone and (not slots or rng.random() < 0.2):
            return Edit.between(snippet, after, told, (row, row))
        return Edit.between(snippet, after, told) if slots else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is one of the edits, the new text in quotation marks."""
        told = {slot: f'"{value}"' if slot == "new_text" else value for slot, value in slots.items()}
        return super().accepts(before, after, told)


def _place(found: Sequence[Message], message: Message, rng: Random) -> dict[str, str]:
    """What tells one message from the others."""
    slots = {}
    if Counter(one.sort for one in found)[message.sort] == 1:
        slots["what"] = rng.choice(_SAYINGS[message.sort].split("|"))
    if message.sort == "raise" and message.name and Counter(one.name for one in found)[message.name] == 1:
        slots["exc"] = message.name
    alike = sum(message.content in one.content for one in found)
    if alike == 1 and len(message.content) > 4 and "{" not in message.content and '"' not in message.content:
        slots["text"] = message.content
    return slots


def _values(message: Message, rng: Random) -> tuple[str, ...]:
    """One or two names that the message could show."""
    if message.function is None:
        return ()
    names = [one.arg for one in parameters(message.function) if not is_receiver(message.function, one)]
    names = [name for name in names if name not in message.source]
    return tuple(rng.sample(names, min(len(names), rng.choice([1, 1, 1, 2]))))

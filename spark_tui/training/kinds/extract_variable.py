"""Give a part of a statement a name on a line of its own."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.extract_variable import (
    Part,
    called_name,
    is_plain,
    meant,
    parts,
    suggestion,
    with_variable,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import names_used
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.names import absent_name


class ExtractVariable(Kind):
    """`f(len(items) - 1)` becomes `last = len(items) - 1` and `f(last)`.

    Slots: {expr} is the part's source, {call} the function it calls; {name} is the new variable, {unnamed} stands for
    one that nobody names.
    """

    name: ClassVar[str] = "extract_variable"
    skeletons: ClassVar[str] = """
    <extract> {expr} [into|to|in|as] a <variable> [called|named|] {name}
    <extract> {expr} [into|to|as] {name}
    <extract> a <variable> [called|named|] {name} [from|for|out of] {expr}
    <extract> the variable {name} from {expr}
    <move> {expr} [to|into|out to] a <variable> <named> {name}
    <put> {expr} [in|into] a <variable> [called|named|] {name}
    <put> {expr} [in|into] {name} [first|before that|beforehand|on its own line|]
    [assign|save|store|keep|hold|stash] {expr} [to|in|as|into] a <variable> <named> {name}
    [assign|save|store] {expr} [to|in|as] {name} [first|before using it|and use that|]
    name {expr} {name}
    <give> {expr} a name[:|, say|,] {name}
    <give> {expr} the name {name}
    call {expr} {name} [and use the name|first|]
    let {name} be {expr}
    let {name} = {expr} [and use it|first|]
    {name} = {expr}[, then use it|, and use that| first]
    [introduce|create|define|add] a <variable> {name} [for|holding|to hold|with] {expr}
    [introduce|create|define] {name} for {expr}
    [introduce|add] an explaining variable {name} for {expr}
    [introduce|add] a temporary [variable|] {name} for {expr}
    <use> a <variable> {name} [for|instead of] {expr}
    <use> {name} [for|instead of|in place of] {expr} [there|here|]
    <replace> {expr} [with|by] a <variable> [called|named|] {name}
    {expr} <should> [be|go] in [a|its own] <variable>[,| called|:] {name}
    {expr} <should> have a name, [like|say|for example|e.g.] {name}
    {expr} [deserves|wants|is worth] a name: {name}
    {expr} is [hard to read|unclear|long|too long|cryptic], [name it|call it|put it in] {name}
    what is {expr}? [name it|call it] {name}
    [why|what does] {expr} [mean|stand for]? [name it|call it] {name}
    {expr} is [repeated|there twice|computed twice|evaluated twice], [put it in|keep it in|store it as] {name}
    don't repeat {expr}, [put it in|keep it in] {name}
    don't [compute|write|evaluate] {expr} [inline|in place], [use|put it in] a <variable> {name}
    compute {expr} [first|before|beforehand|on its own line|separately] [as|into|in] {name}
    [evaluate|calculate|work out] {expr} [first|before that] and [call it|name it] {name}
    pull {expr} out, [name it|call it] {name}
    split {expr} off [as|into] {name}
    [shorten|break up] the line: {name} for {expr}
    the line is too [long|dense|busy], [pull|take|move] {expr} [out into|out as|to] {name}
    [too much|too many things] on one line, {expr} [to|into] {name}
    E501 line too long, <extract> {expr} as {name}
    <lint>: line too long, <move> {expr} to {name}
    <nit>: <extract> {expr} [to|into|as] {name}
    <review>: name {expr}, [e.g.|like|say] {name}
    {expr} -> {name}
    {expr} [to|into|as] {name}
    {name} for {expr}
    variable {name} [for|from] {expr}
    variable {name}: {expr}
    local {name} [for|with] {expr}
    new variable {name} [for|holding|with] {expr}
    <want> {expr} in a <variable> {name}
    <want> to see {expr} [in the debugger|while debugging], [put it in|store it in] {name}
    i [can't|cannot] [see|inspect|log] {expr}, [put it in|store it as] {name}
    so that i can print {expr}, [put it in|store it as] {name}
    <put> the result of {call} [in|into] [a <variable>|] {name}
    [save|store|keep|assign] [what {call} returns|the result of {call}] [in|as|to] {name}
    <extract> the call to {call} [into|to|as] [a <variable>|] {name}
    <extract> the {call} call [into|to|as] [a <variable>|] {name}
    call {call} [first|before|beforehand|on its own line] and [keep|store|save] the result [in|as] {name}
    the result of {call} <should> [be|go] in a <variable> <named> {name}
    {name} = {call}(...) [first|on its own line|]
    name what {call} [returns|gives] {name}
    don't nest the call to {call}, [put it in|use a variable] {name}
    {call} returns something, [keep|store] it in {name}
    <use> a <variable> {name} for what {call} returns
    {name} <should> hold [what {call} returns|the result of {call}]
    let {name} be the result of {call}
    take the call to {call} out of the [line|expression] into {name}
    <extract> {expr} [into|to|in] a <variable>{unnamed}
    <put> {expr} [in|into] a [variable|local]{unnamed}
    <give> {expr} a name{unnamed}
    [introduce|create|add] a [temporary|new|] variable for {expr}{unnamed}
    {expr} <should> be [in a|a] variable{unnamed}
    {expr} on its own line{unnamed}
    <extract> variable {expr}{unnamed}
    @<extract> [this|that|the expression] [into|to|as] [a <variable>|] {name}
    @<extract> a <variable> {name}
    @name the [value|result|expression] {name}
    @<put> [this|it] [in|into] a <variable> <named> {name}
    @introduce [a <variable>|] {name} [here|]
    @variable {name}
    @<give> [this|it|the expression] the name {name}
    @a variable {name} [would be nice|is needed|] here
    @pull [this|it] out [to|as|into] {name}
    @the <expression> here <should> have a name[:|, say|,] {name}
    @[call|name] [the value|the expression|what is computed] [here|] {name}
    @[too much|too many things] on this line, [use|introduce] {name}
    @[store|save|keep] [this|it] [in|as] {name}
    @[this|the line] is too [long|dense], [introduce|use|add] a variable {name}
    {expr} is a mouthful, {name}
    {expr} by another name: {name}
    {expr} reads badly, {name} would tell what it is
    i'd like to set a breakpoint on {expr}, so {name} = {expr} first
    too much in one line. {name} for {expr}
    [two|three] things at once, first {name} = {expr}
    first {name} = {expr}, then go on with {name}
    a plain line before it: {name} = {expr}
    one step at a time: {name} = {expr}
    {expr} computed inline is hard to follow, {name}
    {expr} hides what it means ({name})
    {expr} means {name}, [say so|make that visible]
    {expr} is really the {name}
    [i|we] need {expr} again [below|later], keep it around as {name}
    {expr} will be needed twice, {name}
    evaluate {expr} once, as {name}
    calling it twice is wasteful: {name} = {expr}
    we want to log {expr} [later|next], [so|] store it [in|as] {name}
    line above: {name} = {expr}
    on the line before, {name} = {expr}
    a line of its own for {expr}, {name}
    {expr} wants its own line, {name}
    before that line: {name} = {expr}
    {name} = {expr} above, {name} below
    black wraps this in an ugly way because of {expr}, pull out {name}
    line is 130 characters long, {expr} could be {name}
    E501 Line too long (134 > 120), {name} = {expr} before it
    WPS221 Found line with high Jones Complexity, {expr} -> {name}
    S3776 / too dense: {expr} as {name}
    deep nesting of calls, unnest {expr} as {name}
    unnest {expr}: {name}
    nested too deeply, {expr} first, as {name}
    explaining variable {name} for {expr}
    intermediate {name} for {expr}
    intermediate result {name} = {expr}
    temp {name} for {expr}
    tmp var {name} = {expr}
    local {name} = {expr}
    {expr}: {name}
    hoist {expr} ({name})
    {name} instead of {expr}
    spell {expr} as {name}
    can {expr} have a name? {name}
    could we name {expr} {name}
    {expr} => {name}
    reviewer can't parse {expr}, name it {name}
    mypy can't narrow {expr}, needs a local {name}
    mypy doesn't narrow this, {name} = {expr} first
    pdb can't show me {expr}, give me {name}
    traceback doesn't tell which part, so {name} = {expr} on a line of its own
    [what|whatever] {call} gives back, [keep|hold on to] it as {name}
    [need|i need] the result of {call} [later|again|twice], {name}
    don't throw the result of {call} straight in there, {name} first
    {call} inside another call is hard to debug, {name} = ... first
    result of {call}: {name}
    {name} <- {call}
    call {call} on the line before, {name}
    hold the result of {call} in {name}
    {call} inline is [ugly|hard to read], {name} first
    capture what comes out of {call} as {name}
    step over {call} in the debugger should be possible, {name}
    mock of {call} is hard to see, bring its result out as {name}
    first {call}, then the rest, {name} in between
    unnest {call}, {name}
    separate line for {call}: {name}
    {expr} should have a name of its own{unnamed}
    too much on this line, {expr} first{unnamed}
    {expr} to a local{unnamed}
    unnest {expr}{unnamed}
    name {expr} please{unnamed}
    i want to see {expr} in the debugger{unnamed}
    tmp variable for {expr}{unnamed}
    @too dense, {name}
    @{name} = ... first
    @{name} would explain it
    @unnest, {name}
    @i need this later as {name}
    @give me something to break on: {name}
    @too long, {name} on its own line
    @E501 -> {name}
    @intermediate {name}
    @explaining variable {name}
    @what is this? {name}
    @tmp {name}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Name one part, told by its source or its call, or the largest one of the selected line."""
        found = meant(snippet, Request())
        if rng.random() < 0.15:
            found = [part for part in parts(snippet) if part.always and is_plain(part.uses[0])]
        if not found:
            return None
        part = rng.choice(found)
        name = absent_name(snippet.lines, rng) if rng.random() < 0.8 else suggestion(part.uses[0])
        after = with_variable(snippet, part, name)
        if after is None or name in names_used(snippet):
            return None
        slots = {"name": name} | _told(found, part)
        if "expr" in slots and name == suggestion(part.uses[0]):
            slots["unnamed"] = ""
        if part.place.function:
            slots["function"] = part.place.function.name
        selected = (part.place.first, part.place.last)
        first = next(meant_part for meant_part in found if meant_part.place is part.place)
        if first.source == part.source and not is_plain(part.uses[0]) and rng.random() < 0.3:
            return Edit.between(snippet, after, slots, selected)
        return Edit.between(snippet, after, slots) if "expr" in slots or "call" in slots else None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is one of the edits when the name is told."""
        told = {"name": f"called {slots['name']}", "expr": slots.get("expr", "")}
        return super().accepts(before, after, told)


def _told(found: Sequence[Part], part: Part) -> dict[str, str]:
    slots = {}
    once = sum(part.source in other.source for other in found) <= 2
    if len(part.source) <= 60 and once:
        slots["expr"] = part.source
    name = called_name(part)
    if name and sum(f"{name}(" in other.source for other in found) == 1:
        slots["call"] = name
    return slots

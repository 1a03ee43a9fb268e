"""Change a number or a string, or a word in a string, to what the instruction tells."""

import re
from random import Random

from spark_tui.editing.code import MAX_WIDTH, splice
from spark_tui.editing.codemods.change_literal import Literal, literals
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.pools import noun, number, plain_text


class ChangeLiteral(Kind):
    """`timeout=10` becomes `timeout=30`.

    Slots: {old} and {new} are sources, {old} only when it tells which literal; {name} only when it does, then {was} is the
    old source; {call} names the call around an {old}. For strings {text} and {new_text} are the contents, {word} and
    {new_word} one word of it. {here} is the new source when its line holds no other literal.
    """

    name = "change_literal"
    weight = 1.5
    skeletons = """
    use {new} [instead of|rather than|not|in place of] {old}
    <replace> {old} [with|by] {new}
    <replace> the [hard-coded|hardcoded|magic|value|constant|literal] {old} [with|by] {new}
    [change|turn|switch|alter|modify|update|edit] {old} [to|into] {new}
    [change|switch] from {old} to {new}
    [change|update] the <literal> {old} to {new}
    swap [out|] {old} for {new}
    make [it|that|this] {new} [instead of|rather than|not] {old}
    make the {old} [a|into] {new}
    [bump|raise|lower|set|adjust] {old} to {new}
    put {new} where {old} [is|stands]
    {old} <should> be {new}
    {old} is <wrong>, [should be|make it|use|it must be] {new}
    {old} -> {new}
    {old} to {new}
    {old} [=>|becomes] {new}
    {new} instead of {old}
    {new}, not {old}
    it <should> [be|say] {new}, not {old}
    it says {old} but [should say|should be|i want|we need] {new}
    [that|the] {old} <should> be {new}
    [that|the] {old} [has to|must|needs to] become {new}
    i [wrote|put|typed] {old} but [meant|mean|need|want] {new}
    why {old}? [use|make it|should be] {new}
    shouldn't [that|the|] {old} be {new}
    <want> {new} [instead of|in place of|rather than|where it says] {old}
    wrong value[:|,] {old} <should> be {new}
    wrong <literal> {old}, [expected|use|should be] {new}
    <review>: {old} <should> be {new}
    magic value {old}, [make it|use|should be] {new}
    in the call to {call} [use|pass] {new} [instead of|rather than|not] {old}
    [pass|give] {new} to {call} [instead of|rather than|not] {old}
    call {call} with {new} [instead of|rather than|not] {old}
    {call} <should> [get|be called with|be given|receive] {new}, not {old}
    [change|replace] the {old} [in|passed to] [the call to |]{call} [to|with] {new}
    use {new} [as|for] [the|] {name}
    use {new} instead of {was} [as|for] [the|] {name}
    <set> [the|] {name} to {new}
    set {name}={new} [instead of {was}|]
    [change|update|adjust|alter] [the|] {name} [from {was}|] to {new}
    [change|update] the value of {name} to {new}
    [bump|raise|increase|lower|decrease|reduce] [the|] {name} to {new}
    [make|let] [the|] {name} [be|] {new} [instead of {was}|rather than {was}|]
    {name} <should> be {new} [instead of {was}|not {was}|rather than {was}|]
    the <literal> [of|for] {name} <should> be {new}
    [the|] {name} is <wrong>, [should be|make it|use|it must be] {new}
    {name}: {was} -> {new}
    {name}: {new} [instead of {was}|not {was}|]
    {name} -> {new}
    {name} = {new}
    {name} {was} -> {new}
    {new} [as|for] [the|] {name}[, not {was}|]
    {new} is [a better|the right|the correct] [value|] for {name}
    {was} is [too small|too big|wrong|not right|bad] for {name}, [use|make it|try] {new}
    why is {name} {was}? [make it|should be|use] {new}
    <want> [the|] {name} to be {new}
    <want> {new} [as|for] [the|] {name}
    [wrong|bad] {name}[:|,] [should be|use|expected] {new}
    <replace> the {name} with {new}
    [compare|test|check] {name} [against|with] {new} [instead of {was}|not {was}|]
    [change|update|edit] the [message|text|string] {text} to {new_text}
    <replace> the [message|text|string] {text} [with|by] {new_text}
    the [message|text|string] <should> [be|say|read] {new_text} [instead of|not|rather than] {text}
    the [message|text|string] {text} <should> [be|say|read] {new_text}
    say {new_text} instead of {text}
    it <should> say {new_text}, not {text}
    write {new_text} where it says {text}
    reword {text} as {new_text}
    reword {text} to {new_text}
    rephrase {text} [as|to] {new_text}
    [wording|text|message]: {new_text} instead of {text}
    [change|replace] the word {word} [to|with] {new_word} [in the message|in the string|in the text|]
    [in the message|in the string|in the text] [use|write|say] {new_word} instead of {word}
    say {new_word} rather than {word} [in the message|in the string|in the text|]
    typo [in the string|in the message|]: {word} <should> be {new_word}
    the [message|string|text] <should> say {new_word}[, not| instead of] {word}
    {word} <should> [read|say] {new_word} in the [message|string|text]
    @use {here} [here|instead|]
    @[change|switch|set] [this|it|the value] to {here}
    @[this|it|that|the value] <should> be {here}
    @make [this|it|that] {here}
    @<wrong> value, [should be|use|make it] {here}
    @{here} [here|please|instead|]
    @[that|this|it] has to [be|say] {here}
    @[should|must|ought to] [be|say] {here}[, not this|]
    @[put|write] {here} [here|there|]
    @i want {here} [here|there|instead]
    @{here} would be [right|correct|better] [here|]
    @{here} is what [we need|it should be|i want]
    @wrong, it's {here}
    {name} = {was}? {new}!
    {name}: {new} please
    {name}, {was} => {new}
    {name} ought to be {new} these days
    {name} {new} rather than {was}
    {name} of {was} [is too strict|is too lax|doesn't work|hurts|confuses people]. {new}
    {name} at {new}
    {name} up from {was} to {new}
    {name} down from {was} to {new}
    keep {name} at {new}
    we agreed on {new} for {name}
    [ops|product|legal|support|the customer|the vendor] [asked for|wants|needs] {new} [as|for] {name}
    [the docs|the spec|the rfc|the manual] [says|say] {new} for {name}
    {was} was just a placeholder for {name}, real value {new}
    expected {name} {new}, got {was}
    assert {name} == {new} fails, it is {was}
    AssertionError: {was} != {new} ({name})
    give {name} the value {new}
    with {name} {was} it [times out|fails|is too slow|misses some|runs forever], try {new}
    {name} doesn't need to be {was}, {new} [does it|is enough|will do]
    flip {name} to {new}
    {name} must not be {was} [in production|by then|here], {new}
    the {name} i want is {new}
    should {name} not be {new}?
    could {name} be {new}?
    [hm|hmm], {name} {was}... {new}?
    no, {name} is {new}
    change of plans: {name} is {new}
    {old} => {new}
    {old} ~> {new}
    {old} was [a guess|for testing|a leftover|temporary], {new}
    {old}? no, {new}
    {old} sounds [wrong|off|odd], {new}
    {old} [is stale|is outdated|is from last year|is history], it's {new} now
    {old} no longer [works|applies|holds|exists], {new} does
    where {old} is i need {new}
    can that {old} be {new}?
    could we do {new} where it's {old}
    from {old} down to {new}
    from {old} up to {new}
    nit: {new} where {old} is
    typo, {new} not {old}
    [copied|copy paste error]: {old}, right is {new}
    the {old} [there|in there|in this function] [ought to|must|should] be {new}
    the old value was {old}, [new one|new value|now]: {new}
    hard-coded {old}? [hard-code|let it be] {new} then
    PLR2004 Magic value used in comparison, {old} -> {new}
    {call}({new}), not {call}({old})
    {call}(..., {new}) was {old}
    hand {new} to {call}, {old} is wrong
    {call} gets {old} and wants {new}
    when calling {call}: {new}
    {call} [fails|complains|is unhappy] with {old}, it takes {new}
    text says {text}. Should say {new_text}
    bad grammar: {text}. Better: {new_text}
    {text} reads [badly|oddly|clumsy], say {new_text}
    users [don't get|don't understand|complain about] {text}. {new_text} [is clearer|is better|then]
    the wording {text} is [off|too technical|unfriendly]; how about {new_text}
    not {text} but {new_text}
    the output says {text}, it ought to be {new_text}
    marketing wants {new_text} where we print {text}
    {word} is [a typo|misspelt|spelled wrong], [it's|correct is|make it] {new_word}
    spelling: {word} -> {new_word}
    s/{word}/{new_word}/
    it's called {new_word} now, not {word}
    we don't say {word} to [users|customers|people], {new_word}
    [bad|wrong] word, {word}. {new_word}
    {word} => {new_word} [in the string|in the text|in there|]
    @{here}!
    @should have been {here}
    @{here}, that's all
    @bump to {here}
    @[up|down|lower|raise] to {here}
    @nope, {here}
    @let's say {here}
    @try {here}
    @the right [number|value|one] is {here}
    @i'd go for {here}
    @the spec says {here}
    @not good, {here} instead
    @{here} is enough
    @[was|is] a guess, {here} is measured
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Change one literal that its own source, its name, its call or a selected line tells apart."""
        found = [one for one in literals(snippet) if len(one.source) <= 60]
        if not found:
            return None
        literal = rng.choice(found)
        row = literal.start[0]
        if rng.random() < 0.15 and (edit := _word_edit(snippet, literal, rng)):
            return edit
        new = _new(literal.source, rng)
        slots = _slots(snippet, found, literal, new)
        alone = sum(one.start[0] == row for one in found) == 1
        by_line = alone and rng.random() < (0.25 if slots else 0.7)
        if new == literal.source or not (slots or by_line):
            return None
        after = splice(snippet.lines, literal.start, literal.end, new)
        if len(after[row]) > MAX_WIDTH:
            return None
        slots |= {"new": new} | ({"here": new} if alone else {}) | ({"old": literal.source} if by_line else {})
        return Edit.between(snippet, after, slots, (row, row) if by_line else None)


def _slots(snippet: Snippet, found: list[Literal], literal: Literal, new: str) -> dict[str, str]:
    old, content, new_content = literal.source, literal.content, new[1:-1]
    slots = {}
    if _standing(snippet, old) == 1:
        slots["old"] = old
        if literal.is_text and len(content) >= 3 and new[0] == old[0] and _standing(snippet, content) == 1:
            slots |= {"text": content, "new_text": new_content}
    if literal.name and sum(one.name == literal.name for one in found) == 1:
        slots |= {"name": literal.name, "was": old}
    if literal.call and sum((one.call, one.source) == (literal.call, old) for one in found) == 1 and "old" in slots:
        slots["call"] = literal.call
    return slots


def _standing(snippet: Snippet, text: str) -> int:
    pattern = re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w.])" if text[:1].isalnum() else re.escape(text))
    return sum(len(pattern.findall(line)) for line in snippet.lines)


def _word_edit(snippet: Snippet, literal: Literal, rng: Random) -> Edit | None:
    words = [word for word in re.findall(r"[A-Za-z]{3,}", literal.source) if _standing(snippet, word) == 1]
    if not literal.is_text or " " not in literal.source or not words:
        return None
    word, new = rng.choice(words), noun(rng)
    source = re.sub(rf"\b{word}\b", new, literal.source, count=1)
    after = splice(snippet.lines, literal.start, literal.end, source)
    return Edit.between(snippet, after, {"word": word, "new_word": new}) if source != literal.source else None


def _new(source: str, rng: Random) -> str:
    if source in ("True", "False") and rng.random() < 0.8:
        return str(source == "False")
    is_text = source[0] in "'\""
    if rng.random() < 0.04:
        return number(rng) if is_text else "None"
    if is_text:
        return f"{source[0]}{plain_text(rng)}{source[0]}"
    drawn = [number(rng) for _ in range(4)]
    return next((one for one in drawn if one.isdigit()), drawn[0]) if source.isdigit() else drawn[0]

"""Requests that get no edit: about things that are not there, too big, not understood, or no request at all."""

from random import Random

from spark_tui.editing.format import NO_EDIT
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.names import absent_name


class Nothing(Kind):
    """Nothing to do, or not understood."""

    name = NO_EDIT
    skeletons = """
        <rename> {absent} [to|into] {new}
        <change> the name of <the> [<variable>|<parameter>|<attribute>|<method>|class] {absent} to {new}
        {absent} <should> be [called|named] {new}
        <use> {new} instead of {absent}
        {absent} is a bad name[, |; ]call it {new}
        <remove> [<the> <parameter>|<the> <variable>|<the> <import>|<the> <method>|<the> <decorator>|] {absent}
        {absent} is [never used|unused|dead|obsolete][, <remove> it|]
        <wrap> the [call to|use of] {absent} in a try
        <add> a <docstring> to {absent}
        <add> [type hints|a return type|logging|error handling|a comment] to {absent}
        <make> {absent} [async|private|a property|keyword-only|static|a classmethod]
        <change> the [default|value|type] of {absent} to {number}
        <fix> the [bug|typo|error|off by one] in {absent}
        [sort|order] the <list> {absent}
        <replace> {absent} [with|by] {number}
        <inline> {absent}
        {absent} [raises|throws|fails with] [a TypeError|a KeyError|an error|an IndexError]
        <why> does {absent} [fail|crash|not work|return nothing] ?
        what is {absent} ?
        <move> {absent} to [another module|the top|a separate file|its own class]
        <convert> {absent} [to|into] [a dataclass|an f-string|a generator|a list comprehension|pathlib]
        NameError: name {absent} is not defined
        where is {absent} [defined|used|coming from|documented] ?
        [split|break up] {absent} into [smaller functions|two functions|several modules]
        [make|get] this [better|good|perfect|nicer|great|beautiful|professional|pretty|production ready|world class]
        [improve|enhance|upgrade|optimize|polish|beautify|modernize|clean up] [everything|this|the code|it all|the whole thing]
        <write> [tests|unit tests|a test suite|integration tests] for [the whole project|everything|all modules|this package]
        <write> [a web server|a game|a compiler|an operating system|a website|a chat bot|a parser for C|a todo app]
        [rewrite|port|translate|convert] [this|it|everything|the project] [to|into] [rust|go|java|javascript|c++|haskell|typescript|c|ruby|cobol]
        [make it|speed it up so that it is] [ten|a hundred|5|2|3] times faster
        [make|let] it [faster|scale|use less memory|run in parallel|thread safe|secure|bulletproof|robust|gpu accelerated]
        [refactor|redesign|restructure|rearchitect] [the whole thing|everything|this project|the architecture|all of it|the code base]
        use [microservices|a message queue|a database|machine learning|blockchain|kubernetes|redis|graphql] [here|for this|instead|]
        [deploy|ship|release|publish|build|compile|run|execute|install] [it|this|the project|the app|to production]
        [commit|push|merge|rebase|stash|revert] [this|it|everything|my changes|the branch]
        [open|create|close|review] [a|the|my] [pull request|ticket|issue|branch|merge request]
        [run|start|launch|rerun] [the tests|pytest|the linter|the server|mypy|the build|ci]
        [what|how|why] does [this|it|the code|this function] [do|work|mean|exist] ?
        [explain|describe|summarize|walk me through] [this|the code|what happens here|the algorithm|it to me]
        [is this|is the code|is it|are you sure this is] [correct|right|safe|fast|good|thread safe|pythonic|ok|tested] ?
        [who|when|why] [wrote|added|changed|approved|broke] this [code|function|line|mess|]?
        [what time is it|how are you|who are you|are you there|what is your name|what can you do|how old are you] ?
        [hello|hi|hey|good morning|hey there|test|testing|ping|yo|help|hm|ok|thanks|thank you|bye|never mind|nothing|stop|wait]
        [tell me a joke|sing a song|write a poem|what is the weather|what's for lunch|order a pizza|play some music]
        [the capital of france is|2 + 2|how far is the moon|what is the meaning of life|who won the game] ?
        [do|change|fix|edit|update] [something|anything|whatever|it somehow|the thing|stuff|that other thing]
        [do|change] it [like last time|the other way|as before|as usual|the right way|properly|the way i said]
        [undo|redo|revert|roll back] [that|the last change|everything|it]
        [fix|solve|close|handle|implement|do] [#|issue |ticket |bug |PROJ-|JIRA-]{number}
        [implement|finish|complete|add|write] [the feature|the missing parts|the rest|what is missing|all the todos|the api]
        [fix|find|solve|repair|remove] [all|every|any|the] [bugs|bug|errors|problems|issues|security holes]
        it [doesn't|does not|won't] [work|run|compile|start|stop|do anything]
        [something|it|this|everything] is [broken|wrong|off|slow|weird|strange|not right]
        [bitte|könntest du|kannst du] [das|diese Funktion|den Code|die Variable] [umbenennen|verbessern|löschen|erklären|aufräumen]
        [s'il te plaît|peux-tu|pourrais-tu] [renomme|améliore|supprime|explique|corrige] [ce code|la fonction|la variable|ça]
        [por favor|puedes] [cambia|mejora|elimina|explica|arregla] [este código|la función|la variable|esto]
        [per favore|puoi] [cambia|migliora|elimina|spiega] [questo codice|la funzione|la variabile]
        [<add>|<remove>|<change>] [{word} {word2}|{word2} {word} {word3}|the {word} of the {word2}]
        {word} {word2} {word3}
        the {word} <should> {word2} the {word3}
        [{word}|{word2}|{word}?|...|?|!!|asdf|qwerty|foo bar baz|lorem ipsum dolor sit amet|xyzzy|blah blah|bla]
        [aaaa|jkl|sdfg hjk|uiop|zxcv bnm|qpwoeiruty|fjdksla|x|1 2 3|-|ü|:)|:-(|lol]
        {absent}
        {absent} {new}
        [add|draw|make|put] [a picture|an image|a diagram|a logo|some emojis|an animation|a dark mode|a gui|a menu]
        [download|fetch|buy|send|email|print out] [the data|it|a report|this to my boss|the invoice|more memory]
        [choose|pick|find|suggest] [a better|another|some other] [library|framework|language|approach|design|editor]
        [delete|remove|drop|wipe] [the repository|everything|all files|my account|the database|the whole project|the git history]
        [translate|localize] [the comments|everything|the program] [to|into] [french|german|chinese|spanish|klingon]
        [move|copy|split] [this|it|everything] [to|into|over to] [another file|a new module|several packages|a library|the backend]
        [follow|apply|respect] [pep8|solid|clean code|best practices|the style guide|dry|the architecture] [everywhere|]
        [remove|rename|update|extend] [the css|the html template|the makefile|the dockerfile|the readme|the sql schema|package.json]
        [use|switch to|migrate to] [tabs|python 2|python 4|django|flask|react|numpy|the new api|version 2] [everywhere|]
        [the line|line] {number} [is wrong|must go|should be removed|has a bug]
        don't [change|touch|edit|do] [anything|a thing|this]
        [leave|keep] [it|this|everything] [as it is|alone|unchanged]
        [looks good|nice|perfect|great|lgtm|ship it|i like it|well done|good job|that is fine]
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """No edit; the words may name what is not there."""
        slots = {
            "absent": absent_name(snippet.lines, rng),
            "new": absent_name(snippet.lines, rng),
            "number": str(rng.randint(len(snippet.lines) + 400, 9999)),
        }
        slots.update({name: pools.noun(rng) for name in ("word", "word2", "word3")})
        return Edit((), slots)

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
        F401 `{absent}` imported but unused
        F841 Local variable `{absent}` is assigned to but never used
        A002 Function argument `{absent}` is shadowing a Python builtin
        E741 Ambiguous variable name '{absent}'
        W0613: Unused argument '{absent}'
        C0116: Missing function or method docstring in {absent}
        error: Incompatible return value type in "{absent}"
        TypeError: {absent}() missing 1 required positional argument
        RuntimeWarning: coroutine '{absent}' was never awaited
        KeyError: '{absent}'
        nobody reads {absent}
        {absent} tells me nothing, call it {new}
        s/{absent}/{new}/
        {absent} -> {new}
        {absent} => {new}
        {new} instead of {absent}
        {absent} hides a builtin
        {absent} is a leftover from debugging
        {absent} has no docstring
        {absent} should return [None|a list|early|the result|a tuple]
        {absent} should not take [so many arguments|a flag|a positional argument]
        the default of {absent} is wrong, {number}
        the loop over {absent} is off by one
        guard {absent} against None
        {absent} could be [a set|a constant|a property|static|async|cached]
        await {absent}
        f-string in {absent}
        the except in {absent} is too broad
        the method {absent} could be static
        {absent}: extract the [middle|loop|condition|query] into a function
        what does {absent} stand for ?
        does {absent} still get called from anywhere ?
        how many callers does {absent} have ?
        give me the history of {absent}
        port [the development server|the backend|the client|the worker|the whole thing] to [asyncio|trio|rust|fastapi]
        get rid of [django|flask|numpy|pandas|the orm|our own http client] [altogether|everywhere|in the project]
        rewrite [the whole file|the entire module|the package|all of it] from scratch
        i want [a plugin system|a rest api|a web ui|multi tenancy|user accounts|offline mode|undo and redo]
        users should be able to log in with [google|github|a passkey|their phone]
        we need [end to end tests|benchmarks|a release process|docs|a changelog|a roadmap]
        make the whole thing work on [windows|arm|android|python 2.7|a raspberry pi|the browser]
        get the coverage to [80|90|95|100] percent
        cut the memory use [in half|by a factor of ten|to a minimum]
        turn the project into [microservices|a library|a cli|a package on pypi|a monorepo]
        set up [ci|docker|pre-commit|poetry|github actions|a virtualenv|kubernetes] [for this|for me|]
        write the [paper|blog post|release notes|readme|user manual|api docs|announcement]
        design [a schema|an api|a protocol|a cache layer|an architecture] for [{word}|{word2}]
        split the [monolith|repo|module|package] into [services|packages|parts|libraries]
        migrate the database from [mysql|oracle|sqlite] to [postgres|mongo|dynamodb]
        replace our whole [logging|config|auth|build|test] system [by|with] something [better|newer|standard]
        support [every|all] [database|databases|locale|locales|platforms|browsers] [out there|]
        why is the [build|deploy|page|server|app] so slow [today|]
        the server is down
        prod is [down|on fire|slow|broken]
        the customer is unhappy
        tests are red
        ci failed again
        my laptop [crashed|is slow|is out of battery]
        it worked yesterday
        works on my machine
        it [crashes|hangs|freezes] [sometimes|from time to time|now and then|on fridays]
        there must be a memory leak somewhere
        there is a bug somewhere
        there's a race condition, i think
        the numbers don't add up
        i don't like it
        i'm not happy with this
        meh
        ugly
        could be better
        needs some love
        needs work
        not sure about this
        hmm, [i don't know|dunno|no idea|not convinced]
        can you have a look ?
        what do you think ?
        any ideas ?
        any suggestions ?
        how would you do it ?
        is there a better way ?
        is this the best we can do ?
        where should i start ?
        what should i do next ?
        what's the difference between [a list and a tuple|a class and an object|is and ==|threads and processes] ?
        how do i [install this|run the tests|start the server|debug this|set a breakpoint|exit vim] ?
        how does [garbage collection|the gil|asyncio|git rebase|tcp|a hash table] work ?
        what is the [complexity|running time|big o|memory footprint] of this ?
        which python version [do we|does it|should i] [use|need|support] ?
        who is [responsible|to blame|the owner|on call] ?
        when is the [release|deadline|next meeting|standup|demo] ?
        when will [it|this] be [done|ready|finished|released] ?
        why did [we|you|they] [choose|pick|go for] [this|python|that design] ?
        can i [go home|have a break|get a coffee|delete this later] [now|] ?
        do you [like|speak|know|understand] [python|french|music|it] ?
        are you [a robot|human|an ai|chatgpt|sure|kidding|still working] ?
        how much [does it cost|memory does it need|time is left] ?
        what's [new|up|wrong|next|that|going on] ?
        what's the [weather|time|date|score|plan|wifi password] [today|tomorrow|now|] ?
        remind me [tomorrow|later|on monday] [to call|about the meeting|of the release]
        book a [table|flight|meeting room|hotel]
        send [anna|bob|the team|everyone] an email
        play [chess|tetris|the radio] [with me|]
        give me a recipe for [pancakes|soup|bread]
        i'm [tired|hungry|bored|stuck|lost|back|done for today]
        have a nice [day|weekend|evening]
        happy [birthday|new year|easter]
        good [night|evening|afternoon]
        see you [tomorrow|later|on monday]
        congratulations
        sorry, [wrong window|my mistake|forget it|i meant someone else]
        forget [it|that|what i said]
        ignore [this|that|me|my last message]
        no, [don't|wait|stop|leave it]
        [cancel|abort|stop] [that|please|it|]
        it's [fine|ok|done|fixed|solved] [now|already|]
        already [done|fixed|renamed|removed|there|merged]
        [somebody|someone|i] [already|just] [fixed|did|merged|committed] [that|this|it]
        nothing to [do|change|see|fix] here
        no changes [needed|please|]
        that's [all|it|enough|what i wanted] [for now|for today|]
        just looking
        just a test
        kannst du bitte die Schleife [schneller|lesbarer|kürzer] machen
        bitte [nichts ändern|alles neu schreiben|den Fehler finden|übersetzen]
        warum [geht|läuft|funktioniert] das nicht ?
        was macht [diese Funktion|dieser Code|die Klasse] ?
        das ist [falsch|kaputt|zu langsam|unschön|nicht gut]
        schöner machen
        pourquoi ça [ne marche pas|plante|est si lent] ?
        qu'est-ce que [ça fait|c'est] ?
        rends [ça|le code] plus [rapide|lisible|propre]
        c'est [cassé|trop lent|moche|faux]
        por qué no [funciona|compila|arranca] ?
        qué hace [esto|esta clase|el código] ?
        haz [esto|el código] más [rápido|limpio|legible]
        perché non [funziona|va|parte] ?
        cosa fa [questo|la classe|il codice] ?
        rendi il codice più [veloce|leggibile|pulito]
        por que isso não [funciona|roda] ?
        deixa o código mais [rápido|limpo|bonito]
        waarom werkt [dit|het] niet ?
        maak [dit|de code] [sneller|mooier|beter]
        varför fungerar det inte ?
        dlaczego to nie działa ?
        popraw ten kod
        neden çalışmıyor ?
        почему [это не работает|так медленно] ?
        [исправь|улучши|объясни] [код|это|функцию]
        [这段代码是做什么的|帮我优化一下|为什么报错]
        [このコードを説明して|なぜ動かない|もっと速くして]
        [이 코드 설명해줘|왜 안 되지]
        qwe [rty|asd|{word}]
        asdf jklö [test|{word}|]
        hjkl hjkl
        [kjsdhf|wlekrj|zzzz|mnbv|poiu lkjh|dfg dfg|xcvxcv|rtzu] [sdf|qwert|{word}|]
        [ls -la|cd ..|git status|sudo reboot|rm -rf /|pip install {word}|make clean|exit|quit|:wq|:q!]
        [select * from {word}|https://example.com/{word}|127.0.0.1|0xdeadbeef|lorem ipsum]
        [{word}|{word2}] [{word3}|{word2}|{word}], {word} {word3} ?
        my {word} has no {word2}
        {word} and {word2} but never {word3}
        the {word} team wants a new {word2}
        i think {word} is a kind of {word2}
        the css of the {word} page is off
        the button on the {word} page is too small
        the {word} table needs an index on {word2}
        line {number}: typo
        see line {number}
        in line {number} the {word} is missing
        look at [issue|pr|ticket|commit] {number}
        same as in #{number}
        like in the other file
        the same for the {word} module
        as we discussed
        you know what to do
        the usual
        make my [boss|team|reviewer|customer] happy
        do your [best|thing|magic|job]
        surprise me
        go
        go on
        more
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

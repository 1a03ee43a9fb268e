"""How people ask: turns a kind's skeletons and an edit's slots into one instruction.

A skeleton line holds `{slot}`, `[a|b|]` (one alternative, may be empty, may nest) and `<macro>` (one of the
shared synonyms of macros.py). An alternative whose slot is unknown is never picked; a line that cannot do
without an unknown slot is not used. A line that starts with `@` speaks of a selection ("@fix this line") and is
only used when the example has one; other lines may be used with one too. Edit.selected is always shown when set.

What the engine does by itself, so that skeletons need not: courtesy and questions around an imperative line
("please", "can you ...?", "i want you to"), letter case, final period, quoting of code slots (`x`, 'x', x),
quotes around prose slots (PROSE_SLOTS), filler before and after, typos outside slots, and where ("in foo")
when the snippet has several functions and the slots hold `function`. Slots in PLAIN_SLOTS are never quoted;
quotes written around a slot in the skeleton are kept and not doubled.

The macros:
Verbs (imperative): <add> <give> <remove> <drop> <get_rid> <change> <replace> <swap> <rename> <rewrite> <convert>
<make> <use> <switch> <move> <wrap> <put> <extract> <inline> <split> <merge> <simplify> <fix> <handle> <check> <set>
<return> <raise> <catch> <log> <print> <sort> <call> <declare> <document> <annotate> <mark> <write> <turn> <avoid>
<ensure>. -ing: <adding> <removing> <changing> <replacing> <using> <making> <renaming> <converting> <wrapping>
<fixing>. Participles: <added> <removed> <changed> <replaced> <renamed> <fixed>.
Nouns: <function> <method> <class> <variable> <parameter> <parameters> <attribute> <decorator> <docstring> <comment>
<hint> <hints> <import> <imports> <loop> <condition> <branch> <statement> <expression> <exception> <string> <literal>
<number> <value> <line> <code> <name> <default> <list> <dict> <block> <body> <call_noun> <message> <constant> <test>.
Little words: <a_missing> <missing> <unused> <unneeded> <wrong> <should> <need> <want> <canyou> <why> <instead>
<here> <this> <the> <into> <with> <called> <named> <always> <just> <all> <each> <so_that> <because> <lint> <nit>
<review>. An unknown macro is an error.
"""

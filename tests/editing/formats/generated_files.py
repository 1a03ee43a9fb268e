"""Files in many languages, with lines of them that a user points at, and the edit that is right.

`edited_file` makes them of templates, so that they parse before and after the edit. They hold what
answers trip over: lines that come several times, signs of HTML, numbered lists, remarks, fences.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

_FREE = "§-"
"""Marks a line of a template that may be removed, or be there once more with another number."""
_SLOT = re.compile(r"§(\w)")
_NUMBER = re.compile(r"(?<![\w.&#])\d+(?![\w.)])")
_VERBS = "load store merge split fetch build parse clear scan align trim pack rank".split()
_NOUNS = "rows total limit price record token buffer width offset queue batch label state".split()
_PROSE = "first second older newer every small large whole empty given known former".split()
_SIGNS = ("<b>{}</b>", "{} -> {}", "{} & {}", "{} < 3", "{}: {}", "{}, {}", "{}", "{} {}", "a>{}")
_UNUSUAL = ("naïve {}", "{} — {}", "größer {}", "“{}” {}")

_HASH, _SLASHES, _DASHES = "# {}", "// {}", "-- {}"


@dataclass(frozen=True, slots=True)
class Language:
    """A language of generated files.

    Attributes:
        name: Its name.
        path: The path of a file.
        remark: A line of remark.
        head: What files begin with.
        blocks: Templates of what stands below each other; a line between is empty.
        tail: What files end with.
        between: What stands between two blocks.
    """

    name: str
    path: str
    remark: str
    head: str
    blocks: tuple[str, ...]
    tail: str = ""
    between: str = "\n"


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file, the lines that the user points at, and what should stand in their place.

    Attributes:
        language: The language.
        path: The path.
        lines: The lines without endings.
        chosen: The rows that the user points at.
        new: The lines in place of these rows.
        ending: The end of each line.
        ended: Whether the last line has an ending.
    """

    language: Language
    path: str
    lines: tuple[str, ...]
    chosen: range
    new: tuple[str, ...]
    ending: str = "\n"
    ended: bool = True

    @property
    def before(self) -> bytes:
        """The bytes of the file."""
        return self._encoded(self.lines)

    @property
    def after(self) -> bytes:
        """The bytes of the file with the edit."""
        chosen = self.chosen
        return self._encoded((*self.lines[: chosen.start], *self.new, *self.lines[chosen.stop :]))

    def _encoded(self, lines: Sequence[str]) -> bytes:
        last = self.ending if self.ended and lines else ""
        return (self.ending.join(lines) + last).encode()


_PYTHON = Language(
    "Python",
    "src/tool.py",
    _HASH,
    '"""§r."""\n\nimport os\nimport sys\n',
    (
        """
def §f(§a, §b):
    # §r
    §c = §a + §n
    if §c > §m and §b < §n:
        §c = §b
    print("§q", os.sep)§-
    print('§s', sys.path)§-
    return §c
""",
        """
def §f(§a):
    \"\"\"§r.

    >>> §r
    \"\"\"
    for §b in range(§n):
        §a = §a * §m
        print("§s")§-
    return §a
""",
        """
class §g:
    \"\"\"§r.\"\"\"

    def §f(self, §a):
        # §r
        self.§c = §a
        print("§s", self.§c)§-
        return §n

    def §h(self, §b):
        §c = §b * §n
        print('§s')§-
        return §c
""",
        """
§K = §n
§L = "§s"
""",
    ),
    between="\n\n",
)
_JAVASCRIPT = Language(
    "JavaScript",
    "web/tool.js",
    _SLASHES,
    "import fs from 'fs'\n",
    (
        """
export function §f(§a, §b) {
  // §r
  let §c = §a + §n
  if (§c > §m && §b < §n) {
    §c = §b
  }
  fs.log('§s')§-
  console.log("§q")§-
  return §c
}
""",
        """
const §f = (§a) => {
  const §b = '<i>' + §a + '</i>'
  console.log(`§s`)§-
  return §b
}
""",
        """
class §g {
  §f(§a) {
    this.§c = §a
    console.log('§s')§-
    return §n
  }

  §h(§b) {
    // §r
    const §c = §b * §n
    return §c
  }
}
""",
        """
const §K = §n
const §L = '§s'
""",
    ),
)
_TYPESCRIPT = Language(
    "TypeScript",
    "web/model.ts",
    _SLASHES,
    "import { log } from './log'\n",
    (
        """
export function §f(§a: number, §b: Map<string, number>): number {
  // §r
  let §c = §a + §n
  if (§c > §m) {
    §c = §b.size
  }
  log(`§s`)§-
  return §c
}
""",
        """
export interface §g {
  §a: number
  §b: Array<string>
  §c?: string
}
""",
        """
export class §g<T> {
  §f(§a: T): number {
    log('§s')§-
    return §n
  }

  §h(§b: number): number {
    // §r
    return §b * §n
  }
}
""",
        """
export const §K = §n
export const §L = '§s'
""",
    ),
)
_GO = Language(
    "Go",
    "pkg/tool.go",
    _SLASHES,
    'package pkg\n\nimport "fmt"\n',
    (
        """
// §f is §r.
func §f(§a int, §b int) int {
	§c := §a + §n
	if §c > §m && §b < §n {
		§c = §b
	}
	fmt.Println("§s")§-
	return §c
}
""",
        """
type §g struct {
	§a int
	§b string
}

// §r
func (x *§g) §f(§c int) int {
	fmt.Println(`§s`, §c)§-
	return §n
}
""",
        """
const §K = §n
const §L = "§s"
""",
    ),
)
_RUST = Language(
    "Rust",
    "src/tool.rs",
    _SLASHES,
    "use std::fmt;\n",
    (
        """
/// §r
pub fn §f(§a: i32, §b: &str) -> i32 {
    let §c = §a + §n;
    if §c > §m && §a < §n {
        return §m;
    }
    println!("§s");§-
    §c
}
""",
        """
pub struct §g {
    §a: Vec<i32>,
    §b: i32,
}

impl §G {
    fn §f(&self, §c: i32) -> i32 {
        println!("§s");§-
        §c + §n
    }

    fn §h(&mut self) -> &i32 {
        // §r
        self.§b = §n;
        &self.§b
    }
}
""",
        """
const §K: i32 = §n;
const §L: &str = "§s";
""",
    ),
)
_JAVA = Language(
    "Java",
    "app/Tool.java",
    _SLASHES,
    "package app;\n\nimport java.util.List;\n\nclass Tool {\n",
    (
        """
    int §f(List<String> §a, int §b) {
        // §r
        int §c = §b + §n;
        if (§c > §m && §b < §n) {
            §c = §b;
        }
        System.out.println("§s");§-
        return §c;
    }
""",
        """
    static final int §K = §n;
    static final String §L = "§s";
""",
    ),
    "}\n",
)
_C = Language(
    "C",
    "src/tool.c",
    "/* {} */",
    "#include <stdio.h>\n",
    (
        """
/* §r */
int §f(int §a, const char *§b)
{
	int §c = §a + §n;
	if (§c > §m && §a < §n) {
		§c = §a;
	}
	printf("§s");§-
	return §c;
}
""",
        """
#define §K §n
static const char *§l = "§s";
""",
        """
struct §g {
	int §a;
	struct §g *§b;
};
""",
    ),
)
_LUA = Language(
    "Lua",
    "lib/tool.lua",
    _DASHES,
    "local os = require('os')\n",
    (
        """
-- §r
local function §f(§a, §b)
  -- §r
  local §c = §a + §n
  if §c > §m and §b < §n then
    §c = §b
  end
  print("§s")§-
  return §c
end
""",
        """
-- §r§-
local §k = §n
local §l = "§s"
""",
    ),
)
_SHELL = Language(
    "shell",
    "bin/run.sh",
    _HASH,
    "#!/bin/sh\n# §r\nset -e\n",
    (
        """
§f() {
  # §r
  echo "§s" > /tmp/§a§-
  if [ -n "$§b" ]; then
    cat "$1" | head -n §n
  fi
  rm -f §a §b§-
}
""",
        """
# §r§-
rm -f §a§-
cp §a §b && echo §n§-
""",
        """
for i in §a §b; do
  echo "§s"§-
  mkdir -p "$i/§c"
done
""",
        """
§K=§n
§L="§s"
""",
    ),
)
_YAML = Language(
    "YAML",
    "conf/app.yaml",
    _HASH,
    "# §r\nversion: §n\n",
    (
        """
§k:
  §a: §n
  §b: "§s"
  # §r§-
  §c:
    - name: §a
      size: §n
    - name: §b
      size: §m
""",
        """
§k: §n
§l: '§s'
""",
        """
§k:
  1: §a
  2: §b
  3: §c
""",
        """
§k: |
  §r
  §s
""",
    ),
    between="",
)
_TOML = Language(
    "TOML",
    "conf/app.toml",
    _HASH,
    'name = "§s"\nsize = §n\n',
    (
        """
[§k]
§a = §n
§b = "§s"
# §r§-
§c = [§n, §m]
""",
        """
[§k.part]
§a = '§s'
§b = §n
""",
    ),
)
_INI = Language(
    "ini",
    "conf/app.ini",
    "; {}",
    "; §r\n",
    (
        """
[§k]
§a = §n
; §r§-
§b = §s
""",
    ),
)
_JSON = Language(
    "JSON",
    "conf/app.json",
    _HASH,
    '{\n  "version": §n,\n',
    (
        """
  "§k": {
    "§a": §n,
    "§b": "§s"
  },
""",
        """
  "§k": [
    §n,
    §m
  ],
  "§l": "§s",
""",
    ),
    '  "last": true\n}\n',
    between="",
)
_HTML = Language(
    "HTML",
    "web/index.html",
    "<!-- {} -->",
    "<!doctype html>\n<html>\n<body>\n",
    (
        """
<section id="§k">
  <h2>§p &amp; §p</h2>
  <!-- §p -->
  <p>§p §n</p>§-
  <p>1 &lt; §n</p>
</section>
""",
        """
<ul id="§k">
  <li>§p §n</li>§-
  <li>§p §m</li>§-
</ul>
""",
    ),
    "</body>\n</html>\n",
)
_CSS = Language(
    "CSS",
    "web/site.css",
    "/* {} */",
    "/* §p */\n",
    (
        """
.§k > .§a {
  width: §n;§-
  height: §m;
}
""",
        """
/* §p */
.§k::after {
  content: "§p";
  order: §n;§-
}
""",
    ),
)
_SQL = Language(
    "SQL",
    "db/tool.sql",
    _DASHES,
    "-- §r\n",
    (
        """
-- §r
-- §r§-
CREATE TABLE §k (
  §a integer,
  §b text -- §p
);
""",
        """
-- §r
SELECT §a, '§s'
FROM §b
WHERE §c < §n;
""",
    ),
)
_MARKDOWN = Language(
    "Markdown",
    "docs/guide.md",
    "<!-- {} -->",
    "# §p\n\n§r.\n",
    (
        """
## §p §k

§r, and `§a`.§-

1. §r
2. §r
3. §p §n
""",
        """
## §p §k

```sh
echo "§s"
head -n §n
```

- §r§-
- §p §n
""",
        """
| §a | §b |
|----|----|
| §p | §n |
| §p | §m |
""",
    ),
)
LANGUAGES = (
    *(_PYTHON, _JAVASCRIPT, _TYPESCRIPT, _GO, _RUST, _JAVA, _C, _LUA, _SHELL, _YAML, _TOML),
    *(_INI, _JSON, _HTML, _CSS, _SQL, _MARKDOWN),
)
UNCHECKED = frozenset({"ini", "SQL", "Markdown"})
"""The languages that no check reads, so that no edit of them is sure."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a generated file; `free`: whether it may go, or come again otherwise."""

    text: str
    free: bool = False


class _Words:
    """Fills the slots of templates; what defines something has a name of its own. Mutable."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._numbers = count(1)
        self._unusual = random.random() < 0.1
        self._class = ""

    def filled(self, template: str) -> list[_Line]:
        """The lines of a template."""
        names = self._random.sample(_NOUNS, 3)
        fillers: dict[str, Callable[[], str]] = {
            **dict(zip("abc", map(_constant, names), strict=True)),
            **dict.fromkeys("fh", lambda: self._own(_VERBS)),
            **dict.fromkeys("kl", lambda: self._own(_NOUNS)),
            **dict.fromkeys("KL", lambda: self._own(_NOUNS).upper()),
            **dict.fromkeys("nm", lambda: str(self._random.randint(2, 99))),
            "g": self._begin_class,
            "G": lambda: self._class,
            "p": lambda: self._random.choice(_PROSE).capitalize(),
            "q": lambda: f"it's {self._said()}",
            "r": lambda: f"{self._random.choice(_PROSE)} {self._said()}",
            "s": self._said,
        }
        text = template.strip("\n").replace(f" {_FREE}", _FREE)
        fixed = dict[str, str]()

        def fill(slot: re.Match[str]) -> str:
            letter = slot[1]
            # the same name in all of a template, other numbers and words each time
            if letter in "nmpqrsG":
                return fillers[letter]()
            return fixed.setdefault(letter, fillers[letter]())

        lines = list[_Line]()
        for line in text.split("\n"):
            bare = line.removesuffix(_FREE)
            lines.append(_Line(_SLOT.sub(fill, bare), bare != line))
        return lines

    def _own(self, words: Sequence[str]) -> str:
        """A name that nothing else of the file has."""
        return f"{self._random.choice(words)}_{_letters(next(self._numbers))}"

    def _begin_class(self) -> str:
        self._class = self._own(_NOUNS).title().replace("_", "")
        return self._class

    def _said(self) -> str:
        signs = (*_SIGNS, *_UNUSUAL) if self._unusual else _SIGNS
        words = self._random.choices(_PROSE, k=2)
        return self._random.choice(signs).format(*words)


def _constant(value: str) -> Callable[[], str]:
    return lambda: value


def _letters(number: int) -> str:
    """A number in letters, so that it is no number of the file."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def edited_file(random: Random, language: Language) -> EditedFile:
    """A file of some blocks, with one to three changes in lines that the user points at."""
    while True:
        words = _Words(random)
        lines, places = _written(random, words, language)
        chosen = _chosen(random, places, len(lines))
        within = lines[chosen.start : chosen.stop]
        more = list[_Line]()
        if chosen in places:
            more = [*_between(language), *words.filled(random.choice(language.blocks))]
        new = _edited(random, within, more)
        if new != within:  # a lone bracket, say, has nothing to change
            return EditedFile(
                language,
                language.path,
                tuple(line.text for line in lines),
                chosen,
                tuple(line.text for line in new),
                "\r\n" if random.random() < 0.1 else "\n",
                random.random() < 0.85,
            )


def _written(random: Random, words: _Words, language: Language) -> tuple[list[_Line], list[range]]:
    """The lines of a file, and the rows of its blocks."""
    lines = words.filled(language.head)
    places = list[range]()
    for _ in range(random.randint(2, 5)):
        block = words.filled(random.choice(language.blocks))
        lines += _between(language)
        places.append(range(len(lines), len(lines) + len(block)))
        lines += block
    if language.tail:
        lines += words.filled(language.tail)
    return lines, places


def _between(language: Language) -> list[_Line]:
    return [_Line("")] * language.between.count("\n")


def _chosen(random: Random, places: Sequence[range], length: int) -> range:
    """The rows that the user points at: blocks, a part of one, all, or any lines."""
    kind = random.choice(("block", "block", "part", "blocks", "all", "lines"))
    place = random.choice(places)
    if kind == "all":
        return range(length)
    if kind == "blocks":
        first, last = sorted(random.choices(range(len(places)), k=2))
        return range(places[first].start, places[last].stop)
    if kind == "part" and len(place) > 2:
        return range(place.start + random.randint(1, len(place) - 2), place.stop)
    if kind == "lines":
        start = random.randint(max(place.start - 2, 0), place.stop - 1)
        return range(start, random.randint(start + 1, place.stop))
    return place


def _edited(random: Random, lines: Sequence[_Line], more: Sequence[_Line]) -> list[_Line]:
    """Some lines with changes, where they have anything to change.

    Args:
        random: The source of chance.
        lines: The lines.
        more: What may stand below them, too; nothing where nothing may.
    """
    new = list(lines)
    for _ in range(random.choice((1, 1, 2, 3))):
        row = random.randrange(len(new))
        line = new[row]
        kind = random.choice(("number", "number", "word", "add", "remove", "more"))
        if kind == "number":
            new[row] = _renumbered(random, line)
        elif kind == "word":
            new[row] = _reworded(random, line)
        elif kind == "add" and line.free:
            new.insert(row + random.randint(0, 1), _reworded(random, _renumbered(random, line)))
        elif kind == "remove" and line.free and len(new) > 1:
            del new[row]
        elif kind == "more" and len(new) == len(lines):
            new += more
    return new


def _renumbered(random: Random, line: _Line) -> _Line:
    """A line with another number in place of its first one."""
    return _Line(_NUMBER.sub(lambda _: str(random.randint(100, 999)), line.text, 1), line.free)


def _reworded(random: Random, line: _Line) -> _Line:
    """A line with another word of prose in place of its first one."""
    known = "|".join(_PROSE)
    word = f"{random.choice(_PROSE)}est"
    return _Line(re.sub(rf"\b(?:{known})\b", word, line.text, count=1), line.free)

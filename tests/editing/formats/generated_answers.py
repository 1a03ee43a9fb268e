"""Answers as models write them: the right edit, and what they do to it.

A `Habit` changes the lines of an answer, a `Frame` what stands around them. An answer of the plain
frame without a habit is right to the letter; all others are right for a person who reads them,
unless the habit says that what is meant cannot be known.
"""

import html
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from pathlib import PurePosixPath
from random import Random
from typing import TypeVar

from spark_tui.context.regions import Region, Source
from spark_tui.editing.formats.fences import fence_for
from tests.editing.formats.generated_files import LANGUAGES, EditedFile, edited_file

REWRITE, BLOCKS = "rewrite", "search_replace"
Lines = list[str]


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is shown of a file, and what it should answer.

    Attributes:
        file: The file.
        region: The lines that it is shown.
        above, old, below: The lines of the file above, in and below the region.
        new: The lines that should stand in the region.
        random: The source of chance.
    """

    file: EditedFile
    region: Region
    above: tuple[str, ...]
    old: tuple[str, ...]
    below: tuple[str, ...]
    new: tuple[str, ...]
    random: Random

    @property
    def suffix(self) -> str:
        """The suffix of the file, which names its language behind a fence."""
        return PurePosixPath(self.file.path).suffix.removeprefix(".")

    @property
    def name(self) -> str:
        """The path of the file, or its name alone."""
        return self.random.choice((self.file.path, PurePosixPath(self.file.path).name))


def task_of(random: Random, file: EditedFile) -> Task:
    """The task that spark makes of lines that a user points at."""
    chosen = file.chosen
    region = Source(file.path, file.before).at_lines(chosen.start + 1, chosen.stop)
    rows = range(region.start_line - 1, region.end_line)
    lines = file.lines
    head = lines[rows.start : chosen.start]
    tail = lines[chosen.stop : rows.stop]
    return Task(
        file,
        region,
        lines[: rows.start],
        lines[rows.start : rows.stop],
        lines[rows.stop :],
        (*head, *file.new, *tail),
        random,
    )


# What models do to the lines that they answer with. Each returns None where the task has no room
# for that.


def repeat_below(task: Task, code: Lines) -> Lines | None:
    """The lines below the region, too."""
    count = _some_solid(task.random, task.below)
    return [*code, *task.below[:count]] if count else None


def repeat_above(task: Task, code: Lines) -> Lines | None:
    """The lines above the region, too."""
    count = _some_solid(task.random, task.above[::-1])
    return [*task.above[len(task.above) - count :], *code] if count else None


def repeat_around(task: Task, code: Lines) -> Lines | None:
    """Lines on both sides of the region, too."""
    above = repeat_above(task, code)
    return above and repeat_below(task, above)


def repeat_all(task: Task, code: Lines) -> Lines | None:
    """The whole file."""
    if not (task.above or task.below):
        return None
    return [*task.above, *code, *task.below]


def enclose(task: Task, code: Lines) -> Lines | None:
    """The first line of the definition around the region, and its last one."""
    inner = _indent(task.old)
    row = next(
        (row for row in range(len(task.above) - 1, -1, -1) if _encloses(task.above[row], inner)),
        None,
    )
    if not inner or row is None:
        return None
    opener = task.above[row]
    closer = next((line for line in task.below if line.strip() and _encloses(line, inner)), "")
    if _indent([opener]) != _indent([closer]) or any(map(str.isalnum, closer.replace("end", ""))):
        closer = ""
    return [opener, *code, *filter(None, [closer])]


def answer_selected(task: Task, code: Lines) -> Lines | None:
    """Only the lines that the user pointed at."""
    return list(task.file.new) if task.region.selected else None


def name_file(task: Task, code: Lines) -> Lines | None:
    """The name of the file above the lines."""
    choose = task.random.choice
    said = choose(("{}", "{}", "filename: {}", "File: {}", "path: {}", "{} (updated)")).format(
        task.name
    )
    remark = choose((task.file.language.remark, task.file.language.remark, "# {}", "// {}"))
    bare = choose(("{}", "=== {} ===", "**{}**", "`{}`", "{}:", "--- {} ---"))
    line = choose((remark, remark, bare)).format(said)
    return None if line in task.old else [line, *choose(([], [], [""])), *code]


def name_language(task: Task, code: Lines) -> Lines | None:
    """The name of the language above the lines, which belongs behind the fence."""
    return [task.random.choice((task.suffix, task.file.language.name.lower())), *code]


def escape(task: Task, code: Lines) -> Lines | None:
    """Signs as HTML writes them."""
    way = task.random.choice((html.escape, _escape_tags, _escape_by_number))
    escaped = [way(line) for line in code]
    return None if escaped == code else escaped


def number(task: Task, code: Lines) -> Lines | None:
    """A number before each line."""
    form = task.random.choice(
        ("{}: ", "{}:", "{:>6}\t", "{}\t", "{}→", "{:>5}→", "{} | ", "{:>3}| ", "{} ", "{:04} ")
    )
    start = task.random.choice((1, task.region.start_line))
    strips = task.random.random() < 0.5
    lines = Lines()
    for row, line in enumerate(code, start):
        numbered = form.format(row) + line
        lines.append(numbered.rstrip() if strips and not line else numbered)
    return lines


def mark_ends(task: Task, code: Lines) -> Lines | None:
    """Marks above and below the lines that say where they begin and end."""
    comment = task.file.language.remark
    first, last = task.random.choice(
        (
            ("### BEGIN ###", "### END ###"),
            ("=== BEGIN ===", "=== END ==="),
            ("BEGIN", "END"),
            ("<code>", "</code>"),
            ("[CODE]", "[/CODE]"),
            ("<region>", "</region>"),
            (comment.format("BEGIN"), comment.format("END")),
            (comment.format("--- start ---"), comment.format("--- end ---")),
            (comment.format("start of edit"), comment.format("end of edit")),
        )
    )
    return [first, *code, last]


def strip_empty(task: Task, code: Lines) -> Lines | None:
    """No empty lines at either end."""
    stripped = "\n".join(code).strip("\n").split("\n")
    return None if stripped == code else stripped


def pad(task: Task, code: Lines) -> Lines | None:
    """An empty line at an end or both."""
    if not (code[0].strip() and code[-1].strip()):
        return None
    return task.random.choice((["", *code], [*code, ""], ["", *code, ""]))


def dedent(task: Task, code: Lines) -> Lines | None:
    """The lines without the indentation that they have in common."""
    common = _indent(code)
    return [line.removeprefix(common) for line in code] if common else None


def dedent_first(task: Task, code: Lines) -> Lines | None:
    """The first line without its indentation."""
    return [code[0].lstrip(), *code[1:]] if code[0].strip() and code[0][0] in " \t" else None


def strip_ends(task: Task, code: Lines) -> Lines | None:
    """White space at the end of lines that stay."""

    def stripped_badly(line: str) -> str:
        return line + task.random.choice(("", " ", "  "))

    return _changing_old(task, code, stripped_badly)


def swap_quotes(task: Task, code: Lines) -> Lines | None:
    """Punctuation that a printer would take, or a keyboard, in lines that stay."""
    tables = (str.maketrans("'-", "’–"), str.maketrans("“”—", '""-'))
    table = task.random.choice(tables)
    return _changing_old(task, code, lambda line: line.translate(table))


def swap_tabs(task: Task, code: Lines) -> Lines | None:
    """Spaces for tabs, or tabs for spaces."""
    if any(line.startswith("\t") for line in task.old):
        return [line.replace("\t", " " * 4) for line in code]
    indents = {len(_indent([line])) for line in (*task.old, *code)} - {0}
    if not indents or any(indent % 4 for indent in indents):
        return None
    known = {len(_indent([line])) for line in task.old} - {0}
    return [line.replace("    ", "\t") for line in code] if known else None


def leave_out(task: Task, code: Lines) -> Lines | None:
    """A remark in place of lines that stay."""
    matcher = SequenceMatcher(None, task.old, code, autojunk=False)
    longest = max(matcher.get_matching_blocks(), key=lambda block: block.size)
    if longest.size < 4:
        return None
    start = longest.b + 1
    stop = longest.b + longest.size - 1
    # the lines beside the gap stand nowhere else, or nobody could tell where it is
    if any((*task.old, *code).count(code[row]) > 2 for row in (start - 1, stop)):
        return None
    said = task.random.choice(("... existing code ...", "... rest unchanged ...", "..."))
    indent = _indent(code[start:stop])
    return [*code[:start], indent + task.file.language.remark.format(said), *code[stop:]]


def double(task: Task, code: Lines) -> Lines | None:
    """The lines twice, one after the other."""
    return [*code, *task.random.choice(([], [""])), *code]


def cut(task: Task, code: Lines) -> Lines | None:
    """Less than half of the lines, and nothing that says so."""
    solid = sum(bool(line.strip()) for line in task.old)
    return code[: (solid - 1) // 2] if solid >= 4 else None


# Where an answer goes on, in frames around its lines.


def frame_plainly(task: Task, code: Lines) -> str:
    """In a fence with the language of the file."""
    return _fenced(code, task.suffix)


def frame_barely(task: Task, code: Lines) -> str:
    """In a fence that names no language."""
    return _fenced(code, "")


def frame_with_language(task: Task, code: Lines) -> str:
    """In a fence that names the language in full."""
    return _fenced(code, task.file.language.name.lower())


def frame_with_path(task: Task, code: Lines) -> str:
    """In a fence that names the file."""
    forms = ("{0}:{1}", '{0} title="{1}"', "{1}", "{0} {1}", "{0} filename={1}")
    return _fenced(code, task.random.choice(forms).format(task.suffix, task.file.path))


def frame_in_talk(task: Task, code: Lines) -> str:
    """In a fence, with talk above and below."""
    above = task.random.choice(("Here is the updated code:", "Sure!", f"`{task.name}`:", ""))
    below = task.random.choice(("I changed what you asked for.", "Let me know.", "- one\n- two"))
    return f"{above}\n\n{_fenced(code, task.suffix)}\n{below}\n"


def frame_in_tildes(task: Task, code: Lines) -> str:
    """In a fence of tildes."""
    return _fenced(code, task.suffix, "~~~")


def frame_without_fence(task: Task, code: Lines) -> str:
    """Without a fence."""
    return "\n".join([*code, ""])


def frame_in_talk_without_fence(task: Task, code: Lines) -> str:
    """With talk above or below, and without a fence."""
    above = ["Here is the updated code:", *task.random.choice(([], [""]))]
    below = [*task.random.choice(([], [""])), "This should do it.", ""]
    ends = task.random.choice(((above, [""]), ([], below), (above, below)))
    return "\n".join([*ends[0], *code, *ends[1]])


def frame_with_returns(task: Task, code: Lines) -> str:
    """In a fence, with CR LF."""
    return _fenced(code, task.suffix).replace("\n", "\r\n")


def frame_twice(task: Task, code: Lines) -> str:
    """The same fence twice."""
    fenced = _fenced(code, task.suffix)
    return f"{fenced}\n{fenced}"


def frame_beside_old(task: Task, code: Lines) -> str:
    """In a fence below another one with the old lines."""
    old = _fenced(list(task.old), task.suffix)
    return f"Before:\n\n{old}\nAfter:\n\n{_fenced(code, task.suffix)}"


def frame_behind_fence(task: Task, code: Lines) -> str:
    """With the first line behind the backticks."""
    language = task.random.choice(("", "", f"{task.suffix} "))
    mark = fence_for(code)
    return "\n".join([f"{mark}{language}{code[0]}", *code[1:], mark, ""])


def frame_in_tags(task: Task, code: Lines) -> str:
    """In tags of the model's own."""
    first, last = task.random.choice((("<answer>", "</answer>"), ("<|assistant|>", "<|im_end|>")))
    return f"{first}\n{_fenced(code, task.suffix)}{last}\n"


def frame_open(task: Task, code: Lines) -> str:
    """In a fence that is never closed."""
    return _fenced(code, task.suffix).rstrip("\n").removesuffix(fence_for(code))


def frame_as_diff(task: Task, code: Lines) -> str:
    """As a diff of the region."""
    text = _diff(task, task.old, code)
    return _fenced(text, task.random.choice(("diff", "diff", "", task.suffix)))


def frame_as_bare_diff(task: Task, code: Lines) -> str:
    """As a diff of the region without a fence."""
    return "\n".join([*_diff(task, task.old, code), ""])


Change = Callable[[Task, Lines], Lines | None]
Framing = Callable[[Task, Lines], str]


@dataclass(frozen=True, slots=True)
class Habit:
    """What a model does to the lines of its answer. `is_clear`: whether the edit is clear still."""

    name: str
    change: Change
    is_clear: bool = True


@dataclass(frozen=True, slots=True)
class Frame:
    """What a model puts around the lines of its answer. `is_clear` as of `Habit`."""

    name: str
    write: Framing
    is_clear: bool = True
    is_diff: bool = False


HABITS = (
    # in the order in which they may meet: the lines, then their signs, then what stands above
    Habit("repeats below", repeat_below),
    Habit("repeats above", repeat_above),
    Habit("repeats around", repeat_around),
    Habit("whole file", repeat_all),
    Habit("encloses", enclose),
    Habit("selected lines", answer_selected),
    Habit("left out", leave_out),
    Habit("twice within", double),
    Habit("cut", cut, is_clear=False),
    Habit("dedented", dedent),
    Habit("first line dedented", dedent_first),
    Habit("white space", strip_ends),
    Habit("punctuation", swap_quotes),
    Habit("tabs", swap_tabs),
    Habit("HTML", escape),
    Habit("numbers", number),
    Habit("file name", name_file),
    Habit("language", name_language),
    Habit("marks", mark_ends),
    Habit("empty lines", pad),
    Habit("no empty lines", strip_empty),
)
PLAIN = (
    Frame("fence", frame_plainly),
    Frame("bare fence", frame_barely),
    Frame("named fence", frame_with_language),
)
FRAMES = (
    *PLAIN,
    Frame("path behind fence", frame_with_path),
    Frame("talk", frame_in_talk),
    Frame("tildes", frame_in_tildes),
    Frame("no fence", frame_without_fence),
    Frame("talk without fence", frame_in_talk_without_fence),
    Frame("CR LF", frame_with_returns),
    Frame("fence twice", frame_twice),
    Frame("beside the old", frame_beside_old, is_clear=False),
    Frame("code behind fence", frame_behind_fence),
    Frame("tags", frame_in_tags),
    Frame("open", frame_open, is_clear=False),
    Frame("diff", frame_as_diff, is_diff=True),
    Frame("bare diff", frame_as_bare_diff, is_diff=True),
)


# An answer in blocks is about one file or several. Habits change what each block searches for and
# puts there alike, as a model that sees escapes or numbers uses them in both.


@dataclass(frozen=True, slots=True)
class Block:
    """Lines to search for, and the lines that should stand there."""

    search: Lines
    replacement: Lines


Blocks = list[Block]
BlockChange = Callable[[Task, Blocks], Blocks | None]


def blocks_of(task: Task) -> Blocks:
    """Blocks that make the edit, each of which stands in one place of the file.

    There are more lines around each change than needed by chance, and as many as needed at least.
    """
    old = task.file.lines
    new = [*task.above, *task.new, *task.below]
    for around in range(task.random.randint(0, 3), len(old) + 1):
        blocks = Blocks()
        for group in _groups(old, new, around):
            blocks.append(Block(list(old[group[0]]), new[group[1]]))
        if _applied(old, blocks) == new:
            break
    return blocks


def _groups(old: Sequence[str], new: Sequence[str], around: int) -> list[tuple[slice, slice]]:
    """The changes with some equal lines around: where they stand among old and new lines."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    groups = list[tuple[slice, slice]]()
    for group in matcher.get_grouped_opcodes(around):
        _, old_start, _, new_start, _ = group[0]
        _, _, old_stop, _, new_stop = group[-1]
        groups.append((slice(old_start, old_stop), slice(new_start, new_stop)))
    return groups


def _applied(old: Sequence[str], blocks: Blocks) -> Lines | None:
    """Lines with blocks applied; None where one stands in no place, or in several."""
    lines = list(old)
    for block in blocks:
        count = len(block.search)
        rows = [
            row
            for row in range(len(lines))
            if [line.strip() for line in lines[row : row + count]]
            == [line.strip() for line in block.search]
        ]
        if len(rows) != 1 or not any(map(str.strip, block.search)):
            return None
        lines[rows[0] : rows[0] + count] = block.replacement
    return lines


def both(change: Change) -> BlockChange:
    """A habit of lines as a habit of blocks."""

    def change_blocks(task: Task, blocks: Blocks) -> Blocks | None:
        changed = Blocks()
        state = task.random.getstate()
        for block in blocks:
            sides = list[Lines]()
            for lines in (block.search, block.replacement):
                task.random.setstate(state)  # the same choices for both
                sides.append((lines and change(task, lines)) or lines)
            changed.append(Block(*sides))
        return None if changed == blocks else changed

    return change_blocks


def in_replacement(change: Change) -> BlockChange:
    """A habit of lines that only what is put there shows."""

    def change_blocks(task: Task, blocks: Blocks) -> Blocks | None:
        changed = Blocks()
        for block in blocks:
            lines = block.replacement
            changed.append(Block(block.search, (lines and change(task, lines)) or lines))
        return None if changed == blocks else changed

    return change_blocks


def repeat_next(task: Task, blocks: Blocks) -> Blocks | None:
    """The lines below those searched for, behind what is put there."""
    return _repeating(task, blocks, 1)


def repeat_former(task: Task, blocks: Blocks) -> Blocks | None:
    """The lines above those searched for, before what is put there."""
    return _repeating(task, blocks, -1)


def _repeating(task: Task, blocks: Blocks, step: int) -> Blocks | None:
    """One block with lines of the file on one side of those that it searches for."""
    lines = list(task.file.lines)
    changed = list(blocks)
    row = task.random.randrange(len(blocks))
    block = blocks[row]
    size = len(block.search)
    starts = [at for at in range(len(lines)) if lines[at : at + size] == block.search]
    if len(starts) != 1:
        return None
    start = starts[0]
    if step > 0:
        count = _some_solid(task.random, lines[start + size :])
        more = [*block.replacement, *lines[start + size : start + size + count]]
    else:
        count = _some_solid(task.random, lines[:start][::-1])
        more = [*lines[start - count : start], *block.replacement]
    changed[row] = Block(block.search, more)
    return changed if count else None


def dedent_blocks(task: Task, blocks: Blocks) -> Blocks | None:
    """All lines of a block without the indentation that they have in common."""
    changed = Blocks()
    for block in blocks:
        common = _indent([*block.search, *block.replacement])
        search = [line.removeprefix(common) for line in block.search]
        changed.append(Block(search, [line.removeprefix(common) for line in block.replacement]))
    return None if changed == blocks else changed


def pad_copied_lines(task: Task, blocks: Blocks) -> Blocks | None:
    """White space at the end of lines that are searched for, and of those lines put there."""
    changed = Blocks()
    for block in blocks:
        search = [line + task.random.choice(("", " ", "  ")) for line in block.search]
        replacement = list(block.replacement)
        matcher = SequenceMatcher(None, block.search, replacement, autojunk=False)
        for first, start, size in matcher.get_matching_blocks():
            replacement[start : start + size] = search[first : first + size]
        changed.append(Block(search, replacement))
    return None if changed == blocks else changed


def repeat_blocks(task: Task, blocks: Blocks) -> Blocks | None:
    """All blocks twice."""
    return [*blocks, *blocks]


def fence_within(task: Task, code: Lines) -> Lines | None:
    """Fences around the lines within a block."""
    return _fenced(code, task.suffix).splitlines()


@dataclass(frozen=True, slots=True)
class BlockHabit:
    """What a model does to its blocks. `is_clear` as of `Habit`."""

    name: str
    change: BlockChange
    is_clear: bool = True


BLOCK_HABITS = (
    BlockHabit("repeats below", repeat_next),
    BlockHabit("repeats above", repeat_former),
    BlockHabit("blocks twice", repeat_blocks),
    BlockHabit("dedented", dedent_blocks),
    BlockHabit("white space", pad_copied_lines),
    BlockHabit("punctuation", both(swap_quotes)),
    BlockHabit("tabs", both(swap_tabs)),
    BlockHabit("HTML", both(escape)),
    BlockHabit("HTML put there", in_replacement(escape)),
    BlockHabit("numbers", both(number)),
    BlockHabit("numbers put there", in_replacement(number)),
    BlockHabit("file name", both(name_file)),
    BlockHabit("file name put there", in_replacement(name_file)),
    BlockHabit("empty lines", both(pad)),
    BlockHabit("marks put there", in_replacement(mark_ends)),
    BlockHabit("fences within", both(fence_within)),
)


def name_plainly(task: Task) -> str:
    """The path alone."""
    return task.file.path


def name_in_markdown(task: Task) -> str:
    """The path as Markdown writes names."""
    forms = ("`{}`", "**{}**", "### {}", "### `{}`", "[{0}]({0})", "**`{}`**", "- {}")
    return task.random.choice(forms).format(task.file.path)


def name_in_a_heading(task: Task) -> str:
    """The path with a number or words."""
    forms = ("### 1. {}", "{} (updated)", "File: {}", "{}:", "Change {} so:", "2. `{}`")
    return task.random.choice(forms).format(task.file.path)


def name_with_backslashes(task: Task) -> str:
    """The path as Windows writes it."""
    return task.file.path.replace("/", "\\")


def name_shortly(task: Task) -> str:
    """The name of the file without its folders."""
    return PurePosixPath(task.file.path).name


def _written(block: Block, size: int = 7) -> Lines:
    """The lines of a block."""
    return [
        f"{'<' * size} SEARCH",
        *block.search,
        "=" * size,
        *block.replacement,
        f"{'>' * size} REPLACE",
    ]


BlockFraming = Callable[[Task, str, Blocks], str]


def write_plainly(task: Task, name: str, blocks: Blocks) -> str:
    """The path above each block."""
    lines = Lines()
    for block in blocks:
        lines += [name, *_written(block)]
    return "\n".join([*lines, ""])


def write_path_once(task: Task, name: str, blocks: Blocks) -> str:
    """The path above the first block."""
    lines = [name]
    for block in blocks:
        lines += [*_written(block), ""]
    return "\n".join(lines)


def write_in_fences(task: Task, name: str, blocks: Blocks) -> str:
    """A fence around each block, below the path."""
    lines = Lines()
    for block in blocks:
        lines += [name, *_fenced(_written(block), task.suffix).splitlines(), ""]
    return "\n".join(lines)


def write_within_fences(task: Task, name: str, blocks: Blocks) -> str:
    """A fence around each block and its path."""
    lines = Lines()
    for block in blocks:
        lines += [*_fenced([name, *_written(block)], task.suffix).splitlines(), ""]
    return "\n".join(lines)


def write_in_talk(task: Task, name: str, blocks: Blocks) -> str:
    """Talk around all blocks."""
    return f"Here are the changes.\n\n{write_plainly(task, name, blocks)}\nThat is all.\n"


def write_other_marks(task: Task, name: str, blocks: Blocks) -> str:
    """Marks of another length."""
    size = task.random.choice((5, 6, 8, 9))
    lines = Lines()
    for block in blocks:
        lines += [name, *_written(block, size)]
    return "\n".join(lines)


def write_with_returns(task: Task, name: str, blocks: Blocks) -> str:
    """CR LF at the end of lines."""
    return write_plainly(task, name, blocks).replace("\n", "\r\n")


def write_open(task: Task, name: str, blocks: Blocks) -> str:
    """The last mark is missing."""
    return write_plainly(task, name, blocks).rstrip("\n").rpartition("\n")[0]


def write_as_diff(task: Task, name: str, blocks: Blocks) -> str:
    """A diff in place of blocks."""
    new = _applied(task.file.lines, blocks) or [*task.above, *task.new, *task.below]
    path = task.file.path
    heading = task.random.choice(
        (
            [f"--- a/{path}", f"+++ b/{path}"],
            [f"--- {path}", f"+++ {path}"],
            [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"],
        )
    )
    lines = [*heading, *_hunks(task, task.file.lines, new)]
    return task.random.choice((_fenced(lines, "diff"), "\n".join([*lines, ""])))


@dataclass(frozen=True, slots=True)
class BlockFrame:
    """How a model writes blocks. `is_clear` as of `Habit`."""

    name: str
    write: BlockFraming
    is_clear: bool = True
    is_diff: bool = False


PLAIN_BLOCKS = (BlockFrame("blocks", write_plainly), BlockFrame("path once", write_path_once))
BLOCK_FRAMES = (
    *PLAIN_BLOCKS,
    BlockFrame("fences", write_in_fences),
    BlockFrame("path within", write_within_fences),
    BlockFrame("talk", write_in_talk),
    BlockFrame("other marks", write_other_marks),
    BlockFrame("CR LF", write_with_returns),
    BlockFrame("open", write_open, is_clear=False),
    BlockFrame("diff", write_as_diff, is_diff=True),
)


@dataclass(frozen=True, slots=True)
class Naming:
    """How a model names the file of a block."""

    name: str
    write: Callable[[Task], str]


NAMINGS = (
    Naming("path", name_plainly),
    Naming("path in Markdown", name_in_markdown),
    Naming("path in a heading", name_in_a_heading),
    Naming("path with backslashes", name_with_backslashes),
    Naming("name without folders", name_shortly),
)


# Parts of answers.


def _fenced(code: Sequence[str], info: str, sign: str = "`") -> str:
    """Lines in a fence that none of them ends."""
    mark = fence_for(code)
    if sign != "`":
        mark = sign
    return "\n".join([mark + info, *code, mark, ""])


def _diff(task: Task, old: Sequence[str], new: Sequence[str]) -> Lines:
    """A diff, with or without a heading."""
    path = task.file.path
    headings: tuple[Lines, ...] = (
        [],
        [f"--- a/{path}", f"+++ b/{path}"],
        [f"--- {path}", f"+++ {path}"],
    )
    return [*task.random.choice(headings), *_hunks(task, old, new)]


def _hunks(task: Task, old: Sequence[str], new: Sequence[str]) -> Lines:
    """The hunks of a diff, with right numbers, wrong ones or none, that fit in one place each."""
    form = task.random.choice(("right", "right", "wrong", "@@ ... @@", "@@", "@@ @@"))
    for around in range(3, max(3, len(old)) + 1):
        lines = Lines()
        blocks = Blocks()
        for olds, news in _groups(old, new, around):
            blocks.append(Block(list(old[olds]), list(new[news])))
            before = (olds.start + 1, olds.stop - olds.start)
            after = (news.start + 1, news.stop - news.start)
            heading = f"@@ -{before[0]},{before[1]} +{after[0]},{after[1]} @@"
            if form == "wrong":
                heading = f"@@ -{before[0] + 4},{before[1] + 1} +{after[0] + 4},{after[1] + 1} @@"
            lines += [heading if form in ("right", "wrong") else form]
            lines += list(unified_diff(old[olds], new[news], n=len(old), lineterm=""))[3:]
        if _applied(old, blocks) == list(new):
            break
    return lines


def _changing_old(task: Task, code: Lines, change: Callable[[str], str]) -> Lines | None:
    """Lines with a change to those that stand in the region already; None where none changes."""
    changed = list(code)
    matcher = SequenceMatcher(None, task.old, code, autojunk=False)
    for _, start, size in matcher.get_matching_blocks():
        for row in range(start, start + size):
            changed[row] = change(code[row])
    return None if changed == code else changed


def _some_solid(random: Random, lines: Sequence[str]) -> int:
    """How many of some lines to take, so that one of them is not empty; 0 where all are."""
    counts = [count for count in range(1, len(lines) + 1) if lines[count - 1].strip()]
    return random.choice(counts[:6]) if counts else 0


def _indent(lines: Sequence[str]) -> str:
    """The white space that all lines but empty ones begin with."""
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    shortest = min(indents, key=len, default="")
    return shortest if all(indent.startswith(shortest) for indent in indents) else ""


def _encloses(line: str, inner: str) -> bool:
    """Whether a line is less indented than others."""
    return bool(line.strip()) and len(_indent([line])) < len(inner)


def _escape_tags(line: str) -> str:
    return line.replace("<", "&lt;").replace(">", "&gt;")


def _escape_by_number(line: str) -> str:
    return html.escape(line, quote=False).replace("'", "&#39;").replace('"', "&#34;")


# Whole answers.


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to one task, or to several at once.

    Attributes:
        form: The format that the model was asked for.
        kinds: The habits, or the frame where there are none.
        tasks: The tasks; several only in blocks.
        text: The text of the answer.
        is_clean: Whether it is as it was asked for, to the letter.
        is_clear: Whether a person who reads it would know what is meant.
    """

    form: str
    kinds: tuple[str, ...]
    tasks: tuple[Task, ...]
    text: str
    is_clean: bool
    is_clear: bool


def generated_answer(random: Random, most: int, without: Collection[str] = ()) -> Answer:
    """An answer with some habits in a frame, about a file in any language.

    Args:
        random: The source of chance.
        most: The most habits at once.
        without: The kinds to leave out.
    """
    while True:
        write = random.choice((_rewriting, _rewriting, _in_blocks))
        answer = write(random, random.randint(0, most))
        if answer is not None and not set(answer.kinds).intersection(without):
            return answer


def _rewriting(random: Random, count: int) -> Answer | None:
    """The region once more, as a model with some habits writes it."""
    task = task_of(random, edited_file(random, random.choice(LANGUAGES)))
    habits = _in_order(random, HABITS, count)
    frame = random.choice(FRAMES)
    if habits and (frame.is_diff or random.random() < 0.5):
        frame = PLAIN[0]
    code: Lines | None = list(task.new)
    for habit in habits:
        code = code and habit.change(task, code)
    if not code:
        return None
    clear = frame.is_clear and all(habit.is_clear for habit in habits)
    return Answer(
        REWRITE,
        _kinds(REWRITE, habits, frame, frame in PLAIN),
        (task,),
        frame.write(task, code),
        not habits and frame in PLAIN,
        clear,
    )


def _in_blocks(random: Random, count: int) -> Answer | None:
    """Blocks about one file or two, as a model with some habits writes them."""
    languages = random.sample(LANGUAGES, random.choice((1, 1, 2)))
    tasks = [task_of(random, edited_file(random, language)) for language in languages]
    habits = _in_order(random, BLOCK_HABITS, count)
    frame = random.choice(BLOCK_FRAMES)
    if habits and (frame.is_diff or random.random() < 0.5):
        frame = PLAIN_BLOCKS[0]
    naming = random.choice(NAMINGS)
    parts = list[str]()
    for task in tasks:
        blocks: Blocks | None = blocks_of(task)
        for habit in habits:
            blocks = blocks and habit.change(task, blocks)
        if not blocks:
            return None
        parts.append(frame.write(task, naming.write(task), blocks))
    is_plain = frame in PLAIN_BLOCKS and naming is NAMINGS[0]
    named: Sequence[BlockHabit | Naming] = habits
    if naming is not NAMINGS[0]:
        named = (*habits, naming)
    clear = frame.is_clear and all(habit.is_clear for habit in habits)
    kinds = _kinds(BLOCKS, named, frame, is_plain)
    return Answer(BLOCKS, kinds, tuple(tasks), "\n".join(parts), not habits and is_plain, clear)


Named = TypeVar("Named", bound="Habit | BlockHabit")


def _in_order(random: Random, habits: Sequence[Named], count: int) -> list[Named]:
    """Some habits in the order of their table."""
    rows = sorted(random.sample(range(len(habits)), count))
    return [habits[row] for row in rows]


def _kinds(
    form: str,
    habits: Sequence["Habit | BlockHabit | Naming"],
    frame: "Frame | BlockFrame",
    is_plain: bool,
) -> tuple[str, ...]:
    """The names of habits and of the frame, unless that is plain beside habits."""
    names = [habit.name for habit in habits]
    if not (is_plain and names):
        names.append(frame.name)
    return tuple(f"{form}: {name}" for name in names)

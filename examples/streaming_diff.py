"""Use the streaming diff from Python: feed it what a model writes, piece by piece, and watch the hunks grow."""

from spark_tui.editing.format import Frame, render_script
from spark_tui.editing.hunks import diff
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.streaming import Draft
from spark_tui.editing.text import Text

base = Text.from_bytes(b"def area(w, h):\n    if w < 0:\n        return 0\n    return w + h\n")
frame = Frame.of(base.lines)
draft = Draft(base.lines, frame)
script = [
    Replace(1, 1, ("    if w < 0 or h < 0:",)),
    Insert(2, ("    # width by height",)),
    Replace(3, 3, ("    return w * h",)),
]
for piece in render_script("bug", script, frame):
    draft.feed(piece)
    for hunk in diff(base, base.replace_lines(0, len(base.lines), draft.lines)):
        print(f"line {hunk.start + 1}: {list(hunk.old_lines)} -> {list(hunk.new_lines)}")
    print(f"after {piece}")

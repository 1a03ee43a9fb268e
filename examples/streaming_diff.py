"""Use the streaming diff from Python: feed it what a model writes, piece by piece, and watch
the hunks grow.
"""

from spark_tui.editing.formats.quoted import QuotedDraft
from spark_tui.editing.hunks import diff
from spark_tui.editing.text import Text

SCRIPT = """\
-    if w < 0:
+    if w < 0 or h < 0:
-    return w + h
+    # width by height
+    return w * h
"""
base = Text.from_bytes(b"def area(w, h):\n    if w < 0:\n        return 0\n    return w + h\n")
draft = QuotedDraft(base.lines)
for at in range(0, len(SCRIPT), 6):
    draft.take(SCRIPT[at : at + 6].encode())
    for hunk in diff(base, base.replace_lines(0, len(base.lines), draft.lines())):
        print(f"line {hunk.start + 1}: {list(hunk.old_lines)} -> {list(hunk.new_lines)}")
    print(f"after {SCRIPT[at : at + 6]!r}")

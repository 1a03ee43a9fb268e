"""Which attribute of an object keeps a name that was asked to be another one, and that a parameter had, too."""

import re

from spark_tui.editing.linediff import line_changes
from spark_tui.editing.text import Text

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_ATTRIBUTE = re.compile(r"(?<![\w.])(?:self|cls)\.(?P<name>\w+)")
_VARIABLE = re.compile(r"(?i)\b(?:arg|argument|local|param|parameter|shadow|variable)(?:s|ed|ing)?\b|\b(?:self|cls)\.")
"""What says that no attribute is meant, as none shadows anything, or which."""


def attribute_left(words: str, before: Text, after: Text) -> str:
    """What to say of an attribute that stands in lines a renaming changes and keeps the name, or ""."""
    changes = line_changes(before.lines, after.lines)
    old = "\n".join(line for each in changes for line in before.lines[each.old_start : each.old_stop])
    new = "\n".join(line for each in changes for line in after.lines[each.new_start : each.new_stop])
    lost = {*_NAME.findall(old)} - {*_NAME.findall(new)}
    kept = next((each for each in _ATTRIBUTE.finditer(new) if each["name"] in lost), None)
    if kept is None or _VARIABLE.search(words):
        return ""
    return f"{kept[0]} is left as it is; say {kept[0]} to rename that, too"

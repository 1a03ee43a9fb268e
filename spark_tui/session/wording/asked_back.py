"""What must be asked back before any edit is looked for, whatever the code may allow."""

import re
from collections.abc import Sequence

from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.session.wording.contradictions import contradiction
from spark_tui.session.wording.corrections import unclear
from spark_tui.session.wording.lone import lone
from spark_tui.session.wording.one_place import told_elsewhere
from spark_tui.session.wording.phrases import phrase


def asked_back(words: str, steps: Sequence[str], region: Region, base: Text) -> str:
    """What to ask the user, or "". Args: steps: of the words. base: the file."""
    lines = base.lines[region.start_line - 1 : region.end_line]
    pointed = region.found_by == "lines" or region.selected is not None
    names = frozenset(re.findall(r"\w+", "\n".join(lines)))
    alone = lone(words, names, pointed=pointed) or phrase(words, names)
    return alone or contradiction(words) or unclear(words) or told_elsewhere(steps, region, base)

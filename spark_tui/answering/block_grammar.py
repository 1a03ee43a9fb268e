"""A grammar for blocks that search and replace: what is searched for may only be lines that were sent.

The notation is GBNF, which llama-server and vLLM read. Everything but the search is free: words,
thoughts, paths, and the new lines.
"""

from collections.abc import Sequence

from spark_tui.editing.headings import is_heading

_MOST_LINES = 400
"""Different lines; of more, a server looks at too many ways to go on with each token."""
_LONGEST = 400
"""Characters of a line."""
_RULES = r"""root ::= ( text | block | delete )* rest
text ::= rest "\n"
rest ::= ( [^<\n] [^\n]* | "<" ( [^<\n] [^\n]* )? )?
delete ::= "<<<<<<< DELETE"
block ::= "<<<<<<< SEARCH\n" old* "=======\n" new* ">>>>>>> REPLACE"
new ::= [^\n]* "\n"
old ::= ( {lines} ) "\n"
"""
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\r": "\\r"}


def block_grammar(lines: Sequence[str]) -> str:
    """Write the grammar for blocks about lines.

    Args:
        lines: A region, or several files with their headings.

    Returns:
        The grammar; "" where there are too many lines, or too long ones, for a server to follow.
    """
    sent = dict.fromkeys(line for line in lines if not is_heading(line))
    if not sent or len(sent) > _MOST_LINES or max(map(len, sent)) > _LONGEST:
        return ""
    return _RULES.replace("{lines}", " | ".join(map(_literal, sent)))


def _literal(line: str) -> str:
    letters = [_ESCAPES.get(letter) or _printable(letter) for letter in line]
    return f'"{"".join(letters)}"'


def _printable(letter: str) -> str:
    return f"\\x{ord(letter):02X}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter

"""The terminal interface: everything on the screen, over `session` only."""

import os

# Textual reads this once, when it is imported: how long an Esc may still turn out to be an arrow key.
os.environ.setdefault("ESCDELAY", "20")

"""Text, edit formats, hunks, review and checks. Does no file I/O and knows no model."""

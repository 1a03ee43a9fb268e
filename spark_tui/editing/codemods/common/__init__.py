"""What kinds share: words told apart from code, places in the code, and how edits of them are made."""

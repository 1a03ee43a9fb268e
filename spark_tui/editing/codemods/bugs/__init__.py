"""What may be wrong in code: the tokens, arguments, tests and places that are easily mistaken, and their cures."""

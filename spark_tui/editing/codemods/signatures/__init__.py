"""Parameters: asked for, given defaults, put in order, and used in the body."""

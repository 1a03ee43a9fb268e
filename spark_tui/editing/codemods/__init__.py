"""The edits of each kind, worked out exactly: one module a kind."""

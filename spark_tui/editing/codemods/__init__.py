"""The edits of each kind, worked out exactly: one module a kind, and in folders what it reads and writes with."""

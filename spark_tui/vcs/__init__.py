"""Repository facts, hardened git, patches, the write protocol, the journal, undo and redo."""

"""A turn end to end: from an instruction to checked hunks, and from an accept to bytes on disk."""

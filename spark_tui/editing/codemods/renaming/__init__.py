"""Which name is meant, what it shall be called, and where it stands."""

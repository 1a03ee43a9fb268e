"""Edit formats: how a model writes an edit, and how what it wrote is read, piece by piece."""

"""Finds the part of a repository that an instruction is about; does no file I/O of its own."""

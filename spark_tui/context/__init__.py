"""Finds the part of a repository an instruction is about. Does no file I/O of its own."""

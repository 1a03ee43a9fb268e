"""Asks the language servers that are installed about the types of a proposal.

From the bottom up: `connection` exchanges messages with a program, `catalog` knows the servers and
finds them, `trial_run` sees whether one runs, `diagnostics` compares the errors of two versions of
a file, `server` lays versions over the files of one server, and `type_check` asks servers in the
background of a session.
"""

"""Finds the small change that makes a failing command pass.

`locate` decides where to look, `search` what to try and in which order, and `sandbox` runs the
command.
"""

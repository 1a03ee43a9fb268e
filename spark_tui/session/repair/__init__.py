"""Finding the small change that makes a failing command pass: where to look, what to try, and
in which order.
"""

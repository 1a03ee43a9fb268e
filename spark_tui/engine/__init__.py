"""Tokens in, logits and tokens out: weights, tokenizer, cache, sampling, a thread.

Knows no edits, git or screen.
"""

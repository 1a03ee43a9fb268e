"""The same said in other words: expressions, statements, truths and calls."""

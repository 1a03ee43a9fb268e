"""What is written for people: docstrings, comments, and the words in texts."""

"""What forbids an edit, or leaves a wish nothing to do: each rule reads the words, the code, and the code edited."""

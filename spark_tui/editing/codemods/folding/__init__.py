"""Several statements that become fewer: branches, loops, tries and steps of a value."""

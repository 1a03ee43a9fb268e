"""What outlives a session: its turns, what was sent, what was accepted."""

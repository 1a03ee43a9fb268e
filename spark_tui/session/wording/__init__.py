"""What an instruction asks for before any code is read: its steps, a correction of what was asked, another place."""

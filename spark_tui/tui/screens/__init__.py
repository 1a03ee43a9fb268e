"""The screens: the main screen with its parts, and what opens over it."""

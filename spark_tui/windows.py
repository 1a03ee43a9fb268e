"""The advice for Windows, whose own system lacks what spark is built on; WSL has all of it."""

ADVICE = (
    "spark runs on Linux and macOS; on Windows install it in WSL (`wsl --install`, "
    "then the same commands in the Linux terminal)"
)
"""One sentence that names what works."""

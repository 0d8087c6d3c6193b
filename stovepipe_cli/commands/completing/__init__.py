"""What a shell is told when somebody presses Tab: candidates, or that it should offer files. Never a word on stderr."""

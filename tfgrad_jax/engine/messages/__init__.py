"""What the user reads: errors, warnings, and where in the user's program something happened."""

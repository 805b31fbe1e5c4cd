"""Texts for the user: errors, warnings, and where in the user's program something happened."""

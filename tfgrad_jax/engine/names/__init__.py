"""Public names (`tf.*`), and name scopes."""

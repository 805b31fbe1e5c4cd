"""Declaring an operation once, so that all else follows."""

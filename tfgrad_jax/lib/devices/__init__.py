"""Devices, and contexts that choose them."""

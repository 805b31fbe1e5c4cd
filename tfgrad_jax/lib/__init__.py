"""Stateful Python over the operations: modules, optimizers."""

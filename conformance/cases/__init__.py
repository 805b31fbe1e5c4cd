"""The cases, one file per area or part of one; each is imported by `conformance.registry.load_cases`."""

"""Python code called from programs: printing, assertions, `py_function`."""

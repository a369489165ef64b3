"""Test suites of other projects: their list, their sources, and their runs."""

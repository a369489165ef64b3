"""Recorders: they write answers of servers into the files that the tests replay."""

"""Behavior of Go's standard library and of RE2 that the server's responses depend on."""

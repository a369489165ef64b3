"""Fuzzers: generated inputs for the reference or a server, compared with the engine."""

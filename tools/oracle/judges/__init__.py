"""Judges of inputs: the reference, a server, and the engine; and the differences between their answers."""

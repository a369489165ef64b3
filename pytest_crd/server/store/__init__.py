"""The stored objects, their selection, and the values that a server generates."""

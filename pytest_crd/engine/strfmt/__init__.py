"""The string formats that the server checks."""

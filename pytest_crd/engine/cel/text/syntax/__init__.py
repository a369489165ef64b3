"""Parser of expressions that reproduces the server's recovery from syntax errors and its messages."""

"""Field errors and refusals with the server's messages."""

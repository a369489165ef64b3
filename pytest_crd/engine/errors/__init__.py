"""Field errors, refusals and whole answers in the server's words."""

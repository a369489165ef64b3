"""Who says what becomes of an input: the reference, a server, the engine; and what differs between two of them."""

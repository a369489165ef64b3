"""Real inputs and published tables, asked of a server and of the engine."""

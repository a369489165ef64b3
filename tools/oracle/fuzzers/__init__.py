"""Made inputs, asked of the reference or a server and of the engine."""

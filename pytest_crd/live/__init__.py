"""A real API server beside the engine: the same requests, and where the two answer otherwise."""

"""Real API servers: the Go programs that they are, what starts them, and what is asked of them again and again."""

"""Real API servers: their Go programs, how they are started, and requests that are repeated or sent in parallel."""

"""Built-in kinds as they are served: what is stored of them, how patches merge them, and what tables say of them."""

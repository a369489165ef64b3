"""The passes that change a resource: pruning, nulls and defaults."""

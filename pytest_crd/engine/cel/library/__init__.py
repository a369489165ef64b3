"""The functions that expressions may call: a module per library, with signature, implementation and costs of each function in its table."""

"""Functions of expressions: one module per library, with signatures, implementations and costs in tables."""

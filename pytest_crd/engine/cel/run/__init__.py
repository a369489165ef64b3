"""
Evaluation of expressions.

The input is a checked expression and values of variables; the output is a value or an error, and the cost. `planner`
compiles each node to a closure from `attributes`, `calls`, `logic` and `folds`; `interpreter` runs the closures on a
frame (`frames`).
"""

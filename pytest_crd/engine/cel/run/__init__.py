"""
The evaluation of expressions.

A checked expression and variables come in; a value or an error goes out, with what it has cost. `planner` makes a closure of each node, of
`attributes`, `calls`, `logic` and `folds`, and `interpreter` runs them, once for each value of the variables (`frames`).
"""

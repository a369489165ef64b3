"""
Estimates of minimum and maximum costs of expressions before they run.

The input is a checked expression and the sizes of variables. `estimate` adds up the costs of the nodes with the sizes
from `knownsizes`.
"""

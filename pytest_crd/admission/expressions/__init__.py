"""Expressions of admission: the types of their variables, their compilation, and their evaluation within a cost budget."""

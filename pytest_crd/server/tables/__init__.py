"""
Tables as kubectl prints them: columns, JSONPaths and ages.

Objects and the columns of their type come in, a Table goes out (`tables`): `jsonpath` finds the value of a cell, and `ages` prints times.
"""

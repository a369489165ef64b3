"""
The stored objects, their selection, and the values that a server generates.

`store` keeps objects by key in a `pathtable`, with one revision per change; `selectors` choose among them, and
`generatedvalues` makes times, names and uids.
"""

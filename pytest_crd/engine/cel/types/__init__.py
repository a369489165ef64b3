"""
Type checking of expressions: meaning of names, and agreement of types.

The input is a syntax tree and declarations; the output is a checked expression (`checked`) or type errors. `celtypes`
defines the types, `unification` solves type parameters, `functions` describes libraries, `costs` their costs; `checker`
combines them.
"""

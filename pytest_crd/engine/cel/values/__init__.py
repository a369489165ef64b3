"""
The values of expressions: how they are told apart, compared, converted and shown.

JSON values and what libraries make of them come in; values of CEL, texts and errors go out. `values` has the types and what all need of
them; a module for each kind that Python does not have, `equality` and `conversions` between them, `display` for people.
"""

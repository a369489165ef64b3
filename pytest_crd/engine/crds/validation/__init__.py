"""
Validation of CustomResourceDefinitions: all of the server's rules.

The input is the internal form, the output errors in the server's order. `wholecrd` has that order; `schemas` validates
the schemas.
"""

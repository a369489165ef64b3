"""
The validation of a CustomResourceDefinition: every rule that the server has for one.

The internal form comes in, errors in the server's order go out: `wholecrd` has that order, and `schemas` what is demanded of schemas.
"""

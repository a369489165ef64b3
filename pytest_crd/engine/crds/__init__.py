"""
A CustomResourceDefinition's own life on a server, from a decoded manifest to its conditions.

Its forms follow each other (`forms`): `decoded`, `defaulted`, `internal`, and `encoded` in answers; `declared` is what all versions of the
API say alike. `validation` says what is wrong with the internal form, `nameconflicts` and `conditions` what becomes of a valid CRD.
"""

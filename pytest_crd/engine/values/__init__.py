"""
Value validation: keywords, formats, list types, and ratcheting.

A value, the old one and a schema come in, field errors go out. `valuevalidation` joins the checks of `keywords`, `numberkeywords` and `children`
in the order of the server. `listtypes` are validated apart. `ratcheting` finds the old value of a new one, and whether it
changed.
"""

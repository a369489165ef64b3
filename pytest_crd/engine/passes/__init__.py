"""
Passes over a resource: pruning, dropping nulls, defaulting, and coercion of metadata.

A decoded object comes in, a changed one goes out; the input stays as it is. `versionpasses` joins the passes: `objectmeta` coerces the root's
metadata, `pruning` drops unknown fields, and `defaulting` drops nulls and sets defaults.
"""

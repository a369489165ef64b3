"""
Patches: what is stored and a JSON Patch or a merge patch come in, the patched document goes out, or why it is refused.

`documents` (JSON as it was sent), then `jsonpatch` and `mergepatch`, then `patches`, which is what a server makes of a body.
"""

"""
Patches of stored objects: JSON Patch, merge patch and strategic merge patch.

`documents` keeps JSON as it was sent, `jsonpatch`, `mergepatch` and `strategicmerge` apply patches, and `patchrequest` handles the
body of a request. `listorder` has the items of lists that a strategic merge patch merges, `strategicerrors` its refusals.
"""

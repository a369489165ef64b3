"""
Validation of built-in objects: a module for each kind or group, and `kindvalidation` with the order of a write.

Input is a `ValidatedWrite`: the object that a request is about to store, and the stored one. Output are field errors in the order of a server.
`kindvalidation` imports the modules of the kinds, which import `validatedwrites`.
"""

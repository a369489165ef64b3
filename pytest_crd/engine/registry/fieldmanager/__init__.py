"""
Server-side apply: merging of objects, and the managers of their fields.

`pathelements` and `fieldsets` name fields. `mergetypes` describes how values merge, and `openapitypes` derives that from a schema.
`typedvalues`, `comparing` and `merging` walk over objects. `managers` has the managers and their form in managed fields, `ownership` decides
which fields they own within `managedlimits`, and `fieldmanager` has the order of the steps of a request.
"""

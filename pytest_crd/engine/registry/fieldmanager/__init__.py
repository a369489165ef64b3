"""
Server-side apply: how objects are merged, and who manages which of their fields.

From what is known to what is decided: `pathelements` and `fieldsets` name fields, `fieldsv1` is how they are written down; `mergetypes` says
what is merged how, and `openapitypes` makes that of a CRD; `typedvalues` has the walks over objects; `ownership` decides who
owns what, `managedfields` is who that is; `fieldmanager` is the order of it all for one request.
"""

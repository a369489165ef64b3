"""
Requests to the server, as pure functions of the request and the stored object.

`handlers` has the order of the steps. `strategy` is the protocol of the steps that differ between kinds, which `customresource` and `crd`
implement. `desiredobject` reads the object that a request wants to store, which `resourcedecoding` or `crddecoding` decodes, and
`scalereading` that of a request to `/scale`. `checkedwrites` makes the outcome of a validated object.
"""

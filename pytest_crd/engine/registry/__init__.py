"""
Requests to the server.

A request and the stored object come in, an outcome goes out. `handlers` has the order of the steps, `strategy` the protocol of those that
differ between kinds, `customresource` and `crd` implement it. `clientrequests` completes requests that leave something out.
"""

"""
Requests to the server: the order of everything that happens to one.

A body comes in, a response goes out. `customresource` and `crdrequest` have a function for each verb, `validation` the order of what is
looked at; each other module is one step. `clientrequests` fills in first what clients may leave out.
"""

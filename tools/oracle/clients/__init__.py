"""
Conversations of Python clients with a server, written as in each client's documentation.

`notes` records the results of a client, `normalization` removes differences between servers, `ovens` has the CRD and
its objects. Each other module has the conversation of one client, and imports that client when it begins.
"""

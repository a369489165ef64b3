"""
Conversations of Python clients with a server, as each client's own documentation shows how.

`notes` keeps what a client gets, `alike` takes out what no two servers have in common, `ovens` has what is sent. Each other module holds
the conversation of one client, and imports that client when it begins.
"""

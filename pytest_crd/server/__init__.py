"""
HTTP server for custom resources around the engine, for the tests of operators.

`store` holds the objects and their history, `resourcetypes` describes the served resources, `api` answers requests,
`resourcerequests` those for resources, and `httpserver` owns the socket. Only `httpserver` does I/O.
"""

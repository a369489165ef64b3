"""
A server of custom resources around the engine, for operators' own tests: requests of HTTP come in, a server's answers go out.

In order: `store` has what is stored and what happened to it, `resourcetypes` what is served, `api` answers a request, which is pure but for the
store, and `transport` is the socket around it. Only `transport` does I/O.
"""

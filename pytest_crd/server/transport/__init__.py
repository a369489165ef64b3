"""The socket around the API: HTTP/1.1 over TLS on loopback, in a thread and an event loop of its own. Needs the extra `pytest-crd[server]`."""

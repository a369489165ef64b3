"""Tables as kubectl prints them: columns, JSONPaths and ages."""

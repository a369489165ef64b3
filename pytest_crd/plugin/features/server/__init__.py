"""The fixture `crd_server`: `opening` makes a server for a test, `hooks` tells in its report what the server has seen."""

"""The fixture `crd_server`: `opening` starts a server for a test, `hooks` adds its requests to the test report."""

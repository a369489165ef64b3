"""Admission policies in tests: the policies of `crd_policies`, evaluated for requests of cases and of `crd_server`."""

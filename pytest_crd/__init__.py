"""Test Kubernetes CustomResourceDefinitions with pytest, offline, with the API server's answers."""

"""`--crd-generate`: writes case files instead of running tests."""

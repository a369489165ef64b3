"""`--crd-cov`: measures which parts of the schemas the tests exercise."""

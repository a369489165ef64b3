"""`--crd-cov`: what of the schemas the tests exercise is measured, and told."""

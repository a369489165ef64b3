"""`--crd-checks`: a test for each check of a CRD or sample, without cases."""

"""`--crd-checks`: every CRD and every sample is checked, without a case."""

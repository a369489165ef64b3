"""`--crd-baseline`: judges the effects of an upgrade of the CRDs on objects."""

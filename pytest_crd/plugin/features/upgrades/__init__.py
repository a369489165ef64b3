"""`--crd-baseline`: what an upgrade of the CRDs does to objects is judged."""

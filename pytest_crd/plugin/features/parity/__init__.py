"""`crd_parity`: a test for each class that must agree with a CRD."""

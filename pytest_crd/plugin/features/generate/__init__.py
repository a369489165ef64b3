"""`--crd-generate`: case files are written instead of tests run."""

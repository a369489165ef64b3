"""`--crd-fill` and `--crd-update`: what is observed is written into case files."""

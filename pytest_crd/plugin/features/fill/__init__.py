"""`--crd-fill` and `--crd-update`: write observed results into case files."""

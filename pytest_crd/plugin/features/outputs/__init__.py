"""`--crd-annotations`, `--crd-sarif`, `--crd-json`: reports of verdicts for code hosts and programs."""

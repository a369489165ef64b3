"""`--crd-annotations`, `--crd-sarif`, `--crd-json`: what tests came to is told to code hosts and programs."""

"""CEL, the Common Expression Language, as Kubernetes has it: parsed, checked, estimated and evaluated; it knows nothing of CRDs."""
